//! The error type of this crate.

/// Why a row has no such key, or a condition cannot be written or bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The row has no such column.
    #[error("the row has no column `{column}`")]
    NoColumn {
        /// The requested name or position.
        column: Box<str>,
    },

    /// The column is NULL, but the key is not optional.
    #[error("column `{column}` is not a valid {key}: found NULL")]
    Null {
        /// The column's name, or its position if it has none.
        column: Box<str>,
        /// The name of the key type.
        key: &'static str,
    },

    /// The column's value is not such a key.
    #[error("column `{column}` is not a valid {key}: {source}")]
    NoKey {
        /// The column's name, or its position if it has none.
        column: Box<str>,
        /// The name of the key type.
        key: &'static str,
        /// What was expected and what was found.
        source: rowkey_core::Error,
    },

    /// A name that is not valid in SQL Server.
    #[error(transparent)]
    Identifier(rowkey_core::Error),

    /// A condition's parameters would be bound to other numbers than those in its SQL.
    #[error(
        "the condition's parameters begin with @P{first}, but {bound} are bound before them: give \
         the condition the number {}", bound + 1
    )]
    ParameterNumber {
        /// The number of the condition's first parameter.
        first: usize,
        /// The number of parameters that the query already has.
        bound: usize,
    },

    /// A condition's parameters begin with 0.
    #[error("the condition's parameters begin with @P0, but a query's first is @P1")]
    ParameterZero,

    /// More parameters than a query can have.
    #[error("the condition's last parameter would be @P{last}, but a query takes {MAX_PARAMETERS}")]
    TooManyParameters {
        /// The number of the last parameter.
        last: usize,
    },
}

/// SQL Server allows 2,100, two of which are the query's text and the parameters' types.
pub(crate) const MAX_PARAMETERS: usize = 2_098;

/// For functions that return tiberius' own error.
impl From<Error> for tiberius::error::Error {
    fn from(error: Error) -> Self {
        Self::Conversion(error.to_string().into())
    }
}
