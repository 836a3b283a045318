//! Where version and variant of a UUID are among the stored bytes.

use rowkey_core::storage::Permutation;

/// The version of values without the variant of RFC 9562.
pub(crate) const NO_VERSION: u8 = 16;

/// The last bits of variant and version in the text of a UUID, counted from its end.
const VARIANT: u32 = 62;
const VERSION: u32 = 76;

/// Where a layout stores version and variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VersionBits {
    /// Version and variant where the text of a UUID has them. The swaps of the COMBs leave them
    /// there.
    Text,
    /// As in the `sql-server` layout.
    SqlServer,
}

impl VersionBits {
    pub(crate) const ALL: [Self; 2] = [Self::Text, Self::SqlServer];

    /// The version of a value with the variant of RFC 9562.
    pub(crate) fn version(self, stored: u128) -> u8 {
        let (variant, version) = self.shifts();
        match stored >> variant & 0b11 {
            0b10 => (stored >> version & 0xf) as u8,
            _ => NO_VERSION,
        }
    }

    /// The bits of a stored UUID that are neither version nor variant.
    pub(crate) fn free_bits(self) -> u128 {
        let (variant, version) = self.shifts();
        !(0b11 << variant | 0xf << version)
    }

    /// The bits of the byte of the variant that are not the variant.
    pub(crate) fn bits_after_the_variant(self) -> u128 {
        let (variant, _) = self.shifts();
        0x3f << (variant - 6)
    }

    /// The bits of the hexadecimal digit of the variant that are not the variant.
    pub(crate) fn rest_of_the_variants_digit(self) -> u128 {
        let (variant, _) = self.shifts();
        0b11 << (variant - 2)
    }

    /// Whether values with such a version may have these bits, of which a mask says which they are.
    pub(crate) fn may_have(self, (mask, bits): (u128, u128), version: u8) -> bool {
        let (variant_shift, version_shift) = self.shifts();
        let (variant_mask, version_mask) = (0b11 << variant_shift, 0xf << version_shift);
        let variant = 0b10 << variant_shift;
        if version == NO_VERSION {
            return mask & variant_mask != variant_mask || bits & variant_mask != variant;
        }
        let known = variant | u128::from(version) << version_shift;
        (bits ^ known) & mask & (variant_mask | version_mask) == 0
    }

    /// The last bits of variant and version. No order divides a byte.
    const fn shifts(self) -> (u32, u32) {
        const fn in_sql_server(shift: u32) -> u32 {
            Permutation::SqlServer.apply(1 << shift).trailing_zeros()
        }
        const SQL_SERVER: (u32, u32) = (in_sql_server(VARIANT), in_sql_server(VERSION));
        match self {
            Self::Text => (VARIANT, VERSION),
            Self::SqlServer => SQL_SERVER,
        }
    }
}

/// How many random values have one version and the variant.
pub(crate) const SHARE_OF_A_VERSION: f64 = 1.0 / 64.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::chance::Draws;

    #[test]
    fn the_version_is_that_of_the_value_in_the_order_of_the_text() {
        let mut draws = Draws::new(3);
        let mut half = || u128::from(draws.below(u64::MAX));
        for _ in 0..10_000 {
            let stored = half() << 64 | half();
            for version_bits in VersionBits::ALL {
                let value = match version_bits {
                    VersionBits::Text => stored,
                    VersionBits::SqlServer => Permutation::SqlServer.invert(stored),
                };
                let expected = match value >> 62 & 3 {
                    2 => (value >> 76 & 15) as u8,
                    _ => NO_VERSION,
                };
                assert_eq!(
                    version_bits.version(stored),
                    expected,
                    "{version_bits:?} {stored:032x}"
                );
            }
        }
    }
}
