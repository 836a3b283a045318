#![doc = include_str!("../README.md")]
//!
//! # All of `tests/offers.rs`, with typed keys
//!
//! ```no_run
#![doc = include_str!("../tests/offers.rs")]
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod backend;
#[cfg(any(feature = "suite", feature = "containers"))]
mod blocking;
#[cfg(feature = "containers")]
pub mod containers;
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
