//! The ranges of numbers, by name.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// The range of numbers that a fixed-length encoding covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 0 to 2^63-1: 11 alphanumeric, 16 hexadecimal characters, 8 bytes.
    I64,
    /// 0 to 2^64-1: 11 alphanumeric, 16 hexadecimal characters, 8 bytes.
    U64,
    /// 0 to 10^28-1: 16 alphanumeric, 26 hexadecimal characters, 16 bytes.
    Decimal28,
    /// 0 to 2^128-1: 22 alphanumeric, 32 hexadecimal characters, 16 bytes.
    U128,
}

impl Width {
    /// Every width, from the smallest range to the largest.
    pub const ALL: [Self; 4] = [Self::I64, Self::U64, Self::Decimal28, Self::U128];

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

    /// The name on the command line and in messages, such as `decimal28`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::Decimal28 => "decimal28",
            Self::U128 => "u128",
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name on the command line, such as `decimal28`.
impl FromStr for Width {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|width| width.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "width",
                name: name.into(),
                choices: "i64, u64, decimal28 and u128".into(),
            })
    }
}
