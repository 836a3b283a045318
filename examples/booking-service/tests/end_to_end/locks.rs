//! Rows that another transaction has locked.

use std::pin::pin;

use anyhow::Result;
use futures_util::future::{Either, join_all, select};
use hyper::header::RETRY_AFTER;
use rowkey_testkit::TestDatabase;

use crate::database::Database;
use crate::requests::{Request, any_offer};
use crate::service::Service;

/// More than there are connections to the database.
const MANY: i64 = 30;

/// Requests that wait for a row give up in time, and do not delay requests that need no locked row.
pub(crate) async fn locked_rows_stop_no_other_request(database: &TestDatabase) -> Result<()> {
    let service = Service::start_with(database, |command| {
        command.env("BOOKING_LOCK_TIMEOUT", "1s");
    });
    let service = service.await?;
    let client = service.client();
    let offer = any_offer(client).await?;
    let rows = Database::open(database).await?;
    let changes: Vec<_> = (1..=MANY)
        .map(|cents| Request::price_change(&offer, cents))
        .collect();

    let while_locked = async {
        let mut answers = pin!(join_all(changes.iter().map(|change| client.send(change))));
        // The health check has to work until the last request has given up.
        let answers = loop {
            let health = pin!(client.get("/health"));
            match select(answers.as_mut(), health).await {
                Either::Left((answers, _)) => break answers,
                Either::Right((health, _)) => assert_eq!(health?.status, 200),
            }
        };
        for answer in answers {
            let answer = answer?;
            answer.refused_as(503, "unavailable");
            assert!(!answer.header(RETRY_AFTER).is_empty(), "{answer:?}");
        }
        Ok(())
    };
    rows.locking("booking_offers", while_locked).await?;

    for change in &changes {
        assert_eq!(
            client.send(change).await?.ok()["cents"],
            change.body["cents"]
        );
    }
    service.stop().await
}
