//! The sqlx drivers behind one trait.

use anyhow::Result;
use sqlx::{
    AssertSqlSafe, Connection, Database, Decode, Encode, MySql, Postgres, QueryBuilder, Sqlite,
    Type,
};

use crate::statements::Server;

/// What is measured, of each driver.
pub(crate) trait Driver: Database<Connection: Connection<Database = Self>> {
    /// Which database is measured with it.
    const SERVER: Server;

    /// Inserts rows with these ids in one statement and one transaction.
    async fn insert<I: Id<Self>>(db: &mut Self::Connection, ids: &[I]) -> Result<()>;

    /// Inserts one row.
    async fn insert_one<I: Id<Self>>(db: &mut Self::Connection, id: I) -> Result<()>;

    /// Finds a row by its id, and returns the id.
    async fn select_one<I: Id<Self>>(db: &mut Self::Connection, id: I) -> Result<I>;

    /// Forgets prepared statements, whose parameters were of the last table's types.
    async fn forget_statements(db: &mut Self::Connection) -> Result<()>;

    /// Runs SQL as it is.
    async fn execute(db: &mut Self::Connection, sql: &str) -> Result<()>;

    /// A number that a query returns.
    async fn number(db: &mut Self::Connection, sql: &str) -> Result<i64>;

    /// A text that a query returns.
    async fn text(db: &mut Self::Connection, sql: &str) -> Result<String>;
}

macro_rules! impl_driver {
    ($($Db:ident: $Server:ident, $parameter:literal;)*) => {$(
        impl Driver for $Db {
            const SERVER: Server = Server::$Server;

            async fn insert<I: Id<Self>>(db: &mut Self::Connection, ids: &[I]) -> Result<()> {
                let mut query = QueryBuilder::<Self>::new("INSERT INTO measured (id, amount) ");
                query.push_values(ids.iter().zip(0_i64..), |mut row, (id, amount)| {
                    row.push_bind(*id).push_bind(amount);
                });
                query.build().execute(db).await?;
                Ok(())
            }

            async fn insert_one<I: Id<Self>>(db: &mut Self::Connection, id: I) -> Result<()> {
                let sql = concat!("INSERT INTO measured (id, amount) VALUES (", $parameter, ", 1)");
                sqlx::query(sql).bind(id).execute(db).await?;
                Ok(())
            }

            async fn select_one<I: Id<Self>>(db: &mut Self::Connection, id: I) -> Result<I> {
                let sql = concat!("SELECT id FROM measured WHERE id = ", $parameter);
                Ok(sqlx::query_scalar(sql).bind(id).fetch_one(db).await?)
            }

            async fn forget_statements(db: &mut Self::Connection) -> Result<()> {
                Ok(db.clear_cached_statements().await?)
            }

            async fn execute(db: &mut Self::Connection, sql: &str) -> Result<()> {
                sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(db).await?;
                Ok(())
            }

            async fn number(db: &mut Self::Connection, sql: &str) -> Result<i64> {
                let sql = AssertSqlSafe(sql.to_owned());
                Ok(sqlx::query_scalar(sql).fetch_one(db).await?)
            }

            async fn text(db: &mut Self::Connection, sql: &str) -> Result<String> {
                let sql = AssertSqlSafe(sql.to_owned());
                Ok(sqlx::query_scalar(sql).fetch_one(db).await?)
            }
        }
    )*};
}

impl_driver! {
    Postgres: Postgres, "$1";
    MySql: MariaDb, "?";
    Sqlite: Sqlite, "?";
}

/// What can be an id in a database.
pub(crate) trait Id<D: Database>:
    for<'q> Encode<'q, D>
    + for<'r> Decode<'r, D>
    + Type<D>
    + Copy
    + PartialEq
    + Send
    + Sync
    + Unpin
    + 'static
{
}

impl<D: Database, I> Id<D> for I where
    I: for<'q> Encode<'q, D>
        + for<'r> Decode<'r, D>
        + Type<D>
        + Copy
        + PartialEq
        + Send
        + Sync
        + Unpin
        + 'static
{
}
