//! Whether the account may do in existing tables what a copy does there.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::{Connection, Error, Value};

use super::target::{may_not_create, table_of};
use crate::definitions::counters;
use crate::definitions::key_sequences::KeySequences;
use crate::engine::{MaySet, engine};
use crate::plans::plan::ExistingRows;
use crate::rows::checkpoint;
use crate::rows::merge::Merge;
use crate::tables::table_side::{ColumnSide, TableSide};

/// What is tried, without a row, and what it needs.
enum Trial {
    Statement(String, &'static str),
    Merge(Box<Merge>),
}

/// What the account may not do in the existing tables, and in that for the state of copies.
pub(super) async fn refusals(
    target: &mut Connection,
    catalog: &Catalog,
    sides: &[&TableSide],
) -> Result<Vec<Error>, Error> {
    let mut refused = Vec::new();
    for side in sides.iter().filter(|side| !side.keeps_rows()) {
        if table_of(catalog, side).is_none() {
            continue;
        }
        for trial in trials(side)? {
            if let Some(error) = trial.denied(target, &side.name).await? {
                refused.push(error);
            }
        }
        refused.extend(has_row_security(target, side).await?);
    }
    let has_state = checkpoint::has_table(catalog);
    match may_not_create(target).await?.filter(|_| !has_state) {
        Some(denied) => refused.push(denied),
        None => refused.extend(no_state(target).await?),
    }
    Ok(refused)
}

/// Of the table itself, without its rows: a privilege to read it is another matter.
fn trials(side: &TableSide) -> Result<Vec<Trial>, Error> {
    if let Some(merge) = Merge::of(side)? {
        return Ok(vec![Trial::Merge(Box::new(merge))]);
    }
    let numbers = engine(side.backend).target.own_numbers;
    let insert = insert(
        &side.quoted()?,
        &side.column_list()?,
        numbers,
        side.columns.len(),
    );
    let mut trials = vec![Trial::Statement(insert, "INSERT")];
    if side.existing_rows == Some(ExistingRows::Delete) {
        let delete = format!("DELETE FROM {} WHERE 1 = 0", side.rows()?);
        trials.push(Trial::Statement(delete, "DELETE"));
    }
    Ok(trials)
}

/// Inserts no row.
fn insert(table: &str, columns: &str, words: &str, count: usize) -> String {
    let nothing = vec!["NULL"; count].join(", ");
    format!(
        "INSERT INTO {table} ({columns}) {words}SELECT {nothing} FROM (SELECT 1 AS one) AS one WHERE 1 = 0"
    )
}

impl Trial {
    /// The refusal of a trial for which the account lacks a privilege. What else fails is no
    /// privilege, and others look for it.
    async fn denied(
        &self,
        target: &mut Connection,
        table: &QualifiedName,
    ) -> Result<Option<Error>, Error> {
        let doing = format!("the privileges on {table}");
        let sessions = &engine(target.backend()).sessions;
        target.execute(&doing, sessions.begin).await?;
        let outcome = match self {
            Self::Statement(statement, _) => target.execute(&doing, statement).await.map(|_| ()),
            Self::Merge(merge) => try_merge(merge, target).await,
        };
        target.execute(&doing, sessions.rollback).await?;
        if let Self::Merge(merge) = self
            && outcome.is_err()
        {
            // Some databases have made the temporary table all the same.
            let _ = merge.end(target).await;
        }
        match outcome {
            Err(error) if error.is_denied() => {
                let needs = match self {
                    Self::Statement(_, privilege) if table.name == checkpoint::TABLE => {
                        format!(
                            "grant {privilege} on it, or on the database if it is not there yet"
                        )
                    }
                    Self::Statement(_, privilege) => format!("grant {privilege} on it"),
                    Self::Merge(_) => {
                        "grant SELECT, INSERT and UPDATE on it, and temporary tables \
                                       in the database"
                            .into()
                    }
                };
                Ok(Some(Error::refused(
                    format!("the table {table} in the target"),
                    format!("the account may not write it: {}", error.reason()),
                    needs,
                )))
            }
            Err(error) if error.sql_state().is_none() => Err(error),
            _ => Ok(None),
        }
    }
}

async fn try_merge(merge: &Merge, target: &mut Connection) -> Result<(), Error> {
    merge.begin(target).await?;
    merge.apply(target).await?;
    merge.end(target).await
}

/// The counters of an existing table that the account may not set after the rows. Where the server
/// itself goes on after the rows, that is a note.
pub(super) async fn counters(
    target: &mut Connection,
    original: &Table,
    side: &TableSide,
    existing: &Table,
    keys: &KeySequences,
) -> Result<Vec<Result<String, Error>>, Error> {
    let table = side.quoted()?;
    let mut denied = Vec::new();
    for (column, name) in keys.of(original, side, existing) {
        denied.extend(may_not_set(target, side, column, name).await?.map(Err));
    }
    for column in counters::counted_there(side, existing) {
        let doing = format!("the counter of {}", side.name);
        match &engine(side.backend).counters.may_set {
            MaySet::Free => {}
            MaySet::Query(query) => {
                let query = query(&table, &column.name);
                let rows = target.query(&doing, &query, &[]).await?;
                if !rows.first().map_or(Ok(true), |row| row.is(0))? {
                    denied.push(Err(Error::refused(
                        format!("{}.{} in the target", side.name, column.name),
                        "the account may not let its counter continue after the rows",
                        "grant SELECT and UPDATE on its sequence",
                    )));
                }
            }
            MaySet::Doomed(statement) => {
                let name = quote_identifier(side.backend, &column.name)?;
                let outcome = target.execute(&doing, &statement(&table, &name)).await;
                if outcome.is_err_and(|error| error.is_denied()) {
                    denied.push(Ok(counters::unset(side)));
                }
            }
        }
    }
    Ok(denied)
}

/// That the account may not set a sequence of programs.
async fn may_not_set(
    target: &mut Connection,
    side: &TableSide,
    column: &ColumnSide,
    name: &str,
) -> Result<Option<Error>, Error> {
    let Some(how) = &engine(side.backend).counters.sequences else {
        return Ok(None);
    };
    let doing = format!("the privileges on the sequence {name}");
    let query = (how.may_set)(&quote_identifier(side.backend, name)?);
    let may_set = match target.query(&doing, &query, &[]).await {
        Err(error) if error.is_denied() => false,
        rows => rows?.first().map_or(Ok(true), |row| row.is(0))?,
    };
    Ok((!may_set).then(|| {
        Error::refused(
            format!("{}.{} in the target", side.name, column.name),
            format!("the account may not let the sequence {name} go on behind the rows"),
            format!("grant {} on the sequence", how.needs),
        )
    }))
}

/// Whether policies hide rows of a table from the account.
pub(super) async fn hides_rows(target: &mut Connection, side: &TableSide) -> Result<bool, Error> {
    let Some(query) = engine(side.backend).target.row_security else {
        return Ok(false);
    };
    let doing = format!("the policies of {}", side.name);
    target
        .is(&doing, query, &[Value::from(side.quoted()?.as_str())])
        .await
}

/// Rows come in by COPY, which looks at no policy.
async fn has_row_security(
    target: &mut Connection,
    side: &TableSide,
) -> Result<Option<Error>, Error> {
    let table = side.quoted()?;
    Ok(hides_rows(target, side).await?.then(|| {
        Error::refused(
            format!("the table {} in the target", side.name),
            "row-level security is active for the account, and COPY writes no rows then",
            format!(
                "copy as a role with BYPASSRLS, or run ALTER TABLE {table} DISABLE ROW LEVEL SECURITY before the \
                 copy, and ENABLE after it"
            ),
        )
    }))
}

/// What the account may not do with the table for the state of copies. A server says so before it
/// misses the table.
pub(super) async fn no_state(target: &mut Connection) -> Result<Vec<Error>, Error> {
    let columns = checkpoint::COLUMNS;
    let count = columns.split(", ").count();
    let table = QualifiedName::from(checkpoint::TABLE);
    let statements = [
        (insert(checkpoint::TABLE, columns, "", count), "INSERT"),
        (
            format!("UPDATE {} SET state = state WHERE 1 = 0", checkpoint::TABLE),
            "UPDATE",
        ),
    ];
    let mut refused = Vec::new();
    for (statement, privilege) in statements {
        let trial = Trial::Statement(statement, privilege);
        refused.extend(trial.denied(target, &table).await?);
    }
    Ok(refused)
}
