//! The parts of a request that handlers use.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, MatchedPath, RawPathParams, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

use super::connections::Client;
use super::problem::Problem;

/// The only parameter of the path.
pub(crate) struct Id<T>(pub(crate) T);

impl<S, T> FromRequestParts<S> for Id<T>
where
    S: Send + Sync,
    T: FromStr<Err: Display>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let parameters = RawPathParams::from_request_parts(parts, state).await;
        // The bytes are not UTF-8: only the route has the parameter's name.
        let parameters = parameters.map_err(|error| {
            let route = parts.extensions.get::<MatchedPath>();
            let name = route.and_then(|route| route.as_str().split(['{', '}']).nth(1));
            Problem::malformed_id(error).at(name.unwrap_or_default())
        })?;
        let (name, text) = parameters.iter().next().unwrap_or_default();
        match text.parse() {
            Ok(id) => Ok(Self(id)),
            Err(error) => Err(Problem::malformed_id(error).at(name)),
        }
    }
}

/// The parameters of the query string.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub(crate) struct Query<T>(pub(crate) T);

/// The body: a JSON object.
pub(crate) struct Body<T>(pub(crate) T);

impl<S, T> FromRequest<S> for Body<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let client = request.extensions().get::<Arc<Client>>().cloned();
        let body = Json::<Box<RawValue>>::from_request(request, state);
        let body = match client {
            Some(client) => client.sends(body).await.map_err(|_| Problem::late_body())?,
            // A request of a test, without a connection.
            None => body.await,
        };
        let Json(body) = body?;
        // serde would accept an array of all members, too.
        if !body.get().starts_with('{') {
            return Err(Problem::malformed_body("the body is not an object").at(""));
        }
        let mut deserializer = serde_json::Deserializer::from_str(body.get());
        match serde_path_to_error::deserialize(&mut deserializer) {
            Ok(body) => Ok(Self(body)),
            Err(error) => {
                Err(Problem::malformed_body(error.inner()).at(json_pointer(error.path())))
            }
        }
    }
}

fn json_pointer(path: &Path) -> String {
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                format!("/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            Segment::Unknown => String::new(),
        })
        .collect()
}
