//! sqlx, whose migrations are files of SQL: the change runs between two calls of its migrator.

use rowkey_relayout::Address;
use sqlx::migrate::Migrator;
use sqlx::{Connection, MySqlConnection, PgConnection, QueryBuilder, SqliteConnection};

use crate::{Purchase, Report, Result, customer_keys};

static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");
/// MariaDB, too.
static MYSQL: Migrator = sqlx::migrate!("migrations/mysql");
static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");

/// The last migration before the change.
pub const BEFORE: i64 = 1;

/// Runs code with a connection to any of the databases.
macro_rules! with_connection {
    ($url:expr, $db:ident => $work:expr) => {
        match $url.split(':').next() {
            Some("postgres" | "postgresql") => {
                let $db = &mut PgConnection::connect($url).await?;
                $work
            }
            Some("mysql" | "mariadb") => {
                let $db = &mut MySqlConnection::connect($url).await?;
                $work
            }
            _ => {
                let $db = &mut SqliteConnection::connect($url).await?;
                $work
            }
        }
    };
}

/// Applies what is missing: migrations, the change, migrations.
///
/// The migration after the change selects the new column. It records the change, and it fails if
/// somebody runs the files without this function.
///
/// # Errors
///
/// A migration or the change fails. Another call goes on.
// ANCHOR: migrate
pub async fn migrate(url: &str, report: &Report) -> Result<()> {
    let address: Address = url.parse()?;
    migrate_to(url, BEFORE).await?;
    customer_keys::change(&address, report).await?;
    migrate_to(url, i64::MAX).await
}
// ANCHOR_END: migrate

/// Applies the migrations up to one.
///
/// # Errors
///
/// A migration fails.
pub async fn migrate_to(url: &str, last: i64) -> Result<()> {
    with_connection!(url, db => migrator(url).run_to(last, db).await?);
    Ok(())
}

fn migrator(url: &str) -> &'static Migrator {
    match url.split(':').next() {
        Some("postgres" | "postgresql") => &POSTGRES,
        Some("mysql" | "mariadb") => &MYSQL,
        _ => &SQLITE,
    }
}

/// Stores a purchase of a new customer.
///
/// # Errors
///
/// Those of sqlx.
pub async fn buy(url: &str, purchase: &Purchase) -> Result<()> {
    with_connection!(url, db => {
        let mut customer = QueryBuilder::new("INSERT INTO customers (id_key, name) VALUES (");
        customer.push_bind(purchase.customer).push(", ");
        customer.push_bind(&purchase.name).push(")");
        customer.build().execute(&mut *db).await?;
        for insert in [
            "INSERT INTO orders (customer_id_key, number, cents) VALUES (",
            "INSERT INTO payments (customer_id, number, cents) VALUES (",
        ] {
            let mut row = QueryBuilder::new(insert);
            row.push_bind(purchase.customer).push(", ");
            row.push_bind(purchase.number).push(", ");
            row.push_bind(purchase.cents).push(")");
            row.build().execute(&mut *db).await?;
        }
    });
    Ok(())
}

/// All purchases, by their numbers.
///
/// # Errors
///
/// Those of sqlx.
pub async fn purchases(url: &str) -> Result<Vec<Purchase>> {
    let query = "SELECT c.id_key, c.name, o.number, o.cents FROM orders o \
                 JOIN customers c ON c.id_key = o.customer_id_key ORDER BY o.number";
    let rows = with_connection!(url, db => sqlx::query_as(query).fetch_all(db).await?);
    let purchase = |(customer, name, number, cents)| Purchase {
        customer,
        name,
        number,
        cents,
    };
    Ok(rows.into_iter().map(purchase).collect())
}
