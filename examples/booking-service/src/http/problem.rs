//! Failures, as clients see them: `application/problem+json` (RFC 9457).

use std::any::Any;
use std::error::Error;

use axum::extract::Request;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use rowkey::validate::ValidationError;
use rowkey_stores::{Conflict, is_unavailable};
use serde::Serialize;
use serde_path_to_error::Segment;
use utoipa::{IntoResponses, ToSchema};

use crate::store::StoreError;

/// A failure.
#[derive(Clone, Debug, Serialize, ToSchema)]
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
    /// The path of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    /// The wrong part: a JSON pointer into the body, or the name of a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
}

impl Problem {
    fn new(status: StatusCode, code: &str, title: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:booking-service:{code}"),
            title,
            status: status.as_u16(),
            detail: detail.into(),
            instance: None,
            pointer: None,
        }
    }

    /// Adds the wrong part: a JSON pointer, or the name of a parameter.
    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    pub(crate) fn malformed_id(detail: impl ToString) -> Self {
        let title = "Not an id of this kind";
        Self::new(
            StatusCode::BAD_REQUEST,
            "malformed-id",
            title,
            detail.to_string(),
        )
    }

    pub(crate) fn malformed_parameter(detail: impl ToString) -> Self {
        let title = "A parameter of the address is wrong";
        Self::new(
            StatusCode::BAD_REQUEST,
            "malformed-parameter",
            title,
            detail.to_string(),
        )
    }

    pub(crate) fn malformed_body(detail: impl ToString) -> Self {
        let title = "The body is not the JSON of this command";
        Self::new(
            StatusCode::BAD_REQUEST,
            "malformed-body",
            title,
            detail.to_string(),
        )
    }

    /// The body did not arrive in time.
    pub(crate) fn late_body() -> Self {
        let title = "The body did not arrive in time";
        let detail = "the service has waited too long for the rest of the body";
        Self::new(StatusCode::REQUEST_TIMEOUT, "late-body", title, detail)
    }

    /// The entity that a path names does not exist.
    pub(crate) fn unknown(detail: impl Into<String>) -> Self {
        let title = "There is nothing with this id";
        Self::new(StatusCode::NOT_FOUND, "unknown-id", title, detail)
    }

    /// A value that is well-formed but not acceptable.
    pub(crate) fn invalid_value(detail: impl Into<String>) -> Self {
        let title = "A value is not acceptable";
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid-value",
            title,
            detail,
        )
    }

    fn conflict(code: &str, title: &'static str, detail: impl ToString) -> Self {
        Self::new(StatusCode::CONFLICT, code, title, detail.to_string())
    }

    fn other_command(detail: impl ToString) -> Self {
        let title = "The id belongs to another command";
        Self::conflict("command-conflict", title, detail).at("/commandId")
    }

    /// A failure of the service. It is logged, and the client gets no details.
    fn internal(error: &(dyn Error + 'static)) -> Self {
        if is_unavailable(error) {
            tracing::warn!(error, "the database is unavailable");
            Self::unavailable("the database is unavailable; try again later")
        } else {
            tracing::error!(error, "a request has failed");
            Self::unexplained()
        }
    }

    fn unavailable(detail: &str) -> Self {
        let title = "The service is not available";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "unavailable", title, detail)
    }

    fn unexplained() -> Self {
        let title = "The service has failed";
        let detail = "the cause was logged";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", title, detail)
    }
}

/// How long a client that gets 503 should wait at least, in seconds.
const RETRY_AFTER: (HeaderName, HeaderValue) = (header::RETRY_AFTER, HeaderValue::from_static("1"));

/// Only the status and the headers. [`write()`] writes the body once the path is known.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry = (status == StatusCode::SERVICE_UNAVAILABLE).then_some(RETRY_AFTER);
        (status, AppendHeaders(retry), Extension(self)).into_response()
    }
}

/// Middleware that writes the problem into the body of an answer.
pub(crate) async fn write(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let Some(mut problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    problem.instance = Some(path);
    let (mut parts, body) = Json(problem).into_response().into_parts();
    parts.status = response.status();
    // Such as `Allow` for a wrong method.
    parts.headers.extend(response.headers().clone());
    let problem_json = HeaderValue::from_static("application/problem+json");
    parts.headers.insert(header::CONTENT_TYPE, problem_json);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, body)
}

/// For paths that no route has.
pub(crate) async fn no_route() -> Problem {
    let title = "There is no such route";
    let detail = "no route has this path; GET /openapi.json lists them";
    Problem::new(StatusCode::NOT_FOUND, "unknown-route", title, detail)
}

/// For routes that have other methods.
pub(crate) async fn no_method(method: Method) -> Problem {
    let title = "The route has no such method";
    let detail = format!("the header `allow` lists what there is besides {method}");
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "unknown-method",
        title,
        detail,
    )
}

/// For requests whose handler has panicked.
pub(crate) fn after_panic(_: Box<dyn Any + Send>) -> Response {
    // The panic hook has logged the place and the message.
    tracing::error!("a request has panicked");
    unexplained()
}

/// For requests that get no answer from a handler.
pub(crate) fn unexplained() -> Response {
    Problem::unexplained().into_response()
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let not_there = |pointer| {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let title = "The body refers to something that does not exist";
            Self::new(status, "unknown-id", title, error.to_string()).at(pointer)
        };
        match &error {
            StoreError::UnknownCustomer(_) => not_there("/customerId"),
            StoreError::UnknownOffer(_) => not_there("/offerId"),
            StoreError::NotOpen(_) => Self::conflict("not-open", "The offer is not open", &error),
            StoreError::AlreadyCancelled(_) => {
                Self::conflict("already-cancelled", "The booking is cancelled", &error)
            }
            StoreError::OtherCommand => Self::other_command(&error),
            StoreError::Conflict(conflict) => conflict.clone().into(),
            StoreError::Id(error) => error.clone().into(),
            StoreError::RecordedClock(_) => {
                Self::invalid_value(error.to_string()).at("/recordedAt")
            }
            StoreError::Locked(_) => {
                tracing::warn!(%error, "a request has waited too long");
                Self::unavailable("the request has waited too long for a lock; try again later")
            }
            StoreError::Database(_) | StoreError::Rowkey(_) => Self::internal(&error),
        }
    }
}

/// Reveals nothing about stored data.
impl From<Conflict> for Problem {
    fn from(conflict: Conflict) -> Self {
        match conflict {
            Conflict::CommandName { .. } => Self::other_command(conflict),
            _ => {
                Self::conflict("id-conflict", "The id belongs to another entity", conflict).at("id")
            }
        }
    }
}

impl From<ValidationError> for Problem {
    fn from(error: ValidationError) -> Self {
        let problem = match error {
            ValidationError::NotRandomV4(_) | ValidationError::OutsideWindow { .. } => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "id-not-accepted",
                "The id is not accepted for a new entity",
                error.to_string(),
            ),
            _ => Self::malformed_id(error),
        };
        problem.at("id")
    }
}

/// A value without a public id, which keys do not have.
impl From<rowkey::Error> for Problem {
    fn from(error: rowkey::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        type Misread = serde_path_to_error::Error<serde::de::value::Error>;
        let Some(error) = find_source::<Misread>(&rejection) else {
            return Self::malformed_parameter(rejection);
        };
        let problem = Self::malformed_parameter(error.inner());
        match error.path().iter().next() {
            Some(Segment::Map { key }) => problem.at(key),
            // Such as a duplicate parameter, which has no place of its own.
            _ => problem,
        }
    }
}

/// Everything that can be wrong with a body before its members are read.
impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let detail = rejection.body_text();
        match rejection.status() {
            status @ StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                let title = "The body is not JSON";
                Self::new(status, "unsupported-media-type", title, detail)
            }
            status @ StatusCode::PAYLOAD_TOO_LARGE => {
                Self::new(status, "body-too-large", "The body is too large", detail)
            }
            _ => Self::malformed_body(detail),
        }
    }
}

/// An error of this type, or the first one among its sources.
fn find_source<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut link = Some(error);
    while let Some(error) = link {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        link = error.source();
    }
    None
}

/// The answers that every route can give.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only for the OpenAPI document")]
pub(crate) enum Failed {
    /// The service has failed; the cause was logged.
    #[response(status = 500, content_type = "application/problem+json")]
    Internal(Problem),
    /// The database is unavailable, or the request has waited too long for a lock.
    #[response(status = 503, content_type = "application/problem+json", headers(("retry-after" = u32)))]
    Unavailable(Problem),
}

/// The answer to a parameter that cannot be read.
#[derive(IntoResponses)]
#[response(
    status = 400,
    description = "The id or another parameter is malformed",
    content_type = "application/problem+json"
)]
#[expect(dead_code, reason = "only for the OpenAPI document")]
pub(crate) struct Malformed(Problem);

/// The answer if nothing has the id.
#[derive(IntoResponses)]
#[response(
    status = 404,
    description = "There is nothing with this id",
    content_type = "application/problem+json"
)]
#[expect(dead_code, reason = "only for the OpenAPI document")]
pub(crate) struct Unknown(Problem);

/// The answers to a command that is not executed.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only for the OpenAPI document")]
pub(crate) enum Refused {
    /// The id or the body is malformed.
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(Problem),
    /// The command conflicts with stored data.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
    /// The body did not arrive in time.
    #[response(status = 408, content_type = "application/problem+json")]
    LateBody(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is not JSON.
    #[response(status = 415, content_type = "application/problem+json")]
    WrongMediaType(Problem),
    /// A value is well-formed but not acceptable.
    #[response(status = 422, content_type = "application/problem+json")]
    NotAccepted(Problem),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(error: impl Into<StoreError>) -> (u16, String) {
        let problem = Problem::from(error.into());
        (problem.status, problem.detail)
    }

    #[test]
    fn an_unavailable_database_and_a_failure_have_different_statuses() {
        let (status, _) = problem(sqlx::Error::PoolTimedOut);
        assert_eq!(status, 503);
        let reset = sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into());
        let (status, _) = problem(rowkey_stores::Error::Database(Box::new(reset)));
        assert_eq!(status, 503);
        let (status, detail) = problem(sqlx::Error::Protocol("the secret is 4711".to_owned()));
        assert_eq!(status, 500);
        assert!(!detail.contains("4711"), "{detail}");
    }

    #[test]
    fn ids_of_clients_are_malformed_or_not_accepted() {
        let refused = |text: &str| {
            let parsed = text.parse::<crate::keys::BookingOfferId>();
            let problem = Problem::from(ValidationError::from(parsed.unwrap_err()));
            (problem.status, problem.kind)
        };
        let malformed = (400, "urn:booking-service:malformed-id".to_owned());
        assert_eq!(refused("00040000-0000-4000-8000-00000000000"), malformed);
        let not_random = (422, "urn:booking-service:id-not-accepted".to_owned());
        assert_eq!(refused("00040000-0000-7000-8000-000000000000"), not_random);
    }
}
