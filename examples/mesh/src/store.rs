//! The database of a region: its entities, and the places that say which region has which of them.

use std::ops::Range;
use std::slice;
use std::time::Duration;

use anyhow::bail;
use futures_util::stream::BoxStream;
use rowkey::Backend;
use rowkey::storage::Nullability;
use rowkey_stores::{CreateError, in_transaction};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, Database, Encode, Executor, FromRow, QueryBuilder, Type};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::{MeshId, Pair, pair_of, pairs};

/// An entity: its id and title.
pub(crate) type Row = (MeshId, String);

/// Where a pair is, as far as a database knows.
#[derive(Clone, Debug, FromRow)]
pub struct Place {
    /// The database answers only if this is its own region. Empty if no region has the pair yet.
    pub region: String,
    /// Grows with each change; the highest one is right. A row has the version that it was written
    /// under.
    pub version: i64,
}

/// A region and its database. Clones share the pool.
#[derive(Clone)]
pub struct Store {
    pub(crate) region: String,
    pool: Pool,
    /// Ends a query for a row that nobody may change until the commit.
    for_share: &'static str,
    /// Ends an insert that leaves rows as they are that exist.
    or_leave: &'static str,
}

#[derive(Clone)]
enum Pool {
    Postgres(PgPool),
    /// Or MariaDB, which stores the key in the same way.
    MySql(MySqlPool),
    Sqlite(SqlitePool),
}

/// The same code for the pool of each kind of database.
macro_rules! on_each {
    ($store:expr, $pool:ident => $code:expr) => {
        match &$store.pool {
            Pool::Postgres($pool) => $code,
            Pool::MySql($pool) => $code,
            Pool::Sqlite($pool) => $code,
        }
    };
}

impl Store {
    /// Opens the database, and creates what is missing in it.
    pub(crate) async fn open(region: &str, url: &str) -> anyhow::Result<Self> {
        let on_conflict = " ON CONFLICT DO NOTHING";
        let (backend, pool, for_share, or_leave) = match url.split(':').next() {
            Some("postgres") => {
                let pool = Pool::Postgres(PgPool::connect(url).await?);
                (Backend::Postgres, pool, " FOR SHARE", on_conflict)
            }
            Some("mysql") => {
                let pool = Pool::MySql(MySqlPool::connect(url).await?);
                let or_leave = " ON DUPLICATE KEY UPDATE version = version";
                (Backend::MySql, pool, " LOCK IN SHARE MODE", or_leave)
            }
            Some("sqlite") => {
                // The commands that move countries are other processes.
                let options = url.parse::<SqliteConnectOptions>()?;
                let options = options.journal_mode(SqliteJournalMode::Wal);
                let options = options.busy_timeout(Duration::from_secs(30));
                let pool = Pool::Sqlite(SqlitePool::connect_with(options).await?);
                // A transaction of rowkey-stores has the only lock for writers.
                (Backend::Sqlite, pool, "", on_conflict)
            }
            _ => bail!("its address begins with none of postgres:, mysql: and sqlite:"),
        };
        let id = MeshId::PLAN.column_definition(backend, "id", Nullability::NotNull)?;
        let pair = "country SMALLINT NOT NULL, service_entity SMALLINT NOT NULL";
        // The second key of the entities finds those of a pair, and of its last version.
        let tables = format!(
            "CREATE TABLE IF NOT EXISTS places ({pair}, region VARCHAR(100) NOT NULL, \
             version BIGINT NOT NULL, PRIMARY KEY (country, service_entity)); \
             CREATE TABLE IF NOT EXISTS entities ({pair}, version BIGINT NOT NULL, \
             {id} PRIMARY KEY, title VARCHAR(200) NOT NULL, \
             UNIQUE (country, service_entity, version, id));"
        );
        let places = pairs().map(|(country, entity)| {
            format!("INSERT INTO places VALUES ({country}, {entity}, '', 0){or_leave};")
        });
        let schema = AssertSqlSafe(tables + &places.collect::<String>());
        let region = region.to_owned();
        let store = Self {
            region,
            pool,
            for_share,
            or_leave,
        };
        on_each!(store, pool => sqlx::raw_sql(schema).execute(pool).await.map(drop))?;
        Ok(store)
    }

    /// The region of an entity, and its title. One statement sees the place and the row at the same
    /// time.
    pub(crate) async fn find(&self, id: MeshId) -> sqlx::Result<(String, Option<String>)> {
        on_each!(self, pool => {
            let mut query = QueryBuilder::new("SELECT region, (SELECT title FROM entities WHERE id = ");
            query.push_bind(id).push(format!(") FROM places {}", of(pair_of(id))));
            query.build_query_as().fetch_one(pool).await
        })
    }

    // ANCHOR: create
    /// Creates an entity with the id of a client, unless it is there already or its region is
    /// another one.
    pub(crate) async fn create(&self, row: Row) -> Result<(), CreateError<sqlx::Error>> {
        // Locked until the commit: a change of the place waits for it.
        let (place, for_share) = (of(pair_of(row.0)), self.for_share);
        let place = format!("SELECT region, version FROM places {place}{for_share}");
        on_each!(self, pool => in_transaction(pool, async |mut transaction| {
            let place = sqlx::query_as(AssertSqlSafe(place.as_str()));
            let place: Place = place.fetch_one(&mut *transaction).await?;
            if place.region == self.region {
                let mut insert = insert(slice::from_ref(&row), place.version, self.or_leave);
                insert.build().execute(&mut *transaction).await?;
            }
            Ok(())
        })
        .await)
    }
    // ANCHOR_END: create

    /// The place of a pair.
    pub async fn place(&self, pair: Pair) -> sqlx::Result<Place> {
        let select = AssertSqlSafe(format!("SELECT region, version FROM places {}", of(pair)));
        on_each!(self, pool => sqlx::query_as(select).fetch_one(pool).await)
    }

    /// Writes a place, if its version is higher; `false` otherwise.
    ///
    /// Waits for transactions that write rows of the pair. Those that begin afterwards see the new
    /// place.
    pub async fn advance(&self, pair: Pair, place: &Place) -> sqlx::Result<bool> {
        let (Place { region, version }, pair) = (place, of(pair));
        on_each!(self, pool => {
            let mut update = QueryBuilder::new("UPDATE places SET region = ");
            update.push_bind(region.as_str());
            update.push(format!(", version = {version} {pair} AND version < {version}"));
            Ok(update.build().execute(pool).await?.rows_affected() == 1)
        })
    }

    /// The rows of a pair that were written under some versions.
    pub fn rows(&self, pair: Pair, versions: Range<i64>) -> BoxStream<'_, sqlx::Result<Row>> {
        let (pair, Range { start, end }) = (of(pair), versions);
        let versions = format!("version >= {start} AND version < {end}");
        let select = format!("SELECT id, title FROM entities {pair} AND {versions}");
        on_each!(self, pool => sqlx::query_as(AssertSqlSafe(select)).fetch(pool))
    }

    /// Writes copies, without those that are there: rows never change.
    pub async fn put(&self, rows: &[Row]) -> sqlx::Result<()> {
        on_each!(self, pool => insert(rows, 0, self.or_leave).build().execute(pool).await.map(drop))
    }

    /// Deletes the rows of a pair that is elsewhere, unless its place has changed since it was
    /// read.
    pub(crate) async fn delete(&self, pair: Pair, place: &Place) -> sqlx::Result<()> {
        // Locked, so that a move back here waits: it leaves rows as they are that are about to be
        // deleted.
        let (pair, version, for_share) = (of(pair), place.version, self.for_share);
        let place = format!("SELECT 1 FROM places {pair} AND version = {version}{for_share}");
        let delete = AssertSqlSafe(format!("DELETE FROM entities {pair} AND EXISTS ({place})"));
        on_each!(self, pool => pool.execute(delete).await.map(drop))
    }
}

fn insert<DB: Database>(rows: &[Row], version: i64, or_leave: &str) -> QueryBuilder<DB>
where
    MeshId: for<'q> Encode<'q, DB> + Type<DB>,
    String: for<'q> Encode<'q, DB> + Type<DB>,
{
    let mut insert = QueryBuilder::new("INSERT INTO entities ");
    insert.push_values(rows, |mut row, (id, title)| {
        let (country, service_entity) = pair_of(*id);
        row.push(country).push(service_entity).push(version);
        row.push_bind(*id).push_bind(title.clone());
    });
    insert.push(or_leave);
    insert
}

/// The condition for rows of a pair.
fn of((country, service_entity): Pair) -> String {
    format!("WHERE country = {country} AND service_entity = {service_entity}")
}
