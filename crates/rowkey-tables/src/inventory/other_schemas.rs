//! Schemas and databases with tables that an inventory does not show.

use rowkey_core::Backend;

use crate::connection::Connection;
use crate::error::Error;

const OF_POSTGRES: &str = "
SELECT DISTINCT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
  AND n.nspname IS DISTINCT FROM current_schema() ORDER BY 1";

const OF_MYSQL: &str = "
SELECT DISTINCT table_schema FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema <> DATABASE()
  AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1";

/// The names of the other schemas.
pub async fn names(connection: &mut Connection) -> Result<Vec<String>, Error> {
    let query = match connection.backend() {
        Backend::Postgres => OF_POSTGRES,
        Backend::MySql | Backend::MariaDb => OF_MYSQL,
        Backend::Sqlite | Backend::SqlServer => return Ok(Vec::new()),
    };
    let rows = connection.query("the other schemas", query, &[]).await?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}
