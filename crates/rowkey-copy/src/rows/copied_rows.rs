//! Whether a table of the target has the rows that were copied into it.

use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Error};

use crate::engine::engine;
use crate::rows::checkpoint::{Checkpoint, State, rows_of};
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// What is said about the tables of a copy that has begun before.
#[derive(Default)]
pub(crate) struct Earlier {
    pub(crate) refused: Vec<Error>,
    pub(crate) notes: Vec<String>,
}

/// Looks for the rows of earlier runs. Programs may add rows once a copy has ended.
pub(crate) async fn look(
    target: &mut Connection,
    catalog: &Catalog,
    tables: &[PreparedTable<'_>],
    known: &[Vec<Checkpoint>],
) -> Result<Earlier, Error> {
    let has_ended = has_ended(known);
    let mut earlier = Earlier::default();
    for (PreparedTable { to, .. }, parts) in tables.iter().zip(known) {
        let to = &to.as_found(catalog);
        let copied = rows_of(parts).rows;
        if to.keeps_rows() {
            continue;
        }
        let found = match catalog.tables.iter().any(|table| table.name == to.name) {
            true => count(target, to).await?,
            false if copied == 0 && !has_ended => continue,
            false => {
                let gone = "the table is gone".to_owned();
                earlier.refused.push(lost(to, copied, gone, has_ended));
                continue;
            }
        };
        if found < copied {
            let found = match found {
                0 => "none is there".to_owned(),
                found => format!("only {found} are there"),
            };
            earlier.refused.push(lost(to, copied, found, has_ended));
        } else if to.merges_rows() {
            // They are among others.
        } else if found > copied && has_ended {
            earlier.notes.push(format!(
                "{}: the target has {found} rows, and {copied} were copied; programs have added the others since",
                to.name
            ));
        } else if found > copied {
            earlier.refused.push(added(to, copied, found));
        }
    }
    Ok(earlier)
}

/// How far a copy has come, as a sentence.
pub(crate) fn state(known: &[Vec<Checkpoint>]) -> String {
    if has_ended(known) {
        return "the copy has ended: `rowkey copy` has nothing left to do".into();
    }
    let is_copied = |parts: &&Vec<Checkpoint>| parts.iter().all(|part| part.state > State::Begun);
    let copied = known.iter().filter(is_copied).count();
    format!(
        "the copy has begun, and `rowkey copy` goes on with it: {copied} of {} tables have all of their rows",
        known.len()
    )
}

/// Whether a copy has nothing left to do.
fn has_ended(known: &[Vec<Checkpoint>]) -> bool {
    known.iter().flatten().all(|part| part.state == State::Done)
}

/// Fails unless a table has as many rows as were copied, before it gets its indexes.
pub(crate) async fn require(
    target: &mut Connection,
    side: &TableSide,
    copied: u64,
) -> Result<(), Error> {
    match count(target, side).await? {
        found if found == copied => Ok(()),
        // Merged rows are among others.
        found if found > copied && side.merges_rows() => Ok(()),
        found if found > copied => Err(added(side, copied, found)),
        found => Err(lost(side, copied, format!("only {found} are there"), false)),
    }
}

async fn count(target: &mut Connection, side: &TableSide) -> Result<u64, Error> {
    let doing = format!("the rows of {}", side.name);
    let function = engine(side.backend).rows.count;
    let query = format!("SELECT {function}(*) FROM {}", side.rows()?);
    target.count(&doing, &query, &[]).await
}

fn lost(side: &TableSide, copied: u64, found: String, has_ended: bool) -> Error {
    let (when, instead) = match has_ended {
        true => (
            "the copy has ended",
            "`rowkey verify` names rows that differ; to copy everything again, drop the tables of the copy or \
             empty them, and drop the table rowkey_copy",
        ),
        false => (
            "an earlier run has not ended",
            "to begin anew, drop the tables of the copy or empty them, and drop the table rowkey_copy",
        ),
    };
    Error::refused(
        format!("the table {} in the target", side.name),
        format!("{when}, and of the {copied} rows that were copied, {found}"),
        instead,
    )
}

/// The rows that were copied were committed there, so that somebody else has added the rest.
fn added(side: &TableSide, copied: u64, found: u64) -> Error {
    Error::refused(
        format!("the table {} in the target", side.name),
        format!(
            "all {copied} rows that were copied so far were committed, but it has {} more, which programs have \
             added before the copy has ended",
            found - copied
        ),
        "stop the programs, and move these rows elsewhere (`rowkey verify` names keys of some); then repeat the \
         command, which goes on",
    )
}
