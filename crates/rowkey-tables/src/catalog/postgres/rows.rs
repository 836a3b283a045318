//! How the queries on the catalogue of PostgreSQL name tables, and lists of columns.

use std::collections::BTreeMap;

use crate::catalog::Table;
use crate::connection::Row;
use crate::error::Error;

/// The tables, by their numbers in the catalogue.
pub(super) type Numbered = BTreeMap<i64, Table>;

/// A list of names as JSON.
pub(super) fn names(row: &Row, index: usize) -> Result<Vec<String>, Error> {
    serde_json::from_str(row.text(index)?).map_err(Error::database("a list of the catalogue"))
}
