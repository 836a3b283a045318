//! New ids of rows in SQL, to look at before a change makes them.

use rowkey_core::storage::quote_identifier;
use rowkey_sql::{NewId, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Table, creation_time};

use crate::id_map::new_id_at;

/// A new id for a row, as public text in SQL: with the instant in a creation column, or with that
/// of now.
pub(crate) fn example_id(
    to: StoredForm,
    table: &Table,
    created: Option<&str>,
) -> Result<String, Error> {
    let new_id = new_id(to)?;
    let Some(created) = created else {
        return Ok(new_id.expression()?);
    };
    let millis = creation_time::unix_millis(to.backend(), table, created, "")?;
    new_id_at(new_id, &millis)
}

/// The condition that a row has a creation time that its new id cannot carry. None if no id carries
/// one.
pub(super) fn is_unusable(
    to: StoredForm,
    table: &Table,
    column: &str,
) -> Result<Option<String>, Error> {
    let millis = creation_time::unix_millis(to.backend(), table, column, "")?;
    let quoted = quote_identifier(to.backend(), column)?;
    let id = new_id(to)?.expression_at(&millis).ok();
    Ok(id.map(|id| format!("{quoted} IS NOT NULL AND ({id}) IS NULL")))
}

/// New ids as public text, or as bytes where SQL cannot make the text.
fn new_id(to: StoredForm) -> Result<NewId, Error> {
    let form = |name| StoredForm::named(to.format(), to.backend(), name);
    let text = form("text").ok().and_then(|form| NewId::new(form).ok());
    match (text, form("binary")) {
        (Some(text), _) => Ok(text),
        (None, Ok(bytes)) => Ok(NewId::new(bytes)?),
        (None, Err(why)) => Err(Error::refused(
            format!("`format = \"{}\"`", to.format().name()),
            why,
            "choose a format whose ids SQL can make",
        )),
    }
}
