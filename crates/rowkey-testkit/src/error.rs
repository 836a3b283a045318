use rowkey_core::Backend;

/// Why a backend cannot be used for tests.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// [`REQUIRE_VARIABLE`](crate::REQUIRE_VARIABLE) names an unknown backend.
    #[error("ROWKEY_TEST_REQUIRE names `{name}`; known are {known}")]
    UnknownBackend {
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// The address of a server has no scheme.
    #[error("the address of {backend} does not start with a scheme such as mysql://")]
    Address {
        /// The backend.
        backend: Backend,
    },
    /// The driver of this backend is behind a feature that is off.
    #[error("for {backend}, turn on the feature `sqlserver` of rowkey-testkit")]
    Unsupported {
        /// The backend.
        backend: Backend,
    },
    /// A server could not be reached, or refused to create or drop a database.
    #[error("could not prepare or clean up {backend}")]
    Server {
        /// The backend.
        backend: Backend,
        /// The error of the server or its driver.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The path of the temporary directory, where SQLite's files go, is not UTF-8.
    #[error("the path of the temporary directory is not UTF-8")]
    TemporaryDirectory,
}
