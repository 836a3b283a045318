//! The same commands at the same time, sent to two processes on one database.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use futures_util::future::{try_join, try_join_all};
use rowkey_testkit::TestDatabase;
use serde_json::Value;

use crate::client::{Client, text};
use crate::database::Database;
use crate::requests::{Request, any_customer, any_offer, hours_ago};
use crate::routes::offer_of;
use crate::service::Service;

const TASKS: usize = 16;
const COMMANDS: usize = 25;

/// Two processes that share a database.
struct Pair([Service; 2]);

impl Pair {
    async fn start(database: &TestDatabase) -> Result<Self> {
        // The first one makes the tables.
        let one = Service::start(database).await?;
        Ok(Self([one, Service::start(database).await?]))
    }

    fn client(&self, index: usize) -> &Client {
        self.0[index % 2].client()
    }

    async fn stop(self) -> Result<()> {
        for service in self.0 {
            service.stop().await?;
        }
        Ok(())
    }

    /// Every task sends every command; returns each task's answers in the order of the commands.
    async fn send_by_all(&self, tasks: usize, commands: &[Request]) -> Result<Vec<Vec<Value>>> {
        try_join_all((0..tasks).map(async |task| {
            let mut answers = vec![Value::Null; commands.len()];
            for step in 0..commands.len() {
                // Half of the tasks meet at each command; the others begin at the end.
                let index = match task % 4 {
                    0 | 1 => step,
                    _ => commands.len() - 1 - step,
                };
                let answer = self.client(task).send(&commands[index]).await?;
                answers[index] = answer.done();
            }
            anyhow::Ok(answers)
        }))
        .await
    }
}

/// The answers that all tasks agree on.
fn agreed(mut answers: Vec<Vec<Value>>) -> Vec<Value> {
    let first = answers.swap_remove(0);
    for other in answers {
        assert_eq!(other, first);
    }
    first
}

pub(crate) async fn customers_are_created_once_by_many(database: &TestDatabase) -> Result<()> {
    let pair = Pair::start(database).await?;
    let commands: Vec<Request> = (0..COMMANDS)
        .map(|index| Request::customer(&format!("customer {index}")))
        .collect();
    let customers = agreed(pair.send_by_all(TASKS, &commands).await?);
    let ids: BTreeSet<&str> = customers.iter().map(|one| text(one, "id")).collect();
    let numbers: BTreeSet<&str> = customers.iter().map(|one| text(one, "number")).collect();
    assert_eq!((ids.len(), numbers.len()), (COMMANDS, COMMANDS));
    let rows = Database::open(database).await?;
    assert_eq!(rows.rows("customers").await?, COMMANDS as i64);
    assert_eq!(rows.rows("creation_identifiers").await?, COMMANDS as i64);
    pair.stop().await
}

pub(crate) async fn offers_are_created_once_by_many(database: &TestDatabase) -> Result<()> {
    let pair = Pair::start(database).await?;
    let customer = any_customer(pair.client(0)).await?;
    let commands: Vec<Request> = (0..COMMANDS)
        .map(|index| match index % 2 {
            0 => Request::offer(&customer),
            _ => Request::offer_recorded_at(&customer, hours_ago(7)),
        })
        .collect();
    let offers = agreed(pair.send_by_all(TASKS, &commands).await?);
    for (offer, command) in offers.iter().zip(&commands) {
        assert!(command.path.ends_with(text(offer, "id")));
    }
    let rows = Database::open(database).await?;
    assert_eq!(rows.rows("booking_offers").await?, COMMANDS as i64);
    pair.stop().await
}

pub(crate) async fn offers_are_booked_once_by_many(database: &TestDatabase) -> Result<()> {
    let pair = Pair::start(database).await?;
    let customer = any_customer(pair.client(0)).await?;
    let mut commands = Vec::new();
    for index in 0..COMMANDS {
        let offer = Request::offer(&customer).with("cents", index);
        let offer = pair.client(index).send(&offer).await?.created();
        commands.push(Request::booking(&offer));
    }
    let bookings = agreed(pair.send_by_all(TASKS, &commands).await?);
    for (booking, index) in bookings.iter().zip(0..) {
        assert_eq!(booking["cents"], index);
    }
    let invoices: BTreeSet<&str> = bookings.iter().map(|one| text(one, "invoiceId")).collect();
    assert_eq!(invoices.len(), COMMANDS);
    let rows = Database::open(database).await?;
    for table in ["bookings", "invoices"] {
        assert_eq!(rows.rows(table).await?, COMMANDS as i64, "{table}");
    }
    pair.stop().await
}

/// Many customers book one offer: one gets it, and the others nothing.
pub(crate) async fn an_offer_is_booked_by_one_of_many(database: &TestDatabase) -> Result<()> {
    let pair = Pair::start(database).await?;
    let rows = Database::open(database).await?;
    for round in 1..=5 {
        let offer = any_offer(pair.client(0)).await?;
        let answers = try_join_all((0..TASKS).map(async |task| {
            let request = Request::booking(&offer);
            pair.client(task).send(&request).await
        }))
        .await?;
        let (booked, refused): (Vec<_>, Vec<_>) = answers
            .into_iter()
            .partition(|answer| answer.status.is_success());
        assert_eq!(booked.len(), 1, "{booked:?}");
        booked[0].created();
        for answer in refused {
            answer.refused_as(409, "not-open");
        }
        assert_eq!(rows.rows("bookings").await?, round);
        assert_eq!(rows.rows("invoices").await?, round);
    }
    // A refused command has left no rows.
    assert_eq!(rows.rows("creation_identifiers").await?, 5 + 5);
    pair.stop().await
}

/// Different commands for the same offer: each is executed, and remembered.
pub(crate) async fn concurrent_price_changes_are_all_kept(database: &TestDatabase) -> Result<()> {
    let pair = Pair::start(database).await?;
    let offer = any_offer(pair.client(0)).await?;
    let id = text(&offer, "id");
    // The number of commands that an offer remembers.
    let commands: Vec<Request> = (1..=20)
        .map(|cents| Request::price_change(&offer, cents))
        .collect();
    // Each is sent three times, to both services.
    let senders = (0..3 * commands.len()).map(async |index| {
        let command = &commands[index % commands.len()];
        anyhow::Ok(pair.client(index).send(command).await?.ok())
    });
    let answers = try_join_all(senders).await?;

    let present = offer_of(pair.client(0), id).await?;
    let prices: BTreeSet<i64> = answers
        .iter()
        .filter_map(|one| one["cents"].as_i64())
        .collect();
    assert!(
        prices.iter().all(|price| (1..=20).contains(price)),
        "{prices:?}"
    );
    // A forgotten command would be executed now, and change the price.
    for (index, command) in commands.iter().enumerate() {
        let answer = pair.client(index).send(command).await?.ok();
        assert_eq!(answer, present, "{}", command.body);
    }
    // Another command shows that it would.
    let other = pair
        .client(1)
        .send(&Request::price_change(&offer, 21))
        .await?;
    assert_eq!(other.ok()["cents"], 21);
    pair.stop().await
}

/// Many concurrent bookings and cancellations: the offer has at most one open booking.
pub(crate) async fn bookings_and_cancellations_keep_their_books(
    database: &TestDatabase,
) -> Result<()> {
    let pair = Pair::start(database).await?;
    let offer = any_offer(pair.client(0)).await?;
    let outcomes = try_join_all((0..8).map(async |task| {
        let client = pair.client(task);
        let mut bookings = Vec::new();
        for _ in 0..6 {
            let answer = client.send(&Request::booking(&offer)).await?;
            if answer.status.is_success() {
                let booking = answer.created();
                let cancellation = Request::cancellation(&booking);
                let (one, other) =
                    try_join(client.send(&cancellation), client.send(&cancellation)).await?;
                assert_eq!(one.ok(), other.ok());
                bookings.push(text(&booking, "id").to_owned());
            } else {
                answer.refused_as(409, "not-open");
            }
        }
        anyhow::Ok(bookings)
    }))
    .await?;
    let bookings = outcomes.concat();
    assert!(!bookings.is_empty());
    let mut states = BTreeMap::new();
    for id in &bookings {
        let booking = pair.client(0).get(&format!("/bookings/{id}")).await?.ok();
        *states
            .entry(text(&booking, "state").to_owned())
            .or_insert(0) += 1;
    }
    assert_eq!(
        states,
        BTreeMap::from([("cancelled".to_owned(), bookings.len())])
    );
    assert_eq!(offer_of(pair.client(1), text(&offer, "id")).await?, offer);
    let rows = Database::open(database).await?;
    for table in ["bookings", "invoices"] {
        assert_eq!(rows.rows(table).await?, bookings.len() as i64, "{table}");
    }
    // The commands that created them are forgotten; that of the customer is not.
    assert_eq!(rows.rows("creation_identifiers").await?, 1);
    pair.stop().await
}
