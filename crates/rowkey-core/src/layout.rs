//! The order of the sixteen bytes inside a stored form.
//!
//! ```text
//! public form            B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B14 B15
//!
//! swap, short            B10 B11 B2 B3 B4 B5 B6 B7 B8 B9 B0 B1 B12 B13 B14 B15
//! swap, full             B10 B11 B12 B13 B14 B15 B6 B7 B8 B9 B0 B1 B2 B3 B4 B5
//! sql-server             B15 B14 B13 B12 B11 B10 B9 B8 B6 B7 B0 B1 B2 B3 B4 B5
//! ```
//!
//! Both swaps leave version (B6) and variant (B8) where they are, so a version-4 UUID remains one,
//! and each is its own inverse.

use crate::named::named;

named! {
    /// The order of the bytes inside a stored form, by name.
    Layout {
        /// As in the public form.
        Public = "public",
        /// As in the public form, although SQL Server then sorts by bytes that are random: for
        /// tables whose guids are already stored in this way. The column does not keep the format's
        /// order.
        PublicUnordered = "public-unordered",
        /// A suffix COMB, stored with its time field in front.
        Prefix = "prefix",
        /// A prefix COMB, stored with its time field in the bytes that SQL Server and MariaDB's
        /// `UUID` compare first.
        Suffix = "suffix",
        /// All bytes rearranged so that SQL Server's `uniqueidentifier` order is the public order
        /// of the ids. Version and variant move.
        SqlServer = "sql-server",
    }
}

/// A fixed permutation of sixteen bytes, represented as a big-endian `u128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permutation {
    /// The identity.
    Identity,
    /// B0 B1 exchanged with B10 B11: a short prefix COMB becomes a short suffix COMB, and back.
    SwapShort,
    /// B0..B5 exchanged with B10..B15: a prefix COMB becomes a suffix COMB, and back.
    SwapFull,
    /// The order-preserving image for SQL Server: for any two values, SQL Server orders the images
    /// as public (RFC) order orders the values.
    ///
    /// Source: `ToSqlGuid` of HotGuid and SequentialGuid.
    SqlServer,
}

impl Permutation {
    /// Public form to stored form.
    #[inline]
    pub const fn apply(self, value: u128) -> u128 {
        match self {
            Self::Identity => value,
            Self::SwapShort => swap_fields(value, 112, 32, 0xffff),
            Self::SwapFull => swap_fields(value, 80, 0, (1 << 48) - 1),
            Self::SqlServer => {
                let (high, low) = ((value >> 64) as u64, value as u64);
                (low.swap_bytes() as u128) << 64 | high.rotate_right(16) as u128
            }
        }
    }

    /// Stored form to public form.
    #[inline]
    pub const fn invert(self, stored: u128) -> u128 {
        match self {
            Self::Identity | Self::SwapShort | Self::SwapFull => self.apply(stored),
            Self::SqlServer => {
                let (high, low) = ((stored >> 64) as u64, stored as u64);
                (low.rotate_left(16) as u128) << 64 | high.swap_bytes() as u128
            }
        }
    }

    /// The index in the stored form of each byte of the public form.
    pub const fn places(self) -> [u8; 16] {
        self.invert(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)
            .to_be_bytes()
    }
}

/// Exchanges two bit fields of equal width.
#[inline]
const fn swap_fields(value: u128, high_shift: u32, low_shift: u32, mask: u128) -> u128 {
    let difference = ((value >> high_shift) ^ (value >> low_shift)) & mask;
    value ^ (difference << high_shift) ^ (difference << low_shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `table[i]` is the index in the public form of the byte at index `i` of the stored form.
    const TABLES: [(Permutation, [u8; 16]); 4] = [
        (
            Permutation::Identity,
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        ),
        (
            Permutation::SwapShort,
            [10, 11, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 12, 13, 14, 15],
        ),
        (
            Permutation::SwapFull,
            [10, 11, 12, 13, 14, 15, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5],
        ),
        (
            Permutation::SqlServer,
            [15, 14, 13, 12, 11, 10, 9, 8, 6, 7, 0, 1, 2, 3, 4, 5],
        ),
    ];

    #[test]
    fn permutations_move_the_bytes_of_the_diagram() {
        let public: [u8; 16] = core::array::from_fn(|index| index as u8);
        for (permutation, table) in TABLES {
            let stored = permutation.apply(u128::from_be_bytes(public));
            assert_eq!(stored.to_be_bytes(), table, "{permutation:?}");
            assert_eq!(
                permutation.invert(stored).to_be_bytes(),
                public,
                "{permutation:?}"
            );
        }
    }
}
