//! How ids are stored, with or without their order.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::check;
use crate::number;
use crate::refused::refused;
use rowkey_core::__sql::{TimeField, TimeUnit};
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::format::FieldKind;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Column;
use rowkey_core::storage::Storage;
use rowkey_core::storage::Wire;
use rowkey_core::storage::{Layout, Permutation};
use rowkey_core::storage::{Stored, StoredRef};

/// How a column stores ids of a format: on one backend, in a storage and a layout.
///
/// Unlike a [`Column`], a form promises no order. So there is a form for every column that exists,
/// such as UUIDs of version 7 in the bytes that SQL Server would store, but in PostgreSQL.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_sql::StoredForm;
/// use rowkey_core::Backend;
///
/// let form = StoredForm::named(FormatKind::UuidV7, Backend::Postgres, "uuid:sql-server")?;
/// assert_eq!(form.sql_type(), "uuid");
/// assert_eq!(
///     form.literal(0x018e5f3b_ff48_7bff_8000_0123456789ab),
///     "'ab896745-2301-0080-7bff-018e5f3bff48'",
/// );
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoredForm {
    /// The layout may be one that loses the order on the backend.
    column: Column,
}

impl From<Column> for StoredForm {
    fn from(column: Column) -> Self {
        Self { column }
    }
}

impl StoredForm {
    /// The form of a format's ids on a backend. The default layout is the one of the
    /// [`Column`](Column::new), which keeps the order.
    ///
    /// # Errors
    ///
    /// A message that says why ids of the format are not stored in this way.
    pub const fn new(
        format: FormatKind,
        backend: Backend,
        storage: Storage,
        layout: Option<Layout>,
    ) -> Result<Self, &'static str> {
        match Column::of_form(format, backend, storage, layout) {
            Ok(column) => Ok(Self { column }),
            Err(refusal) => Err(refusal),
        }
    }

    /// The form with a name as in the declaration of a key: a storage, optionally followed by a
    /// colon and a layout.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and for a name that does not exist.
    pub const fn named(
        format: FormatKind,
        backend: Backend,
        name: &str,
    ) -> Result<Self, &'static str> {
        match rowkey_core::__sql::parse_choice(name) {
            Ok((storage, layout)) => Self::new(format, backend, storage, layout),
            Err(refusal) => Err(refusal),
        }
    }

    /// The backend.
    pub const fn backend(self) -> Backend {
        self.column.backend()
    }

    /// The format of the ids.
    pub const fn format(self) -> FormatKind {
        self.column.format()
    }

    /// The kind of column.
    pub const fn storage(self) -> Storage {
        self.column.storage()
    }

    /// The order of the bytes.
    pub const fn layout(self) -> Layout {
        self.column.layout()
    }

    /// The permutation that the layout means for the format.
    pub const fn permutation(self) -> Permutation {
        self.column.permutation()
    }

    /// The type of the column, with the binary collation of text.
    pub fn sql_type(self) -> String {
        self.column.sql_type(self.backend())
    }

    /// The largest public value that fits the form.
    pub const fn max_value(self) -> u128 {
        self.column.max_value()
    }

    /// Whether columns of both forms sort ids in the same order, so that rows in the order of one
    /// form are also in the order of the other. It compares the order of some ids in which each bit
    /// counts.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_sql::StoredForm;
    /// use rowkey_core::Backend;
    ///
    /// let form = |backend, name| StoredForm::named(FormatKind::UuidV7, backend, name);
    /// let (public, moved) = (form(Backend::Postgres, "uuid")?, form(Backend::Postgres, "uuid:sql-server")?);
    /// assert!(public.sorts_as(form(Backend::MySql, "uuid")?));
    /// assert!(!public.sorts_as(moved));
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn sorts_as(self, other: Self) -> bool {
        let most = self.max_value().min(other.max_value());
        let fixed = self.format().spec().fixed;
        let mixed = |bit: u32| 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128.rotate_left(bit);
        let ids = (0..u128::BITS).flat_map(|bit| [1 << bit, mixed(bit)]);
        let ids = ids.map(|any| any & !fixed.mask | fixed.bits);
        let mut ids: Vec<u128> = ids.filter(|id| *id <= most).collect();
        ids.sort_unstable_by(|a, b| self.column.compare(*a, *b));
        let in_order = |a: &u128, b: &u128| other.column.compare(*a, *b).is_le();
        self.format() == other.format() && ids.is_sorted_by(in_order)
    }

    /// The stored value of an id, which is at most [`max_value`](Self::max_value).
    pub fn encode(self, value: u128) -> Stored {
        self.column.encode(value)
    }

    /// The public value of a stored one.
    ///
    /// # Errors
    ///
    /// As [`Column::decode`].
    pub fn decode(self, found: StoredRef<'_>) -> Result<u128, Error> {
        self.column.decode(found)
    }

    /// The SQL literal of an id, which is at most [`max_value`](Self::max_value).
    pub fn literal(self, value: u128) -> String {
        self.column.literal(value)
    }

    /// The SQL condition that a stored value is an id of the format in this form: the length, the
    /// characters and the letter case of text, the fixed bits of the format, and its range. It is
    /// neither true nor false for NULL. `stored` is the SQL of the value, such as a quoted column.
    ///
    /// # Errors
    ///
    /// None for the forms that there are.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_sql::StoredForm;
    /// use rowkey_core::Backend;
    ///
    /// let form = StoredForm::named(FormatKind::UuidV7, Backend::MySql, "uuid").unwrap();
    /// assert_eq!(
    ///     form.condition("`id`")?,
    ///     "(LENGTH(`id`) = 16 AND (ASCII(SUBSTRING(`id`, 7, 1)) >> 4) = 7 AND \
    ///      (ASCII(SUBSTRING(`id`, 9, 1)) >> 6) = 2)",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn condition(self, stored: &str) -> Result<String, Error> {
        check::is_id(self.column, stored)
    }

    /// The SQL expression of the instant in a stored id, in milliseconds since 1970 as a signed
    /// integer of 64 bits: what [`FormatKind::time_of`] returns. It is NULL for numbers that no
    /// clock produces, and for text or bytes of another shape; other values have to pass the
    /// [`condition`](Self::condition).
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a format without an instant, such as the short COMBs with their
    /// counter.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_sql::StoredForm;
    /// use rowkey_core::Backend;
    ///
    /// let form = StoredForm::named(FormatKind::DistributedId, Backend::MySql, "decimal").unwrap();
    /// assert_eq!(
    ///     form.unix_millis("`id`")?,
    ///     "CASE WHEN `id` BETWEEN 0 AND 9999999999999999999999999999 THEN \
    ///      CASE WHEN (`id` DIV 9903520314283042199192993792) = 0 THEN \
    ///      CAST((MOD(`id`, 9903520314283042199192993792) DIV 281474976710656) AS SIGNED) \
    ///      - 2208988800000 END END",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn unix_millis(self, stored: &str) -> Result<String, Error> {
        let time = self.format().spec().time;
        let Some(TimeField {
            unit: TimeUnit::Instant { range, unit_ms },
            ..
        }) = time
        else {
            return Err(refused("ids of this format carry no instant"));
        };
        let number = |field| {
            let field = number::big_endian(field);
            number::expression(self.column, self.backend(), field, stored)
        };
        let mut sql = String::new();
        let mut zero = None;
        for field in self.format().fields() {
            match field.kind {
                FieldKind::Time { .. } => sql = number(*field)?,
                FieldKind::Constant(0) if field.first_bit == 0 => {
                    zero = Some(number(*field)?);
                }
                _ => {}
            }
        }
        if matches!(self.backend(), Backend::MySql | Backend::MariaDb) {
            // Operations on bits have unsigned results, which cannot become negative.
            sql = format!("CAST({sql} AS SIGNED)");
        }
        if unit_ms != 1 {
            sql = format!("({sql}) * {}", self.big(i64::from(unit_ms)));
        }
        match range.min.get() {
            0 => {}
            epoch if epoch < 0 => sql = format!("{sql} - {}", self.big(-epoch)),
            epoch => sql = format!("{sql} + {}", self.big(epoch)),
        }
        sql = match zero {
            Some(zero) => format!("CASE WHEN {zero} = 0 THEN {sql} END"),
            None => format!("({sql})"),
        };
        Ok(check::guarded(check::shape(self.column, stored), sql))
    }

    pub(crate) fn big(self, number: i64) -> String {
        match self.backend() {
            Backend::Postgres => format!("{number}::bigint"),
            Backend::SqlServer => format!("CONVERT(bigint, {number})"),
            _ => format!("{number}"),
        }
    }

    /// The type of a function's parameter. Text and bytes have room for one more, because a server
    /// may cut off what is too long.
    pub(crate) fn parameter_type(self) -> String {
        match (self.wire(), self.backend()) {
            (Wire::Bytes(length), Backend::MySql | Backend::MariaDb) => {
                format!("VARBINARY({})", length.bytes() + 1)
            }
            (Wire::Bytes(length), Backend::SqlServer) => {
                format!("varbinary({})", length.bytes() + 1)
            }
            (Wire::Text(form), Backend::MySql | Backend::MariaDb) => {
                let length = form.width() + 1;
                format!("VARCHAR({length}) CHARACTER SET ascii COLLATE ascii_bin")
            }
            (Wire::Text(form), Backend::SqlServer) => format!("varchar({})", form.width() + 1),
            _ => self.return_type(),
        }
    }

    pub(crate) fn return_type(self) -> String {
        match (self.wire(), self.backend()) {
            (Wire::Text(_), Backend::Postgres) => "text".into(),
            (Wire::Text(form), Backend::SqlServer) => format!("char({})", form.width()),
            _ => self.sql_type(),
        }
    }

    pub(crate) const fn column(self) -> Column {
        self.column
    }

    /// What drivers send and receive for this form.
    pub const fn wire(self) -> Wire {
        self.column.wire()
    }
}
