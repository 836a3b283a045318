//! Validation of ids that clients made, next to the rule in exact arithmetic.

#![no_main]

use std::time::Duration;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::format::interval_counter;
use rowkey_core::validate::{CreationWindow, Tolerance, ValidationError};
use rowkey_core::{ShortPrefixComb, UnixMillis};
use rowkey_fuzz::Damage;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    now: Time,
    past: Side,
    future: Side,
    interval_ms: Interval,
    counter: u16,
    random: [u8; 14],
    damage: Damage<'a>,
    text: &'a str,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Time {
    Any(i64),
    Near(i32),
    OfOurs(u32),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Side {
    Intervals(u64),
    Any(Duration),
    Millis(u32),
    Minutes(u16),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Interval {
    Any(u64),
    Small(u16),
    Minute,
}

const RING: i128 = 1 << 16;

fuzz_target!(|input: Input<'_>| {
    let now = UnixMillis::new(match input.now {
        Time::Any(millis) => millis,
        Time::Near(millis) => millis.into(),
        Time::OfOurs(seconds) => i64::from(seconds) * 1_000,
    });
    let tolerance = |side| match side {
        Side::Intervals(steps) => Tolerance::Intervals(steps),
        Side::Any(duration) => duration.into(),
        Side::Millis(millis) => Duration::from_millis(millis.into()).into(),
        Side::Minutes(minutes) => Duration::from_secs(u64::from(minutes) * 60).into(),
    };
    let window = CreationWindow {
        past: tolerance(input.past),
        future: tolerance(input.future),
    };
    let interval_ms = match input.interval_ms {
        Interval::Any(interval) => interval,
        Interval::Small(interval) => interval.into(),
        Interval::Minute => 60_000,
    };

    let result = window.check_counter(input.counter, interval_ms, now);
    let expected = is_inside(window, input.counter, interval_ms.max(1), now);
    assert_eq!(result.is_ok(), expected);
    if let Err(error) = result {
        assert!(!error.to_string().is_empty());
        if let ValidationError::OutsideWindow { first, last, .. } = error {
            for edge in [first, last] {
                assert_eq!(window.check_counter(edge, interval_ms, now), Ok(()));
            }
        }
    }

    // What a client with the same clock makes is always accepted.
    if let Ok(counter) = interval_counter(now, interval_ms) {
        assert_eq!(window.check_counter(counter, interval_ms, now), Ok(()));
    }

    let id = ShortPrefixComb::<60_000>::from_parts(input.counter, input.random);
    assert_eq!(
        window.check(id, now).is_ok(),
        window
            .parse::<ShortPrefixComb>(&id.to_string(), now)
            .is_ok()
    );
    for text in [&*input.damage.apply(&id.to_string()), input.text] {
        match window.parse::<ShortPrefixComb>(text, now) {
            Ok(id) => {
                assert!(id.to_string().eq_ignore_ascii_case(text));
                assert!(is_inside(window, id.counter(), 60_000, now));
            }
            Err(ValidationError::Missing) => assert!(text.trim().is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

/// The rule: the counter is one of those from `past` before to `future` after, whole intervals.
fn is_inside(window: CreationWindow, counter: u16, interval_ms: u64, now: UnixMillis) -> bool {
    let steps = |tolerance| match tolerance {
        Tolerance::Intervals(steps) => i128::from(steps),
        Tolerance::Duration(duration) => {
            let interval_ns = u128::from(interval_ms) * 1_000_000;
            duration.as_nanos().div_ceil(interval_ns) as i128
        }
    };
    let here = i128::from(now.get())
        .div_euclid(i128::from(interval_ms))
        .rem_euclid(RING);
    let ahead = (i128::from(counter) - here).rem_euclid(RING);
    let behind = (here - i128::from(counter)).rem_euclid(RING);
    ahead <= steps(window.future) || behind <= steps(window.past)
}
