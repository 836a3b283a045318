//! The entities, and the rules for changing them.

use rowkey::UnixMillis;
use rowkey_stores::Origin;
use rowkey_stores::command_log::{CommandLog, Execution};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};

/// A customer who makes offers.
#[derive(Clone, Debug, FromRow)]
pub struct Customer {
    /// The key.
    pub id: CustomerId,
    /// The name.
    pub name: String,
}

/// The contents of an offer when a client makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferDraft {
    /// Whose offer it is.
    pub customer_id: CustomerId,
    /// The title.
    pub title: String,
    /// The price.
    pub cents: i64,
}

/// The origin of an offer: its command, if the client sent one, and the command's content.
pub type OfferOrigin = Origin<Option<CommandId>, OfferDraft>;

/// An offer.
#[derive(Clone, Debug, FromRow)]
pub struct Offer {
    /// The key.
    pub id: BookingOfferId,
    /// Whose offer it is.
    pub customer_id: CustomerId,
    /// The title.
    pub title: String,
    /// The price.
    pub cents: i64,
    /// Whether it can be booked.
    pub state: OfferState,
    /// The time of creation in milliseconds since 1970, by the server's clock or that of a batch.
    pub created_at: i64,
    /// The command that has created it.
    pub created_by: Option<CommandId>,
    /// The price at its creation.
    pub first_cents: i64,
    /// The commands that it has executed.
    #[sqlx(json)]
    pub commands: CommandLog<CommandId>,
}

/// A command to an offer.
#[derive(Clone, Copy, Debug)]
pub enum OfferCommand {
    /// Changes the price.
    ChangePrice {
        /// The price.
        cents: i64,
    },
    /// Withdraws the offer.
    Withdraw,
}

impl Offer {
    /// An offer that can be booked.
    pub fn new(id: BookingOfferId, origin: &OfferOrigin, created_at: UnixMillis) -> Self {
        let draft = origin.payload.clone();
        Self {
            id,
            customer_id: draft.customer_id,
            title: draft.title,
            cents: draft.cents,
            state: OfferState::Open,
            created_at: created_at.get(),
            created_by: origin.command,
            first_cents: draft.cents,
            commands: CommandLog::new(),
        }
    }

    /// The offer's origin.
    pub fn origin(&self) -> OfferOrigin {
        Origin {
            command: self.created_by,
            payload: OfferDraft {
                customer_id: self.customer_id,
                title: self.title.clone(),
                cents: self.first_cents,
            },
        }
    }

    /// Executes a command, unless it has been executed before.
    ///
    /// # Errors
    ///
    /// If the offer is not open. The command's id is then not remembered.
    pub fn execute(
        &mut self,
        id: CommandId,
        command: OfferCommand,
    ) -> Result<Execution<()>, Refused> {
        self.commands.execute(id, || {
            self.state.must_be_open()?;
            match command {
                OfferCommand::ChangePrice { cents } => self.cents = cents,
                OfferCommand::Withdraw => self.state = OfferState::Withdrawn,
            }
            Ok(())
        })
    }
}

/// A booking of an offer.
#[derive(Clone, Debug, FromRow)]
pub struct Booking {
    /// The key.
    pub id: BookingId,
    /// The offer that was booked.
    pub offer_id: BookingOfferId,
    /// Whose offer it was.
    pub customer_id: CustomerId,
    /// The price at the time of booking.
    pub cents: i64,
    /// The invoice.
    pub invoice_id: InvoiceId,
    /// The booking's state.
    pub state: BookingState,
    /// The commands that it has executed.
    #[sqlx(json)]
    pub commands: CommandLog<CommandId>,
}

impl Booking {
    /// Cancels the booking, unless this command already has.
    ///
    /// # Errors
    ///
    /// If another command has cancelled it.
    pub fn cancel(&mut self, id: CommandId) -> Result<Execution<()>, Refused> {
        self.commands.execute(id, || match self.state {
            BookingState::Cancelled => Err(Refused::AlreadyCancelled),
            BookingState::Confirmed => {
                self.state = BookingState::Cancelled;
                Ok(())
            }
        })
    }
}

/// The invoice for a booking.
#[derive(Clone, Debug, FromRow)]
pub struct Invoice {
    /// The key.
    pub id: InvoiceId,
    /// The booking.
    pub booking_id: BookingId,
    /// The sum.
    pub cents: i64,
}

/// The state of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "lowercase")]
// Stored as its number.
#[repr(i16)]
pub enum OfferState {
    /// It can be booked.
    Open = 1,
    /// It was withdrawn.
    Withdrawn = 2,
    /// It is booked.
    Booked = 3,
}

impl OfferState {
    /// Refuses a command that needs an open offer.
    ///
    /// # Errors
    ///
    /// Why it is not open.
    pub fn must_be_open(self) -> Result<(), Refused> {
        match self {
            Self::Open => Ok(()),
            Self::Withdrawn => Err(Refused::OfferWithdrawn),
            Self::Booked => Err(Refused::OfferBooked),
        }
    }
}

/// The state of a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "lowercase")]
// Stored as its number.
#[repr(i16)]
pub enum BookingState {
    /// It is valid.
    Confirmed = 1,
    /// It was cancelled.
    Cancelled = 2,
}

/// An entity's state does not allow a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The command needs an open offer.
    #[error("the offer was withdrawn")]
    OfferWithdrawn,
    /// The command needs an open offer.
    #[error("the offer is booked")]
    OfferBooked,
    /// A booking is cancelled by one command.
    #[error("the booking was cancelled by another command")]
    AlreadyCancelled,
}
