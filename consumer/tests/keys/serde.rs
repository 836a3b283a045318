//! Keys in JSON.

use serde_json::{from_str, to_string};

use super::{FERRY, INVOICE, LEGACY, SHIP, TICKET};

#[test]
fn keys_are_their_text_in_json() {
    assert_eq!(
        to_string(&INVOICE).ok().as_deref(),
        Some("\"inv_3zfAkCP7ZtzfeQYp\"")
    );
    assert_eq!(
        to_string(&TICKET).ok().as_deref(),
        Some("\"tkt_000000000000000z\"")
    );
    let json = to_string(&(FERRY, SHIP, Some(LEGACY))).expect("keys are text");
    assert_eq!(from_str(&json).ok(), Some((FERRY, SHIP, Some(LEGACY))));
    assert!(from_str::<renamed::TicketId>("61").is_err());
}
