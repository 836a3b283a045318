//! The commands that an entity has executed, as part of its own state.

#[cfg(feature = "schemars")]
mod schemars;
#[cfg(feature = "serde")]
mod serde;
#[cfg(all(test, feature = "serde"))]
mod tests;
#[cfg(feature = "utoipa")]
mod utoipa;

use std::collections::VecDeque;
use std::collections::vec_deque;

/// The ids of the commands that an entity has executed, oldest first, so that a command is executed
/// once even if a client sends it again.
///
/// Make the log a field of the entity and store it with the entity, in the transaction that stores
/// the command's changes. The log remembers the newest `LIMIT` ids, 20 by default. Choose a limit
/// that is at least the number of commands that clients may send while they still retry an earlier
/// one. [`UnboundedCommandLog`] forgets nothing. Ids are compared one by one and never looked up in
/// a database, so plain random UUIDs will do.
///
/// serde writes the ids as a plain list, oldest first. From a list longer than `LIMIT` it reads the
/// newest ids, so you can lower the limit while entities are stored.
///
/// ```
/// use rowkey::uuid::{Uuid, uuid};
/// use rowkey_stores::command_log::{CommandLog, Execution};
///
/// #[derive(Default)]
/// struct Account {
///     balance: i64,
///     commands: CommandLog<Uuid>,
/// }
///
/// impl Account {
///     fn withdraw(&mut self, command: Uuid, amount: i64) -> Result<Execution<i64>, &'static str> {
///         self.commands.execute(command, || {
///             let left = self.balance - amount;
///             if left < 0 {
///                 return Err("not enough money left");
///             }
///             self.balance = left;
///             Ok(left)
///         })
///     }
/// }
///
/// let mut account = Account { balance: 100, ..Account::default() };
/// let command = uuid!("5f0b1a53-5f04-4d1f-a2a5-6d4ffbc4a1f8");
/// assert_eq!(account.withdraw(command, 70), Ok(Execution::Executed(30)));
///
/// // The response was lost, so the client sends the command again.
/// assert_eq!(account.withdraw(command, 70), Ok(Execution::Duplicate));
/// assert_eq!(account.balance, 30);
///
/// let other = uuid!("2a7f4c37-0c8e-4be4-8b0e-7c0d1c2b3a49");
/// assert!(account.withdraw(other, 70).is_err());
/// assert!(!account.commands.contains(&other));
/// ```
///
/// # What the log does not do
///
/// * A command whose id has been forgotten is treated as a new one. Business rules must reject what
///   is no longer possible, or optimistic locking what was decided on an older state.
/// * Two transactions that execute a command at the same time do not see each other's list. Lock
///   the entity's row or compare its version, as for any other change.
/// * The log does not undo what a command changed before it failed: do not store an entity whose
///   command has failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandLog<C, const LIMIT: usize = 20> {
    ids: VecDeque<C>,
}

/// A [`CommandLog`] without a limit.
pub type UnboundedCommandLog<C> = CommandLog<C, { usize::MAX }>;

/// Whether this call executed the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Execution<T> {
    /// Executed by this call, with this result.
    Executed(T),
    /// Executed before: this call changed nothing. To the client this is a success; respond with
    /// the entity's current state.
    Duplicate,
}

impl<T> Execution<T> {
    /// The result of the command if this call executed it.
    pub fn into_result(self) -> Option<T> {
        match self {
            Self::Executed(result) => Some(result),
            Self::Duplicate => None,
        }
    }

    /// Whether the command had been executed before.
    pub const fn is_duplicate(&self) -> bool {
        matches!(self, Self::Duplicate)
    }
}

impl<C, const LIMIT: usize> CommandLog<C, LIMIT> {
    /// The maximum number of ids, for schemas; `None` if unlimited.
    #[cfg(any(feature = "schemars", feature = "utoipa"))]
    const MAX_LEN: Option<usize> = match LIMIT {
        usize::MAX => None,
        limit => Some(limit),
    };

    /// An empty log. A limit of 0 does not compile.
    pub const fn new() -> Self {
        const { assert!(LIMIT > 0, "a command log remembers at least one command") };
        Self {
            ids: VecDeque::new(),
        }
    }

    /// The remembered ids, oldest first.
    pub fn iter(&self) -> vec_deque::Iter<'_, C> {
        self.ids.iter()
    }

    /// The number of remembered ids, at most `LIMIT`.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the log is empty.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn push(&mut self, id: C) {
        if self.ids.len() == LIMIT {
            self.ids.pop_front();
        }
        self.ids.push_back(id);
    }
}

impl<C: PartialEq, const LIMIT: usize> CommandLog<C, LIMIT> {
    /// Whether the log contains a command's id.
    pub fn contains(&self, id: &C) -> bool {
        self.ids.contains(id)
    }

    /// Executes a command unless its id is known, and remembers the id if it succeeds.
    ///
    /// The closure may use the entity's other fields. If the logic borrows the whole entity or is
    /// async, use [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// The errors of the command, whose id is then not remembered, so that it can be tried again.
    pub fn execute<T, E>(
        &mut self,
        id: C,
        command: impl FnOnce() -> Result<T, E>,
    ) -> Result<Execution<T>, E> {
        let Some(new) = self.check(id) else {
            return Ok(Execution::Duplicate);
        };
        let result = command()?;
        self.record(new);
        Ok(Execution::Executed(result))
    }

    /// A command to execute, or `None` if it has been executed. Nothing is remembered until you
    /// call [`record`](Self::record).
    ///
    /// ```
    /// use rowkey_stores::command_log::{CommandLog, Execution};
    /// # #[derive(Default)]
    /// # struct Order { is_paid: bool, is_shipped: bool, commands: CommandLog<u32> }
    ///
    /// impl Order {
    ///     fn ship(&mut self, command: u32) -> Result<Execution<()>, &'static str> {
    ///         let Some(command) = self.commands.check(command) else {
    ///             return Ok(Execution::Duplicate);
    ///         };
    ///         self.hand_over()?;
    ///         self.commands.record(command);
    ///         Ok(Execution::Executed(()))
    ///     }
    /// #   fn hand_over(&mut self) -> Result<(), &'static str> {
    /// #       self.is_shipped = self.is_paid;
    /// #       self.is_paid.then_some(()).ok_or("not paid")
    /// #   }
    /// }
    /// # let mut order = Order::default();
    /// # assert_eq!(order.ship(1), Err("not paid"));
    /// # order.is_paid = true;
    /// # assert_eq!(order.ship(1), Ok(Execution::Executed(())));
    /// # assert_eq!(order.ship(1), Ok(Execution::Duplicate));
    /// ```
    pub fn check(&self, id: C) -> Option<NewCommand<C>> {
        (!self.contains(&id)).then_some(NewCommand { id })
    }

    /// Remembers a command that has succeeded, and forgets the oldest one if the log is full.
    pub fn record(&mut self, command: NewCommand<C>) {
        // Another call may have recorded the id since the check.
        if !self.contains(&command.id) {
            self.push(command.id);
        }
    }
}

/// The id of a command that a [`CommandLog`] does not know. Dropping it remembers nothing.
#[derive(Debug)]
#[must_use = "a command that succeeds has to be recorded"]
pub struct NewCommand<C> {
    id: C,
}

impl<C> NewCommand<C> {
    /// The command's id.
    pub const fn id(&self) -> &C {
        &self.id
    }
}

impl<C, const LIMIT: usize> Default for CommandLog<C, LIMIT> {
    fn default() -> Self {
        Self::new()
    }
}

/// The newest `LIMIT` of these ids, which are ordered from oldest to newest.
impl<C, const LIMIT: usize> FromIterator<C> for CommandLog<C, LIMIT> {
    fn from_iter<I: IntoIterator<Item = C>>(ids: I) -> Self {
        let mut log = Self::new();
        ids.into_iter().for_each(|id| log.push(id));
        log
    }
}

impl<'a, C, const LIMIT: usize> IntoIterator for &'a CommandLog<C, LIMIT> {
    type Item = &'a C;
    type IntoIter = vec_deque::Iter<'a, C>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<C, const LIMIT: usize> IntoIterator for CommandLog<C, LIMIT> {
    type Item = C;
    type IntoIter = vec_deque::IntoIter<C>;

    fn into_iter(self) -> Self::IntoIter {
        self.ids.into_iter()
    }
}
