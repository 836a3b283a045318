//! Tables as Parquet files, and back.
//!
//! A folder has one file for each table. Keys, and the columns that refer to them, are in public
//! form: what one database stores as `uuid` and another as sixteen bytes in another order is the
//! same value of Arrow's type `arrow.uuid` in both files, so that the two join.
//!
//! A [`CopyPlan`](crate::CopyPlan) whose target, or whose source, is `parquet` says which
//! type each column has. [`plan`] and [`plan_back`] write it, [`preflight()`] and
//! [`preflight_back`] say what refuses it, [`write()`] makes the files, [`read`] fills tables from
//! them, and [`compare`] reads both sides again.

mod arrays;
mod cells;
mod columns;
mod compare;
#[cfg(test)]
mod damaged;
mod file;
mod plan;
mod preflight;
mod read;
mod types;
mod write;

pub use self::compare::compare;
pub use self::plan::{plan, plan_back};
pub use self::preflight::{preflight, preflight_back};
pub use self::read::read;
pub use self::write::write;
pub use crate::plans::plan::PARQUET as NAME;
