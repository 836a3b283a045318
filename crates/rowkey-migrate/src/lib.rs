#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batch;
pub mod chunks;
pub mod copy;
#[cfg(feature = "parquet")]
#[cfg_attr(docsrs, doc(cfg(feature = "parquet")))]
pub mod parquet;
mod read;
mod write;

pub use rowkey_doctor as doctor;
pub use rowkey_relayout::{self as relayout, plan, preflight, verify};
pub use rowkey_tables::{
    Address, Connection, Error, Progress, Row, Silent, Step, Value, catalog, inventory, schema,
};
