//! Awkward values, and how each database writes them as literals and shows them as text.
//!
//! Neither goes through the readers and writers that are tested.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use rowkey_tables::Value;
use rowkey_testkit::Backend;

/// What a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Truth,
    Small,
    Whole,
    Big,
    Unsigned,
    Decimal,
    Single,
    Double,
    Name,
    Text,
    Bytes,
    Date,
    Time,
    Timestamp,
    Instant,
    Uuid,
    Json,
    /// With 38 digits.
    Decimal38,
    /// Without the numbers next to 0.
    NormalSingle,
    NormalDouble,
}

use Content as C;

/// The columns, with their names.
const COLUMNS: [(&str, Content); 17] = [
    ("is_open", C::Truth),
    ("small", C::Small),
    ("whole", C::Whole),
    ("big", C::Big),
    ("views", C::Unsigned),
    ("price", C::Decimal),
    ("ratio", C::Single),
    ("weight", C::Double),
    ("name", C::Name),
    ("body", C::Text),
    ("raw", C::Bytes),
    ("day", C::Date),
    ("opens", C::Time),
    ("made", C::Timestamp),
    ("seen", C::Instant),
    ("token", C::Uuid),
    ("document", C::Json),
];

pub(crate) fn all_columns() -> Vec<(&'static str, Content)> {
    COLUMNS.to_vec()
}

/// The same with what SQL Server has, too.
pub(crate) fn narrow_columns() -> Vec<(&'static str, Content)> {
    let narrow = |content| match content {
        C::Decimal => C::Decimal38,
        C::Single => C::NormalSingle,
        C::Double => C::NormalDouble,
        other => other,
    };
    COLUMNS
        .map(|(name, content)| (name, narrow(content)))
        .to_vec()
}

/// The values of a column; rows take them in turn, with NULL after the last.
pub(crate) fn values(content: Content) -> Vec<String> {
    let planes = "a\u{7ff}\u{ffff}\u{1f600}\u{10ffff}";
    let values: &[&str] = match content {
        C::Truth => &["0", "1"],
        C::Small => &["-32768", "32767", "0"],
        C::Whole => &["-2147483648", "2147483647", "-1"],
        C::Big => &["-9223372036854775808", "9223372036854775807", "1"],
        C::Unsigned => &["0", "9223372036854775808", "18446744073709551615"],
        C::Decimal => &[
            "0",
            "-0.000000000000000000000000000001",
            "99999999999999999999999999999999999.999999999999999999999999999999",
            "-99999999999999999999999999999999999.999999999999999999999999999999",
            "10000",
            "1234.5",
        ],
        C::Single => &["0", "3.4028234663852886e38", "1e-45", "0.1", "-16777217"],
        C::Double => &[
            "0",
            "1.7976931348623157e308",
            "5e-324",
            "0.1",
            "-0.30000000000000004",
        ],
        C::Decimal38 => &[
            "0",
            "-0.000000000000000001",
            "99999999999999999999.999999999999999999",
            "-99999999999999999999.999999999999999999",
            "10000",
            "1234.5",
        ],
        C::NormalSingle => &[
            "0",
            "3.4028234663852886e38",
            "1.1754943508222875e-38",
            "0.1",
            "-16777217",
        ],
        C::NormalDouble => &[
            "0",
            "1.7976931348623157e308",
            "2.2250738585072014e-308",
            "0.1",
            "-0.30000000000000004",
        ],
        C::Name => &["", " ", "a ", "A", "ä", "it's", "back\\slash", planes],
        C::Text => &["", "line\nline\r\n\t", "'\\'\"`%_$1?", planes, "NULL"],
        C::Bytes => &["", "00", "00ff0a5c27", "61"],
        C::Date => &["0001-01-01", "9999-12-31", "1582-10-10", "2000-02-29"],
        C::Time => &["00:00:00.000000", "23:59:59.999999", "12:34:56.000001"],
        C::Timestamp => &[
            "0001-01-01 00:00:00.000000",
            "9999-12-31 23:59:59.999999",
            "1969-12-31 23:59:59.999999",
        ],
        C::Instant => &[
            "1970-01-01 00:00:01.000000",
            "2038-01-19 03:14:07.999999",
            "2024-03-31 01:30:00.000001",
        ],
        C::Uuid => &[
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "00112233-4455-6677-8899-aabbccddeeff",
        ],
        C::Json => &[
            "{}",
            "{ \"b\": 1, \"a\": [1.50, null, \"\\u00e4\"], \"b\": 2 }",
            "12345678901234567890.123456789",
        ],
    };
    let mut values: Vec<String> = values.iter().map(ToString::to_string).collect();
    match content {
        C::Text => values.push("long \u{1f600} ".repeat(30_000)),
        C::Bytes => values.push("00ff".repeat(100_000)),
        _ => {}
    }
    values
}

/// The value in a row.
pub(crate) fn value(content: Content, row: usize) -> Option<String> {
    let values = values(content);
    // Long values only once.
    let short = values.len() - usize::from(matches!(content, C::Text | C::Bytes));
    match row {
        0 => values.last().cloned(),
        _ => values
            .get(row % (short + 1))
            .filter(|_| row % (short + 1) < short)
            .cloned(),
    }
}

/// The type of a column, as people write it in a database.
pub(crate) fn sql_type(backend: Backend, content: Content) -> &'static str {
    let place = match backend {
        Backend::Postgres => 0,
        Backend::MySql | Backend::MariaDb => 1,
        Backend::Sqlite => 2,
        _ => return sql_server_type(content),
    };
    let types = match content {
        C::Truth => ["boolean", "tinyint(1)", "BOOLEAN"],
        C::Small => ["smallint", "smallint", "SMALLINT"],
        C::Whole => ["integer", "int", "INTEGER"],
        C::Big => ["bigint", "bigint", "BIGINT"],
        C::Unsigned => ["numeric(20,0)", "bigint unsigned", "DECIMAL_TEXT(20,0)"],
        C::Decimal => ["numeric(65,30)", "decimal(65,30)", "DECIMAL_TEXT(65,30)"],
        C::Single => ["real", "float", "REAL"],
        C::Double => ["double precision", "double", "REAL"],
        C::Name => ["varchar(80)", "varchar(80)", "VARCHAR(80)"],
        C::Text => ["text", "longtext", "TEXT"],
        C::Bytes => ["bytea", "longblob", "BLOB"],
        C::Date => ["date", "date", "DATE"],
        C::Time => ["time", "time(6)", "TIME"],
        C::Timestamp => ["timestamp", "datetime(6)", "DATETIME"],
        C::Instant => ["timestamptz", "timestamp(6) NULL", "TIMESTAMPTZ"],
        C::Uuid => ["uuid", "binary(16)", "UUID_BLOB"],
        C::Json => ["json", "longtext", "JSON_TEXT"],
        C::Decimal38 => ["numeric(38,18)", "decimal(38,18)", "DECIMAL_TEXT(38,18)"],
        C::NormalSingle => return sql_type(backend, C::Single),
        C::NormalDouble => return sql_type(backend, C::Double),
    };
    types[place]
}

fn sql_server_type(content: Content) -> &'static str {
    match content {
        C::Truth => "bit",
        C::Small => "smallint",
        C::Whole => "int",
        C::Big => "bigint",
        C::Unsigned => "decimal(20,0)",
        C::Decimal | C::Decimal38 => "decimal(38,18)",
        C::Single | C::NormalSingle => "real",
        C::Double | C::NormalDouble => "float",
        C::Name => "nvarchar(80) COLLATE Latin1_General_100_BIN2",
        C::Text | C::Json => "nvarchar(max)",
        C::Bytes => "varbinary(max)",
        C::Date => "date",
        C::Time => "time(6)",
        C::Timestamp => "datetime2(6)",
        C::Instant => "datetimeoffset(6)",
        C::Uuid => "uniqueidentifier",
    }
}

/// With its type, because the values of several rows would have a common one otherwise.
fn sql_server_literal(content: Content, value: &str) -> String {
    match content {
        C::Truth | C::Small | C::Whole | C::Big => value.into(),
        C::Name | C::Text | C::Json => format!("N'{}'", value.replace('\'', "''")),
        C::Bytes => format!("0x{value}"),
        C::Instant => format!("CAST('{value} +00:00' AS datetimeoffset(6))"),
        _ => format!("CAST('{value}' AS {})", sql_server_type(content)),
    }
}

fn sql_server_shown(content: Content, column: &str) -> String {
    match content {
        // As text and as bytes.
        C::Name | C::Text | C::Json | C::Bytes | C::Uuid => column.into(),
        C::Single | C::Double | C::NormalSingle | C::NormalDouble => {
            format!("CONVERT(varchar(40), CONVERT(float, {column}), 3)")
        }
        C::Date => format!("CONVERT(varchar(10), {column}, 23)"),
        C::Time => format!("CONVERT(varchar(15), CONVERT(time(6), {column}))"),
        C::Timestamp => format!("CONVERT(varchar(26), CONVERT(datetime2(6), {column}), 121)"),
        C::Instant => format!(
            "CONVERT(varchar(26), CONVERT(datetime2(6), SWITCHOFFSET({column}, '+00:00')), 121)"
        ),
        _ => format!("CONVERT(varchar(60), {column})"),
    }
}

/// A value as a literal of a server.
pub(crate) fn literal(backend: Backend, content: Content, value: &str) -> String {
    let hex = |text: &str| {
        text.bytes().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    };
    let digits = value.replace('-', "");
    if backend == Backend::SqlServer {
        return sql_server_literal(content, value);
    }
    match (wide(content), backend) {
        (C::Truth, Backend::Postgres) => format!("'{value}'"),
        (C::Truth | C::Small | C::Whole | C::Big, _) => value.into(),
        (C::Single | C::Double, Backend::Sqlite) => format!("CAST('{value}' AS REAL)"),
        (C::Single | C::Double, Backend::Postgres) => format!("'{value}'"),
        (C::Single | C::Double, _) => {
            format!("{value}{}", if value.contains('e') { "" } else { "e0" })
        }
        (C::Unsigned | C::Decimal, Backend::Sqlite) => format!("'{value}'"),
        (C::Unsigned | C::Decimal, _) => value.into(),
        (C::Name | C::Text | C::Json, Backend::Postgres) => {
            format!(
                "convert_from('\\x{}', 'UTF8'){}",
                hex(value),
                if content == C::Json { "::json" } else { "" }
            )
        }
        (C::Name | C::Text | C::Json, Backend::Sqlite) => {
            format!("CAST(X'{}' AS TEXT)", hex(value))
        }
        (C::Name | C::Text | C::Json, _) => format!("CONVERT(X'{}' USING utf8mb4)", hex(value)),
        (C::Bytes, Backend::Postgres) => format!("'\\x{value}'"),
        (C::Bytes, _) => format!("X'{value}'"),
        (C::Instant, Backend::Postgres) => format!("'{value}+00'"),
        (C::Instant, Backend::Sqlite) => format!("'{value}+00:00'"),
        (C::Date | C::Time | C::Timestamp | C::Instant, _) => format!("'{value}'"),
        (C::Uuid, Backend::Postgres) => format!("'{value}'"),
        (_, _) => format!("X'{digits}'"),
    }
}

/// The content whose values are those of another one among others.
fn wide(content: Content) -> Content {
    match content {
        C::Decimal38 => C::Decimal,
        C::NormalSingle => C::Single,
        C::NormalDouble => C::Double,
        other => other,
    }
}

/// The SQL that shows a column as text, in hexadecimal where that is safer.
pub(crate) fn shown(backend: Backend, content: Content, column: &str) -> String {
    if backend == Backend::SqlServer {
        return sql_server_shown(content, column);
    }
    let content = wide(content);
    match (backend, content) {
        (Backend::Postgres, C::Truth) => format!("({column}::int)::text"),
        (Backend::Postgres, C::Name | C::Text | C::Json) => {
            format!("encode(convert_to({column}::text, 'UTF8'), 'hex')")
        }
        (Backend::Postgres, C::Bytes) => format!("encode({column}, 'hex')"),
        (Backend::Postgres, C::Time) => format!("to_char({column}, 'HH24:MI:SS.US')"),
        (Backend::Postgres, C::Timestamp) => {
            format!("to_char({column}, 'YYYY-MM-DD HH24:MI:SS.US')")
        }
        (Backend::Postgres, C::Instant) => {
            format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')")
        }
        (Backend::Postgres, C::Uuid) => format!("translate({column}::text, '\\x-', '')"),
        (Backend::Postgres, _) => format!("{column}::text"),
        (Backend::Sqlite, C::Name | C::Text | C::Json | C::Bytes | C::Uuid) => {
            format!("CASE WHEN {column} IS NOT NULL THEN lower(hex({column})) END")
        }
        (Backend::Sqlite, C::Instant) => format!("substr({column}, 1, 26)"),
        (Backend::Sqlite, C::Single | C::Double) => column.into(),
        (Backend::Sqlite, _) => format!("CAST({column} AS TEXT)"),
        (_, C::Name | C::Text | C::Json | C::Bytes | C::Uuid) => {
            format!("CAST(LOWER(HEX({column})) AS CHAR)")
        }
        (_, C::Date) => format!("DATE_FORMAT({column}, '%Y-%m-%d')"),
        (_, C::Time) => format!("TIME_FORMAT({column}, '%H:%i:%s.%f')"),
        (_, C::Timestamp | C::Instant) => format!("DATE_FORMAT({column}, '%Y-%m-%d %H:%i:%s.%f')"),
        // By itself, it would be shown with six digits.
        (_, C::Single) => format!("CAST({column} * 1e0 AS CHAR)"),
        (_, _) => format!("CAST({column} AS CHAR)"),
    }
}

/// What a database shows is the value.
pub(crate) fn check(content: Content, expected: Option<&str>, found: &Value) -> Result<()> {
    let found = match (found, expected) {
        (Value::Null, None) => return Ok(()),
        (Value::Text(text), Some(_)) => text.clone(),
        (Value::Integer(number), Some(_)) => number.to_string(),
        (Value::Bytes(bytes), Some(_)) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        _ => bail!("{content:?}: {found:?} instead of {expected:?}"),
    };
    let expected = expected.context("a value")?;
    let is_same = match wide(content) {
        C::Single => {
            expected.parse::<f32>()?.to_bits() == (found.trim().parse::<f64>()? as f32).to_bits()
        }
        C::Double => expected.parse::<f64>()?.to_bits() == found.trim().parse::<f64>()?.to_bits(),
        C::Decimal | C::Unsigned => without_zeros(expected) == without_zeros(&found),
        C::Name | C::Text | C::Json => {
            let mut hex = String::new();
            expected.bytes().for_each(|byte| {
                let _ = write!(hex, "{byte:02x}");
            });
            hex == found || expected == found
        }
        C::Uuid => expected.replace('-', "") == found,
        // Some servers show no zeros.
        C::Time | C::Timestamp | C::Instant if !found.contains('.') => {
            expected == format!("{found}.000000")
        }
        _ => expected == found,
    };
    if !is_same {
        let short = |text: &str| text.chars().take(60).collect::<String>();
        bail!(
            "{content:?}: {} instead of {}",
            short(&found),
            short(expected)
        );
    }
    Ok(())
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}
