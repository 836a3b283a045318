//! The paths: `/orders/{id}`, `/rides/{id}`, and `/any/{id}` for people who have an id alone.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use rowkey_stores::{CreateError, CreatedBy};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::TcpListener;

use crate::mesh::{Asked, Mesh, Problem};
use crate::{Config, MESH, MeshId, Store, pair_of, service_and_table};

/// The content of an order or a ride.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Content {
    title: String,
}

/// Serves a region until the process ends, which may happen at any time.
pub async fn serve(config: Config, region: &str) -> Result<()> {
    let listener = TcpListener::bind(&config.region(region)?.address).await?;
    let mesh = Arc::new(Mesh::new(config, region).await?);
    let paths = Router::new()
        .route("/any/{id}", get(any))
        .route("/admin/reload", post(reload))
        .route("/{table}/{id}", get(read).put(create))
        .layer(middleware::from_fn(run_to_the_end))
        .with_state(mesh);
    println!("listening on http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, paths).await?)
}

/// Finishes a request even if its client has gone: a transaction that is dropped may cost a connection.
async fn run_to_the_end(request: Request, next: Next) -> Response {
    let response = tokio::spawn(next.run(request)).await;
    response.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

type Answer = Result<Response, Problem>;
type Shared = State<Arc<Mesh>>;
type Id = Path<(String, String)>;

async fn read(State(mesh): Shared, Path((table, id)): Id, asked: Asked) -> Answer {
    let id = id_in(&table, &id)?;
    let answer = |store: Store| async move {
        let title = store.find(id).await.map_err(CreateError::Closure)?;
        let none = || Problem::new(StatusCode::NOT_FOUND, format!("nothing has the id {id}"));
        Ok(title
            .map(|title| Json(Content { title }))
            .ok_or_else(none)
            .into_response())
    };
    mesh.ask(id, &asked, answer).await
}

async fn create(State(mesh): Shared, Path((table, id)): Id, asked: Asked) -> Answer {
    let id = id_in(&table, &id)?;
    let content = serde_json::from_slice(&asked.body);
    let content: Content = content.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error))?;
    if content.title.chars().count() > 200 || content.title.contains('\0') {
        let detail = "a title has at most 200 characters, and no NUL";
        return Err(Problem::new(StatusCode::BAD_REQUEST, detail));
    }
    let answer = |store: Store| {
        let content = content.clone();
        async move {
            let status = match store.create(id, &content.title).await?.by {
                CreatedBy::ThisCall => StatusCode::CREATED,
                CreatedBy::EarlierCall => StatusCode::OK,
            };
            Ok((status, Json(content)).into_response())
        }
    };
    mesh.ask(id, &asked, answer).await
}

// ANCHOR: any
/// Where an id is from, where its row is, and the row, for whoever has the id and nothing else.
async fn any(State(mesh): Shared, Path(id): Path<String>, asked: Asked) -> Answer {
    let id = parse(&id)?;
    let (origin, service) = (MESH.origin(id.into()), service_and_table(pair_of(id)));
    let answer = |store: Store| async move {
        let row = store.find(id).await.map_err(CreateError::Closure)?;
        let answer = json!({
            "id": id,
            "country": origin.country,
            "service": service.map(|(service, _)| service),
            "service_entity": origin.service_entity,
            "region": store.region,
            "row": row.map(|title| Content { title }),
        });
        Ok(Json(answer).into_response())
    };
    mesh.ask(id, &asked, answer).await
}
// ANCHOR_END: any

async fn reload(State(mesh): Shared) -> Result<(), Problem> {
    let reloaded = mesh.reload().await;
    reloaded.map_err(|error| Problem::new(StatusCode::SERVICE_UNAVAILABLE, error))
}

fn parse(id: &str) -> Result<MeshId, Problem> {
    id.parse()
        .map_err(|error: rowkey::Error| Problem::new(StatusCode::BAD_REQUEST, error))
}

/// The id in a path. If its entity is not registered, the table says so.
fn id_in(table: &str, id: &str) -> Result<MeshId, Problem> {
    let id = parse(id)?;
    match service_and_table(pair_of(id)) {
        Some((_, other)) if other != table => {
            let detail = format!("this id is one of /{other}, not of /{table}");
            Err(Problem::new(StatusCode::NOT_FOUND, detail))
        }
        _ => Ok(id),
    }
}
