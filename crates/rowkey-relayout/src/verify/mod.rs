//! Compares the tables of a change with what they were.

mod rows;
mod swapped;

use rowkey_core::storage::quote_identifier;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::{Catalog, QualifiedName, creation_time};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::digest::{self, HashedRow, TwoSides, take_row};
use rowkey_tables::{Connection, Error, Progress, Step};
use serde::Serialize;

use self::rows::{PlannedTable, Sides, count};
use self::swapped::{not_swapped, require_swapped};
use crate::plan::Plan;
use crate::state;

/// What a comparison has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The tables of the plan.
    pub tables: Vec<VerifiedTable>,
    /// What is not as it has to be.
    pub differences: Vec<Finding>,
    /// What a person should know, although nothing is wrong.
    pub notes: Vec<String>,
}

/// A table that was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifiedTable {
    /// The table's name.
    pub table: QualifiedName,
    /// How many rows it has.
    pub rows: u64,
    /// How many rows there were with old values; nothing if those are gone.
    pub old_rows: Option<u64>,
}

/// Something that is not as it has to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The table.
    pub table: QualifiedName,
    /// The column, if it is one.
    pub column: Option<String>,
    /// What was found, with the first keys.
    pub found: String,
}

/// Compares the new values of all tables of a plan with the old ones, as long as those are kept,
/// and checks the new ones alone: whether they are ids of the format, and whether references have a
/// target.
///
/// Rows are read twice, in one snapshot, and their hashes are added, so that neither order nor
/// memory matters. Nothing is written.
///
/// # Errors
///
/// [`Error::Refused`] if the change has not been swapped, or another plan of the key has begun;
/// [`Error::Database`] if a query fails.
pub async fn verify(
    connection: &mut Connection,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<Verification, Error> {
    let doing = "the snapshot";
    for statement in connection.backend().snapshot() {
        connection.execute(doing, statement).await?;
    }
    let outcome = compare(connection, plan, progress).await;
    let ended = connection.execute(doing, "ROLLBACK").await;
    let verification = outcome?;
    ended.map(|_| verification)
}

async fn compare(
    connection: &mut Connection,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<Verification, Error> {
    let recorded = state::recorded(connection, plan).await?;
    let catalog = Catalog::read(connection).await?;
    let (_, to) = plan.forms(plan.backend()?)?;
    let mut found = Verification {
        tables: Vec::new(),
        differences: Vec::new(),
        notes: catalog.unseen.clone(),
    };
    let tables = planned(plan, &catalog)?;
    require_swapped(connection, plan, &catalog, &tables, recorded).await?;
    for planned in &tables {
        progress.report(Step::Begins(planned.table.name.to_string()));
        let verified = match Sides::of(plan, &catalog, planned)? {
            Some(sides) => compare_sides(connection, planned, &sides, &mut found).await?,
            None => {
                found.notes.push(format!(
                    "{}: the old values are gone, so that only the new ones were checked",
                    planned.table.name
                ));
                VerifiedTable {
                    table: planned.table.name.clone(),
                    rows: count(connection, planned, "1 = 1").await?,
                    old_rows: None,
                }
            }
        };
        found.tables.push(verified);
        check_ids(connection, planned, to, &mut found).await?;
        check_references(connection, planned, plan, &mut found).await?;
    }
    check_order(connection, plan, &tables, &mut found).await?;
    Ok(found)
}

/// The tables of the plan as they are now.
fn planned<'c>(plan: &'c Plan, catalog: &'c Catalog) -> Result<Vec<PlannedTable<'c>>, Error> {
    let mut planned = Vec::new();
    for name in plan.tables() {
        let table = catalog.table(&name)?;
        let columns: Vec<_> = plan.columns().filter(|one| *one.table == name).collect();
        for column in &columns {
            let is_there = table.column(column.becomes).is_some();
            // Before the swap, some databases have the old and the new column side by side.
            let is_swapped = column.becomes == column.name || table.column(column.name).is_none();
            if !is_there || !is_swapped {
                return Err(not_swapped(&name, column.name));
            }
        }
        planned.push(PlannedTable { table, columns });
    }
    Ok(planned)
}

/// The rows of a table as they were and as they are, in the snapshot of one connection.
struct BeforeAndAfter<'a> {
    connection: &'a mut Connection,
    doing: String,
    sides: &'a Sides,
}

impl TwoSides for BeforeAndAfter<'_> {
    async fn each(
        &mut self,
        old: impl FnMut(HashedRow<'_>) + Send,
        new: impl FnMut(HashedRow<'_>) + Send,
    ) -> Result<(), Error> {
        self.each_row(&self.sides.old, old).await?;
        self.each_row(&self.sides.new, new).await
    }
}

impl BeforeAndAfter<'_> {
    async fn each_row(
        &mut self,
        query: &str,
        mut take: impl FnMut(HashedRow<'_>) + Send,
    ) -> Result<(), Error> {
        let keys = self.sides.keys;
        let rows = self.connection.for_each(&self.doing, query, &[], |row| {
            take_row(&row, keys, &mut take);
            Ok(())
        });
        rows.await
    }
}

async fn compare_sides(
    connection: &mut Connection,
    planned: &PlannedTable<'_>,
    sides: &Sides,
    found: &mut Verification,
) -> Result<VerifiedTable, Error> {
    let name = &planned.table.name;
    let has_one_writer = connection.backend().has_one_writer();
    let mut both = BeforeAndAfter {
        connection,
        doing: format!("the rows of {name}"),
        sides,
    };
    let compared = digest::compare(&mut both).await?;
    if let Some(difference) = compared.difference {
        let text = format!(
            "{} rows with old values, {} with new ones; {difference}",
            compared.old_rows, compared.new_rows,
        );
        if has_one_writer {
            // There, the swap has compared every value, in the same transaction.
            found.notes.push(format!(
                "{name} is not as it was swapped: {text}; SQLite keeps old values as they were then, \
                 so that rows that programs have changed since differ"
            ));
        } else {
            found.differences.push(Finding {
                table: name.clone(),
                column: None,
                found: text,
            });
        }
    }
    if let Some(condition) = &sides.is_without_old_id {
        let rows = count(connection, planned, condition).await?;
        if rows > 0 {
            found.notes.push(format!(
                "{name}: {rows} rows of new programs have no old id, because nothing makes one; `--undo` refuses them"
            ));
        }
    }
    Ok(VerifiedTable {
        table: name.clone(),
        rows: compared.new_rows,
        old_rows: Some(compared.old_rows),
    })
}

/// Counts values that aren't ids of the format in the new form.
async fn check_ids(
    connection: &mut Connection,
    planned: &PlannedTable<'_>,
    to: StoredForm,
    found: &mut Verification,
) -> Result<(), Error> {
    for column in &planned.columns {
        let quoted = quote_identifier(connection.backend(), column.becomes)?;
        let Ok(is_id) = to.condition(&quoted) else {
            found.notes.push(format!(
                "{}.{}: SQL does not tell whether its values are ids",
                planned.table.name, column.becomes
            ));
            continue;
        };
        let condition = format!("{quoted} IS NOT NULL AND NOT ({is_id})");
        let damaged = count(connection, planned, &condition).await?;
        if damaged > 0 {
            found.differences.push(Finding {
                table: planned.table.name.clone(),
                column: Some(column.becomes.to_owned()),
                found: format!(
                    "{damaged} values are no {} as {}:{}",
                    to.format().name(),
                    to.storage(),
                    to.layout()
                ),
            });
        }
    }
    Ok(())
}

/// Counts references without a target.
async fn check_references(
    connection: &mut Connection,
    planned: &PlannedTable<'_>,
    plan: &Plan,
    found: &mut Verification,
) -> Result<(), Error> {
    let backend = connection.backend();
    let key_table = plan.key.table.quoted(backend)?;
    let key = quote_identifier(backend, &plan.key.becomes)?;
    let name = planned.table.name.quoted(backend)?;
    for column in planned.columns.iter().filter(|column| !column.is_key) {
        let quoted = quote_identifier(backend, column.becomes)?;
        let condition = format!(
            "{quoted} IS NOT NULL AND NOT EXISTS \
             (SELECT 1 FROM {key_table} k WHERE k.{key} = {name}.{quoted})"
        );
        let lost = count(connection, planned, &condition).await?;
        if lost == 0 {
            continue;
        }
        let text = format!("{lost} values refer to no row");
        let keys = planned.table.foreign_keys.iter();
        let keys = keys.filter(|key| key.columns.iter().any(|one| one == column.becomes));
        let (validated, open): (Vec<_>, Vec<_>) = keys.partition(|key| key.is_validated());
        // Of several, one that is validated says it of all rows.
        let is_open = !open.is_empty() && validated.iter().all(|key| key.target != plan.key.table);
        if column.is_asserted && !is_open {
            found.differences.push(Finding {
                table: planned.table.name.clone(),
                column: Some(column.becomes.to_owned()),
                found: text,
            });
        } else {
            found.notes.push(format!(
                "{}.{}: {text}; no validated constraint asserts it",
                planned.table.name, column.becomes
            ));
        }
    }
    Ok(())
}

/// How many rows are looked at for their order.
const NEIGHBOURS: u32 = 10_000;

/// Tells how well the order of the keys agrees with that of creation.
async fn check_order(
    connection: &mut Connection,
    plan: &Plan,
    tables: &[PlannedTable<'_>],
    found: &mut Verification,
) -> Result<(), Error> {
    let Some(created) = &plan.key.created else {
        return Ok(());
    };
    let Some(planned) = tables.first() else {
        return Ok(());
    };
    let backend = connection.backend();
    let millis = creation_time::unix_millis(backend, planned.table, created, "")?;
    let key = quote_identifier(backend, &plan.key.becomes)?;
    let name = planned.table.name.quoted(backend)?;
    let (top, limit) = backend.first_rows(NEIGHBOURS);
    let query = format!(
        "SELECT {top}{millis} AS ms FROM {name} WHERE {key} IS NOT NULL ORDER BY {key}{limit}"
    );
    let (mut previous, mut pairs, mut in_order) = (None, 0_u32, 0_u32);
    let doing = format!("the order of {}", planned.table.name);
    connection
        .for_each(&doing, &query, &[], |row| {
            // A row without a time has no order.
            let Some(now) = row.optional_integer(0)? else {
                return Ok(());
            };
            if let Some(previous) = previous.replace(now) {
                pairs += 1;
                in_order += u32::from(previous <= now);
            }
            Ok(())
        })
        .await?;
    if pairs > 0 {
        found.notes.push(format!(
            "{}: of {pairs} neighbours by key, {in_order} are in the order of {created}",
            planned.table.name
        ));
    }
    Ok(())
}
