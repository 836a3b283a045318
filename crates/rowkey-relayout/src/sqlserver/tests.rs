//! The script, without a server.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_tables::catalog::{
    Catalog, Column, ForeignKey, Generated, Key, ReferenceAttributes, ReferentialAction, Table,
};
use rowkey_tables::{Connection, Silent};

use super::*;
use crate::Phase;
use crate::plan::{Plan, Policy, Request};

fn table(name: &str, columns: &[&str], foreign_keys: Vec<ForeignKey>) -> Table {
    let column = |name: &&str| Column {
        name: (*name).into(),
        is_nullable: *name == "parent_id",
        ..Column::of_type("uniqueidentifier")
    };
    Table {
        columns: columns.iter().map(column).collect(),
        keys: vec![Key {
            name: format!("pk_{name}"),
            columns: vec!["id".into()],
            is_primary: true,
            definition: String::from("CLUSTERED").into(),
        }],
        foreign_keys,
        ..Table::new(name)
    }
}

#[test]
fn a_script_has_all_phases() {
    let uuids = |_: &mut Table| {};
    insta::assert_snapshot!(script(uuids, Some("uuid:public-unordered"), None));
}

#[test]
fn a_script_of_new_ids_has_a_map() {
    let numbers = |table: &mut Table| {
        for column in &mut table.columns {
            column.sql_type = "bigint".into();
        }
        if table.name.name == "order" {
            table.columns[0].generated = Generated::Identity;
            table.columns.push(Column {
                name: "placed".into(),
                sql_type: "datetime2(7)".into(),
                ..table.columns[0].clone()
            });
        }
    };
    insta::assert_snapshot!(script(numbers, None, Some("placed")));
}

/// The statements, with a connection that only stands for one.
fn script(change: impl Fn(&mut Table), from: Option<&str>, created: Option<&str>) -> String {
    let reference = ForeignKey {
        name: "fk".into(),
        columns: vec!["parent_id".into()],
        target: "order".into(),
        target_columns: vec!["id".into()],
        on_update: ReferentialAction::NoAction,
        on_delete: ReferentialAction::Cascade,
        attributes: ReferenceAttributes::default(),
    };
    let mut tables = vec![
        table("line", &["id", "parent_id"], vec![reference]),
        table("order", &["id"], Vec::new()),
    ];
    tables.iter_mut().for_each(change);
    let catalog = Catalog {
        backend: Backend::SqlServer,
        tables,
        unseen: Vec::new(),
    };
    let request = Request {
        table: "order".into(),
        column: "id".into(),
        format: FormatKind::UuidV7,
        from: from.map(Into::into),
        to: "uuid".into(),
        created: created.map(Into::into),
        unasserted: Vec::new(),
        policy: Policy::default(),
    };
    let plan = Plan::for_key(&catalog, &request).unwrap();
    let mut work = Work::new(&plan, &catalog).unwrap();
    work.mark = "m".into();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let script = runtime.unwrap().block_on(async {
        let address = "sqlite::memory:".parse().unwrap();
        let mut connection = Connection::open(&address).await.unwrap();
        let mut silent = Silent;
        let mut runner = Runner::dry(&mut connection, &mut silent);
        expand(&mut runner, &work).await.unwrap();
        backfill(&mut runner, &work).await.unwrap();
        check(&mut runner, &work).await.unwrap();
        swap(&mut runner, &work).await.unwrap();
        runner.begins("undo");
        undo(&mut runner, &work, Phase::Swap).await.unwrap();
        runner.begins("contract");
        contract(&mut runner, &work).await.unwrap();
        runner.into_script()
    });
    script.join("\n")
}
