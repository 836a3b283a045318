//! Diesel, whose migrations are files or Rust: the change is one in Rust, among the files.

use std::fmt;

use diesel::connection::BoxableConnection;
use diesel::migration::{
    self, Migration, MigrationMetadata, MigrationName, MigrationSource, MigrationVersion,
};
use diesel::prelude::*;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use rowkey_relayout::Address;

use crate::{Purchase, Report, Result, customer_keys};

#[cfg(feature = "diesel-postgres")]
const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/diesel/postgres");
/// MariaDB, too.
#[cfg(feature = "diesel-mysql")]
const MYSQL: EmbeddedMigrations = embed_migrations!("migrations/diesel/mysql");
const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/diesel/sqlite");

/// The migrations in files, and the change among them.
pub struct Migrations {
    files: EmbeddedMigrations,
    address: Address,
    report: Report,
}

impl<DB: diesel::backend::Backend> MigrationSource<DB> for Migrations {
    /// In any order: Diesel sorts them by their versions.
    fn migrations(&self) -> migration::Result<Vec<Box<dyn Migration<DB>>>> {
        // ANCHOR: source
        let mut migrations = MigrationSource::<DB>::migrations(&self.files)?;
        migrations.push(Box::new(CustomerKeys {
            address: self.address.clone(),
            report: self.report.clone(),
        }));
        Ok(migrations)
        // ANCHOR_END: source
    }
}

/// The change of the key, as a migration.
struct CustomerKeys {
    address: Address,
    report: Report,
}

// ANCHOR: migration
impl<DB: diesel::backend::Backend> Migration<DB> for CustomerKeys {
    fn run(&self, _: &mut dyn BoxableConnection<DB>) -> migration::Result<()> {
        let change = customer_keys::change(&self.address, &self.report);
        Ok(runtime()?.block_on(change)?)
    }

    fn revert(&self, _: &mut dyn BoxableConnection<DB>) -> migration::Result<()> {
        let undo = customer_keys::undo(&self.address, &self.report);
        Ok(runtime()?.block_on(undo)?)
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        self
    }

    fn name(&self) -> &dyn MigrationName {
        self
    }
}

impl MigrationMetadata for CustomerKeys {
    /// The change commits in between, on a connection of its own.
    fn run_in_transaction(&self) -> bool {
        false
    }
}
// ANCHOR_END: migration

/// Like Diesel's connections, it blocks. Programs with tokio call [`migrate`] in `spawn_blocking`.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build()
}

impl MigrationName for CustomerKeys {
    fn version(&self) -> MigrationVersion<'_> {
        "0002".into()
    }
}

impl fmt::Display for CustomerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0002_customer_keys")
    }
}

/// Runs code with a connection to any of the databases, and with the migrations.
macro_rules! with_connection {
    ($url:expr, $db:ident, $files:ident => $work:expr) => {
        match $url.split(':').next() {
            #[cfg(feature = "diesel-postgres")]
            Some("postgres" | "postgresql") => {
                let ($db, $files) = (&mut PgConnection::establish($url)?, POSTGRES);
                $work
            }
            #[cfg(feature = "diesel-mysql")]
            Some("mysql" | "mariadb") => {
                // Diesel spells this parameter differently from sqlx.
                let url = $url.replace("ssl-mode=", "ssl_mode=");
                let ($db, $files) = (&mut MysqlConnection::establish(&url)?, MYSQL);
                $work
            }
            Some("sqlite") => {
                let path = $url.trim_start_matches("sqlite:").trim_start_matches("//");
                let path = path.split('?').next().unwrap_or(path);
                let ($db, $files) = (&mut SqliteConnection::establish(path)?, SQLITE);
                diesel::sql_query("PRAGMA foreign_keys = ON").execute($db)?;
                $work
            }
            _ => return Err("built without Diesel's connection to that database".into()),
        }
    };
}

/// Applies what is missing.
///
/// # Errors
///
/// A migration fails. Another call goes on.
pub fn migrate(url: &str, report: &Report) -> Result<()> {
    with_connection!(url, db, files => {
        let migrations = Migrations::new(files, url, report)?;
        db.run_pending_migrations(migrations)?;
    });
    Ok(())
}

/// Applies the next migration.
///
/// # Errors
///
/// It fails, or there is none.
pub fn migrate_once(url: &str, report: &Report) -> Result<()> {
    with_connection!(url, db, files => {
        let migrations = Migrations::new(files, url, report)?;
        db.run_next_migration(migrations)?;
    });
    Ok(())
}

/// Reverts the last migration.
///
/// # Errors
///
/// It fails, or there is none.
pub fn revert(url: &str, report: &Report) -> Result<()> {
    with_connection!(url, db, files => {
        let migrations = Migrations::new(files, url, report)?;
        db.revert_last_migration(migrations)?;
    });
    Ok(())
}

impl Migrations {
    fn new(files: EmbeddedMigrations, url: &str, report: &Report) -> Result<Self> {
        Ok(Self {
            files,
            address: url.parse()?,
            report: report.clone(),
        })
    }
}

mod schema {
    diesel::table! {
        use diesel::sql_types::Text;
        use rowkey::driver::diesel::Key;
        use crate::CustomerId;

        customers {
            #[sql_name = "id_key"]
            id -> Key<CustomerId>,
            name -> Text,
        }
    }

    diesel::table! {
        use diesel::sql_types::BigInt;
        use rowkey::driver::diesel::Key;
        use crate::CustomerId;

        orders (number) {
            number -> BigInt,
            #[sql_name = "customer_id_key"]
            customer_id -> Key<CustomerId>,
            cents -> BigInt,
        }
    }

    diesel::table! {
        use diesel::sql_types::BigInt;
        use rowkey::driver::diesel::Key;
        use crate::CustomerId;

        payments (number) {
            number -> BigInt,
            customer_id -> Key<CustomerId>,
            cents -> BigInt,
        }
    }

    diesel::joinable!(orders -> customers (customer_id));
    diesel::allow_tables_to_appear_in_same_query!(customers, orders);
}

/// Stores a purchase of a new customer.
///
/// # Errors
///
/// Those of Diesel.
pub fn buy(url: &str, purchase: &Purchase) -> Result<()> {
    use self::schema::{customers, orders, payments};
    with_connection!(url, db, _files => {
        diesel::insert_into(customers::table)
            .values((customers::id.eq(purchase.customer), customers::name.eq(&purchase.name)))
            .execute(db)?;
        diesel::insert_into(orders::table)
            .values((
                orders::number.eq(purchase.number),
                orders::customer_id.eq(purchase.customer),
                orders::cents.eq(purchase.cents),
            ))
            .execute(db)?;
        diesel::insert_into(payments::table)
            .values((
                payments::number.eq(purchase.number),
                payments::customer_id.eq(purchase.customer),
                payments::cents.eq(purchase.cents),
            ))
            .execute(db)?;
    });
    Ok(())
}

/// All purchases, by their numbers.
///
/// # Errors
///
/// Those of Diesel.
pub fn purchases(url: &str) -> Result<Vec<Purchase>> {
    use self::schema::{customers, orders};
    let rows = with_connection!(url, db, _files => {
        orders::table
            .inner_join(customers::table)
            .select((customers::id, customers::name, orders::number, orders::cents))
            .order(orders::number)
            .load(db)?
    });
    let purchase = |(customer, name, number, cents)| Purchase {
        customer,
        name,
        number,
        cents,
    };
    Ok(rows.into_iter().map(purchase).collect())
}
