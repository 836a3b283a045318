//! How each backend stores a key: columns, layouts, storage plans, stored values and DDL.
//!
//! The [`StoragePlan`] of a key names for each [`Backend`] a [`Column`]: a
//! [`Storage`], which is the type of the column, and a [`Layout`], which is the order of the bytes.

mod backend;
mod column;
mod ddl;
mod order;
mod plan;
#[doc(hidden)]
pub mod postgres;
mod short_key_index;
mod stored;
mod text_form;

pub use crate::layout::{Layout, Permutation};
pub use backend::Backend;
pub use column::{Column, OrderPromise, Storage, Wire};
pub use ddl::{Nullability, TableName, quote_identifier};
pub use order::{MariaDbUuidOrd, SqlServerOrd};
pub use plan::StoragePlan;
pub use stored::{Stored, StoredBytes, StoredRef};
pub use text_form::TextForm;
