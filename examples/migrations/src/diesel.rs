//! Diesel, which wants a folder for each migration.

use diesel_migrations::{EmbeddedMigrations, embed_migrations};

/// The tables in PostgreSQL.
pub const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/diesel/postgres");
/// The tables in MySQL.
pub const MYSQL: EmbeddedMigrations = embed_migrations!("../../migrations/diesel/mysql");
/// The tables in MariaDB.
pub const MARIADB: EmbeddedMigrations = embed_migrations!("../../migrations/diesel/mariadb");
/// The tables in SQLite.
pub const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/diesel/sqlite");
