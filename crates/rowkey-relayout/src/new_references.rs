//! References to the tables of a change that were added after it had begun.

use rowkey_tables::Error;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::dialect::Dialect;

use crate::old_table::old_table;
use crate::refusals::Refusals;
use crate::work::Work;

/// Fails for a foreign key of another table that would go on referring to the old column or table.
pub(super) fn refuse(work: &Work, now: &Catalog, is_swapped: bool) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    let is_rebuilt = work.backend.rebuilds_tables();
    for table in &work.tables {
        let old = old_table(work.backend, table.name());
        let target = match (is_swapped, old) {
            (true, Some(old)) => old,
            // From then on, they refer to the new column.
            (true, None) => continue,
            (false, _) => table.name().clone(),
        };
        for (other, key) in now.references_to(&target) {
            let is_own = work.tables.iter().any(|one| {
                let name = one.name();
                *name == other.name || old_table(work.backend, name).as_ref() == Some(&other.name)
            });
            let mut targets = key.target_columns.iter();
            let is_concerned = is_rebuilt || targets.any(|one| table.changed(one).is_some());
            if !is_own && is_concerned {
                refusals.add(
                    format!("the reference {} of {} to {target}", key.name, other.name),
                    "it was added after the change had begun, and would stay with the old ids",
                    match is_swapped {
                        true => "drop it, and add it to the new table",
                        false => "drop it, and add it after the swap, or undo the change and write a new plan",
                    },
                );
            }
        }
    }
    refusals.result()
}
