//! Clients that disconnect before they are answered, and send the same command again.

use anyhow::{Result, ensure};
use rowkey_testkit::TestDatabase;
use serde_json::Value;
use tokio::time::{Duration, Instant, sleep};

use crate::client::{Client, text};
use crate::database::Database;
use crate::raw::{RawConnection, bytes_of};
use crate::requests::{Request, any_customer, any_offer, hours_ago};
use crate::routes::offer_of;
use crate::service::{PATIENCE, Service};

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Departure {
    /// In the middle of the head.
    WithinHead,
    /// In the middle of the body.
    WithinBody,
    /// As soon as everything was sent.
    AtOnce,
    /// The same, with a reset.
    Reset,
    /// When the command was executed and the answer is on its way.
    AfterItsEffect,
}

const DEPARTURES: [Departure; 5] = [
    Departure::WithinHead,
    Departure::WithinBody,
    Departure::AtOnce,
    Departure::Reset,
    Departure::AfterItsEffect,
];

/// How often each departure is tried: the point at which it meets the service is random.
const ROUNDS: usize = 4;

impl Departure {
    /// Sends a request and disconnects without an answer.
    async fn of<F>(self, service: &Service, request: &Request, effect: F) -> Result<()>
    where
        F: AsyncFnOnce() -> Result<()>,
    {
        let bytes = bytes_of(request);
        let body = request.body.to_string().len();
        let sent = match self {
            Self::WithinHead => 25,
            Self::WithinBody => bytes.len() - body / 2,
            Self::AtOnce | Self::Reset | Self::AfterItsEffect => bytes.len(),
        };
        let mut connection = RawConnection::open(service.address()).await?;
        connection.write(&bytes[..sent]).await?;
        match self {
            Self::Reset => connection.reset()?,
            Self::AfterItsEffect => effect().await?,
            Self::WithinHead | Self::WithinBody | Self::AtOnce => {}
        }
        Ok(())
    }
}

/// Sends commands whose answers are lost, and again; returns the answers to the repetitions.
async fn repeat<F>(
    service: &Service,
    request: &Request,
    departure: Departure,
    effect: F,
) -> Result<Value>
where
    F: AsyncFnOnce() -> Result<()>,
{
    departure.of(service, request, effect).await?;
    let client = service.client();
    let answer = client.send(request).await?;
    let entity = match departure {
        // Half a request has created nothing.
        Departure::WithinHead | Departure::WithinBody => answer.done(),
        Departure::AfterItsEffect => answer.ok(),
        Departure::AtOnce | Departure::Reset => answer.done(),
    };
    assert_eq!(client.send(request).await?.ok(), entity, "{departure:?}");
    Ok(entity)
}

pub(crate) async fn customers_whose_answers_are_lost(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let rows = Database::open(database).await?;
    let mut customers = 0;
    for departure in DEPARTURES.repeat(ROUNDS) {
        customers += 1;
        let request = Request::customer("Ada");
        let effect = async || rows.wait_for_rows("customers", customers).await;
        repeat(&service, &request, departure, effect).await?;
    }
    // Every request on its way has arrived by then.
    service.stop().await?;
    assert_eq!(rows.rows("customers").await?, customers);
    Ok(())
}

pub(crate) async fn offers_whose_answers_are_lost(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let rows = Database::open(database).await?;
    let customer = any_customer(service.client()).await?;
    let mut offers = 0;
    for departure in DEPARTURES.repeat(ROUNDS) {
        offers += 1;
        let request = Request::offer_recorded_at(&customer, hours_ago(3));
        let effect = async || rows.wait_for_rows("booking_offers", offers).await;
        repeat(&service, &request, departure, effect).await?;
        // A later repetition, without the recorded time.
        let late = request.without("recordedAt");
        service.client().send(&late).await?.ok();
    }
    service.stop().await?;
    assert_eq!(rows.rows("booking_offers").await?, offers);
    Ok(())
}

pub(crate) async fn price_changes_whose_answers_are_lost(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let offer = any_offer(client).await?;
    let mut earlier: Option<Request> = None;
    for (departure, cents) in DEPARTURES.repeat(ROUNDS - 1).into_iter().zip(1..) {
        let request = Request::price_change(&offer, cents);
        let effect = async || wait_for_price(client, &offer, cents).await;
        let changed = repeat(&service, &request, departure, effect).await?;
        assert_eq!(changed["cents"], cents, "{departure:?}");
        // Repeating the previous change does not bring its price back.
        if let Some(earlier) = earlier.replace(request) {
            assert_eq!(client.send(&earlier).await?.ok(), changed);
        }
    }
    service.stop().await
}

pub(crate) async fn bookings_whose_answers_are_lost(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let rows = Database::open(database).await?;
    let customer = any_customer(client).await?;
    let mut bookings = 0;
    for departure in DEPARTURES.repeat(ROUNDS) {
        bookings += 1;
        let offer = client.send(&Request::offer(&customer)).await?.created();
        let request = Request::booking(&offer);
        let effect = async || rows.wait_for_rows("bookings", bookings).await;
        let booking = repeat(&service, &request, departure, effect).await?;
        let path = format!("/invoices/{}", text(&booking, "invoiceId"));
        assert_eq!(client.get(&path).await?.ok()["bookingId"], booking["id"]);
    }
    service.stop().await?;
    assert_eq!(rows.rows("bookings").await?, bookings);
    assert_eq!(rows.rows("invoices").await?, bookings);
    Ok(())
}

async fn wait_for_price(client: &Client, offer: &Value, cents: i64) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while offer_of(client, text(offer, "id")).await?["cents"] != cents {
        ensure!(
            Instant::now() < deadline,
            "the price has not become {cents}"
        );
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}
