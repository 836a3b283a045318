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

use super::extract::{Body, Path};
use super::problem::{Failures, Kind, Problem};
use super::service::{Command, Service, created};
use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::model::{self, BookingState};

/// A command to book an offer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewBooking {
    command_id: CommandId,
    offer_id: BookingOfferId,
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
    request_body = NewBooking,
    responses(
        (status = 201, description = "Booked", body = Booking, headers(("location" = String))),
        (status = 200, description = "Booked by the same command before", body = Booking),
        Failures,
    )
)]
pub(super) async fn book(
    State(service): State<Service>,
    Body(new): Body<NewBooking>,
) -> Result<Response, Problem> {
    let Created { entity, by } = service.store.book(new.command_id, new.offer_id).await?;
    Ok(created(by, href(entity.id), Booking::of(entity, &service)?))
}

/// The booking with an id.
#[utoipa::path(
    get,
    path = "/bookings/{id}",
    params(("id" = BookingId, Path)),
    responses((status = 200, description = "The booking", body = Booking), Failures)
)]
pub(super) async fn get_booking(
    State(service): State<Service>,
    Path(id): Path<BookingId>,
) -> Result<Json<Booking>, Problem> {
    answer(service.store.booking(id).await?, &service)
}

/// Cancels a booking; its offer is open again.
#[utoipa::path(
    post,
    path = "/bookings/{id}/cancellations",
    params(("id" = BookingId, Path)),
    request_body = Command,
    responses(
        (status = 200, description = "The present booking, even if the command was executed before", body = Booking),
        Failures,
    )
)]
pub(super) async fn cancel(
    State(service): State<Service>,
    Path(id): Path<BookingId>,
    Body(Command { command_id }): Body<Command>,
) -> Result<Json<Booking>, Problem> {
    let booking = service.store.cancel_booking(id, command_id).await?;
    answer(booking, &service)
}

fn answer(booking: Option<model::Booking>, service: &Service) -> Result<Json<Booking>, Problem> {
    match booking {
        Some(booking) => Ok(Json(Booking::of(booking, service)?)),
        None => Err(Kind::UNKNOWN_ID.because("there is no such booking")),
    }
}
