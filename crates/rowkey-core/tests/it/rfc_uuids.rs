//! Versions 4 and 7, against the examples of RFC 9562.

use proptest::prelude::*;
use rowkey_core::error::ErrorKind;
use rowkey_core::{UnixMillis, UuidV4, UuidV7};

#[test]
fn the_version_7_example() {
    let id: UuidV7 = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".parse().unwrap();
    assert_eq!(id.time(), UnixMillis::new(1_645_557_742_000));
    let random = [0xfc, 0xc3, 0xd8, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f];
    assert_eq!(UuidV7::from_parts(id.time(), random), Ok(id));
}

#[test]
fn the_version_4_example() {
    let id: UuidV4 = "919108f7-52d1-4320-9bac-f847db4148a8".parse().unwrap();
    let mut random = id.to_bytes();
    random[6] |= 0xf0;
    random[8] |= 0xc0;
    assert_eq!(UuidV4::from_random(random), id);
}

#[test]
fn other_versions_and_variants_are_refused() {
    let v7 = |text: &str| text.parse::<UuidV7>();
    assert!(v7("017f22e2-79b0-4cc3-98c4-dc0c0c07398f").is_err());
    let error = v7("017f22e2-79b0-7cc3-18c4-dc0c0c07398f").unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a UuidV7: the variant (position 19 of the hyphenated text) is 1, expected 8, 9, a or b"
    );
    let error = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
        .parse::<UuidV4>()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a UuidV4: the version (position 14 of the hyphenated text) is 7, expected 4"
    );
}

#[test]
fn times_outside_the_field_are_errors() {
    for time in [-1, 1 << 48, i64::MIN, i64::MAX] {
        let made = UuidV7::from_parts(UnixMillis::new(time), [0; 10]);
        assert_eq!(made.unwrap_err().kind(), ErrorKind::OutOfRange, "{time}");
    }
}

proptest! {
    #[test]
    fn version_7_orders_by_time(
        a in 0..1_i64 << 48, b in 0..1_i64 << 48, ra: [u8; 10], rb: [u8; 10],
    ) {
        prop_assume!(a != b);
        let make = |time, random| UuidV7::from_parts(UnixMillis::new(time), random).unwrap();
        let (ia, ib) = (make(a, ra), make(b, rb));
        prop_assert_eq!(ia.cmp(&ib), a.cmp(&b));
        prop_assert_eq!(ia.time().get(), a);
        prop_assert_eq!(ia.to_string().parse(), Ok(ia));
    }
}
