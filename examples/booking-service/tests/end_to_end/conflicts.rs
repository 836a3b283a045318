//! Commands that conflict with stored data. Their answers reveal nothing of it.

use anyhow::Result;
use rowkey_testkit::TestDatabase;

use crate::client::{Client, text};
use crate::database::Database;
use crate::requests::{Request, any_booking, any_customer, any_offer, command_id, hours_ago};
use crate::routes::offer_of;
use crate::service::Service;

/// A title that no other test uses.
const SECRET_TITLE: &str = "Zanzibar incognito";
const SECRET_CENTS: i64 = 918_273_645;

pub(crate) async fn an_offers_id_belongs_to_one_command(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let stranger = any_customer(client).await?;
    let first = Request::offer(&customer)
        .with("title", SECRET_TITLE)
        .with("cents", SECRET_CENTS);
    let offer = client.send(&first).await?.created();
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;

    // A request by another client that guesses the id, and one by a client that mixes up commands.
    let other = Request::offer(&stranger).with("commandId", first.body["commandId"].clone());
    let conflicts = [
        Request {
            path: first.path.clone(),
            ..Request::offer(&stranger)
        },
        Request {
            path: first.path.clone(),
            ..other
        },
        first.clone().with("commandId", command_id()),
        first.clone().without("commandId"),
        first.clone().with("title", "Fjords"),
        first.clone().with("title", SECRET_TITLE.to_lowercase()),
        first.clone().with("title", format!("{SECRET_TITLE} ")),
        first.clone().with("cents", SECRET_CENTS + 1),
        first.clone().with("customerId", stranger["id"].clone()),
    ];
    for conflict in &conflicts {
        let sent_title = text(&conflict.body, "title");
        for recorded_at in [None, Some(hours_ago(0)), Some(hours_ago(5))] {
            let mut request = conflict.clone();
            if let Some(time) = recorded_at {
                request = request.with("recordedAt", time.to_string());
            }
            let problem = client.send(&request).await?.refused_as(409, "id-conflict");
            let shown = problem.to_string();
            let reveals = |secret: &str| shown.to_lowercase().contains(&secret.to_lowercase());
            if !sent_title
                .to_lowercase()
                .contains(&SECRET_TITLE.to_lowercase())
            {
                assert!(!reveals(SECRET_TITLE), "{shown}");
            }
            if conflict.body["cents"] != SECRET_CENTS {
                assert!(!reveals(&SECRET_CENTS.to_string()), "{shown}");
            }
            if conflict.body["customerId"] != customer["id"] {
                assert!(!reveals(text(&customer, "id")), "{shown}");
            }
            let command = &first.body["commandId"];
            if conflict.body.get("commandId") != Some(command) {
                assert!(!reveals(text(&first.body, "commandId")), "{shown}");
            }
        }
    }
    assert_eq!(rows.all_rows().await?, before);
    assert_eq!(client.get(&first.path).await?.ok(), offer);

    // Without a command id, only the payload has to match.
    let silent = Request::offer(&customer).without("commandId");
    client.send(&silent).await?.created();
    for conflict in [
        silent.clone().with("cents", 1),
        silent.with("commandId", command_id()),
    ] {
        client.send(&conflict).await?.refused_as(409, "id-conflict");
    }
    service.stop().await
}

pub(crate) async fn a_commands_id_belongs_to_one_command(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let first = Request::customer(SECRET_TITLE);
    let customer = client.send(&first).await?.created();
    let [offer, other] = [any_offer(client).await?, any_offer(client).await?];
    let booking = Request::booking(&offer);
    let booked = client.send(&booking).await?.created();
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;

    for name in ["Ada", "ZANZIBAR Ada", "zanzibar", ""] {
        let request = first.clone().with("name", name);
        let answer = client.send(&request).await?;
        let problem = match name {
            "" => answer.refused(422),
            _ => answer.refused_as(409, "command-conflict"),
        };
        let shown = problem.to_string();
        assert!(!shown.contains(SECRET_TITLE), "{shown}");
        assert!(!shown.contains(text(&customer, "id")), "{shown}");
    }
    // The collations of some databases consider these equal.
    for name in [SECRET_TITLE.to_lowercase(), format!("{SECRET_TITLE} ")] {
        let request = first.clone().with("name", name);
        client
            .send(&request)
            .await?
            .refused_as(409, "command-conflict");
    }
    // The same id for another kind of command.
    for conflict in [
        Request::booking(&other).with("commandId", first.body["commandId"].clone()),
        Request::customer("Ada").with("commandId", booking.body["commandId"].clone()),
        booking.clone().with("offerId", other["id"].clone()),
    ] {
        let answer = client.send(&conflict).await?;
        let shown = answer.refused_as(409, "command-conflict").to_string();
        for secret in [
            text(&customer, "id"),
            text(&booked, "id"),
            text(&booked, "invoiceId"),
        ] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    assert_eq!(rows.all_rows().await?, before);
    assert_eq!(client.send(&first).await?.ok(), customer);
    assert_eq!(client.send(&booking).await?.ok(), booked);
    assert_eq!(offer_of(client, text(&other, "id")).await?, other);
    service.stop().await
}

pub(crate) async fn closed_offers_take_no_new_commands(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let withdrawn = any_offer(client).await?;
    client.send(&Request::withdrawal(&withdrawn)).await?.ok();
    let booked = any_offer(client).await?;
    client.send(&Request::booking(&booked)).await?.created();
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    for offer in [&withdrawn, &booked] {
        let present = offer_of(client, text(offer, "id")).await?;
        for request in [
            Request::price_change(offer, 1),
            Request::withdrawal(offer),
            Request::booking(offer),
        ] {
            // A refused command is not remembered: it is refused again.
            for _ in 0..2 {
                client.send(&request).await?.refused_as(409, "not-open");
            }
        }
        assert_eq!(offer_of(client, text(offer, "id")).await?, present);
    }
    assert_eq!(rows.all_rows().await?, before);
    service.stop().await
}

/// A command that was refused because the offer was booked can be sent again when it is open.
pub(crate) async fn refused_commands_can_be_sent_again(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let offer = offer_of(client, text(&booking, "offerId")).await?;
    let [price_change, second] = [Request::price_change(&offer, 1), Request::booking(&offer)];
    for request in [&price_change, &second] {
        client.send(request).await?.refused_as(409, "not-open");
    }
    client.send(&Request::cancellation(&booking)).await?.ok();
    assert_eq!(client.send(&price_change).await?.ok()["cents"], 1);
    assert_eq!(client.send(&second).await?.created()["cents"], 1);
    service.stop().await
}

pub(crate) async fn cancelled_bookings_take_no_new_commands(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let cancellation = Request::cancellation(&booking);
    let cancelled = client.send(&cancellation).await?.ok();
    let again = Request::cancellation(&booking);
    for _ in 0..2 {
        client.send(&again).await?.refused(409);
    }
    assert_eq!(client.send(&cancellation).await?.ok(), cancelled);
    service.stop().await
}

/// A refused command does not change stored data.
pub(crate) async fn invalid_commands_change_nothing_that_is_stored(
    database: &TestDatabase,
) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let request = Request::offer(&customer);
    let offer = client.send(&request).await?.created();
    let unchanged = async |client: &Client| offer_of(client, text(&offer, "id")).await;
    for (member, value) in [("title", ""), ("customerId", "1")] {
        let answer = client.send(&request.clone().with(member, value)).await?;
        assert!(answer.status.is_client_error(), "{}", answer.text());
    }
    assert_eq!(unchanged(client).await?, offer);
    service.stop().await
}
