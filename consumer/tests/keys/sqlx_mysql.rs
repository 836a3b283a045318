//! MySQL and MariaDB, without a dependency on sqlx.

use renamed::{ShipId, TicketId};
use rowkey::EntityKey;
use rowkey::driver::sqlx::__private::sqlx;
use rowkey_consumer::formats::{CustomerId, OfferId, PaymentId, SessionId};
use rowkey_consumer::shadowed::{FerryId, TerminalId};
use sqlx::mysql::MySql;
use sqlx::{Decode, Encode, Type};

use super::{OFFER, TERMINAL};

fn type_of<K>() -> String
where
    K: EntityKey + Type<MySql> + for<'r> Decode<'r, MySql>,
    Option<K>: Type<MySql> + for<'q> Encode<'q, MySql>,
{
    K::type_info().to_string()
}

fn bytes<'q>(key: impl Encode<'q, MySql>) -> Vec<u8> {
    let mut buffer = Vec::new();
    if let Err(error) = key.encode(&mut buffer) {
        panic!("{error}");
    }
    buffer
}

#[test]
fn keys_are_parameters_and_columns() {
    for binary in [
        type_of::<OfferId>(),
        type_of::<FerryId>(),
        type_of::<ShipId>(),
    ] {
        assert_eq!(binary, "BLOB");
    }
    // Never text: the server would compare it as a floating-point number.
    for number in [
        type_of::<PaymentId>(),
        type_of::<TerminalId>(),
        type_of::<TicketId>(),
    ] {
        assert_eq!(number, "DECIMAL");
    }
    assert_eq!(type_of::<SessionId>(), "VARCHAR");
}

#[test]
fn keys_are_written_as_their_plan_says() {
    // The length, then as many bytes.
    assert_eq!(bytes(OFFER)[1..], OFFER.to_u128().to_be_bytes());
    assert_eq!(bytes(TERMINAL), *b"\x0262");
    // A suffix COMB stands there with its time in front.
    let customer = CustomerId::constant(0x4000_8000_ffff_0000_0000);
    assert_eq!(bytes(customer)[1..3], [0xff, 0xff]);
}
