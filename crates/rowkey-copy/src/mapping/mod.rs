//! Both sides of a plan's tables and columns, and what of a plan has no place there.

pub(crate) mod as_found;
pub(crate) mod collations;
pub(crate) mod kept_ids;
pub(crate) mod names;
pub(crate) mod own_types;
pub(crate) mod partitions;
pub(crate) mod spelling;

use std::fmt::Display;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::{Catalog, Column, DependentKind, Key, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::refusals::Refusals;
use rowkey_tables::types::{self, ColumnType, Kind, Type};
use rowkey_tables::{Connection, Error};

use self::partitions::is_partitioned;
use crate::engine::engine;
use crate::plans::plan::{ColumnPlan, CopyPlan, TablePlan, Wanted, is_collation};
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// More rows than these may need more memory than there is.
const MOST_BATCH_ROWS: u32 = 100_000;

/// Why an `oid` is not copied. That of a catalogue's row would be the number of another one there.
const LARGE_OBJECTS: &str = "its values are numbers of large objects or of the catalogue, and what they stand for is \
                             not in the table";

/// How a column stays behind.
const LEAVE_OUT: &str = "delete its entry to leave it out (in a table that exists, the column has to take NULL or \
                         have a default)";

impl CopyPlan {
    /// The source's tables are as they were when the plan was written.
    pub(crate) fn check_catalog(&self, catalog: &Catalog) -> Result<(), Error> {
        all_or_one(self.changed_tables(catalog))
    }

    /// The tables that are not as they were.
    pub(crate) fn changed_tables(&self, catalog: &Catalog) -> Vec<Error> {
        let changed = self.tables.iter().filter_map(|table| {
            let error = || {
                Error::refused(
                    format!("the table {}", table.name),
                    "it has changed in the source since the plan was written",
                    "write the plan again with `rowkey plan`",
                )
            };
            match catalog.table(&table.name) {
                Err(missing) => Some(missing),
                Ok(_) if catalog.hash_to_copy(&table.name) != table.catalog => Some(error()),
                Ok(_) => None,
            }
        });
        changed.collect()
    }

    /// Every column and every name that has no place, as one error.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let names = self.refusals()?.into_iter().map(|(_, error)| error);
        all_or_one(names.chain(self.without_refused_columns().0))
    }

    /// Every name that has no place, with its table, and what else the plan itself says wrong.
    pub(crate) fn refusals(&self) -> Result<Vec<(Option<&TablePlan>, Error)>, Error> {
        let names = names::refusals(self, self.source()?, self.target()?);
        let names = names.into_iter().map(|(table, error)| (Some(table), error));
        let mut refused: Vec<_> = names.collect();
        if self.tables.is_empty() {
            let error = Error::refused(
                "the plan",
                "it has no tables",
                "write it with `rowkey plan` for a database that has some",
            );
            refused.push((None, error));
        }
        if self.policy.batch_rows > MOST_BATCH_ROWS {
            let error = Error::refused(
                format!("`batch-rows = {}`", self.policy.batch_rows),
                "so many rows are not kept in memory at once",
                format!("write at most {MOST_BATCH_ROWS}"),
            );
            refused.push((None, error));
        }
        Ok(refused)
    }

    /// Every column that has no place, and the plan without them.
    pub(crate) fn without_refused_columns(&self) -> (Vec<Error>, Self) {
        let mut refused = Vec::new();
        let mut plan = self.clone();
        for (table, left) in self.tables.iter().zip(&mut plan.tables) {
            left.columns.retain(|column| {
                let sides = self.sides_of(table, column);
                sides.map_err(|error| refused.push(error)).is_ok()
            });
        }
        plan.tables.retain(|table| !table.columns.is_empty());
        (refused, plan)
    }

    /// All tables on both sides.
    pub(crate) fn prepare_all<'c>(
        &self,
        catalog: &'c Catalog,
    ) -> Result<Vec<PreparedTable<'c>>, Error> {
        let tables = self.tables.iter();
        tables.map(|table| self.prepare(catalog, table)).collect()
    }

    /// A table on both sides. Cells are in the order of the plan's columns.
    pub(crate) fn prepare<'c>(
        &self,
        catalog: &'c Catalog,
        table: &TablePlan,
    ) -> Result<PreparedTable<'c>, Error> {
        let pairs = table.columns.iter();
        let pairs: Result<Vec<_>, _> = pairs.map(|column| self.sides_of(table, column)).collect();
        let (from, to): (Vec<ColumnSide>, Vec<ColumnSide>) = pairs?.into_iter().unzip();
        let original = catalog.table(&table.name)?;
        let with_words = |mut column: ColumnSide| {
            let found = original.column(&column.name);
            if let (Content::Values(Kind::Own), Some(found)) = (column.content, found) {
                column.members.extend(found.enum_words.iter().cloned());
                column.layout.clone_from(&found.layout);
            }
            column
        };
        let from = from.into_iter().map(with_words).map(|column| {
            let found = original.column(&column.name);
            column.collated(
                catalog.backend,
                found.and_then(|found| found.collation.as_ref()),
            )
        });
        let from: Vec<ColumnSide> = from.collect();
        let to: Vec<ColumnSide> = to.into_iter().map(with_words).collect();
        let mut key = key_places(original, table);
        let keeps_order = |place: &usize| {
            from[*place].keeps_order(catalog.backend) && !to[*place].is_text_of_others()
        };
        if !key.iter().all(keeps_order) {
            key.clear();
        }
        for (place, planned) in table.columns.iter().enumerate() {
            source_column(original, table, planned, key.contains(&place))?;
        }
        let from = TableSide {
            key: key.clone(),
            is_partitioned: is_partitioned(original, catalog.backend),
            ..TableSide::new(self.source()?, table.name.clone(), from)
        };
        let primary_key = original
            .primary_key()
            .and_then(|key| table.places(&key.columns));
        let to = TableSide {
            key,
            primary_key: primary_key.unwrap_or_default(),
            existing_rows: table.existing_rows,
            triggers: table.triggers,
            leave_out: table.leave_out.clone(),
            ..TableSide::new(self.target()?, table.becomes.clone(), to)
        };
        Ok(PreparedTable { original, from, to })
    }

    /// The type of a column of the target whose ids stay as they are.
    fn kept_type(&self, column: &ColumnPlan, to: Option<&str>) -> Result<String, String> {
        let (source, target) = match (self.source(), self.target()) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(error), _) | (_, Err(error)) => return Err(error.to_string()),
        };
        let from = ColumnType::parse(source, column.from.as_str());
        match (to, from.meaning()) {
            (Some(to), _) => Ok(to.to_owned()),
            (None, None) => Err("give it a type with `to`".into()),
            (None, Some(own)) => match from.is_kept_in(target) {
                true => Ok(column.from.clone()),
                false => types::write(target, own, true).map_err(|refusal| refusal.to_string()),
            },
        }
    }

    /// Both sides of a column.
    fn sides_of(
        &self,
        table: &TablePlan,
        column: &ColumnPlan,
    ) -> Result<(ColumnSide, ColumnSide), Error> {
        let (source, target) = (self.source()?, self.target()?);
        let from = ColumnType::parse(source, column.from.as_str());
        let name = || format!("{}.{} ({})", table.name, column.name, column.from);
        let refused = |why: &str| {
            Error::refused(
                name(),
                why,
                match from.meaning() {
                    // What the plan refuses says what else is possible.
                    Some(_) if column.refused.is_none() || column.to.is_some() => {
                        format!("give it a type with `to`, or {LEAVE_OUT}")
                    }
                    Some(_) => format!("or {LEAVE_OUT}"),
                    None => LEAVE_OUT.to_owned(),
                },
            )
        };
        let (to, content) = match column.wanted().map_err(&refused)? {
            Wanted::Type(to) => (to.to_owned(), None),
            Wanted::Kept(to) => {
                let to = self.kept_type(column, to).map_err(|why| refused(&why))?;
                (to, None)
            }
            Wanted::Ids { format, from, to } => {
                let format = format.parse::<FormatKind>();
                let format = format.map_err(|error| refused(&error.to_string()))?;
                let form = |name, backend| StoredForm::named(format, backend, name);
                let from = form(from, source).map_err(&refused)?;
                let to = form(to, target).map_err(&refused)?;
                (to.sql_type(), Some((from, to)))
            }
        };
        let to = ColumnType::parse(target, to);
        if content.is_none() && !is_collation(to.suffix()) {
            return Err(refused(&format!(
                "behind the type in `{to}`, only CHARACTER SET and COLLATE with a name are possible"
            )));
        }
        let own = |backend: Backend, sql_type: &ColumnType| {
            let no_type = || match sql_type.is_of_large_objects() {
                true => Error::refused(
                    name(),
                    LARGE_OBJECTS,
                    "copy the bytes into a column of type bytea first (`lo_get` reads them), or delete its entry to \
                     leave it out",
                ),
                false => refused(&format!("{backend}'s type `{sql_type}` is not copied")),
            };
            sql_type.meaning().ok_or_else(no_type)
        };
        let (own_from, own_to) = (own(source, &from)?, own(target, &to)?);
        let (from_content, to_content) = match content {
            Some((from, to)) => (Content::Ids(from), Content::Ids(to)),
            None => {
                let kind = from
                    .kind_in(&to)
                    .ok_or_else(|| {
                        let unknown = match own_to {
                            Type::Own => "is unknown, or ",
                            _ => "",
                        };
                        let why = format!("`{to}` {unknown}does not hold all values of that type");
                        let instead = format!(
                            "write another type in `to` (if the table exists, change the column there, and write \
                             the plan again), or {LEAVE_OUT}"
                        );
                        Error::refused(name(), why, instead)
                    })?;
                let is_interval = (own_from, own_to) == (Type::Interval, Type::Interval);
                if is_interval && to.fraction_digits() < from.fraction_digits() {
                    return Err(refused(&format!("`{to}` would round its times")));
                }
                (Content::Values(kind), Content::Values(kind))
            }
        };
        let is_char = |column_type: &ColumnType| {
            let is_padded = matches!(column_type.meaning(), Some(Type::PaddedText(_)));
            is_padded || column_type.cuts_spaces()
        };
        let trims = own_from != own_to && is_char(&from) && is_char(&to);
        let is_time = matches!(own_to, Type::Time | Type::Timestamp | Type::Instant);
        let tick = match is_time && !from.is_same(&to) {
            true => to.tick(),
            false => 1,
        };
        let from = ColumnSide {
            trims,
            tick,
            instead: column.instead,
            takes_offsets: [own_from, own_to].contains(&Type::Instant),
            ..ColumnSide::new(&column.name, from, own_from, from_content)
        };
        // A value may be NULL where the source's was not.
        let to = ColumnSide {
            trims,
            instead: column.instead,
            tick,
            takes_offsets: own_from == Type::Instant || !matches!(own_to, Type::Text(_)),
            ..ColumnSide::new(&column.name, to, own_to, to_content)
        };
        Ok((from, to))
    }
}

/// The plan is for these two databases.
pub(crate) fn check_backends(
    source: &Connection,
    target: &Connection,
    plan: &CopyPlan,
) -> Result<(), Error> {
    check_backend("the source", source.backend(), plan.source()?)?;
    check_backend("the target", target.backend(), plan.target()?)
}

/// The plan is for the database of one side.
pub(crate) fn check_backend(what: &str, found: Backend, planned: Backend) -> Result<(), Error> {
    match found == planned {
        true => Ok(()),
        false => Err(wrong_backend(what, found, planned)),
    }
}

/// The error for a database that the plan is not for.
pub(crate) fn wrong_backend(what: &str, found: Backend, planned: impl Display) -> Error {
    Error::refused(
        what,
        format!("it is {found}, and the plan is for {planned}"),
        "give the address of the database that the plan is for",
    )
}

/// Refusals as one error.
pub(crate) fn all_or_one(refused: impl IntoIterator<Item = Error>) -> Result<(), Error> {
    one_error(refused.into_iter().collect::<Refusals<()>>())
}

/// Refusals with what they are about as one error.
pub(crate) fn one_error<About>(refused: Refusals<About>) -> Result<(), Error> {
    refused.result("the copy", "`rowkey preflight` shows them line by line")
}

/// The column of the source that an entry is for. `is_key` is one of a key besides the primary one.
pub(crate) fn source_column<'c>(
    original: &'c Table,
    table: &TablePlan,
    planned: &ColumnPlan,
    is_key: bool,
) -> Result<&'c Column, Error> {
    let refused = |why: String, instead: &str| {
        Error::refused(format!("{}.{}", table.name, planned.name), why, instead)
    };
    let primary_key = original.primary_key();
    let is_primary = primary_key.is_some_and(|key| key.columns.contains(&planned.name));
    if (is_key || is_primary) && !planned.instead.is_empty() {
        let why = "it is in the key, whose values are not replaced";
        return Err(refused(why.into(), "delete its `instead`"));
    }
    match original.column(&planned.name) {
        None => Err(refused(
            "the source has no such column".into(),
            "write a name that it has, or delete the entry from the plan",
        )),
        Some(found) if found.sql_type != planned.from => Err(refused(
            format!("its type is not `{}`", planned.from),
            "write in `from` what `rowkey plan` writes there",
        )),
        Some(found) => Ok(found),
    }
}

/// The places of the columns of the key that tells rows apart: the primary key, or a unique key
/// without NULL; none if there is no such key.
fn key_places(table: &Table, plan: &TablePlan) -> Vec<usize> {
    let is_never_null =
        |name: &String| table.column(name).is_some_and(|column| !column.is_nullable);
    // NOT NULL of a domain of PostgreSQL lets some through.
    let is_of_domain = |name: &String| {
        let mut dependents = table.dependents.iter();
        dependents.any(|one| one.kind == DependentKind::Domain && one.columns.contains(name))
    };
    let is_replaced = |name: &String| {
        let column = plan.column(name);
        column.is_some_and(|column| !column.instead.is_empty())
    };
    let mut keys: Vec<_> = table.keys.iter().collect();
    keys.sort_by_key(|key| !key.is_primary);
    keys.into_iter()
        .filter(|key| key.columns.iter().all(is_never_null))
        .filter(|key| key.is_primary || !key.columns.iter().any(is_of_domain))
        .filter(|key| !names_collations(table, key))
        .filter(|key| key.is_primary || !key.columns.iter().any(is_replaced))
        .find_map(|key| plan.places(&key.columns))
        .unwrap_or_default()
}

/// Whether a key of SQLite may tell values apart that are the same in the order of its columns.
#[cfg(feature = "sqlite")]
fn names_collations(table: &Table, key: &Key) -> bool {
    let keys = rowkey_tables::catalog::sqlite::collated_keys(table.statement(), &key.columns);
    // A definition that is not understood may name some.
    !keys.is_ok_and(|keys| keys.is_empty())
}

#[cfg(not(feature = "sqlite"))]
fn names_collations(_: &Table, _: &Key) -> bool {
    false
}

/// What the databases decide of a column.
impl ColumnSide {
    /// Whether the literal of each value is what the source has, so that a copy can continue after
    /// it. In SQLite, that is so where all values are stored in one way: days, truth values, decimals and
    /// UUIDs may be texts, numbers or bytes.
    fn keeps_order(&self, source: Backend) -> bool {
        match self.content {
            // MySQL sorts them by the places of their words, and compares them as text.
            _ if matches!(self.own, Type::Enum | Type::Set) => false,
            // Unique by their hashes in MariaDB, which sorts them by their beginning.
            _ if source.names_character_sets() && self.is_longer_than_indexes() => false,
            _ if self.is_truth_in_text() || self.is_number_or_time_in_text() => false,
            Content::Values(kind) if source.stores_any_type() => match kind {
                Kind::Own => true,
                Kind::Integer => matches!(self.own, Type::Integer { .. }),
                Kind::Double => engine(source).values.reads_floats,
                Kind::Text => matches!(self.own, Type::Text(_)),
                Kind::Bytes => !self.is_bytes_in_text(),
                _ => false,
            },
            Content::Values(Kind::Json) => false,
            Content::Values(_) if self.own == Type::Own => false,
            Content::Values(Kind::Bool) if matches!(self.own, Type::Integer { .. }) => false,
            Content::Values(Kind::Text) => !matches!(
                self.own,
                Type::Decimal(_) | Type::Bytes(_) | Type::FixedBytes(_)
            ),
            Content::Values(Kind::Bytes) => !self.is_bytes_in_text(),
            Content::Values(Kind::Decimal) => !matches!(self.own, Type::Loose(_) | Type::Double),
            Content::Values(Kind::Single | Kind::Double) => engine(source).values.reads_floats,
            Content::Values(Kind::Uuid) => !matches!(self.own, Type::Text(_) | Type::PaddedText(_)),
            _ => true,
        }
    }

    /// Whether InnoDB has no index of all characters or bytes.
    fn is_longer_than_indexes(&self) -> bool {
        match self.own {
            Type::Text(length) | Type::Bytes(length) => length.is_none_or(|length| length > 768),
            _ => false,
        }
    }

    /// The same column with the collation that the catalogue names.
    fn collated(mut self, backend: Backend, collation: Option<&String>) -> Self {
        if let Some(collation) = collation
            && engine(backend).columns.names_collations
        {
            self.charset = self.sql_type.with_collation(collation).charset();
            self.collation = Some(collation.clone());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::plan::tests::PLAN;

    #[test]
    fn what_a_plan_does_not_map_is_refused_by_name() {
        for (old, new, expected) in [
            ("version = 1", "version = 2", "its version is 2"),
            ("to = \"numeric(10,2)\"", "", "offer.price (decimal(10,2))"),
            (
                "numeric(10,2)",
                "integer",
                "does not hold all values of that type",
            ),
            (
                "numeric(10,2)",
                "point",
                "does not hold all values of that type",
            ),
            (
                "numeric(10,2)",
                "numeric COLLATE x) --",
                "only CHARACTER SET and COLLATE",
            ),
            ("uuid:public", "uuid:sideways", "offer.id"),
            ("uuid-v7", "uuid-v77", "offer.id (binary(16)): "),
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
