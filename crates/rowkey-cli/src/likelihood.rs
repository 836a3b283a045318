//! How likely it is that 128 bits are an id of a format.
//!
//! What speaks for a format is measured in bits, as the logarithm of how rarely other values look as
//! much like one of its ids: its fixed bits count, and how near to now its time is. A time before 2000
//! or more than a year ahead makes it unlikely whatever its bits.

use std::time::Duration;

use rowkey_core::format::{FormatKind, interval_counter};
use rowkey_core::{
    DistributedId, DistributedId128, Luuid, ShortPrefixComb, ShortSuffixComb, UnixMillis,
};
use serde::Serialize;
use uuid::{Uuid, Variant};

use crate::time::Interval;

/// What a reading is worth next to the others of the same text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Likelihood {
    /// The first to try.
    MostLikely,
    /// Not much less likely.
    Possible,
    /// Of a time in which nobody made ids, or with next to nothing that speaks for it.
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

/// One way to understand a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The format.
    pub(crate) format: FormatKind,
    /// The 128 bits.
    pub(crate) value: u128,
    /// What it is worth next to the others.
    pub(crate) likelihood: Likelihood,
}

/// A way to understand a text that has not been compared with the others.
pub(crate) struct Candidate {
    /// The format.
    pub(crate) format: FormatKind,
    /// The 128 bits, which the format admits.
    pub(crate) value: u128,
    /// How it reads the text.
    pub(crate) form: Form,
}

/// How a candidate reads the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As only ids of this format are written, such as the digits of a DistributedId.
    Own,
    /// In the encoding that the text most likely has.
    Common,
    /// In another encoding.
    Other,
}

/// A reading that so many bits less speak for than for the best is unlikely.
const MUCH_LESS: f64 = 7.0;

/// Random UUIDs are so common that they count for more than their six fixed bits. A short COMB counts
/// for as much when its counter is of the last of the 45.5 days of its ring.
const COMMON: f64 = 5.5;

/// The evidence for [`FormatKind::AnyUuid`], which fits everything and says nothing. The versions of
/// RFC 9562 that rowkey has no format for, 1, 3 and 5, have six fixed bits.
const NOTHING_ELSE: f64 = 4.0;

/// A number below 10^28, as every DistributedId is, among those of 128 bits.
const BELOW_28_DIGITS: f64 = 35.0;

/// What a form of its own adds.
const OWN_FORM: f64 = 16.0;

/// What speaks against an encoding if the text more likely has another.
const OTHER_FORM: f64 = -8.0;

/// Sorts the candidates, the most likely first. One in its own form is never unlikely, but without a
/// time it is not the most likely either.
pub(crate) fn rank(candidates: Vec<Candidate>, now: UnixMillis) -> Vec<Reading> {
    let judge = |candidate: Candidate| {
        let evidence = evidence(candidate.format, candidate.value, now);
        let bits = match (candidate.form, evidence) {
            (Form::Own, None) => BELOW_28_DIGITS,
            (_, None) => f64::NEG_INFINITY,
            (Form::Own, Some(bits)) => bits + OWN_FORM,
            (Form::Common, Some(bits)) => bits,
            (Form::Other, Some(bits)) => bits + OTHER_FORM,
        };
        (bits, evidence.is_some(), candidate)
    };
    let mut judged: Vec<_> = candidates.into_iter().map(judge).collect();
    // Stable: of equals, the order of the documentation stays.
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
            } else if candidate.form == Form::Own || bits > best - MUCH_LESS {
                Likelihood::Possible
            } else {
                Likelihood::Unlikely
            },
        })
        .collect();
    readings.sort_by_key(|reading| reading.likelihood);
    readings
}

/// What speaks for an id of a format that admits these bits; `None` if no program makes such ids now.
fn evidence(format: FormatKind, value: u128, now: UnixMillis) -> Option<f64> {
    let time = match format.time_of(value) {
        Some(time) => Some(plausible(time, now)?),
        None => None,
    };
    // Among times of so many bits of milliseconds.
    let near = |bits: f64| time.map_or(0.0, |distance| bits - (2.0 * distance).log2());
    let ring = |counter: Option<u16>| counter.map_or(0.0, |counter| recent(counter, now));
    Some(match format {
        FormatKind::Luuid => 8.0 + small(Luuid::try_from(value).ok()?.number()),
        FormatKind::Iuid => 10.0 + near(48.0),
        FormatKind::UuidV7 | FormatKind::PrefixComb | FormatKind::SuffixComb => 6.0 + near(48.0),
        FormatKind::ShortPrefixComb => {
            let id = ShortPrefixComb::<60_000>::try_from(value).ok();
            6.0 + ring(id.map(ShortPrefixComb::counter))
        }
        FormatKind::ShortSuffixComb => {
            let id = ShortSuffixComb::<60_000>::try_from(value).ok();
            6.0 + ring(id.map(ShortSuffixComb::counter))
        }
        FormatKind::UuidV4 => 6.0 + COMMON,
        FormatKind::DistributedId => {
            let id = DistributedId::try_from(value).ok()?;
            id.looks_generated().then(|| BELOW_28_DIGITS + near(45.0))?
        }
        FormatKind::DistributedId128 => {
            let id = DistributedId128::try_from(value).ok()?;
            id.looks_generated().then(|| 5.0 + near(48.0))?
        }
        FormatKind::HotGuid => near(42.0),
        FormatKind::AnyUuid => {
            let uuid = Uuid::from_u128(value);
            let is_of_others = uuid.get_variant() == Variant::RFC4122
                && matches!(uuid.get_version_num(), 1 | 3 | 5);
            NOTHING_ELSE + if is_of_others { 6.0 } else { 0.0 }
        }
    })
}

/// Milliseconds between a time of our time and now, at least an hour's: from 2000 to a year ahead.
fn plausible(time: UnixMillis, now: UnixMillis) -> Option<f64> {
    const YEAR_2000: UnixMillis = UnixMillis::new(946_684_800_000);
    const YEAR: Duration = Duration::from_secs(366 * 86_400);
    const HOUR_MS: u64 = 3_600_000;
    let distance = time.get().abs_diff(now.get()).max(HOUR_MS);
    (YEAR_2000 <= time && time <= now.saturating_add(YEAR)).then_some(distance as f64)
}

/// What a counter near the current one says; one of a clock that is a little fast is near, too.
fn recent(counter: u16, now: UnixMillis) -> f64 {
    const FAST: u16 = 10;
    let Ok(here) = interval_counter(now, Interval::default().millis()) else {
        return 0.0;
    };
    let (past, ahead) = (here.wrapping_sub(counter), counter.wrapping_sub(here));
    let steps = if ahead <= FAST { ahead } else { past };
    16.0 - (f64::from(steps) + 1.0).log2()
}

/// What it says that a number of 48 bits begins with zeros, as those that are counted do.
fn small(number: u64) -> f64 {
    48.0 - (number as f64 + 1.0).log2()
}
