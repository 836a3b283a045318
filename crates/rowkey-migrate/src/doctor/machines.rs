//! HotGuids, which have no fixed bits: told by a plausible time and machine bytes that come back.

use std::collections::HashMap;

use rowkey_core::format::{FieldKind, FormatKind};

use super::chance::NEVER;
use super::diagnosis::{Certainty, Part, number_of};
use super::home::Home;
use super::hypothesis::Hypothesis;
use super::uuids::{Findings, Rest, place};

/// The natural logarithm of the probability that two random values have the same machine bytes.
const SAME_MACHINE: f64 = -27.7;

/// Takes the HotGuids away.
pub(super) fn examine(rest: &mut Rest<'_>, findings: &mut Findings) {
    let known = rest.shape.hypotheses.iter();
    let of_format = known.filter(|known| known.format == FormatKind::HotGuid);
    for hypothesis in of_format {
        let Some((share, chance)) = of_machines(rest, hypothesis) else {
            continue;
        };
        let is_all = share > 0.95;
        let count = (share * rest.count(|_| true) as f64).round();
        if is_all {
            rest.take(|_| true);
        } else {
            // The values of other formats have a version.
            rest.take(|signature| signature.versions[0] != 4 && signature.versions[0] != 7);
        }
        findings.evidence.push(format!(
            "{} begin with a plausible number of seconds since 1970, followed by the same five bytes \
             as in other values{}: those of the machines that made them.",
            number_of(count as u64, "value"),
            place(hypothesis.layout)
        ));
        let part = Part::of(hypothesis, count, Certainty::of(chance));
        findings.parts.push(part);
        return;
    }
}

/// The share of the values with a time and the machine bytes of others, and the logarithm of the
/// probability that it is chance.
fn of_machines(rest: &Rest<'_>, hypothesis: &Hypothesis) -> Option<(f64, f64)> {
    let fields = FormatKind::HotGuid.fields();
    let field = fields
        .iter()
        .find(|field| field.kind == FieldKind::Machine)?;
    let shift = 128 - u32::from(field.first_bit) - u32::from(field.width);
    let mask = u128::MAX >> (128 - u32::from(field.width));
    let rows = rest.shape.windows.rows();
    // Of each machine: values, those with a plausible time, and those that are UUIDs of version 1, whose
    // bytes come back for another reason.
    let mut machines: HashMap<u128, (u64, u64, u64)> = HashMap::new();
    for row in &rows {
        let value = hypothesis.public(row.stored);
        let seen = machines.entry(value >> shift & mask).or_default();
        seen.0 += 1;
        seen.1 += u64::from(hypothesis.admits(row.stored, rest.era));
        seen.2 += u64::from(matches!(Home::Text.version(row.stored), 1..=8));
    }
    let (mut found, mut chance) = (0, 0.0);
    for (values, plausible, versions) in machines.values() {
        if *values < 2 || plausible * 10 < values * 9 {
            continue;
        }
        found += plausible;
        chance += *plausible as f64 * hypothesis.chance.ln();
        if versions * 2 < *values {
            chance += (*values - 1) as f64 * SAME_MACHINE;
        }
    }
    (found > 0 && chance < NEVER).then(|| (found as f64 / rows.len() as f64, chance))
}
