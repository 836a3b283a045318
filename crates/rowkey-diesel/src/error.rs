use rowkey_core::Backend;

/// Why a key cannot go to or come from a column.
///
/// Values that are no key of the plan are a [`rowkey_core::Error`]; Diesel adds the column's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The schema declares another type than the key's plan has on this backend.
    #[error(
        "the schema declares a column of type {declared}, but {backend} stores {key} as {stored}: \
         declare it as Key<{key}>"
    )]
    Declared {
        /// The key type.
        key: &'static str,
        /// Diesel's SQL type.
        declared: &'static str,
        /// The backend of the connection.
        backend: Backend,
        /// What the plan stores there, in words.
        stored: &'static str,
    },
}
