//! What shows that bits are random: an order in which a counter would grow.

use rowkey_core::format::FormatKind;
use rowkey_core::{Backend, UnixMillis};
use rowkey_doctor::{Certainty, Diagnosis, Observation, StoredValue, Survey};

use crate::tables::{NOW, Random, Rate, id, times};

const ROWS: usize = 3_000;
const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;

/// One row in three hours, over 380 days.
const RATE: Rate = Rate::Random(11_000_000.0);

/// What a column says about the time at which a row was made.
#[derive(Clone, Copy, Debug)]
enum Created {
    Nothing,
    Constant,
    /// A date that the row's own time has nothing to do with.
    Birthday,
    Date,
    Exact,
    /// Exact for one row in three, and the time of an import for the others.
    Imported,
}

/// The order in which rows are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Read {
    /// That of an index of the ids.
    Index,
    Insertion,
    /// A number that was given to the rows in any order.
    Shuffled,
}

fn diagnose(mut ids: Vec<(u128, i64)>, created: Created, read: Read) -> Diagnosis {
    let mut random = Random(77);
    match read {
        Read::Index => ids.sort_unstable(),
        Read::Insertion => {}
        Read::Shuffled => shuffle(&mut ids, &mut random),
    }
    let mut survey = Survey::new(Backend::Sqlite, false, NOW);
    for (id, time) in ids {
        let created = match created {
            Created::Nothing => None,
            Created::Constant => Some(NOW.get() - DAY),
            Created::Birthday => Some(NOW.get() / DAY * DAY - random.below(9_000) as i64 * DAY),
            Created::Date => Some(time / DAY * DAY),
            Created::Imported if random.below(3) > 0 => Some(NOW.get() - DAY),
            Created::Exact | Created::Imported => Some(time / 1_000 * 1_000),
        };
        survey.take(Observation {
            value: StoredValue::Bytes(&id.to_be_bytes()),
            follows: read != Read::Index,
            created: created.map(UnixMillis::new),
        });
    }
    survey.conclude(&[])
}

fn shuffle(ids: &mut [(u128, i64)], random: &mut Random) {
    for index in (1..ids.len()).rev() {
        ids.swap(index, random.below(index as u64 + 1) as usize);
    }
}

fn rows(seed: u64, mut id: impl FnMut(&mut Random, i64) -> u128) -> Vec<(u128, i64)> {
    let mut random = Random(seed);
    let times = times(&mut random, RATE, ROWS, 1.0);
    let rows = times.into_iter().map(|time| (id(&mut random, time), time));
    rows.collect()
}

fn short_combs() -> Vec<(u128, i64)> {
    rows(1, |random, time| {
        id(FormatKind::ShortPrefixComb, random, time, 0)
    })
}

fn random_ids() -> Vec<(u128, i64)> {
    rows(2, |random, _| random.v4())
}

fn is_random(found: &Diagnosis) -> bool {
    found.format == Some(FormatKind::UuidV4) && found.candidates.len() == 1
}

#[test]
fn what_orders_nothing_does_not_show_that_ids_are_random() {
    for (created, read) in [
        (Created::Constant, Read::Index),
        (Created::Birthday, Read::Index),
        (Created::Date, Read::Index),
        (Created::Imported, Read::Index),
        (Created::Nothing, Read::Shuffled),
        (Created::Constant, Read::Shuffled),
        (Created::Birthday, Read::Shuffled),
        (Created::Date, Read::Shuffled),
    ] {
        for ids in [short_combs(), random_ids()] {
            let found = diagnose(ids, created, read);
            assert_ne!(
                found.certainty,
                Certainty::Certain,
                "{created:?} {read:?}: {found:#?}"
            );
        }
    }
}

#[test]
fn random_ids_are_certain_where_a_counter_would_have_been_seen() {
    for (created, read, expected) in [
        (Created::Exact, Read::Index, Certainty::Certain),
        (Created::Exact, Read::Shuffled, Certainty::Certain),
        (Created::Exact, Read::Insertion, Certainty::Certain),
        (Created::Date, Read::Insertion, Certainty::Certain),
        (Created::Nothing, Read::Insertion, Certainty::Likely),
        (Created::Birthday, Read::Insertion, Certainty::Likely),
        (Created::Date, Read::Index, Certainty::CannotTell),
        (Created::Constant, Read::Index, Certainty::CannotTell),
    ] {
        let found = diagnose(random_ids(), created, read);
        let what = format!("{created:?} {read:?}: {found:#?}");
        assert_eq!(found.certainty, expected, "{what}");
        let is_undecided = expected == Certainty::CannotTell;
        assert_eq!(is_random(&found), !is_undecided, "{what}");
    }
}

#[test]
fn dates_tell_that_the_minutes_of_short_combs_count() {
    let format = FormatKind::ShortPrefixComb;
    for read in [Read::Index, Read::Shuffled, Read::Insertion] {
        let found = diagnose(short_combs(), Created::Date, read);
        let what = format!("{read:?}: {found:#?}");
        assert_eq!(
            (found.format, found.certainty),
            (Some(format), Certainty::Likely),
            "{what}"
        );
    }
}

/// Counters of other makers, each in two bytes of a random UUID.
#[test]
fn a_counter_anywhere_is_not_random() {
    const UNITS: [f64; 7] = [
        60_000.0,
        1.0,
        10.0,
        1_000.0 / 300.0,
        1_000.0,
        256.0,
        30_000.0,
    ];
    const KINDS: [(f64, bool); 3] = [(1.0, false), (1.0, true), (0.3, false)];
    const READS: [Read; 3] = [Read::Index, Read::Shuffled, Read::Insertion];
    let is_long = std::env::var_os("ROWKEY_CHAOS").is_some();
    let tables = (0..15).flat_map(|byte| UNITS.map(|unit| (byte, unit)));
    let tables = tables.flat_map(|(byte, unit)| KINDS.map(|kind| (byte, unit, kind)));
    let tables = tables.flat_map(|(byte, unit, kind)| READS.map(|read| (byte, unit, kind, read)));
    // Version and variant stay where they are.
    let tables = tables.filter(|(byte, ..)| !matches!(byte, 5..=8));
    let every = if is_long { 1 } else { 10 };
    for (byte, unit, (share, is_reversed), read) in tables.step_by(every) {
        let ids = rows(byte, |random, time| {
            let counter = (time as f64 / unit) as u64 as u16;
            let counter = if is_reversed {
                counter.swap_bytes()
            } else {
                counter
            };
            let shift = 112 - byte * 8;
            let id = random.v4();
            if random.unit() < share {
                id & !(0xffff << shift) | u128::from(counter) << shift
            } else {
                id
            }
        });
        let found = diagnose(ids, Created::Exact, read);
        let is_wrong = is_random(&found) && found.certainty == Certainty::Certain;
        assert!(
            !is_wrong,
            "byte {byte}, {unit} ms, {share}, {is_reversed}, {read:?}: {found:#?}"
        );
    }
}

#[test]
fn short_combs_among_random_ids_are_found_by_exact_times() {
    for (share, read) in [0.1, 0.3, 0.5]
        .into_iter()
        .flat_map(|share| [(share, Read::Index), (share, Read::Insertion)])
    {
        let format = FormatKind::ShortPrefixComb;
        let ids = rows(5, |random, time| {
            let format = match random.unit() < share {
                true => format,
                false => FormatKind::UuidV4,
            };
            id(format, random, time, 0)
        });
        let found = diagnose(ids, Created::Exact, read);
        let of_combs = found.candidates.iter().find(|found| found.format == format);
        let told = of_combs.map_or(0.0, |found| found.share);
        assert!((told - share).abs() < 0.05, "{share} {read:?}: {found:#?}");
    }
}

/// A counter that goes around its ring slowly: whole runs of rows in the order of their times are
/// in the order of their ids, too.
#[test]
fn a_slow_counter_at_regular_times_is_not_random() {
    for (unit, step) in [(40_000, 239), (77_000, 239), (60_000, 1_009), (25_000, 61)] {
        for read in [Read::Index, Read::Insertion, Read::Shuffled] {
            let mut random = Random(unit);
            let rate = Rate::Steady(step as f64 * MINUTE as f64);
            let ids = times(&mut random, rate, 600, 1.0).into_iter().map(|time| {
                let counter = (time / unit as i64) as u16;
                let id = random.v4() & (u128::MAX >> 16) | u128::from(counter) << 112;
                (id, time)
            });
            let found = diagnose(ids.collect(), Created::Exact, read);
            let is_wrong = is_random(&found) && found.certainty == Certainty::Certain;
            assert!(!is_wrong, "{unit} {step} {read:?}: {found:#?}");
        }
    }
}

/// Sorted loads, whose times grow with the ids.
#[test]
fn random_ids_in_their_order_and_in_that_of_times_do_not_count() {
    for (runs, per_second) in [(1, 1), (8, 1), (1, 5), (8, 5)] {
        let mut random = Random(runs);
        let mut ids: Vec<u128> = (0..ROWS).map(|_| random.v4()).collect();
        ids.chunks_mut(ROWS.div_ceil(runs as usize))
            .for_each(<[u128]>::sort_unstable);
        let start = NOW.get() - 40 * DAY;
        let ids = ids.into_iter().enumerate();
        let ids = ids.map(|(row, id)| (id, start + row as i64 / per_second * 17 * MINUTE));
        let found = diagnose(ids.collect(), Created::Exact, Read::Insertion);
        let what = format!("{runs} {per_second}: {found:#?}");
        assert!(
            found
                .candidates
                .iter()
                .all(|found| found.format == FormatKind::UuidV4),
            "{what}"
        );
        let said = found.evidence.join(" ");
        assert!(!said.contains("not drawn"), "{what}");
    }
}
