//! How each backend stores a key: columns, layouts, storage plans, stored values and DDL.
//!
//! The [`StoragePlan`] of a key has a [`Column`] for each [`Backend`]: a [`Storage`], which is the
//! type of the column, and a [`Layout`], which is the order of the bytes.

mod backend;
mod column;
mod column_type;
mod ddl;
mod key_column;
pub(crate) mod mysql;
mod order;
mod plan;
pub(crate) mod postgres;
pub(crate) mod sqlite;
pub(crate) mod stored;
mod text_form;
pub(crate) mod wire;

pub use crate::layout::{Layout, Permutation};
pub use backend::Backend;
pub use column::{Column, OrderPromise};
pub use column_type::Storage;
pub use ddl::{ColumnName, Nullability, TableName, quote_identifier, text_type};
#[doc(hidden)]
pub use ddl::{column_definition, not_an_identifier};
pub use key_column::{ColumnKey, KeyColumn};
pub use order::{MariaDbUuidOrd, SqlServerOrd};
pub use plan::StoragePlan;
#[doc(hidden)]
pub use plan::parse_choice;
pub use stored::{Stored, StoredBytes, StoredRef};
pub use text_form::TextForm;
pub use wire::{BinaryLength, Precision, Wire};
