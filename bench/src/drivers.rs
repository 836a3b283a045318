//! What sqlx does with a key, next to what it does with its own types.
//!
//! The values that are read have come from a database each: sqlx makes them in no other way.

use rowkey_core::driver::numeric;
use std::cell::{OnceCell, RefCell};
use std::hint::black_box;
use std::sync::LazyLock;
use std::{array, env};

use bigdecimal::BigDecimal;
use bytes::BytesMut;
use postgres_types::{FromSql, ToSql};
use rowkey::{DistributedId, ShortPrefixComb, entity_key};
use rust_decimal::Decimal;
use sqlx::mysql::MySqlValue;
use sqlx::postgres::{PgArgumentBuffer, PgValue};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteValue};
use sqlx::{
    Connection, Database, Decode, Encode, MySql, MySqlConnection, PgConnection, Postgres, Row,
    Sqlite, SqliteConnection, Type, Value, ValueRef,
};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::inputs::{COUNT, distributed, wide};
use crate::operation::{Operation, on_each};
use crate::storage::uuid_of;

/// Where PostgreSQL is.
pub const POSTGRES_VARIABLE: &str = "ROWKEY_TEST_POSTGRES_URL";

/// Where MySQL or MariaDB is; the driver is the same.
pub const MARIADB_VARIABLE: &str = "ROWKEY_TEST_MARIADB_URL";

#[entity_key]
struct UuidKey(ShortPrefixComb);

#[entity_key]
struct NumberKey(DistributedId);

macro_rules! on_value {
    ($name:literal, $samples:ident, |$rounds:ident, $values:ident| $run:expr) => {
        on_value!($name, |$rounds| $samples(|$values| $run))
    };
    ($name:literal, |$rounds:ident| $run:expr) => {
        Operation::new($name, "baseline-value", |$rounds| $run)
    };
}

#[rustfmt::skip]
pub(crate) const OPERATIONS: &[Operation] = &[
    // The loop with nothing in it.
    on_value!("baseline-value", |rounds| on_each(rounds, wide(), |one| one, |_| ())),
    on_value!("sqlx-postgres-key", postgres, |rounds, samples| {
        round_trip::<Postgres, UuidKey>(rounds, uuid_keys(), &samples.uuids)
    }).of_database(POSTGRES_VARIABLE),
    on_value!("peer-sqlx-postgres-uuid", postgres, |rounds, samples| {
        round_trip::<Postgres, Uuid>(rounds, uuids(), &samples.uuids)
    }).of_database(POSTGRES_VARIABLE),
    on_value!("sqlx-mysql-key", mysql, |rounds, samples| {
        round_trip::<MySql, UuidKey>(rounds, uuid_keys(), samples)
    }).of_database(MARIADB_VARIABLE),
    on_value!("peer-sqlx-mysql-uuid", mysql, |rounds, samples| {
        round_trip::<MySql, Uuid>(rounds, uuids(), samples)
    }).of_database(MARIADB_VARIABLE),
    on_value!("sqlx-sqlite-key", sqlite, |rounds, samples| {
        round_trip::<Sqlite, UuidKey>(rounds, uuid_keys(), samples)
    }),
    on_value!("peer-sqlx-sqlite-uuid", sqlite, |rounds, samples| {
        round_trip::<Sqlite, Uuid>(rounds, uuids(), samples)
    }),
    on_value!("sqlx-sqlite-key-read", sqlite, |rounds, samples| {
        read_each::<_, UuidKey>(rounds, samples)
    }),
    on_value!("peer-sqlx-sqlite-uuid-read", sqlite, |rounds, samples| {
        read_each::<_, Uuid>(rounds, samples)
    }),
    on_value!("sqlx-sqlite-key-bulk", sqlite_table, |rounds, table| {
        read_table::<UuidKey>(rounds, table)
    }).per_round(TABLE),
    on_value!("peer-sqlx-sqlite-uuid-bulk", sqlite_table, |rounds, table| {
        read_table::<Uuid>(rounds, table)
    }).per_round(TABLE),
    on_value!("sqlx-numeric-write-key", |rounds| write_numeric(rounds, number_keys())),
    on_value!("peer-sqlx-numeric-write-rust-decimal", |rounds| write_numeric(rounds, decimals())),
    on_value!("peer-sqlx-numeric-write-bigdecimal", |rounds| write_numeric(rounds, big_decimals())),
    on_value!("peer-tokio-postgres-numeric-write", |rounds| {
        let mut buffer = BytesMut::new();
        on_each(rounds, decimals(), |one| one, |parameter| {
            buffer.clear();
            black_box(parameter.to_sql(&postgres_types::Type::NUMERIC, &mut buffer)).ok();
            black_box(&buffer);
        });
    }),
    on_value!("peer-tokio-postgres-numeric-read", |rounds| {
        on_each(rounds, numerics(), |bytes| bytes.as_slice(), |bytes| {
            Decimal::from_sql(&postgres_types::Type::NUMERIC, bytes).ok()
        });
    }),
    on_value!("sqlx-numeric-read-key", postgres, |rounds, samples| {
        read_each::<_, NumberKey>(rounds, &samples.numbers)
    }).of_database(POSTGRES_VARIABLE),
    on_value!("peer-sqlx-numeric-read-rust-decimal", postgres, |rounds, samples| {
        read_each::<_, Decimal>(rounds, &samples.numbers)
    }).of_database(POSTGRES_VARIABLE),
    on_value!("peer-sqlx-numeric-read-bigdecimal", postgres, |rounds, samples| {
        read_each::<_, BigDecimal>(rounds, &samples.numbers)
    }).of_database(POSTGRES_VARIABLE),
];

/// Writes a parameter and reads a value in each round.
#[inline(always)]
fn round_trip<DB, T>(rounds: u64, parameters: &[T; COUNT], values: &[DatabaseValue<DB>])
where
    DB: Database<ArgumentBuffer: Buffer>,
    T: for<'q> Encode<'q, DB> + for<'r> Decode<'r, DB> + Type<DB>,
{
    let mut buffer = DB::ArgumentBuffer::default();
    for round in 0..rounds {
        let index = round as usize % COUNT;
        buffer.empty();
        black_box(T::type_info());
        black_box(black_box(&parameters[index]).encode_by_ref(&mut buffer)).ok();
        black_box(&buffer);
        black_box(read::<_, T>(black_box(&values[index])));
    }
}

type DatabaseValue<DB> = <DB as Database>::Value;

#[inline(always)]
fn write_numeric<T: for<'q> Encode<'q, Postgres>>(rounds: u64, parameters: &[T; COUNT]) {
    let mut buffer = PgArgumentBuffer::default();
    let write = |parameter: &T| {
        buffer.empty();
        black_box(parameter.encode_by_ref(&mut buffer)).ok();
        black_box(&buffer);
    };
    on_each(rounds, parameters, |one| one, write);
}

#[inline(always)]
fn read_each<V: Value, T>(rounds: u64, values: &[V])
where
    T: for<'r> Decode<'r, V::Database> + Type<V::Database>,
{
    let values = values.first_chunk().expect("there is a value of each key");
    on_each(rounds, values, |one| one, read::<V, T>);
}

/// Rows that are read at a time.
const TABLE: u64 = 1_000;

/// A table in SQLite's memory, and the runtime of its connection.
struct SqliteTable {
    runtime: Runtime,
    db: RefCell<SqliteConnection>,
}

fn sqlite_table(rounds: impl FnOnce(&SqliteTable)) {
    thread_local! {
        static TABLE: SqliteTable = {
            let runtime = runtime();
            let db = runtime.block_on(filled_table());
            let db = RefCell::new(db.expect("SQLite has a table in memory"));
            SqliteTable { runtime, db }
        };
    }
    TABLE.with(rounds);
}

async fn filled_table() -> sqlx::Result<SqliteConnection> {
    let mut db = SqliteConnection::connect("sqlite::memory:").await?;
    let create = "CREATE TABLE filled (id BLOB NOT NULL)";
    sqlx::query(create).execute(&mut db).await?;
    for key in uuid_keys().iter().cycle().take(TABLE as usize) {
        let insert = sqlx::query("INSERT INTO filled VALUES (?)").bind(*key);
        insert.execute(&mut db).await?;
    }
    Ok(db)
}

/// Reads all rows in each round.
fn read_table<T>(rounds: u64, table: &SqliteTable)
where
    T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + Send + Unpin,
{
    let mut db = table.db.borrow_mut();
    for _ in 0..rounds {
        let ids = sqlx::query_scalar::<_, T>("SELECT id FROM filled").fetch_all(&mut *db);
        let ids = table.runtime.block_on(ids);
        assert_eq!(black_box(ids).map_or(0, |ids| ids.len() as u64), TABLE);
    }
}

/// What sqlx does for a column of a row that it has found.
#[inline(always)]
fn read<V: Value, T>(value: &V) -> Option<T>
where
    T: for<'r> Decode<'r, V::Database> + Type<V::Database>,
{
    value.try_decode().ok()
}

/// Parameters of a query before they are sent.
trait Buffer: Default {
    fn empty(&mut self);
}

impl Buffer for PgArgumentBuffer {
    #[inline(always)]
    fn empty(&mut self) {
        self.clear();
    }
}

impl Buffer for Vec<u8> {
    #[inline(always)]
    fn empty(&mut self) {
        self.clear();
    }
}

impl Buffer for SqliteArgumentsBuffer {
    /// Nothing but a new one is empty.
    #[inline(always)]
    fn empty(&mut self) {
        *self = Self::default();
    }
}

/// Parameters, made once.
macro_rules! parameters {
    ($($name:ident: $T:ty = $values:expr;)*) => {$(
        fn $name() -> &'static [$T; COUNT] {
            static VALUES: LazyLock<[$T; COUNT]> = LazyLock::new(|| $values);
            &VALUES
        }
    )*};
}

parameters! {
    uuids: Uuid = wide().map(|number| Uuid::from_u128(uuid_of(4, number)));
    uuid_keys: UuidKey = uuids().map(|uuid| uuid.try_into().expect("a UUIDv4 is a short COMB"));
    number_keys: NumberKey =
        distributed().map(|number| number.try_into().expect("the numbers are DistributedIds"));
    decimals: Decimal =
        distributed().map(|number| Decimal::from_i128_with_scale(number.cast_signed(), 0));
    big_decimals: BigDecimal = distributed().map(BigDecimal::from);
    numerics: Vec<u8> = distributed().map(|number| {
        let mut bytes = Vec::new();
        numeric::write(number, &mut bytes);
        bytes
    });
}

/// What PostgreSQL has sent.
struct PostgresSamples {
    uuids: [PgValue; COUNT],
    numbers: [PgValue; COUNT],
}

/// Values of a database, read once in each thread.
macro_rules! samples {
    ($($name:ident: $Samples:ty = $conversation:block)*) => {$(
        fn $name(rounds: impl FnOnce(&$Samples)) {
            thread_local! {
                static SAMPLES: OnceCell<$Samples> = const { OnceCell::new() };
            }
            SAMPLES.with(|samples| {
                rounds(samples.get_or_init(|| finished(async $conversation)));
            });
        }
    )*};
}

samples! {
    postgres: PostgresSamples = {
        let mut db = PgConnection::connect(&address(POSTGRES_VARIABLE)).await?;
        let sent = "SELECT id FROM unnest($1) WITH ORDINALITY AS sent (id, number) \
                    ORDER BY number";
        let query = sqlx::query(sent).bind(uuids().to_vec());
        let uuids = query.fetch_all(&mut db).await?;
        // A statement of its own: the parameter has another type.
        let sent = "SELECT id FROM unnest($1::numeric[]) WITH ORDINALITY \
                    AS sent (id, number) ORDER BY number";
        let query = sqlx::query(sent).bind(number_keys().to_vec());
        let numbers = query.fetch_all(&mut db).await?;
        Ok(PostgresSamples {
            uuids: array::from_fn(|index| value(&uuids[index])),
            numbers: array::from_fn(|index| value(&numbers[index])),
        })
    }
    mysql: Vec<MySqlValue> = {
        let mut db = MySqlConnection::connect(&address(MARIADB_VARIABLE)).await?;
        let mut values = Vec::new();
        for key in *uuid_keys() {
            let query = sqlx::query("SELECT cast(? AS binary(16))").bind(key);
            values.push(value(&query.fetch_one(&mut db).await?));
        }
        Ok(values)
    }
    sqlite: Vec<SqliteValue> = {
        let mut db = SqliteConnection::connect("sqlite::memory:").await?;
        let mut values = Vec::new();
        for key in *uuid_keys() {
            let query = sqlx::query("SELECT ?").bind(key);
            values.push(value(&query.fetch_one(&mut db).await?));
        }
        Ok(values)
    }
}

fn value<R: Row<Database: Database<Row = R>>>(row: &R) -> DatabaseValue<R::Database>
where
    usize: sqlx::ColumnIndex<R>,
{
    let value = row.try_get_raw(0).expect("the row has a column");
    ValueRef::to_owned(&value)
}

fn address(variable: &str) -> String {
    env::var(variable).expect("only operations whose database is there run")
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system lets a runtime start")
}

/// What a conversation with a database ends with.
fn finished<T>(conversation: impl Future<Output = sqlx::Result<T>>) -> T {
    runtime()
        .block_on(conversation)
        .unwrap_or_else(|error| panic!("the database has no samples: {error}"))
}
