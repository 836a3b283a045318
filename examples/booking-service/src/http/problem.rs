//! Failures, as clients see them: `application/problem+json` (RFC 9457).

use std::error::Error;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use rowkey::validate::ValidationError;
use rowkey_stores::{Conflict, is_unavailable};
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use crate::model::Refused;
use crate::store::StoreError;

/// A kind of problem: the status, the end of its `type`, and its title.
pub(crate) struct Kind(u16, &'static str, &'static str);

impl Kind {
    pub(crate) const MALFORMED_ID: Self = Self(400, "malformed-id", "Not an id of this kind");
    pub(crate) const MALFORMED_PARAMETER: Self =
        Self(400, "malformed-parameter", "A parameter is wrong");
    const MALFORMED_BODY: Self = Self(400, "malformed-body", "Not the body of this command");
    pub(crate) const UNKNOWN_ID: Self = Self(404, "unknown-id", "There is nothing with this id");
    const UNKNOWN_ROUTE: Self = Self(404, "unknown-route", "There is no such route");
    const UNKNOWN_METHOD: Self = Self(405, "unknown-method", "The route has no such method");
    const ID_CONFLICT: Self = Self(409, "id-conflict", "The id belongs to another entity");
    const OTHER_COMMAND: Self = Self(409, "command-conflict", "The id belongs to another command");
    const NOT_OPEN: Self = Self(409, "not-open", "The offer is not open");
    const CANCELLED: Self = Self(409, "already-cancelled", "The booking is cancelled");
    const BODY_TOO_LARGE: Self = Self(413, "body-too-large", "The body is too large");
    const UNSUPPORTED: Self = Self(415, "unsupported-media-type", "The body is not JSON");
    const NOT_ACCEPTED: Self = Self(422, "id-not-accepted", "The id is not accepted");
    const UNKNOWN_MEMBER: Self = Self(422, "unknown-id", "An id in the body is unknown");
    pub(crate) const INVALID_VALUE: Self = Self(422, "invalid-value", "A value is not acceptable");
    const INTERNAL: Self = Self(500, "internal", "The service has failed");
    const UNAVAILABLE: Self = Self(503, "unavailable", "The service is not available");

    /// A problem of this kind, with its cause in this request.
    pub(crate) fn because(self, detail: impl ToString) -> Problem {
        let Self(status, code, title) = self;
        Problem {
            kind: format!("urn:booking-service:{code}"),
            title,
            status,
            detail: detail.to_string(),
            pointer: None,
        }
    }
}

/// A failure.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem, for programs.
    #[serde(rename = "type")]
    #[schema(example = "urn:booking-service:malformed-id")]
    kind: String,
    /// The kind of problem, for people.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// The cause in this request.
    detail: String,
    /// A JSON pointer to the wrong part of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
}

impl Problem {
    /// Adds a JSON pointer to the wrong part of the body.
    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// A failure of the service. It is logged, and the client gets no details.
    fn internal(error: &(dyn Error + 'static)) -> Self {
        if is_unavailable(error) {
            tracing::warn!(error, "the database is unavailable");
            Kind::UNAVAILABLE.because("the database is unavailable; try again later")
        } else {
            tracing::error!(error, "a request has failed");
            Self::unexplained()
        }
    }

    /// For requests whose handler has panicked.
    pub(crate) fn unexplained() -> Self {
        Kind::INTERNAL.because("the cause was logged")
    }
}

/// How long a client that gets 503 should wait at least, in seconds.
const RETRY_AFTER: (HeaderName, HeaderValue) = (header::RETRY_AFTER, HeaderValue::from_static("1"));

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).expect("the status of a kind");
        let retry = (status == StatusCode::SERVICE_UNAVAILABLE).then_some(RETRY_AFTER);
        let media_type = [(header::CONTENT_TYPE, "application/problem+json")];
        (status, AppendHeaders(retry), media_type, Json(self)).into_response()
    }
}

pub(crate) async fn no_route() -> Problem {
    Kind::UNKNOWN_ROUTE.because("no route has this path; GET /openapi.json lists them")
}

pub(crate) async fn no_method(method: Method) -> Problem {
    let detail = format!("the header `allow` lists what there is besides {method}");
    Kind::UNKNOWN_METHOD.because(detail)
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::UnknownCustomer(_) => Kind::UNKNOWN_MEMBER.because(error).at("/customerId"),
            StoreError::UnknownOffer(_) => Kind::UNKNOWN_MEMBER.because(error).at("/offerId"),
            StoreError::Refused(Refused::AlreadyCancelled) => Kind::CANCELLED.because(error),
            StoreError::Refused(_) => Kind::NOT_OPEN.because(error),
            StoreError::OtherCommand | StoreError::Conflict(Conflict::CommandName { .. }) => {
                Kind::OTHER_COMMAND.because(error).at("/commandId")
            }
            // Reveals nothing about stored data.
            StoreError::Conflict(_) => Kind::ID_CONFLICT.because(error),
            StoreError::Id(error) => error.clone().into(),
            StoreError::RecordedClock => Kind::INVALID_VALUE.because(error).at("/recordedAt"),
            StoreError::Database(_) | StoreError::Rowkey(_) => Self::internal(&error),
        }
    }
}

impl From<ValidationError> for Problem {
    fn from(error: ValidationError) -> Self {
        match error {
            ValidationError::NotRandomV4(_) | ValidationError::OutsideWindow { .. } => {
                Kind::NOT_ACCEPTED.because(error)
            }
            _ => Kind::MALFORMED_ID.because(error),
        }
    }
}

/// A value without a public id, which keys do not have.
impl From<rowkey::Error> for Problem {
    fn from(error: rowkey::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Kind::MALFORMED_ID.because(rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Kind::MALFORMED_PARAMETER.because(rejection.body_text())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let kind = match rejection.status() {
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Kind::UNSUPPORTED,
            StatusCode::PAYLOAD_TOO_LARGE => Kind::BODY_TOO_LARGE,
            _ => Kind::MALFORMED_BODY,
        };
        type Misread = serde_path_to_error::Error<serde_json::Error>;
        let mut source = rejection.source();
        while let Some(error) = source {
            if let Some(error) = error.downcast_ref::<Misread>() {
                let pointer = error.path().iter().map(|member| format!("/{member}"));
                return kind.because(error.inner()).at(pointer.collect::<String>());
            }
            source = error.source();
        }
        kind.because(rejection.body_text())
    }
}

/// The answers to requests that fail.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only for the OpenAPI document")]
pub(crate) enum Failures {
    /// The request is wrong, or conflicts with stored data.
    #[response(status = "4XX", content_type = "application/problem+json")]
    Refused(Problem),
    /// The service has failed, or its database is unavailable.
    #[response(status = "5XX", content_type = "application/problem+json")]
    Failed(Problem),
}
