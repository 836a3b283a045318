//! The sqlx drivers behind one trait.

use anyhow::{Result, ensure};
use rowkey::Backend;
use sqlx::database::HasStatementCache;
use sqlx::{
    AssertSqlSafe, Connection, Database, Decode, Encode, MySql, Postgres, QueryBuilder, Sqlite,
    Type,
};

/// What is measured, of each driver.
pub(crate) trait Driver:
    Database<Connection: Connection<Database = Self>> + HasStatementCache
{
    /// Which database is measured with it.
    const BACKEND: Backend;

    /// Said to every new connection.
    const SETTINGS: &'static str;

    /// A connection with the settings that it is measured with.
    async fn connect(url: &str) -> Result<Self::Connection> {
        let mut db = Self::Connection::connect(url).await?;
        Self::execute(&mut db, Self::SETTINGS).await?;
        Ok(db)
    }

    /// Inserts rows with these ids in one statement and one transaction.
    async fn insert<I: Id<Self>>(db: &mut Self::Connection, ids: &[I]) -> Result<()>;

    /// Inserts one row.
    async fn insert_one<I: Id<Self>>(db: &mut Self::Connection, id: I) -> Result<()>;

    /// Finds a row by its id, and reads the id from it.
    async fn find_again<I: Id<Self>>(db: &mut Self::Connection, id: &I) -> Result<()>;

    /// Forgets prepared statements, whose parameters were of the last table's types.
    async fn forget_statements(db: &mut Self::Connection) -> Result<()> {
        Ok(db.clear_cached_statements().await?)
    }

    /// Runs SQL as it is.
    async fn execute(db: &mut Self::Connection, sql: &str) -> Result<()>;

    /// What a query returns.
    async fn value<T: Id<Self>>(db: &mut Self::Connection, sql: &str) -> Result<T>;
}

macro_rules! impl_driver {
    ($($Db:ident: $Backend:ident, $parameter:literal, $settings:literal;)*) => {$(
        impl Driver for $Db {
            const BACKEND: Backend = Backend::$Backend;
            const SETTINGS: &'static str = $settings;

            async fn insert<I: Id<Self>>(db: &mut Self::Connection, ids: &[I]) -> Result<()> {
                let mut query = QueryBuilder::<Self>::new("INSERT INTO measured (id, amount) ");
                query.push_values(ids.iter().zip(0_i64..), |mut row, (id, amount)| {
                    row.push_bind(id.clone()).push_bind(amount);
                });
                query.build().execute(db).await?;
                Ok(())
            }

            async fn insert_one<I: Id<Self>>(db: &mut Self::Connection, id: I) -> Result<()> {
                let sql = concat!("INSERT INTO measured (id, amount) VALUES (", $parameter, ", 1)");
                sqlx::query(sql).bind(id).execute(db).await?;
                Ok(())
            }

            async fn find_again<I: Id<Self>>(db: &mut Self::Connection, id: &I) -> Result<()> {
                let sql = concat!("SELECT id FROM measured WHERE id = ", $parameter);
                let found: I = sqlx::query_scalar(sql).bind(id.clone()).fetch_one(db).await?;
                ensure!(found == *id, "the database has returned another id");
                Ok(())
            }

            async fn execute(db: &mut Self::Connection, sql: &str) -> Result<()> {
                sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(db).await?;
                Ok(())
            }

            async fn value<T: Id<Self>>(db: &mut Self::Connection, sql: &str) -> Result<T> {
                let sql = AssertSqlSafe(sql.to_owned());
                Ok(sqlx::query_scalar(sql).fetch_one(db).await?)
            }
        }
    )*};
}

impl_driver! {
    Postgres: Postgres, "$1", "";
    MySql: MariaDb, "?", "DO 0";
    // The page cache is of 4 MiB: negative, because it is a size and no number of pages.
    Sqlite: Sqlite, "?",
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096";
}

/// What can be an id in a database.
pub(crate) trait Id<D: Database>:
    for<'q> Encode<'q, D> + for<'r> Decode<'r, D> + Type<D> + Value
{
}

impl<D: Database, I> Id<D> for I where
    I: for<'q> Encode<'q, D> + for<'r> Decode<'r, D> + Type<D> + Value
{
}

/// What drivers ask of all parameters.
pub(crate) trait Value: Clone + PartialEq + Send + Sync + Unpin + 'static {}

impl<T: Clone + PartialEq + Send + Sync + Unpin + 'static> Value for T {}
