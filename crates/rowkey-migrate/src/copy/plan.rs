//! What a copy will do, as a file that people read and edit.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_sql::StoredForm;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::instead::Instead;
use super::names;
use super::side::{Content, Side, SideColumn};
use crate::catalog::{Catalog, QualifiedName, Table};
use crate::error::Error;
use crate::types::{self, Kind, Type};

/// The version of the file's format.
pub(crate) const VERSION: u32 = 1;

/// More rows than these may need more memory than there is.
const MOST_BATCH_ROWS: u32 = 100_000;

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
    /// Its name.
    pub name: QualifiedName,
    /// Its name in the target.
    pub becomes: QualifiedName,
    /// The hash of what the source's catalogue said about it when the plan was written.
    pub catalog: String,
    /// Its columns. One that is not here is not copied.
    #[serde(default, rename = "column")]
    pub columns: Vec<ColumnPlan>,
}

/// A column of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnPlan {
    /// Its name, on both sides.
    pub name: String,
    /// Its type.
    pub from: String,
    /// Its type in the target.
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
    /// What the target gets instead of values that it has no place for.
    #[serde(default, skip_serializing_if = "Instead::is_empty")]
    pub instead: Instead,
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
        if plan.policy.batch_rows == 0 {
            return Err(Error::Plan("`batch-rows` is at least 1".into()));
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
    ///
    /// # Errors
    ///
    /// As [`to_toml`](Self::to_toml).
    pub fn hash(&self) -> Result<String, Error> {
        let digest = Sha256::digest(self.to_toml()?);
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
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

    /// The source's tables are as they were when the plan was written.
    pub(crate) fn check_catalog(&self, catalog: &Catalog) -> Result<(), Error> {
        for table in &self.tables {
            catalog.table(&table.name)?;
            if catalog.hash_to_copy(&table.name) != table.catalog {
                return Err(Error::refused(
                    format!("the table {}", table.name),
                    "it has changed in the source since the plan was written",
                    "write the plan again with `rowkey plan`",
                ));
            }
        }
        Ok(())
    }

    /// Every column and every name that has no place, as one error.
    pub(crate) fn check(&self) -> Result<(), Error> {
        all_or_one(self.refusals()?)
    }

    /// Every column and every name that has no place.
    pub(super) fn refusals(&self) -> Result<Vec<Error>, Error> {
        let mut refused = names::refusals(self, self.source()?, self.target()?);
        if self.policy.batch_rows > MOST_BATCH_ROWS {
            refused.push(Error::refused(
                format!("`batch-rows = {}`", self.policy.batch_rows),
                "so many rows are not kept in memory at once",
                format!("write at most {MOST_BATCH_ROWS}"),
            ));
        }
        for table in &self.tables {
            let columns = table.columns.iter();
            refused.extend(columns.filter_map(|column| self.sides_of(table, column).err()));
        }
        Ok(refused)
    }

    /// Both sides of a table. Cells are in the order of the plan's columns.
    pub(super) fn sides(&self, catalog: &Catalog, place: usize) -> Result<(Side, Side), Error> {
        let table = self.tables.get(place).ok_or_else(|| Error::Missing {
            what: format!("the table {place} of the plan"),
        })?;
        let pairs = table.columns.iter();
        let pairs: Result<Vec<_>, _> = pairs.map(|column| self.sides_of(table, column)).collect();
        let (from, to): (Vec<SideColumn>, Vec<SideColumn>) = pairs?.into_iter().unzip();
        let from = from.into_iter().map(|column| {
            let found = catalog.table(&table.name).ok();
            let found = found.and_then(|table| table.column(&column.name));
            column.collated(
                catalog.backend,
                found.and_then(|found| found.collation.as_ref()),
            )
        });
        let from: Vec<SideColumn> = from.collect();
        let original = catalog.table(&table.name)?;
        let mut key = key_places(original, table);
        let keeps_order = |place: &usize| {
            from.get(*place)
                .is_none_or(|part| part.keeps_order(catalog.backend))
        };
        if !key.iter().all(keeps_order) {
            key.clear();
        }
        for (place, planned) in table.columns.iter().enumerate() {
            let what = || format!("{}.{}", table.name, planned.name);
            let is_key = key.contains(&place)
                || original
                    .primary_key()
                    .is_some_and(|key| key.columns.contains(&planned.name));
            if is_key && !planned.instead.is_empty() {
                return Err(Error::refused(
                    what(),
                    "it is in the key, whose values are not replaced",
                    "delete its `instead`",
                ));
            }
            let found = original.column(&planned.name);
            if found.is_some_and(|column| column.sql_type != planned.from) {
                return Err(Error::refused(
                    what(),
                    format!("its type is not `{}`", planned.from),
                    "write in `from` what `rowkey plan` writes there",
                ));
            }
        }
        let source = Side {
            backend: self.source()?,
            name: table.name.clone(),
            columns: from,
            key: key.clone(),
        };
        let target = Side {
            backend: self.target()?,
            name: table.becomes.clone(),
            columns: to,
            key,
        };
        Ok((source, target))
    }

    /// Both sides of a column.
    fn sides_of(
        &self,
        table: &TablePlan,
        column: &ColumnPlan,
    ) -> Result<(SideColumn, SideColumn), Error> {
        let (source, target) = (self.source()?, self.target()?);
        let refused = |why: &str| {
            Error::refused(
                format!("{}.{} ({})", table.name, column.name, column.from),
                why,
                match types::parse(source, &column.from) {
                    Some(_) => "give it a type with `to`, or delete its entry to leave it out",
                    None => "delete its entry to leave it out",
                },
            )
        };
        if let Some(why) = &column.refused
            && column.to.is_none()
        {
            return Err(refused(why));
        }
        let (to, content) = match (&column.format, &column.to) {
            (Some(format), None) => {
                let format: FormatKind = format.parse()?;
                let form = |name: &Option<String>, backend| {
                    let name = name
                        .as_deref()
                        .ok_or_else(|| refused("`format` needs `stored-from` and `stored-to`"))?;
                    StoredForm::named(format, backend, name).map_err(refused)
                };
                let from = form(&column.stored_from, source)?;
                let to = form(&column.stored_to, target)?;
                (to.sql_type(), Some((from, to)))
            }
            (None, Some(to)) => (to.clone(), None),
            (Some(_), Some(_)) => {
                return Err(refused("`to` and `format` exclude each other"));
            }
            (None, None) => return Err(refused("the plan gives it no type")),
        };
        if !is_collation(to.get(type_of(&to).len()..).unwrap_or_default()) {
            return Err(refused(&format!(
                "behind the type in `{to}`, only CHARACTER SET and COLLATE with a name are possible"
            )));
        }
        let no_type = |backend: Backend, sql_type: &str| {
            refused(&format!("{backend}'s type `{sql_type}` is not copied"))
        };
        let own_from =
            types::parse(source, &column.from).ok_or_else(|| no_type(source, &column.from))?;
        let own_to = types::parse(target, type_of(&to)).ok_or_else(|| no_type(target, &to))?;
        let (from_content, to_content) = match content {
            Some((from, to)) => (Content::Ids(from), Content::Ids(to)),
            None => {
                let kind =
                    types::kind(source, &column.from, target, type_of(&to)).ok_or_else(|| {
                        match types::normalizes_json(target, type_of(&to)) {
                            true => refused(
                                "`jsonb` would change it; copy to `json`, and change the type then",
                            ),
                            false => refused(&format!("`{to}` does not hold all of its values")),
                        }
                    })?;
                let digits = types::fraction_digits(target, type_of(&to));
                let is_time = matches!(kind, Kind::Time | Kind::Timestamp)
                    || (own_from, own_to) == (Type::Interval, Type::Interval);
                if is_time && digits < types::fraction_digits(source, &column.from) {
                    return Err(refused(&format!("`{to}` would round its times")));
                }
                (Content::Values(kind), Content::Values(kind))
            }
        };
        let side = |backend, sql_type: &str, own, content| {
            SideColumn::new(backend, &column.name, sql_type, own, content)
        };
        let from = SideColumn {
            instead: column.instead,
            ..side(source, &column.from, own_from, from_content)
        };
        // Its reader replaces nothing more, but it may be NULL where the source was not.
        let to = SideColumn {
            instead: column.instead,
            ..side(target, &to, own_to, to_content)
        };
        Ok((from, to))
    }
}

/// Whether a side of a plan is a folder of files.
fn is_parquet(name: &str) -> bool {
    #[cfg(feature = "parquet")]
    return name == crate::parquet::NAME;
    #[cfg(not(feature = "parquet"))]
    return name.is_empty();
}

/// Refusals as one error.
pub(crate) fn all_or_one(mut refused: Vec<Error>) -> Result<(), Error> {
    if refused.len() <= 1 {
        return refused.pop().map_or(Ok(()), Err);
    }
    let list: Vec<String> = refused.iter().map(|error| format!("\n* {error}")).collect();
    Err(Error::refused(
        "the copy",
        format!("{} reasons are against it:{}", list.len(), list.concat()),
        "`rowkey preflight` shows them line by line",
    ))
}

/// A type without the character set and the collation that follow it.
pub(crate) fn type_of(sql_type: &str) -> &str {
    let words = [
        " CHARACTER SET ",
        " character set ",
        " COLLATE ",
        " collate ",
    ];
    let end = words.iter().filter_map(|word| sql_type.find(word)).min();
    end.map_or(sql_type, |end| &sql_type[..end])
}

/// Whether words behind a type name a character set, a collation or both. The rest of a plan is no
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

/// The places of the columns of the key that tells rows apart: the primary key, or a unique key
/// without NULL.
fn key_places(table: &Table, plan: &TablePlan) -> Vec<usize> {
    let place = |name: &String| plan.columns.iter().position(|column| column.name == *name);
    let is_never_null =
        |name: &String| table.column(name).is_some_and(|column| !column.is_nullable);
    let mut keys: Vec<_> = table.keys.iter().collect();
    keys.sort_by_key(|key| !key.is_primary);
    keys.into_iter()
        .filter(|key| key.columns.iter().all(is_never_null))
        .find_map(|key| key.columns.iter().map(place).collect::<Option<Vec<_>>>())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "version = 1\nsource = \"mariadb\"\ntarget = \"postgres\"\n\
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

    #[test]
    fn what_a_plan_does_not_map_is_refused_by_name() {
        for (old, new, expected) in [
            ("version = 1", "version = 2", "its version is 2"),
            ("to = \"numeric(10,2)\"", "", "offer.price (decimal(10,2))"),
            (
                "timestamp without",
                "timestamp(3) without",
                "would round its times",
            ),
            (
                "numeric(10,2)",
                "integer",
                "does not hold all of its values",
            ),
            ("numeric(10,2)", "point", "does not hold all of its values"),
            (
                "numeric(10,2)",
                "numeric COLLATE x) --",
                "only CHARACTER SET and COLLATE",
            ),
            ("uuid:public", "uuid:sideways", "offer.id"),
            (
                "stored-to = \"uuid:public\"",
                "",
                "needs `stored-from` and `stored-to`",
            ),
            (
                "name = \"price\"",
                "name = \"id\"",
                "offer.id is named twice",
            ),
            ("becomes", "becames", "becames"),
            ("\"mariadb\"", "\"oracle\"", "oracle"),
        ] {
            let text = PLAN.replace(old, new);
            assert_ne!(text, PLAN, "{old}");
            let error = CopyPlan::from_toml(&text).and_then(|plan| plan.check());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
