//! An HTTP client that checks answers.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use hyper::{Method, StatusCode};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::time::timeout;

use crate::requests::Request;
use crate::service::PATIENCE;

/// Sends each request once; repetitions are explicit.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    http: hyper_util::client::legacy::Client<HttpConnector, Full<Bytes>>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .retry_canceled_requests(false)
            .build_http();
        Self { address, http }
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer> {
        self.exchange(Method::GET, path, &[], Bytes::new()).await
    }

    pub(crate) async fn send(&self, request: &Request) -> Result<Answer> {
        let method = request.method.clone();
        let body = request.body.to_string();
        self.send_body(method, &request.path, body).await
    }

    /// Sends a body with the content type of JSON.
    pub(crate) async fn send_body(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<Answer> {
        let json = [(CONTENT_TYPE, "application/json")];
        self.exchange(method, path, &json, body.into()).await
    }

    pub(crate) async fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> Result<Answer> {
        let mut request = hyper::Request::builder()
            .method(method.clone())
            .uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let request = request.body(Full::new(body))?;
        let exchange = async {
            let (parts, body) = self.http.request(request).await?.into_parts();
            anyhow::Ok((parts, body.collect().await?.to_bytes()))
        };
        let (parts, body) = timeout(PATIENCE, exchange)
            .await
            .with_context(|| format!("no answer to {method} {path}"))?
            .with_context(|| format!("{method} {path} failed"))?;
        Ok(Answer {
            request: format!("{method} {path}"),
            status: parts.status,
            headers: parts.headers,
            body,
        })
    }
}

/// The service's answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Method and path, for messages.
    pub(crate) request: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: HeaderName) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str());
        value.and_then(Result::ok).unwrap_or_default()
    }

    pub(crate) fn location(&self) -> &str {
        self.header(LOCATION)
    }

    /// The entity of an answer with status 200.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        self.entity(StatusCode::OK)
    }

    /// The entity of an answer with status 201.
    #[track_caller]
    pub(crate) fn created(&self) -> Value {
        self.entity(StatusCode::CREATED)
    }

    /// The entity of an answer to a command that may have been executed before.
    #[track_caller]
    pub(crate) fn done(&self) -> Value {
        self.entity(match self.status {
            StatusCode::CREATED => StatusCode::CREATED,
            _ => StatusCode::OK,
        })
    }

    #[track_caller]
    fn entity(&self, status: StatusCode) -> Value {
        let Self { request, .. } = self;
        assert_eq!(self.status, status, "{request}: {}", self.text());
        assert_eq!(self.header(CONTENT_TYPE), "application/json", "{request}");
        let created = status == StatusCode::CREATED;
        assert_eq!(!self.location().is_empty(), created, "{request}: Location");
        self.json()
    }

    /// The problem of an answer that refuses the request.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> Value {
        let Self { request, .. } = self;
        let text = self.text();
        assert_eq!(self.status.as_u16(), status, "{request}: {text}");
        let content_type = self.header(CONTENT_TYPE);
        assert_eq!(
            content_type, "application/problem+json",
            "{request}: {text}"
        );
        let problem = self.json();
        let member = |name: &str| problem[name].as_str().unwrap_or_default();
        assert!(
            member("type").starts_with("urn:booking-service:"),
            "{request}: {text}"
        );
        assert!(!member("title").is_empty(), "{request}: {text}");
        assert!(!member("detail").is_empty(), "{request}: {text}");
        assert_eq!(problem["status"], status, "{request}: {text}");
        problem
    }

    /// As [`refused`](Self::refused), of this type.
    #[track_caller]
    pub(crate) fn refused_as(&self, status: u16, code: &str) -> Value {
        let problem = self.refused(status);
        let expected = format!("urn:booking-service:{code}");
        assert_eq!(problem["type"], expected, "{}: {problem}", self.request);
        problem
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(json) => json,
            Err(error) => panic!("{}: {error}: {}", self.request, self.text()),
        }
    }
}

/// The names of an object's members.
pub(crate) fn members(object: &Value) -> Vec<&str> {
    let members = object.as_object().into_iter().flatten();
    let mut names: Vec<&str> = members.map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

/// A member that is a string.
#[track_caller]
pub(crate) fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    match object[name].as_str() {
        Some(text) => text,
        None => panic!("`{name}` is not a string in {object}"),
    }
}
