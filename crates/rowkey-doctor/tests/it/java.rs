//! Columns of Hibernate and uuid-creator, by their published algorithms and column types, not
//! recorded.
//!
//! Hibernate ORM 6 and 7: `UuidGenerator` with the styles RANDOM, TIME, VERSION_6 and VERSION_7, in
//! columns of `uuid`, `binary(16)` and `char(36)`. uuid-creator 5 and 6: its time-ordered UUIDs and
//! its COMBs.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Storage;
use rowkey_core::text::hyphenated;
use rowkey_doctor::{Certainty, Diagnosis, Observation, StoredValue, Survey};

use crate::tables::{NOW, Random, Rate, times};

const ROWS: usize = 600;

/// How a class makes the next id at a time in milliseconds.
type Generator = fn(&mut State, i64) -> u128;

/// What a generator remembers.
struct State {
    random: Random,
    last_time: i64,
    sequence: u64,
}

impl State {
    fn new() -> Self {
        Self {
            random: Random(8),
            last_time: 0,
            sequence: 0,
        }
    }

    fn bits(&mut self, number: u32) -> u128 {
        u128::from(self.random.next() >> (64 - number))
    }
}

fn with_version(value: u128, version: u128) -> u128 {
    value & !(0xf << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62
}

/// Tenths of a microsecond since 1582-10-15, at some moment of a millisecond.
fn gregorian(state: &mut State, time: i64) -> u128 {
    const EPOCH: i64 = 12_219_292_800_000;
    ((time + EPOCH) * 10_000) as u128 + state.bits(13)
}

/// The order of the fields of version 6: the time without a gap but that of the version.
fn version_6(time: u128, sequence_and_node: u128) -> u128 {
    let fields = time >> 12 << 80 | (time & 0xfff) << 64 | sequence_and_node & (u128::MAX >> 66);
    with_version(fields, 6)
}

/// `UUID.randomUUID()`.
fn hibernate_random(state: &mut State, _: i64) -> u128 {
    state.random.v4()
}

/// The address and a number of the process in front, then the low 46 bits of the milliseconds and a
/// counter.
fn hibernate_time(state: &mut State, time: i64) -> u128 {
    state.sequence += 1;
    let process = 0x0a00_0107_u128 << 96 | 0x1908_3d5e << 64;
    let time = (time as u128 & 0xffff_ffff_ffff) << 16;
    with_version(process | time | u128::from(state.sequence & 0xffff), 1)
}

/// A random clock sequence and a random node in each id.
fn hibernate_version_6(state: &mut State, time: i64) -> u128 {
    let time = gregorian(state, time);
    let node = state.bits(48) | 0x1000_0000_0000;
    version_6(time, state.bits(14) << 48 | node)
}

/// A quarter of microseconds behind the milliseconds, and 62 random bits.
fn hibernate_version_7(state: &mut State, time: i64) -> u128 {
    let fraction = state.bits(12);
    with_version((time as u128) << 80 | fraction << 64 | state.bits(62), 7)
}

/// A node that stays the same, and a clock sequence that changes with the process only.
fn creator_time_ordered(state: &mut State, time: i64) -> u128 {
    let time = gregorian(state, time);
    version_6(time, 0x2b1a << 48 | 0x0342_ac11_0002)
}

/// Random bits that count on within a millisecond.
fn creator_time_ordered_epoch(state: &mut State, time: i64) -> u128 {
    if state.last_time == time {
        state.sequence += 1;
    } else {
        state.last_time = time;
        state.sequence = state.random.next() >> 16;
    }
    let random = state.bits(26) << 48 | u128::from(state.sequence);
    with_version((time as u128) << 80 | random, 7)
}

fn creator_prefix_comb(state: &mut State, time: i64) -> u128 {
    let random = state.bits(16) << 64 | state.bits(64);
    with_version((time as u128) << 80 | random, 4)
}

fn creator_suffix_comb(state: &mut State, time: i64) -> u128 {
    let random = state.bits(64) << 64 | state.bits(16) << 48;
    with_version(random | time as u128 & 0xffff_ffff_ffff, 4)
}

fn creator_short_prefix_comb(state: &mut State, time: i64) -> u128 {
    let minute = (time / 60_000) as u128 & 0xffff;
    let random = state.bits(48) << 64 | state.bits(64);
    with_version(minute << 112 | random, 4)
}

/// The minute is in the two bytes that SQL Server compares first.
fn creator_short_suffix_comb(state: &mut State, time: i64) -> u128 {
    let minute = (time / 60_000) as u128 & 0xffff;
    let random = state.bits(64) << 64 | state.bits(16) << 48 | state.bits(32);
    with_version(random | minute << 32, 4)
}

/// The generators, and the format that a key declares for their ids.
const GENERATORS: [(&str, Generator, FormatKind); 10] = [
    ("Hibernate RANDOM", hibernate_random, FormatKind::UuidV4),
    ("Hibernate TIME", hibernate_time, FormatKind::AnyUuid),
    (
        "Hibernate VERSION_6",
        hibernate_version_6,
        FormatKind::AnyUuid,
    ),
    (
        "Hibernate VERSION_7",
        hibernate_version_7,
        FormatKind::UuidV7,
    ),
    ("time-ordered", creator_time_ordered, FormatKind::AnyUuid),
    (
        "time-ordered epoch",
        creator_time_ordered_epoch,
        FormatKind::UuidV7,
    ),
    ("prefix COMB", creator_prefix_comb, FormatKind::PrefixComb),
    ("suffix COMB", creator_suffix_comb, FormatKind::SuffixComb),
    (
        "short prefix COMB",
        creator_short_prefix_comb,
        FormatKind::ShortPrefixComb,
    ),
    (
        "short suffix COMB",
        creator_short_suffix_comb,
        FormatKind::ShortSuffixComb,
    ),
];

/// The columns that Hibernate's dialects make.
#[derive(Clone, Copy, Debug)]
enum Column {
    /// `uuid` of PostgreSQL.
    Uuid,
    /// `binary(16)` of MySQL.
    Binary,
    /// `char(36)` or `varchar(36)`, with the annotation for that.
    Text,
}

fn diagnose(column: Column, generator: Generator, rate: Rate) -> Diagnosis {
    let mut state = State::new();
    let (backend, is_uuid) = match column {
        Column::Uuid => (Backend::Postgres, true),
        Column::Binary | Column::Text => (Backend::MySql, false),
    };
    let mut survey = Survey::new(backend, is_uuid, NOW);
    for time in times(&mut Random(5), rate, ROWS, 1.0) {
        let id = generator(&mut state, time);
        let (bytes, text) = (id.to_be_bytes(), hyphenated::write(id).to_string());
        let value = match column {
            Column::Uuid | Column::Binary => StoredValue::Bytes(&bytes),
            Column::Text => StoredValue::Text(&text),
        };
        survey.take(Observation::of(value).following());
    }
    survey.conclude(&[])
}

#[test]
fn columns_of_java_are_found_in_each_storage() {
    for (name, generator, format) in GENERATORS {
        for column in [Column::Uuid, Column::Binary, Column::Text] {
            for rate in [Rate::Random(20_000.0), Rate::Random(7_200_000.0)] {
                let found = diagnose(column, generator, rate);
                let what = format!("{name} {column:?} {rate:?}: {found:#?}");
                assert_eq!(found.format, Some(format), "{what}");
                let certainty = match format {
                    // Without times, neither the interval of a counter can be told, nor that there
                    // is none.
                    FormatKind::ShortPrefixComb
                    | FormatKind::ShortSuffixComb
                    | FormatKind::UuidV4 => Certainty::Likely,
                    _ => Certainty::Certain,
                };
                assert_eq!(found.certainty, certainty, "{what}");
                assert!(found.damaged.is_empty(), "{what}");
                let storage = match column {
                    Column::Uuid | Column::Binary => Storage::Uuid,
                    Column::Text => Storage::Text,
                };
                assert_eq!(found.storage, Some(storage), "{what}");
            }
        }
    }
}
