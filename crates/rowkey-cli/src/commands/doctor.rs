//! `rowkey doctor`.

use std::time::Duration;

use clap::Args;
use rowkey_doctor::{Request, Witness, examine};

use crate::database::{Database, progress};
use crate::failure::{Outcome, Stop};
use crate::stream::{json_line, print, text_line};
use crate::time::parse_duration;

/// Tell which format a column of an existing table holds, with the evidence
///
/// Reads a sample of 10,000 rows from all over the table, in a transaction that only reads. The
/// answer names the format, the order of the bytes, the shares of a mixture and damaged values,
/// what to declare and the next command. Random UUIDs are never called anything else; where nothing
/// tells the format or the order of the bytes, the answer says so, and the exit code is 1.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    database: Database,

    /// The table, or schema.table
    #[arg(long)]
    table: String,

    /// The column
    #[arg(long)]
    column: String,

    /// The column with the time at which a row was made [default: found by its name]
    #[arg(long, value_name = "COLUMN")]
    created: Option<String>,

    /// Read all rows
    #[arg(long)]
    full: bool,

    /// An id whose two forms are known, as uuids: what the database shows and what programs show
    ///
    /// It tells the order of the bytes where nothing in the column does. Repeatable.
    #[arg(long, value_name = "STORED=PUBLIC", value_parser = parse_witness)]
    witness: Vec<Witness>,

    /// How long a statement may take [default: 1m, and 1h with --full]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    timeout: Option<Duration>,
}

fn parse_witness(text: &str) -> Result<Witness, rowkey_tables::Error> {
    text.parse().map_err(rowkey_tables::Error::Core)
}

/// Prints the answer.
pub(super) fn run(args: &Doctor, json: bool) -> Result<Outcome, Stop> {
    let request = Request {
        created: args.created.clone(),
        full: args.full,
        witnesses: args.witness.clone(),
        timeout: args.timeout,
        url: args.database.option().map(str::to_owned),
        ..Request::new(args.table.as_str(), args.column.as_str())
    };
    let mut steps = progress(json);
    let report = args
        .database
        .with(async |connection| examine(connection, &request, &mut *steps).await)?;
    let mut lines = Vec::new();
    if json {
        json_line(&mut lines, &report);
    } else {
        for line in report.to_string().lines() {
            text_line(&mut lines, line);
        }
    }
    print(&lines)?;
    Ok(match report.format {
        Some(_) => Outcome::Complete,
        None => Outcome::SomeBad,
    })
}
