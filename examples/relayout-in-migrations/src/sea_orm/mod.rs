//! SeaORM, whose migrations are Rust: the change is one of them.

mod entities;

use async_trait::async_trait;
use rowkey_relayout::Address;
use sea_orm::ActiveValue::Set;
use sea_orm::{ConnectOptions, Database, DatabaseConnection};
use sea_orm_migration::MigratorTraitSelf;
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{self, DbBackend, EntityTrait, QueryOrder};

use self::entities::{customer, order, payment};
use crate::{Purchase, Report, Result, customer_keys};

/// The migrations, of which one connects by itself.
pub struct Migrator {
    /// The address of the database.
    pub address: Address,
    /// Hears how far the change is.
    pub report: Report,
}

impl MigratorTraitSelf for Migrator {
    fn migrations(&self) -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(sql_file!("0001_shop")),
            Box::new(CustomerKeys {
                address: self.address.clone(),
                report: self.report.clone(),
            }),
            Box::new(sql_file!("0003_payments")),
        ]
    }
}

/// The change of the key, as a migration.
struct CustomerKeys {
    address: Address,
    report: Report,
}

impl MigrationName for CustomerKeys {
    fn name(&self) -> &str {
        "0002_customer_keys"
    }
}

#[async_trait]
#[expect(
    elided_lifetimes_in_paths,
    reason = "as async_trait and the trait want it"
)]
impl MigrationTrait for CustomerKeys {
    async fn up(&self, _: &SchemaManager) -> std::result::Result<(), DbErr> {
        let changed = customer_keys::change(&self.address, &self.report).await;
        changed.map_err(|error| DbErr::Migration(error.to_string()))
    }

    async fn down(&self, _: &SchemaManager) -> std::result::Result<(), DbErr> {
        let undone = customer_keys::undo(&self.address, &self.report).await;
        undone.map_err(|error| DbErr::Migration(error.to_string()))
    }

    /// The change commits in between, on a connection of its own.
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

/// Connects, and applies what is missing.
///
/// # Errors
///
/// A migration fails. Another call goes on.
pub async fn migrate(url: &str, report: &Report) -> Result<()> {
    let migrator = Migrator {
        address: url.parse()?,
        report: report.clone(),
    };
    let db = connect(url).await?;
    migrator.up(&db, None).await?;
    Ok(db.close().await?)
}

/// Connects to a database.
///
/// # Errors
///
/// Those of SeaORM.
pub async fn connect(url: &str) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(url);
    options.sqlx_logging(false);
    Ok(Database::connect(options).await?)
}

/// Stores a purchase of a new customer.
///
/// # Errors
///
/// Those of SeaORM.
pub async fn buy(url: &str, purchase: &Purchase) -> Result<()> {
    let db = connect(url).await?;
    let customer = customer::ActiveModel {
        id: Set(purchase.customer),
        name: Set(purchase.name.clone()),
    };
    customer::Entity::insert(customer)
        .exec_without_returning(&db)
        .await?;
    let order = order::ActiveModel {
        number: Set(purchase.number),
        customer_id: Set(purchase.customer),
        cents: Set(purchase.cents),
    };
    order::Entity::insert(order)
        .exec_without_returning(&db)
        .await?;
    let payment = payment::ActiveModel {
        number: Set(purchase.number),
        customer_id: Set(purchase.customer),
        cents: Set(purchase.cents),
    };
    payment::Entity::insert(payment)
        .exec_without_returning(&db)
        .await?;
    Ok(db.close().await?)
}

/// All purchases, by their numbers.
///
/// # Errors
///
/// Those of SeaORM.
pub async fn purchases(url: &str) -> Result<Vec<Purchase>> {
    let db = connect(url).await?;
    let rows = order::Entity::find()
        .find_both_related(customer::Entity)
        .order_by_asc(order::Column::Number)
        .all(&db)
        .await?;
    db.close().await?;
    let purchase = |(order, customer): (order::Model, customer::Model)| Purchase {
        customer: customer.id,
        name: customer.name,
        number: order.number,
        cents: order.cents,
    };
    Ok(rows.into_iter().map(purchase).collect())
}

/// A migration whose statements are in a file for each database.
struct SqlFile {
    name: &'static str,
    postgres: &'static str,
    /// MariaDB, too.
    mysql: &'static str,
    sqlite: &'static str,
}

impl MigrationName for SqlFile {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait]
#[expect(
    elided_lifetimes_in_paths,
    reason = "as async_trait and the trait want it"
)]
impl MigrationTrait for SqlFile {
    async fn up(&self, manager: &SchemaManager) -> std::result::Result<(), DbErr> {
        let file = match manager.get_database_backend() {
            DbBackend::Postgres => self.postgres,
            DbBackend::MySql => self.mysql,
            DbBackend::Sqlite => self.sqlite,
            other => return Err(DbErr::Migration(format!("no file for {other:?}"))),
        };
        let connection = manager.get_connection();
        connection.execute_unprepared(file).await.map(|_| ())
    }

    /// The tables of the file that nothing else has changed.
    async fn down(&self, manager: &SchemaManager) -> std::result::Result<(), DbErr> {
        match self.name {
            "0003_payments" => {
                let payments = Table::drop().table("payments").to_owned();
                manager.drop_table(payments).await
            }
            name => Err(DbErr::Migration(format!("{name} has no way back"))),
        }
    }
}

macro_rules! sql_file {
    ($name:literal) => {
        SqlFile {
            name: $name,
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
            mysql: include_str!(concat!("../../migrations/mysql/", $name, ".sql")),
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
        }
    };
}
use sql_file;
