//! `rowkey inventory`.

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use rowkey_tables::inventory::{Inventory, InventoryTable, Origin, Reference};

use crate::database::Database;
use crate::failure::{Outcome, Stop};
use crate::stream::{json_line, print, text_line};

/// Show the tables of a database: keys, references, and dependent objects
///
/// References without a constraint are told from their names, their types and a look at some rows;
/// they are marked as likely, with the reason. Nothing is written.
#[derive(Debug, Args)]
pub(crate) struct Inventories {
    #[command(flatten)]
    database: Database,
}

/// Prints the tables.
pub(super) fn run(args: &Inventories, json: bool) -> Result<Outcome, Stop> {
    let inventory = args
        .database
        .with(async |connection| Inventory::read(connection).await)?;
    let mut lines = Vec::new();
    if json {
        json_line(&mut lines, &inventory);
    } else {
        write(&mut lines, &inventory);
        if !inventory.other_schemas.is_empty() {
            let names = inventory.other_schemas.join(", ");
            eprintln!(
                "note: there are tables in other schemas, which an address can choose: {names}"
            );
        }
    }
    print(&lines)?;
    Ok(Outcome::Complete)
}

fn write(lines: &mut Vec<u8>, inventory: &Inventory) {
    let mut shown = Table::new();
    shown.load_style(UTF8_HORIZONTAL_ONLY);
    shown.set_header(["table", "rows", "keys", "references", "used by"]);
    for table in &inventory.tables {
        let rows = table.rows.map_or("?".to_owned(), |rows| rows.to_string());
        let name = table.table.to_string();
        shown.add_row([
            name,
            rows,
            keys(table),
            references(table),
            dependents(table),
        ]);
    }
    for line in shown.to_string().lines() {
        text_line(lines, line.trim_end());
    }
    for table in &inventory.tables {
        for reference in &table.references {
            if let Origin::Likely { reason, evidence } = &reference.origin {
                let looked = match evidence {
                    Some(found) => {
                        format!("; {} of {} values exist there", found.found, found.sampled)
                    }
                    None => String::new(),
                };
                text_line(
                    lines,
                    &format!(
                        "likely: {}.{} refers to {}: {reason}{looked}",
                        table.table,
                        reference.columns.join(", "),
                        reference.target,
                    ),
                );
            }
        }
    }
    for sentence in &inventory.unseen {
        text_line(lines, &format!("unseen: {sentence}"));
    }
}

fn keys(table: &InventoryTable) -> String {
    let keys = table.keys.iter().map(|key| {
        let kind = if key.is_primary { "" } else { ", unique" };
        format!("{} ({}{kind})", key.column, key.sql_type)
    });
    let composite = table.composite_keys.iter().map(|key| {
        let kind = if key.is_primary { "" } else { " unique" };
        format!("({}){kind}", key.columns.join(", "))
    });
    keys.chain(composite).collect::<Vec<_>>().join("\n")
}

fn references(table: &InventoryTable) -> String {
    let line = |reference: &Reference| {
        let mark = match reference.origin {
            Origin::Likely { .. } => " (likely)",
            _ => "",
        };
        format!(
            "{} -> {}.{}{mark}",
            reference.columns.join(", "),
            reference.target,
            reference.target_columns.join(", ")
        )
    };
    let lines = table.references.iter().map(line);
    lines.collect::<Vec<_>>().join("\n")
}

fn dependents(table: &InventoryTable) -> String {
    let lines = table
        .dependents
        .iter()
        .map(|dependent| format!("{} {}", dependent.kind.name(), dependent.name));
    lines.collect::<Vec<_>>().join("\n")
}
