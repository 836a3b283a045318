//! Guids that other libraries make in SQL Server's order: which keys read them, and the statements
//! of the page `docs/src/adoption/sql-server.md` about their order and time.
//!
//! The algorithms are copied from EF Core's and NHibernate's published code, with the clock and the
//! random bytes as parameters. `NEWSEQUENTIALID()` is only documented, so there is an id that
//! matches the description, and no algorithm.

use rowkey::Uuid;
use rowkey::error::ErrorKind;
use rowkey::storage::SqlServerOrd;
use rowkey::{AnyUuid, Backend, EntityKey, SuffixComb, UuidV4, entity_key};

#[entity_key]
struct LegacyId(AnyUuid);

#[entity_key]
struct RandomId(UuidV4);

#[entity_key]
struct CombId(SuffixComb);

/// 2024-03-21T04:19:11.304Z, in milliseconds.
const TIME: u64 = 1_710_994_751_304;

/// A return value of `Guid.NewGuid()`.
const RANDOM: Uuid = Uuid::from_u128(0xd01c25cc_63a7_47cc_b5ba_6f0152e9a3d4);

/// The bytes of a .NET guid, whose first three fields are little-endian.
fn net_array(guid: Uuid) -> [u8; 16] {
    guid.to_bytes_le()
}

/// EF Core's `SequentialGuidValueGenerator`: replaces the last eight bytes of a random guid by a
/// counter of 100 ns since the year 1, whose two lowest bytes come first.
fn ef_core(random: Uuid, counter: u64) -> Uuid {
    let [high @ .., c1, c0] = counter.to_be_bytes();
    let mut array = net_array(random);
    array[8..10].copy_from_slice(&[c1, c0]);
    array[10..].copy_from_slice(&high);
    Uuid::from_bytes_le(array)
}

/// The start value of EF Core's counter, if the generator is created at a Unix time.
fn ef_core_start(millis: u64) -> u64 {
    621_355_968_000_000_000 + millis * 10_000
}

/// NHibernate's `guid.comb`: replaces the last six bytes of a random guid by the days since 1900
/// and the time of day in units of 3.333333 ms.
fn guid_comb(random: Uuid, millis: u64) -> Uuid {
    let (day, of_day) = (millis / 86_400_000, millis % 86_400_000);
    let days = u16::try_from(day + 25_567).expect("before 2079");
    let units = (of_day as f64 / 3.333333) as u32;
    let mut array = net_array(random);
    array[10..12].copy_from_slice(&days.to_be_bytes());
    array[12..].copy_from_slice(&units.to_be_bytes());
    Uuid::from_bytes_le(array)
}

/// An id as the documentation of `NEWSEQUENTIALID()` describes it: the version-1 UUID
/// `dca45c22-da9f-11e7-9a3b-005056c00008` with the bytes of each of its first three groups
/// reversed.
const NEWSEQUENTIALID: Uuid = Uuid::from_u128(0x225ca4dc_9fda_e711_9a3b_005056c00008);

fn is_sorted_by_sql_server(guids: &[Uuid]) -> bool {
    guids.is_sorted_by_key(|guid| SqlServerOrd(*guid))
}

/// Each is read unchanged, and found where it was stored.
fn reads_as_any(guid: Uuid) {
    let key = LegacyId::try_from(guid).expect("AnyUuid takes every uuid");
    assert_eq!(key.to_uuid(), guid);
    let column = LegacyId::PLAN.column(Backend::SqlServer);
    assert_eq!(column.literal(key.to_u128()), format!("'{guid}'"));
}

#[test]
fn ids_of_ef_core() {
    let start = ef_core_start(TIME);
    let guid = ef_core(RANDOM, start + 1);
    assert_eq!(guid.to_string(), "d01c25cc-63a7-47cc-6c81-08dc495e0f59");
    reads_as_any(guid);

    // The counter overwrites the variant, so that a key over UuidV4 reads one id in four.
    let variants = (0..4).map(|n| RandomId::try_from(ef_core(RANDOM, start + n * 0x4000)));
    let (read, refused): (Vec<_>, Vec<_>) = variants.partition(Result::is_ok);
    assert_eq!((read.len(), refused.len()), (1, 3));
    assert!(refused.iter().all(|id| {
        id.as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::Format)
    }));

    let random = [u128::MAX, 0, 0x5555 << 112, 1 << 127].map(|bits| RANDOM.as_u128() ^ bits >> 64);
    let guids: Vec<Uuid> = (0..70_000)
        .map(|n| ef_core(Uuid::from_u128(random[n as usize % 4]), start + n))
        .collect();
    assert!(is_sorted_by_sql_server(&guids));
    assert!(!guids.is_sorted());
}

#[test]
fn ids_of_nhibernate() {
    let guid = guid_comb(RANDOM, TIME);
    assert_eq!(guid.to_string(), "d01c25cc-63a7-47cc-b5ba-b13a0047302f");
    reads_as_any(guid);
    assert_eq!(RandomId::try_from(guid).map(|id| id.to_uuid()), Ok(guid));

    // Also readable as a suffix COMB, but with a wrong time: its bytes would be milliseconds.
    let comb = CombId::try_from(guid).expect("of version 4");
    let millis = comb.into_format().time().get();
    assert!(
        millis > 190_000_000_000_000,
        "{millis} is after the year 8000"
    );

    let times = (0..2_000).map(|n| TIME - 3_600_000 * 24 * 7 + n * 604_801);
    let guids: Vec<Uuid> = times.map(|millis| guid_comb(RANDOM, millis)).collect();
    assert!(is_sorted_by_sql_server(&guids));
}

#[test]
fn ids_of_newsequentialid() {
    reads_as_any(NEWSEQUENTIALID);
    assert!(RandomId::try_from(NEWSEQUENTIALID).is_err());
    let version_1 = Uuid::from_bytes(NEWSEQUENTIALID.to_bytes_le());
    assert_eq!(
        version_1.to_string(),
        "dca45c22-da9f-11e7-9a3b-005056c00008"
    );
    assert_eq!(version_1.get_version_num(), 1);
}

/// New suffix COMBs are in order among themselves, and before the ids of the other libraries.
#[test]
fn suffix_combs_sort_before_the_others() {
    let comb = Uuid::from(CombId::constant(0xd01c25cc_63a7_47cc_b5ba_018e5f3bff48));
    assert!(is_sorted_by_sql_server(&[
        comb,
        ef_core(RANDOM, ef_core_start(TIME)),
        guid_comb(RANDOM, TIME)
    ]));
}
