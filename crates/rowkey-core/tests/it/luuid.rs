//! LUUID, against the transliterated program of the article.

use crate::assert_refused;
use crate::vectors::{int, section, text};
use proptest::prelude::*;
use rowkey_core::Luuid;
use rowkey_core::error::ErrorKind;
use rowkey_core::luuid::{LuuidGroup, NumberCounter, crc12};

#[test]
fn crc12_vectors() {
    for case in section("luuid.json", "crc12", 7) {
        let name = text(&case, "input_utf8");
        assert_eq!(
            i64::from(crc12(name.as_bytes())),
            int(&case, "crc12"),
            "{case}"
        );
        assert_eq!(
            LuuidGroup::of(name).to_string(),
            text(&case, "hex"),
            "{case}"
        );
    }
}

#[test]
fn make_vectors() {
    for case in section("luuid.json", "make", 9) {
        let group = LuuidGroup::new(int(&case, "group") as u16).unwrap();
        let random_u64 = u64::from_str_radix(text(&case, "random_u64"), 16).unwrap();
        let random60 = u64::from_str_radix(text(&case, "random60"), 16).unwrap();
        assert_eq!(random_u64 >> 4, random60, "the top 60 bits are used");
        let id = Luuid::from_parts(group, int(&case, "key") as u64, random60).unwrap();
        assert_eq!(id.to_string(), text(&case, "uuid"), "{case}");
        let read: Luuid = text(&case, "uuid").parse().unwrap();
        assert_eq!(
            (read.group(), read.number(), read.random()),
            (group, id.number(), random60)
        );
        assert_eq!(
            format!("{:x}", read.number()),
            text(&case, "key_hex"),
            "{case}"
        );
        assert_eq!(read.group().to_string(), text(&case, "group_hex"), "{case}");
    }
}

// Listed in docs/src/differences.md.
#[test]
fn version_6_and_variant_a_are_required() {
    for case in section("luuid.json", "invalid", 3) {
        assert!(text(&case, "uuid").parse::<Luuid>().is_err(), "{case}");
    }
    for variant in "0123456789bcdef".chars() {
        let uuid = format!("00000000-0001-6000-{variant}000-000000000000");
        assert!(uuid.parse::<Luuid>().is_err(), "{uuid}");
    }
}

#[test]
fn the_group_is_the_crc_of_the_name() {
    assert_eq!(
        LuuidGroup::of("com.soqqo.system.domain.Person").get(),
        0xf47
    );
}

#[test]
fn the_text_has_the_shape_of_a_uuid() {
    let group = LuuidGroup::new(0xaa1).unwrap();
    let id = Luuid::from_parts(group, 0x23_122e, 0x789_28ef_27ab_7c62).unwrap();
    assert_eq!(id.to_string(), "00000023-122e-6aa1-a789-28ef27ab7c62");
}

// Listed in docs/src/differences.md.
#[test]
fn fields_out_of_range_are_errors() {
    let group = LuuidGroup::new(0xfff).unwrap();
    let max = 281_474_976_710_655;
    assert!(Luuid::from_parts(group, max, 0).is_ok());
    assert_refused(&Luuid::from_parts(group, max + 1, 0), "number of a ");
    assert_refused(&Luuid::from_parts(group, 0, 1 << 60), "random of a ");
    let error = LuuidGroup::new(4096).unwrap_err();
    assert_eq!(error.to_string(), "group of a Luuid is 0..=4095, not 4096");
}

// Listed in docs/src/differences.md.
#[test]
fn each_group_counts_for_itself_across_threads() {
    static NUMBERS: NumberCounter = NumberCounter::new();
    let [people, buildings, last] = [1, 2, 3].map(|group| LuuidGroup::new(group).unwrap());
    let mut numbers: Vec<u64> = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| {
            scope.spawn(|| {
                (0..1_000)
                    .map(|_| NUMBERS.next(people).unwrap())
                    .collect::<Vec<_>>()
            })
        });
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=4_000).collect::<Vec<_>>());
    assert_eq!(NUMBERS.next(buildings), Ok(1));
    NUMBERS.start_after(last, (1 << 48) - 2);
    assert_eq!(NUMBERS.next(last), Ok((1 << 48) - 1));
    assert_refused(
        &NUMBERS.next(last),
        "group 003 has no number left: the last is ffffffffffff",
    );
    assert_eq!(
        format!("{NUMBERS:?}"),
        "{001: 4000, 002: 1, 003: 281474976710655}"
    );
}

#[test]
fn short_keys_are_hexadecimal() {
    let group = LuuidGroup::new(0xaa1).unwrap();
    let id = Luuid::from_parts(group, 0x5f9, 0).unwrap();
    assert_eq!(id.short_key(), "5f9");
    assert_eq!(Luuid::parse_short_key("2078"), Ok(0x2078));
    assert_eq!(Luuid::parse_short_key("FFFFFFFFFFFF"), Ok((1 << 48) - 1));
    for bad in ["", "1000000000000", "0x5f9", "5g9", "+5", " 5", "\u{661}"] {
        assert_eq!(
            Luuid::parse_short_key(bad).unwrap_err().kind(),
            ErrorKind::Text,
            "{bad:?}"
        );
    }
}

#[test]
fn ranges_of_short_keys_end_where_the_numbers_do() {
    let last = Luuid::number_range(LuuidGroup::new(0xfff).ok(), (1 << 48) - 1).unwrap()[0];
    assert!(last.lower.is_some() && last.upper.is_none());
    assert_refused(&Luuid::number_range(None, 1 << 48), "number of a ");
}

// Listed in docs/src/differences.md.
#[test]
fn version_6_is_kept_and_carries_no_time() {
    use rowkey_core::format::FormatKind;
    let id: Luuid = "00000023-122e-6aa1-a789-28ef27ab7c62".parse().unwrap();
    assert_eq!(id.to_uuid().get_version_num(), 6);
    assert_eq!(FormatKind::Luuid.time_of(id.to_u128()), None);
}

// Listed in docs/src/differences.md.
#[test]
fn groups_are_taken_over_utf8() {
    assert_eq!(LuuidGroup::of("é").get(), crc12(&[0xc3, 0xa9]));
}

proptest! {
    #[test]
    fn fields_survive(group in 0..4096_u16, number in 0..1_u64 << 48, random in 0..1_u64 << 60) {
        let group = LuuidGroup::new(group).unwrap();
        let id = Luuid::from_parts(group, number, random).unwrap();
        prop_assert_eq!((id.group(), id.number(), id.random()), (group, number, random));
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn the_range_of_a_short_key_has_its_ids_and_no_others(
        group in 0..4096_u16,
        number in 0..1_u64 << 48,
        other in (0..4096_u16, 0..1_u64 << 48),
        random in 0..1_u64 << 60,
    ) {
        let make = |group, number| {
            Luuid::from_parts(LuuidGroup::new(group).unwrap(), number, random).unwrap().to_u128()
        };
        let has = |of: Option<u16>, id: u128| {
            let group = of.map(|group| LuuidGroup::new(group).unwrap());
            let ranges = Luuid::number_range(group, number).unwrap();
            ranges.iter().any(|range| {
                range.lower.is_none_or(|lower| lower <= id) && range.upper.is_none_or(|upper| id < upper)
            })
        };
        prop_assert!(has(Some(group), make(group, number)) && has(None, make(group, number)));
        // Neighbours first: a random one is hardly ever near.
        for (near_group, near_number) in [
            (group ^ 1, number),
            (group, number ^ 1),
            (other.0, number),
            (group, other.1),
            other,
            (0, number.saturating_sub(1)),
            (0xfff, number.saturating_sub(1)),
            (0, (number + 1).min((1 << 48) - 1)),
        ] {
            let id = make(near_group, near_number);
            prop_assert_eq!(has(Some(group), id), (near_group, near_number) == (group, number));
            prop_assert_eq!(has(None, id), near_number == number);
        }
    }

    #[test]
    fn order_is_number_group_random(a in (0..1_u64 << 48, 0..4096_u16, 0..1_u64 << 60), b in (0..1_u64 << 48, 0..4096_u16, 0..1_u64 << 60)) {
        let make = |(number, group, random)| Luuid::from_parts(LuuidGroup::new(group).unwrap(), number, random).unwrap();
        prop_assert_eq!(make(a).cmp(&make(b)), a.cmp(&b));
    }
}
