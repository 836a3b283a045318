//! The repository over SeaORM.
//!
//! The connection is the pool of sqlx, which has also applied the migrations.

mod entities;

use std::ops::{Range, RangeInclusive};

use async_trait::async_trait;
use rowkey::UnixMillis;
use rowkey::driver::sea_orm::KeyColumnMethods;
use rowkey::driver::sea_orm::ToParam;
use rowkey_stores::{Created, CreatedBy, create_once, find_or_create};
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, FromQueryResult,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, SqlErr, TransactionTrait, Value,
};

use self::entities::{customer, invoice};
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
/// URLs are those of [`repository::sqlx::connect`](crate::sqlx::connect).
///
/// # Errors
///
/// [`Error::Url`], [`Error::Connect`] or [`Error::Migrate`].
pub async fn connect(url: &str) -> Result<Box<dyn CustomerRepository>, Error> {
    let url = DatabaseUrl::parse(url)?;
    let db = match url.open().await? {
        MigratedPool::Postgres(pool) => pool.into(),
        MigratedPool::MySql(pool) => pool.into(),
        MigratedPool::Sqlite(pool) => pool.into(),
    };
    let sum_of_cents = sum_of_cents(url.backend());
    Ok(Box::new(SeaOrmRepository { db, sum_of_cents }))
}

struct SeaOrmRepository {
    db: DatabaseConnection,
    sum_of_cents: &'static str,
}

impl SeaOrmRepository {
    /// The key of an invoice as a parameter.
    ///
    /// A column would also take the key itself, but SQLite stores it as 28 digits, and SeaORM would
    /// not write the zeros that a smaller number begins with.
    fn number(&self, id: InvoiceId) -> Value {
        id.to_param(self.db.get_database_backend())
    }

    async fn insert_invoice(
        &self,
        db: &impl ConnectionTrait,
        invoice: &Invoice,
    ) -> Result<(), Error> {
        let insert = Query::insert()
            .into_table(invoice::Entity)
            .columns([
                invoice::Column::Id,
                invoice::Column::CustomerId,
                invoice::Column::Cents,
            ])
            .values_panic([
                self.number(invoice.id).into(),
                invoice.customer_id.into(),
                invoice.cents.into(),
            ])
            .take();
        db.execute(&insert)
            .await
            .map_err(|error| match error.sql_err() {
                Some(SqlErr::UniqueConstraintViolation(_)) => Error::Duplicate(invoice.id.into()),
                Some(SqlErr::ForeignKeyConstraintViolation(_)) => {
                    Error::NotFound(invoice.customer_id.into())
                }
                _ => error.into(),
            })?;
        Ok(())
    }
}

#[async_trait]
impl CustomerRepository for SeaOrmRepository {
    async fn add_customer(&self, customer: &Customer) -> Result<(), Error> {
        check_customer(customer)?;
        let outcome = insert_customer(&self.db, customer).await;
        outcome.map_err(|error| match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Error::Duplicate(customer.id.into()),
            _ => customer_refused(error, customer),
        })
    }

    async fn put_customer(&self, customer: &Customer) -> Result<CreatedBy, Error> {
        check_customer(customer)?;
        let created = find_or_create(&self.db, &origin(customer.clone()))
            .find(async |connection| {
                let found = customer::Entity::find_by_id(customer.id).one(&*connection);
                Ok(found.await?.map(|found| (origin(found.into()), ())))
            })
            .validate(|| check_new(customer.id))
            .create(async |transaction| {
                let outcome = insert_customer(&*transaction, customer).await;
                outcome.map_err(|error| customer_refused(error, customer))
            })
            .await?;
        Ok(created.by)
    }

    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, Error> {
        let found = customer::Entity::find_by_id(id).one(&self.db).await?;
        Ok(found.map(Customer::from))
    }

    async fn customers(&self, ids: &[CustomerId]) -> Result<Vec<Customer>, Error> {
        let mut found = Vec::new();
        for ids in portions(ids) {
            let query = customer::Entity::find().filter(customer::Column::Id.is_in(ids));
            found.extend(query.all(&self.db).await?);
        }
        Ok(customers(found))
    }

    async fn rename_customer(&self, id: CustomerId, name: &str) -> Result<(), Error> {
        check_name(name)?;
        let result = customer::Entity::update_many()
            .col_expr(customer::Column::Name, Expr::value(name))
            .filter(customer::Column::Id.eq(id))
            .exec(&self.db)
            .await?;
        must_exist(id, result.rows_affected > 0)
    }

    async fn remove_customer(&self, id: CustomerId) -> Result<(), Error> {
        // The foreign keys refuse it: after a check here, an invoice could still be added.
        let outcome = customer::Entity::delete_by_id(id).exec(&self.db).await;
        let result = outcome.map_err(|error| match error.sql_err() {
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => Error::InUse(id),
            _ => error.into(),
        })?;
        must_exist(id, result.rows_affected > 0)
    }

    async fn customers_created(&self, during: Range<UnixMillis>) -> Result<Vec<Customer>, Error> {
        let backend = self.db.get_database_backend();
        let created = customer::Column::Id.within(CustomerId::bounds(during), backend);
        let query = customer::Entity::find()
            .filter(created)
            .order_by_asc(customer::Column::Id);
        Ok(customers(query.all(&self.db).await?))
    }

    async fn customers_after(
        &self,
        cursor: Option<CustomerId>,
        limit: u32,
    ) -> Result<Vec<Customer>, Error> {
        let mut page = customer::Entity::find().cursor_by(customer::Column::Id);
        if let Some(last) = cursor {
            page.after(last);
        }
        Ok(customers(page.first(limit.into()).all(&self.db).await?))
    }

    async fn add_invoices(&self, invoices: &[Invoice]) -> Result<(), Error> {
        let transaction = self.db.begin().await?;
        // One by one, so that an error says which one it concerns.
        for invoice in invoices {
            self.insert_invoice(&transaction, invoice).await?;
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
        let created = create_once(&self.db, command, name, async |transaction| {
            let invoice = Invoice {
                id: InvoiceId::generate(),
                customer_id: customer,
                cents,
            };
            self.insert_invoice(&*transaction, &invoice).await?;
            Ok(invoice.id)
        });
        check_repetition(self, created.await?, customer, cents).await
    }

    async fn invoices_of(&self, customer: CustomerId) -> Result<Vec<Invoice>, Error> {
        let query = invoice::Entity::find()
            .filter(invoice::Column::CustomerId.eq(customer))
            .order_by_asc(invoice::Column::Id);
        Ok(invoices(query.all(&self.db).await?))
    }

    async fn invoices_between(
        &self,
        ids: RangeInclusive<InvoiceId>,
    ) -> Result<Vec<Invoice>, Error> {
        let (first, last) = ids.into_inner();
        let query = invoice::Entity::find()
            .filter(invoice::Column::Id.between(self.number(first), self.number(last)))
            .order_by_asc(invoice::Column::Id);
        Ok(invoices(query.all(&self.db).await?))
    }

    async fn invoices_created(&self, during: Range<UnixMillis>) -> Result<Vec<Invoice>, Error> {
        let backend = self.db.get_database_backend();
        let created = invoice::Column::Id.within(InvoiceId::bounds(during), backend);
        let query = invoice::Entity::find()
            .filter(created)
            .order_by_asc(invoice::Column::Id);
        Ok(invoices(query.all(&self.db).await?))
    }

    async fn totals(&self) -> Result<Vec<CustomerTotal>, Error> {
        let cents = format!("COALESCE({}, 0)", self.sum_of_cents);
        let query = customer::Entity::find()
            .left_join(invoice::Entity)
            .column_as(Expr::cust(cents), "cents")
            .group_by(customer::Column::Id)
            .group_by(customer::Column::Name)
            .group_by(customer::Column::ReferredBy)
            .order_by_asc(customer::Column::Id);
        let totals = query.into_model::<Total>().all(&self.db).await?;
        Ok(totals.into_iter().map(CustomerTotal::from).collect())
    }
}

async fn insert_customer(db: &impl ConnectionTrait, customer: &Customer) -> Result<(), DbErr> {
    let model = customer::Model::from(customer.clone()).into_active_model();
    let insert = customer::Entity::insert(model);
    insert.exec_without_returning(db).await?;
    Ok(())
}

fn customer_refused(error: DbErr, customer: &Customer) -> Error {
    match (error.sql_err(), customer.referred_by) {
        (Some(SqlErr::ForeignKeyConstraintViolation(_)), Some(by)) => Error::NotFound(by.into()),
        _ => error.into(),
    }
}

fn customers(found: Vec<customer::Model>) -> Vec<Customer> {
    found.into_iter().map(Customer::from).collect()
}

fn invoices(found: Vec<invoice::Model>) -> Vec<Invoice> {
    found.into_iter().map(Invoice::from).collect()
}

#[derive(FromQueryResult)]
struct Total {
    #[sea_orm(nested)]
    customer: customer::Model,
    cents: i64,
}

impl From<Total> for CustomerTotal {
    fn from(total: Total) -> Self {
        Self {
            customer: total.customer.into(),
            cents: total.cents,
        }
    }
}

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        Self::Database(Box::new(error))
    }
}
