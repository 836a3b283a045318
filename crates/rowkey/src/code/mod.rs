//! Codes that people read out: short, unpredictable, made by the system, unique by the database.
//!
//! A [`Code`] is not a key. It stands beside one, in a column with a unique constraint: bookings
//! are joined and linked by their key, and found by their code when a person has nothing else. The
//! text is Crockford's base 32 with his check symbol.
//!
//! ```
//! use rowkey::code::Code;
//!
//! type BookingCode = Code<8>;
//!
//! let code: BookingCode = "4G7H-2MQX-7".parse()?;
//! assert_eq!(code.to_string(), "4G7H2MQX7");
//! // As a person may write it.
//! assert_eq!("4g7h 2mqx 7".replace(' ', "-").parse(), Ok(code));
//! // Two symbols exchanged.
//! assert!("4GH7-2MQX-7".parse::<BookingCode>().is_err());
//! # Ok::<(), rowkey::code::ParseCodeError>(())
//! ```
//!
//! Source: Douglas Crockford, "Base 32".

#[cfg(feature = "serde")]
mod serde;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use crate::generate::Entropy;
#[cfg(feature = "std")]
use crate::generate::SystemEntropy;
use crate::storage::{Nullability, quote_identifier, text_type};
use crate::text::ShortText;
use crate::{Backend, Error};

/// The 32 symbols in the order of their values, then the five that only a check symbol can be.
const SYMBOLS: &[u8; 37] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U";

const BITS: u32 = 5;

/// A prime, so that a wrong symbol and two exchanged neighbours always change the remainder.
const CHECK_MODULUS: u128 = 37;

/// A code of this many symbols (1 to 25) of five random bits each, and a check symbol.
///
/// A code is written in upper case without hyphens, `4G7H2MQX7`, or by [`grouped`](Self::grouped)
/// with hyphens. Reading is tolerant, as Crockford has it: either case, hyphens anywhere, `I` and
/// `L` for `1` and `O` for `0`. The alphabet has no `U`, which avoids the most common obscene
/// words, though not every one: draw again if your own list finds one.
///
/// The check symbol detects every single wrong symbol and every exchange of two neighbours. New
/// codes are drawn so that it is a letter or digit of the alphabet; codes that were made elsewhere
/// may have one of `*`, `~`, `$`, `=` and `U`.
///
/// Order: by text, also in the column. The order carries no meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code<const LENGTH: usize>(u128);

impl<const LENGTH: usize> Code<LENGTH> {
    /// The largest number, with a message for lengths that are not supported.
    const MAX: u128 = {
        assert!(
            LENGTH >= 1 && LENGTH <= 25,
            "a code has 1 to 25 symbols before its check symbol"
        );
        u128::MAX >> (128 - BITS * LENGTH as u32)
    };

    /// A new code from the operating system's randomness.
    ///
    /// Another row may have the same code: insert it into a unique column, and draw again if the
    /// database refuses it.
    ///
    /// ```
    /// use rowkey::code::Code;
    ///
    /// assert_eq!(Code::<8>::generate().to_string().len(), 9);
    /// ```
    #[cfg(feature = "std")]
    pub fn generate() -> Self {
        Self::generate_with(&mut SystemEntropy::new())
    }

    /// A new code from random bits, which must be unpredictable.
    pub fn generate_with(entropy: &mut impl Entropy) -> Self {
        // 32 of 37 draws have a check symbol of the alphabet. Real randomness finds
        // one, but fixed bits in a test may not.
        let mut number = 0;
        for _ in 0..64 {
            number = entropy.next_u128() & Self::MAX;
            if number % CHECK_MODULUS < 32 {
                return Self(number);
            }
        }
        Self(number - 5)
    }

    /// The code of a number; `None` if it has more than five bits for each symbol.
    pub const fn from_number(number: u128) -> Option<Self> {
        if number > Self::MAX {
            return None;
        }
        Some(Self(number))
    }

    /// The number whose base-32 digits the symbols are.
    pub const fn number(self) -> u128 {
        self.0
    }

    /// The text that `Display` writes and the column stores: the symbols in upper case and the
    /// check symbol.
    pub fn to_text(self) -> ShortText {
        let mut text = [0; 26];
        let mut rest = self.0;
        for symbol in text[..LENGTH].iter_mut().rev() {
            *symbol = SYMBOLS[(rest & 31) as usize];
            rest >>= BITS;
        }
        text[LENGTH] = check_symbol(self.0);
        ShortText::of_ascii(&text[..=LENGTH]).expect("the symbols are ASCII")
    }

    /// The text in groups of four symbols with hyphens between them, for letters and screens.
    ///
    /// ```
    /// use rowkey::code::Code;
    ///
    /// let code: Code<8> = "4G7H2MQX7".parse()?;
    /// assert_eq!(code.grouped(), "4G7H-2MQX-7");
    /// # Ok::<(), rowkey::code::ParseCodeError>(())
    /// ```
    pub fn grouped(self) -> String {
        let text = self.to_text();
        let mut grouped = String::with_capacity(LENGTH + LENGTH / 4 + 1);
        for (index, symbol) in text.chars().enumerate() {
            if index > 0 && index % 4 == 0 {
                grouped.push('-');
            }
            grouped.push(symbol);
        }
        grouped
    }

    /// The SQL type of the code's column: text with a binary collation, so that the database
    /// distinguishes and orders codes like this type. The column stores [`to_text`](Self::to_text).
    ///
    /// ```
    /// use rowkey::Backend;
    /// use rowkey::code::Code;
    ///
    /// assert_eq!(Code::<8>::column_type(Backend::Postgres), r#"varchar(9) COLLATE "C""#);
    /// ```
    pub fn column_type(backend: Backend) -> String {
        const { assert!(Self::MAX > 0) };
        text_type(backend, LENGTH as u8 + 1)
    }

    /// The definition of the code's column in a `CREATE TABLE` statement: quoted name, type, NULL
    /// or NOT NULL. Add `UNIQUE`, or a constraint with a name of its own.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    pub fn column_definition(
        backend: Backend,
        name: &str,
        nullability: Nullability,
    ) -> Result<String, Error> {
        let name = quote_identifier(backend, name)?;
        let sql_type = Self::column_type(backend);
        Ok(format!("{name} {sql_type} {nullability}"))
    }
}

const fn check_symbol(number: u128) -> u8 {
    SYMBOLS[(number % CHECK_MODULUS) as usize]
}

/// The value of a symbol as a person may write it, among the first `count` symbols.
fn value_of(symbol: char, count: usize) -> Option<u8> {
    let symbol = match symbol.to_ascii_uppercase() {
        'I' | 'L' => '1',
        'O' => '0',
        other => other,
    };
    let is_it = |known: &u8| char::from(*known) == symbol;
    let value = SYMBOLS[..count].iter().position(is_it)?;
    Some(value as u8)
}

impl<const LENGTH: usize> FromStr for Code<LENGTH> {
    type Err = ParseCodeError;

    fn from_str(text: &str) -> Result<Self, ParseCodeError> {
        const { assert!(Self::MAX > 0) };
        let symbols = || {
            text.chars()
                .enumerate()
                .filter(|(_, symbol)| *symbol != '-')
        };
        let expected = LENGTH + 1;
        match symbols().count() {
            0 => return Err(ParseCodeError::Empty),
            found if found != expected => return Err(ParseCodeError::Length { expected, found }),
            _ => {}
        }
        let mut number = 0;
        for (index, (position, found)) in symbols().enumerate() {
            if index < LENGTH {
                let value =
                    value_of(found, 32).ok_or(ParseCodeError::Symbol { position, found })?;
                number = number << BITS | u128::from(value);
                continue;
            }
            let value = value_of(found, 37).ok_or(ParseCodeError::Symbol { position, found })?;
            if u128::from(value) != number % CHECK_MODULUS {
                return Err(ParseCodeError::Check { position, found });
            }
        }
        Ok(Self(number))
    }
}

/// Why a text is not a [`Code`]. Positions count the characters before, hyphens included.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseCodeError {
    /// The text has no symbol.
    #[error("the code is empty")]
    Empty,
    /// The text has too many or too few symbols.
    #[error("a code has {expected} symbols without hyphens, not {found}")]
    Length {
        /// The code's symbols and its check symbol.
        expected: usize,
        /// Characters found that are not hyphens.
        found: usize,
    },
    /// A character is not a symbol, or not one for its position.
    #[error("{found:?} at position {position} is not a symbol of a code")]
    Symbol {
        /// The number of characters before the wrong one.
        position: usize,
        /// The character that is not allowed there.
        found: char,
    },
    /// All characters are symbols, but the last does not fit the others.
    #[error(
        "the check symbol {found:?} at position {position} does not fit the others: a symbol is wrong, or \
         two are exchanged"
    )]
    Check {
        /// The number of characters before the check symbol.
        position: usize,
        /// The check symbol that does not fit.
        found: char,
    },
}

impl<const LENGTH: usize> fmt::Display for Code<LENGTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}

impl<const LENGTH: usize> fmt::Debug for Code<LENGTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}

/// For drivers that read a column as text.
impl<const LENGTH: usize> TryFrom<String> for Code<LENGTH> {
    type Error = ParseCodeError;

    fn try_from(text: String) -> Result<Self, ParseCodeError> {
        text.parse()
    }
}

/// For drivers that write a column from text.
impl<const LENGTH: usize> From<Code<LENGTH>> for String {
    fn from(code: Code<LENGTH>) -> Self {
        code.to_string()
    }
}
