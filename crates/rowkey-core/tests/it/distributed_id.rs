//! DistributedId against the vectors of the original, and where it deliberately differs.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use rowkey_core::error::ErrorKind;
use rowkey_core::format::Format;
use rowkey_core::generate::{Clock, Generate, Generator, Incremental};
use rowkey_core::generate::{DistributedIdGenerator, DistributedIdState};
use rowkey_core::text::Encoding;
use rowkey_core::{DistributedId, Error, UnixMillis};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::assert_refused;
use crate::sequence::{Machine, Sequence, play};
use crate::vectors::section;

const MS_1900: i64 = -2_208_988_800_000;
/// The last clock reading: 3014-12-13T12:41:29.831Z, a second after the last embedded time.
const LAST_CLOCK: UnixMillis = UnixMillis::new(MS_1900 + (1 << 45) - 1 + 1_000);
/// 2020-01-01T00:00:00Z.
const Y2020: UnixMillis = UnixMillis::new(1_577_836_800_000);
const MAX_RANDOM: u64 = (1 << 48) - 1;

#[derive(Deserialize)]
struct LayoutCase {
    timestamp_ms_since_1900: String,
    unix_ms: String,
    random48: String,
    decimal: String,
    digits: usize,
    alphanumeric: String,
    hexadecimal: String,
    binary16: String,
    uuid: String,
}

#[derive(Deserialize)]
struct LayoutError {
    timestamp_ms_since_1900: String,
    random48: String,
}

#[derive(Deserialize)]
struct Increment {
    previous: String,
    draw: String,
    result: Option<String>,
}

#[derive(Deserialize)]
struct Counting {
    first: String,
    ids: Vec<String>,
}

impl Machine for DistributedIdState {
    type Id = DistributedId;
    type Draw = u64;
    type Recorded = String;

    fn next(&mut self, now: UnixMillis, draw: u64) -> Result<DistributedId, Error> {
        Self::next(self, now, draw)
    }

    fn read(recorded: &String) -> u64 {
        number(recorded)
    }

    fn set_previous(&mut self, random: u64) {
        self.set_previous_random(random);
    }

    fn millis(id: DistributedId) -> i64 {
        since_1900(id)
    }
}

fn vectors<T: DeserializeOwned>(name: &str, at_least: usize) -> Vec<T> {
    let cases = section("distributed_id.json", name, at_least).into_iter();
    cases
        .map(|case| serde_json::from_value(case).unwrap())
        .collect()
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn since_1900(id: DistributedId) -> i64 {
    id.time().unwrap().get() - MS_1900
}

/// A state that has made one id at `now`, with no room left in its millisecond.
fn full_at(now: UnixMillis) -> DistributedIdState {
    let mut state = DistributedIdState::new();
    state.next(now, 1).unwrap();
    state.set_previous_random(MAX_RANDOM);
    state
}

#[test]
fn layout_vectors() {
    for case in vectors::<LayoutCase>("layout", 16) {
        let time = UnixMillis::new(number(&case.unix_ms));
        let random = number(&case.random48);
        let id = DistributedId::from_parts(time, random).unwrap();
        assert_eq!(id.to_string(), case.decimal);
        assert_eq!(case.decimal.len(), case.digits);
        assert_eq!(id.time(), Some(time));
        assert_eq!(since_1900(id), number::<i64>(&case.timestamp_ms_since_1900));
        assert_eq!(id.random(), random);
        assert_eq!(id.to_uuid().to_string(), case.uuid);
        assert_eq!(DistributedId::try_from(id.to_uuid()), Ok(id));
        assert_eq!(case.decimal.parse(), Ok(id));
        for (encoding, text) in [
            (Encoding::Decimal, &case.decimal),
            (Encoding::Alphanumeric, &case.alphanumeric),
            (Encoding::Hexadecimal, &case.hexadecimal),
            (Encoding::Binary, &case.binary16),
            (Encoding::Uuid, &case.uuid),
        ] {
            assert_eq!(*id.encode(encoding), **text, "{encoding:?}");
            assert_eq!(
                DistributedId::decode(encoding, text),
                Ok(id),
                "{encoding:?}"
            );
        }
    }
}

// Listed in docs/src/differences.md.
#[test]
fn the_uuid_form_is_the_number_as_128_bits() {
    let id: DistributedId = "1088824355131185736905670087".parse().unwrap();
    let uuid = id.to_uuid();
    assert_eq!(uuid.to_string(), "00000000-0384-a786-907d-b2ad82883dc7");
    assert_eq!(uuid.as_u128(), 1_088_824_355_131_185_736_905_670_087);
    assert_eq!(DistributedId::try_from(uuid), Ok(id));
}

#[test]
fn layout_error_vectors() {
    for case in vectors::<LayoutError>("layout_errors", 1) {
        let time = UnixMillis::new(MS_1900 + number::<i64>(&case.timestamp_ms_since_1900));
        let made = DistributedId::from_parts(time, number(&case.random48));
        assert_eq!(made.unwrap_err().kind(), ErrorKind::OutOfRange);
    }
}

#[test]
fn from_parts_refuses_instead_of_masking() {
    let before = UnixMillis::new(MS_1900 - 1);
    assert_eq!(
        DistributedId::from_parts(before, 1).unwrap_err().kind(),
        ErrorKind::OutOfRange
    );
    assert_refused(
        &DistributedId::from_parts(Y2020, MAX_RANDOM + 1),
        "random of a ",
    );
}

#[test]
fn increment_vectors() {
    for case in vectors::<Increment>("increments", 12) {
        let mut state = DistributedIdState::new();
        let first = state.next(Y2020, 1).unwrap();
        state.set_previous_random(number(&case.previous));
        let next = state.next(Y2020, number(&case.draw)).unwrap();
        match case.result {
            Some(result) => {
                assert_eq!(next.random(), number::<u64>(&result));
                assert_eq!(next.time(), first.time());
            }
            None => assert_eq!(since_1900(next), since_1900(first) + 1),
        }
    }
}

#[test]
fn sequence_vectors() {
    for sequence in vectors::<Sequence<String>>("sequences", 19) {
        play::<DistributedIdState>(&sequence);
    }
}

// Listed in docs/src/differences.md.
#[test]
fn the_embedded_time_is_1000_to_1_ms_before_the_clock() {
    let mut state = DistributedIdState::new();
    let mut ahead = Vec::new();
    loop {
        match state.next(Y2020, MAX_RANDOM) {
            Ok(id) => ahead.push(Y2020.get() - id.time().unwrap().get()),
            Err(error) => break assert!(error.is_throttled()),
        }
    }
    assert_eq!(ahead, (1..=1_000).rev().collect::<Vec<_>>());
}

// Listed in docs/src/differences.md.
#[test]
fn numbers_have_exactly_28_digits_from_2012_07_31_on() {
    let first = UnixMillis::new(1_343_724_878_801); // 2012-07-31T08:54:38.801Z
    let before = UnixMillis::new(first.get() - 1);
    let digits = |time, random| {
        DistributedId::from_parts(time, random)
            .unwrap()
            .to_string()
            .len()
    };
    assert_eq!(digits(first, 0), 28);
    assert_eq!(digits(before, 0), 27);
    assert!(
        DistributedId::from_parts(first, 1)
            .unwrap()
            .looks_generated()
    );
    assert!(
        !DistributedId::from_parts(first, 0)
            .unwrap()
            .looks_generated()
    );
    assert!(
        !DistributedId::from_parts(before, 1)
            .unwrap()
            .looks_generated()
    );
}

// Listed in docs/src/differences.md.
#[test]
fn any_number_of_28_digits_is_an_id() {
    let largest = 10u128.pow(28) - 1;
    for value in [0, 1, (1 << 93) - 1, 1 << 93, largest] {
        let id = DistributedId::try_from(value).unwrap();
        assert_eq!(id.to_u128(), value);
        assert_eq!(id.time().is_some(), value < 1 << 93);
    }
    assert!(DistributedId::constant((1 << 93) - 1).looks_generated());
    assert!(!DistributedId::constant(1 << 93).looks_generated());
    assert!(DistributedId::try_from(largest + 1).is_err());
}

// Listed in docs/src/differences.md.
#[test]
fn a_rewind_matters_only_on_overflow_and_from_1001_ms() {
    let mut roomy = DistributedIdState::new();
    let first = roomy.next(Y2020, 1).unwrap();
    let day_before = UnixMillis::new(Y2020.get() - 86_400_000);
    assert_eq!(
        roomy.next(day_before, 7).unwrap().random(),
        first.random() + 7
    );

    // The embedded time is 1000 ms before the clock, so 1000 ms of waiting are 1999 of rewind.
    let rewound = |by| full_at(Y2020).next(UnixMillis::new(Y2020.get() - by), 7);
    assert!(rewound(1_999).unwrap_err().is_throttled());
    assert_eq!(
        since_1900(rewound(2_000).unwrap()),
        since_1900(first) - 2_000
    );
}

#[test]
fn the_last_instant_is_in_3014() {
    let last = DistributedIdState::new().next(LAST_CLOCK, 1).unwrap();
    assert_eq!(last.time(), Some(UnixMillis::new(32_975_383_288_831)));
    let after = UnixMillis::new(LAST_CLOCK.get() + 1);
    assert_eq!(
        DistributedIdState::new().next(after, 1).unwrap_err().kind(),
        ErrorKind::OutOfRange
    );
}

#[test]
fn about_128_ids_fit_a_millisecond() {
    // 2^48 / 2^41: a fresh start leaves half the room, an average step takes half the maximum.
    let mut state = DistributedIdState::new();
    let step = 1 << 40;
    let mut made = 1;
    let first = state.next(Y2020, 1 << 47).unwrap();
    while state.next(Y2020, step).unwrap().time() == first.time() {
        made += 1;
    }
    assert_eq!(made, 128);
}

// Listed in docs/src/differences.md.
#[test]
fn clock_past_the_end_does_not_poison_the_generator() {
    let mut state = DistributedIdState::new();
    let first = state.next(Y2020, 5).unwrap();
    for bad in [LAST_CLOCK.get() + 1, i64::MAX, MS_1900 + 999, i64::MIN] {
        let result = state.next(UnixMillis::new(bad), 5);
        assert_eq!(result.unwrap_err().kind(), ErrorKind::OutOfRange);
    }
    assert_eq!(state.next(Y2020, 5).unwrap().random(), first.random() + 5);
}

// Listed in docs/src/differences.md.
#[test]
fn the_generator_recovers_with_its_clock() {
    let now = AtomicI64::new(i64::MAX);
    let ids =
        DistributedIdGenerator::new().with_clock(|| UnixMillis::new(now.load(Ordering::Relaxed)));
    assert_eq!(ids.generate().unwrap_err().kind(), ErrorKind::OutOfRange);
    now.store(Y2020.get(), Ordering::Relaxed);
    assert_eq!(
        since_1900(ids.generate().unwrap()),
        Y2020.get() - 1_000 - MS_1900
    );
}

#[test]
fn borrowing_stops_at_the_last_instant() {
    let mut state = full_at(LAST_CLOCK);
    assert_eq!(
        state.next(LAST_CLOCK, 5).unwrap_err().kind(),
        ErrorKind::OutOfRange
    );
    state.set_previous_random(1);
    assert_eq!(state.next(LAST_CLOCK, 5).unwrap().random(), 6);
}

#[test]
fn the_first_clock_reading_is_one_second_after_1900() {
    let first = UnixMillis::new(MS_1900 + 1_000);
    let mut state = DistributedIdState::new();
    let id = state.next(first, 0xdead_beef).unwrap();
    // The original would take the first random part for the step from an uninitialised one.
    assert_eq!((since_1900(id), id.random()), (0, 0xdead_beef));
    assert_eq!(state.next(first, 1).unwrap().random(), 0xdead_bef0);
}

#[test]
fn a_panic_of_the_clock_leaves_the_generator_usable() {
    let good = std::sync::atomic::AtomicBool::new(false);
    let clock = || {
        assert!(good.load(Ordering::Relaxed), "no time yet");
        Y2020
    };
    let ids = DistributedIdGenerator::new().with_clock(clock);
    let attempt = std::panic::AssertUnwindSafe(|| ids.try_generate());
    assert!(std::panic::catch_unwind(attempt).is_err());
    good.store(true, Ordering::Relaxed);
    assert!(ids.try_generate().is_ok());
}

#[test]
fn the_incremental_generator_counts_from_its_first_number() {
    for case in vectors::<Counting>("incremental_generator", 2) {
        let ids = Incremental::starting_at(number::<DistributedId>(&case.first));
        for expected in &case.ids {
            assert_eq!(ids.try_generate_for(&()).unwrap().to_string(), *expected);
        }
    }
}

#[test]
fn incremental_ends_at_the_largest_number() {
    let ids = Incremental::starting_at(DistributedId::constant(10u128.pow(28) - 1));
    assert_eq!(
        ids.try_generate_for(&()).unwrap().to_string(),
        "9".repeat(28)
    );
    for _ in 0..2 {
        assert_eq!(
            ids.try_generate_for(&()).unwrap_err().kind(),
            ErrorKind::Exhausted
        );
    }
    let other = Incremental::<DistributedId>::default();
    assert_eq!(other.try_generate_for(&()), Ok(DistributedId::constant(1)));
}

/// A clock that advances a millisecond with every reading.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> UnixMillis {
        UnixMillis::new(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn threads_get_different_and_increasing_ids() {
    // Ten readings to the millisecond, so that steps, new and borrowed milliseconds all occur.
    let tenths = AtomicI64::new(Y2020.get() * 10);
    let clock = || UnixMillis::new(tenths.fetch_add(1, Ordering::Relaxed) / 10);
    let ids = DistributedIdGenerator::new().with_clock(clock);
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
fn generate_waits_while_throttled() {
    // A burst from one reading ends; every further reading is a millisecond later.
    let burst = AtomicI64::new(0);
    let ticking = Ticking(AtomicI64::new(Y2020.get()));
    let clock = || match burst.fetch_add(1, Ordering::Relaxed) {
        0..200_000 => Y2020,
        _ => ticking.now(),
    };
    let ids = DistributedIdGenerator::new().with_clock(clock);
    let mut last = ids.try_generate().unwrap();
    let mut made = 1;
    while let Ok(id) = ids.try_generate() {
        assert!(last < id);
        (last, made) = (id, made + 1);
    }
    // 1000 ms of about 128 ids.
    assert!((115_000..140_000).contains(&made), "{made}");
    burst.store(200_000, Ordering::Relaxed);
    assert!(last < ids.generate().unwrap());
}

#[test]
fn a_throttled_draw_is_kept() {
    // Fresh draws would soon find one whose small step fits into the full millisecond.
    let ids = DistributedIdGenerator::new().with_clock(Y2020);
    while ids.try_generate().is_ok() {}
    assert!((0..1_000).all(|_| ids.try_generate().is_err()));
}

#[test]
fn the_default_generator_is_shared_and_current() {
    let before = UnixMillis::now();
    let first = DistributedId::generate();
    let second = std::thread::spawn(DistributedId::generate).join().unwrap();
    assert!(first < second);
    assert!(first.looks_generated());
    let embedded = first.time().unwrap();
    assert!(before.saturating_sub(Duration::from_secs(1)) <= embedded);
    assert!(embedded < UnixMillis::now());
    let batch = DistributedId::generate_batch(1_000);
    assert!(batch.len() == 1_000 && second < batch[0] && batch.is_sorted_by(|a, b| a < b));
}

proptest! {
    #[test]
    fn fields_round_trip(unix_ms in MS_1900..MS_1900 + (1 << 45), random in 0..=MAX_RANDOM) {
        let time = UnixMillis::new(unix_ms);
        let id = DistributedId::from_parts(time, random).unwrap();
        prop_assert_eq!((id.time(), id.random()), (Some(time), random));
        prop_assert_eq!(DistributedId::try_from(id.to_u128()), Ok(id));
    }

    #[test]
    fn the_order_is_time_then_random(
        a in (0i64..3, 0u64..3), b in (0i64..3, 0u64..3), base in 0i64..1 << 44,
    ) {
        let make = |(time, random)| {
            DistributedId::from_parts(UnixMillis::new(base + time), random).unwrap()
        };
        prop_assert_eq!(make(a).cmp(&make(b)), a.cmp(&b));
    }

    #[test]
    fn ids_increase_while_the_clock_goes_back_at_most_a_second(
        steps in prop::collection::vec((0i64..=1_000, any::<u64>()), 1..200),
    ) {
        let mut state = DistributedIdState::new();
        let mut last = None;
        for (rewind, draw) in steps {
            // High draws leave little room, so that overflows occur.
            match state.next(UnixMillis::new(Y2020.get() - rewind), draw | 0xffff << 32) {
                Ok(id) => {
                    prop_assert!(last < Some(id));
                    last = Some(id);
                }
                Err(error) => prop_assert!(error.is_throttled()),
            }
        }
    }
}
