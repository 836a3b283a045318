//! A time span as the condition of a query, in pieces for a driver to assemble.

use super::{Bounds, KeyBound, KeyRange};
use crate::key::EntityKey;

/// A piece of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionPart<K: EntityKey> {
    /// Literal SQL.
    Sql(&'static str),
    /// The column, whose name has to be [quoted](crate::storage::ColumnName::quoted).
    Column,
    /// A parameter.
    Bound(KeyBound<K>),
}

impl<K: EntityKey> Bounds<K> {
    /// Passes on, piece by piece, the condition that a column contains a key within the bounds. It
    /// is in parentheses, so it can follow `WHERE` or `AND`.
    ///
    /// An unbounded edge is omitted. Bounds without keys become `1 = 0`, unlimited bounds
    /// `IS NOT NULL`.
    pub fn write_condition(&self, mut push: impl FnMut(ConditionPart<K>)) {
        use ConditionPart::{Bound, Column, Sql};

        if self.is_empty() {
            return push(Sql("1 = 0"));
        }
        let is_all = |range: &KeyRange<K>| range.lower.is_none() && range.upper.is_none();
        if self.iter().any(is_all) {
            push(Column);
            return push(Sql(" IS NOT NULL"));
        }
        // AND binds more tightly than OR.
        push(Sql("("));
        for (index, KeyRange { lower, upper }) in self.iter().enumerate() {
            if index > 0 {
                push(Sql(" OR "));
            }
            if let Some(lower) = *lower {
                push(Column);
                push(Sql(" >= "));
                push(Bound(lower));
            }
            if lower.is_some() && upper.is_some() {
                push(Sql(" AND "));
            }
            if let Some(upper) = *upper {
                push(Column);
                push(Sql(" < "));
                push(Bound(upper));
            }
        }
        push(Sql(")"));
    }
}
