//! The error types of this crate.

use std::error::Error as StdError;

use rowkey::validate::ValidationError;

use crate::failure::{self, Failure, FailureKind};

/// Why a store could not do something.
///
/// The error of a driver or of a closure is the [`source`](StdError::source) of the error here, and
/// not part of the message. So log the whole chain, as `{:#}` of an `anyhow::Error` does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The id has been used for something else. Nothing was created, and the error reveals nothing
    /// about the existing entity: answer the client with status 409.
    #[error(transparent)]
    Conflict(#[from] Conflict),

    /// The client's id is not accepted for a new entity: answer the client with status 400.
    #[error(transparent)]
    Invalid(#[from] ValidationError),

    /// The command name is not valid.
    #[error("the name of a command is 1 to 100 visible ASCII characters, not {name:?}")]
    CommandName {
        /// The refused name.
        name: String,
    },

    /// The id that a command has created does not fit the key's type.
    #[error("the command has created an entity whose id is not a valid {key}")]
    Entity {
        /// The name of the key type.
        key: &'static str,
        /// Why the id does not fit the type.
        source: rowkey::Error,
    },

    /// A key could not be made: usually because its group has no number left below 2^48.
    #[error(transparent)]
    Key(#[from] rowkey::Error),

    /// The table `key_blocks` has an invalid number for a group. Set it to one more than the last
    /// number that was used.
    #[error("key_blocks has {next_number} for the group {group}, but numbers are 1 to 2^48-1")]
    NextNumber {
        /// The group with the invalid number.
        group: u16,
        /// The invalid number.
        next_number: i64,
    },

    /// The connection is in the middle of a transaction. A rollback or commit would affect more
    /// than this call.
    #[error("the connection is in the middle of a transaction")]
    OpenTransaction,

    /// A closure has ended the transaction that it was called in, has kept the connection, or has
    /// continued after the database has ended or aborted the transaction. What the closure did
    /// before or afterwards may have been committed.
    #[error(
        "the transaction was ended before its time, or an error of a statement was ignored in it"
    )]
    TransactionEnded,

    /// A row of the command is in `creation_identifiers`, but without an entity, and no transaction
    /// is working on it. A closure has ended its transaction and then failed, or the table is not
    /// transactional. Look for parts of the entity by hand. Once you delete the row, the command
    /// can be sent again.
    #[error(
        "command {command} has a row in creation_identifiers, but no entity: its transaction was \
         ended before its time; delete the row whose command_id is this and whose entity_id is NULL"
    )]
    Unfinished {
        /// The command id, as a UUID.
        command: String,
        /// The error of the database for another row of the command.
        source: Box<dyn StdError + Send + Sync>,
    },

    /// The database or its driver has failed, in any further attempts as well.
    #[error("the database failed")]
    Database(#[source] Box<dyn StdError + Send + Sync>),
}

/// How an id has been used before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Conflict {
    /// The same command id with another name.
    #[error("the id of this command, {given}, was used for another one, {found}")]
    CommandName {
        /// The name that came with the id.
        given: String,
        /// The name that came with it the first time.
        found: String,
    },

    /// The same entity id with another command id.
    #[error("the entity was created by another command")]
    Command,

    /// The same entity id and the same command id, or none, with another payload.
    #[error("the entity was created from another payload")]
    Payload,
}

/// Why nothing was created or changed.
///
/// As in [`Error`], the message of a closure's error is in the source.
#[derive(Debug, thiserror::Error)]
pub enum CreateError<E> {
    /// The store failed, or refused the call.
    #[error(transparent)]
    Store(#[from] Error),

    /// A closure failed, and what it had done was rolled back.
    #[error("the closure failed")]
    Closure(#[source] E),
}

impl<E> From<ValidationError> for CreateError<E> {
    fn from(error: ValidationError) -> Self {
        Self::Store(error.into())
    }
}

impl Error {
    /// Whether an id has been used for something else: status 409 in HTTP.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether the database is unavailable for now: status 503 in HTTP. See
    /// [`is_unavailable`](crate::is_unavailable()), which takes any error.
    pub fn is_unavailable(&self) -> bool {
        failure::is_unavailable(self)
    }
}

impl Failure for Error {
    fn kind(&self) -> FailureKind {
        match self {
            // Usually another call was faster, and the next look-up finds its entity.
            Self::Unfinished { .. } => FailureKind::Collision,
            error => FailureKind::of(error),
        }
    }
}

impl<E> CreateError<E> {
    /// Whether an id has been used for something else: status 409 in HTTP.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

impl<E: StdError + 'static> CreateError<E> {
    /// Whether the database is unavailable for now: status 503 in HTTP. See
    /// [`is_unavailable`](crate::is_unavailable()), which takes any error.
    pub fn is_unavailable(&self) -> bool {
        failure::is_unavailable(self)
    }
}

impl<E: StdError + 'static> Failure for CreateError<E> {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Closure(error) => FailureKind::of(error),
        }
    }
}
