//! The tests' database: its tables, and statements on any connection.

use std::error::Error as StdError;
use std::ops::DerefMut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rowkey::storage::Nullability;
use rowkey::{ShortPrefixComb, UuidV7, entity_key};
use rowkey_stores::{Session, Store};
use rowkey_testkit::{Backend, TestDatabase};
use sqlx::migrate::Migrator;
use sqlx::pool::{PoolConnection, PoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{
    AssertSqlSafe, Connection, Executor, MySqlConnection, MySqlPool, PgConnection, PgPool,
    SqliteConnection, SqlitePool,
};
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

/// A booking offer.
#[entity_key]
pub(crate) struct OfferId(ShortPrefixComb);

/// A command, with an id that its client has made.
#[entity_key]
pub(crate) struct CommandId(UuidV7);

/// Connections for tests that use many at once. Other tests run at the same time.
pub(crate) const CONNECTIONS: u32 = 12;

static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");
static MYSQL: Migrator = sqlx::migrate!("../../migrations/mysql");
static MARIADB: Migrator = sqlx::migrate!("../../migrations/mariadb");
static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");

/// The migrations of this crate's tables, which sqlx cannot apply to SQL Server.
const SQL_SERVER: [&str; 2] = [
    include_str!("../../../../migrations/sqlserver/0003_creation_identifiers.up.sql"),
    include_str!("../../../../migrations/sqlserver/0004_key_blocks.up.sql"),
];

/// Connections to a database of one driver.
pub(crate) trait Driver: Sized + 'static {
    type Session: Session;
    type Connection: DerefMut<Target = Self::Session>;
    type Store: Store<Session = Self::Session> + Clone + Send + Sync;
    type Error: StdError + Send + Sync + 'static;

    async fn connect(url: &str) -> Result<Self> {
        Self::pool(url, CONNECTIONS, "").await
    }

    /// A pool of so many connections, each of which runs `setup` first, in place of what the suite
    /// sets on connections to SQLite.
    async fn pool(url: &str, connections: u32, setup: &'static str) -> Result<Self>;

    /// Applies the migrations.
    async fn migrate(&self, backend: Backend) -> Result<()>;

    /// A connection that belongs to the test.
    async fn connection(&self) -> Result<Self::Connection>;

    /// The store for the functions of the crate.
    async fn store(&self) -> Result<Self::Store>;

    async fn execute(session: &mut Self::Session, sql: &str) -> Result<(), Self::Error>;

    /// The number of rows that a statement has changed.
    async fn changed(session: &mut Self::Session, sql: &str) -> Result<u64, Self::Error>;

    /// The first column of all rows.
    async fn strings(session: &mut Self::Session, sql: &str) -> Result<Vec<String>, Self::Error>;
}

/// The migrations of a database that sqlx has a driver for.
pub(crate) fn migrator(backend: Backend) -> &'static Migrator {
    match backend {
        Backend::Postgres => &POSTGRES,
        Backend::MySql => &MYSQL,
        Backend::MariaDb => &MARIADB,
        Backend::Sqlite | Backend::SqlServer => &SQLITE,
    }
}

/// Applies the migrations for a driver that has another form of them.
pub(crate) async fn migrate(backend: Backend, url: &str) -> Result<()> {
    let migrator = migrator(backend);
    match backend {
        Backend::Postgres => migrator.run(&mut PgConnection::connect(url).await?).await?,
        Backend::MySql | Backend::MariaDb => {
            migrator
                .run(&mut MySqlConnection::connect(url).await?)
                .await?;
        }
        Backend::Sqlite => {
            migrator
                .run(&mut SqliteConnection::connect(url).await?)
                .await?
        }
        Backend::SqlServer => bail!("it has migrations of its own"),
    }
    Ok(())
}

macro_rules! impl_driver {
    ($Pool:ident, $Connection:ident, $options:expr) => {
        impl Driver for $Pool {
            type Session = $Connection;
            type Connection = PoolConnection<<$Connection as Connection>::Database>;
            type Store = Self;
            type Error = sqlx::Error;

            async fn pool(url: &str, connections: u32, setup: &'static str) -> Result<Self> {
                let options = PoolOptions::new()
                    .max_connections(connections)
                    .after_connect(move |connection: &mut $Connection, _| {
                        Box::pin(async move {
                            if !setup.is_empty() {
                                connection.execute(setup).await?;
                            }
                            Ok(())
                        })
                    });
                let url: <$Connection as Connection>::Options = url.parse()?;
                Ok(options.connect_with($options(url, setup)).await?)
            }

            async fn migrate(&self, backend: Backend) -> Result<()> {
                Ok(migrator(backend).run(self).await?)
            }

            async fn connection(&self) -> Result<Self::Connection> {
                Ok(self.acquire().await?)
            }

            async fn store(&self) -> Result<Self> {
                Ok(self.clone())
            }

            async fn execute(session: &mut $Connection, sql: &str) -> sqlx::Result<()> {
                // Not prepared: MySQL does not prepare BEGIN.
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(session).await?;
                Ok(())
            }

            async fn changed(session: &mut $Connection, sql: &str) -> sqlx::Result<u64> {
                let statement = sqlx::query(AssertSqlSafe(sql));
                Ok(statement.execute(session).await?.rows_affected())
            }

            async fn strings(session: &mut $Connection, sql: &str) -> sqlx::Result<Vec<String>> {
                let query = sqlx::query_scalar(AssertSqlSafe(sql));
                query.fetch_all(session).await
            }
        }
    };
}

impl_driver! { PgPool, PgConnection, |options, _| options }
impl_driver! { MySqlPool, MySqlConnection, |options, _| options }
impl_driver! { SqlitePool, SqliteConnection, |options: SqliteConnectOptions, setup: &str| {
    match setup {
        "" => options.journal_mode(SqliteJournalMode::Wal).busy_timeout(Duration::from_secs(30)),
        _ => options,
    }
} }

/// A SQL Server without a pool: a connection for each call.
pub(crate) struct SqlServer(Config);

impl Driver for SqlServer {
    type Session = Client<Compat<TcpStream>>;
    type Connection = Box<Client<Compat<TcpStream>>>;
    type Store = Arc<Mutex<Client<Compat<TcpStream>>>>;
    type Error = tiberius::error::Error;

    async fn pool(url: &str, _: u32, _: &'static str) -> Result<Self> {
        Ok(Self(Config::from_ado_string(url)?))
    }

    async fn migrate(&self, _: Backend) -> Result<()> {
        let mut client = self.connection().await?;
        for migration in SQL_SERVER {
            Self::execute(&mut client, migration).await?;
        }
        Ok(())
    }

    async fn connection(&self) -> Result<Self::Connection> {
        let stream = TcpStream::connect(self.0.get_addr()).await?;
        stream.set_nodelay(true)?;
        let client = Client::connect(self.0.clone(), stream.compat_write()).await?;
        Ok(Box::new(client))
    }

    async fn store(&self) -> Result<Self::Store> {
        Ok(Arc::new(Mutex::new(*self.connection().await?)))
    }

    async fn execute(session: &mut Self::Session, sql: &str) -> tiberius::Result<()> {
        session.simple_query(sql).await?.into_results().await?;
        Ok(())
    }

    async fn changed(session: &mut Self::Session, sql: &str) -> tiberius::Result<u64> {
        Ok(session.execute(sql, &[]).await?.total())
    }

    async fn strings(session: &mut Self::Session, sql: &str) -> tiberius::Result<Vec<String>> {
        let rows = session.simple_query(sql).await?.into_first_result().await?;
        let strings = rows.iter().map(|row| row.try_get::<&str, _>(0));
        strings
            .map(|text| Ok(text?.unwrap_or_default().to_owned()))
            .collect()
    }
}

/// A database with the tables of the crate and one of offers.
pub(crate) struct Shop<D> {
    pub(crate) backend: Backend,
    pub(crate) driver: D,
}

/// A row of offers. Everything but the id is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) id: OfferId,
    pub(crate) command: String,
    pub(crate) title: String,
}

impl<D: Driver> Shop<D> {
    pub(crate) async fn open(database: &TestDatabase) -> Result<Self> {
        let shop = Self {
            backend: database.backend(),
            driver: D::connect(database.url()).await?,
        };
        shop.driver.migrate(shop.backend).await?;
        let id = OfferId::PLAN.column_definition(shop.backend, "id", Nullability::NotNull)?;
        shop.execute(&format!(
            "CREATE TABLE offers ({id} PRIMARY KEY, command varchar(36) NOT NULL, \
             title varchar(100) NOT NULL)"
        ))
        .await?;
        Ok(shop)
    }

    pub(crate) async fn execute(&self, sql: &str) -> Result<()> {
        self.with_session(async |session| D::execute(session, sql).await)
            .await
    }

    pub(crate) async fn strings(&self, sql: &str) -> Result<Vec<String>> {
        self.with_session(async |session| D::strings(session, sql).await)
            .await
    }

    /// The end of a query that locks its rows until the transaction ends.
    pub(crate) fn locking_clause(&self) -> &'static str {
        match self.backend {
            Backend::Postgres | Backend::MySql | Backend::MariaDb => " FOR UPDATE",
            // The transaction has already locked the whole file.
            Backend::Sqlite => "",
            // See `lock_row`.
            Backend::SqlServer => "",
        }
    }

    /// Locks a row of SQL Server before it is read. The hint `UPDLOCK` is shorter, but some servers
    /// that speak TDS accept it and lock nothing.
    pub(crate) async fn lock_row(
        &self,
        session: &mut D::Session,
        table: &str,
        column: &str,
        id: &str,
    ) -> Result<(), D::Error> {
        if self.backend != Backend::SqlServer {
            return Ok(());
        }
        let sql = format!("UPDATE {table} SET {column} = {column} WHERE id = {id}");
        D::execute(session, &sql).await
    }

    /// Runs a statement outside any transaction.
    pub(crate) async fn with_session<T>(
        &self,
        run: impl AsyncFn(&mut D::Session) -> Result<T, D::Error>,
    ) -> Result<T> {
        let mut connection = self.driver.connection().await?;
        Ok(run(&mut connection).await?)
    }

    /// One for each of several tasks: a connection, or always the same pool.
    pub(crate) async fn stores(&self, count: usize) -> Result<Vec<D::Store>> {
        let mut stores = Vec::new();
        for _ in 0..count {
            stores.push(self.driver.store().await?);
        }
        Ok(stores)
    }

    pub(crate) fn literal(&self, id: OfferId) -> String {
        OfferId::PLAN.column(self.backend).literal(id.to_u128())
    }

    /// Inserts an offer with a new id.
    pub(crate) async fn add(
        &self,
        session: &mut D::Session,
        command: CommandId,
    ) -> Result<OfferId, D::Error> {
        let id = OfferId::generate();
        let offer = Offer {
            id,
            command: command.to_string(),
            title: "Fjords".to_owned(),
        };
        self.insert(session, &offer).await?;
        Ok(id)
    }

    pub(crate) async fn insert(
        &self,
        session: &mut D::Session,
        offer: &Offer,
    ) -> Result<(), D::Error> {
        let (id, command, title) = (self.literal(offer.id), &offer.command, &offer.title);
        let sql = format!("INSERT INTO offers VALUES ({id}, '{command}', '{title}')");
        D::execute(session, &sql).await
    }

    pub(crate) async fn find(
        &self,
        session: &mut D::Session,
        id: OfferId,
    ) -> Result<Option<Offer>, D::Error> {
        let id_literal = self.literal(id);
        let column = async |session: &mut D::Session, column: &str| {
            let sql = format!("SELECT {column} FROM offers WHERE id = {id_literal}");
            D::strings(session, &sql).await
        };
        let Some(command) = column(session, "command").await?.pop() else {
            return Ok(None);
        };
        let title = column(session, "title").await?.pop().unwrap_or_default();
        Ok(Some(Offer { id, command, title }))
    }

    /// The commands of all offers, one for each offer.
    pub(crate) async fn commands(&self) -> Result<Vec<String>> {
        self.strings("SELECT command FROM offers ORDER BY command")
            .await
    }

    /// Lets the server end the connection of a session, and waits until it is gone.
    pub(crate) async fn kill(&self, session: &mut D::Session) -> Result<()> {
        let own_number = match self.backend {
            Backend::Postgres => "SELECT pg_backend_pid()::text",
            Backend::SqlServer => "SELECT CAST(@@SPID AS varchar(10))",
            _ => "SELECT CAST(CONNECTION_ID() AS CHAR)",
        };
        let number = D::strings(session, own_number).await?.pop();
        let number = number.context("a session has a number")?;
        match self.backend {
            Backend::Postgres => {
                let kill = format!("SELECT pg_terminate_backend({number}, 10000)::text");
                assert_eq!(self.strings(&kill).await?, ["true"]);
            }
            // KILL in MySQL 5.6 closes the session's file descriptor. If the session has not yet
            // begun to wait for the next packet, it waits on whatever has got that number since,
            // for eight hours and with all its locks.
            Backend::MySql => {
                D::execute(session, "SET SESSION wait_timeout = 1").await?;
                self.wait_until_gone(&number).await?;
            }
            _ => {
                self.execute(&format!("KILL {number}")).await?;
                self.wait_until_gone(&number).await?;
            }
        }
        Ok(())
    }

    /// Waits until the server has no such session.
    async fn wait_until_gone(&self, number: &str) -> Result<()> {
        let sql = match self.backend {
            Backend::SqlServer => format!(
                "SELECT CAST(status AS varchar(30)) FROM sys.dm_exec_sessions \
                 WHERE session_id = {number}"
            ),
            _ => {
                // The old list of MySQL fails while the statement of any session has bytes that are
                // no text.
                let newest = "SELECT MAX(LOWER(table_schema)) FROM information_schema.tables \
                              WHERE LOWER(table_name) = 'processlist' AND table_schema <> 'sys'";
                let newest = self.strings(newest).await?;
                format!(
                    "SELECT CONCAT_WS(' ', command, time, state) FROM {}.processlist \
                     WHERE id = {number}",
                    newest.concat()
                )
            }
        };
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let state = self.strings(&sql).await?;
            if state.is_empty() {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "session {number} does not end: {state:?}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
