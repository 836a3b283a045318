//! Defaults of columns in the words of another database.

use std::fmt;

use rowkey_core::Backend;
use rowkey_core::storage::StoredRef;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{ColumnType, Kind, Type, clock};

use crate::batch::{Batch, Cell, Normal, normal};
use crate::engine::engine;
use crate::rows::read::cells::{id_cell, sixteen_of};
use crate::rows::write::literal;
use crate::tables::table_side::{ColumnSide, Content};

/// The default of a column in the target; nothing for an expression that only the source has.
/// The column's times are multiples of so many microseconds.
pub(crate) fn translated(
    source: Backend,
    target: Backend,
    own: Type,
    tick: i64,
    sql: &str,
) -> Option<String> {
    let (shown, columns) = (&engine(source).columns, &engine(target).columns);
    if source == target {
        return (columns.default)(sql);
    }
    let sql = (shown.unwrapped)(sql.trim());
    if is_now(source, sql) {
        if own == Type::Timestamp && shown.now_is_utc {
            return Some(columns.utc_now.into());
        }
        let [without_zone, with_zone] = columns.now;
        let now = match own {
            Type::Timestamp => without_zone,
            Type::Instant => with_zone,
            _ => return None,
        };
        return Some(match columns.now_has_digits {
            true => format!("{now}({})", 6 - tick.ilog10()),
            false => now.to_owned(),
        });
    }
    if is_function(sql, &["current_date", "curdate"]) {
        if own == Type::Date && shown.now_is_utc {
            return Some(format!("(CAST({} AS date))", columns.utc_now));
        }
        return (own == Type::Date).then(|| columns.today.map(Into::into))?;
    }
    value(source, target, own, sql)
}

/// A literal of the source as one of the target; nothing for other SQL.
pub(crate) fn value(source: Backend, target: Backend, own: Type, sql: &str) -> Option<String> {
    constant(source, target, own, &value_of(source, sql)?)
}

/// The same for a type with values of its own, but not for a number in PostgreSQL: that of `money`
/// is shown in another way than the value that it becomes.
pub(crate) fn own_value(source: Backend, target: Backend, own: Type, sql: &str) -> Option<String> {
    let is_number = source == Backend::Postgres
        && sql.rsplit_once("::").is_none_or(|(_, cast)| {
            let meaning = ColumnType::parse(source, cast).meaning();
            matches!(
                meaning,
                Some(Type::Integer { .. } | Type::Decimal(_) | Type::Double)
            )
        });
    value(source, target, own, sql).filter(|_| !is_number)
}

/// The literal of a moment, an id, a UUID, bits or bytes, in the form in which the copy writes them.
pub(crate) fn as_copied(
    [source, target]: [Backend; 2],
    from: &ColumnSide,
    to: &ColumnSide,
    sql: &str,
) -> Option<String> {
    let sql = (engine(source).columns.unwrapped)(sql.trim());
    let mut batch = Batch::new(1, 1);
    if to.content == Content::Values(Kind::Bytes) {
        let bytes = bytes_of(source, from.own, sql)?;
        let cell = Cell::Bytes(batch.keep(&bytes));
        return literal::text(target, to, &batch, cell).ok();
    }
    let value = value_of(source, sql)?;
    let cell = match (from.own, to.content) {
        (Type::Uuid, Content::Values(Kind::Uuid)) => {
            Cell::Sixteen(batch.keep(&sixteen_of(&value)?))
        }
        (Type::Uuid, Content::Ids(_)) => {
            let sixteen = sixteen_of(&value)?;
            id_cell(&mut batch, from, StoredRef::Bytes(&sixteen)).ok()?
        }
        (Type::Text(_) | Type::PaddedText(_), Content::Ids(_)) => {
            id_cell(&mut batch, from, StoredRef::Text(&value)).ok()?
        }
        // MySQL and MariaDB show them without the zeros before them.
        (Type::Bits { length, .. }, Content::Values(Kind::Text)) if sql.starts_with("b'") => {
            Cell::Text(batch.keep(format!("{value:0>0$}", length as usize).as_bytes()))
        }
        (Type::Bits { .. }, Content::Values(Kind::Text)) => {
            Cell::Text(batch.keep(value.as_bytes()))
        }
        (Type::Instant, Content::Values(Kind::Timestamp))
            if engine(source).columns.shows_moments || value.contains('+') =>
        {
            Cell::Timestamp(clock::read_timestamp(&value)?)
        }
        _ => return None,
    };
    literal::text(target, to, &batch, cell).ok()
}

/// The bytes of a literal. Shorter ones are filled with zeros where the column does that.
fn bytes_of(source: Backend, own: Type, sql: &str) -> Option<Vec<u8>> {
    let sql = (engine(source).columns.uncast)(sql);
    let quoted = ["x'", "X'", "'\\x"].into_iter();
    let mut quoted = quoted.filter_map(|start| sql.strip_prefix(start)?.strip_suffix('\''));
    let mut bytes = match quoted.next() {
        Some(digits) => bytes_of_digits(digits)?,
        // In SQLite, text stays text, and PostgreSQL reads escapes.
        None if source.stores_any_type() || sql.contains('\\') => return None,
        None => value_of(source, sql)?.into_bytes(),
    };
    if let Type::FixedBytes(length) = own {
        bytes.resize((length as usize).max(bytes.len()), 0);
    }
    Some(bytes)
}

fn bytes_of_digits(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).map(str::from_utf8);
    let bytes = pairs.map(|pair| u8::from_str_radix(pair.ok()?, 16).ok());
    bytes.collect()
}

/// MySQL has other characters than the standard from 0x80 to 0x9f.
fn text_of_latin1(digits: &str) -> Option<String> {
    let characters = bytes_of_digits(digits)?.into_iter().map(char::from);
    let characters = characters.map(|one| (!('\u{80}'..='\u{9f}').contains(&one)).then_some(one));
    characters.collect()
}

/// Whether a default is NULL, as that of a column without one.
pub(crate) fn is_null(source: Backend, sql: &str) -> bool {
    let columns = &engine(source).columns;
    let sql = (columns.uncast)((columns.unwrapped)(sql.trim()));
    sql.eq_ignore_ascii_case("null")
}

/// The literal of a value.
fn constant(source: Backend, target: Backend, own: Type, value: &str) -> Option<String> {
    let text = || Some(text_literal(target, value));
    let is_number = matches!(normal(value), Some(Normal::Number { .. }));
    match own {
        Type::Bool | Type::Flag => {
            let [no, yes] = engine(target).values.booleans;
            match value {
                "1" | "t" | "true" => Some(yes.into()),
                "0" | "f" | "false" => Some(no.into()),
                // Some use it for small numbers.
                _ if own == Type::Flag => value.parse::<i8>().ok().map(|one| one.to_string()),
                _ => None,
            }
        }
        Type::Integer { .. } | Type::Year => {
            let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
            let number = whole.parse::<i128>().ok()?;
            let is_whole = fraction.bytes().all(|digit| digit == b'0');
            is_whole.then(|| number.to_string())
        }
        Type::Text(_) | Type::PaddedText(_) | Type::Enum | Type::Set => {
            (!value.contains('\0')).then(text)?
        }
        Type::Json => serde_json::from_str::<serde_json::Value>(value)
            .is_ok()
            .then(text)?,
        Type::Decimal(_) if normal(value).is_some() => text(),
        // MySQL and MariaDB read digits without an exponent as a decimal, which has 65 at most.
        Type::Single if is_number => written(value.parse::<f32>().ok().filter(|n| n.is_finite())),
        Type::Double if is_number => written(value.parse::<f64>().ok().filter(|n| n.is_finite())),
        Type::Date if is_day(value) => text(),
        Type::Time if is_time(value) => Some(text_literal(target, without_zeros(value))),
        Type::Timestamp if is_clock(value) => Some(text_literal(target, without_zeros(value))),
        Type::Instant => {
            let moment = value.strip_suffix("+00").unwrap_or(value);
            let has_zone = moment.len() < value.len();
            let is_in_utc = has_zone || (engine(source).values.utc).is_empty();
            let written = format!("{}{}", without_zeros(moment), engine(target).values.utc);
            (is_in_utc && is_clock(moment) && engine(source).columns.shows_moments)
                .then(|| text_literal(target, &written))
        }
        _ => None,
    }
}

/// The fewest digits of a number, with an exponent where there would be many.
fn written(number: Option<impl fmt::Debug>) -> Option<String> {
    number.map(|number| format!("{number:?}"))
}

/// A day that every database has.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let longest = match month {
        "02" if is_leap_year(year) => 29,
        "02" => 28,
        "04" | "06" | "09" | "11" => 30,
        _ => 31,
    };
    is_between(year, 4, 1, 9999) && is_between(month, 2, 1, 12) && is_between(day, 2, 1, longest)
}

fn is_leap_year(year: &str) -> bool {
    let year: u32 = year.parse().unwrap_or_default();
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

/// A time of a day, with at most six digits behind the second.
fn is_time(text: &str) -> bool {
    let (text, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = text.split(':').collect();
    let [hour, minute, second] = parts[..] else {
        return false;
    };
    is_between(hour, 2, 0, 23)
        && is_between(minute, 2, 0, 59)
        && is_between(second, 2, 0, 59)
        && (1..=6).contains(&fraction.len())
        && is_between(fraction, fraction.len(), 0, 999_999)
}

/// A time as the copy writes it into SQLite, where it is text.
fn without_zeros(time: &str) -> &str {
    match time.contains('.') {
        true => time.trim_end_matches('0').trim_end_matches('.'),
        false => time,
    }
}

fn is_clock(text: &str) -> bool {
    let clock = text.split_once(' ');
    clock.is_some_and(|(day, time)| is_day(day) && is_time(time))
}

fn is_between(digits: &str, length: usize, least: u32, most: u32) -> bool {
    let is_number = digits.len() == length && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number
        && digits
            .parse()
            .is_ok_and(|number: u32| (least..=most).contains(&number))
}

/// Whether a default is the present moment.
pub(crate) fn is_now(source: Backend, sql: &str) -> bool {
    let sql = (engine(source).columns.unwrapped)(sql.trim());
    let names = [
        "current_timestamp",
        "localtimestamp",
        "now",
        "statement_timestamp",
        "transaction_timestamp",
        "getdate",
        "sysdatetime",
        "sysdatetimeoffset",
    ];
    is_function(sql, &names) || sql.eq_ignore_ascii_case("datetime('now')")
}

/// Whether some SQL is one of these functions, and nothing else.
fn is_function(sql: &str, names: &[&str]) -> bool {
    let (name, digits) = sql.split_once('(').unwrap_or((sql, ")"));
    let is_alone = digits
        .strip_suffix(')')
        .is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    let name = name.trim();
    is_alone && names.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// The value of a literal.
fn value_of(source: Backend, sql: &str) -> Option<String> {
    let sql = (engine(source).columns.uncast)(sql);
    if let truth @ ("true" | "false") = sql.to_ascii_lowercase().as_str() {
        return Some(if truth == "true" { "1" } else { "0" }.into());
    }
    if let Some(digits) = sql.strip_prefix("_latin1 X\\'") {
        return text_of_latin1(digits.strip_suffix("\\'")?);
    }
    let Some(inside) = inside_quotes(sql) else {
        return normal(sql).map(|_| sql.to_owned());
    };
    let escapes = source.escapes_by_backslash();
    let mut value = String::new();
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' if characters.next() != Some('\'') => return None,
            '\\' if escapes && characters.next() != Some('\\') => return None,
            other => value.push(other),
        }
    }
    Some(value)
}

/// What is between the quotes of a literal of text or of bits. MySQL escapes those of expressions.
fn inside_quotes(sql: &str) -> Option<&str> {
    if let Some((charset, escaped)) = sql.split_once("\\'")
        && charset.starts_with('_')
        && !charset.ends_with(" X")
    {
        return escaped.strip_suffix("\\'");
    }
    let quoted = sql.strip_prefix(['b', 'B']).unwrap_or(sql);
    quoted.strip_prefix('\'')?.strip_suffix('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_carried_and_expressions_are_not() {
        const NUMBER: Type = Type::Integer {
            bytes: 4,
            is_unsigned: false,
        };
        use Backend::{MariaDb, MySql, Postgres, Sqlite};
        for (source, target, own, sql, expected) in [
            (
                Postgres,
                MySql,
                Type::Text(Some(9)),
                "'a''b\\'::text",
                Some("'a''b\\\\'"),
            ),
            (
                MariaDb,
                Postgres,
                Type::Text(None),
                "'a\\\\b'",
                Some("'a\\b'"),
            ),
            (
                Postgres,
                MySql,
                Type::Text(None),
                "'UTC'::text",
                Some("'UTC'"),
            ),
            (MySql, Postgres, Type::Bool, "b'1'", Some("true")),
            (MySql, Sqlite, Type::Flag, "'2'", Some("2")),
            (MySql, Postgres, Type::Bool, "'2'", None),
            (
                MySql,
                Sqlite,
                Type::Json,
                "(_utf8mb4\\'{}\\')",
                Some("'{}'"),
            ),
            (
                MySql,
                Postgres,
                Type::Text(None),
                "(_latin1 X\\'61fc\\')",
                Some("'aü'"),
            ),
            (
                MySql,
                Postgres,
                Type::Text(None),
                "(_latin1 X\\'80\\')",
                None,
            ),
            (
                MySql,
                Postgres,
                Type::Text(None),
                "(_gbk X\\'b05c\\')",
                None,
            ),
            (
                Postgres,
                MySql,
                Type::Decimal(None),
                "(0)::numeric",
                Some("'0'"),
            ),
            (Postgres, MySql, Type::Double, "0.0", Some("0.0")),
            (
                Postgres,
                MySql,
                Type::Double,
                "0.00000000000000000000000000000000000000001",
                Some("1e-41"),
            ),
            (
                Postgres,
                MariaDb,
                Type::Single,
                "'-100000000000000000000'::numeric",
                Some("-1e20"),
            ),
            (
                Sqlite,
                Postgres,
                Type::Timestamp,
                "CURRENT_TIMESTAMP",
                Some("(CURRENT_TIMESTAMP AT TIME ZONE 'UTC')"),
            ),
            (
                Sqlite,
                MySql,
                Type::Timestamp,
                "datetime('now')",
                Some("(UTC_TIMESTAMP(6))"),
            ),
            (
                Sqlite,
                MySql,
                Type::Instant,
                "datetime('now')",
                Some("CURRENT_TIMESTAMP(6)"),
            ),
            (
                Sqlite,
                MySql,
                Type::Date,
                "CURRENT_DATE",
                Some("(CAST((UTC_TIMESTAMP(6)) AS date))"),
            ),
            (Sqlite, Postgres, NUMBER, "0.0", Some("0")),
            (Postgres, MySql, NUMBER, "1.5", None),
            (Postgres, MariaDb, Type::Json, "'{}'::jsonb", Some("'{}'")),
            (Sqlite, Postgres, Type::Json, "'{'", None),
            (MySql, MariaDb, Type::Enum, "'open'", Some("'open'")),
            (
                Postgres,
                MySql,
                Type::Timestamp,
                "'2020-02-28 00:00:00.000'::timestamp without time zone",
                Some("'2020-02-28 00:00:00'"),
            ),
            (
                MySql,
                Postgres,
                Type::Instant,
                "'2020-02-28 00:00:00'",
                Some("'2020-02-28 00:00:00+00:00'"),
            ),
            (
                MySql,
                Postgres,
                Type::Timestamp,
                "'0000-00-00 00:00:00'",
                None,
            ),
            (
                Postgres,
                MySql,
                Type::Date,
                "'2024-02-29'::date",
                Some("'2024-02-29'"),
            ),
            (MySql, Postgres, Type::Date, "'1900-02-29'", None),
            (
                Postgres,
                Sqlite,
                Type::Date,
                "CURRENT_DATE",
                Some("CURRENT_DATE"),
            ),
            (
                Postgres,
                MySql,
                Type::Timestamp,
                "now() + '01:00:00'::interval",
                None,
            ),
            (MySql, Postgres, NUMBER, "'3'", Some("3")),
            (Postgres, Sqlite, Type::Bool, "true", Some("1")),
            (MariaDb, Postgres, Type::Flag, "0", Some("false")),
            (
                MariaDb,
                Postgres,
                Type::Timestamp,
                "current_timestamp()",
                Some("CURRENT_TIMESTAMP"),
            ),
            (
                Postgres,
                MySql,
                Type::Instant,
                "now()",
                Some("CURRENT_TIMESTAMP(6)"),
            ),
            (Postgres, MySql, NUMBER, "nextval('s'::regclass)", None),
            (Postgres, Sqlite, Type::Uuid, "gen_random_uuid()", None),
            (Postgres, Sqlite, Type::Text(None), "'a' || 'b'", None),
        ] {
            let translated = translated(source, target, own, 1, sql);
            assert_eq!(translated.as_deref(), expected, "{sql}");
        }
        let whole_seconds = translated(MariaDb, MySql, Type::Instant, 1_000_000, "now()");
        assert_eq!(whole_seconds.as_deref(), Some("CURRENT_TIMESTAMP(0)"));
    }
}
