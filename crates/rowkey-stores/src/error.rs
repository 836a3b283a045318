//! The error types of this crate.

use std::error::Error as StdError;

use rowkey::validate::ValidationError;

use crate::failure::{self, Failure, Nature};

/// Why a store could not do something.
///
/// What a driver or a closure says is the [`source`](StdError::source) of an error here, and no part
/// of its message. So log the whole chain, as `{:#}` of an `anyhow::Error` does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An id that has been used for something else. Nothing was created, and nothing of what the
    /// other one has created is told: answer the client with status 409.
    #[error(transparent)]
    Conflict(#[from] Conflict),

    /// A client's id that is not accepted for a new entity: answer the client with status 400.
    #[error(transparent)]
    Invalid(#[from] ValidationError),

    /// What is no name of a command.
    #[error("the name of a command is 1 to 100 visible ASCII characters, not {name:?}")]
    CommandName {
        /// The name.
        name: String,
    },

    /// The id that a command has created is none of the key's type.
    #[error("what the command has created is no {key}")]
    Entity {
        /// The key type.
        key: &'static str,
        /// What is wrong with the id.
        source: rowkey::Error,
    },

    /// A key could not be made: mostly because its group has no number left below 2^48.
    #[error(transparent)]
    Key(#[from] rowkey::Error),

    /// What the table `key_blocks` has for a group is no number of a key. Put there one behind the last
    /// number that was given.
    #[error("key_blocks has {next_key} for the group {group}, but numbers are 1 to 2^48-1")]
    NextKey {
        /// The group.
        group: u16,
        /// What is there.
        next_key: i64,
    },

    /// A connection was given that is in the middle of a transaction. What was to be rolled back
    /// or committed in it would be more than the caller knows of.
    #[error("the connection is in the middle of a transaction")]
    OpenTransaction,

    /// A closure has ended the transaction that it was called in, or has gone on after the database
    /// has ended it or given it up. What it did before or afterwards may have been committed.
    #[error(
        "the transaction was ended before its time, or an error of a statement was ignored in it"
    )]
    TransactionEnded,

    /// A row of the command is in `creation_identifiers`, but without an entity, and no transaction is
    /// working on it. A closure has ended its transaction and then failed, or the table is not
    /// transactional. What it has created of the entity is for a human to find. Once the row is
    /// deleted, the command can be sent again.
    #[error(
        "command {command} has a row in creation_identifiers, but no entity: its transaction was \
         ended before its time; delete the row whose command_id is this and whose entity_id is NULL"
    )]
    Unfinished {
        /// The command id, as a UUID.
        command: String,
        /// What the database says to another row of the command.
        source: Box<dyn StdError + Send + Sync>,
    },

    /// The database or its driver has failed, also when it was asked again.
    #[error("the database failed")]
    Database(#[source] Box<dyn StdError + Send + Sync>),
}

/// What an id that comes again does not agree with.
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

    /// The same entity id and the same command id with another payload.
    #[error("the entity was created by the same command with another payload")]
    Payload,
}

/// Why nothing was created or changed.
///
/// As in [`Error`], the message of the closure's error comes with the source.
#[derive(Debug, thiserror::Error)]
pub enum CreateError<E> {
    /// A store could not do its part.
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
    /// Whether an id was used for something else before: status 409 in HTTP.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether the database does not serve for now: status 503 in HTTP. See
    /// [`is_unavailable`](crate::is_unavailable()), which takes any error.
    pub fn is_unavailable(&self) -> bool {
        failure::is_unavailable(self)
    }
}

impl Failure for Error {
    fn nature(&self) -> Nature {
        match self {
            // Mostly, another call has been faster, and the next look-up finds its entity.
            Self::Unfinished { .. } => Nature::Collision,
            error => Nature::of(error),
        }
    }
}

impl<E> CreateError<E> {
    /// Whether an id was used for something else before: status 409 in HTTP.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

impl<E: StdError + 'static> CreateError<E> {
    /// Whether the database does not serve for now: status 503 in HTTP. See
    /// [`is_unavailable`](crate::is_unavailable()), which takes any error.
    pub fn is_unavailable(&self) -> bool {
        failure::is_unavailable(self)
    }
}

impl<E: StdError + 'static> Failure for CreateError<E> {
    fn nature(&self) -> Nature {
        match self {
            Self::Store(error) => error.nature(),
            Self::Closure(error) => Nature::of(error),
        }
    }
}
