//! SeaORM, with SQL as text: what its entities make of keys is tested in `crates/rowkey-sea-orm`.

use std::fmt::Write;

use anyhow::Result;
use rowkey::driver::sea_orm::KeyColumnMethods;
use rowkey::driver::sea_orm::value::encode_for;
use rowkey::format::FormatKind;
use rowkey::storage::{Column, Storage};
use rowkey::time_range::Bounds;
use rowkey::{Backend, EntityKey, Error};
use sea_orm::sea_query::{
    Expr, MysqlQueryBuilder, Nullable, PostgresQueryBuilder, QueryBuilder, SqlWriterValues,
    SqliteQueryBuilder,
};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr, QueryResult,
    RuntimeErr, SqlErr, Statement, TryGetable, Value, sqlx,
};

use crate::cases::Cases;
use crate::driver::{Ability, BoundsOf, Driver, KeyList, KeyOf, Violation};
use crate::keys::{self, Case};
use crate::query::{Parameters, Part, Query};
use crate::routed::{Routed, routed};

/// SeaORM, whose connection knows its database only when it is run.
pub(crate) struct SeaOrm;

/// A value, or a condition with several.
pub(crate) type Param = Box<dyn FnOnce(DbBackend) -> Expr>;

/// Any value as a parameter.
fn param(value: impl Into<Value>) -> Param {
    let value = value.into();
    Box::new(|_| Expr::val(value))
}

/// The statement, with the placeholders of the backend.
fn built(query: Query<SeaOrm>, backend: DbBackend) -> Statement {
    match backend {
        DbBackend::Postgres => built_by(&PostgresQueryBuilder, query, backend),
        DbBackend::Sqlite => built_by(&SqliteQueryBuilder, query, backend),
        _ => built_by(&MysqlQueryBuilder, query, backend),
    }
}

fn built_by(builder: &impl QueryBuilder, query: Query<SeaOrm>, backend: DbBackend) -> Statement {
    let (placeholder, numbered) = builder.placeholder();
    let mut sql = SqlWriterValues::new(placeholder, numbered);
    for part in query.into_parts() {
        match part {
            Part::Text(text) => sql.write_str(&text).expect("a string takes any text"),
            Part::Param(param) => builder.prepare_expr(&param(backend), &mut sql),
        }
    }
    let (sql, values) = sql.into_parts();
    Statement::from_sql_and_values(backend, sql, values)
}

/// The key as an entity writes it. For a short number in SQLite, as the documentation says to write
/// one: an entity's would have no zeros in front.
fn value_of<K: EntityKey + Into<Value>>(key: K, backend: DbBackend) -> Value {
    match key.into() {
        Value::Decimal(_) if backend == DbBackend::Sqlite && key.to_u128() < 10_u128.pow(27) => {
            encode_for(key, backend)
        }
        value => value,
    }
}

/// The error of sqlx for a column that it could not decode.
fn decoding_error(error: &DbErr) -> Option<(&str, &sqlx::error::BoxDynError)> {
    let DbErr::Query(RuntimeErr::SqlxError(error)) = error else {
        return None;
    };
    match error.as_ref() {
        // The name is in quotes.
        sqlx::Error::ColumnDecode { index, source } => Some((index.trim_matches('"'), source)),
        _ => None,
    }
}

impl Parameters for SeaOrm {
    type Param = Param;
}

impl Cases for SeaOrm {
    fn cases() -> Vec<Case<Self>> {
        let mut cases: Vec<Case<Self>> = keys::uuid::cases();
        cases.extend(keys::binary::cases());
        cases.push(Case::with_time::<keys::decimal::DistributedId>());
        cases.extend(keys::text::cases());
        cases.extend(keys::text_upper::cases());
        cases.extend(keys::text_hex::cases());
        cases.extend(keys::text_hex_upper::cases());
        cases.extend(keys::text_compact::cases());
        cases.extend(keys::text_digits::cases());
        cases.extend(keys::bigint::cases());
        cases.extend(keys::native_uuid_beside_text::cases());
        cases
    }

    fn routed() -> Vec<Routed<Self>> {
        routed!(Self)
    }
}

impl Driver for SeaOrm {
    const NAME: &str = "sea-orm";

    type Connection = DatabaseConnection;
    type Row<'r> = QueryResult;
    type Error = DbErr;

    async fn connect(url: &str, backend: Backend) -> Result<DatabaseConnection> {
        let mut url = url.to_owned();
        if matches!(backend, Backend::MySql | Backend::MariaDb) {
            // As for sqlx.
            let separator = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{separator}statement-cache-capacity=1000");
        }
        let mut options = ConnectOptions::new(url);
        // Transactions are begun and ended in SQL.
        options.max_connections(1).test_before_acquire(false);
        options.sqlx_logging(false);
        Ok(Database::connect(options).await?)
    }

    async fn fetch<T>(
        connection: &mut DatabaseConnection,
        query: Query<Self>,
        read: impl FnMut(&QueryResult) -> Result<T, DbErr>,
    ) -> Result<Vec<T>, DbErr> {
        let statement = built(query, connection.get_database_backend());
        let rows = connection.query_all_raw(statement).await?;
        rows.iter().map(read).collect()
    }

    async fn run(connection: &mut DatabaseConnection, query: Query<Self>) -> Result<(), DbErr> {
        let statement = built(query, connection.get_database_backend());
        connection.execute_raw(statement).await.map(drop)
    }

    async fn fetch_text<T>(
        connection: &mut DatabaseConnection,
        sql: &str,
        read: impl FnMut(&QueryResult) -> Result<T, DbErr>,
    ) -> Result<Vec<T>, DbErr> {
        Self::fetch(connection, Query::new(sql), read).await
    }

    async fn execute(connection: &mut DatabaseConnection, sql: &str) -> Result<(), DbErr> {
        connection.execute_unprepared(sql).await.map(drop)
    }

    fn integer(value: i64) -> Param {
        param(value)
    }

    fn get_integer(row: &QueryResult, column: &str) -> Result<i64, DbErr> {
        row.try_get("", column)
    }

    fn get_text(row: &QueryResult, column: &str) -> Result<Option<String>, DbErr> {
        row.try_get("", column)
    }

    fn violation(error: &DbErr) -> Option<Violation> {
        match error.sql_err()? {
            SqlErr::UniqueConstraintViolation(_) => Some(Violation::Unique),
            SqlErr::ForeignKeyConstraintViolation(_) => Some(Violation::ForeignKey),
            _ => None,
        }
    }

    fn is_refusal(error: &DbErr, column: &str) -> bool {
        decoding_error(error).is_some_and(|(name, source)| name == column && source.is::<Error>())
    }

    fn is_unexpected_null(error: &DbErr, column: &str) -> bool {
        // SeaORM has no error of its own for it.
        let expected = format!("null value was encountered while decoding {column:?}");
        matches!(error, DbErr::Type(text) if text.contains(&expected))
    }

    fn can(ability: Ability, backend: Backend) -> bool {
        // What MySQL explains is text, but of no character set that sqlx takes for it.
        ability != Ability::Explain || !matches!(backend, Backend::MySql | Backend::MariaDb)
    }

    /// A `Value` is made without knowing the database, so one has to be right for a key's columns
    /// in PostgreSQL, MySQL and SQLite.
    fn stores(column: Column) -> bool {
        match column.storage() {
            // A number of fewer than 38 digits would be text of fewer in SQLite.
            Storage::Decimal => column.format() == FormatKind::DistributedId,
            // Sent as text, which the others have to store in the same layout.
            Storage::NativeUuid => {
                let text = Column::new(column.format(), Backend::Postgres, Storage::Text, None);
                text.is_ok_and(|text| text.layout() == column.layout())
            }
            _ => true,
        }
    }
}

impl<K> KeyOf<SeaOrm> for K
where
    K: EntityKey + Into<Value> + Nullable + TryGetable,
{
    fn param(self) -> Param {
        Box::new(move |backend| Expr::val(value_of(self, backend)))
    }

    fn param_of(key: Option<Self>) -> Param {
        match key {
            Some(key) => key.param(),
            None => param(key),
        }
    }

    fn get(row: &QueryResult, column: &str) -> Result<Self, DbErr> {
        row.try_get("", column)
    }

    fn get_optional(row: &QueryResult, column: &str) -> Result<Option<Self>, DbErr> {
        row.try_get("", column)
    }

    fn push_list(query: &mut Query<SeaOrm>, column: &'static str, list: KeyList<Self>) {
        let condition = move |backend| match list {
            KeyList::In(keys) => Expr::col(column).in_keys(&keys, backend).into(),
            KeyList::NotIn(keys) => Expr::col(column).not_in_keys(&keys, backend).into(),
        };
        query.push_param(Box::new(condition));
    }
}

impl<K> BoundsOf<SeaOrm> for K
where
    K: KeyOf<SeaOrm> + Into<Value>,
{
    fn push_within(query: &mut Query<SeaOrm>, column: &'static str, bounds: Bounds<Self>) {
        let condition = move |backend| Expr::col(column).within(bounds, backend).into();
        query.push("(").push_param(Box::new(condition)).push(")");
    }
}
