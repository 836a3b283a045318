//! The README's storage table is the one in the code.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Layout, StoragePlan};

/// A format's cells: PostgreSQL, MySQL and MariaDB, SQLite, SQL Server.
fn cells(format: FormatKind) -> String {
    let plan = StoragePlan::default_for(format);
    [
        Backend::Postgres,
        Backend::MySql,
        Backend::Sqlite,
        Backend::SqlServer,
    ]
    .map(|backend| {
        let column = plan.column(backend);
        let sql_type = plan.column_type(backend).unwrap();
        let sql_type = match sql_type.as_str() {
            "TEXT COLLATE BINARY" => "`TEXT` of 28 digits".to_string(),
            plain => format!("`{plain}`"),
        };
        match column.layout() {
            Layout::Public => sql_type,
            layout => format!("{sql_type}, {layout} layout"),
        }
    })
    .join(" | ")
}

#[test]
fn the_storage_tables_are_the_default_matrix() {
    is_the_default_matrix(include_str!("../../../../README.md"));
    is_the_default_matrix(include_str!("../../../../docs/src/storage.md"));
}

#[track_caller]
fn is_the_default_matrix(page: &str) {
    let mut listed = 0;
    let (_, storage) = page.split_once("| format | PostgreSQL |").unwrap();
    for row in storage.lines().skip(2) {
        let Some((formats, rest)) = row.strip_prefix("| ").and_then(|row| row.split_once(" | "))
        else {
            break;
        };
        for name in formats.split(", ") {
            let name = name.trim_matches('`');
            let format = FormatKind::ALL
                .into_iter()
                .find(|kind| kind.type_name() == name)
                .unwrap();
            assert_eq!(rest.trim_end_matches(" |"), cells(format), "{name}");
            listed += 1;
        }
    }
    assert_eq!(listed, FormatKind::ALL.len());
}

#[test]
fn the_table_of_situations_names_every_format() {
    let page = include_str!("../../../../README.md");
    let (_, table) = page.split_once("| for | situation | format |").unwrap();
    let rows = table.lines().skip(2).take_while(|row| row.starts_with('|'));
    let cells = rows.filter_map(|row| row.split(" | ").nth(2));
    let mut named: Vec<_> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    named.sort_unstable();
    let mut formats = FormatKind::ALL.map(|kind| kind.type_name());
    formats.sort_unstable();
    assert_eq!(named, formats);
}
