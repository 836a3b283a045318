//! The drivers.

pub(crate) mod sqlx;
