//! Diesel and diesel-async in the scenarios.

use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::{Context, Result};
use diesel::connection::SimpleConnection;
use diesel::deserialize::{self, FromSql, QueryableByName};
use diesel::r2d2::{self, ConnectionManager, CustomizeConnection, PooledConnection};
use diesel::row::{Field as _, NamedRow, Row};
use diesel::sql_types::Text;
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig};
use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use diesel_async::{AsyncConnection as _, SimpleAsyncConnection as _};
use rowkey::luuid::LuuidGroup;
use rowkey::{EntityKey as _, Luuid, entity_key};
use rowkey_stores::blocking::{self, BlockingStore};
use rowkey_stores::{CreateError, CreatedBy, Error, NumberBlocks};
use rowkey_testkit::{Backend, TestDatabase};

use crate::shop::{CommandId, Driver, OfferId, Shop, migrate};

/// A pool of one of Diesel's connections, and the address for everything else.
pub(crate) struct DieselPool<P> {
    pub(crate) pool: P,
    url: String,
}

pub(crate) type Waiting<C> = DieselPool<r2d2::Pool<ConnectionManager<C>>>;
pub(crate) type Asynchronous<C> = DieselPool<Pool<C>>;
pub(crate) type AsyncSqliteConnection = SyncConnectionWrapper<diesel::SqliteConnection>;

/// The database's address as Diesel takes it.
fn address(url: &str) -> String {
    let url = url.trim_start_matches("sqlite://");
    url.trim_end_matches("?mode=rwc")
        .replace("ssl-mode=", "ssl_mode=")
}

/// The address as diesel-async takes it. It knows no parameter of MySQL that others do.
fn async_address(url: &str) -> String {
    match url.split_once('?') {
        Some((url, _)) if url.starts_with("mysql:") => url.to_owned(),
        _ => address(url),
    }
}

/// The first column of a row, whatever its name is.
struct First(String);

impl<DB: diesel::backend::Backend> QueryableByName<DB> for First
where
    String: FromSql<Text, DB>,
{
    fn build<'a>(row: &impl NamedRow<'a, DB>) -> deserialize::Result<Self> {
        let field = Row::get(row, 0).ok_or("there is a column")?;
        Ok(Self(FromSql::<Text, DB>::from_nullable_sql(field.value())?))
    }
}

/// What a connection does first.
#[derive(Debug)]
struct Settings(&'static str);

impl<C: SimpleConnection + 'static> CustomizeConnection<C, r2d2::Error> for Settings {
    fn on_acquire(&self, connection: &mut C) -> Result<(), r2d2::Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let set = connection.batch_execute(self.0);
        set.map_err(r2d2::Error::QueryError)
    }
}

/// What a test sets on its connections, or else what is set on all.
fn chosen(setup: &'static str, otherwise: &'static str) -> &'static str {
    match setup {
        "" => otherwise,
        _ => setup,
    }
}

const OF_SQLITE: &str = "PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL";

/// The driver of a connection: `$settings` is what each does first.
macro_rules! impl_waiting {
    ($Connection:ty, $settings:expr) => {
        impl Driver for Waiting<$Connection> {
            type Session = $Connection;
            type Connection = PooledConnection<ConnectionManager<$Connection>>;
            type Store = r2d2::Pool<ConnectionManager<$Connection>>;
            type Error = diesel::result::Error;

            async fn pool(url: &str, connections: u32, setup: &'static str) -> Result<Self> {
                let pool = r2d2::Pool::builder()
                    .max_size(connections)
                    .min_idle(Some(0))
                    .connection_timeout(Duration::from_secs(20))
                    .connection_customizer(Box::new(Settings(chosen(setup, $settings))))
                    .build(ConnectionManager::new(address(url)))?;
                let url = url.to_owned();
                Ok(Self { pool, url })
            }

            async fn migrate(&self, backend: Backend) -> Result<()> {
                migrate(backend, &self.url).await
            }

            async fn connection(&self) -> Result<Self::Connection> {
                Ok(self.pool.get()?)
            }

            async fn store(&self) -> Result<Self::Store> {
                Ok(self.pool.clone())
            }

            async fn execute(session: &mut $Connection, sql: &str) -> diesel::QueryResult<()> {
                session.batch_execute(sql)
            }

            async fn changed(session: &mut $Connection, sql: &str) -> diesel::QueryResult<u64> {
                let changed = diesel::RunQueryDsl::execute(diesel::sql_query(sql), session)?;
                Ok(changed.try_into().unwrap_or(u64::MAX))
            }

            async fn strings(
                session: &mut $Connection,
                sql: &str,
            ) -> diesel::QueryResult<Vec<String>> {
                let rows = diesel::RunQueryDsl::load::<First>(diesel::sql_query(sql), session)?;
                Ok(rows.into_iter().map(|first| first.0).collect())
            }
        }
    };
}

macro_rules! impl_asynchronous {
    ($Connection:ty, $settings:expr) => {
        impl Driver for Asynchronous<$Connection> {
            type Session = $Connection;
            type Connection = Object<$Connection>;
            type Store = Pool<$Connection>;
            type Error = diesel::result::Error;

            async fn pool(url: &str, connections: u32, setup: &'static str) -> Result<Self> {
                let mut config = ManagerConfig::<$Connection>::default();
                config.custom_setup = Box::new(move |url| {
                    let url = url.to_owned();
                    Box::pin(async move {
                        let mut connection = <$Connection>::establish(&url).await?;
                        let set = chosen(setup, $settings);
                        if !set.is_empty() {
                            let set = connection.batch_execute(set).await;
                            set.map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
                        }
                        Ok(connection)
                    })
                });
                let manager =
                    AsyncDieselConnectionManager::new_with_config(async_address(url), config);
                let pool = Pool::builder(manager)
                    .max_size(connections as usize)
                    .build()?;
                let url = url.to_owned();
                Ok(Self { pool, url })
            }

            async fn migrate(&self, backend: Backend) -> Result<()> {
                migrate(backend, &self.url).await
            }

            async fn connection(&self) -> Result<Self::Connection> {
                self.pool.get().await.context("the pool has a connection")
            }

            async fn store(&self) -> Result<Self::Store> {
                Ok(self.pool.clone())
            }

            async fn execute(session: &mut $Connection, sql: &str) -> diesel::QueryResult<()> {
                session.batch_execute(sql).await
            }

            async fn changed(session: &mut $Connection, sql: &str) -> diesel::QueryResult<u64> {
                let query = diesel::sql_query(sql);
                let changed = diesel_async::RunQueryDsl::execute(query, session).await?;
                Ok(changed.try_into().unwrap_or(u64::MAX))
            }

            async fn strings(
                session: &mut $Connection,
                sql: &str,
            ) -> diesel::QueryResult<Vec<String>> {
                let query = diesel::sql_query(sql);
                let rows = diesel_async::RunQueryDsl::load::<First>(query, session).await?;
                Ok(rows.into_iter().map(|first| first.0).collect())
            }
        }
    };
}

#[cfg(feature = "diesel-postgres")]
impl_waiting! { diesel::PgConnection, "" }
#[cfg(feature = "diesel-mysql")]
impl_waiting! { diesel::MysqlConnection, "" }
impl_waiting! { diesel::SqliteConnection, OF_SQLITE }
impl_asynchronous! { diesel_async::AsyncPgConnection, "" }
impl_asynchronous! { diesel_async::AsyncMysqlConnection, "" }
// A call that is dropped waits for its statement there, and with it the thread of all other tasks.
impl_asynchronous! {
    AsyncSqliteConnection, "PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL"
}

#[entity_key(group = "com.acme.Customer")]
struct CustomerId(Luuid);

pub(crate) async fn blocking_functions_reserve_numbers<D>(database: &TestDatabase) -> Result<()>
where
    D: Driver<Store: BlockingStore>,
{
    let shop = Shop::<D>::open(database).await?;
    let pool = shop.driver.store().await?;
    let size = NonZeroU32::new(5).context("a block is not empty")?;
    let group = LuuidGroup::of("com.acme.Customer");
    assert_eq!(blocking::reserve_block(pool.clone(), group, size)?, 1..6);

    let numbers = NumberBlocks::new(pool, size);
    let customer: CustomerId = blocking::generate_numbered(&numbers)?;
    assert_eq!(customer.into_format().number(), 6);
    let created = blocking::create_numbered(&numbers, |customer: CustomerId| {
        Ok::<_, D::Error>(customer.into_format().number())
    });
    assert_eq!(created?, 7);
    let refused = blocking::create_numbered(&numbers, |_: CustomerId| {
        Err::<(), _>(std::io::Error::other("no customer"))
    });
    assert!(
        matches!(refused, Err(CreateError::Closure(_))),
        "{refused:?}"
    );
    Ok(())
}

pub(crate) async fn blocking_functions_drop_commands<D>(database: &TestDatabase) -> Result<()>
where
    D: Driver<Store: BlockingStore>,
    for<'c> &'c mut D::Session: BlockingStore,
{
    let shop = Shop::<D>::open(database).await?;
    let pool = shop.driver.store().await?;
    let create = |command: CommandId, name| {
        blocking::create_once(pool.clone(), command, name, |_| {
            Ok::<_, D::Error>(OfferId::generate())
        })
    };
    let commands = [(); 4].map(|()| CommandId::generate());
    let offer = create(commands[0], "book-offer")?.entity;
    for command in &commands[1..] {
        create(*command, "book-room")?;
    }

    let mut session = shop.driver.connection().await?;
    assert!(blocking::forget(&mut *session, offer)?);
    assert!(!blocking::forget(&mut *session, offer)?);
    drop(session);
    assert_eq!(blocking::prune_name(pool.clone(), "book-room", 2)?, 1);
    assert_eq!(blocking::prune(pool.clone(), 1)?, 1);
    let refused = blocking::prune_name(pool.clone(), "no name", 0);
    assert!(matches!(refused, Err(Error::CommandName { .. })));

    assert_eq!(create(commands[3], "book-room")?.by, CreatedBy::EarlierCall);
    assert_eq!(create(commands[0], "book-offer")?.by, CreatedBy::ThisCall);
    Ok(())
}

/// Diesel opens connections to SQLite that wait for no lock.
pub(crate) async fn connections_without_a_timeout_wait(database: &TestDatabase) -> Result<()> {
    let shop = Shop::<Waiting<diesel::SqliteConnection>>::open(database).await?;
    let manager = ConnectionManager::<diesel::SqliteConnection>::new(address(database.url()));
    let pool = r2d2::Pool::builder().max_size(8).build(manager)?;
    let create = |command: CommandId| {
        blocking::create_once(&pool, command, "book-offer", |_| {
            Ok::<_, diesel::result::Error>(OfferId::generate())
        })
    };
    let client = || (0..20).try_for_each(|_| create(CommandId::generate()).map(drop));
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8).map(|_| scope.spawn(client)).collect();
        for client in clients {
            client.join().expect("a client does not panic")?;
        }
        anyhow::Ok(())
    })?;
    let created = "SELECT CAST(count(*) AS TEXT) FROM creation_identifiers";
    assert_eq!(shop.strings(created).await?, ["160"]);
    Ok(())
}
