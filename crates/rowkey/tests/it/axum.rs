//! Keys in the paths and queries of an axum service.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Query};
use axum::http::{Request, StatusCode};
use axum::routing::get;
use rowkey::{DistributedId, ShortPrefixComb, entity_key};
use serde::Deserialize;
use tower::ServiceExt;

#[entity_key]
struct BookingOfferId(ShortPrefixComb);

#[entity_key(prefix = "inv")]
struct InvoiceId(DistributedId);

#[derive(Deserialize)]
struct Page {
    after: Option<BookingOfferId>,
    #[serde(default = "ten")]
    limit: u32,
}

fn ten() -> u32 {
    10
}

fn service() -> Router {
    Router::new()
        .route(
            "/offers/{id}",
            get(async |Path(id): Path<BookingOfferId>| format!("{id:?}")),
        )
        .route(
            "/offers/{id}/invoices/{invoice}",
            get(
                async |Path((offer, invoice)): Path<(BookingOfferId, InvoiceId)>| {
                    format!("{offer:?} {invoice:?}")
                },
            ),
        )
        .route(
            "/offers",
            get(async |Query(page): Query<Page>| format!("{:?} {}", page.after, page.limit)),
        )
}

async fn answer(uri: &str) -> (StatusCode, String) {
    let request = Request::get(uri).body(Body::empty()).unwrap();
    let response = service().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_key_in_the_path() {
    let id = BookingOfferId::generate();
    assert_eq!(
        answer(&format!("/offers/{id}")).await,
        (StatusCode::OK, format!("{id:?}"))
    );

    let invoice = InvoiceId::generate();
    assert_eq!(
        answer(&format!("/offers/{id}/invoices/{invoice}")).await,
        (StatusCode::OK, format!("{id:?} {invoice:?}"))
    );
}

#[cfg(feature = "public-id")]
#[tokio::test]
async fn a_public_id_in_the_path() {
    use rowkey::public_id::PublicId;
    use rowkey::text::Encoding;

    let router = || {
        let show = async |Path(id): Path<PublicId<InvoiceId>>| id.to_string();
        Router::new().route("/invoices/{id}", get(show))
    };
    let ask = async |id: &str| {
        let request = Request::get(format!("/invoices/{id}")).body(Body::empty());
        let response = router().oneshot(request.unwrap()).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    };
    let text = "48XoooHHCe1CiOHrghM7Dl";
    let id: PublicId<InvoiceId> = text.parse().unwrap();
    assert_eq!(id.encode(Encoding::Alphanumeric), text);
    let uuid = "30322474-a954-ffa9-941c-6f038afe4ff1";
    let hexadecimal = &id.encode(Encoding::Hexadecimal);
    for form in [text, uuid, hexadecimal] {
        assert_eq!(ask(form).await, (StatusCode::OK, uuid.to_owned()));
    }

    for wrong in [
        "48XoooHHCe1CiOHrghM7D",
        "48XoooHHCe1CiOHrghM7D!",
        "zzzzzzzzzzzCiOHrghM7Dl",
    ] {
        let (status, message) = ask(wrong).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(message.contains("22 alphanumeric characters"), "{message}");
    }
}

#[tokio::test]
async fn a_bad_key_in_the_path_is_a_bad_request_that_says_why() {
    let (status, message) = answer("/offers/4711").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(message.contains("found 4 characters"), "{message}");

    let (status, message) = answer("/offers/00010000-0000-1000-8000-000000000001").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(
        message.contains(
            "not a ShortPrefixComb: the version (position 14 of the hyphenated text) is 1, \
             expected 4"
        ),
        "{message}"
    );

    let id = BookingOfferId::generate();
    let (status, message) = answer(&format!("/offers/{id}/invoices/cus_3zfAkCP7ZtzfeQYp")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(
        message.contains("InvoiceId begins with `inv_`, but the text begins with `cus_`"),
        "{message}"
    );
}

#[tokio::test]
async fn a_key_in_the_query() {
    let id = BookingOfferId::generate();
    assert_eq!(
        answer(&format!("/offers?after={id}&limit=5")).await,
        (StatusCode::OK, format!("Some({id:?}) 5"))
    );
    assert_eq!(
        answer("/offers").await,
        (StatusCode::OK, "None 10".to_owned())
    );

    let (status, message) = answer("/offers?after=00010000-0000-4000-8000-00000000000x").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(message.contains("'x' at position 35"), "{message}");
}
