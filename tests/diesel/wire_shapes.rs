//! What Diesel and sqlx write is the same, and each reads what the other wrote, for every shape
//! that a plan gives to a column.

use diesel::backend::Backend;
use diesel::deserialize::{FromSql, Queryable};
use diesel::expression::AsExpression;
use diesel::internal::derives::as_expression::Bound;
use diesel::serialize::ToSql;
use rowkey::EntityKey;
use rowkey::driver::diesel::Key;

/// What Diesel asks of a key, which every key has.
pub(crate) trait KeyOf<DB: Backend>:
    EntityKey
    + AsExpression<Key<Self>, Expression = Bound<Key<Self>, Self>>
    + ToSql<Key<Self>, DB>
    + FromSql<Key<Self>, DB>
    + Queryable<Key<Self>, DB, Row = Self>
{
}

impl<DB: Backend, K> KeyOf<DB> for K where
    K: EntityKey
        + AsExpression<Key<K>, Expression = Bound<Key<K>, K>>
        + ToSql<Key<K>, DB>
        + FromSql<Key<K>, DB>
        + Queryable<Key<K>, DB, Row = K>
{
}

/// The scenario on one driver of Diesel and the one of sqlx for the same backend; `$raw` is what
/// shows the stored bytes of a column called `id`.
macro_rules! wire_shapes {
    ($module:ident, $Connection:ty, $Sqlx:ident, $SqlxConnection:ty, $raw:literal) => {
        pub(crate) mod $module {
            use anyhow::{Context, Result, ensure};
            use diesel::dsl::sql;
            use diesel::prelude::*;
            use diesel::sql_types::{BigInt, Nullable, Text};
            use rowkey::Nullability;
            use rowkey::driver::diesel::Key;
            use rowkey_testkit::TestDatabase;
            use sqlx::{Connection as _, Decode, Encode, QueryBuilder, Row as _, Type};

            use super::KeyOf;
            use crate::connection::{block_on, column, connect, execute};
            use crate::keys::{self, neighbours};

            type Db = <$Connection as diesel::connection::Connection>::Backend;
            type Record<K> = (K, Option<K>, i64);

            pub(crate) fn run(database: &TestDatabase) -> Result<()> {
                shape::<keys::OfferId>(database)?;
                shape::<keys::StopId>(database)?;
                shape::<keys::VisitId>(database)?;
                shape::<keys::InvoiceId>(database)?;
                shape::<keys::PaymentId>(database)?;
                shape::<keys::ReceiptId>(database)?;
                shape::<keys::BookingId>(database)?;
                shape::<keys::DeviceId>(database)?;
                shape::<keys::SessionId>(database)?;
                shape::<keys::LinkId>(database)?;
                shape::<keys::TicketId>(database)?;
                shape::<keys::VoucherId>(database)
            }

            fn shape<K>(database: &TestDatabase) -> Result<()>
            where
                K: KeyOf<Db> + Type<sqlx::$Sqlx>,
                K: for<'q> Encode<'q, sqlx::$Sqlx> + for<'r> Decode<'r, sqlx::$Sqlx>,
            {
                check::<K>(database).with_context(|| K::NAME)
            }

            fn check<K>(database: &TestDatabase) -> Result<()>
            where
                K: KeyOf<Db> + Type<sqlx::$Sqlx>,
                K: for<'q> Encode<'q, sqlx::$Sqlx> + for<'r> Decode<'r, sqlx::$Sqlx>,
            {
                let backend = database.backend();
                let db = &mut connect::<$Connection>(database)?;
                let id = column::<K>(backend, "id", Nullability::NotNull)?;
                let parent = column::<K>(backend, "parent", Nullability::Nullable)?;
                for table in ["by_diesel", "by_sqlx"] {
                    execute(db, &format!(
                        "CREATE TABLE {table} ({id}, {parent}, n BIGINT NOT NULL, PRIMARY KEY (id))"
                    ))?;
                }

                let keys = neighbours::<K>();
                let records: Vec<Record<K>> = keys
                    .iter()
                    .zip(0..)
                    .map(|(key, n)| (*key, (n > 0).then(|| keys[0]), n))
                    .collect();
                for (id, parent, n) in &records {
                    sql::<BigInt>("INSERT INTO by_diesel (id, parent, n) VALUES (")
                        .bind::<Key<K>, _>(*id)
                        .sql(", ")
                        .bind::<Nullable<Key<K>>, _>(*parent)
                        .sql(", ")
                        .bind::<BigInt, _>(n)
                        .sql(")")
                        .execute(db)?;
                }
                block_on(async {
                    let mut sqlx = <$SqlxConnection>::connect(database.url()).await?;
                    for (id, parent, n) in &records {
                        let mut insert =
                            QueryBuilder::new("INSERT INTO by_sqlx (id, parent, n) VALUES (");
                        insert.push_bind(*id).push(", ").push_bind(*parent).push(", ");
                        insert.push_bind(*n).push(")").build().execute(&mut sqlx).await?;
                    }
                    let rows = sqlx::query("SELECT id, parent, n FROM by_diesel ORDER BY n")
                        .fetch_all(&mut sqlx)
                        .await?;
                    for (row, record) in rows.iter().zip(&records) {
                        let found: Record<K> =
                            (row.try_get("id")?, row.try_get("parent")?, row.try_get("n")?);
                        ensure!(found == *record, "sqlx reads {found:?} instead of {record:?}");
                    }
                    ensure!(rows.len() == records.len());
                    sqlx.close().await?;
                    Ok(())
                })?;

                // Byte for byte.
                let raw = |db: &mut $Connection, table: &str| {
                    let query = format!("SELECT {} FROM {table} ORDER BY n", $raw);
                    sql::<Text>(&query).load::<String>(db).context(query)
                };
                let (ours, theirs) = (raw(db, "by_diesel")?, raw(db, "by_sqlx")?);
                ensure!(ours == theirs, "Diesel wrote {ours:?}, sqlx {theirs:?}");
                ensure!(ours.len() == records.len());

                let columns = "SELECT id, parent, n FROM by_sqlx WHERE ";
                let all = columns.to_owned() + "n >= 0 ORDER BY n";
                let found: Vec<Record<K>> = rows::<K>(&all).load(db)?;
                ensure!(found == records, "Diesel reads {found:?} instead of {records:?}");

                let plan = K::PLAN.column(backend);
                for record in &records {
                    let literal = plan.literal(record.0.to_u128());
                    let query = format!("{columns} id = {literal}");
                    let found: Vec<Record<K>> = rows::<K>(&query).load(db)?;
                    ensure!(found == [*record], "{query} finds {found:?}");
                    let found: Vec<Record<K>> = rows::<K>(&(columns.to_owned() + "id = "))
                        .bind::<Key<K>, _>(record.0)
                        .load(db)?;
                    ensure!(found == [*record], "{:?} finds {found:?}", record.0);
                }

                // Neighbours are told apart by every condition with parameters.
                let mut sorted = keys.clone();
                K::sort_for(backend, &mut sorted);
                let [low, high] = [sorted[1], sorted[3]];
                for (before, between, after, expected) in [
                    ("id IN (", ", ", ")", vec![sorted[1], sorted[3]]),
                    ("id BETWEEN ", " AND ", "", sorted[1..=3].to_vec()),
                    ("id >= ", " AND id < ", "", sorted[1..3].to_vec()),
                    ("id NOT IN (", ", ", ")", {
                        let mut others = sorted.clone();
                        others.retain(|key| *key != low && *key != high);
                        others
                    }),
                ] {
                    let found: Vec<Record<K>> = rows::<K>(&(columns.to_owned() + before))
                        .bind::<Key<K>, _>(low)
                        .sql(between)
                        .bind::<Key<K>, _>(high)
                        .sql(after)
                        .sql(" ORDER BY id")
                        .load(db)?;
                    let found: Vec<K> = found.into_iter().map(|(id, _, _)| id).collect();
                    ensure!(found == expected, "{before}?{between}?{after} finds {found:?}");
                }

                // NULL is no key, and the error says where it was.
                let found = sql::<Key<K>>("SELECT parent FROM by_sqlx WHERE n = 0").load::<K>(db);
                ensure!(found.is_err(), "NULL is {found:?}");
                execute(db, "DROP TABLE by_diesel")?;
                execute(db, "DROP TABLE by_sqlx")
            }

            /// A query for records, to be continued.
            fn rows<K: KeyOf<Db>>(
                query: &str,
            ) -> diesel::expression::SqlLiteral<(Key<K>, Nullable<Key<K>>, BigInt)> {
                sql(query)
            }

            wire_shapes!(@own $module);
        }
    };
    (@own mysql) => {
        /// MariaDB's own UUID type, which is bound as text and sorted in its own way.
        pub(crate) fn native_uuid(database: &TestDatabase) -> Result<()> {
            shape::<keys::SeatId>(database)?;
            shape::<keys::RouteId>(database)
        }
    };
    (@own $other:ident) => {};
}

#[cfg(feature = "diesel-postgres")]
wire_shapes!(
    postgres,
    diesel::PgConnection,
    Postgres,
    sqlx::PgConnection,
    "id::text"
);
#[cfg(feature = "diesel-mysql")]
wire_shapes!(
    mysql,
    diesel::MysqlConnection,
    MySql,
    sqlx::MySqlConnection,
    // A number has no hexadecimal form of this length, and bytes are no characters.
    "CONCAT(HEX(id), ' ', HEX(CAST(id AS CHAR)))"
);
wire_shapes!(
    sqlite,
    diesel::SqliteConnection,
    Sqlite,
    sqlx::SqliteConnection,
    "typeof(id) || ' ' || hex(id)"
);
