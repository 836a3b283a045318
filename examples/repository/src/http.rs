//! The repository over HTTP. Every request may be sent again.
//!
//! | request | status |
//! |---|---|
//! | `PUT /customers/{id}` with `{"name": …, "referredBy": …}`, the id made by the client | 201, 200 for a repetition |
//! | `GET /customers/{id}` | 200 |
//! | `POST /customers/{id}/invoices` with `{"cents": …}` and an [`Idempotency-Key`](CommandId) | 201, 200 for a repetition |
//! | `GET /invoices/{id}` | 200 |
//!
//! Others are 400 and 422 for what cannot be read or accepted, 404 for an entity that does not
//! exist, 409 for an id that came with something else before, 503 while the database is
//! unavailable, and 500.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use rowkey_stores::{CreatedBy, is_unavailable};
use serde::{Deserialize, Serialize};

use crate::{CommandId, Customer, CustomerId, CustomerRepository, Error, Invoice, InvoiceId};

type Repository = State<Arc<dyn CustomerRepository>>;

/// All routes.
pub fn router(repository: Arc<dyn CustomerRepository>) -> Router {
    Router::new()
        .route("/customers/{id}", get(get_customer).put(put_customer))
        .route("/customers/{id}/invoices", post(add_invoice))
        .route("/invoices/{id}", get(get_invoice))
        .layer(middleware::from_fn(run_to_the_end))
        .with_state(repository)
}

/// Finishes a request in a task of its own, even if its client hangs up and the handler is dropped.
async fn run_to_the_end(request: Request, next: Next) -> Response {
    let response = tokio::spawn(next.run(request)).await;
    response.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewCustomer {
    name: String,
    referred_by: Option<CustomerId>,
}

async fn put_customer(
    State(repository): Repository,
    Path(id): Path<CustomerId>,
    Json(new): Json<NewCustomer>,
) -> Result<Response, Error> {
    let customer = Customer {
        id,
        name: new.name,
        referred_by: new.referred_by,
    };
    let by = repository.put_customer(&customer).await?;
    Ok(created(by, format!("/customers/{id}"), customer))
}

async fn get_customer(
    State(repository): Repository,
    Path(id): Path<CustomerId>,
) -> Result<Json<Customer>, Error> {
    let found = repository.customer(id).await?;
    found.map(Json).ok_or(Error::NotFound(id.into()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewInvoice {
    cents: i64,
}

async fn add_invoice(
    State(repository): Repository,
    Path(customer_id): Path<CustomerId>,
    command: CommandId,
    Json(NewInvoice { cents }): Json<NewInvoice>,
) -> Result<Response, Error> {
    let invoice = repository
        .add_invoice_once(command, customer_id, cents)
        .await?;
    let id = invoice.entity;
    let body = Invoice {
        id,
        customer_id,
        cents,
    };
    Ok(created(invoice.by, format!("/invoices/{id}"), body))
}

async fn get_invoice(
    State(repository): Repository,
    Path(id): Path<InvoiceId>,
) -> Result<Json<Invoice>, Error> {
    let found = repository.invoice(id).await?;
    found.map(Json).ok_or(Error::NotFound(id.into()))
}

fn created(by: CreatedBy, location: String, body: impl Serialize) -> Response {
    let status = match by {
        CreatedBy::ThisCall => StatusCode::CREATED,
        CreatedBy::EarlierCall => StatusCode::OK,
    };
    (status, [(header::LOCATION, location)], Json(body)).into_response()
}

/// The header `Idempotency-Key`: a UUID of version 7.
impl<S: Sync> FromRequestParts<S> for CommandId {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let mut keys = parts.headers.get_all("idempotency-key").iter();
        let key = keys.next().and_then(|key| key.to_str().ok()?.parse().ok());
        key.filter(|_| keys.next().is_none()).ok_or((
            StatusCode::BAD_REQUEST,
            "the header Idempotency-Key has to be one UUID of version 7",
        ))
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Name(_) | Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Conflict | Self::Duplicate(_) | Self::InUse(_) => StatusCode::CONFLICT,
            error if is_unavailable(error) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        if status.is_server_error() {
            eprintln!("error: {self:?}");
            return (status, "the database failed").into_response();
        }
        (status, self.to_string()).into_response()
    }
}
