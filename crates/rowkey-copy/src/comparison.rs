//! The comparison of both databases after a copy.

use rowkey_tables::catalog::{Catalog, QualifiedName};
use rowkey_tables::{Connection, Error, Progress, Step};
use serde::Serialize;

use crate::job::Job;
use crate::mapping::check_backends;
use crate::plans::plan::CopyPlan;
use crate::preflight::existing;
use crate::rows::checkpoint::{self, State};
use crate::rows::compare::{ComparedTable, compare_table};
use crate::session;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// What a comparison has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The tables, in the order of the plan.
    pub tables: Vec<ComparedTable>,
    /// What the target has not got yet, because the copy has stopped before its end.
    pub unfinished: Vec<String>,
    /// The tables that are not compared, because the plan keeps the rows of the target.
    pub kept: Vec<String>,
}

impl Comparison {
    /// Whether both sides have the same rows, and the copy has ended.
    pub fn is_equal(&self) -> bool {
        self.unfinished.is_empty() && self.tables.iter().all(|table| table.difference.is_none())
    }
}

/// Reads the tables of a plan on both sides, and compares the hashes of their rows in a form that
/// is the same everywhere.
///
/// # Errors
///
/// Those of the databases, and [`Error::Refused`] for a value that is not of its column's type.
pub async fn compare(
    source: &mut Connection,
    target: &mut Connection,
    plan: &CopyPlan,
    progress: &mut dyn Progress,
) -> Result<Comparison, Error> {
    plan.check()?;
    check_backends(source, target, plan)?;
    let mut catalog = Catalog::read(source).await?;
    plan.respell_source(&mut catalog);
    let made = plan.target_catalog(target).await?;
    let unfinished = unfinished(target, plan, &catalog, &made).await?;
    session::begin_reading(source).await?;
    session::begin_reading(target).await?;
    let (mut tables, mut kept) = (Vec::new(), Vec::new());
    for PreparedTable { from, to, .. } in plan.prepare_all(&catalog)? {
        if let Some(note) = to.note_of_kept_rows() {
            kept.push(note);
            continue;
        }
        progress.report(Step::Begins(format!("comparing {}", from.name)));
        let compared = compare_table(source, target, &from, &to.as_found(&made)).await;
        tables.push(compared.map_err(|error| {
            let missing = missing(plan, &made, &to);
            let changed = || existing::changed(&made, &to);
            missing.or_else(changed).unwrap_or(error)
        })?);
    }
    Ok(Comparison {
        tables,
        unfinished,
        kept,
    })
}

/// The error for a table that the target has not got, with the others that are missing, too.
fn missing(plan: &CopyPlan, made: &Catalog, side: &TableSide) -> Option<Error> {
    let is_missing = |name: &&QualifiedName| made.table(name).is_err();
    let names = plan.tables.iter().map(|table| &table.becomes);
    let names: Vec<&QualifiedName> = names.filter(is_missing).collect();
    names.contains(&&side.name).then(|| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        Error::refused(
            format!("{} in the target", names.join(", ")),
            "missing",
            "run `rowkey copy` before `rowkey verify`",
        )
    })
}

/// What a copy that has stopped has not added yet.
async fn unfinished(
    target: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
    made: &Catalog,
) -> Result<Vec<String>, Error> {
    let known = checkpoint::find(target, made, plan).await?;
    let Some(known) = known.filter(|known| !checkpoint::is_over(known)) else {
        return Ok(Vec::new());
    };
    let mut found = vec!["the copy has not ended; `rowkey copy` goes on with it".to_owned()];
    for (table, parts) in plan.tables.iter().zip(known) {
        if parts.iter().any(|part| part.state == State::Begun) {
            found.push(format!("{}: not all rows are copied", table.becomes));
        }
    }
    found.extend(Job::new(plan, catalog)?.missing_objects(made)?);
    Ok(found)
}
