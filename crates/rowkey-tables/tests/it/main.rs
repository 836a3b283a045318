//! What needs no server: databases of SQLite.

#[cfg(feature = "sqlite")]
mod catalog_sqlite;
#[cfg(feature = "sqlite")]
mod inventory;
