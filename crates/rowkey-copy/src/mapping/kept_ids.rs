//! Keys whose ids stay as they are, and references to them.

use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, QualifiedName};

use crate::plans::plan::CopyPlan;

/// A column that is converted, and the one with `keep = true` that it refers to, or that refers to
/// it.
type Pair<'p> = ((&'p QualifiedName, &'p str), (&'p QualifiedName, &'p str));

/// The columns that need `keep = true` too, because a reference connects them with one that has it,
/// and the plan with it.
pub(crate) fn refusals(mut plan: CopyPlan, catalog: &Catalog) -> (Vec<Error>, CopyPlan) {
    let mut refused = Vec::new();
    // A column that is kept may make the next one necessary.
    while let Some(((table, column), (kept_table, kept))) = halved(&plan, catalog) {
        refused.push(Error::refused(
            format!("{table}.{column}"),
            format!(
                "its ids get another form than those of {kept_table}.{kept}, which has `keep = true`, and a \
                 reference connects the two"
            ),
            format!("write `keep = true` for {table}.{column} too"),
        ));
        let place = (table.clone(), column.to_owned());
        let mut tables = plan.tables.iter_mut();
        let table = tables.find(|table| table.name == place.0);
        let columns = table.into_iter().flat_map(|table| &mut table.columns);
        columns
            .filter(|column| column.name == place.1)
            .for_each(|column| column.keep = true);
    }
    (refused, plan)
}

fn halved<'p>(plan: &'p CopyPlan, catalog: &'p Catalog) -> Option<Pair<'p>> {
    for table in &plan.tables {
        let original = catalog.table(&table.name).ok()?;
        for key in &original.foreign_keys {
            let mut tables = plan.tables.iter();
            let Some(target) = tables.find(|other| other.name == key.target) else {
                continue;
            };
            for (name, target_name) in key.columns.iter().zip(&key.target_columns) {
                let (Some(one), Some(other)) = (table.column(name), target.column(target_name))
                else {
                    continue;
                };
                let places = (
                    (&table.name, name.as_str()),
                    (&target.name, target_name.as_str()),
                );
                match (one.keep, other.keep) {
                    (false, true) if one.format.is_some() => return Some(places),
                    (true, false) if other.format.is_some() => return Some((places.1, places.0)),
                    _ => {}
                }
            }
        }
    }
    None
}
