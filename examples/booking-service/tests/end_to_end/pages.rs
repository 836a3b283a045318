//! Pages of offers, from key to key.

use anyhow::{Context, Result};
use rowkey::ShortPrefixComb;
use rowkey_testkit::TestDatabase;
use serde_json::{Value, json};

use crate::client::{Client, members, text};
use crate::requests::{Request, any_customer, hours_ago, offer_id};
use crate::service::Service;

const OFFERS: usize = 57;

/// Creates offers whose keys are in another order than their creation; returns their ids.
async fn create_offers(client: &Client, customer: &Value, count: usize) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for index in 0..count {
        let hours = index as i64 * 7 % 23;
        let request = Request::offer_recorded_at(customer, hours_ago(hours));
        let offer = client.send(&request).await?.created();
        ids.push(text(&offer, "id").to_owned());
    }
    Ok(ids)
}

/// Follows the pages to the end; returns the ids of each.
async fn pages<F>(client: &Client, limit: usize, mut between: F) -> Result<Vec<Vec<String>>>
where
    F: AsyncFnMut() -> Result<()>,
{
    let mut pages = Vec::new();
    let mut after = String::new();
    loop {
        let path = format!("/booking-offers?limit={limit}{after}");
        let page = client.get(&path).await?.ok();
        assert_eq!(members(&page), ["items", "next"]);
        let items = page["items"].as_array().context("no items")?;
        let ids: Vec<String> = items
            .iter()
            .map(|item| text(item, "id").to_owned())
            .collect();
        assert!(ids.len() <= limit, "{}", ids.len());
        let last = ids.last().cloned();
        pages.push(ids);
        match page["next"].as_str() {
            None => {
                assert_eq!(page["next"], Value::Null);
                return Ok(pages);
            }
            Some(next) => {
                // The next page begins after the last offer of this one.
                assert_eq!(last.as_deref(), Some(next));
                after = format!("&after={next}");
            }
        }
        between().await?;
    }
}

/// The order of the key column.
fn sorted(ids: &[String]) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    for id in ids {
        keys.push(id.parse::<ShortPrefixComb>()?);
    }
    keys.sort_unstable();
    Ok(keys.iter().map(ToString::to_string).collect())
}

pub(crate) async fn pages_have_each_offer_once(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let none = client.get("/booking-offers").await?.ok();
    assert_eq!(none, json!({"items": [], "next": null}));
    let customer = any_customer(client).await?;
    let ids = create_offers(client, &customer, OFFERS).await?;
    let expected = sorted(&ids)?;
    assert_ne!(ids, expected);

    for limit in [10, 19, 1, OFFERS, 100] {
        let pages = pages(client, limit, async || Ok(())).await?;
        // All but the last one are full, and the last one is not empty.
        let (last, full) = pages.split_last().context("no page")?;
        assert!(full.iter().all(|page| page.len() == limit), "{limit}");
        assert!(!last.is_empty(), "{limit}");
        assert_eq!(pages.concat(), expected, "{limit}");
    }
    // Twenty by default.
    let page = client.get("/booking-offers").await?.ok();
    assert_eq!(page["items"].as_array().map(Vec::len), Some(20));
    assert_eq!(page["next"], *expected[19]);
    let first = &page["items"][0];
    let path = format!("/booking-offers/{}", text(first, "id"));
    assert_eq!(client.get(&path).await?.ok(), *first);
    service.stop().await
}

pub(crate) async fn cursors_need_no_offer(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let mut ids = create_offers(client, &customer, 12).await?;
    // An unused id works as a cursor as well.
    for _ in 0..8 {
        let cursor = offer_id();
        let path = format!("/booking-offers?after={cursor}");
        let page = client.get(&path).await?.ok();
        let items = page["items"].as_array().context("no items")?;
        let found: Vec<&str> = items.iter().map(|item| text(item, "id")).collect();
        let mut expected = sorted(&ids)?;
        let key: ShortPrefixComb = cursor.parse()?;
        expected.retain(|id| id.parse::<ShortPrefixComb>().is_ok_and(|id| id > key));
        assert_eq!(found, expected);
        ids.extend(create_offers(client, &customer, 1).await?);
    }
    for edge in [
        "00000000-0000-4000-8000-000000000000",
        "ffffffff-ffff-4fff-bfff-ffffffffffff",
    ] {
        let path = format!("/booking-offers?limit=100&after={edge}");
        let page = client.get(&path).await?.ok();
        let expected = if edge.starts_with('0') { ids.len() } else { 0 };
        assert_eq!(page["items"].as_array().map(Vec::len), Some(expected));
        assert_eq!(page["next"], Value::Null);
    }
    service.stop().await
}

pub(crate) async fn pages_lose_nothing_while_offers_arrive(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let ids = create_offers(client, &customer, OFFERS).await?;
    let pages = pages(client, 10, async || {
        create_offers(client, &customer, 4).await.map(drop)
    })
    .await?;
    let seen = pages.concat();
    // In order, so each at most once.
    assert_eq!(sorted(&seen)?, seen);
    for pair in seen.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
    for id in ids {
        assert!(seen.contains(&id), "{id} was lost");
    }
    service.stop().await
}
