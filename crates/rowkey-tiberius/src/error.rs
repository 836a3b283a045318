//! The error type of this crate.

/// Why a row has no such key, or a condition cannot be written or bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The row has no such column.
    #[error("the row has no column `{column}`")]
    NoColumn {
        /// The name or position that was asked for.
        column: Box<str>,
    },

    /// The column is NULL, and the key was not optional.
    #[error("column `{column}` is no {key}: found NULL")]
    Null {
        /// The column's name, or its position if it has none.
        column: Box<str>,
        /// The key type.
        key: &'static str,
    },

    /// The column holds something that is no such key.
    #[error("column `{column}` is no {key}: {source}")]
    NoKey {
        /// The column's name, or its position if it has none.
        column: Box<str>,
        /// The key type.
        key: &'static str,
        /// What was expected and what was found.
        source: rowkey_core::Error,
    },

    /// A name that SQL Server cannot take.
    #[error(transparent)]
    Identifier(rowkey_core::Error),

    /// A condition whose parameters have other numbers than they would be bound to.
    #[error(
        "the condition's parameters begin with @P{first}, but {bound} are bound before them: give \
         the condition the number {}", bound + 1
    )]
    ParameterNumber {
        /// The number of the condition's first parameter.
        first: usize,
        /// How many parameters the query already has.
        bound: usize,
    },

    /// A condition whose parameters begin with 0.
    #[error("the condition's parameters begin with @P0, but a query's first is @P1")]
    ParameterZero,

    /// More parameters than a query can have.
    #[error("the condition's last parameter would be @P{last}, but a query takes {MAX_PARAMETERS}")]
    TooManyParameters {
        /// The number of the last parameter.
        last: usize,
    },
}

/// SQL Server takes 2,100, of which the query's text and the parameters' types are two.
pub(crate) const MAX_PARAMETERS: usize = 2_098;

/// As a conversion error, for functions that answer with tiberius' own.
impl From<Error> for tiberius::error::Error {
    fn from(error: Error) -> Self {
        Self::Conversion(error.to_string().into())
    }
}
