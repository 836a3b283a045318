//! sqlx, which reads the folder of each database as it is.

use sqlx::migrate::Migrator;

/// The tables in PostgreSQL.
pub static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");
/// The tables in MySQL.
pub static MYSQL: Migrator = sqlx::migrate!("../../migrations/mysql");
/// The tables in MariaDB.
pub static MARIADB: Migrator = sqlx::migrate!("../../migrations/mariadb");
/// The tables in SQLite.
pub static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");
