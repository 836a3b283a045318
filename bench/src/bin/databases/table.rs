//! The table that everything is measured on.

use anyhow::Result;
use rowkey::Backend;

use crate::driver::{Driver, Id};

/// An empty table `measured` whose primary key is this column.
pub(crate) async fn create<D: Driver>(db: &mut D::Connection, column: &str) -> Result<()> {
    let (amount, options) = match D::BACKEND {
        Backend::Sqlite => ("INTEGER", " STRICT, WITHOUT ROWID"),
        Backend::MariaDb => ("BIGINT", " ENGINE = InnoDB"),
        _ => ("BIGINT", ""),
    };
    let table = format!(
        "CREATE TABLE measured ({column}, amount {amount} NOT NULL, PRIMARY KEY (id)){options}"
    );
    D::execute(db, &table).await
}

/// Drops the table, so that nothing of it is in the way of the next.
pub(crate) async fn drop<D: Driver>(db: &mut D::Connection) -> Result<()> {
    D::forget_statements(db).await?;
    D::execute(db, "DROP TABLE measured").await?;
    match D::BACKEND {
        Backend::Sqlite => D::execute(db, "VACUUM").await,
        Backend::Postgres => D::execute(db, "CHECKPOINT").await,
        _ => Ok(()),
    }
}

/// The size of the primary key. In MariaDB and SQLite, the rows are in it.
pub(crate) async fn index_bytes<D: Driver>(db: &mut D::Connection) -> Result<i64>
where
    i64: Id<D>,
{
    let query = match D::BACKEND {
        Backend::Postgres => "SELECT pg_relation_size('measured_pkey')",
        Backend::Sqlite => {
            "SELECT (page_count - freelist_count) * page_size \
             FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        }
        _ => {
            D::execute(db, "ANALYZE TABLE measured").await?;
            "SELECT cast(stat_value * @@innodb_page_size AS SIGNED) \
             FROM mysql.innodb_index_stats WHERE database_name = database() \
             AND table_name = 'measured' AND index_name = 'PRIMARY' AND stat_name = 'size'"
        }
    };
    D::value(db, query).await
}
