//! The database of a region: its rows, and the places that say which region has which rows.

use std::ops::Range;
use std::time::Duration;

use anyhow::bail;
use rowkey::Backend;
use rowkey::routing::{Country, RoutingColumn};
use rowkey::storage::Nullability;
use rowkey::validate::ValidationError;
use rowkey_stores::{CreateError, Created, Origin, find_or_create};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, Database, Encode, Executor, FromRow, QueryBuilder, Type};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::ids::{MeshId, Pair, pair_of, pairs, service_and_table};

/// Rows of one statement: servers and SQLite limit the number of parameters.
pub(crate) const BATCH: usize = 500;

const COUNTRY: RoutingColumn<MeshId, Country> = RoutingColumn::new("id", "country");

/// An order or a ride.
pub(crate) type Row = (MeshId, String);

// ANCHOR: place
/// Where a pair is, as far as a database knows, and the move that is under way.
#[derive(Clone, Debug, Serialize, Deserialize, FromRow)]
pub struct Place {
    #[sqlx(try_from = "i16")]
    country: u8,
    #[sqlx(try_from = "i16")]
    service_entity: u8,
    /// The database answers only if this is its own region. Empty if none has it yet.
    pub region: String,
    /// Of two places, the one after more moves is right.
    pub moves: i64,
    /// The region that rows are copied to.
    pub moving_to: Option<String>,
    /// Whether writes wait.
    pub is_frozen: bool,
    /// Counts the changes of this place. A row has the round that it was written in.
    pub round: i64,
}
// ANCHOR_END: place

impl Place {
    pub(crate) fn pair(&self) -> Pair {
        (self.country, self.service_entity)
    }
}

/// Why a database does not answer a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("another region has it, or it is on the move")]
    NotHere(Box<Place>),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// A region and its database. Clones share the pool.
#[derive(Clone)]
pub struct Store {
    /// The name of the region.
    pub region: String,
    pool: Pool,
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
    /// Opens the database, and creates the tables and places that are missing.
    pub(crate) async fn open(region: &str, url: &str) -> anyhow::Result<Self> {
        let (pool, backend) = match url.split(':').next() {
            Some("postgres") => (
                Pool::Postgres(PgPool::connect(url).await?),
                Backend::Postgres,
            ),
            Some("mysql") => (Pool::MySql(MySqlPool::connect(url).await?), Backend::MySql),
            Some("sqlite") => {
                let options: SqliteConnectOptions = url.parse()?;
                // The commands that move countries are other processes.
                let options = options.journal_mode(SqliteJournalMode::Wal);
                let options = options.busy_timeout(Duration::from_secs(30));
                let pool = SqlitePool::connect_with(options).await?;
                (Pool::Sqlite(pool), Backend::Sqlite)
            }
            _ => bail!("its address begins with none of postgres:, mysql: and sqlite:"),
        };
        let region = region.to_owned();
        let store = Self { region, pool };
        let id = MeshId::PLAN.column_definition(backend, "id", Nullability::NotNull)?;
        let (country, check) = (COUNTRY.definition(backend)?, COUNTRY.check(backend)?);
        let mut statements = vec![format!(
            "CREATE TABLE IF NOT EXISTS places ({country}, service_entity SMALLINT NOT NULL, \
             region VARCHAR(100) NOT NULL, moves BIGINT NOT NULL, moving_to VARCHAR(100), \
             is_frozen BOOLEAN NOT NULL, round BIGINT NOT NULL, PRIMARY KEY (country, service_entity))"
        )];
        for pair in pairs() {
            // Both keys begin with the country: its rows are read in batches, and so are those of some rounds.
            statements.push(format!(
                "CREATE TABLE IF NOT EXISTS {} ({country}, {id}, title VARCHAR(200) NOT NULL, \
                 round BIGINT NOT NULL, {check}, PRIMARY KEY (country, id), UNIQUE (country, round, id))",
                table(pair)
            ));
            let (country, entity) = pair;
            statements.push(format!(
                "INSERT INTO places (country, service_entity, region, moves, is_frozen, round) \
                 SELECT {country}, {entity}, '', 0, FALSE, 0 FROM (SELECT 1 AS one) AS one \
                 WHERE NOT EXISTS (SELECT 1 {})",
                of(pair)
            ));
        }
        for statement in statements {
            on_each!(store, pool => pool.execute(AssertSqlSafe(statement)).await.map(drop))?;
        }
        Ok(store)
    }

    // ANCHOR: find
    /// The title of a row. It is one statement, so it sees the place and the row at the same time.
    pub(crate) async fn find(&self, id: MeshId) -> Result<Option<String>, Refusal> {
        self.title(on_each!(self, pool => select(id).build_query_as().fetch_one(pool).await?))
    }

    fn title(&self, found: Found) -> Result<Option<String>, Refusal> {
        match found.place {
            place if place.region == self.region => Ok(found.title),
            place => Err(Refusal::NotHere(place.into())),
        }
    }
    // ANCHOR_END: find

    // ANCHOR: create
    /// Creates a row with the id of a client, or finds what the same request has created before.
    pub(crate) async fn create(&self, row: Row) -> Result<Created<()>, CreateError<Refusal>> {
        let (command, payload) = ((), row.1.clone());
        let origin = Origin { command, payload };
        on_each!(self, pool => find_or_create(pool, &origin)
            .find(async |mut connection| {
                let found = select(row.0).build_query_as().fetch_one(&mut *connection).await?;
                let payload = self.title(found)?;
                Ok(payload.map(|payload| (Origin { command: (), payload }, ())))
            })
            .validate(|| Ok::<_, ValidationError>(()))
            .create(async |mut transaction| {
                // Locked until the commit: whoever changes the place waits for it.
                let lock = format!("SELECT * {}{}", of(pair_of(row.0)), self.for_share());
                let lock = sqlx::query_as(AssertSqlSafe(lock));
                let place: Place = lock.fetch_one(&mut *transaction).await?;
                if place.region != self.region || place.is_frozen {
                    return Err(Refusal::NotHere(place.into()));
                }
                let mut insert = insert(std::slice::from_ref(&row), place.round);
                insert.build().execute(&mut *transaction).await?;
                Ok(())
            })
            .await)
    }
    // ANCHOR_END: create

    fn for_share(&self) -> &'static str {
        match self.pool {
            Pool::Postgres(_) => " FOR SHARE",
            Pool::MySql(_) => " LOCK IN SHARE MODE",
            // A transaction of rowkey-stores has the only lock for writers.
            Pool::Sqlite(_) => "",
        }
    }

    /// The places of all pairs, as this database knows them.
    pub(crate) async fn places(&self) -> Result<Vec<Place>, sqlx::Error> {
        on_each!(self, pool => sqlx::query_as("SELECT * FROM places").fetch_all(pool).await)
    }

    /// The place of a pair.
    pub async fn place(&self, pair: Pair) -> Result<Place, sqlx::Error> {
        let mut places = self.places().await?.into_iter();
        let place = places.find(|place| place.pair() == pair);
        place.ok_or(sqlx::Error::RowNotFound)
    }

    // ANCHOR: change
    /// Changes a place that was read before; `false` if another command has changed it since.
    ///
    /// Waits for transactions that write rows of the pair. Those that begin afterwards see the change.
    pub async fn change(
        &self,
        place: &mut Place,
        change: impl Fn(&mut Place),
    ) -> Result<bool, sqlx::Error> {
        let round = place.round;
        change(place);
        place.round += 1;
        on_each!(self, pool => {
            let mut update = QueryBuilder::new("UPDATE places SET region = ");
            update.push_bind(place.region.as_str());
            update.push(", moving_to = ").push_bind(place.moving_to.as_deref());
            update.push(format!(", moves = {}, is_frozen = {}, round = {} ", place.moves, place.is_frozen, place.round));
            update.push(format!("{} AND round = {round}", of(place.pair()).trim_start_matches("FROM places ")));
            Ok(update.build().execute(pool).await?.rows_affected() == 1)
        })
    }
    // ANCHOR_END: change

    // ANCHOR: rows
    /// A batch of the rows of a pair that were written in some rounds, in the order of the key.
    pub async fn rows(
        &self,
        pair: Pair,
        rounds: Range<i64>,
        after: Option<MeshId>,
    ) -> Result<Vec<Row>, sqlx::Error> {
        on_each!(self, pool => {
            let mut query = QueryBuilder::new(format!("SELECT id, title {}", rows_of(pair)));
            query.push(format!(" AND round >= {} AND round < {}", rounds.start, rounds.end));
            if let Some(after) = after {
                query.push(" AND id > ").push_bind(after);
            }
            query.push(format!(" ORDER BY id LIMIT {BATCH}"));
            query.build_query_as().fetch_all(pool).await
        })
    }
    // ANCHOR_END: rows

    /// Writes copies over earlier copies. That does no harm at any time, because rows never change.
    pub async fn put(&self, pair: Pair, rows: &[Row]) -> Result<(), sqlx::Error> {
        on_each!(self, pool => {
            let mut transaction = pool.begin().await?;
            let mut delete = QueryBuilder::new(format!("DELETE {} AND id IN (", rows_of(pair)));
            let mut ids = delete.separated(", ");
            rows.iter().for_each(|(id, _)| _ = ids.push_bind(*id));
            delete.push(")").build().execute(&mut *transaction).await?;
            insert(rows, 0).build().execute(&mut *transaction).await?;
            transaction.commit().await
        })
    }

    /// Deletes rows up to an id, unless the pair is here or on its way here; returns how many.
    pub(crate) async fn delete(&self, pair: Pair, to: MeshId) -> Result<u64, sqlx::Error> {
        on_each!(self, pool => {
            let mut delete = QueryBuilder::new(format!("DELETE {} AND id <= ", rows_of(pair)));
            delete.push_bind(to).push(format!(" AND EXISTS (SELECT 1 {}", of(pair)));
            delete.push(" AND moving_to IS NULL AND region <> ").push_bind(self.region.as_str());
            Ok(delete.push(")").build().execute(pool).await?.rows_affected())
        })
    }
}

/// The place of a pair and, if there is one, the title of a row.
#[derive(FromRow)]
struct Found {
    #[sqlx(flatten)]
    place: Place,
    title: Option<String>,
}

fn select<DB: Database>(id: MeshId) -> QueryBuilder<DB>
where
    MeshId: for<'q> Encode<'q, DB> + Type<DB>,
{
    let pair = pair_of(id);
    let title = format!("(SELECT title {} AND id = ", rows_of(pair));
    let mut query = QueryBuilder::new(format!("SELECT places.*, {title}"));
    query.push_bind(id).push(") AS title ").push(of(pair));
    query
}

fn insert<DB: Database>(rows: &[Row], round: i64) -> QueryBuilder<DB>
where
    MeshId: for<'q> Encode<'q, DB> + Type<DB>,
    String: for<'q> Encode<'q, DB> + Type<DB>,
{
    let table = rows.first().map_or("", |(id, _)| table(pair_of(*id)));
    let mut insert = QueryBuilder::new(format!("INSERT INTO {table} (country, id, title, round) "));
    insert.push_values(rows, |mut row, (id, title)| {
        row.push(pair_of(*id).0).push_bind(*id);
        row.push_bind(title.clone()).push(round);
    });
    insert
}

fn of((country, entity): Pair) -> String {
    format!("FROM places WHERE country = {country} AND service_entity = {entity}")
}

fn rows_of(pair: Pair) -> String {
    format!("FROM {} WHERE country = {}", table(pair), pair.0)
}

/// Requests for pairs that are not registered do not come this far.
fn table(pair: Pair) -> &'static str {
    service_and_table(pair).map_or("", |(_, table)| table)
}
