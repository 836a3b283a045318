//! What some types do to values that others leave as they are.

use std::net::IpAddr;

use rowkey_core::Backend;

use super::column_type::ColumnType;
use super::model::{Type, Words, is_of_oids};
use crate::dialect::Dialect;

/// The most characters of a length that SQL Server takes.
const LONGEST: u32 = 4_000;

impl ColumnType {
    /// Whether a column drops repeated names, spaces and the order of JSON.
    pub fn normalizes_json(&self) -> bool {
        self.backend.has_jsonb() && self.name() == "jsonb"
            || self.backend == Backend::MySql && self.name() == "json"
    }

    /// Whether MariaDB takes nothing but addresses, and shows each in one way.
    pub fn is_address(&self) -> bool {
        self.backend == Backend::MariaDb && matches!(self.name(), "inet4" | "inet6")
    }

    /// Whether it shows an address as this text.
    pub fn shows_address(&self, text: &str) -> bool {
        let address: Result<IpAddr, _> = text.parse();
        address.is_ok_and(|address| {
            address.is_ipv6() == (self.name() == "inet6") && address.to_string() == text
        })
    }

    /// Whether values may be numbers of PostgreSQL's large objects, whose bytes are in no table.
    pub fn is_of_large_objects(&self) -> bool {
        self.backend == Backend::Postgres && is_of_oids(self.as_str())
    }

    /// Whether values are the numbers of PostgreSQL's own objects, which have others elsewhere, and
    /// the names of these as text.
    pub fn names_objects(&self) -> bool {
        const NAMES: [&str; 11] = [
            "regclass",
            "regcollation",
            "regconfig",
            "regdictionary",
            "regnamespace",
            "regoper",
            "regoperator",
            "regproc",
            "regprocedure",
            "regrole",
            "regtype",
        ];
        let name = self.as_str().trim_end_matches("[]");
        self.backend == Backend::Postgres && NAMES.contains(&name)
    }

    /// The same type with all characters of Unicode, in MySQL and MariaDB.
    pub fn with_all_characters(&self) -> Option<String> {
        let names = self.backend.names_character_sets();
        names.then(|| format!("{} CHARACTER SET utf8mb4", self.bare()))
    }

    /// Whether programs have UUIDs as text in a type of SQLite: in `UUID` and its other names, and in those
    /// that it does not know. `uuid_text` is what SeaORM calls the bytes that it writes.
    pub fn has_uuid_text(&self) -> bool {
        let is_named = matches!(self.name(), "uuid" | "guid" | "uniqueidentifier")
            || self.meaning() == Some(Type::Own);
        self.backend.stores_any_type() && is_named
    }

    /// Whether it is SQLite's `ANY`.
    pub fn is_any(&self) -> bool {
        self.backend.stores_any_type() && self.bare().eq_ignore_ascii_case("any")
    }

    /// Whether MySQL or MariaDB rounds floating-point numbers to some digits.
    pub(super) fn rounds_floats(&self) -> bool {
        let digits = self.words.as_ref().map(|words| words.numbers.len());
        self.backend.names_character_sets()
            && matches!(self.meaning(), Some(Type::Single | Type::Double))
            && digits == Some(2)
    }

    /// Whether MySQL or MariaDB refuses negative numbers, where others of the same type have some.
    pub fn refuses_negative(&self) -> bool {
        let own = self.meaning();
        self.backend.names_character_sets()
            && matches!(own, Some(Type::Single | Type::Double | Type::Decimal(_)))
            && self.has("unsigned")
    }

    /// Whether it is a `char` or one of the types called after it.
    pub fn is_char(&self) -> bool {
        self.name().ends_with("char")
    }

    /// Whether a column cuts off spaces at the end of text.
    pub fn cuts_spaces(&self) -> bool {
        self.backend.cuts_spaces_of_char() && self.name() == "char"
    }

    /// Whether a column rounds times in a way that only its own type has.
    pub(super) fn rounds_times(&self) -> bool {
        self.backend.rounds_times() && matches!(self.name(), "datetime" | "smalldatetime")
    }

    /// Whether a column of intervals cuts off some of their fields: `interval hour to minute`.
    pub(super) fn cuts_fields(&self) -> bool {
        let name = self.words.as_ref().map(|words| words.name.as_str());
        self.meaning() == Some(Type::Interval) && name != Some("interval")
    }

    /// Whether a column has all digits of the times that another one of the same kind has. A server
    /// rounds or cuts the rest without an error.
    pub fn keeps_times_of(&self, other: &Self) -> bool {
        let is_time = matches!(
            self.meaning(),
            Some(Type::Time | Type::Timestamp | Type::Instant | Type::Interval)
        );
        !is_time
            || self.fraction_digits() >= other.fraction_digits()
                && (!self.rounds_times() || self.name() == other.name())
                && (!self.cuts_fields() || self.bare() == other.bare())
    }

    /// The microseconds of which a column's times are multiples; a server rounds or cuts others
    /// without an error. Of 1/300 s, as in SQL Server's `datetime`, only whole hundredths are.
    pub fn tick(&self) -> i64 {
        match self.name() {
            "smalldatetime" => 60_000_000,
            _ if self.rounds_times() => 10_000,
            _ => 10_i64.pow(6 - self.fraction_digits().min(6)),
        }
    }

    fn is_of_sql_server(&self, names: &[&str]) -> bool {
        self.backend == Backend::SqlServer && names.contains(&self.name())
    }

    /// Whether SQL Server numbers the changes of rows in the column, so that nobody else can.
    pub fn is_row_version(&self) -> bool {
        self.is_of_sql_server(&["timestamp", "rowversion"])
    }

    /// Whether moments have the time zone that they were written with, in SQL Server.
    pub fn has_offset(&self) -> bool {
        self.is_of_sql_server(&["datetimeoffset"])
    }

    /// Whether it has the characters of a code page only.
    pub fn has_code_page(&self) -> bool {
        self.backend.uses_code_pages() && matches!(self.name(), "char" | "varchar" | "text")
    }

    /// How many digits SQL Server's seconds have.
    pub fn scale(&self) -> u8 {
        let digits = self.words.as_ref().and_then(Words::length);
        digits.map_or(7, |digits| digits.min(7) as u8)
    }

    /// Whether times may have tenths of a microsecond.
    pub fn has_tenths(&self) -> bool {
        self.is_of_sql_server(&["time", "datetime2", "datetimeoffset"]) && self.scale() > 6
    }

    /// The ends of SQL Server's types for money, which are not at a number of digits, in
    /// ten-thousandths.
    pub fn money(&self) -> Option<(i128, i128)> {
        let is_money = self.is_of_sql_server(&["money", "smallmoney"]);
        is_money.then(|| match self.name() {
            "money" => (i64::MIN.into(), i64::MAX.into()),
            _ => (i32::MIN.into(), i32::MAX.into()),
        })
    }

    /// The type to which a query on SQL Server converts a column, because the driver's own reading
    /// would change values: code pages that it does not know, and money as floating-point numbers.
    pub fn read_as(&self, own: Type) -> Option<String> {
        Some(match (self.name(), own) {
            ("money" | "smallmoney", _) => "decimal(19,4)".into(),
            ("nchar" | "nvarchar" | "sysname", _) => return None,
            (_, Type::Text(Some(length)) | Type::PaddedText(length)) if length <= LONGEST => {
                format!("nvarchar({length})")
            }
            (_, Type::Text(_) | Type::PaddedText(_) | Type::Json | Type::Own) => {
                "nvarchar(max)".into()
            }
            ("image", _) => "varbinary(max)".into(),
            _ => return None,
        })
    }
}
