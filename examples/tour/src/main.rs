//! Typed keys in SQLite, from the declaration to a time range that uses the primary key.
//!
//! Run it with `cargo run -p tour`.

use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;

use rowkey::driver::sqlx::PushWithin;
use rowkey::format::TimeOrdered;
use rowkey::generate::{Generate, SystemEntropy};
use rowkey::storage::Nullability;
use rowkey::{Backend, DistributedId, EntityKey, ShortPrefixComb, UnixMillis, entity_key};
use sqlx::{AssertSqlSafe, Connection, Executor, QueryBuilder, Row, Sqlite, SqliteConnection};

/// A booking offer: a random UUID that begins with the minute, so that new rows are stored together.
#[entity_key]
pub struct BookingOfferId(ShortPrefixComb);

/// An invoice: a number of 28 digits that begins with the millisecond. Clients see `inv_...`.
#[entity_key(prefix = "inv")]
pub struct InvoiceId(DistributedId);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    tour(&mut io::stdout()).await
}

/// Stores rows under both keys, reads them back and shows the stored values.
pub async fn tour(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut db = SqliteConnection::connect("sqlite::memory:").await?;

    // A key's plan knows the type of its column on each of five databases.
    let offer_id = column::<BookingOfferId>("id", Nullability::NotNull)?;
    let invoice_id = column::<InvoiceId>("id", Nullability::NotNull)?;
    let invoice_offer = column::<BookingOfferId>("offer", Nullability::Nullable)?;
    for table in [
        format!("CREATE TABLE offer ({offer_id}, cruise TEXT NOT NULL, PRIMARY KEY (id)) STRICT"),
        format!("CREATE TABLE invoice ({invoice_id}, {invoice_offer}, PRIMARY KEY (id)) STRICT"),
    ] {
        writeln!(out, "{table}")?;
        db.execute(AssertSqlSafe(table)).await?;
    }

    // Keys are made here, not by the database, and bound like any other value.
    let now = UnixMillis::now();
    let yesterday = now.saturating_sub(Duration::from_secs(86_400));
    let old_offer = ShortPrefixComb::generate_with(&(), &yesterday, &mut SystemEntropy::new())?;
    let old_invoice = DistributedId::from_parts(yesterday, 4711)?;
    let offer = BookingOfferId::generate();
    for (id, cruise) in [(old_offer.try_into()?, "Fjords"), (offer, "Antarctica")] {
        sqlx::query("INSERT INTO offer (id, cruise) VALUES (?, ?)")
            .bind::<BookingOfferId>(id)
            .bind(cruise)
            .execute(&mut db)
            .await?;
    }
    let invoice = InvoiceId::generate();
    for (id, offer) in [(old_invoice.try_into()?, None), (invoice, Some(offer))] {
        sqlx::query("INSERT INTO invoice (id, offer) VALUES (?, ?)")
            .bind::<InvoiceId>(id)
            .bind(offer)
            .execute(&mut db)
            .await?;
    }

    // They are read back typed. A value that is not such a key is an error with the key's name.
    let (billed, cruise): (Option<BookingOfferId>, String) = sqlx::query_as(
        "SELECT offer.id, cruise FROM invoice JOIN offer ON offer.id = offer WHERE invoice.id = ?",
    )
    .bind(invoice)
    .fetch_one(&mut db)
    .await?;
    writeln!(out, "\n{invoice} is for {cruise}, {billed:?}\n")?;

    show(&mut db, out, "offer", offer, now).await?;
    show(&mut db, out, "invoice", invoice, now).await
}

/// A column of the key, for CREATE TABLE.
fn column<K: EntityKey>(name: &str, nullability: Nullability) -> Result<String, rowkey::Error> {
    K::PLAN.column_definition(Backend::Sqlite, name, nullability)
}

/// Prints the forms of one key, and the query plan for the rows of the last hour.
async fn show<K: EntityKey<Format: TimeOrdered>>(
    db: &mut SqliteConnection,
    out: &mut impl Write,
    table: &str,
    key: K,
    now: UnixMillis,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "{}", K::NAME)?;
    writeln!(out, "  public      {key}")?;

    let literal = K::PLAN.column(Backend::Sqlite).literal(key.to_u128());
    let stored = format!("SELECT typeof(id), hex(id) FROM {table} WHERE id = {literal}");
    let stored = db.fetch_one(AssertSqlSafe(stored)).await?;
    let (kind, hex): (String, String) = (stored.try_get(0)?, stored.try_get(1)?);
    writeln!(out, "  stored      {kind} {hex}")?;

    for backend in Backend::ALL {
        let sql_type = K::PLAN.column_type(backend)?;
        let literal = K::PLAN.column(backend).literal(key.to_u128());
        writeln!(out, "  {:<12}{sql_type}: {literal}", backend.to_string())?;
    }

    let hour_ago = now.saturating_sub(Duration::from_secs(3_600));
    let last_hour = K::bounds(hour_ago..=UnixMillis::now());
    let mut query = QueryBuilder::<Sqlite>::new(format!("SELECT count(*) FROM {table} WHERE "));
    query.push_within("id", last_hour)?;
    let explain = format!("EXPLAIN QUERY PLAN SELECT count(*) FROM {table} WHERE ");
    writeln!(out, "  last hour   {}", query.sql().as_str())?;
    let count: i64 = query.build_query_scalar().fetch_one(&mut *db).await?;
    writeln!(out, "  rows        {count} of 2")?;

    let mut query = QueryBuilder::<Sqlite>::new(explain);
    query.push_within("id", last_hour)?;
    for step in query.build().fetch_all(&mut *db).await? {
        writeln!(
            out,
            "  query plan  {}",
            step.try_get::<String, _>("detail")?
        )?;
    }
    writeln!(out)?;
    Ok(())
}
