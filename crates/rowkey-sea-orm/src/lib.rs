//! Typed keys of rowkey in the entities of SeaORM.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod condition;
mod emit;
mod storage;

pub mod migration;
pub mod row;
pub mod value;

pub use condition::ToCondition;
#[doc(hidden)]
pub use emit::private as __private;
pub use storage::{Fits, SeaOrmStorage};
