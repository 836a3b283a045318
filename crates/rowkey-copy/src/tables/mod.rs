//! A table and its columns, as each side has them.

pub(crate) mod prepared;
pub(crate) mod table_side;
