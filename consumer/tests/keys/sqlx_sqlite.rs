//! SQLite, without a dependency on sqlx or on a runtime: its driver has its own threads.

use std::error::Error;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use renamed::{ShipId, TicketId};
use rowkey::driver::sqlx::__private::sqlx;
use rowkey::driver::sqlx::PushWithin;
use rowkey::storage::Nullability;
use rowkey::{Backend, EntityKey, UnixMillis};
use rowkey_consumer::PassengerId;
use rowkey_consumer::formats::BookingId;
use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection, QueryBuilder};

use super::{PASSENGER, SHIP, TICKET};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

async fn keys_go_into_a_table_and_come_back() -> Result<(), Box<dyn Error>> {
    fn column<K: EntityKey>(name: &str) -> Result<String, rowkey::Error> {
        K::PLAN.column_definition(Backend::Sqlite, name, Nullability::NotNull)
    }

    let mut db = SqliteConnection::connect("sqlite::memory:").await?;
    let columns = [
        column::<PassengerId>("passenger")?,
        column::<ShipId>("ship")?,
        column::<TicketId>("ticket")?,
    ];
    let table = format!("CREATE TABLE trip ({}) STRICT", columns.join(", "));
    sqlx::query(AssertSqlSafe(table)).execute(&mut db).await?;
    sqlx::query("INSERT INTO trip VALUES (?, ?, ?)")
        .bind(PASSENGER)
        .bind(SHIP)
        .bind(TICKET)
        .execute(&mut db)
        .await?;

    let made = PASSENGER.into_format().time();
    let mut select = QueryBuilder::<Sqlite>::new("SELECT * FROM trip WHERE ");
    select.push_within("passenger", PassengerId::bounds(made..=made))?;
    let trip: (PassengerId, ShipId, TicketId) = select.build_query_as().fetch_one(&mut db).await?;
    assert_eq!(trip, (PASSENGER, SHIP, TICKET));

    let mut select = QueryBuilder::<Sqlite>::new("SELECT * FROM trip WHERE ");
    select.push_within("passenger", PassengerId::bounds(..UnixMillis::new(0)))?;
    assert!(select.build().fetch_optional(&mut db).await?.is_none());

    let error = sqlx::query_scalar::<_, BookingId>("SELECT ship FROM trip")
        .fetch_one(&mut db)
        .await;
    let error = error.expect_err("sixteen bytes are no text").to_string();
    assert!(error.contains("22 alphanumeric characters"), "{error}");
    Ok(())
}

#[test]
fn keys_are_parameters_and_columns() {
    let outcome = block_on(keys_go_into_a_table_and_come_back());
    assert!(outcome.is_ok(), "{outcome:?}");
}
