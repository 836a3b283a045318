//! Keys that the database counts, beside an external one.

use anyhow::{Context, Result, ensure};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use rowkey::driver::diesel::{Key, KeyColumnMethods};
use rowkey::storage::Nullability;
use rowkey::{Backend, DatabaseNumber, EntityKey, UuidV7, entity_key};
use rowkey_testkit::TestDatabase;

use crate::diesel_queries::connection::{column, connect, execute};

#[entity_key]
pub struct BookingNumber(DatabaseNumber);

#[entity_key]
pub struct BookingId(UuidV7);

diesel::table! {
    use diesel::sql_types::Text;
    use super::{BookingId, BookingNumber, Key};

    booking {
        id -> Key<BookingNumber>,
        external_id -> Key<BookingId>,
        title -> Text,
    }
}

/// As `diesel print-schema` writes it.
mod generated {
    diesel::table! {
        booking { id -> BigInt, }
    }
}

/// A row that is not there yet has no number.
#[derive(Insertable)]
#[diesel(table_name = booking)]
struct NewBooking {
    external_id: BookingId,
    title: &'static str,
}

fn new_booking() -> NewBooking {
    NewBooking {
        external_id: BookingId::generate(),
        title: "Fjords",
    }
}

fn create(db: &mut impl SimpleConnection, backend: Backend) -> Result<()> {
    let id = BookingNumber::PLAN.counted_column_definition(backend, "id")?;
    let external = column::<BookingId>(backend, "external_id", Nullability::NotNull)?;
    let table = format!(
        "CREATE TABLE booking ({id}, {external}, title VARCHAR(20) NOT NULL, UNIQUE (external_id))"
    );
    execute(db, &table)
}

macro_rules! found_by_external_id {
    ($db:ident, $numbers:expr) => {{
        let numbers: Vec<(BookingNumber, BookingId)> = $numbers;
        for (index, (number, external_id)) in numbers.iter().enumerate() {
            ensure!(number.to_number() == index as i64 + 1, "{number}");
            let found: BookingNumber = booking::table
                .filter(booking::external_id.eq(external_id))
                .select(booking::id)
                .first($db)?;
            ensure!(found == *number, "{found}");
        }
        let keys = [numbers[0].0, numbers[2].0];
        let listed: Vec<BookingNumber> = booking::table
            .filter(booking::id.in_keys(keys))
            .select(booking::id)
            .order(booking::id)
            .load($db)?;
        ensure!(listed == keys, "{listed:?}");

        use generated::booking as by_schema;
        let listed: Vec<BookingNumber> = by_schema::table
            .filter(by_schema::id.eq_any(keys))
            .select(by_schema::id)
            .order(by_schema::id)
            .load($db)?;
        ensure!(listed == keys, "{listed:?}");
        let greatest: Option<BookingNumber> = booking::table
            .select(diesel::dsl::max(booking::id))
            .first($db)?;
        ensure!(greatest.context("no rows")? == numbers[2].0);
        Ok(())
    }};
}

macro_rules! returned {
    ($Connection:ty, $database:ident) => {{
        let db = &mut connect::<$Connection>($database)?;
        create(db, $database.backend())?;
        let mut numbers = Vec::new();
        for _ in 0..3 {
            let new = new_booking();
            let number = diesel::insert_into(booking::table)
                .values(&new)
                .returning(booking::id)
                .get_result(db)?;
            numbers.push((number, new.external_id));
        }
        found_by_external_id!(db, numbers)
    }};
}

pub(crate) fn sqlite(database: &TestDatabase) -> Result<()> {
    returned!(SqliteConnection, database)
}

#[cfg(feature = "diesel-postgres")]
pub(crate) fn postgres(database: &TestDatabase) -> Result<()> {
    returned!(PgConnection, database)
}

/// Diesel has no `returning` here, but a select of the number can be typed.
#[cfg(feature = "diesel-mysql")]
pub(crate) fn mysql(database: &TestDatabase) -> Result<()> {
    use diesel::dsl::sql;

    let db = &mut connect::<MysqlConnection>(database)?;
    create(db, database.backend())?;
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let new = new_booking();
        diesel::insert_into(booking::table)
            .values(&new)
            .execute(db)?;
        let number = diesel::select(sql::<Key<BookingNumber>>("LAST_INSERT_ID()"));
        numbers.push((number.get_result(db)?, new.external_id));
    }
    found_by_external_id!(db, numbers)
}
