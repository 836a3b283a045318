//! The drivers.

pub(crate) mod diesel;
pub(crate) mod sea_orm;
pub(crate) mod sqlx;
pub(crate) mod tiberius;
