//! `rowkey sort`.

use std::io::Write;

use rowkey_core::text::hyphenated;
use serde::Serialize;
use uuid::Uuid;

use crate::args::Sort;
use crate::failure::{Outcome, Stop};
use crate::stream::{Gap, answer_each, json_line, output};

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
}

/// Sorts the uuids.
pub(super) fn run(args: &Sort, json: bool) -> Result<Outcome, Stop> {
    let mut uuids = Vec::new();
    let outcome = answer_each(&args.ids, Gap::Nothing, |text, _| {
        uuids.push(Uuid::from_u128(hyphenated::parse(text?)?));
        Ok(())
    })?;
    args.backend.sort(&mut uuids);
    let mut output = output();
    let mut line = Vec::new();
    for uuid in uuids {
        let text = hyphenated::write(uuid.as_u128());
        if json {
            line.clear();
            json_line(&mut line, &Answer { id: &text });
            output.write_all(&line)?;
        } else {
            output.write_all(text.as_bytes())?;
            output.write_all(b"\n")?;
        }
    }
    output.flush()?;
    Ok(outcome)
}
