//! A time span as the condition of a query, in pieces for a driver to assemble.

use alloc::format;
use alloc::string::String;

use super::{Bounds, KeyBound, KeyRange};
use crate::error::Error;
use crate::key::EntityKey;
use crate::storage::Backend;
use crate::storage::quote_identifier;

/// The name of a column, optionally with its table's name or alias. Made from `"id"` or from
/// `("offer", "id")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnName<'a> {
    table: Option<&'a str>,
    column: &'a str,
}

impl<'a> From<&'a str> for ColumnName<'a> {
    fn from(column: &'a str) -> Self {
        Self {
            table: None,
            column,
        }
    }
}

impl<'a> From<(&'a str, &'a str)> for ColumnName<'a> {
    fn from((table, column): (&'a str, &'a str)) -> Self {
        Self {
            table: Some(table),
            column,
        }
    }
}

impl ColumnName<'_> {
    /// The name as written in SQL.
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid on the backend.
    ///
    /// ```
    /// use rowkey_core::time_range::ColumnName;
    /// use rowkey_core::Backend;
    ///
    /// let name = ColumnName::from(("offer", "id"));
    /// assert_eq!(name.quoted(Backend::SqlServer)?, "[offer].[id]");
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn quoted(self, backend: Backend) -> Result<String, Error> {
        let column = quote_identifier(backend, self.column)?;
        Ok(match self.table {
            Some(table) => format!("{}.{column}", quote_identifier(backend, table)?),
            None => column,
        })
    }
}

/// A piece of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionPart<K: EntityKey> {
    /// Literal SQL.
    Sql(&'static str),
    /// The column, whose name has to be [quoted](ColumnName::quoted).
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
