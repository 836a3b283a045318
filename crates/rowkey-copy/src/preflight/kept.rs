//! Rows of the target that stay instead of the source's, and that copied rows refer to.

use std::collections::{HashMap, HashSet};

use futures_util::future::try_join;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, ForeignKey, QualifiedName, Table};
use rowkey_tables::connection::Connection;

use super::references::refers;
use super::writing::hides_rows;
use crate::engine::engine;
use crate::mapping::partitions::is_partitioned;
use crate::plans::plan::{CopyPlan, ExistingRows};
use crate::rows::compare::{self, TableRows};
use crate::session;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, TableSide};

/// A copied table, and the target's if that exists.
pub(super) type Copied<'c> = (PreparedTable<'c>, Option<&'c Table>);

/// What is wrong with the references of a table to one that keeps its rows.
pub(super) struct KeptReference {
    table: QualifiedName,
    columns: String,
    target: QualifiedName,
    /// Whether the plan has the table, of which the target keeps its rows.
    is_planned: bool,
    outcome: Outcome,
}

enum Outcome {
    /// The values of a row that the target does not have.
    Missing(String),
    /// The values of a row that is another one in the target.
    Differs {
        values: String,
        columns: Vec<String>,
        /// Those of them that a plan may do without.
        spare: Vec<String>,
    },
    /// The target has no such table.
    NoTable,
    /// Why it is not known.
    Unseen(String),
}

/// A reference of copied rows, which the target or only the source knows.
struct Reference<'t> {
    table: &'t PreparedTable<'t>,
    columns: &'t [String],
    target_columns: &'t [String],
}

/// Looks for copied rows that refer to a row which the target does not have, or which is another
/// one there: what they mean would change.
pub(super) async fn look(
    source: &mut Connection,
    target: &mut Connection,
    kept: &PreparedTable<'_>,
    tables: &[Copied<'_>],
) -> Result<Vec<KeptReference>, Error> {
    let mut found = Vec::new();
    let mut known: Vec<(&[String], KeptRows)> = Vec::new();
    for reference in references(kept, tables) {
        let told = |outcome| KeptReference {
            table: reference.table.original.name.clone(),
            columns: reference.columns.join(", "),
            target: kept.to.name.clone(),
            is_planned: true,
            outcome,
        };
        let Some(children) = comparable(&reference, kept) else {
            found.push(told(Outcome::Unseen(
                "its values cannot be compared here".into(),
            )));
            continue;
        };
        let key = reference.target_columns;
        if !known.iter().any(|(other, _)| *other == key) {
            session::mark(source).await?;
            match KeptRows::read(source, target, kept, key).await {
                Ok(rows) => known.push((key, rows)),
                Err(error) if error.is_denied() => {
                    session::back_to_mark(source).await?;
                    found.push(told(Outcome::Unseen(error.reason())));
                }
                Err(error) => return Err(error),
            }
            session::unmark(source).await?;
        }
        let rows = known.iter().find(|(other, _)| *other == key);
        let Some((_, rows)) = rows else { continue };
        let outcomes = rows.outcomes(source, target, &children).await?;
        found.extend(outcomes.into_iter().map(told));
    }
    Ok(found)
}

/// Looks for copied rows that refer to a row of a table which the plan does not have, and that the
/// target has not got either.
pub(super) async fn look_outside(
    source: &mut Connection,
    target: &mut Connection,
    catalog: &Catalog,
    plan: &CopyPlan,
    tables: &[Copied<'_>],
) -> Result<Vec<KeptReference>, Error> {
    let mut found = Vec::new();
    for (table, existing) in tables {
        let keys = existing.iter().flat_map(|existing| &existing.foreign_keys);
        for key in keys {
            let is_planned = plan.tables.iter().any(|other| other.becomes == key.target);
            if is_planned || !key.is_enforced() || !table.to.has_all(&key.columns) {
                continue;
            }
            let missing = match parents(catalog, table, key) {
                Some((children, parents)) => missing(source, target, &children, &parents).await,
                None if lacks_table(catalog, key) => {
                    match refers(source, &table.from, &key.columns).await? {
                        true => Ok(Some(Outcome::NoTable)),
                        false => continue,
                    }
                }
                None => Ok(Some(Outcome::Unseen(
                    "its values cannot be compared here".into(),
                ))),
            };
            let outcome = match missing {
                Err(error) if error.is_denied() => Some(Outcome::Unseen(error.reason())),
                outcome => outcome?,
            };
            found.extend(outcome.map(|outcome| KeptReference {
                table: table.original.name.clone(),
                columns: key.columns.join(", "),
                target: key.target.clone(),
                is_planned,
                outcome,
            }));
        }
    }
    Ok(found)
}

/// Whether a reference leads to no table: in other databases, the account may only not see it.
fn lacks_table(catalog: &Catalog, key: &ForeignKey) -> bool {
    let takes_any = engine(catalog.backend).objects.orphan.is_some();
    takes_any && catalog.table(&key.target).is_err()
}

/// The columns of a reference in the source, and those in the target that it leads to, if their
/// values can be compared.
fn parents(
    catalog: &Catalog,
    table: &PreparedTable<'_>,
    key: &ForeignKey,
) -> Option<(TableSide, TableSide)> {
    let children = table.from.only(&key.columns)?;
    let there = catalog.table(&key.target).ok()?;
    let columns = key.columns.iter().zip(&key.target_columns);
    let columns = columns.map(|(name, referred)| {
        let sql_type = there.column(referred)?.column_type(catalog.backend);
        let (own, content) = (sql_type.meaning()?, table.to.column(name)?.content);
        Some(ColumnSide::new(referred, sql_type, own, content))
    });
    let columns = columns.collect::<Option<_>>()?;
    let parents = TableSide {
        is_partitioned: is_partitioned(there, catalog.backend),
        ..TableSide::new(catalog.backend, key.target.clone(), columns)
    };
    let parents = parents.only(&key.target_columns)?;
    let mut pairs = children.columns.iter().zip(&parents.columns);
    pairs
        .all(|(one, other)| one.content.is_alike(other.content))
        .then_some((children, parents))
}

async fn missing(
    source: &mut Connection,
    target: &mut Connection,
    children: &TableSide,
    parents: &TableSide,
) -> Result<Option<Outcome>, Error> {
    // A connection whose COPY was refused is of no use any more.
    let nothing = format!("SELECT 1 FROM {} WHERE 1 = 0", parents.rows()?);
    let doing = format!("the privileges on {}", parents.name);
    target.query(&doing, &nothing, &[]).await?;
    if hides_rows(target, parents).await? {
        let why = "its policies hide rows from the account";
        return Ok(Some(Outcome::Unseen(why.into())));
    }
    let keys = compare::keys(&mut TableRows::all(target, parents)?).await?;
    let mut rows = TableRows::without_null(source, children)?;
    let others = compare::others(&mut rows, |key| keys.contains(key)).await?;
    let first = others.into_iter().next();
    Ok(first.map(|(_, values)| Outcome::Missing(values)))
}

fn references<'t>(kept: &PreparedTable<'_>, tables: &'t [Copied<'_>]) -> Vec<Reference<'t>> {
    let mut found: Vec<Reference<'t>> = Vec::new();
    for (table, existing) in tables {
        let there = existing.map(|existing| (existing, &kept.to.name));
        let sides = there
            .into_iter()
            .chain([(table.original, &kept.original.name)]);
        let keys = sides.flat_map(|(side, name)| {
            let keys = side.foreign_keys.iter();
            keys.filter(move |key| key.target == *name)
        });
        for key in keys.filter(|key| table.to.has_all(&key.columns)) {
            let (columns, target_columns) = (&*key.columns, &*key.target_columns);
            let is_known = found.iter().any(|known| {
                let is_same = (known.columns, known.target_columns) == (columns, target_columns);
                is_same && known.table.original.name == table.original.name
            });
            if !is_known {
                found.push(Reference {
                    table,
                    columns,
                    target_columns,
                });
            }
        }
    }
    found
}

/// The columns that refer, if their values can be compared with the keys of both sides.
fn comparable(reference: &Reference<'_>, kept: &PreparedTable<'_>) -> Option<TableSide> {
    let children = reference.table.from.only(reference.columns)?;
    for parents in [&kept.from, &kept.to] {
        let parents = parents.only(reference.target_columns)?;
        let mut pairs = children.columns.iter().zip(&parents.columns);
        if !pairs.all(|(one, other)| one.content.is_alike(other.content)) {
            return None;
        }
    }
    Some(children)
}

/// The rows of both sides of a table by a key.
struct KeptRows {
    sides: [TableSide; 2],
    /// The hashes of the target's keys, and whether the source has the same row or none.
    are_same: HashMap<u128, bool>,
    /// The columns that a plan cannot do without.
    keys: Vec<String>,
}

impl KeptRows {
    async fn read(
        source: &mut Connection,
        target: &mut Connection,
        kept: &PreparedTable<'_>,
        key: &[String],
    ) -> Result<Self, Error> {
        let sides = [&kept.from, &kept.to].map(|side| by_key(side, key));
        let mut old = TableRows::all(source, &sides[0])?;
        let mut new = TableRows::all(target, &sides[1])?;
        let (old, new) = try_join(
            compare::rows_by_key(&mut old),
            compare::rows_by_key(&mut new),
        )
        .await?;
        let is_same = |key: &u128, row: u128| old.get(key).is_none_or(|old| *old == row);
        let are_same = new.into_iter().map(|(key, row)| (key, is_same(&key, row)));
        let own = kept.original.primary_key().map(|key| &*key.columns);
        Ok(Self {
            are_same: are_same.collect(),
            keys: [own.unwrap_or_default(), key].concat(),
            sides,
        })
    }

    async fn outcomes(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        children: &TableSide,
    ) -> Result<Vec<Outcome>, Error> {
        let mut rows = TableRows::without_null(source, children)?;
        let is_same = |key: &u128| self.are_same.get(key) == Some(&true);
        let others = compare::others(&mut rows, is_same).await?;
        let (differing, missing): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|(key, _)| self.are_same.contains_key(key));
        let missing = missing.into_iter().next();
        let mut found: Vec<Outcome> = missing
            .map(|(_, values)| Outcome::Missing(values))
            .into_iter()
            .collect();
        if let Some((_, values)) = differing.first() {
            let keys = differing.iter().map(|(key, _)| *key).collect();
            let columns = self.differing_columns(source, target, &keys).await?;
            let spare = columns.iter().filter(|name| !self.keys.contains(name));
            found.push(Outcome::Differs {
                values: values.clone(),
                spare: spare.cloned().collect(),
                columns,
            });
        }
        Ok(found)
    }

    /// The columns in which rows with some keys differ.
    async fn differing_columns(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        keys: &HashSet<u128>,
    ) -> Result<Vec<String>, Error> {
        let [from, to] = &self.sides;
        let mut old = TableRows::all(source, from)?;
        let mut new = TableRows::all(target, to)?;
        let (old, new) = try_join(
            compare::column_sums(&mut old, keys),
            compare::column_sums(&mut new, keys),
        )
        .await?;
        let sums = from.columns.iter().zip(old.iter().zip(&new));
        let differing = sums.filter(|(_, (old, new))| old != new);
        Ok(differing.map(|(column, _)| column.name.clone()).collect())
    }
}

/// All columns of a side, with some of them as the key. A refused value counts as different.
fn by_key(side: &TableSide, key: &[String]) -> TableSide {
    let mut side = side.clone();
    let place = |name: &String| side.columns.iter().position(|column| column.name == *name);
    side.key = key.iter().filter_map(place).collect();
    side.primary_key.clear();
    for column in &mut side.columns {
        column.keeps_refused = true;
    }
    side
}

impl KeptReference {
    /// What refuses the copy, or else what was not looked at, with what a plan may say of the table
    /// instead.
    pub(super) fn told(self, possible: &[ExistingRows]) -> Result<String, Error> {
        let (table, target) = (&self.table, &self.target);
        let mut instead: Vec<String> = possible
            .iter()
            .filter_map(|rows| match rows {
                ExistingRows::Merge => Some(format!(
                    "`existing-rows = \"merge\"` for {target} brings the source's rows too"
                )),
                ExistingRows::Delete => Some(format!(
                    "`existing-rows = \"delete\"` for {target} brings the source's rows in their place"
                )),
                ExistingRows::Keep => None,
            })
            .collect();
        let (same, keeps, keeping) = match self.is_planned {
            true => (
                "the same rows",
                ", which the target keeps,",
                ", which keeps its rows,",
            ),
            false => ("rows", ", which the plan does not have,", ""),
        };
        if !self.is_planned {
            instead.push(format!("add {target} to the plan, if the source has it"));
        }
        let why = match self.outcome {
            Outcome::Unseen(why) => {
                let mut note = vec![format!(
                    "{table}: whether all of its rows refer to {same} of {target}{keeps} was not looked at: {why}"
                )];
                note.append(&mut instead);
                return Ok(note.join("; "));
            }
            Outcome::NoTable => {
                instead.push(format!(
                    "make {target} there with all rows that are referred to, or {table} without this reference"
                ));
                format!(
                    "its rows refer to those of {target}, a table that the target does not have"
                )
            }
            Outcome::Missing(values) => {
                instead.push("add the row there".into());
                format!(
                    "a row refers to one of {target} that the target{keeping} does not have: {values}"
                )
            }
            Outcome::Differs {
                values,
                columns,
                spare,
            } => {
                instead.push("give the row there the values of the source".into());
                if !spare.is_empty() {
                    instead.push(format!(
                        "if both mean the same without {}, delete these entries of {target} from the plan",
                        spare.join(", ")
                    ));
                }
                format!(
                    "a row refers to one of {target} that is another one in the target, which keeps its rows: \
                     {values} (what differs is {})",
                    columns.join(", ")
                )
            }
        };
        let what = format!("{table}.{}", self.columns);
        Err(Error::refused(what, why, instead.join("; or ")))
    }
}
