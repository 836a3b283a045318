//! The repository over Diesel.
//!
//! The queries are written once, for a connection that is one of Diesel's three. They block, so
//! each runs on one of tokio's blocking threads, with a connection of a pool. A query that has
//! begun also finishes, even if its future is dropped.
//!
//! PostgreSQL, and MySQL and MariaDB, take a feature each, because these connections link a client
//! library.

mod connection;
pub(crate) mod schema;

use std::ops::{Range, RangeInclusive};

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::r2d2::PoolError;
use diesel::result::DatabaseErrorKind::{self, ForeignKeyViolation, UniqueViolation};
use diesel::result::Error as DieselError;
use diesel::sql_types::BigInt;
use rowkey::UnixMillis;
use rowkey::driver::diesel::KeyColumnMethods;
use rowkey_stores::blocking::{create_once, find_or_create};
use rowkey_stores::{Created, CreatedBy};
use tokio::task::{JoinError, spawn_blocking};

use self::connection::{AnyConnection, Connector, Pool, on_connection, with_name};
use self::schema::{customers, invoices};
use crate::database::DatabaseUrl;
use crate::rules::{
    check_customer, check_name, check_new, check_repetition, command_name, must_exist, origin,
    portions, sum_of_cents,
};
use crate::{
    CommandId, Customer, CustomerId, CustomerRepository, CustomerTotal, Error, Invoice, InvoiceId,
};

/// Connects to the database that a URL names and applies missing migrations.
///
/// URLs are those of [`repository::sqlx::connect`](crate::sqlx::connect), with parameters that the
/// client library also knows. sqlx applies the migrations, which are the same for every driver.
///
/// # Errors
///
/// [`Error::Url`], also for a database whose feature is off, [`Error::Connect`] or
/// [`Error::Migrate`].
pub async fn connect(url: &str) -> Result<Box<dyn CustomerRepository>, Error> {
    let url = with_name(DatabaseUrl::parse(url)?);
    let connector = Connector::new(&url)?;
    // Kept until the end: an in-memory database would be dropped with it.
    let _migrated = url.open().await?;
    let pool = spawn_blocking(|| connector.into_pool()).await?;
    Ok(Box::new(DieselRepository {
        // Messages of libpq end with a line break.
        pool: pool.map_err(|error| url.refused(error.to_string().trim_end()))?,
        sum_of_cents: sum_of_cents(url.backend()),
    }))
}

struct DieselRepository {
    pool: Pool,
    sum_of_cents: &'static str,
}

impl DieselRepository {
    /// Runs a query on a thread that may block.
    async fn run<T, E>(
        &self,
        query: impl FnOnce(&mut AnyConnection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        Error: From<E>,
    {
        let pool = self.pool.clone();
        spawn_blocking(move || Ok(query(&mut *pool.get()?)?)).await?
    }
}

#[async_trait]
impl CustomerRepository for DieselRepository {
    async fn add_customer(&self, customer: &Customer) -> Result<(), Error> {
        check_customer(customer)?;
        let customer = customer.clone();
        self.run(move |db| {
            let insert = diesel::insert_into(customers::table).values(&customer);
            let outcome = insert.execute(db);
            outcome.map_err(|error| match violation(&error) {
                Some(UniqueViolation) => Error::Duplicate(customer.id.into()),
                _ => customer_refused(error, &customer),
            })
        })
        .await?;
        Ok(())
    }

    async fn put_customer(&self, customer: &Customer) -> Result<CreatedBy, Error> {
        check_customer(customer)?;
        let customer = customer.clone();
        let created = self.run(move |db| {
            on_connection!(db, |db| find_or_create(db, &origin(customer.clone()))
                .find(|db| {
                    let found = customers::table.find(customer.id).first(db).optional()?;
                    Ok(found.map(|found| (origin(found), ())))
                })
                .validate(|| check_new(customer.id))
                .create(|db| {
                    let insert = diesel::insert_into(customers::table).values(&customer);
                    let outcome = insert.execute(db);
                    outcome.map_err(|error| customer_refused(error, &customer))?;
                    Ok(())
                }))
        });
        Ok(created.await?.by)
    }

    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, Error> {
        self.run(move |db| customers::table.find(id).first(db).optional())
            .await
    }

    async fn customers(&self, ids: &[CustomerId]) -> Result<Vec<Customer>, Error> {
        let mut found = Vec::new();
        for ids in portions(ids) {
            let query = customers::table.filter(customers::id.eq_any(ids));
            found.extend(self.run(move |db| query.load::<Customer>(db)).await?);
        }
        Ok(found)
    }

    async fn rename_customer(&self, id: CustomerId, name: &str) -> Result<(), Error> {
        check_name(name)?;
        let name = customers::name.eq(name.to_owned());
        let update = diesel::update(customers::table.find(id)).set(name);
        let rows = self.run(move |db| update.execute(db)).await?;
        must_exist(id, rows > 0)
    }

    async fn remove_customer(&self, id: CustomerId) -> Result<(), Error> {
        let delete = diesel::delete(customers::table.find(id));
        // The foreign keys refuse it: after a check here, an invoice could still be added.
        let outcome = self.run(move |db| {
            delete.execute(db).map_err(|error| match violation(&error) {
                Some(ForeignKeyViolation) => Error::InUse(id),
                _ => error.into(),
            })
        });
        must_exist(id, outcome.await? > 0)
    }

    async fn customers_created(&self, during: Range<UnixMillis>) -> Result<Vec<Customer>, Error> {
        let query = customers::table
            .filter(customers::id.within(CustomerId::bounds(during)))
            .order_by(customers::id);
        self.run(move |db| query.load(db)).await
    }

    async fn customers_after(
        &self,
        cursor: Option<CustomerId>,
        limit: u32,
    ) -> Result<Vec<Customer>, Error> {
        self.run(move |db| {
            let mut query = customers::table.into_boxed();
            if let Some(last) = cursor {
                query = query.filter(customers::id.gt(last));
            }
            query.order_by(customers::id).limit(limit.into()).load(db)
        })
        .await
    }

    async fn add_invoices(&self, invoices: &[Invoice]) -> Result<(), Error> {
        let invoices = invoices.to_vec();
        self.run(move |db| {
            db.transaction(|db| {
                // One by one, so that an error says which one it concerns.
                for invoice in &invoices {
                    let insert = diesel::insert_into(invoices::table).values(invoice);
                    let outcome = insert.execute(db);
                    outcome.map_err(|error| invoice_refused(error, invoice))?;
                }
                Ok::<(), Error>(())
            })
        })
        .await
    }

    async fn add_invoice_once(
        &self,
        command: CommandId,
        customer: CustomerId,
        cents: i64,
    ) -> Result<Created<InvoiceId>, Error> {
        let name = command_name(cents);
        let created = self.run(move |db| {
            on_connection!(db, |db| create_once(db, command, name, |db| {
                let invoice = Invoice {
                    id: InvoiceId::generate(),
                    customer_id: customer,
                    cents,
                };
                let insert = diesel::insert_into(invoices::table).values(&invoice);
                let outcome = insert.execute(db);
                outcome.map_err(|error| invoice_refused(error, &invoice))?;
                Ok(invoice.id)
            }))
        });
        check_repetition(self, created.await?, customer, cents).await
    }

    async fn invoices_of(&self, customer: CustomerId) -> Result<Vec<Invoice>, Error> {
        let query = invoices::table
            .filter(invoices::customer_id.eq(customer))
            .order_by(invoices::id);
        self.run(move |db| query.load(db)).await
    }

    async fn invoices_between(
        &self,
        ids: RangeInclusive<InvoiceId>,
    ) -> Result<Vec<Invoice>, Error> {
        let query = invoices::table
            .filter(invoices::id.between(*ids.start(), *ids.end()))
            .order_by(invoices::id);
        self.run(move |db| query.load(db)).await
    }

    async fn invoices_created(&self, during: Range<UnixMillis>) -> Result<Vec<Invoice>, Error> {
        let query = invoices::table
            .filter(invoices::id.within(InvoiceId::bounds(during)))
            .order_by(invoices::id);
        self.run(move |db| query.load(db)).await
    }

    async fn totals(&self) -> Result<Vec<CustomerTotal>, Error> {
        let cents = sql::<BigInt>(&format!("COALESCE({}, 0)", self.sum_of_cents));
        let query = customers::table
            .left_join(invoices::table)
            .group_by(customers::all_columns)
            .select((customers::all_columns, cents))
            .order_by(customers::id);
        self.run(move |db| query.load(db)).await
    }
}

fn customer_refused(error: DieselError, customer: &Customer) -> Error {
    match (violation(&error), customer.referred_by) {
        (Some(ForeignKeyViolation), Some(by)) => Error::NotFound(by.into()),
        _ => error.into(),
    }
}

fn invoice_refused(error: DieselError, invoice: &Invoice) -> Error {
    match violation(&error) {
        Some(UniqueViolation) => Error::Duplicate(invoice.id.into()),
        Some(ForeignKeyViolation) => Error::NotFound(invoice.customer_id.into()),
        _ => error.into(),
    }
}

/// The constraint that a statement has violated, if that is why it failed.
fn violation(error: &DieselError) -> Option<&DatabaseErrorKind> {
    match error {
        DieselError::DatabaseError(kind, _) => Some(kind),
        _ => None,
    }
}

impl From<DieselError> for Error {
    fn from(error: DieselError) -> Self {
        Self::Database(Box::new(error))
    }
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        Self::Database(Box::new(error))
    }
}

impl From<JoinError> for Error {
    fn from(error: JoinError) -> Self {
        Self::Database(Box::new(error))
    }
}
