//! An instance of a region: it answers what its database has, and passes everything else on.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderMap, Method, Request, StatusCode, request::Parts};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router as Paths};
use rowkey::routing::{IuidTable, Router};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::spawn;
use tokio::time::{sleep, timeout};

use crate::config::{Config, in_region};
use crate::{MESH, MeshId, Pair, Store, describe, pair_of, pairs};

/// The region that has passed a request on. A request with this header is never passed on again.
const PASSED_ON: HeaderName = HeaderName::from_static("mesh-passed-on-by");

/// The region that has answered. With status 421, the one that has the entity as far as the asked
/// region knows.
const REGION: HeaderName = HeaderName::from_static("mesh-region");
const MISDIRECTED: StatusCode = StatusCode::MISDIRECTED_REQUEST;

/// The headers that are passed on, there and back: what a client may do remains what it may do. The
/// length of an answer to HEAD does not follow from its body.
const PASSED: [HeaderName; 5] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    CONTENT_LENGTH,
    RETRY_AFTER,
    REGION,
];

struct Instance {
    store: Store,
    config: Config,
    client: reqwest::Client,
    /// Which region is asked for a pair whose place is not known.
    routes: IuidTable<String>,
    places: Router<HashMap<Pair, String>>,
}

/// Serves a region until the process ends, which may happen at any time. It needs no other region
/// to start.
pub async fn serve(config: Config, region: &str) -> Result<()> {
    let address = &in_region(&config.regions, region)?.address;
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    let store = config.store(region).await?;
    let mut places = HashMap::new();
    for pair in pairs() {
        let place = store.place(pair).await?;
        (place.version > 0).then(|| places.insert(pair, place.region));
    }
    let instance = Instance {
        store,
        // A proxy of the environment is for requests to the world.
        client: reqwest::Client::builder().no_proxy().build()?,
        routes: config.table()?,
        places: Router::new(places),
        config,
    };
    let paths = Paths::new()
        .route("/entities/{id}", get(answer).put(answer))
        .route("/any/{id}", get(answer))
        // The bytes of the longest title that the databases store.
        .layer(DefaultBodyLimit::max(200))
        .with_state(Arc::new(instance));
    println!("listening on http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, paths).await?)
}

/// Has a request answered by the region of its id, whatever this instance knows at first.
async fn answer(
    State(instance): State<Arc<Instance>>,
    Path(id): Path<String>,
    parts: Parts,
    body: String,
) -> axum::response::Result<Response> {
    let id: MeshId = id.parse().map_err(|error| problem(400, error))?;
    let routed = instance.routes.node_of(id);
    let routed = routed.map_err(|unknown| problem(404, unknown))?;
    if body.contains('\0') {
        return Err(problem(400, "a title has no NUL").into());
    }
    let (pair, own) = (pair_of(id), &instance.store.region);
    let known = instance.places.load().get(&pair).unwrap_or(routed).clone();
    let (mut region, mut pause) = (known.clone(), Duration::from_millis(2));
    let was_passed_on = parts.headers.contains_key(PASSED_ON);
    let request = Request::from_parts(parts, body);
    let answered = timeout(Duration::from_millis(instance.config.limit_ms), async {
        loop {
            // The database has the last word: an instance that another one asks does not look at
            // its table.
            let response = match was_passed_on || region == *own {
                // A task ends even if the client has gone. A dropped transaction may cost a
                // connection.
                true => spawn(answer_here(instance.store.clone(), id, request.clone())).await??,
                false => match instance.pass_on(&region, request.clone()).await {
                    Ok(response) => response,
                    Err(error) => {
                        // The pair may have been moved away because that region is down.
                        let place = instance.store.place(pair).await?;
                        if place.version == 0 || place.region == region {
                            return Err(error);
                        }
                        region = place.region;
                        continue;
                    }
                },
            };
            match response.headers().get(REGION) {
                Some(elsewhere) if response.status() == MISDIRECTED && !was_passed_on => {
                    region = elsewhere.to_str()?.to_owned();
                }
                _ => return anyhow::Ok(response),
            }
            // At the end of a move, both regions name the other one until the last rows are copied.
            sleep(pause).await;
            pause = (2 * pause).min(Duration::from_millis(100));
        }
    });
    let response = answered.await.map_err(anyhow::Error::from).flatten();
    let response = response.map_err(|error| {
        let silent = format!(
            "the region `{region}` does not answer for {}",
            describe(pair)
        );
        eprintln!("{silent}: {error:#}");
        unavailable(silent)
    })?;
    if region != known {
        let mut places = HashMap::clone(&instance.places.load());
        places.insert(pair, region);
        // Two requests that learn at the same time: what one of them forgets is learned again.
        instance.places.replace(places);
    }
    Ok(response)
}

impl Instance {
    async fn pass_on(&self, region: &str, request: Request<String>) -> Result<Response> {
        let address = &in_region(&self.config.regions, region)?.address;
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().context("there is no path")?;
        let url = format!("http://{address}{path}");
        let request = self.client.request(parts.method, url).body(body);
        let request = request.headers(passed(&parts.headers));
        let request = request.header(PASSED_ON, &self.store.region);
        let response = request.send().await?;
        let (status, headers) = (response.status(), passed(response.headers()));
        Ok((status, headers, response.bytes().await?).into_response())
    }
}

/// Answers from the database.
async fn answer_here(store: Store, id: MeshId, request: Request<String>) -> Result<Response> {
    let (parts, given) = request.into_parts();
    let is_put = parts.method == Method::PUT;
    if is_put {
        store.create((id, given.clone())).await?;
    }
    let (region, title) = store.find(id).await?;
    let response = match title {
        _ if region.is_empty() => {
            return Ok(unavailable(format!(
                "no region has {} yet",
                describe(pair_of(id))
            )));
        }
        _ if region != store.region => MISDIRECTED.into_response(),
        // The pair has come here since `create` found it elsewhere: it is asked again.
        None if is_put => MISDIRECTED.into_response(),
        title if parts.uri.path().starts_with("/any/") => {
            let origin = MESH.origin(id.into());
            let name = origin.service_entity.unwrap_or_default();
            let (service, entity) = name.split_once('.').unwrap_or_default();
            Json(
                json!({ "id": id, "country": origin.country, "service": service,
                "entity": entity, "region": region, "title": title }),
            )
            .into_response()
        }
        None => problem(404, format!("nothing has the id {id}")).into_response(),
        Some(title) if is_put && title != given => {
            problem(409, "the entity was created with another title").into_response()
        }
        Some(title) => title.into_response(),
    };
    Ok(([(REGION, region)], response).into_response())
}

fn passed(headers: &HeaderMap) -> HeaderMap {
    let passed = |name: &HeaderName| Some((name.clone(), headers.get(name)?.clone()));
    PASSED.iter().filter_map(passed).collect()
}

fn unavailable(detail: String) -> Response {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        [(RETRY_AFTER, "1")],
        detail,
    )
        .into_response()
}

/// A failure, for the client.
fn problem(status: u16, detail: impl Display) -> (StatusCode, String) {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    (status, detail.to_string())
}
