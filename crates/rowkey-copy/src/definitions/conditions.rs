//! Conditions of indexes, as far as two databases understand the same by them.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::Table;
use rowkey_tables::types::Type;

use crate::definitions::defaults;
use crate::definitions::sql_text::{separated, split_name, without_parentheses};
use crate::engine::engine;
use crate::tables::table_side::{ColumnSide, TableSide};

const OPERATORS: [&str; 7] = ["<>", "!=", "<=", ">=", "=", "<", ">"];

/// A condition in the words of the target; nothing for one that is not made of simple comparisons
/// of columns with values.
pub(crate) fn translated(
    source: Backend,
    table: &Table,
    side: &TableSide,
    condition: &str,
) -> Result<Option<String>, Error> {
    let has_conditions = |backend| engine(backend).definitions.has_conditions;
    if !has_conditions(source) || !has_conditions(side.backend) {
        return Ok(None);
    }
    let mut written = Vec::new();
    for part in separated(without_parentheses(condition), " AND ") {
        match comparison(source, table, side, without_parentheses(part))? {
            Some(part) => written.push(part),
            None => return Ok(None),
        }
    }
    Ok(Some(written.join(" AND ")))
}

fn comparison(
    source: Backend,
    table: &Table,
    side: &TableSide,
    text: &str,
) -> Result<Option<String>, Error> {
    let column = |text: &str| column(source, table, side, text);
    let upper = text.to_ascii_uppercase();
    for (words, is_before) in [(" IS NOT NULL", false), (" IS NULL", false), ("NOT ", true)] {
        let operand = match is_before {
            true if upper.starts_with(words) => &text[words.len()..],
            false if upper.ends_with(words) => &text[..text.len() - words.len()],
            _ => continue,
        };
        let Some(found) = column(operand) else {
            return Ok(None);
        };
        let name = quote_identifier(side.backend, &found.name)?;
        return Ok(match is_before {
            true => is_truth(found).then(|| format!("NOT {name}")),
            false => Some(format!("{name}{words}")),
        });
    }
    for operator in OPERATORS {
        let parts = separated(text, operator);
        let [left, right] = parts[..] else { continue };
        let Some(found) = column(left) else {
            return Ok(None);
        };
        let is_equality = ["=", "<>", "!="].contains(&operator);
        let is_alike = match found.own {
            Type::Integer { .. } => true,
            Type::Text(_) | Type::PaddedText(_) | Type::Bool | Type::Flag => is_equality,
            _ => false,
        };
        let value = defaults::value(source, side.backend, found.own, right.trim());
        let name = quote_identifier(side.backend, &found.name)?;
        return Ok(value
            .filter(|_| is_alike)
            .map(|value| format!("{name} {operator} {value}")));
    }
    let found = column(text).filter(|found| is_truth(found));
    let name = found.map(|found| quote_identifier(side.backend, &found.name));
    Ok(name.transpose()?)
}

fn is_truth(column: &ColumnSide) -> bool {
    matches!(column.own, Type::Bool | Type::Flag)
}

/// The column that an operand is, whatever it is cast to.
fn column<'s>(
    source: Backend,
    table: &Table,
    side: &'s TableSide,
    text: &str,
) -> Option<&'s ColumnSide> {
    let text = (engine(source).columns.uncast)(text.trim());
    let (name, behind) = split_name(source, without_parentheses(text))?;
    let mut columns = table.columns.iter().map(|column| &column.name);
    let name = columns.find(|column| (engine(source).definitions.is_column)(column, &name))?;
    let found = side.columns.iter().find(|column| column.name == *name);
    found.filter(|_| behind.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::table_side::Content;
    use rowkey_tables::catalog::Column;
    use rowkey_tables::types::{ColumnType, Kind};

    fn sides(backend: Backend) -> (Table, TableSide) {
        let columns = [
            ("deleted", Type::Timestamp),
            ("is_open", Type::Bool),
            ("status", Type::Text(Some(9))),
            (
                "size",
                Type::Integer {
                    bytes: 4,
                    is_unsigned: false,
                },
            ),
        ];
        let mut table = Table::new("thing");
        let named = |(name, _): &(&str, Type)| Column {
            name: (*name).into(),
            ..Column::of_type("")
        };
        table.columns = columns.iter().map(named).collect();
        let columns = columns.map(|(name, own)| {
            ColumnSide::new(
                name,
                ColumnType::parse(backend, ""),
                own,
                Content::Values(Kind::Text),
            )
        });
        let side = TableSide::new(backend, "thing".into(), columns.into());
        (table, side)
    }

    #[test]
    fn what_both_understand_is_written_in_the_words_of_the_other() {
        use Backend::{MySql, Postgres, Sqlite};
        for (source, target, condition, expected) in [
            (
                Postgres,
                Sqlite,
                "(deleted IS NULL)",
                Some("`deleted` IS NULL"),
            ),
            (
                Postgres,
                Sqlite,
                "((deleted IS NOT NULL) AND ((status)::text = 'a b'::text))",
                Some("`deleted` IS NOT NULL AND `status` = 'a b'"),
            ),
            (Postgres, Sqlite, "is_open", Some("`is_open`")),
            (Postgres, Sqlite, "(NOT is_open)", Some("NOT `is_open`")),
            (Sqlite, Postgres, "is_open = 1", Some("\"is_open\" = true")),
            (Sqlite, Postgres, "[Size]>=3", Some("\"size\" >= 3")),
            (Postgres, Sqlite, "(size > (3 + 1))", None),
            (Postgres, Sqlite, "(status > 'a'::text)", None),
            (Postgres, Sqlite, "(lower(status) = 'a'::text)", None),
            (Postgres, Sqlite, "((size = 1) OR (size = 2))", None),
            (Postgres, Sqlite, "size", None),
            (Sqlite, MySql, "size = 3", None),
        ] {
            let (table, side) = sides(target);
            let found = translated(source, &table, &side, condition).unwrap();
            assert_eq!(found.as_deref(), expected, "{condition}");
        }
    }
}
