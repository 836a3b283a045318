//! Types of PostgreSQL's users and extensions, which a copy does not make but for enums.

use rowkey_tables::catalog::layout_of;
use rowkey_tables::types::layout::Layout;
use rowkey_tables::types::{ColumnType, Type, write};
use rowkey_tables::{Connection, Error};

use crate::engine::engine;
use crate::plans::plan::CopyPlan;

/// What PostgreSQL calls words that it does not understand.
const SYNTAX_ERROR: &str = "42601";

/// Whether a target whose users make types has one, and whether that is read from text.
pub(crate) async fn known(
    target: &mut Connection,
    sql_type: &str,
) -> Result<Option<(bool, bool)>, Error> {
    let Some(query) = engine(target.backend()).target.user_type else {
        return Ok(None);
    };
    let doing = "the types of the target";
    match target.one_row(doing, query, &[sql_type.into()]).await {
        // The words don't name a type.
        Err(error) if error.sql_state().as_deref() == Some(SYNTAX_ERROR) => {
            Ok(Some((false, false)))
        }
        row => {
            let row = row?;
            Ok(Some((row.optional_text(0)?.is_some(), row.is(1)?)))
        }
    }
}

/// Makes text of the types that the target does not have.
pub(crate) async fn replace_unknown(
    source: &mut Connection,
    target: &mut Connection,
    plan: &mut CopyPlan,
) -> Result<(), Error> {
    let backend = target.backend();
    let columns = plan.tables.iter_mut().flat_map(|table| &mut table.columns);
    for to in columns.filter_map(|column| column.to.as_mut()) {
        let is_own = ColumnType::parse(backend, to.as_str()).meaning() == Some(Type::Own);
        let is_unknown = is_own && matches!(known(target, to.as_str()).await?, Some((false, _)));
        // The copy makes enums.
        if is_unknown && !matches!(layout_of(source, to).await?, Some(Layout::Enum(_))) {
            *to = write(backend, Type::Text(None), false).map_err(|refusal| {
                Error::refused(format!("the type {to}"), refusal.why, refusal.instead)
            })?;
        }
    }
    Ok(())
}
