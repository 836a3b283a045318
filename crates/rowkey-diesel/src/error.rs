use rowkey_core::Backend;

/// Why a key cannot be written to or read from a column.
///
/// A value that is not a key of the plan is a [`rowkey_core::Error`] instead; Diesel adds the
/// column's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The schema declares another type than the key's plan has on this backend.
    #[error(
        "the schema declares a column of type {declared}, but {backend} stores {key} as {stored}: {}",
        advice(.key, *.required_type)
    )]
    Declared {
        /// The name of the key type.
        key: &'static str,
        /// The name of Diesel's SQL type.
        declared: &'static str,
        /// The backend of the connection.
        backend: Backend,
        /// What the plan stores on the backend, in words.
        stored: &'static str,
        /// The type that the column must have in the database before the schema declares it as
        /// [`Key`](crate::Key), if another type would damage keys silently.
        required_type: Option<&'static str>,
    },
}

/// How to fix a schema, and the database before it.
fn advice(key: &str, required_type: Option<&str>) -> String {
    match required_type {
        Some(sql_type) => format!(
            "the column has to become {sql_type} in the database, and only then be declared as \
             Key<{key}>"
        ),
        None => format!("declare it as Key<{key}>"),
    }
}
