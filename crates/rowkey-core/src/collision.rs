//! How likely it is that two ids are the same, that somebody guesses one, or that a made-up public id
//! passes for a real one.
//!
//! Two ids of a format can only be equal if they have the same time and context (a country, a group,
//! a shard key). Within these, the random bits decide. [`FormatKind::random_space`] counts their
//! values, and a [`Stream`] adds up the chances of all ids that are made at a rate:
//!
//! ```
//! use core::time::Duration;
//! use rowkey_core::collision::Stream;
//! use rowkey_core::format::FormatKind;
//!
//! // A million ids per second in all, for ten years.
//! let stream = Stream::new(FormatKind::UuidV7, 1e6).by_processes(20);
//! let ten_years = Duration::from_secs(10 * 31_556_952);
//! let probability = stream.probability(ten_years);
//! assert!(probability > 1.58e-5 && probability < 1.59e-5);
//! ```
//!
//! Probabilities are exact to about twelve digits, however small they are, and always between 0 and 1.

use core::time::Duration;

use libm::{expm1, ldexp, log1p};

use crate::bits::{BitField, FieldKind, FixedBits};
use crate::format::FormatKind;
use crate::format::comb::RING;
use crate::format::spec::ApartBy;
use crate::format::traits::COUNTER_START_BITS;

/// A number of values that are drawn with equal probability.
///
/// ```
/// use rowkey_core::collision::Space;
///
/// // The birthdays of 23 people.
/// let probability = Space::of_values(365).collision(23);
/// assert!((probability - 0.507297).abs() < 1e-6);
/// assert_eq!(Space::of_values(365).ids_until(0.5), 23);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Space(f64);

impl Space {
    /// 2^`bits` values. More than 1,023 bits count as infinitely many values.
    pub fn of_bits(bits: u32) -> Self {
        Self(power_of_two(bits))
    }

    /// This many values. Above 2^53 they are rounded to 53 significant bits. Of no values nothing can be
    /// drawn or guessed, so all probabilities are 0.
    pub const fn of_values(values: u128) -> Self {
        Self(values as f64)
    }

    /// How many values there are.
    pub const fn values(self) -> f64 {
        self.0
    }

    /// The probability that among `ids` independent draws at least two are equal.
    ///
    /// It is 1 - (1 - 1/N)(1 - 2/N)…(1 - (ids-1)/N) for N values, computed from the sum of the logarithms:
    /// term by term for up to 4,096 ids, and by the formula of Euler and Maclaurin for more.
    pub fn collision(self, ids: u128) -> f64 {
        if self.0 == 0.0 {
            return 0.0;
        }
        if ids as f64 > self.0 {
            return 1.0;
        }
        -expm1(ln_falling(ids as f64, self.0))
    }

    /// The smallest number of draws with which two are equal with at least this probability, or
    /// `u128::MAX` if there is no smaller one. A probability that rounds to 1 counts as 1; 0 and less is
    /// reached with no draw, and NaN is not reached.
    pub fn ids_until(self, probability: f64) -> u128 {
        smallest(|ids| self.collision(ids) >= probability)
    }

    /// The probability that at least one of `guesses` different guesses is one of `ids` different
    /// values that exist.
    pub fn guessed(self, ids: u128, guesses: u128) -> f64 {
        let [few, many] = [ids.min(guesses) as f64, ids.max(guesses) as f64];
        let others = self.0 - many;
        if few == 0.0 || self.0 == 0.0 {
            return 0.0;
        }
        if few > others {
            return 1.0;
        }
        // The few miss the many: (N-many)(N-many-1)… over N(N-1)…, each with `few` factors. None of
        // them is larger than 1 - many/N.
        let at_most = few * log1p(-many / self.0);
        if at_most < CERTAIN {
            return 1.0;
        }
        -expm1(at_most + ln_falling(few, others) - ln_falling(few, self.0))
    }

    /// The smallest number of different guesses with which one of `ids` values is found with at
    /// least this probability, or `u128::MAX` if there is no smaller one.
    pub fn guesses_until(self, ids: u128, probability: f64) -> u128 {
        smallest(|guesses| self.guessed(ids, guesses) >= probability)
    }
}

/// The logarithm of a probability whose complement rounds to 1.
const CERTAIN: f64 = -40.0;

/// 2^`bits`.
fn power_of_two(bits: u32) -> f64 {
    ldexp(1.0, i32::try_from(bits).unwrap_or(i32::MAX))
}

/// The smallest number with a property that all larger ones have as well.
fn smallest(has: impl Fn(u128) -> bool) -> u128 {
    let (mut from, mut to) = (0, u128::MAX);
    while from < to {
        let middle = from + (to - from) / 2;
        if has(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

/// ln((1 - 1/N)(1 - 2/N)…(1 - (n-1)/N)) for n of N values, n <= N; minus infinity if that is 0 for a
/// probability.
fn ln_falling(n: f64, values: f64) -> f64 {
    const TERM_BY_TERM: f64 = 4_096.0;
    if n <= TERM_BY_TERM {
        return (1..n as u32)
            .map(|drawn| log1p(-f64::from(drawn) / values))
            .sum();
    }
    let share = n / values;
    if share >= 0.125 {
        // Below e^-256.
        return f64::NEG_INFINITY;
    }
    // The integral of ln(1 - t/N) from 0 to n is -N((1-x)ln(1-x) + x) with x = n/N. Of its quotient by -n
    // this is the series: the difference itself would lose digits, and x² would vanish where x is tiny.
    let mut power = 1.0;
    let mut integral = 0.0;
    for k in 2..=20 {
        power *= share;
        integral += power / f64::from(k * (k - 1));
    }
    let first_correction = -0.5 * log1p(-share);
    let second_correction = -share / (12.0 * values * (1.0 - share));
    -n * integral + first_correction + second_correction
}

/// Ids of one format that are made evenly, for one context, by processes that run at the same time.
///
/// "Evenly" means at a constant rate, but not in step: each id is made at a random instant. If instead
/// all processes make theirs in the same millisecond, use [`FormatKind::random_space`] for the ids
/// of that millisecond.
///
/// Which ids can be equal:
///
/// * COMBs, UUIDv4 and any UUID: all of the same unit of time; the short COMBs' counter returns
///   every 65,536 intervals.
/// * UUIDv7 and iUID: ids of different processes, because the generator of a process repeats none
///   while its clock is not set back. Two of the same millisecond are equal with at most 1 in
///   [`random_space`](FormatKind::random_space): their counters began at random below 2^15, and each
///   has its own random bits. This is exact for a few thousand ids per millisecond and process, and too
///   large for more. Not included are processes that have overflowed a counter, and a forked child in
///   its first millisecond: they count from the same value. Ids of
///   [`generate_with`](crate::generate::Generate::generate_with) have one random bit more, but one
///   process may repeat them.
/// * DistributedId and DistributedId128: ids of different processes, because one process repeats
///   none while its clock is not set back. While a process is at its limit (128 and 131,072 ids per
///   millisecond) its ids crowd in the upper values: see [`Self::full_load`].
/// * HotGuid: ids of processes that share their machine bytes, or of one process that makes more
///   than 2^24 ids in a second.
/// * LUUID: none, if the numbers of a group are counted in one place, as `NumberBlocks` of
///   `rowkey-stores` does. Two ids with the same number are equal with 1 in
///   [`random_space`](FormatKind::random_space).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    format: FormatKind,
    per_second: f64,
    interval: Duration,
    processes: u32,
}

impl Stream {
    /// Ids at a rate, the sum of all processes. A rate that is not positive, or not a number, is none;
    /// more than 2^100 count as 2^100, which no machines will make.
    pub const fn new(format: FormatKind, ids_per_second: f64) -> Self {
        let per_second = if ids_per_second > 0.0 {
            ids_per_second.min(MAX_PER_SECOND)
        } else {
            0.0
        };
        Self {
            format,
            per_second,
            interval: Duration::from_secs(60),
            processes: 1,
        }
    }

    /// The same ids, made by this many processes in equal parts. The default is one, and so is 0.
    #[must_use]
    pub const fn by_processes(self, processes: u32) -> Self {
        let processes = if processes == 0 { 1 } else { processes };
        Self { processes, ..self }
    }

    /// The same ids with another interval of the short COMBs than one minute. The shortest that they have
    /// is a millisecond, which shorter ones count as.
    #[must_use]
    pub const fn with_interval(self, interval: Duration) -> Self {
        let interval = if interval.as_millis() == 0 {
            Duration::from_millis(1)
        } else {
            interval
        };
        Self { interval, ..self }
    }

    /// The probability that any two of the ids of a time are equal.
    pub fn probability(self, time: Duration) -> f64 {
        self.probability_in(time.as_secs_f64())
    }

    /// How many seconds it takes until any two ids are equal with at least this probability: 0 for a
    /// probability of 0 or less, `None` if they never are, and for NaN.
    pub fn seconds_until(self, probability: f64) -> Option<f64> {
        if probability <= 0.0 {
            return Some(0.0);
        }
        // By halving the exponent first, then the rest: seconds from 2^-1022 to 2^448.
        let (mut from, mut to) = (-1_022.0, 448.0);
        if probability.is_nan() || self.probability_in(libm::exp2(to)) < probability {
            return None;
        }
        for _ in 0..64 {
            let middle = (from + to) / 2.0;
            if self.probability_in(libm::exp2(middle)) < probability {
                from = middle;
            } else {
                to = middle;
            }
        }
        Some(libm::exp2(to))
    }

    fn probability_in(self, seconds: f64) -> f64 {
        let parts = Parts::of(self.format);
        let unit = match parts.unit {
            Unit::None => None,
            Unit::Milliseconds(unit) => Some(f64::from(unit) / 1_000.0),
            Unit::Interval => Some(self.interval.as_secs_f64()),
        };
        let per_process = self.per_second / f64::from(self.processes);
        if let (Some(counter), Some(unit)) = (parts.counter, unit)
            && per_process * unit.min(seconds) > counter.values()
        {
            return 1.0;
        }
        let pairs = match parts.apart_by {
            ApartBy::Chance => 1.0,
            ApartBy::Number => return 0.0,
            // A process repeats none of its own.
            _ if self.processes < 2 => return 0.0,
            _ => 1.0 - 1.0 / f64::from(self.processes),
        };
        let ring = matches!(parts.unit, Unit::Interval).then_some(RING as f64);
        let expected =
            pairs * pairs_in_units(self.per_second, seconds, unit, ring) / parts.space.values();
        // Rare events of which each is almost independent of the others: a Poisson distribution.
        let probability = -expm1(-expected);
        match parts.generators {
            // Without common machine bytes nothing is equal.
            Some(generators) => probability.min(generators.collision(self.processes.into())),
            None => probability,
        }
    }

    /// How many ids all processes together make per collision, if each makes as many as it can and
    /// all do so in the same milliseconds: the worst case. `None` for one process, and for formats
    /// without such a limit.
    ///
    /// The ids of a full millisecond begin anywhere and end at the last value, so their density at a
    /// value is proportional to it. For 2^r values and steps below 2^s a process makes 2^(r-s) ids,
    /// and two processes have 2^(r+2-2s)/3 of them in common.
    ///
    /// ```
    /// use rowkey_core::collision::Stream;
    /// use rowkey_core::format::FormatKind;
    ///
    /// let ids = Stream::full_load(FormatKind::DistributedId, 2).unwrap();
    /// assert_eq!(ids.round(), 3_298_534_883_328.0); // 3,300 billion
    /// ```
    pub fn full_load(format: FormatKind, processes: u32) -> Option<f64> {
        let step_bits = step_bits(format)? as i32;
        if processes < 2 {
            return None;
        }
        let bits = width(format.fields(), |kind| kind == FieldKind::Random) as i32;
        let processes = f64::from(processes);
        let ids = processes * ldexp(1.0, bits - step_bits);
        let pairs = processes * (processes - 1.0) / 2.0;
        Some(ids / (pairs * ldexp(1.0, bits + 2 - 2 * step_bits) / 3.0))
    }
}

/// The largest rate, so that no product of rates and times is both infinite and multiplied by 0.
const MAX_PER_SECOND: f64 = (1_u128 << 100) as f64;

/// How many pairs of ids have the same unit of time, for ids that are made at random instants.
fn pairs_in_units(per_second: f64, seconds: f64, unit: Option<f64>, ring: Option<f64>) -> f64 {
    let Some(unit) = unit.filter(|unit| *unit < seconds) else {
        return per_second * seconds * per_second * seconds / 2.0;
    };
    let in_unit = per_second * unit;
    let units = seconds / unit;
    let (turns, rest, ring) = match ring {
        Some(ring) => {
            let turns = libm::floor(units / ring);
            (turns, units - turns * ring, ring)
        }
        None => (0.0, units, units),
    };
    // Each unit of the ring was visited `turns` times, and `rest` of them once more. Only the last product
    // can overflow, and no factor of it is 0 then.
    let rest = rest.max(0.0);
    let visits_squared = ring * turns * turns + rest * (2.0 * turns + 1.0);
    in_unit * in_unit / 2.0 * visits_squared
}

/// What tells the ids of a format apart.
struct Parts {
    /// The random values of an id within its unit of time and context.
    space: Space,
    unit: Unit,
    apart_by: ApartBy,
    /// Values that each generator draws once.
    generators: Option<Space>,
    /// Values that one generator uses up in turn.
    counter: Option<Space>,
}

/// The length of the time in which ids can be equal.
enum Unit {
    None,
    Milliseconds(u32),
    Interval,
}

impl Parts {
    fn of(format: FormatKind) -> Self {
        let fields = fields(format);
        let space_of = |kind: FieldKind| match width(fields, |other| other == kind) {
            0 => None,
            bits => Some(Space::of_bits(bits)),
        };
        let unit = fields
            .iter()
            .find_map(|field| match field.kind {
                FieldKind::Time { unit_ms, .. } => Some(Unit::Milliseconds(unit_ms)),
                FieldKind::Interval => Some(Unit::Interval),
                _ => None,
            })
            .unwrap_or(Unit::None);
        Self {
            space: format.random_space(),
            unit,
            apart_by: format.spec().apart_by,
            generators: space_of(FieldKind::Machine),
            counter: space_of(FieldKind::Counter),
        }
    }
}

/// The fields of the ids that are made. New ids of any UUID are of version 4.
fn fields(format: FormatKind) -> &'static [BitField] {
    match format {
        FormatKind::AnyUuid => FormatKind::UuidV4.fields(),
        _ => format.fields(),
    }
}

/// The width of all fields of some kinds.
fn width(fields: &[BitField], is: impl Fn(FieldKind) -> bool) -> u32 {
    let fields = fields.iter().filter(|field| is(field.kind));
    fields.map(|field| u32::from(field.width)).sum()
}

/// The random bits behind the counter of a millisecond.
fn bits_behind_counter(format: FormatKind) -> Option<u32> {
    match format.spec().apart_by {
        ApartBy::Counter { random_bits } => Some(random_bits),
        _ => None,
    }
}

/// The width of the random step from an id to the next one within a millisecond.
fn step_bits(format: FormatKind) -> Option<u32> {
    match format.spec().apart_by {
        ApartBy::Steps { bits } => Some(bits),
        _ => None,
    }
}

impl FormatKind {
    /// The values that ids of the same time and context can have, as generators make them: of their random
    /// bits and, in a HotGuid, of the machine bytes and the counter.
    ///
    /// In a UUIDv7 and an iUID, the first bit of the counter is not random: the first id that a process
    /// makes in a millisecond has one of 2^73 and 2^53 values, and each further one is as likely to have any
    /// of as many.
    ///
    /// ```
    /// use rowkey_core::collision::Space;
    /// use rowkey_core::format::FormatKind;
    ///
    /// assert_eq!(FormatKind::Iuid.random_space(), Space::of_bits(53));
    /// // Somebody who knows the millisecond of an iUID, its country and its service entity, but none
    /// // of its neighbours:
    /// let found = FormatKind::Iuid.random_space().guessed(1, 1_000_000_000);
    /// assert!(found > 1.1e-7 && found < 1.2e-7);
    /// ```
    pub fn random_space(self) -> Space {
        if let Some(bits) = bits_behind_counter(self) {
            return Space::of_bits(COUNTER_START_BITS + bits);
        }
        Space::of_bits(width(fields(self), |kind| {
            matches!(
                kind,
                FieldKind::Random | FieldKind::Machine | FieldKind::Counter
            )
        }))
    }

    /// The chance that the best guess at an id of this format is right, for somebody who knows its
    /// millisecond and that its process is at its limit, or another id of that millisecond. `None`
    /// for formats whose ids do not follow one another.
    ///
    /// Ids are 2^(s-1) apart on average, if steps are below 2^s. Those of a
    /// [`Counted`](crate::format::Counted) format have the bits behind the counter.
    pub fn guess_beside_others(self) -> Option<f64> {
        let bits = bits_behind_counter(self).or_else(|| Some(step_bits(self)? - 1));
        Some(1.0 / power_of_two(bits?))
    }

    /// The share of all 128-bit values that belong to the format: the chance that a made-up public id
    /// of one block decrypts to something of this format.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    ///
    /// assert_eq!(FormatKind::UuidV7.share_of_values(), 1.0 / 64.0);
    /// assert_eq!(FormatKind::HotGuid.share_of_values(), 1.0);
    /// ```
    pub fn share_of_values(self) -> f64 {
        let FixedBits { mask, .. } = self.spec().fixed;
        let admitted = ldexp(1.0, -(mask.count_ones() as i32));
        // The formats with a largest value have no fixed bits.
        match self.width().max() {
            u128::MAX => admitted,
            max => admitted * ldexp(max as f64 + 1.0, -128),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_ring_are_those_of_its_visits() {
        // Ten ids per second, units of two seconds, a ring of three units.
        let pairs = |seconds| pairs_in_units(10.0, seconds, Some(2.0), Some(3.0));
        // One unit of 20 ids, seen once.
        assert_eq!(pairs(2.0), 200.0);
        assert_eq!(pairs(6.0), 600.0);
        // One of the three again: 40 ids in it.
        assert_eq!(pairs(8.0), 400.0 + 800.0);
        assert_eq!(pairs(12.0), 3.0 * 800.0);
        // Less than a unit.
        assert_eq!(pairs(1.0), 50.0);
        // Without a unit all ids meet, without a ring units never return.
        assert_eq!(pairs_in_units(10.0, 12.0, None, None), 7_200.0);
        assert_eq!(pairs_in_units(10.0, 12.0, Some(2.0), None), 1_200.0);
    }
}
