//! Ids whose stored and public forms are known.

use std::str::FromStr;

use rowkey_core::Error;
use rowkey_core::storage::{Layout, Permutation};
use rowkey_core::text::hyphenated;

use crate::evidence::byte_order::ByteOrder;
use crate::values::part::{Certainty, Part};
use crate::values::survey::Shape;

/// An id whose two forms somebody knows: what the database shows, and what the programs show.
///
/// Written `STORED=PUBLIC`, both as hyphenated text or as 32 hexadecimal digits, with or without
/// `0x`.
///
/// ```
/// use rowkey_doctor::Witness;
///
/// let witness = "d01c25cc-63a7-47cc-b5ba-018e5f3bff48=018e5f3b-ff48-47cc-b5ba-d01c25cc63a7";
/// assert!(witness.parse::<Witness>().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    stored: u128,
    public: u128,
}

impl FromStr for Witness {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (stored, public) = text.split_once('=').unwrap_or((text, ""));
        Ok(Self {
            stored: bits(stored)?,
            public: bits(public)?,
        })
    }
}

/// The bits of a text, which may be the hexadecimal digits that a database shows for bytes.
fn bits(text: &str) -> Result<u128, Error> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let is_hexadecimal = digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u128::from_str_radix(digits, 16) {
        Ok(bits) if is_hexadecimal => Ok(bits),
        _ => hyphenated::parse(text),
    }
}

/// Lets the witnesses choose among the names of the same bits, and say which order the bytes have
/// where nothing else does.
pub(crate) fn judge(
    shape: &Shape,
    witnesses: &[Witness],
    parts: &mut [Part],
    evidence: &mut Vec<String>,
) {
    if witnesses.is_empty() {
        return;
    }
    for part in parts.iter_mut() {
        let names = part.layout.map(|layout| (part.format, layout));
        let names: Vec<_> = match names {
            Some(name) => std::iter::once(name).chain(part.twins.clone()).collect(),
            // Nothing in the values told the order of the bytes.
            None => Layout::ALL.map(|layout| (part.format, layout)).to_vec(),
        };
        let agreed = names.into_iter().find(|(format, layout)| {
            let order = order_of(shape, *format, *layout);
            order.is_some_and(|order| {
                let agrees = |witness: &Witness| order.apply(witness.public) == witness.stored;
                witnesses.iter().all(agrees)
            })
        });
        match agreed {
            Some((format, layout)) => {
                evidence.push(format!(
                    "By the witnesses, the ids are {} in the `{layout}` layout.",
                    format.name()
                ));
                (part.format, part.layout) = (format, Some(layout));
                part.is_readable = true;
                part.twins.clear();
                part.certainty = part.certainty.max(Certainty::Likely);
            }
            None => contradicted(witnesses, part, evidence),
        }
    }
}

/// The witnesses have the bytes in an order that no layout has.
fn contradicted(witnesses: &[Witness], part: &mut Part, evidence: &mut Vec<String>) {
    let mut orders = ByteOrder::ALL.into_iter();
    let order = orders.find(|order| {
        let agrees = |witness: &Witness| order.text(witness.stored) == witness.public;
        witnesses.iter().all(agrees)
    });
    let Some(order) = order else {
        evidence.push(format!(
            "The witnesses contradict every layout of {}: the bytes are in another order, or the \
             witnesses are not of these ids.",
            part.format.name()
        ));
        return;
    };
    evidence.push(format!("By the witnesses, the bytes are {}.", order.name()));
    evidence.push(order.advice());
    part.is_readable = false;
    part.certainty = part.certainty.max(Certainty::Likely);
}

/// The order of the bytes of a format in a layout, if the column may have it.
fn order_of(
    shape: &Shape,
    format: rowkey_core::format::FormatKind,
    layout: Layout,
) -> Option<Permutation> {
    shape.hypotheses.iter().find_map(|hypothesis| {
        let is_named = (hypothesis.format, hypothesis.layout) == (format, layout)
            || hypothesis.twins.contains(&(format, layout));
        if !is_named {
            return None;
        }
        crate::values::hypothesis::permutation(format, layout)
    })
}
