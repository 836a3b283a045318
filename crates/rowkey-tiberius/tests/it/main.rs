//! Keys as tiberius sends and receives them.

mod conditions;
mod sql_server_vectors;
mod storages;
#[allow(dead_code, reason = "the tests of rowkey-core use the rest")]
#[path = "../../../rowkey-core/tests/it/vectors.rs"]
mod vectors;
mod wire;
