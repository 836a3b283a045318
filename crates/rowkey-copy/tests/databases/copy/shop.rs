//! A shop with offers, whose keys are ids as text, and visits with a value of every kind.

use anyhow::{Result, ensure};
use rowkey_core::UuidV7;
use rowkey_core::format::FormatKind;
use rowkey_core::generate::Generate;
use rowkey_core::storage::StoragePlan;
use rowkey_tables::Connection;
use rowkey_testkit::Backend;

use crate::copy::open;
use crate::copy::values::{
    Content, all_columns, check, literal, narrow_columns, shown, sql_type, value,
};

/// How many offers there are.
pub(crate) const OFFERS: usize = 200;
/// How many visits there are.
pub(crate) const VISITS: usize = 300;

/// What was made.
pub(crate) struct Shop {
    /// The public ids of the offers, in their order.
    pub(crate) ids: Vec<UuidV7>,
    columns: Vec<(&'static str, Content)>,
}

fn id_type(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "varchar(36)",
        Backend::Sqlite => "TEXT",
        Backend::SqlServer => "uniqueidentifier",
        _ => "char(36) CHARACTER SET ascii COLLATE ascii_bin",
    }
}

/// An id as text, but in SQL Server's own type and in its own layout.
fn literal_of(backend: Backend, id: &UuidV7) -> String {
    match backend {
        Backend::SqlServer => {
            let column = StoragePlan::default_for(FormatKind::UuidV7).column(backend);
            column.literal(id.to_uuid().as_u128())
        }
        _ => format!("'{id}'"),
    }
}

fn tables(backend: Backend, columns: &[(&str, Content)]) -> [String; 4] {
    let (key, counted, set) = match backend {
        Backend::Postgres => (id_type(backend), "bigserial PRIMARY KEY", ""),
        Backend::Sqlite => (id_type(backend), "INTEGER PRIMARY KEY AUTOINCREMENT", ""),
        Backend::SqlServer => (id_type(backend), "bigint IDENTITY PRIMARY KEY", ""),
        _ => (
            id_type(backend),
            "bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY",
            " ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin ROW_FORMAT = DYNAMIC",
        ),
    };
    let columns = columns.iter();
    let columns = columns.map(|(name, content)| format!("{name} {}", sql_type(backend, *content)));
    let columns: Vec<String> = columns.collect();
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
pub(crate) async fn create(source: &str, target: &str) -> Result<Shop> {
    create_with(source, target, VISITS).await
}

/// Makes the tables with so many visits.
pub(crate) async fn create_with(source: &str, target: &str, visits: usize) -> Result<Shop> {
    let mut db = open(source).await?;
    let backend = db.backend();
    let columns = match [backend, open(target).await?.backend()].contains(&Backend::SqlServer) {
        true => narrow_columns(),
        false => all_columns(),
    };
    for statement in tables(backend, &columns) {
        db.execute("the tables", &statement).await?;
    }
    let shop = Shop {
        ids: (0..OFFERS).map(|_| UuidV7::generate()).collect(),
        columns,
    };
    let (begin, before) = match backend {
        Backend::SqlServer => ("BEGIN TRANSACTION", "SET IDENTITY_INSERT visit ON; "),
        _ => ("BEGIN", ""),
    };
    db.execute("a transaction", begin).await?;
    for (number, id) in shop.ids.iter().enumerate() {
        let id = literal_of(backend, id);
        let insert = format!("INSERT INTO offer (id, title) VALUES ({id}, 'Offer {number}')");
        db.execute("an offer", &insert).await?;
    }
    let names: Vec<&str> = shop.columns.iter().map(|(name, _)| *name).collect();
    let rows: Vec<String> = (0..visits).map(|row| shop.visit(backend, row)).collect();
    for rows in rows.chunks(PER_STATEMENT) {
        let insert = format!(
            "{before}INSERT INTO visit (number, offer_id, {}) VALUES {}",
            names.join(", "),
            rows.join(", ")
        );
        db.execute("some visits", &insert).await?;
    }
    db.execute("a transaction", "COMMIT").await?;
    Ok(shop)
}

impl Shop {
    /// A visit as a list of literals.
    fn visit(&self, backend: Backend, row: usize) -> String {
        let literals = self
            .columns
            .iter()
            .map(|(_, content)| match value(*content, row) {
                Some(value) => literal(backend, *content, &value),
                None => "NULL".into(),
            });
        let literals: Vec<String> = literals.collect();
        let offer = match row % 3 {
            0 => "NULL".into(),
            _ => literal_of(backend, &self.ids[row % OFFERS]),
        };
        format!("({}, {offer}, {})", row + 1, literals.join(", "))
    }
}

/// Every value is in the target, as its server shows it.
pub(crate) async fn check_rows(db: &mut Connection, shop: &Shop) -> Result<()> {
    check_rows_with(db, shop, VISITS).await
}

/// The same for so many visits.
pub(crate) async fn check_rows_with(db: &mut Connection, shop: &Shop, visits: usize) -> Result<()> {
    let backend = db.backend();
    for (name, content) in shop.columns.iter().copied() {
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
    for (number, id) in shop.ids.iter().enumerate() {
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
pub(crate) async fn check_constraints(db: &mut Connection, shop: &Shop) -> Result<()> {
    let column = StoragePlan::default_for(FormatKind::UuidV7).column(db.backend());
    let (known, unknown) = (shop.ids[0], UuidV7::generate());
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
