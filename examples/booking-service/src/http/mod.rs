//! The HTTP interface.

mod any;
mod bookings;
mod customers;
mod extract;
mod invoices;
mod offers;
mod problem;
mod service;
mod system;
mod values;

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::service::Service;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Booking service",
        description = "Offers whose ids clients make, and bookings whose ids the server makes. \
                       Commands can be repeated."
    ),
    // No body has an `AnyId`, and the schemas of parameters are not collected.
    components(schemas(crate::keys::AnyId, problem::Problem))
)]
struct Document;

/// All routes, over HTTP.
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
    router
        .layer(Extension(Arc::new(document)))
        .fallback(problem::no_route)
        .method_not_allowed_fallback(problem::no_method)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
                .on_response(DefaultOnResponse::new().level(Level::INFO)),
        )
        .layer(middleware::from_fn(run_to_the_end))
        .with_state(service)
}

/// Finishes a request even if its client has gone. A handler that is dropped in the middle of a
/// statement can leave its connection in a transaction (PostgreSQL) or cost the pool a connection
/// (MySQL, MariaDB).
async fn run_to_the_end(request: Request, next: Next) -> Response {
    let response = tokio::spawn(next.run(request)).await;
    response.unwrap_or_else(|_| problem::Problem::unexplained().into_response())
}
