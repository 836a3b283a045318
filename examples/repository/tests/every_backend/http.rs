//! The repository over HTTP, on a socket.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use repository::{CommandId, Customer, CustomerId, CustomerRepository};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Method, RequestBuilder};
use rowkey::generate::{Generate, SystemEntropy};
use rowkey::{EntityKey, ShortPrefixComb, UnixMillis, UuidV4, UuidV7};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

use crate::scenarios::customer;

/// A running service, and its repository.
pub(crate) struct Service {
    address: String,
    client: Client,
    repository: Arc<dyn CustomerRepository>,
}

type Run = for<'s> fn(&'s Service) -> Pin<Box<dyn Future<Output = Result<()>> + 's>>;

pub(crate) const ALL: [(&str, Run); 4] = [
    ("http_requests_may_be_repeated", |service| {
        Box::pin(requests_may_be_repeated(service))
    }),
    ("http_malformed_requests_are_refused", |service| {
        Box::pin(malformed_requests_are_refused(service))
    }),
    ("http_repetitions_at_once_create_once", |service| {
        Box::pin(repetitions_at_once_create_once(service))
    }),
    ("http_dropped_requests_run_to_the_end", |service| {
        Box::pin(dropped_requests_run_to_the_end(service))
    }),
];

impl Service {
    pub(crate) async fn start(repository: Arc<dyn CustomerRepository>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let router = repository::http::router(Arc::clone(&repository));
        tokio::spawn(async { axum::serve(listener, router).await });
        Ok(Self {
            address,
            client: Client::new(),
            repository,
        })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.address))
    }

    fn put(&self, Customer { id, name, .. }: &Customer) -> RequestBuilder {
        let request = self.request(Method::PUT, &format!("/customers/{id}"));
        request.json(&json!({ "name": name }))
    }

    fn post(&self, customer: CustomerId, command: CommandId, cents: i64) -> RequestBuilder {
        let request = self.request(Method::POST, &format!("/customers/{customer}/invoices"));
        let request = request.header("idempotency-key", command.to_string());
        request.json(&json!({ "cents": cents }))
    }

    /// The status, the location and the body of the answer to a GET.
    async fn get(&self, path: &str) -> Result<(u16, String, Value)> {
        answer(self.request(Method::GET, path)).await
    }
}

async fn answer(request: RequestBuilder) -> Result<(u16, String, Value)> {
    let answer = request.send().await?;
    let status = answer.status().as_u16();
    let location = answer.headers().get(LOCATION).map(HeaderValue::to_str);
    let location = location.transpose()?.unwrap_or_default().to_owned();
    let text = answer.text().await?;
    // Refusals are plain text.
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok((status, location, body))
}

async fn status(request: RequestBuilder) -> Result<u16> {
    Ok(answer(request).await?.0)
}

async fn requests_may_be_repeated(service: &Service) -> Result<()> {
    let ada = customer("Ada");
    let path = format!("/customers/{}", ada.id);
    assert_eq!(service.get(&path).await?.0, 404);
    let stored = json!({ "id": ada.id.to_string(), "name": "Ada", "referredBy": null });
    let first = answer(service.put(&ada)).await?;
    assert_eq!(first, (201, path.clone(), stored.clone()));
    let second = answer(service.put(&ada)).await?;
    assert_eq!(second, (200, path.clone(), stored.clone()));
    let other = Customer {
        name: "Grace".to_owned(),
        ..ada.clone()
    };
    assert_eq!(status(service.put(&other)).await?, 409);
    assert_eq!(service.get(&path).await?, (200, String::new(), stored));

    let command = CommandId::generate();
    let (created, path, invoice) = answer(service.post(ada.id, command, 100)).await?;
    assert_eq!(created, 201);
    assert_eq!(
        (&invoice["cents"], &invoice["customerId"]),
        (&json!(100), &json!(ada.id))
    );
    let repeated = answer(service.post(ada.id, command, 100)).await?;
    assert_eq!(repeated, (200, path.clone(), invoice.clone()));
    assert_eq!(service.get(&path).await?, (200, String::new(), invoice));
    for cents in [101, -100] {
        assert_eq!(status(service.post(ada.id, command, cents)).await?, 409);
    }

    let joan = customer("Joan");
    let command = CommandId::generate();
    assert_eq!(status(service.post(joan.id, command, 100)).await?, 404);
    assert_eq!(status(service.put(&joan)).await?, 201);
    assert_eq!(status(service.post(joan.id, command, 100)).await?, 201);
    Ok(())
}

async fn malformed_requests_are_refused(service: &Service) -> Result<()> {
    let ada = customer("Ada");
    service.repository.add_customer(&ada).await?;
    let put = |id: &str, body: &str| {
        let request = service.request(Method::PUT, &format!("/customers/{id}"));
        request
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_owned())
    };
    let yesterday = UnixMillis::now().saturating_sub(Duration::from_secs(86_400));
    let old = ShortPrefixComb::generate_with(&(), &yesterday, &mut SystemEntropy::new())?;
    let old = CustomerId::from_format(old)?.to_string();
    let version_7 = UuidV7::generate().to_string();
    let id = CustomerId::generate().to_string();
    let long = json!({ "name": "a".repeat(201) }).to_string();
    for (id, body, expected) in [
        ("x", r#"{"name": "Ada"}"#, 400),
        ("%ff", r#"{"name": "Ada"}"#, 400),
        (&version_7, r#"{"name": "Ada"}"#, 400),
        (&old, r#"{"name": "Ada"}"#, 400),
        (&id, &long, 400),
        (&id, "{", 400),
        (&id, "{}", 422),
        (&id, r#"{"name": "Ada", "referredBy": "x"}"#, 422),
        (&id, r#"{"name": "Ada", "referred_by": null}"#, 422),
    ] {
        let (status, _, text) = answer(put(id, body)).await?;
        assert_eq!(status, expected, "{id} {body}: {text}");
    }
    let all = service.repository.customers_after(None, 10).await?;
    assert_eq!(all, std::slice::from_ref(&ada));

    let post = || {
        let path = format!("/customers/{}/invoices", ada.id);
        service
            .request(Method::POST, &path)
            .json(&json!({ "cents": 1 }))
    };
    let good = CommandId::generate().to_string();
    let header = |value: &[u8]| HeaderValue::from_bytes(value);
    for keys in [
        vec![],
        vec![header(b"")?],
        vec![header(b"x")?],
        vec![header(b"\xff")?],
        vec![header(UuidV4::generate().to_string().as_bytes())?],
        vec![header(format!("\"{good}\"").as_bytes())?],
        vec![header(good.as_bytes())?, header(good.as_bytes())?],
    ] {
        let mut request = post();
        for key in &keys {
            request = request.header("idempotency-key", key);
        }
        let (status, _, text) = answer(request).await?;
        let text = text.as_str().unwrap_or_default();
        ensure!(
            status == 400 && text.contains("Idempotency-Key"),
            "{keys:?}: {status} {text}"
        );
    }
    let request = post().header("idempotency-key", good).body("{}");
    assert_eq!(status(request).await?, 422);
    for path in ["/customers/x", "/invoices/x"] {
        assert_eq!(service.get(path).await?.0, 400);
    }
    assert_eq!(service.repository.invoices_of(ada.id).await?, []);
    Ok(())
}

async fn repetitions_at_once_create_once(service: &Service) -> Result<()> {
    let ada = customer("Ada");
    let puts = try_join_all((0..16).map(|_| status(service.put(&ada)))).await?;
    assert_eq!(puts.iter().filter(|&&status| status == 201).count(), 1);
    assert_eq!(puts.iter().filter(|&&status| status == 200).count(), 15);

    let commands = [(); 20].map(|()| CommandId::generate());
    let calls = (0..16).map(async |_| {
        let mut answers = Vec::new();
        for command in commands {
            answers.push(answer(service.post(ada.id, command, 100)).await?);
        }
        anyhow::Ok(answers)
    });
    let answers = try_join_all(calls).await?;
    for n in 0..commands.len() {
        let mut statuses: Vec<_> = answers.iter().map(|answers| answers[n].0).collect();
        statuses.sort_unstable();
        assert_eq!(
            (statuses[..15].iter().max(), statuses[15]),
            (Some(&200), 201)
        );
        ensure!(answers.iter().all(|others| others[n].2 == answers[0][n].2));
    }
    let invoices = service.repository.invoices_of(ada.id).await?;
    assert_eq!(invoices.len(), commands.len());
    Ok(())
}

async fn dropped_requests_run_to_the_end(service: &Service) -> Result<()> {
    let ada = customer("Ada");
    service.repository.add_customer(&ada).await?;
    let invoices = async || anyhow::Ok(service.repository.invoices_of(ada.id).await?.len());

    // Dropped as soon as it waits, and not sent again.
    let commands = [(); 40].map(|()| CommandId::generate());
    let router = repository::http::router(Arc::clone(&service.repository));
    for command in commands {
        let request = Request::post(format!("/customers/{}/invoices", ada.id))
            .header("content-type", "application/json")
            .header("idempotency-key", command.to_string())
            .body(Body::from(r#"{"cents": 100}"#))?;
        ensure!(router.clone().oneshot(request).now_or_never().is_none());
    }
    let all = async {
        while invoices().await? < commands.len() {
            sleep(Duration::from_millis(10)).await;
        }
        anyhow::Ok(())
    };
    timeout(Duration::from_secs(30), all).await??;
    for command in commands {
        assert_eq!(status(service.post(ada.id, command, 100)).await?, 200);
    }

    // The client hangs up, each time a little later.
    let more = [(); 40].map(|()| CommandId::generate());
    for (command, n) in more.into_iter().zip(0..) {
        let request = service.post(ada.id, command, 100).send();
        let _ = timeout(Duration::from_micros(200 * n), request).await;
    }
    for command in more {
        let status = status(service.post(ada.id, command, 100)).await?;
        ensure!([200, 201].contains(&status), "{status}");
    }
    assert_eq!(invoices().await?, commands.len() + more.len());
    Ok(())
}
