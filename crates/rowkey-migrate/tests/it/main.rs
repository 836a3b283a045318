//! What needs no server: tables in memory, and databases of SQLite.

#[cfg(feature = "sqlite")]
mod catalog_sqlite;
mod doctor;
#[cfg(feature = "sqlite")]
mod inventory;
