//! The entities, and the rules for changing them.

use rowkey_stores::Origin;
use rowkey_stores::command_log::{CommandLog, Execution};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::moment::Moment;

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
    #[sqlx(try_from = "String")]
    pub state: OfferState,
    /// The time of creation, by the server's clock or that of a batch.
    #[sqlx(try_from = "i64")]
    pub created_at: Moment,
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
    pub fn new(id: BookingOfferId, origin: &OfferOrigin, created_at: Moment) -> Self {
        let OfferDraft {
            customer_id,
            title,
            cents,
        } = origin.payload.clone();
        Self {
            id,
            customer_id,
            title,
            cents,
            state: OfferState::Open,
            created_at,
            created_by: origin.command,
            first_cents: cents,
            commands: CommandLog::new(),
        }
    }

    /// Its origin.
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
    ) -> Result<Execution<()>, NotOpen> {
        let Self {
            state,
            cents,
            commands,
            ..
        } = self;
        commands.execute(id, || {
            state.must_be_open()?;
            match command {
                OfferCommand::ChangePrice { cents: new } => *cents = new,
                OfferCommand::Withdraw => *state = OfferState::Withdrawn,
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
    /// Its state.
    #[sqlx(try_from = "String")]
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
    pub fn cancel(&mut self, id: CommandId) -> Result<Execution<()>, AlreadyCancelled> {
        let Self {
            state, commands, ..
        } = self;
        commands.execute(id, || match state {
            BookingState::Cancelled => Err(AlreadyCancelled),
            BookingState::Confirmed => {
                *state = BookingState::Cancelled;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferState {
    /// It can be booked.
    Open,
    /// It was withdrawn.
    Withdrawn,
    /// It is booked.
    Booked,
}

/// The state of a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BookingState {
    /// It is valid.
    Confirmed,
    /// It was cancelled.
    Cancelled,
}

// Stored as text. sqlx's own derive reads an enum in MySQL only from an `ENUM` column.

impl OfferState {
    /// How it is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Withdrawn => "withdrawn",
            Self::Booked => "booked",
        }
    }
}

impl TryFrom<String> for OfferState {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        [Self::Open, Self::Withdrawn, Self::Booked]
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| format!("an offer cannot be `{text}`"))
    }
}

impl BookingState {
    /// How it is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl TryFrom<String> for BookingState {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        [Self::Confirmed, Self::Cancelled]
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| format!("a booking cannot be `{text}`"))
    }
}

/// A command that needs an open offer was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOpen {
    /// It was withdrawn.
    #[error("the offer was withdrawn")]
    Withdrawn,
    /// It is booked.
    #[error("the offer is booked")]
    Booked,
}

impl OfferState {
    /// Refuses a command that needs an open offer.
    ///
    /// # Errors
    ///
    /// Why it is not open.
    pub fn must_be_open(self) -> Result<(), NotOpen> {
        match self {
            Self::Open => Ok(()),
            Self::Withdrawn => Err(NotOpen::Withdrawn),
            Self::Booked => Err(NotOpen::Booked),
        }
    }
}

/// A second command to cancel a booking was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the booking was cancelled by another command")]
pub struct AlreadyCancelled;

#[cfg(test)]
mod tests {
    use rowkey::EntityKey;

    use super::*;

    fn offer() -> Offer {
        let origin = Origin {
            command: Some(CommandId::generate()),
            payload: OfferDraft {
                customer_id: CustomerId::generate_for(&CustomerId::luuid_context(1)),
                title: "Fjords".to_owned(),
                cents: 5_000,
            },
        };
        let offer = Offer::new(BookingOfferId::generate(), &origin, 0.into());
        assert_eq!(offer.origin(), origin);
        offer
    }

    #[test]
    fn a_command_that_comes_again_is_executed_once() {
        let mut offer = offer();
        let (first, second) = (CommandId::generate(), CommandId::generate());
        let change = |cents| OfferCommand::ChangePrice { cents };
        assert_eq!(offer.execute(first, change(1)), Ok(Execution::Executed(())));
        assert_eq!(
            offer.execute(second, change(2)),
            Ok(Execution::Executed(()))
        );
        assert_eq!(offer.execute(first, change(1)), Ok(Execution::Duplicate));
        assert_eq!(offer.cents, 2);
        // Its origin does not change.
        assert_eq!(offer.origin().payload.cents, 5_000);
    }

    #[test]
    fn a_command_that_is_refused_is_not_remembered() {
        let mut offer = offer();
        offer.state = OfferState::Booked;
        let command = CommandId::generate();
        let refused = offer.execute(command, OfferCommand::Withdraw);
        assert_eq!(refused, Err(NotOpen::Booked));
        offer.state = OfferState::Open;
        let executed = offer.execute(command, OfferCommand::Withdraw);
        assert_eq!(executed, Ok(Execution::Executed(())));
        assert_eq!(offer.state, OfferState::Withdrawn);
    }

    #[test]
    fn states_are_read_as_they_are_written() {
        for state in [OfferState::Open, OfferState::Withdrawn, OfferState::Booked] {
            assert_eq!(state.as_str().to_owned().try_into(), Ok(state));
        }
        for state in [BookingState::Confirmed, BookingState::Cancelled] {
            assert_eq!(state.as_str().to_owned().try_into(), Ok(state));
        }
        assert!(OfferState::try_from("confirmed".to_owned()).is_err());
    }
}
