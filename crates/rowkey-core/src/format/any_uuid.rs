//! Any 128 bits, for existing columns.

use super::spec::{FormatSpec, Leading};
use super::traits::{FromDraw, impl_format};
use crate::bits::{BitField, FieldKind, FixedBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

const FIELDS: [BitField; 1] = BitField::consecutive([("any", FieldKind::Any, 128)]);

pub(crate) const SPEC: FormatSpec = FormatSpec::new(&FIELDS, Leading::Unordered);

/// Any 128 bits: for existing columns whose ids have mixed or no versions.
///
/// No order and no time; stored unchanged on every backend. New ids are random version-4 UUIDs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct AnyUuid(pub(crate) u128);

impl_format!(AnyUuid, FormatKind::AnyUuid);

impl AnyUuid {
    /// The id of these 128 bits.
    pub const fn from_u128(value: u128) -> Self {
        Self(value)
    }
}

impl FromDraw for AnyUuid {
    type Context = ();

    fn from_draw(_: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        Ok(Self(FixedBits::rfc(4).stamp(random)))
    }
}
