//! Validation of client-made short prefix COMBs, against klokwrk's rule.

use std::time::Duration;

use crate::vectors::{int, section, text};
use proptest::prelude::*;
use rowkey_core::validate::{CreationWindow, Tolerance, ValidationError};
use rowkey_core::{ShortPrefixComb, UnixMillis};
use serde_json::Value;

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(minutes * 60)
}

fn window(past: u64, future: u64) -> CreationWindow {
    CreationWindow {
        past: minutes(past).into(),
        future: minutes(future).into(),
    }
}

fn check(case: &Value, field: &str) -> Result<ShortPrefixComb, ValidationError> {
    let [past, future] = ["past_minutes", "future_minutes"].map(|field| int(case, field) as u64);
    window(past, future).parse(text(case, field), UnixMillis::new(int(case, "now_unix_ms")))
}

#[test]
fn bounded_vectors() {
    for case in section("comb_validation.json", "bounded", 34) {
        assert_eq!(
            check(&case, "uuid").is_ok(),
            case["valid"].as_bool().unwrap(),
            "{case}"
        );
    }
}

#[test]
fn quirks_of_the_original_are_corrected() {
    for case in section("comb_validation.json", "quirks", 6) {
        match text(&case, "recommended") {
            "accept" | "accept_or_config_error" => assert!(check(&case, "input").is_ok(), "{case}"),
            "reject" => assert!(check(&case, "input").is_err(), "{case}"),
            // A negative tolerance has no `Duration`.
            "config_error" => assert!(int(&case, "past_minutes") < 0, "{case}"),
            other => panic!("unknown recommendation {other}"),
        }
    }
}

// Listed in docs/src/differences.md.
#[test]
fn only_the_strict_hyphenated_text_is_read() {
    let now = UnixMillis::new(1_647_575_040_000);
    for input in [
        "0-0-4000-8000-0",
        "00000000000040008000000000000000",
        "{00000000-0000-4000-8000-000000000000}",
        "urn:uuid:00000000-0000-4000-8000-000000000000",
        " 00000000-0000-4000-8000-000000000000",
        "00000000-0000-4000-8000-000000000000 ",
        "00000000-0000-4000-8000-00000000000g",
        "0000000-00000-4000-8000-000000000000",
    ] {
        let error = window(10, 10)
            .parse::<ShortPrefixComb>(input, now)
            .unwrap_err();
        assert!(
            matches!(error, ValidationError::Malformed(_)),
            "{input}: {error:?}"
        );
    }
    assert!(
        window(10, 10)
            .parse::<ShortPrefixComb>("000A0000-0000-4000-8000-00000000000F", now)
            .is_ok()
    );
}

// Listed in docs/src/differences.md.
#[test]
fn the_tolerance_follows_the_interval() {
    fn accepted<const INTERVAL_MS: u64>() -> usize {
        let now = UnixMillis::new(1_647_575_040_000);
        let ids = (0..=u16::MAX)
            .map(|counter| ShortPrefixComb::<INTERVAL_MS>::from_parts(counter, [0; 14]));
        ids.filter(|id| CreationWindow::default().check(*id, now).is_ok())
            .count()
    }
    // Ten steps either way, and the present one.
    assert_eq!(accepted::<60_000>(), 21);
    assert_eq!(accepted::<30_000>(), 21);
    assert_eq!(accepted::<300_000>(), 21);
    assert_eq!(accepted::<1>(), 21);
}

#[test]
fn the_window_wraps_also_near_1970() {
    let comb = |counter| ShortPrefixComb::<60_000>::from_parts(counter, [0; 14]);
    for now in [0, 59_999, -1, -60_000] {
        assert!(
            window(10, 10)
                .check(comb(0xffff), UnixMillis::new(now))
                .is_ok(),
            "{now}"
        );
        assert!(
            window(10, 10)
                .check(comb(0x0005), UnixMillis::new(now))
                .is_ok(),
            "{now}"
        );
        assert!(
            window(10, 10)
                .check(comb(0x8000), UnixMillis::new(now))
                .is_err(),
            "{now}"
        );
    }
}

// Listed in docs/src/differences.md.
#[test]
fn a_window_of_the_whole_ring_accepts_everything() {
    let comb = |counter| ShortPrefixComb::<60_000>::from_parts(counter, [0; 14]);
    let now = UnixMillis::new(1_647_575_040_000);
    // 32,767 + 32,768 intervals and the present one are the ring.
    assert!(window(32_767, 32_768).check(comb(0x8000), now).is_ok());
    assert!(window(32_767, 32_767).check(comb(0x8000), now).is_err());
    assert!(window(u64::MAX / 60, 0).check(comb(0x8000), now).is_ok());
    assert!(
        CreationWindow {
            past: Duration::MAX.into(),
            future: Tolerance::Intervals(u64::MAX),
        }
        .check(comb(1), now)
        .is_ok()
    );
}

#[test]
fn each_rule_has_its_own_error() {
    let now = UnixMillis::new(1_647_575_040_000);
    let error = |text| {
        window(3, 5)
            .parse::<ShortPrefixComb>(text, now)
            .unwrap_err()
    };
    assert_eq!(error(""), ValidationError::Missing);
    assert_eq!(error(" \t"), ValidationError::Missing);
    assert!(matches!(error("x"), ValidationError::Malformed(_)));
    assert!(matches!(
        error("00000000-0000-7000-8000-000000000000"),
        ValidationError::NotRandomV4(_)
    ));
    let outside = error("80000000-0000-4000-8000-000000000000");
    assert!(matches!(
        outside,
        ValidationError::OutsideWindow {
            counter: 0x8000,
            first: 0xfffd,
            last: 5,
            ..
        }
    ));
    assert_eq!(
        outside.to_string(),
        "the id was not made within the accepted time: its counter is 32768, accepted are 65533 to \
         5 on a ring of 65536 (180s before to 300s after 1647575040000 ms since \
         1970-01-01T00:00:00Z, in intervals of 60s)"
    );
}

#[test]
fn a_batch_is_checked_against_its_recorded_time() {
    let recorded = UnixMillis::new(1_500_000_000_000);
    let id = ShortPrefixComb::<60_000>::from_parts(
        ShortPrefixComb::<60_000>::counter_at(recorded),
        [7; 14],
    );
    assert!(CreationWindow::default().check(id, recorded).is_ok());
    assert!(
        CreationWindow::default()
            .check(id, UnixMillis::new(1_600_000_000_000))
            .is_err()
    );
}

proptest! {
    /// The rule as written down: both ends inclusive on the ring.
    #[test]
    fn the_window_is_the_inclusive_ring_interval(
        counter: u16, now in -1_i64 << 45..1 << 45, past in 0..40_000_u64, future in 0..40_000_u64,
    ) {
        let here = now.div_euclid(60_000).rem_euclid(65_536);
        let expected = past + future >= 65_535 || (0..=past as i64).any(|step| (here - step).rem_euclid(65_536) == i64::from(counter))
            || (0..=future as i64).any(|step| (here + step).rem_euclid(65_536) == i64::from(counter));
        let id = ShortPrefixComb::<60_000>::from_parts(counter, [0; 14]);
        prop_assert_eq!(window(past, future).check(id, UnixMillis::new(now)).is_ok(), expected);
    }
}
