//! Defaults of columns in the words of another database.

use rowkey_core::Backend;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::Type;

use crate::engine::engine;

/// The default of a column in the target; nothing for an expression that only the source has.
pub(super) fn translated(source: Backend, target: Backend, own: Type, sql: &str) -> Option<String> {
    let (shown, columns) = (&engine(source).columns, &engine(target).columns);
    if source == target {
        return Some((columns.default)(sql));
    }
    let sql = (shown.unwrapped)(sql.trim());
    let lower = sql.to_ascii_lowercase();
    if is_now(&lower) {
        let [without_zone, with_zone] = columns.now;
        return match own {
            Type::Timestamp => Some(without_zone.into()),
            Type::Instant => Some(with_zone.into()),
            _ => None,
        };
    }
    if !(columns.has_default)(own) {
        return None;
    }
    let value = match lower.as_str() {
        "true" => "1".into(),
        "false" => "0".into(),
        _ => value_of(source, sql)?,
    };
    match own {
        Type::Bool | Type::Flag => {
            let [no, yes] = engine(target).values.booleans;
            match value.as_str() {
                "1" | "t" | "true" => Some(yes.into()),
                "0" | "f" | "false" => Some(no.into()),
                _ => None,
            }
        }
        Type::Integer { .. } => value.parse::<i128>().ok().map(|number| number.to_string()),
        Type::Text(_) | Type::PaddedText(_) if !value.contains('\0') => {
            Some(text_literal(target, &value))
        }
        Type::Decimal(_) if crate::batch::normal(&value).is_some() => {
            Some(text_literal(target, &value))
        }
        _ => None,
    }
}

fn is_now(lower: &str) -> bool {
    let name = lower.split('(').next().unwrap_or_default().trim();
    let names = [
        "current_timestamp",
        "now",
        "getdate",
        "sysdatetime",
        "sysdatetimeoffset",
    ];
    names.contains(&name)
}

/// The value of a literal.
fn value_of(source: Backend, sql: &str) -> Option<String> {
    let sql = (engine(source).columns.uncast)(sql);
    let Some(inside) = sql
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    else {
        return crate::batch::normal(sql).map(|_| sql.to_owned());
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
            (Postgres, MySql, Type::Text(None), "'a'::text", None),
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
            let translated = translated(source, target, own, sql);
            assert_eq!(translated.as_deref(), expected, "{sql}");
        }
    }
}
