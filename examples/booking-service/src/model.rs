//! What the keys name, and what may be done with it.

use rowkey::command_log::{CommandLog, Execution};
use rowkey_stores::Origin;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::moment::Moment;

/// Somebody who offers.
#[derive(Clone, Debug, FromRow)]
pub struct Customer {
    /// The key.
    pub id: CustomerId,
    /// The name.
    pub name: String,
}

/// What a client says of an offer when it makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferDraft {
    /// Whose offer it is.
    pub customer_id: CustomerId,
    /// What is offered.
    pub title: String,
    /// The price.
    pub cents: i64,
}

/// What an offer came from: its command, if the client sent one, and what the command said.
pub type OfferOrigin = Origin<Option<CommandId>, OfferDraft>;

/// An offer.
#[derive(Clone, Debug, FromRow)]
pub struct Offer {
    /// The key.
    pub id: BookingOfferId,
    /// Whose offer it is.
    pub customer_id: CustomerId,
    /// What is offered.
    pub title: String,
    /// The price.
    pub cents: i64,
    /// Whether it can be booked.
    #[sqlx(try_from = "String")]
    pub state: OfferState,
    /// When it was made, by the server's clock or by that of a batch.
    #[sqlx(try_from = "i64")]
    pub created_at: Moment,
    /// The command that has made it.
    pub created_by: Option<CommandId>,
    /// The price that it was made with.
    pub first_cents: i64,
    /// The commands that it has executed.
    #[sqlx(json)]
    pub commands: CommandLog<CommandId>,
}

/// What can be done to an offer.
#[derive(Clone, Copy, Debug)]
pub enum OfferCommand {
    /// Gives it another price.
    ChangePrice {
        /// The price.
        cents: i64,
    },
    /// Takes it back.
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

    /// What it came from.
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

    /// Executes a command, unless it was executed before.
    ///
    /// # Errors
    ///
    /// If the offer is not open. The command's id is not remembered then.
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
    /// What was booked.
    pub offer_id: BookingOfferId,
    /// Whose offer it was.
    pub customer_id: CustomerId,
    /// The price at that time.
    pub cents: i64,
    /// The invoice.
    pub invoice_id: InvoiceId,
    /// Whether it still holds.
    #[sqlx(try_from = "String")]
    pub state: BookingState,
    /// The commands that it has executed.
    #[sqlx(json)]
    pub commands: CommandLog<CommandId>,
}

impl Booking {
    /// Cancels it, unless this very command has.
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

/// What is to be paid for a booking.
#[derive(Clone, Debug, FromRow)]
pub struct Invoice {
    /// The key.
    pub id: InvoiceId,
    /// The booking.
    pub booking_id: BookingId,
    /// The sum.
    pub cents: i64,
}

/// Whether an offer can be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferState {
    /// It can.
    Open,
    /// It was taken back.
    Withdrawn,
    /// Somebody has.
    Booked,
}

/// Whether a booking holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BookingState {
    /// It does.
    Confirmed,
    /// It does no longer.
    Cancelled,
}

// As text in columns. sqlx's own derive reads an enum from an `ENUM` of MySQL's only.

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

/// Something was to be done that can only be done to open offers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOpen {
    /// It was taken back.
    #[error("the offer was withdrawn")]
    Withdrawn,
    /// Somebody has booked it.
    #[error("the offer is booked")]
    Booked,
}

impl OfferState {
    /// Refuses what can only be done to open offers.
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

/// A booking was to be cancelled a second time.
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
        assert_eq!(offer.execute(first, change(1)), Ok(Execution::Now(())));
        assert_eq!(offer.execute(second, change(2)), Ok(Execution::Now(())));
        assert_eq!(offer.execute(first, change(1)), Ok(Execution::Before));
        assert_eq!(offer.cents, 2);
        // What it came from does not change with it.
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
        assert_eq!(executed, Ok(Execution::Now(())));
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
