//! What a copy will do, as a file that people read and edit.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::QualifiedName;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::plans::replacements::Replacements;

/// The version of the file's format.
pub(crate) const VERSION: u32 = 1;

/// The name of files in a plan, where that of a database would be.
#[cfg(feature = "parquet")]
pub const PARQUET: &str = "parquet";

/// Which tables go to another database, and what their columns become there. It contains names and
/// types, never SQL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CopyPlan {
    /// The version of the file's format: 1.
    pub version: u32,
    /// The product of the database that is read: `postgres`, `mysql`, `mariadb`, `sqlite` or
    /// `sql-server`; or `parquet`.
    pub source: String,
    /// The product of the database that is written, or `parquet`.
    pub target: String,
    /// Tables that stay, because they belong to a tool for migrations or to rowkey.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<QualifiedName>,
    /// The tables: those that others refer to come first.
    #[serde(default, rename = "table")]
    pub tables: Vec<TablePlan>,
    /// How the copy is made.
    #[serde(default)]
    pub policy: CopyPolicy,
}

/// How a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CopyPolicy {
    /// How many rows go from the reader to the writer at once.
    pub batch_rows: u32,
    /// How many rows are committed together, roughly; fewer if they have 64 MiB.
    pub transaction_rows: u32,
    /// Whether a copy looks for values that the target does not hold before it writes the first
    /// row.
    pub preflight: bool,
}

impl Default for CopyPolicy {
    fn default() -> Self {
        Self {
            batch_rows: 1_000,
            transaction_rows: 100_000,
            preflight: true,
        }
    }
}

/// A table of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TablePlan {
    /// The table's name in the source.
    pub name: QualifiedName,
    /// The table's name in the target.
    pub becomes: QualifiedName,
    /// The hash of what the source's catalogue said about it when the plan was written.
    pub catalog: String,
    /// What becomes of the rows that the table has in the target already. Without, a table with
    /// rows is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existing_rows: Option<ExistingRows>,
    /// Whether triggers of the target run for what is written. Without, a table with such triggers
    /// is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triggers: Option<Triggers>,
    /// The names of indexes, unique keys and references that the target does not get. They can be
    /// changed after a copy has begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<String>,
    /// The columns to copy. A column that is not listed is not copied.
    #[serde(default, rename = "column")]
    pub columns: Vec<ColumnPlan>,
}

/// What becomes of rows that a table of the target has before the copy, such as those that
/// migrations have put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExistingRows {
    /// They are deleted before the first row is copied.
    Delete,
    /// They stay, and none of the source's rows is copied.
    Keep,
    /// They stay, except those with a key that the source has too: they become the source's rows.
    Merge,
}

/// What becomes of the triggers that a table of the target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Triggers {
    /// They run for the rows of the copy, as for those of programs.
    Run,
}

/// A column of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnPlan {
    /// The column's name, on both sides: as the target writes it if that tells cases of letters apart.
    pub name: String,
    /// The column's type in the source.
    pub from: String,
    /// The column's type in the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why it has no type in the target. Nothing is copied before it has one, or is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The format of its ids, if the target stores them in the form `stored-to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// How it stores ids, as `STORAGE[:LAYOUT]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_from: Option<String>,
    /// How the target stores ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_to: Option<String>,
    /// Whether the values stay as they are, although they are ids with another form in the target.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep: bool,
    /// What the target gets instead of values that it has no place for.
    #[serde(default, skip_serializing_if = "Replacements::is_empty")]
    pub instead: Replacements,
}

impl CopyPlan {
    /// Whether a plan is one for a copy, rather than for a change in place.
    pub fn is_in(text: &str) -> bool {
        let table: Result<toml::Table, _> = toml::from_str(text);
        table.is_ok_and(|table| table.contains_key("source"))
    }

    /// The plan in a file's text.
    ///
    /// # Errors
    ///
    /// [`Error::Plan`] says where the text is wrong, [`Error::Refused`] names what it does not map.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let plan: Self = toml::from_str(text).map_err(|error| Error::Plan(error.to_string()))?;
        if plan.version != VERSION {
            return Err(Error::Plan(format!(
                "its version is {}, and this program reads version {VERSION}",
                plan.version
            )));
        }
        for name in [&plan.source, &plan.target] {
            if !is_parquet(name) {
                name.parse::<Backend>()?;
            }
        }
        for (name, rows) in [
            ("batch-rows", plan.policy.batch_rows),
            ("transaction-rows", plan.policy.transaction_rows),
        ] {
            if rows == 0 {
                return Err(Error::Plan(format!("`{name}` is at least 1")));
            }
        }
        for (place, table) in plan.tables.iter().enumerate() {
            let others = plan.tables.iter().take(place);
            let is_known =
                |other: &TablePlan| other.name == table.name || other.becomes == table.becomes;
            if others.clone().any(is_known) {
                return Err(Error::Plan(format!(
                    "the table {} is named twice",
                    table.name
                )));
            }
            for (place, column) in table.columns.iter().enumerate() {
                let mut others = table.columns.iter().take(place);
                if others.any(|other| other.name == column.name) {
                    let (table, column) = (&table.name, &column.name);
                    return Err(Error::Plan(format!("{table}.{column} is named twice")));
                }
            }
            if table.columns.is_empty() {
                return Err(Error::Plan(format!(
                    "the table {} has no columns: delete its entry to leave it out",
                    table.name
                )));
            }
        }
        Ok(plan)
    }

    /// The text of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Plan`] if it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self).map_err(|error| Error::Plan(error.to_string()))
    }

    /// The SHA-256 of the plan, in hexadecimal: of what it says, not of its comments and spaces.
    /// Without `leave-out` and `triggers`, so that a copy can go on without what the target has refused.
    ///
    /// # Errors
    ///
    /// As [`to_toml`](Self::to_toml).
    pub fn hash(&self) -> Result<String, Error> {
        let mut plan = self.clone();
        for table in &mut plan.tables {
            table.leave_out.clear();
            table.triggers = None;
        }
        let digest = Sha256::digest(plan.to_toml()?);
        Ok(hex::encode(digest))
    }

    /// The backend that is read.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for a name that is not one.
    pub fn source(&self) -> Result<Backend, Error> {
        Ok(self.source.parse()?)
    }

    /// The backend that is written.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for a name that is not one.
    pub fn target(&self) -> Result<Backend, Error> {
        Ok(self.target.parse()?)
    }
}

impl TablePlan {
    /// The column with a name.
    pub(crate) fn column(&self, name: &str) -> Option<&ColumnPlan> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The places of some columns; nothing if one of them is left out.
    pub(crate) fn places(&self, names: &[String]) -> Option<Vec<usize>> {
        let place = |name: &String| self.columns.iter().position(|column| column.name == *name);
        names.iter().map(place).collect()
    }
}

/// What a column becomes in the target.
pub(crate) enum Wanted<'p> {
    /// Ids of a format, and how the source and the target store them.
    Ids {
        format: &'p str,
        from: &'p str,
        to: &'p str,
    },
    /// Values of a type.
    Type(&'p str),
    /// What the source has, in a type of the target or in the one that is like the source's.
    Kept(Option<&'p str>),
}

impl ColumnPlan {
    /// A column of which only the source is known.
    pub(crate) fn new(name: &str, from: String) -> Self {
        Self {
            name: name.to_owned(),
            from,
            to: None,
            refused: None,
            format: None,
            stored_from: None,
            stored_to: None,
            keep: false,
            instead: Replacements::default(),
        }
    }

    /// What the column becomes, or why the plan does not say it.
    pub(crate) fn wanted(&self) -> Result<Wanted<'_>, &str> {
        match (&self.refused, &self.format, &self.to) {
            (Some(why), _, None) => Err(why),
            (_, _, to) if self.keep => Ok(Wanted::Kept(to.as_deref())),
            (_, Some(_), Some(_)) => Err("`to` and `format` exclude each other"),
            (_, None, Some(to)) => Ok(Wanted::Type(to)),
            (_, None, None) => Err("the plan gives it no type"),
            (_, Some(format), None) => match (&self.stored_from, &self.stored_to) {
                (Some(from), Some(to)) => Ok(Wanted::Ids { format, from, to }),
                _ => Err("`format` needs `stored-from` and `stored-to`"),
            },
        }
    }
}

// As serde asks for it.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

/// Whether a side of a plan is a folder of files.
fn is_parquet(name: &str) -> bool {
    #[cfg(feature = "parquet")]
    return name == PARQUET;
    #[cfg(not(feature = "parquet"))]
    return name.is_empty();
}

/// Whether words behind a type name a character set, a collation or both. The rest of a plan isn't
/// SQL.
pub(crate) fn is_collation(words: &str) -> bool {
    let is_name = |name: &str| {
        let letters = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        !name.is_empty() && name.chars().all(letters)
    };
    let lower = words.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    match words[..] {
        [] => true,
        ["character", "set", name] | ["collate", name] => is_name(name),
        ["character", "set", set, "collate", name] => is_name(set) && is_name(name),
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const PLAN: &str = "version = 1\nsource = \"mariadb\"\ntarget = \"postgres\"\n\
        [[table]]\nname = \"offer\"\nbecomes = \"offer\"\ncatalog = \"\"\n\
        [[table.column]]\nname = \"id\"\nfrom = \"binary(16)\"\nformat = \"uuid-v7\"\n\
        stored-from = \"uuid:sql-server\"\nstored-to = \"uuid:public\"\n\
        [[table.column]]\nname = \"made\"\nfrom = \"datetime(6)\"\nto = \"timestamp without time zone\"\n\
        [[table.column]]\nname = \"price\"\nfrom = \"decimal(10,2)\"\nto = \"numeric(10,2)\"\n";

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        let plan = CopyPlan::from_toml(PLAN).unwrap();
        plan.check().unwrap();
        assert!(CopyPlan::is_in(PLAN));
        assert_eq!(CopyPlan::from_toml(&plan.to_toml().unwrap()).unwrap(), plan);
    }
}
