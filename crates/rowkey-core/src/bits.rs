//! The fields of 128 bits: what a format puts where.

use crate::time::UnixMillis;

/// A run of bits in the public form of a format's ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// What is in it, such as `milliseconds since 1970`.
    pub name: &'static str,
    /// How it is filled.
    pub kind: FieldKind,
    /// Bits before it, the most significant one first: eight times the number of its first byte, if
    /// it begins with a whole one.
    pub first_bit: u8,
    /// How many bits it has.
    pub width: u8,
}

/// How a [`BitField`] is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Whole units since an epoch.
    Time {
        /// The instant of 0.
        epoch: UnixMillis,
        /// Milliseconds per unit.
        unit_ms: u32,
    },
    /// Intervals since 1970, modulo the number of values of the field.
    Interval,
    /// The version of a UUID. Other values do not belong to the format.
    Version(u8),
    /// The variant of a UUID. Other values do not belong to the format.
    Variant(u8),
    /// The same in every generated id, but other values belong to the format as well.
    Constant(u8),
    /// Random bits, or random bits that grow from id to id within a unit of time.
    Random,
    /// A counter, which starts anywhere.
    Counter,
    /// The generator.
    Machine,
    /// What the id is made for: a group, a number, a country, a shard key.
    Context,
    /// Anything.
    Any,
}

impl FieldKind {
    /// Milliseconds since an instant of unix time.
    pub(crate) const fn millis_since(epoch: i64) -> Self {
        Self::Time {
            epoch: UnixMillis::new(epoch),
            unit_ms: 1,
        }
    }

    /// The value of a field that is the same in all ids, or in all that a generator makes.
    pub(crate) const fn value(self) -> Option<u8> {
        match self {
            Self::Version(value) | Self::Variant(value) | Self::Constant(value) => Some(value),
            _ => None,
        }
    }
}

impl BitField {
    /// The fields of a format from their names, kinds and widths, which add up to 128 bits.
    pub(crate) const fn consecutive<const N: usize>(
        fields: [(&'static str, FieldKind, u8); N],
    ) -> [Self; N] {
        let mut placed = [Self {
            name: "",
            kind: FieldKind::Any,
            first_bit: 0,
            width: 0,
        }; N];
        let mut first_bit = 0;
        let mut index = 0;
        while index < N {
            let (name, kind, width) = fields[index];
            placed[index] = Self {
                name,
                kind,
                first_bit,
                width,
            };
            first_bit += width;
            index += 1;
        }
        assert!(first_bit == 128, "the fields of a format have 128 bits");
        placed
    }

    /// Bits after it: how far its value is shifted to the left.
    pub(crate) const fn shift(self) -> u32 {
        128 - self.first_bit as u32 - self.width as u32
    }

    /// Its largest value.
    pub(crate) const fn max(self) -> u128 {
        u128::MAX >> (128 - self.width as u32)
    }
}

/// The bits of a format that never vary: `value & mask == bits`.
#[derive(Clone, Copy)]
pub(crate) struct FixedBits {
    pub(crate) mask: u128,
    pub(crate) bits: u128,
}

impl FixedBits {
    pub(crate) const NONE: Self = Self { mask: 0, bits: 0 };

    /// An RFC version (high nibble of byte 6) with the RFC variant (high two bits `10` of byte 8).
    pub(crate) const fn rfc(version: u8) -> Self {
        Self {
            mask: (0xf << 76) | (0b11 << 62),
            bits: ((version as u128) << 76) | (0b10 << 62),
        }
    }

    /// Version and variant among the fields of a format.
    pub(crate) const fn of(fields: &[BitField]) -> Self {
        let mut fixed = Self::NONE;
        let mut index = 0;
        while index < fields.len() {
            let field = fields[index];
            if let FieldKind::Version(value) | FieldKind::Variant(value) = field.kind {
                fixed.mask |= field.max() << field.shift();
                fixed.bits |= (value as u128) << field.shift();
            }
            index += 1;
        }
        fixed
    }

    /// `value` with the fixed bits put in.
    pub(crate) const fn stamp(self, value: u128) -> u128 {
        (value & !self.mask) | self.bits
    }
}
