//! The service's health and its description.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use utoipa::openapi::OpenApi;

use super::problem::{Failures, Problem};
use super::service::Service;

/// Checks the service and its database.
#[utoipa::path(
    get,
    path = "/health",
    responses((status = 200, description = "Both work"), Failures)
)]
pub(super) async fn health(State(service): State<Service>) -> Result<StatusCode, Problem> {
    service.store.ping().await?;
    Ok(StatusCode::OK)
}

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    responses((status = 200, description = "The OpenAPI document", body = Object))
)]
pub(super) async fn openapi(Extension(document): Extension<Arc<OpenApi>>) -> Json<Arc<OpenApi>> {
    Json(document)
}
