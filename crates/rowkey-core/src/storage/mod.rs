//! How each backend holds a key: backend, column, layout, plan, stored value, bounds and DDL.

mod backend;
mod bound;
mod column;
mod condition;
mod ddl;
mod layout;
mod order;
mod partition;
mod plan;
pub mod postgres;
mod short_key_index;
mod stored;
mod text_form;

pub use backend::Backend;
pub use bound::{Bounds, KeyBound, KeyRange, ValueRange, ValueRanges};
pub use column::{Column, OrderPromise, Storage, Wire};
pub use condition::{ColumnName, ConditionPart};
pub use ddl::{Nullability, TableName, quote_identifier};
pub use layout::{Layout, Permutation};
pub use order::{MariaDbUuidOrd, SqlServerOrd};
pub use partition::TimePartitions;
pub use plan::StoragePlan;
pub use stored::{Stored, StoredBytes, StoredRef};
pub use text_form::TextForm;
