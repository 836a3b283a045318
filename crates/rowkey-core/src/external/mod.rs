//! The traits of optional crates, one file per crate, for formats, keys and the types built on
//! keys.
//!
//! Each file has the logic as functions, implements the trait for every format, and exports a macro
//! that implements it for one key or union. If a feature is off, the macro exists but is empty: a
//! `#[cfg]` inside the expansion would test the features of the *user's* crate.

/// Calls a macro with each format, preceded by its generic parameters in brackets.
#[cfg(any(
    feature = "proptest",
    feature = "schemars",
    feature = "serde",
    feature = "utoipa"
))]
macro_rules! for_each_format {
    ($implement:ident) => {
        crate::kind::format_rows!(for_each_format $implement);
    };
    ([$implement:ident] $({
        $module:ident $format:ident $name:literal $made:ident($($context:ident)?)
        [$($generics:tt)*] [$($arguments:tt)*]
    })*) => {
        $($implement!([$($generics)*] crate::$format $($arguments)*);)*
    };
}

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

#[cfg(not(feature = "proptest"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_proptest {
    ($key:ident) => {};
}

#[cfg(not(feature = "rust_decimal"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_rust_decimal {
    ($key:ident) => {};
}

#[cfg(not(feature = "schemars"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_schemars {
    ($type:ident, $named_by:ident, $schema:ident) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_serde {
    ($type:ident, $serialize:ident, $deserialize:ident) => {};
}

#[cfg(not(feature = "utoipa"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_utoipa {
    ($type:ident, $named_by:ident, $schema:ident) => {};
}
