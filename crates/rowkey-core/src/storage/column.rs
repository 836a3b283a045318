//! A key's column on one backend: its storage, its layout, and the order that they keep.

use core::cmp::Ordering;

use super::backend::Backend;
use super::column_type::Storage;
use super::order::{has_reversed_groups, mariadb_uuid_image, value_of_mariadb_uuid_image};
use super::text_form::TextForm;
use super::wire::{BinaryLength, Precision, UuidWire, Wire};
use crate::format::{FormatKind, Leading};
use crate::layout::{Layout, Permutation};
use crate::text::Width;

/// How far the column's order follows the format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderPromise {
    /// No order: the format has none, or the backend compares other bytes.
    Unordered,
    /// By time (by interval counter for the short COMBs); random among equal times.
    Time,
    /// Exactly the public (RFC) order.
    Full,
}

/// One key's column on one backend.
///
/// A [`StoragePlan`](super::StoragePlan) has one for each backend. Every `Column` keeps the order
/// of [`order_promise`](Self::order_promise).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    backend: Backend,
    format: FormatKind,
    storage: Storage,
    layout: Layout,
    /// Follows from the other fields. Kept, because the declaration of each key asks for it several
    /// times at compile time.
    wire: Wire,
}

#[derive(Clone, Copy)]
enum ColumnOrder {
    /// From the first byte (or digit) to the last.
    Bytewise,
    SqlServer,
    MariaDbUuid,
}

const fn column_order(backend: Backend, storage: Storage) -> ColumnOrder {
    match (backend, storage) {
        (_, Storage::NativeUuid) => ColumnOrder::MariaDbUuid,
        (Backend::SqlServer, Storage::Uuid) => ColumnOrder::SqlServer,
        _ => ColumnOrder::Bytewise,
    }
}

impl Column {
    /// What drivers send and receive.
    #[inline]
    pub const fn wire(self) -> Wire {
        self.wire
    }

    /// What drivers of PostgreSQL and SQL Server send and receive.
    #[inline]
    pub const fn uuid_wire(self) -> UuidWire {
        UuidWire::of(self.wire)
    }

    /// The column of a format on a backend with a chosen storage. Without a layout, the one that
    /// keeps the format's order.
    ///
    /// # Errors
    ///
    /// A message that says why the choice cannot keep the order, and what to write instead.
    pub const fn new(
        format: FormatKind,
        backend: Backend,
        storage: Storage,
        layout: Option<Layout>,
    ) -> Result<Self, &'static str> {
        if let Err(refusal) = check_storage(format, backend, storage) {
            return Err(refusal);
        }
        let order = column_order(backend, storage);
        let layout = match layout {
            None => default_layout(format, order),
            Some(layout) => match check_layout(format, order, layout) {
                Ok(()) => layout,
                Err(refusal) => return Err(refusal),
            },
        };
        Ok(Self {
            backend,
            format,
            storage,
            layout,
            wire: Wire::for_storage(storage, format).for_backend(backend),
        })
    }

    /// A column whose order does not matter: any layout with which the ids keep their values.
    #[doc(hidden)]
    pub const fn of_form(
        format: FormatKind,
        backend: Backend,
        storage: Storage,
        layout: Option<Layout>,
    ) -> Result<Self, &'static str> {
        let column = match Self::new(format, backend, storage, None) {
            Ok(column) => column,
            Err(refusal) => return Err(refusal),
        };
        let Some(layout) = layout else {
            return Ok(column);
        };
        match (column.wire(), layout, format.spec().leading) {
            // MariaDB's type damages values in other orders.
            (Wire::NativeUuid, ..) | (_, Layout::PublicUnordered, _) => {
                Self::new(format, backend, storage, Some(layout))
            }
            (
                Wire::Uuid
                | Wire::Bytes(BinaryLength::Bytes16)
                | Wire::Text(
                    TextForm::Hyphenated
                    | TextForm::HyphenatedUpper
                    | TextForm::Hex
                    | TextForm::HexUpper
                    | TextForm::Compact22,
                ),
                Layout::SqlServer,
                _,
            )
            | (_, Layout::Public, _)
            | (_, Layout::Prefix, Leading::CombSuffix(_))
            | (_, Layout::Suffix, Leading::CombPrefix(_)) => Ok(Self { layout, ..column }),
            (_, Layout::SqlServer, _) => {
                Err("a number has no other order of its bytes; leave the layout out")
            }
            (_, Layout::Prefix, _) => Err(NO_PREFIX),
            (_, Layout::Suffix, _) => Err(NO_SUFFIX),
        }
    }

    /// The backend.
    pub const fn backend(self) -> Backend {
        self.backend
    }

    /// The key's format.
    #[inline]
    pub const fn format(self) -> FormatKind {
        self.format
    }

    /// The kind of column.
    pub const fn storage(self) -> Storage {
        self.storage
    }

    /// The order of the bytes.
    pub const fn layout(self) -> Layout {
        self.layout
    }

    /// The permutation that the layout means for this format.
    #[inline]
    pub const fn permutation(self) -> Permutation {
        match (self.layout, self.format.spec().leading) {
            (Layout::SqlServer, _) => Permutation::SqlServer,
            (
                Layout::Prefix | Layout::Suffix,
                Leading::CombPrefix(swap) | Leading::CombSuffix(swap),
            ) => swap,
            _ => Permutation::Identity,
        }
    }

    /// The largest public value that fits the column.
    #[inline]
    pub const fn max_value(self) -> u128 {
        match self.wire() {
            Wire::Decimal(precision) => precision.max(),
            Wire::Text(TextForm::Digits28) => Precision::Digits28.max(),
            Wire::Text(TextForm::Digits38) => Precision::Digits38.max(),
            _ => self.format.width().max(),
        }
    }

    /// How far the column's order follows the format's.
    pub const fn order_promise(self) -> OrderPromise {
        let order = column_order(self.backend, self.storage);
        match (self.format.spec().leading, order, self.layout) {
            (_, _, Layout::PublicUnordered) => OrderPromise::Unordered,
            (_, ColumnOrder::SqlServer, Layout::SqlServer)
            | (_, ColumnOrder::Bytewise, Layout::Public) => OrderPromise::Full,
            (Leading::Plain, ColumnOrder::MariaDbUuid, Layout::Public) => OrderPromise::Full,
            (Leading::Unordered, ..) => OrderPromise::Unordered,
            _ => OrderPromise::Time,
        }
    }

    /// How the backend orders the stored forms of two public values.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::{Column, Storage};
    /// use rowkey_core::Backend;
    ///
    /// let column = Column::new(FormatKind::UuidV7, Backend::SqlServer, Storage::Uuid, None)?;
    /// assert!(column.compare(1, 2).is_lt());
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn compare(self, a: u128, b: u128) -> Ordering {
        self.image(a).cmp(&self.image(b))
    }

    /// The number by which the column sorts a value.
    #[inline]
    fn image(self, value: u128) -> u128 {
        let stored = self.permutation().apply(value);
        match column_order(self.backend, self.storage) {
            ColumnOrder::Bytewise => stored,
            ColumnOrder::SqlServer => Permutation::SqlServer.invert(stored),
            ColumnOrder::MariaDbUuid => mariadb_uuid_image(stored),
        }
    }

    pub(crate) const fn sorts_by_value(self) -> bool {
        matches!(
            (column_order(self.backend, self.storage), self.permutation()),
            (ColumnOrder::Bytewise, Permutation::Identity)
                | (ColumnOrder::SqlServer, Permutation::SqlServer)
        )
    }

    /// Sorts public values of the format as [`compare`](Self::compare) does.
    pub(crate) fn sort(self, values: &mut [u128]) {
        let Some(&first) = values.first() else {
            return;
        };
        let order = column_order(self.backend, self.storage);
        let permutation = self.permutation();
        // All values have the same version: MariaDB's type takes no formats with several.
        let has_reversed_groups = has_reversed_groups(permutation.apply(first));
        // Sorts images and converts back: comparisons that compute them take several times as long.
        for value in &mut *values {
            *value = self.image(*value);
        }
        values.sort_unstable();
        for value in values {
            *value = permutation.invert(match order {
                ColumnOrder::SqlServer => Permutation::SqlServer.apply(*value),
                ColumnOrder::MariaDbUuid if has_reversed_groups => {
                    value_of_mariadb_uuid_image(*value)
                }
                _ => *value,
            });
        }
    }
}

const NO_PREFIX: &str = "the `prefix` layout is for suffix COMBs only; leave the layout out";
const NO_SUFFIX: &str = "the `suffix` layout is for prefix COMBs only; leave the layout out";

const fn check_storage(
    format: FormatKind,
    backend: Backend,
    storage: Storage,
) -> Result<(), &'static str> {
    match storage {
        Storage::Bigint if !matches!(format.width(), Width::I64) => Err(
            "`bigint` stores only numbers of 63 bits, those of a DatabaseNumber; leave the storage \
                 out, or write `uuid` or `binary`",
        ),
        _ if matches!(format.width(), Width::I64) && !matches!(storage, Storage::Bigint) => Err(
            "the database counts a DatabaseNumber in a column of integers; leave the storage out \
                 (`bigint`)",
        ),
        Storage::NativeUuid if !matches!(backend, Backend::MariaDb) => Err(
            "`native-uuid` is MariaDB's own type, so it can be declared for `mariadb` only; \
                 write `uuid`",
        ),
        Storage::NativeUuid if !format.spec().fits_mariadb_uuid => Err(
            "MariaDB's UUID type refuses or damages some values of this format; write `uuid` \
                 (BINARY(16)) or `binary`",
        ),
        Storage::Decimal | Storage::TextDigits if format.spec().decimal_digits.is_none() => Err(
            "only DistributedId (28 digits) and DistributedId128 (38 digits) can be stored as \
                 decimal digits, values of this format can need 39; write `uuid` or `binary`",
        ),
        Storage::TextUpper | Storage::TextHex | Storage::TextHexUpper
            if matches!(format, FormatKind::DistributedId) =>
        {
            Err(
                "a DistributedId is a number of 28 digits, not sixteen bytes; write `text` (28 \
                 digits) or `text-compact`",
            )
        }
        _ => Ok(()),
    }
}

const fn default_layout(format: FormatKind, order: ColumnOrder) -> Layout {
    match (format.spec().leading, order) {
        (Leading::CombPrefix(_), ColumnOrder::SqlServer | ColumnOrder::MariaDbUuid) => {
            Layout::Suffix
        }
        (Leading::CombSuffix(_), ColumnOrder::Bytewise) => Layout::Prefix,
        (Leading::Plain, ColumnOrder::SqlServer) => Layout::SqlServer,
        _ => Layout::Public,
    }
}

const fn check_layout(
    format: FormatKind,
    order: ColumnOrder,
    layout: Layout,
) -> Result<(), &'static str> {
    let leading = format.spec().leading;
    match (layout, leading, order) {
        (Layout::SqlServer, _, ColumnOrder::Bytewise | ColumnOrder::MariaDbUuid) => Err(
            "the `sql-server` layout is for SQL Server's uniqueidentifier only; leave the \
                 layout out",
        ),
        (Layout::SqlServer, Leading::CombSuffix(_), _) => Err(
            "the `sql-server` layout sorts by the first bytes of the public form, which are \
                 random in a suffix COMB; leave the layout out",
        ),
        (Layout::Prefix, Leading::CombPrefix(_) | Leading::Plain | Leading::Unordered, _) => {
            Err(NO_PREFIX)
        }
        (Layout::Suffix, Leading::CombSuffix(_) | Leading::Plain | Leading::Unordered, _) => {
            Err(NO_SUFFIX)
        }
        (Layout::Public, Leading::CombPrefix(_) | Leading::Plain, ColumnOrder::SqlServer) => Err(
            "SQL Server sorts a uniqueidentifier by its last six bytes first, which are random \
                 in the public form of this format; leave the layout out, or write \
                 `public-unordered` if the table already stores its guids unswapped",
        ),
        (Layout::PublicUnordered, _, ColumnOrder::Bytewise | ColumnOrder::MariaDbUuid) => Err(
            "the `public-unordered` layout is for SQL Server's uniqueidentifier only; leave the \
                 layout out",
        ),
        (Layout::PublicUnordered, Leading::CombSuffix(_), _) => Err(
            "SQL Server sorts the public form of a suffix COMB by its time, so there is no order \
                 to give up; write `public`, or leave the layout out",
        ),
        (Layout::PublicUnordered, Leading::Unordered, _) => Err(
            "ids of this format have no order to give up; write `public`, or leave the layout out",
        ),
        (Layout::Public, Leading::CombPrefix(_), ColumnOrder::MariaDbUuid) => Err(
            "MariaDB sorts these UUIDs by their last six bytes first, which are random in the \
                 public form of this format; leave the layout out (`suffix`)",
        ),
        (Layout::Public, Leading::CombSuffix(_), ColumnOrder::Bytewise) => Err(
            "this column is sorted from its first byte on, which is random in the public form \
                 of a suffix COMB; leave the layout out (`prefix`), or declare the key over AnyUuid \
                 if the table already stores its ids as they are",
        ),
        (Layout::Suffix, Leading::CombPrefix(_), ColumnOrder::Bytewise) => Err(
            "this column is sorted from its first byte on, which is random in the `suffix` \
                 layout; leave the layout out (`public`)",
        ),
        (
            Layout::Prefix,
            Leading::CombSuffix(_),
            ColumnOrder::SqlServer | ColumnOrder::MariaDbUuid,
        ) => Err(
            "this column is sorted by its last six bytes first, which are random in the \
                 `prefix` layout; leave the layout out (`public`)",
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns that each storage of each format can have on each backend.
    fn storages() -> impl Iterator<Item = (FormatKind, Backend, Storage)> {
        FormatKind::ALL.into_iter().flat_map(|format| {
            Backend::ALL.into_iter().flat_map(move |backend| {
                let storages = Storage::ALL.into_iter();
                storages.map(move |storage| (format, backend, storage))
            })
        })
    }

    #[test]
    fn every_column_keeps_a_promise_unless_its_format_has_no_order_or_its_layout_gives_it_up() {
        for (format, backend, storage) in storages() {
            for layout in Layout::ALL.map(Some).into_iter().chain([None]) {
                let Ok(column) = Column::new(format, backend, storage, layout) else {
                    continue;
                };
                let unordered = matches!(format, FormatKind::UuidV4 | FormatKind::AnyUuid);
                let given_up = column.layout() == Layout::PublicUnordered;
                assert!(
                    unordered || given_up != (column.order_promise() >= OrderPromise::Time),
                    "{column:?}"
                );
            }
        }
    }

    #[test]
    fn a_storage_without_a_layout_gets_one_that_is_also_accepted_when_written_out() {
        for (format, backend, storage) in storages() {
            if let Ok(column) = Column::new(format, backend, storage, None) {
                let written = Column::new(format, backend, storage, Some(column.layout()));
                assert_eq!(written, Ok(column));
            }
        }
    }

    #[test]
    fn an_order_is_given_up_exactly_where_sql_server_would_not_keep_it() {
        for (format, backend, storage) in storages() {
            let with = |layout| Column::new(format, backend, storage, Some(layout));
            if Column::new(format, backend, storage, None).is_err() {
                continue;
            }
            let is_guid = (backend, storage) == (Backend::SqlServer, Storage::Uuid);
            let unordered = with(Layout::PublicUnordered);
            let is_given_up = is_guid && with(Layout::Public).is_err();
            assert_eq!(unordered.is_ok(), is_given_up, "{format} {storage}");
            match unordered {
                Ok(column) => {
                    assert_eq!(column.permutation(), Permutation::Identity);
                    assert_eq!(column.order_promise(), OrderPromise::Unordered);
                }
                Err(refusal) => assert!(refusal.contains("leave the"), "{refusal}"),
            }
        }
    }
}
