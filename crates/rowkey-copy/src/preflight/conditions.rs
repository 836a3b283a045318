//! CHECKs of existing tables, and of the domains of their columns, which rows of the source may
//! break.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Dependent, DependentKind, Table};
use rowkey_tables::connection::Connection;

use super::clashes::{Found, shown};
use crate::definitions::checks;
use crate::definitions::sql_text::{first_group, separated, with_name};
use crate::engine::{engine, of_column};
use crate::rows::select::first;
use crate::session;
use crate::tables::prepared::PreparedTable;

/// Lets the source look for rows that break a CHECK of the target's table, if it understands it and
/// has not got the same one.
pub(super) async fn broken(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
) -> Result<Found, Error> {
    let (from, to, original) = (&table.from, &table.to, table.original);
    let mut found = Found::default();
    let mut shown_key = Vec::new();
    for column in from.key_columns() {
        let quoted = quote_identifier(from.backend, &column.name)?;
        shown_key.push(of_column(engine(from.backend).rows.comparable, &quoted));
    }
    if shown_key.is_empty() {
        shown_key.push("1".into());
    }
    let mut conditions = Vec::new();
    for check in &existing.dependents {
        let mut own = original.dependents.iter();
        let is_own = from.backend == to.backend
            && own.any(|own| own.kind == check.kind && own.definition == check.definition);
        let is_check = check.kind == DependentKind::Check;
        if !is_check || is_own || check.definition.ends_with("NOT ENFORCED") {
            continue;
        }
        let words = checks::words(from.backend, original, to, check);
        conditions.push((format!("check {}", check.name), words));
    }
    conditions.extend(of_domains(table, existing)?);
    let unnamed = checks::unnamed(from.backend, existing, to)?;
    conditions.extend(
        unnamed
            .into_iter()
            .map(|words| (words.clone(), Some(words))),
    );
    let others = checks::not_understood(from.backend, existing, to)?;
    conditions.extend(others.into_iter().map(|words| (words, None)));
    for (name, words) in conditions {
        let words = words
            .as_deref()
            .and_then(|words| words.strip_prefix("CHECK "));
        let condition = words.and_then(|words| first_group(words.trim_start()));
        let answer = match condition {
            Some((condition, _)) => {
                let query = format!(
                    "SELECT {} FROM {} WHERE NOT ({condition})",
                    shown_key.join(", "),
                    from.rows()?
                );
                let doing = format!("the {name} of {}", to.name);
                session::mark(source).await?;
                source
                    .query(&doing, &first(from.backend, 1, &query), &[])
                    .await
            }
            None => {
                found.notes.push(not_looked_at(table, &name));
                continue;
            }
        };
        match answer {
            Ok(rows) => found.refused.extend(rows.first().map(|row| {
                let key: Vec<String> = row.0.iter().map(shown).collect();
                let row = match from.key.is_empty() {
                    true => String::new(),
                    false => format!(", such as the one with the key {}", key.join(", ")),
                };
                Error::refused(
                    format!("the table {} in the target", to.name),
                    format!("rows of the source break its {name}{row}"),
                    "change these rows, or drop the check in the target",
                )
            })),
            Err(error) if error.sql_state().is_some() => {
                session::back_to_mark(source).await?;
                found.notes.push(not_looked_at(table, &name));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The CHECKs of domains, with their words if the source understands them.
fn of_domains(
    table: &PreparedTable<'_>,
    existing: &Table,
) -> Result<Vec<(String, Option<String>)>, Error> {
    let mut conditions = Vec::new();
    let of_kind = |domain: &&Dependent| domain.kind == DependentKind::Domain;
    for domain in existing.dependents.iter().filter(of_kind) {
        for column in table.to.columns.iter().map(|column| &column.name) {
            let mut own = table.original.dependents.iter().filter(of_kind);
            let is_own =
                own.any(|own| own.definition == domain.definition && own.columns.contains(column));
            if is_own || !domain.columns.contains(column) {
                continue;
            }
            for words in separated(&domain.definition, "CHECK ").into_iter().skip(1) {
                let name = format!("check of the domain {} on {column}", domain.name);
                let is_understood = table.from.backend == table.to.backend;
                let quoted = quote_identifier(table.to.backend, column)?;
                let words = format!("CHECK {}", with_name(words, "VALUE", &quoted));
                conditions.push((name, is_understood.then_some(words)));
            }
        }
    }
    Ok(conditions)
}

/// The note for a rule of the target that was left to the copy.
pub(super) fn not_looked_at(table: &PreparedTable<'_>, name: &str) -> String {
    format!(
        "{}: whether all rows fulfil the {name} of the target was not looked at; one that does not ends the copy",
        table.to.name
    )
}
