//! Ids whose entity type is unknown.

use axum::extract::State;
use axum::response::Redirect;

use super::extract::Id;
use super::problem::{Failed, Malformed, Problem, Unknown};
use super::{Service, bookings, customers};
use crate::keys::AnyId;

/// Redirects to the entity with an id of unknown type.
#[utoipa::path(
    get,
    path = "/any/{uuid}",
    tag = "support",
    params(("uuid" = AnyId, Path)),
    responses(
        (status = 307, description = "Found", headers(("location" = String))),
        Malformed,
        Unknown,
        Failed
    )
)]
pub(super) async fn find(
    State(service): State<Service>,
    Id(text): Id<String>,
) -> Result<Redirect, Problem> {
    let unknown = || Problem::unknown("there is neither a customer nor a booking with this id");
    let id: AnyId = text.parse().map_err(|error| match error {
        // A UUID, but neither a customer's nor a booking's.
        rowkey::Error::UnknownGroup { .. } | rowkey::Error::Format { .. } => unknown().at("uuid"),
        error => Problem::malformed_id(error).at("uuid"),
    })?;
    let (href, is_there) = match id {
        AnyId::Customer(id) => {
            let is_there = service.store.customer(id).await?.is_some();
            (customers::href(id), is_there)
        }
        AnyId::Booking(id) => {
            let is_there = service.store.booking(id).await?.is_some();
            (bookings::href(id), is_there)
        }
    };
    match is_there {
        true => Ok(Redirect::temporary(&href)),
        false => Err(unknown().at("uuid")),
    }
}
