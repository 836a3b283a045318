//! The ranges as a complete PySpark job.
//!
//! The program is a file of its own, `job.py`; what is different from plan to plan is a list of
//! tables in it.

mod conversion;
mod objects;
mod transport;

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::Type;
use rowkey_tables::{Connection, Error};
use serde::Serialize;

use self::objects::{Object, ObjectKind, objects};
use self::transport::transport;
use super::request::{Request, TableRanges, chosen, column, key};
use crate::definitions::objects::{PlannedObject, indexes, notes, references, used_names};
use crate::definitions::{checks, counters, create, omissions};
use crate::plans::plan::CopyPlan;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, TableSide};

const JOB: &str = include_str!("job.py");

/// How many digits a number of Spark has.
const DIGITS: u32 = 38;

/// A table of the job.
#[derive(Debug, Serialize)]
pub(super) struct SparkTable<'c> {
    #[serde(skip)]
    prepared: PreparedTable<'c>,
    /// For people.
    table: String,
    /// The query of the source: the key, for the ranges, and the columns.
    select: String,
    /// The query for the number of rows.
    count: String,
    ranges: Vec<String>,
    columns: Vec<SparkColumn>,
    /// The table of the target in SQL.
    target: String,
    create: String,
    staging: String,
    make_staging: String,
    merge: String,
    indexes: Vec<Object>,
    references: Vec<Object>,
    /// The statements that set the table's counter.
    counter: Vec<String>,
    /// What the target does not get.
    notes: Vec<String>,
}

/// A column of the job.
#[derive(Debug, Serialize)]
struct SparkColumn {
    name: String,
    /// What the source's query calls it.
    value: String,
    /// Spark's expression for it; empty if it stays as it is.
    convert: String,
}

/// The tables of a job, without their ranges and counters.
pub(super) fn tables<'c>(
    plan: &CopyPlan,
    catalog: &'c Catalog,
    request: &Request,
) -> Result<Vec<SparkTable<'c>>, Error> {
    for (what, backend) in [
        ("the source", plan.source()?),
        ("the target", plan.target()?),
    ] {
        if matches!(backend, Backend::Sqlite | Backend::SqlServer) {
            return Err(Error::refused(
                what,
                format!("a Spark job does not copy from or to {backend}"),
                "copy with `rowkey copy`",
            ));
        }
    }
    plan.check()?;
    let chosen = chosen(plan, request)?;
    let is_chosen = |table: &&PreparedTable<'_>| {
        chosen
            .iter()
            .any(|chosen| chosen.name == table.original.name)
    };
    let hash = plan.hash()?;
    let hash = &hash[..12];
    let prepared = plan.prepare_all(catalog)?;
    let all: Vec<&PreparedTable<'_>> = prepared.iter().collect();
    let together: Vec<&PreparedTable<'_>> = all.iter().copied().filter(is_chosen).collect();
    let mut used = used_names(&prepared);
    let mut tables = Vec::new();
    for (place, table) in all.iter().enumerate() {
        // Indexes of all tables share their names, so that each keeps its own in any job.
        let made = Made::of(table, &all, &together, &mut used)?;
        if is_chosen(table) {
            let staging = format!("rowkey_staging_{hash}_{place}");
            tables.push(spark_table(table, made, &staging, request)?);
        }
    }
    Ok(tables)
}

/// What the target gets for a table.
struct Made {
    creation: String,
    /// The names and the statements of its indexes, which follow after the rows.
    indexes: Vec<(String, String)>,
    /// Those of its references, which follow after all indexes.
    references: Vec<(String, String)>,
    left_out: Vec<String>,
}

impl Made {
    fn of(
        table: &PreparedTable<'_>,
        all: &[&PreparedTable<'_>],
        together: &[&PreparedTable<'_>],
        used: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let made = create::creation(table, all, false)?;
        let mut left_out = made.left_out;
        left_out.extend(omissions::of_table(table));
        left_out.extend(omissions::of_text([table]));
        left_out.extend(omissions::of_rows(table));
        // The job makes tables, indexes and references.
        let name = &table.original.name;
        let checks = checks::named(table.from.backend, table.original, &table.to)?;
        let checks = checks.iter().map(|check| &check.name);
        left_out.extend(checks.map(|check| format!("{name}: the check {check} is left out")));
        let mut statements_of = |found: Vec<PlannedObject>| {
            let (mut statements, mut omissions) = (Vec::new(), Vec::new());
            for object in found {
                match object {
                    Ok(object) => statements.push((object.name, object.statement)),
                    Err(omission) => omissions.push(omission),
                }
            }
            left_out.extend(notes(omissions));
            statements
        };
        Ok(Self {
            creation: made.statement,
            indexes: statements_of(indexes(table, used)?),
            references: statements_of(references(table, together)?),
            left_out,
        })
    }
}

impl SparkTable<'_> {
    /// Finds the statements that let the table's counter continue after the rows, and after the last
    /// number that the source has counted so far.
    pub(super) async fn find_counter(&mut self, source: &mut Connection) -> Result<(), Error> {
        let PreparedTable { original, to, .. } = &self.prepared;
        self.counter = counters::continued(source, original, to, None)
            .await?
            .statements;
        Ok(())
    }
}

fn spark_table<'c>(
    table: &PreparedTable<'c>,
    made: Made,
    staging: &str,
    request: &Request,
) -> Result<SparkTable<'c>, Error> {
    let (from, to) = (&table.from, &table.to);
    if from.key.is_empty() {
        return Err(Error::refused(
            format!("the table {}", from.name),
            "Spark may write a row twice, and without a key nothing tells the second one",
            "delete its entry from the plan, and copy it with `rowkey copy`",
        ));
    }
    let mut select = divided(table, request)?;
    let mut columns = Vec::new();
    for ((number, before), after) in (1..).zip(&from.columns).zip(&to.columns) {
        let value = format!("rowkey_{number}");
        let sides = ((from.backend, before), (to.backend, after));
        let name = quote_identifier(from.backend, &before.name)?;
        let place = format!("{}.{}", from.name, before.name);
        let way = transport(sides.0, sides.1, &name, &value).map_err(|why| {
            Error::refused(
                place.as_str(),
                why,
                "change what the plan says of the column, or copy the table with `rowkey copy`",
            )
        })?;
        let alias = quote_identifier(from.backend, &value)?;
        select.push(format!("{} AS {alias}", way.select));
        columns.push(SparkColumn {
            name: before.name.clone(),
            convert: way
                .convert
                .map(|sql| checked(&sql, &value, &place))
                .unwrap_or_default(),
            value,
        });
    }
    let source = format!("FROM {}", from.rows()?);
    let quoted_staging = to.name.sibling(staging).quoted(to.backend)?;
    Ok(SparkTable {
        table: from.name.to_string(),
        select: format!("SELECT {} {source}", select.join(", ")),
        count: format!("SELECT COUNT(*) {source}"),
        ranges: Vec::new(),
        columns,
        target: to.quoted()?,
        create: made.creation,
        make_staging: make_staging(to, &quoted_staging)?,
        merge: merge(to, &quoted_staging)?,
        staging: quoted_staging,
        indexes: objects(to, ObjectKind::Index, &made.indexes)?,
        references: objects(to, ObjectKind::Reference, &made.references)?,
        counter: Vec::new(),
        notes: made.left_out,
        prepared: table.with_target(to.clone()),
    })
}

/// The columns that the ranges name.
fn divided(table: &PreparedTable<'_>, request: &Request) -> Result<Vec<String>, Error> {
    let original = table.original;
    let names = match &request.column {
        Some(name) => vec![column(original, name)?],
        None => key(original),
    };
    let backend = table.from.backend;
    let quoted = names
        .iter()
        .map(|column| match column.column_type(backend).meaning() {
            Some(Type::Decimal(Some((digits, _)))) if digits > DIGITS => Err(Error::refused(
                format!("{}.{}", original.name, column.name),
                format!("it is a key of {digits} digits, and Spark's numbers have {DIGITS}"),
                "name another column with --column",
            )),
            _ => Ok(quote_identifier(backend, &column.name)?),
        });
    quoted.collect()
}

/// The conversion, with an error instead of NULL for a value that isn't an id.
fn checked(conversion: &str, value: &str, place: &str) -> String {
    let message = format!("{place}: a value is no id of its form: `rowkey doctor` shows it");
    // In Spark SQL, as in MySQL, a backslash escapes; but doubling a quote does not.
    let message = text_literal(Backend::MySql, &message).replace("''", "\\'");
    format!(
        "CASE WHEN `{value}` IS NULL THEN NULL ELSE coalesce({conversion}, raise_error({message})) END"
    )
}

/// The statement that makes a table without keys with the types of the target.
fn make_staging(to: &TableSide, staging: &str) -> Result<String, Error> {
    let (columns, target) = (to.column_list()?, to.quoted()?);
    Ok(match to.backend {
        Backend::Postgres => {
            format!("CREATE UNLOGGED TABLE {staging} AS SELECT {columns} FROM {target} LIMIT 0")
        }
        _ => format!(
            "CREATE TABLE {staging} ENGINE = InnoDB ROW_FORMAT = DYNAMIC AS SELECT {columns} FROM {target} \
             LIMIT 0"
        ),
    })
}

/// The statement that takes over each staged row once.
fn merge(to: &TableSide, staging: &str) -> Result<String, Error> {
    let (columns, target) = (to.column_list()?, to.quoted()?);
    let name = |column: &ColumnSide| quote_identifier(to.backend, &column.name);
    let key: Vec<String> = to.key_columns().map(name).collect::<Result<_, _>>()?;
    Ok(match to.backend {
        Backend::Postgres => format!(
            "INSERT INTO {target} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {staging} \
             ON CONFLICT ({}) DO NOTHING",
            key.join(", ")
        ),
        // IGNORE would turn other errors into warnings too.
        _ => {
            let first = &key[0];
            format!(
                "INSERT INTO {target} ({columns}) SELECT {columns} FROM {staging} \
                 ON DUPLICATE KEY UPDATE {target}.{first} = {target}.{first}"
            )
        }
    })
}

/// The text of the job.
pub(super) fn job(
    plan: &CopyPlan,
    tables: &[SparkTable<'_>],
    found: &[TableRanges],
) -> Result<String, Error> {
    let mut written = Vec::new();
    for table in tables {
        let name = &table.prepared.original.name;
        let found = found.iter().find(|found| found.table == *name);
        // Without any, the job would copy no row of it.
        let found = found.ok_or_else(|| Error::Missing {
            what: format!("the ranges of the table {name}"),
        })?;
        let mut value =
            serde_json::to_value(table).map_err(|error| Error::Plan(error.to_string()))?;
        value["ranges"] = found.ranges.clone().into();
        written.push(value);
    }
    // Without NULL and truth values, it is Python as well.
    let tables =
        serde_json::to_string_pretty(&written).map_err(|error| Error::Plan(error.to_string()))?;
    let (source, target) = (plan.source()?, plan.target()?);
    Ok(JOB
        .replacen("@SOURCE@", &source.to_string(), 2)
        .replacen("@TARGET@", &target.to_string(), 2)
        .replacen("\"@TABLES@\"", &tables, 1))
}

#[cfg(test)]
mod tests;
