//! What columns of every storage and layout hold, and what is refused to be read from them.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rowkey::driver::tiberius::{Error, RowKeys, ToBulkValue, ToParam};
use rowkey::format::FormatKind;
use rowkey::storage::{Column, Layout, Storage, Wire};
use rowkey::{
    AnyUuid, Backend, DatabaseNumber, DistributedId, DistributedId128, EntityKey, HotGuid, Iuid,
    Luuid, PrefixComb, ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4, UuidV7, entity_key,
};
use tiberius::numeric::Numeric;
use tiberius::{ColumnData, ColumnType, FromSql, FromSqlOwned, IntoSql, Row, ToSql, time, xml};
use uuid::{Uuid, uuid};

/// What tiberius asks of a key, and proptest.
trait Key:
    EntityKey + ToSql + IntoSql<'static> + for<'a> FromSql<'a> + FromSqlOwned + Arbitrary
{
}

impl<K> Key for K where
    K: EntityKey + ToSql + IntoSql<'static> + for<'a> FromSql<'a> + FromSqlOwned + Arbitrary
{
}

trait Visitor {
    fn visit<K: Key>(&mut self);
}

macro_rules! keys {
    ($($format:ident: $($Key:ident $choice:literal $(of $group:literal)?),+;)+) => {
        $($(
            #[entity_key($(group = $group,)? storage(sqlserver = $choice))]
            struct $Key($format);
        )+)+

        fn visit_every_key(visitor: &mut impl Visitor) {
            $($( visitor.visit::<$Key>(); )+)+
        }
    };
}

keys! {
    ShortPrefixComb: ShortPrefixSuffix "uuid:suffix", ShortPrefixSqlServer "uuid:sql-server",
        ShortPrefixUnordered "uuid:public-unordered", ShortPrefixBinary "binary",
        ShortPrefixText "text", ShortPrefixTextUpper "text-upper", ShortPrefixHex "text-hex",
        ShortPrefixHexUpper "text-hex-upper", ShortPrefixCompact "text-compact";
    PrefixComb: PrefixSuffix "uuid:suffix", PrefixSqlServer "uuid:sql-server",
        PrefixUnordered "uuid:public-unordered", PrefixBinary "binary", PrefixText "text",
        PrefixTextUpper "text-upper", PrefixHex "text-hex", PrefixHexUpper "text-hex-upper",
        PrefixCompact "text-compact";
    ShortSuffixComb: ShortSuffixPublic "uuid:public", ShortSuffixBinary "binary:prefix",
        ShortSuffixText "text:prefix", ShortSuffixTextUpper "text-upper:prefix",
        ShortSuffixHex "text-hex:prefix", ShortSuffixHexUpper "text-hex-upper:prefix",
        ShortSuffixCompact "text-compact:prefix";
    SuffixComb: SuffixPublic "uuid:public", SuffixBinary "binary:prefix", SuffixText "text:prefix",
        SuffixTextUpper "text-upper:prefix", SuffixHex "text-hex:prefix",
        SuffixHexUpper "text-hex-upper:prefix", SuffixCompact "text-compact:prefix";
    UuidV7: V7SqlServer "uuid:sql-server", V7Unordered "uuid:public-unordered", V7Binary "binary",
        V7Text "text", V7TextUpper "text-upper", V7Hex "text-hex", V7HexUpper "text-hex-upper",
        V7Compact "text-compact";
    Iuid: IuidSqlServer "uuid:sql-server", IuidUnordered "uuid:public-unordered",
        IuidBinary "binary", IuidText "text", IuidTextUpper "text-upper", IuidHex "text-hex",
        IuidHexUpper "text-hex-upper", IuidCompact "text-compact";
    HotGuid: HotSqlServer "uuid:sql-server", HotUnordered "uuid:public-unordered",
        HotBinary "binary", HotText "text", HotTextUpper "text-upper", HotHex "text-hex",
        HotHexUpper "text-hex-upper", HotCompact "text-compact";
    Luuid: LuuidSqlServer "uuid:sql-server" of "com.acme.Customer",
        LuuidUnordered "uuid:public-unordered" of "com.acme.Customer",
        LuuidBinary "binary" of "com.acme.Customer", LuuidText "text" of "com.acme.Customer",
        LuuidTextUpper "text-upper" of "com.acme.Customer",
        LuuidHex "text-hex" of "com.acme.Customer",
        LuuidHexUpper "text-hex-upper" of "com.acme.Customer",
        LuuidCompact "text-compact" of "com.acme.Customer";
    DistributedId: NumberDecimal "decimal", NumberUuid "uuid",
        NumberUnordered "uuid:public-unordered", NumberBinary "binary", NumberText "text",
        NumberCompact "text-compact", NumberDigits "text-digits";
    DistributedId128: Number128Decimal "decimal", Number128Uuid "uuid",
        Number128Unordered "uuid:public-unordered", Number128Binary "binary", Number128Text "text",
        Number128TextUpper "text-upper", Number128Hex "text-hex",
        Number128HexUpper "text-hex-upper", Number128Compact "text-compact",
        Number128Digits "text-digits";
    UuidV4: V4Public "uuid:public", V4SqlServer "uuid:sql-server", V4Binary "binary", V4Text "text",
        V4TextUpper "text-upper", V4Hex "text-hex", V4HexUpper "text-hex-upper",
        V4Compact "text-compact";
    AnyUuid: AnyPublic "uuid:public", AnySqlServer "uuid:sql-server", AnyBinary "binary",
        AnyText "text", AnyTextUpper "text-upper", AnyHex "text-hex", AnyHexUpper "text-hex-upper",
        AnyCompact "text-compact";
    DatabaseNumber: Counted "bigint";
}

#[test]
fn every_column_that_a_plan_can_have_is_tested() {
    #[derive(Default)]
    struct Columns(HashSet<Column>);

    impl Visitor for Columns {
        fn visit<K: Key>(&mut self) {
            self.0.insert(K::PLAN.column(Backend::SqlServer));
        }
    }

    let mut tested = Columns::default();
    visit_every_key(&mut tested);
    for format in FormatKind::ALL {
        for storage in Storage::ALL {
            for layout in Layout::ALL {
                let column = Column::new(format, Backend::SqlServer, storage, Some(layout));
                if let Ok(column) = column {
                    assert!(tested.0.contains(&column), "{column:?}");
                }
            }
        }
    }
}

#[test]
fn every_key_comes_back_from_what_it_becomes() {
    struct RoundTrip;

    impl Visitor for RoundTrip {
        fn visit<K: Key>(&mut self) {
            let mut runner = TestRunner::deterministic();
            let property = |key: K| {
                let data = key.into_sql();
                prop_assert_eq!(&key.to_sql(), &data);
                prop_assert_eq!(&Some(key).to_param(), &data);
                prop_assert_eq!(&Some(key).to_bulk_value(), &data);
                prop_assert!(has_type_of_plan::<K>(&data), "{:?}", data);

                prop_assert_eq!(K::from_sql(&data), Ok(Some(key)));
                let row = Row::builder()
                    .column("id", ColumnType::Null, data.clone())
                    .build();
                prop_assert_eq!(row.try_key::<K>("id"), Ok(key));
                prop_assert_eq!(row.try_optional_key::<K>(0), Ok(Some(key)));
                prop_assert_eq!(row.get::<K, _>("id"), Some(key));
                prop_assert_eq!(K::from_sql_owned(data), Ok(Some(key)));
                Ok(())
            };
            if let Err(failure) = runner.run(&any::<K>(), property) {
                panic!("{}: {failure}", K::NAME);
            }
        }
    }

    visit_every_key(&mut RoundTrip);
}

fn has_type_of_plan<K: EntityKey>(data: &ColumnData<'_>) -> bool {
    match (K::PLAN.column(Backend::SqlServer).wire(), data) {
        (Wire::Uuid, ColumnData::Guid(_)) => true,
        (Wire::Bytes(length), ColumnData::Binary(Some(bytes))) => {
            bytes.len() == usize::from(length.bytes())
        }
        (Wire::Decimal(precision), ColumnData::Numeric(Some(number))) => {
            number.scale() == 0 && number.precision() <= precision.digits()
        }
        (Wire::Text(form), ColumnData::String(Some(text))) => {
            text.len() == usize::from(form.width())
        }
        (Wire::Integer, ColumnData::I64(Some(number))) => *number >= 0,
        _ => false,
    }
}

const COMB: u128 = 0x0011_2233_4455_4677_8899_aabb_ccdd_eeff;
const V7: u128 = 0x017f_22e2_79b0_7cc3_98c4_dc0c_0c07_398f;
const NUMBER: u128 = 1_088_824_355_131_185_736_905_670_087;

fn guid(uuid: Uuid) -> ColumnData<'static> {
    ColumnData::Guid(Some(uuid))
}

fn bytes(number: u128, width: usize) -> ColumnData<'static> {
    ColumnData::Binary(Some(number.to_be_bytes()[16 - width..].to_vec().into()))
}

fn number(value: i128) -> ColumnData<'static> {
    ColumnData::Numeric(Some(Numeric::new_with_scale(value, 0)))
}

fn text(text: &'static str) -> ColumnData<'static> {
    ColumnData::String(Some(text.into()))
}

/// Written out by hand: a changed layout turns these red.
#[test]
fn known_values_of_every_storage_and_layout() {
    fn check<K: Key>(public: u128, stored: ColumnData<'static>) {
        let key = K::try_from(public).unwrap();
        assert_eq!(key.to_sql(), stored, "{}", K::NAME);
        assert_eq!(K::from_sql(&stored).unwrap(), Some(key), "{}", K::NAME);
    }

    let (public, short_swapped) = (COMB, 0xaabb_2233_4455_4677_8899_0011_ccdd_eeff);
    let full_swapped = 0xaabb_ccdd_eeff_4677_8899_0011_2233_4455;
    let sql_server = uuid!("ffeeddcc-bbaa-9988-4677-001122334455");

    check::<ShortPrefixSuffix>(COMB, guid(Uuid::from_u128(short_swapped)));
    check::<ShortPrefixSqlServer>(COMB, guid(sql_server));
    check::<ShortPrefixBinary>(COMB, bytes(public, 16));
    check::<ShortPrefixText>(COMB, text("00112233-4455-4677-8899-aabbccddeeff"));
    check::<PrefixSuffix>(COMB, guid(Uuid::from_u128(full_swapped)));
    check::<PrefixSqlServer>(COMB, guid(sql_server));
    check::<ShortSuffixPublic>(COMB, guid(Uuid::from_u128(public)));
    check::<ShortSuffixBinary>(COMB, bytes(short_swapped, 16));
    check::<ShortSuffixText>(COMB, text("aabb2233-4455-4677-8899-0011ccddeeff"));
    check::<SuffixPublic>(COMB, guid(Uuid::from_u128(public)));
    check::<SuffixBinary>(COMB, bytes(full_swapped, 16));
    check::<SuffixText>(COMB, text("aabbccdd-eeff-4677-8899-001122334455"));
    check::<SuffixTextUpper>(COMB, text("AABBCCDD-EEFF-4677-8899-001122334455"));
    check::<SuffixHex>(COMB, text("aabbccddeeff46778899001122334455"));
    check::<V4TextUpper>(COMB, text("00112233-4455-4677-8899-AABBCCDDEEFF"));
    check::<V4Hex>(COMB, text("00112233445546778899aabbccddeeff"));
    check::<V4HexUpper>(COMB, text("00112233445546778899AABBCCDDEEFF"));
    check::<SuffixCompact>(COMB, text("EeoHAdDFXQlBj6ZwPdmXOn"));
    check::<V7SqlServer>(V7, guid(uuid!("8f39070c-0cdc-c498-7cc3-017f22e279b0")));
    check::<V7Unordered>(V7, guid(Uuid::from_u128(V7)));
    check::<ShortPrefixUnordered>(COMB, guid(Uuid::from_u128(public)));
    check::<PrefixUnordered>(COMB, guid(Uuid::from_u128(public)));
    check::<NumberUnordered>(NUMBER, guid(Uuid::from_u128(NUMBER)));
    check::<V7Binary>(V7, bytes(V7, 16));
    check::<V7Text>(V7, text("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"));
    check::<V4Public>(COMB, guid(Uuid::from_u128(public)));
    check::<V4SqlServer>(COMB, guid(sql_server));
    check::<AnyPublic>(u128::MAX, guid(Uuid::max()));
    check::<AnyPublic>(0, guid(Uuid::nil()));
    check::<AnySqlServer>(COMB, guid(sql_server));

    check::<NumberDecimal>(0, number(0));
    check::<NumberDecimal>(NUMBER, number(NUMBER as i128));
    check::<NumberDecimal>(10_u128.pow(28) - 1, number(10_i128.pow(28) - 1));
    check::<NumberUuid>(NUMBER, guid(uuid!("c73d8882-adb2-7d90-a786-000000000384")));
    check::<NumberBinary>(NUMBER, bytes(NUMBER, 12));
    check::<NumberText>(7, text("0000000000000000000000000007"));
    check::<NumberDigits>(NUMBER, text("1088824355131185736905670087"));
    check::<NumberCompact>(NUMBER, text("3zfAkCP7ZtzfeQYp"));
    check::<Number128Decimal>(10_u128.pow(38) - 1, number(10_i128.pow(38) - 1));
    check::<Number128Binary>(u128::MAX, bytes(u128::MAX, 16));
    check::<Number128Uuid>(COMB, guid(sql_server));
    check::<Number128Text>(COMB, text("00112233-4455-4677-8899-aabbccddeeff"));
    check::<Number128Digits>(7, text("00000000000000000000000000000000000007"));
    check::<Counted>(0, ColumnData::I64(Some(0)));
    check::<Counted>(i64::MAX as u128, ColumnData::I64(Some(i64::MAX)));
}

/// `SCOPE_IDENTITY()` is a `numeric(38,0)`.
#[test]
fn counted_numbers_are_read_from_a_numeric_too() {
    let large = (1 << 53) + 1;
    let key = Counted::constant(large as u128);
    assert_eq!(Counted::from_sql(&number(large)).unwrap(), Some(key));
    for (data, found) in [
        (ColumnData::I64(Some(-1)), "the negative number -1"),
        (number(-1), "the negative number -1"),
        (number(1 << 63), "the number 9223372036854775808"),
        (
            ColumnData::Numeric(Some(Numeric::new_with_scale(15, 1))),
            "the number 1.5",
        ),
        (ColumnData::I32(Some(1)), "a value of type int"),
        (text("1"), "text of 1 character"),
    ] {
        let error = Counted::from_sql(&data).unwrap_err().to_string();
        let expected = format!("an integer from 0 to 2^63-1, found {found}");
        assert!(error.contains(&expected), "{error}");
    }
}

/// A number whose digits do not fit into a `decimal` column isn't a key of that plan.
#[test]
fn what_a_decimal_cannot_hold_does_not_become_a_key() {
    assert!(Number128Decimal::try_from(10_u128.pow(38)).is_err());
    assert!(NumberDecimal::try_from(10_u128.pow(28)).is_err());
}

#[test]
fn null_is_typed_as_a_parameter_where_tiberius_can_and_always_in_a_bulk_row() {
    fn nulls<K: Key>() -> [ColumnData<'static>; 2] {
        [None::<K>.to_param(), None::<K>.to_bulk_value()]
    }

    assert_eq!(
        nulls::<ShortPrefixSuffix>(),
        [ColumnData::Guid(None), ColumnData::Guid(None)]
    );
    assert_eq!(
        nulls::<NumberDecimal>(),
        [ColumnData::I64(None), ColumnData::Numeric(None)]
    );
    assert_eq!(
        nulls::<NumberBinary>(),
        [ColumnData::Binary(None), ColumnData::Binary(None)]
    );
    assert_eq!(
        nulls::<NumberText>(),
        [ColumnData::String(None), ColumnData::String(None)]
    );
}

#[test]
fn null_is_no_key_whatever_its_type() {
    struct Nulls;

    impl Visitor for Nulls {
        fn visit<K: Key>(&mut self) {
            for null in nulls() {
                assert_eq!(K::from_sql(&null), Ok(None), "{} {null:?}", K::NAME);
                let row = Row::builder().column("id", ColumnType::Null, null).build();
                assert_eq!(row.try_optional_key::<K>("id"), Ok(None));
                let error = row.try_key::<K>("id").unwrap_err();
                assert_eq!(
                    error.to_string(),
                    format!("column `id` is not a valid {}: found NULL", K::NAME)
                );
            }
        }
    }

    visit_every_key(&mut Nulls);
}

fn nulls() -> [ColumnData<'static>; 18] {
    [
        ColumnData::U8(None),
        ColumnData::I16(None),
        ColumnData::I32(None),
        ColumnData::I64(None),
        ColumnData::F32(None),
        ColumnData::F64(None),
        ColumnData::Bit(None),
        ColumnData::String(None),
        ColumnData::Guid(None),
        ColumnData::Binary(None),
        ColumnData::Numeric(None),
        ColumnData::Xml(None),
        ColumnData::DateTime(None),
        ColumnData::SmallDateTime(None),
        ColumnData::Time(None),
        ColumnData::Date(None),
        ColumnData::DateTime2(None),
        ColumnData::DateTimeOffset(None),
    ]
}

/// A value of every type that tiberius has, with what messages call it.
fn values() -> [(ColumnData<'static>, &'static str); 18] {
    let (day, noon) = (time::Date::new(738_000), time::Time::new(43_200, 0));
    let both = time::DateTime2::new(day, noon);
    [
        (ColumnData::U8(Some(7)), "a value of type tinyint"),
        (ColumnData::I16(Some(7)), "a value of type smallint"),
        (ColumnData::I32(Some(7)), "a value of type int"),
        (ColumnData::I64(Some(7)), "a value of type bigint"),
        (ColumnData::F32(Some(7.0)), "a value of type real"),
        (ColumnData::F64(Some(7.0)), "a value of type float"),
        (ColumnData::Bit(Some(true)), "a value of type bit"),
        (text("seven"), "text of 5 characters"),
        (guid(Uuid::nil()), "a value of type uniqueidentifier"),
        (bytes(7, 8), "8 bytes"),
        (number(7), "the number 7"),
        (
            ColumnData::Xml(Some(std::borrow::Cow::Owned(xml::XmlData::new("<seven/>")))),
            "a value of type xml",
        ),
        (
            ColumnData::DateTime(Some(time::DateTime::new(45_000, 0))),
            "a value of type datetime",
        ),
        (
            ColumnData::SmallDateTime(Some(time::SmallDateTime::new(45_000, 0))),
            "a value of type smalldatetime",
        ),
        (ColumnData::Time(Some(noon)), "a value of type time"),
        (ColumnData::Date(Some(day)), "a value of type date"),
        (
            ColumnData::DateTime2(Some(both)),
            "a value of type datetime2",
        ),
        (
            ColumnData::DateTimeOffset(Some(time::DateTimeOffset::new(both, 60))),
            "a value of type datetimeoffset",
        ),
    ]
}

#[test]
fn values_of_another_type_than_the_plans_are_refused() {
    struct OtherTypes;

    impl Visitor for OtherTypes {
        fn visit<K: Key>(&mut self) {
            let wire = K::PLAN.column(Backend::SqlServer).wire();
            for (value, found) in values() {
                let of_the_plan = matches!(
                    (wire, &value),
                    (Wire::Uuid, ColumnData::Guid(_))
                        | (Wire::Decimal(_), ColumnData::Numeric(_))
                        | (Wire::Integer, ColumnData::I64(_) | ColumnData::Numeric(_))
                );
                if of_the_plan {
                    continue;
                }
                let row = Row::builder()
                    .column("title", ColumnType::Null, ColumnData::Bit(None))
                    .column("id", ColumnType::Null, value)
                    .build();
                let error = row.try_key::<K>("id").unwrap_err();
                let message = error.to_string();
                assert!(
                    message
                        .starts_with(&format!("column `id` is not a valid {}: stored ", K::NAME)),
                    "{message}"
                );
                let told = format!(": expected {}, found {found}", wire.describe());
                assert!(message.ends_with(&told), "{message}");
                assert_eq!(row.try_optional_key::<K>(1), Err(error.clone()));
                // tiberius' own traits report the same, without the column.
                let own = row.try_get::<K, _>("id").unwrap_err().to_string();
                let source = std::error::Error::source(&error).unwrap();
                assert_eq!(own, format!("Conversion error: {source}"));
            }
        }
    }

    visit_every_key(&mut OtherTypes);
}

fn refusal<K: Key>(found: ColumnData<'static>) -> String {
    let row = Row::builder().column("id", ColumnType::Null, found).build();
    match row.try_key::<K>("id") {
        Err(Error::NoKey { source, .. }) => source.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_that_are_no_keys_are_told() {
    let numeric = |value, scale| ColumnData::Numeric(Some(Numeric::new_with_scale(value, scale)));
    let expected = "stored DistributedId: expected a whole number of at most 28 digits, found ";
    for (value, scale, found) in [
        (-5, 0, "the number -5"),
        (
            i128::MIN,
            0,
            "the number -170141183460469231731687303715884105728",
        ),
        (1250, 2, "the number 12.50"),
        (700, 2, "the number 7.00"),
        (0, 38, "the number 0.00000000000000000000000000000000000000"),
        (
            10_i128.pow(28),
            0,
            "the number 10000000000000000000000000000",
        ),
        (
            i128::MAX,
            0,
            "the number 170141183460469231731687303715884105727",
        ),
    ] {
        assert_eq!(
            refusal::<NumberDecimal>(numeric(value, scale)),
            format!("{expected}{found}")
        );
    }
    assert_eq!(
        refusal::<Number128Decimal>(numeric(10_i128.pow(38), 0)),
        "stored DistributedId128: expected a whole number of at most 38 digits, found the number \
         100000000000000000000000000000000000000"
    );
}

#[test]
fn bytes_and_text_of_another_length_or_alphabet_are_told() {
    assert_eq!(
        refusal::<V7Binary>(bytes(0, 15)),
        "stored UuidV7: expected 16 bytes, found 15 bytes"
    );
    assert_eq!(
        refusal::<NumberBinary>(bytes(0, 16)),
        "stored DistributedId: expected 12 bytes, found 16 bytes"
    );
    // The bytes of `cast(id as binary(16))` are not those of the uuid.
    assert_eq!(
        refusal::<V7SqlServer>(bytes(V7, 16)),
        "stored UuidV7: expected a uuid, found 16 bytes"
    );
    // A wider `char` column pads with blanks.
    assert_eq!(
        refusal::<NumberDigits>(text("1088824355131185736905670087  ")),
        "stored DistributedId: expected text of exactly 28 digits, found text of 30 characters"
    );
    assert!(
        refusal::<NumberText>(text("108882435513118573690567008x")).ends_with("'x' at position 27")
    );
    assert!(
        refusal::<V7Text>(text("017f22e2-79b0-7cc3-98c4-dc0c0c07398\u{e9}"))
            .ends_with("'\u{e9}' at position 35")
    );
    assert!(refusal::<V7Text>(text("")).ends_with("found text of 0 characters"));
}

#[test]
fn values_of_another_format_are_told() {
    assert_eq!(
        refusal::<V7Unordered>(guid(Uuid::nil())),
        "not a UuidV7: the version (position 14 of the hyphenated text) is 0, expected 7"
    );
    assert_eq!(
        refusal::<V7SqlServer>(guid(Uuid::nil())),
        "`00000000-0000-0000-0000-000000000000` is not a UuidV7 in the `sql-server` layout: the \
         version (position 19 of the hyphenated text) is 0, expected 7; for a column of ids of \
         several formats, declare the key over AnyUuid"
    );
    // The right uuid in another layout than the plan's.
    assert_eq!(
        refusal::<V7SqlServer>(guid(uuid!("018e5f3b-ff48-7bff-8000-0123456789ab"))),
        "`018e5f3b-ff48-7bff-8000-0123456789ab` is not a UuidV7 in the `sql-server` layout: the \
         version (position 19 of the hyphenated text) is 8, expected 7; it is valid in the public layout: \
         for guids that were stored unswapped, declare \
         `storage(sqlserver = \"uuid:public-unordered\")`"
    );
    // Of another group.
    let other = LuuidBinary::generate_for(&LuuidBinary::luuid_context(7)).to_u128() ^ 1 << 64;
    let message = refusal::<LuuidBinary>(bytes(other, 16));
    assert!(
        message.starts_with("LuuidBinary holds ids of group"),
        "{message}"
    );
}

#[test]
fn text_in_another_case_is_told_with_the_storage_that_reads_it() {
    assert_eq!(
        refusal::<V4Text>(text("00112233-4455-4677-8899-AABBCCDDEEFF")),
        "stored UuidV4: expected hyphenated uuid text of 36 characters in lower case, found \
         hyphenated uuid text of 36 characters in upper case: declare `text-upper`"
    );
    let message = refusal::<V4HexUpper>(text("00112233445546778899aabbccddeeff"));
    assert!(message.ends_with(": declare `text-hex`"), "{message}");
}

#[test]
fn columns_are_named_by_their_name_or_their_position() {
    let row = Row::builder()
        .column("id", ColumnType::Guid, guid(Uuid::from_u128(COMB)))
        .column("", ColumnType::Int4, ColumnData::I32(Some(1)))
        .column("", ColumnType::Int4, ColumnData::I32(None))
        .build();
    let message = |error: Error| error.to_string();

    assert_eq!(row.try_key::<AnyPublic>("id").unwrap().to_u128(), COMB);
    assert_eq!(
        row.try_key::<AnyPublic>("parent").map_err(message),
        Err("the row has no column `parent`".to_owned())
    );
    let bare = Row::builder().build();
    assert_eq!(
        bare.try_key::<AnyPublic>("").map_err(message),
        Err("the row has no column ``".to_owned())
    );
    assert_eq!(
        row.try_optional_key::<AnyPublic>(3).map_err(message),
        Err("the row has no column `3`".to_owned())
    );
    assert_eq!(
        row.try_optional_key::<AnyPublic>(1).map_err(message),
        Err(
            "column `1` is not a valid AnyPublic: stored AnyUuid: expected a uuid, found a value of type int"
                .to_owned()
        )
    );
    assert_eq!(
        row.try_key::<AnyPublic>(2).map_err(message),
        Err("column `2` is not a valid AnyPublic: found NULL".to_owned())
    );
}

#[test]
fn errors_become_those_of_tiberius() {
    fn read(row: &Row) -> tiberius::Result<AnyPublic> {
        Ok(row.try_key("id")?)
    }

    let row = Row::builder().build();
    assert_eq!(
        read(&row).unwrap_err().to_string(),
        "Conversion error: the row has no column `id`"
    );
}
