//! Columns of other frameworks: recorded ones, and ones after their published algorithms.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Storage;
use rowkey_core::{Backend, UnixMillis};
use rowkey_doctor::{Certainty, Diagnosis, Observation, StoredValue, Survey};

use crate::tables::Random;

/// A day after the columns were recorded.
const NOW: UnixMillis = UnixMillis::new(1_795_400_000_000);

/// 2026-11-22T00:00:00Z, the day on which the columns were recorded.
const DAY: i64 = 1_795_305_600_000;

/// The rows of a recorded column: the stored text, and the milliseconds of the day.
fn recorded(file: &'static str) -> Vec<(&'static str, UnixMillis)> {
    let rows = file.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let (id, time) = line.split_once('\t').unwrap();
        let clock = time.strip_prefix("2026-11-22 ").unwrap();
        let seconds = clock
            .split(':')
            .fold(0, |sum, part| sum * 60 + part.parse::<i64>().unwrap());
        (id, UnixMillis::new(DAY + seconds * 1_000))
    })
    .collect()
}

fn diagnose_text(backend: Backend, file: &'static str) -> Diagnosis {
    let mut survey = Survey::new(backend, false, NOW);
    let rows = recorded(file);
    assert_eq!(rows.len(), 120);
    for (id, time) in rows {
        survey.take(
            Observation::of(StoredValue::Text(id))
                .following()
                .created(time),
        );
    }
    survey.conclude(&[])
}

/// A column of sixteen bytes, recorded as hexadecimal digits.
fn diagnose_bytes(backend: Backend, file: &'static str) -> Diagnosis {
    let mut survey = Survey::new(backend, false, NOW);
    for (id, time) in recorded(file) {
        let bytes = u128::from_str_radix(id, 16).unwrap().to_be_bytes();
        survey.take(
            Observation::of(StoredValue::Bytes(&bytes))
                .following()
                .created(time),
        );
    }
    survey.conclude(&[])
}

#[track_caller]
fn assert_found(found: &Diagnosis, format: FormatKind, storage: Storage) {
    assert_eq!(found.format, Some(format), "{found:#?}");
    assert_eq!(found.storage, Some(storage), "{found:#?}");
    assert!(found.damaged.is_empty(), "{found:#?}");
}

#[test]
fn django_stores_random_uuids_as_32_digits() {
    let found = diagnose_text(Backend::Sqlite, include_str!("frameworks/django.tsv"));
    assert_found(&found, FormatKind::UuidV4, Storage::TextHex);
    // Times of a few seconds may be those of a copy.
    assert_eq!(found.certainty, Certainty::Likely, "{found:#?}");
}

#[test]
fn rails_stores_random_uuids_as_text() {
    let found = diagnose_text(Backend::Sqlite, include_str!("frameworks/rails.tsv"));
    assert_found(&found, FormatKind::UuidV4, Storage::Text);
    // Times of a few seconds may be those of a copy.
    assert_eq!(found.certainty, Certainty::Likely, "{found:#?}");
}

#[test]
fn ordered_uuids_of_laravel_have_a_clock_of_their_own() {
    let found = diagnose_text(Backend::MySql, include_str!("frameworks/laravel.tsv"));
    assert_found(&found, FormatKind::UuidV4, Storage::Text);
    assert_eq!(found.certainty, Certainty::Likely, "{found:#?}");
    assert!(
        found
            .evidence
            .iter()
            .any(|said| said.contains("not drawn at random"))
    );
}

#[test]
fn symfony_stores_sixteen_bytes() {
    let random = diagnose_bytes(Backend::MySql, include_str!("frameworks/symfony-v4.tsv"));
    assert_found(&random, FormatKind::UuidV4, Storage::Uuid);
    // Versions for which rowkey has no format of its own.
    let v6 = diagnose_bytes(Backend::MySql, include_str!("frameworks/symfony-v6.tsv"));
    assert_found(&v6, FormatKind::AnyUuid, Storage::Uuid);
    assert!(v6.evidence[0].contains("version 6"), "{v6:#?}");
    let ulid = diagnose_bytes(Backend::MySql, include_str!("frameworks/symfony-ulid.tsv"));
    assert_found(&ulid, FormatKind::AnyUuid, Storage::Uuid);
}

/// EF Core's `SequentialGuidValueGenerator`, by its published algorithm, not recorded: a new random
/// Guid whose last eight bytes are a counter that starts with the ticks of .NET.
#[test]
fn sequential_guids_of_ef_core_are_any_uuid() {
    let mut random = Random(1);
    let mut survey = Survey::new(Backend::SqlServer, true, NOW);
    // Ticks of 100 ns since the year 1.
    let mut ticks = 621_355_968_000_000_000 + NOW.get() * 10_000;
    for _ in 0..500 {
        ticks += 1 + random.below(10_000_000) as i64;
        let counter = ticks.to_le_bytes();
        let mut bytes = random.v4().to_be_bytes();
        for (place, index) in [1, 0, 7, 6, 5, 4, 3, 2].into_iter().enumerate() {
            bytes[8 + place] = counter[index];
        }
        survey.take(Observation::of(StoredValue::Bytes(&bytes)).following());
    }
    let found = survey.conclude(&[]);
    assert_found(&found, FormatKind::AnyUuid, Storage::Uuid);
}

/// `guid.comb` of NHibernate, after Jimmy Nilsson, by its published algorithm: days since 1900 and
/// 1/300 seconds in the last six bytes of a random UUID.
#[test]
fn combs_of_days_and_ticks_are_not_called_short_combs() {
    let mut random = Random(1);
    let mut survey = Survey::new(Backend::SqlServer, true, NOW);
    let mut time = NOW.get() - 90 * 86_400_000;
    for _ in 0..3_000 {
        time += 1 + random.below(3_600_000) as i64;
        let days = (time.div_euclid(86_400_000) + 25_567) as u16;
        let ticks = (time.rem_euclid(86_400_000) * 3 / 10) as u32;
        let mut bytes = random.v4().to_be_bytes();
        bytes[10..12].copy_from_slice(&days.to_be_bytes());
        bytes[12..].copy_from_slice(&ticks.to_be_bytes());
        survey.take(Observation::of(StoredValue::Bytes(&bytes)).following());
    }
    let found = survey.conclude(&[]);
    assert_found(&found, FormatKind::UuidV4, Storage::Uuid);
    assert_eq!(found.candidates.len(), 1, "{found:#?}");
}

/// Ordered UUIDs of a table that is in use for years: ten microseconds in the first six bytes.
#[test]
fn clocks_of_another_unit_are_not_called_short_combs() {
    let mut random = Random(2);
    let mut survey = Survey::new(Backend::MySql, false, NOW);
    let mut time = NOW.get() - 700 * 86_400_000;
    for _ in 0..5_000 {
        time += 1 + random.below(20_000_000) as i64;
        let units = (time as u128 * 100 + u128::from(random.below(100))) << 80;
        let id = units & !(0xffff << 64) | random.v4() & (u128::MAX >> 48);
        let bytes = id.to_be_bytes();
        survey.take(Observation::of(StoredValue::Bytes(&bytes)).following());
    }
    let found = survey.conclude(&[]);
    assert_found(&found, FormatKind::UuidV4, Storage::Uuid);
    assert_eq!(found.candidates.len(), 1, "{found:#?}");
}
