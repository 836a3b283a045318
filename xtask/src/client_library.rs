//! The client libraries that Diesel links, and the features that this machine can build.

use std::{collections::BTreeMap, env, fmt, process::Command};

use cargo_metadata::Package;

use crate::command;

/// The client library of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientLibrary {
    Libpq,
    Libmysqlclient,
}

impl ClientLibrary {
    const ALL: [Self; 2] = [Self::Libpq, Self::Libmysqlclient];

    /// The feature of Diesel that links it, as features of other packages turn it on.
    fn diesel_feature(self) -> &'static str {
        match self {
            Self::Libpq => "diesel/postgres",
            Self::Libmysqlclient => "diesel/mysql",
        }
    }

    /// Whether it is where the crates look first that link it: pq-sys and mysqlclient-sys.
    fn is_there(self) -> bool {
        let (variable, packages): (_, &[_]) = match self {
            Self::Libpq => ("PQ_LIB_DIR", &["libpq"]),
            Self::Libmysqlclient => ("MYSQLCLIENT_LIB_DIR", &["mysqlclient", "libmariadb"]),
        };
        let is_known = |package: &&str| {
            let mut pkg_config = Command::new("pkg-config");
            command::output(pkg_config.args(["--exists", package])).is_ok()
        };
        env::var_os(variable).is_some() || packages.iter().any(is_known)
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
            Self::Libpq => {
                "libpq was not found, so Diesel is not tested on PostgreSQL (libpq-dev and pkg-config)"
            }
            Self::Libmysqlclient => {
                "neither libmariadb nor libmysqlclient was found, so Diesel is not tested on MySQL \
                 and MariaDB (libmariadb-dev and pkg-config)"
            }
        })
    }
}

/// The arguments of cargo that turn on every feature of these packages of the workspace but those
/// that ask for a missing library.
///
/// All in one run: cargo would build most dependencies again for another set of features.
pub(crate) fn feature_args(packages: &[&Package], missing: &[ClientLibrary]) -> Vec<String> {
    if missing.is_empty() {
        return vec!["--all-features".to_owned()];
    }
    let packages = packages.iter();
    let features = packages.map(|package| features_of(&package.name, &package.features, missing));
    vec![format!(
        "--features={}",
        features.collect::<Vec<_>>().join(",")
    )]
}

/// The features of a package without those that ask for a missing library.
fn features_of(
    package: &str,
    features: &BTreeMap<String, Vec<String>>,
    missing: &[ClientLibrary],
) -> String {
    let links_missing = |turned_on: &[String]| {
        let mut features = missing.iter().map(|library| library.diesel_feature());
        features.any(|feature| turned_on.iter().any(|on| on == feature))
    };
    let possible = features.iter().filter(|(_, on)| !links_missing(on));
    let possible = possible.map(|(feature, _)| format!("{package}/{feature}"));
    possible.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_links_a_missing_library_is_off() {
        let features = [
            ("diesel-mysql", "diesel/mysql"),
            ("diesel-postgres", "diesel/postgres"),
            ("forwarded", "rowkey-diesel/mysql"),
        ];
        let features = features.map(|(name, on)| (name.to_owned(), vec![on.to_owned()]));
        let features = BTreeMap::from(features);
        let without = |missing: &[_]| features_of("a", &features, missing);
        let rest = "a/diesel-postgres,a/forwarded";
        assert_eq!(without(&[ClientLibrary::Libmysqlclient]), rest);
        assert_eq!(without(&ClientLibrary::ALL), "a/forwarded");
        assert_eq!(feature_args(&[], &[]), ["--all-features"]);
    }
}
