//! Integration tests that run on every available database.
//!
//! A [`Suite`] takes each test once and makes a trial of it for each of its backends, called
//! `<backend>::<test>`. Every trial gets a separate [`TestDatabase`], so that trials run in parallel,
//! and the database is dropped when the trial ends, even by a panic.
//!
//! SQLite is always available. These variables have the addresses of servers:
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
//! `ROWKEY_TEST_REQUIRE` names the backend, so that continuous integration cannot lose one
//! unnoticed. The account has to be allowed to create and drop schemas (PostgreSQL) or
//! databases (MySQL, MariaDB, SQL Server).
//!
//! SQL Server needs the feature `sqlserver`, which depends on tiberius. Its address is an ADO.NET
//! connection string. To encrypt the connection, turn on tiberius' feature `rustls` or `native-tls`.
//!
//! If `ROWKEY_TEST_RESULTS` names a file, each suite appends the outcome of each of its tests, as lines
//! of JSON. [`TestResult`] reads them, even without the default feature `suite`, which contains
//! everything that runs tests.
//!
//! A run that was killed leaves schemas, databases and temporary files behind that are called
//! `rowkey_test_…`. You can drop them when no tests run.
//!
//! # A test on all backends
//!
//! The test binary has its own `main`, so turn off the harness in the manifest:
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
#![cfg_attr(docsrs, feature(doc_cfg))]

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
