//! The answers of each route, for existing and unknown entities.

use anyhow::Result;
use hyper::StatusCode;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName};
use rowkey::Luuid;
use rowkey::luuid::LuuidGroup;
use rowkey_testkit::TestDatabase;
use serde_json::{Value, json};

use crate::client::{Client, members, text};
use crate::requests::{
    Request, any_booking, any_customer, any_offer, command_id, hours_ago, offer_id,
};
use crate::service::Service;

const CUSTOMER: [&str; 3] = ["id", "name", "number"];
const BOOKING: [&str; 7] = [
    "cents",
    "customerId",
    "id",
    "invoiceId",
    "number",
    "offerId",
    "state",
];

pub(crate) async fn customers_are_created_once_and_read(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    // Outside the Basic Multilingual Plane: four bytes of UTF-8.
    let request = Request::customer("Ærøskøbing 🛶 'n' \\ \"co\"");
    let answer = client.send(&request).await?;
    let customer = answer.created();
    assert_eq!(members(&customer), CUSTOMER);
    assert_eq!(customer["name"], request.body["name"]);
    text(&customer, "id").parse::<Luuid>()?;
    let location = answer.location().to_owned();
    assert_eq!(location, format!("/customers/{}", text(&customer, "id")));
    assert_eq!(client.get(&location).await?.ok(), customer);

    assert_eq!(client.send(&request).await?.ok(), customer);
    let other = client.send(&Request::customer("Ada")).await?.created();
    assert_ne!(other["id"], customer["id"]);
    assert_ne!(other["number"], customer["number"]);
    service.stop().await
}

pub(crate) async fn customers_are_found_by_their_number(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let mut customers = Vec::new();
    // More than ten, so that some number has a letter.
    for index in 0..12 {
        let request = Request::customer(&format!("customer {index}"));
        customers.push(client.send(&request).await?.created());
    }
    for customer in &customers {
        let short_key = text(customer, "number");
        let number = Luuid::parse_short_key(short_key)?;
        assert_eq!(text(customer, "id").parse::<Luuid>()?.number(), number);
        for spelling in [
            short_key.to_owned(),
            short_key.to_ascii_uppercase(),
            format!("{number:x}"),
            format!("{number:06x}"),
            format!("{number:012x}"),
        ] {
            let found = client.get(&format!("/customers/{spelling}")).await?.ok();
            assert_eq!(found, *customer, "{spelling}");
        }
    }
    for unknown in ["23122e", "ffffffffffff", "0"] {
        let answer = client.get(&format!("/customers/{unknown}")).await?;
        answer.refused(404);
    }
    service.stop().await
}

pub(crate) async fn offers_are_created_once_and_read(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let request = Request::offer(&customer);
    let answer = client.send(&request).await?;
    let offer = answer.created();
    assert_eq!(answer.location(), request.path);
    let id = request.path.trim_start_matches("/booking-offers/");
    assert_eq!(text(&offer, "id"), id);
    for member in ["customerId", "title", "cents"] {
        assert_eq!(offer[member], request.body[member], "{member}");
    }
    assert_eq!(offer["state"], "open");
    let mut known = members(&offer);
    known.retain(|member| *member != "createdAt");
    assert_eq!(known, ["cents", "customerId", "id", "state", "title"]);

    assert_eq!(client.get(answer.location()).await?.ok(), offer);
    assert_eq!(client.send(&request).await?.ok(), offer);

    // The id of the command can be left out: the id of the offer says the same.
    let silent = Request::offer(&customer).without("commandId");
    let created = client.send(&silent).await?.created();
    assert_eq!(client.send(&silent).await?.ok(), created);
    service.stop().await
}

pub(crate) async fn prices_change_once_per_command(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let creation = Request::offer(&customer);
    let offer = client.send(&creation).await?.created();
    let [first, second] = [90_000, 95_000].map(|cents| Request::price_change(&offer, cents));

    let changed = client.send(&first).await?.ok();
    let mut expected = offer.clone();
    expected["cents"] = 90_000.into();
    assert_eq!(changed, expected);
    assert_eq!(client.send(&second).await?.ok()["cents"], 95_000);
    // The repetition is answered with the present state and does not bring back the old price.
    let present = client.send(&first).await?.ok();
    assert_eq!(present["cents"], 95_000);
    assert_eq!(client.get(&creation.path).await?.ok(), present);
    // The creation is compared with the original offer, not with its present state.
    assert_eq!(client.send(&creation).await?.ok(), present);

    // Free of charge, and the highest price.
    for cents in [0, 1_000_000_000_000] {
        let request = Request::price_change(&offer, cents);
        assert_eq!(client.send(&request).await?.ok()["cents"], cents);
    }
    service.stop().await
}

pub(crate) async fn offers_are_withdrawn_once(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let offer = any_offer(client).await?;
    let price_change = Request::price_change(&offer, 7);
    client.send(&price_change).await?.ok();
    let withdrawal = Request::withdrawal(&offer);
    let withdrawn = client.send(&withdrawal).await?.ok();
    assert_eq!(withdrawn["state"], "withdrawn");
    // Earlier commands can still be repeated.
    for repetition in [&withdrawal, &price_change] {
        assert_eq!(client.send(repetition).await?.ok(), withdrawn);
    }
    service.stop().await
}

pub(crate) async fn offers_are_booked_once(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let offer = any_offer(client).await?;
    let price_change = Request::price_change(&offer, 4_200);
    client.send(&price_change).await?.ok();
    let request = Request::booking(&offer);
    let answer = client.send(&request).await?;
    let booking = answer.created();
    assert_eq!(members(&booking), BOOKING);
    assert_eq!(booking["offerId"], offer["id"]);
    assert_eq!(booking["customerId"], offer["customerId"]);
    assert_eq!(booking["cents"], 4_200);
    assert_eq!(booking["state"], "confirmed");
    let id = text(&booking, "id");
    let number = Luuid::parse_short_key(text(&booking, "number"))?;
    assert_eq!(id.parse::<Luuid>()?.number(), number);
    assert_eq!(answer.location(), format!("/bookings/{id}"));
    assert_eq!(client.get(answer.location()).await?.ok(), booking);
    assert_eq!(client.send(&request).await?.ok(), booking);

    let booked = client.get(&path_of(&offer)).await?.ok();
    assert_eq!(booked["state"], "booked");
    assert_eq!(client.send(&price_change).await?.ok(), booked);

    let invoice_id = text(&booking, "invoiceId");
    let invoice = client.get(&format!("/invoices/{invoice_id}")).await?.ok();
    let expected = json!({"id": invoice_id, "bookingId": id, "cents": 4_200});
    assert_eq!(invoice, expected);
    service.stop().await
}

pub(crate) async fn bookings_are_cancelled_once(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let cancellation = Request::cancellation(&booking);
    let cancelled = client.send(&cancellation).await?.ok();
    let mut expected = booking.clone();
    expected["state"] = "cancelled".into();
    assert_eq!(cancelled, expected);
    let path = format!("/bookings/{}", text(&booking, "id"));
    assert_eq!(client.get(&path).await?.ok(), cancelled);

    let offer_path = format!("/booking-offers/{}", text(&booking, "offerId"));
    let offer = client.get(&offer_path).await?.ok();
    assert_eq!(offer["state"], "open");
    let second = client.send(&Request::booking(&offer)).await?.created();
    assert_ne!(second["id"], booking["id"]);
    assert_ne!(second["number"], booking["number"]);
    assert_ne!(second["invoiceId"], booking["invoiceId"]);
    // The late repetition does not take the offer from the second booking.
    assert_eq!(client.send(&cancellation).await?.ok(), cancelled);
    assert_eq!(client.get(&offer_path).await?.ok()["state"], "booked");
    service.stop().await
}

pub(crate) async fn any_id_is_dispatched_by_its_group(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let booking_id = text(&booking, "id");
    let customer_id = text(&booking, "customerId");
    for (id, href) in [
        (customer_id, format!("/customers/{customer_id}")),
        (booking_id, format!("/bookings/{booking_id}")),
    ] {
        let answer = client.get(&format!("/any/{id}")).await?;
        assert_eq!((answer.status.as_u16(), answer.location()), (307, &*href));
        assert_eq!(client.get(&href).await?.ok()["id"], id);
    }

    let customer: Luuid = customer_id.parse()?;
    let unknown_row = Luuid::from_parts(customer.group(), customer.number(), 1)?;
    let unknown_number = Luuid::from_parts(customer.group(), 0xffff_ffff, 1)?;
    let unknown_group = Luuid::from_parts(LuuidGroup::of("nobody"), 1, 1)?;
    for id in [unknown_row, unknown_number, unknown_group] {
        client.get(&format!("/any/{id}")).await?.refused(404);
    }
    // Not a LUUID.
    client
        .get(&format!("/any/{}", offer_id()))
        .await?
        .refused(404);
    service.stop().await
}

pub(crate) async fn unknown_ids_are_not_found(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let customer: Luuid = text(&booking, "customerId").parse()?;
    let known: Luuid = text(&booking, "id").parse()?;
    let unknown_customer = Luuid::from_parts(customer.group(), 0xfffe, 1)?.to_string();
    let unknown_booking = Luuid::from_parts(known.group(), 0xfffe, 1)?.to_string();
    let unknown_offer = offer_id();
    for path in [
        format!("/customers/{unknown_customer}"),
        format!("/booking-offers/{unknown_offer}"),
        format!("/bookings/{unknown_booking}"),
        format!("/any/{unknown_booking}"),
    ] {
        client.get(&path).await?.refused_as(404, "unknown-id");
    }
    let offer = json!({"id": unknown_offer});
    for request in [
        Request::price_change(&offer, 1),
        Request::withdrawal(&offer),
        Request::cancellation(&json!({"id": unknown_booking})),
    ] {
        client.send(&request).await?.refused_as(404, "unknown-id");
    }
    // In a body, an unknown id is an invalid value.
    let request = Request::booking(&offer);
    let problem = client.send(&request).await?.refused(422);
    assert_eq!(problem["pointer"], "/offerId");
    let request = Request::offer(&json!({"id": unknown_customer}));
    let problem = client.send(&request).await?.refused(422);
    assert_eq!(problem["pointer"], "/customerId");
    client.get(&request.path).await?.refused(404);

    // An id of another entity type is not a key of this one.
    let path = format!("/customers/{known}");
    assert!(client.get(&path).await?.status.is_client_error());
    let path = format!("/bookings/{customer}");
    assert!(client.get(&path).await?.status.is_client_error());
    service.stop().await
}

pub(crate) async fn unknown_routes_and_methods_are_problems(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let id = offer_id();
    for path in [
        "/".to_owned(),
        "/nothing".to_owned(),
        "/customers/".to_owned(),
        "/bookings/1/2/3".to_owned(),
        format!("/booking-offers/{id}/refunds"),
        "/openapi.yaml".to_owned(),
    ] {
        client.get(&path).await?.refused(404);
    }
    for (method, path) in [
        ("DELETE", "/customers".to_owned()),
        ("GET", "/customers".to_owned()),
        ("PUT", "/bookings".to_owned()),
        ("POST", format!("/booking-offers/{id}")),
        ("POST", "/booking-offers".to_owned()),
        ("GET", format!("/booking-offers/{id}/withdrawals")),
        ("PATCH", "/openapi.json".to_owned()),
        ("DELETE", "/health".to_owned()),
    ] {
        let answer = client
            .send_body(method.parse()?, &path, json!({}).to_string())
            .await?;
        answer.refused(405);
        assert!(!answer.header(ALLOW).is_empty(), "{method} {path}");
    }
    service.stop().await
}

pub(crate) async fn health_asks_the_database(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    assert_eq!(client.get("/health").await?.status, StatusCode::OK);
    service.stop().await
}

pub(crate) async fn wrong_content_types_are_refused(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let offer = client
        .send(&Request::offer_recorded_at(&customer, hours_ago(1)))
        .await?
        .created();
    let requests = [
        Request::customer("Ada"),
        Request::offer(&customer),
        Request::price_change(&offer, 1),
        Request::withdrawal(&offer),
        Request::booking(&offer),
    ];
    for request in requests {
        let types: [&[(HeaderName, &str)]; 4] = [
            &[],
            &[(CONTENT_TYPE, "text/plain")],
            &[(CONTENT_TYPE, "application/x-www-form-urlencoded")],
            &[(CONTENT_TYPE, "nonsense")],
        ];
        for headers in types {
            let (method, path) = (request.method.clone(), &request.path);
            let body = request.body.to_string().into();
            client
                .exchange(method, path, headers, body)
                .await?
                .refused(415);
        }
    }
    let request = Request::customer("Ada");
    let headers = [(CONTENT_TYPE, "application/json; charset=utf-8")];
    let (method, body) = (request.method.clone(), request.body.to_string());
    let answer = client.exchange(method, "/customers", &headers, body.into());
    answer.await?.created();
    service.stop().await
}

/// A command id can be any UUID, of any version.
pub(crate) async fn commands_have_any_random_uuid(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let request = Request::customer("Ada");
    let customer = client.send(&request).await?.created();
    let upper = text(&request.body, "commandId").to_ascii_uppercase();
    let repetition = request.with("commandId", upper);
    assert_eq!(client.send(&repetition).await?.ok(), customer);
    let other = Request::customer("Ada").with("commandId", command_id());
    client.send(&other).await?.created();
    service.stop().await
}

fn path_of(offer: &Value) -> String {
    format!("/booking-offers/{}", text(offer, "id"))
}

/// Used by tests that check that nothing changes.
pub(crate) async fn offer_of(client: &Client, id: &str) -> Result<Value> {
    Ok(client.get(&format!("/booking-offers/{id}")).await?.ok())
}
