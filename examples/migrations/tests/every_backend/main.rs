//! Applies the migrations, reverts them and applies them again, with each tool on every available
//! database.
//!
//! A test is called `<backend>::<tool>::<scenario>`; see [`rowkey_testkit`].

mod database;
mod tools;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, Suite, TestDatabase};

use crate::database::Database;
use crate::tools::{Diesel, PlainSql, Refinery, SeaOrm, Sqlx, Tool};

const ALL_BUT_SQL_SERVER: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

/// In the order in which they are made.
const TABLES: [&str; 4] = [
    "customers",
    "invoices",
    "creation_identifiers",
    "key_blocks",
];

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    add::<PlainSql>(&mut suite, Backend::ALL);
    add::<Sqlx>(&mut suite, ALL_BUT_SQL_SERVER);
    add::<SeaOrm>(&mut suite, ALL_BUT_SQL_SERVER);
    add::<Refinery>(&mut suite, [Backend::SqlServer]);
    add::<Diesel>(&mut suite, [Backend::Sqlite]);
    let with_libpq = [Backend::Postgres];
    if cfg!(feature = "diesel-postgres") {
        add::<Diesel>(&mut suite, with_libpq);
    } else {
        let reason = "built without the feature diesel-postgres, which needs libpq";
        suite.left_out("diesel", with_libpq, reason);
    }
    let with_libmysqlclient = [Backend::MySql, Backend::MariaDb];
    if cfg!(feature = "diesel-mysql") {
        add::<Diesel>(&mut suite, with_libmysqlclient);
    } else {
        let reason =
            "built without the feature diesel-mysql, which needs libmariadb or libmysqlclient";
        suite.left_out("diesel", with_libmysqlclient, reason);
    }
    Ok(suite.run())
}

fn add<T: Tool>(suite: &mut Suite, backends: impl IntoIterator<Item = Backend>) {
    let name = format!("{}::tables_are_made_taken_back_and_made_again", T::NAME);
    suite.test(&name, backends, |database: &TestDatabase| {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(tables_are_made_taken_back_and_made_again::<T>(database))
    });
}

async fn tables_are_made_taken_back_and_made_again<T: Tool>(test: &TestDatabase) -> Result<()> {
    let database = Database::open(test).await?;
    T::apply(test).await?;
    database.has(&TABLES).await?;
    let columns = database.columns().await?;
    database.store_an_invoice().await?;

    T::revert(test, 1).await?;
    database.has(&TABLES[..3]).await?;
    T::apply(test).await?;
    database.has(&TABLES).await?;

    if T::REMEMBERS {
        // There is nothing to do, and nothing is lost.
        T::apply(test).await?;
        ensure!(database.invoices().await? == 1);
    }

    T::revert(test, TABLES.len()).await?;
    database.has(&[]).await?;
    T::apply(test).await?;
    database.has(&TABLES).await?;
    ensure!(database.columns().await? == columns);
    ensure!(database.invoices().await? == 0);
    database.store_an_invoice().await?;

    // The tables are those that the files say.
    T::revert(test, TABLES.len()).await?;
    PlainSql::apply(test).await?;
    ensure!(database.columns().await? == columns);
    Ok(())
}
