//! The database.
//!
//! The service uses it through the trait [`Store`], so that nothing else has to be generic over
//! sqlx's drivers.

mod database;
mod sql;

use std::time::Duration;

use async_trait::async_trait;
use rowkey::UnixMillis;
use rowkey::luuid::ShortKey;
use rowkey::validate::{ClientGenerated, CreationWindow, ValidationError};
use rowkey_stores::{Conflict, CreateError, Created, CreatedBy};

use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::model::{Booking, Customer, Invoice, Offer, OfferCommand, OfferOrigin, Refused};

pub use database::connect;

/// How far back the clock of a batch may be.
const LONGEST_BATCH: Duration = Duration::from_secs(24 * 60 * 60);

/// An offer that a client wants to make.
#[derive(Clone, Debug)]
pub struct NewOffer {
    /// The id that the client has made.
    pub id: BookingOfferId,
    /// The command and its content.
    pub origin: OfferOrigin,
    /// The clock of a batch.
    pub recorded_at: Option<UnixMillis>,
    /// The server's clock.
    pub now: UnixMillis,
}

impl NewOffer {
    /// The time that the id is checked against.
    fn created_at(&self) -> UnixMillis {
        self.recorded_at.unwrap_or(self.now)
    }

    /// Whether the id may be that of a new offer.
    fn validate(&self) -> Result<(), StoreError> {
        let window = CreationWindow::default();
        let first = self.now.saturating_sub(LONGEST_BATCH);
        let ahead = window.future.duration(BookingOfferId::INTERVAL_MS);
        if !(first..=self.now.saturating_add(ahead)).contains(&self.created_at()) {
            return Err(StoreError::RecordedClock);
        }
        Ok(window.check(self.id, self.created_at())?)
    }
}

/// The operations of the service on its database.
///
/// A command is executed once, however often it is sent, even concurrently.
#[async_trait]
pub trait Store: Send + Sync {
    /// Adds a customer with a new key.
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

    /// Makes an offer. Its id is validated only if there is no such offer.
    async fn make_offer(&self, offer: &NewOffer) -> Result<Created<Offer>, StoreError>;

    /// The offer with a key.
    async fn offer(&self, id: BookingOfferId) -> Result<Option<Offer>, StoreError>;

    /// The offers after a key, in the order of keys.
    async fn offers(
        &self,
        after: Option<BookingOfferId>,
        limit: u32,
    ) -> Result<Vec<Offer>, StoreError>;

    /// Executes a command of an offer; returns the offer's state afterwards, if there is such an
    /// offer.
    async fn change_offer(
        &self,
        id: BookingOfferId,
        command_id: CommandId,
        command: OfferCommand,
    ) -> Result<Option<Offer>, StoreError>;

    /// Books an offer: creates a booking and its invoice with new keys.
    async fn book(
        &self,
        command: CommandId,
        offer: BookingOfferId,
    ) -> Result<Created<Booking>, StoreError>;

    /// The booking with a key.
    async fn booking(&self, id: BookingId) -> Result<Option<Booking>, StoreError>;

    /// Cancels a booking and opens its offer again; returns the booking's state afterwards, if
    /// there is such a booking.
    async fn cancel_booking(
        &self,
        id: BookingId,
        command: CommandId,
    ) -> Result<Option<Booking>, StoreError>;

    /// The invoice with a key.
    async fn invoice(&self, id: InvoiceId) -> Result<Option<Invoice>, StoreError>;

    /// Forgets the oldest creating commands, but keeps more than clients send while they keep
    /// trying.
    async fn forget_old_commands(&self) -> Result<(), StoreError>;

    /// Checks that the database answers.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Waits until all connections are returned, and closes them.
    async fn close(&self);
}

/// Why a store has failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A command to make an offer names an unknown customer.
    #[error("there is no customer {0}")]
    UnknownCustomer(CustomerId),

    /// A command to book names an unknown offer.
    #[error("there is no booking offer {0}")]
    UnknownOffer(BookingOfferId),

    /// The entity's state does not allow the command.
    #[error(transparent)]
    Refused(#[from] Refused),

    /// An id has been used for something else.
    #[error(transparent)]
    Conflict(Conflict),

    /// A command id has been used with other content.
    #[error("this command id was used with other content before")]
    OtherCommand,

    /// The id is not accepted for a new entity.
    #[error(transparent)]
    Id(#[from] ValidationError),

    /// The clock of a batch is not accepted.
    #[error("it was recorded more than 24 hours ago, or in the future")]
    RecordedClock,

    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),

    /// A table of rowkey-stores failed.
    #[error("a store of rowkey failed")]
    Rowkey(#[source] rowkey_stores::Error),
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

/// For rules that are checked before an entity is created.
impl From<StoreError> for CreateError<StoreError> {
    fn from(error: StoreError) -> Self {
        Self::Closure(error)
    }
}

/// An entity that a command has created, if the command's content is that of the first time.
fn found<T>(by: CreatedBy, is_the_same: bool, entity: T) -> Result<Created<T>, StoreError> {
    match is_the_same {
        true => Ok(Created { entity, by }),
        false => Err(StoreError::OtherCommand),
    }
}
