//! Transactions that are tried again when they collide.

use std::error::Error as StdError;

use crate::attempts::Attempts;
use crate::borrowed::{Borrowed, lend};
use crate::failure::Failure;
use crate::session::{Source, Store};
use crate::{CreateError, Error};

/// Runs a closure in a transaction. Commits if the closure succeeds, and rolls back if it fails.
///
/// Use it for the commands after an entity's creation: the closure reads the entity with its
/// [`CommandLog`](crate::command_log::CommandLog), executes the command and stores both. The
/// closure has to lock the row that it reads (`SELECT … FOR UPDATE`), so that no other call
/// executes the same command at the same time. In SQLite, which has no such locks, the transaction
/// takes the write lock at once.
///
/// When transactions collide (a deadlock, a failure to serialize, a locked SQLite file) or a pool's
/// connection breaks, everything is rolled back and tried again, up to ten times in all. So the
/// closure may be called several times, even after a commit that was not answered: use the
/// `CommandLog` to detect what is already done. There is no time limit: see [how long a call may
/// take](crate#how-long-a-call-may-take).
///
/// If the caller may be dropped, as a handler may, run this in a task: see [calls that are
/// dropped](crate#calls-that-are-dropped).
///
/// ```no_run
/// use rowkey_stores::command_log::CommandLog;
/// use rowkey::{ShortPrefixComb, UuidV4, entity_key};
/// use rowkey_stores::{CreateError, in_transaction};
/// use sqlx::PgPool;
/// use sqlx::types::Json;
///
/// #[entity_key]
/// struct OfferId(ShortPrefixComb);
///
/// #[entity_key]
/// struct CommandId(UuidV4);
///
/// async fn withdraw(
///     pool: &PgPool,
///     offer: OfferId,
///     command: CommandId,
/// ) -> Result<(), CreateError<sqlx::Error>> {
///     in_transaction(pool, async |mut transaction| {
///         let select = "SELECT commands FROM offers WHERE id = $1 FOR UPDATE";
///         let Json(mut commands): Json<CommandLog<CommandId>> = sqlx::query_scalar(select)
///             .bind(offer)
///             .fetch_one(&mut *transaction)
///             .await?;
///         let Some(new) = commands.check(command) else {
///             return Ok(());
///         };
///         commands.record(new);
///         sqlx::query("UPDATE offers SET is_open = false, commands = $1 WHERE id = $2")
///             .bind(Json(commands))
///             .bind(offer)
///             .execute(&mut *transaction)
///             .await?;
///         Ok(())
///     })
///     .await
/// }
/// ```
///
/// # Errors
///
/// [`Error::OpenTransaction`](crate::Error::OpenTransaction) for a connection in the middle of a
/// transaction, [`Error::TransactionEnded`](crate::Error::TransactionEnded) if the closure has
/// ended its transaction or has ignored an error that did,
/// [`Error::Database`](crate::Error::Database); and [`CreateError::Closure`] for the closure's
/// errors.
pub async fn in_transaction<S, T, E, F>(
    store: S,
    mut run: impl FnMut(Borrowed<S::Transaction>) -> F,
) -> Result<T, CreateError<E>>
where
    S: Store,
    E: StdError + 'static,
    F: Future<Output = Result<T, E>>,
{
    let mut source = store.into_source();
    let mut attempts = Attempts::on::<S::Source>();
    loop {
        match attempt(&mut source, &mut run).await {
            Err(error) if attempts.may_retry_after(error.kind()) => {}
            outcome => return outcome,
        }
    }
}

pub(crate) async fn attempt<S, T, E, F>(
    source: &mut S,
    run: impl FnMut(Borrowed<S::Transaction>) -> F,
) -> Result<T, CreateError<E>>
where
    S: Source,
    E: StdError + 'static,
    F: Future<Output = Result<T, E>>,
{
    let transaction = source.begin().await?;
    let (returned, outcome) = lend(transaction, run).await;
    let mut transaction = returned?;
    let outcome = match outcome {
        Ok(result) => match source.check_open(&mut transaction).await {
            Ok(()) => Ok(result),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(CreateError::Closure(error)),
    };
    end(source, transaction, outcome).await
}

pub(crate) async fn end<S: Source, T, E: From<Error> + Failure>(
    source: &mut S,
    transaction: S::Transaction,
    outcome: Result<T, E>,
) -> Result<T, E> {
    match outcome {
        Ok(result) => {
            source.commit(transaction).await?;
            Ok(result)
        }
        Err(error) => Err(undo(source, transaction, error).await),
    }
}

/// Rolls back and returns the error that was the reason.
pub(crate) async fn undo<S: Source, E: Failure>(
    source: &mut S,
    transaction: S::Transaction,
    reason: E,
) -> E {
    source.roll_back(transaction, reason.kind()).await;
    reason
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::fake_store::{Commit, FakeStore};

    fn run<S: Store>(
        store: S,
        outcome: impl Fn() -> io::Result<()>,
    ) -> (Result<(), CreateError<io::Error>>, u32) {
        let runs = Cell::new(0);
        let call = in_transaction(store, async |_| {
            runs.set(runs.get() + 1);
            outcome()
        });
        match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => (result, runs.get()),
            Poll::Pending => panic!("it waits"),
        }
    }

    #[test]
    fn an_unanswered_commit_is_tried_again() {
        for commit in [Commit::LostBefore, Commit::LostAfterwards] {
            let (result, runs) = run(&FakeStore::with_commits([commit]), || Ok(()));
            assert!(result.is_ok());
            assert_eq!(runs, 2);
        }
    }

    #[test]
    fn attempts_are_limited() {
        let (result, runs) = run(&FakeStore::with_commits([Commit::LostBefore; 100]), || {
            Ok(())
        });
        assert!(matches!(
            result,
            Err(CreateError::Store(Error::Database(_)))
        ));
        assert_eq!(runs, 10);
    }

    #[test]
    fn an_error_of_the_closure_is_not_tried_again() {
        let (result, runs) = run(&FakeStore::default(), || Err(io::Error::other("not open")));
        assert!(matches!(result, Err(CreateError::Closure(_))));
        assert_eq!(runs, 1);
    }
}
