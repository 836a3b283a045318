//! The job's text, without a database.

use super::*;
use rowkey_tables::catalog::{
    Column, ForeignKey, Generated, Key, KeyDefinition, ReferenceAttributes, ReferentialAction,
    Table,
};
use rowkey_tables::types::ColumnType;

use crate::tables::table_side::Content;

const PLAN: &str = r#"
version = 1
source = "SOURCE"
target = "TARGET"

[[table]]
name = "offer"
becomes = "offer"
catalog = ""

[[table.column]]
name = "id"
from = "UUID_TYPE"
format = "uuid-v7"
stored-from = "uuid:public"
stored-to = "uuid:sql-server"

[[table.column]]
name = "it's"
from = "text"
to = "text"

[[table]]
name = "note"
becomes = "note"
catalog = ""

[[table.column]]
name = "number"
from = "bigint"
to = "bigint"

[[table.column]]
name = "offer_id"
from = "UUID_TYPE"
format = "uuid-v7"
stored-from = "uuid:public"
stored-to = "uuid:sql-server"

[[table.column]]
name = "seen"
from = "INSTANT"
to = "MADE"
"#;

fn column(name: &str, sql_type: &str, is_nullable: bool) -> Column {
    Column {
        name: name.into(),
        is_nullable,
        ..Column::of_type(sql_type)
    }
}

fn table(name: &str, key: &str, columns: Vec<Column>) -> Table {
    Table {
        columns,
        keys: vec![Key {
            name: String::new(),
            columns: vec![key.into()],
            is_primary: true,
            definition: KeyDefinition::Columns,
        }],
        ..Table::new(name)
    }
}

/// A plan and what the source's catalogue says.
fn planned(source: Backend, target: Backend) -> (String, Catalog) {
    let is_postgres = source == Backend::Postgres;
    let (uuid, instant, made) = match is_postgres {
        true => ("uuid", "timestamp with time zone", "datetime(6)"),
        false => ("binary(16)", "timestamp(6)", "timestamp with time zone"),
    };
    let plan = PLAN
        .replace("SOURCE", source.name())
        .replace("TARGET", target.name())
        .replace("UUID_TYPE", uuid)
        .replace("INSTANT", instant)
        .replace("MADE", made);
    let offer = vec![column("id", uuid, false), column("it's", "text", false)];
    let mut counted = column("number", "bigint", false);
    counted.generated = if is_postgres {
        Generated::Identity
    } else {
        Generated::AutoIncrement
    };
    let note = vec![
        counted,
        column("offer_id", uuid, true),
        column("seen", instant, true),
    ];
    let mut note = table("note", "number", note);
    note.foreign_keys.push(ForeignKey {
        name: "note_offer".into(),
        columns: vec!["offer_id".into()],
        target: "offer".into(),
        target_columns: vec!["id".into()],
        on_update: ReferentialAction::NoAction,
        on_delete: ReferentialAction::Cascade,
        attributes: ReferenceAttributes::default(),
    });
    let catalog = Catalog {
        backend: source,
        tables: vec![table("offer", "id", offer), note],
        unseen: Vec::new(),
    };
    (plan, catalog)
}

fn written(plan: &str, catalog: &Catalog) -> Result<String, Error> {
    written_for(plan, catalog, &Request::default())
}

fn written_for(plan: &str, catalog: &Catalog, request: &Request) -> Result<String, Error> {
    let plan = CopyPlan::from_toml(plan)?;
    let tables = tables(&plan, catalog, request)?;
    let found = |table: &str, ranges: &[&str]| TableRanges {
        table: table.into(),
        columns: Vec::new(),
        ranges: ranges.iter().map(ToString::to_string).collect(),
    };
    let found = [
        found("note", &["number < 5", "number >= 5"]),
        found("offer", &["1 = 1"]),
    ];
    job(&plan, &tables, &found)
}

#[test]
fn a_job_from_postgresql_to_mariadb() {
    let (plan, catalog) = planned(Backend::Postgres, Backend::MariaDb);
    insta::assert_snapshot!(written(&plan, &catalog).unwrap());
}

#[test]
fn the_tables_of_a_job_from_mysql_to_postgresql() {
    let (plan, catalog) = planned(Backend::MySql, Backend::Postgres);
    let job = written(&plan, &catalog).unwrap();
    let start = job.find("TABLES = ").unwrap();
    let end = job.find("# Without a size").unwrap();
    insta::assert_snapshot!(&job[start..end]);
}

#[test]
fn a_reference_to_a_table_outside_the_job_is_left_out_by_name() {
    let (plan, catalog) = planned(Backend::Postgres, Backend::MariaDb);
    let request = Request {
        table: Some("note".into()),
        ..Request::default()
    };
    let job = written_for(&plan, &catalog, &request).unwrap();
    assert!(!job.contains("REFERENCES"), "{job}");
    assert!(
        job.contains(
            "note: the reference of offer_id to offer is left out: that table is not copied"
        ),
        "{job}"
    );
    // Jobs of one plan may run at the same time.
    assert!(job.contains("_1`\","), "{job}");
}

#[test]
fn values_go_as_what_the_target_reads_exactly() {
    let way = |(source, from): (Backend, &str), (target, to): (Backend, &str)| {
        let [from, to] = [
            ColumnType::parse(source, from),
            ColumnType::parse(target, to),
        ];
        let kind = from.kind_in(&to).unwrap();
        let side = |sql_type: ColumnType| {
            let own = sql_type.meaning().unwrap();
            ColumnSide::new("c", sql_type, own, Content::Values(kind))
        };
        let (from, to) = (side(from), side(to));
        transport((source, &from), (target, &to), "c", "v").map(|way| way.select)
    };
    let (postgres, mariadb) = (Backend::Postgres, Backend::MariaDb);
    for (from, to, expected) in [
        (
            (postgres, "real"),
            (mariadb, "float"),
            "c::double precision",
        ),
        ((postgres, "real"), (postgres, "real"), "c"),
        ((mariadb, "float"), (postgres, "real"), "(c * 1e0)"),
        (
            (postgres, "character(3)"),
            (mariadb, "varchar(3)"),
            "rpad(c::text, 3)",
        ),
        (
            (postgres, "smallint"),
            (mariadb, "year(4)"),
            "lpad(c::text, 4, '0')",
        ),
        (
            (postgres, "timestamp with time zone"),
            (postgres, "timestamp without time zone"),
            "(c AT TIME ZONE 'UTC')::text",
        ),
        ((postgres, "interval"), (postgres, "interval"), "c::text"),
        ((postgres, "text"), (mariadb, "uuid"), "c::uuid::text"),
    ] {
        assert_eq!(way(from, to).as_deref(), Ok(expected), "{from:?} {to:?}");
    }
    for (from, to, expected) in [
        (
            (postgres, "interval"),
            (mariadb, "varchar(80)"),
            "intervals",
        ),
        ((mariadb, "time"), (postgres, "interval"), "intervals"),
        ((postgres, "inet"), (postgres, "text"), "network addresses"),
        ((mariadb, "bit(3)"), (mariadb, "bit(3)"), "bits"),
        ((mariadb, "point"), (mariadb, "point"), "types without text"),
    ] {
        let why = way(from, to).unwrap_err();
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn what_a_job_would_not_copy_exactly_is_refused_by_name() {
    let (plan, mut catalog) = planned(Backend::Postgres, Backend::MariaDb);
    let refusal = |plan: &str, catalog: &Catalog| written(plan, catalog).unwrap_err().to_string();
    let sqlite = refusal(&plan.replace("\"mariadb\"", "\"sqlite\""), &catalog);
    assert!(sqlite.contains("from or to SQLite"), "{sqlite}");
    let compact = refusal(&plan.replace("uuid:sql-server", "text-compact"), &catalog);
    assert!(
        compact.contains("offer.id: ") && compact.contains("compact text"),
        "{compact}"
    );
    let instead = refusal(
        &plan.replace(
            "to = \"datetime(6)\"",
            "to = \"datetime(6)\"\ninstead = { infinity = \"null\" }",
        ),
        &catalog,
    );
    assert!(
        instead.contains("note.seen: ") && instead.contains("`instead`"),
        "{instead}"
    );
    catalog.tables[1].keys.clear();
    let without_key = refusal(&plan, &catalog);
    assert!(without_key.contains("the table note"), "{without_key}");
}
