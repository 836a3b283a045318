//! Each way to apply the migrations.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};
use rowkey_testkit::{Backend, TestDatabase, test_name};
use sea_orm_migration::MigratorTrait;
use sea_orm_migration::sea_orm;
use sqlx::migrate::Migrator;
use sqlx::{Connection, MySqlConnection, PgConnection, SqliteConnection};

use crate::database::{Database, tiberius_client};

/// A way to apply the migrations.
pub(crate) trait Tool: 'static {
    const NAME: &str;

    /// Whether it knows which ones have been applied.
    const REMEMBERS: bool = true;

    /// Applies those that are missing.
    async fn apply(database: &TestDatabase) -> Result<()>;

    /// Reverts the last ones.
    async fn revert(database: &TestDatabase, count: usize) -> Result<()>;
}

/// The files as they are, as a database's own client takes them.
pub(crate) struct PlainSql;

impl PlainSql {
    /// The contents of the files of one direction, in their order.
    fn files(backend: Backend, suffix: &str) -> Result<Vec<String>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
        let folder = folder.join(test_name(backend));
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths: Vec<_> = paths.collect::<Result<_>>()?;
        paths.retain(|path| path.to_string_lossy().ends_with(suffix));
        paths.sort();
        paths
            .iter()
            .map(|path| Ok(fs::read_to_string(path)?))
            .collect()
    }
}

impl Tool for PlainSql {
    const NAME: &str = "plain_sql";
    const REMEMBERS: bool = false;

    /// The missing ones are those whose tables are missing.
    async fn apply(test: &TestDatabase) -> Result<()> {
        let database = Database::open(test).await?;
        let applied = database.tables().await?.len();
        for file in Self::files(test.backend(), ".up.sql")?.iter().skip(applied) {
            database.execute(file).await?;
        }
        Ok(())
    }

    async fn revert(test: &TestDatabase, count: usize) -> Result<()> {
        let database = Database::open(test).await?;
        let files = Self::files(test.backend(), ".down.sql")?;
        for file in files.iter().rev().take(count) {
            database.execute(file).await?;
        }
        Ok(())
    }
}

pub(crate) struct Sqlx;

impl Sqlx {
    fn migrator(backend: Backend) -> Result<&'static Migrator> {
        use migrations::sqlx::{MARIADB, MYSQL, POSTGRES, SQLITE};
        match backend {
            Backend::Postgres => Ok(&POSTGRES),
            Backend::MySql => Ok(&MYSQL),
            Backend::MariaDb => Ok(&MARIADB),
            Backend::Sqlite => Ok(&SQLITE),
            other => bail!("sqlx has no driver for {other}"),
        }
    }
}

/// Calls a method of a migrator with a connection.
macro_rules! with_sqlx {
    ($database:ident, $method:ident $(, $argument:expr)?) => {{
        let migrator = Sqlx::migrator($database.backend())?;
        let url = $database.url();
        match $database.backend() {
            Backend::Postgres => {
                let db = &mut PgConnection::connect(url).await?;
                migrator.$method(db $(, $argument)?).await?
            }
            Backend::Sqlite => {
                let db = &mut SqliteConnection::connect(url).await?;
                migrator.$method(db $(, $argument)?).await?
            }
            _ => {
                let db = &mut MySqlConnection::connect(url).await?;
                migrator.$method(db $(, $argument)?).await?
            }
        }
    }};
}

impl Tool for Sqlx {
    const NAME: &str = "sqlx";

    async fn apply(database: &TestDatabase) -> Result<()> {
        with_sqlx!(database, run);
        Ok(())
    }

    async fn revert(database: &TestDatabase, count: usize) -> Result<()> {
        let migrator = Self::migrator(database.backend())?;
        let up = migrator.iter();
        let up = up.filter(|migration| migration.migration_type.is_up_migration());
        // Zero comes before the first one.
        let target = up.rev().nth(count).map_or(0, |migration| migration.version);
        with_sqlx!(database, undo, target);
        Ok(())
    }
}

pub(crate) struct SeaOrm;

impl Tool for SeaOrm {
    const NAME: &str = "sea_orm";

    async fn apply(database: &TestDatabase) -> Result<()> {
        let db = sea_orm::Database::connect(database.url()).await?;
        migrations::sea_orm::Migrator::up(&db, None).await?;
        Ok(db.close().await?)
    }

    async fn revert(database: &TestDatabase, count: usize) -> Result<()> {
        let db = sea_orm::Database::connect(database.url()).await?;
        let steps = count.try_into()?;
        migrations::sea_orm::Migrator::down(&db, Some(steps)).await?;
        Ok(db.close().await?)
    }
}

pub(crate) struct Diesel;

impl Tool for Diesel {
    const NAME: &str = "diesel";

    async fn apply(database: &TestDatabase) -> Result<()> {
        with_diesel(database, None)
    }

    async fn revert(database: &TestDatabase, count: usize) -> Result<()> {
        with_diesel(database, Some(count))
    }
}

/// Applies the missing migrations, or reverts the last ones.
fn with_diesel(database: &TestDatabase, reverted: Option<usize>) -> Result<()> {
    use diesel::Connection;
    use migrations::diesel::SQLITE;
    match database.backend() {
        #[cfg(feature = "diesel-postgres")]
        Backend::Postgres => {
            let db = &mut diesel::PgConnection::establish(database.url())?;
            change(db, || migrations::diesel::POSTGRES, reverted)
        }
        #[cfg(feature = "diesel-mysql")]
        backend @ (Backend::MySql | Backend::MariaDb) => {
            // Diesel spells this parameter differently.
            let url = database.url().replace("ssl-mode=", "ssl_mode=");
            let db = &mut diesel::MysqlConnection::establish(&url)?;
            match backend {
                Backend::MySql => change(db, || migrations::diesel::MYSQL, reverted),
                _ => change(db, || migrations::diesel::MARIADB, reverted),
            }
        }
        Backend::Sqlite => {
            let url = database.url().trim_start_matches("sqlite://");
            let url = url.trim_end_matches("?mode=rwc");
            let db = &mut diesel::SqliteConnection::establish(url)?;
            change(db, || SQLITE, reverted)
        }
        other => bail!("this was built without Diesel's driver for {other}"),
    }
}

fn change<DB: diesel::backend::Backend>(
    db: &mut impl MigrationHarness<DB>,
    migrations: fn() -> EmbeddedMigrations,
    reverted: Option<usize>,
) -> Result<()> {
    let failed = |error| anyhow!("Diesel: {error}");
    match reverted {
        None => {
            db.run_pending_migrations(migrations()).map_err(failed)?;
        }
        Some(count) => {
            for _ in 0..count {
                db.revert_last_migration(migrations()).map_err(failed)?;
            }
        }
    }
    Ok(())
}

pub(crate) struct Refinery;

impl Tool for Refinery {
    const NAME: &str = "refinery";

    async fn apply(database: &TestDatabase) -> Result<()> {
        let mut client = tiberius_client(database.url()).await?;
        migrations::refinery::apply(&mut client).await?;
        Ok(())
    }

    /// By hand, because refinery has no way back.
    async fn revert(test: &TestDatabase, count: usize) -> Result<()> {
        PlainSql::revert(test, count).await?;
        let database = Database::open(test).await?;
        for _ in 0..count {
            database
                .execute(
                    "DELETE FROM refinery_schema_history \
                     WHERE version = (SELECT MAX(version) FROM refinery_schema_history)",
                )
                .await?;
        }
        Ok(())
    }
}
