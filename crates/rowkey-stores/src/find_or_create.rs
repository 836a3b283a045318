//! Entities whose ids clients make.

use std::error::Error as StdError;

use crate::attempts::Attempts;
use crate::borrowed::{Borrowed, lend};
use crate::failure::{Failure, FailureKind};
use crate::session::{Source, Store};
use crate::{Conflict, CreateError, Created, CreatedBy, Error, transaction};

/// What an entity was created from. Store the origin with the entity, so that a repetition of the
/// command is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin<C, P> {
    /// The id of the command. `()` where clients send none.
    pub command: C,
    /// The content of the command, or a hash of it.
    pub payload: P,
}

/// Finds the entity with an id that a client has made, or creates it.
///
/// The call has three parts, in the order in which they happen:
///
/// * [`find`](FindOrCreate::find) looks for the entity by its id.
/// * [`validate`](FindOrCreateWithFind::validate) decides whether a new entity may have the id. It
///   is called only if there is no such entity, so a repetition finds its entity however late it
///   comes.
/// * [`create`](FindOrCreateWithValidate::create) inserts the entity, in a transaction of its own,
///   and runs the whole call.
///
/// If the insert violates a unique key, another call may have come first. The entity is then looked
/// for again and, if it is there, counts as found. If not, the violated key was another one of the
/// table, and the closure's error is returned.
///
/// A found entity is returned only if it came from `origin`.
///
/// Transactions that collide and connections that break are handled as in
/// [`create_once`](crate::create_once), so the closures may be called several times, and there is
/// no time limit: see [how long a call may take](crate#how-long-a-call-may-take).
///
/// If the caller may be dropped, as a handler may, run this in a task: see [calls that are
/// dropped](crate#calls-that-are-dropped).
///
/// ```no_run
/// use rowkey::generate::Clock;
/// use rowkey::validate::CreationWindow;
/// use rowkey::{EntityKey, ShortPrefixComb, UuidV4, entity_key};
/// use rowkey_stores::{CreateError, Created, Origin, find_or_create};
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
/// ) -> Result<Created<OfferId>, CreateError<sqlx::Error>> {
///     find_or_create(pool, origin)
///         .find(async |mut connection| {
///             let find = "SELECT command, title FROM offers WHERE id = $1";
///             let row: Option<(CommandId, String)> = sqlx::query_as(find)
///                 .bind(offer)
///                 .fetch_optional(&mut *connection)
///                 .await?;
///             Ok(row.map(|(command, payload)| (Origin { command, payload }, offer)))
///         })
///         .validate(|| CreationWindow::default().check(offer, clock.now()))
///         .create(async |mut transaction| {
///             sqlx::query("INSERT INTO offers (id, command, title) VALUES ($1, $2, $3)")
///                 .bind(offer)
///                 .bind(origin.command)
///                 .bind(&origin.payload)
///                 .execute(&mut *transaction)
///                 .await?;
///             Ok(offer)
///         })
///         .await
/// }
/// ```
pub fn find_or_create<S: Store, C, P>(
    store: S,
    origin: &Origin<C, P>,
) -> FindOrCreate<'_, S, C, P> {
    FindOrCreate { store, origin }
}

/// A call of [`find_or_create`] that needs its `find` next.
#[derive(Debug)]
#[must_use = "nothing happens before `create` is awaited"]
pub struct FindOrCreate<'o, S, C, P> {
    store: S,
    origin: &'o Origin<C, P>,
}

/// A call of [`find_or_create`] that needs its `validate` next.
#[derive(Debug)]
#[must_use = "nothing happens before `create` is awaited"]
pub struct FindOrCreateWithFind<'o, S, C, P, Find> {
    call: FindOrCreate<'o, S, C, P>,
    find: Find,
}

/// A call of [`find_or_create`] that needs its `create` next.
#[derive(Debug)]
#[must_use = "nothing happens before `create` is awaited"]
pub struct FindOrCreateWithValidate<'o, S, C, P, Find, Validate> {
    call: FindOrCreate<'o, S, C, P>,
    find: Find,
    validate: Validate,
}

impl<'o, S: Store, C, P> FindOrCreate<'o, S, C, P> {
    /// Looks for the entity by its id, outside any transaction, and returns the entity with its
    /// origin.
    pub fn find<T, E, Find, Finding>(self, find: Find) -> FindOrCreateWithFind<'o, S, C, P, Find>
    where
        Find: FnMut(Borrowed<S::Connection>) -> Finding,
        Finding: Future<Output = Result<Option<(Origin<C, P>, T)>, E>>,
    {
        FindOrCreateWithFind { call: self, find }
    }
}

impl<'o, S: Store, C, P, Find> FindOrCreateWithFind<'o, S, C, P, Find> {
    /// Decides whether a new entity may have the id: usually
    /// [`CreationWindow::check`](rowkey::validate::CreationWindow::check) with the time of the
    /// server's clock or of a batch.
    pub fn validate<V, Validate>(
        self,
        validate: Validate,
    ) -> FindOrCreateWithValidate<'o, S, C, P, Find, Validate>
    where
        Validate: Fn() -> Result<(), V>,
    {
        FindOrCreateWithValidate {
            call: self.call,
            find: self.find,
            validate,
        }
    }
}

impl<S, C, P, Find, Validate> FindOrCreateWithValidate<'_, S, C, P, Find, Validate>
where
    S: Store,
    C: PartialEq,
    P: PartialEq,
{
    /// Runs the call. The closure inserts the entity and the origin, in a transaction of its own.
    /// It has to be a plain insert into a table with a unique key on the id: an upsert would give
    /// one client's entity to another.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the entity came from another command or another payload,
    /// [`Error::Invalid`] with the `ValidationError` of `validate`, [`Error::OpenTransaction`] for
    /// a connection in the middle of a transaction, [`Error::TransactionEnded`] if this closure has
    /// ended its transaction or has ignored an error that did, [`Error::Database`]; and
    /// [`CreateError::Closure`] for the closures' errors.
    pub async fn create<T, E, V, Finding, Create, Creating>(
        self,
        mut create: Create,
    ) -> Result<Created<T>, CreateError<E>>
    where
        E: StdError + 'static,
        V: Into<CreateError<E>>,
        Find: FnMut(Borrowed<S::Connection>) -> Finding,
        Finding: Future<Output = Result<Option<(Origin<C, P>, T)>, E>>,
        Validate: Fn() -> Result<(), V>,
        Create: FnMut(Borrowed<S::Transaction>) -> Creating,
        Creating: Future<Output = Result<T, E>>,
    {
        let FindOrCreate { store, origin } = self.call;
        let mut find = self.find;
        let mut source = store.into_source();
        let mut attempts = Attempts::on::<S::Source>();
        let mut duplicate = None;
        loop {
            let error = match look_up(&mut source, &attempts, origin, &mut find).await {
                Ok(Some(entity)) => {
                    let by = CreatedBy::EarlierCall;
                    return Ok(Created { entity, by });
                }
                Ok(None) => {
                    if let Some(error) = duplicate.take() {
                        return Err(error);
                    }
                    (self.validate)().map_err(V::into)?;
                    match transaction::attempt(&mut source, &mut create).await {
                        Ok(entity) => {
                            let by = CreatedBy::ThisCall;
                            return Ok(Created { entity, by });
                        }
                        Err(error) if error.kind() == FailureKind::Duplicate => {
                            attempts.count_failure();
                            duplicate = Some(error);
                            continue;
                        }
                        Err(error) => error,
                    }
                }
                Err(error) if attempts.may_retry_after_look_up(error.kind()) => continue,
                Err(error) => return Err(error),
            };
            if !attempts.may_retry_after(error.kind()) {
                return Err(error);
            }
        }
    }
}

async fn look_up<S, C, P, T, E, F>(
    source: &mut S,
    attempts: &Attempts,
    origin: &Origin<C, P>,
    find: impl FnMut(Borrowed<S::Connection>) -> F,
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
        found.as_ref().err().map(|error| FailureKind::of(error)),
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
