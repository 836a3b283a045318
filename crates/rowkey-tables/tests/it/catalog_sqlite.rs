//! What is read about the tables of an SQLite file.

use rowkey_tables::catalog::{
    Catalog, DependentKind, Generated, QualifiedName, ReferentialAction, Table,
};
use rowkey_tables::{Address, Connection};

async fn catalog(sql: &str) -> anyhow::Result<Catalog> {
    let address: Address = "sqlite::memory:".parse()?;
    let mut connection = Connection::open(&address).await?;
    connection.execute("the tables", sql).await?;
    Ok(Catalog::read(&mut connection).await?)
}

fn table<'c>(catalog: &'c Catalog, name: &str) -> &'c Table {
    let name = QualifiedName {
        schema: None,
        name: name.into(),
    };
    catalog.table(&name).unwrap()
}

#[tokio::test]
async fn columns_keys_and_indexes_are_read() -> anyhow::Result<()> {
    let catalog = catalog(
        "CREATE TABLE offer (id BLOB PRIMARY KEY, title TEXT NOT NULL DEFAULT 'none', \
         code TEXT UNIQUE, day TEXT, length INT GENERATED ALWAYS AS (length(title)) STORED, \
         UNIQUE (day, code));
         CREATE INDEX by_title ON offer (title);
         CREATE INDEX by_day ON offer (day DESC);
         CREATE UNIQUE INDEX by_length ON offer (length) WHERE day IS NOT NULL;
         CREATE INDEX by_case ON offer (lower(title), day);
         CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
         CREATE TABLE alias (id INTEGER PRIMARY KEY);
         CREATE TABLE \"odd.name\" (a TEXT, b BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID;",
    )
    .await?;
    let offer = table(&catalog, "offer");
    let columns: Vec<_> = offer
        .columns
        .iter()
        .map(|column| {
            let default = column.default.as_deref();
            let name = column.name.as_str();
            (name, column.is_nullable, default, column.generated)
        })
        .collect();
    assert_eq!(
        columns,
        [
            // SQLite allows NULL in such a key.
            ("id", true, None, Generated::No),
            ("title", false, Some("'none'"), Generated::No),
            ("code", true, None, Generated::No),
            ("day", true, None, Generated::No),
            ("length", true, None, Generated::Computed),
        ]
    );
    let keys: Vec<_> = offer
        .keys
        .iter()
        .map(|key| (joined(&key.columns), key.is_primary))
        .collect();
    assert_eq!(
        keys,
        [
            ("id".into(), true),
            ("code".into(), false),
            ("day,code".into(), false)
        ]
    );
    let indexes: Vec<_> = offer
        .indexes
        .iter()
        .map(|index| {
            let columns = joined(&index.columns);
            (
                index.name.as_str(),
                columns,
                index.is_unique,
                index.is_plain,
            )
        })
        .collect();
    assert_eq!(
        indexes,
        [
            ("by_title", "title".into(), false, true),
            ("by_day", "day".into(), false, false),
            ("by_length", "length".into(), true, false),
            ("by_case", "day".into(), false, false),
        ]
    );
    assert_eq!(
        table(&catalog, "counted").columns[0].generated,
        Generated::AutoIncrement
    );
    assert!(!table(&catalog, "alias").columns[0].is_nullable);
    assert_eq!(
        table(&catalog, "odd.name").primary_key().unwrap().columns,
        ["b", "a"]
    );
    Ok(())
}

fn joined(names: &[String]) -> String {
    names.join(",")
}

#[tokio::test]
async fn references_have_the_names_of_the_definitions() -> anyhow::Result<()> {
    let catalog = catalog(
        "CREATE TABLE Offer (Id BLOB PRIMARY KEY, other REFERENCES offer);
         CREATE TABLE line (a REFERENCES OFFER(ID) ON DELETE CASCADE ON UPDATE SET NULL, \
         b BLOB, c TEXT, FOREIGN KEY (b, c) REFERENCES missing (x, y));",
    )
    .await?;
    let own = &table(&catalog, "Offer").foreign_keys[0];
    assert_eq!(own.target.name, "Offer");
    assert_eq!(own.target_columns, ["Id"]);
    let keys = &table(&catalog, "line").foreign_keys;
    assert_eq!(keys[0].target.name, "missing");
    assert_eq!(keys[0].columns, ["b", "c"]);
    assert_eq!(keys[0].target_columns, ["x", "y"]);
    assert_eq!(keys[1].target_columns, ["Id"]);
    assert_eq!(
        [keys[1].on_delete, keys[1].on_update],
        [ReferentialAction::Cascade, ReferentialAction::SetNull]
    );
    assert_eq!(
        catalog.references_to(&table(&catalog, "Offer").name).len(),
        2
    );
    Ok(())
}

#[tokio::test]
async fn views_and_triggers_hang_on_the_tables_that_they_use() -> anyhow::Result<()> {
    let catalog = catalog(
        "CREATE TABLE offer (id BLOB PRIMARY KEY, title TEXT);
         CREATE TABLE log (entry TEXT);
         CREATE VIEW everything AS SELECT * FROM OFFER;
         CREATE VIEW keys AS SELECT id FROM everything;
         CREATE TRIGGER noted AFTER INSERT ON offer BEGIN \
         INSERT INTO log VALUES (new.\"ID\"); END;
         CREATE TRIGGER elsewhere AFTER INSERT ON log BEGIN \
         UPDATE [offer] SET title = new.entry; END;
         CREATE TRIGGER instead INSTEAD OF INSERT ON everything BEGIN SELECT 1; END;",
    )
    .await?;
    let found: Vec<_> = table(&catalog, "offer")
        .dependents
        .iter()
        .map(|dependent| {
            let columns = joined(&dependent.columns);
            (dependent.kind, dependent.name.as_str(), columns)
        })
        .collect();
    assert_eq!(
        found,
        [
            (DependentKind::View, "everything", String::new()),
            (DependentKind::View, "keys", "id".into()),
            (DependentKind::Trigger, "elsewhere", "title".into()),
            (DependentKind::Trigger, "instead", String::new()),
            (DependentKind::Trigger, "noted", "id".into()),
        ]
    );
    let on_log: Vec<_> = table(&catalog, "log")
        .dependents
        .iter()
        .map(|dependent| dependent.name.as_str())
        .collect();
    assert_eq!(on_log, ["elsewhere", "noted"]);
    Ok(())
}

#[tokio::test]
async fn what_its_module_stores_is_said_to_be_unseen() -> anyhow::Result<()> {
    let catalog = catalog("CREATE VIRTUAL TABLE words USING fts5(word);").await?;
    assert!(catalog.tables.is_empty());
    assert_eq!(
        catalog.unseen,
        ["words is a virtual table: what it contains is up to its module"]
    );
    Ok(())
}

#[tokio::test]
async fn the_number_of_rows_is_that_of_the_last_analysis() -> anyhow::Result<()> {
    let catalog = catalog(
        "CREATE TABLE offer (id BLOB PRIMARY KEY); \
         INSERT INTO offer VALUES (X'01'), (X'02'); ANALYZE; CREATE TABLE later (id);",
    )
    .await?;
    assert_eq!(table(&catalog, "offer").estimated_rows, Some(2));
    assert_eq!(table(&catalog, "later").estimated_rows, None);
    Ok(())
}
