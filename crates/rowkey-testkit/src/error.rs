use rowkey_core::Backend;

/// Why a backend cannot be used for tests.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// [`REQUIRE_VARIABLE`](crate::REQUIRE_VARIABLE) names an unknown backend.
    #[error("ROWKEY_TEST_REQUIRE names `{name}`; known are {known}")]
    UnknownBackend {
        /// The unknown name.
        name: String,
        /// The known names.
        known: String,
    },
    /// The address of a server has no scheme.
    #[error("the address of {backend} does not start with a scheme such as mysql://")]
    Address {
        /// The backend whose address is wrong.
        backend: Backend,
    },
    /// The driver of this backend is behind a feature that is off.
    #[error("for {backend}, turn on the feature `sqlserver` of rowkey-testkit")]
    Unsupported {
        /// The backend without a driver.
        backend: Backend,
    },
    /// A server could not be reached, or refused to create or drop a database.
    #[error("could not prepare or clean up {backend}")]
    Server {
        /// The backend of the server.
        backend: Backend,
        /// The error of the server or its driver.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A server could not be started in a container.
    #[cfg(feature = "containers")]
    #[error("could not start {backend} in a container: {reason}")]
    Container {
        /// The backend of the server.
        backend: Backend,
        /// What Docker and the server said.
        reason: String,
    },
    /// The terms of SQL Server's image are not accepted.
    #[cfg(feature = "containers")]
    #[error(
        "SQL Server is not started in a container: its image runs for those who accept the terms at \
         https://go.microsoft.com/fwlink/?linkid=857698, which only you can do, by \
         ROWKEY_TEST_SQLSERVER_ACCEPT_EULA=Y"
    )]
    Licence,
    /// The path of the temporary directory, where SQLite's files go, is not UTF-8.
    #[error("the path of the temporary directory is not UTF-8")]
    TemporaryDirectory,
}

/// The text of an error and of its causes.
#[cfg(any(feature = "suite", feature = "containers"))]
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut texts: Vec<String> = causes.map(ToString::to_string).collect();
    // Some errors repeat their cause.
    texts.dedup_by(|cause, text| text.ends_with(&**cause));
    texts.join(": ")
}
