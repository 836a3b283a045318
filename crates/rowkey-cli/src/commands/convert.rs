//! `rowkey convert`.

use clap::ValueEnum;
use rowkey_core::Error;
use serde::Serialize;

use crate::args::Convert;
use crate::failure::{Failure, Outcome, Stop};
use crate::prefix;
use crate::representation::{Codec, Printer, Representation, Subject};
use crate::stream::{RefusedLine, answer_each, json_line, text_line};

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<&'a str>,
    result: &'a str,
}

/// Converts the ids.
pub(super) fn run(args: &Convert, json: bool) -> Result<Outcome, Stop> {
    let from = Codec::new(args.format, args.from)?;
    let to = Printer::new(Codec::new(args.format, args.to)?, args.prefix.as_ref())?;
    answer_each(&args.ids, RefusedLine::EmptyLine, |text, line| {
        let text = text?;
        to.allow(text)?;
        let value = from
            .read(text)
            .map_err(|error| explain(from, args.format, text, error))?;
        let result = to.write(value)?;
        if json {
            json_line(
                line,
                &Answer {
                    id: text,
                    prefix: prefix::of(text),
                    result: &result,
                },
            );
        } else {
            text_line(line, &result);
        }
        Ok(())
    })
}

/// The error, with a hint if the text is another representation.
fn explain(from: Codec, subject: Subject, text: &str, error: Error) -> Failure {
    let located = |error: Error| match from.prefixed_format() {
        Some(_) => prefix::locate(text, error.into()),
        None => error.into(),
    };
    // A number of the right form but too large is a mistake, not another representation.
    if error.is_too_large() {
        return located(error);
    }
    // Stored uuids look like public ones.
    let recognisable = Representation::value_variants()
        .iter()
        .filter(|representation| {
            !matches!(
                representation,
                Representation::SqlServer | Representation::MariadbUuid
            )
        });
    let other = recognisable.copied().find(|representation| {
        Codec::new(subject, *representation).is_ok_and(|codec| codec.read(text).is_ok())
    });
    match other {
        Some(other) => Failure::from(error)
            .with_hint(format!("the id can be read with --from {}", other.name())),
        None => located(error),
    }
}
