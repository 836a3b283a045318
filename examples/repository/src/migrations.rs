//! The folder `migrations` of the workspace, compiled in.
//!
//! They are sqlx's: `sqlx migrate run --source migrations/postgres` does the same, and either takes
//! a database from where the other has left it. MySQL and MariaDB have a folder each, which are alike
//! as long as no key is stored in the `UUID` type that only MariaDB has.

use sqlx::migrate::Migrator;

pub(crate) static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");
pub(crate) static MYSQL: Migrator = sqlx::migrate!("../../migrations/mysql");
pub(crate) static MARIADB: Migrator = sqlx::migrate!("../../migrations/mariadb");
pub(crate) static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");
