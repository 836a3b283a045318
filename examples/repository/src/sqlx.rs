//! The repository over sqlx.
//!
//! The queries are written once, for all of sqlx's drivers. Its `QueryBuilder` writes each one's
//! placeholders, the keys are stored as their plans say, and the trait `Driver` contains the
//! remaining differences.

use std::ops::{Range, RangeInclusive};

use async_trait::async_trait;
use rowkey::driver::sqlx::PushWithin;
use rowkey::{Backend, UnixMillis};
use rowkey_stores::{Created, CreatedBy, Session, Store, create_once, find_or_create};
use sqlx::error::ErrorKind;
use sqlx::{
    ColumnIndex, Database, Decode, Encode, Executor, FromRow, IntoArguments, MySql, Pool, Postgres,
    QueryBuilder, Row, Sqlite, Type,
};

use crate::database::{DatabaseUrl, MigratedPool};
use crate::rules::{
    check_customer, check_name, check_new, check_repetition, command_name, must_exist, origin,
    portions, sum_of_cents,
};
use crate::{
    CommandId, Customer, CustomerId, CustomerRepository, CustomerTotal, Error, Invoice, InvoiceId,
};

/// Connects to the database that a URL names and applies missing migrations.
///
/// URLs are those of sqlx: `postgres://…`, `mysql://…` or `mariadb://…`, `sqlite:path?mode=rwc` or
/// `sqlite::memory:`. Both `mysql:` and `mariadb:` work for either server, which is recognised by
/// its version. Several processes may connect at once: one applies the migrations, and the others
/// wait for it, up to a minute in MySQL and MariaDB and up to 5 seconds in SQLite.
///
/// # Errors
///
/// [`Error::Url`], [`Error::Connect`] or [`Error::Migrate`].
pub async fn connect(url: &str) -> Result<Box<dyn CustomerRepository>, Error> {
    Ok(match DatabaseUrl::parse(url)?.open().await? {
        MigratedPool::Postgres(pool) => Box::new(SqlxRepository { pool }),
        MigratedPool::MySql(pool) => Box::new(SqlxRepository { pool }),
        MigratedPool::Sqlite(pool) => Box::new(SqlxRepository { pool }),
    })
}

/// The differences between the backends that the queries have to handle.
trait Driver: Database<Arguments: IntoArguments<Self>> {
    /// The backend, which is MySQL for MariaDB as well.
    const BACKEND: Backend;

    /// How many rows a statement has changed, or has found unchanged already.
    fn rows_affected(result: &Self::QueryResult) -> u64;
}

macro_rules! impl_driver {
    ($($DB:ident),*) => {$(
        impl Driver for $DB {
            const BACKEND: Backend = Backend::$DB;

            fn rows_affected(result: &Self::QueryResult) -> u64 {
                result.rows_affected()
            }
        }
    )*};
}

impl_driver!(Postgres, MySql, Sqlite);

/// A type whose values are bound to queries.
trait Bind<DB: Database>: for<'q> Encode<'q, DB> + Type<DB> {}

impl<DB: Database, T> Bind<DB> for T where T: for<'q> Encode<'q, DB> + Type<DB> {}

/// A type that is read from a row.
trait Read<DB: Database>: for<'r> FromRow<'r, DB::Row> + Send + Unpin {}

impl<DB: Database, T> Read<DB> for T where T: for<'r> FromRow<'r, DB::Row> + Send + Unpin {}

struct SqlxRepository<DB: Database> {
    pool: Pool<DB>,
}

#[async_trait]
impl<DB> CustomerRepository for SqlxRepository<DB>
where
    DB: Driver,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Connection: Session,
    Pool<DB>: Store<Session = DB::Connection>,
    QueryBuilder<DB>: PushWithin,
    CustomerId: Bind<DB>,
    Option<CustomerId>: Bind<DB>,
    InvoiceId: Bind<DB>,
    for<'s> &'s str: Bind<DB>,
    i64: Bind<DB>,
    Customer: Read<DB>,
    CustomerTotal: Read<DB>,
    Invoice: Read<DB>,
{
    async fn add_customer(&self, customer: &Customer) -> Result<(), Error> {
        check_customer(customer)?;
        let outcome = insert_customer(customer).build().execute(&self.pool).await;
        outcome.map_err(|error| match violation(&error) {
            Some(ErrorKind::UniqueViolation) => Error::Duplicate(customer.id.into()),
            _ => customer_refused(error, customer),
        })?;
        Ok(())
    }

    async fn put_customer(&self, customer: &Customer) -> Result<CreatedBy, Error> {
        check_customer(customer)?;
        let created = find_or_create(self.pool.clone(), &origin(customer.clone()))
            .find(async |mut connection| {
                let mut query = select_customers();
                query.push(" WHERE id = ").push_bind(customer.id);
                let found = query.build_query_as().fetch_optional(&mut *connection);
                Ok(found.await?.map(|found| (origin(found), ())))
            })
            .validate(|| check_new(customer.id))
            .create(async |mut transaction| {
                let mut insert = insert_customer(customer);
                let outcome = insert.build().execute(&mut *transaction).await;
                outcome.map_err(|error| customer_refused(error, customer))?;
                Ok(())
            })
            .await?;
        Ok(created.by)
    }

    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, Error> {
        let mut query = select_customers();
        query.push(" WHERE id = ").push_bind(id);
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn customers(&self, ids: &[CustomerId]) -> Result<Vec<Customer>, Error> {
        let mut found = Vec::new();
        for ids in portions(ids) {
            let mut query = select_customers();
            query.push(" WHERE id IN (");
            let mut list = query.separated(", ");
            for id in ids {
                list.push_bind(id);
            }
            query.push(")");
            found.extend(query.build_query_as().fetch_all(&self.pool).await?);
        }
        Ok(found)
    }

    async fn rename_customer(&self, id: CustomerId, name: &str) -> Result<(), Error> {
        check_name(name)?;
        let mut query = QueryBuilder::new("UPDATE customers SET name = ");
        query.push_bind(name);
        query.push(" WHERE id = ").push_bind(id);
        let result = query.build().execute(&self.pool).await?;
        must_exist(id, DB::rows_affected(&result) > 0)
    }

    async fn remove_customer(&self, id: CustomerId) -> Result<(), Error> {
        let mut query = QueryBuilder::new("DELETE FROM customers WHERE id = ");
        query.push_bind(id);
        // The foreign keys refuse it: after a check here, an invoice could still be added.
        let outcome = query.build().execute(&self.pool).await;
        let result = outcome.map_err(|error| match violation(&error) {
            Some(ErrorKind::ForeignKeyViolation) => Error::InUse(id),
            _ => error.into(),
        })?;
        must_exist(id, DB::rows_affected(&result) > 0)
    }

    async fn customers_created(&self, during: Range<UnixMillis>) -> Result<Vec<Customer>, Error> {
        let mut query = select_customers();
        query.push(" WHERE ");
        query.push_within("id", CustomerId::bounds(during))?;
        query.push(" ORDER BY id");
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    async fn customers_after(
        &self,
        cursor: Option<CustomerId>,
        limit: u32,
    ) -> Result<Vec<Customer>, Error> {
        let mut query = select_customers();
        if let Some(last) = cursor {
            query.push(" WHERE id > ").push_bind(last);
        }
        query
            .push(" ORDER BY id LIMIT ")
            .push_bind(i64::from(limit));
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    async fn add_invoices(&self, invoices: &[Invoice]) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        // One by one, so that an error says which one it concerns. Each is the same prepared
        // statement.
        for invoice in invoices {
            let outcome = insert_invoice(invoice)
                .build()
                .execute(&mut *transaction)
                .await;
            outcome.map_err(|error| invoice_refused(error, invoice))?;
        }
        Ok(transaction.commit().await?)
    }

    async fn add_invoice_once(
        &self,
        command: CommandId,
        customer: CustomerId,
        cents: i64,
    ) -> Result<Created<InvoiceId>, Error> {
        let name = command_name(cents);
        let created = create_once(self.pool.clone(), command, name, async |mut transaction| {
            let invoice = Invoice {
                id: InvoiceId::generate(),
                customer_id: customer,
                cents,
            };
            let mut insert = insert_invoice(&invoice);
            let outcome = insert.build().execute(&mut *transaction).await;
            outcome.map_err(|error| invoice_refused(error, &invoice))?;
            Ok(invoice.id)
        });
        check_repetition(self, created.await?, customer, cents).await
    }

    async fn invoices_of(&self, customer: CustomerId) -> Result<Vec<Invoice>, Error> {
        let mut query = select_invoices();
        query.push(" WHERE customer_id = ").push_bind(customer);
        query.push(" ORDER BY id");
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    async fn invoices_between(
        &self,
        ids: RangeInclusive<InvoiceId>,
    ) -> Result<Vec<Invoice>, Error> {
        let mut query = select_invoices();
        query.push(" WHERE id BETWEEN ").push_bind(*ids.start());
        query.push(" AND ").push_bind(*ids.end());
        query.push(" ORDER BY id");
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    async fn invoices_created(&self, during: Range<UnixMillis>) -> Result<Vec<Invoice>, Error> {
        let mut query = select_invoices();
        query.push(" WHERE ");
        query.push_within("id", InvoiceId::bounds(during))?;
        query.push(" ORDER BY id");
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    async fn totals(&self) -> Result<Vec<CustomerTotal>, Error> {
        let mut query = QueryBuilder::new(format!(
            "SELECT customers.id, customers.name, customers.referred_by, \
                 COALESCE({}, 0) AS cents \
             FROM customers LEFT JOIN invoices ON invoices.customer_id = customers.id \
             GROUP BY customers.id, customers.name, customers.referred_by \
             ORDER BY customers.id",
            sum_of_cents(DB::BACKEND),
        ));
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }
}

fn select_customers<DB: Database>() -> QueryBuilder<DB> {
    QueryBuilder::new("SELECT id, name, referred_by FROM customers")
}

fn select_invoices<DB: Database>() -> QueryBuilder<DB> {
    QueryBuilder::new("SELECT id, customer_id, cents FROM invoices")
}

fn insert_customer<DB: Database>(customer: &Customer) -> QueryBuilder<DB>
where
    CustomerId: Bind<DB>,
    Option<CustomerId>: Bind<DB>,
    for<'s> &'s str: Bind<DB>,
{
    let mut query = QueryBuilder::new("INSERT INTO customers (id, name, referred_by) VALUES (");
    query
        .separated(", ")
        .push_bind(customer.id)
        .push_bind(customer.name.as_str())
        .push_bind(customer.referred_by);
    query.push(")");
    query
}

fn insert_invoice<DB: Database>(invoice: &Invoice) -> QueryBuilder<DB>
where
    InvoiceId: Bind<DB>,
    CustomerId: Bind<DB>,
    i64: Bind<DB>,
{
    let mut query = QueryBuilder::new("INSERT INTO invoices (id, customer_id, cents) VALUES (");
    query
        .separated(", ")
        .push_bind(invoice.id)
        .push_bind(invoice.customer_id)
        .push_bind(invoice.cents);
    query.push(")");
    query
}

fn customer_refused(error: sqlx::Error, customer: &Customer) -> Error {
    match (violation(&error), customer.referred_by) {
        (Some(ErrorKind::ForeignKeyViolation), Some(by)) => Error::NotFound(by.into()),
        _ => error.into(),
    }
}

fn invoice_refused(error: sqlx::Error, invoice: &Invoice) -> Error {
    match violation(&error) {
        Some(ErrorKind::UniqueViolation) => Error::Duplicate(invoice.id.into()),
        Some(ErrorKind::ForeignKeyViolation) => Error::NotFound(invoice.customer_id.into()),
        _ => error.into(),
    }
}

/// The constraint that a statement would have violated, if that is why it failed.
fn violation(error: &sqlx::Error) -> Option<ErrorKind> {
    error.as_database_error().map(|error| error.kind())
}

impl<'r, R> FromRow<'r, R> for Customer
where
    R: Row,
    &'static str: ColumnIndex<R>,
    CustomerId: Decode<'r, R::Database> + Type<R::Database>,
    Option<CustomerId>: Decode<'r, R::Database> + Type<R::Database>,
    String: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            referred_by: row.try_get("referred_by")?,
        })
    }
}

impl<'r, R> FromRow<'r, R> for CustomerTotal
where
    R: Row,
    &'static str: ColumnIndex<R>,
    Customer: FromRow<'r, R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            customer: Customer::from_row(row)?,
            cents: row.try_get("cents")?,
        })
    }
}

impl<'r, R> FromRow<'r, R> for Invoice
where
    R: Row,
    &'static str: ColumnIndex<R>,
    CustomerId: Decode<'r, R::Database> + Type<R::Database>,
    InvoiceId: Decode<'r, R::Database> + Type<R::Database>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            customer_id: row.try_get("customer_id")?,
            cents: row.try_get("cents")?,
        })
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(Box::new(error))
    }
}
