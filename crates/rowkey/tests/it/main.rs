//! What keys do, with the features that each module names.

#[cfg(all(feature = "serde", feature = "std"))]
mod axum;
#[cfg(all(feature = "serde", feature = "std"))]
mod codes;
mod counted_keys;
#[cfg(feature = "std")]
mod keys;
#[cfg(all(target_os = "linux", feature = "public-id", feature = "std"))]
mod keys_in_memory;
#[cfg(all(feature = "public-id", feature = "std"))]
mod labelled_public_ids;
mod luuid_keys;
mod other_makers;
#[cfg(all(feature = "proptest", feature = "serde"))]
mod proptest;
#[cfg(all(feature = "public-id", feature = "serde"))]
mod public_id_serde;
#[cfg(feature = "public-id")]
mod public_ids;
#[cfg(all(feature = "public-id", feature = "serde", feature = "std"))]
mod public_ids_of_keys;
#[cfg(feature = "router")]
mod router;
#[cfg(feature = "router")]
mod routing_tables;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(all(
    feature = "public-id",
    feature = "schemars",
    feature = "serde",
    feature = "utoipa"
))]
mod schemas;
#[cfg(feature = "serde")]
mod serde;
mod sorted_keys;
#[cfg(all(feature = "serde", feature = "std"))]
mod text_forms;
#[cfg(feature = "public-id")]
#[allow(dead_code, reason = "the tests of rowkey-core use the rest")]
#[path = "../../../rowkey-core/tests/it/vectors.rs"]
mod vectors;
