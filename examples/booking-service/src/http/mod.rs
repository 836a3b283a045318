//! The HTTP interface.

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

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, Router};
use rowkey::generate::Clock;
use rowkey::public_id::LabelledCipher;
use rowkey_stores::CreatedBy;
use serde::{Deserialize, Serialize};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;
use utoipa::{OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::keys::{CommandId, InvoiceId};
use crate::store::Store;

/// The state of the routes.
#[derive(Clone)]
pub struct Service {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The clock that clients' ids are checked against.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// Hides the ids of invoices.
    pub invoice_ids: Arc<LabelledCipher<InvoiceId>>,
}

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

/// A command without content.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Command {
    command_id: CommandId,
}

/// Answers with an entity: 201 and its location, or 200 if an earlier call has created it.
fn created(by: CreatedBy, href: String, entity: impl Serialize) -> Response {
    let status = match by {
        CreatedBy::ThisCall => StatusCode::CREATED,
        CreatedBy::EarlierCall => return Json(entity).into_response(),
    };
    (status, [(header::LOCATION, href)], Json(entity)).into_response()
}
