//! For crates that connect a database driver: what it sends and receives for a key on each backend.
//!
//! [`Column::encode`](crate::storage::Column::encode) and
//! [`decode`](crate::storage::Column::decode) are enough for every driver that takes and returns
//! values. This module adds what depends on a protocol:
//!
//! | database | start with | what it adds |
//! |---|---|---|
//! | PostgreSQL | [`StoragePlan::postgres`](crate::storage::StoragePlan::postgres) | reads the binary and the text form, knows the [OIDs](TypeOids), writes [`numeric`] |
//! | MySQL, MariaDB | [`StoragePlan::mysql`](crate::storage::StoragePlan::mysql) | one column for both, decimal numbers as digits, and how to read [what was found](MySqlFound) |
//! | SQLite | [`StoragePlan::sqlite`](crate::storage::StoragePlan::sqlite) | blobs, texts and integers only |
//! | SQL Server | [`Column::uuid_wire`](crate::storage::Column::uuid_wire) | the kinds of values that its protocol has |
//!
//! A plan is constant, so `const { K::PLAN.postgres() }` leaves one arm of each `match` in the
//! machine code. The enums aren't `#[non_exhaustive]`, because a driver has to handle each kind.
//! For a value of another type, [`Column::refusal`](crate::storage::Column::refusal) makes the
//! error.

pub use crate::storage::mysql::{MySqlColumn, MySqlFound};
pub mod numeric;
pub use crate::storage::postgres::{PostgresColumn, TypeOids};
pub use crate::storage::sqlite::SqliteColumn;
pub use crate::storage::stored::Parameter;
pub use crate::storage::wire::{MySqlWire, SqliteWire, UuidWire};
