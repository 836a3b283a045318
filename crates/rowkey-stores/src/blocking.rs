//! The functions of this crate for Diesel's own connections, which block.
//!
//! Each function does what the function of the same name does in the [crate], with closures that
//! are called with the connection itself. A store is `&mut connection` or an `r2d2::Pool` of
//! Diesel. A pool replaces connections that broke; a single connection that broke is an error.
//!
//! ```no_run
//! use diesel::prelude::*;
//! use rowkey::driver::diesel::Key;
//! use rowkey::{ShortPrefixComb, UuidV7, entity_key};
//! use rowkey_stores::CreateError;
//! use rowkey_stores::blocking::create_once;
//!
//! #[entity_key]
//! pub struct OfferId(ShortPrefixComb);
//!
//! /// Made by the client, which sends it again with each repetition.
//! #[entity_key]
//! pub struct CommandId(UuidV7);
//!
//! diesel::table! {
//!     use super::{Key, OfferId};
//!     use diesel::sql_types::Text;
//!
//!     offers { id -> Key<OfferId>, title -> Text, }
//! }
//!
//! fn book(
//!     connection: &mut SqliteConnection,
//!     command: CommandId,
//!     title: &str,
//! ) -> Result<OfferId, CreateError<diesel::result::Error>> {
//!     let created = create_once(connection, command, "book-offer", |connection| {
//!         let offer = OfferId::generate();
//!         diesel::insert_into(offers::table)
//!             .values((offers::id.eq(offer), offers::title.eq(title)))
//!             .execute(connection)?;
//!         Ok(offer)
//!     })?;
//!     Ok(created.entity)
//! }
//! # fn main() {}
//! ```
//!
//! The connection must not be in a transaction, or the call fails with [`Error::OpenTransaction`].
//! Diesel doesn't know of a transaction that you began by raw SQL: the call commits that one. If a
//! closure panics, its transaction is rolled back.
//!
//! To decide whether to try again, a call searches for the driver's error along
//! [`source`](StdError::source). Diesel's error has no source of its own, so an error type that is
//! `#[error(transparent)]` hides it: give the variant a message.

use std::error::Error as StdError;
use std::future::ready;
use std::num::NonZeroU32;
use std::ops::Range;

use pollster::block_on;
use rowkey::luuid::{LuuidGroup, NumberSource};
use rowkey::{EntityKey, Luuid};

use crate::session::{Session, Store};
use crate::{CreateError, Created, Error, Origin};

/// A [`Store`] whose connections block.
pub trait BlockingStore: Store {}

/// Creates an entity unless a command with this id has created one before: [`crate::create_once`].
///
/// # Errors
///
/// As [`crate::create_once`].
pub fn create_once<S, C, K, E>(
    store: S,
    command_id: C,
    command_name: &str,
    mut create: impl FnMut(&mut S::Session) -> Result<K, E>,
) -> Result<Created<K>, CreateError<E>>
where
    S: BlockingStore,
    C: EntityKey,
    K: EntityKey,
    E: StdError + 'static,
{
    block_on(crate::create_once(
        store,
        command_id,
        command_name,
        |mut transaction| ready(create(&mut transaction)),
    ))
}

/// Runs a closure in a transaction that is tried again when it collides: [`crate::in_transaction`].
///
/// # Errors
///
/// As [`crate::in_transaction`].
pub fn in_transaction<S, T, E>(
    store: S,
    mut run: impl FnMut(&mut S::Session) -> Result<T, E>,
) -> Result<T, CreateError<E>>
where
    S: BlockingStore,
    E: StdError + 'static,
{
    block_on(crate::in_transaction(store, |mut transaction| {
        ready(run(&mut transaction))
    }))
}

/// Finds the entity with an id that a client has made, or creates it: [`crate::find_or_create`],
/// with the same three parts.
///
/// ```no_run
/// # use diesel::prelude::*;
/// # use rowkey::driver::diesel::Key;
/// # use rowkey::generate::Clock;
/// # use rowkey::validate::CreationWindow;
/// # use rowkey::{ShortPrefixComb, entity_key};
/// # use rowkey_stores::blocking::find_or_create;
/// # use rowkey_stores::{CreateError, Created, Origin};
/// # #[entity_key]
/// # pub struct OfferId(ShortPrefixComb);
/// # diesel::table! {
/// #     use super::{Key, OfferId};
/// #     use diesel::sql_types::Text;
/// #     offers { id -> Key<OfferId>, title -> Text, }
/// # }
/// fn book(
///     connection: &mut SqliteConnection,
///     clock: &impl Clock,
///     offer: OfferId,
///     title: String,
/// ) -> Result<Created<OfferId>, CreateError<diesel::result::Error>> {
///     let origin = Origin { command: (), payload: title };
///     find_or_create(connection, &origin)
///         .find(|connection| {
///             let title = offers::table.find(offer).select(offers::title);
///             let title = title.first(connection).optional()?;
///             Ok(title.map(|payload| (Origin { command: (), payload }, offer)))
///         })
///         .validate(|| CreationWindow::default().check(offer, clock.now()))
///         .create(|connection| {
///             diesel::insert_into(offers::table)
///                 .values((offers::id.eq(offer), offers::title.eq(&origin.payload)))
///                 .execute(connection)?;
///             Ok(offer)
///         })
/// }
/// # fn main() {}
/// ```
pub fn find_or_create<S: BlockingStore, C, P>(
    store: S,
    origin: &Origin<C, P>,
) -> FindOrCreate<'_, S, C, P> {
    FindOrCreate(crate::find_or_create(store, origin))
}

/// A call of [`find_or_create`] that needs its `find` next.
#[derive(Debug)]
#[must_use = "nothing happens before `create`"]
pub struct FindOrCreate<'o, S, C, P>(crate::FindOrCreate<'o, S, C, P>);

/// A call of [`find_or_create`] that needs its `validate` next.
#[derive(Debug)]
#[must_use = "nothing happens before `create`"]
pub struct FindOrCreateWithFind<'o, S, C, P, Find> {
    call: crate::FindOrCreate<'o, S, C, P>,
    find: Find,
}

/// A call of [`find_or_create`] that needs its `create` next.
#[derive(Debug)]
#[must_use = "nothing happens before `create`"]
pub struct FindOrCreateWithValidate<'o, S, C, P, Find, Validate> {
    call: FindOrCreateWithFind<'o, S, C, P, Find>,
    validate: Validate,
}

impl<'o, S: BlockingStore, C, P> FindOrCreate<'o, S, C, P> {
    /// Looks for the entity by its id, outside any transaction, and returns the entity with its
    /// origin.
    pub fn find<T, E, Find>(self, find: Find) -> FindOrCreateWithFind<'o, S, C, P, Find>
    where
        Find: FnMut(&mut S::Session) -> Result<Option<(Origin<C, P>, T)>, E>,
    {
        FindOrCreateWithFind { call: self.0, find }
    }
}

impl<'o, S, C, P, Find> FindOrCreateWithFind<'o, S, C, P, Find> {
    /// Decides whether a new entity may have the id.
    pub fn validate<V, Validate>(
        self,
        validate: Validate,
    ) -> FindOrCreateWithValidate<'o, S, C, P, Find, Validate>
    where
        Validate: Fn() -> Result<(), V>,
    {
        FindOrCreateWithValidate {
            call: self,
            validate,
        }
    }
}

impl<S, C, P, Find, Validate> FindOrCreateWithValidate<'_, S, C, P, Find, Validate>
where
    S: BlockingStore,
    C: PartialEq,
    P: PartialEq,
{
    /// Runs the call. The closure inserts the entity and the origin, in a transaction of its own.
    ///
    /// # Errors
    ///
    /// As the [`create`](crate::FindOrCreateWithValidate::create) that waits.
    pub fn create<T, E, V>(
        self,
        mut create: impl FnMut(&mut S::Session) -> Result<T, E>,
    ) -> Result<Created<T>, CreateError<E>>
    where
        E: StdError + 'static,
        V: Into<CreateError<E>>,
        Find: FnMut(&mut S::Session) -> Result<Option<(Origin<C, P>, T)>, E>,
        Validate: Fn() -> Result<(), V>,
    {
        let FindOrCreateWithFind { call, mut find } = self.call;
        block_on(
            call.find(|mut connection| ready(find(&mut connection)))
                .validate(self.validate)
                .create(|mut transaction| ready(create(&mut transaction))),
        )
    }
}

/// Deletes the row of the command that has created an entity: [`crate::forget`].
///
/// # Errors
///
/// [`Error::Database`].
pub fn forget<'c, C, K>(connection: &'c mut C, entity: K) -> Result<bool, Error>
where
    C: Session,
    &'c mut C: BlockingStore,
    K: EntityKey,
{
    block_on(crate::forget(connection, entity))
}

/// Deletes the rows of all creating commands but the newest ones: [`crate::prune`].
///
/// # Errors
///
/// As [`crate::prune`].
pub fn prune<S: BlockingStore>(store: S, keep: u32) -> Result<u64, Error> {
    block_on(crate::prune(store, keep))
}

/// As [`prune`], among the commands of one name.
///
/// # Errors
///
/// As [`crate::prune_name`].
pub fn prune_name<S: BlockingStore>(store: S, command_name: &str, keep: u32) -> Result<u64, Error> {
    block_on(crate::prune_name(store, command_name, keep))
}

/// Reserves a block of numbers of a group: [`crate::reserve_block`].
///
/// # Errors
///
/// As [`crate::reserve_block`].
pub fn reserve_block<S: BlockingStore>(
    store: S,
    group: LuuidGroup,
    size: NonZeroU32,
) -> Result<Range<u64>, Error> {
    block_on(crate::reserve_block(store, group, size))
}

/// Makes a LUUID key with the next number of its group, usually from
/// [`NumberBlocks`](crate::NumberBlocks) with a pool.
///
/// # Errors
///
/// The errors of the source of numbers.
pub fn generate_numbered<K: EntityKey<Format = Luuid>, N: NumberSource>(
    numbers: &N,
) -> Result<K, N::Error> {
    block_on(K::generate_numbered(numbers))
}

/// Creates an entity with a new LUUID key, and tries another key if the number turns out to be
/// taken: [`crate::create_numbered`].
///
/// # Errors
///
/// As [`crate::create_numbered`].
pub fn create_numbered<K, N, T, E>(
    numbers: &N,
    mut create: impl FnMut(K) -> Result<T, E>,
) -> Result<T, CreateError<E>>
where
    K: EntityKey<Format = Luuid>,
    N: NumberSource,
    Error: From<N::Error>,
    E: StdError + 'static,
{
    block_on(crate::create_numbered(numbers, |key| ready(create(key))))
}
