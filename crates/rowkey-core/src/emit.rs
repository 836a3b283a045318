//! What `#[entity_key]` emits: macros with `$crate` paths only, and the functions that they call.
//!
//! Not public API. All paths are absolute, because the macros expand in modules that may have no
//! prelude, or names of their own for `Result`, `Option` and `core`.
//!
//! Parameters and other bindings are called `__rowkey_…`. A pattern that is a single identifier
//! refers to a constant, static or unit struct of that name if the user's module has one. Hygiene
//! does not prevent this, so plain names such as `value` or `key` would break the expansion there.

use core::fmt;

use crate::error::Error;
use crate::format::{Format, FormatKind, Luuid, LuuidGroup};
use crate::key::EntityKey;
use crate::luuid;
use crate::luuid::KeyUnion;
use crate::storage::{Backend, StoragePlan};

/// Emits what follows from a key's `EntityKey` impl.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key {
    ($key:ident, $format:ty) => {
        // What every program needs, without an import of the trait.
        impl $key {
            /// The storage and layout on every backend.
            pub const PLAN: $crate::storage::StoragePlan = <Self as $crate::EntityKey>::PLAN;

            /// The 128 bits in public (RFC) order.
            #[must_use]
            #[inline]
            pub fn to_u128(self) -> ::core::primitive::u128 {
                $crate::EntityKey::to_u128(self)
            }

            /// The same bits as a `Uuid`.
            #[must_use]
            #[inline]
            pub fn to_uuid(self) -> $crate::__private::Uuid {
                $crate::EntityKey::to_uuid(self)
            }

            /// The keys made in a time span: see `EntityKey::bounds`.
            #[must_use]
            #[inline]
            pub fn bounds(
                __rowkey_span: impl ::core::ops::RangeBounds<$crate::UnixMillis>,
            ) -> $crate::time_range::Bounds<Self>
            where
                for<'a> $format: $crate::format::TimeOrdered,
            {
                <Self as $crate::EntityKey>::bounds(__rowkey_span)
            }

            /// The keys made since an instant, with the current time: see
            /// `EntityKey::bounds_since`.
            #[must_use]
            #[inline]
            pub fn bounds_since(
                __rowkey_since: $crate::UnixMillis,
                __rowkey_now: $crate::UnixMillis,
            ) -> $crate::time_range::Bounds<Self>
            where
                for<'a> $format: $crate::format::TimeOrdered,
            {
                <Self as $crate::EntityKey>::bounds_since(__rowkey_since, __rowkey_now)
            }

            /// The key of these 128 bits, for constants and fixtures.
            ///
            /// # Panics
            ///
            /// If the bits do not belong to the key's format or group, or do not fit its plan: at
            /// compile time in a constant.
            #[must_use]
            #[track_caller]
            #[inline]
            pub const fn constant(__rowkey_value: ::core::primitive::u128) -> Self {
                Self(<$format>::constant(
                    $crate::__private::admit_constant::<Self>(__rowkey_value),
                ))
            }
        }

        // A derive would emit a function as well.
        #[automatically_derived]
        impl ::core::cmp::Eq for $key {}

        #[automatically_derived]
        impl ::core::fmt::Debug for $key {
            #[inline]
            fn fmt(&self, __rowkey_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::__private::write_debug(self, __rowkey_f)
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Display for $key {
            // Always inlined: `to_string` then knows that it writes to a string, and how much.
            #[inline(always)]
            fn fmt(&self, __rowkey_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::__private::write_text(self, __rowkey_f)
            }
        }

        #[automatically_derived]
        impl ::core::str::FromStr for $key {
            type Err = $crate::Error;

            #[inline]
            fn from_str(
                __rowkey_text: &::core::primitive::str,
            ) -> ::core::result::Result<Self, $crate::Error> {
                $crate::__private::parse_text(__rowkey_text)
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$key> for $format {
            #[inline]
            fn from(__rowkey_key: $key) -> Self {
                $crate::EntityKey::into_format(__rowkey_key)
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$key> for ::core::primitive::u128 {
            #[inline]
            fn from(__rowkey_key: $key) -> Self {
                $crate::EntityKey::to_u128(__rowkey_key)
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$key> for $crate::__private::Uuid {
            #[inline]
            fn from(__rowkey_key: $key) -> Self {
                $crate::EntityKey::to_uuid(__rowkey_key)
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<$format> for $key {
            type Error = $crate::Error;

            #[inline]
            fn try_from(__rowkey_id: $format) -> ::core::result::Result<Self, $crate::Error> {
                $crate::EntityKey::from_format(__rowkey_id)
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<::core::primitive::u128> for $key {
            type Error = $crate::Error;

            #[inline]
            fn try_from(
                __rowkey_value: ::core::primitive::u128,
            ) -> ::core::result::Result<Self, $crate::Error> {
                $crate::__private::key_of_bits(__rowkey_value)
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<$crate::__private::Uuid> for $key {
            type Error = $crate::Error;

            #[inline]
            fn try_from(
                __rowkey_uuid: $crate::__private::Uuid,
            ) -> ::core::result::Result<Self, $crate::Error> {
                $crate::__private::key_of_bits(__rowkey_uuid.as_u128())
            }
        }

        $crate::__impl_key_generate! { $key, $format }
        $crate::__impl_serde! { $key, serialize_key, deserialize_key }
        $crate::__impl_schemars! { $key, EntityKey, key_json_schema }
        $crate::__impl_utoipa! { $key, EntityKey, key_openapi_schema }
        $crate::__impl_key_proptest! { $key }
        $crate::__impl_key_rust_decimal! { $key }
    };
}

/// Emits what follows from the `KeyUnion` impl of a union of keys.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_union {
    ($union:ident) => {
        #[automatically_derived]
        impl ::core::str::FromStr for $union {
            type Err = $crate::Error;

            #[inline]
            fn from_str(
                __rowkey_text: &::core::primitive::str,
            ) -> ::core::result::Result<Self, $crate::Error> {
                $crate::__private::parse_union(__rowkey_text)
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$union> for $crate::Luuid {
            #[inline]
            fn from(__rowkey_key: $union) -> Self {
                $crate::luuid::KeyUnion::into_luuid(__rowkey_key)
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$union> for $crate::__private::Uuid {
            #[inline]
            fn from(__rowkey_key: $union) -> Self {
                $crate::luuid::KeyUnion::to_uuid(__rowkey_key)
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<$crate::Luuid> for $union {
            type Error = $crate::Error;

            #[inline]
            fn try_from(__rowkey_id: $crate::Luuid) -> ::core::result::Result<Self, $crate::Error> {
                $crate::luuid::KeyUnion::from_luuid(__rowkey_id)
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<$crate::__private::Uuid> for $union {
            type Error = $crate::Error;

            #[inline]
            fn try_from(
                __rowkey_uuid: $crate::__private::Uuid,
            ) -> ::core::result::Result<Self, $crate::Error> {
                $crate::luuid::KeyUnion::from_luuid(<$crate::Luuid as ::core::convert::TryFrom<
                    $crate::__private::Uuid,
                >>::try_from(__rowkey_uuid)?)
            }
        }

        $crate::__impl_serde! { $union, serialize_union, deserialize_union }
        $crate::__impl_schemars! { $union, KeyUnion, union_json_schema }
        $crate::__impl_utoipa! { $union, KeyUnion, union_openapi_schema }
    };
}

/// Emits the inherent functions that make new keys of formats that need no context.
///
/// The bounds mention a lifetime on purpose: an unmet bound without one would be an error in the
/// declaration of every key whose format needs a context, not where the function is called.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_generate {
    ($key:ident, $format:ty) => {
        impl $key {
            /// A new key. Sleeps while the generator is throttled.
            ///
            /// # Panics
            ///
            /// If the clock is outside the format's range, or the generator of a scope fails.
            #[must_use]
            #[track_caller]
            #[inline]
            pub fn generate() -> Self
            where
                for<'a> $format: $crate::__private::WithoutContext,
            {
                <$format as $crate::__private::WithoutContext>::generate_key()
            }

            /// A new key, in one attempt that never sleeps.
            ///
            /// # Errors
            ///
            /// When the clock is outside the format's range, the generator is ahead of its clock,
            /// or the generator of a scope fails.
            #[inline]
            pub fn try_generate() -> ::core::result::Result<Self, $crate::Error>
            where
                for<'a> $format: $crate::__private::WithoutContext,
            {
                <$format as $crate::__private::WithoutContext>::try_generate_key()
            }
        }
    };
}

/// Emits nothing without the feature `std`, because there are no default generators.
#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_generate {
    ($key:ident, $format:ty) => {};
}

/// The items that the emitted code refers to.
#[doc(hidden)]
pub mod private {
    pub use alloc::borrow::Cow;
    pub use uuid::Uuid;

    #[cfg(feature = "std")]
    pub use super::WithoutContext;
    pub use super::{
        admit_constant, check_group, check_storage, check_union, default_plan, has_group_of,
        key_of_bits, luuid_of_key, unknown_group, write_debug,
    };
    pub use crate::__format_rows as format_rows;
    pub use crate::EntityKey;
    #[cfg(feature = "proptest")]
    pub use crate::external::proptest::{AdmittedStrategy, arbitrary_key};
    #[cfg(feature = "rust_decimal")]
    pub use crate::external::rust_decimal::DecimalFormat;
    #[cfg(feature = "schemars")]
    pub use crate::external::schemars::{key_json_schema, union_json_schema};
    #[cfg(feature = "serde")]
    pub use crate::external::serde::{
        deserialize_id, deserialize_key, deserialize_union, serialize_id, serialize_key,
        serialize_union,
    };
    #[cfg(feature = "utoipa")]
    pub use crate::external::utoipa::{key_openapi_schema, union_openapi_schema};
    pub use crate::key::{admit, parse_text, write_text};
    pub use crate::luuid::{KeyUnion, check_key_of_union, member, parse_union};

    pub use crate::__impl_key as impl_key;
    pub use crate::__impl_key_union as impl_key_union;

    #[cfg(feature = "proptest")]
    pub use proptest;
    #[cfg(feature = "rust_decimal")]
    pub use rust_decimal::Decimal;
    #[cfg(feature = "schemars")]
    pub use schemars;
    #[cfg(feature = "serde")]
    pub use serde;
    #[cfg(feature = "utoipa")]
    pub use utoipa;
}

/// The empty context: `()`.
#[cfg(feature = "std")]
#[diagnostic::on_unimplemented(
    message = "a new key of this format needs a context of type `{Self}`",
    label = "needs a context",
    note = "use `generate_for(&context)` of `EntityKey`"
)]
pub trait NoContext {
    const NONE: Self;
}

#[cfg(feature = "std")]
impl NoContext for () {
    const NONE: Self = ();
}

/// A format whose ids need no context. The trait has no supertrait: in a bound, the compiler would
/// derive everything that follows from it, for each key.
#[cfg(feature = "std")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` ids are assigned by the database, so they cannot be generated",
    label = "the database assigns the id",
    note = "the database counts the numbers of a DatabaseNumber: insert a row without one, and read \
            the key that the statement returns"
)]
pub trait WithoutContext: Sized {
    /// What `generate` does for a key.
    #[track_caller]
    fn generate_key<K: EntityKey<Format = Self>>() -> K;

    /// What `try_generate` does for a key.
    fn try_generate_key<K: EntityKey<Format = Self>>() -> Result<K, Error>;
}

#[cfg(feature = "std")]
impl<F: crate::generate::Generate<Context: NoContext>> WithoutContext for F {
    #[inline]
    #[track_caller]
    fn generate_key<K: EntityKey<Format = Self>>() -> K {
        K::generate_for(&NoContext::NONE)
    }

    #[inline]
    fn try_generate_key<K: EntityKey<Format = Self>>() -> Result<K, Error> {
        K::try_generate_for(&NoContext::NONE)
    }
}

/// The default plan of a key's format.
pub const fn default_plan<K: EntityKey>() -> StoragePlan {
    StoragePlan::default_for(K::Format::KIND)
}

/// Rejects, at compile time and at the caller's location, a declared storage that the format cannot
/// have on that backend.
#[track_caller]
pub const fn check_storage<K: EntityKey>(backend: Backend, choice: &str) {
    if let Err(refusal) = default_plan::<K>().try_with(backend, choice) {
        panic!("{}", refusal);
    }
}

/// Rejects, at compile time and at the caller's location, a group that the format cannot have, or a
/// missing group.
#[track_caller]
pub const fn check_group<K: EntityKey>() {
    match (matches!(K::Format::KIND, FormatKind::Luuid), K::GROUP) {
        (true, None) => panic!(
            "a key over Luuid names its group: write #[entity_key(group = \"com.acme.Customer\")]"
        ),
        (false, Some(_)) => panic!("only keys over Luuid have a group; leave `group` out"),
        _ => {}
    }
}

/// Rejects, at compile time and at the caller's location, a union of keys that share a group or
/// prefix.
#[track_caller]
pub const fn check_union<U: KeyUnion>() {
    luuid::refuse_union(U::GROUPS);
}

/// Whether an id has the key's group.
pub fn has_group_of<K: EntityKey>(id: Luuid) -> bool {
    K::GROUP == Some(id.group())
}

/// The error for an id whose group is not in a union.
#[cold]
pub fn unknown_group<U>(id: Luuid) -> Result<U, Error> {
    Err(id.group().unknown())
}

/// The id of a union's key: always a LUUID, because other declarations do not compile.
pub fn luuid_of_key<K: EntityKey>(key: K) -> Luuid {
    Luuid::admitted(key.to_u128())
}

/// The bits themselves, if a key may have them.
///
/// The same rules as [`admit`](crate::key::admit) and the format's own, for constants.
#[track_caller]
pub const fn admit_constant<K: EntityKey>(value: u128) -> u128 {
    if !K::Format::KIND.admits(value) {
        K::Format::KIND.refuse_constant(value);
    }
    if value > K::PLAN.max_value() {
        panic!("these 128 bits have more digits than the key's plan stores");
    }
    if let Some(group) = K::GROUP
        && LuuidGroup::in_bits(value).get() != group.get()
    {
        panic!("these 128 bits belong to another group than the key");
    }
    value
}

/// The key of these 128 bits.
#[inline]
pub fn key_of_bits<K: EntityKey>(value: u128) -> Result<K, Error> {
    K::from_format(K::Format::try_from(value)?)
}

/// `CustomerId(text)`.
pub fn write_debug<K: EntityKey>(key: &K, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{}({key})", K::NAME)
}
