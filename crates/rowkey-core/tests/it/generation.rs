//! Generation of the formats without state, with an injected clock and injected randomness.

use rowkey_core::error::ErrorKind;
use rowkey_core::generate::{EntropyFn, Generate};
use rowkey_core::luuid::{LuuidContext, LuuidGroup};
use rowkey_core::routing::IuidContext;
use rowkey_core::{
    AnyUuid, Iuid, Luuid, PrefixComb, ShortPrefixComb, ShortSuffixComb, SuffixComb, UnixMillis,
    UuidV4, UuidV7,
};

use crate::assert_refused;

/// 2022-03-18T05:24:00Z: counter 100 at one minute.
const NOW: UnixMillis = UnixMillis::new(1_647_581_040_000);

fn made<F: Generate>(context: &F::Context, byte: u8) -> String {
    let mut entropy = EntropyFn(|bytes: &mut [u8]| bytes.fill(byte));
    F::generate_with(context, &NOW, &mut entropy)
        .unwrap()
        .to_string()
}

#[test]
fn every_bit_that_is_not_fixed_comes_from_clock_context_or_randomness() {
    let iuid = IuidContext {
        country: 0x12,
        service_entity: 0xff,
    };
    let luuid = LuuidContext {
        group: LuuidGroup::new(0xaa1).unwrap(),
        number: 0x23_122e,
    };
    for (made, zeros, ones) in [
        (
            [
                made::<ShortPrefixComb>(&(), 0),
                made::<ShortPrefixComb>(&(), 0xff),
            ],
            "00640000-0000-4000-8000-000000000000",
            "0064ffff-ffff-4fff-bfff-ffffffffffff",
        ),
        (
            [
                made::<ShortSuffixComb>(&(), 0),
                made::<ShortSuffixComb>(&(), 0xff),
            ],
            "00000000-0000-4000-8000-006400000000",
            "ffffffff-ffff-4fff-bfff-0064ffffffff",
        ),
        (
            [made::<PrefixComb>(&(), 0), made::<PrefixComb>(&(), 0xff)],
            "017f9b7b-8d80-4000-8000-000000000000",
            "017f9b7b-8d80-4fff-bfff-ffffffffffff",
        ),
        (
            [made::<SuffixComb>(&(), 0), made::<SuffixComb>(&(), 0xff)],
            "00000000-0000-4000-8000-017f9b7b8d80",
            "ffffffff-ffff-4fff-bfff-017f9b7b8d80",
        ),
        (
            [made::<UuidV7>(&(), 0), made::<UuidV7>(&(), 0xff)],
            "017f9b7b-8d80-7000-8000-000000000000",
            "017f9b7b-8d80-7fff-bfff-ffffffffffff",
        ),
        (
            [made::<UuidV4>(&(), 0), made::<UuidV4>(&(), 0xff)],
            "00000000-0000-4000-8000-000000000000",
            "ffffffff-ffff-4fff-bfff-ffffffffffff",
        ),
        (
            [made::<AnyUuid>(&(), 0), made::<AnyUuid>(&(), 0xff)],
            "00000000-0000-4000-8000-000000000000",
            "ffffffff-ffff-4fff-bfff-ffffffffffff",
        ),
        (
            [made::<Iuid>(&iuid, 0), made::<Iuid>(&iuid, 0xff)],
            "017f9b7b-8d80-8012-bfc0-000000000000",
            "017f9b7b-8d80-8012-bfff-ffffffffffff",
        ),
        (
            [made::<Luuid>(&luuid, 0), made::<Luuid>(&luuid, 0xff)],
            "00000023-122e-6aa1-a000-000000000000",
            "00000023-122e-6aa1-afff-ffffffffffff",
        ),
    ] {
        assert_eq!(made, [zeros, ones]);
    }
}

#[test]
fn a_clock_outside_the_format_is_an_error_and_a_good_one_works_again() {
    let mut entropy = EntropyFn(|bytes: &mut [u8]| bytes.fill(7));
    let mut make = |now: i64| UuidV7::generate_with(&(), &UnixMillis::new(now), &mut entropy);
    assert_eq!(make(-1).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(make(1 << 48).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert!(make(0).is_ok());
    // The short COMBs' ring has a place for every instant.
    let mut entropy = EntropyFn(|bytes: &mut [u8]| bytes.fill(7));
    let id = <ShortPrefixComb>::generate_with(&(), &UnixMillis::new(-1), &mut entropy).unwrap();
    assert_eq!(id.counter(), 0xffff);
}

#[test]
fn a_key_of_49_bits_is_an_error() {
    let context = LuuidContext {
        group: LuuidGroup::of("Person"),
        number: 1 << 48,
    };
    assert_refused(&Luuid::try_generate_for(&context), "number of a ");
}

#[test]
fn the_process_makes_ids_of_now() {
    fn check<F: Generate<Context = ()>>() {
        let ids = F::generate_batch(1_000);
        let mut distinct = ids.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 1_000, "{}", F::KIND);
        assert!(ids.iter().all(|id| F::KIND.admits(id.to_u128())));
    }
    check::<ShortPrefixComb>();
    check::<ShortSuffixComb<1_000>>();
    check::<PrefixComb>();
    check::<SuffixComb>();
    check::<UuidV4>();
    check::<UuidV7>();
    check::<AnyUuid>();
    let before = UnixMillis::now();
    let id = PrefixComb::generate();
    assert!((before..=UnixMillis::now()).contains(&id.time()));
}
