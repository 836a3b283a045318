//! Malformed requests: each answer names the wrong part, and nothing is written.

use anyhow::Result;
use hyper::Method;
use rowkey_testkit::TestDatabase;
use serde_json::{Value, json};

use crate::client::{Answer, Client, text};
use crate::database::Database;
use crate::raw::{RawConnection, head_of};
use crate::requests::{Request, any_booking, any_offer, command_id, hours_ago, offer_id};
use crate::service::Service;

/// Strings that are not ids, as encoded in a path.
const NO_IDS: [&str; 17] = [
    // 35 and 37 characters.
    "00000000-0000-4000-8000-00000000000",
    "00000000-0000-4000-8000-0000000000000",
    "%7B00000000-0000-4000-8000-000000000000%7D",
    "urn:uuid:00000000-0000-4000-8000-000000000000",
    // 32 digits: more than a short key has.
    "00000000000040008000000000000000",
    "0000000000004-000-8000-000000000000-",
    "g0000000-0000-4000-8000-000000000000",
    "00000000-0000-4000-8000-00000000000g",
    "00000000_0000_4000_8000_000000000000",
    // Full-width digits, and 36 bytes with two of one character.
    "%EF%BC%91%EF%BC%91%EF%BC%91%EF%BC%91",
    "00000000-0000-4000-8000-0000000000%C3%A9",
    "00000000-0000-4000-8000-00000000000%00",
    "%00",
    "%20",
    "00000000-0000-4000-8000-000000000000%20",
    // Not UTF-8.
    "%FF%FE",
    "'%20OR%201=1--",
];

pub(crate) async fn malformed_ids_in_paths(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    let command = json!({"commandId": command_id()});
    let price = json!({"commandId": command_id(), "cents": 1});
    let offer = json!({
        "commandId": command_id(),
        "customerId": booking["customerId"],
        "title": "Fjords",
        "cents": 1,
    });
    for id in NO_IDS {
        for (method, path, body) in [
            ("GET", "/customers/{}", None),
            ("GET", "/booking-offers/{}", None),
            ("PUT", "/booking-offers/{}", Some(&offer)),
            ("POST", "/booking-offers/{}/price-changes", Some(&price)),
            ("POST", "/booking-offers/{}/withdrawals", Some(&command)),
            ("GET", "/bookings/{}", None),
            ("POST", "/bookings/{}/cancellations", Some(&command)),
            ("GET", "/any/{}", None),
        ] {
            let path = path.replace("{}", id);
            let answer = ask(client, method.parse()?, &path, body).await?;
            answer.refused_as(400, "malformed-id");
        }
    }
    assert_eq!(rows.all_rows().await?, before);
    service.stop().await
}

async fn ask(client: &Client, method: Method, path: &str, body: Option<&Value>) -> Result<Answer> {
    match body {
        Some(body) => client.send_body(method, path, body.to_string()).await,
        None => client.get(path).await,
    }
}

pub(crate) async fn malformed_ids_in_bodies(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let requests = every_command(client).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    let long = "0".repeat(10_000);
    let strings = [
        "",
        " ",
        "1",
        "00000000-0000-4000-8000-00000000000",
        "00000000-0000-4000-8000-0000000000000",
        "{00000000-0000-4000-8000-000000000000}",
        "urn:uuid:00000000-0000-4000-8000-000000000000",
        "00000000000040008000000000000000",
        "g0000000-0000-4000-8000-000000000000",
        "00000000-0000-4000-8000-00000000000é",
        "００００００００-0000-4000-8000-000000000000",
        "00000000-0000-4000-8000-00000000000\0",
        " 00000000-0000-4000-8000-000000000000",
        "%30%30",
        &long,
    ];
    for request in &requests {
        for member in ["commandId", "customerId", "offerId"] {
            if request.body.get(member).is_none() {
                continue;
            }
            for text in strings {
                let request = request.clone().with(member, text);
                let problem = client.send(&request).await?.refused(400);
                assert_eq!(problem["pointer"], format!("/{member}"), "{text:?}");
                // The answer does not repeat all of it.
                assert!(problem.to_string().len() < 2_000, "{problem}");
            }
        }
    }
    assert_eq!(rows.all_rows().await?, before);
    for request in &requests {
        client.send(request).await?.done();
    }
    service.stop().await
}

pub(crate) async fn malformed_bodies(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let requests = every_command(client).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    for request in &requests {
        let refuse = async |body: Vec<u8>| -> Result<Value> {
            let method = request.method.clone();
            let answer = client.send_body(method, &request.path, body).await?;
            Ok(answer.refused(400))
        };
        let valid = request.body.to_string();
        let open = valid.trim_end_matches('}');
        for body in [
            String::new(),
            " ".to_owned(),
            "null".to_owned(),
            "1".to_owned(),
            "\"text\"".to_owned(),
            "[]".to_owned(),
            format!("[{valid}]"),
            open.to_owned(),
            format!("{open},}}"),
            format!("{open},\"more\":1}}"),
            format!("{open},\"commandId\":\"{}\"}}", command_id()),
            format!("{valid}{valid}"),
            format!("{valid}x"),
            format!("{open},\"more\":NaN}}"),
            format!("/* {valid} */"),
            valid.replace('"', "'"),
            "[".repeat(20_000),
            "{\"a\":".repeat(10_000),
            format!(
                "{open},\"more\":{}{}}}",
                "[".repeat(20_000),
                "]".repeat(20_000)
            ),
        ] {
            refuse(body.into_bytes()).await?;
        }
        refuse([valid.as_bytes(), b"\xff"].concat()).await?;
        refuse(b"\xef\xbb\xbf{}".to_vec()).await?;
        refuse(valid.encode_utf16().flat_map(u16::to_le_bytes).collect()).await?;

        let optional = ["recordedAt"];
        for (member, value) in request.body.as_object().into_iter().flatten() {
            let is_optional = optional.contains(&member.as_str())
                || (member == "commandId" && request.method == Method::PUT);
            let wrong = if value.is_number() {
                [json!("1"), json!(1.5), json!([1]), json!({}), json!(true)]
            } else {
                [json!(1), json!(1.5), json!(["x"]), json!({}), json!(false)]
            };
            for wrong in wrong {
                let body = request.clone().with(member, wrong.clone()).body;
                let problem = refuse(body.to_string().into()).await?;
                let pointer = problem["pointer"].as_str().unwrap_or_default();
                let expected = format!("/{member}");
                assert!(
                    pointer.starts_with(&expected),
                    "{member}: {wrong}: {problem}"
                );
            }
            if !is_optional {
                for body in [
                    request.clone().without(member).body,
                    request.clone().with(member, Value::Null).body,
                ] {
                    let problem = refuse(body.to_string().into()).await?;
                    let detail = text(&problem, "detail");
                    let pointer = problem["pointer"].as_str().unwrap_or_default();
                    let is_named = detail.contains(member) || pointer.contains(member);
                    assert!(is_named, "{member}: {problem}");
                }
            }
        }
        let problem = refuse(format!("{open},\"surprise\":1}}").into()).await?;
        assert!(problem.to_string().contains("surprise"), "{problem}");
    }
    assert_eq!(rows.all_rows().await?, before);
    // The bodies were refused for their change alone.
    for request in &requests {
        client.send(request).await?.done();
    }
    service.stop().await
}

pub(crate) async fn values_out_of_range(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let requests = every_command(client).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    for request in &requests {
        for member in ["name", "title"] {
            if request.body.get(member).is_none() {
                continue;
            }
            for wrong in ["", " \u{3000}", &"é".repeat(201), &"x".repeat(10_000)] {
                let request = request.clone().with(member, wrong);
                let problem = client
                    .send(&request)
                    .await?
                    .refused_as(422, "invalid-value");
                assert_eq!(problem["pointer"], format!("/{member}"));
            }
            // A character that PostgreSQL cannot store.
            let problem = client.send(&request.clone().with(member, "A\0a")).await?;
            assert!(problem.status.is_client_error(), "{problem:?}");
            problem.refused(problem.status.as_u16());
        }
        if request.body.get("cents").is_some() {
            for wrong in [-1, 1_000_000_000_001, i64::MIN, i64::MAX] {
                let request = request.clone().with("cents", wrong);
                let problem = client
                    .send(&request)
                    .await?
                    .refused_as(422, "invalid-value");
                assert_eq!(problem["pointer"], "/cents");
            }
            for wrong in [
                "9223372036854775808",
                "-9223372036854775809",
                "1e400",
                "1e3",
                "0.0",
            ] {
                let body = request.clone().with("cents", 4711).body.to_string();
                let body = body.replace("4711", wrong);
                let method = request.method.clone();
                let answer = client.send_body(method, &request.path, body).await?;
                let status = answer.status.as_u16();
                assert!([400, 422].contains(&status), "{wrong}: {}", answer.text());
                answer.refused(status);
            }
        }
    }
    assert_eq!(rows.all_rows().await?, before);

    // Characters are counted, not bytes.
    let name = "é".repeat(200);
    let customer = client.send(&Request::customer(&name)).await?.created();
    assert_eq!(text(&customer, "name"), name);
    let request = Request::offer(&customer).with("title", "🛶".repeat(200));
    client.send(&request).await?.created();
    service.stop().await
}

pub(crate) async fn bodies_that_are_too_large(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let rows = Database::open(database).await?;
    let before = rows.all_rows().await?;
    let request = Request::customer(&"x".repeat(8 << 20));
    let body = request.body.to_string();
    let head = head_of(&request, body.len(), "");
    let connection = RawConnection::open(service.address()).await?;
    let bytes = format!("{head}{body}");
    let answer = connection.read_while_writing(bytes.as_bytes()).await?;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("application/problem+json"), "{answer}");
    assert!(answer.contains("\"status\":413"), "{answer}");
    assert_eq!(rows.all_rows().await?, before);
    service.stop().await
}

/// Bytes that are not HTTP are answered or disconnected, and the next request is served.
pub(crate) async fn malformed_requests(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET /customers/\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /customers/\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"POST /customers HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /customers HTTP/9.9\r\n\r\n",
    ] {
        let mut connection = RawConnection::open(service.address()).await?;
        connection.write(bytes).await?;
        let answer = connection.read_to_end().await?;
        let is_fair = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(is_fair, "{bytes:?}: {answer}");
    }
    any_offer(service.client()).await?;
    service.stop().await
}

pub(crate) async fn malformed_parameters_of_pages(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    any_offer(client).await?;
    for (name, query) in [
        ("limit", "limit=0"),
        ("limit", "limit=101"),
        ("limit", "limit=-1"),
        ("limit", "limit=+"),
        ("limit", "limit="),
        ("limit", "limit=ten"),
        ("limit", "limit=1.5"),
        ("limit", "limit=99999999999999999999999"),
        ("limit", "limit=%00"),
        ("limit", "limit=1&limit=2"),
        ("after", "after="),
        ("after", "after=1"),
        ("after", "after=null"),
        ("after", "after=00000000-0000-4000-8000-00000000000"),
        ("after", "after=%7B00000000-0000-4000-8000-000000000000%7D"),
        ("after", "after=00000000000040008000000000000000"),
        ("after", "after=00000000-0000-4000-8000-00000000000%00"),
        ("after", "after=%FF"),
        ("after", "limit=5&after=2%20OR%201"),
    ] {
        let answer = client.get(&format!("/booking-offers?{query}")).await?;
        let problem = answer.refused(400);
        assert!(problem.to_string().contains(name), "{query}: {problem}");
    }
    let position = format!("/booking-offers?limit=100&after={}", offer_id());
    client.get(&position).await?.ok();
    service.stop().await
}

/// One valid command for each route that takes one.
async fn every_command(client: &Client) -> Result<Vec<Request>> {
    let booking = any_booking(client).await?;
    let [offer, withdrawn, booked] = [
        any_offer(client).await?,
        any_offer(client).await?,
        any_offer(client).await?,
    ];
    let customer = json!({"id": offer["customerId"]});
    Ok(vec![
        Request::customer("Ada"),
        Request::offer(&customer).with("recordedAt", hours_ago(0).to_string()),
        Request::price_change(&offer, 1),
        Request::withdrawal(&withdrawn),
        Request::booking(&booked),
        Request::cancellation(&booking),
    ])
}
