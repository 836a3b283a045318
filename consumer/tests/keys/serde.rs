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

#[test]
fn a_key_of_a_union_is_its_text_in_json() {
    let json = "\"00000000-0007-6000-a000-000000000000\"";
    let group =
        <renamed::PassengerId as rowkey::EntityKey>::GROUP.map(rowkey::luuid::LuuidGroup::get);
    let json = json.replace("6000", &format!("6{:03x}", group.unwrap_or_default()));
    let label = from_str::<renamed::LabelId>(&json);
    assert!(matches!(label, Ok(renamed::LabelId::Passenger(_))));
    assert_eq!(label.and_then(|label| to_string(&label)).ok(), Some(json));
}
