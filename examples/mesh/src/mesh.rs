//! An instance of a region: it answers what its database has, and passes everything else on.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Result;
use axum::body::Bytes;
use axum::extract::FromRequest;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rowkey::routing::{IuidTable, Router};
use rowkey_stores::CreateError;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use crate::store::Refusal;
use crate::{Config, MeshId, Pair, Place, Store, describe, pair_of};

/// The region that has passed a request on. A request with this header is never passed on again.
const PASSED_ON: HeaderName = HeaderName::from_static("mesh-passed-on-by");

/// The region that has answered.
const ANSWERED: HeaderName = HeaderName::from_static("mesh-answered-by");

/// What belongs to a connection, or is made anew with the message (RFC 9110, section 7.6.1).
const OF_CONNECTIONS: [HeaderName; 7] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// A request as it is passed on, with what the client may do.
#[derive(FromRequest)]
pub(crate) struct Asked {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    pub(crate) body: Bytes,
}

pub(crate) struct Mesh {
    store: Store,
    config: Config,
    client: reqwest::Client,
    /// Which region has an id, if its pair has never moved.
    routes: IuidTable<String>,
    places: Router<HashMap<Pair, Place>>,
}

impl Mesh {
    /// An instance of this region. It needs no other region to start.
    pub(crate) async fn new(config: Config, region: &str) -> Result<Self> {
        let mesh = Self {
            store: config.store(region).await?,
            // A proxy of the environment is for requests to the world.
            client: reqwest::Client::builder().no_proxy().build()?,
            routes: config.table()?,
            places: Router::new(HashMap::new()),
            config,
        };
        mesh.reload().await?;
        Ok(mesh)
    }

    /// Learns the places that the region's database knows, after a country has moved.
    pub(crate) async fn reload(&self) -> Result<(), sqlx::Error> {
        self.store
            .places()
            .await?
            .into_iter()
            .for_each(|place| _ = self.learn(place));
        Ok(())
    }

    /// Remembers a place; `false` if it is not newer.
    fn learn(&self, place: Place) -> bool {
        let Place {
            country,
            service_entity,
            ..
        } = place;
        let pair = Pair {
            country,
            service_entity,
        };
        let places = self.places.load_full();
        if places
            .get(&pair)
            .is_some_and(|known| known.moves >= place.moves)
        {
            return false;
        }
        let mut places = HashMap::clone(&places);
        places.insert(pair, place);
        // Two requests that learn at the same time: what one of them forgets is learned again.
        self.places.replace(places);
        true
    }

    // ANCHOR: ask
    /// Has a request answered by the region of its id, whatever this instance knows at first.
    pub(crate) async fn ask<F: Future<Output = Result<Response, CreateError<Refusal>>>>(
        &self,
        id: MeshId,
        asked: &Asked,
        answer: impl Fn(Store) -> F,
    ) -> Result<Response, Problem> {
        let (pair, own) = (pair_of(id), &self.store.region);
        let routed = self.routes.node_of(id);
        let routed = routed.map_err(|unknown| Problem::new(StatusCode::NOT_FOUND, unknown))?;
        let was_passed_on = asked.headers.contains_key(PASSED_ON);
        let deadline = Instant::now() + self.config.limit();
        let mut pause = Duration::from_millis(2);
        loop {
            let known = self
                .places
                .load()
                .get(&pair)
                .map(|place| place.region.clone());
            let region = known.unwrap_or_else(|| routed.clone());
            let unavailable = || Problem::unavailable(&region, pair);
            // The database has the last word, so an instance that others ask does not look at its table.
            let place = if was_passed_on || region == *own {
                let answered = timeout_at(deadline, answer(self.store.clone())).await;
                match answered.map_err(|_| unavailable())? {
                    Ok(answer) => {
                        let answered = HeaderValue::from_str(own).map(|own| [(ANSWERED, own)]);
                        return Ok((answered.ok(), answer).into_response());
                    }
                    Err(CreateError::Closure(Refusal::NotHere(place))) => place.map(|place| *place),
                    Err(error) => return Err(Problem::of(error, unavailable)),
                }
            } else {
                let passed_on = timeout_at(deadline, self.pass_on(&region, asked)).await;
                let Ok(Ok((status, headers, body))) = passed_on else {
                    return Err(unavailable());
                };
                if status != StatusCode::MISDIRECTED_REQUEST {
                    return Ok((status, headers, body).into_response());
                }
                let mut problem: Value = serde_json::from_slice(&body).unwrap_or_default();
                serde_json::from_value(problem["place"].take()).unwrap_or_default()
            };
            if was_passed_on {
                let detail = format!("`{own}` cannot answer for {} now", describe(pair));
                let problem = Problem::new(StatusCode::MISDIRECTED_REQUEST, detail);
                return Err(problem.with("place", place));
            }
            // Only the instance that the client has asked waits for the end of a move.
            if !place.is_some_and(|place| self.learn(place)) {
                if Instant::now() + pause > deadline {
                    return Err(unavailable());
                }
                sleep(pause).await;
                pause = (2 * pause).min(Duration::from_millis(100));
            }
        }
    }

    async fn pass_on(&self, region: &str, asked: &Asked) -> Result<(StatusCode, HeaderMap, Bytes)> {
        let url = format!(
            "http://{}{}",
            self.config.region(region)?.address,
            asked.uri
        );
        let mut headers = asked.headers.clone();
        OF_CONNECTIONS
            .iter()
            .for_each(|name| drop(headers.remove(name)));
        headers.insert(PASSED_ON, HeaderValue::from_str(&self.store.region)?);
        let request = self
            .client
            .request(asked.method.clone(), url)
            .headers(headers);
        let response = request.body(asked.body.clone()).send().await?;
        let (status, mut headers) = (response.status(), response.headers().clone());
        OF_CONNECTIONS
            .iter()
            .for_each(|name| drop(headers.remove(name)));
        Ok((status, headers, response.bytes().await?))
    }
    // ANCHOR_END: ask
}

/// A failure, as clients see it: `application/problem+json` (RFC 9457).
pub(crate) struct Problem(StatusCode, Value);

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl ToString) -> Self {
        let title = status.canonical_reason();
        let detail = detail.to_string();
        Self(
            status,
            json!({"title": title, "status": status.as_u16(), "detail": detail}),
        )
    }

    fn with(mut self, name: &str, value: impl Serialize) -> Self {
        self.1[name] = json!(value);
        self
    }

    fn unavailable(region: &str, pair: Pair) -> Self {
        let detail = format!(
            "the region `{region}` does not answer for {}",
            describe(pair)
        );
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).with("region", region)
    }

    fn of(error: CreateError<Refusal>, unavailable: impl Fn() -> Self) -> Self {
        if error.is_conflict() {
            return Self::new(StatusCode::CONFLICT, error);
        } else if error.is_unavailable() {
            return unavailable();
        }
        eprintln!("error: {:#}", anyhow::Error::from(error));
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the log of the region says why",
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let later = self.0 == StatusCode::SERVICE_UNAVAILABLE;
        let later = later.then_some([(header::RETRY_AFTER, "1")]);
        (self.0, kind, later, self.1.to_string()).into_response()
    }
}
