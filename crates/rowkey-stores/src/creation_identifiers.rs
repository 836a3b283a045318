//! Entities whose ids the server makes: what each creating command has created.

use std::error::Error as StdError;

use rowkey::EntityKey;

use crate::attempts::Attempts;
use crate::borrowed::{Borrowed, lend};
use crate::failure::{Failure, FailureKind};
use crate::session::{PublicForm, Session, Source, Store, Value};
use crate::statements::Statements;
use crate::transaction::{end, undo};
use crate::{Conflict, CreateError, Created, CreatedBy, Error};

/// A creating command, as stored in the table.
#[derive(Clone, Copy)]
struct Command<'a> {
    id: PublicForm,
    name: &'a str,
}

/// Creates an entity unless a command with this id has created one before. Returns the id of the
/// entity either way.
///
/// The closure makes the entity's id, inserts the entity and returns the id. It gets the connection
/// of an open transaction, which also inserts the command id into `creation_identifiers`, so both
/// are committed or neither is. The row of the command is inserted first: of several calls with the
/// same command id, only one at a time runs its closure, and none after one has committed.
///
/// The name says what the command creates, such as `book-offer`. It is 1 to 100 visible ASCII
/// characters.
///
/// Names are compared. The contents of commands are not stored, so they are not compared: a client
/// that reuses a command id for another request of the same name gets the entity of the first
/// request, as if it had repeated that one.
///
/// # Attempts
///
/// When transactions collide (a deadlock, a failure to serialize, a locked SQLite file) or a pool's
/// connection breaks, everything is rolled back and tried again, up to ten times in all. So the
/// closure may be called several times, and everything it does must be undone with its transaction.
/// The driver's error is searched for along `source()`.
///
/// Each attempt may wait for locks as long as the database allows, and the attempts together have
/// no limit: see [how long a call may take](crate#how-long-a-call-may-take). A call within the
/// closure of another call, or a number from [`NumberBlocks`](crate::NumberBlocks), has ten
/// attempts in each attempt of the outer call, and needs a connection of its own.
///
/// If a connection breaks while the transaction is being committed, the next attempt sees by the
/// command id whether the commit succeeded. If this call itself is dropped or fails, the client
/// sends the command again, with the same id.
///
/// If the caller may be dropped, as a handler may, run this in a task: see [calls that are
/// dropped](crate#calls-that-are-dropped).
///
/// # Isolation
///
/// The isolation level is the connection's, `READ COMMITTED` or higher. In SQLite the transaction
/// takes the write lock at once. In MySQL and MariaDB, `autocommit` may be off.
///
/// # Errors
///
/// [`Error::Conflict`] if the command id came with another name before, [`Error::CommandName`],
/// [`Error::Entity`] if the command has created something whose id is not a `K`,
/// [`Error::OpenTransaction`] for a connection in the middle of a transaction,
/// [`Error::TransactionEnded`] if the row of the command was gone when the closure returned,
/// because its transaction was rolled back, [`Error::Unfinished`] if another call's closure has
/// committed that row and then failed, [`Error::Database`]; and [`CreateError::Closure`] for the
/// closure's errors.
///
/// Not every database detects a closure that commits its transaction itself and succeeds: the
/// entity exists then, but was not created atomically.
pub async fn create_once<S, C, K, E, F>(
    store: S,
    command_id: C,
    command_name: &str,
    mut create: impl FnMut(Borrowed<S::Transaction>) -> F,
) -> Result<Created<K>, CreateError<E>>
where
    S: Store,
    C: EntityKey,
    K: EntityKey,
    E: StdError + 'static,
    F: Future<Output = Result<K, E>>,
{
    let command = Command {
        id: PublicForm::of(command_id),
        name: checked(command_name)?,
    };
    let mut source = store.into_source();
    let mut attempts = Attempts::on::<S::Source>();
    let mut unanswered = None;
    loop {
        match attempt(
            &mut source,
            &attempts,
            command,
            &mut create,
            &mut unanswered,
        )
        .await
        {
            Err(error) if attempts.may_retry_after(error.kind()) => {}
            outcome => return outcome,
        }
    }
}

/// If it is unknown whether the transaction was committed, `unanswered` is the key that was created
/// in it.
async fn attempt<S, K, E, F>(
    source: &mut S,
    attempts: &Attempts,
    command: Command<'_>,
    create: impl FnMut(Borrowed<S::Transaction>) -> F,
    unanswered: &mut Option<K>,
) -> Result<Created<K>, CreateError<E>>
where
    S: Source,
    K: EntityKey,
    E: StdError + 'static,
    F: Future<Output = Result<K, E>>,
{
    if let Some(id) = look_up(source, attempts, command).await? {
        let by = match *unanswered == Some(id) {
            true => CreatedBy::ThisCall,
            false => CreatedBy::EarlierCall,
        };
        return Ok(Created { entity: id, by });
    }
    let mut transaction = source.begin().await?;
    // Waits for another transaction that has inserted this row, and fails if that transaction
    // commits. Reading the row would not help then: PostgreSQL has aborted this transaction, and
    // MariaDB shows the snapshot of its beginning.
    if let Err(error) = reserve(&mut *transaction, command).await {
        return Err(undo(source, transaction, error.into()).await);
    }
    let (returned, outcome) = lend(transaction, create).await;
    let mut transaction = returned?;
    let id = match outcome {
        Ok(id) => id,
        Err(error) => return Err(undo(source, transaction, CreateError::Closure(error)).await),
    };
    if let Err(error) = complete(&mut *transaction, command, id).await {
        return Err(undo(source, transaction, error.into()).await);
    }
    if let Err(error) = source.commit(transaction).await {
        *unanswered = Some(id);
        return Err(error.into());
    }
    Ok(Created {
        entity: id,
        by: CreatedBy::ThisCall,
    })
}

async fn reserve<S: Session>(session: &mut S, command: Command<'_>) -> Result<(), Error> {
    let row = [Value::Id(command.id), Value::Name(command.name)];
    let statement = session.statements().reserve_identifier;
    match session.run_statement(statement, &row).await {
        Ok(_) => Ok(()),
        Err(Error::Database(source)) if FailureKind::of(&*source) == FailureKind::Duplicate => {
            Err(Error::Unfinished {
                command: command.id.to_string(),
                source,
            })
        }
        Err(error) => Err(error),
    }
}

async fn complete<S, K>(session: &mut S, command: Command<'_>, id: K) -> Result<(), Error>
where
    S: Session,
    K: EntityKey,
{
    let row = [Value::Id(PublicForm::of(id)), Value::Id(command.id)];
    let statement = session.statements().complete_identifier;
    match session.run_statement(statement, &row).await? {
        1 => Ok(()),
        _ => Err(Error::TransactionEnded),
    }
}

async fn look_up<S, K>(
    source: &mut S,
    attempts: &Attempts,
    command: Command<'_>,
) -> Result<Option<K>, Error>
where
    S: Source,
    K: EntityKey,
{
    let mut connection = attempts.connect(source).await?;
    let statement = connection.statements().find_identifier;
    let found = connection
        .query_identifier(statement, &[Value::Id(command.id)])
        .await;
    source.release(connection, found.as_ref().err().map(Error::kind));
    let Some(found) = found? else {
        return Ok(None);
    };
    if found.command_name != command.name {
        return Err(Error::Conflict(Conflict::CommandName {
            given: command.name.to_owned(),
            found: found.command_name,
        }));
    }
    match K::try_from(found.entity.to_u128()) {
        Ok(id) => Ok(Some(id)),
        Err(source) => Err(Error::Entity {
            key: K::NAME,
            source,
        }),
    }
}

/// Deletes the row of the command that has created an entity. Returns whether there was one.
///
/// Call it with the first command that the entity gets after its creation, in that command's
/// transaction: the client has the entity's id by then, and does not repeat the creating command.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn forget<S, K>(session: &mut S, entity: K) -> Result<bool, Error>
where
    S: Session,
    K: EntityKey,
{
    let statement = session.statements().forget_identifiers;
    let entity = [Value::Id(PublicForm::of(entity))];
    Ok(session.run_statement(statement, &entity).await? > 0)
}

/// Deletes the rows of all creating commands but the newest ones. Returns how many.
///
/// The order is that in which the commands arrived at the database. A client that sends a command
/// again after its row is gone gets a second entity, so keep more rows than commands arrive while
/// clients keep trying.
///
/// # Errors
///
/// [`Error::OpenTransaction`] for a connection in the middle of a transaction, [`Error::Database`].
pub async fn prune<S: Store>(store: S, keep: u32) -> Result<u64, Error> {
    let values = [Value::Number(keep.into())];
    delete(store, |statements| statements.prune_identifiers, &values).await
}

/// As [`prune`], among the commands of one name.
///
/// # Errors
///
/// [`Error::CommandName`], [`Error::OpenTransaction`] for a connection in the middle of a
/// transaction, [`Error::Database`].
pub async fn prune_name<S: Store>(store: S, command_name: &str, keep: u32) -> Result<u64, Error> {
    let values = [
        Value::Name(checked(command_name)?),
        Value::Number(keep.into()),
    ];
    let statement = |statements: &Statements| statements.prune_identifiers_of_name;
    delete(store, statement, &values).await
}

async fn delete<S: Store>(
    store: S,
    statement: fn(&Statements) -> &'static str,
    values: &[Value<'_>],
) -> Result<u64, Error> {
    let mut source = store.into_source();
    let mut attempts = Attempts::on::<S::Source>();
    loop {
        match execute(&mut source, statement, values).await {
            Err(error) if attempts.may_retry_after(error.kind()) => {}
            outcome => return outcome,
        }
    }
}

async fn execute<S: Source>(
    source: &mut S,
    statement: fn(&Statements) -> &'static str,
    values: &[Value<'_>],
) -> Result<u64, Error> {
    let mut transaction = source.begin().await?;
    let statement = statement(transaction.statements());
    let outcome = transaction.run_statement(statement, values).await;
    end(source, transaction, outcome).await
}

/// Checks that a name has only characters that every database accepts, compares alike and keeps at
/// the end of a string.
fn checked(command_name: &str) -> Result<&str, Error> {
    let is_name = (1..=100).contains(&command_name.len())
        && command_name.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_name {
        return Err(Error::CommandName {
            name: command_name.to_owned(),
        });
    }
    Ok(command_name)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use rowkey::{UuidV7, entity_key};

    use super::*;
    use crate::fake_store::{Commit, FakeStore};

    #[entity_key]
    struct CommandId(UuidV7);

    #[entity_key]
    struct OfferId(UuidV7);

    const NAME: &str = "book-offer";

    fn now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => panic!("the future waits"),
        }
    }

    /// The outcome of a call, and how often it has called its closure.
    fn create(store: &FakeStore) -> (Result<Created<OfferId>, CreateError<io::Error>>, u32) {
        let calls = Cell::new(0);
        let outcome = now(create_once(
            store,
            CommandId::generate(),
            NAME,
            async |_| {
                calls.set(calls.get() + 1);
                Ok(OfferId::generate())
            },
        ));
        (outcome, calls.get())
    }

    #[test]
    fn an_unanswered_commit_is_looked_up() {
        let store = FakeStore::with_commits([Commit::LostAfterwards]);
        let (created, calls) = create(&store);
        assert_eq!((created.unwrap().by, calls), (CreatedBy::ThisCall, 1));
        assert_eq!(store.rows(), 1);
    }

    #[test]
    fn a_commit_that_did_not_arrive_is_tried_again() {
        let store = FakeStore::with_commits([Commit::LostBefore, Commit::LostBefore]);
        let (created, calls) = create(&store);
        assert_eq!((created.unwrap().by, calls), (CreatedBy::ThisCall, 3));
        assert_eq!(store.rows(), 1);
    }

    #[test]
    fn attempts_are_limited() {
        let store = FakeStore::with_commits([Commit::LostBefore; 100]);
        let (failed, calls) = create(&store);
        let failed = failed.unwrap_err();
        assert!(matches!(failed, CreateError::Store(Error::Database(_))));
        assert_eq!((calls, store.rows()), (10, 0));
    }

    #[test]
    fn a_lost_single_connection_is_not_used_again() {
        let store = FakeStore::with_commits([Commit::LostBefore]).without_reconnecting();
        let calls = Cell::new(0);
        let failed = now(create_once(
            store,
            CommandId::generate(),
            NAME,
            async |_| {
                calls.set(calls.get() + 1);
                Ok::<_, io::Error>(OfferId::generate())
            },
        ));
        assert!(failed.is_err());
        assert_eq!(calls.get(), 1);
    }

    #[test]
    fn a_closure_cannot_keep_its_transaction() {
        let store = FakeStore::with_commits([]);
        let kept = Cell::new(None);
        let failed = now(create_once(
            &store,
            CommandId::generate(),
            NAME,
            async |borrowed| {
                kept.set(Some(borrowed));
                Ok::<_, io::Error>(OfferId::generate())
            },
        ));
        let failed = failed.unwrap_err();
        assert!(matches!(
            failed,
            CreateError::Store(Error::TransactionEnded)
        ));
        drop(kept);
        assert_eq!(store.rows(), 0);
    }
}
