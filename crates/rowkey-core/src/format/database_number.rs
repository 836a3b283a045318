//! A number that the database counts when it inserts the row.
//!
//! ```text
//! bit of the number   127 .. 63    62 .. 0
//!                    +-----------+---------------------------+
//!                    | 0         | number                    |
//!                    +-----------+---------------------------+
//! bits                 65          63
//! byte                 0 .. 8      8 (low 7 bits) .. 15
//! ```

use super::spec::{FormatSpec, Leading};
use super::traits::impl_format;
use crate::bits::{BitField, FieldKind};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::text::Width;

const FIELDS: [BitField; 2] = BitField::consecutive([
    ("zero", FieldKind::Constant(0), 65),
    ("number", FieldKind::Context, 63),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    width: Width::I64,
    ..FormatSpec::new(&FIELDS, Leading::Plain)
};

/// A number from 0 to 2^63-1 that the database counts, in a BIGINT column.
///
/// Programs don't generate these keys: a key exists once its row is inserted. Read it with
/// `RETURNING` or `OUTPUT`, or convert the last insert id with
/// [`EntityKey::from_number`](crate::EntityKey::from_number).
/// [`StoragePlan::counted_column_definition`](crate::storage::StoragePlan::counted_column_definition)
/// defines the column.
///
/// As 128 bits the number is big-endian with 65 leading zero bits. The public text is the decimal
/// digits without padding, also in JSON: JavaScript rounds numbers above 2^53.
///
/// Order: every database sorts by number. That is the order in which the database assigned the
/// numbers, not the order of commits. A transaction that is rolled back leaves a gap.
///
/// A number reveals how many rows there are, and its neighbours are easy to guess. Show people a
/// public id (`rowkey::public_id`) or a second column of another format.
///
/// ```
/// use rowkey_core::DatabaseNumber;
///
/// let last_insert_id: u64 = 9_007_199_254_740_993;
/// let number = DatabaseNumber::try_from(last_insert_id)?;
/// assert_eq!(number.to_string(), "9007199254740993");
/// assert_eq!(number.get(), 9_007_199_254_740_993);
/// assert!(DatabaseNumber::try_from(-1_i64).is_err());
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DatabaseNumber(pub(crate) u128);

impl_format!(DatabaseNumber, FormatKind::DatabaseNumber);

impl DatabaseNumber {
    /// The number, from 0 on.
    #[inline]
    pub const fn get(self) -> i64 {
        self.0 as i64
    }
}

macro_rules! impl_integer {
    ($($Integer:ty: $of:literal),*) => {$(
        #[doc = concat!("The number ", $of, ".")]
        ///
        /// # Errors
        ///
        /// `ErrorKind::OutOfRange` below 0 and above 2^63-1.
        impl TryFrom<$Integer> for DatabaseNumber {
            type Error = Error;

            #[inline]
            fn try_from(number: $Integer) -> Result<Self, Error> {
                of_integer(number.into())
            }
        }
    )*};
}

impl_integer! {
    i32: "of a literal",
    i64: "as drivers read it, or SQLite's last row id",
    u64: "of the last insert id in MySQL and MariaDB"
}

#[inline]
fn of_integer(number: i128) -> Result<DatabaseNumber, Error> {
    match i64::try_from(number) {
        Ok(admitted @ 0..) => Ok(DatabaseNumber(admitted as u128)),
        _ => {
            let (format, valid) = (FormatKind::DatabaseNumber, 0..=i64::MAX as u128);
            Err(Error::field(format, "number", number, valid))
        }
    }
}

impl From<DatabaseNumber> for i64 {
    fn from(number: DatabaseNumber) -> Self {
        number.get()
    }
}
