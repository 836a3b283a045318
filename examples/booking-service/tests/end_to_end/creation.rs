//! Ids that clients make: which are accepted for a new offer, and when they are not checked any
//! more.

use anyhow::Result;
use rowkey::UuidV7;
use rowkey::generate::Generate;
use rowkey_testkit::TestDatabase;

use crate::client::{Client, text};
use crate::database::Database;
use crate::requests::{Request, any_customer, hours_ago, minutes_from_now, offer_id, offer_id_of};
use crate::service::Service;

pub(crate) async fn ids_of_other_kinds_are_refused(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    let v7 = UuidV7::generate().to_string();
    // The variant of Microsoft's guids.
    let mut other_variant = offer_id();
    other_variant.replace_range(19..20, "c");
    for id in [
        v7.as_str(),
        "c232ab00-9414-11ec-b3c8-9e6bdeced846",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        text(&customer, "id"),
        &other_variant,
    ] {
        let request = Request::offer_with_id(id, &customer);
        refused(client, &request).await?;
        // Not even with a recorded time for which the id would be accepted.
        refused(
            client,
            &request.with("recordedAt", hours_ago(1).to_string()),
        )
        .await?;
    }
    assert_eq!(rows.all_rows().await?, before);
    service.stop().await
}

pub(crate) async fn ids_of_another_time_are_refused(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    // Ten minutes and a fraction are tolerated; another minute may pass while the test runs.
    for minutes in [-12 * 60, -300, -12, 14, 300, 12 * 60] {
        let id = offer_id_of(minutes_from_now(minutes));
        refused(client, &Request::offer_with_id(&id, &customer)).await?;
    }
    assert_eq!(rows.all_rows().await?, before);
    for minutes in [-8, 0, 9] {
        let id = offer_id_of(minutes_from_now(minutes));
        let request = Request::offer_with_id(&id, &customer);
        client.send(&request).await?.created();
    }
    service.stop().await
}

pub(crate) async fn recorded_times_replace_the_clock(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    for hours in [1, 5, 23] {
        let request = Request::offer_recorded_at(&customer, hours_ago(hours));
        refused(client, &request.clone().without("recordedAt")).await?;
        client.send(&request).await?.created();
    }
    // The same instant in different notations.
    let written = [
        |text: String| text,
        |text: String| text.replace('Z', "+00:00"),
        |text: String| text.replace('T', "t").replace('Z', "z"),
    ];
    for write in written {
        let time = hours_ago(2);
        let request = Request::offer_recorded_at(&customer, time);
        let request = request.with("recordedAt", write(time.to_string()));
        client.send(&request).await?.created();
    }

    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    // The id has to be of the time that was recorded.
    let id = offer_id();
    for hours in [1, 23] {
        let request = Request::offer_with_id(&id, &customer);
        refused(
            client,
            &request.with("recordedAt", hours_ago(hours).to_string()),
        )
        .await?;
    }
    for time in [
        minutes_from_now(30),
        hours_ago(-24),
        hours_ago(25),
        hours_ago(24 * 365),
    ] {
        let request = Request::offer_recorded_at(&customer, time);
        let problem = client.send(&request).await?.refused(422);
        assert_eq!(problem["pointer"], "/recordedAt", "{time}");
    }
    // The ids' counter returns to 0 after 65,536 minutes.
    let ring = hours_ago(0) - jiff::SignedDuration::from_mins(65_536);
    let request = Request::offer_with_id(&offer_id(), &customer);
    client
        .send(&request.with("recordedAt", ring.to_string()))
        .await?
        .refused(422);
    for text in [
        "",
        "yesterday",
        "1700000000",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-13-01T00:00:00Z",
        "2024-01-01T00:00:00Z\0",
        "99999-01-01T00:00:00Z",
    ] {
        let request = Request::offer(&customer).with("recordedAt", text);
        let problem = client.send(&request).await?.refused(400);
        assert_eq!(problem["pointer"], "/recordedAt", "{text:?}");
    }
    assert_eq!(rows.all_rows().await?, before);
    service.stop().await
}

/// The window is a rule for new ids only: a client that was away for hours finds its offer.
pub(crate) async fn late_repetitions_find_their_offer(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let request = Request::offer_recorded_at(&customer, hours_ago(5));
    let offer = client.send(&request).await?.created();
    // By the present clock, the id is from another time.
    let late = request.clone().without("recordedAt");
    assert_eq!(client.send(&late).await?.ok(), offer);
    assert_eq!(client.send(&request).await?.ok(), offer);
    // Another batch may have recorded another time, which is not part of the payload.
    let elsewhere = request.with("recordedAt", hours_ago(2).to_string());
    assert_eq!(client.send(&elsewhere).await?.ok(), offer);

    let withdrawn = client.send(&Request::withdrawal(&offer)).await?.ok();
    assert_eq!(client.send(&late).await?.ok(), withdrawn);
    let rows = Database::open(database).await?;
    assert_eq!(rows.rows("booking_offers").await?, 1);
    service.stop().await
}

async fn refused(client: &Client, request: &Request) -> Result<()> {
    let answer = client.send(request).await?;
    answer.refused_as(422, "id-not-accepted");
    client.get(&request.path).await.map(|answer| {
        assert!(answer.status.is_client_error(), "{}", answer.text());
    })
}
