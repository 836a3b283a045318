//! Reading what tiberius got from SQL Server, as keys of every kind of column.

#![no_main]

use std::borrow::Cow;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey::driver::tiberius::column_data::{decode, encode};
use rowkey::{
    AnyUuid, Backend, DatabaseNumber, DistributedId, DistributedId128, EntityKey, HotGuid,
    ShortPrefixComb, SuffixComb, UuidV7, entity_key,
};
use rowkey_fuzz::{Damage, nearly_of};
use tiberius::numeric::Numeric;
use tiberius::{ColumnData, Uuid};

/// Declares a key for each storage, and a function that reads a value as each of them.
macro_rules! keys {
    ($($Key:ident $format:ident $storage:literal,)+) => {
        $(
            #[entity_key(storage(sqlserver = $storage))]
            struct $Key($format);
        )+

        fn read_as_every_key(input: &Input<'_>) {
            $( read::<$Key>(input); )+
        }
    };
}

keys! {
    OfferId ShortPrefixComb "uuid:suffix",
    StopId SuffixComb "uuid:public",
    VisitId UuidV7 "uuid:sql-server",
    DeviceId AnyUuid "binary",
    OrderId UuidV7 "uuid:public-unordered",
    SessionId UuidV7 "text",
    BlogId UuidV7 "text-upper",
    ArticleId UuidV7 "text-hex",
    ShelfId UuidV7 "text-hex-upper",
    LinkId HotGuid "text-compact",
    InvoiceId DistributedId "decimal",
    BookingId DistributedId "binary",
    TicketId DistributedId "text-compact",
    VoucherId DistributedId "text-digits",
    PaymentId DistributedId128 "decimal",
    ReceiptId DistributedId128 "text-digits",
    AccountNumber DatabaseNumber "bigint",
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    bits: u128,
    stamp: bool,
    damage: Damage<'a>,
    found: Found<'a>,
}

#[derive(Arbitrary, Debug)]
enum Found<'a> {
    Guid(Option<[u8; 16]>),
    Binary(Option<&'a [u8]>),
    SixteenBytes([u8; 16]),
    TwelveBytes([u8; 12]),
    Text(Option<&'a str>),
    /// The number, without a sign beyond what tiberius reads, and how many digits follow the point.
    Numeric(Option<(i128, u8)>),
    WholeNumber(u128),
    Integer(Option<i64>),
    Float(Option<f64>),
    Bit(Option<bool>),
}

impl Found<'_> {
    fn to_data(&self) -> ColumnData<'_> {
        let binary = |bytes| ColumnData::Binary(Some(Cow::Borrowed(bytes)));
        match self {
            Self::Guid(bytes) => ColumnData::Guid(bytes.map(Uuid::from_bytes)),
            Self::Binary(bytes) => ColumnData::Binary(bytes.map(Cow::Borrowed)),
            Self::SixteenBytes(bytes) => binary(bytes),
            Self::TwelveBytes(bytes) => binary(bytes),
            Self::Text(text) => ColumnData::String(text.map(Cow::Borrowed)),
            Self::Numeric(number) => ColumnData::Numeric(number.map(|(number, scale)| {
                let scale = scale % (Numeric::MAX_NUMERIC_SCALE + 1);
                Numeric::new_with_scale(number.max(-i128::MAX), scale)
            })),
            Self::WholeNumber(number) => {
                ColumnData::Numeric(Some(Numeric::new_with_scale((number >> 1) as i128, 0)))
            }
            Self::Integer(number) => ColumnData::I64(*number),
            Self::Float(number) => ColumnData::F64(*number),
            Self::Bit(bit) => ColumnData::Bit(*bit),
        }
    }

    fn is_null(&self) -> bool {
        matches!(
            self,
            Self::Guid(None)
                | Self::Binary(None)
                | Self::Text(None)
                | Self::Numeric(None)
                | Self::Integer(None)
                | Self::Float(None)
                | Self::Bit(None)
        )
    }
}

fuzz_target!(|input: Input<'_>| read_as_every_key(&input));

fn read<K: EntityKey>(input: &Input<'_>) {
    read_data::<K>(&input.found.to_data(), input.found.is_null());

    let Ok(key) = K::try_from(nearly_of(
        K::PLAN.column(Backend::SqlServer).format(),
        input.bits,
        input.stamp,
    )) else {
        return;
    };
    let data = encode(key);
    assert_eq!(decode::<K>(&data), Ok(Some(key)));
    if let ColumnData::String(Some(text)) = data {
        let damaged = input.damage.apply(&text);
        read_data::<K>(&ColumnData::String(Some(Cow::Owned(damaged))), false);
    }
}

fn read_data<K: EntityKey>(data: &ColumnData<'_>, is_null: bool) {
    match decode::<K>(data) {
        Ok(None) => assert!(is_null),
        // A key has one form, but an integer may be a `numeric`, and hyphenated text may be in
        // upper case.
        Ok(Some(key)) => match (encode(key), data) {
            (ColumnData::String(Some(written)), ColumnData::String(Some(found))) => {
                let is_hyphenated = found.len() == 36;
                assert!(written == *found || is_hyphenated && written.eq_ignore_ascii_case(found));
            }
            // Such as that of `SCOPE_IDENTITY()`.
            (ColumnData::I64(Some(written)), ColumnData::Numeric(Some(found))) => {
                assert_eq!((i128::from(written), 0), (found.value(), found.scale()));
            }
            (written, found) => assert_eq!(written, *found),
        },
        Err(error) => assert!(!is_null && !error.to_string().is_empty()),
    }
}
