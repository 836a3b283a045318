//! The ids of a column that may get another form.

use rowkey_core::format::FormatKind;
use rowkey_tables::catalog::Table;
use rowkey_tables::{Connection, Error};

use super::examination::examine_table;
use super::part::Certainty;

/// The format of the ids in a column, and how they are stored, as `STORAGE:LAYOUT`. None unless
/// both are certain and no value in the sample is damaged: a damaged value has no other form.
///
/// The table is what the catalogue says of it, which is not read again for each column. A copy
/// plans with this function: it is what `copy::plan` and `parquet::plan` take as `ids`.
///
/// # Errors
///
/// Those of [`examine`](super::examine).
pub async fn stored_ids(
    connection: &mut Connection,
    table: &Table,
    column: &str,
) -> Result<Option<(FormatKind, String)>, Error> {
    let report = examine_table(connection, table, column).await?;
    let is_certain = report.certainty == Certainty::Certain && report.damaged.is_empty();
    let (Some(format), Some(storage), Some(layout), true) =
        (report.format, report.storage, report.layout, is_certain)
    else {
        return Ok(None);
    };
    Ok(Some((format.parse()?, format!("{storage}:{layout}"))))
}
