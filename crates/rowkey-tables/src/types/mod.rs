//! Which type of a column becomes which on another database.
//!
//! A database's own types are [`Type`]s. Two of them make a pair, if each value of the one has a
//! place in the other, and the [`Kind`] of a pair says how both sides see a value.

mod charset;
pub mod clock;
pub mod collation;
mod column_type;
mod declared;
mod expressions;
pub mod interval;
pub mod layout;
mod members;
mod model;
mod mysql;
pub mod network;
mod pairs;
mod postgres;
mod quirks;
mod sqlite;
mod sqlserver;

use rowkey_core::Backend;

pub use self::charset::Charset;
pub use self::column_type::ColumnType;
pub(crate) use self::column_type::first_word;
pub use self::members::enum_of;
use self::model::Grammar;
pub use self::model::{Affinity, Refusal, Type, Words};
pub use self::pairs::{KEEPS_ANY, Kind, pair};

const fn grammar(backend: Backend) -> Grammar {
    match backend {
        Backend::Postgres => postgres::GRAMMAR,
        Backend::MySql | Backend::MariaDb => mysql::GRAMMAR,
        Backend::Sqlite => sqlite::GRAMMAR,
        Backend::SqlServer => sqlserver::GRAMMAR,
    }
}

/// The type of a new column for the values of another.
///
/// # Errors
///
/// Why there is none, and what a person can choose.
pub fn write(backend: Backend, wanted: Type, is_indexed: bool) -> Result<String, Refusal> {
    if wanted == Type::Own {
        let text = write(backend, Type::Text(None), is_indexed)?;
        return Err(Refusal {
            why: format!("{backend} has no such type"),
            instead: format!("`to = \"{text}\"` copies its values as text"),
        });
    }
    (grammar(backend).write)(backend, wanted, is_indexed)
}

#[cfg(test)]
mod tests;
