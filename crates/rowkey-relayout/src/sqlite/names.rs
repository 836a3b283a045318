//! Names in the SQL of SQLite.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;

pub(super) fn quote(name: &str) -> Result<String, Error> {
    Ok(quote_identifier(Backend::Sqlite, name)?)
}
