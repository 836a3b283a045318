//! Each format is found, in each layout and storage, at each rate and age.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Layout, Storage};
use rowkey_doctor::{Certainty, Survey};
use rowkey_sql::StoredForm;

use crate::tables::{Known, NOTHING, NOW, ORDER, Random, Rate, Row, diagnose, id, observe, table};

const MINUTE: f64 = 60_000.0;
const DAY: f64 = 1_440.0 * MINUTE;

/// From a burst to one row a fortnight.
const RATES: [Rate; 12] = [
    Rate::Steady(0.0),
    Rate::Steady(1.0),
    Rate::Random(100.0),
    Rate::Random(1_000.0),
    Rate::Steady(10_000.0),
    Rate::Random(MINUTE),
    Rate::Steady(10.0 * MINUTE),
    Rate::Random(60.0 * MINUTE),
    Rate::Random(300.0 * MINUTE),
    Rate::Steady(DAY),
    Rate::Steady(3.0 * DAY),
    Rate::Steady(14.0 * DAY),
];

const AGES: [f64; 4] = [0.0, 1.0, 200.0, 2_500.0];

const SHORT: [FormatKind; 2] = [FormatKind::ShortPrefixComb, FormatKind::ShortSuffixComb];

/// The name under which the doctor finds ids of a format in a layout: the one whose ids are stored
/// unchanged.
fn found_as(format: FormatKind, layout: Layout) -> (FormatKind, Layout) {
    use FormatKind::{PrefixComb, ShortPrefixComb, ShortSuffixComb, SuffixComb};
    match (format, layout) {
        (ShortPrefixComb, Layout::Suffix) => (ShortSuffixComb, Layout::Public),
        (ShortSuffixComb, Layout::Prefix) => (ShortPrefixComb, Layout::Public),
        (PrefixComb, Layout::Suffix) => (SuffixComb, Layout::Public),
        (SuffixComb, Layout::Prefix) => (PrefixComb, Layout::Public),
        named => named,
    }
}

fn layouts(format: FormatKind) -> impl Iterator<Item = Layout> {
    Layout::ALL.into_iter().filter(move |layout| {
        *layout != Layout::PublicUnordered
            && StoredForm::new(format, Backend::Postgres, Storage::Uuid, Some(*layout)).is_ok()
    })
}

#[test]
fn short_combs_are_found_from_100_rows_in_the_order_of_insertion() {
    let mut cannot_tell = 0;
    let mut tables = 0;
    for format in SHORT {
        for layout in layouts(format) {
            for (number, rate) in RATES.into_iter().enumerate() {
                for age in AGES {
                    let mut random = Random(number as u64 + (age * 10.0) as u64);
                    let rows = table(format, &mut random, rate, 100, age);
                    let found = diagnose(format, layout, &rows, ORDER, &[]);
                    let what = format!("{format} {layout} {rate:?} {age}: {found:#?}");
                    tables += 1;
                    if found.certainty == Certainty::CannotTell {
                        cannot_tell += 1;
                        continue;
                    }
                    let (expected, in_layout) = found_as(format, layout);
                    assert_eq!(found.format, Some(expected), "{what}");
                    assert_eq!(found.layout, Some(in_layout), "{what}");
                    // Days, or blocks of a sequence, count in the same place.
                    assert_eq!(found.certainty, Certainty::Likely, "{what}");
                }
            }
        }
    }
    assert_eq!(cannot_tell, 0, "of {tables}");
}

#[test]
fn short_combs_of_less_than_a_ring_need_no_order() {
    for format in SHORT {
        for (number, rate) in RATES.into_iter().take(8).enumerate() {
            let mut random = Random(number as u64);
            let rows = table(format, &mut random, rate, 100, 3.0);
            let found = diagnose(format, Layout::Public, &rows, NOTHING, &[]);
            assert_eq!(found.format, Some(format), "{rate:?}: {found:#?}");
        }
    }
}

#[test]
fn short_combs_of_many_rings_without_an_order_cannot_be_told() {
    for format in SHORT {
        let mut random = Random(1);
        let rate = Rate::Random(2.0 * DAY);
        let rows = table(format, &mut random, rate, 1_000, 0.0);
        let found = diagnose(format, Layout::Public, &rows, NOTHING, &[]);
        assert_eq!(found.certainty, Certainty::CannotTell, "{found:#?}");
        assert_eq!((found.format, found.layout), (None, None));
        assert!(
            found
                .evidence
                .iter()
                .any(|said| said.contains("--created COLUMN"))
        );
    }
}

#[test]
fn working_hours_tell_short_combs_of_years_without_an_order() {
    for (format, years) in SHORT
        .into_iter()
        .flat_map(|format| [(format, 1), (format, 3)])
    {
        let mut random = Random(years);
        let rows: Vec<Row> = (0..10_000)
            .map(|number| {
                let day = random.below(365 * years) as i64;
                let millis = 7 * 3_600_000 + random.below(9 * 3_600_000) as i64;
                let time = NOW.get() - day * 86_400_000 - millis;
                let id = id(format, &mut random, time, number);
                Row { id, time }
            })
            .collect();
        let found = diagnose(format, Layout::Public, &rows, NOTHING, &[]);
        assert_eq!(found.format, Some(format), "{years}: {found:#?}");
        let said = found
            .evidence
            .iter()
            .any(|said| said.contains("hours of the day"));
        assert!(said, "{found:#?}");
        // A part of the table that is sorted by its ids has a rhythm of its own.
        let too_many: Vec<Row> = rows.iter().chain(&rows).copied().collect();
        let mut random = Random(years);
        let other = too_many.iter().map(|row| Row {
            id: random.v4(),
            ..*row
        });
        let mut other: Vec<Row> = other.collect();
        other.sort_unstable_by_key(|row| row.id);
        let found = diagnose(FormatKind::UuidV4, Layout::Public, &other, NOTHING, &[]);
        assert_eq!(found.certainty, Certainty::CannotTell, "{found:#?}");
    }
}

#[test]
fn a_column_of_times_tells_the_counter_and_its_interval() {
    for format in SHORT {
        for (ahead_hours, rate) in [
            (0, Rate::Random(2.0 * DAY)),
            (2, Rate::Random(DAY)),
            (-8, Rate::Steady(MINUTE)),
            (0, Rate::Steady(0.0)),
        ] {
            let mut random = Random(7);
            let rows = table(format, &mut random, rate, 200, 40.0);
            let known = Known {
                order: false,
                created: Some(ahead_hours * 3_600_000),
            };
            let found = diagnose(format, Layout::Public, &rows, known, &[]);
            let what = format!("{format} {ahead_hours} {rate:?}: {found:#?}");
            assert_eq!(found.format, Some(format), "{what}");
            assert_eq!(found.interval_ms, Some(60_000), "{what}");
            // All intervals fit times that are the same.
            let certainty = match rate {
                Rate::Steady(0.0) => Certainty::Likely,
                _ => Certainty::Certain,
            };
            let is_short = rate == Rate::Steady(MINUTE);
            assert!(is_short || found.certainty == certainty, "{what}");
        }
    }
}

#[test]
fn formats_that_a_value_tells_need_few_rows() {
    for format in FormatKind::ALL {
        let rows_needed = match format {
            FormatKind::DistributedId => 1,
            FormatKind::Luuid => 3,
            // A ULID has any version by chance, and a version 8 may be anything.
            FormatKind::UuidV7 | FormatKind::Iuid => 5,
            FormatKind::DistributedId128 => 6,
            FormatKind::PrefixComb | FormatKind::SuffixComb => 5,
            FormatKind::HotGuid => 20,
            _ => continue,
        };
        for layout in layouts(format) {
            for (number, rate) in RATES.into_iter().enumerate() {
                for rows in [rows_needed, 300] {
                    // A group of values in another order has to be found first.
                    let rows = if layout == Layout::SqlServer {
                        rows.max(20)
                    } else {
                        rows
                    };
                    let mut random = Random(number as u64);
                    let rows = table(format, &mut random, rate, rows, AGES[number % 3]);
                    let found = diagnose(format, layout, &rows, NOTHING, &[]);
                    let what = format!("{format} {layout} {rate:?}: {found:#?}");
                    let (expected, in_layout) = found_as(format, layout);
                    assert_eq!(found.format, Some(expected), "{what}");
                    assert_eq!(found.layout, Some(in_layout), "{what}");
                    assert_eq!(found.certainty, Certainty::Certain, "{what}");
                    assert_eq!(found.candidates.len(), 1, "{what}");
                    assert!(found.damaged.is_empty(), "{what}");
                }
            }
        }
    }
}

#[test]
fn every_storage_of_every_backend_is_told() {
    for backend in Backend::ALL {
        for storage in Storage::ALL {
            for format in [
                FormatKind::UuidV7,
                FormatKind::DistributedId,
                FormatKind::DistributedId128,
                FormatKind::SuffixComb,
                FormatKind::DatabaseNumber,
            ] {
                let Ok(form) = StoredForm::new(format, backend, storage, None) else {
                    continue;
                };
                let mut random = Random(3);
                let rows = table(format, &mut random, Rate::Random(1_000.0), 50, 3.0);
                let is_uuid = match backend {
                    Backend::Postgres | Backend::SqlServer => storage == Storage::Uuid,
                    _ => storage == Storage::NativeUuid,
                };
                let mut survey = Survey::new(backend, is_uuid, NOW);
                observe(&mut survey, form, &rows, NOTHING);
                let found = survey.conclude(&[]);
                let what = format!("{format} {backend} {storage}: {found:#?}");
                let expected = found_as(format, form.layout()).0;
                assert_eq!(found.format, Some(expected), "{what}");
                // Some storages are the same column: `text-digits` is `decimal` in SQLite.
                let named = found.storage.unwrap();
                let again = StoredForm::new(expected, backend, named, None).unwrap();
                assert_eq!(again.sql_type(), form.sql_type(), "{what}");
                assert!(found.damaged.is_empty(), "{what}");
            }
        }
    }
}

#[test]
fn other_uuids_are_any_uuid() {
    let mut random = Random(5);
    let rows: Vec<Row> = (0..500)
        .map(|_| Row {
            id: u128::from(random.next()) << 64 | u128::from(random.next()),
            time: 0,
        })
        .collect();
    let found = diagnose(FormatKind::AnyUuid, Layout::Public, &rows, ORDER, &[]);
    assert_eq!(found.format, Some(FormatKind::AnyUuid), "{found:#?}");
    for version in [1, 3, 5] {
        let of_version: Vec<Row> = rows
            .iter()
            .map(|row| Row {
                id: row.id & !(0xf << 76 | 0b11 << 62) | version << 76 | 0b10 << 62,
                ..*row
            })
            .collect();
        let found = diagnose(FormatKind::AnyUuid, Layout::Public, &of_version, ORDER, &[]);
        assert_eq!(found.format, Some(FormatKind::AnyUuid), "{found:#?}");
        assert_eq!(found.candidates.len(), 1, "{found:#?}");
        assert!(found.evidence[0].contains(&format!("version {version}")));
    }
}

#[test]
fn a_few_rows_do_not_tell_combs_of_one_millisecond_from_random_ids() {
    for format in [FormatKind::PrefixComb, FormatKind::SuffixComb] {
        for rows in 2..4 {
            let mut random = Random(rows as u64);
            let rows = table(format, &mut random, Rate::Steady(0.0), rows, AGES[0]);
            let found = diagnose(format, Layout::Public, &rows, NOTHING, &[]);
            assert_eq!(found.format, None, "{found:#?}");
            assert_eq!(found.certainty, Certainty::CannotTell, "{found:#?}");
        }
    }
}

/// In SQL Server, keys over a short prefix COMB are stored as a suffix COMB by default.
#[test]
fn the_default_key_of_sql_server_is_named_first() {
    let format = FormatKind::ShortPrefixComb;
    let mut random = Random(4);
    let rows = table(format, &mut random, Rate::Random(60.0 * MINUTE), 300, 3.0);
    let form = StoredForm::new(format, Backend::SqlServer, Storage::Uuid, None).unwrap();
    let mut survey = Survey::new(Backend::SqlServer, true, NOW);
    let known = Known {
        order: false,
        created: Some(0),
    };
    observe(&mut survey, form, &rows, known);
    let found = survey.conclude(&[]);
    let named = (found.format, found.layout, found.certainty);
    let expected = (Some(format), Some(Layout::Suffix), Certainty::Certain);
    assert_eq!(named, expected, "{found:#?}");
    let other = "The same bytes are a short-suffix-comb in the `public` layout";
    assert!(
        found.evidence.iter().any(|said| said.starts_with(other)),
        "{found:#?}"
    );
}
