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
pub use self::model::{Refusal, Type, Words};
pub use self::pairs::{
    KEEPS_ANY, Kind, cuts_spaces, is_any, is_kept, keeps_times, kind, normalizes_json, pair,
};

/// What the words of a database mean; nothing for a type that has no place yet.
pub fn parse(backend: Backend, sql_type: &str) -> Option<Type> {
    let is = |name: &str| {
        let start = sql_type.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if matches!(backend, Backend::MySql | Backend::MariaDb) {
        if is("enum(") {
            return Some(Type::Enum);
        }
        if is("set(") {
            return Some(Type::Set);
        }
    }
    if backend == Backend::SqlServer {
        return sqlserver::parse(sql_type);
    }
    let words = match (Words::of(sql_type), backend) {
        (Some(words), _) => words,
        (None, Backend::Postgres) => return Some(Type::Own),
        _ => return None,
    };
    match backend {
        Backend::Postgres => Some(postgres::parse(&words).unwrap_or(Type::Own)),
        Backend::MySql | Backend::MariaDb => mysql::parse(&words),
        Backend::Sqlite => sqlite::parse(&words),
        Backend::SqlServer => None,
    }
}

/// How many digits of a second a time or an interval of this type has.
pub fn fraction_digits(backend: Backend, sql_type: &str) -> u32 {
    let words = Words::of(sql_type);
    let digits = words.as_ref().and_then(Words::length);
    match backend {
        Backend::MySql | Backend::MariaDb => digits.unwrap_or(0),
        Backend::SqlServer => sqlserver::fraction_digits(words.as_ref()),
        _ => digits.unwrap_or(6),
    }
}

/// How many bytes a value of this type has at most, if its words do not say a length.
pub fn most_bytes(backend: Backend, sql_type: &str) -> Option<u64> {
    if !matches!(backend, Backend::MySql | Backend::MariaDb) {
        return None;
    }
    let name = sql_type.split([' ', '(']).next().unwrap_or_default();
    Some(match name.to_ascii_lowercase().as_str() {
        "tinytext" | "tinyblob" => u8::MAX.into(),
        "text" | "blob" => u16::MAX.into(),
        "mediumtext" | "mediumblob" => (1 << 24) - 1,
        _ => return None,
    })
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
    match backend {
        Backend::Postgres => Ok(postgres::write(wanted)),
        Backend::MySql | Backend::MariaDb => mysql::write(backend, wanted, is_indexed),
        Backend::Sqlite => Ok(sqlite::write(wanted)),
        Backend::SqlServer => sqlserver::write(wanted, is_indexed),
    }
}

#[cfg(test)]
mod tests;
