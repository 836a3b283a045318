//! `rowkey ddl`.

use rowkey_core::error::ErrorKind;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Nullability, StoragePlan};
use rowkey_core::{Backend, Error};
use rowkey_sql::{NewId, Partitions, month_starts};

use crate::args::Ddl;
use crate::failure::{Failure, Outcome, Stop};
use crate::statements::{self, Part};
use crate::target::{column_name, plan};

/// The tables of rowkey-stores.
macro_rules! tables {
    ($($backend:ident $folder:literal),*) => {
        fn tables_of_stores(backend: Backend) -> [&'static str; 2] {
            match backend {
                $(Backend::$backend => [
                    include_str!(concat!("../../stores/", $folder, "/creation_identifiers.sql")),
                    include_str!(concat!("../../stores/", $folder, "/key_blocks.sql")),
                ],)*
            }
        }
    };
}

tables!(
    Postgres "postgres", MySql "mysql", MariaDb "mariadb", Sqlite "sqlite", SqlServer "sqlserver"
);

/// Prints the definitions.
pub(super) fn run(args: &Ddl, json: bool) -> Result<Outcome, Stop> {
    let parts = match args.format {
        Some(format) => of_key(args, format)?,
        None => statements_of_stores(args.backend),
    };
    statements::print(args.backend, &parts, json)
}

fn statements_of_stores(backend: Backend) -> Vec<Part> {
    let files = tables_of_stores(backend).into_iter();
    let statements = files.flat_map(|file| file.split(";\n"));
    statements
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .map(|statement| Part::Statement(statement.into()))
        .collect()
}

fn of_key(args: &Ddl, format: FormatKind) -> Result<Vec<Part>, Failure> {
    let backend = args.backend;
    column_name(None, &args.column)?;
    let choice = args.storage.as_deref().map(|storage| (backend, storage));
    let plan = plan(format, choice)?;
    let mut parts = column(args, &plan)?;
    if let (Some(table), Some((year, month)), Some(months)) = (&args.table, args.from, args.months)
    {
        let edges = month_starts(year, month).take(usize::from(months) + 1);
        let partitions =
            Partitions::by_time(plan, table.as_str(), &args.column, edges).map_err(refused)?;
        let before = partitions.before_create(backend).map_err(refused)?;
        let clause = partitions.partition_by(backend).map_err(refused)?;
        let after = partitions.after_create(backend).map_err(refused)?;
        parts.splice(0..0, before.into_iter().map(Part::Statement));
        parts.push(Part::Piece(clause));
        parts.extend(after.into_iter().map(Part::Statement));
    }
    Ok(parts)
}

/// The column, and the trigger that makes its ids.
fn column(args: &Ddl, plan: &StoragePlan) -> Result<Vec<Part>, Failure> {
    let (backend, name) = (args.backend, args.column.as_str());
    let column = plan.column(backend);
    if args.default && column.format() == FormatKind::DatabaseNumber && args.interval.is_none() {
        let counted = plan.counted_column_definition(backend, name)?;
        return Ok(vec![Part::Piece(counted)]);
    }
    if !args.default && args.trigger.is_none() {
        let nullability = match args.nullable {
            true => Nullability::Nullable,
            false => Nullability::NotNull,
        };
        let column = plan.column_definition(backend, name, nullability)?;
        return Ok(vec![Part::Piece(column)]);
    }
    let mut new_id = NewId::new(column.into()).map_err(not_made)?;
    if let Some(interval) = args.interval {
        new_id = new_id.with_interval(interval.millis()).map_err(not_made)?;
    }
    let Some(table) = &args.trigger else {
        return Ok(vec![Part::Piece(new_id.column_definition(name)?)]);
    };
    let definition = new_id
        .column_definition_for_trigger(name)
        .map_err(not_made)?;
    let trigger = format!("{table}_{name}");
    let trigger = new_id.trigger(&trigger, table, name).map_err(not_made)?;
    Ok(vec![Part::Piece(definition), Part::Statement(trigger)])
}

/// Ids that the database does not make.
fn not_made(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Declaration => Failure::wrong_usage(
            error,
            "`rowkey help ddl` says of --default and --trigger where a database makes ids",
        ),
        _ => error.into(),
    }
}

/// A column that is not partitioned.
fn refused(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Declaration => Failure::wrong_usage(
            error,
            "without --table, --from and --months only the column is printed",
        ),
        _ => error.into(),
    }
}
