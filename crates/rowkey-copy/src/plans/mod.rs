//! A plan: what people read and edit, and how it is made.

pub(crate) mod collations;
pub(crate) mod kept_ids;
pub(crate) mod own_types;
pub(crate) mod partitions;
pub(crate) mod plan;
pub(crate) mod planning;
pub(crate) mod replacements;
pub(crate) mod table_order;
pub(crate) mod untyped;
