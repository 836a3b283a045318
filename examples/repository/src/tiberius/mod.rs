//! The repository over tiberius, on SQL Server.

mod migrations;
mod pool;

use std::io::ErrorKind;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use async_trait::async_trait;
use deadpool::Runtime;
use deadpool::managed::{Object, PoolError};
use rowkey::UnixMillis;
use rowkey::driver::tiberius::{Condition, RowKeys, ToParam};
use rowkey_stores::{Created, CreatedBy, create_once, find_or_create};
use tiberius::{Config, FromSql, Query, Row, ToSql};

use self::pool::{Connection, Manager, Pool};
use crate::rules::{
    check_customer, check_name, check_new, check_repetition, command_name, must_exist, origin,
    portions,
};
use crate::{
    CommandId, Customer, CustomerId, CustomerRepository, CustomerTotal, Error, Invoice, InvoiceId,
};

/// The time limit for the first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for later connections.
const POOL_TIMEOUT: Duration = Duration::from_secs(30);

/// Connects to the database that a connection string names and applies missing migrations.
///
/// Connection strings are those of ADO.NET:
/// `server=tcp:localhost,1433;user=sa;password=…;database=…`. Several processes may connect at
/// once: one applies the migrations, and the others wait for it up to 20 seconds.
///
/// # Errors
///
/// [`Error::Url`], [`Error::Connect`] or [`Error::Migrate`].
pub async fn connect(url: &str) -> Result<Box<dyn CustomerRepository>, Error> {
    let config = Config::from_ado_string(url)
        .map_err(|error| Error::Url(format!("the connection string is wrong: {error}")))?;
    let refused = |reason| Error::Connect {
        database: "SQL Server",
        reason,
    };
    let pool = Pool::builder(Manager(config))
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(POOL_TIMEOUT))
        .create_timeout(Some(CONNECT_TIMEOUT))
        .build()
        .map_err(|error| refused(error.into()))?;
    let mut connection = pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) => refused(error.into()),
        PoolError::Timeout(_) => refused("it does not answer".into()),
        error => refused(error.into()),
    })?;
    if is_in_master(&mut connection).await? {
        return Err(Error::Url(
            "the connection string names no database".to_owned(),
        ));
    }
    let connection = Object::take(connection);
    migrations::apply(connection)
        .await
        .map_err(Error::Migrate)?;
    Ok(Box::new(TiberiusRepository { pool }))
}

/// Whether the connection is to the server's own database, which is the default.
async fn is_in_master(connection: &mut Connection) -> Result<bool, Error> {
    let sql = "SELECT 1 WHERE DB_NAME() = 'master'";
    let answer = connection.simple_query(sql).await?;
    Ok(answer.into_row().await?.is_some())
}

struct TiberiusRepository {
    pool: Pool,
}

impl TiberiusRepository {
    async fn fetch<T: FromRow>(&self, query: Query<'_>) -> Result<Vec<T>, Error> {
        let mut connection = self.pool.get().await?;
        let answer = query.query(&mut connection).await?;
        let rows = answer.into_first_result().await?;
        rows.iter().map(T::from_row).collect()
    }
}

const SELECT_CUSTOMERS: &str = "SELECT id, name, referred_by FROM customers";
const SELECT_INVOICES: &str = "SELECT id, customer_id, cents FROM invoices";

#[async_trait]
impl CustomerRepository for TiberiusRepository {
    async fn add_customer(&self, customer: &Customer) -> Result<(), Error> {
        check_customer(customer)?;
        let outcome = insert_customer(&mut *self.pool.get().await?, customer).await;
        outcome.map_err(|error| match violation(&error) {
            Some(Violation::Unique) => Error::Duplicate(customer.id.into()),
            _ => customer_refused(error, customer),
        })
    }

    async fn put_customer(&self, customer: &Customer) -> Result<CreatedBy, Error> {
        check_customer(customer)?;
        let mut connection = self.pool.get().await?;
        let created = find_or_create(&mut *connection, &origin(customer.clone()))
            .find(async |mut connection| {
                let mut query = Query::new(format!("{SELECT_CUSTOMERS} WHERE id = @P1"));
                query.bind(customer.id);
                let row = query.query(&mut *connection).await?.into_row().await?;
                let found = row.as_ref().map(Customer::from_row).transpose()?;
                Ok(found.map(|found| (origin(found), ())))
            })
            .validate(|| check_new(customer.id))
            .create(async |mut transaction| {
                let outcome = insert_customer(&mut transaction, customer).await;
                outcome.map_err(|error| customer_refused(error, customer))
            })
            .await?;
        Ok(created.by)
    }

    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, Error> {
        let mut query = Query::new(format!("{SELECT_CUSTOMERS} WHERE id = @P1"));
        query.bind(id);
        Ok(self.fetch(query).await?.pop())
    }

    async fn customers(&self, ids: &[CustomerId]) -> Result<Vec<Customer>, Error> {
        let mut found = Vec::new();
        for ids in portions(ids) {
            let listed = Condition::in_keys("id", &ids, 1)?;
            let mut query = Query::new(format!("{SELECT_CUSTOMERS} WHERE {listed}"));
            listed.bind(&mut query)?;
            found.extend(self.fetch(query).await?);
        }
        Ok(found)
    }

    async fn rename_customer(&self, id: CustomerId, name: &str) -> Result<(), Error> {
        check_name(name)?;
        let mut connection = self.pool.get().await?;
        let sql = "UPDATE customers SET name = @P1 WHERE id = @P2";
        let result = connection.execute(sql, &[&name, &id]).await?;
        must_exist(id, result.total() > 0)
    }

    async fn remove_customer(&self, id: CustomerId) -> Result<(), Error> {
        let mut connection = self.pool.get().await?;
        // The foreign keys refuse it: after a check here, an invoice could still be added.
        let sql = "DELETE FROM customers WHERE id = @P1";
        let outcome = connection.execute(sql, &[&id]).await;
        let result = outcome.map_err(|error| match violation(&error) {
            Some(Violation::ForeignKey) => Error::InUse(id),
            _ => error.into(),
        })?;
        must_exist(id, result.total() > 0)
    }

    async fn customers_created(&self, during: Range<UnixMillis>) -> Result<Vec<Customer>, Error> {
        let created = Condition::within("id", CustomerId::bounds(during), 1)?;
        let sql = format!("{SELECT_CUSTOMERS} WHERE {created} ORDER BY id");
        let mut query = Query::new(sql);
        created.bind(&mut query)?;
        self.fetch(query).await
    }

    async fn customers_after(
        &self,
        cursor: Option<CustomerId>,
        limit: u32,
    ) -> Result<Vec<Customer>, Error> {
        let after = if cursor.is_some() {
            "WHERE id > @P2"
        } else {
            ""
        };
        let mut query = Query::new(format!(
            "SELECT TOP (@P1) id, name, referred_by FROM customers {after} ORDER BY id"
        ));
        query.bind(i64::from(limit));
        if let Some(last) = cursor {
            query.bind(last);
        }
        self.fetch(query).await
    }

    async fn add_invoices(&self, invoices: &[Invoice]) -> Result<(), Error> {
        let (pool, invoices) = (self.pool.clone(), invoices.to_vec());
        // In a task, so that the transaction ends even if the caller is dropped. Otherwise it would
        // stay in the pool with its locks.
        let adding = tokio::spawn(async move {
            let mut connection = pool.get().await?;
            connection.begin_transaction().await?;
            match insert_invoices(&mut connection, &invoices).await {
                Ok(()) => Ok(connection.commit_transaction().await?),
                Err(error) => {
                    // An error may have ended it already. The first error is the one to report.
                    let _ = connection.rollback_transaction().await;
                    Err(error)
                }
            }
        });
        adding
            .await
            .map_err(|error| Error::Database(error.into()))?
    }

    async fn add_invoice_once(
        &self,
        command: CommandId,
        customer: CustomerId,
        cents: i64,
    ) -> Result<Created<InvoiceId>, Error> {
        let mut connection = self.pool.get().await?;
        let name = command_name(cents);
        let created = create_once(&mut *connection, command, name, async |mut transaction| {
            let invoice = Invoice {
                id: InvoiceId::generate(),
                customer_id: customer,
                cents,
            };
            insert_invoice(&mut transaction, &invoice).await?;
            Ok(invoice.id)
        })
        .await?;
        drop(connection);
        check_repetition(self, created, customer, cents).await
    }

    async fn invoices_of(&self, customer: CustomerId) -> Result<Vec<Invoice>, Error> {
        let sql = format!("{SELECT_INVOICES} WHERE customer_id = @P1 ORDER BY id");
        let mut query = Query::new(sql);
        query.bind(customer);
        self.fetch(query).await
    }

    async fn invoices_between(
        &self,
        ids: RangeInclusive<InvoiceId>,
    ) -> Result<Vec<Invoice>, Error> {
        let sql = format!("{SELECT_INVOICES} WHERE id BETWEEN @P1 AND @P2 ORDER BY id");
        let mut query = Query::new(sql);
        query.bind(*ids.start());
        query.bind(*ids.end());
        self.fetch(query).await
    }

    async fn invoices_created(&self, during: Range<UnixMillis>) -> Result<Vec<Invoice>, Error> {
        let created = Condition::within("id", InvoiceId::bounds(during), 1)?;
        let sql = format!("{SELECT_INVOICES} WHERE {created} ORDER BY id");
        let mut query = Query::new(sql);
        created.bind(&mut query)?;
        self.fetch(query).await
    }

    async fn totals(&self) -> Result<Vec<CustomerTotal>, Error> {
        // In bigint, an intermediate sum could overflow.
        let query = Query::new(
            "SELECT customers.id, customers.name, customers.referred_by, \
                 COALESCE(CAST(SUM(CAST(invoices.cents AS decimal(38,0))) AS bigint), 0) AS cents \
             FROM customers LEFT JOIN invoices ON invoices.customer_id = customers.id \
             GROUP BY customers.id, customers.name, customers.referred_by \
             ORDER BY customers.id",
        );
        self.fetch(query).await
    }
}

async fn insert_customer(connection: &mut Connection, customer: &Customer) -> tiberius::Result<()> {
    let sql = "INSERT INTO customers (id, name, referred_by) VALUES (@P1, @P2, @P3)";
    let referred_by = customer.referred_by.to_param();
    let values: [&dyn ToSql; 3] = [&customer.id, &customer.name, &referred_by];
    connection.execute(sql, &values).await?;
    Ok(())
}

fn customer_refused(error: tiberius::error::Error, customer: &Customer) -> Error {
    match (violation(&error), customer.referred_by) {
        (Some(Violation::ForeignKey), Some(by)) => Error::NotFound(by.into()),
        _ => error.into(),
    }
}

/// Inserts one by one, so that an error says which one it concerns. Each is the same prepared plan.
async fn insert_invoices(connection: &mut Connection, invoices: &[Invoice]) -> Result<(), Error> {
    for invoice in invoices {
        insert_invoice(connection, invoice).await?;
    }
    Ok(())
}

async fn insert_invoice(connection: &mut Connection, invoice: &Invoice) -> Result<(), Error> {
    let sql = "INSERT INTO invoices (id, customer_id, cents) VALUES (@P1, @P2, @P3)";
    let values: [&dyn ToSql; 3] = [&invoice.id, &invoice.customer_id, &invoice.cents];
    let outcome = connection.execute(sql, &values).await;
    outcome.map_err(|error| match violation(&error) {
        Some(Violation::Unique) => Error::Duplicate(invoice.id.into()),
        Some(Violation::ForeignKey) => Error::NotFound(invoice.customer_id.into()),
        None => error.into(),
    })?;
    Ok(())
}

/// A constraint that a statement has violated.
enum Violation {
    Unique,
    ForeignKey,
}

fn violation(error: &tiberius::error::Error) -> Option<Violation> {
    match error.code()? {
        // A primary key or a unique constraint, and a unique index.
        2627 | 2601 => Some(Violation::Unique),
        547 => Some(Violation::ForeignKey),
        _ => None,
    }
}

/// A type that is read from a row.
trait FromRow: Sized {
    fn from_row(row: &Row) -> Result<Self, Error>;
}

impl FromRow for Customer {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.try_key("id")?,
            name: column::<&str>(row, "name")?.to_owned(),
            referred_by: row.try_optional_key("referred_by")?,
        })
    }
}

impl FromRow for CustomerTotal {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            customer: Customer::from_row(row)?,
            cents: column(row, "cents")?,
        })
    }
}

impl FromRow for Invoice {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.try_key("id")?,
            customer_id: row.try_key("customer_id")?,
            cents: column(row, "cents")?,
        })
    }
}

/// A value of a NOT NULL column other than a key.
fn column<'r, T: FromSql<'r>>(row: &'r Row, name: &str) -> Result<T, Error> {
    let value = row.try_get(name)?;
    value.ok_or_else(|| Error::Database(format!("column {name} is NULL").into()))
}

impl From<tiberius::error::Error> for Error {
    fn from(error: tiberius::error::Error) -> Self {
        Self::Database(error.into())
    }
}

impl From<rowkey::driver::tiberius::Error> for Error {
    fn from(error: rowkey::driver::tiberius::Error) -> Self {
        Self::Database(error.into())
    }
}

impl From<PoolError<tiberius::error::Error>> for Error {
    fn from(error: PoolError<tiberius::error::Error>) -> Self {
        let error = match error {
            PoolError::Backend(error) => error,
            // As tiberius' own error: rowkey-stores doesn't know this pool's.
            error => tiberius::error::Error::Io {
                kind: ErrorKind::TimedOut,
                message: error.to_string(),
            },
        };
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use deadpool::managed::TimeoutType;

    use super::*;

    #[test]
    fn a_pool_that_has_no_connection_is_an_unavailable_database() {
        type Refusal = PoolError<tiberius::error::Error>;
        for error in [Refusal::Timeout(TimeoutType::Wait), Refusal::Closed] {
            let response = Error::from(error).into_response();
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
    }
}
