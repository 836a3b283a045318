//! The traits of optional crates, one file per crate, for formats, keys and what is made of keys.
//!
//! Each file has the logic as functions, implements the trait for every format, and exports a
//! macro that implements it for one key or union. Where a feature is off, the macro still exists and is
//! empty: a `#[cfg]` inside the expansion would ask for a feature of the *user's* crate.

/// Calls a macro with each format, generic parameters in brackets first.
#[cfg(any(
    feature = "proptest",
    feature = "schemars",
    feature = "serde",
    feature = "utoipa"
))]
macro_rules! for_each_format {
    ($implement:ident) => {
        crate::kind::format_rows!(implement_rows $implement);
    };
}

#[cfg(any(
    feature = "proptest",
    feature = "schemars",
    feature = "serde",
    feature = "utoipa"
))]
macro_rules! implement_rows {
    ([$implement:ident] $(
        $module:ident $format:ident $name:literal [$($generics:tt)*] [$($arguments:tt)*];
    )*) => {
        $($implement!([$($generics)*] crate::$format $($arguments)*);)*
    };
}

#[cfg(any(feature = "schemars", feature = "utoipa"))]
mod pattern;
#[cfg(feature = "proptest")]
pub(crate) mod proptest;
#[cfg(feature = "rust_decimal")]
pub(crate) mod rust_decimal;
#[cfg(any(feature = "schemars", feature = "utoipa"))]
mod schema;
#[cfg(feature = "schemars")]
pub(crate) mod schemars;
#[cfg(feature = "serde")]
pub(crate) mod serde;
#[cfg(feature = "utoipa")]
pub(crate) mod utoipa;

/// Without the feature `proptest`.
#[cfg(not(feature = "proptest"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_proptest {
    ($key:ident) => {};
}

/// Without the feature `rust_decimal`.
#[cfg(not(feature = "rust_decimal"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_rust_decimal {
    ($key:ident) => {};
}

/// Without the feature `schemars`.
#[cfg(not(feature = "schemars"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_schemars {
    ($type:ident, $named_by:ident, $schema:ident) => {};
}

/// Without the feature `serde`.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_serde {
    ($type:ident, $serialize:ident, $deserialize:ident) => {};
}

/// Without the feature `utoipa`.
#[cfg(not(feature = "utoipa"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_utoipa {
    ($type:ident, $named_by:ident, $schema:ident) => {};
}
