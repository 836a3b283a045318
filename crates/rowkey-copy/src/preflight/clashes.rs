//! Rows that differ in the source, and are the same under a unique key or index of the target.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Generated, Key, Table};
use rowkey_tables::connection::Connection;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{Kind, Type};

use super::trial::{Found, Question, Trial, is_of_row, not_looked_at};
use super::unique::Unique;
use crate::definitions::objects::{given_name, is_left_out, line_to_leave_out};
use crate::engine::{engine, of_column};
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// Looks at what the target keeps unique, unless the source does so too and no two values of it are
/// the same for the target, in the rows whose values have a place.
pub(super) async fn find(
    source: &mut Connection,
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: Option<&Table>,
    misfits: &[String],
) -> Result<Found, Error> {
    let (to, original) = (&table.to, table.original);
    let mut found = Found::default();
    let is_made = |name: &str, columns: &[String]| {
        existing.is_some() || !is_left_out(table.from.backend, to, name, columns)
    };
    let mut made = existing.unwrap_or(original).clone();
    made.keys
        .retain(|key| key.is_primary || is_made(&key.name, &key.columns));
    made.indexes
        .retain(|index| is_made(&index.name, &index.columns));
    let mut rules = Unique::of(to.backend, &made)?;
    if existing.is_none() {
        // The others become indexes that take these rows, or none.
        rules.retain(|rule| rule.is_plain);
        rules.dedup_by(|one, other| one.columns == other.columns);
        for rule in &mut rules {
            *rule = Unique::of_columns(to.backend, &rule.columns, false)?;
        }
    }
    if let Some(existing) = existing {
        let known = rules.into_iter();
        let known = known.map(|rule| rule.with_expressions(to, existing));
        rules = known.collect();
    }
    let own = Unique::of(table.from.backend, original)?.into_iter();
    let own = own.map(|rule| rule.with_expressions(&table.from, original));
    let own: Vec<Unique> = own.collect();
    for rule in &rules {
        let what = format!("{}: the {}", original.name, rule.name);
        let trial = Trial::of(table, &rule.columns, misfits).filter(|_| !rule.terms.is_empty());
        let Some(trial) = trial else {
            if is_filled(rule, to, existing) {
                found.notes.push(not_looked_at(table, &rule.name));
            }
            continue;
        };
        if to.merges_rows() && !to.primary_key.is_empty() {
            let taken = taken(source, target, table, rule).await?;
            found.refused.extend(taken.refused);
            found.notes.extend(taken.notes);
        }
        if is_kept_apart(table, rule, &own) && !trial.may_clash() {
            continue;
        }
        if trial.is_partial {
            let note = "was looked at only in rows whose values have a place";
            found.notes.push(format!("{what} {note}"));
        }
        let mut instead = String::from(
            "change the rows, or give the columns a type or a collation that tells them apart",
        );
        if existing.is_some() {
            instead += ", or drop the rule in the target";
        } else if let Some(line) = line_without(table, &made, &rule.columns) {
            instead += &format!(", or {line}");
        }
        let unseen = |error: &Error| format!("{what} could not be looked at: {}", error.reason());
        let answers = trial.ask(source, target, &[trial.repeated(rule)?]).await;
        let answers = match answers {
            Err(error) if trial.is_prevented(&error) => {
                match trial.refused_value(&error) {
                    Some(refused) => found.refused.push(refused),
                    None => found.notes.push(unseen(&error)),
                }
                continue;
            }
            answers => answers?,
        };
        for answer in answers {
            match answer {
                Ok((0, _)) => {}
                Ok((count, examples)) => found.refused.push(Error::refused(
                    &what,
                    format!(
                        "{count} of its values are there several times for the target, which takes these \
                         for the same: {}",
                        examples.join("; ")
                    ),
                    &instead,
                )),
                Err(error) if is_of_row(&error) => {
                    let why = format!("rows of the source are refused: {}", error.reason());
                    found.refused.push(Error::refused(&what, why, &instead));
                }
                Err(error) => found.notes.push(unseen(&error)),
            }
        }
    }
    Ok(found)
}

/// The line of a plan that leaves out the keys and indexes which keep some columns unique.
fn line_without(table: &PreparedTable<'_>, made: &Table, columns: &[String]) -> Option<String> {
    let is_primary = |key: &Key| key.is_primary && key.columns == columns;
    if made.keys.iter().any(is_primary) {
        return None;
    }
    let keys = made.keys.iter().map(|key| (&key.name, &key.columns));
    let indexes = made.indexes.iter().filter(|index| index.is_unique);
    let all = keys.chain(indexes.map(|index| (&index.name, &index.columns)));
    let named = all.filter(|(_, of)| *of == columns);
    let named = named.map(|(name, of)| given_name(table.from.backend, &table.to, name, of, "key"));
    let names: Vec<String> = table.to.leave_out.iter().cloned().chain(named).collect();
    Some(line_to_leave_out(&table.original.name, &names))
}

/// Whether rows of the source decide whether an existing table fulfils a rule.
fn is_filled(rule: &Unique, to: &TableSide, existing: Option<&Table>) -> bool {
    let is_filled = |name: &String| {
        let column = existing.and_then(|table| table.column(name));
        // Others get the same value in each row, or one of their own by a function.
        let is_constant = |column: &Column| {
            let default = column.default.as_deref();
            default.is_some_and(|sql| !sql.contains('('))
        };
        column.is_some_and(|column| {
            to.column(name).is_some()
                || column.generated == Generated::Computed
                || is_constant(column)
        })
    };
    let mut columns = rule.columns.iter();
    existing.is_some() && (!rule.is_plain || columns.any(is_filled))
}

/// Whether the source keeps the same values apart.
fn is_kept_apart(table: &PreparedTable<'_>, rule: &Unique, own: &[Unique]) -> bool {
    let PreparedTable { original, from, to } = table;
    let has_null = |name: &String| {
        let column = original.column(name);
        column.is_none_or(|column| column.is_nullable)
    };
    let has_nulls = rule.columns.iter().any(has_null);
    let is_understood = rule.is_plain || from.backend == to.backend;
    is_understood && own.iter().any(|own| rule.is_part_of(own, has_nulls))
}

/// Why rows cannot be merged: rows of the target have the same values of a unique key under another
/// primary key.
async fn taken(
    source: &mut Connection,
    target: &mut Connection,
    table: &PreparedTable<'_>,
    rule: &Unique,
) -> Result<Found, Error> {
    let (to, mut found) = (&table.to, Found::default());
    let key = to.primary_key.iter().map(|place| &to.columns[*place].name);
    let key: Vec<String> = key.cloned().collect();
    if rule.is_plain && key.iter().all(|name| rule.columns.contains(name)) {
        return Ok(found);
    }
    let others = rule.columns.iter().filter(|name| !key.contains(name));
    let names: Vec<String> = key.iter().chain(others).cloned().collect();
    let Some(mut trial) = Trial::of(table, &names, &[]) else {
        return Ok(found);
    };
    trial.is_partial = true;
    let quoted = key.iter().map(|name| quote_identifier(to.backend, name));
    let quoted: Vec<String> = quoted.collect::<Result<_, _>>()?;
    // Names of columns in an expression are those of one table.
    let named = |(terms, name): (&[String], &str)| {
        let terms = terms.iter().enumerate();
        terms
            .map(|(place, term)| format!("{term} AS {name}_{place}"))
            .collect::<Vec<_>>()
    };
    let parts = [(&*quoted, "rowkey_key"), (&*rule.terms, "rowkey_term")];
    let selected = parts.map(named).concat().join(", ");
    let condition = rule.condition.as_ref();
    let condition = condition.map(|condition| format!(" WHERE {condition}"));
    let condition = condition.unwrap_or_default();
    let same = |count: usize, name: &str, operator: &str| {
        let same =
            (0..count).map(|place| format!("old.{name}_{place} {operator} new.{name}_{place}"));
        same.collect::<Vec<_>>().join(" AND ")
    };
    let operator = match rule.counts_nulls {
        true => "IS NOT DISTINCT FROM",
        false => "=",
    };
    let rows = format!(
        "FROM (SELECT {selected} FROM {}{condition}) AS old \
         JOIN (SELECT {selected} FROM {}{condition}) AS new ON {} WHERE NOT ({})",
        to.quoted()?,
        trial.to.quoted()?,
        same(rule.terms.len(), "rowkey_term", operator),
        same(key.len(), "rowkey_key", "=")
    );
    let shown = (0..rule.terms.len()).map(|place| {
        let value = trial.comparable(&format!("new.rowkey_term_{place}"));
        format!("{value}, {value}")
    });
    let shown: Vec<String> = shown.collect();
    let question = Question::Rows {
        count: format!("SELECT COUNT(*) {rows}"),
        examples: format!("SELECT {} {rows}", shown.join(", ")),
    };
    let names = rule.columns.join(", ");
    for answer in trial.ask(source, target, &[question]).await? {
        match answer {
            Ok((0, _)) => {}
            Ok((count, examples)) => found.refused.push(Error::refused(
                format!("the table {} in the target", to.name),
                format!(
                    "{count} of its rows have {names} of rows that are to be merged, and another primary \
                     key, such as {}",
                    examples.join("; ")
                ),
                "change these rows, or write `existing-rows = \"delete\"` for this table and all that refer to it",
            )),
            Err(_) => found.notes.push(not_looked_at(table, &rule.name)),
        }
    }
    Ok(found)
}

impl Trial {
    fn may_clash(&self) -> bool {
        let mut pairs = self.from.columns.iter().zip(&self.to.columns);
        pairs.any(|(from, to)| self.may_merge(from, to))
    }

    /// Whether the target may take different values of a column for the same.
    fn may_merge(&self, from: &ColumnSide, to: &ColumnSide) -> bool {
        let is_text = |own| matches!(own, Type::Text(_) | Type::PaddedText(_));
        let Content::Values(kind) = from.content else {
            // Each id has one form, but in SQLite's columns of bytes or UUIDs.
            return self.from.backend.stores_any_type() && !is_text(from.own);
        };
        let names_collations = engine(self.to.backend).columns.names_collations;
        match kind {
            Kind::Text | Kind::Own if !names_collations && to.collation.is_some() => true,
            // Spaces at the end count in few collations.
            Kind::Text if names_collations => {
                let (one, other) = (&from.collation, &to.collation);
                let is_exact = other
                    .as_ref()
                    .is_some_and(|name| name.ends_with("_nopad_bin"));
                !is_exact && (one.is_none() || one != other)
            }
            // A type of users compares as it likes.
            Kind::Text if to.own == Type::Own => true,
            // Numbers beside texts.
            Kind::Text if self.from.backend.stores_any_type() && !is_text(from.own) => true,
            // As text in SQLite, these have several forms.
            Kind::Decimal
            | Kind::Date
            | Kind::Time
            | Kind::Timestamp
            | Kind::Bool
            | Kind::Json
            | Kind::Uuid
                if self.from.backend.stores_any_type() =>
            {
                true
            }
            _ => is_text(from.own) && !is_text(to.own) || !from.instead.is_empty(),
        }
    }

    /// Which values are there several times in the target.
    fn repeated(&self, rule: &Unique) -> Result<Question, Error> {
        let is_there = rule.terms.iter().filter(|_| !rule.counts_nulls);
        let is_there = is_there.map(|term| format!("{term} IS NOT NULL"));
        let condition = rule.condition.iter();
        let conditions = condition.map(|condition| format!("({condition})"));
        let conditions: Vec<String> = is_there.chain(conditions).collect();
        let conditions = match &*conditions {
            [] => String::new(),
            conditions => format!("WHERE {} ", conditions.join(" AND ")),
        };
        let groups = format!(
            "FROM {} {conditions}GROUP BY {} HAVING COUNT(*) > 1",
            self.to.quoted()?,
            rule.terms.join(", ")
        );
        // Two of the values that are the same.
        let shown = self.to.columns.iter().map(|column| {
            let name = quote_identifier(self.to.backend, &column.name)?;
            let value = self.comparable(&name);
            Ok(format!("MIN({value}), MAX({value})"))
        });
        let shown: Vec<String> = shown.collect::<Result<_, Error>>()?;
        Ok(Question::Rows {
            count: format!("SELECT COUNT(*) FROM (SELECT 1 AS clash {groups}) AS clashes"),
            examples: format!("SELECT {} {groups}", shown.join(", ")),
        })
    }

    /// A value as text.
    pub(super) fn comparable(&self, name: &str) -> String {
        of_column(engine(self.to.backend).rows.comparable, name)
    }
}
