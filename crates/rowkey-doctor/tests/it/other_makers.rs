//! Ids of other makers, by their published algorithms: never called one of ours with certainty.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;
use rowkey_core::text::hyphenated;
use rowkey_core::{Backend, Uuid};
use rowkey_doctor::{Certainty, Diagnosis, Observation, StoredValue, Survey};

use crate::tables::{NOW, Random, Rate, times};

/// Of so many tables, a usual run makes one; with `ROWKEY_CHAOS`, all are made.
const ONE_IN: usize = 13;

/// Milliseconds from the year 1, 1582 and 1900 to 1970.
const YEAR_1: i64 = 62_135_596_800_000;
const YEAR_1582: i64 = 12_219_292_800_000;
const YEAR_1900: i64 = 2_208_988_800_000;

/// What a process remembers of the ids that it has made.
struct Process {
    random: Random,
    made: u64,
    counter: u64,
    last_time: i64,
    last: u128,
}

impl Process {
    fn bits(&mut self, number: u32) -> u128 {
        match number {
            0..=64 => u128::from(self.random.next() >> (64 - number)),
            _ => self.bits(number - 64) << 64 | self.bits(64),
        }
    }
}

/// The id of a time in milliseconds, in the order of its text.
type Maker = fn(&mut Process, i64) -> u128;

fn with_version(value: u128, version: u128) -> u128 {
    value & !(0xf << 76 | 0b11 << 62) | version << 76 | 0b10 << 62
}

/// A random UUID whose first six bytes are a number.
fn first(process: &mut Process, number: i64) -> u128 {
    (number as u128 & 0xffff_ffff_ffff) << 80 | process.random.v4() & (u128::MAX >> 48)
}

/// A random UUID whose last six bytes are a number.
fn last(process: &mut Process, number: i64) -> u128 {
    process.random.v4() >> 48 << 48 | number as u128 & 0xffff_ffff_ffff
}

/// The bytes of .NET's `Guid`, read as text.
fn in_dotnet_order(value: u128) -> u128 {
    u128::from_be_bytes(Uuid::from_u128(value).to_bytes_le())
}

/// `UUID_TO_BIN(text, 1)`.
fn in_mysql_order(value: u128) -> u128 {
    let (groups, rest) = ((value >> 64) as u64, value as u64);
    let moved = (groups & 0xffff) << 48 | (groups >> 16 & 0xffff) << 32 | groups >> 32;
    u128::from(moved) << 64 | u128::from(rest)
}

fn ten_microseconds(process: &mut Process, time: i64) -> i64 {
    time * 100 + process.random.below(100) as i64
}

fn laravel(process: &mut Process, time: i64) -> u128 {
    let number = ten_microseconds(process, time);
    first(process, number)
}

fn ramsey_last(process: &mut Process, time: i64) -> u128 {
    let number = ten_microseconds(process, time);
    last(process, number)
}

fn jhtodd_as_string(process: &mut Process, time: i64) -> u128 {
    ((time + YEAR_1) as u128) << 80 | process.bits(80)
}

fn jhtodd_as_binary(process: &mut Process, time: i64) -> u128 {
    in_dotnet_order(jhtodd_as_string(process, time))
}

fn jhtodd_at_end(process: &mut Process, time: i64) -> u128 {
    process.bits(80) << 48 | (time + YEAR_1) as u128
}

fn year_1_first(process: &mut Process, time: i64) -> u128 {
    first(process, time + YEAR_1)
}

fn year_1_last(process: &mut Process, time: i64) -> u128 {
    last(process, time + YEAR_1)
}

/// Days since 1900, and 1/300 seconds since midnight.
fn days_and_ticks(time: i64) -> i64 {
    let since_1900 = time + YEAR_1900;
    (since_1900.div_euclid(86_400_000) << 32) | (since_1900.rem_euclid(86_400_000) * 3 / 10)
}

fn nhibernate(process: &mut Process, time: i64) -> u128 {
    last(process, days_and_ticks(time))
}

fn rt_comb_postgres(process: &mut Process, time: i64) -> u128 {
    first(process, days_and_ticks(time))
}

fn three_hundredths(process: &mut Process, time: i64) -> u128 {
    first(process, (time + YEAR_1900) * 3 / 10)
}

fn seconds_first(process: &mut Process, time: i64) -> u128 {
    let random = process.bits(16) as i64;
    first(process, ((time / 1_000) << 16) | random)
}

fn seconds_and_counter(process: &mut Process, time: i64) -> u128 {
    process.made += 1;
    let made = process.made as i64 & 0xffff;
    first(process, ((time / 1_000) << 16) | made)
}

/// EF Core's `SequentialGuidValueGenerator`: the last eight bytes count from the ticks of the start
/// on.
fn ef_core(process: &mut Process, time: i64) -> u128 {
    if process.counter == 0 {
        process.counter = ((time + YEAR_1) * 10_000) as u64;
    }
    process.counter += 1;
    let counter = process.counter.to_le_bytes();
    let mut bytes = in_dotnet_order(process.random.v4()).to_be_bytes();
    for (place, index) in [1, 0, 7, 6, 5, 4, 3, 2].into_iter().enumerate() {
        bytes[8 + place] = counter[index];
    }
    in_dotnet_order(u128::from_be_bytes(bytes))
}

/// The same, started anew for each request.
fn ef_core_restarted(process: &mut Process, time: i64) -> u128 {
    process.counter = 0;
    ef_core(process, time)
}

fn version_1(process: &mut Process, time: i64) -> u128 {
    process.made += 1;
    let ticks = ((time + YEAR_1582) * 10_000) as u128 + u128::from(process.made % 10_000);
    let fields = (ticks & 0xffff_ffff) << 96 | (ticks >> 32 & 0xffff) << 80 | ticks >> 48 << 64;
    with_version(fields, 1) | 0x12c2_0015_5d01_2345
}

/// Once a while, a server is started anew.
fn newsequentialid(process: &mut Process, time: i64) -> u128 {
    in_dotnet_order(version_1(process, time))
}

fn version_1_of_dotnet_in_bytes(process: &mut Process, time: i64) -> u128 {
    in_mysql_order(version_1(process, time))
}

/// A clock that stands still for a second.
fn coarse_version_1_swapped(process: &mut Process, time: i64) -> u128 {
    let id = version_1(process, time / 1_000 * 1_000);
    let sequence = process.bits(14) << 48;
    in_mysql_order(id & !(0x3fff << 48) | sequence)
}

fn version_4_swapped(process: &mut Process, _: i64) -> u128 {
    in_mysql_order(process.random.v4())
}

fn version_6(process: &mut Process, time: i64) -> u128 {
    process.made += 1;
    let ticks = ((time + YEAR_1582) * 10_000) as u128 + u128::from(process.made % 10_000);
    let fields = ticks >> 12 << 80 | (ticks & 0xfff) << 64;
    with_version(fields, 6) | 0x12c2_0015_5d01_2345
}

/// The example of RFC 9562: 10 nanoseconds, in 60 bits.
fn version_8(process: &mut Process, time: i64) -> u128 {
    let ticks = (time as u128) * 100_000;
    let random = process.bits(62);
    with_version(ticks >> 12 << 80 | (ticks & 0xfff) << 64 | random, 8)
}

fn version_8_of_milliseconds(process: &mut Process, time: i64) -> u128 {
    process.made += 1;
    let sequence = u128::from(process.made % 200);
    with_version((time as u128) << 80 | sequence << 64 | process.bits(62), 8)
}

fn version_8_of_a_node(process: &mut Process, time: i64) -> u128 {
    process.made += 1;
    let sequence = u128::from(process.made & 0xfff);
    with_version(
        (time as u128) << 80 | sequence << 64 | 0x0bad_cafe_0000_0017,
        8,
    )
}

fn ulid(process: &mut Process, time: i64) -> u128 {
    (time as u128) << 80 | process.bits(80)
}

/// Counts on within a millisecond.
fn monotonic_ulid(process: &mut Process, time: i64) -> u128 {
    process.last = match process.last_time == time {
        true => process.last + 1,
        false => ulid(process, time),
    };
    process.last_time = time;
    process.last
}

fn snowflake(process: &mut Process, time: i64) -> u128 {
    const EPOCH: i64 = 1_288_834_974_657;
    process.made += 1;
    let number = (time - EPOCH) << 22 | 17 << 12 | (process.made & 0xfff) as i64;
    number as u128
}

fn snowflake_in_front(process: &mut Process, time: i64) -> u128 {
    snowflake(process, time) << 64
}

fn object_id(process: &mut Process, time: i64) -> u128 {
    process.made += 1;
    let counter = 0x7a_1234 + u128::from(process.made);
    (time as u128 / 1_000) << 64 | 0x1b_c45e_90ff << 24 | counter & 0xff_ffff
}

fn object_id_with_zeros(process: &mut Process, time: i64) -> u128 {
    object_id(process, time) << 32
}

/// `uuid_sequence_nextval`: a number of blocks of a sequence.
fn sequence(process: &mut Process, _: i64) -> u128 {
    process.made += 1 + process.random.below(30);
    let block = (process.made / 100) as i64;
    let random = process.bits(32) as i64;
    first(process, block << 32 | random)
}

const MAKERS: [(&str, Maker); 33] = [
    ("Laravel and ramsey, time first", laravel),
    ("ramsey, time last", ramsey_last),
    ("jhtodd and ABP, as string", jhtodd_as_string),
    ("jhtodd and ABP, as binary", jhtodd_as_binary),
    ("jhtodd and ABP, at the end", jhtodd_at_end),
    ("milliseconds since year 1, first", year_1_first),
    ("milliseconds since year 1, last", year_1_last),
    ("NHibernate and RT.Comb of SQL Server", nhibernate),
    ("RT.Comb of PostgreSQL", rt_comb_postgres),
    ("1/300 seconds since 1900", three_hundredths),
    ("seconds and random bits", seconds_first),
    ("seconds and a counter", seconds_and_counter),
    ("EF Core", ef_core),
    ("EF Core, started anew", ef_core_restarted),
    ("version 1", version_1),
    ("NEWSEQUENTIALID", newsequentialid),
    ("version 1, swapped", version_1_of_dotnet_in_bytes),
    (
        "version 1 of a coarse clock, swapped",
        coarse_version_1_swapped,
    ),
    ("version 4, swapped", version_4_swapped),
    ("version 6", version_6),
    ("version 8 of RFC 9562", version_8),
    ("version 8 of milliseconds", version_8_of_milliseconds),
    ("version 8 of a node", version_8_of_a_node),
    ("ULID", ulid),
    ("ULID, monotonic", monotonic_ulid),
    ("Snowflake", snowflake),
    ("Snowflake in front", snowflake_in_front),
    ("MongoDB, zeros in front", object_id),
    ("MongoDB, zeros behind", object_id_with_zeros),
    ("blocks of a sequence", sequence),
    ("Laravel in the order of .NET", |process, time| {
        in_dotnet_order(laravel(process, time))
    }),
    ("NHibernate in the order of .NET", |process, time| {
        in_dotnet_order(nhibernate(process, time))
    }),
    ("EF Core in the order of .NET", |process, time| {
        in_dotnet_order(ef_core(process, time))
    }),
];

/// How a column stores sixteen bytes.
#[derive(Clone, Copy, Debug)]
enum Stored {
    /// A type of its own: `uuid`, `UUID`, `uniqueidentifier`.
    Uuid(Backend),
    Bytes(Backend),
    Text(Backend),
    UpperText(Backend),
    Hex(Backend),
}

const STORED: [Stored; 8] = [
    Stored::Uuid(Backend::Postgres),
    Stored::Uuid(Backend::MariaDb),
    Stored::Uuid(Backend::SqlServer),
    Stored::Bytes(Backend::MySql),
    Stored::Bytes(Backend::Sqlite),
    Stored::Text(Backend::MariaDb),
    Stored::UpperText(Backend::Sqlite),
    Stored::Hex(Backend::Postgres),
];

impl Stored {
    fn survey(self) -> Survey {
        match self {
            Self::Uuid(backend) => Survey::new(backend, true, NOW),
            Self::Bytes(backend)
            | Self::Text(backend)
            | Self::UpperText(backend)
            | Self::Hex(backend) => Survey::new(backend, false, NOW),
        }
    }

    fn take(self, survey: &mut Survey, id: u128, row: impl Fn(StoredValue<'_>, &mut Survey)) {
        let text = hyphenated::write(id).to_string();
        match self {
            Self::Uuid(_) | Self::Bytes(_) => row(StoredValue::Bytes(&id.to_be_bytes()), survey),
            Self::Text(_) => row(StoredValue::Text(&text), survey),
            Self::UpperText(_) => row(StoredValue::Text(&text.to_uppercase()), survey),
            Self::Hex(_) => row(StoredValue::Text(&text.replace('-', "")), survey),
        }
    }
}

const ROWS: [usize; 7] = [1, 3, 8, 20, 100, 400, 3_000];

/// A burst, a busy day, a quiet one, and years.
const RATES: [Rate; 5] = [
    Rate::Steady(0.05),
    Rate::Random(50.0),
    Rate::Random(20_000.0),
    Rate::Random(1_000_000.0),
    Rate::Random(11_520_000.0),
];

/// What the table knows besides the ids: the order of insertion, and times.
const KNOWN: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

fn diagnose(
    stored: Stored,
    maker: Maker,
    rows: usize,
    rate: Rate,
    (has_order, has_times): (bool, bool),
    seed: u64,
) -> Diagnosis {
    let mut process = Process {
        random: Random(seed),
        made: 0,
        counter: 0,
        last_time: 0,
        last: 0,
    };
    let times = times(&mut Random(seed), rate, rows, (seed % 100) as f64);
    let ids = times.iter().map(|time| (maker(&mut process, *time), *time));
    let mut ids: Vec<(u128, i64)> = ids.collect();
    if !has_order {
        // As the index of the key has them.
        ids.sort_unstable();
    }
    let mut survey = stored.survey();
    for (id, time) in ids {
        stored.take(&mut survey, id, |value, survey| {
            survey.take(Observation {
                value,
                follows: has_order,
                created: has_times.then(|| rowkey_core::UnixMillis::new(time / 1_000 * 1_000)),
            });
        });
    }
    survey.conclude(&[])
}

#[test]
fn ids_of_other_makers_are_never_called_ours_with_certainty() {
    let is_long = std::env::var_os("ROWKEY_CHAOS").is_some();
    let (mut number, mut made, mut wrong) = (0, 0, Vec::new());
    for (name, maker) in MAKERS {
        for stored in STORED {
            for rows in ROWS {
                for known in KNOWN {
                    number += 1;
                    if !is_long && number % ONE_IN != 0 {
                        continue;
                    }
                    made += 1;
                    let rate = RATES[(number / 3) % RATES.len()];
                    let found = diagnose(stored, maker, rows, rate, known, number as u64);
                    let is_any = |format| format == FormatKind::AnyUuid;
                    let is_wrong = found.certainty == Certainty::Certain
                        && !(found.format.is_none_or(is_any)
                            && found.candidates.iter().all(|found| is_any(found.format)));
                    if is_wrong {
                        let what = format!("{name} {stored:?} {rows} {rate:?} {known:?} {number}");
                        wrong.push(format!("{what}: {:?} {:#?}", found.format, found.evidence));
                    }
                }
            }
        }
    }
    assert!(!is_long || made > 3_000, "{made}");
    assert!(
        wrong.is_empty(),
        "{} of {made}: {}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Three rows of SQL Server's default, as their text.
#[test]
fn sequential_ids_of_sql_server_are_told_from_three_rows() {
    for backend in [Backend::Sqlite, Backend::MariaDb] {
        let mut survey = Survey::new(backend, false, NOW);
        for text in [
            "5b96586c-8285-ee11-92c2-00155d012345",
            "53284eb7-8285-ee11-92c2-00155d012345",
            "65be3623-9085-ee11-92c2-00155d012345",
        ] {
            survey.take(Observation::of(StoredValue::Text(text)));
        }
        let found = survey.conclude(&[]);
        assert_eq!(found.format, Some(FormatKind::AnyUuid), "{found:#?}");
        let said = found
            .evidence
            .iter()
            .any(|said| said.contains("NEWSEQUENTIALID"));
        assert!(said, "{found:#?}");
        assert!(
            found.evidence.iter().all(|said| !said.contains("exchang")),
            "{found:#?}"
        );
    }
}

/// The swap of MySQL is told by the version in front; no bytes are exchanged that were not.
#[test]
fn the_swap_of_mysql_is_named_like_the_order_of_dotnet() {
    for (name, maker) in MAKERS
        .into_iter()
        .filter(|(name, _)| name.contains("swapped"))
    {
        for rows in [20, 100, 3_000] {
            for rate in RATES {
                let stored = Stored::Bytes(Backend::MySql);
                let found = diagnose(stored, maker, rows, rate, (true, false), 5);
                let what = format!("{name} {rows} {rate:?}: {found:#?}");
                let said = |part| found.evidence.iter().any(|said| said.contains(part));
                assert_eq!(found.format, None, "{what}");
                assert!(said("UUID_TO_BIN(…, 1)"), "{what}");
                assert!(
                    !said("exchanging the bytes of the first three groups"),
                    "{what}"
                );
            }
        }
    }
}

/// UUIDs of version 1 that were made at once have one digit where the version is in another order,
/// whatever their own order is.
#[test]
fn two_orders_of_version_1_in_one_column_are_told_apart() {
    let mut random = Random(11);
    let mut wrong = Vec::new();
    let orders = [in_mysql_order as fn(u128) -> u128, in_dotnet_order];
    for (one_in, order) in [0, 2, 3, 10]
        .into_iter()
        .flat_map(|one_in| orders.map(|order| (one_in, order)))
    {
        for (rows, ticks) in (0..60).flat_map(|_| [(20, 40), (50, 2_000), (300, 400_000)]) {
            let started = (0x1e0 << 48) + u128::from(random.below(0x10 << 48));
            let node = u128::from(random.next() >> 2) | 0b10 << 62;
            let mut survey = Survey::new(Backend::MySql, false, NOW);
            let mut swapped = 0;
            for row in 0..rows {
                let time = started + u128::from(row * ticks + random.below(ticks));
                let fields = (time & 0xffff_ffff) << 96
                    | (time >> 32 & 0xffff) << 80
                    | (1 << 12 | time >> 48 & 0xfff) << 64;
                let id = fields | node;
                let is_swapped = one_in > 0 && random.below(one_in) == 0;
                swapped += u64::from(is_swapped);
                let stored = if is_swapped { order(id) } else { id };
                let stored = stored.to_be_bytes();
                survey.take(Observation::of(StoredValue::Bytes(&stored)).following());
            }
            let found = survey.conclude(&[]);
            let what = format!("{swapped} of {rows} in {ticks}: {found:#?}");
            let is_right = match swapped {
                0 => found.layout == Some(Layout::Public),
                _ => found.format.is_none(),
            };
            if !is_right {
                wrong.push(what);
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}

/// Of as many values as there are, one in sixteen has some version in the order of .NET by chance.
#[test]
fn the_order_that_all_values_fit_is_named() {
    for rows in [20, 200, 400, 1_000, 3_000] {
        for (seed, known) in (0..4).zip(KNOWN) {
            let stored = Stored::Bytes(Backend::MySql);
            let rate = Rate::Random(20_000.0);
            let found = diagnose(stored, version_4_swapped, rows, rate, known, seed);
            let what = format!("{rows} {known:?}: {found:#?}");
            let said = found.evidence.join(" ");
            assert!(said.contains("UUID_TO_BIN(…, 1)"), "{what}");
            assert!(!said.contains(".NET Guid"), "{what}");
            assert_eq!(found.format, None, "{what}");
        }
    }
}

#[test]
fn a_witness_tells_the_order_of_another_program() {
    let mut random = Random(8);
    let ids: Vec<u128> = (0..1_000).map(|_| random.v4()).collect();
    for (order, name) in [
        (
            in_mysql_order as fn(u128) -> u128,
            "MySQL's UUID_TO_BIN(…, 1)",
        ),
        (in_dotnet_order, "a .NET Guid"),
    ] {
        for rows in [4, 1_000] {
            let mut survey = Survey::new(Backend::MySql, false, NOW);
            for id in &ids[..rows] {
                let stored = order(*id).to_be_bytes();
                survey.take(Observation::of(StoredValue::Bytes(&stored)));
            }
            let stored = order(ids[0]);
            let public = hyphenated::write(ids[0]);
            let hexadecimal = format!("0x{stored:032X}={public}");
            let hyphenated = format!("{}={public}", hyphenated::write(stored));
            for witness in [hexadecimal, hyphenated] {
                let found = survey.clone().conclude(&[witness.parse().unwrap()]);
                let said = found.evidence.join(" ");
                let told = format!("By the witnesses, the bytes are in the byte order of {name}");
                assert!(said.contains(&told), "{witness}: {found:#?}");
                assert!(!said.contains("contradict"), "{witness}: {found:#?}");
                assert_eq!(found.certainty, Certainty::Likely, "{witness}: {found:#?}");
            }
        }
    }
}

#[test]
fn sequential_guids_in_bytes_are_named_like_those_in_text() {
    for seed in 0..20 {
        let known = (true, false);
        let rate = Rate::Random(1_000.0);
        let of = |stored, maker| diagnose(stored, maker, 400, rate, known, seed);
        let text = of(Stored::Text(Backend::Sqlite), ef_core as Maker);
        let maker: Maker = |process, time| in_dotnet_order(ef_core(process, time));
        let bytes = of(Stored::Bytes(Backend::Sqlite), maker);
        let is_named = |found: &Diagnosis| found.evidence.join(" ").contains("EF Core");
        assert_eq!(
            is_named(&text),
            is_named(&bytes),
            "{seed} {text:#?} {bytes:#?}"
        );
    }
}

/// Random UUIDs as .NET's bytes, and values that have no version anywhere.
#[test]
fn shares_are_those_of_all_rows() {
    let mut random = Random(3);
    let mut survey = Survey::new(Backend::Sqlite, false, NOW);
    for row in 0..400 {
        let id = match row % 4 {
            0 => in_dotnet_order(random.v4()),
            _ => random.v4() & !(0b11 << 62 | 0xf << 76),
        };
        let stored = id.to_be_bytes();
        survey.take(Observation::of(StoredValue::Bytes(&stored)).following());
    }
    let found = survey.conclude(&[]);
    let of_dotnet = found
        .candidates
        .iter()
        .find(|found| found.format == FormatKind::UuidV4);
    let share = of_dotnet.map(|found| found.share);
    assert_eq!(share, Some(0.25), "{found:#?}");
}

/// The digit of a version is the same in all, and one in four has the variant by chance.
#[test]
fn a_constant_byte_is_no_version_in_another_order() {
    let makers: [Maker; 4] = [
        |process, time| (time as u128 / 1_000) << 96 | process.bits(96),
        |process, _| 0x4f << 120 | process.bits(120),
        |process, _| 0x11ee << 112 | process.bits(112),
        |process, _| in_dotnet_order(process.bits(128) & !(0xff << 72) | 0x4f << 72),
    ];
    for (number, maker) in makers.into_iter().enumerate() {
        for stored in [
            Stored::Uuid(Backend::Postgres),
            Stored::Bytes(Backend::MySql),
        ] {
            for rows in [8, 12, 20, 100, 600, 3_000] {
                for (seed, known) in (0..8).zip(KNOWN.into_iter().cycle()) {
                    let rate = Rate::Random(20_000.0);
                    let found = diagnose(stored, maker, rows, rate, known, seed);
                    let what = format!("{number} {stored:?} {rows} {known:?} {seed}: {found:#?}");
                    let said = found.evidence.join(" ");
                    assert!(!said.contains("in the byte order of"), "{what}");
                    if rows >= 20 {
                        assert_eq!(found.format, Some(FormatKind::AnyUuid), "{what}");
                    }
                }
            }
        }
    }
}

/// One process fills the variant with its counter: it is the same in many ids, and wrong in the
/// next.
#[test]
fn sequential_guids_of_one_process_are_any_uuid() {
    let mut as_random = 0;
    for seed in 0..60 {
        for rows in [8, 20, 100, 400] {
            let stored = Stored::Uuid(Backend::SqlServer);
            let rate = Rate::Random(1_000.0);
            let found = diagnose(stored, ef_core, rows, rate, (true, false), seed);
            assert_eq!(
                found.format,
                Some(FormatKind::AnyUuid),
                "{seed} {rows}: {found:#?}"
            );
            let said = |said: &String| said.contains("not drawn at random");
            as_random += u32::from(found.evidence.iter().any(said));
        }
    }
    assert!(as_random > 20, "{as_random}");
}

/// The number of a tenant and a Snowflake: in the order of SQL Server, a byte of the one is like a
/// variant, and a digit of the other like a version.
#[test]
fn two_numbers_in_a_row_are_no_uuid() {
    for tenant in [0x80_u64, 150, 0xbf] {
        for rows in [6, 30, 3_000] {
            let mut survey = Survey::new(Backend::MySql, false, NOW);
            for row in 0..rows {
                let time = NOW.get() - 1_288_834_974_657 - (rows - row) * 1_000_003;
                let value = u128::from(tenant) << 64 | u128::from((time as u64) << 22);
                survey.take(Observation {
                    value: StoredValue::Bytes(&value.to_be_bytes()),
                    follows: row > 0,
                    created: None,
                });
            }
            let found = survey.conclude(&[]);
            let layouts = found.candidates.iter().map(|one| one.layout);
            let mut layouts = layouts.chain([found.layout]);
            let is_wrong = layouts.any(|layout| layout == Some(Layout::SqlServer));
            assert!(!is_wrong, "{tenant} {rows}: {found:#?}");
        }
    }
}
