//! UUIDs of version 4: random, or COMBs with a time or a counter in place of some random bits.

use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;

use crate::evidence::bits;
use crate::evidence::counter::{self, Counted, Evidence, Point, Points};
use crate::evidence::rest::{Findings, Group, Rest, admits, place};
use crate::evidence::timeline::{self, Order};
use crate::values::chance::{self, NEVER};
use crate::values::hypothesis::Hypothesis;
use crate::values::part::{Certainty, Part, number_of};
use crate::values::reservoir;
use crate::values::version_bits::VersionBits;
use crate::values::window::Kept;

/// A smaller rest of a column with a COMB is not worth a name.
const REST: f64 = 0.005;

/// Fewer rows than these do not show that ids are random.
const MANY: usize = 100;

/// A bit or two that are not random do not make a clock, but a generator that sets them.
const FEW_BITS: u32 = 2;

/// Fewer rows than these say nothing: a COMB's time or counter is as likely.
const FEW: u64 = 8;

/// Examines the values of version 4 in their place.
pub(crate) fn examine(group: &Group<'_>, rest: &Rest<'_>, findings: &mut Findings) {
    let mut rows = Rows::of(rest);
    let mut left = group.count as f64;
    let mut certainty_of_rest = None;
    if let Some((hypothesis, part)) = of_times(group, rest, &rows, findings) {
        left -= part.rows;
        certainty_of_rest = Some(part.certainty);
        findings.parts.push(part);
        rows.keep(|row| group.contains(row.stored) && !hypothesis.admits(row.stored, rest.era));
    } else {
        rows.keep(|row| group.contains(row.stored));
    }
    if left < REST * group.count as f64 {
        return;
    }
    let growing = of_counters(group, rest, &rows);
    if let Some((hypothesis, counted)) = growing.counter {
        let share = if counted.share > 0.99 {
            1.0
        } else {
            counted.share
        };
        let part = counter_part(hypothesis, counted, left * share, findings);
        left -= part.rows;
        certainty_of_rest = Some(part.certainty);
        findings.parts.push(part);
    }
    if left < REST * group.count as f64 {
        return;
    }
    let not_random = match certainty_of_rest {
        Some(_) => 0,
        None => rows.not_random(group.version_bits.free_bits()),
    };
    // Who writes UUIDs by hand often has one digit for the variant.
    let not_random = match not_random & !group.version_bits.rest_of_the_variants_digit() {
        0 => 0,
        _ => not_random,
    };
    let (format, is_foreign) = match not_random & group.version_bits.bits_after_the_variant() {
        // A few COMBs of the same millisecond have bits in common, too.
        0 if group.count < FEW => (FormatKind::UuidV4, false),
        0 => {
            let is_foreign = growing.is_foreign
                || not_random != 0
                || certainty_of_rest.is_none()
                    && timeline::count(
                        &rows.spread,
                        group.version_bits.free_bits()
                            & !group.version_bits.rest_of_the_variants_digit(),
                    );
            (FormatKind::UuidV4, is_foreign)
        }
        // What counts up to the variant changes it as well.
        _ => (FormatKind::AnyUuid, true),
    };
    let certainty = certainty_of_rest
        .unwrap_or_else(|| certainty_of_random(group, rest, &rows, is_foreign, findings));
    let mut part = Part::without_layout(format, left, certainty);
    if group.version_bits == VersionBits::SqlServer {
        part.layout = Some(Layout::SqlServer);
    } else if !is_foreign {
        findings.evidence.push(
            "Random bits are alike in any order, so the order of the other bytes of random UUIDs \
             cannot be told: --witness STORED=PUBLIC tells it."
                .to_owned(),
        );
    }
    findings.parts.push(part);
}

/// The rows that are kept of the table.
#[derive(Clone)]
struct Rows {
    /// Windows of neighbours.
    linked: Vec<Kept>,
    /// Rows from all over the table.
    spread: Vec<Kept>,
    /// Whether the linked ones are the whole table.
    is_complete: bool,
}

impl Rows {
    fn of(rest: &Rest<'_>) -> Self {
        Self {
            linked: rest.shape.windows.rows(),
            spread: rest.shape.spread.rows(),
            is_complete: rest.shape.windows.are_complete(),
        }
    }

    fn keep(&mut self, is_kept: impl Fn(&Kept) -> bool) {
        keep(&mut self.linked, &is_kept);
        keep(&mut self.spread, &is_kept);
    }

    /// The rows of a group that do not depend on each other, if some of them do.
    fn independent(&self, group: &Group<'_>, hypothesis: &Hypothesis) -> Option<Vec<Kept>> {
        let mut rows = self.spread.clone();
        keep(&mut rows, |row| group.contains(row.stored));
        let key = |row: &Kept| hypothesis.time_key(row.stored);
        let independent = reservoir::independent(&rows, |row| row.follows, key);
        (independent.len() < rows.len()).then_some(independent)
    }

    /// The bits of a mask that are not random.
    fn not_random(&self, mask: u128) -> u128 {
        let independent = reservoir::independent_in_any_order(&self.spread);
        bits::not_random(&independent, &self.linked, mask)
    }

    fn points(&self, hypothesis: &Hypothesis) -> Points {
        let points = |rows: &[Kept]| -> Vec<Point> {
            let points = rows.iter().filter_map(|row| Point::of(row, hypothesis));
            points.collect()
        };
        Points::new(
            points(&self.linked),
            &points(&self.spread),
            self.is_complete,
        )
    }
}

/// Keeps some of the rows. A row follows the one before it if all rows between them did.
fn keep(rows: &mut Vec<Kept>, is_kept: impl Fn(&Kept) -> bool) {
    let mut is_linked = true;
    rows.retain_mut(|row| {
        is_linked &= row.follows;
        if !is_kept(row) {
            return false;
        }
        row.follows = is_linked;
        is_linked = true;
        true
    });
}

/// The COMB with a time that more of the values speak for than chance explains.
fn of_times<'s>(
    group: &Group<'_>,
    rest: &Rest<'s>,
    rows: &Rows,
    findings: &mut Findings,
) -> Option<(&'s Hypothesis, Part)> {
    let kept = rows;
    let known = rest.shape.hypotheses.iter().enumerate();
    let combs = known.filter(|(_, known)| {
        let is_comb = matches!(
            known.format,
            FormatKind::PrefixComb | FormatKind::SuffixComb
        );
        is_comb && known.version_bits() == group.version_bits
    });
    let judged = combs.map(|(index, hypothesis)| {
        let count = rest.count(|signature| group.has(signature) && admits(signature, index));
        let chance = match rows.independent(group, hypothesis) {
            // In windows of sorted random ids, those with a plausible time are together.
            Some(rows) => {
                let admitted = rows
                    .iter()
                    .filter(|row| hypothesis.admits(row.stored, rest.era));
                chance::at_least(
                    admitted.count() as u64,
                    rows.len() as u64,
                    hypothesis.chance,
                )
            }
            None => chance::at_least(count, group.count, hypothesis.chance),
        };
        (chance, count, hypothesis)
    });
    let (chance, count, hypothesis) = judged.min_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    if chance > NEVER {
        return None;
    }
    let share = match count == group.count {
        true => 1.0,
        false => chance::excess(count, group.count, hypothesis.chance),
    };
    let rows = share * group.count as f64;
    findings.evidence.push(format!(
        "{} have milliseconds since 1970 between 2000 and now in the place of {}{}; of random UUIDs, \
         one in {:.0} does.",
        number_of(count, "value"),
        hypothesis.format.name(),
        place(hypothesis.layout),
        1.0 / hypothesis.chance
    ));
    name_twins(hypothesis, findings);
    let certainty = match doubt_of_times(hypothesis, group, rest, kept) {
        Some(doubt) => {
            findings.evidence.push(doubt.to_owned());
            Certainty::Likely
        }
        None => Certainty::of(chance),
    };
    Some((hypothesis, Part::of(hypothesis, rows, certainty)))
}

/// COMBs whose newest time is older than this, and that no column of times confirms, may count
/// something else.
const OLD_MS: i64 = 10 * 365 * 86_400_000;

/// Times of a row that are nearer than this differ by a time zone, or by the time until the row was
/// stored.
const SAME_DAY_MS: i64 = 36 * 3_600_000;

/// Why the times of a COMB may be numbers of another maker.
fn doubt_of_times(
    hypothesis: &Hypothesis,
    group: &Group<'_>,
    rest: &Rest<'_>,
    rows: &Rows,
) -> Option<&'static str> {
    let is_meant =
        |row: &Kept| group.contains(row.stored) && hypothesis.admits(row.stored, rest.era);
    let mut meant = rows.clone();
    meant.keep(is_meant);
    let time = |row: &Kept| {
        let time = hypothesis.format.time_of(hypothesis.public(row.stored));
        time.map_or(0, UnixMillis::get)
    };
    let dated: Vec<i64> = meant
        .spread
        .iter()
        .filter_map(|row| Some((time(row) - row.created?).abs()))
        .collect();
    let agreeing = dated.iter().filter(|apart| **apart < SAME_DAY_MS).count();
    if dated.len() * 2 > meant.spread.len() {
        if agreeing * 2 < dated.len() {
            return Some("The column of times has other times than the ids.");
        }
    } else if meant.spread.iter().map(time).max() < Some(rest.era.to - OLD_MS) {
        return Some(
            "No time of the last ten years is among them: a counter of another unit may look so.",
        );
    }
    let random = meant.not_random(hypothesis.random_bits());
    (random.count_ones() > FEW_BITS).then_some(
        "Bits that are random in such ids are the same in many rows, or grow: another maker's ids have \
         times in the same place.",
    )
}

/// Says which other names the bits have.
fn name_twins(hypothesis: &Hypothesis, findings: &mut Findings) {
    for (format, layout) in &hypothesis.twins {
        findings.evidence.push(format!(
            "The same bytes are a {} in the `{layout}` layout, if programs show them in another order \
             than the database: --witness STORED=PUBLIC tells which.",
            format.name()
        ));
    }
}

/// What grows in the rows like a counter.
struct Growing<'s> {
    /// The short COMB whose counter it is.
    counter: Option<(&'s Hypothesis, Counted)>,
    /// Whether there are bits that are not random, but of no format.
    is_foreign: bool,
}

/// Looks for the counters of short COMBs.
fn of_counters<'s>(group: &Group<'_>, rest: &Rest<'s>, rows: &Rows) -> Growing<'s> {
    let known = rest.shape.hypotheses.iter();
    let short = known.filter(|known| is_short(known, group.version_bits));
    let mut growing = Growing {
        counter: None,
        is_foreign: false,
    };
    for hypothesis in short {
        let points = rows.points(hypothesis);
        let Some(counted) = counter::examine(&points) else {
            continue;
        };
        let best = growing.counter.map_or(0.0, |(_, known)| known.chance);
        let not_random = rows.not_random(hypothesis.random_bits());
        if counted.is_contradicted || not_random.count_ones() > FEW_BITS || points.are_longer() {
            growing.is_foreign = true;
        } else if counted.chance < best {
            growing.counter = Some((hypothesis, counted));
        }
    }
    growing
}

/// Whether a hypothesis has a counter and its version in their place.
fn is_short(hypothesis: &Hypothesis, version_bits: VersionBits) -> bool {
    let is_short = matches!(
        hypothesis.format,
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
    );
    is_short && hypothesis.version_bits() == version_bits
}

fn counter_part(
    hypothesis: &Hypothesis,
    counted: Counted,
    rows: f64,
    findings: &mut Findings,
) -> Part {
    let mut part = Part::of(hypothesis, rows, Certainty::Likely);
    let share = match counted.evidence {
        Evidence::Rhythm => "in a share of the values that cannot be told".to_owned(),
        _ => format!("in {:.1} % of the values", counted.share * 100.0),
    };
    let why = match counted.evidence {
        Evidence::Rhythm => "are more frequent at some hours of the day than at others".to_owned(),
        Evidence::Near => "are in one part of the ring of 65,536 values".to_owned(),
        Evidence::Order => {
            "grow from row to row in the order in which the rows were inserted".to_owned()
        }
        Evidence::Clock(clock) => {
            part.interval_ms = u64::try_from(clock.interval_ms).ok();
            if clock.is_told {
                part.certainty = Certainty::of(counted.chance);
            }
            let ahead = match clock.ahead_ms / 60_000 {
                0 => String::new(),
                minutes => format!(", whose clock is {minutes} minutes away"),
            };
            format!(
                "keep step with the column of times{ahead}, counting intervals of {} s",
                clock.interval_ms / 1_000
            )
        }
    };
    findings.evidence.push(format!(
        "The 16 bits in the place of the counter of {}{} {why}, {share}; random \
         bits do so with a probability below 10^-{:.0}.",
        hypothesis.format.name(),
        place(hypothesis.layout),
        (-counted.chance / std::f64::consts::LN_10).floor()
    ));
    if part.interval_ms.is_none() {
        findings.evidence.push(
            "The interval of the counter cannot be told without a column of times, and clocks of other \
             units count in the same place: --created COLUMN names one."
                .to_owned(),
        );
    }
    name_twins(hypothesis, findings);
    part
}

/// How sure it is that values without a time or a counter are random, and why.
fn certainty_of_random(
    group: &Group<'_>,
    rest: &Rest<'_>,
    rows: &Rows,
    is_foreign: bool,
    findings: &mut Findings,
) -> Certainty {
    let known = rest.shape.hypotheses.iter();
    let short = known.filter(|known| is_short(known, group.version_bits));
    let short: Vec<&Hypothesis> = short.collect();
    if short.is_empty() {
        return Certainty::Likely;
    }
    if is_foreign {
        findings.evidence.push(
            "Bits that are random in a UUID of version 4 are the same in many rows, or grow: the ids \
             were not drawn at random, but their maker has no format here."
                .to_owned(),
        );
        return Certainty::Likely;
    }
    if group.count < FEW {
        findings.evidence.push(
            "These are too few rows to tell random UUIDs from COMBs, which have a time or a counter in \
             the place of some random bits."
                .to_owned(),
        );
        return Certainty::CannotTell;
    }
    let mut short = short.into_iter();
    let is_sorted = short.any(|hypothesis| counter::are_sorted(&rows.points(hypothesis)));
    let order = timeline::order(&rows.linked, &rows.spread, is_sorted);
    findings.evidence.push(
        match order {
            Order::Times => {
                "The bits are random where COMBs have a time or a counter, also in the order of insertion \
                 or of the column of times."
            }
            Order::Insertion => {
                "The bits are random where COMBs have a time or a counter, also in the order of insertion. \
                 No column of times shows that the ids were made in that order: short COMBs that were \
                 copied in another order look the same."
            }
            Order::Growing => {
                "The ids grow with the column of times, as after a load in the order of the ids: such times \
                 show neither random bits nor a counter."
            }
            Order::Unknown => {
                "Neither the order of insertion nor the times at which the rows were made are known: most \
                 rows have no time, or share it with many others. Short COMBs whose counter has gone \
                 around its ring cannot be told from random UUIDs without one: --created COLUMN names a \
                 column of times."
            }
        }
        .to_owned(),
    );
    match order {
        Order::Growing | Order::Unknown => Certainty::CannotTell,
        Order::Times if rows.linked.len() >= MANY => Certainty::Certain,
        Order::Times | Order::Insertion => Certainty::Likely,
    }
}
