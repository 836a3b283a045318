//! iUID, against encodings of the published bit diagram.

use crate::assert_refused;
use crate::vectors::{int, section, text};
use proptest::prelude::*;
use rowkey_core::error::ErrorKind;
use rowkey_core::format::FormatKind;
use rowkey_core::routing::IuidContext;
use rowkey_core::{Iuid, UnixMillis};
use uuid::Uuid;

#[test]
fn make_vectors() {
    let mut made = 0;
    for case in section("iuid.json", "make", 14) {
        if int(&case, "ver1") != 0 {
            assert!(text(&case, "uuid").parse::<Iuid>().is_err(), "{case}");
            continue;
        }
        let context = IuidContext {
            country: int(&case, "country") as u8,
            service_entity: int(&case, "service_entity") as u8,
        };
        let random = text(&case, "random54").parse().unwrap();
        let time = UnixMillis::new(int(&case, "unix_ms"));
        let id = Iuid::from_parts(time, context, random).unwrap();
        assert_eq!(id.to_string(), text(&case, "uuid"), "{case}");
        let read: Iuid = text(&case, "uuid").parse().unwrap();
        assert_eq!(
            (read.time(), read.country(), read.random()),
            (time, context.country, random)
        );
        assert_eq!(read.service_entity(), context.service_entity);
        made += 1;
    }
    assert!(made > 0);
}

#[test]
fn bounds_vectors() {
    for case in section("iuid.json", "bounds", 2) {
        let [from, to] = ["start_unix_ms", "end_unix_ms_exclusive"]
            .map(|field| UnixMillis::new(int(&case, field)));
        let ranges = FormatKind::Iuid
            .value_ranges(Some(from), Some(to), 1)
            .unwrap();
        let [range] = *ranges else {
            panic!("one interval")
        };
        let lower = Uuid::from_u128(range.lower.unwrap());
        let upper = Uuid::from_u128(range.upper.unwrap());
        assert_eq!(lower.to_string(), text(&case, "min_valid_iuid_at_start"));
        let uuid = |field| text(&case, field).parse::<Uuid>().unwrap();
        assert!(uuid("max_valid_ver1_0_iuid_before_end") < upper);
        assert!(uuid("upper_exclusive_floor") < upper);
        assert!(uuid("lower_inclusive_floor") < lower);
    }
}

#[test]
fn invalid_vectors() {
    for case in section("iuid.json", "invalid", 2) {
        assert!(text(&case, "uuid").parse::<Iuid>().is_err(), "{case}");
    }
    let reserved = "01941f29-7c00-8102-80c0-000000000004"
        .parse::<Iuid>()
        .unwrap_err();
    assert_eq!(reserved.kind(), ErrorKind::Format);
    assert_eq!(
        reserved.to_string(),
        "not a Iuid: unknown internal format version 1 (only 0 is defined)"
    );
}

// Listed in docs/src/differences.md.
#[test]
fn countries_and_entities_have_256_values() {
    let context = IuidContext {
        country: 255,
        service_entity: 255,
    };
    let id = Iuid::from_parts(UnixMillis::new((1 << 48) - 1), context, (1 << 54) - 1).unwrap();
    assert_eq!(id.to_string(), "ffffffff-ffff-80ff-bfff-ffffffffffff");
}

#[test]
fn what_does_not_fit_is_an_error() {
    let context = IuidContext {
        country: 0,
        service_entity: 0,
    };
    let make = |time, random| Iuid::from_parts(UnixMillis::new(time), context, random);
    assert_eq!(make(-1, 0).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(make(1 << 48, 0).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_refused(&make(0, 1 << 54), "random of a ");
}

proptest! {
    #[test]
    fn fields_survive_and_order_is_time_country_entity_random(
        a in (0..1_i64 << 48, any::<u8>(), any::<u8>(), 0..1_u64 << 54),
        b in (0..1_i64 << 48, any::<u8>(), any::<u8>(), 0..1_u64 << 54),
    ) {
        let make = |(time, country, service_entity, random)| {
            Iuid::from_parts(UnixMillis::new(time), IuidContext { country, service_entity }, random).unwrap()
        };
        let id = make(a);
        prop_assert_eq!((id.time().get(), id.country(), id.service_entity(), id.random()), a);
        prop_assert_eq!(id.cmp(&make(b)), a.cmp(&b));
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }
}
