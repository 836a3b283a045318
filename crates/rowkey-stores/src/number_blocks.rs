//! Numbers of LUUID keys, reserved in blocks.

use std::error::Error as StdError;
use std::num::NonZeroU32;
use std::ops::Range;

use futures_util::lock::Mutex;
use rowkey::luuid::{LuuidGroup, NumberSource, ReservedNumbers};
use rowkey::{EntityKey, Luuid};

use crate::attempts::Attempts;
use crate::failure::{Failure, FailureKind};
use crate::session::{Session, Source, Store, Value};
use crate::transaction::end;
use crate::{CreateError, Error};

const LAST_NUMBER: i64 = (1 << 48) - 1;
/// One more than the last number.
const NUMBERS_END: u64 = 1 << 48;

const MAX_CLASHES: u32 = 10;

/// Supplies the numbers of LUUID keys from blocks that are reserved in the table `key_blocks`. No
/// number is used twice, however many processes share the table.
///
/// A block is used up before the next one is reserved, so each process leaves at most one block of
/// each group unused when it ends. One more block is lost when a reservation is not answered
/// because its connection breaks or its future is dropped. Within a group, the numbers of one
/// process increase; several processes take turns in blocks.
///
/// A block is reserved in a transaction of its own, which is committed before the first number is
/// returned: a block that was rolled back would be reserved again. So take the number before you
/// begin a transaction. In SQLite, where only one transaction can write, the reservation would
/// otherwise wait for the transaction that needs the number.
///
/// A forked process would use the same block as its parent: create the `NumberBlocks` after the
/// fork.
///
/// ```no_run
/// use std::num::NonZeroU32;
///
/// use rowkey::{EntityKey, Luuid, entity_key};
/// use rowkey_stores::NumberBlocks;
///
/// #[entity_key(group = "com.acme.Customer")]
/// struct CustomerId(Luuid);
///
/// # async fn new_customer(pool: sqlx::PgPool) -> Result<CustomerId, rowkey_stores::Error> {
/// // One for the whole program.
/// let numbers = NumberBlocks::new(pool, NonZeroU32::new(100).unwrap());
/// let customer = CustomerId::generate_numbered(&numbers).await?;
/// # Ok(customer)
/// # }
/// ```
#[derive(Debug)]
pub struct NumberBlocks<S> {
    store: S,
    block_size: NonZeroU32,
    reserved: ReservedNumbers,
    reserving: Mutex<()>,
}

impl<S: Store + Clone + Send + Sync> NumberBlocks<S> {
    /// Nothing is reserved before the first number is needed.
    ///
    /// Larger blocks need fewer reservations, and lose more numbers whenever a process ends.
    pub fn new(store: S, block_size: NonZeroU32) -> Self {
        Self {
            store,
            block_size,
            reserved: ReservedNumbers::new(),
            reserving: Mutex::new(()),
        }
    }
}

impl<S: Store + Clone + Send + Sync> NumberSource for NumberBlocks<S> {
    type Error = Error;

    async fn next_number(&self, group: LuuidGroup) -> Result<u64, Error> {
        if let Some(number) = self.reserved.next(group) {
            return Ok(number);
        }
        // Concurrent calls wait for this block rather than reserving others.
        let _reserving = self.reserving.lock().await;
        if let Some(number) = self.reserved.next(group) {
            return Ok(number);
        }
        let first = reserve(self.store.clone(), group, self.block_size).await?;
        Ok(self.reserved.add_block(group, first, self.block_size)?)
    }
}

/// Reserves a block of numbers of a group, the smallest that were never reserved, in a transaction
/// of its own. The last block of a group is smaller.
///
/// For programs that manage their blocks themselves. Other programs use [`NumberBlocks`].
///
/// # Errors
///
/// `ErrorKind::Exhausted` in [`Error::Key`] after 2^48-1, [`Error::NextNumber`] if the table
/// has an invalid number, [`Error::OpenTransaction`] for a connection in the middle of a
/// transaction, [`Error::Database`].
pub async fn reserve_block<S: Store>(
    store: S,
    group: LuuidGroup,
    size: NonZeroU32,
) -> Result<Range<u64>, Error> {
    let first = reserve(store, group, size).await?;
    Ok(first..(first + u64::from(size.get())).min(NUMBERS_END))
}

async fn reserve<S: Store>(store: S, group: LuuidGroup, size: NonZeroU32) -> Result<u64, Error> {
    let mut source = store.into_source();
    let mut attempts = Attempts::on::<S::Source>();
    let end = loop {
        let error = match advance(&mut source, group, size).await {
            Ok(end) => break end,
            Err(error) => error,
        };
        let kind = match error.kind() {
            // Another process has begun the group at the same time, on a server that speaks TDS but
            // does not lock missing rows.
            FailureKind::Duplicate => FailureKind::Collision,
            kind => kind,
        };
        if !attempts.may_retry_after(kind) {
            return Err(error);
        }
    };
    let first = end.and_then(|end| u64::try_from(end - i64::from(size.get())).ok());
    first.ok_or_else(|| used_up(group))
}

/// The first number after a new block, or `None` if none is left. Returned only once the commit has
/// been answered.
async fn advance<S: Source>(
    source: &mut S,
    group: LuuidGroup,
    size: NonZeroU32,
) -> Result<Option<i64>, Error> {
    let mut transaction = source.begin_update().await?;
    let outcome = advance_on(&mut *transaction, group, size).await;
    let advanced = end(source, transaction, outcome).await?;
    if advanced.is_some() {
        return Ok(advanced);
    }
    // In another transaction: MariaDB has locked the gap where the group belongs, possibly for
    // several transactions, and then none of them could insert the group.
    let mut transaction = source.begin_update().await?;
    let outcome = begin_on(&mut *transaction, group, size).await;
    end(source, transaction, outcome).await
}

async fn advance_on<S: Session>(
    session: &mut S,
    group: LuuidGroup,
    size: NonZeroU32,
) -> Result<Option<i64>, Error> {
    let values = [
        Value::Number(size.get().into()),
        Value::Number(group.get().into()),
        Value::Number(LAST_NUMBER),
    ];
    let statement = session.statements().advance_numbers;
    let end = session.run_update(statement, &values).await?;
    match end.map(|end| end.saturating_sub(size.get().into())) {
        Some(next_number) if next_number < 1 => Err(Error::NextNumber {
            group: group.get(),
            next_number,
        }),
        _ => Ok(end),
    }
}

/// As [`advance_on`], for a group that may not be there yet.
async fn begin_on<S: Session>(
    session: &mut S,
    group: LuuidGroup,
    size: NonZeroU32,
) -> Result<Option<i64>, Error> {
    let values = [Value::Number(group.get().into())];
    let statement = session.statements().begin_numbers;
    session.run_statement(statement, &values).await?;
    advance_on(session, group, size).await
}

fn used_up(group: LuuidGroup) -> Error {
    Error::Key(group.used_up())
}

/// Creates an entity with a new LUUID key, and tries another key if the number turns out to be
/// taken.
///
/// A number can be taken if numbers also came from elsewhere: from a table of counters that was
/// restored from an old backup, from another system, by hand. A unique index on group and number
/// detects this; see `rowkey::sql::short_key_index`.
///
/// `create` inserts the entity with the given key, all or nothing: by a single statement, or in a
/// transaction that it begins and ends itself, such as that of [`create_once`](crate::create_once).
/// If it violates any unique key of the table, it is called again with a key of the next number, up
/// to ten times in all. So a duplicate of another key, such as an e-mail address, costs ten numbers
/// before it is reported: if that is frequent, look for the duplicate first. The driver's error is
/// searched for along `source()`.
///
/// If the caller may be dropped, as a handler may, run this in a task: see [calls that are
/// dropped](crate#calls-that-are-dropped).
///
/// ```no_run
/// use rowkey::{Luuid, entity_key};
/// use rowkey_stores::{CreateError, NumberBlocks, create_numbered};
/// use sqlx::PgPool;
///
/// #[entity_key(group = "com.acme.Customer")]
/// struct CustomerId(Luuid);
///
/// async fn register(
///     pool: &PgPool,
///     numbers: &NumberBlocks<PgPool>,
///     name: &str,
/// ) -> Result<CustomerId, CreateError<sqlx::Error>> {
///     create_numbered(numbers, async |customer: CustomerId| {
///         sqlx::query("INSERT INTO customers (id, name) VALUES ($1, $2)")
///             .bind(customer)
///             .bind(name)
///             .execute(pool)
///             .await?;
///         Ok(customer)
///     })
///     .await
/// }
/// ```
///
/// # Errors
///
/// The errors of the source of numbers in [`CreateError::Store`], and the last error of the closure
/// in [`CreateError::Closure`].
pub async fn create_numbered<K, N, T, E, F>(
    numbers: &N,
    mut create: impl FnMut(K) -> F,
) -> Result<T, CreateError<E>>
where
    K: EntityKey<Format = Luuid>,
    N: NumberSource,
    Error: From<N::Error>,
    E: StdError + 'static,
    F: Future<Output = Result<T, E>>,
{
    let mut clashes = 0;
    loop {
        let key = K::generate_numbered(numbers).await.map_err(Error::from)?;
        let error = match create(key).await {
            Ok(created) => return Ok(created),
            Err(error) => error,
        };
        clashes += 1;
        if FailureKind::of(&error) != FailureKind::Duplicate || clashes == MAX_CLASHES {
            return Err(CreateError::Closure(error));
        }
    }
}
