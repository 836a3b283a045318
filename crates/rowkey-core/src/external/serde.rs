//! serde: text in human-readable formats, bytes in the others.
//!
//! A DistributedId is text as well: most readers of JSON numbers lose digits.

use alloc::borrow::Cow;
use core::fmt;
use core::str::FromStr;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::error::Error;
use crate::format::{Format, Luuid};
use crate::key::{EntityKey, with_text};
use crate::luuid::{KeyUnion, ShortKey};

/// Implements serde's traits for a key or a union of keys, with its functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_serde {
    ($type:ident, $serialize:ident, $deserialize:ident) => {
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $type {
            fn serialize<S>(
                &self,
                __rowkey_serializer: S,
            ) -> ::core::result::Result<
                <S as $crate::__private::serde::Serializer>::Ok,
                <S as $crate::__private::serde::Serializer>::Error,
            >
            where
                S: $crate::__private::serde::Serializer,
            {
                $crate::__private::$serialize(self, __rowkey_serializer)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $type {
            fn deserialize<D>(
                __rowkey_deserializer: D,
            ) -> ::core::result::Result<
                Self,
                <D as $crate::__private::serde::Deserializer<'de>>::Error,
            >
            where
                D: $crate::__private::serde::Deserializer<'de>,
            {
                $crate::__private::$deserialize(__rowkey_deserializer)
            }
        }
    };
}

/// Writes an id as its text or as its bytes.
pub fn serialize_id<S: Serializer, const N: usize>(
    text: &impl fmt::Display,
    bytes: [u8; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        serializer.collect_str(text)
    } else {
        serializer.serialize_bytes(&bytes)
    }
}

/// Reads an id from its text or from its bytes. `name` is the id's name in messages.
pub fn deserialize_id<'de, T, D, const N: usize>(
    name: &'static str,
    from_bytes: fn([u8; N]) -> Result<T, Error>,
    deserializer: D,
) -> Result<T, D::Error>
where
    T: FromStr<Err = Error>,
    D: Deserializer<'de>,
{
    let bytes = BytesVisitor { name, from_bytes };
    if deserializer.is_human_readable() {
        deserializer.deserialize_str(TextVisitor(bytes))
    } else {
        deserializer.deserialize_bytes(bytes)
    }
}

/// Writes a key as its text or as its bytes.
pub fn serialize_key<K: EntityKey, S: Serializer>(
    key: &K,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        // As text rather than with `collect_str`, through whose adapter it would be formatted.
        with_text(key, |text| serializer.serialize_str(text))
    } else {
        serializer.serialize_bytes(&key.to_u128().to_be_bytes())
    }
}

/// Reads a key from its text or from its bytes.
pub fn deserialize_key<'de, K: EntityKey, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<K, D::Error> {
    deserialize_id(
        K::NAME,
        |bytes| K::try_from(u128::from_be_bytes(bytes)),
        deserializer,
    )
}

/// Writes a key of a union as its text or as its bytes.
pub fn serialize_union<U: KeyUnion, S: Serializer>(
    key: &U,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serialize_id(key, key.into_luuid().to_bytes(), serializer)
}

/// Reads a key of a union from its text or from its bytes.
pub fn deserialize_union<'de, U: KeyUnion, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<U, D::Error> {
    deserialize_id(
        U::NAME,
        |bytes| U::try_from(Uuid::from_bytes(bytes)),
        deserializer,
    )
}

macro_rules! implement {
    ([$($generics:tt)*] $format:ty) => {
        impl<$($generics)*> Serialize for $format {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.serialize_str(&Self::KIND.public_text(self.to_u128()))
                } else {
                    serializer.serialize_bytes(&self.to_bytes())
                }
            }
        }

        impl<'de, $($generics)*> Deserialize<'de> for $format {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserialize_id(
                    Self::KIND.type_name(),
                    |bytes| Self::try_from(u128::from_be_bytes(bytes)),
                    deserializer,
                )
            }
        }
    };
}

for_each_format!(implement);

/// Text in human-readable formats, the number in others. The buffer of flattened structs and
/// untagged enums claims to be human-readable and does not give a number for text: there, only
/// human-readable formats have short keys.
impl<K: EntityKey<Format = Luuid>> Serialize for ShortKey<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u64(self.get())
        }
    }
}

impl<'de, K: EntityKey<Format = Luuid>> Deserialize<'de> for ShortKey<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = Cow::<'de, str>::deserialize(deserializer)?;
            text.parse().map_err(D::Error::custom)
        } else {
            Self::new(u64::deserialize(deserializer)?).map_err(D::Error::custom)
        }
    }
}

struct TextVisitor<T, const N: usize>(BytesVisitor<T, N>);

impl<T: FromStr<Err = Error>, const N: usize> Visitor<'_> for TextVisitor<T, N> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as a string", self.0.name)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    /// Flattened structs and untagged enums are read through a buffer that claims to be
    /// human-readable, regardless of its source.
    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        self.0.visit_bytes(bytes)
    }
}

/// Accepts slices, which borrowed and owned byte buffers forward to, and sequences, as some formats
/// pass all bytes.
struct BytesVisitor<T, const N: usize> {
    name: &'static str,
    from_bytes: fn([u8; N]) -> Result<T, Error>,
}

impl<'de, T, const N: usize> Visitor<'de> for BytesVisitor<T, N> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {N} bytes of {}", self.name)
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        match bytes.try_into() {
            Ok(bytes) => (self.from_bytes)(bytes).map_err(E::custom),
            Err(_) => Err(E::invalid_length(bytes.len(), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<T, A::Error> {
        let mut bytes = [0; N];
        for (index, byte) in bytes.iter_mut().enumerate() {
            match sequence.next_element()? {
                Some(found) => *byte = found,
                None => return Err(A::Error::invalid_length(index, &self)),
            }
        }
        match sequence.next_element::<u8>()? {
            None => (self.from_bytes)(bytes).map_err(A::Error::custom),
            Some(_) => Err(A::Error::invalid_length(N + 1, &self)),
        }
    }
}
