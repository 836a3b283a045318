//! `rowkey range`.

use std::io::Write;

use rowkey_core::Luuid;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Layout, Stored, not_an_identifier};
use rowkey_core::time_range::{ValueRange, ValueRanges};
use serde::Serialize;

use crate::args::Range;
use crate::failure::{Failure, Outcome, Stop, stays_in_line};
use crate::number::Group;
use crate::stream::{json_line, output, text_line};
use crate::target::column_name;
use crate::time::Interval;

/// One half-open interval; a bound that is `null` is open.
#[derive(Serialize)]
struct Answer {
    lower: Option<String>,
    upper: Option<String>,
    lower_public: Option<String>,
    upper_public: Option<String>,
}

/// Prints the conditions.
pub(super) fn run(args: &Range, json: bool) -> Result<Outcome, Stop> {
    let ranges = match args.short_key {
        Some(short_key) => of_short_key(args, short_key)?,
        None => of_span(args)?,
    };
    let column = args.backend.column(args.format, args.storage.as_deref())?;
    if !args
        .table
        .iter()
        .chain([&args.column])
        .all(|name| name.chars().all(stays_in_line))
    {
        let problem = "the name has a control character, and a condition is one line";
        return Err(not_an_identifier(problem).into());
    }
    if column.layout() == Layout::PublicUnordered {
        return Err(Stop::Failure(Failure::wrong_usage(
            format_args!(
                "{} has no ranges as public-unordered: SQL Server sorts it by random bytes",
                column.format().name()
            ),
            "filter by a time column",
        )));
    }
    let name = column_name(args.table.as_deref(), &args.column)?;
    let name = name.quoted(args.backend.backend())?;
    let mut output = output();
    let mut line = Vec::new();
    let mut is_empty = true;
    for range in ranges.within(column.max_value()).iter().copied() {
        is_empty = false;
        line.clear();
        if json {
            json_line(&mut line, &answer(column, range));
        } else {
            text_line(&mut line, &condition(column, &name, range));
        }
        output.write_all(&line)?;
    }
    if is_empty && !json {
        // In a template, an empty condition would match every row.
        output.write_all(b"1 = 0\n")?;
    }
    output.flush()?;
    Ok(Outcome::Complete)
}

/// The luuids with a short key.
fn of_short_key(args: &Range, short_key: u64) -> Result<ValueRanges, Failure> {
    if args.format != FormatKind::Luuid {
        return Err(Failure::wrong_usage(
            format_args!("{} has no short keys", args.format.name()),
            "--short-key is for luuid",
        ));
    }
    let group = args.group.as_ref().map(Group::resolve).transpose()?;
    Ok(Luuid::number_range(group, short_key)?)
}

/// The ids made from `--from` until before `--to`.
fn of_span(args: &Range) -> Result<ValueRanges, Failure> {
    let &Range {
        format, from, to, ..
    } = args;
    if args.interval.is_some() && !Interval::belongs_to(format) {
        return Err(Failure::wrong_usage(
            format_args!("{} has no interval", format.name()),
            "--interval is for short-prefix-comb and short-suffix-comb",
        ));
    }
    if args.group.is_some() {
        return Err(Failure::wrong_usage(
            "--group does not belong to a time span",
            "give the --short-key of the group, or leave out --group",
        ));
    }
    if from > to {
        return Err(Failure::wrong_usage(
            "--from is later than --to",
            "swap the two times",
        ));
    }
    let interval_ms = args.interval.unwrap_or_default().millis();
    format.value_ranges(from, to, interval_ms).ok_or_else(|| {
        Failure::wrong_usage(
            format_args!("{} carries no time", format.name()),
            "luuid, uuid-v4, any-uuid and database-number have no time ranges; --short-key finds a luuid by \
             its number",
        )
    })
}

fn condition(column: Column, name: &str, range: ValueRange) -> String {
    let lower = range
        .lower
        .map(|lower| format!("{name} >= {}", column.literal(lower)));
    let upper = range
        .upper
        .map(|upper| format!("{name} < {}", column.literal(upper)));
    match (lower, upper) {
        (Some(lower), Some(upper)) => format!("{lower} AND {upper}"),
        (Some(edge), None) | (None, Some(edge)) => edge,
        // Every id.
        (None, None) => format!("{name} IS NOT NULL"),
    }
}

fn answer(column: Column, range: ValueRange) -> Answer {
    let stored = |edge: Option<u128>| edge.map(|value| plain(&column.encode(value)));
    let public =
        |edge: Option<u128>| edge.map(|value| column.format().public_text(value).to_string());
    Answer {
        lower: stored(range.lower),
        upper: stored(range.upper),
        lower_public: public(range.lower),
        upper_public: public(range.upper),
    }
}

/// The stored value, without the quotes of an SQL literal.
fn plain(stored: &Stored) -> String {
    match stored {
        Stored::Uuid(bytes) => uuid::Uuid::from_bytes(*bytes).to_string(),
        Stored::Bytes(bytes) => bytes
            .as_slice()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        Stored::Decimal(value) => value.to_string(),
        Stored::Text(text) => text.to_string(),
        Stored::Integer(number) => number.to_string(),
    }
}
