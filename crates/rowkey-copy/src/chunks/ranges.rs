//! Ranges as conditions in SQL.

use super::key::KeyColumn;

/// The condition of the only range.
const ALL: &str = "1 = 1";

/// The condition of each range, from the first keys of all but the first one.
pub(super) fn conditions(key: &[KeyColumn], firsts: &[Vec<String>]) -> Vec<String> {
    let Some(first) = firsts.first() else {
        return vec![ALL.to_owned()];
    };
    let mut conditions = vec![or_null(key, before(key, first))];
    for (place, from) in firsts.iter().enumerate() {
        let from = not_before(key, from);
        conditions.push(match firsts.get(place + 1) {
            Some(to) => format!("{from} AND {}", before(key, to)),
            None => from,
        });
    }
    conditions
}

/// Rows without a key are in the first range.
fn or_null(key: &[KeyColumn], condition: String) -> String {
    match key {
        [column] if column.is_nullable => format!("{condition} OR {} IS NULL", column.quoted),
        _ => condition,
    }
}

fn before(key: &[KeyColumn], bound: &[String]) -> String {
    compared(key, bound, "<", "<")
}

/// The condition that a key is this one, or behind it.
pub(super) fn not_before(key: &[KeyColumn], bound: &[String]) -> String {
    compared(key, bound, ">", ">=")
}

/// The comparison of a key with a bound, column by column: not every server has comparisons of
/// rows, or uses an index for them.
fn compared(key: &[KeyColumn], bound: &[String], operator: &str, last: &str) -> String {
    match (key, bound) {
        ([column], [value]) => format!("{} {last} {value}", column.quoted),
        ([column, key @ ..], [value, bound @ ..]) => {
            let rest = compared(key, bound, operator, last);
            let column = &column.quoted;
            format!("({column} {operator} {value} OR {column} = {value} AND {rest})")
        }
        _ => ALL.into(),
    }
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

    use super::super::key::tests::key_column;
    use super::*;

    fn bounds<const N: usize>(values: [&[&str]; N]) -> Vec<Vec<String>> {
        let owned = |values: &&[&str]| values.iter().map(ToString::to_string).collect();
        values.iter().map(owned).collect()
    }

    #[test]
    fn ranges_meet_without_a_gap() {
        let key = [key_column(Backend::Postgres, "id", "bigint", false)];
        assert_eq!(conditions(&key, &[]), ["1 = 1"]);
        assert_eq!(
            conditions(&key, &bounds([&["5"], &["9"]])),
            [r#""id" < 5"#, r#""id" >= 5 AND "id" < 9"#, r#""id" >= 9"#],
        );
    }

    #[test]
    fn rows_without_a_key_are_in_the_first_range() {
        let key = [key_column(Backend::MySql, "id", "bigint", true)];
        assert_eq!(
            conditions(&key, &bounds([&["5"]])),
            ["`id` < 5 OR `id` IS NULL", "`id` >= 5"],
        );
        assert_eq!(conditions(&key, &[]), ["1 = 1"]);
    }

    #[test]
    fn a_key_of_several_columns_is_compared_from_the_left() {
        let column = |name| key_column(Backend::SqlServer, name, "bigint", false);
        let key = ["a", "b", "c"].map(column);
        assert_eq!(
            conditions(&key, &bounds([&["1", "2", "3"]])),
            [
                "([a] < 1 OR [a] = 1 AND ([b] < 2 OR [b] = 2 AND [c] < 3))",
                "([a] > 1 OR [a] = 1 AND ([b] > 2 OR [b] = 2 AND [c] >= 3))",
            ],
        );
    }
}
