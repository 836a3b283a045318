//! The traits of Diesel backends for keys, implemented in one module per backend.

use diesel::backend::Backend;
use diesel::deserialize;
use diesel::serialize::{self, Output};
use rowkey_core::EntityKey;

use crate::column::KeyColumn;

/// A value for a column of keys: a key or a bound.
#[doc(hidden)]
pub trait KeyValue {
    /// The key of the column.
    type Key: EntityKey;

    /// The 128 bits in public order.
    fn public_value(&self) -> u128;
}

impl<K: EntityKey> KeyValue for K {
    type Key = K;

    fn public_value(&self) -> u128 {
        self.to_u128()
    }
}

/// A backend that binds keys and bounds to columns of type `ST`.
///
/// For layers over Diesel. Diesel itself requires `ToSql`, which every key implements for such
/// backends.
#[diagnostic::on_unimplemented(
    message = "keys are not written to columns of type `{ST}` on `{Self}`",
    label = "no keys on this backend",
    note = "the features `diesel-postgres`, `diesel-mysql` and `diesel-sqlite` of `rowkey` turn \
            backends on, and `multi_backend!` of `rowkey::driver::diesel` a `MultiBackend`"
)]
pub trait WriteKey<V: KeyValue, ST: KeyColumn<V::Key>>: Backend {
    /// Writes a key or a bound as a parameter.
    ///
    /// # Errors
    ///
    /// [`Error::Declared`](crate::Error::Declared) if the schema declares another type than the
    /// key's plan has on this backend.
    fn write<'b>(value: &'b V, out: &mut Output<'b, '_, Self>) -> serialize::Result;

    /// The type that queries must convert a parameter to, if connections of this backend may send
    /// the parameter as another type.
    fn cast() -> Option<&'static str> {
        None
    }
}

/// A backend that reads keys from columns of type `ST`.
#[diagnostic::on_unimplemented(
    message = "`{K}` is not read from columns of type `{ST}` on `{Self}`",
    label = "no keys on this backend",
    note = "the features `diesel-postgres`, `diesel-mysql` and `diesel-sqlite` of `rowkey` turn \
            backends on, and `multi_backend!` of `rowkey::driver::diesel` a `MultiBackend`"
)]
pub trait ReadKey<K: EntityKey, ST: KeyColumn<K>>: Backend {
    /// Reads a key from a value that is not NULL.
    ///
    /// # Errors
    ///
    /// A [`rowkey_core::Error`] for a value of another type, length or format than the plan stores,
    /// [`Error::Declared`](crate::Error::Declared) if the schema declares another type.
    fn read(found: Self::RawValue<'_>) -> deserialize::Result<K>;
}
