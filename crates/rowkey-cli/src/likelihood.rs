//! How likely it is that 128 bits are an id of a format.
//!
//! The evidence for a format is measured in bits: the logarithm of how rarely other values match it
//! as well. It comes from the fixed bits, and from how near to now the time is. A time before 2000
//! or more than a year ahead makes a format unlikely, regardless of its bits.

use std::time::Duration;

use rowkey_core::format::{FieldKind, FormatKind, interval_counter};
use rowkey_core::{DistributedId, Luuid, UnixMillis};
use serde::Serialize;
use uuid::{Uuid, Variant};

use crate::fields::interval_of;
use crate::time::Interval;

/// How likely a reading is, compared with the others of the same text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Likelihood {
    /// The best reading.
    MostLikely,
    /// Not much less likely.
    Possible,
    /// With an implausible time, or almost without evidence.
    Unlikely,
}

impl Likelihood {
    /// The name in the output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MostLikely => "most likely",
            Self::Possible => "possible",
            Self::Unlikely => "unlikely",
        }
    }
}

/// One way to read a text as an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) format: FormatKind,
    /// The 128 bits.
    pub(crate) value: u128,
    /// How likely it is, compared with the others.
    pub(crate) likelihood: Likelihood,
}

/// A reading that has not been compared with the others yet.
pub(crate) struct Candidate {
    pub(crate) format: FormatKind,
    /// The 128 bits, which the format admits.
    pub(crate) value: u128,
    /// The form in which it reads the text.
    pub(crate) form: ReadingForm,
}

/// The form in which a candidate reads the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingForm {
    /// A form that only this format has, such as the digits of a DistributedId.
    Own,
    /// In the encoding that the text most likely has.
    Common,
    /// In another encoding.
    Other,
}

/// A reading with this much less evidence than the best one is unlikely, in bits.
const MUCH_LESS: f64 = 7.0;

/// A bonus in bits for random UUIDs, because they are more common than their six fixed bits
/// suggest. A short COMB reaches the same evidence if its counter is of the last day of its cycle
/// of 45.5 days.
const COMMON: f64 = 5.5;

/// The evidence for [`FormatKind::AnyUuid`], which matches everything. Versions 1, 3 and 5 of RFC
/// 9562, for which rowkey has no format, have six fixed bits in addition.
const NOTHING_ELSE: f64 = 4.0;

/// The evidence of a number below 10^28, as in every DistributedId, among those of 128 bits.
const BELOW_28_DIGITS: f64 = 35.0;

/// A bonus for a form that only the format has.
const OWN_FORM: f64 = 16.0;

/// A penalty if the text more likely has another encoding.
const OTHER_FORM: f64 = -8.0;

/// Sorts the candidates, the most likely first. A candidate in a form that only its format has is
/// never unlikely, but without a plausible time it is not the most likely one either.
pub(crate) fn rank(candidates: Vec<Candidate>, now: UnixMillis) -> Vec<Reading> {
    let judge = |candidate: Candidate| {
        let evidence = evidence(candidate.format, candidate.value, now);
        let bits = match (candidate.form, evidence) {
            (ReadingForm::Own, None) => BELOW_28_DIGITS,
            (_, None) => f64::NEG_INFINITY,
            (ReadingForm::Own, Some(bits)) => bits + OWN_FORM,
            (ReadingForm::Common, Some(bits)) => bits,
            (ReadingForm::Other, Some(bits)) => bits + OTHER_FORM,
        };
        (bits, evidence.is_some(), candidate)
    };
    let mut judged: Vec<_> = candidates.into_iter().map(judge).collect();
    // A stable sort keeps equals in the order of the documentation.
    judged.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
    let best = judged.first().map_or(0.0, |(bits, ..)| *bits);
    let mut readings: Vec<_> = judged
        .into_iter()
        .enumerate()
        .map(|(index, (bits, is_of_our_time, candidate))| Reading {
            format: candidate.format,
            value: candidate.value,
            likelihood: if index == 0 && is_of_our_time {
                Likelihood::MostLikely
            } else if candidate.form == ReadingForm::Own || bits > best - MUCH_LESS {
                Likelihood::Possible
            } else {
                Likelihood::Unlikely
            },
        })
        .collect();
    readings.sort_by_key(|reading| reading.likelihood);
    readings
}

/// The evidence for a format that admits these bits, in bits; `None` if no program makes such ids
/// now.
fn evidence(format: FormatKind, value: u128, now: UnixMillis) -> Option<f64> {
    let time = match format.time_of(value) {
        Some(time) => Some(plausible(time, now)?),
        None => None,
    };
    let mut fixed = 0.0;
    let mut near = 0.0;
    for field in format.fields() {
        let width = f64::from(field.width);
        let shift = 128 - field.first_bit - field.width;
        match field.kind {
            FieldKind::Version(_) | FieldKind::Variant(_) => fixed += width,
            FieldKind::Constant(constant) => {
                if value >> shift & (u128::MAX >> (128 - field.width)) != constant.into() {
                    return None;
                }
                fixed += width;
            }
            FieldKind::Time { unit_ms, .. } => {
                // The size of the field, in milliseconds.
                let size = width + f64::from(unit_ms).log2().ceil();
                near = time.map_or(0.0, |distance| size - (2.0 * distance).log2());
            }
            _ => {}
        }
    }
    if let Some(counter) = interval_of(format, value) {
        near = recent(counter, now);
    }
    let bits = fixed + near;
    Some(match format {
        FormatKind::Luuid => bits + small(Luuid::try_from(value).ok()?.number()),
        FormatKind::UuidV4 => bits + COMMON,
        FormatKind::DistributedId => {
            let id = DistributedId::try_from(value).ok()?;
            id.looks_generated().then_some(bits)?
        }
        FormatKind::AnyUuid => {
            let uuid = Uuid::from_u128(value);
            let is_of_others = uuid.get_variant() == Variant::RFC4122
                && matches!(uuid.get_version_num(), 1 | 3 | 5);
            NOTHING_ELSE + if is_of_others { 6.0 } else { 0.0 }
        }
        _ => bits,
    })
}

/// Milliseconds between a plausible time (from 2000 to a year ahead) and now, at least an hour's.
fn plausible(time: UnixMillis, now: UnixMillis) -> Option<f64> {
    const YEAR_2000: UnixMillis = UnixMillis::new(946_684_800_000);
    const YEAR: Duration = Duration::from_secs(366 * 86_400);
    const HOUR_MS: u64 = 3_600_000;
    let distance = time.get().abs_diff(now.get()).max(HOUR_MS);
    (YEAR_2000 <= time && time <= now.saturating_add(YEAR)).then_some(distance as f64)
}

/// The evidence of a counter near the current one, with a margin for fast clocks.
fn recent(counter: u16, now: UnixMillis) -> f64 {
    const FAST: u16 = 10;
    let Ok(here) = interval_counter(now, Interval::default().millis()) else {
        return 0.0;
    };
    let (past, ahead) = (here.wrapping_sub(counter), counter.wrapping_sub(here));
    let steps = if ahead <= FAST { ahead } else { past };
    16.0 - (f64::from(steps) + 1.0).log2()
}

/// The evidence of leading zeros in a number of 48 bits: numbers are allocated in ascending order.
fn small(number: u64) -> f64 {
    48.0 - (number as f64 + 1.0).log2()
}
