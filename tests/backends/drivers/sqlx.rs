//! sqlx.

use std::marker::PhantomData;

use anyhow::Result;
use rowkey::driver::sqlx::{BoundParam, PushInKeys, PushRouted, PushWithin};
use rowkey::routing::{RoutingColumn, RoutingPart};
use rowkey::time_range::Bounds;
use rowkey::{Backend, EntityKey, Error};
use rowkey_testkit::Server;
use sqlx::error::UnexpectedNullError;
use sqlx::{
    AssertSqlSafe, Connection, Database, Decode, Encode, MySql, Postgres, QueryBuilder, Row,
    Sqlite, Type,
};

use crate::cases::Cases;
use crate::driver::{Assumption, BoundsOf, Driver, KeyList, KeyOf, Violation};
use crate::keys::{self, Case};
use crate::query::{Parameters, Part, Query};
use crate::routed::{Routed, routed};

/// sqlx with one of its drivers.
pub(crate) struct Sqlx<DB>(PhantomData<DB>);

/// Appends a parameter, or a condition with several.
pub(crate) type Param<DB> = Box<dyn FnOnce(&mut QueryBuilder<DB>)>;

/// Any value as a parameter.
pub(crate) fn param<DB, T>(value: T) -> Param<DB>
where
    DB: Database,
    T: for<'q> Encode<'q, DB> + Type<DB> + 'static,
{
    Box::new(|query| {
        query.push_bind(value);
    })
}

fn built<DB>(query: Query<Sqlx<DB>>) -> QueryBuilder<DB>
where
    DB: Database,
    Sqlx<DB>: Driver<Param = Param<DB>>,
{
    let mut builder = QueryBuilder::new("");
    for part in query.into_parts() {
        match part {
            Part::Text(text) => {
                builder.push(text);
            }
            Part::Param(push) => push(&mut builder),
        }
    }
    builder
}

fn has_uuid_v7<D: Driver<Error = sqlx::Error>>(server: &Server) -> Result<bool> {
    let database = server.create_database()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut connection = D::connect(database.url(), server.backend()).await?;
        let function = match server.backend() {
            Backend::MariaDb => "SELECT UUID_v7()",
            _ => "SELECT uuidv7()",
        };
        match D::execute(&mut connection, function).await {
            Ok(()) => Ok(true),
            Err(sqlx::Error::Database(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    })
}

// A macro, because as generics each function would have to repeat the bounds of sqlx.
macro_rules! impl_driver {
    ($($DB:ident),*) => {$(
        impl Parameters for Sqlx<$DB> {
            type Param = Param<$DB>;
        }

        impl Cases for Sqlx<$DB> {
            fn cases() -> Vec<Case<Self>> {
                keys::cases!(Self)
            }

            fn routed() -> Vec<Routed<Self>> {
                routed!(Self)
            }
        }

        impl Driver for Sqlx<$DB> {
            const NAME: &str = "sqlx";

            type Connection = <$DB as Database>::Connection;
            type Row<'r> = <$DB as Database>::Row;
            type Error = sqlx::Error;

            async fn connect(url: &str, backend: Backend) -> Result<Self::Connection> {
                let mut url = url.to_owned();
                if matches!(backend, Backend::MySql | Backend::MariaDb) {
                    // A full cache closes a statement before it prepares another, and the server
                    // lets that wait for 40 ms: closing has no answer, so its acknowledgement
                    // comes late.
                    let separator = if url.contains('?') { '&' } else { '?' };
                    url = format!("{url}{separator}statement-cache-capacity=1000");
                }
                Ok(Self::Connection::connect(&url).await?)
            }

            async fn fetch<T>(
                connection: &mut Self::Connection,
                query: Query<Self>,
                read: impl FnMut(&Self::Row<'_>) -> sqlx::Result<T>,
            ) -> sqlx::Result<Vec<T>> {
                let rows = built(query).build().fetch_all(connection).await?;
                rows.iter().map(read).collect()
            }

            async fn run(
                connection: &mut Self::Connection,
                query: Query<Self>,
            ) -> sqlx::Result<()> {
                built(query).build().execute(connection).await.map(drop)
            }

            async fn fetch_text<T>(
                connection: &mut Self::Connection,
                sql: &str,
                read: impl FnMut(&Self::Row<'_>) -> sqlx::Result<T>,
            ) -> sqlx::Result<Vec<T>> {
                let query = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
                query.fetch_all(connection).await?.iter().map(read).collect()
            }

            async fn execute(connection: &mut Self::Connection, sql: &str) -> sqlx::Result<()> {
                let query = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
                query.execute(connection).await.map(drop)
            }

            fn integer(value: i64) -> Param<$DB> {
                param(value)
            }

            fn get_integer(row: &Self::Row<'_>, column: &str) -> sqlx::Result<i64> {
                row.try_get(column)
            }

            fn get_text(row: &Self::Row<'_>, column: &str) -> sqlx::Result<Option<String>> {
                // What MySQL explains is text, but of no character set that sqlx takes for it.
                row.try_get_unchecked(column)
            }

            fn violation(error: &sqlx::Error) -> Option<Violation> {
                let error = error.as_database_error()?;
                if error.is_unique_violation() {
                    Some(Violation::Unique)
                } else if error.is_foreign_key_violation() {
                    Some(Violation::ForeignKey)
                } else {
                    None
                }
            }

            fn is_refusal(error: &sqlx::Error, column: &str) -> bool {
                match error {
                    // The name is in quotes.
                    sqlx::Error::ColumnDecode { index, source } => {
                        index.trim_matches('"') == column && source.is::<Error>()
                    }
                    _ => false,
                }
            }

            fn is_unexpected_null(error: &sqlx::Error, column: &str) -> bool {
                match error {
                    sqlx::Error::ColumnDecode { index, source } => {
                        index.trim_matches('"') == column && source.is::<UnexpectedNullError>()
                    }
                    _ => false,
                }
            }

            fn unmet(assumption: Assumption, server: &Server) -> Option<&'static str> {
                if assumption != Assumption::UuidV7 {
                    return None;
                }
                // A server that does not answer lets the test run and fail.
                match has_uuid_v7::<Self>(server) {
                    Ok(false) => Some("no function for version 7"),
                    _ => None,
                }
            }
        }

        impl<K> KeyOf<Sqlx<$DB>> for K
        where
            K: EntityKey + for<'q> Encode<'q, $DB> + for<'r> Decode<'r, $DB> + Type<$DB>,
        {
            fn param(self) -> Param<$DB> {
                param(self)
            }

            fn param_of(key: Option<Self>) -> Param<$DB> {
                param(key)
            }

            fn get(row: &<$DB as Database>::Row, column: &str) -> sqlx::Result<Self> {
                row.try_get(column)
            }

            fn get_optional(
                row: &<$DB as Database>::Row,
                column: &str,
            ) -> sqlx::Result<Option<Self>> {
                row.try_get(column)
            }

            fn push_list(
                query: &mut Query<Sqlx<$DB>>,
                column: &'static str,
                list: KeyList<Self>,
            ) {
                query.push_param(Box::new(move |query| {
                    let pushed = match list {
                        KeyList::In(keys) => query.push_in_keys(column, &keys),
                        KeyList::NotIn(keys) => query.push_not_in_keys(column, &keys),
                    };
                    pushed.map(drop).expect("the tests have plain names");
                }));
            }

            fn push_routed<P>(self, query: &mut Query<Sqlx<$DB>>, column: RoutingColumn<Self, P>)
            where
                P: RoutingPart,
                Self: EntityKey<Format = P::Format>,
            {
                query.push_param(Box::new(move |query| {
                    let pushed = query.push_routed(column, self).map(drop);
                    pushed.expect("the tests have plain names");
                }));
            }
        }

        impl<K> BoundsOf<Sqlx<$DB>> for K
        where
            K: KeyOf<Sqlx<$DB>>,
            BoundParam<K>: for<'q> Encode<'q, $DB> + Type<$DB>,
        {
            fn push_within(
                query: &mut Query<Sqlx<$DB>>,
                column: &'static str,
                bounds: Bounds<Self>,
            ) {
                query.push_param(Box::new(move |query| {
                    let pushed = query.push_within(column, bounds).map(drop);
                    pushed.expect("the tests have plain names");
                }));
            }
        }
    )*};
}

impl_driver!(Postgres, MySql, Sqlite);
