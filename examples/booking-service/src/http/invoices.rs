//! Invoices, whose ids are hidden from clients.

use axum::Json;
use axum::extract::State;
use rowkey::public_id::PublicId;
use serde::Serialize;
use utoipa::ToSchema;

use super::extract::Path;
use super::problem::{Failures, Kind, Problem};
use super::service::Service;
use crate::keys::{BookingId, InvoiceId};

/// An invoice.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invoice {
    /// The public id.
    id: PublicId<InvoiceId>,
    booking_id: BookingId,
    cents: i64,
}

/// The invoice with a public id.
#[utoipa::path(
    get,
    path = "/invoices/{publicId}",
    params(("publicId" = PublicId<InvoiceId>, Path)),
    responses((status = 200, description = "The invoice", body = Invoice), Failures)
)]
pub(super) async fn get_invoice(
    State(service): State<Service>,
    Path(id): Path<PublicId<InvoiceId>>,
) -> Result<Json<Invoice>, Problem> {
    // A made-up id gets the same answer as an id without an invoice.
    let invoice = match service.invoice_ids.decode(id) {
        Ok(id) => service.store.invoice(id).await?,
        Err(error) => {
            tracing::info!(%error, "a public id cannot be read");
            None
        }
    };
    match invoice {
        Some(invoice) => Ok(Json(Invoice {
            id,
            booking_id: invoice.booking_id,
            cents: invoice.cents,
        })),
        None => Err(Kind::UNKNOWN_ID.because("there is no such invoice")),
    }
}
