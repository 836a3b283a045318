//! A look at some rows: whether values of likely references exist in their targets.

use rowkey_core::storage::quote_identifier;

use super::likely::{key_of, table_of_type, type_column};
use super::model::{Evidence, Holds, Origin, Reference};
use crate::catalog::{Catalog, Column, QualifiedName, Table};
use crate::connection::{Connection, Value};
use crate::dialect::Dialect;
use crate::error::Error;

/// How many values are looked for.
pub(super) const SAMPLE: u32 = 1_000;

/// How many kinds of rows a polymorphic reference is looked through for.
const KINDS: u32 = 50;

/// Where values are looked for.
struct Target<'t> {
    table: &'t QualifiedName,
    column: &'t str,
}

impl Evidence {
    /// Whether at least half of the values are found: the numbers of two tables are often the same
    /// by chance.
    fn is_enough(self) -> bool {
        self.found * 2 >= self.sampled
    }
}

/// Looks for values of a likely reference in its target. False if there are values, and too few of
/// them are found.
pub(super) async fn agrees(
    connection: &mut Connection,
    table: &Table,
    reference: &mut Reference,
    unseen: &mut Vec<String>,
) -> bool {
    let Origin::Likely { evidence, .. } = &mut reference.origin else {
        return true;
    };
    let (Some(column), Some(key)) = (reference.columns.first(), reference.target_columns.first())
    else {
        return true;
    };
    let target = Target {
        table: &reference.target,
        column: key,
    };
    match count(connection, table, column, &target, None).await {
        Ok(found) => {
            *evidence = Some(found).filter(|found| found.sampled > 0);
            found.is_enough()
        }
        Err(error) => {
            unseen.push(format!(
                "whether {}.{column} refers to {}: {error}",
                table.name, reference.target
            ));
            true
        }
    }
}

/// The polymorphic references of a table, one for each kind of row that its type column names,
/// unless too few of its values are found.
pub(super) async fn polymorphic(
    connection: &mut Connection,
    catalog: &Catalog,
    table: &Table,
    unseen: &mut Vec<String>,
) -> Vec<Reference> {
    let mut found = Vec::new();
    for column in table.columns.iter().filter(|_| !table.is_of_tools()) {
        let (Some(kind), Some(holds)) = (type_column(table, column), Holds::of(column)) else {
            continue;
        };
        let place = format!("{}.{}", table.name, kind.name);
        let values = match kinds(connection, table, kind).await {
            Ok(values) => values,
            Err(error) => {
                unseen.push(format!("which tables {place} names: {error}"));
                continue;
            }
        };
        for value in values {
            let named = table_of_type(catalog, &value);
            let target = named.and_then(|name| catalog.table(name).ok());
            let Some((target, key)) = target.and_then(|one| Some((one, key_of(one, holds)?)))
            else {
                unseen.push(format!(
                    "{place} says `{value}`, and no table of that name has a key of the type of {}",
                    column.name
                ));
                continue;
            };
            let looked_for = Target {
                table: &target.name,
                column: &key.column,
            };
            let of_kind = Some((kind.name.as_str(), value.as_str()));
            let evidence = count(connection, table, &column.name, &looked_for, of_kind).await;
            let evidence = evidence.map_err(|error| {
                unseen.push(format!(
                    "whether {place} is right about {}: {error}",
                    target.name
                ));
            });
            if evidence.is_ok_and(|found| !found.is_enough()) {
                continue;
            }
            found.push(Reference {
                columns: vec![column.name.clone()],
                target: target.name.clone(),
                target_columns: vec![key.column.clone()],
                origin: Origin::Likely {
                    reason: format!("it is polymorphic: {} says `{value}`", kind.name),
                    evidence: evidence.ok().filter(|found| found.sampled > 0),
                },
            });
        }
    }
    found
}

/// The type column of a polymorphic reference, and those of its values whose rows are not of the
/// target: they name another table, or no table while the target lacks some of the ids.
pub async fn others_of_type(
    connection: &mut Connection,
    catalog: &Catalog,
    (table, column): (&Table, &Column),
    (target, key): (&QualifiedName, &str),
) -> Result<Option<(String, String)>, Error> {
    let Some(kind) = type_column(table, column) else {
        return Ok(None);
    };
    let target = Target {
        table: target,
        column: key,
    };
    let mut others = Vec::new();
    for value in kinds(connection, table, kind).await? {
        let is_other = match table_of_type(catalog, &value) {
            Some(named) => named != target.table,
            None => {
                let of_kind = Some((kind.name.as_str(), value.as_str()));
                let found = count(connection, table, &column.name, &target, of_kind).await?;
                found.found < found.sampled
            }
        };
        if is_other {
            others.push(format!("`{value}`"));
        }
    }
    Ok((!others.is_empty()).then(|| (kind.name.clone(), others.join(", "))))
}

/// The values of a type column.
async fn kinds(
    connection: &mut Connection,
    table: &Table,
    column: &Column,
) -> Result<Vec<String>, Error> {
    let backend = connection.backend();
    let name = table.name.quoted(backend)?;
    let column = quote_identifier(backend, &column.name)?;
    let (top, limit) = backend.first_rows(KINDS);
    let query = format!(
        "SELECT DISTINCT {top}{column} AS kind FROM {name} WHERE {column} IS NOT NULL{limit}"
    );
    let doing = "the kinds of rows that it refers to";
    let rows = connection.query(doing, &query, &[]).await?;
    let kinds = rows.iter().map(|row| Ok(row.text(0)?.to_owned()));
    let mut kinds: Vec<String> = kinds.collect::<Result<_, Error>>()?;
    kinds.sort_unstable();
    Ok(kinds)
}

/// Looks for the values of a column in the first rows, or in the first of those with a value in
/// another column.
async fn count(
    connection: &mut Connection,
    table: &Table,
    column: &str,
    target: &Target<'_>,
    of_kind: Option<(&str, &str)>,
) -> Result<Evidence, Error> {
    let backend = connection.backend();
    let (from, to) = (table.name.quoted(backend)?, target.table.quoted(backend)?);
    let column = quote_identifier(backend, column)?;
    let key = quote_identifier(backend, target.column)?;
    let (top, limit) = backend.first_rows(SAMPLE);
    let (mut condition, mut values) = (format!("{column} IS NOT NULL"), Vec::new());
    if let Some((kind, value)) = of_kind {
        let kind = quote_identifier(backend, kind)?;
        condition += &format!(" AND {kind} = {}", backend.placeholder(1));
        values.push(Value::from(value));
    }
    let query = format!(
        "SELECT COUNT(*), COALESCE(SUM(f.found), 0) FROM (SELECT CASE WHEN EXISTS \
         (SELECT 1 FROM {to} AS t WHERE t.{key} = s.v) THEN 1 ELSE 0 END AS found \
         FROM (SELECT {top}{column} AS v FROM {from} WHERE {condition}{limit}) AS s) AS f"
    );
    let row = connection
        .one_row("a look at its values", &query, &values)
        .await?;
    Ok(Evidence {
        sampled: row.count(0)?,
        found: row.count(1)?,
    })
}
