//! Columns of sixteen bytes, in whatever form.

use std::collections::{HashMap, HashSet};

use rowkey_core::format::FormatKind;
use rowkey_core::storage::{BinaryLength, Layout, Permutation, TextForm, Wire};

use crate::evidence::bits;
use crate::evidence::byte_order::{self, ByteOrder, time_of};
use crate::evidence::machines;
use crate::evidence::makers;
use crate::evidence::random;
use crate::evidence::rest::{Findings, Group, Rest, admits, place};
use crate::values::chance::{self, CERTAIN, NEVER};
use crate::values::damage::DamageKind;
use crate::values::hypothesis::{Era, Hypothesis};
use crate::values::part::{Certainty, Part, number_of};
use crate::values::reservoir;
use crate::values::survey::Shape;
use crate::values::tallies::Signature;
use crate::values::version_bits::{NO_VERSION, SHARE_OF_A_VERSION, VersionBits};
use crate::values::window::Kept;

/// Whether the values of a shape are 128 bits.
pub(crate) fn are_uuids(shape: &Shape) -> bool {
    matches!(
        shape.wire,
        Wire::Uuid
            | Wire::NativeUuid
            | Wire::Bytes(BinaryLength::Bytes16)
            | Wire::Text(
                TextForm::Hyphenated
                    | TextForm::HyphenatedUpper
                    | TextForm::Hex
                    | TextForm::HexUpper
                    | TextForm::Compact22
            )
    )
}

/// Examines the values.
pub(crate) fn examine(shape: &Shape, era: Era) -> Findings {
    let mut findings = Findings::default();
    let mut rest = Rest::new(shape, era);
    reversed_segments(&mut rest, &mut findings);
    makers::examine_bytes(&mut rest, &mut findings);
    byte_order::examine(&mut rest, &mut findings);
    numbers_in_sixteen_bytes(&mut rest, &mut findings, FormatKind::DistributedId);
    // First the ids of other makers: some have the constant of a DistributedId128 by chance.
    makers::examine(&mut rest, &mut findings);
    numbers_in_sixteen_bytes(&mut rest, &mut findings, FormatKind::DistributedId128);
    machines::examine(&mut rest, &mut findings);
    padded_with_zeros(&mut rest, &mut findings);
    versions(&mut rest, &mut findings);
    without_version(&mut rest, &mut findings);
    findings
}

/// The five groups of a UUID in reverse, which MariaDB's type gives back for some of version 8.
fn reversed_segments(rest: &mut Rest<'_>, findings: &mut Findings) {
    if rest.shape.wire != Wire::NativeUuid {
        return;
    }
    let rows = rest.shape.windows.rows();
    let is_iuid = |value: u128| {
        let time = FormatKind::Iuid.time_of(value);
        FormatKind::Iuid.admits(value) && time.is_some_and(|time| rest.era.contains(time))
    };
    // In reverse, version 8 and the variant change places, and both look as before.
    let damaged: Vec<u128> = rows
        .iter()
        .map(|row| row.stored)
        .filter(|stored| !is_iuid(*stored) && is_iuid(forward(*stored)))
        .collect();
    let v8 = rest.count(|signature| signature.versions[0] == 8);
    if damaged.is_empty() || v8 == 0 {
        return;
    }
    let share = damaged.len() as f64 / rows.len() as f64;
    let count = (share * rest.shape.count as f64).round() as u64;
    let examples = rest.show(&damaged);
    findings
        .damages
        .push((DamageKind::SegmentsReversed, count, examples));
}

/// The value whose groups are these, from the last to the first.
fn forward(reversed: u128) -> u128 {
    let [s0, s1, s2, s3, s4, s5, tail @ ..] = reversed.to_be_bytes();
    let [s6, s7, s8, s9, s10, s11, s12, s13, s14, s15] = tail;
    u128::from_be_bytes([
        s10, s11, s12, s13, s14, s15, s8, s9, s6, s7, s4, s5, s0, s1, s2, s3,
    ])
}

/// Numbers with leading zeros or a constant of their own instead of a version.
fn numbers_in_sixteen_bytes(rest: &mut Rest<'_>, findings: &mut Findings, format: FormatKind) {
    let luuid = rest
        .hypothesis(FormatKind::Luuid, VersionBits::Text)
        .map(|(index, _)| index);
    for version_bits in [VersionBits::Text, VersionBits::SqlServer] {
        let Some((index, hypothesis)) = rest.hypothesis(format, version_bits) else {
            continue;
        };
        let total = rest.count(|_| true);
        let count = rest.count(|signature| admits(signature, index));
        // LUUIDs with some small numbers look like a DistributedId, and some of those like LUUIDs.
        let also_luuid = rest.count(|signature| {
            admits(signature, index) && luuid.is_some_and(|luuid| admits(signature, luuid))
        });
        let chance = chance::at_least(count, total, hypothesis.chance);
        let is_all = count == total && version_bits == VersionBits::Text;
        let limit = if is_all { -8.0 } else { NEVER };
        let of_marks = chance_of_marks(rest, hypothesis);
        let is_by_marks = count == total || of_marks < limit / 2.0;
        if count == 0 || also_luuid * 2 >= count || chance > limit || !is_by_marks {
            continue;
        }
        rest.take(|signature| admits(signature, index));
        let part = Part::of(hypothesis, count as f64, Certainty::of(of_marks));
        findings.parts.push(part);
        findings.evidence.push(format!(
            "{} have the leading zeros or the constant bits of {} and a time since 2000{}; of \
             random values, one in {:.0} does.",
            number_of(count, "value"),
            format.name(),
            place(hypothesis.layout),
            1.0 / hypothesis.chance
        ));
    }
}

/// The logarithm of the probability that those of the values which have a plausible time have the
/// constant bits of a format by chance: clocks of other makers have such times, too.
fn chance_of_marks(rest: &Rest<'_>, hypothesis: &Hypothesis) -> f64 {
    let Some(times) = hypothesis.times() else {
        return f64::NEG_INFINITY;
    };
    let (mask, _) = hypothesis.marks();
    let share = 0.5_f64.powi(mask.count_ones() as i32);
    let rows = reservoir::independent_in_any_order(&rest.shape.spread.rows());
    let timed: Vec<Kept> = rows
        .into_iter()
        .filter(|row| times.contain(row.stored))
        .collect();
    let is_admitted = |row: &&Kept| hypothesis.admits(row.stored, rest.era);
    let admitted: Vec<Kept> = timed.iter().filter(is_admitted).copied().collect();
    // A number that counts over the bits after the time has them by chance once, for many values.
    let after = hypothesis.random_bits() & hypothesis.public_bits(0xffff << 64);
    let is_counted = bits::not_random(&admitted, &[], after).count_ones() > 2;
    let of_rows = chance::at_least(admitted.len() as u64, timed.len() as u64, share);
    let times = |rows: &[Kept]| {
        let times = rows.iter().map(|row| hypothesis.time_key(row.stored));
        times.collect::<HashSet<_>>().len() as u64
    };
    match is_counted {
        true => of_rows.max(chance::at_least(times(&admitted), times(&timed), share)),
        false => of_rows,
    }
}

fn padded_with_zeros(rest: &mut Rest<'_>, findings: &mut Findings) {
    let total = rest.count(|_| true);
    let padded = rest.count(|signature| signature.ends_in_zeros);
    let (count, examples) = if padded * 10 > total {
        // Whole columns of some formats end in zeros. Bits that are drawn at random never do, but
        // what is before them still tells the format.
        let is_random = |signature: &Signature| matches!(signature.versions[0], 4 | 7);
        rest.look(|signature| signature.ends_in_zeros && is_random(signature))
    } else {
        rest.take(|signature| signature.ends_in_zeros)
    };
    if count > 0 {
        let examples = rest.show(&examples);
        findings
            .damages
            .push((DamageKind::ZeroPadded, count, examples));
    }
}

/// Takes away the UUIDs that have a version, the most frequent version and place first.
fn versions(rest: &mut Rest<'_>, findings: &mut Findings) {
    let total = rest.count(|_| true);
    let mut taken: Vec<(VersionBits, u8)> = Vec::new();
    let mut refused: Vec<(VersionBits, u8)> = Vec::new();
    loop {
        let cells = VersionBits::ALL
            .into_iter()
            .enumerate()
            .flat_map(|(place, version_bits)| {
                (1..=8).map(move |version| (place, version_bits, version))
            })
            .filter(|(_, version_bits, version)| !refused.contains(&(*version_bits, *version)))
            .filter(|(_, version_bits, _)| is_possible(*version_bits, rest.shape))
            .map(|(place, version_bits, version)| {
                let has_it = |signature: &Signature| signature.versions[place] == version;
                (rest.count(has_it), place, version_bits, version)
            });
        // Of equals, the first one, whose version is in the usual place.
        let best = cells.rev().max_by_key(|(count, ..)| *count);
        let Some((count, place, version_bits, version)) = best.filter(|(count, ..)| *count > 0)
        else {
            break;
        };
        let left = rest.count(|_| true);
        let is_random = chance::at_least(count, left, SHARE_OF_A_VERSION) > NEVER
            || (version_bits != VersionBits::Text
                && (is_of_text(rest, place, version, count) || is_of_numbers(rest, version)));
        // Programs go from random UUIDs to those with a time.
        let of_both = rest.count(|signature| matches!(signature.versions[0], 4 | 7));
        let is_whole = (count == left || of_both == left) && version_bits == VersionBits::Text;
        // Among UUIDs, another version in the usual place isn't chance.
        let is_usual = version_bits == VersionBits::Text
            && taken
                .iter()
                .any(|(version_bits, _)| *version_bits == VersionBits::Text);
        if is_random && !is_whole && !is_usual {
            refused.push((version_bits, version));
            continue;
        }
        taken.push((version_bits, version));
        let group = Group {
            place,
            version_bits,
            version,
            count,
            total,
            earlier: &taken[..taken.len() - 1],
        };
        group.examine(rest, findings);
        rest.take(|signature| signature.versions[place] == version);
    }
}

/// Whether the values with a version in another place mostly have one version in the usual place,
/// such as those with a constant byte there.
fn is_of_text(rest: &Rest<'_>, place: usize, version: u8, count: u64) -> bool {
    (1..=8).any(|usual| {
        let both = rest.count(|signature| {
            signature.versions[place] == version && signature.versions[0] == usual
        });
        both * 2 > count
    })
}

/// Whether the values with a version in the order of SQL Server have nothing else of it: neither a
/// time, nor anything drawn beside the variant. Two numbers in a row may look like that.
fn is_of_numbers(rest: &Rest<'_>, version: u8) -> bool {
    let rows = rest.shape.windows.rows();
    let rows = rows.iter().map(|row| row.stored);
    let rows = rows.filter(|stored| VersionBits::SqlServer.version(*stored) == version);
    let rows: Vec<u128> = rows.collect();
    let are_most = |number: usize| number * 2 > rows.len();
    let format = match version {
        6 => Some(FormatKind::Luuid),
        7 => Some(FormatKind::UuidV7),
        8 => Some(FormatKind::Iuid),
        _ => None,
    };
    let hypothesis = format.and_then(|format| rest.hypothesis(format, VersionBits::SqlServer));
    if let Some((_, hypothesis)) = hypothesis {
        let admitted = rows.iter().filter(|row| hypothesis.admits(**row, rest.era));
        if are_most(admitted.count()) {
            return false;
        }
    }
    let values = rows.iter().map(|row| Permutation::SqlServer.invert(*row));
    match version {
        1 | 6 => {
            let times = values.filter_map(|value| time_of(version, value));
            !are_most(times.filter(|time| rest.era.contains(*time)).count())
        }
        _ => {
            let variants: HashSet<u128> = values.map(|value| value >> 56 & 0xff).collect();
            rows.len() > 2 && variants.len() == 1
        }
    }
}

/// Whether a column may have its bytes in this order.
fn is_possible(version_bits: VersionBits, shape: &Shape) -> bool {
    match version_bits {
        VersionBits::Text => true,
        VersionBits::SqlServer => shape
            .hypotheses
            .iter()
            .any(|hypothesis| hypothesis.layout == Layout::SqlServer),
    }
}

impl Group<'_> {
    fn examine(&self, rest: &mut Rest<'_>, findings: &mut Findings) {
        let whole = self.count == self.total;
        let rows = number_of(self.count, "value");
        let order = match self.version_bits {
            VersionBits::Text => String::new(),
            VersionBits::SqlServer => place(Layout::SqlServer),
        };
        let all = if whole && self.count > 1 { "All " } else { "" };
        let have = if self.count == 1 { "has" } else { "have" };
        findings.evidence.push(format!(
            "{all}{rows} {have} version {} and the variant of RFC 9562{order}.",
            self.version
        ));
        match self.version {
            4 => random::examine(self, rest, findings),
            6 => self.of_format(FormatKind::Luuid, rest, findings),
            7 => self.of_format(FormatKind::UuidV7, rest, findings),
            8 => self.of_format(FormatKind::Iuid, rest, findings),
            _ => self.of_others(self.count, rest, findings),
        }
    }

    /// Versions for which rowkey has one format, told by its own fields.
    fn of_format(&self, format: FormatKind, rest: &mut Rest<'_>, findings: &mut Findings) {
        let Some((index, hypothesis)) = rest.hypothesis(format, self.version_bits) else {
            self.of_others(self.count, rest, findings);
            return;
        };
        let count = rest.count(|signature| self.has(signature) && admits(signature, index));
        let others = self.count - count;
        let is_by_chance = chance::at_least(count, self.count, hypothesis.chance) > NEVER;
        if count == 0 || count * 2 < self.count && is_by_chance {
            self.of_others(self.count, rest, findings);
            return;
        }
        let certainty = Certainty::of(self.chance_of_other_makers(hypothesis, rest));
        findings
            .parts
            .push(Part::of(hypothesis, count as f64, certainty));
        let what = match format {
            FormatKind::Luuid => "the variant and a number of the size",
            _ => "a time since 2000 in the place",
        };
        findings.evidence.push(format!(
            "{} of them have {what} of {}; of random values of that version, one in {:.0} does.",
            number_of(count, "value"),
            format.name(),
            1.0 / hypothesis.chance
        ));
        if others == 0 {
            return;
        }
        if format == FormatKind::UuidV7 {
            let (_, examples) =
                rest.take(|signature| self.has(signature) && !admits(signature, index));
            let examples = rest.show(&examples);
            findings
                .damages
                .push((DamageKind::ImplausibleTime, others, examples));
        } else {
            self.of_others(others, rest, findings);
        }
    }

    /// The logarithm of the probability that ids of other makers, which begin with the same time,
    /// look like those of the format: it falls with each value that they draw anew.
    fn chance_of_other_makers(&self, hypothesis: &Hypothesis, rest: &Rest<'_>) -> f64 {
        let rows = rest.shape.windows.rows();
        let rows = rows.iter().filter(|row| self.contains(row.stored));
        let values = rows.filter(|row| hypothesis.admits(row.stored, rest.era));
        let values: Vec<u128> = values.map(|row| hypothesis.public(row.stored)).collect();
        // Some makers count in the last bits within a millisecond.
        let drawn: HashSet<u64> = values.iter().map(|value| *value as u64 >> 32).collect();
        let drawn = drawn.len() as f64;
        match hypothesis.format {
            // Ids of another maker's version 8 have any bits in the place of an IUID's context.
            FormatKind::Iuid => {
                let mut contexts: HashMap<u8, u64> = HashMap::new();
                for value in &values {
                    *contexts.entry((value >> 54) as u8).or_default() += 1;
                }
                let most = contexts.values().max().copied().unwrap_or(0);
                let by_context = chance::at_least(most, values.len() as u64, 1.0 / 256.0);
                match drawn * 2.0 > values.len() as f64 {
                    true => by_context + 256_f64.ln(),
                    false => 0.0,
                }
            }
            FormatKind::UuidV7 => drawn * SHARE_OF_A_VERSION.ln(),
            _ => values.len() as f64 * (hypothesis.chance * SHARE_OF_A_VERSION).ln(),
        }
    }

    /// Whether all values have a plausible time.
    fn has_times(&self, rest: &Rest<'_>) -> bool {
        let rows = rest.shape.windows.rows();
        rows.iter().all(|row| {
            time_of(self.version, row.stored).is_some_and(|time| rest.era.contains(time))
        })
    }

    /// UUIDs of a version that rowkey has no format for.
    fn of_others(&self, count: u64, rest: &Rest<'_>, findings: &mut Findings) {
        let kind = match self.version {
            1 => "the time and the machine",
            2 => "the time and the domain",
            3 => "an MD5 hash",
            5 => "a SHA-1 hash",
            6 => "the time and the machine, in order",
            7 => "an implausible time",
            _ => "whatever their maker wanted",
        };
        findings.evidence.push(format!(
            "By their version {}, {} contain {kind}, for which rowkey has no format of its own.",
            self.version,
            number_of(count, "value")
        ));
        let has_any_order = matches!(
            rest.shape.wire,
            Wire::Bytes(_) | Wire::Text(TextForm::Hex | TextForm::HexUpper)
        );
        // Hashes and bytes in another order have a version by chance.
        let mut certainty = match has_any_order {
            true => Certainty::of(self.total as f64 * SHARE_OF_A_VERSION.ln()),
            false => Certainty::Certain,
        };
        if has_any_order
            && count == self.total
            && !self.has_times(rest)
            && let Some(evidence) = in_other_orders(rest, count)
        {
            findings.evidence.push(evidence);
            certainty = Certainty::CannotTell;
        }
        let mut part = Part::without_layout(FormatKind::AnyUuid, count as f64, certainty);
        part.layout = match self.version_bits {
            _ if certainty == Certainty::CannotTell => None,
            VersionBits::Text => Some(Layout::Public),
            _ => Some(Layout::SqlServer),
        };
        merge(&mut findings.parts, part);
    }
}

/// Adds a part to one with the same name, if there is one.
fn merge(parts: &mut Vec<Part>, part: Part) {
    let same = |known: &&mut Part| (known.format, known.layout) == (part.format, part.layout);
    match parts.iter_mut().find(same) {
        Some(known) => known.rows += part.rows,
        None => parts.push(part),
    }
}

/// Fewer values than these may have one version in another place by chance.
const FEWEST_ELSEWHERE: u64 = 9;

/// How the orders are said in which all of a few values have one version.
fn whole_orders(values: &[u128], shape: &Shape) -> Vec<&'static str> {
    let is_one = |version_of: &dyn Fn(u128) -> u8| {
        let mut versions = values.iter().map(|stored| version_of(*stored));
        let first = versions.next();
        first.is_some_and(|first| (1..=8).contains(&first) && versions.all(|other| other == first))
    };
    let is_sql_server = is_possible(VersionBits::SqlServer, shape)
        && is_one(&|stored| VersionBits::SqlServer.version(stored));
    let others = ByteOrder::ALL.into_iter();
    let others = others.filter(|order| is_one(&|stored| order.version(stored)));
    let others = others.map(ByteOrder::name);
    is_sql_server
        .then_some("in the order of the `sql-server` layout")
        .into_iter()
        .chain(others)
        .collect()
}

/// That all of a few values have one version in other orders of their bytes.
fn in_other_orders(rest: &Rest<'_>, count: u64) -> Option<String> {
    if count >= FEWEST_ELSEWHERE {
        return None;
    }
    let rows = rest.shape.windows.rows();
    let few: Vec<u128> = rows.iter().map(|row| row.stored).collect();
    let orders = whole_orders(&few, rest.shape);
    (!orders.is_empty()).then(|| {
        format!(
            "{} would be UUIDs {}, and are too few to exclude chance: --witness STORED=PUBLIC tells it.",
            number_of(count, "value"),
            orders.join(", or ")
        )
    })
}

/// What is left has no version anywhere.
fn without_version(rest: &mut Rest<'_>, findings: &mut Findings) {
    let total = rest.shape.count;
    let (count, examples) = rest.take(|_| true);
    if count == 0 {
        return;
    }
    if count == total
        && let Some(evidence) = in_other_orders(rest, count)
    {
        findings.evidence.push(evidence);
        let rows = count as f64;
        let part = Part::without_layout(FormatKind::AnyUuid, rows, Certainty::CannotTell);
        findings.parts.push(part);
        return;
    }
    let is_rare = !findings.parts.is_empty() && count * 100 < total;
    if is_rare {
        let examples = rest.show(&examples);
        findings
            .damages
            .push((DamageKind::ImpossibleVersion, count, examples));
        return;
    }
    let unversioned = examples
        .iter()
        .filter(|stored| VersionBits::Text.version(**stored) == NO_VERSION)
        .count();
    let chance = count as f64 * (1.0_f64 / 8.0).ln();
    findings.evidence.push(format!(
        "{} have no version that a generator of UUIDs gives ({unversioned} of {} examples not even \
         the variant), and no time or number that a format of rowkey has.",
        number_of(count, "value"),
        examples.len()
    ));
    let certainty = match chance < CERTAIN {
        true => Certainty::Certain,
        false => Certainty::Likely,
    };
    merge(
        &mut findings.parts,
        Part::without_layout(FormatKind::AnyUuid, count as f64, certainty),
    );
}
