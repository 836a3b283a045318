//! A batch during which the service is killed, and which is then run again from the start.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use rowkey_testkit::TestDatabase;
use serde_json::{Value, json};

use crate::client::{Answer, text};
use crate::database::Database;
use crate::requests::{Request, command_id, hours_ago, offer_id_of};
use crate::routes::offer_of;
use crate::service::Service;

/// How many customers a batch has. Each has an offer, two changes of its price, and a booking.
const CUSTOMERS: usize = 60;

/// How many commands are sent at the same time.
const AT_ONCE: usize = 16;

/// The numbers of answers after which the service is killed: during the customers, the offers, the
/// price changes, and the bookings, which are the last 60 of 300 commands and write the most.
const KILLED_AFTER: [usize; 8] = [3, 45, 100, 180, 245, 260, 275, 290];

/// The client's records from before anything was sent: all ids that it makes.
struct Order {
    name: String,
    customer_command: String,
    offer: String,
    recorded_at: Timestamp,
    offer_command: String,
    price_commands: [String; 2],
    cents: i64,
    booking_command: String,
}

/// The service's answers.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    customer: Value,
    offer: Value,
    booking: Value,
}

impl Order {
    fn new(index: usize) -> Self {
        // The clients recorded their offers during the day.
        let recorded_at = hours_ago(1 + index as i64 % 20);
        Self {
            name: format!("customer {index}"),
            customer_command: command_id(),
            offer: offer_id_of(recorded_at),
            recorded_at,
            offer_command: command_id(),
            price_commands: [command_id(), command_id()],
            cents: 1_000 * index as i64,
            booking_command: command_id(),
        }
    }

    async fn add_customer(&self, run: &Run<'_>) -> Result<Value> {
        let request = Request::customer(&self.name).with("commandId", &*self.customer_command);
        Ok(run.send(&request).await?.done())
    }

    async fn make_offer(&self, customer: &Value, run: &Run<'_>) -> Result<Value> {
        let request = Request::offer_with_id(&self.offer, customer)
            .with("commandId", &*self.offer_command)
            .with("recordedAt", self.recorded_at.to_string())
            .with("cents", self.cents);
        Ok(run.send(&request).await?.done())
    }

    /// Raises the price by two cents, then by one.
    async fn change_prices(&self, offer: &Value, run: &Run<'_>) -> Result<()> {
        for (command, more) in self.price_commands.iter().zip([2, 1]) {
            let request = Request::price_change(offer, self.cents + more);
            let request = request.with("commandId", &**command);
            run.send(&request).await?.ok();
        }
        Ok(())
    }

    async fn book(&self, offer: &Value, run: &Run<'_>) -> Result<Value> {
        let request = Request::booking(offer).with("commandId", &*self.booking_command);
        Ok(run.send(&request).await?.done())
    }
}

/// One run of the batch.
struct Run<'s> {
    service: &'s Service,
    answers: AtomicUsize,
    killed_after: Option<usize>,
}

impl Run<'_> {
    /// Sends a command. After the chosen answer it kills the service, while commands of other
    /// customers are on their way.
    async fn send(&self, request: &Request) -> Result<Answer> {
        let answer = self.service.client().send(request).await?;
        let answers = 1 + self.answers.fetch_add(1, Ordering::Relaxed);
        if Some(answers) == self.killed_after {
            self.service.kill()?;
        }
        Ok(answer)
    }
}

/// Runs the batch until it fails or ends; returns the answers for each order.
async fn run_batch(
    service: &Service,
    orders: &[Order],
    killed_after: Option<usize>,
) -> Result<Vec<Outcome>> {
    let run = &Run {
        service,
        answers: AtomicUsize::new(0),
        killed_after,
    };
    let customers = all(orders.iter().map(|order| order.add_customer(run))).await?;
    let with_customers = orders.iter().zip(&customers);
    let offers = all(with_customers.map(|(order, customer)| order.make_offer(customer, run)));
    let offers = offers.await?;
    let with_offers = || orders.iter().zip(&offers);
    all(with_offers().map(|(order, offer)| order.change_prices(offer, run))).await?;
    let bookings = all(with_offers().map(|(order, offer)| order.book(offer, run))).await?;
    // The final state of the offers.
    let ids = orders.iter().map(|order| order.offer.as_str());
    let offers = all(ids.map(|id| offer_of(service.client(), id))).await?;
    let answers = customers.into_iter().zip(offers).zip(bookings);
    let outcomes = answers.map(|((customer, offer), booking)| Outcome {
        customer,
        offer,
        booking,
    });
    Ok(outcomes.collect())
}

/// Runs commands, several at the same time, until the first failure; returns their results.
async fn all<T>(commands: impl Iterator<Item = impl Future<Output = Result<T>>>) -> Result<Vec<T>> {
    stream::iter(commands).buffered(AT_ONCE).try_collect().await
}

pub(crate) async fn a_batch_is_executed_once_whenever_it_is_killed(
    database: &TestDatabase,
) -> Result<()> {
    let orders: Vec<Order> = (0..CUSTOMERS).map(Order::new).collect();
    for killed_after in KILLED_AFTER {
        let service = Service::start(database).await?;
        let outcomes = run_batch(&service, &orders, Some(killed_after)).await;
        assert!(outcomes.is_err(), "not killed after {killed_after} answers");
        service.killed().await?;
    }

    let service = Service::start(database).await?;
    let outcomes = run_batch(&service, &orders, None).await?;
    let rows = Database::open(database).await?;
    let all_rows = rows.all_rows().await?;
    assert_rows_are_those_of(&rows, &orders, &outcomes).await?;
    for (outcome, order) in outcomes.iter().zip(&orders) {
        assert_outcome(&service, outcome, order).await?;
    }

    assert_eq!(run_batch(&service, &orders, None).await?, outcomes);
    assert_eq!(rows.all_rows().await?, all_rows);
    assert_rows_are_those_of(&rows, &orders, &outcomes).await?;
    service.stop().await
}

async fn assert_outcome(service: &Service, outcome: &Outcome, order: &Order) -> Result<()> {
    let Outcome {
        customer,
        offer,
        booking,
    } = outcome;
    let client = service.client();
    assert_eq!(customer["name"], order.name);
    let expected = json!({
        "id": order.offer,
        "customerId": customer["id"],
        "title": "Fjords",
        "cents": order.cents + 1,
        "state": "booked",
    });
    for (name, value) in expected.as_object().into_iter().flatten() {
        assert_eq!(offer[name], *value, "{offer}");
    }
    assert_eq!(booking["offerId"], order.offer);
    assert_eq!(booking["customerId"], customer["id"]);
    assert_eq!(booking["cents"], order.cents + 1);
    assert_eq!(booking["state"], "confirmed");
    for path in [
        format!("/customers/{}", text(customer, "number")),
        format!("/customers/{}", text(customer, "id")),
    ] {
        assert_eq!(client.get(&path).await?.ok(), *customer);
    }
    let invoice_id = text(booking, "invoiceId");
    let invoice = client.get(&format!("/invoices/{invoice_id}")).await?.ok();
    let expected = json!({"id": invoice_id, "bookingId": booking["id"], "cents": order.cents + 1});
    assert_eq!(invoice, expected);
    Ok(())
}

/// Checks the tables: no row is missing, duplicated or left over.
async fn assert_rows_are_those_of(
    rows: &Database,
    orders: &[Order],
    outcomes: &[Outcome],
) -> Result<()> {
    let expected = orders.len() as i64;
    for table in ["customers", "booking_offers", "bookings", "invoices"] {
        assert_eq!(rows.rows(table).await?, expected, "{table}");
    }
    // One for each customer and each booking, each with its entity.
    assert_eq!(rows.rows("creation_identifiers").await?, 2 * expected);
    let unused = "SELECT COUNT(*) FROM creation_identifiers WHERE entity_id IS NULL";
    assert_eq!(rows.count(unused).await?, 0);
    for (what, query) in [
        (
            "bookings without an invoice",
            "SELECT COUNT(*) FROM bookings b WHERE NOT EXISTS \
             (SELECT 1 FROM invoices i WHERE i.booking_id = b.id AND i.cents = b.cents)",
        ),
        (
            "invoices without a booking",
            "SELECT COUNT(*) FROM invoices i WHERE NOT EXISTS \
             (SELECT 1 FROM bookings b WHERE b.id = i.booking_id)",
        ),
        (
            "offers without a booking",
            "SELECT COUNT(*) FROM booking_offers o WHERE NOT EXISTS \
             (SELECT 1 FROM bookings b WHERE b.offer_id = o.id AND b.customer_id = o.customer_id)",
        ),
        (
            "customers without an offer",
            "SELECT COUNT(*) FROM customers c WHERE NOT EXISTS \
             (SELECT 1 FROM booking_offers o WHERE o.customer_id = c.id)",
        ),
        (
            "offers that are not booked",
            "SELECT COUNT(*) FROM booking_offers WHERE state <> 3",
        ),
    ] {
        assert_eq!(rows.count(query).await?, 0, "{what}");
    }
    // Each change of a price is in its offer's log, once and in order.
    let text_type = rows.text_type();
    let logs = rows
        .strings(&format!(
            "SELECT CAST(commands AS {text_type}) FROM booking_offers"
        ))
        .await?;
    let logs: BTreeSet<Vec<String>> = logs
        .iter()
        .map(|log| serde_json::from_str(log))
        .collect::<Result<_, _>>()?;
    let expected = orders.iter().map(|order| order.price_commands.to_vec());
    assert_eq!(logs, expected.collect());
    for number_of in [
        |outcome: &Outcome| text(&outcome.customer, "number").to_owned(),
        |outcome: &Outcome| text(&outcome.booking, "number").to_owned(),
    ] {
        let numbers: BTreeSet<String> = outcomes.iter().map(number_of).collect();
        assert_eq!(numbers.len(), orders.len());
    }
    Ok(())
}
