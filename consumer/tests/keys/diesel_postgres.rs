//! PostgreSQL, without a dependency on Diesel or on a client library.

use diesel::debug_query;
use diesel::dsl::sql;
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::sql_types::{Array, Nullable, SqlOrd};
use renamed::{ShipId, TicketId};
use rowkey::EntityKey;
use rowkey::driver::diesel::__private::diesel;
use rowkey::driver::diesel::{Key, KeyColumnMethods};
use rowkey_consumer::PassengerId;
use rowkey_consumer::formats::{InvoiceId, OfferId, SessionId};
use rowkey_consumer::shadowed::{DB, FerryId, ST, TerminalId};

use super::PASSENGER;

fn is_key<K>()
where
    K: EntityKey
        + diesel::serialize::ToSql<Key<K>, Pg>
        + diesel::deserialize::FromSql<Key<K>, Pg>
        + diesel::deserialize::Queryable<Key<K>, Pg>
        + AsExpression<Key<K>>
        + AsExpression<Nullable<Key<K>>>,
    for<'a> &'a K: AsExpression<Key<K>>,
    for<'a, 'b> &'a &'b K: AsExpression<Key<K>>,
    Key<K>: SqlOrd,
    Vec<K>: diesel::serialize::ToSql<Array<Key<K>>, Pg>
        + diesel::deserialize::FromSql<Array<Key<K>>, Pg>,
{
}

#[test]
fn keys_are_parameters_and_columns() {
    is_key::<OfferId>();
    is_key::<InvoiceId>();
    is_key::<SessionId>();
    is_key::<FerryId>();
    is_key::<TerminalId>();
    is_key::<ShipId>();
    is_key::<TicketId>();
    is_key::<ST>();
    is_key::<DB>();
}

#[test]
fn time_spans_are_conditions() {
    let made = PASSENGER.into_format().time();
    let column = sql::<Key<PassengerId>>("passenger");
    let condition = column.within(PassengerId::bounds(made..=made));
    let shown = debug_query::<Pg, _>(&condition).to_string();
    assert!(
        shown.starts_with("(passenger >= $1 AND passenger < $2) -- "),
        "{shown}"
    );
}
