//! Ids whose entity type is unknown.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::extract::Id;
use super::problem::{Failed, Malformed, Problem, Unknown};
use super::{Service, bookings, customers};
use crate::keys::AnyId;

/// The entity with an id.
#[derive(Serialize, ToSchema)]
pub(super) struct Finding {
    kind: Kind,
    id: AnyId,
    /// The path of the entity.
    href: String,
}

/// A kind of entity.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Customer,
    Booking,
}

/// Finds the entity with an id of unknown type.
#[utoipa::path(
    get,
    path = "/any/{uuid}",
    tag = "support",
    params(("uuid" = AnyId, Path)),
    responses((status = 200, description = "The entity", body = Finding), Malformed, Unknown, Failed)
)]
pub(super) async fn find(
    State(service): State<Service>,
    Id(text): Id<String>,
) -> Result<Json<Finding>, Problem> {
    let unknown = || Problem::unknown("there is neither a customer nor a booking with this id");
    let id: AnyId = text.parse().map_err(|error| match error {
        // A UUID, but neither a customer's nor a booking's.
        rowkey::Error::UnknownGroup { .. } | rowkey::Error::Format { .. } => unknown().at("uuid"),
        error => Problem::malformed_id(error).at("uuid"),
    })?;
    let (kind, href, is_there) = match id {
        AnyId::Customer(id) => {
            let is_there = service.store.customer(id).await?.is_some();
            (Kind::Customer, customers::href(id), is_there)
        }
        AnyId::Booking(id) => {
            let is_there = service.store.booking(id).await?.is_some();
            (Kind::Booking, bookings::href(id), is_there)
        }
    };
    match is_there {
        true => Ok(Json(Finding { kind, id, href })),
        false => Err(unknown().at("uuid")),
    }
}
