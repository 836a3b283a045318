//! Tables from one database to another, with keys that change their form on the way.
//!
//! A [`CopyPlan`] says which table goes where, and which type each column has there. [`copy`] does it, and
//! goes on where it was after an interruption: rows and the last key of them are committed together.
//! [`compare`] reads both sides again.

mod checkpoint;
mod compare;
mod create;
mod defaults;
mod objects;
mod plan;
mod planning;
mod run;
mod session;
pub(crate) mod side;

pub use self::compare::{ComparedTable, Comparison, Difference, compare};
pub use self::plan::{ColumnPlan, CopyPlan, CopyPolicy, TablePlan};
pub use self::planning::plan;
pub use self::run::{CopiedTable, Report, copy};
