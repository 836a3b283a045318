//! Diesel, with SQL as text: what its query builder makes of keys is tested in `diesel_queries`.

use std::marker::PhantomData;

use anyhow::Result;
use diesel::connection::{DefaultLoadingMode, LoadConnection, SimpleConnection};
use diesel::deserialize::FromSql;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::result::{DatabaseErrorKind, Error};
use diesel::row::NamedRow;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{Connection, RunQueryDsl};
use rowkey::driver::diesel::{BoundParam, Key, ToParam};
use rowkey::time_range::{Bounds, ConditionPart};
use rowkey::{Backend, EntityKey};

use crate::cases::Cases;
use crate::driver::{Ability, BoundsOf, Driver, KeyList, KeyOf, Violation};
use crate::keys::{self, Case};
use crate::query::{Parameters, Part, Query};
use crate::routed::{Routed, routed};

/// Diesel with one of its connections.
pub(crate) struct Diesel<C>(PhantomData<C>);

type Statement<C> = BoxedSqlQuery<'static, <C as Connection>::Backend, SqlQuery>;

/// Binds a value.
pub(crate) type Param<C> = Box<dyn FnOnce(Statement<C>) -> Statement<C>>;

/// The statement, with the placeholders of the backend.
fn built<C>(query: Query<Diesel<C>>, placeholder: fn(usize) -> String) -> Statement<C>
where
    C: Connection,
    Diesel<C>: Driver<Param = Param<C>>,
{
    let mut statement = diesel::sql_query("").into_boxed();
    let mut count = 0;
    for part in query.into_parts() {
        statement = match part {
            Part::Text(text) => statement.sql(text),
            Part::Param(bind) => {
                count += 1;
                bind(statement.sql(placeholder(count)))
            }
        };
    }
    statement
}

fn question_mark(_: usize) -> String {
    "?".to_owned()
}

/// The address as Diesel takes it.
fn address(url: &str, backend: Backend) -> String {
    match backend {
        Backend::Sqlite => url
            .trim_start_matches("sqlite://")
            .split('?')
            .next()
            .unwrap_or_default()
            .to_owned(),
        Backend::MySql | Backend::MariaDb => url.replace("ssl-mode=", "ssl_mode="),
        _ => url.to_owned(),
    }
}

// A macro, because as generics each function would have to repeat the bounds of Diesel.
macro_rules! impl_driver {
    ($($Connection:ty: $placeholder:expr);* $(;)?) => {$(
        impl Parameters for Diesel<$Connection> {
            type Param = Param<$Connection>;
        }

        impl Cases for Diesel<$Connection> {
            fn cases() -> Vec<Case<Self>> {
                keys::cases!(Self)
            }

            fn routed() -> Vec<Routed<Self>> {
                routed!(Self)
            }
        }

        impl Driver for Diesel<$Connection> {
            const NAME: &str = "diesel";

            type Connection = $Connection;
            type Row<'r> = <$Connection as LoadConnection>::Row<'r, 'r>;
            type Error = Error;

            async fn connect(url: &str, backend: Backend) -> Result<Self::Connection> {
                let mut connection = <$Connection>::establish(&address(url, backend))?;
                if backend == Backend::Sqlite {
                    // As sqlx has it.
                    connection.batch_execute("PRAGMA foreign_keys = ON")?;
                }
                Ok(connection)
            }

            async fn fetch<T>(
                connection: &mut Self::Connection,
                query: Query<Self>,
                mut read: impl FnMut(&Self::Row<'_>) -> Result<T, Error>,
            ) -> Result<Vec<T>, Error> {
                let query = built(query, $placeholder);
                let rows = LoadConnection::<DefaultLoadingMode>::load(connection, query)?;
                rows.map(|row| read(&row?)).collect()
            }

            async fn run(
                connection: &mut Self::Connection,
                query: Query<Self>,
            ) -> Result<(), Error> {
                built(query, $placeholder).execute(connection).map(drop)
            }

            async fn fetch_text<T>(
                connection: &mut Self::Connection,
                sql: &str,
                read: impl FnMut(&Self::Row<'_>) -> Result<T, Error>,
            ) -> Result<Vec<T>, Error> {
                Self::fetch(connection, Query::new(sql), read).await
            }

            async fn execute(connection: &mut Self::Connection, sql: &str) -> Result<(), Error> {
                connection.batch_execute(sql)
            }

            fn integer(value: i64) -> Param<$Connection> {
                Box::new(move |statement| statement.bind::<BigInt, _>(value))
            }

            fn get_integer(row: &Self::Row<'_>, column: &str) -> Result<i64, Error> {
                NamedRow::get::<BigInt, i64>(row, column).map_err(Error::DeserializationError)
            }

            fn get_text(row: &Self::Row<'_>, column: &str) -> Result<Option<String>, Error> {
                NamedRow::get::<Nullable<Text>, Option<String>>(row, column)
                    .map_err(Error::DeserializationError)
            }

            fn violation(error: &Error) -> Option<Violation> {
                match error {
                    Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => {
                        Some(Violation::Unique)
                    }
                    Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => {
                        Some(Violation::ForeignKey)
                    }
                    _ => None,
                }
            }

            fn is_refusal(error: &Error, _: &str) -> bool {
                // Diesel names the column where it reads fields itself, which `diesel_queries`
                // sees.
                match error {
                    Error::DeserializationError(error) => error.is::<rowkey::Error>(),
                    _ => false,
                }
            }

            fn is_unexpected_null(error: &Error, _: &str) -> bool {
                match error {
                    Error::DeserializationError(error) => {
                        error.is::<diesel::result::UnexpectedNullError>()
                    }
                    _ => false,
                }
            }

            fn can(_: Ability, backend: Backend) -> bool {
                // Diesel's documentation names these limits: it asks the client library for the
                // columns of a statement before it runs, and takes any string for bytes.
                !matches!(backend, Backend::MySql | Backend::MariaDb)
            }
        }

        impl<K> KeyOf<Diesel<$Connection>> for K
        where
            K: EntityKey
                + ToSql<Key<K>, <$Connection as Connection>::Backend>
                + FromSql<Key<K>, <$Connection as Connection>::Backend>,
        {
            fn param(self) -> Param<$Connection> {
                Box::new(move |statement| statement.bind::<Key<K>, _>(self))
            }

            fn param_of(key: Option<Self>) -> Param<$Connection> {
                Box::new(move |statement| statement.bind::<Nullable<Key<K>>, _>(key))
            }

            fn get(
                row: &<$Connection as LoadConnection>::Row<'_, '_>,
                column: &str,
            ) -> Result<Self, Error> {
                NamedRow::get::<Key<K>, K>(row, column).map_err(Error::DeserializationError)
            }

            fn get_optional(
                row: &<$Connection as LoadConnection>::Row<'_, '_>,
                column: &str,
            ) -> Result<Option<Self>, Error> {
                NamedRow::get::<Nullable<Key<K>>, Option<K>>(row, column)
                    .map_err(Error::DeserializationError)
            }

            /// As text; what `in_keys` and `not_in_keys` make of a list is tested in
            /// `diesel_queries`.
            fn push_list(
                query: &mut Query<Diesel<$Connection>>,
                column: &'static str,
                list: KeyList<Self>,
            ) {
                let (without_keys, operator, keys) = match list {
                    KeyList::In(keys) => ("1 = 0", "IN", keys),
                    KeyList::NotIn(keys) => ("1 = 1", "NOT IN", keys),
                };
                if keys.is_empty() {
                    query.push(without_keys);
                    return;
                }
                query.push(column).push(" ").push(operator);
                for (index, key) in keys.into_iter().enumerate() {
                    query.push(if index == 0 { " (" } else { ", " });
                    query.push_param(KeyOf::<Diesel<$Connection>>::param(key));
                }
                query.push(")");
            }
        }

        impl<K> BoundsOf<Diesel<$Connection>> for K
        where
            K: KeyOf<Diesel<$Connection>>,
            BoundParam<K>: ToSql<Key<K>, <$Connection as Connection>::Backend>,
        {
            fn push_within(
                query: &mut Query<Diesel<$Connection>>,
                column: &'static str,
                bounds: Bounds<Self>,
            ) {
                bounds.write_condition(|part| {
                    match part {
                        ConditionPart::Sql(sql) => query.push(sql),
                        ConditionPart::Column => query.push(column),
                        ConditionPart::Bound(bound) => query.push_param(Box::new(
                            move |statement| statement.bind::<Key<K>, _>(bound.to_param()),
                        )),
                    };
                });
            }
        }
    )*};
}

impl_driver! {
    diesel::SqliteConnection: question_mark;
}

#[cfg(feature = "diesel-postgres")]
impl_driver! {
    diesel::PgConnection: |number| format!("${number}");
}

#[cfg(feature = "diesel-mysql")]
impl_driver! {
    diesel::MysqlConnection: question_mark;
}
