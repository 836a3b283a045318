//! DistributedId128 against the vectors of the original, and where it deliberately differs.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};

use proptest::prelude::*;
use rowkey_core::error::ErrorKind;
use rowkey_core::format::Format;
use rowkey_core::generate::{DistributedId128Generator, DistributedId128State};
use rowkey_core::generate::{Generate, Generator, Incremental};
use rowkey_core::text::Encoding;
use rowkey_core::{DistributedId128, Error, UnixMillis};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::assert_refused;
use crate::sequence::{Machine, Sequence, play};
use crate::vectors::section;

const MS_1700: i64 = -8_520_336_000_000;
const LAST: UnixMillis = UnixMillis::new(MS_1700 + (1 << 48) - 1);
/// 2020-01-01T00:00:00Z.
const Y2020: UnixMillis = UnixMillis::new(1_577_836_800_000);
const MAX_RANDOM: u128 = (1 << 75) - 1;

#[derive(Deserialize)]
struct LayoutCase {
    timestamp_ms_since_1700: String,
    unix_ms: String,
    random_high11: String,
    random_low64: String,
    random75: String,
    uuid: String,
    decimal: String,
    digits: usize,
    alphanumeric: String,
    hexadecimal: String,
    upper_i64: Option<String>,
    lower_i64: Option<String>,
}

#[derive(Deserialize)]
struct Increment {
    previous: String,
    draw: String,
    result: Option<String>,
}

#[derive(Deserialize)]
struct Split {
    value: String,
    upper: Option<String>,
    lower: Option<String>,
}

#[derive(Deserialize)]
struct Join {
    upper: String,
    lower: String,
    value: Option<String>,
}

#[derive(Deserialize)]
struct Counting {
    first: String,
    uuids: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Random75 {
    high11: String,
    low64: String,
}

impl Random75 {
    fn get(&self) -> u128 {
        number::<u128>(&self.high11) << 64 | number::<u128>(&self.low64)
    }
}

impl Machine for DistributedId128State {
    type Id = DistributedId128;
    type Draw = u128;
    type Recorded = Random75;

    fn next(&mut self, now: UnixMillis, draw: u128) -> Result<DistributedId128, Error> {
        Self::next(self, now, draw)
    }

    fn read(recorded: &Random75) -> u128 {
        recorded.get()
    }

    fn set_previous(&mut self, random: u128) {
        self.set_previous_random(random);
    }

    fn millis(id: DistributedId128) -> i64 {
        since_1700(id)
    }
}

fn vectors<T: DeserializeOwned>(name: &str, at_least: usize) -> Vec<T> {
    let cases = section("distributed_id128.json", name, at_least).into_iter();
    cases
        .map(|case| serde_json::from_value(case).unwrap())
        .collect()
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn id(value: &str) -> DistributedId128 {
    DistributedId128::constant(number(value))
}

fn since_1700(id: DistributedId128) -> i64 {
    id.time().get() - MS_1700
}

/// A state that has made one id at `now`, with no room left in its millisecond.
fn full_at(now: UnixMillis) -> DistributedId128State {
    let mut state = DistributedId128State::new();
    state.next(now, 1).unwrap();
    state.set_previous_random(MAX_RANDOM);
    state
}

#[test]
fn layout_vectors() {
    for case in vectors::<LayoutCase>("layout", 15) {
        let time = UnixMillis::new(number(&case.unix_ms));
        let random = Random75 {
            high11: case.random_high11,
            low64: case.random_low64,
        }
        .get();
        assert_eq!(random, number::<u128>(&case.random75));
        let id = DistributedId128::from_parts(time, random).unwrap();
        assert_eq!(id.to_string(), case.uuid);
        assert_eq!(case.uuid.parse(), Ok(id));
        assert_eq!(
            DistributedId128::try_from(Uuid::parse_str(&case.uuid).unwrap()),
            Ok(id)
        );
        assert_eq!((id.time(), id.random()), (time, random));
        assert_eq!(since_1700(id), number::<i64>(&case.timestamp_ms_since_1700));
        assert!(id.looks_generated());
        assert_eq!(case.decimal.len(), case.digits);
        let binary = case.hexadecimal.to_lowercase();
        for (encoding, text) in [
            (Encoding::Decimal, &case.decimal),
            (Encoding::Alphanumeric, &case.alphanumeric),
            (Encoding::Hexadecimal, &case.hexadecimal),
            (Encoding::Binary, &binary),
            (Encoding::Uuid, &case.uuid),
        ] {
            assert_eq!(*id.encode(encoding), **text, "{encoding:?}");
            assert_eq!(
                DistributedId128::decode(encoding, text),
                Ok(id),
                "{encoding:?}"
            );
        }
        let halves = case.upper_i64.zip(case.lower_i64);
        assert_eq!(
            id.split().ok(),
            halves.map(|(upper, lower)| (number(&upper), number(&lower)))
        );
    }
}

#[test]
fn increment_vectors() {
    for case in vectors::<Increment>("increments", 11) {
        let mut state = DistributedId128State::new();
        let first = state.next(Y2020, 1).unwrap();
        state.set_previous_random(number(&case.previous));
        match (state.next(Y2020, number(&case.draw)), case.result) {
            (Ok(next), Some(result)) => {
                assert_eq!(next.random(), number::<u128>(&result));
                assert_eq!(next.time(), first.time());
            }
            (Err(error), None) => assert!(error.is_throttled()),
            (result, _) => panic!("{result:?}"),
        }
    }
}

#[test]
fn split_vectors() {
    for case in vectors::<Split>("split", 11) {
        let id = id(&case.value);
        match case.upper.zip(case.lower) {
            Some((upper, lower)) => {
                let halves = (number(&upper), number(&lower));
                assert_eq!(id.split(), Ok(halves));
                assert_eq!(DistributedId128::join(halves.0, halves.1), Ok(id));
            }
            None => assert_eq!(id.split().unwrap_err().kind(), ErrorKind::OutOfRange),
        }
    }
}

#[test]
fn join_vectors() {
    for case in vectors::<Join>("join", 7) {
        let (upper, lower) = (number(&case.upper), number(&case.lower));
        match case.value {
            Some(value) => {
                assert_eq!(DistributedId128::join(upper, lower), Ok(id(&value)));
                assert_eq!(id(&value).split(), Ok((upper, lower)));
            }
            None => assert_eq!(
                DistributedId128::join(upper, lower).unwrap_err().kind(),
                ErrorKind::OutOfRange
            ),
        }
    }
}

#[test]
fn sequence_vectors() {
    for sequence in vectors::<Sequence<Random75>>("sequences", 13) {
        play::<DistributedId128State>(&sequence);
    }
}

// Listed in docs/src/differences.md.
#[test]
fn the_incremental_generator_counts_from_its_first_number() {
    for case in vectors::<Counting>("incremental_generator", 2) {
        let ids = Incremental::starting_at(id(&case.first));
        for expected in &case.uuids {
            assert_eq!(ids.try_generate_for(&()).unwrap().to_string(), *expected);
        }
    }
}

// Listed in docs/src/differences.md.
#[test]
fn incremental_ends_at_the_largest_number() {
    let ids = Incremental::starting_at(DistributedId128::constant(u128::MAX));
    assert_eq!(
        ids.try_generate_for(&()),
        Ok(DistributedId128::constant(u128::MAX))
    );
    assert_eq!(
        ids.try_generate_for(&()).unwrap_err().kind(),
        ErrorKind::Exhausted
    );
}

// Listed in docs/src/differences.md.
#[test]
fn from_parts_refuses_instead_of_masking() {
    for outside in [MS_1700 - 1, LAST.get() + 1, i64::MIN, i64::MAX] {
        let made = DistributedId128::from_parts(UnixMillis::new(outside), 1);
        assert_eq!(made.unwrap_err().kind(), ErrorKind::OutOfRange);
    }
    for random in [MAX_RANDOM + 1, u128::MAX] {
        let made = DistributedId128::from_parts(Y2020, random);
        assert_refused(&made, "random of a ");
    }
}

#[test]
fn a_rewind_of_1000_ms_resets_and_a_shorter_one_waits() {
    let rewound = |by| full_at(Y2020).next(UnixMillis::new(Y2020.get() - by), 7);
    assert!(rewound(0).unwrap_err().is_throttled());
    assert!(rewound(999).unwrap_err().is_throttled());
    assert_eq!(rewound(1_000).unwrap().time().get(), Y2020.get() - 1_000);
}

#[test]
fn about_131072_ids_fit_a_millisecond() {
    // 2^75 / 2^58: a fresh start leaves half the room, an average step takes half the maximum.
    let mut state = DistributedId128State::new();
    state.next(Y2020, 1 << 74).unwrap();
    let made = 1
        + (0..)
            .take_while(|_| state.next(Y2020, 1 << 57).is_ok())
            .count();
    assert_eq!(made, 131_072);
}

// Listed in docs/src/differences.md.
#[test]
fn it_is_no_version_7_uuid() {
    let id = DistributedId128State::new()
        .next(Y2020, MAX_RANDOM)
        .unwrap();
    let uuid = id.to_uuid();
    assert_eq!(uuid.get_version_num(), 7);
    assert_eq!(uuid.get_variant(), uuid::Variant::NCS);
    // A reader of version 7 takes the milliseconds since 1700 for milliseconds since 1970.
    let (seconds_1970, _) = uuid.get_timestamp().unwrap().to_unix();
    assert_eq!(seconds_1970 as i64 * 1_000, Y2020.get() - MS_1700);
    assert!(rowkey_core::UuidV7::try_from(uuid).is_err());
}

// Listed in docs/src/differences.md.
#[test]
fn looks_generated_checks_the_nibble_and_bit_64() {
    let good = DistributedId128::from_parts(Y2020, MAX_RANDOM)
        .unwrap()
        .to_u128();
    assert!(DistributedId128::constant(good).looks_generated());
    assert!(!DistributedId128::constant(good | 1 << 63).looks_generated());
    for bit in 76..80 {
        assert!(!DistributedId128::constant(good ^ 1 << bit).looks_generated());
    }
}

#[test]
fn numbers_have_38_digits_from_1962_to_4321() {
    let digits = |ms_since_1700: i64, random| {
        let time = UnixMillis::new(MS_1700 + ms_since_1700);
        DistributedId128::from_parts(time, random)
            .unwrap()
            .encode(Encoding::Decimal)
            .len()
    };
    let first = 8_271_806_125_530; // 1962-02-15T11:55:25.530Z
    assert_eq!((digits(first - 1, MAX_RANDOM), digits(first, 0)), (37, 38));
    let last = 82_718_061_255_302; // 4321-03-26T23:14:15.302Z
    assert_eq!((digits(last, MAX_RANDOM), digits(last + 1, 0)), (38, 39));
}

// Listed in docs/src/differences.md.
#[test]
fn a_bad_clock_does_not_poison_the_generator() {
    let now = AtomicI64::new(Y2020.get());
    let ids = DistributedId128Generator::new()
        .with_clock(|| UnixMillis::new(now.load(Ordering::Relaxed)));
    let first = ids.generate().unwrap();
    for bad in [MS_1700 - 1, LAST.get() + 1, i64::MIN, i64::MAX] {
        now.store(bad, Ordering::Relaxed);
        assert_eq!(
            ids.generate().unwrap_err().kind(),
            ErrorKind::OutOfRange,
            "{bad}"
        );
    }
    now.store(Y2020.get(), Ordering::Relaxed);
    let next = ids.generate().unwrap();
    assert_eq!(next.time(), first.time());
    assert!(first < next);
}

#[test]
fn the_first_and_the_last_reading_work() {
    for now in [UnixMillis::new(MS_1700), LAST] {
        let id = DistributedId128State::new().next(now, MAX_RANDOM).unwrap();
        assert_eq!((id.time(), id.random()), (now, MAX_RANDOM));
    }
}

#[test]
fn threads_get_different_and_increasing_ids() {
    let tenths = AtomicI64::new(Y2020.get() * 10);
    let clock = || UnixMillis::new(tenths.fetch_add(1, Ordering::Relaxed) / 10);
    let ids = DistributedId128Generator::new().with_clock(clock);
    let make = || {
        (0..20_000)
            .map(|_| ids.generate().unwrap())
            .collect::<Vec<_>>()
    };
    let made = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(make));
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(made.iter().all(|own| own.is_sorted_by(|a, b| a < b)));
    assert_eq!(made.iter().flatten().collect::<HashSet<_>>().len(), 80_000);
}

#[test]
fn the_default_generator_is_shared_and_current() {
    let before = UnixMillis::now();
    let first = DistributedId128::generate();
    let second = std::thread::spawn(DistributedId128::generate)
        .join()
        .unwrap();
    assert!(first < second && first.looks_generated());
    assert!(before <= first.time() && first.time() <= UnixMillis::now());
}

proptest! {
    #[test]
    fn fields_round_trip(unix_ms in MS_1700..=LAST.get(), random in 0..=MAX_RANDOM) {
        let time = UnixMillis::new(unix_ms);
        let id = DistributedId128::from_parts(time, random).unwrap();
        prop_assert_eq!((id.time(), id.random()), (time, random));
        prop_assert!(id.looks_generated());
    }

    #[test]
    fn the_order_is_time_then_random(
        a in (0i64..3, 0u128..3), b in (0i64..3, 0u128..3),
        base in 0i64..1 << 46, middle in 0..MAX_RANDOM - 3,
    ) {
        let make = |(time, random)| {
            DistributedId128::from_parts(UnixMillis::new(MS_1700 + base + time), middle + random)
        };
        let (one, other) = (make(a).unwrap(), make(b).unwrap());
        prop_assert_eq!(one.cmp(&other), a.cmp(&b));
        prop_assert_eq!(one.split().unwrap().cmp(&other.split().unwrap()), a.cmp(&b));
    }

    #[test]
    fn split_and_join_are_inverse(value: u128) {
        let id = DistributedId128::constant(value);
        match id.split() {
            Ok((upper, lower)) => prop_assert_eq!(DistributedId128::join(upper, lower), Ok(id)),
            Err(_) => prop_assert!(value >> 127 == 1 || value >> 63 & 1 == 1),
        }
    }

    #[test]
    fn ids_increase_while_the_clock_goes_back_less_than_a_second(
        steps in prop::collection::vec((0i64..1_000, any::<u128>()), 1..200),
    ) {
        let mut state = DistributedId128State::new();
        let mut last = None;
        for (rewind, draw) in steps {
            // High draws leave little room, so that overflows occur.
            match state.next(UnixMillis::new(Y2020.get() - rewind), draw | 0xffff << 59) {
                Ok(id) => {
                    prop_assert!(last < Some(id));
                    last = Some(id);
                }
                Err(error) => prop_assert!(error.is_throttled()),
            }
        }
    }
}
