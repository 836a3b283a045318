//! Which type of a column becomes which on another database.
//!
//! A database's own types are [`Type`]s. Two of them make a pair, if each value of the one has a
//! place in the other, and the [`Kind`] of a pair says how both sides see a value.

mod charset;
pub mod clock;
pub mod collation;
pub mod declared;
pub mod interval;
mod members;
mod model;
mod mysql;
pub mod network;
mod pairs;
mod postgres;
mod sqlite;
pub mod sqlserver;

use rowkey_core::Backend;

pub use self::charset::{Charset, collation_of, with_collation};
pub use self::members::members;
use self::model::Grammar;
pub use self::model::{Refusal, Type, Words};
pub use self::pairs::{
    KEEPS_ANY, Kind, cuts_spaces, is_any, is_kept, keeps_times, kind, normalizes_json, pair,
};

const fn grammar(backend: Backend) -> Grammar {
    match backend {
        Backend::Postgres => postgres::GRAMMAR,
        Backend::MySql | Backend::MariaDb => mysql::GRAMMAR,
        Backend::Sqlite => sqlite::GRAMMAR,
        Backend::SqlServer => sqlserver::GRAMMAR,
    }
}

/// What the words of a database mean; nothing for a type that has no place yet.
pub fn parse(backend: Backend, sql_type: &str) -> Option<Type> {
    (grammar(backend).parse)(sql_type)
}

/// How many digits of a second a time or an interval of this type has.
pub fn fraction_digits(backend: Backend, sql_type: &str) -> u32 {
    (grammar(backend).fraction_digits)(Words::of(sql_type).as_ref())
}

/// How many bytes a value of this type has at most, if its words do not say a length.
pub fn most_bytes(backend: Backend, sql_type: &str) -> Option<u64> {
    (grammar(backend).most_bytes)(sql_type)
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
