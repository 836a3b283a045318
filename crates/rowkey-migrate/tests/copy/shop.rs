//! A shop with offers, whose keys are ids as text, and visits with a value of every kind.

use anyhow::{Result, ensure};
use rowkey_core::UuidV7;
use rowkey_core::format::FormatKind;
use rowkey_core::generate::Generate;
use rowkey_core::storage::StoragePlan;
use rowkey_migrate::Connection;
use rowkey_testkit::Backend;

use crate::values::{COLUMNS, check, literal, shown, sql_type, value};

/// How many offers there are.
pub(crate) const OFFERS: usize = 200;
/// How many visits there are.
pub(crate) const VISITS: usize = 300;

/// The public ids of the offers, in their order.
pub(crate) type Ids = Vec<UuidV7>;

fn text_type(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "varchar(36)",
        Backend::Sqlite => "TEXT",
        _ => "char(36) CHARACTER SET ascii COLLATE ascii_bin",
    }
}

fn tables(backend: Backend) -> [String; 4] {
    let (key, counted, set) = match backend {
        Backend::Postgres => (text_type(backend), "bigserial PRIMARY KEY", ""),
        Backend::Sqlite => (text_type(backend), "INTEGER PRIMARY KEY AUTOINCREMENT", ""),
        _ => (
            text_type(backend),
            "bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY",
            " ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin ROW_FORMAT = DYNAMIC",
        ),
    };
    let columns = COLUMNS.map(|(name, content)| format!("{name} {}", sql_type(backend, content)));
    [
        format!(
            "CREATE TABLE offer (id {key} NOT NULL PRIMARY KEY, title varchar(40) NOT NULL DEFAULT 'it''s', UNIQUE (title)){set}"
        ),
        format!(
            "CREATE TABLE visit (number {counted}, offer_id {key}, {}, \
             CONSTRAINT visit_offer FOREIGN KEY (offer_id) REFERENCES offer (id) ON DELETE CASCADE){set}",
            columns.join(", ")
        ),
        "CREATE INDEX visit_day ON visit (day, whole)".into(),
        "CREATE TABLE schema_migrations (version varchar(20))".into(),
    ]
}

/// How many visits are inserted at once.
const PER_STATEMENT: usize = 50;

/// Makes the tables and their rows.
pub(crate) async fn create(db: &mut Connection) -> Result<Ids> {
    create_with(db, VISITS).await
}

/// Makes the tables with so many visits.
pub(crate) async fn create_with(db: &mut Connection, visits: usize) -> Result<Ids> {
    let backend = db.backend();
    for statement in tables(backend) {
        db.execute("the tables", &statement).await?;
    }
    let ids: Ids = (0..OFFERS).map(|_| UuidV7::generate()).collect();
    db.execute("a transaction", "BEGIN").await?;
    for (number, id) in ids.iter().enumerate() {
        let insert = format!("INSERT INTO offer (id, title) VALUES ('{id}', 'Offer {number}')");
        db.execute("an offer", &insert).await?;
    }
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let rows: Vec<String> = (0..visits).map(|row| visit(backend, &ids, row)).collect();
    for rows in rows.chunks(PER_STATEMENT) {
        let insert = format!(
            "INSERT INTO visit (number, offer_id, {}) VALUES {}",
            names.join(", "),
            rows.join(", ")
        );
        db.execute("some visits", &insert).await?;
    }
    db.execute("a transaction", "COMMIT").await?;
    Ok(ids)
}

/// A visit as a list of literals.
fn visit(backend: Backend, ids: &Ids, row: usize) -> String {
    let literals = COLUMNS
        .iter()
        .map(|(_, content)| match value(*content, row) {
            Some(value) => literal(backend, *content, &value),
            None => "NULL".into(),
        });
    let literals: Vec<String> = literals.collect();
    let offer = match row % 3 {
        0 => "NULL".into(),
        _ => format!("'{}'", ids[row % OFFERS]),
    };
    format!("({}, {offer}, {})", row + 1, literals.join(", "))
}

/// Every value is in the target, as its server shows it.
pub(crate) async fn check_rows(db: &mut Connection, ids: &Ids) -> Result<()> {
    check_rows_with(db, ids, VISITS).await
}

/// The same for so many visits.
pub(crate) async fn check_rows_with(db: &mut Connection, ids: &Ids, visits: usize) -> Result<()> {
    let backend = db.backend();
    for (name, content) in COLUMNS {
        let query = format!(
            "SELECT {} FROM visit ORDER BY number",
            shown(backend, content, name)
        );
        let rows = db.query("the values", &query, &[]).await?;
        ensure!(rows.len() == visits, "{} visits", rows.len());
        for (number, row) in rows.iter().enumerate() {
            let expected = value(content, number);
            check(content, expected.as_deref(), &row.0[0])
                .map_err(|error| error.context(format!("visit {}", number + 1)))?;
        }
    }
    let column = StoragePlan::default_for(FormatKind::UuidV7).column(backend);
    let count = async |db: &mut Connection, query: String| -> Result<i64> {
        Ok(db.query("a number", &query, &[]).await?[0].integer(0)?)
    };
    for (number, id) in ids.iter().enumerate() {
        let literal = column.literal(id.to_uuid().as_u128());
        let offer =
            format!("SELECT COUNT(*) FROM offer WHERE id = {literal} AND title = 'Offer {number}'");
        ensure!(count(db, offer).await? == 1, "offer {number} is not there");
        let of_offer = (0..visits)
            .filter(|row| row % 3 != 0 && row % OFFERS == number)
            .count();
        let query = format!("SELECT COUNT(*) FROM visit WHERE offer_id = {literal}");
        ensure!(
            count(db, query).await? == of_offer as i64,
            "visits of offer {number}"
        );
    }
    Ok(())
}

/// The target refuses what the source refuses, and counts on.
pub(crate) async fn check_constraints(db: &mut Connection, ids: &Ids) -> Result<()> {
    let column = StoragePlan::default_for(FormatKind::UuidV7).column(db.backend());
    let (known, unknown) = (ids[0], UuidV7::generate());
    let [known, unknown] = [known, unknown].map(|id| column.literal(id.to_uuid().as_u128()));
    for refused in [
        format!("INSERT INTO offer (id, title) VALUES ({known}, 'again')"),
        format!("INSERT INTO offer (id, title) VALUES ({unknown}, 'Offer 7')"),
        format!("INSERT INTO visit (offer_id) VALUES ({unknown})"),
        format!("INSERT INTO offer (id, title) VALUES ({unknown}, NULL)"),
    ] {
        ensure!(
            db.execute("a bad row", &refused).await.is_err(),
            "{refused}"
        );
    }
    let insert = format!("INSERT INTO visit (offer_id) VALUES ({known})");
    db.execute("a visit", &insert).await?;
    let query = "SELECT MAX(number) FROM visit";
    let rows = db.query("the counter", query, &[]).await?;
    // A refused row may have used a number.
    ensure!(rows[0].integer(0)? > VISITS as i64, "{:?}", rows[0]);
    let insert = format!("INSERT INTO offer (id) VALUES ({unknown})");
    db.execute("an offer with the default", &insert).await?;
    let query = "SELECT COUNT(*) FROM offer WHERE title = 'it''s'";
    ensure!(db.query("the default", query, &[]).await?[0].integer(0)? == 1);
    Ok(())
}
