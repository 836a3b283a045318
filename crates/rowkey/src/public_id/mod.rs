//! Ids for the outside world: the key's value, encrypted so that it reveals nothing.
//!
//! ```text
//! value                      block of 16 bytes
//! u64, i64 (not negative)    00 00 00 00 00 00 00 00 | LE value (8)
//! DistributedId              00 00 00 00 | LE upper 32 | LE lower 64
//! any other 128 bits         the 16 bytes, big-endian
//! ```
//!
//! The block is encrypted in one of three forms. Each is deterministic: the same value always has
//! the same public id, and no two values of a type share one.
//!
//! | cipher | key | encryption of the block | id |
//! |---|---|---|---|
//! | `LabelledCipher` | a subkey for each label | one block of AES-256 | [`PublicId`], 128 bits |
//! | `SealedCipher` | a subkey for each label | AES-SIV (RFC 5297) | `SealedId`, 256 bits |
//! | [`PublicIdCipher`] | one AES key for all types | one block of AES, read as a mixed-endian uuid | [`PublicId`], 128 bits |
//!
//! The third form is compatible with the original system, byte for byte. It does not include the
//! type: a `u64` and the [`DistributedId`](crate::DistributedId) with the same number have the same
//! public id, and anyone who can choose a value of one type can obtain the public id of another
//! type's value.
//!
//! # What the encryption guarantees
//!
//! Without the key, public ids reveal no value, order or rate. Whether ids of one block can be made
//! up depends on the type: a random id is accepted with probability 2^-64 for `u64`, 2^-65 for
//! `i64` and 2^-35 for a [`DistributedId`](crate::DistributedId), whose 32 zero bits are followed
//! by a number that is at most 10^28-1. **Every** id decodes to some value of the types that use
//! all 128 bits: `u128`, `Uuid`, [`AnyUuid`](crate::AnyUuid), [`HotGuid`](crate::HotGuid) and
//! [`DistributedId128`](crate::DistributedId128). Formats with a version and a variant lie in
//! between: one random public id in 64 has the six fixed bits of a COMB or random UUID right. A
//! sealed id of any type is accepted with probability 2^-128.
//!
//! A public id does not prove permission. It hides what an id would reveal; check separately
//! whether the caller may see the row.

/// Implements the traits of a plain value from an id's one field. Derives would require the traits
/// of `T` as well.
macro_rules! impl_id_traits {
    ($id:ident, $bits:ident) => {
        impl<T> Clone for $id<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $id<T> {}

        impl<T> PartialEq for $id<T> {
            fn eq(&self, other: &Self) -> bool {
                self.$bits == other.$bits
            }
        }

        impl<T> Eq for $id<T> {}

        impl<T> PartialOrd for $id<T> {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        /// The order of the text, which is unrelated to the order of the values.
        impl<T> Ord for $id<T> {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.$bits.cmp(&other.$bits)
            }
        }

        impl<T> core::hash::Hash for $id<T> {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.$bits.hash(state);
            }
        }
    };
}

#[cfg(feature = "serde")]
pub mod alphanumeric;
mod cipher;
mod id;
mod key;
mod label;
mod labelled;
mod rotation;
#[cfg(any(feature = "schemars", feature = "utoipa"))]
mod schema;
#[cfg(feature = "schemars")]
mod schemars;
mod sealed;
mod secret;
mod secrets;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "utoipa")]
mod utoipa;
mod value;

pub use cipher::{PublicIdCipher, PublicIdCiphers};
pub use id::PublicId;
pub use label::PublicIdLabel;
pub use labelled::LabelledCipher;
pub use sealed::{SealedCipher, SealedId};
pub use secret::PublicIdSecret;
pub use secrets::PublicIdSecrets;
pub use value::PublicIdValue;
pub(crate) use value::{bits_of, block_of};
