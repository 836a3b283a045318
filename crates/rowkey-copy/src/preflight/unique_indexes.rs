//! Unique indexes of existing tables that are more than lists of columns, which rows of the source
//! may break.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Index, Table};
use rowkey_tables::connection::Connection;

use super::clashes::{Found, shown};
use super::conditions::not_looked_at;
use crate::definitions::index_rules::parts_of;
use crate::definitions::sql_text::behind_table;
use crate::engine::{Indexes, engine, of_column};
use crate::rows::select::first;
use crate::session;
use crate::tables::prepared::PreparedTable;

/// Lets the source look for rows that are the same under a unique index of expressions, or with a
/// condition, if it understands it and has not got the same one.
pub(super) async fn find(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
) -> Result<Found, Error> {
    let mut found = Found::default();
    let indexes = existing.indexes.iter();
    for index in indexes.filter(|index| index.is_unique && !index.is_plain && !is_own(table, index))
    {
        let name = format!("unique index {}", index.name);
        let Some(query) = query(table, index)? else {
            found.notes.push(not_looked_at(table, &name));
            continue;
        };
        let query = first(table.from.backend, 1, &query);
        let doing = format!("the {name} of {}", table.to.name);
        session::mark(source).await?;
        match source.query(&doing, &query, &[]).await {
            Ok(rows) => found.refused.extend(rows.first().map(|row| {
                let values: Vec<String> = row.0.iter().map(shown).collect();
                Error::refused(
                    format!("the table {} in the target", table.to.name),
                    format!(
                        "rows of the source are the same for its {name}, such as those with {}",
                        values.join(", ")
                    ),
                    "change these rows, or drop the index in the target",
                )
            })),
            Err(error) if error.sql_state().is_some() => {
                session::back_to_mark(source).await?;
                found.notes.push(not_looked_at(table, &name));
            }
            Err(error) => return Err(error),
        }
        session::unmark(source).await?;
    }
    Ok(found)
}

/// Whether the source keeps its rows apart in the same way.
fn is_own(table: &PreparedTable<'_>, index: &Index) -> bool {
    let backend = table.from.backend;
    let words = behind_table(backend, &index.definition);
    let is_same = |own: &Index| own.is_unique && behind_table(backend, &own.definition) == words;
    // What a catalogue does not show may be something else.
    let is_shown = has_expressions(backend) || !index.terms.is_empty();
    backend == table.to.backend
        && is_shown
        && words.is_some()
        && table.original.indexes.iter().any(is_same)
}

/// Whether definitions of indexes are statements.
fn has_expressions(backend: Backend) -> bool {
    engine(backend).definitions.indexes == Indexes::Statement
}

/// A query for what two rows have in common, in the words of the target.
fn query(table: &PreparedTable<'_>, index: &Index) -> Result<Option<String>, Error> {
    let from = &table.from;
    let is_understood = from.backend == table.to.backend && has_expressions(from.backend);
    let parts = parts_of(from.backend, &index.definition).filter(|_| is_understood);
    let Some((parts, condition)) = parts else {
        return Ok(None);
    };
    let terms = parts.iter().map(|part| {
        let part = part.trim();
        format!("({})", part.strip_suffix(" DESC").unwrap_or(part))
    });
    let terms: Vec<String> = terms.collect();
    let shown = terms.iter().map(|term| {
        format!(
            "MIN({})",
            of_column(engine(from.backend).rows.comparable, term)
        )
    });
    let shown: Vec<String> = shown.collect();
    // NULL is like no other.
    let conditions = terms.iter().map(|term| format!("{term} IS NOT NULL"));
    let condition = condition.map(|condition| format!("({condition})"));
    let conditions: Vec<String> = conditions.chain(condition).collect();
    Ok(Some(format!(
        "SELECT {} FROM {} WHERE {} GROUP BY {} HAVING COUNT(*) > 1",
        shown.join(", "),
        from.rows()?,
        conditions.join(" AND "),
        terms.join(", ")
    )))
}
