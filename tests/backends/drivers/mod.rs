//! The drivers.

pub(crate) mod diesel;
pub(crate) mod sqlx;
