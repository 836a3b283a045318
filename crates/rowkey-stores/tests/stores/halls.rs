//! Entities that keep the ids of their executed commands in a column of their row.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use rowkey::storage::Nullability;
use rowkey::{UuidV4, UuidV7, entity_key};
use rowkey_stores::command_log::{CommandLog, Execution};
use rowkey_testkit::{Backend, TestDatabase};
use serde::{Deserialize, Serialize};

use crate::shop::{Driver, Offer, OfferId, Shop};

/// In SQL Server in byte order, which all servers that speak its protocol keep.
#[entity_key(storage(sqlserver = "binary"))]
pub(crate) struct HallId(UuidV7);

/// Never indexed, so a random id is good enough.
#[entity_key]
pub(crate) struct BookingId(UuidV4);

/// How many ids the column keeps.
pub(crate) const REMEMBERED: usize = 3;

/// A hall with seats, as stored in its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hall<const LIMIT: usize> {
    pub(crate) state: State,
    pub(crate) commands: CommandLog<BookingId, LIMIT>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// How many commands have changed it.
    pub(crate) version: u32,
    pub(crate) guests: u32,
    seats: BTreeSet<u32>,
}

/// A client's request, which it repeats until there is an answer.
#[derive(Clone, Debug)]
pub(crate) struct Booking {
    pub(crate) id: BookingId,
    pub(crate) hall: HallId,
    what: What,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// One more guest, in any place.
    AnyPlace,
    /// A free seat.
    Seat(u32),
    /// One more guest, if the hall is as the client has seen it.
    IfVersion(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotFound,
    SeatTaken,
    Changed,
}

/// How a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Answered,
    /// The request never arrives.
    RequestLost,
    /// Everything is done but the commit.
    RolledBack,
    /// It is committed, but the client gets no answer.
    AnswerLost,
}

/// What the client gets: nothing at all, or whether the command was executed now, with the state of
/// the hall.
pub(crate) type Answer<const LIMIT: usize> = Option<Result<Execution<Hall<LIMIT>>, Refusal>>;

impl Booking {
    pub(crate) fn of(hall: HallId, what: What) -> Self {
        let id = BookingId::generate();
        Self { id, hall, what }
    }
}

impl<const LIMIT: usize> Hall<LIMIT> {
    fn book(&mut self, booking: &Booking) -> Result<Execution<()>, Refusal> {
        self.commands.execute(booking.id, || {
            match booking.what {
                What::AnyPlace => {}
                What::Seat(seat) if self.state.seats.insert(seat) => {}
                What::Seat(_) => return Err(Refusal::SeatTaken),
                What::IfVersion(version) if self.state.version == version => {}
                What::IfVersion(_) => return Err(Refusal::Changed),
            }
            self.state.version += 1;
            self.state.guests += 1;
            Ok(())
        })
    }
}

/// The server: halls whose rows have a column for the ids of executed commands.
pub(crate) struct Halls<D, const LIMIT: usize = REMEMBERED>(pub(crate) Shop<D>);

impl<D: Driver, const LIMIT: usize> Halls<D, LIMIT> {
    pub(crate) async fn open(database: &TestDatabase) -> Result<Self> {
        let shop = Shop::<D>::open(database).await?;
        let id = HallId::PLAN.column_definition(shop.backend, "id", Nullability::NotNull)?;
        shop.execute(&format!(
            "CREATE TABLE halls ({id} PRIMARY KEY, state varchar(1000) NOT NULL, \
             commands varchar(4000) NOT NULL, deleted_at bigint NULL)"
        ))
        .await?;
        Ok(Self(shop))
    }

    pub(crate) async fn add_hall(&self) -> Result<HallId> {
        let id = HallId::generate();
        self.insert(id).await?;
        Ok(id)
    }

    pub(crate) async fn insert(&self, id: HallId) -> Result<()> {
        let state = serde_json::to_string(&State::default())?;
        let commands = serde_json::to_string(&CommandLog::<BookingId, LIMIT>::new())?;
        let literal = self.literal(id);
        let sql = format!(
            "INSERT INTO halls (id, state, commands) VALUES ({literal}, '{state}', '{commands}')"
        );
        self.0.execute(&sql).await
    }

    pub(crate) fn literal(&self, id: HallId) -> String {
        HallId::PLAN.column(self.0.backend).literal(id.to_u128())
    }

    /// Reads a hall that is not marked as deleted, and keeps others from changing it until the
    /// transaction ends.
    async fn lock(&self, session: &mut D::Session, id: HallId) -> Result<Option<Hall<LIMIT>>> {
        let id = self.literal(id);
        self.0.lock_row(session, "halls", "state", &id).await?;
        let lock = self.0.locking_clause();
        let mut columns = Vec::new();
        for column in ["state", "commands"] {
            let sql =
                format!("SELECT {column} FROM halls WHERE id = {id} AND deleted_at IS NULL{lock}");
            columns.extend(D::strings(session, &sql).await?);
        }
        let [state, commands] = columns.as_slice() else {
            return Ok(None);
        };
        Ok(Some(Hall {
            state: serde_json::from_str(state)?,
            commands: serde_json::from_str(commands)?,
        }))
    }

    pub(crate) async fn begin(&self, session: &mut D::Session) -> Result<(), D::Error> {
        let begin = match self.0.backend {
            Backend::Postgres | Backend::MySql | Backend::MariaDb => "START TRANSACTION",
            Backend::Sqlite => "BEGIN IMMEDIATE",
            Backend::SqlServer => "BEGIN TRANSACTION",
        };
        D::execute(session, begin).await
    }

    /// Executes a command and changes the rows, without ending the transaction.
    pub(crate) async fn execute(
        &self,
        session: &mut D::Session,
        booking: &Booking,
    ) -> Result<Result<Execution<Hall<LIMIT>>, Refusal>> {
        let Some(mut hall) = self.lock(session, booking.hall).await? else {
            return Ok(Err(Refusal::NotFound));
        };
        // The logic also writes to other tables before it knows whether it succeeds.
        if hall.commands.check(booking.id).is_some() {
            let offer = Offer {
                id: OfferId::generate(),
                command: booking.id.to_string(),
                title: "A place".to_owned(),
            };
            self.0.insert(session, &offer).await?;
        }
        match hall.book(booking) {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(Execution::Duplicate) => return Ok(Ok(Execution::Duplicate)),
            Ok(Execution::Executed(())) => {}
        }
        let state = serde_json::to_string(&hall.state)?;
        let commands = serde_json::to_string(&hall.commands)?;
        let id = self.literal(booking.hall);
        let sql =
            format!("UPDATE halls SET state = '{state}', commands = '{commands}' WHERE id = {id}");
        D::execute(session, &sql).await?;
        Ok(Ok(Execution::Executed(hall)))
    }

    /// What the client gets for a request with this fate.
    pub(crate) async fn handle(&self, booking: &Booking, fate: Fate) -> Result<Answer<LIMIT>> {
        if fate == Fate::RequestLost {
            return Ok(None);
        }
        let mut session = self.0.driver.connection().await?;
        self.begin(&mut session).await?;
        let outcome = self.execute(&mut session, booking).await?;
        match (&outcome, fate) {
            (_, Fate::RolledBack) => {
                self.break_off(&mut session).await?;
                return Ok(None);
            }
            (Ok(Execution::Executed(_)), _) => D::execute(&mut session, "COMMIT").await?,
            _ => D::execute(&mut session, "ROLLBACK").await?,
        }
        Ok((fate != Fate::AnswerLost).then_some(outcome))
    }

    /// Ends a transaction as a server does when its connection breaks.
    async fn break_off(&self, session: &mut D::Session) -> Result<()> {
        match self.0.backend {
            Backend::Postgres | Backend::MySql | Backend::MariaDb => self.0.kill(session).await,
            Backend::Sqlite | Backend::SqlServer => Ok(D::execute(session, "ROLLBACK").await?),
        }
    }

    /// What a client gets if request and answer arrive.
    pub(crate) async fn answer(
        &self,
        booking: &Booking,
    ) -> Result<Result<Execution<Hall<LIMIT>>, Refusal>> {
        let answer = self.handle(booking, Fate::Answered).await?;
        answer.context("there is an answer")
    }

    /// A query of the client, which needs no command id.
    pub(crate) async fn hall(&self, id: HallId) -> Result<Hall<LIMIT>> {
        let mut session = self.0.driver.connection().await?;
        self.begin(&mut session).await?;
        let hall = self.lock(&mut session, id).await;
        D::execute(&mut session, "ROLLBACK").await?;
        hall?.context("there is a hall")
    }

    /// The commands whose logic has written committed rows.
    pub(crate) async fn executed(&self) -> Result<Vec<String>> {
        self.0.commands().await
    }
}
