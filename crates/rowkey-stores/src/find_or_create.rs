//! Entities whose ids clients make.

use std::error::Error as StdError;

use crate::attempts::Attempts;
use crate::failure::{Failure, Nature};
use crate::lent::{Lent, lend};
use crate::session::{Source, Store};
use crate::{By, Conflict, CreateError, Error, transaction};

/// What an entity came from: kept with it, to know the command that has created it when it comes
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin<C, P> {
    /// The id of the command. `()` where clients send none.
    pub command: C,
    /// What the command said, or a hash of it.
    pub payload: P,
}

/// An entity that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// The entity.
    pub entity: T,
    /// Whether this call has created it.
    pub by: By,
}

/// Finds the entity with an id that a client has made, or creates it.
///
/// * `find` looks for the entity by the id, and returns what it came from together with the entity.
/// * `validate` is asked whether the id may become that of a new entity: mostly
///   [`CreationWindow::check`](rowkey::validate::CreationWindow::check) with the time of the server's clock
///   or of a batch. It is asked only if there is no such entity, so a late repetition finds its
///   entity whatever the time.
/// * `insert` inserts the entity and `origin`, in a transaction of its own. It has to be a plain
///   insert into a table with a unique key on the id: an upsert would give one client's entity to
///   another.
///
/// If the insert meets a unique key, another call may have come first: the entity is looked for
/// again, and if it is there, it counts as found. If not, the key was another one of the table, and
/// the closure's error is returned.
///
/// An entity that was found is returned only if it came from `origin`.
///
/// Transactions that collide and connections that break are dealt with as in
/// [`create_once`](crate::create_once), so both closures may be called several times, and there is no
/// limit of time: see [how long a call may take](crate#how-long-a-call-may-take).
///
/// What may be dropped, such as a handler, runs this in a task: see
/// [calls that are dropped](crate#calls-that-are-dropped).
///
/// ```no_run
/// use rowkey::generate::Clock;
/// use rowkey::validate::CreationWindow;
/// use rowkey::{EntityKey, ShortPrefixComb, UuidV4, entity_key};
/// use rowkey_stores::{CreateError, Found, Origin, find_or_create};
/// use sqlx::PgPool;
///
/// #[entity_key]
/// struct OfferId(ShortPrefixComb);
///
/// #[entity_key]
/// struct CommandId(UuidV4);
///
/// async fn book(
///     pool: &PgPool,
///     clock: &impl Clock,
///     offer: OfferId,
///     origin: &Origin<CommandId, String>,
/// ) -> Result<Found<OfferId>, CreateError<sqlx::Error>> {
///     find_or_create(
///         pool,
///         origin,
///         || CreationWindow::default().check(offer, clock.now()),
///         async |mut connection| {
///             let find = "SELECT command, title FROM offers WHERE id = $1";
///             let row: Option<(CommandId, String)> = sqlx::query_as(find)
///                 .bind(offer)
///                 .fetch_optional(&mut *connection)
///                 .await?;
///             Ok(row.map(|(command, payload)| (Origin { command, payload }, offer)))
///         },
///         async |mut transaction| {
///             sqlx::query("INSERT INTO offers (id, command, title) VALUES ($1, $2, $3)")
///                 .bind(offer)
///                 .bind(origin.command)
///                 .bind(&origin.payload)
///                 .execute(&mut *transaction)
///                 .await?;
///             Ok(offer)
///         },
///     )
///     .await
/// }
/// ```
///
/// # Errors
///
/// [`Error::Conflict`] if the entity came from another command or another payload,
/// [`Error::Invalid`] with the `ValidationError` of `validate`, [`Error::OpenTransaction`] for a connection in the
/// middle of a transaction, [`Error::TransactionEnded`] if `insert` has ended its transaction or has
/// ignored an error that did, [`Error::Database`]; and [`CreateError::Closure`] for those of the
/// closures.
pub async fn find_or_create<S, C, P, T, E, V, Find, Insert>(
    store: S,
    origin: &Origin<C, P>,
    validate: impl Fn() -> Result<(), V>,
    mut find: impl FnMut(Lent<S::Connection>) -> Find,
    mut insert: impl FnMut(Lent<S::Transaction>) -> Insert,
) -> Result<Found<T>, CreateError<E>>
where
    S: Store,
    C: PartialEq,
    P: PartialEq,
    E: StdError + 'static,
    V: Into<CreateError<E>>,
    Find: Future<Output = Result<Option<(Origin<C, P>, T)>, E>>,
    Insert: Future<Output = Result<T, E>>,
{
    let mut source = store.into_source();
    let mut attempts = Attempts::on::<S::Source>();
    let mut duplicate = None;
    loop {
        let error = match look_up(&mut source, &attempts, origin, &mut find).await {
            Ok(Some(entity)) => {
                let by = By::Earlier;
                return Ok(Found { entity, by });
            }
            Ok(None) => {
                if let Some(error) = duplicate.take() {
                    return Err(error);
                }
                validate().map_err(V::into)?;
                match transaction::attempt(&mut source, &mut insert).await {
                    Ok(entity) => {
                        let by = By::This;
                        return Ok(Found { entity, by });
                    }
                    Err(error) if error.nature() == Nature::Duplicate => {
                        attempts.failed();
                        duplicate = Some(error);
                        continue;
                    }
                    Err(error) => error,
                }
            }
            Err(error) if attempts.another_after_look_up(error.nature()) => continue,
            Err(error) => return Err(error),
        };
        if !attempts.another_after(error.nature()) {
            return Err(error);
        }
    }
}

async fn look_up<S, C, P, T, E, F>(
    source: &mut S,
    attempts: &Attempts,
    origin: &Origin<C, P>,
    find: impl FnMut(Lent<S::Connection>) -> F,
) -> Result<Option<T>, CreateError<E>>
where
    S: Source,
    C: PartialEq,
    P: PartialEq,
    E: StdError + 'static,
    F: Future<Output = Result<Option<(Origin<C, P>, T)>, E>>,
{
    let connection = attempts.connect(source).await?;
    let (returned, found) = lend(connection, find).await;
    source.release(
        returned?,
        found.as_ref().err().map(|error| Nature::of(error)),
    );
    let Some((found, entity)) = found.map_err(CreateError::Closure)? else {
        return Ok(None);
    };
    if found.command != origin.command {
        return Err(Error::Conflict(Conflict::Command).into());
    }
    if found.payload != origin.payload {
        return Err(Error::Conflict(Conflict::Payload).into());
    }
    Ok(Some(entity))
}
