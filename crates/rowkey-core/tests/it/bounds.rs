//! Time ranges as intervals of values, in every column that can hold the format.

use std::cmp::Ordering;

use proptest::prelude::*;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Storage};
use rowkey_core::time_range::ValueRange;
use rowkey_core::{Backend, UnixMillis};

const MINUTE: u64 = 60_000;

fn ranges(format: FormatKind, from: Option<i64>, to: Option<i64>) -> Vec<ValueRange> {
    let [from, to] = [from, to].map(|time| time.map(UnixMillis::new));
    format
        .value_ranges(from, to, MINUTE)
        .expect("the format carries time")
        .to_vec()
}

/// Whether the backend would find `value` between the edges, comparing as its column does.
fn found(column: Column, ranges: &[ValueRange], value: u128) -> bool {
    ranges.iter().any(|range| {
        range
            .lower
            .is_none_or(|lower| column.compare(lower, value) != Ordering::Greater)
            && range
                .upper
                .is_none_or(|upper| column.compare(value, upper) == Ordering::Less)
    })
}

const TIMED: [FormatKind; 7] = [
    FormatKind::PrefixComb,
    FormatKind::SuffixComb,
    FormatKind::UuidV7,
    FormatKind::Iuid,
    FormatKind::HotGuid,
    FormatKind::DistributedId,
    FormatKind::DistributedId128,
];

/// Every column that a plan may choose for the format.
fn columns(format: FormatKind) -> Vec<Column> {
    let mut columns = Vec::new();
    for backend in Backend::ALL {
        for storage in Storage::ALL {
            columns.extend(Column::new(format, backend, storage, None));
        }
    }
    columns
}

/// A valid id of the format made at `time`, from 128 random bits.
fn id_at(format: FormatKind, time: i64, random: u128) -> u128 {
    let at = ranges(format, Some(time), None)[0].lower.unwrap();
    // The smallest id of the instant plus random bits outside of the time field and fixed bits.
    let free = match format {
        FormatKind::PrefixComb | FormatKind::UuidV7 => ((1 << 80) - 1) & !(0xf << 76 | 0b11 << 62),
        FormatKind::Iuid => ((1 << 80) - 1) & !(0xff << 72 | 0b11 << 62),
        FormatKind::SuffixComb => !((1 << 48) - 1) & !(0xf << 76 | 0b11 << 62),
        FormatKind::HotGuid => (1 << 96) - 1,
        FormatKind::DistributedId => (1 << 48) - 1,
        FormatKind::DistributedId128 => ((1 << 80) - 1) & !(0xf << 76 | 1 << 63),
        _ => unreachable!("no instants"),
    };
    at | random & free
}

proptest! {
    #[test]
    fn a_time_range_finds_exactly_its_ids_in_every_column(
        from in 1_500_000_000_000_i64..1_500_000_002_000,
        length in 0..3_000_i64,
        time in 1_499_999_998_000_i64..1_500_000_006_000,
        random: u128,
    ) {
        let to = from + length;
        for format in TIMED {
            let unit = if format == FormatKind::HotGuid { 1000 } else { 1 };
            // Coarser formats get the whole of every unit that the span touches.
            let inside = length > 0
                && time.div_euclid(unit) >= from.div_euclid(unit)
                && time.div_euclid(unit) <= (to - 1).div_euclid(unit);
            let value = id_at(format, time, random);
            prop_assert!(format.admits(value));
            prop_assert_eq!(format.time_of(value).map(|time| time.get()), Some(time - time.rem_euclid(unit)));
            let ranges = ranges(format, Some(from), Some(to));
            for column in columns(format) {
                prop_assert_eq!(found(column, &ranges, value), inside, "{:?}", column);
            }
        }
    }

    #[test]
    fn the_ring_of_the_short_combs_finds_exactly_its_intervals(
        from in -1_i64 << 43..1 << 43,
        length in prop_oneof![0..200_i64, 0..70_000_i64],
        counter: u16,
        random: u128,
    ) {
        let minute = MINUTE as i64;
        let (from, to) = (from, from + length * minute);
        let first = from.div_euclid(minute);
        let last = (to - 1).div_euclid(minute);
        let steps = last - first + 1;
        let distance = (i64::from(counter) - first).rem_euclid(65_536);
        let inside = length > 0 && distance < steps;
        let free = !(0xf << 76 | 0b11 << 62);
        for (format, shift) in [(FormatKind::ShortPrefixComb, 112), (FormatKind::ShortSuffixComb, 32)] {
            let value = (random & free & !(0xffff << shift)) | u128::from(counter) << shift | 4 << 76 | 0b10 << 62;
            prop_assert!(format.admits(value));
            let ranges = ranges(format, Some(from), Some(to));
            for column in columns(format) {
                prop_assert_eq!(found(column, &ranges, value), inside, "{:?} {:?}", column, ranges);
            }
        }
    }
}

#[test]
fn a_span_across_the_rings_end_is_two_intervals_in_column_order() {
    let wrap = 65_536 * MINUTE as i64;
    let [low, high] = ranges(FormatKind::ShortPrefixComb, Some(wrap - 1), Some(wrap + 1))[..]
    else {
        panic!("two intervals");
    };
    assert_eq!((low.lower, high.upper), (None, None));
    assert_eq!(low.upper, Some(0x0001_0000_0000_4000_8000_0000_0000_0000));
    assert_eq!(high.lower, Some(0xffff_0000_0000_4000_8000_0000_0000_0000));
    let [whole] = ranges(FormatKind::ShortPrefixComb, Some(0), Some(wrap))[..] else {
        panic!("one interval");
    };
    assert_eq!(whole, ValueRange::default());
}

#[test]
fn open_and_outlying_ends() {
    let one = |format, from, to| {
        let ranges = ranges(format, from, to);
        assert_eq!(ranges.len(), 1, "{ranges:?}");
        ranges[0]
    };
    let everything = ValueRange::default();
    for format in TIMED {
        assert_eq!(one(format, None, None), everything);
        assert_eq!(one(format, Some(i64::MIN), Some(i64::MAX)), everything);
        assert!(ranges(format, Some(5), Some(5)).is_empty());
        assert!(ranges(format, Some(6), Some(5)).is_empty());
        assert!(ranges(format, Some(i64::MAX), None).is_empty());
        assert!(ranges(format, None, Some(i64::MIN)).is_empty());
    }
    // The last millisecond has no next one.
    let last = (1 << 48) - 1;
    assert_eq!(
        one(FormatKind::UuidV7, Some(last), Some(last + 1)).upper,
        None
    );
    assert_eq!(FormatKind::Luuid.value_ranges(None, None, MINUTE), None);
}

#[test]
fn edges_that_a_column_has_no_room_for_are_open() {
    let format = FormatKind::DistributedId128;
    let column = Column::new(format, Backend::Sqlite, Storage::Decimal, None).unwrap();
    // Numbers of 39 digits begin on 4321-03-26.
    let [inside, after, later] = [72_000_000_000_000, 75_000_000_000_000, 76_000_000_000_000];
    let within = |from, to| {
        let [from, to] = [from, to].map(|time| Some(UnixMillis::new(time)));
        let ranges = format.value_ranges(from, to, MINUTE).unwrap();
        ranges.within(column.max_value())
    };
    let across = within(inside, after);
    assert_eq!(across.len(), 1);
    assert!(across[0].lower.is_some() && across[0].upper.is_none());
    assert!(within(after, later).is_empty());
    assert!(found(column, &across, column.max_value()));
}
