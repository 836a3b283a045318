//! Bookings, with ids that the server makes.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use rowkey::EntityKey;
use rowkey::luuid::ShortKey;
use rowkey::public_id::PublicId;
use rowkey_stores::Created;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::extract::{Body, Id};
use super::problem::{Failed, Malformed, Problem, Refused, Unknown};
use super::{Service, created};
use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::model::{self, BookingState};

/// A command to book an offer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewBooking {
    command_id: CommandId,
    offer_id: BookingOfferId,
}

/// A command to cancel a booking.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Cancellation {
    command_id: CommandId,
}

/// A booking.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Booking {
    id: BookingId,
    /// The number in the id, for reading out.
    number: ShortKey<BookingId>,
    offer_id: BookingOfferId,
    customer_id: CustomerId,
    /// The price at the time of booking.
    cents: i64,
    /// The public id of the invoice.
    invoice_id: PublicId<InvoiceId>,
    state: BookingState,
}

impl Booking {
    fn of(booking: model::Booking, service: &Service) -> Result<Self, Problem> {
        Ok(Self {
            id: booking.id,
            number: booking.id.short_key(),
            offer_id: booking.offer_id,
            customer_id: booking.customer_id,
            cents: booking.cents,
            invoice_id: service.invoice_ids.encode(&booking.invoice_id)?,
            state: booking.state,
        })
    }
}

pub(super) fn href(id: BookingId) -> String {
    format!("/bookings/{id}")
}

/// Books an open offer, and makes the invoice.
#[utoipa::path(
    post,
    path = "/bookings",
    tag = "bookings",
    request_body = NewBooking,
    responses(
        (status = 201, description = "Booked", body = Booking, headers(("location" = String))),
        (status = 200, description = "Booked by the same command before", body = Booking),
        Refused,
        Failed,
    )
)]
pub(super) async fn book(
    State(service): State<Service>,
    Body(NewBooking {
        command_id,
        offer_id,
    }): Body<NewBooking>,
) -> Result<Response, Problem> {
    let Created { entity, by } = service.store.book(command_id, offer_id).await?;
    let href = href(entity.id);
    let entity = Booking::of(entity, &service)?;
    Ok(created(Created { entity, by }, href))
}

/// The booking with an id.
#[utoipa::path(
    get,
    path = "/bookings/{id}",
    tag = "bookings",
    params(("id" = BookingId, Path)),
    responses((status = 200, description = "The booking", body = Booking), Malformed, Unknown, Failed)
)]
pub(super) async fn get_booking(
    State(service): State<Service>,
    Id(id): Id<BookingId>,
) -> Result<Json<Booking>, Problem> {
    answer(service.store.booking(id).await?, &service)
}

/// Cancels a booking; its offer is open again.
#[utoipa::path(
    post,
    path = "/bookings/{id}/cancellations",
    tag = "bookings",
    params(("id" = BookingId, Path)),
    request_body = Cancellation,
    responses(
        (status = 200, description = "The present booking, even if the command was executed before", body = Booking),
        Unknown,
        Refused,
        Failed,
    )
)]
pub(super) async fn cancel(
    State(service): State<Service>,
    Id(id): Id<BookingId>,
    Body(Cancellation { command_id }): Body<Cancellation>,
) -> Result<Json<Booking>, Problem> {
    answer(
        service.store.cancel_booking(id, command_id).await?,
        &service,
    )
}

fn answer(booking: Option<model::Booking>, service: &Service) -> Result<Json<Booking>, Problem> {
    match booking {
        Some(booking) => Ok(Json(Booking::of(booking, service)?)),
        None => Err(Problem::unknown("there is no such booking").at("id")),
    }
}
