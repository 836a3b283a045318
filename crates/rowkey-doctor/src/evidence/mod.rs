//! What many rows together say about their ids, by the kind of column.

pub(crate) mod bits;
pub(crate) mod byte_order;
pub(crate) mod counter;
pub(crate) mod machines;
pub(crate) mod makers;
pub(crate) mod numbers;
pub(crate) mod random;
pub(crate) mod rest;
pub(crate) mod timeline;
pub(crate) mod uuids;
