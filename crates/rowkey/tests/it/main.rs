//! What keys do, with the features that each module names.

#[cfg(all(feature = "serde", feature = "std"))]
mod axum;
#[cfg(all(feature = "serde", feature = "std"))]
mod codes;
mod counted_keys;
#[cfg(feature = "std")]
mod keys;
mod luuid_keys;
mod other_makers;
#[cfg(all(feature = "proptest", feature = "serde"))]
mod proptest;
#[cfg(all(feature = "public-id", feature = "serde", feature = "std"))]
mod public_ids;
mod routed_partitions;
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
