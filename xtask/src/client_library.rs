//! The client libraries that Diesel's tests link, and the features that this machine can build.

use std::{
    env, fmt,
    process::{Command, Stdio},
};

use crate::workspace::Metadata;

/// The package of the tests that link the libraries.
const TESTS_PACKAGE: &str = "rowkey-tests";

/// The client library of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientLibrary {
    Libpq,
    Libmysqlclient,
}

impl ClientLibrary {
    const ALL: [Self; 2] = [Self::Libpq, Self::Libmysqlclient];

    /// The feature of the tests that links it.
    fn feature(self) -> &'static str {
        match self {
            Self::Libpq => "diesel-postgres",
            Self::Libmysqlclient => "diesel-mysql",
        }
    }

    /// Whether it is where the crates look that link it: pq-sys and mysqlclient-sys.
    fn is_there(self) -> bool {
        let (variable, packages, config): (_, &[_], [&str; 2]) = match self {
            Self::Libpq => ("PQ_LIB_DIR", &["libpq"], ["pg_config", "--libdir"]),
            Self::Libmysqlclient => (
                "MYSQLCLIENT_LIB_DIR",
                &["mysqlclient", "libmariadb"],
                ["mysql_config", "--libs"],
            ),
        };
        env::var_os(variable).is_some()
            || packages
                .iter()
                .any(|package| succeeds("pkg-config", &["--exists", package]))
            || succeeds(config[0], &config[1..])
    }

    /// The libraries that this machine lacks.
    pub(crate) fn missing() -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|library| !library.is_there())
            .collect()
    }
}

/// The library, what is missing without it, and how to get it.
impl fmt::Display for ClientLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Libpq => "libpq was not found, so Diesel is not tested on PostgreSQL (libpq-dev)",
            Self::Libmysqlclient => {
                "neither libmariadb nor libmysqlclient was found, so Diesel is not tested on MySQL \
                 and MariaDB (libmariadb-dev and pkg-config)"
            }
        })
    }
}

fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The arguments of cargo that turn on every feature of these packages of the workspace but those
/// that ask for a missing library.
///
/// All in one run: cargo would build most dependencies again for another set of features.
pub(crate) fn feature_args(
    metadata: &Metadata,
    is_selected: impl Fn(&str) -> bool,
    missing: &[ClientLibrary],
) -> Vec<String> {
    if missing.is_empty() {
        return vec!["--all-features".to_owned()];
    }
    let is_missing = |package: &str, feature: &str| {
        package == TESTS_PACKAGE && missing.iter().any(|library| library.feature() == feature)
    };
    let features: Vec<String> = metadata
        .members()
        .filter(|package| is_selected(&package.name))
        .flat_map(|package| {
            let features = package.features.keys();
            features
                .filter(|feature| !is_missing(&package.name, feature))
                .map(|feature| format!("{}/{feature}", package.name))
        })
        .collect();
    vec![format!("--features={}", features.join(","))]
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{
        "packages": [
            {"id": "a", "name": "rowkey", "version": "0.1.0", "rust_version": null,
             "publish": null, "targets": [], "dependencies": [],
             "features": {"std": [], "diesel-mysql": []}},
            {"id": "b", "name": "rowkey-tests", "version": "0.1.0", "rust_version": null,
             "publish": [], "targets": [], "dependencies": [],
             "features": {"diesel-mysql": [], "diesel-postgres": []}},
            {"id": "c", "name": "diesel", "version": "2.3.14", "rust_version": null,
             "publish": null, "targets": [], "dependencies": [],
             "features": {"mysql": []}}
        ],
        "workspace_members": ["a", "b"],
        "target_directory": "target"
    }"#;

    fn features(packages: &[&str], missing: &[ClientLibrary]) -> Vec<String> {
        let metadata = Metadata::parse(METADATA).unwrap();
        feature_args(&metadata, |name| packages.contains(&name), missing)
    }

    #[test]
    fn all_features_are_on_where_every_library_is_there() {
        assert_eq!(
            features(&["rowkey", "rowkey-tests"], &[]),
            ["--all-features"]
        );
    }

    #[test]
    fn only_the_tests_that_link_a_missing_library_are_off() {
        assert_eq!(
            features(
                &["rowkey", "rowkey-tests"],
                &[ClientLibrary::Libmysqlclient]
            ),
            ["--features=rowkey/diesel-mysql,rowkey/std,rowkey-tests/diesel-postgres"]
        );
        assert_eq!(
            features(&["rowkey"], &ClientLibrary::ALL),
            ["--features=rowkey/diesel-mysql,rowkey/std"]
        );
    }
}
