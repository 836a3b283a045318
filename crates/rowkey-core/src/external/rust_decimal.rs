//! rust_decimal: the number of a DistributedId, which fits in 96 bits.

use alloc::format;

use rust_decimal::Decimal;

use crate::error::{Error, Problem};
use crate::format::{DistributedId, Format, FormatKind};

/// Implements the conversions of a key, which only keys over DistributedId have.
///
/// The bounds mention a lifetime on purpose: an unmet bound without one would be an error here, not
/// an impl that does not apply.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_rust_decimal {
    ($key:ident) => {
        #[automatically_derived]
        impl ::core::convert::From<$key> for $crate::__private::Decimal
        where
            for<'a> <$key as $crate::EntityKey>::Format: $crate::__private::DecimalFormat,
        {
            #[inline]
            fn from(__rowkey_key: $key) -> Self {
                $crate::__private::DecimalFormat::to_decimal($crate::EntityKey::into_format(
                    __rowkey_key,
                ))
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<$crate::__private::Decimal> for $key
        where
            for<'a> <$key as $crate::EntityKey>::Format: $crate::__private::DecimalFormat,
        {
            type Error = $crate::Error;

            #[inline]
            fn try_from(
                __rowkey_number: $crate::__private::Decimal,
            ) -> ::core::result::Result<Self, $crate::Error> {
                ::core::result::Result::and_then(
                    $crate::__private::DecimalFormat::from_decimal(__rowkey_number),
                    $crate::EntityKey::from_format,
                )
            }
        }
    };
}

/// Formats whose values fit a [`Decimal`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit the 96 bits of a `Decimal`",
    label = "does not fit a `Decimal`",
    note = "keys over DistributedId do"
)]
pub trait DecimalFormat: Format {
    /// The id's number.
    fn to_decimal(self) -> Decimal;

    /// The id of a number.
    fn from_decimal(number: Decimal) -> Result<Self, Error>;
}

impl DecimalFormat for DistributedId {
    fn to_decimal(self) -> Decimal {
        Decimal::from_i128_with_scale(self.to_u128() as i128, 0)
    }

    fn from_decimal(number: Decimal) -> Result<Self, Error> {
        let whole = number.trunc();
        match u128::try_from(whole.mantissa()) {
            Ok(value) if whole == number => Self::try_from(value),
            _ => Err(Problem::Stored {
                format: FormatKind::DistributedId,
                expected: "a whole number of at most 28 digits",
                found: format!("the number {number}"),
            }
            .into()),
        }
    }
}

impl From<DistributedId> for Decimal {
    fn from(id: DistributedId) -> Self {
        id.to_decimal()
    }
}

/// Ignores zeros after the decimal point.
impl TryFrom<Decimal> for DistributedId {
    type Error = Error;

    fn try_from(number: Decimal) -> Result<Self, Error> {
        Self::from_decimal(number)
    }
}
