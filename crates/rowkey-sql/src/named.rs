//! Intermediate results with a name, so that an expression that needs one several times contains it
//! once.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rowkey_core::Backend;

/// Whether an expression can name intermediate results: a derived table of MySQL and MariaDB does
/// not see the row of the statement around it.
pub(crate) const fn has_names(backend: Backend) -> bool {
    !matches!(backend, Backend::MySql | Backend::MariaDb)
}

/// An expression in which each name stands for the SQL beside it. That SQL must not contain the
/// names, nor the expression the stored value.
pub(crate) fn with_names(
    backend: Backend,
    named: impl IntoIterator<Item = (String, String)>,
    expression: &str,
) -> String {
    let named = named
        .into_iter()
        .map(|(name, sql)| format!("{sql} AS {name}"));
    let named = named.collect::<Vec<_>>().join(", ");
    // Without the fence, PostgreSQL would replace the names by their SQL again.
    let fence = match backend {
        Backend::Postgres => " OFFSET 0",
        _ => "",
    };
    format!("(SELECT {expression} FROM (SELECT {named}{fence}) AS named)")
}
