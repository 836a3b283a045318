//! What a copy leaves behind, and what it meets in the target, as sentences.

use rowkey_core::Backend;
use rowkey_tables::catalog::{Catalog, DependentKind, QualifiedName, Table};
use rowkey_tables::inventory::other_schemas;
use rowkey_tables::types::Type;
use rowkey_tables::{Connection, Error};

use crate::plan::CopyPlan;
use crate::side::Side;

/// What is left out of a whole database: tables without an entry in the plan, privileges, views and
/// programs that name none of its tables, and other schemas.
pub(super) async fn of_database(
    source: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
) -> Result<Vec<String>, Error> {
    let mut notes = omitted(plan, catalog);
    notes.extend(grants(source, plan).await?);
    notes.extend(programs(source, plan, catalog).await?);
    if catalog.backend == Backend::Postgres {
        let schemas = other_schemas::names(source).await?;
        let schemas = schemas.iter();
        notes.extend(schemas.map(|schema| format!("the schema {schema} is left out")));
    }
    Ok(notes)
}

/// What is left out of one table: what depends on it, and what its columns no longer say.
pub(super) fn of_table(source: Backend, table: &Table, side: &Side) -> Vec<String> {
    let mut notes = dependents(table);
    notes.extend(keys(table));
    notes.extend(collations(table, side));
    notes.extend(offsets(source, table, side));
    let is_mysql = matches!(source, Backend::MySql | Backend::MariaDb);
    if is_mysql && !["InnoDB", ""].contains(&table.options.as_str()) {
        notes.push(format!(
            "{}: its engine {} has no transactions, so that its rows are not those of the moment at which the \
             copy began",
            table.name, table.options
        ));
    }
    notes
}

/// What runs in the target for each row that is written to an existing table.
pub(super) fn triggers(target: &Catalog, side: &Side) -> Vec<String> {
    let table = target.tables.iter().find(|table| table.name == side.name);
    let dependents = table.into_iter().flat_map(|table| &table.dependents);
    dependents
        .filter(|dependent| dependent.kind == DependentKind::Trigger)
        .map(|trigger| {
            format!(
                "{} in the target: the trigger {} runs for each row, and may change it",
                side.name, trigger.name
            )
        })
        .collect()
}

fn is_planned(plan: &CopyPlan, name: &QualifiedName) -> bool {
    plan.tables.iter().any(|table| table.name == *name)
}

/// The tables without an entry in the plan.
fn omitted(plan: &CopyPlan, catalog: &Catalog) -> Vec<String> {
    let tables = catalog.tables.iter();
    tables
        .filter(|table| !is_planned(plan, &table.name))
        .map(|table| format!("the table {} is left out", table.name))
        .collect()
}

/// Who has which privileges on the tables of PostgreSQL, besides their owners.
const GRANTS: &str = "
SELECT NULLIF(n.nspname, current_schema())::text, c.relname::text,
  COALESCE(r.rolname::text, 'everybody'),
  string_agg(g.privilege_type, ', ' ORDER BY g.privilege_type)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) g
LEFT JOIN pg_roles r ON r.oid = g.grantee
WHERE c.relkind IN ('r', 'p') AND g.grantee <> c.relowner
GROUP BY 1, 2, 3 ORDER BY 1 NULLS FIRST, 2, 3";

/// The privileges on whole tables, as sentences. In other databases than PostgreSQL, they are among
/// the dependents of a table.
async fn grants(source: &mut Connection, plan: &CopyPlan) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    if source.backend() != Backend::Postgres {
        return Ok(notes);
    }
    for row in source.query("the privileges", GRANTS, &[]).await? {
        let schema = row.optional_text(0)?.map(ToOwned::to_owned);
        let name = row.text(1)?.to_owned();
        let table = QualifiedName { schema, name };
        if is_planned(plan, &table) {
            let (role, privileges) = (row.text(2)?, row.text(3)?);
            notes.push(format!(
                "{table}: the privileges of {role} are left out: {privileges}"
            ));
        }
    }
    Ok(notes)
}

/// Views and programs of the source's own schema: their kinds, and their names as among the
/// dependents of tables. Those of extensions come with them.
const POSTGRES_PROGRAMS: &str = "
SELECT 'view', format('%I.%I', n.nspname, v.relname)
FROM pg_class v JOIN pg_namespace n ON n.oid = v.relnamespace
WHERE n.nspname = current_schema() AND v.relkind IN ('v', 'm')
  AND NOT EXISTS (SELECT FROM pg_depend e
    WHERE e.classid = 'pg_class'::regclass AND e.objid = v.oid AND e.deptype = 'e')
UNION ALL SELECT 'routine', p.oid::regprocedure::text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE n.nspname = current_schema() AND l.lanname NOT IN ('internal', 'c')
  AND p.proname NOT LIKE 'rowkey\\_%'
  AND NOT EXISTS (SELECT FROM pg_depend e
    WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
ORDER BY 1, 2";

const MYSQL_PROGRAMS: &str = "
SELECT 'event', event_name FROM information_schema.events WHERE event_schema = DATABASE()
UNION ALL SELECT 'routine', routine_name FROM information_schema.routines
WHERE routine_schema = DATABASE()
UNION ALL SELECT 'view', table_name FROM information_schema.views WHERE table_schema = DATABASE()
ORDER BY 1, 2";

const SQLITE_PROGRAMS: &str = "
SELECT 'view', name FROM sqlite_master WHERE type = 'view' ORDER BY 2";

const SQL_SERVER_PROGRAMS: &str = "
SELECT CASE o.type WHEN 'V' THEN N'view' ELSE N'routine' END,
  SCHEMA_NAME(o.schema_id) + N'.' + o.name FROM sys.objects o
WHERE o.schema_id = SCHEMA_ID() AND o.is_ms_shipped = 0 AND o.type IN ('V', 'P', 'FN', 'IF', 'TF')
ORDER BY 1, 2";

/// The views and programs that no table of the plan leads to.
async fn programs(
    source: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
) -> Result<Vec<String>, Error> {
    let tables = catalog.tables.iter();
    let planned = tables.filter(|table| is_planned(plan, &table.name));
    let dependents: Vec<_> = planned.flat_map(|table| &table.dependents).collect();
    let query = match source.backend() {
        Backend::Postgres => POSTGRES_PROGRAMS,
        Backend::MySql | Backend::MariaDb => MYSQL_PROGRAMS,
        Backend::SqlServer => SQL_SERVER_PROGRAMS,
        _ => SQLITE_PROGRAMS,
    };
    let mut notes = Vec::new();
    for row in source.query("the views and programs", query, &[]).await? {
        let (kind, name) = (row.text(0)?, row.text(1)?);
        let name = match source.backend() {
            Backend::MySql | Backend::MariaDb => {
                let schema = None;
                let name = name.to_owned();
                QualifiedName { schema, name }.to_string()
            }
            _ => name.to_owned(),
        };
        let mut dependents = dependents.iter();
        if !dependents.any(|one| one.kind.name() == kind && one.name == name) {
            notes.push(format!("the {kind} {name} is left out"));
        }
    }
    Ok(notes)
}

/// What depends on a table and stays behind, as sentences.
fn dependents(table: &Table) -> Vec<String> {
    let is_own = |kind| {
        matches!(
            kind,
            DependentKind::Sequence | DependentKind::ReplicaIdentity
        )
    };
    let dependents = table.dependents.iter();
    dependents
        .filter(|dependent| !is_own(dependent.kind))
        .map(|dependent| {
            let (kind, name) = (dependent.kind.name(), &dependent.name);
            format!("{}: the {kind} {name} is left out", table.name)
        })
        .chain(of_definition(table))
        .collect()
}

/// What PostgreSQL's keys say beyond their columns.
fn keys(table: &Table) -> Vec<String> {
    let mut notes = Vec::new();
    for key in &table.keys {
        for words in ["WITHOUT OVERLAPS", "NULLS NOT DISTINCT"] {
            if key.definition.contains(words) {
                let (table, key) = (&table.name, &key.name);
                notes.push(format!("{table}: {words} of the key {key} is left out"));
            }
        }
    }
    notes
}

/// What only the definition of a table of SQLite says. Its keywords are never names without quotes,
/// except behind the columns.
#[cfg(feature = "sqlite")]
fn of_definition(table: &Table) -> Vec<String> {
    let Ok(tokens) = rowkey_tables::catalog::sqlite::tokens(&table.options) else {
        return Vec::new();
    };
    let end = tokens.iter().rposition(|token| token.is(')'));
    let behind = end.map_or(&tokens[..], |end| &tokens[end..]);
    let mut notes = Vec::new();
    for (tokens, keyword, what) in [
        (&tokens[..], "CHECK", "its CHECKs are left out"),
        (
            &tokens[..],
            "COLLATE",
            "its collations are left out: the target may tell texts apart that were the same",
        ),
        (behind, "WITHOUT", "WITHOUT ROWID is left out"),
        (behind, "STRICT", "STRICT is left out"),
    ] {
        if tokens.iter().any(|token| token.is_keyword(keyword)) {
            notes.push(format!("{}: {what}", table.name));
        }
    }
    notes
}

#[cfg(not(feature = "sqlite"))]
fn of_definition(_: &Table) -> Vec<String> {
    Vec::new()
}

/// What a copy cannot say of text in another way: that different texts are the same.
fn collations(table: &Table, side: &Side) -> Vec<String> {
    let is_lenient = |collation: &str| {
        let collation = collation.to_ascii_lowercase();
        collation.contains("_ci") || ["nocase", "rtrim"].contains(&collation.as_str())
    };
    let mut notes = Vec::new();
    for column in &table.columns {
        let mut copied = side.columns.iter();
        let copied = copied.find(|copied| copied.name == column.name);
        if let (Some(collation), Some(copied)) = (&column.collation, copied)
            && is_lenient(collation)
            && !copied.sql_type.contains(collation.as_str())
        {
            notes.push(format!(
                "{}.{}: the collation {collation} is left out: the target may tell texts apart that were \
                 the same",
                table.name, column.name
            ));
        }
    }
    notes
}

/// What a moment does not say: SQL Server's `datetimeoffset` remembers where its clock was.
fn offsets(source: Backend, table: &Table, side: &Side) -> Vec<String> {
    let has_offset = |name: &str| {
        let original = table.column(name);
        source == Backend::SqlServer
            && original.is_some_and(|column| column.sql_type.starts_with("datetimeoffset"))
    };
    let columns = side.columns.iter().filter(|column| {
        has_offset(&column.name) && matches!(column.own, Type::Instant | Type::Timestamp)
    });
    columns
        .map(|column| {
            format!(
                "{}.{}: its moments are copied, and the offsets from UTC are left out",
                table.name, column.name
            )
        })
        .collect()
}
