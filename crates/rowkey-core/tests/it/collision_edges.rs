//! Probabilities of collisions and guesses at the edges: no values, no time, numbers that are none.

use std::time::Duration;

use proptest::prelude::*;
use rowkey_core::collision::{Space, Stream};
use rowkey_core::format::FormatKind;

const YEAR: Duration = Duration::from_secs(31_556_952);

#[test]
fn a_space_without_values_or_end_has_no_chances() {
    for space in [
        Space::of_values(0),
        Space::of_bits(1_024),
        Space::of_bits(u32::MAX),
    ] {
        for number in [0, 1, 2, 10_000, u128::MAX] {
            assert_eq!(space.collision(number), 0.0, "{number} of {space:?}");
            assert_eq!(space.guessed(number, number), 0.0, "{number} of {space:?}");
        }
        assert_eq!(space.ids_until(1e-300), u128::MAX);
        assert_eq!(space.guesses_until(1, 1e-300), u128::MAX);
    }
    assert_eq!(Space::of_values(1).guessed(1, 1), 1.0);
    assert_eq!(Space::of_values(1).collision(1), 0.0);
    assert_eq!(Space::of_values(1).collision(2), 1.0);
}

#[test]
fn rates_times_and_probabilities_at_the_edge_are_defined() {
    for format in FormatKind::ALL {
        let stream = |rate| Stream::new(format, rate).by_processes(3);
        for none in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(stream(none), stream(0.0), "{none}");
        }
        assert_eq!(stream(0.0).probability(YEAR), 0.0);
        assert_eq!(stream(0.0).seconds_until(0.5), None);
        assert_eq!(stream(f64::INFINITY), stream(f64::MAX));
        assert_eq!(stream(f64::INFINITY).probability(Duration::ZERO), 0.0);

        let some = stream(1e6);
        for always in [0.0, -1.0, f64::NEG_INFINITY] {
            assert_eq!(some.seconds_until(always), Some(0.0));
        }
        for never in [1.5, f64::INFINITY, f64::NAN] {
            assert_eq!(some.seconds_until(never), None);
        }
        assert_eq!(
            some.with_interval(Duration::ZERO),
            some.with_interval(Duration::from_millis(1))
        );
    }
    for processes in [0, 1] {
        assert_eq!(
            Stream::full_load(FormatKind::DistributedId, processes),
            None
        );
    }
    assert_eq!(Stream::full_load(FormatKind::UuidV7, 2), None);
}

fn numbers() -> impl Strategy<Value = u128> {
    (0..128_u32, any::<u128>()).prop_map(|(shift, number)| number >> shift)
}

fn spaces() -> impl Strategy<Value = Space> {
    prop_oneof![
        (0..1_100_u32).prop_map(Space::of_bits),
        numbers().prop_map(Space::of_values),
    ]
}

fn streams() -> impl Strategy<Value = Stream> {
    let processes = (0..32_u32, any::<u32>()).prop_map(|(shift, number)| number >> shift);
    let interval = (0..64_u32, any::<u64>()).prop_map(|(shift, number)| number >> shift);
    let format = prop::sample::select(FormatKind::ALL.to_vec());
    (format, any::<f64>(), processes, interval).prop_map(|(format, rate, processes, interval)| {
        let stream = Stream::new(format, rate).by_processes(processes);
        stream.with_interval(Duration::from_millis(interval))
    })
}

/// Sorted, so that a probability may not decrease.
fn two<T: Ord>(mut pair: [T; 2]) -> [T; 2] {
    pair.sort();
    pair
}

#[track_caller]
fn are_probabilities_in_order([smaller, larger]: [f64; 2]) {
    for probability in [smaller, larger] {
        assert!((0.0..=1.0).contains(&probability), "{probability}");
    }
    // Rounding.
    assert!(
        smaller <= larger * (1.0 + 1e-11),
        "{smaller:e} > {larger:e}"
    );
}

proptest! {
    #[test]
    fn chances_are_between_0_and_1_and_increase(
        space in spaces(), ids in [numbers(), numbers()], guesses in numbers(),
    ) {
        let ids = two(ids);
        are_probabilities_in_order(ids.map(|ids| space.collision(ids)));
        are_probabilities_in_order(ids.map(|ids| space.guessed(ids, guesses)));
        are_probabilities_in_order(ids.map(|ids| space.guessed(guesses, ids)));
    }

    #[test]
    fn chances_of_a_stream_are_between_0_and_1_and_increase(
        stream in streams(), times in [any::<Duration>(), any::<Duration>()], probability: f64,
    ) {
        are_probabilities_in_order(two(times).map(|time| stream.probability(time)));
        if let Some(seconds) = stream.seconds_until(probability) {
            prop_assert!(seconds >= 0.0 && seconds.is_finite(), "{}", seconds);
        }
    }

    #[test]
    fn faster_streams_have_larger_chances(
        format in prop::sample::select(FormatKind::ALL.to_vec()),
        rates in [1e-9..1e40_f64, 1e-9..1e40_f64],
        processes: u32,
        time: Duration,
    ) {
        let mut rates = rates;
        rates.sort_by(f64::total_cmp);
        let stream = |rate| Stream::new(format, rate).by_processes(processes);
        are_probabilities_in_order(rates.map(|rate| stream(rate).probability(time)));
    }
}
