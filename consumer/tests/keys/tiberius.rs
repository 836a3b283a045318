//! SQL Server, without a dependency on tiberius.

use renamed::{ShipId, TicketId};
use rowkey::Uuid;
use rowkey::driver::tiberius::__private::tiberius;
use rowkey_consumer::formats::SessionId;
use rowkey_consumer::shadowed::{FerryId, TerminalId};
use tiberius::numeric::Numeric;
use tiberius::{ColumnData, FromSql, FromSqlOwned, IntoSql, ToSql};

use super::{FERRY, OFFER, SHIP, TERMINAL, TICKET};

fn comes_back<K>(key: K, stored: &ColumnData<'static>)
where
    K: ToSql
        + for<'a> IntoSql<'a>
        + for<'a> FromSql<'a>
        + FromSqlOwned
        + PartialEq
        + std::fmt::Debug,
{
    assert_eq!(key.to_sql(), *stored);
    assert_eq!(K::from_sql(stored).expect("it is a key"), Some(key));
}

#[test]
fn keys_are_stored_as_their_plan_says() {
    let guid = |text: &str| ColumnData::Guid(Some(Uuid::parse_str(text).expect("a guid")));
    // The counter is where SQL Server looks first.
    comes_back(OFFER, &guid("00000000-0000-4000-8000-fff600000001"));
    comes_back::<ShipId>(SHIP, &guid("00000000-0000-4000-8000-000100000001"));
    comes_back::<FerryId>(FERRY, &guid("01000000-0000-0080-7000-018e5f3bff48"));
    let decimal = |number| ColumnData::Numeric(Some(Numeric::new_with_scale(number, 0)));
    comes_back::<TerminalId>(TERMINAL, &decimal(62));
    comes_back::<TicketId>(TICKET, &decimal(61));
    let text = "01234567-89ab-4def-8123-456789abcdef";
    let session: SessionId = text.parse().expect("a random uuid");
    comes_back(session, &ColumnData::String(Some(text.into())));
}

#[test]
fn what_is_no_key_is_refused() {
    assert!(TicketId::from_sql(&ColumnData::I64(Some(61))).is_err());
    assert_eq!(
        TicketId::from_sql(&ColumnData::Numeric(None)).expect("NULL"),
        None
    );
}
