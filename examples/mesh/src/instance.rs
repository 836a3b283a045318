//! An instance of a region: it answers what its database has, and passes everything else on.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::Bytes;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router as Paths};
use rowkey::routing::{IuidTable, Router};
use rowkey_stores::{CreateError, CreatedBy};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout_at};

use crate::config::Config;
use crate::ids::{MESH, MeshId, Pair, describe, pair_of, service_and_table};
use crate::store::{Place, Refusal, Store};

/// The region that has passed a request on. A request with this header is never passed on again.
const PASSED_ON: HeaderName = HeaderName::from_static("mesh-passed-on-by");

/// The region that has answered.
const ANSWERED: HeaderName = HeaderName::from_static("mesh-answered-by");

/// The headers that are passed on, there and back: what a client may do remains what it may do.
const PASSED: [HeaderName; 4] = [AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, ANSWERED];

/// A failure, for the client.
type Problem = (StatusCode, String);

/// A request as it is passed on.
#[derive(FromRequest)]
struct Asked {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

struct Instance {
    store: Store,
    config: Config,
    client: reqwest::Client,
    /// Which region has a pair whose place is not known.
    routes: IuidTable<String>,
    places: Router<HashMap<Pair, Place>>,
}

/// Serves a region until the process ends, which may happen at any time. It needs no other region to start.
pub async fn serve(config: Config, region: &str) -> Result<()> {
    let address = &config.region(region)?.address;
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    let instance = Arc::new(Instance {
        store: config.store(region).await?,
        // A proxy of the environment is for requests to the world.
        client: reqwest::Client::builder().no_proxy().build()?,
        routes: config.table()?,
        places: Router::new(HashMap::new()),
        config,
    });
    instance.reload().await?;
    let paths = Paths::new()
        .route("/any/{id}", get(any))
        .route("/admin/reload", post(reload))
        .route("/{table}/{id}", get(read).put(create))
        .layer(middleware::from_fn(with_retry_after))
        .with_state(instance);
    println!("listening on http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, paths).await?)
}

async fn with_retry_after(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_for_now = response.status() == StatusCode::SERVICE_UNAVAILABLE;
    (is_for_now.then_some([(RETRY_AFTER, "1")]), response).into_response()
}

impl Instance {
    /// Learns the places that the region's database knows.
    async fn reload(&self) -> Result<(), sqlx::Error> {
        let places = self.store.places().await?;
        places.into_iter().for_each(|place| _ = self.learn(place));
        Ok(())
    }

    /// Remembers a place; `false` if it is not newer.
    fn learn(&self, place: Place) -> bool {
        let mut places = HashMap::clone(&self.places.load());
        if places.get(&place.pair()).map_or(0, |known| known.moves) >= place.moves {
            return false;
        }
        places.insert(place.pair(), place);
        // Two requests that learn at the same time: what one of them forgets is learned again.
        self.places.replace(places);
        true
    }

    // ANCHOR: ask
    /// Has a request answered by the region of its id, whatever this instance knows at first.
    async fn ask<F>(&self, id: MeshId, asked: &Asked, answer: impl Fn(Store) -> F) -> Answer
    where
        F: Future<Output = Result<Response, CreateError<Refusal>>> + Send + 'static,
    {
        let (pair, own) = (pair_of(id), &self.store.region);
        let routed = self.routes.node_of(id);
        let routed = routed.map_err(|unknown| problem(404, unknown))?;
        let was_passed_on = asked.headers.contains_key(PASSED_ON);
        let deadline = Instant::now() + Duration::from_millis(self.config.limit_ms);
        let mut pause = Duration::from_millis(2);
        loop {
            let region = match self.places.load().get(&pair) {
                Some(place) => place.region.clone(),
                None => routed.clone(),
            };
            let what = describe(pair);
            let silent = || format!("the region `{region}` does not answer for {what}");
            let unavailable = || problem(503, silent());
            // The database has the last word: an instance that another one asks does not look at its table.
            let place = if was_passed_on || region == *own {
                // A task ends even if the client has gone. A transaction that is dropped may cost a connection.
                let answered = tokio::spawn(answer(self.store.clone()));
                let Ok(Ok(answered)) = timeout_at(deadline, answered).await else {
                    return Err(unavailable());
                };
                match answered {
                    Ok(answer) => return Ok(([(ANSWERED, own)], answer).into_response()),
                    Err(CreateError::Closure(Refusal::NotHere(place))) => Some(*place),
                    Err(error) if error.is_conflict() => return Err(problem(409, error)),
                    Err(error) if error.is_unavailable() => return Err(unavailable()),
                    Err(error) => {
                        eprintln!("error: {:#}", anyhow::Error::from(error));
                        return Err(problem(500, "the log of the region says why"));
                    }
                }
            } else {
                let passed_on = timeout_at(deadline, self.pass_on(&region, asked)).await;
                let Ok(Ok((status, headers, body))) = passed_on else {
                    return Err(unavailable());
                };
                if status != StatusCode::MISDIRECTED_REQUEST {
                    return Ok((status, headers, body).into_response());
                }
                serde_json::from_slice(&body).ok()
            };
            if was_passed_on {
                return Err(problem(421, json!(place)));
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

    async fn pass_on(&self, to: &str, asked: &Asked) -> Result<(StatusCode, HeaderMap, Bytes)> {
        let url = format!("http://{}{}", self.config.region(to)?.address, asked.uri);
        let request = self.client.request(asked.method.clone(), url);
        let request = request.headers(passed(&asked.headers));
        let request = request.header(PASSED_ON, &self.store.region);
        let response = request.body(asked.body.clone()).send().await?;
        let (status, headers) = (response.status(), passed(response.headers()));
        Ok((status, headers, response.bytes().await?))
    }
    // ANCHOR_END: ask
}

fn passed(headers: &HeaderMap) -> HeaderMap {
    let passed = |name: &HeaderName| Some((name.clone(), headers.get(name)?.clone()));
    PASSED.iter().filter_map(passed).collect()
}

fn problem(status: u16, detail: impl Display) -> Problem {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    (status, detail.to_string())
}

type Answer = Result<Response, Problem>;
type Shared = State<Arc<Instance>>;
type Id = Path<(String, String)>;

async fn read(State(instance): Shared, Path((table, id)): Id, asked: Asked) -> Answer {
    let id = id_in(Some(&table), &id)?;
    let answer = |store: Store| async move {
        let title = store.find(id).await.map_err(CreateError::Closure)?;
        let missing = || problem(404, format!("nothing has the id {id}"));
        Ok(title.ok_or_else(missing).into_response())
    };
    instance.ask(id, &asked, answer).await
}

async fn create(State(instance): Shared, Path((table, id)): Id, asked: Asked) -> Answer {
    let id = id_in(Some(&table), &id)?;
    let title = String::from_utf8(asked.body.to_vec()).map_err(|error| problem(400, error))?;
    if title.chars().count() > 200 || title.contains('\0') {
        let detail = "a title has at most 200 characters, and no NUL";
        return Err(problem(400, detail));
    }
    let answer = |store: Store| {
        let title = title.clone();
        async move {
            let status = match store.create((id, title.clone())).await?.by {
                CreatedBy::ThisCall => StatusCode::CREATED,
                CreatedBy::EarlierCall => StatusCode::OK,
            };
            Ok((status, title).into_response())
        }
    };
    instance.ask(id, &asked, answer).await
}

// ANCHOR: any
/// Where an id is from, where its row is, and the row, for whoever has the id and nothing else.
async fn any(State(instance): Shared, Path(id): Path<String>, asked: Asked) -> Answer {
    let id = id_in(None, &id)?;
    let (origin, service) = (MESH.origin(id.into()), service_and_table(pair_of(id)));
    let answer = |store: Store| async move {
        let answer = json!({
            "id": id,
            "country": origin.country,
            "service": service.map(|(service, _)| service),
            "service_entity": origin.service_entity,
            "region": store.region,
            "title": store.find(id).await.map_err(CreateError::Closure)?,
        });
        Ok(Json(answer).into_response())
    };
    instance.ask(id, &asked, answer).await
}
// ANCHOR_END: any

async fn reload(State(instance): Shared) -> Result<(), Problem> {
    instance.reload().await.map_err(|error| problem(503, error))
}

/// The id in a path. If its entity is not registered, the table says so.
fn id_in(table: Option<&str>, id: &str) -> Result<MeshId, Problem> {
    let id: MeshId = id.parse().map_err(|error| problem(400, error))?;
    match (table, service_and_table(pair_of(id))) {
        (Some(table), Some((_, other))) if other != table => {
            let detail = format!("this id is one of /{other}, not of /{table}");
            Err(problem(404, detail))
        }
        _ => Ok(id),
    }
}
