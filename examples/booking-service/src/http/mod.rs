//! The HTTP interface.

mod any;
mod bookings;
mod connections;
mod customers;
mod extract;
mod invoices;
mod offers;
mod problem;
mod system;
mod values;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, Router};
use rowkey::generate::Clock;
use rowkey::public_id::LabelledCipher;
use rowkey_stores::{Created, CreatedBy};
use serde::Serialize;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::keys::InvoiceId;
use crate::store::Store;

pub use connections::{Limits, duration, serve};

/// The largest accepted body. Every command is much smaller.
const MAX_BODY_BYTES: usize = 64 * 1024;

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
    let (router, document) = routes().split_for_parts();
    let router = router.layer(Extension(Arc::new(document)));
    answering_with_problems(router)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
                .on_response(DefaultOnResponse::new().level(Level::INFO)),
        )
        .layer(middleware::from_fn(run_to_the_end))
        .with_state(service)
}

/// Finishes a request even if its client has gone. A handler that is dropped in the middle of a statement
/// can leave its connection in a transaction (PostgreSQL) or cost the pool a connection (MySQL, MariaDB).
async fn run_to_the_end(request: Request, next: Next) -> Response {
    let response = tokio::spawn(next.run(request)).await;
    response.unwrap_or_else(|_| problem::unexplained())
}

fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::with_openapi(Document::openapi())
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
}

/// Turns every error that does not come from a handler into a problem.
fn answering_with_problems<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router
        .fallback(problem::no_route)
        .method_not_allowed_fallback(problem::no_method)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(CatchPanicLayer::custom(problem::after_panic))
        .layer(middleware::from_fn(problem::write))
}

/// Answers with an entity: 201 and its location, or 200 if an earlier call has created it.
fn created<T: Serialize>(found: Created<T>, href: String) -> Response {
    let body = Json(found.entity);
    match found.by {
        CreatedBy::ThisCall => {
            (StatusCode::CREATED, [(header::LOCATION, href)], body).into_response()
        }
        CreatedBy::EarlierCall => body.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use axum::body::{Body, to_bytes};
    use axum::http::{Method, Request};
    use axum::routing::{get, post};
    use serde_json::Value;
    use tower::ServiceExt;

    use super::*;
    use crate::keys::{BookingOfferId, CommandId};

    /// The problem that answers a request.
    async fn problem(
        method: Method,
        path: &str,
        media_type: &str,
        body: impl Into<Body>,
    ) -> (StatusCode, Option<String>, Value) {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[expect(dead_code, reason = "only to be read")]
        struct Command {
            command_id: CommandId,
            name: Option<String>,
        }

        async fn take(_: extract::Body<Command>) {}
        async fn look(_: extract::Id<BookingOfferId>) {}
        async fn fail() {
            panic!("on purpose");
        }

        let router = Router::new()
            .route("/commands", post(take))
            .route("/offers/{id}", get(look))
            .route("/panic", get(fail));
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, media_type)
            .body(body.into())
            .unwrap();
        let answer = answering_with_problems(router)
            .oneshot(request)
            .await
            .unwrap();
        let (parts, body) = answer.into_parts();
        assert_eq!(
            parts.headers[header::CONTENT_TYPE],
            "application/problem+json"
        );
        let allow = parts.headers.get(header::ALLOW);
        let allow = allow.map(|methods| methods.to_str().unwrap().to_owned());
        let body = to_bytes(body, MAX_BODY_BYTES).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["status"], parts.status.as_u16());
        assert_eq!(body["instance"], path);
        (parts.status, allow, body)
    }

    async fn posted(body: impl Into<Body>) -> (u16, Value) {
        let (status, _, body) = problem(Method::POST, "/commands", "application/json", body).await;
        (status.as_u16(), body)
    }

    #[tokio::test]
    async fn bodies_are_refused_with_the_wrong_place() {
        for (body, pointer) in [
            ("{", Value::Null),
            ("", Value::Null),
            ("[]", "".into()),
            ("null", "".into()),
            ("{}", "".into()),
            (r#"{"commandId": "x"}"#, "/commandId".into()),
            (r#"{"commandId": 1}"#, "/commandId".into()),
            (r#"{"a/b": 1}"#, "/a~1b".into()),
            (r#"{"name": []}"#, "/name".into()),
        ] {
            let (status, problem) = posted(body).await;
            assert_eq!((status, &problem["pointer"]), (400, &pointer), "{problem}");
            assert_eq!(problem["type"], "urn:booking-service:malformed-body");
        }
    }

    #[tokio::test]
    async fn bodies_that_are_too_large_or_of_another_type_are_refused() {
        let (status, _) = posted(" ".repeat(MAX_BODY_BYTES + 1)).await;
        assert_eq!(status, 413);
        let (status, ..) = problem(Method::POST, "/commands", "text/plain", "{}").await;
        assert_eq!(status, 415);
    }

    #[tokio::test]
    async fn ids_in_paths_are_refused_with_the_name_of_the_parameter() {
        for path in ["/offers/x", "/offers/9dfd3e4c-e5dd-11f1-a4a0-02fc00000001"] {
            let (status, _, problem) = problem(Method::GET, path, "", "").await;
            assert_eq!((status.as_u16(), &problem["pointer"]), (400, &"id".into()));
            assert_eq!(problem["type"], "urn:booking-service:malformed-id");
        }
    }

    #[tokio::test]
    async fn parameters_are_refused_with_their_names() {
        for (query, name) in [
            ("limit=x", "limit".into()),
            ("after=x", "after".into()),
            ("offset=1", "offset".into()),
            ("limit=1&limit=2", Value::Null),
        ] {
            let uri = format!("/list?{query}").parse().unwrap();
            let page = axum::extract::Query::<offers::PageQuery>::try_from_uri(&uri);
            let problem = problem::Problem::from(page.err().unwrap());
            let problem = serde_json::to_value(problem).unwrap();
            assert_eq!(
                (&problem["status"], &problem["pointer"]),
                (&400.into(), &name)
            );
        }
    }

    #[tokio::test]
    async fn unknown_routes_and_methods_are_problems() {
        let (status, ..) = problem(Method::GET, "/", "", "").await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        let (status, allow, _) = problem(Method::GET, "/commands", "", "").await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(allow.as_deref(), Some("POST"));
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_that_does_not_reveal_it() {
        let (status, _, problem) = problem(Method::GET, "/panic", "", "").await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!problem.to_string().contains("on purpose"), "{problem}");
    }

    /// OpenAPI requires it.
    #[test]
    fn the_document_describes_every_answer() {
        let document = serde_json::to_value(routes().into_openapi()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let operations = paths.values().flat_map(|path| path.as_object().unwrap());
        let mut answers = 0;
        for (_, operation) in operations {
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let description = answer["description"].as_str().unwrap_or_default();
                assert!(!description.is_empty(), "{status} of {operation}");
                answers += 1;
            }
        }
        assert!(answers > 50);
    }

    #[test]
    fn references_in_the_document_are_defined() {
        fn references(value: &Value, found: &mut BTreeSet<String>) {
            match value {
                Value::Object(members) => {
                    let reference = members.get("$ref").and_then(Value::as_str);
                    found.extend(reference.map(str::to_owned));
                    members
                        .values()
                        .for_each(|member| references(member, found));
                }
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                _ => {}
            }
        }

        let document = serde_json::to_value(routes().into_openapi()).unwrap();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.contains("#/components/schemas/BookingOfferId"));
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }
}
