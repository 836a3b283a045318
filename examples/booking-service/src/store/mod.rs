//! The database.
//!
//! What the service asks of it is the trait [`Store`], so that nothing else has to be generic over
//! sqlx's drivers.

mod database;
mod migrations;
mod sql;

use async_trait::async_trait;
use rowkey::luuid::ShortKey;
use rowkey::validate::ValidationError;
use rowkey_stores::{Conflict, CreateError, Created, CreatedBy};

use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::model::{
    AlreadyCancelled, Booking, Customer, Invoice, NotOpen, Offer, OfferCommand, OfferOrigin,
};
use crate::moment::{Moment, RecordedClockError};

pub use database::connect;
use database::is_locked;

/// An offer that a client wants to make.
#[derive(Clone, Debug)]
pub struct NewOffer {
    /// The id that the client has made.
    pub id: BookingOfferId,
    /// The command and what it says.
    pub origin: OfferOrigin,
    /// The clock of a batch.
    pub recorded_at: Option<Moment>,
    /// The server's clock.
    pub now: rowkey::UnixMillis,
}

/// What the service asks of a database.
///
/// Commands are executed once, however often and by however many at a time they are sent.
#[async_trait]
pub trait Store: Send + Sync {
    /// Adds a customer, with a new key.
    async fn add_customer(
        &self,
        command: CommandId,
        name: &str,
    ) -> Result<Created<Customer>, StoreError>;

    /// The customer with a key.
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError>;

    /// The customer with a number.
    async fn customer_numbered(
        &self,
        number: ShortKey<CustomerId>,
    ) -> Result<Option<Customer>, StoreError>;

    /// Makes an offer. Its id is validated if there is no such offer.
    async fn make_offer(&self, offer: &NewOffer) -> Result<Created<Offer>, StoreError>;

    /// The offer with a key.
    async fn offer(&self, id: BookingOfferId) -> Result<Option<Offer>, StoreError>;

    /// Offers in the order of their keys, from behind a key on.
    async fn offers(
        &self,
        after: Option<BookingOfferId>,
        limit: u32,
    ) -> Result<Vec<Offer>, StoreError>;

    /// Has an offer execute a command; its state afterwards, if there is such an offer.
    async fn change_offer(
        &self,
        id: BookingOfferId,
        command_id: CommandId,
        command: OfferCommand,
    ) -> Result<Option<Offer>, StoreError>;

    /// Books an offer: a booking and its invoice, with new keys.
    async fn book(
        &self,
        command: CommandId,
        offer: BookingOfferId,
    ) -> Result<Created<Booking>, StoreError>;

    /// The booking with a key.
    async fn booking(&self, id: BookingId) -> Result<Option<Booking>, StoreError>;

    /// Cancels a booking and opens its offer again; its state afterwards, if there is such a booking.
    async fn cancel_booking(
        &self,
        id: BookingId,
        command: CommandId,
    ) -> Result<Option<Booking>, StoreError>;

    /// The invoice with a key.
    async fn invoice(&self, id: InvoiceId) -> Result<Option<Invoice>, StoreError>;

    /// Forgets the oldest commands that have created something, but for as many as clients may send
    /// while they go on trying.
    async fn forget_old_commands(&self) -> Result<(), StoreError>;

    /// Asks the database whether it is there.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Waits until all connections have come back, and closes them.
    async fn close(&self);
}

/// Why a store has not done what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A customer that is not there was to make an offer.
    #[error("there is no customer {0}")]
    UnknownCustomer(CustomerId),

    /// An offer that is not there was to be booked.
    #[error("there is no booking offer {0}")]
    UnknownOffer(BookingOfferId),

    /// An offer that is not open was to be changed or booked.
    #[error(transparent)]
    NotOpen(#[from] NotOpen),

    /// A booking was to be cancelled again.
    #[error(transparent)]
    AlreadyCancelled(#[from] AlreadyCancelled),

    /// An id was used for something else before.
    #[error(transparent)]
    Conflict(Conflict),

    /// The id of a command has come with something else before.
    #[error("the command with this id said something else the first time")]
    OtherCommand,

    /// An id that is not accepted for a new entity.
    #[error(transparent)]
    Id(#[from] ValidationError),

    /// The clock of a batch that is not accepted.
    #[error(transparent)]
    RecordedClock(#[from] RecordedClockError),

    /// A statement has waited for something that others have locked. The database's own error is no
    /// source: rowkey-stores would see it, and have ten attempts wait as long again.
    #[error("others have locked what is needed: {0}")]
    Locked(String),

    /// The database failed.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),

    /// A table of rowkey-stores failed.
    #[error("a store of rowkey failed")]
    Rowkey(#[source] rowkey_stores::Error),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match is_locked(&error) {
            true => Self::Locked(error.to_string()),
            false => Self::Database(error),
        }
    }
}

impl From<rowkey_stores::Error> for StoreError {
    fn from(error: rowkey_stores::Error) -> Self {
        match error {
            rowkey_stores::Error::Conflict(conflict) => Self::Conflict(conflict),
            rowkey_stores::Error::Invalid(error) => Self::Id(error),
            error => Self::Rowkey(error),
        }
    }
}

impl From<CreateError<Self>> for StoreError {
    fn from(error: CreateError<Self>) -> Self {
        match error {
            CreateError::Store(error) => error.into(),
            CreateError::Closure(error) => error,
        }
    }
}

/// For the rules that are checked before an entity is created.
impl From<StoreError> for CreateError<StoreError> {
    fn from(error: StoreError) -> Self {
        Self::Closure(error)
    }
}

/// An entity that a command has created, if the command says the same as the first time.
fn found<T>(entity: T, by: CreatedBy, is_the_same: bool) -> Result<Created<T>, StoreError> {
    match is_the_same {
        true => Ok(Created { entity, by }),
        false => Err(StoreError::OtherCommand),
    }
}
