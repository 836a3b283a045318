//! `rowkey crc12`.

use serde::Serialize;

use crate::args::Crc12;
use crate::failure::{Outcome, Stop};
use crate::number::group_of;
use crate::stream::{RefusedLine, answer_each, json_line, text_line};

#[derive(Serialize)]
struct Answer<'a> {
    text: &'a str,
    crc12: u16,
    hex: String,
}

/// Prints the CRC-12 of the names.
pub(super) fn run(args: &Crc12, json: bool) -> Result<Outcome, Stop> {
    answer_each(&args.ids, RefusedLine::EmptyLine, |text, line| {
        let text = text?;
        let group = group_of(text)?;
        let (crc12, hex) = (group.get(), group.to_string());
        match json {
            true => json_line(line, &Answer { text, crc12, hex }),
            false => text_line(line, &hex),
        }
        Ok(())
    })
}
