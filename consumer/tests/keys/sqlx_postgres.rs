//! PostgreSQL, without a dependency on sqlx.

use renamed::{ShipId, TicketId};
use rowkey::EntityKey;
use rowkey::driver::sqlx::__private::sqlx;
use rowkey_consumer::formats::{InvoiceId, OfferId, ReceiptId, SessionId};
use rowkey_consumer::shadowed::{DB, FerryId, ST, TerminalId, r#type};
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, Postgres};
use sqlx::{Decode, Encode, Type};

use super::{INVOICE, OFFER, TERMINAL};

/// The object ids of the type of a key and of arrays of it.
fn types_of<K>() -> (Option<Oid>, Option<Oid>)
where
    K: EntityKey + Type<Postgres> + PgHasArrayType + for<'r> Decode<'r, Postgres>,
    Option<K>: Type<Postgres> + for<'q> Encode<'q, Postgres>,
    Vec<K>: Type<Postgres> + for<'q> Encode<'q, Postgres> + for<'r> Decode<'r, Postgres>,
{
    (K::type_info().oid(), K::array_type_info().oid())
}

fn bytes<'q>(key: impl Encode<'q, Postgres>) -> Vec<u8> {
    let mut buffer = PgArgumentBuffer::default();
    if let Err(error) = key.encode(&mut buffer) {
        panic!("{error}");
    }
    buffer.to_vec()
}

#[test]
fn keys_are_parameters_and_columns() {
    let uuid = (Some(Oid(2950)), Some(Oid(2951)));
    assert_eq!(types_of::<OfferId>(), uuid);
    assert_eq!(types_of::<InvoiceId>(), uuid);
    assert_eq!(types_of::<FerryId>(), uuid);
    assert_eq!(types_of::<ShipId>(), uuid);
    assert_eq!(types_of::<TicketId>(), uuid);
    assert_eq!(types_of::<ST>(), uuid);
    assert_eq!(types_of::<DB>(), uuid);
    assert_eq!(types_of::<r#type>(), uuid);
    let numeric = (Some(Oid(1700)), Some(Oid(1231)));
    assert_eq!(types_of::<ReceiptId>(), numeric);
    assert_eq!(types_of::<TerminalId>(), numeric);
    let text = (Some(Oid(25)), Some(Oid(1009)));
    assert_eq!(types_of::<SessionId>(), text);
}

#[test]
fn keys_are_written_as_their_plan_says() {
    assert_eq!(bytes(OFFER), OFFER.to_u128().to_be_bytes());
    assert_eq!(bytes(INVOICE), INVOICE.to_u128().to_be_bytes());
    // One group of four digits, weight 0, positive, no digits behind the point.
    assert_eq!(bytes(TERMINAL), [0, 1, 0, 0, 0, 0, 0, 0, 0, 62]);
}
