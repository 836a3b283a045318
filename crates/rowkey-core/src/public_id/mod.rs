//! Ids for the outside world: the key's value, encrypted into 128 bits that say nothing about it.
//!
//! ```text
//! value                      block of 16 bytes                          public id
//! u64, i64 (not negative)    00 00 00 00 00 00 00 00 | LE value (8)  \
//! DistributedId              00 00 00 00 | LE upper 32 | LE lower 64  } AES -> Uuid::from_bytes_le
//! any other 128 bits         the 16 bytes, big-endian                /
//! ```
//!
//! One block, so AES itself is all there is: no mode, no initialization vector, no padding. The
//! same value always has the same public id, and no two values of a type share one.
//!
//! # What the encryption promises, and what not
//!
//! Without the key nobody learns a value, an order or a rate from public ids. Nobody can make up
//! ids of a type with zero bytes in its block either: a random public id is accepted with
//! probability 2^-64 for `u64`, 2^-65 for `i64` and 2^-35 for a
//! [`DistributedId`](crate::DistributedId), whose 32 zero bits are followed by a number that is at
//! most 10^28-1. **Every** public id decodes to some value of the types that use all 128 bits:
//! `u128`, `Uuid`, [`AnyUuid`](crate::AnyUuid), [`HotGuid`](crate::HotGuid) and
//! [`DistributedId128`](crate::DistributedId128). Formats with a version and a variant lie between:
//! of a COMB's or a random UUID's six fixed bits, one random public id in 64 has all right.
//!
//! A public id is therefore no proof of permission. It hides what an id would tell; whether the
//! caller may see the row is a question for the row.
//!
//! The type is not part of the block: the public id of a `u64` is that of the
//! [`DistributedId`](crate::DistributedId) with the same number. Use one key per purpose if that
//! matters.

mod cipher;
mod id;
mod key;
mod value;

pub use cipher::{PublicIdCipher, PublicIdCiphers};
pub use id::PublicId;
pub use value::PublicIdValue;
