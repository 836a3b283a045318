//! What `#[entity_key]` emits for public ids.
//!
//! Labels are checked even without the feature `public-id`, so that a crate of keys need not enable
//! it for the crate that encrypts them.

#[cfg(feature = "public-id")]
use crate::format::Format;
#[cfg(feature = "public-id")]
use crate::public_id::{bits_of, block_of};
#[cfg(feature = "public-id")]
use crate::{EntityKey, Error};

#[cfg(feature = "public-id")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_public_id {
    ($key:ident) => {
        #[automatically_derived]
        impl $crate::public_id::PublicIdValue for $key {
            const TYPE: &'static ::core::primitive::str = <Self as $crate::EntityKey>::NAME;

            #[inline]
            fn to_block(&self) -> ::core::result::Result<::core::primitive::u128, $crate::Error> {
                $crate::__private::block_of_key(self)
            }

            #[inline]
            fn from_block(__rowkey_block: ::core::primitive::u128) -> ::core::option::Option<Self> {
                $crate::__private::key_of_block(__rowkey_block)
            }
        }
    };
}

#[cfg(feature = "public-id")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_public_id_label {
    ($key:ident, $label:literal) => {
        #[automatically_derived]
        impl $crate::public_id::PublicIdLabel for $key {
            const LABEL: &'static ::core::primitive::str = $label;
        }
    };
}

#[cfg(not(feature = "public-id"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_public_id {
    ($key:ident) => {};
}

#[cfg(not(feature = "public-id"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_public_id_label {
    ($key:ident, $label:literal) => {};
}

/// What is wrong with a label, if anything.
pub(crate) const fn label_problem(label: &str) -> Option<&'static str> {
    let [first, rest @ ..] = label.as_bytes() else {
        return Some("the label of public ids is empty; write one such as \"invoice\"");
    };
    if !first.is_ascii_lowercase() {
        return Some("the label of public ids begins with a lower-case ASCII letter");
    }
    let mut rest = rest;
    while let [character, others @ ..] = rest {
        if !matches!(character, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.') {
            return Some(
                "the label of public ids has only lower-case ASCII letters, digits, `-`, `_` and `.`",
            );
        }
        rest = others;
    }
    if label.len() > 64 {
        return Some("the label of public ids has at most 64 characters");
    }
    None
}

/// Rejects, at compile time and at the caller's location, an invalid label of public ids.
#[track_caller]
pub const fn check_public_id_label(label: &str) {
    if let Some(problem) = label_problem(label) {
        panic!("{}", problem);
    }
}

/// The block that is encrypted for the public id of a key.
#[cfg(feature = "public-id")]
#[inline]
pub fn block_of_key<K: EntityKey>(key: &K) -> Result<u128, Error> {
    Ok(block_of(K::Format::KIND, key.to_u128()))
}

/// The key of a public id's decrypted block.
#[cfg(feature = "public-id")]
#[inline]
pub fn key_of_block<K: EntityKey>(block: u128) -> Option<K> {
    K::try_from(bits_of(K::Format::KIND, block)?).ok()
}
