//! The tables of a plan, as each side has them.

pub(crate) mod as_found;
pub(crate) mod existing;
pub(crate) mod mapping;
pub(crate) mod names;
pub(crate) mod prepared;
pub(crate) mod spelling;
pub(crate) mod table_side;
