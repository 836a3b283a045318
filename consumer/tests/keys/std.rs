//! The system clock, randomness and generators.

use renamed::{ShipId, TicketId};
use rowkey::UnixMillis;
use rowkey_consumer::formats::{BookingId, InvoiceId, OfferId};

#[test]
fn keys_are_made_from_the_clock() {
    let before = UnixMillis::now();
    let made = BookingId::generate();
    let after = UnixMillis::now();
    assert!((before..=after).contains(&rowkey::EntityKey::into_format(made).time()));
    assert_ne!(OfferId::generate(), OfferId::generate());
    assert_ne!(ShipId::generate(), ShipId::generate());
}

#[test]
fn numbers_increase() {
    let ids: Vec<InvoiceId> = (0..100).map(|_| InvoiceId::generate()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b));
    assert!(TicketId::generate().to_string().starts_with("tkt_"));
}
