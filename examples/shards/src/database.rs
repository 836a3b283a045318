//! One database: its bookings, and the shards that are open in it.

use std::collections::BTreeMap;

use rowkey::Backend;
use rowkey::storage::Nullability;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{AssertSqlSafe, Executor, MySqlPool, PgPool, QueryBuilder, SqlitePool};

use crate::{BookingId, Error};

/// Rows of one `INSERT`: servers and SQLite limit the number of parameters.
const ROWS_AT_ONCE: usize = 1_000;

/// A pool of connections to one database. Clones share it.
#[derive(Clone, Debug)]
pub enum Database {
    /// PostgreSQL.
    Postgres(PgPool),
    /// MySQL or MariaDB.
    MySql(MySqlPool),
    /// SQLite.
    Sqlite(SqlitePool),
}

/// What a request changes.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// Creates a booking with this title.
    Create(&'a str),
    /// Gives a booking this title.
    Rename(&'a str),
}

/// The same code for the pool of each kind of database: `QueryBuilder` writes their placeholders,
/// and the plan of the key says how they store it.
macro_rules! on_each {
    ($database:expr, $pool:ident => $code:block) => {
        match $database {
            Database::Postgres($pool) => $code,
            Database::MySql($pool) => $code,
            Database::Sqlite($pool) => $code,
        }
    };
}

impl Database {
    /// Opens the database that a URL names, and creates the tables that are missing.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] or [`Error::Database`].
    pub async fn open(url: &str) -> Result<Self, Error> {
        let database = match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => {
                Self::Postgres(PgPoolOptions::new().connect(url).await?)
            }
            Some("mysql" | "mariadb") => Self::MySql(MySqlPoolOptions::new().connect(url).await?),
            Some("sqlite") => {
                // A database in memory belongs to its connection.
                let pool = SqlitePoolOptions::new().max_connections(1);
                let pool = pool.idle_timeout(None).max_lifetime(None);
                Self::Sqlite(pool.connect(url).await?)
            }
            _ => return Err(Error::Url),
        };
        let id =
            BookingId::PLAN.column_definition(database.backend(), "id", Nullability::NotNull)?;
        let bookings = format!(
            "CREATE TABLE IF NOT EXISTS bookings \
             (shard BIGINT NOT NULL, {id}, title VARCHAR(200) NOT NULL, PRIMARY KEY (shard, id))"
        );
        let open_shards = "CREATE TABLE IF NOT EXISTS open_shards \
                           (shard BIGINT PRIMARY KEY, is_frozen BOOLEAN NOT NULL)";
        on_each!(&database, pool => {
            pool.execute(AssertSqlSafe(bookings)).await?;
            pool.execute(open_shards).await?;
        });
        Ok(database)
    }

    /// Changes a booking, if its shard is open here and not frozen; `false` if there was nothing to
    /// change.
    pub async fn change(
        &self,
        shard_key: u32,
        id: BookingId,
        change: Change<'_>,
    ) -> Result<Option<bool>, sqlx::Error> {
        let shard = i64::from(shard_key);
        on_each!(self, pool => {
            let mut transaction = pool.begin_with(self.begin()).await?;
            // Locked until the commit: `freeze` waits for it.
            let mut lock = QueryBuilder::new("SELECT shard FROM open_shards WHERE shard = ");
            lock.push_bind(shard).push(" AND NOT is_frozen").push(self.lock_for_share());
            let open: Option<i64> =
                lock.build_query_scalar().fetch_optional(&mut *transaction).await?;
            if open.is_none() {
                transaction.rollback().await?;
                return Ok(None);
            }
            let mut statement;
            match change {
                Change::Create(title) => {
                    statement = QueryBuilder::new("INSERT INTO bookings (shard, id, title) VALUES (");
                    let mut values = statement.separated(", ");
                    values.push_bind(shard).push_bind(id).push_bind(title);
                    statement.push(")");
                }
                Change::Rename(title) => {
                    statement = QueryBuilder::new("UPDATE bookings SET title = ");
                    statement.push_bind(title).push(" WHERE shard = ").push_bind(shard);
                    statement.push(" AND id = ").push_bind(id);
                }
            }
            let changed = statement.build().execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(Some(changed.rows_affected() > 0))
        })
    }

    /// The title of a booking, if its shard is open here; `Some(None)` if there is no such booking.
    ///
    /// It is one statement, so it sees the shard and the booking at the same time.
    pub async fn title(
        &self,
        shard_key: u32,
        id: BookingId,
    ) -> Result<Option<Option<String>>, sqlx::Error> {
        let query = "SELECT bookings.title FROM open_shards LEFT JOIN bookings \
                         ON bookings.shard = open_shards.shard AND bookings.id = ";
        on_each!(self, pool => {
            let mut query = QueryBuilder::new(query);
            query.push_bind(id).push(" WHERE open_shards.shard = ").push_bind(i64::from(shard_key));
            query.build_query_scalar().fetch_optional(pool).await
        })
    }

    /// Whether requests may write to the shard here.
    pub async fn has(&self, shard_key: u32) -> Result<bool, sqlx::Error> {
        on_each!(self, pool => {
            let mut query = QueryBuilder::new("SELECT shard FROM open_shards WHERE shard = ");
            query.push_bind(i64::from(shard_key));
            let open: Option<i64> = query.build_query_scalar().fetch_optional(pool).await?;
            Ok(open.is_some())
        })
    }

    /// Lets requests read and write the shard here.
    pub async fn open_shard(&self, shard_key: u32) -> Result<(), sqlx::Error> {
        let shard = i64::from(shard_key);
        on_each!(self, pool => {
            let mut thaw = QueryBuilder::new("UPDATE open_shards SET is_frozen = FALSE WHERE shard = ");
            thaw.push_bind(shard);
            if thaw.build().execute(pool).await?.rows_affected() == 0 {
                let mut open = QueryBuilder::new("INSERT INTO open_shards (shard, is_frozen) VALUES (");
                open.push_bind(shard).push(", FALSE)");
                open.build().execute(pool).await?;
            }
        });
        Ok(())
    }

    /// Refuses writes to the shard here, after those that have begun.
    pub async fn freeze(&self, shard_key: u32) -> Result<(), sqlx::Error> {
        on_each!(self, pool => {
            let mut freeze = QueryBuilder::new("UPDATE open_shards SET is_frozen = TRUE WHERE shard = ");
            freeze.push_bind(i64::from(shard_key)).build().execute(pool).await?;
        });
        Ok(())
    }

    /// Refuses reads and writes.
    pub async fn close(&self, shard_key: u32) -> Result<(), sqlx::Error> {
        on_each!(self, pool => {
            let mut close = QueryBuilder::new("DELETE FROM open_shards WHERE shard = ");
            close.push_bind(i64::from(shard_key)).build().execute(pool).await?;
        });
        Ok(())
    }

    /// All bookings of a shard, whether it is open or not.
    ///
    /// # Errors
    ///
    /// Those of the driver.
    pub async fn bookings(
        &self,
        shard_key: u32,
    ) -> Result<BTreeMap<BookingId, String>, sqlx::Error> {
        let rows: Vec<(BookingId, String)> = on_each!(self, pool => {
            let mut query = QueryBuilder::new("SELECT id, title FROM bookings WHERE shard = ");
            query.push_bind(i64::from(shard_key));
            query.build_query_as().fetch_all(pool).await?
        });
        Ok(rows.into_iter().collect())
    }

    /// Makes these the only bookings of a shard, in one transaction.
    pub async fn replace_bookings(
        &self,
        shard_key: u32,
        bookings: &BTreeMap<BookingId, String>,
    ) -> Result<(), sqlx::Error> {
        let shard = i64::from(shard_key);
        let rows: Vec<(&BookingId, &String)> = bookings.iter().collect();
        on_each!(self, pool => {
            let mut transaction = pool.begin_with(self.begin()).await?;
            // What an interrupted attempt has left.
            let mut delete = QueryBuilder::new("DELETE FROM bookings WHERE shard = ");
            delete.push_bind(shard).build().execute(&mut *transaction).await?;
            for rows in rows.chunks(ROWS_AT_ONCE) {
                let mut insert = QueryBuilder::new("INSERT INTO bookings (shard, id, title) ");
                insert.push_values(rows, |mut row, (id, title)| {
                    row.push_bind(shard).push_bind(**id).push_bind(title.as_str());
                });
                insert.build().execute(&mut *transaction).await?;
            }
            transaction.commit().await
        })
    }

    /// Deletes the bookings of a shard, unless it is open here.
    pub async fn delete_closed(&self, shard_key: u32) -> Result<(), sqlx::Error> {
        let shard = i64::from(shard_key);
        on_each!(self, pool => {
            let mut delete = QueryBuilder::new("DELETE FROM bookings WHERE shard = ");
            delete.push_bind(shard);
            delete.push(" AND NOT EXISTS (SELECT 1 FROM open_shards WHERE shard = ");
            delete.push_bind(shard).push(")").build().execute(pool).await?;
        });
        Ok(())
    }

    /// MySQL and MariaDB store the key in the same way.
    fn backend(&self) -> Backend {
        match self {
            Self::Postgres(_) => Backend::Postgres,
            Self::MySql(_) => Backend::MySql,
            Self::Sqlite(_) => Backend::Sqlite,
        }
    }

    /// SQLite has one lock for all writers, which has to be taken before anything is read.
    fn begin(&self) -> &'static str {
        match self {
            Self::Postgres(_) | Self::MySql(_) => "BEGIN",
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
        }
    }

    fn lock_for_share(&self) -> &'static str {
        match self {
            Self::Postgres(_) => " FOR SHARE",
            Self::MySql(_) => " LOCK IN SHARE MODE",
            Self::Sqlite(_) => "",
        }
    }
}
