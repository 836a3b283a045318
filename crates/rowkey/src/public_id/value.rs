//! The sixteen bytes that are encrypted.

use crate::error::ErrorKind;
use crate::format::{Format, FormatKind};
use crate::text::Width;
use crate::{Error, Uuid};

/// A value that has a public id.
///
/// Implemented by `u64`, `i64`, `u128`, [`Uuid`] and every [`Format`]. A newtype forwards to the
/// value it wraps.
pub trait PublicIdValue: Sized {
    /// The name of the type in messages.
    const TYPE: &'static str;

    /// The sixteen bytes that are encrypted, as the number that they are in big-endian order.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a value that has no public id: a negative `i64`.
    // Not an array: next to the pointer of an error, its bytes would be moved one by one.
    fn to_block(&self) -> Result<u128, Error>;

    /// The value of sixteen decrypted bytes; `None` if no value of the type has this block.
    fn from_block(block: u128) -> Option<Self>;
}

#[inline]
pub(crate) fn block_of(kind: FormatKind, value: u128) -> u128 {
    match kind.width() {
        Width::Decimal28 => decimal_block(value),
        Width::U128 => value,
        Width::I64 | Width::U64 => number_block(value as u64),
    }
}

/// The value may be of another format.
#[inline]
pub(crate) fn bits_of(kind: FormatKind, block: u128) -> Option<u128> {
    match kind.width() {
        Width::Decimal28 => decimal_of(block),
        Width::U128 => Some(block),
        Width::I64 | Width::U64 => number_of(block).map(u128::from),
    }
}

/// Eight zero bytes, then the number in little-endian order.
#[inline]
fn number_block(value: u64) -> u128 {
    (u128::from(value) << 64).swap_bytes()
}

#[inline]
fn number_of(block: u128) -> Option<u64> {
    let block = block.swap_bytes();
    (block as u64 == 0).then_some((block >> 64) as u64)
}

/// Four zero bytes, then the upper 32 bits and the lower 64 bits, each in little-endian order.
#[inline]
fn decimal_block(value: u128) -> u128 {
    let upper = (value >> 64) as u32;
    (value << 64 | u128::from(upper) << 32).swap_bytes()
}

#[inline]
fn decimal_of(block: u128) -> Option<u128> {
    let block = block.swap_bytes();
    let upper = (block >> 32) as u32;
    (block as u32 == 0).then_some(u128::from(upper) << 64 | block >> 64)
}

impl PublicIdValue for u64 {
    const TYPE: &'static str = "u64";

    #[inline]
    fn to_block(&self) -> Result<u128, Error> {
        Ok(number_block(*self))
    }

    #[inline]
    fn from_block(block: u128) -> Option<Self> {
        number_of(block)
    }
}

/// Only from 0 on: a negative number has no public id.
impl PublicIdValue for i64 {
    const TYPE: &'static str = "i64";

    #[inline]
    fn to_block(&self) -> Result<u128, Error> {
        match u64::try_from(*self) {
            Ok(value) => Ok(number_block(value)),
            Err(_) => Err(Error::new(
                ErrorKind::OutOfRange,
                "a public id of type i64 cannot carry this value: it is negative",
            )),
        }
    }

    #[inline]
    fn from_block(block: u128) -> Option<Self> {
        number_of(block)?.try_into().ok()
    }
}

impl PublicIdValue for u128 {
    const TYPE: &'static str = "u128";

    #[inline]
    fn to_block(&self) -> Result<u128, Error> {
        Ok(*self)
    }

    #[inline]
    fn from_block(block: u128) -> Option<Self> {
        Some(block)
    }
}

impl PublicIdValue for Uuid {
    const TYPE: &'static str = "Uuid";

    #[inline]
    fn to_block(&self) -> Result<u128, Error> {
        Ok(self.as_u128())
    }

    #[inline]
    fn from_block(block: u128) -> Option<Self> {
        Some(Self::from_u128(block))
    }
}

macro_rules! implement {
    ([] $({
        $module:ident $format:ident $name:literal $made:ident($($context:ident)?)
        [$($generics:tt)*] [$($arguments:tt)*]
    })*) => {
        $(
            impl<$($generics)*> PublicIdValue for crate::$format $($arguments)* {
                const TYPE: &'static str = Self::KIND.type_name();

                #[inline]
                fn to_block(&self) -> Result<u128, Error> {
                    Ok(block_of(Self::KIND, (*self).to_u128()))
                }

                #[inline]
                fn from_block(block: u128) -> Option<Self> {
                    Self::try_from(bits_of(Self::KIND, block)?).ok()
                }
            }
        )*
    };
}

rowkey_core::__private::format_rows!(implement);
