//! Columns of numbers: decimals, digits, integers, and twelve bytes.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Wire;

use crate::evidence::rest::Findings;
use crate::values::chance::{self, NEVER};
use crate::values::damage::DamageKind;
use crate::values::part::{Certainty, Part, number_of};
use crate::values::reading::show_stored;
use crate::values::survey::Shape;

/// A number that the database counted is hardly larger.
const LARGEST_COUNTED: u128 = 1 << 44;

/// Examines the numbers of a column.
pub(crate) fn examine(shape: &Shape) -> Findings {
    let mut findings = Findings::default();
    if shape.wire == Wire::Integer {
        integers(shape, &mut findings);
    } else {
        distributed_ids(shape, &mut findings);
    }
    findings
}

fn integers(shape: &Shape, findings: &mut Findings) {
    let largest = shape.windows.rows().iter().map(|row| row.stored).max();
    let is_counted = largest.is_none_or(|largest| largest < LARGEST_COUNTED);
    let certainty = match is_counted {
        true => Certainty::Certain,
        false => Certainty::Likely,
    };
    findings.evidence.push(match is_counted {
        true => "The values are whole numbers from 0 on, as the database counts them.".to_owned(),
        false => {
            "The values are whole numbers of 64 bits, too large to have been counted: they may \
                  contain a time, which no format of 64 bits here has."
                .to_owned()
        }
    });
    let rows = shape.count as f64;
    for hypothesis in &shape.hypotheses {
        findings.parts.push(Part::of(hypothesis, rows, certainty));
    }
}

fn distributed_ids(shape: &Shape, findings: &mut Findings) {
    let mut left = shape.count;
    for (index, hypothesis) in shape.hypotheses.iter().enumerate() {
        let admitted = |admitted: u64| admitted >> index & 1 == 1;
        let tallies = shape.tallies.iter();
        let found = tallies.filter(|tally| admitted(tally.signature.admitted));
        let count: u64 = found.map(|tally| tally.count).sum();
        let chance = chance::at_least(count, shape.count, hypothesis.chance_of_time);
        let is_some = count * 2 < shape.count;
        if count == 0 || !hypothesis.is_told_by_values() || is_some && chance > NEVER {
            continue;
        }
        findings
            .parts
            .push(Part::of(hypothesis, count as f64, Certainty::of(chance)));
        left = left.saturating_sub(count);
        let rows = number_of(count, "value");
        findings.evidence.push(format!(
            "{rows} begin with a time since 2000 as {} have it; of random numbers, one in {:.0} does.",
            hypothesis.format.name(),
            1.0 / hypothesis.chance_of_time
        ));
    }
    if findings.parts.is_empty() {
        findings.evidence.push(
            "The numbers carry no time that a format of rowkey has, so nothing tells how they were \
             made."
                .to_owned(),
        );
        let format = FormatKind::DistributedId;
        let part = shape.hypotheses.iter().find(|known| known.format == format);
        if let Some(hypothesis) = part {
            let rows = shape.count as f64;
            findings
                .parts
                .push(Part::of(hypothesis, rows, Certainty::CannotTell));
        }
        return;
    }
    let strange = shape
        .tallies
        .iter()
        .filter(|tally| tally.signature.admitted == 0);
    let mut examples: Vec<u128> = strange
        .flat_map(|tally| tally.examples.iter().copied())
        .collect();
    examples.sort_unstable();
    let examples = examples
        .into_iter()
        .map(|stored| show_stored(shape.wire, stored));
    findings
        .damages
        .push((DamageKind::ImplausibleTime, left, examples.collect()));
}
