//! The ways to write an id, by name.

use core::str::FromStr;

use crate::error::{Error, by_name};
use crate::named::named;

named! {
    /// How an id is written.
    ///
    /// All but [`Decimal`](Self::Decimal) have one length per [`Width`](super::Width) and sort
    /// bytewise like the numbers.
    Encoding {
        /// Hyphenated lower-case UUID text of 128 bits, 36 characters; either letter case is read.
        /// A number of another width is widened with leading zero bits.
        Uuid = "uuid",
        /// Base 62 (`0-9A-Za-z`) per block of eight bytes, 11 characters a block, case-sensitive. A
        /// DistributedId leaves out the six leading characters, which would always be `0`.
        Alphanumeric = "alphanumeric",
        /// Upper-case hexadecimal; either case is read. A DistributedId leaves out the six leading
        /// characters, which would always be `0`.
        Hexadecimal = "hexadecimal",
        /// Decimal digits without padding, so of variable length: sorts like the numbers only among
        /// strings of the same length. Leading zeros are accepted, within the width's number of
        /// digits.
        Decimal = "decimal",
        /// The big-endian bytes, shown as lower-case hexadecimal; either case is read.
        Binary = "binary",
    }
}

/// The name on the command line, such as `alphanumeric`.
impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        by_name("encoding", name, &Self::ALL, Self::name)
    }
}
