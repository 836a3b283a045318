#![doc = include_str!("../README.md")]
//!
//! A [`CopyPlan`] says which table goes where, and which type each column has there. [`copy`] does
//! it. After an interruption it continues where it stopped: rows and their last key are committed
//! together. [`compare`] reads both sides again.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// Each folder uses only those before it in this order: `batch`, `plans`, `tables`, `engine`, `rows`,
// `mapping` and `session`, `definitions`, `chunks` and `job`, `preflight`; then `planning`, `run` and
// `comparison`; then `parquet`.
mod batch;
pub mod chunks;
mod comparison;
mod definitions;
mod engine;
mod job;
mod mapping;
#[cfg(feature = "parquet")]
#[cfg_attr(docsrs, doc(cfg(feature = "parquet")))]
pub mod parquet;
mod planning;
mod plans;
mod preflight;
mod request;
mod rows;
mod run;
mod session;
mod tables;

pub use self::comparison::{Comparison, compare};
pub use self::planning::{Choices, Planned, plan};
pub use self::plans::plan::{ColumnPlan, CopyPlan, CopyPolicy, ExistingRows, TablePlan, Triggers};
pub use self::plans::replacements::{Cut, Null, Replacements, Strip, Zero};
pub use self::preflight::{Misfit, Misfits, Preflight};
pub use self::request::{MAX_JOBS, Request};
pub use self::rows::compare::ComparedTable;
pub use self::run::{CopiedTable, Report, copy};

pub use rowkey_tables::digest::RowDifference;
pub use rowkey_tables::{Address, Connection, Error, Progress, Row, Silent, Step, Value, catalog};
