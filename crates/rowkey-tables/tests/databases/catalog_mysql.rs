//! What the catalogue of MySQL and MariaDB says about tables of every kind.

use anyhow::{Context as _, Result, ensure};
use rowkey_core::Backend;
use rowkey_tables::catalog::{
    Catalog, DependentKind, Generated, QualifiedName, ReferentialAction, Table,
};
use rowkey_tables::{Address, Connection};
use rowkey_testkit::{Suite, TestDatabase};

pub(crate) fn add_tests(suite: &mut Suite) {
    let both = [Backend::MySql, Backend::MariaDb];
    suite.test("tables_are_read_as_they_were_made", both, |database| {
        blocking(tables_are_read_as_they_were_made(database))
    });
    suite.test("what_hangs_on_a_table_is_named", both, |database| {
        blocking(what_hangs_on_a_table_is_named(database))
    });
    let name = "what_other_databases_say_of_this_one_counts";
    suite.test(name, both, |database| blocking(other_database(database)));
    suite.test("the_hash_tells_changes_of_definitions", both, |database| {
        blocking(the_hash_tells_changes_of_definitions(database))
    });
    let name = "checks_and_computed_columns_are_named";
    suite.test_on(Backend::MariaDb, name, |database| {
        blocking(checks_and_computed_columns_are_named(database))
    });
}

fn blocking(test: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(test)
}

async fn open(database: &TestDatabase, statements: &[&str]) -> Result<Connection> {
    let address: Address = database.url().parse()?;
    let mut connection = Connection::open(&address).await?;
    for statement in statements {
        connection.execute(statement, statement).await?;
    }
    Ok(connection)
}

fn table<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Table> {
    Ok(catalog.table(&name.into())?)
}

async fn tables_are_read_as_they_were_made(database: &TestDatabase) -> Result<()> {
    let mut connection = open(
        database,
        &[
            "CREATE TABLE shop (id BINARY(16) NOT NULL PRIMARY KEY COMMENT 'the key''s comment', \
             code VARCHAR(20) CHARACTER SET latin1 NOT NULL DEFAULT 'a''b', n INT NULL, \
             seen TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, \
             number BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
             UNIQUE KEY number (number), UNIQUE KEY code (code), \
             UNIQUE KEY beginning (code(5)), KEY n (n, code)) ENGINE=InnoDB",
            "CREATE TABLE sale (shop_id BINARY(16) NOT NULL, n INT NOT NULL, code VARCHAR(20) \
             CHARACTER SET latin1 NULL, PRIMARY KEY (shop_id, n), \
             CONSTRAINT of_shop FOREIGN KEY (shop_id) REFERENCES shop (id) \
             ON DELETE CASCADE ON UPDATE CASCADE, \
             FOREIGN KEY (code) REFERENCES shop (code) ON DELETE SET NULL) ENGINE=InnoDB",
        ],
    )
    .await?;
    let catalog = Catalog::read(&mut connection).await?;
    ensure!(catalog.backend == database.backend());
    ensure!(catalog.unseen.is_empty(), "{:?}", catalog.unseen);
    let shop = table(&catalog, "shop")?;
    ensure!(shop.engine() == "InnoDB", "{}", shop.engine());
    let names = shop.columns.iter().map(|column| column.name.as_str());
    let names: Vec<&str> = names.collect();
    ensure!(names == ["id", "code", "n", "seen", "number"], "{names:?}");
    let column = |name| shop.column(name).context("a column");
    let id = column("id")?;
    ensure!(id.sql_type == "binary(16)" && !id.is_nullable, "{id:?}");
    ensure!(id.default.is_none(), "{id:?}");
    ensure!(id.comment.as_deref() == Some("the key's comment"), "{id:?}");
    let code = column("code")?;
    ensure!(code.default.as_deref() == Some("'a''b'"), "{code:?}");
    let collation = code.collation.as_deref();
    ensure!(collation == Some("latin1_swedish_ci"), "{code:?}");
    ensure!(column("n")?.is_nullable && column("n")?.default.is_none());
    ensure!(column("seen")?.generated == Generated::OnUpdate);
    ensure!(column("number")?.generated == Generated::AutoIncrement);
    let key = shop.primary_key().context("the primary key")?;
    ensure!(key.columns == ["id"], "{key:?}");
    let mut keys: Vec<&str> = shop.keys.iter().map(|key| key.name.as_str()).collect();
    keys.sort_unstable();
    ensure!(keys == ["PRIMARY", "code", "number"], "{keys:?}");
    let indexes = shop.indexes.iter();
    let indexes: Vec<(&str, bool, bool)> = indexes
        .map(|index| (index.definition.as_str(), index.is_unique, index.is_plain))
        .collect();
    let expected = [
        ("UNIQUE KEY beginning (code(5))", true, false),
        ("KEY n (n, code)", false, true),
    ];
    ensure!(indexes == expected, "{indexes:?}");
    let sale = table(&catalog, "sale")?;
    let of_shop = sale.foreign_keys.iter().find(|key| key.name == "of_shop");
    let of_shop = of_shop.context("the foreign key")?;
    ensure!(of_shop.target == "shop".into() && of_shop.target_columns == ["id"]);
    ensure!([of_shop.on_delete, of_shop.on_update] == [ReferentialAction::Cascade; 2]);
    ensure!(catalog.references_to(&"shop".into()).len() == 2);
    Ok(())
}

async fn what_hangs_on_a_table_is_named(database: &TestDatabase) -> Result<()> {
    let mut connection = open(
        database,
        &[
            "CREATE TABLE shop (id BINARY(16) NOT NULL, n INT NOT NULL, PRIMARY KEY (id, n)) \
             ENGINE=InnoDB PARTITION BY HASH (n) PARTITIONS 2",
            "CREATE TABLE log (n INT) ENGINE=InnoDB",
            "CREATE VIEW shops AS SELECT s.id FROM shop s",
            "CREATE TRIGGER shop_log AFTER INSERT ON shop FOR EACH ROW \
             INSERT INTO log VALUES (NEW.n)",
            "CREATE PROCEDURE clean() DELETE FROM shop WHERE n < 0",
            "CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DISABLE \
             DO DELETE FROM `SHOP` WHERE n > 9",
        ],
    )
    .await?;
    let catalog = Catalog::read(&mut connection).await?;
    let shop = table(&catalog, "shop")?;
    let dependents = shop.dependents.iter();
    let found: Vec<(&str, &str, &[String])> = dependents
        .map(|found| (found.kind.name(), found.name.as_str(), &found.columns[..]))
        .collect();
    let (n, id) = ([String::from("n")], [String::from("id")]);
    let expected = [
        ("event", "nightly", &n[..]),
        ("partition", "HASH", &n),
        ("routine", "clean", &n),
        ("trigger", "shop_log", &n),
        ("view", "shops", &id),
    ];
    ensure!(found == expected, "{found:?}");
    // The log is named by the trigger of another table.
    let log = table(&catalog, "log")?;
    ensure!(log.dependents.len() == 1 && log.dependents[0].name == "shop_log");
    Ok(())
}

async fn other_database(database: &TestDatabase) -> Result<()> {
    let create = "CREATE TABLE shop (id BINARY(16) NOT NULL PRIMARY KEY, n INT) ENGINE=InnoDB";
    let mut connection = open(database, &[create]).await?;
    let rows = connection.query("a name", "SELECT DATABASE()", &[]).await?;
    let own = rows.first().context("a name")?.text(0)?.to_owned();
    let other = format!("{own}-ö");
    let statements = [
        format!("CREATE DATABASE `{other}`"),
        format!("CREATE PROCEDURE `{other}`.cleans_its_own() DELETE FROM shop WHERE n < 0"),
        format!("CREATE PROCEDURE `{other}`.cleans_this() DELETE FROM {own}.shop WHERE n < 0"),
        format!(
            "CREATE TABLE `{other}`.`of/ä` (id INT PRIMARY KEY, shop_id BINARY(16), \
             FOREIGN KEY (shop_id) REFERENCES {own}.shop (id)) ENGINE=InnoDB"
        ),
    ];
    let mut outcome = Ok(0);
    for statement in &statements {
        outcome = outcome.and(connection.execute(statement, statement).await);
    }
    let catalog = Catalog::read(&mut connection).await;
    let drop = format!("DROP DATABASE IF EXISTS `{other}`");
    connection.execute("the other database", &drop).await?;
    outcome?;
    let catalog = catalog?;
    let dependents = &table(&catalog, "shop")?.dependents;
    let names: Vec<&str> = dependents.iter().map(|one| one.name.as_str()).collect();
    ensure!(names == [format!("{other}.cleans_this")], "{names:?}");
    let references = catalog.references_to(&"shop".into());
    let names: Vec<_> = references.iter().map(|(table, _)| &table.name).collect();
    let (schema, name) = (Some(other), "of/ä".to_owned());
    ensure!(names == [&QualifiedName { schema, name }], "{names:?}");
    Ok(())
}

async fn the_hash_tells_changes_of_definitions(database: &TestDatabase) -> Result<()> {
    let create = "CREATE TABLE shop (id BINARY(16) NOT NULL PRIMARY KEY, n INT) ENGINE=InnoDB";
    let mut connection = open(database, &[create]).await?;
    let mut hashes = Vec::new();
    for statement in [
        "SELECT 1",
        "INSERT INTO shop VALUES (UNHEX(REPEAT('a1', 16)), 1)",
        "ALTER TABLE shop ADD KEY n (n)",
        "ALTER TABLE shop MODIFY n INT COMMENT 'c'",
        "CREATE TRIGGER t BEFORE INSERT ON shop FOR EACH ROW SET NEW.n = 1",
    ] {
        connection.execute(statement, statement).await?;
        hashes.push(Catalog::read(&mut connection).await?.hash(&["shop".into()]));
    }
    ensure!(hashes[0] == hashes[1], "rows do not count");
    hashes.dedup();
    ensure!(hashes.len() == 4, "{hashes:?}");
    Ok(())
}

async fn checks_and_computed_columns_are_named(database: &TestDatabase) -> Result<()> {
    let create = "CREATE TABLE shop (id BINARY(16) NOT NULL PRIMARY KEY, n INT CHECK (n > 0), \
                  start BINARY(2) AS (LEFT(id, 2)) STORED, \
                  CONSTRAINT whole CHECK (LENGTH(id) = 16))";
    let mut connection = open(database, &[create]).await?;
    let catalog = Catalog::read(&mut connection).await?;
    let shop = table(&catalog, "shop")?;
    let columns = |kind| {
        let dependents = shop.dependents.iter();
        let of_kind = dependents.filter(move |dependent| dependent.kind == kind);
        of_kind.map(|dependent| &dependent.columns[..]).collect()
    };
    let checks: Vec<&[String]> = columns(DependentKind::Check);
    ensure!(checks == [["n"], ["id"]], "{checks:?}");
    let generated: Vec<&[String]> = columns(DependentKind::GeneratedColumn);
    ensure!(generated == [["id"]], "{generated:?}");
    Ok(())
}
