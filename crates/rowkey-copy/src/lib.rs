#![doc = include_str!("../README.md")]
//!
//! A [`CopyPlan`] says which table goes where, and which type each column has there. [`copy`] does
//! it. After an interruption it continues where it stopped: rows and their last key are committed
//! together. [`compare`] reads both sides again.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod as_found;
mod batch;
mod checkpoint;
mod checks;
pub mod chunks;
mod collations;
mod compare;
mod conditions;
mod copied_rows;
mod counters;
mod create;
mod defaults;
mod engine;
mod existing;
mod index_rules;
mod job;
mod kept_ids;
mod mapping;
mod merge;
mod names;
mod objects;
mod omissions;
mod orphan;
mod own_types;
#[cfg(feature = "parquet")]
#[cfg_attr(docsrs, doc(cfg(feature = "parquet")))]
pub mod parquet;
mod partitions;
mod plan;
mod planning;
mod preflight;
mod prepared;
mod read;
mod replacements;
mod request;
mod run;
mod select;
mod session;
mod sql_text;
mod table_parts;
mod table_side;
#[cfg(feature = "spark")]
mod target_tables;
mod untyped;
mod write;

pub use self::compare::{ComparedTable, Comparison, RowDifference, compare};
pub use self::plan::{ColumnPlan, CopyPlan, CopyPolicy, ExistingRows, TablePlan};
pub use self::planning::{Choices, Planned, plan};
pub use self::preflight::{Misfit, Misfits, Preflight};
pub use self::replacements::{Cut, Null, Replacements, Strip, Zero};
pub use self::request::{MAX_JOBS, Request};
pub use self::run::{CopiedTable, Report, copy};

pub use rowkey_tables::{Address, Connection, Error, Progress, Row, Silent, Step, Value, catalog};
