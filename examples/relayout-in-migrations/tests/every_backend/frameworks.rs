//! Each library, with its table of applied migrations.

use anyhow::{Result, anyhow};
use relayout_in_migrations::{Purchase, Report};
use sea_orm_migration::MigratorTraitSelf;
use tokio::runtime::{Builder, Runtime};

/// A library with migrations.
pub(crate) trait Framework: 'static {
    const NAME: &str;

    /// Selects the versions of the migrations that it has applied.
    const APPLIED: &str;

    /// What that query returns after the last migration.
    const VERSIONS: [&str; 3];

    /// Applies the migrations of the release before the change.
    fn migrate_first(url: &str) -> Result<()>;

    /// Applies all.
    fn migrate(url: &str, report: &Report) -> Result<()>;

    /// Reverts the last ones.
    fn revert(url: &str, count: u32) -> Result<()>;

    fn buy(url: &str, purchase: &Purchase) -> Result<()>;

    fn purchases(url: &str) -> Result<Vec<Purchase>>;
}

fn silent() -> Report {
    std::sync::Arc::new(|_| {})
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// The error of an example, which is not `anyhow`'s.
fn outcome<T>(result: relayout_in_migrations::Result<T>) -> Result<T> {
    result.map_err(|error| anyhow!(error))
}

pub(crate) struct Sqlx;

impl Framework for Sqlx {
    const NAME: &str = "sqlx";
    const APPLIED: &str = "SELECT version FROM _sqlx_migrations ORDER BY version";
    const VERSIONS: [&str; 3] = ["1", "2", "3"];

    fn migrate_first(url: &str) -> Result<()> {
        use relayout_in_migrations::sqlx::{BEFORE, migrate_to};
        outcome(runtime()?.block_on(migrate_to(url, BEFORE)))
    }

    fn migrate(url: &str, report: &Report) -> Result<()> {
        let migrated = relayout_in_migrations::sqlx::migrate(url, report);
        outcome(runtime()?.block_on(migrated))
    }

    fn revert(_: &str, _: u32) -> Result<()> {
        Err(anyhow!("its files have no way back"))
    }

    fn buy(url: &str, purchase: &Purchase) -> Result<()> {
        outcome(runtime()?.block_on(relayout_in_migrations::sqlx::buy(url, purchase)))
    }

    fn purchases(url: &str) -> Result<Vec<Purchase>> {
        outcome(runtime()?.block_on(relayout_in_migrations::sqlx::purchases(url)))
    }
}

pub(crate) struct SeaOrm;

impl SeaOrm {
    fn migrator(url: &str) -> Result<relayout_in_migrations::sea_orm::Migrator> {
        Ok(relayout_in_migrations::sea_orm::Migrator {
            address: url.parse()?,
            report: silent(),
        })
    }
}

impl Framework for SeaOrm {
    const NAME: &str = "sea_orm";
    const APPLIED: &str = "SELECT version FROM seaql_migrations ORDER BY version";
    const VERSIONS: [&str; 3] = ["0001_shop", "0002_customer_keys", "0003_payments"];

    fn migrate_first(url: &str) -> Result<()> {
        let migrator = Self::migrator(url)?;
        runtime()?.block_on(async {
            let db = outcome(relayout_in_migrations::sea_orm::connect(url).await)?;
            migrator.up(&db, Some(1)).await?;
            Ok(db.close().await?)
        })
    }

    fn migrate(url: &str, report: &Report) -> Result<()> {
        let migrated = relayout_in_migrations::sea_orm::migrate(url, report);
        outcome(runtime()?.block_on(migrated))
    }

    fn revert(url: &str, count: u32) -> Result<()> {
        let migrator = Self::migrator(url)?;
        runtime()?.block_on(async {
            let db = outcome(relayout_in_migrations::sea_orm::connect(url).await)?;
            migrator.down(&db, Some(count)).await?;
            Ok(db.close().await?)
        })
    }

    fn buy(url: &str, purchase: &Purchase) -> Result<()> {
        outcome(runtime()?.block_on(relayout_in_migrations::sea_orm::buy(url, purchase)))
    }

    fn purchases(url: &str) -> Result<Vec<Purchase>> {
        outcome(runtime()?.block_on(relayout_in_migrations::sea_orm::purchases(url)))
    }
}

pub(crate) struct Diesel;

impl Framework for Diesel {
    const NAME: &str = "diesel";
    const APPLIED: &str = "SELECT version FROM __diesel_schema_migrations ORDER BY version";
    const VERSIONS: [&str; 3] = ["0001", "0002", "0003"];

    fn migrate_first(url: &str) -> Result<()> {
        let migrated = relayout_in_migrations::diesel::migrate_once(url, &silent());
        outcome(migrated)
    }

    fn migrate(url: &str, report: &Report) -> Result<()> {
        outcome(relayout_in_migrations::diesel::migrate(url, report))
    }

    fn revert(url: &str, count: u32) -> Result<()> {
        for _ in 0..count {
            outcome(relayout_in_migrations::diesel::revert(url, &silent()))?;
        }
        Ok(())
    }

    fn buy(url: &str, purchase: &Purchase) -> Result<()> {
        outcome(relayout_in_migrations::diesel::buy(url, purchase))
    }

    fn purchases(url: &str) -> Result<Vec<Purchase>> {
        outcome(relayout_in_migrations::diesel::purchases(url))
    }
}
