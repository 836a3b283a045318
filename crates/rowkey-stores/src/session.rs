//! What the stores need from a driver: connections, transactions and a few kinds of results.

use std::ops::DerefMut;

use rowkey::{AnyUuid, EntityKey, entity_key};

use crate::Error;
use crate::failure::FailureKind;
use crate::statements::Statements;

/// The 16 bytes of any key in public order.
///
/// The tables serve keys of all formats, so they do not follow the keys' own plans. In SQL Server
/// the type is `binary(16)`, which sorts bytewise: command ids that begin with a time are inserted
/// at the end of the index there too.
#[entity_key(storage(sqlserver = "binary"))]
pub struct PublicForm(AnyUuid);

impl PublicForm {
    pub(crate) fn of<K: EntityKey>(key: K) -> Self {
        Self::constant(key.to_u128())
    }
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A command or an entity.
    Id(PublicForm),
    /// The name of a command.
    Name(&'a str),
    /// A count, a group or a number.
    Number(i64),
}

/// A row of a command that has created something.
#[derive(Clone, Debug)]
pub struct Identifier {
    /// The id of the entity.
    pub entity: PublicForm,
    /// The name of the command.
    pub command_name: String,
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A connection that the statements of this crate run on.
///
/// * sqlx's `PgConnection`, `MySqlConnection` and `SqliteConnection`. A transaction is given as
///   `&mut *transaction`.
/// * SeaORM's `DatabaseConnection` and `DatabaseTransaction`.
/// * Diesel's `PgConnection`, `MysqlConnection` and `SqliteConnection`, and diesel-async's.
/// * tiberius' `Client`.
pub trait Session: sealed::Sealed + Send {
    #[doc(hidden)]
    fn statements(&self) -> &'static Statements;

    /// Runs a statement and returns how many rows it has changed.
    #[doc(hidden)]
    fn run_statement(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<u64, Error>> + Send;

    /// The identifier that a query finds, outside any transaction.
    #[doc(hidden)]
    fn query_identifier(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Option<Identifier>, Error>> + Send;

    /// Updates one row and returns its new number, or `None` if there is no such row.
    #[doc(hidden)]
    fn run_update(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Option<i64>, Error>> + Send;
}

/// A pool or a client, from which the stores get connections and on which they begin transactions.
///
/// * sqlx's `PgPool`, `MySqlPool` and `SqlitePool`, or a reference to one. A broken connection is
///   replaced by another one, and so is one that was left in a transaction.
/// * SeaORM's `DatabaseConnection`, or a reference to one, on sqlx's pools. Closures get a
///   [`SeaOrmConnection`](crate::SeaOrmConnection).
/// * Diesel's connections as `&mut connection`, or an `r2d2::Pool`, for the functions of
///   [`blocking`](crate::blocking).
/// * diesel-async's connections as `&mut connection`, or a `Pool` of deadpool.
/// * tiberius' `Client`, as `&mut client` or as an `Arc<Mutex<Client>>` of tokio. A broken client
///   cannot be used any more; get another one and repeat the call.
pub trait Store: sealed::Sealed {
    /// The connections, on which closures run their own statements.
    type Session: Session;

    /// A connection outside any transaction.
    type Connection: DerefMut<Target = Self::Session> + Send;

    /// A connection within a transaction, which is rolled back when this is dropped.
    type Transaction: DerefMut<Target = Self::Session> + Send;

    #[doc(hidden)]
    type Source: Source<
            Session = Self::Session,
            Connection = Self::Connection,
            Transaction = Self::Transaction,
        >;

    #[doc(hidden)]
    fn into_source(self) -> Self::Source;
}

/// A store during a call. Connections and transactions are moved out of the source rather than
/// borrowed, so that the futures of the calls are `Send`.
#[doc(hidden)]
pub trait Source: Send {
    type Session: Session;
    type Connection: DerefMut<Target = Self::Session> + Send;
    type Transaction: DerefMut<Target = Self::Session> + Send;

    /// Whether another attempt can have another connection.
    const RECONNECTS: bool;

    fn connect(&mut self) -> impl Future<Output = Result<Self::Connection, Error>> + Send;

    /// A connection that sees everything committed so far, even if the connection was left in a
    /// transaction that its pool does not know of.
    fn connect_afresh(&mut self) -> impl Future<Output = Result<Self::Connection, Error>> + Send {
        self.connect()
    }

    /// Returns a connection after a look-up, or closes it if another look-up on it would fail, too.
    fn release(&mut self, connection: Self::Connection, failure: Option<FailureKind>);

    /// Begins a transaction with the connection's isolation level.
    fn begin(&mut self) -> impl Future<Output = Result<Self::Transaction, Error>> + Send;

    /// Begins a transaction whose updates see the latest committed rows, whatever the connection's
    /// isolation level.
    fn begin_update(&mut self) -> impl Future<Output = Result<Self::Transaction, Error>> + Send {
        self.begin()
    }

    /// Fails if the transaction has been ended, or aborted by the database, and a commit would not
    /// report that.
    fn check_open(
        &mut self,
        transaction: &mut Self::Transaction,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = transaction;
        async { Ok(()) }
    }

    fn commit(
        &mut self,
        transaction: Self::Transaction,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Rolls back because of a failure of this kind. If that fails, the connection cannot be used
    /// any more, and the database undoes the transaction.
    fn roll_back(
        &mut self,
        transaction: Self::Transaction,
        reason: FailureKind,
    ) -> impl Future<Output = ()> + Send;
}
