//! Where version and variant of a UUID are among the stored bytes.

use rowkey_core::storage::Permutation;
use rowkey_core::uuid::Uuid;

/// The version of values without the variant of RFC 9562.
pub(super) const NO_VERSION: u8 = 16;

/// A way to store all sixteen bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Home {
    /// Version and variant where the text of a UUID has them. The swaps of the COMBs leave them there.
    Text,
    /// As in the `sql-server` layout.
    SqlServer,
    /// As in the bytes of a .NET `Guid`, which no layout has.
    DotNet,
}

impl Home {
    pub(super) const ALL: [Self; 3] = [Self::Text, Self::SqlServer, Self::DotNet];

    /// The value whose text has version and variant in their places.
    pub(super) fn text_order(self, stored: u128) -> u128 {
        match self {
            Self::Text => stored,
            Self::SqlServer => Permutation::SqlServer.invert(stored),
            Self::DotNet => Uuid::from_bytes_le(stored.to_be_bytes()).as_u128(),
        }
    }

    /// The version of a value with the variant of RFC 9562.
    pub(super) fn version(self, stored: u128) -> u8 {
        let value = self.text_order(stored);
        match value >> 62 & 0b11 {
            0b10 => (value >> 76 & 0xf) as u8,
            _ => NO_VERSION,
        }
    }

    /// How many random values have one version here, at most, among those that are UUIDs elsewhere.
    pub(super) fn chance(self) -> f64 {
        match self {
            Self::Text | Self::SqlServer => 1.0 / 64.0,
            // The variant is where the text has it.
            Self::DotNet => 1.0 / 16.0,
        }
    }
}
