//! Columns of a database, with the keys that they hold.

use super::ddl::Nullability;
use super::plan::StoragePlan;
use crate::key::EntityKey;

/// A column that holds a key, to compare a database with the plans of its keys.
///
/// A list of them is written with [`key_columns!`](crate::key_columns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyColumn {
    /// The name of the key's type.
    pub key: &'static str,
    /// The plan of the key.
    pub plan: StoragePlan,
    /// Whether the column allows NULL.
    pub nullability: Nullability,
    /// The schema of the table, which MySQL and MariaDB call a database, unless it is the
    /// connection's own.
    pub schema: Option<&'static str>,
    /// The name of the table.
    pub table: &'static str,
    /// The name of the column.
    pub column: &'static str,
}

impl KeyColumn {
    /// The column `table.column` or `schema.table.column` for a key, or for an `Option` of one,
    /// which allows NULL. A name contains no dot.
    ///
    /// # Panics
    ///
    /// If the text is neither. In a constant and in [`key_columns!`](crate::key_columns), this is a
    /// compile error.
    #[must_use]
    pub const fn of<C: ColumnKey>(name: &'static str) -> Self {
        const REFUSAL: &str = "a column is written as `table.column` or `schema.table.column`";
        let Some((table, column)) = split_at_last_dot(name) else {
            panic!("{}", REFUSAL);
        };
        let (schema, table) = match split_at_last_dot(table) {
            Some((schema, table)) => (Some(schema), table),
            None => (None, table),
        };
        let is_wrong = match schema {
            Some(schema) => schema.is_empty() || split_at_last_dot(schema).is_some(),
            None => false,
        };
        if is_wrong || table.is_empty() || column.is_empty() {
            panic!("{}", REFUSAL);
        }
        Self {
            key: C::Key::NAME,
            plan: C::Key::PLAN,
            nullability: C::NULLABILITY,
            schema,
            table,
            column,
        }
    }
}

const fn split_at_last_dot(text: &str) -> Option<(&str, &str)> {
    let mut place = text.len();
    while place > 0 {
        place -= 1;
        if text.as_bytes()[place] == b'.' {
            let (before, dot_and_after) = text.split_at(place);
            return Some((before, dot_and_after.split_at(1).1));
        }
    }
    None
}

/// What a column with keys holds: a key, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "a column of `{Self}` holds no typed keys",
    label = "neither a typed key nor an `Option` of one",
    note = "declare the key with `#[entity_key] pub struct CustomerId(ShortPrefixComb);`"
)]
pub trait ColumnKey {
    /// The key.
    type Key: EntityKey;

    /// Whether the column allows NULL.
    const NULLABILITY: Nullability;
}

impl<K: EntityKey> ColumnKey for K {
    type Key = K;

    const NULLABILITY: Nullability = Nullability::NotNull;
}

impl<K: EntityKey> ColumnKey for Option<K> {
    type Key = K;

    const NULLABILITY: Nullability = Nullability::Nullable;
}

/// A list of [`KeyColumn`]s: each key with its column, or an `Option` of it where the column allows
/// NULL.
#[macro_export]
macro_rules! key_columns {
    ($($key:ty => $column:expr),* $(,)?) => {
        [$(const { $crate::storage::KeyColumn::of::<$key>($column) }),*]
    };
}
