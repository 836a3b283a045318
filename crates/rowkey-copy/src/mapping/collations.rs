//! The collations that a target has, and those that take the place of others.

use rowkey_tables::types::{ColumnType, collation};
use rowkey_tables::{Connection, Error, Row};

use crate::engine::engine;
use crate::plans::plan::CopyPlan;

/// The names of the target's collations, if columns say theirs.
pub(crate) async fn known_collations(
    target: &mut Connection,
) -> Result<Option<Vec<String>>, Error> {
    let Some(query) = engine(target.backend()).target.collations else {
        return Ok(None);
    };
    let doing = "the collations of the target";
    let rows = target.query(doing, query, &[]).await?;
    rows.iter()
        .map(full_name)
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Gives columns the nearest collation that the target has. Preflight says what is different.
pub(crate) async fn replace_unknown(
    target: &mut Connection,
    plan: &mut CopyPlan,
) -> Result<(), Error> {
    let Some(known) = known_collations(target).await? else {
        return Ok(());
    };
    let columns = plan.tables.iter_mut().flat_map(|table| &mut table.columns);
    for to in columns.filter_map(|column| column.to.as_mut()) {
        let column_type = ColumnType::parse(target.backend(), to.as_str());
        let unknown = column_type.collation();
        let unknown = unknown.filter(|name| !collation::is_known(name, &known));
        let nearest = unknown.and_then(|name| collation::nearest(name, &known));
        if let Some((name, _)) = nearest {
            *to = column_type.with_collation(name).to_string();
        }
    }
    Ok(())
}

/// MariaDB names its newest collations without the character set, which several of them share.
fn full_name(row: &Row) -> Result<String, Error> {
    let (charset, collation) = (row.text(0)?, row.text(1)?);
    Ok(match collation.starts_with("uca1400_") {
        true => format!("{charset}_{collation}"),
        false => collation.to_owned(),
    })
}
