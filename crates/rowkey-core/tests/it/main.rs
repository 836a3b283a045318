//! What the formats, layouts and generators do as users see them.

mod bounds;
mod clashes;
#[cfg(feature = "std")]
mod collisions;
mod comb;
mod ddl;
mod differences;
mod distributed_id;
mod distributed_id128;
mod encoders;
mod generation;
mod hot_guid;
mod iuid;
mod luuid;
mod memory;
mod numbers;
mod ordered;
mod readme;
mod rfc_uuids;
mod routing;
mod scopes;
#[cfg(all(feature = "rand", feature = "std"))]
mod seeded;
mod sequence;
mod sql_server_order;
mod stored;
mod validation;
mod vectors;

/// Asserts that an error begins with a text.
#[track_caller]
fn assert_refused<T>(result: &Result<T, rowkey_core::Error>, beginning: &str) {
    match result {
        Ok(_) => panic!("no error, but expected: {beginning}"),
        Err(error) => assert!(error.to_string().starts_with(beginning), "{error}"),
    }
}
