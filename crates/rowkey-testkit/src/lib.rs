//! Integration tests that run on every database there is.
//!
//! A [`Suite`] takes each test once and makes a trial of it for every backend it is meant for,
//! called `<backend>::<test>`. Every trial gets a [`TestDatabase`] of its own, so that trials run
//! in parallel, and that database goes when the trial ends, also by a panic.
//!
//! SQLite is always there. Servers are where these variables say:
//!
//! | variable | for example |
//! |---|---|
//! | `ROWKEY_TEST_POSTGRES_URL` | `postgres://postgres@127.0.0.1:5432/test` |
//! | `ROWKEY_TEST_MYSQL_URL` | `mysql://root@127.0.0.1:3306/test` |
//! | `ROWKEY_TEST_MARIADB_URL` | `mysql://root@127.0.0.1:3306/test` |
//! | `ROWKEY_TEST_SQLSERVER_URL` | `server=127.0.0.1,1433;user=sa;password=…` |
//! | `ROWKEY_TEST_REQUIRE` | `postgres,mariadb,sqlite` |
//!
//! Trials of a backend without an address are reported as *ignored*, never as passed. They fail if
//! `ROWKEY_TEST_REQUIRE` names the backend, so that continuous integration cannot lose one without
//! anybody noticing. The account has to be allowed to create and drop schemas (PostgreSQL) or
//! databases (MySQL, MariaDB, SQL Server).
//!
//! SQL Server takes the feature `sqlserver`, which brings tiberius along. Its address is a connection
//! string of ADO.NET's. Whoever encrypts the connection chooses how, by a feature of tiberius:
//! `rustls` or `native-tls`.
//!
//! If `ROWKEY_TEST_RESULTS` names a file, each suite adds to it how each of its tests ended, as lines
//! of JSON: [`TestResult`] reads them, also without the default feature `suite`, which brings
//! everything that runs tests.
//!
//! What is left of a run that was killed is called `rowkey_test_…`: schemas, databases, and files in
//! the temporary directory. It can be dropped when no tests run.
//!
//! # A test on all backends
//!
//! The test binary brings its own `main`, so its manifest says so:
//!
//! ```toml
//! [[test]]
//! name = "offers"
//! harness = false
//! ```
//!
//! This is all of `tests/offers.rs`:
//!
//! ```no_run
#![doc = include_str!("../tests/offers.rs")]
//! ```
#![forbid(unsafe_code)]

mod backend;
mod error;
mod results;
#[cfg(feature = "suite")]
mod server;
#[cfg(feature = "sqlserver")]
mod sqlserver;
#[cfg(feature = "suite")]
mod suite;

#[cfg(feature = "suite")]
pub use libtest_mimic;
pub use rowkey_core::Backend;

pub use crate::backend::{REQUIRE_VARIABLE, required_backends, test_name, url_variable};
pub use crate::error::Error;
pub use crate::results::{Outcome, RESULTS_VARIABLE, TestResult};
#[cfg(feature = "suite")]
pub use crate::server::{Search, Server, TestDatabase};
#[cfg(feature = "suite")]
pub use crate::suite::Suite;

/// Compiles and runs the example of this package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
