//! What each database calls the functions and operators that expressions are made of.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rowkey_core::Backend;
use rowkey_core::storage::Wire;

/// Part of bytes or text. `first` counts from 1.
pub(crate) fn part(backend: Backend, sql: &str, first: u8, count: u8) -> String {
    let function = match backend {
        Backend::Postgres | Backend::Sqlite => "substr",
        Backend::MySql | Backend::MariaDb | Backend::SqlServer => "SUBSTRING",
    };
    format!("{function}({sql}, {first}, {count})")
}

pub(crate) fn without_hyphens(backend: Backend, text: &str) -> String {
    match backend {
        Backend::Postgres | Backend::Sqlite => format!("replace({text}, '-', '')"),
        _ => format!("REPLACE({text}, '-', '')"),
    }
}

pub(crate) fn lower(backend: Backend, text: String) -> String {
    match backend {
        // PostgreSQL's hexadecimal digits are in lower case.
        Backend::Postgres => text,
        Backend::Sqlite => format!("lower({text})"),
        _ => format!("LOWER({text})"),
    }
}

pub(crate) fn upper(backend: Backend, text: String) -> String {
    match backend {
        Backend::Postgres | Backend::Sqlite => format!("upper({text})"),
        _ => format!("UPPER({text})"),
    }
}

/// Text that goes into a column: what a function of MySQL and MariaDB returns has the character set
/// of the connection.
pub(crate) fn text_of_column(backend: Backend, wire: Wire, sql: String) -> String {
    match (wire, backend) {
        (Wire::Text(_), Backend::MySql | Backend::MariaDb) => {
            format!("CONVERT({sql} USING ascii)")
        }
        _ => sql,
    }
}

/// `number` is not negative.
pub(crate) fn shifted_right(backend: Backend, number: &str, bits: u32) -> String {
    match (backend, bits) {
        (_, 0) => number.into(),
        // SQL Server has shifts since 2022. Its larger literals are decimal numbers.
        (Backend::SqlServer, 32..) => {
            format!("({number} / CONVERT(bigint, {}))", 1_u64 << bits)
        }
        (Backend::SqlServer, _) => format!("({number} / {})", 1_u64 << bits),
        _ => format!("({number} >> {bits})"),
    }
}

pub(crate) fn concatenated(backend: Backend, pieces: impl Iterator<Item = String>) -> String {
    let pieces: Vec<String> = pieces.collect();
    match backend {
        _ if pieces.len() == 1 => pieces.concat(),
        Backend::Postgres | Backend::Sqlite => pieces.join(" || "),
        Backend::MySql | Backend::MariaDb => format!("CONCAT({})", pieces.join(", ")),
        Backend::SqlServer => pieces.join(" + "),
    }
}
