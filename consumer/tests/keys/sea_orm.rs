//! Entities of `SeaORM`, without a dependency on it.

use rowkey::driver::sea_orm::__private::{sea_orm, sea_query};
use rowkey::driver::sea_orm::{KeyColumnMethods, migration};
use rowkey::{Backend, EntityKey, UnixMillis};
use rowkey_consumer::PassengerId;
use sea_orm::{ActiveValue, DbBackend, IntoActiveValue, TryFromU64, TryGetable, Value};
use sea_query::{Expr, Nullable, ValueType};

use super::{FERRY, PASSENGER, SHIP, TICKET};

const BACKENDS: &[(Backend, DbBackend)] = &[
    #[cfg(feature = "sea-orm-postgres")]
    (Backend::Postgres, DbBackend::Postgres),
    #[cfg(feature = "sea-orm-mysql")]
    (Backend::MySql, DbBackend::MySql),
    #[cfg(feature = "sea-orm-sqlite")]
    (Backend::Sqlite, DbBackend::Sqlite),
];

fn check<K>(key: K)
where
    K: EntityKey
        + Into<Value>
        + ValueType
        + Nullable
        + IntoActiveValue<K>
        + TryGetable
        + TryFromU64,
{
    assert_eq!(<K as ValueType>::try_from(key.into()).ok(), Some(key));
    assert_eq!(key.into_active_value(), ActiveValue::Set(key));
    assert!(<K as ValueType>::try_from(Value::Bool(None)).is_err());
    assert!(K::try_from_u64(1).is_err());
    for &(known, backend) in BACKENDS {
        let column = migration::key_column::<K>(backend, "id").expect("a column");
        let sea_query::ColumnType::Custom(found) = column.get_column_type().expect("a type") else {
            panic!("{column:?}");
        };
        assert_eq!(Ok(found.to_string()), K::PLAN.column_type(known));
    }
}

#[test]
fn keys_are_values_and_columns() {
    check(PASSENGER);
    check(SHIP);
    check(FERRY);
}

#[cfg(feature = "sea-orm-postgres")]
#[test]
fn keys_are_elements_of_arrays() {
    fn is_element<K: sea_query::postgres_array::NotU8>(_: K) {}
    is_element(PASSENGER);
    is_element(FERRY);
}

/// A ticket is a uuid in PostgreSQL and a number elsewhere, which no one value can be.
#[test]
fn keys_of_other_plans_are_read() {
    fn is_read<K: TryGetable + TryFromU64>(_: K) {}
    is_read(TICKET);
}

#[test]
fn time_ranges_are_conditions() {
    for &(_, backend) in BACKENDS {
        let since = Expr::col("id").within(PassengerId::bounds(UnixMillis::new(0)..), backend);
        assert!(!since.is_empty());
    }
}
