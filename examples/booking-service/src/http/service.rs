//! The state of the routes, and what several of them read and answer.

use std::sync::Arc;

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rowkey::generate::Clock;
use rowkey::public_id::LabelledCipher;
use rowkey_stores::CreatedBy;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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

/// A command without content.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Command {
    pub(super) command_id: CommandId,
}

/// Answers with an entity: 201 and its location, or 200 if an earlier call has created it.
pub(super) fn created(by: CreatedBy, href: String, entity: impl Serialize) -> Response {
    if by == CreatedBy::EarlierCall {
        return Json(entity).into_response();
    }
    (
        StatusCode::CREATED,
        [(header::LOCATION, href)],
        Json(entity),
    )
        .into_response()
}
