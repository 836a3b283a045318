//! Schemas and databases with tables that an inventory does not show.

use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::Error;

/// The names of the other schemas.
pub async fn names(connection: &mut Connection) -> Result<Vec<String>, Error> {
    let Some(query) = connection.backend().other_schemas() else {
        return Ok(Vec::new());
    };
    let rows = connection.query("the other schemas", query, &[]).await?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}
