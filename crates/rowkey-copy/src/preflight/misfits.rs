//! The values that the target has no place for, and what is said of them.

use rowkey_tables::Error;
use rowkey_tables::catalog::{QualifiedName, Table};
use rowkey_tables::types::{ColumnType, Type};
use serde::Serialize;

use super::definition::needs_value;
use crate::plans::replacements::{Cut, SpecialValue, Strip};
use crate::rows::shown::in_row;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::Content;

pub(super) const CUT: &str = "fraction = \"cut\"";
pub(super) const IS_NULL: &str = "it is NULL, which the target refuses";

/// The values of a column that the target has no place for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misfits {
    /// The table in the source.
    pub table: QualifiedName,
    /// The column.
    pub column: String,
    /// How many values there are.
    pub values: u64,
    /// Some of them.
    pub examples: Vec<Misfit>,
    /// A type that holds all values of the column.
    pub to: Option<String>,
    /// What the plan can say for the column, so that they get a place.
    pub instead: Vec<&'static str>,
    /// A type that, together with that, holds all values.
    pub to_beside: Option<String>,
    /// How many values still have no place then.
    pub left: u64,
    /// One of the values that are left.
    pub left_example: Option<Misfit>,
    /// Whether no type holds them, because they are read as another one.
    #[serde(skip)]
    pub(super) has_no_type: bool,
}

/// A table as the lines for its values make it, if these may make two of them the same and the target
/// has no other type, and the columns whose values still have no place.
pub(super) fn as_advised<'c>(
    table: &PreparedTable<'c>,
    misfits: &[Misfits],
    exists: bool,
) -> (PreparedTable<'c>, Vec<String>) {
    let mut advised = table.with_target(table.to.clone());
    let mut left = Vec::new();
    for one in misfits {
        let mut words = one.instead.iter();
        let are_merging = words.all(|words| [CUT, SpecialValue::Nul.plan_entry()].contains(words));
        if !exists || !are_merging || one.instead.is_empty() || one.left > 0 {
            left.push(one.column.clone());
            continue;
        }
        let sides = [&mut advised.from, &mut advised.to];
        let columns = sides.into_iter().flat_map(|side| &mut side.columns);
        for column in columns.filter(|column| column.name == one.column) {
            column.instead.fraction = Some(Cut::Cut);
            column.instead.nul = Some(Strip::Strip);
        }
    }
    (advised, left)
}

/// A value that the target has no place for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misfit {
    /// The key of its row; nothing if the table has none.
    pub key: Option<String>,
    /// Why it has no place.
    pub why: String,
}

impl Misfits {
    pub(super) fn is_of(&self, table: &Table, column: &str) -> bool {
        self.table == table.name && self.column == column
    }

    /// Replaces no value of a key or a reference if another type holds it: both may get that type, and
    /// have to have the same.
    pub(super) fn keep_reference(&mut self, table: &PreparedTable<'_>) {
        let mut references = table.original.foreign_keys.iter();
        let mut keys = table.original.keys.iter();
        let is_in = |columns: &[String]| columns.contains(&self.column);
        if self.to.is_some()
            && (references.any(|key| is_in(&key.columns)) || keys.any(|key| is_in(&key.columns)))
        {
            self.instead.clear();
            self.left = self.values;
        }
    }

    /// The refusal of these values, in a table that exists or is to be made.
    pub(super) fn error(&self, table: &PreparedTable<'_>, existing: Option<&Table>) -> Error {
        let target = table.to.backend;
        let of_plan = table.to.column(&self.column);
        let is_id = of_plan.is_some_and(|column| matches!(column.content, Content::Ids(_)));
        let there = existing.and_then(|table| table.column(&self.column));
        let mut why = self.examples.first().map_or(String::new(), Misfit::place);
        if self.values > 1 {
            why += &format!("; {} values have no place", self.values);
            let is_null = self.examples.first().is_some_and(Misfit::is_null);
            let others = self.examples.iter().skip(1);
            let (alike, others): (Vec<&Misfit>, Vec<&Misfit>) =
                others.partition(|one| one.is_null() == is_null);
            let alike: Vec<String> = alike.into_iter().filter_map(Misfit::row).collect();
            if !alike.is_empty() {
                why += &format!(", others in {}", alike.join(", "));
            }
            if let Some(other) = others.first() {
                why += &format!("; and {}", other.place());
            }
        }
        let mut instead = String::from("change them");
        let are_null = self.examples.iter().all(Misfit::is_null);
        let is_text = |column_type: &ColumnType| column_type.meaning().is_some_and(is_text_type);
        let key = existing.and_then(Table::primary_key);
        let is_key = key.is_some_and(|key| key.columns.contains(&self.column));
        // Beside the format of ids, the plan takes no type.
        let may_keep = is_id && existing.is_none() && !are_null;
        match &self.to {
            _ if may_keep => {
                instead +=
                    ", or write `keep = true` for the column in the plan, which keeps its type";
            }
            // Programs do not expect text there.
            Some(to)
                if there.is_some_and(|there| {
                    is_text(&ColumnType::parse(target, to.as_str()))
                        && !is_text(&there.column_type(target))
                }) => {}
            Some(to) if existing.is_some() => {
                instead += &format!(", or let the column there be `{to}` and write the plan again");
            }
            Some(to) => {
                // A collation may have quotes.
                let to = toml::Value::from(to.as_str());
                instead += &format!(
                    ", or write `to = {to}` for the column in the plan, instead of the one there"
                );
            }
            None if are_null && existing.is_some() && !is_key => {
                instead += ", or let the column there take NULL"
            }
            None => {}
        }
        if !self.instead.is_empty() {
            let words = self.instead.join(", ");
            instead += &format!(", or write `instead = {{ {words} }}` for the column in the plan");
            if let (Some(to), true) = (&self.to_beside, existing.is_none()) {
                instead += &format!(" beside `to = {}`", toml::Value::from(to.as_str()));
            } else if let Some(left) = &self.left_example {
                instead += &format!(
                    ", which leaves {} to be changed ({})",
                    self.left,
                    left.place()
                );
            }
        }
        if self.to.is_none()
            && self.to_beside.is_none()
            && !are_null
            && !may_keep
            && !self.has_no_type
        {
            instead += ", or give the column another type there";
        }
        if !there.is_some_and(|there| needs_value(target, there)) {
            instead += ", or leave it out";
        }
        Error::refused(format!("{}.{}", self.table, self.column), why, instead)
    }
}

impl Misfit {
    fn row(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("the row {key}"))
    }

    pub(super) fn is_null(&self) -> bool {
        self.why == IS_NULL
    }

    /// Why it has no place, and where it is.
    fn place(&self) -> String {
        in_row(&self.why, self.key.as_deref())
    }
}

pub(super) fn is_text_type(own: Type) -> bool {
    matches!(own, Type::Text(_) | Type::PaddedText(_))
}
