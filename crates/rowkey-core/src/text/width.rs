//! The ranges of numbers, by name.

use core::str::FromStr;

use crate::error::{Error, by_name};
use crate::named::named;

named! {
    /// The range of numbers that a fixed-length encoding covers.
    Width {
        /// 0 to 2^63-1: 11 alphanumeric, 16 hexadecimal characters, 8 bytes.
        I64 = "i64",
        /// 0 to 2^64-1: 11 alphanumeric, 16 hexadecimal characters, 8 bytes.
        U64 = "u64",
        /// 0 to 10^28-1: 16 alphanumeric, 26 hexadecimal characters, 16 bytes.
        Decimal28 = "decimal28",
        /// 0 to 2^128-1: 22 alphanumeric, 32 hexadecimal characters, 16 bytes.
        U128 = "u128",
    }
}

impl Width {
    /// The largest number.
    #[inline]
    pub const fn max(self) -> u128 {
        match self {
            Self::I64 => i64::MAX as u128,
            Self::U64 => u64::MAX as u128,
            Self::Decimal28 => 10_u128.pow(28) - 1,
            Self::U128 => u128::MAX,
        }
    }
}

/// The name on the command line, such as `decimal28`.
impl FromStr for Width {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        by_name("width", name, &Self::ALL, Self::name)
    }
}
