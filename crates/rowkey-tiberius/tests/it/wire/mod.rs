//! The bytes that go to SQL Server and come from it, as its protocol has them ([MS-TDS] 2.2.5).
//!
//! tiberius decides about them; these tests notice when a version decides otherwise.

mod server;

use self::server::{BINARY_12, CHAR_16, DECIMAL_28, GUID, Server};
use rowkey::driver::tiberius::{Condition, RowKeys, ToBulkValue, ToParam};
use rowkey::{DistributedId, ShortPrefixComb, entity_key};
use tiberius::{IntoRow, Query};

#[entity_key]
struct OfferId(ShortPrefixComb);

#[entity_key]
struct InvoiceId(DistributedId);

#[entity_key(storage(sqlserver = "binary"))]
struct ReceiptId(DistributedId);

#[entity_key(storage(sqlserver = "text-compact"))]
struct VoucherId(DistributedId);

const OFFER: OfferId = OfferId::constant(0x0011_2233_4455_4677_8899_aabb_ccdd_eeff);
/// Stored as aabb2233-4455-4677-8899-0011ccddeeff; the protocol turns the first three groups
/// around.
const OFFER_BYTES: &[u8] = b"\x33\x22\xbb\xaa\x55\x44\x77\x46\x88\x99\x00\x11\xcc\xdd\xee\xff";

const NUMBER: u128 = 1_088_824_355_131_185_736_905_670_087;
const NUMBER_BYTES: &[u8] = b"\x03\x84\xa7\x86\x90\x7d\xb2\xad\x82\x88\x3d\xc7";
const NUMBER_BACKWARDS: &[u8] = b"\xc7\x3d\x88\x82\xad\xb2\x7d\x90\x86\xa7\x84\x03";
const NUMBER_TEXT: &[u8] = b"3zfAkCP7ZtzfeQYp";

const INVOICE: InvoiceId = InvoiceId::constant(NUMBER);
const RECEIPT: ReceiptId = ReceiptId::constant(NUMBER);
const VOUCHER: VoucherId = VoucherId::constant(NUMBER);

/// As the protocol writes text of parameters.
fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The end of a request: the types of the parameters, and each with its name, flags and value.
fn parameters(types: &str, values: &[&[u8]]) -> Vec<u8> {
    let mut end = utf16(types);
    for (index, value) in values.iter().enumerate() {
        let name = utf16(&format!("@P{}", index + 1));
        end.push(name.len() as u8 / 2);
        end.extend(name);
        end.push(0);
        end.extend(*value);
    }
    end
}

#[track_caller]
fn assert_ends_with(request: &[u8], end: &[u8]) {
    let start = request.len().saturating_sub(end.len());
    assert_eq!(&request[start..], end);
}

#[tokio::test]
async fn keys_are_parameters_of_their_types() {
    let server = Server::default();
    let mut client = server.connect().await;
    client
        .execute("…", &[&OFFER, &INVOICE, &RECEIPT, &VOUCHER])
        .await
        .unwrap();
    let text = utf16("3zfAkCP7ZtzfeQYp");
    let end = parameters(
        "@P1 uniqueidentifier,@P2 numeric(28,0),@P3 varbinary(8000),@P4 nvarchar(4000)",
        &[
            &[b"\x24\x10\x10", OFFER_BYTES].concat(),
            &[b"\x6c\x0d\x1c\x00\x0d\x01", NUMBER_BACKWARDS].concat(),
            &[b"\xa5\x40\x1f\x0c\x00", NUMBER_BYTES].concat(),
            &[b"\xe7\x40\x1f\0\0\0\0\0\x20\x00", &text[..]].concat(),
        ],
    );
    assert_ends_with(&server.last_request(), &end);
}

#[tokio::test]
async fn a_number_is_declared_with_its_own_digits() {
    let server = Server::default();
    let mut client = server.connect().await;
    client
        .execute("…", &[&InvoiceId::constant(0), &InvoiceId::constant(4711)])
        .await
        .unwrap();
    let end = parameters(
        "@P1 numeric(1,0),@P2 numeric(4,0)",
        &[
            b"\x6c\x05\x01\x00\x05\x01\0\0\0\0",
            b"\x6c\x05\x04\x00\x05\x01\x67\x12\0\0",
        ],
    );
    assert_ends_with(&server.last_request(), &end);
}

#[tokio::test]
async fn null_has_a_type_where_tiberius_gives_it_one() {
    let server = Server::default();
    let mut client = server.connect().await;
    let nulls = [
        None::<OfferId>.to_param(),
        None::<InvoiceId>.to_param(),
        None::<ReceiptId>.to_param(),
        None::<VoucherId>.to_param(),
    ];
    let mut query = Query::new("…");
    query.bind_iter(nulls);
    query.execute(&mut client).await.unwrap();
    let end = parameters(
        "@P1 uniqueidentifier,@P2 bigint,@P3 varbinary(max),@P4 nvarchar(4000)",
        &[b"\x24\x10\x00", b"\x26\x08\x00", b"\x1f", b"\x1f"],
    );
    assert_ends_with(&server.last_request(), &end);
}

#[tokio::test]
async fn the_parameters_of_a_condition_have_the_numbers_in_its_text() {
    let server = Server::default();
    let mut client = server.connect().await;
    let offers = Condition::in_keys("id", &[OFFER], 2).unwrap();
    let mut query = Query::new(format!("@P1, {offers}"));
    query.bind(INVOICE);
    offers.bind(&mut query).unwrap();
    query.execute(&mut client).await.unwrap();
    let end = parameters(
        "@P1 numeric(28,0),@P2 uniqueidentifier",
        &[
            &[b"\x6c\x0d\x1c\x00\x0d\x01", NUMBER_BACKWARDS].concat(),
            &[b"\x24\x10\x10", OFFER_BYTES].concat(),
        ],
    );
    assert_ends_with(&server.last_request(), &end);
    let text = utf16("@P1, [id] IN (@P2)");
    assert!(
        server
            .last_request()
            .windows(text.len())
            .any(|part| part == text)
    );
}

#[tokio::test]
async fn keys_are_read_from_columns_of_their_types() {
    let server = Server::default();
    let mut client = server.connect().await;
    server.answer(
        &[GUID, DECIMAL_28, BINARY_12, CHAR_16],
        &[
            &[
                &[b"\x10", OFFER_BYTES].concat(),
                &[b"\x0d\x01", NUMBER_BACKWARDS].concat(),
                &[b"\x0c\x00", NUMBER_BYTES].concat(),
                &[b"\x10\x00", NUMBER_TEXT].concat(),
            ],
            &[b"\x00", b"\x00", b"\xff\xff", b"\xff\xff"],
            // A negative number, of fewer digits.
            &[b"\x00", b"\x05\x00\x07\0\0\0", b"\xff\xff", b"\xff\xff"],
        ],
    );
    let rows = client.query("…", &[]).await.unwrap();
    let [keys, nulls, negative] = &rows.into_first_result().await.unwrap()[..] else {
        panic!("not three rows");
    };
    assert_eq!(keys.try_key::<OfferId>(0), Ok(OFFER));
    assert_eq!(keys.try_key::<InvoiceId>(1), Ok(INVOICE));
    assert_eq!(keys.try_key::<ReceiptId>(2), Ok(RECEIPT));
    assert_eq!(keys.try_key::<VoucherId>(3), Ok(VOUCHER));

    assert_eq!(nulls.try_optional_key::<OfferId>(0), Ok(None));
    assert_eq!(nulls.try_optional_key::<InvoiceId>(1), Ok(None));
    assert_eq!(nulls.try_optional_key::<ReceiptId>(2), Ok(None));
    assert_eq!(nulls.try_optional_key::<VoucherId>(3), Ok(None));

    let error = negative.try_key::<InvoiceId>(1).unwrap_err();
    assert!(
        error.to_string().ends_with("found the number -7"),
        "{error}"
    );
}

#[tokio::test]
async fn bulk_rows_have_the_types_of_their_columns() {
    let server = Server::default();
    let mut client = server.connect().await;
    server.answer(&[GUID, DECIMAL_28, BINARY_12, CHAR_16], &[]);
    let mut bulk = client.bulk_insert("payment").await.unwrap();
    let keys = (OFFER, INVOICE, RECEIPT, VOUCHER);
    bulk.send(keys.into_row()).await.unwrap();
    let nulls = (
        None::<OfferId>.to_bulk_value(),
        None::<InvoiceId>.to_bulk_value(),
        None::<ReceiptId>.to_bulk_value(),
        None::<VoucherId>.to_bulk_value(),
    );
    bulk.send(nulls.into_row()).await.unwrap();
    bulk.finalize().await.unwrap();

    let rows = [
        &[b"\xd1\x10", OFFER_BYTES].concat(),
        &[b"\x0d\x01", NUMBER_BACKWARDS].concat(),
        &[b"\x0c\x00", NUMBER_BYTES].concat(),
        &[b"\x10\x00", NUMBER_TEXT].concat(),
        &b"\xd1\x00\x00\xff\xff\xff\xff"[..],
    ]
    .concat();
    let request = server.last_request();
    // The end is said after the rows.
    let (rest, done) = request.split_at(request.len() - 13);
    assert_eq!(done[0], 0xfd);
    assert_ends_with(rest, &rows);
}

/// A parameter's NULL of a decimal would be one of another type than the column.
#[tokio::test]
async fn the_null_of_a_parameter_is_no_value_of_a_bulk_row() {
    let server = Server::default();
    let mut client = server.connect().await;
    server.answer(&[DECIMAL_28], &[]);
    let mut bulk = client.bulk_insert("payment").await.unwrap();
    let row = None::<InvoiceId>.to_param().into_row();
    assert!(bulk.send(row).await.is_err());
}
