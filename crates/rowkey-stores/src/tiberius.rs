//! tiberius' connections.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use futures_util::io::{AsyncRead, AsyncWrite};
use rowkey::driver::tiberius::RowKeys;
use tiberius::{Client, Query};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::Error;
use crate::failure::FailureKind;
use crate::session::{Identifier, Session, Source, Store, Value, sealed};
use crate::statements::{self, Statements};

fn failed(error: tiberius::error::Error) -> Error {
    Error::Database(Box::new(error))
}

fn bound<'v>(statement: &'static str, values: &[Value<'v>]) -> Query<'v> {
    let mut query = Query::new(statement);
    for value in values {
        match *value {
            Value::Id(id) => query.bind(id),
            Value::Name(name) => query.bind(name),
            Value::Number(number) => query.bind(number),
        }
    }
    query
}

/// The stream under a client, with the bounds that tiberius requires.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl<S: Stream> sealed::Sealed for Client<S> {}

impl<S: Stream> Session for Client<S> {
    fn statements(&self) -> &'static Statements {
        &statements::SQL_SERVER
    }

    async fn run_statement(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        let result = bound(statement, values).execute(self).await;
        Ok(result.map_err(failed)?.total())
    }

    async fn query_identifier(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Identifier>, Error> {
        let stream = bound(statement, values).query(self).await.map_err(failed)?;
        let Some(row) = stream.into_row().await.map_err(failed)? else {
            return Ok(None);
        };
        let unreadable = |error: rowkey::driver::tiberius::Error| failed(error.into());
        let name = row.try_get::<&str, _>(1).map_err(failed)?;
        Ok(Some(Identifier {
            entity: row.try_key(0).map_err(unreadable)?,
            command_name: name.unwrap_or_default().to_owned(),
        }))
    }

    async fn run_update(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<i64>, Error> {
        let stream = bound(statement, values).query(self).await.map_err(failed)?;
        match stream.into_row().await.map_err(failed)? {
            Some(row) => row.try_get(0).map_err(failed),
            None => Ok(None),
        }
    }
}

/// A transaction on a client. Dropping this does not roll the transaction back, but then no other
/// transaction can begin on the same client.
#[derive(Debug)]
pub struct ClientTransaction<P>(P);

impl<P: Deref> Deref for ClientTransaction<P> {
    type Target = P::Target;

    fn deref(&self) -> &P::Target {
        &self.0
    }
}

impl<P: DerefMut> DerefMut for ClientTransaction<P> {
    fn deref_mut(&mut self) -> &mut P::Target {
        &mut self.0
    }
}

async fn run<S: Stream>(client: &mut Client<S>, statement: &'static str) -> Result<(), Error> {
    let stream = client.simple_query(statement).await.map_err(failed)?;
    stream.into_results().await.map_err(failed)?;
    Ok(())
}

async fn number<S: Stream>(
    client: &mut Client<S>,
    statement: &'static str,
) -> Result<Option<i32>, Error> {
    let stream = client.simple_query(statement).await.map_err(failed)?;
    let row = stream.into_row().await.map_err(failed)?;
    row.map_or(Ok(None), |row| row.try_get(0)).map_err(failed)
}

async fn begin<S: Stream>(client: &mut Client<S>) -> Result<(), Error> {
    // A nested transaction would only be counted, and its end would commit nothing.
    let begin = "DECLARE @open int = @@TRANCOUNT; \
                 IF @open = 0 BEGIN TRANSACTION; \
                 SELECT @open";
    match number(client, begin).await? {
        Some(0) => Ok(()),
        _ => Err(Error::OpenTransaction),
    }
}

async fn commit<S: Stream>(client: &mut Client<S>) -> Result<(), Error> {
    run(client, "COMMIT TRANSACTION").await
}

async fn roll_back<S: Stream>(client: &mut Client<S>) -> Result<(), Error> {
    // The server has already rolled back the victim of a deadlock.
    run(client, "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION").await
}

/// A client that is borrowed for one call.
#[derive(Debug)]
#[doc(hidden)]
pub struct BorrowedClient<'c, S: Stream>(Option<&'c mut Client<S>>);

impl<'c, S: Stream> BorrowedClient<'c, S> {
    fn take(&mut self) -> Result<&'c mut Client<S>, Error> {
        // `None` if a closure has kept the client.
        self.0.take().ok_or(Error::TransactionEnded)
    }
}

impl<'c, S: Stream> Source for BorrowedClient<'c, S> {
    type Session = Client<S>;
    type Connection = &'c mut Client<S>;
    type Transaction = ClientTransaction<&'c mut Client<S>>;

    const RECONNECTS: bool = false;

    async fn connect(&mut self) -> Result<Self::Connection, Error> {
        self.take()
    }

    fn release(&mut self, connection: Self::Connection, _: Option<FailureKind>) {
        self.0 = Some(connection);
    }

    async fn begin(&mut self) -> Result<Self::Transaction, Error> {
        let client = self.take()?;
        match begin(client).await {
            Ok(()) => Ok(ClientTransaction(client)),
            Err(error) => {
                self.0 = Some(client);
                Err(error)
            }
        }
    }

    async fn commit(&mut self, transaction: Self::Transaction) -> Result<(), Error> {
        let outcome = commit(transaction.0).await;
        self.0 = Some(transaction.0);
        outcome
    }

    async fn roll_back(&mut self, transaction: Self::Transaction, _: FailureKind) {
        let _ = roll_back(transaction.0).await;
        self.0 = Some(transaction.0);
    }
}

impl<S: Stream> sealed::Sealed for &mut Client<S> {}

impl<'c, S: Stream> Store for &'c mut Client<S> {
    type Session = Client<S>;
    type Connection = &'c mut Client<S>;
    type Transaction = ClientTransaction<&'c mut Client<S>>;
    type Source = BorrowedClient<'c, S>;

    fn into_source(self) -> Self::Source {
        BorrowedClient(Some(self))
    }
}

impl<S: Stream + 'static> Source for Arc<Mutex<Client<S>>> {
    type Session = Client<S>;
    type Connection = OwnedMutexGuard<Client<S>>;
    type Transaction = ClientTransaction<OwnedMutexGuard<Client<S>>>;

    const RECONNECTS: bool = false;

    async fn connect(&mut self) -> Result<Self::Connection, Error> {
        Ok(Arc::clone(self).lock_owned().await)
    }

    fn release(&mut self, connection: Self::Connection, _: Option<FailureKind>) {
        drop(connection);
    }

    async fn begin(&mut self) -> Result<Self::Transaction, Error> {
        let mut client = self.connect().await?;
        begin(&mut client).await?;
        Ok(ClientTransaction(client))
    }

    async fn commit(&mut self, mut transaction: Self::Transaction) -> Result<(), Error> {
        commit(&mut transaction).await
    }

    async fn roll_back(&mut self, mut transaction: Self::Transaction, _: FailureKind) {
        let _ = roll_back(&mut transaction).await;
    }
}

impl<S: Stream> sealed::Sealed for Arc<Mutex<Client<S>>> {}

impl<S: Stream + 'static> Store for Arc<Mutex<Client<S>>> {
    type Session = Client<S>;
    type Connection = OwnedMutexGuard<Client<S>>;
    type Transaction = ClientTransaction<OwnedMutexGuard<Client<S>>>;
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}
