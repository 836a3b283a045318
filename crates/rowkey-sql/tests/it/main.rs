//! Behaviours of the crate that need no database.

mod routed_partitions;
mod time_partitions;
