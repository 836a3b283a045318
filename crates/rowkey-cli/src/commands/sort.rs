//! `rowkey sort`.

use std::io::Write;

use rowkey_core::format::FormatKind;
use rowkey_core::text::hyphenated;
use serde::Serialize;
use uuid::Uuid;

use crate::args::Sort;
use crate::failure::{Failure, Outcome, Stop};
use crate::prefix;
use crate::stream::{RefusedLine, answer_each, json_line, output, text_line};

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
}

/// Sorts the ids.
pub(super) fn run(args: &Sort, json: bool) -> Result<Outcome, Stop> {
    match args.format {
        Some(format) => public_ids(args, format, json),
        None => stored_uuids(args, json),
    }
}

fn stored_uuids(args: &Sort, json: bool) -> Result<Outcome, Stop> {
    let mut uuids = Vec::new();
    let outcome = answer_each(&args.ids, RefusedLine::Nothing, |text, _| {
        let text = text?;
        let uuid = hyphenated::parse(text).map_err(|error| match prefix::of(text) {
            Some(_) => Failure::from(error).with_hint("ids with a prefix need their --format"),
            None => error.into(),
        })?;
        uuids.push(Uuid::from_u128(uuid));
        Ok(())
    })?;
    args.backend.sort(&mut uuids);
    print(
        uuids.iter().map(|uuid| hyphenated::write(uuid.as_u128())),
        json,
    )?;
    Ok(outcome)
}

fn public_ids(args: &Sort, format: FormatKind, json: bool) -> Result<Outcome, Stop> {
    let column = args.backend.column(format)?;
    let mut ids = Vec::new();
    let outcome = answer_each(&args.ids, RefusedLine::Nothing, |text, _| {
        let text = text?;
        if let Some(prefix) = &args.prefix {
            prefix.allow(text)?;
        }
        let value = prefix::read(format, text)?;
        let prefix = args.prefix.as_deref().or_else(|| prefix::of(text));
        ids.push(match prefix {
            Some(prefix) => (value, prefix::key_text(prefix, format, value)?),
            None => (value, format.public_text(value).to_string()),
        });
        Ok(())
    })?;
    ids.sort_by(|(a, _), (b, _)| column.compare(*a, *b));
    print(ids.iter().map(|(_, text)| text), json)?;
    Ok(outcome)
}

fn print(texts: impl Iterator<Item = impl AsRef<str>>, json: bool) -> Result<(), Stop> {
    let mut output = output();
    let mut line = Vec::new();
    for text in texts {
        line.clear();
        if json {
            json_line(&mut line, &Answer { id: text.as_ref() });
        } else {
            text_line(&mut line, text.as_ref());
        }
        output.write_all(&line)?;
    }
    output.flush()?;
    Ok(())
}
