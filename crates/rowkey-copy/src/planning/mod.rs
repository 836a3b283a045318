//! A plan from what the catalogues of both databases say.

mod ids;
mod links;
mod names;
mod planner;
mod table_order;
pub(crate) mod target_types;
mod untyped;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::Backend;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::{Connection, Error, Progress, Step, StoredIds};

use self::links::{Link, links};
use self::names::take_names;
pub use self::planner::Choices;
use self::planner::{Planner, place};
use self::table_order::order;
use crate::definitions::sequences;
use crate::mapping::collations::replace_unknown;
use crate::mapping::own_types;
use crate::mapping::partitions;
use crate::mapping::spelling::{respell, spelling};
use crate::plans::plan::{CopyPlan, CopyPolicy, TablePlan, VERSION};
use crate::preflight::definition;
use crate::preflight::existing::{self, has_rows};
use crate::preflight::target::{is_sequence, is_view, sequence_instead, unknown_types, views};
use crate::tables::table_side::TableSide;

/// A plan, and what it does with ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The plan.
    pub plan: CopyPlan,
    /// What becomes of the ids, as sentences.
    pub ids: Vec<String>,
    /// The tables of the target that have rows, of which nobody has said what becomes of these.
    pub occupied: Vec<QualifiedName>,
    /// Everything that has no place in the target, as far as the definitions tell; [`Preflight`] looks
    /// at the values too.
    ///
    /// [`Preflight`]: crate::Preflight
    pub misfits: Vec<String>,
}

/// Which tables of a database go to another, in the order of their references, and what their
/// columns become there. A table that exists in the target keeps its types; for others, ids get the
/// form that a key of their format declares by default.
///
/// `ids` is asked about columns that may hold ids: whether they do, and how they are stored. Pass
/// `doctor::stored_ids`, which looks at the rows.
///
/// # Errors
///
/// Those of the catalogues and of `ids`.
pub async fn plan(
    source: &mut Connection,
    target: &mut Connection,
    choices: Choices,
    progress: &mut dyn Progress,
    ids: impl AsyncFnMut(&mut Connection, &Table, &str) -> Result<StoredIds, Error>,
) -> Result<Planned, Error> {
    let there = Catalog::read(target).await?;
    let backend = target.backend();
    let (mut planned, original) =
        plan_for(source, backend, &there.tables, choices, progress, ids).await?;
    replace_unknown(target, &mut planned.plan).await?;
    if choices.unknown_types_as_text {
        own_types::replace_unknown(source, target, &mut planned.plan).await?;
    }
    for table in &mut planned.plan.tables {
        if !there.tables.iter().any(|found| found.name == table.becomes) {
            continue;
        }
        let rows = table.becomes.quoted(target.backend())?;
        match has_rows(target, &table.becomes, &rows).await {
            Ok(false) => table.existing_rows = None,
            Ok(true) if table.existing_rows.is_none() => {
                planned.occupied.push(table.becomes.clone());
            }
            Ok(true) => {}
            // Preflight says it of all tables.
            Err(error) if error.is_denied() => {}
            Err(error) => return Err(error),
        }
    }
    let misfits = misfits(target, &planned.plan, original, there).await?;
    planned.misfits = misfits.iter().map(ToString::to_string).collect();
    Ok(planned)
}

/// Columns that have no place, and tables that are not as the plan needs them.
async fn misfits(
    connection: &mut Connection,
    plan: &CopyPlan,
    mut source: Catalog,
    mut target: Catalog,
) -> Result<Vec<Error>, Error> {
    plan.respell_source(&mut source);
    plan.respell_target(&mut target);
    let (mut misfits, left) = plan.without_refused_columns();
    let planned: Vec<&QualifiedName> = plan.tables.iter().map(|table| &table.becomes).collect();
    let creates = !planned.iter().any(|name| target.table(name).is_ok());
    let views = views(connection).await?;
    let sequences = sequences::all(connection).await?;
    let mut tables = Vec::new();
    for table in &left.tables {
        let prepared = match left.prepare(&source, table) {
            Ok(prepared) => prepared,
            Err(error) => {
                misfits.push(error);
                continue;
            }
        };
        match target.table(&table.becomes) {
            Ok(found) => misfits.extend(definition::misfits(found, &prepared.to, plan)),
            Err(_) if views.contains(&table.becomes) => {
                misfits.push(is_view(&table.becomes, creates));
            }
            Err(_) => match sequence_instead(&sequences, &target, &prepared.to, creates) {
                Some(name) => misfits.push(is_sequence(&prepared.to, name, None)),
                None if creates => {}
                None => misfits.push(existing::missing(&target, &table.becomes, &planned)),
            },
        }
        tables.push(prepared);
    }
    let sides: Vec<&TableSide> = tables.iter().map(|table| &table.to).collect();
    let unknown = unknown_types(connection, &sides, creates).await?;
    misfits.extend(unknown.into_iter().map(|(_, error)| error));
    Ok(misfits)
}

/// The same for a target with these tables, and the catalogue of the source.
pub(crate) async fn plan_for(
    source: &mut Connection,
    target: Backend,
    there: &[Table],
    choices: Choices,
    progress: &mut dyn Progress,
    mut ids: impl AsyncFnMut(&mut Connection, &Table, &str) -> Result<StoredIds, Error>,
) -> Result<(Planned, Catalog), Error> {
    let original = Catalog::read(source).await?;
    let (mut catalog, mut there) = (original.clone(), there.to_vec());
    let becomes = take_names(&copied(&original), &mut there);
    // One of the two may not tell the cases of letters apart.
    respell(target, &mut there, &spelling(&original.tables));
    respell(source.backend(), &mut catalog.tables, &spelling(&there));
    let left_out = catalog.tables.iter().filter(|table| table.is_of_tools());
    let mut tables = copied(&catalog);
    order(&mut tables, &there);
    let mut planner = Planner {
        source: source.backend(),
        target,
        original: &original,
        tables: &tables,
        there: &there,
        becomes,
        choices,
        ids: BTreeMap::new(),
        kept: BTreeMap::new(),
        other_order: BTreeSet::new(),
        mixed: BTreeSet::new(),
        untyped: BTreeMap::new(),
        wide: BTreeSet::new(),
    };
    let (mut empty, mut answers) = (Vec::new(), BTreeMap::new());
    for table in &tables {
        progress.report(Step::Begins(format!("examining {}", table.name)));
        let mixed_as_text = choices.unknown_types_as_text && target != planner.source;
        for (column, own) in untyped::types(source, table, mixed_as_text).await? {
            planner.untyped.insert(place(table, &column), own);
        }
        for column in untyped::wide_numbers(source, target, table).await? {
            planner.wide.insert(place(table, &column));
        }
        for column in planner.id_columns(table) {
            let answer = ids(source, table, &column.name).await?;
            if answer == StoredIds::Empty {
                empty.push((*table, column));
            }
            planner.take(table, column, &answer);
            answers.insert(place(table, &column.name), answer);
        }
    }
    planner.widen_numbers();
    planner.leave_unordered();
    let links = links(source, &planner).await?;
    for Link { table, column, .. } in &links {
        if let Entry::Vacant(answer) = answers.entry(place(table, &column.name)) {
            answer.insert(ids(source, table, &column.name).await?);
        }
    }
    planner.leave_mixed();
    planner.link(&links, &answers);
    planner.leave_texts();
    planner.follow();
    for (table, column) in empty {
        planner.add_empty(table, column);
    }
    planner.follow();
    planner.keep_references();
    let mut planned: Vec<TablePlan> = tables.iter().map(|table| planner.table(table)).collect();
    planner.widen_references(&mut planned);
    let planned = Planned {
        ids: planner.ids_in_words(&planned, &links),
        occupied: Vec::new(),
        misfits: Vec::new(),
        plan: CopyPlan {
            version: VERSION,
            source: planner.source.name().into(),
            target: target.name().into(),
            left_out: left_out.map(|table| table.name.clone()).collect(),
            tables: planned,
            policy: CopyPolicy::default(),
        },
    };
    Ok((planned, original))
}

/// The tables that are copied.
fn copied(catalog: &Catalog) -> Vec<&Table> {
    let tables = catalog.tables.iter().filter(|table| {
        // A table is copied as a whole. PostgreSQL has some without columns.
        let is_whole = partitions::whole(table, catalog).is_none() && !table.columns.is_empty();
        is_whole && !table.is_of_tools()
    });
    tables.collect()
}
