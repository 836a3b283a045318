//! Names that the target takes, and tells apart.

use std::collections::BTreeSet;

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::Table;
use rowkey_tables::dialect::{Asked, Dialect};

use crate::engine::engine;
use crate::plans::plan::{CopyPlan, TablePlan};
use crate::rows::checkpoint;
use crate::tables::table_side::TableSide;

/// A name without what the database does not look at when it compares names of columns, indexes
/// and, in SQLite, tables.
pub(crate) fn folded(backend: Backend, name: &str) -> String {
    (engine(backend).target.folded)(name)
}

/// The beginning of a name with a suffix, as much of it as the database takes.
pub(crate) fn shortened(backend: Backend, name: &str, suffix: &str) -> String {
    let mut start = name.to_owned();
    loop {
        let short = format!("{start}{suffix}");
        if quote_identifier(backend, &short).is_ok() || start.pop().is_none() {
            return short;
        }
    }
}

/// The names of a plan that the target refuses or mixes up, each with its table.
pub(crate) fn refusals(
    plan: &CopyPlan,
    source: Backend,
    target: Backend,
) -> Vec<(&TablePlan, Error)> {
    let mut refused = Vec::new();
    for (place, table) in plan.tables.iter().enumerate() {
        let what = format!("the table {}", table.name);
        let mut of_table = Vec::new();
        for (backend, name) in [(source, &table.name.name), (target, &table.becomes.name)] {
            of_table.extend(untaken(&what, backend, name));
        }
        if folded(target, &table.becomes.name) == checkpoint::TABLE {
            of_table.push(Error::refused(
                &what,
                format!(
                    "{} is the name of the table that the copy makes for itself",
                    checkpoint::TABLE
                ),
                "give it another name with `becomes`",
            ));
        }
        let others = plan.tables.iter().take(place);
        of_table.extend(others.filter_map(|other| same_table(target, other, table)));
        of_table.extend(of_columns(table, source, target));
        refused.extend(of_table.into_iter().map(|error| (table, error)));
    }
    refused
}

fn untaken(what: &str, backend: Backend, name: &str) -> Option<Error> {
    let why = quote_identifier(backend, name).err()?;
    Some(Error::refused(
        what,
        format!("\"{name}\" is no name in {backend}: {why}"),
        "rename it in the source, or delete its entry from the plan",
    ))
}

/// Where the case of letters is up to the server, it is asked later.
fn same_table(target: Backend, one: &TablePlan, other: &TablePlan) -> Option<Error> {
    let is_same = target.case_of_tables() == Asked::Known(false)
        && one.becomes.schema == other.becomes.schema
        && folded(target, &one.becomes.name) == folded(target, &other.becomes.name);
    is_same.then(|| same_tables(target, one, other))
}

/// The error for two tables that the target does not tell apart.
pub(crate) fn same_tables(target: Backend, one: &TablePlan, other: &TablePlan) -> Error {
    Error::refused(
        format!("the tables {} and {}", one.name, other.name),
        format!("{target} does not tell these names apart"),
        "give one of them another name with `becomes`, or delete its entry from the plan",
    )
}

fn of_columns(table: &TablePlan, source: Backend, target: Backend) -> Vec<Error> {
    let columns: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    let what = format!("a column of {}", table.name);
    let untaken = columns.iter().filter_map(|name| {
        let mut sides = [source, target].into_iter();
        sides.find_map(|backend| untaken(&what, backend, name))
    });
    let own = columns
        .iter()
        .filter(|name| engine(target).columns.has_already.contains(name));
    let own = own.map(|name| {
        Error::refused(
            format!("{what} in the target"),
            format!("{target} has a column {name} of its own in every table"),
            "rename it in the source, or delete its entry from the plan",
        )
    });
    let doubled = doubled(target, &columns).into_iter().map(|[one, other]| {
        Error::refused(
            format!("the columns {one} and {other} of {}", table.name),
            format!("{target} does not tell these names apart"),
            "rename one of them in the source, or delete its entry from the plan",
        )
    });
    untaken.chain(own).chain(doubled).collect()
}

/// Each name that the database takes for one before it, behind that.
fn doubled<'n>(backend: Backend, names: &[&'n str]) -> Vec<[&'n str; 2]> {
    let folded: Vec<String> = names.iter().map(|name| folded(backend, name)).collect();
    let doubled = names.iter().enumerate().filter_map(|(place, name)| {
        let first = folded.iter().position(|other| *other == folded[place])?;
        (first < place).then(|| [names[first], name])
    });
    doubled.collect()
}

/// The columns without which the target tells the others apart. Those of the primary key stay, which
/// others may refer to.
pub(crate) fn spare(side: &TableSide, table: &Table) -> Vec<String> {
    let key = table.primary_key().map(|key| &*key.columns);
    let is_key = |name: &str| key.is_some_and(|key| key.iter().any(|column| column == name));
    let columns: Vec<&str> = side.columns.iter().map(|column| &*column.name).collect();
    let doubled = doubled(side.backend, &columns).into_iter();
    let spare = doubled.map(|[one, other]| match is_key(other) {
        true => one.to_owned(),
        false => other.to_owned(),
    });
    spare.collect()
}

/// A plan of which the target tells all columns apart.
pub(crate) fn without_doubled(plan: &CopyPlan, target: Backend) -> CopyPlan {
    let mut plan = plan.clone();
    for table in &mut plan.tables {
        let mut seen = BTreeSet::new();
        let columns = &mut table.columns;
        columns.retain(|column| seen.insert(folded(target, &column.name)));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(target: &str, tables: &[(&str, &[&str])]) -> Vec<String> {
        let mut text = format!("version = 1\nsource = \"sqlite\"\ntarget = \"{target}\"\n");
        for (table, columns) in tables {
            text += &format!("[[table]]\nname = '{table}'\nbecomes = '{table}'\ncatalog = \"\"\n");
            for column in *columns {
                text += &format!(
                    "[[table.column]]\nname = '{column}'\nfrom = \"TEXT\"\nto = \"TEXT\"\n"
                );
            }
        }
        let plan = CopyPlan::from_toml(&text).unwrap();
        let backend = plan.target().unwrap();
        let refused = refusals(&plan, Backend::Sqlite, backend);
        refused.iter().map(|(_, error)| error.to_string()).collect()
    }

    #[test]
    fn names_that_the_target_mixes_up_are_refused() {
        let long = "x".repeat(64);
        for (target, tables, expected) in [
            (
                "mysql",
                &[("a", &["id", "ID"][..])][..],
                Some("the columns id and ID of a: MySQL does not tell these"),
            ),
            ("mariadb", &[("a", &["ä", "Ä"][..])][..], Some("ä and Ä")),
            ("sqlite", &[("a", &["ä", "Ä"][..])][..], None),
            ("postgres", &[("a", &["id", "ID"][..])][..], None),
            (
                "sqlite",
                &[("a", &["id"][..]), ("A", &["id"][..])][..],
                Some("the tables a and A: SQLite"),
            ),
            (
                "postgres",
                &[("a", &[""][..])][..],
                Some("a column of a: \"\" is no name in SQLite: "),
            ),
            (
                "postgres",
                &[("a", &[long.as_str()][..])][..],
                Some("is no name in PostgreSQL: "),
            ),
            (
                "postgres",
                &[("rowkey_copy", &["id"][..])][..],
                Some("the table that the copy makes for itself"),
            ),
        ] {
            let found = refused(target, tables);
            match expected {
                Some(expected) => assert!(
                    matches!(&found[..], [one] if one.contains(expected)),
                    "{found:?}"
                ),
                None => assert!(found.is_empty(), "{found:?}"),
            }
        }
    }

    #[test]
    fn long_names_become_short_enough() {
        assert_eq!(shortened(Backend::Postgres, &"ä".repeat(40), "").len(), 62);
        assert_eq!(shortened(Backend::Postgres, "short", "_2"), "short_2");
        assert_eq!(shortened(Backend::MySql, &"x".repeat(70), "_2").len(), 64);
    }
}
