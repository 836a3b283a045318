//! Offers in SQLite, with a typed key.

use std::{error::Error, time::Duration};

use rowkey::driver::sqlx::PushWithin;
use rowkey::storage::Nullability;
use rowkey::{Backend, UnixMillis, UuidV7, entity_key};
use sqlx::{AssertSqlSafe, Connection, Executor, QueryBuilder, SqliteConnection};

#[entity_key]
struct OfferId(UuidV7);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut db = SqliteConnection::connect("sqlite::memory:").await?;
    let id = OfferId::PLAN.column_definition(Backend::Sqlite, "id", Nullability::NotNull)?;
    let table = format!("CREATE TABLE offer ({id} PRIMARY KEY, title TEXT NOT NULL)");
    db.execute(AssertSqlSafe(table)).await?;

    let offer = OfferId::generate();
    let insert = sqlx::query("INSERT INTO offer (id, title) VALUES (?, 'Fjords in winter')");
    insert.bind(offer).execute(&mut db).await?;

    let select = sqlx::query_scalar("SELECT title FROM offer WHERE id = ?");
    let title: String = select.bind(offer).fetch_one(&mut db).await?;
    println!("{offer}: {title}");

    let now = UnixMillis::now();
    let hour_ago = now.saturating_sub(Duration::from_secs(3_600));
    let mut recent = QueryBuilder::new("SELECT id FROM offer WHERE ");
    recent.push_within("id", OfferId::bounds_since(hour_ago, now))?;
    let recent: Vec<OfferId> = recent.build_query_scalar().fetch_all(&mut db).await?;
    assert_eq!(recent, [offer]);
    Ok(())
}
