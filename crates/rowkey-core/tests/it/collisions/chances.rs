//! How likely it is that two ids are the same, that somebody guesses one, or that a made-up public
//! id passes for a real one.
//!
//! Two ids of a format can only be equal if they have the same time and context (a country, a
//! group, a shard key). Within these, the random bits decide: [`random_space`] counts their values,
//! and a [`Stream`] adds up the chances of all ids that are made at a rate.

use std::time::Duration;

use rowkey_core::format::{BitField, Counted, FieldKind, FormatKind, Iuid, UuidV7};

/// A number of values that are drawn with equal probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Space(f64);

impl Space {
    /// 2^`bits` values.
    pub(crate) fn of_bits(bits: u32) -> Self {
        Self(f64::from(bits).exp2())
    }

    /// This many values. Above 2^53 they are rounded to 53 significant bits.
    pub(crate) fn of_values(values: u128) -> Self {
        Self(values as f64)
    }

    pub(crate) fn values(self) -> f64 {
        self.0
    }

    /// The probability that among `ids` independent draws at least two are equal.
    ///
    /// It is 1 - (1 - 1/N)(1 - 2/N)…(1 - (ids-1)/N) for N values, computed from the sum of the
    /// logarithms: products of numbers near 1 would lose all digits.
    pub(crate) fn collision(self, ids: u128) -> f64 {
        if ids as f64 > self.0 {
            return 1.0;
        }
        -ln_falling(ids as f64, self.0).exp_m1()
    }

    /// The smallest number of draws with which two are equal with at least this probability.
    pub(crate) fn ids_until(self, probability: f64) -> u128 {
        smallest(|ids| self.collision(ids) >= probability)
    }

    /// The probability that at least one of `guesses` different guesses is one of `ids` different
    /// values that exist.
    pub(crate) fn guessed(self, ids: u128, guesses: u128) -> f64 {
        let [few, many] = [ids.min(guesses) as f64, ids.max(guesses) as f64];
        let others = self.0 - many;
        if few == 0.0 {
            return 0.0;
        }
        if few > others {
            return 1.0;
        }
        // The few miss the many: (N-many)(N-many-1)… over N(N-1)…, each with `few` factors. None of
        // them is larger than 1 - many/N.
        let at_most = few * (-many / self.0).ln_1p();
        if at_most < CERTAIN {
            return 1.0;
        }
        -(at_most + ln_falling(few, others) - ln_falling(few, self.0)).exp_m1()
    }

    /// The smallest number of different guesses with which one of `ids` values is found with at
    /// least this probability.
    pub(crate) fn guesses_until(self, ids: u128, probability: f64) -> u128 {
        smallest(|guesses| self.guessed(ids, guesses) >= probability)
    }
}

/// The logarithm of a probability whose complement rounds to 1.
const CERTAIN: f64 = -40.0;

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

/// ln((1 - 1/N)(1 - 2/N)…(1 - (n-1)/N)) for n of N values, n <= N; minus infinity if that is 0 for
/// a probability. Term by term for up to 4,096 ids, and by the formula of Euler and Maclaurin for
/// more.
fn ln_falling(n: f64, values: f64) -> f64 {
    const TERM_BY_TERM: f64 = 4_096.0;
    if n <= TERM_BY_TERM {
        return (1..n as u32)
            .map(|drawn| (-f64::from(drawn) / values).ln_1p())
            .sum();
    }
    let share = n / values;
    if share >= 0.125 {
        // Below e^-256.
        return f64::NEG_INFINITY;
    }
    // The integral of ln(1 - t/N) from 0 to n is -N((1-x)ln(1-x) + x) with x = n/N. Of its quotient
    // by -n this is the series: the difference itself would lose digits, and x² would vanish where
    // x is tiny.
    let mut power = 1.0;
    let mut integral = 0.0;
    for k in 2..=20 {
        power *= share;
        integral += power / f64::from(k * (k - 1));
    }
    let first_correction = -0.5 * (-share).ln_1p();
    let second_correction = -share / (12.0 * values * (1.0 - share));
    -n * integral + first_correction + second_correction
}

/// Ids of one format that are made evenly, for one context, by processes that run at the same time.
///
/// "Evenly" means at a constant rate, but not in step: each id is made at a random instant.
///
/// Which ids can be equal:
///
/// * COMBs, UUIDv4 and any UUID: all of the same unit of time; the short COMBs' counter returns
///   every 65,536 intervals.
/// * UUIDv7 and iUID: ids of different processes, because the generator of a process repeats none
///   while its clock is not set back. Two of the same millisecond are equal with at most 1 in
///   [`random_space`]: their counters began at random below 2^15, and each has its own random bits.
///   This is exact for a few thousand ids per millisecond and process, and too large for more. Not
///   included are processes that have overflowed a counter, and a forked child in its first
///   millisecond: they count from the same value.
/// * DistributedId and DistributedId128: ids of different processes, because one process repeats
///   none while its clock is not set back. While a process is at its limit (128 and 131,072 ids per
///   millisecond) its ids crowd in the upper values: see [`full_load`].
/// * HotGuid: ids of processes that share their machine bytes, or of one process that makes more
///   than 2^24 ids in a second.
/// * LUUID: none, if the numbers of a group are counted in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stream {
    format: FormatKind,
    per_second: f64,
    interval: Duration,
    processes: u32,
}

impl Stream {
    /// Ids at a rate, the sum of all processes.
    pub(crate) fn new(format: FormatKind, per_second: f64) -> Self {
        Self {
            format,
            per_second,
            interval: Duration::from_secs(60),
            processes: 1,
        }
    }

    /// The same ids, made by this many processes in equal parts.
    pub(crate) fn by_processes(self, processes: u32) -> Self {
        Self { processes, ..self }
    }

    /// The same ids with another interval of the short COMBs than one minute.
    pub(crate) fn with_interval(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    /// The probability that any two of the ids of a time are equal.
    pub(crate) fn probability(self, time: Duration) -> f64 {
        self.probability_in(time.as_secs_f64())
    }

    /// How many seconds it takes until any two ids are equal with at least this probability; `None`
    /// if they never are.
    pub(crate) fn seconds_until(self, probability: f64) -> Option<f64> {
        // By halving the exponent first, then the rest: seconds from 2^-1022 to 2^448.
        let (mut from, mut to) = (-1_022.0_f64, 448.0_f64);
        if self.probability_in(to.exp2()) < probability {
            return None;
        }
        for _ in 0..64 {
            let middle = (from + to) / 2.0;
            if self.probability_in(middle.exp2()) < probability {
                from = middle;
            } else {
                to = middle;
            }
        }
        Some(to.exp2())
    }

    fn probability_in(self, seconds: f64) -> f64 {
        let fields = fields(self.format);
        let apart_by = ApartBy::of(self.format);
        let unit = fields.iter().find_map(|field| match field.kind {
            FieldKind::Time { unit_ms, .. } => Some(f64::from(unit_ms) / 1_000.0),
            FieldKind::Interval => Some(self.interval.as_secs_f64()),
            _ => None,
        });
        let per_process = self.per_second / f64::from(self.processes);
        let counter = space_of(fields, FieldKind::Counter);
        if let (Some(counter), Some(unit)) = (counter, unit)
            && per_process * unit.min(seconds) > counter.values()
        {
            return 1.0;
        }
        let pairs = match apart_by {
            ApartBy::Chance => 1.0,
            ApartBy::Number => return 0.0,
            // A process repeats none of its own.
            _ if self.processes < 2 => return 0.0,
            _ => 1.0 - 1.0 / f64::from(self.processes),
        };
        let ring = space_of(fields, FieldKind::Interval).map(Space::values);
        let expected = pairs * pairs_in_units(self.per_second, seconds, unit, ring)
            / random_space(self.format).values();
        // Rare events of which each is almost independent of the others: a Poisson distribution.
        let probability = -(-expected).exp_m1();
        match space_of(fields, FieldKind::Machine) {
            // Without common machine bytes nothing is equal.
            Some(machines) => probability.min(machines.collision(self.processes.into())),
            None => probability,
        }
    }
}

/// How many ids all processes together make per collision, if each makes as many as it can and
/// all do so in the same milliseconds: the worst case.
///
/// The ids of a full millisecond begin anywhere and end at the last value, so their density at a
/// value is proportional to it. For 2^r values and steps below 2^s a process makes 2^(r-s) ids,
/// and two processes have 2^(r+2-2s)/3 of them in common.
pub(crate) fn full_load(format: FormatKind, processes: u32) -> f64 {
    let ApartBy::Steps { bits: step_bits } = ApartBy::of(format) else {
        panic!("{format} has no such limit");
    };
    let bits = width(format.fields(), |kind| kind == FieldKind::Random) as i32;
    let step_bits = step_bits as i32;
    let processes = f64::from(processes);
    let ids = processes * 2.0_f64.powi(bits - step_bits);
    let pairs = processes * (processes - 1.0) / 2.0;
    ids / (pairs * 2.0_f64.powi(bits + 2 - 2 * step_bits) / 3.0)
}

/// How many pairs of ids have the same unit of time, for ids that are made at random instants.
fn pairs_in_units(per_second: f64, seconds: f64, unit: Option<f64>, ring: Option<f64>) -> f64 {
    let Some(unit) = unit.filter(|unit| *unit < seconds) else {
        return per_second * seconds * per_second * seconds / 2.0;
    };
    let in_unit = per_second * unit;
    let units = seconds / unit;
    let (turns, rest, ring) = match ring {
        Some(ring) => {
            let turns = (units / ring).floor();
            (turns, units - turns * ring, ring)
        }
        None => (0.0, units, units),
    };
    // Each unit of the ring was visited `turns` times, and `rest` of them once more.
    let visits_squared = ring * turns * turns + rest * (2.0 * turns + 1.0);
    in_unit * in_unit / 2.0 * visits_squared
}

/// What keeps ids of the same time and context apart.
enum ApartBy {
    /// The random bits of each, also among the ids of one process.
    Chance,
    /// Among processes, the start of a counter and the random bits behind it.
    Counter { random_bits: u32 },
    /// Among processes, the random bits, which grow by a random step below 2^`bits` from id to id.
    Steps { bits: u32 },
    /// Among processes, the bytes of the machine and the counter.
    Machine,
    /// A number, which is given out once.
    Number,
}

impl ApartBy {
    fn of(format: FormatKind) -> Self {
        match format {
            FormatKind::DistributedId => Self::Steps { bits: 41 },
            FormatKind::DistributedId128 => Self::Steps { bits: 58 },
            FormatKind::UuidV7 => Self::Counter {
                random_bits: UuidV7::RANDOM_BITS,
            },
            FormatKind::Iuid => Self::Counter {
                random_bits: Iuid::RANDOM_BITS,
            },
            FormatKind::HotGuid => Self::Machine,
            FormatKind::Luuid | FormatKind::DatabaseNumber => Self::Number,
            _ => Self::Chance,
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

/// The values of the fields of a kind, if there are any.
fn space_of(fields: &[BitField], kind: FieldKind) -> Option<Space> {
    match width(fields, |other| other == kind) {
        0 => None,
        bits => Some(Space::of_bits(bits)),
    }
}

/// The values that ids of the same time and context can have, as generators make them: of their
/// random bits and, in a HotGuid, of the machine bytes and the counter.
///
/// In a UUIDv7 and an iUID, the first bit of the counter is not random: the first id that a process
/// makes in a millisecond has one of 2^73 and 2^53 values, and each further one is as likely to
/// have any of as many.
pub(crate) fn random_space(format: FormatKind) -> Space {
    if let ApartBy::Counter { random_bits } = ApartBy::of(format) {
        return Space::of_bits(u16::BITS - 1 + random_bits);
    }
    Space::of_bits(width(fields(format), |kind| {
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
/// Ids are 2^(s-1) apart on average, if steps are below 2^s.
pub(crate) fn guess_beside_others(format: FormatKind) -> Option<f64> {
    let bits = match ApartBy::of(format) {
        ApartBy::Counter { random_bits } => random_bits,
        ApartBy::Steps { bits } => bits - 1,
        _ => return None,
    };
    Some(1.0 / Space::of_bits(bits).values())
}

/// The share of all 128-bit values that belong to the format: the chance that a made-up public id
/// of one block decrypts to something of this format.
pub(crate) fn share_of_values(format: FormatKind) -> f64 {
    let fixed = width(format.fields(), |kind| {
        matches!(kind, FieldKind::Version(_) | FieldKind::Variant(_))
    });
    // The formats with a largest value have no fixed bits.
    match format.width().max() {
        u128::MAX => 1.0 / Space::of_bits(fixed).values(),
        max => (max as f64 + 1.0) / Space::of_bits(128).values(),
    }
}

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
