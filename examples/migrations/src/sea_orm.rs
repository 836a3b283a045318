//! SeaORM, with the statements of the folders of the databases.

use async_trait::async_trait;
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

// ANCHOR: migrator
/// The tables in PostgreSQL, MySQL, MariaDB and SQLite.
#[derive(Debug)]
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(sql_files!("0001_customers")),
            Box::new(sql_files!("0002_invoices")),
            Box::new(sql_files!("0003_creation_identifiers")),
            Box::new(sql_files!("0004_key_blocks")),
        ]
    }
}
// ANCHOR_END: migrator

/// A migration whose statements are in files.
struct SqlFiles {
    name: &'static str,
    postgres: [&'static str; 2],
    /// MariaDB, too: SeaORM does not tell the two apart.
    mysql: [&'static str; 2],
    sqlite: [&'static str; 2],
}

impl SqlFiles {
    async fn run(&self, manager: &SchemaManager<'_>, direction: usize) -> Result<(), DbErr> {
        let files = match manager.get_database_backend() {
            DbBackend::Postgres => self.postgres,
            DbBackend::MySql => self.mysql,
            DbBackend::Sqlite => self.sqlite,
            other => return Err(DbErr::Migration(format!("no files for {other:?}"))),
        };
        let connection = manager.get_connection();
        connection.execute_unprepared(files[direction]).await?;
        Ok(())
    }
}

impl MigrationName for SqlFiles {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait]
#[expect(
    elided_lifetimes_in_paths,
    reason = "as async_trait and the trait want it"
)]
impl MigrationTrait for SqlFiles {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        self.run(manager, 0).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        self.run(manager, 1).await
    }

    /// In SQLite, too, where SeaORM would not use one.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

macro_rules! sql_files {
    ($name:literal) => {
        SqlFiles {
            name: $name,
            postgres: sql_files!("postgres", $name),
            mysql: sql_files!("mysql", $name),
            sqlite: sql_files!("sqlite", $name),
        }
    };
    ($database:literal, $name:literal) => {
        [
            include_str!(concat!(
                "../../../migrations/",
                $database,
                "/",
                $name,
                ".up.sql"
            )),
            include_str!(concat!(
                "../../../migrations/",
                $database,
                "/",
                $name,
                ".down.sql"
            )),
        ]
    };
}
use sql_files;
