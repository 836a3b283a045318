//! Ids whose entity type is unknown.

use axum::extract::State;
use axum::response::Redirect;
use rowkey::error::{Error, ErrorKind};

use super::extract::Path;
use super::problem::{Failures, Kind, Problem};
use super::service::Service;
use super::{bookings, customers};
use crate::keys::AnyId;

/// Redirects to the entity with an id of unknown type.
#[utoipa::path(
    get,
    path = "/any/{uuid}",
    params(("uuid" = AnyId, Path)),
    responses(
        (status = 307, description = "Found", headers(("location" = String))),
        Failures
    )
)]
pub(super) async fn find(
    State(service): State<Service>,
    Path(text): Path<String>,
) -> Result<Redirect, Problem> {
    let unknown =
        || Kind::UNKNOWN_ID.because("there is neither a customer nor a booking with this id");
    let id: AnyId = text.parse().map_err(|error: Error| match error.kind() {
        // A UUID, but neither a customer's nor a booking's.
        ErrorKind::Format => unknown(),
        _ => Kind::MALFORMED_ID.because(error),
    })?;
    let store = service.store;
    let href = match id {
        AnyId::Customer(id) => store.customer(id).await?.map(|_| customers::href(id)),
        AnyId::Booking(id) => store.booking(id).await?.map(|_| bookings::href(id)),
    };
    href.map(|href| Redirect::temporary(&href))
        .ok_or_else(unknown)
}
