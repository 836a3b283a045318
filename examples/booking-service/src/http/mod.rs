//! What clients see.

mod any;
mod bookings;
mod customers;
mod extract;
mod invoices;
mod offers;
mod problem;
mod system;
mod values;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, Router, middleware};
use rowkey::PublicIdCiphers;
use rowkey::generate::Clock;
use rowkey_stores::{By, Found};
use serde::Serialize;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::store::Store;

/// The largest body: every command is much smaller.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// What the routes work with.
#[derive(Clone)]
pub struct Service {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The clock that ids of clients are held against.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// The keys of public ids.
    pub public_ids: Arc<PublicIdCiphers>,
}

#[derive(OpenApi)]
#[openapi(info(
    title = "Booking service",
    description = "Offers whose ids clients make, and bookings whose ids the server makes. Commands \
                   may be sent again."
))]
struct Document;

/// All routes.
pub fn router(service: Service) -> Router {
    let (router, document) = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(customers::add_customer))
        .routes(routes!(customers::get_customer))
        .routes(routes!(offers::list_offers))
        .routes(routes!(offers::make_offer, offers::get_offer))
        .routes(routes!(offers::change_price))
        .routes(routes!(offers::withdraw))
        .routes(routes!(bookings::book))
        .routes(routes!(bookings::get_booking))
        .routes(routes!(bookings::cancel))
        .routes(routes!(invoices::get_invoice))
        .routes(routes!(any::find))
        .routes(routes!(system::health))
        .routes(routes!(system::openapi))
        .split_for_parts();
    let trace = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    router
        .fallback(problem::no_route)
        .method_not_allowed_fallback(problem::no_method)
        .layer(Extension(Arc::new(document)))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(CatchPanicLayer::custom(problem::after_panic))
        .layer(middleware::from_fn(problem::write))
        .layer(trace)
        .with_state(service)
}

/// Answers with an entity: 201 and where it is, or 200 if an earlier call has created it.
fn created<T: Serialize>(found: Found<T>, href: String) -> Response {
    let body = Json(found.entity);
    match found.by {
        By::This => (StatusCode::CREATED, [(header::LOCATION, href)], body).into_response(),
        By::Earlier => body.into_response(),
    }
}
