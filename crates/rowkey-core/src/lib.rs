//! Formats, layouts, storage plans, bounds and validation of database-friendly ids.
//!
//! A value goes one way: a [`Format`] is 128 bits in public (RFC) order; the [`StoragePlan`] of a
//! key says how each backend holds them; a driver crate moves the bytes and knows no rule. Every
//! rule about bytes, order, bounds, widths and column types lives here and needs no database.
//!
//! The crate is `no_std` with `alloc` when its default feature `std` is off; the system clock, the
//! per-thread randomness, generators with state and scopes then go away.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod calendar;
mod command_log;
mod emit;
mod error;
mod external;
mod format;
mod group;
mod key;
mod message;
mod public_id;
mod routing;
mod short_key;
mod storage;
mod time;
mod validate;

pub mod generate;
pub mod text;

pub use command_log::{CommandLog, Execution, NewCommand, UnboundedCommandLog};
#[doc(hidden)]
pub use emit::private as __private;
pub use error::{Error, FormatProblem, PublicIdProblem, RegistryProblem, TextProblem};
pub use format::{
    AnyUuid, DistributedId, DistributedId128, DistributedId128State, DistributedIdState, Format,
    FormatKind, HotGuid, Iuid, IuidContext, Luuid, LuuidContext, LuuidGroup, LuuidKeys, PrefixComb,
    ShortPrefixComb, ShortSuffixComb, SuffixComb, TimeOrdered, UuidV4, UuidV7, crc12,
    interval_counter,
};
#[cfg(feature = "std")]
pub use format::{DistributedId128Generator, DistributedIdGenerator, HotGuidGenerator};
pub use group::{GroupRegistry, KeyGroup, KeyUnion};
pub use key::EntityKey;
#[cfg(feature = "public-id")]
pub use public_id::{LabelledCipher, PublicIdSecret, PublicIdSecrets, SealedCipher, SealedId};
pub use public_id::{PublicId, PublicIdCipher, PublicIdCiphers, PublicIdLabel, PublicIdValue};
pub use routing::{
    Country, IuidOrigin, IuidRegistries, NumberedName, Registry, ServiceEntity, Shard, ShardLayout,
};
#[cfg(feature = "std")]
pub use short_key::{InMemoryShortKeys, ReservedShortKeys};
pub use short_key::{ShortKey, ShortKeyAllocator, ShortKeyBlock};
pub use storage::{
    Backend, Bounds, Column, ColumnName, ConditionPart, KeyBound, KeyRange, Layout, MariaDbUuidOrd,
    Nullability, OrderPromise, Permutation, SqlServerOrd, Storage, StoragePlan, Stored,
    StoredBytes, StoredRef, TableName, TextForm, TimePartitions, ValueRange, ValueRanges, Wire,
    postgres, quote_identifier,
};
pub use time::UnixMillis;
/// The crate of [`Uuid`](uuid::Uuid), to and from which formats and keys convert.
pub use uuid;
pub use validate::{ClientMade, CreationWindow, Tolerance, ValidationError};

/// Compiles and runs the example of this package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
