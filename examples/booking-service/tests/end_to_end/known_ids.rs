//! Whole answers of the service: the test knows beforehand which ids the service will make.
//!
//! The service runs in the process of the test, without HTTP.

use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use booking_service::http::{Service, router};
use booking_service::keys::InvoiceId;
use booking_service::store;
use rowkey::generate::{Custom, EntropyFn, Generate, Incremental, scope};
use rowkey::luuid::LuuidContext;
use rowkey::public_id::{LabelledCipher, PublicIdSecret, PublicIdSecrets};
use rowkey::{DistributedId, Luuid, ShortPrefixComb, UnixMillis};
use rowkey_testkit::{Suite, TestDatabase};
use serde_json::{Value, json};
use tower::ServiceExt;

pub(crate) fn add_tests(suite: &mut Suite) {
    suite.test("an_offer_is_booked", super::BACKENDS, |database| {
        // With one thread, so that the scopes are those of every task.
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(an_offer_is_booked(database))
    });
}

/// 2023-11-14T22:13:20Z.
const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

async fn an_offer_is_booked(database: &TestDatabase) -> Result<()> {
    // Invoices are numbered from 1, and LUUIDs have zeros for their random bits.
    let _invoices = scope::enter(Incremental::<DistributedId>::new());
    let _luuids = scope::enter(Custom::new(|context: &LuuidContext| {
        Luuid::from_parts(context.group, context.number, 0)
    }));
    let service = service(database).await?;

    let ada = json!({"commandId": "00000000-0000-4000-8000-000000000001", "name": "Ada"});
    let ada = send(&service, Method::POST, "/customers", ada).await?;
    let customer = "00000000-0001-69f0-a000-000000000000";
    assert_eq!(ada, json!({"id": customer, "number": "1", "name": "Ada"}));

    // The client's own id, of the same time and without random bits, too.
    let mut zeros = EntropyFn(|bytes: &mut [u8]| bytes.fill(0));
    let offer = ShortPrefixComb::<60_000>::generate_with(&(), &NOW, &mut zeros)?;
    let path = format!("/booking-offers/{offer}");
    let fjords = json!({"customerId": customer, "title": "Fjords", "cents": 120_000});
    let fjords = send(&service, Method::PUT, &path, fjords).await?;
    assert_eq!(
        fjords,
        json!({
            "id": "55150000-0000-4000-8000-000000000000",
            "customerId": customer,
            "title": "Fjords",
            "cents": 120_000,
            "state": "open",
            "createdAt": "2023-11-14T22:13:20Z",
        })
    );

    let command = json!({
        "commandId": "00000000-0000-4000-8000-000000000002",
        "offerId": fjords["id"],
    });
    let booking = send(&service, Method::POST, "/bookings", command).await?;
    assert_eq!(
        booking,
        json!({
            "id": "00000000-0001-60d3-a000-000000000000",
            "number": "1",
            "offerId": fjords["id"],
            "customerId": customer,
            "cents": 120_000,
            "invoiceId": invoice_ids().encode(&InvoiceId::constant(1))?,
            "state": "confirmed",
        })
    );
    Ok(())
}

/// Public ids with a fixed secret.
fn invoice_ids() -> LabelledCipher<InvoiceId> {
    let secret = PublicIdSecret::from_bytes(&[7; 32]).expect("it has 32 bytes");
    PublicIdSecrets::new(secret).cipher()
}

/// The service with a clock that stands still.
async fn service(database: &TestDatabase) -> Result<Router> {
    let service = Service {
        store: store::connect(database.url()).await?,
        clock: Arc::new(NOW),
        invoice_ids: Arc::new(invoice_ids()),
    };
    Ok(router(service))
}

/// Sends a command that creates something, and returns what.
async fn send(service: &Router, method: Method, path: &str, body: Value) -> Result<Value> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))?;
    let answer = service.clone().oneshot(request).await?;
    let status = answer.status();
    let body = to_bytes(answer.into_body(), usize::MAX).await?;
    let body: Value = serde_json::from_slice(&body)?;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    Ok(body)
}
