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
use sqlx::{
    AssertSqlSafe, Database, Encode, Executor, FromRow, MySqlPool, PgPool, QueryBuilder,
    SqlitePool, Type,
};

use crate::{MeshId, Pair, pair_of, pairs, service_and_table};

/// Rows of one statement: servers and SQLite limit the number of parameters.
pub(crate) const BATCH: usize = 500;

const COUNTRY: RoutingColumn<MeshId, Country> = RoutingColumn::new("id", "country");

// ANCHOR: place
/// Where a pair is, as far as a database knows, and the move that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromRow)]
#[allow(missing_docs)]
pub struct Place {
    #[sqlx(try_from = "i16")]
    pub country: u8,
    #[sqlx(try_from = "i16")]
    pub service_entity: u8,
    /// The database answers only if this is its own region.
    pub region: String,
    /// The place after more moves is the right one.
    pub moves: i64,
    /// The region that rows are copied to.
    pub moving_to: Option<String>,
    /// Whether writes wait.
    pub is_frozen: bool,
    /// Counts the changes of this row. Each row of an order or a ride has the round that it was written in.
    pub round: i64,
}
// ANCHOR_END: place

/// Why a database does not answer a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("another region has it, or it is on the move")]
    NotHere(Option<Box<Place>>),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// A region's name and its database. Clones share the pool.
#[derive(Clone, Debug)]
pub struct Store {
    /// The region.
    pub region: String,
    pool: Pool,
}

#[derive(Clone, Debug)]
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
    /// Opens the database, and creates the tables that are missing.
    pub(crate) async fn open(region: &str, url: &str) -> anyhow::Result<Self> {
        let region = region.to_owned();
        let (pool, backend) = match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => (
                Pool::Postgres(PgPool::connect(url).await?),
                Backend::Postgres,
            ),
            Some("mysql" | "mariadb") => {
                (Pool::MySql(MySqlPool::connect(url).await?), Backend::MySql)
            }
            Some("sqlite") => {
                let options: SqliteConnectOptions = url.parse()?;
                // The commands that move countries are other processes.
                let options = options.journal_mode(SqliteJournalMode::Wal);
                let options = options.busy_timeout(Duration::from_secs(30));
                (
                    Pool::Sqlite(SqlitePool::connect_with(options).await?),
                    Backend::Sqlite,
                )
            }
            _ => bail!("its address begins with none of postgres:, mysql:, mariadb: and sqlite:"),
        };
        let store = Self { region, pool };
        let id = MeshId::PLAN.column_definition(backend, "id", Nullability::NotNull)?;
        let (country, check) = (COUNTRY.definition(backend)?, COUNTRY.check(backend)?);
        let mut tables = vec![format!(
            "places ({country}, service_entity SMALLINT NOT NULL, region VARCHAR(100) NOT NULL, \
             moves BIGINT NOT NULL, moving_to VARCHAR(100), is_frozen BOOLEAN NOT NULL, \
             round BIGINT NOT NULL, PRIMARY KEY (country, service_entity))"
        )];
        // The rows of a country are next to each other, and are read in batches: all, or those of the last rounds.
        tables.extend(pairs().filter_map(service_and_table).map(|(_, table)| {
            format!(
                "{table} ({country}, {id}, title VARCHAR(200) NOT NULL, round BIGINT NOT NULL, {check}, \
                 PRIMARY KEY (country, id), UNIQUE (country, round, id))"
            )
        }));
        for table in tables {
            let create = AssertSqlSafe(format!("CREATE TABLE IF NOT EXISTS {table}"));
            on_each!(store, pool => pool.execute(create).await.map(drop))?;
        }
        Ok(store)
    }

    // ANCHOR: find
    /// The title of a row. It is one statement, so it sees the place and the row at the same time.
    pub(crate) async fn find(&self, id: MeshId) -> Result<Option<String>, Refusal> {
        let found: Option<Found> =
            on_each!(self, pool => select(id).build_query_as().fetch_optional(pool).await?);
        self.title(found)
    }

    fn title(&self, found: Option<Found>) -> Result<Option<String>, Refusal> {
        match found {
            Some(found) if found.place.region == self.region => Ok(found.title),
            found => Err(Refusal::NotHere(found.map(|found| found.place.into()))),
        }
    }
    // ANCHOR_END: find

    // ANCHOR: create
    /// Creates a row with the id of a client, or finds what the same request has created before.
    pub(crate) async fn create(
        &self,
        id: MeshId,
        title: &str,
    ) -> Result<Created<()>, CreateError<Refusal>> {
        let origin = Origin {
            command: (),
            payload: title.to_owned(),
        };
        on_each!(self, pool => find_or_create(pool, &origin)
            .find(async |mut connection| {
                let found = select(id).build_query_as().fetch_optional(&mut *connection).await?;
                let payload = self.title(found)?;
                Ok(payload.map(|payload| (Origin { command: (), payload }, ())))
            })
            .validate(|| Ok::<_, ValidationError>(()))
            .create(async |mut transaction| {
                // Locked until the commit: whoever changes the place waits for it.
                let mut lock = QueryBuilder::new(format!("SELECT * {}", of(pair_of(id))));
                lock.push(self.lock_for_share());
                let place: Option<Place> =
                    lock.build_query_as().fetch_optional(&mut *transaction).await?;
                match place {
                    Some(here) if here.region == self.region && !here.is_frozen => {
                        let rows = [(id, origin.payload.clone())];
                        insert(&rows, here.round).build().execute(&mut *transaction).await?;
                        Ok(())
                    }
                    place => Err(Refusal::NotHere(place.map(Box::new))),
                }
            })
            .await)
    }
    // ANCHOR_END: create

    /// The places of all pairs that this database knows.
    pub(crate) async fn places(&self) -> Result<Vec<Place>, sqlx::Error> {
        on_each!(self, pool => sqlx::query_as("SELECT * FROM places").fetch_all(pool).await)
    }

    /// The place of a pair, if it is known here.
    pub async fn place(&self, pair: Pair) -> Result<Option<Place>, sqlx::Error> {
        let select = AssertSqlSafe(format!("SELECT * {}", of(pair)));
        on_each!(self, pool => sqlx::query_as(select).fetch_optional(pool).await)
    }

    // ANCHOR: replace
    /// Writes a place over the one of a round; `false` if that has changed.
    ///
    /// Waits for transactions that write rows of the pair. Those that begin afterwards see the new place.
    pub async fn replace(&self, round: i64, new: &Place) -> Result<bool, sqlx::Error> {
        on_each!(self, pool => {
            let mut update = QueryBuilder::new("UPDATE places SET region = ");
            update.push_bind(new.region.as_str()).push(", moving_to = ").push_bind(new.moving_to.as_deref());
            update.push(format!(
                ", moves = {}, is_frozen = {}, round = {} WHERE country = {} AND service_entity = {} \
                 AND round = {round}",
                new.moves, new.is_frozen, new.round, new.country, new.service_entity
            ));
            Ok(update.build().execute(pool).await?.rows_affected() == 1)
        })
    }
    // ANCHOR_END: replace

    /// Writes the place of a pair that is not known here.
    pub(crate) async fn insert(&self, new: &Place) -> Result<(), sqlx::Error> {
        on_each!(self, pool => {
            let mut insert = QueryBuilder::new(format!(
                "INSERT INTO places (country, service_entity, moves, is_frozen, round, region) \
                 VALUES ({}, {}, {}, FALSE, 0, ",
                new.country, new.service_entity, new.moves
            ));
            insert.push_bind(new.region.as_str()).push(")").build().execute(pool).await.map(drop)
        })
    }

    // ANCHOR: rows
    /// A batch of the pair's rows that were written in some rounds, in the order of the key.
    pub async fn rows(
        &self,
        pair: Pair,
        rounds: Range<i64>,
        after: Option<MeshId>,
    ) -> Result<Vec<(MeshId, String)>, sqlx::Error> {
        on_each!(self, pool => {
            let mut query = QueryBuilder::new(format!("SELECT id, title {}", of_rows(pair)));
            query.push(format!(" AND round >= {} AND round < {}", rounds.start, rounds.end));
            if let Some(after) = after {
                query.push(" AND id > ").push_bind(after);
            }
            query.push(format!(" ORDER BY id LIMIT {BATCH}"));
            query.build_query_as().fetch_all(pool).await
        })
    }
    // ANCHOR_END: rows

    /// Writes copies of rows over earlier copies. That does no harm at any time, because rows never change.
    pub async fn put(&self, rows: &[(MeshId, String)]) -> Result<(), sqlx::Error> {
        let Some((first, _)) = rows.first() else {
            return Ok(());
        };
        on_each!(self, pool => {
            let mut transaction = pool.begin().await?;
            let mut delete = QueryBuilder::new(format!("DELETE {}", of_rows(pair_of(*first))));
            let mut ids = delete.push(" AND id IN (").separated(", ");
            for (id, _) in rows {
                ids.push_bind(*id);
            }
            delete.push(")").build().execute(&mut *transaction).await?;
            insert(rows, 0).build().execute(&mut *transaction).await?;
            transaction.commit().await
        })
    }

    /// Deletes rows up to an id, unless the pair is here or on its way here; returns how many.
    pub(crate) async fn delete(&self, pair: Pair, to: MeshId) -> Result<u64, sqlx::Error> {
        on_each!(self, pool => {
            let mut delete = QueryBuilder::new(format!("DELETE {} AND id <= ", of_rows(pair)));
            delete.push_bind(to).push(format!(
                " AND EXISTS (SELECT 1 {} AND moving_to IS NULL AND region <> ", of(pair)
            ));
            delete.push_bind(self.region.as_str()).push(")");
            Ok(delete.build().execute(pool).await?.rows_affected())
        })
    }

    fn lock_for_share(&self) -> &'static str {
        match self.pool {
            Pool::Postgres(_) => " FOR SHARE",
            Pool::MySql(_) => " LOCK IN SHARE MODE",
            // A transaction of rowkey-stores has the only lock for writers.
            Pool::Sqlite(_) => "",
        }
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
    let title = format!("SELECT places.*, (SELECT title {} AND id = ", of_rows(pair));
    let mut query = QueryBuilder::new(title);
    query.push_bind(id).push(format!(") AS title {}", of(pair)));
    query
}

fn insert<DB: Database>(rows: &[(MeshId, String)], round: i64) -> QueryBuilder<DB>
where
    MeshId: for<'q> Encode<'q, DB> + Type<DB>,
    String: for<'q> Encode<'q, DB> + Type<DB>,
{
    let table = rows.first().map_or("", |(id, _)| table(pair_of(*id)));
    let mut insert = QueryBuilder::new(format!("INSERT INTO {table} (country, id, title, round) "));
    insert.push_values(rows, |mut row, (id, title)| {
        row.push(pair_of(*id).country)
            .push_bind(*id)
            .push_bind(title.clone())
            .push(round);
    });
    insert
}

fn of(pair: Pair) -> String {
    let Pair {
        country,
        service_entity,
    } = pair;
    format!("FROM places WHERE country = {country} AND service_entity = {service_entity}")
}

fn of_rows(pair: Pair) -> String {
    format!("FROM {} WHERE country = {}", table(pair), pair.country)
}

/// Requests for pairs that are not registered do not come this far.
fn table(pair: Pair) -> &'static str {
    service_and_table(pair).map_or("", |(_, table)| table)
}
