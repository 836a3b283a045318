//! The ways to write an id, by name.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// How an id is written.
///
/// All but [`Decimal`](Self::Decimal) have one length per [`Width`](super::Width) and sort bytewise like the
/// numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Hyphenated lower-case UUID text of 128 bits, 36 characters; either letter case is read. A
    /// number of another width is widened with leading zero bits.
    Uuid,
    /// Base 62 (`0-9A-Za-z`) per block of eight bytes, 11 characters a block, case-sensitive. A
    /// DistributedId leaves out the six leading characters, which would always be `0`.
    Alphanumeric,
    /// Upper-case hexadecimal; either case is read. A DistributedId leaves out the six leading
    /// characters, which would always be `0`.
    Hexadecimal,
    /// Decimal digits without padding, so of variable length: sorts like the numbers only among
    /// strings of the same length. Leading zeros are accepted, within the width's number of digits.
    Decimal,
    /// The big-endian bytes, shown as lower-case hexadecimal; either case is read.
    Binary,
}

impl Encoding {
    /// Every encoding, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Uuid,
        Self::Alphanumeric,
        Self::Hexadecimal,
        Self::Decimal,
        Self::Binary,
    ];

    /// The name on the command line and in messages, such as `alphanumeric`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::Alphanumeric => "alphanumeric",
            Self::Hexadecimal => "hexadecimal",
            Self::Decimal => "decimal",
            Self::Binary => "binary",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name on the command line, such as `alphanumeric`.
impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "encoding",
                name: name.into(),
                choices: "uuid, alphanumeric, hexadecimal, decimal and binary".into(),
            })
    }
}
