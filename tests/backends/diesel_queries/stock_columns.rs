//! Schemas that name Diesel's own column types.

use anyhow::{Context, Result, ensure};
use diesel::prelude::*;
use rowkey::storage::Nullability;
use rowkey_testkit::TestDatabase;

use crate::diesel_queries::connection::{column, connect, execute};
use crate::diesel_queries::damage::explained;
use crate::diesel_queries::keys::{InvoiceId, OfferId, SessionId};

macro_rules! round_trip {
    ($db:ident, $database:ident, $SqlType:ident, $Key:ident) => {{
        diesel::table! {
            use diesel::sql_types::*;

            found { id -> $SqlType, parent -> Nullable<$SqlType>, }
        }

        #[derive(Clone, Debug, PartialEq, Insertable, Queryable, Selectable)]
        #[diesel(table_name = found)]
        struct Found {
            id: $Key,
            parent: Option<$Key>,
        }

        let backend = $database.backend();
        let id = column::<$Key>(backend, "id", Nullability::NotNull)?;
        let parent = column::<$Key>(backend, "parent", Nullability::Nullable)?;
        execute($db, &format!("CREATE TABLE found ({id}, {parent})"))?;
        let rows: Vec<Found> = (0..3)
            .map(|_| $Key::generate())
            .map(|id| Found {
                id,
                parent: Some(id),
            })
            .collect();
        diesel::insert_into(found::table)
            .values(&rows)
            .execute($db)?;
        let read: Vec<Found> = found::table
            .filter(found::id.eq_any([rows[0].id, rows[2].id]))
            .filter(
                found::parent
                    .eq(rows[2].id)
                    .or(found::parent.ne(rows[2].id)),
            )
            .load($db)?;
        ensure!(
            read.len() == 2 && read.contains(&rows[0]) && read.contains(&rows[2]),
            "{read:?}"
        );
        // The column is what a column of keys is.
        let literal = rowkey::EntityKey::to_u128(rows[1].id);
        let literal = <$Key as rowkey::EntityKey>::PLAN
            .column(backend)
            .literal(literal);
        let condition = format!("id = {literal}");
        let read: Found = found::table
            .filter(diesel::dsl::sql::<diesel::sql_types::Bool>(&condition))
            .first($db)
            .context(condition)?;
        ensure!(read == rows[1], "{read:?}");
        execute($db, "DROP TABLE found")?;
    }};
}

#[cfg(feature = "diesel-postgres")]
pub(crate) fn postgres(database: &TestDatabase) -> Result<()> {
    use crate::diesel_queries::keys::BookingId;

    let db = &mut connect::<PgConnection>(database)?;
    round_trip!(db, database, Uuid, OfferId);
    round_trip!(db, database, Numeric, InvoiceId);
    round_trip!(db, database, Binary, BookingId);
    round_trip!(db, database, Text, SessionId);
    Ok(())
}

#[cfg(feature = "diesel-mysql")]
pub(crate) fn mysql(database: &TestDatabase) -> Result<()> {
    use crate::diesel_queries::keys::{RouteId, SeatId};

    let db = &mut connect::<MysqlConnection>(database)?;
    round_trip!(db, database, Binary, OfferId);
    round_trip!(db, database, Numeric, InvoiceId);
    round_trip!(db, database, Text, SessionId);
    if database.backend() == rowkey::Backend::MariaDb {
        round_trip!(db, database, Text, SeatId);
        round_trip!(db, database, Text, RouteId);
    }
    Ok(())
}

pub(crate) fn sqlite(database: &TestDatabase) -> Result<()> {
    let db = &mut connect::<SqliteConnection>(database)?;
    round_trip!(db, database, Binary, OfferId);
    round_trip!(db, database, Text, InvoiceId);
    round_trip!(db, database, Text, SessionId);
    numeric_is_refused(db)?;
    refused_reading_has_changed_rows(db)
}

diesel::table! {
    invoices { id -> Numeric, parent -> Nullable<Numeric>, }
}

/// The error for a schema that declares [`InvoiceId`] as `Numeric`.
const REFUSAL: &str = "the schema declares a column of type Numeric, but SQLite stores InvoiceId \
                       as text of exactly 28 digits: the column has to become TEXT in the \
                       database, and only then be declared as Key<InvoiceId>";

/// Numbers of 28 digits are text in SQLite. A schema that was made for another backend says
/// `Numeric`, and gets an error: before anything is sent if a key is bound, otherwise when one is
/// read.
fn numeric_is_refused(db: &mut SqliteConnection) -> Result<()> {
    // The column that such a schema comes with, which makes floating-point numbers of digits.
    execute(
        db,
        "CREATE TABLE invoices (id DECIMAL(28,0), parent DECIMAL(28,0))",
    )?;
    let id = InvoiceId::generate();
    let error = diesel::insert_into(invoices::table)
        .values((invoices::id.eq(id), invoices::parent.eq(Some(id))))
        .execute(db)
        .err()
        .context("a number was written")?;
    ensure!(error.to_string() == REFUSAL, "{error}");
    let error = invoices::table
        .filter(invoices::id.eq_any([id]))
        .count()
        .get_result::<i64>(db)
        .err()
        .context("numbers were compared")?;
    ensure!(error.to_string() == REFUSAL, "{error}");
    let count: i64 = invoices::table.count().get_result(db)?;
    ensure!(count == 0, "{count} rows");

    execute(
        db,
        "INSERT INTO invoices VALUES ('1088824355131185736905670087', NULL)",
    )?;
    let error = invoices::table
        .select(invoices::id)
        .load::<InvoiceId>(db)
        .err()
        .context("a floating-point number was read")?;
    let message = explained(&error);
    ensure!(message.ends_with(REFUSAL), "{message}");
    execute(db, "DROP TABLE invoices")
}

/// What is refused when it is read has been executed. The column is right here, only the schema is
/// not, so that it is not the column that damages rows.
fn refused_reading_has_changed_rows(db: &mut SqliteConnection) -> Result<()> {
    fn update(db: &mut SqliteConnection) -> QueryResult<Vec<InvoiceId>> {
        diesel::update(invoices::table)
            .set(invoices::parent.eq(None::<InvoiceId>))
            .returning(invoices::id)
            .get_results(db)
    }

    fn delete(db: &mut SqliteConnection) -> QueryResult<Vec<InvoiceId>> {
        diesel::delete(invoices::table)
            .returning(invoices::id)
            .get_results(db)
    }

    fn count(db: &mut SqliteConnection) -> QueryResult<(i64, i64)> {
        use diesel::dsl::count;

        invoices::table
            .select((count(invoices::id), count(invoices::parent)))
            .first(db)
    }

    execute(
        db,
        "CREATE TABLE invoices (id TEXT, parent TEXT) STRICT;
         INSERT INTO invoices VALUES
             ('1088824355131185736905670087', '1088824355131185736905670087'),
             ('1088824355131185736905670088', '1088824355131185736905670087')",
    )?;
    type Change = fn(&mut SqliteConnection) -> QueryResult<Vec<InvoiceId>>;
    let changes: [(Change, (i64, i64)); 2] = [(update, (2, 0)), (delete, (0, 0))];
    for (change, changed) in changes {
        let before = count(db)?;
        for in_transaction in [true, false] {
            let returned = if in_transaction {
                db.transaction(change)
            } else {
                change(db)
            };
            let error = returned.err().context("numbers were read")?;
            let message = explained(&error);
            ensure!(message.ends_with(REFUSAL), "{message}");
            let expected = if in_transaction { before } else { changed };
            let found = count(db)?;
            ensure!(
                found == expected,
                "{found:?} in transaction: {in_transaction}"
            );
        }
    }
    execute(db, "DROP TABLE invoices")
}
