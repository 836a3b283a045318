//! The types of columns in the target.

use rowkey_core::Backend;
use rowkey_tables::catalog::{Column, Generated, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{self, ColumnType, Type};

use super::planner::{Planner, own_type, place};
use crate::definitions::index_rules;
use crate::engine::engine;
use crate::plans::plan::TablePlan;

impl Planner<'_> {
    pub(super) fn target_type(&self, table: &Table, column: &Column) -> Result<String, String> {
        let column_type = column.column_type(self.source);
        let own = column_type
            .meaning()
            .ok_or_else(|| format!("{}'s type `{column_type}` has no place yet", self.source))?;
        let found = self.untyped.get(&place(table, &column.name));
        let own = found.copied().unwrap_or(own);
        if column_type.is_any() && self.target.stores_any_type() {
            return Ok(types::KEEPS_ANY.into());
        }
        if column_type.is_kept_in(self.target) && !column_type.names_objects() {
            return Ok(own_type(self.source, column));
        }
        let wanted = match own {
            // Nobody counts that far, and larger values are refused when they are written.
            Type::Integer {
                bytes: 8,
                is_unsigned: true,
            } if is_counted_id(table, column, self.tables) => Type::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            Type::Own if self.choices.unknown_types_as_text => Type::Text(None),
            // What it refers to, or is by itself, is a number.
            Type::Flag if !self.is_truth(table, column) => Type::Integer {
                bytes: match self.default_number(column) {
                    Some(number) if i8::try_from(number).is_err() => 8,
                    _ => 1,
                },
                is_unsigned: false,
            },
            other => other,
        };
        let wanted = match column.enum_words.as_slice() {
            [] => wanted,
            words => match types::enum_of(self.target, words) {
                Some(to) => return Ok(to),
                None => Type::Text(None),
            },
        };
        let backends = [self.source, self.target];
        let is_indexed = is_indexed(table, &column.name, self.tables, backends);
        let mut written = types::write(self.target, wanted, is_indexed);
        if written.is_err()
            && self.choices.unknown_types_as_text
            && column_type
                .kind_in(&ColumnType::parse(self.target, "text"))
                .is_some()
        {
            written = types::write(self.target, Type::Text(None), is_indexed);
        }
        written.map_err(|refusal| {
            let why = &refusal.why;
            let text = types::write(self.target, Type::Text(None), is_indexed);
            let is_wide = self.wide.contains(&place(table, &column.name));
            let widest = engine(self.target).columns.widest_decimal;
            // Those of others are not looked at.
            let is_known = matches!(own, Type::Decimal(_)) && self.source == Backend::Postgres;
            match (text, widest) {
                (Ok(text), _) if is_wide => {
                    let text = toml::Value::from(text);
                    format!("{why}, and values have more; only a text holds them: `to = {text}`")
                }
                (_, Some((precision, scale))) if is_known => {
                    let to = format!("`to = \"decimal({precision},{scale})\"`");
                    format!("{why}, and no value has more: {to} holds them")
                }
                _ => refusal.to_string(),
            }
        })
    }

    /// Takes numbers for wide that refer to wide ones, or to which these refer: both have to be text.
    pub(super) fn widen_numbers(&mut self) {
        loop {
            let before = self.wide.len();
            for table in self.tables {
                for key in &table.foreign_keys {
                    for (name, target) in key.columns.iter().zip(&key.target_columns) {
                        let both = [place(table, name), (key.target.clone(), target.clone())];
                        if both.iter().any(|one| self.wide.contains(one)) {
                            self.wide.extend(both);
                        }
                    }
                }
            }
            if self.wide.len() == before {
                return;
            }
        }
    }

    /// Whether a column has more digits after the second than its type in the target. Those of a key
    /// stay.
    pub(super) fn loses_digits(&self, table: &Table, column: &Column, to: &str) -> bool {
        let (from, to) = (
            column.column_type(self.source),
            ColumnType::parse(self.target, to),
        );
        let is_time = matches!(
            to.meaning(),
            Some(Type::Time | Type::Timestamp | Type::Instant)
        );
        let is_in_key = table
            .keys
            .iter()
            .any(|key| key.columns.contains(&column.name));
        // SQLite's numbers of digits are not limits.
        let is_longer = match self.source.stores_any_type() {
            true => !self.target.stores_any_type(),
            false => to.fraction_digits() < from.fraction_digits().min(6),
        };
        is_time && !is_in_key && is_longer
    }

    /// Whether a column that may have 0 and 1 only is truth, as far as its definition says that.
    fn is_truth(&self, table: &Table, column: &Column) -> bool {
        let is_other = |number: i64| !(0..=1).contains(&number);
        let contains = |columns: &[String]| columns.contains(&column.name);
        let mut refers = table.foreign_keys.iter();
        let keys = self.tables.iter().flat_map(|other| &other.foreign_keys);
        let mut referring = keys.filter(|key| key.target == table.name);
        !self.default_number(column).is_some_and(is_other)
            && !refers.any(|key| contains(&key.columns))
            && !referring.any(|key| contains(&key.target_columns))
    }

    /// The default of a column, if that is a whole number.
    fn default_number(&self, column: &Column) -> Option<i64> {
        let shown = &engine(self.source).columns;
        let default = (shown.unwrapped)(column.default.as_deref()?);
        default.trim().trim_matches('\'').parse().ok()
    }

    /// Gives whole numbers the type of those that they refer to, where both have to have the same.
    pub(super) fn widen_references(&self, planned: &mut [TablePlan]) {
        if !engine(self.target).objects.references_have_one_type {
            return;
        }
        let is_integer = |to: &str| {
            let meaning = ColumnType::parse(self.target, to).meaning();
            matches!(meaning, Some(Type::Integer { .. }))
        };
        // What refers to a reference comes behind it, but for circles.
        for place in 0..planned.len() {
            let Some(table) = self.tables.get(place) else {
                continue;
            };
            // What exists has the type that it has.
            if self.there.iter().any(|found| found.name == table.name) {
                continue;
            }
            for key in &table.foreign_keys {
                for (name, target) in key.columns.iter().zip(&key.target_columns) {
                    let referred = planned.iter().find(|other| other.name == key.target);
                    let referred = referred.and_then(|other| other.column(target));
                    let Some(wanted) = referred.and_then(|column| column.to.clone()) else {
                        continue;
                    };
                    let columns = planned[place].columns.iter_mut();
                    let mut columns = columns.filter(|column| column.name == *name);
                    if let Some(to) = columns.next().and_then(|column| column.to.as_mut())
                        && is_integer(to)
                        && is_integer(&wanted)
                    {
                        *to = wanted;
                    }
                }
            }
        }
    }
}

/// Whether the target may get an index with a column. Within one product, it gets those of every
/// method.
fn is_indexed(table: &Table, column: &str, tables: &[&Table], backends: [Backend; 2]) -> bool {
    let contains = |columns: &[String]| columns.iter().any(|name| name == column);
    let is_target = |other: &&Table| {
        let mut keys = other.foreign_keys.iter();
        keys.any(|key| key.target == table.name && contains(&key.target_columns))
    };
    let mut indexes = table.indexes.iter();
    table.keys.iter().any(|key| contains(&key.columns))
        || indexes.any(|index| match backends[0] == backends[1] {
            true => contains(&index.columns),
            false => index_rules::needs_type(backends, table, index, column),
        })
        || table.foreign_keys.iter().any(|key| contains(&key.columns))
        || tables.iter().any(is_target)
}

/// Whether the database counts a column, or it refers to one that it counts.
pub(crate) fn is_counted_id(table: &Table, column: &Column, tables: &[&Table]) -> bool {
    if column.generated == Generated::AutoIncrement {
        return true;
    }
    table.foreign_keys.iter().any(|key| {
        let pairs = key.columns.iter().zip(&key.target_columns);
        pairs
            .filter(|(name, _)| **name == column.name)
            .any(|(_, target)| {
                let other = tables.iter().find(|other| other.name == key.target);
                let target = other.and_then(|other| other.column(target));
                target.is_some_and(|target| target.generated == Generated::AutoIncrement)
            })
    })
}
