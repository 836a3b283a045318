//! Sixteen bytes in the order of another program, which no layout has: told by where the version
//! is, and by the time of the versions that have one.

use std::collections::HashSet;

use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Layout, Wire};
use rowkey_core::uuid::Uuid;

use crate::evidence::rest::{Findings, Rest};
use crate::values::chance::{self, NEVER};
use crate::values::hypothesis::Era;
use crate::values::part::{Certainty, Part, number_of};
use crate::values::version_bits::{NO_VERSION, SHARE_OF_A_VERSION, VersionBits};

/// Fewer rows than this share of the values are not a reason to convert a column.
const SHARE: f64 = 0.05;

/// If more than this share of the values fits, all do.
const ALL: f64 = 0.95;

/// How many random values have the variant.
const SHARE_OF_THE_VARIANT: f64 = 0.25;

/// An order of the bytes that no layout has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    /// The bytes of a .NET `Guid`: those of the first three groups are in reverse.
    DotNet,
    /// MySQL's `UUID_TO_BIN(text, 1)`: the third group, the second, and the first.
    MySql,
}

impl ByteOrder {
    pub(crate) const ALL: [Self; 2] = [Self::DotNet, Self::MySql];

    /// The value in the order of its text.
    pub(crate) fn text(self, stored: u128) -> u128 {
        match self {
            Self::DotNet => Uuid::from_bytes_le(stored.to_be_bytes()).as_u128(),
            Self::MySql => {
                let (groups, rest) = ((stored >> 64) as u64, stored as u64);
                let ordered = groups << 32 | (groups >> 32 & 0xffff) << 16 | groups >> 48;
                u128::from(ordered) << 64 | u128::from(rest)
            }
        }
    }

    /// The version of a value that is stored in this order.
    pub(crate) fn version(self, stored: u128) -> u8 {
        VersionBits::Text.version(self.text(stored))
    }

    /// The digit in the place of the version, whatever the variant is.
    fn digit(self, stored: u128) -> u8 {
        (self.text(stored) >> 76 & 0xf) as u8
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::DotNet => "in the byte order of a .NET Guid",
            Self::MySql => "in the byte order of MySQL's UUID_TO_BIN(…, 1)",
        }
    }

    /// What puts the bytes in order.
    pub(crate) fn advice(self) -> String {
        let conversion = match self {
            Self::DotNet => "by exchanging the bytes of the first three groups",
            Self::MySql => {
                "by putting bytes 5 to 8 in front, then bytes 3 and 4, then bytes 1 and 2"
            }
        };
        format!(
            "No layout of rowkey has that order: convert the column, {conversion}, before a key is \
             declared."
        )
    }
}

/// A version that many values have in an order.
#[derive(Clone, Copy, Debug)]
struct Fit {
    order: ByteOrder,
    version: u8,
    share: f64,
    chance: f64,
    /// Whether the values have a plausible time as well.
    has_times: bool,
}

/// Takes away the values in an order that no layout has.
pub(crate) fn examine(rest: &mut Rest<'_>, findings: &mut Findings) {
    of_one_machine(rest, findings);
    let rows = rest.independent();
    let mut fits: Vec<Fit> = ByteOrder::ALL
        .into_iter()
        .filter_map(|order| best_fit(order, &rows, rest.era))
        .collect();
    // A version alone is a digit, which a clock may have there as well.
    if fits.iter().any(|fit| fit.has_times) {
        fits.retain(|fit| fit.has_times);
    }
    // One value in a few has some version in any order.
    let most = fits.iter().map(|fit| fit.share).fold(0.0, f64::max);
    let limit = if most > ALL { ALL } else { most / 2.0 };
    fits.retain(|fit| fit.share > limit);
    let [first, others @ ..] = &fits[..] else {
        return;
    };
    let fit = *first;
    let usual = usual_version(&rows);
    let total = rest.count(|_| true);
    let is_all = fit.share > ALL || !others.is_empty();
    let (taken, _) = rest.take(|signature| is_all || Some(signature.versions[0]) != usual);
    let count = match is_all {
        true => total,
        false => taken.min((fit.share * total as f64).round() as u64),
    };
    let all = if count == total && count > 1 {
        "All "
    } else {
        ""
    };
    let have = if count == 1 { "has" } else { "have" };
    let values = number_of(count, "value");
    if !others.is_empty() {
        let names: Vec<&str> = fits.iter().map(|fit| fit.order.name()).collect();
        findings.evidence.push(format!(
            "{all}{values} {have} a version of RFC 9562 {}: several orders fit, so none is named, and \
             no bytes should be exchanged before one id is known in both forms: --witness \
             STORED=PUBLIC.",
            names.join(", and one ")
        ));
        let any = FormatKind::AnyUuid;
        let part = Part::without_layout(any, count as f64, Certainty::CannotTell);
        findings.parts.push(part);
        return;
    }
    findings.evidence.push(format!(
        "{all}{values} {have} version {} and the variant of RFC 9562, {}.",
        fit.version,
        fit.order.name()
    ));
    let part = match (fit.order, fit.version) {
        (ByteOrder::DotNet, 1) => sequential(rest, fit, count, findings),
        (_, version) => {
            findings.evidence.push(fit.order.advice());
            let format = match version {
                4 => FormatKind::UuidV4,
                7 => FormatKind::UuidV7,
                _ => FormatKind::AnyUuid,
            };
            let mut part = Part::without_layout(format, count as f64, Certainty::Likely);
            part.is_readable = false;
            part
        }
    };
    findings.parts.push(part);
    let others = taken - count;
    if others > 0 {
        findings.evidence.push(format!(
            "{} {} no version of RFC 9562 in that order, nor in the usual one.",
            number_of(others, "other value"),
            if others == 1 { "has" } else { "have" }
        ));
        let any = FormatKind::AnyUuid;
        let part = Part::without_layout(any, others as f64, Certainty::Likely);
        findings.parts.push(part);
    }
}

/// Takes away UUIDs of version 1 if some are in another order, and end like those that are not: the
/// machine and its sequence are in the same place in all orders.
fn of_one_machine(rest: &mut Rest<'_>, findings: &mut Findings) {
    if !matches!(rest.shape.wire, Wire::Bytes(_)) {
        return;
    }
    let rows = rest.shape.windows.rows();
    let has_time = |version, value| {
        version == 1 && time_of(version, value).is_some_and(|time| rest.era.contains(time))
    };
    let (public, others): (Vec<u128>, Vec<u128>) = rows
        .iter()
        .map(|row| row.stored)
        .partition(|stored| has_time(VersionBits::Text.version(*stored), *stored));
    // Few look so by chance.
    if (public.len() as f64) < rows.len() as f64 * SHARE {
        return;
    }
    let machines: HashSet<u64> = public.iter().map(|value| *value as u64).collect();
    let moved = ByteOrder::ALL.map(|order| {
        let moved = others.iter().copied().filter(|stored| {
            machines.contains(&(*stored as u64))
                && has_time(order.version(*stored), order.text(*stored))
        });
        (order, moved.collect::<Vec<u128>>())
    });
    let most = moved.into_iter().max_by_key(|(_, moved)| moved.len());
    let Some((order, moved)) = most.filter(|(_, moved)| !moved.is_empty()) else {
        return;
    };
    let total = rest.count(|_| true);
    let share = moved.len() as f64 / rows.len() as f64;
    let versions: HashSet<u8> = moved
        .iter()
        .map(|stored| VersionBits::Text.version(*stored))
        .chain([1])
        .collect();
    let (taken, _) = rest.take(|signature| versions.contains(&signature.versions[0]));
    let count = ((share * total as f64).round() as u64).clamp(1, taken.max(1));
    findings.evidence.push(format!(
        "{} of {} {} of version 1 {}, with a plausible time and the machine of others.",
        number_of(count, "value"),
        number_of(total, "value"),
        if count == 1 { "is" } else { "are" },
        order.name()
    ));
    findings.evidence.push(order.advice());
    let any = FormatKind::AnyUuid;
    let mut part = Part::without_layout(any, count as f64, Certainty::Certain);
    part.is_readable = false;
    let others = taken.saturating_sub(count) as f64;
    let mut public = Part::without_layout(any, others, Certainty::Certain);
    public.layout = Some(Layout::Public);
    findings.parts.extend([part, public]);
}

/// UUIDs of version 1 that are shown in the order of .NET: SQL Server makes them so.
fn sequential(rest: &Rest<'_>, fit: Fit, count: u64, findings: &mut Findings) -> Part {
    findings.evidence.push(
        "SQL Server's NEWSEQUENTIALID() makes such ids: the time and the machine, for which rowkey has \
         no format of its own."
            .to_owned(),
    );
    let mut part =
        Part::without_layout(FormatKind::AnyUuid, count as f64, Certainty::of(fit.chance));
    if matches!(rest.shape.wire, Wire::Bytes(_)) {
        findings.evidence.push(
            "Bytes of a .NET Guid look the same if other programs made the ids: --witness \
             STORED=PUBLIC tells it."
                .to_owned(),
        );
        part.certainty = Certainty::Likely;
    } else {
        part.layout = Some(Layout::Public);
    }
    part
}

/// The version that more of the values have in an order than chance explains.
fn best_fit(order: ByteOrder, rows: &[u128], era: Era) -> Option<Fit> {
    let fits = (1..=8).flat_map(|version| {
        let is_of_version = |stored: &&u128| order.version(**stored) == version;
        let with: Vec<u128> = rows.iter().filter(is_of_version).copied().collect();
        let timed = with.iter().filter(|stored| {
            time_of(version, order.text(**stored)).is_some_and(|time| era.contains(time))
        });
        let timed = timed.count();
        let fit = |count: usize, probability: f64, has_times: bool| Fit {
            order,
            version,
            share: count as f64 / rows.len().max(1) as f64,
            chance: chance::at_least(count as u64, rows.len() as u64, probability),
            has_times,
        };
        let mut of_digit = fit(with.len(), SHARE_OF_A_VERSION, false);
        let digits = rows
            .iter()
            .filter(|stored| order.digit(**stored) == version);
        let digits = digits.count() as u64;
        let of_variant = chance::at_least(with.len() as u64, digits, SHARE_OF_THE_VARIANT);
        if is_one_byte(order, &with) {
            of_digit.chance = of_digit.chance.max(of_variant);
        }
        let of_times = share_of_times(version, era)
            .map(|share| fit(timed, SHARE_OF_A_VERSION * share, timed * 2 > with.len()));
        let has_machines =
            matches!(version, 1 | 6) && timed * 20 > with.len() * 19 && come_back(&with);
        // Generators give their variant to all, and chance gives it to some of those with a digit.
        let is_by_chance = (with.len() as u64) < digits && of_variant > NEVER / 2.0;
        let is_usual = is_by_chance || is_elsewhere(&with, has_machines, era);
        [Some(of_digit), of_times.filter(|fit| fit.has_times)]
            .into_iter()
            .flatten()
            .filter(move |_| !is_usual)
    });
    let surprising = fits.filter(|fit| fit.chance < NEVER && fit.share > SHARE);
    surprising.min_by(|a, b| a.chance.total_cmp(&b.chance))
}

/// Whether all values have the same byte where the version is: one digit of it is not more than
/// both. A time may have such a byte as well, a random one does not.
fn is_one_byte(order: ByteOrder, values: &[u128]) -> bool {
    let mut bytes = values.iter().map(|stored| order.text(*stored) >> 72 & 0xff);
    let first = bytes.next();
    bytes.all(|byte| Some(byte) == first)
}

/// Whether values mostly have one version where a layout has it, and a digit of it elsewhere by
/// their time. `has_machines` is whether they have a time and a machine elsewhere.
fn is_elsewhere(values: &[u128], has_machines: bool, era: Era) -> bool {
    let (number, half_of_never) = (values.len() as u64, NEVER / 2.0);
    VersionBits::ALL.into_iter().any(|version_bits| {
        (1..=8).any(|version| {
            let here = values
                .iter()
                .filter(|stored| version_bits.version(**stored) == version);
            let count = here.clone().count() as u64;
            let is_timed = |stored: &&u128| {
                version_bits == VersionBits::Text
                    && time_of(version, **stored).is_some_and(|time| era.contains(time))
            };
            // Not 1 in 64: most orders have the variant in the same place.
            count * 2 > number
                && chance::at_least(count, number, 1.0 / 16.0) < half_of_never
                && (!has_machines || here.filter(is_timed).count() as u64 * 2 > number)
        })
    })
}

/// Whether the last six bytes, which name the machine, are those of other values.
fn come_back(values: &[u128]) -> bool {
    let mut machines: Vec<u64> = values
        .iter()
        .map(|stored| *stored as u64 & 0xffff_ffff_ffff)
        .collect();
    machines.sort_unstable();
    machines.dedup();
    machines.len() * 2 <= values.len()
}

/// The most frequent version in the usual place.
fn usual_version(rows: &[u128]) -> Option<u8> {
    let mut counts = [0_usize; NO_VERSION as usize];
    for row in rows {
        if let Some(count) = counts.get_mut(usize::from(VersionBits::Text.version(*row))) {
            *count += 1;
        }
    }
    let most = counts.iter().enumerate().max_by_key(|(_, count)| **count);
    most.map(|(version, _)| version as u8)
}

/// Between 1582-10-15 and 1970.
const GREGORIAN_MS: i64 = 12_219_292_800_000;

/// The time of a UUID whose version has one, in the order of its text.
pub(super) fn time_of(version: u8, value: u128) -> Option<UnixMillis> {
    let gregorian = |ticks: u64| UnixMillis::new((ticks / 10_000) as i64 - GREGORIAN_MS);
    let high = (value >> 64) as u64;
    Some(match version {
        1 => gregorian((high & 0xfff) << 48 | (high >> 16 & 0xffff) << 32 | high >> 32),
        6 => gregorian(high >> 16 << 12 | high & 0xfff),
        7 => UnixMillis::new((high >> 16) as i64),
        _ => return None,
    })
}

/// How many random times of a version are plausible.
fn share_of_times(version: u8, era: Era) -> Option<f64> {
    let millis = (era.to - era.from) as f64;
    match version {
        1 | 6 => Some(millis * 10_000.0 / 2_f64.powi(60)),
        7 => Some(millis / 2_f64.powi(48)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_that_before_the_bytes_were_moved() {
        let text = 0x5b96_586c_8285_11ee_92c2_0015_5d01_2345_u128;
        for (order, stored) in [
            (ByteOrder::DotNet, 0x6c58_965b_8582_ee11_92c2_0015_5d01_2345),
            (ByteOrder::MySql, 0x11ee_8285_5b96_586c_92c2_0015_5d01_2345),
        ] {
            assert_eq!(order.text(stored), text, "{order:?}");
            assert_eq!(order.version(stored), 1, "{order:?}");
        }
    }

    #[test]
    fn versions_with_a_time_have_it() {
        // RFC 9562's own examples, of 2022-02-22T19:22:22Z.
        for (version, text) in [
            (1, 0xc232_ab00_9414_11ec_b3c8_9f6b_dece_d846_u128),
            (6, 0x1ec9_414c_232a_6b00_b3c8_9f6b_dece_d846),
            (7, 0x017f_22e2_79b0_7cc3_98c4_dc0c_0c07_398f),
        ] {
            assert_eq!(
                time_of(version, text),
                Some(UnixMillis::new(1_645_557_742_000))
            );
        }
    }
}
