//! Offers and bookings, as a program without rowkey has stored them: UUIDs of version 7 as text.

use anyhow::Result;
use rowkey_core::generate::Generate;
use rowkey_core::{Backend, UuidV7};
use rowkey_tables::{Connection, Value};
use rowkey_testkit::TestDatabase;

/// How many offers there are; each has two bookings.
pub(crate) const OFFERS: usize = 300;

/// Runs something to its end.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}

/// Connects to the database of a test.
pub(crate) async fn connect(database: &TestDatabase) -> Result<Connection> {
    Ok(Connection::open(&database.url().parse()?).await?)
}

/// The first placeholders of a statement.
fn placeholders(backend: Backend) -> [&'static str; 2] {
    match backend {
        Backend::Postgres => ["$1", "$2"],
        _ => ["?", "?"],
    }
}

/// Makes the tables, and the ids of their offers in public form.
pub(crate) async fn create(connection: &mut Connection) -> Result<Vec<String>> {
    let text = match connection.backend() {
        Backend::Postgres => "varchar(36)",
        Backend::Sqlite => "text",
        _ => "char(36) CHARACTER SET ascii COLLATE ascii_bin",
    };
    let engine = match connection.backend() {
        Backend::MySql | Backend::MariaDb => " ENGINE = InnoDB",
        _ => "",
    };
    let number = match connection.backend() {
        Backend::Postgres => "bigserial",
        Backend::Sqlite => "integer",
        _ => "bigint auto_increment",
    };
    for statement in [
        format!(
            "CREATE TABLE offer (id {text} NOT NULL PRIMARY KEY, title varchar(80) NOT NULL){engine}"
        ),
        format!(
            "CREATE TABLE booking (id {number} PRIMARY KEY, offer_id {text} NOT NULL, \
             note varchar(80), CONSTRAINT booking_offer FOREIGN KEY (offer_id) REFERENCES offer (id) \
             ON DELETE CASCADE ON UPDATE CASCADE){engine}"
        ),
    ] {
        connection
            .execute("the tables of the test", &statement)
            .await?;
    }
    let [one, two] = placeholders(connection.backend());
    let offer = format!("INSERT INTO offer (id, title) VALUES ({one}, {two})");
    let booking = format!("INSERT INTO booking (offer_id, note) VALUES ({one}, {two})");
    let mut ids = Vec::new();
    connection.execute("a transaction", "BEGIN").await?;
    for number in 0..OFFERS {
        let id = UuidV7::generate().to_string();
        let value = Value::from(id.as_str());
        let title = Value::Text(format!("offer {number}"));
        connection
            .update("an offer", &offer, &[value.clone(), title])
            .await?;
        for note in ["first", "second"] {
            connection
                .update("a booking", &booking, &[value.clone(), note.into()])
                .await?;
        }
        ids.push(id);
    }
    connection.execute("a transaction", "COMMIT").await?;
    Ok(ids)
}

/// The ids of a column in hexadecimal digits, in the order of the column.
pub(crate) async fn stored(
    connection: &mut Connection,
    table: &str,
    column: &str,
) -> Result<Vec<String>> {
    let query = format!("SELECT {column} FROM {table} ORDER BY {column}");
    let rows = connection.query("the ids", &query, &[]).await?;
    let digits = |value: &Value| match value {
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Value::Text(text) => text.replace('-', ""),
        value => format!("{value:?}"),
    };
    Ok(rows
        .iter()
        .filter_map(|row| row.0.first())
        .map(digits)
        .collect())
}
