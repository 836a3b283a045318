//! A public id of 128 bits.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use crate::format::Format;
use crate::text::{Encoding, ShortText, Width};
use crate::{AnyUuid, Error, Uuid};

/// An encrypted id of a value of type `T`: 128 bits without meaning or useful order.
///
/// A public id is written as hyphenated lower-case text. [`encode`](Self::encode) writes shorter
/// forms, such as the 22 alphanumeric characters of the original system, which
/// `public_id::alphanumeric` writes with serde. The `T` only keeps public ids of different types
/// apart at compile time.
///
/// Parsing reads every form that has a length of its own: 36 characters hyphenated, 32 hexadecimal
/// and 22 alphanumeric. Decimal text has any length up to 39, so only [`decode`](Self::decode)
/// reads it. Parsing, or deserializing with serde (text in human-readable formats, 16 bytes in
/// binary ones), requires no key: only a cipher can check whether the text belongs to a value.
///
/// ```
/// use rowkey::public_id::PublicId;
/// use rowkey::text::Encoding;
///
/// let public_id: PublicId<u64> = "48XoooHHCe1CiOHrghM7Dl".parse()?;
/// assert_eq!(public_id.to_string(), "30322474-a954-ffa9-941c-6f038afe4ff1");
/// assert_eq!("30322474-a954-ffa9-941c-6f038afe4ff1".parse(), Ok(public_id));
/// assert_eq!(public_id.encode(Encoding::Alphanumeric), "48XoooHHCe1CiOHrghM7Dl");
/// assert_eq!(public_id.encode(Encoding::Hexadecimal), "30322474A954FFA9941C6F038AFE4FF1");
/// assert_eq!("30322474A954FFA9941C6F038AFE4FF1".parse(), Ok(public_id));
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct PublicId<T> {
    uuid: Uuid,
    // `fn() -> T`: a public id holds no `T`, so it is `Send` and `Sync` for any `T`.
    value: PhantomData<fn() -> T>,
}

impl<T> PublicId<T> {
    /// The public id of these 128 bits.
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self {
            uuid,
            value: PhantomData,
        }
    }

    /// The 128 bits. Their version and variant mean nothing.
    pub const fn as_uuid(&self) -> Uuid {
        self.uuid
    }

    /// The text in an encoding of 128 bits: 36 characters hyphenated, 22 alphanumeric, 32
    /// hexadecimal, up to 39 decimal.
    pub fn encode(&self, encoding: Encoding) -> ShortText {
        AnyUuid::from_u128(self.uuid.as_u128()).encode(encoding)
    }

    /// Reads text in an encoding of 128 bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Text` when the text does not have the encoding's length, alphabet or range.
    pub fn decode(encoding: Encoding, text: &str) -> Result<Self, Error> {
        Width::U128
            .decode(encoding, text)
            .map(|bits| Self::from_uuid(Uuid::from_u128(bits)))
    }
}

impl_id_traits!(PublicId, uuid);

impl<T> fmt::Debug for PublicId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicId({self})")
    }
}

impl<T> fmt::Display for PublicId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.encode(Encoding::Uuid))
    }
}

impl<T> FromStr for PublicId<T> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // Only hyphenated text has hyphens. The others differ in length, so none is read as
        // another.
        let encoding = if text.contains('-') {
            Encoding::Uuid
        } else if text.len() == 32 {
            Encoding::Hexadecimal
        } else {
            Encoding::Alphanumeric
        };
        Self::decode(encoding, text).map_err(|error| {
            error.with_expected(
                "hyphenated UUID text, 32 hexadecimal digits, or 22 alphanumeric characters \
                 (0-9, A-Z, a-z)",
            )
        })
    }
}

impl<T> From<Uuid> for PublicId<T> {
    fn from(uuid: Uuid) -> Self {
        Self::from_uuid(uuid)
    }
}

impl<T> From<PublicId<T>> for Uuid {
    fn from(public_id: PublicId<T>) -> Self {
        public_id.uuid
    }
}
