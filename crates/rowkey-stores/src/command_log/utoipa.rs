//! utoipa: an OpenAPI array.
//!
//! A field with a generic type requires `ComposeSchema`, which is in a hidden module: see rowkey's
//! impls for its own types.

use std::borrow::Cow;

use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, Schema};

use super::CommandLog;

/// If a derive passes schemas, the first one is the schema of the ids.
impl<C: ToSchema, const LIMIT: usize> ComposeSchema for CommandLog<C, LIMIT> {
    fn compose(schemas: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        let ids = schemas.into_iter().next().unwrap_or_else(C::schema);
        let array = ArrayBuilder::new().items(ids).max_items(Self::MAX_LEN);
        RefOr::T(Schema::Array(array.build()))
    }
}

/// The limit is part of the name, so that logs with different limits have different schemas.
impl<C: ToSchema, const LIMIT: usize> ToSchema for CommandLog<C, LIMIT> {
    fn name() -> Cow<'static, str> {
        match Self::MAX_LEN {
            Some(limit) => format!("CommandLog{limit}").into(),
            None => "UnboundedCommandLog".into(),
        }
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        C::schemas(schemas);
    }
}
