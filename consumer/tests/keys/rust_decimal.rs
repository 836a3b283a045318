//! The numbers of keys over DistributedId.

use renamed::TicketId;
use rowkey_consumer::formats::{InvoiceId, ReceiptId};
use rust_decimal::Decimal;

use super::{INVOICE, TICKET};

#[test]
fn keys_convert_to_their_number_and_back() {
    let number = Decimal::from_i128_with_scale(1_088_824_355_131_185_736_905_670_087, 0);
    assert_eq!(Decimal::from(INVOICE), number);
    assert_eq!(InvoiceId::try_from(number), Ok(INVOICE));
    assert_eq!(TicketId::try_from(Decimal::from(61)), Ok(TICKET));
    assert!(ReceiptId::try_from(Decimal::new(15, 1)).is_err());
}
