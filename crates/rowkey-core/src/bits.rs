//! The bit fields of a format: what it puts where in its 128 bits.

use core::num::NonZeroU128;

use crate::time::UnixMillis;

/// A run of bits in the public form of a format's ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// The field's content, such as `milliseconds since 1970`.
    pub name: &'static str,
    /// How the field is filled.
    pub kind: FieldKind,
    /// The bits before the field, counted from the most significant bit.
    pub first_bit: u8,
    /// The number of bits.
    pub width: u8,
}

/// How a [`BitField`] is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Whole units since an epoch.
    Time {
        /// The instant that the value 0 means.
        epoch: UnixMillis,
        /// Milliseconds per unit.
        unit_ms: u32,
    },
    /// Intervals since 1970, modulo the number of values of the field.
    Interval,
    /// The version of a UUID. A value with another version is not of the format.
    Version(u8),
    /// The variant of a UUID. A value with another variant is not of the format.
    Variant(u8),
    /// The same in every generated id. Only a DatabaseNumber is refused when it differs.
    Constant(u8),
    /// Random bits, which may increase from id to id within a unit of time.
    Random,
    /// A counter with an arbitrary start.
    Counter,
    /// Identifies the generator.
    Machine,
    /// The context of the id: a group, a number, a country, a shard key.
    Context,
    /// Unspecified.
    Any,
}

impl FieldKind {
    pub(crate) const fn millis_since(epoch: i64) -> Self {
        Self::Time {
            epoch: UnixMillis::new(epoch),
            unit_ms: 1,
        }
    }

    /// The value of a field that is the same in all ids, or in all generated ids.
    pub const fn value(self) -> Option<u8> {
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

    /// The bits after the field, by which a value is shifted left.
    pub const fn shift(self) -> u32 {
        128 - self.first_bit as u32 - self.width as u32
    }

    /// The field's largest value.
    pub const fn max(self) -> u128 {
        u128::MAX >> (128 - self.width as u32)
    }
}

/// The bits of a format that never vary: `value & mask == bits`.
#[derive(Clone, Copy)]
pub struct FixedBits {
    /// The bits that are fixed.
    pub mask: u128,
    /// The values of the fixed bits.
    pub bits: u128,
}

impl FixedBits {
    /// No bit is fixed.
    pub const NONE: Self = Self { mask: 0, bits: 0 };

    /// An RFC version (high nibble of byte 6) with the RFC variant (high two bits `10` of byte 8).
    pub const fn rfc(version: u8) -> Self {
        Self {
            mask: (0xf << 76) | (0b11 << 62),
            bits: ((version as u128) << 76) | (0b10 << 62),
        }
    }

    /// The next larger value with these bits.
    #[cfg(feature = "std")]
    pub const fn larger(self, value: u128) -> Option<u128> {
        // A carry passes the fixed bits if they are all set.
        match (value | self.mask).checked_add(1) {
            Some(sum) => Some(sum & !self.mask | self.bits),
            None => None,
        }
    }

    /// Version and variant among the fields of a format.
    pub const fn of(fields: &[BitField]) -> Self {
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

    /// Whether the fixed bits of `value` are right.
    #[inline]
    pub const fn are_in(self, value: u128) -> bool {
        self.joined(value) == self.joined(self.bits)
    }

    /// The fixed bits of `value` in one word, because that is compared in fewer steps.
    #[inline]
    const fn joined(self, value: u128) -> u64 {
        let (upper, lower) = ((self.mask >> 64) as u64, self.mask as u64);
        // The fixed bits of the lower half go where the upper half has none.
        let shift = if lower == 0 {
            0
        } else {
            lower.trailing_zeros()
        };
        debug_assert!(upper & lower >> shift == 0);
        (value >> 64) as u64 & upper | (value as u64 & lower) >> shift
    }

    /// `value` with the fixed bits set.
    pub const fn stamp(self, value: u128) -> u128 {
        (value & !self.mask) | self.bits
    }
}

/// The 128 bits of a format with the RFC's variant. The variant is never zero, so an `Option` of
/// these bits takes no more memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct UuidBits(NonZeroU128);

impl UuidBits {
    /// The first bit of the variant.
    const ALWAYS_SET: u128 = 1 << 63;

    /// `value` must have the variant.
    #[inline]
    pub(crate) const fn new(value: u128) -> Self {
        debug_assert!(value & Self::ALWAYS_SET != 0);
        // The value has the bit already. This tells the compiler, which removes the other branch.
        match NonZeroU128::new(value | Self::ALWAYS_SET) {
            Some(bits) => Self(bits),
            None => unreachable!(),
        }
    }

    #[inline]
    pub(crate) const fn get(self) -> u128 {
        self.0.get()
    }
}
