//! SQLite, without a dependency on Diesel.

use diesel::connection::{Connection, SimpleConnection};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Integer;
use diesel::sqlite::SqliteConnection;
use renamed::{ShipId, TicketId};
use rowkey::driver::diesel::__private::diesel;
use rowkey::driver::diesel::Key;
use rowkey::storage::Nullability;
use rowkey::{Backend, EntityKey};
use rowkey_consumer::PassengerId;
use rowkey_consumer::formats::BookingId;

use super::{PASSENGER, SHIP, TICKET};

type Trip = (Key<PassengerId>, Key<ShipId>, Key<TicketId>);

#[test]
fn keys_are_parameters_and_columns() {
    fn column<K: EntityKey>(name: &str) -> String {
        K::PLAN
            .column_definition(Backend::Sqlite, name, Nullability::NotNull)
            .expect("a plain name")
    }

    let mut db = SqliteConnection::establish(":memory:").expect("memory");
    let columns = [
        column::<PassengerId>("passenger"),
        column::<ShipId>("ship"),
        column::<TicketId>("ticket"),
    ];
    db.batch_execute(&format!(
        "CREATE TABLE trip ({}) STRICT",
        columns.join(", ")
    ))
    .expect("the columns are of types of STRICT tables");
    let count = sql::<Integer>("INSERT INTO trip VALUES (")
        .bind::<Key<PassengerId>, _>(PASSENGER)
        .sql(", ")
        .bind::<Key<ShipId>, _>(SHIP)
        .sql(", ")
        .bind::<Key<TicketId>, _>(&TICKET)
        .sql(")")
        .execute(&mut db);
    assert_eq!(count, Ok(1));
    let trips = sql::<Trip>("SELECT * FROM trip WHERE ship = ")
        .bind::<Key<ShipId>, _>(SHIP)
        .load::<(PassengerId, ShipId, TicketId)>(&mut db);
    assert_eq!(trips, Ok(vec![(PASSENGER, SHIP, TICKET)]));

    let error = sql::<Key<BookingId>>("SELECT ship FROM trip").load::<BookingId>(&mut db);
    let error = format!("{error:?}");
    assert!(error.contains("22 alphanumeric characters"), "{error}");
}
