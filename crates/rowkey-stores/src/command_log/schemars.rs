//! schemars: a JSON array.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::CommandLog;

/// An inline array, as for a `Vec`.
impl<C: JsonSchema, const LIMIT: usize> JsonSchema for CommandLog<C, LIMIT> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        match Self::MAX_LEN {
            Some(limit) => format!("CommandLog_of_{limit}_{}", C::schema_name()).into(),
            None => format!("UnboundedCommandLog_of_{}", C::schema_name()).into(),
        }
    }

    fn schema_id() -> Cow<'static, str> {
        format!("rowkey_stores::CommandLog<{}, {LIMIT}>", C::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "type": "array",
            "items": generator.subschema_for::<C>(),
        });
        if let Some(limit) = Self::MAX_LEN {
            schema.insert("maxItems".into(), limit.into());
        }
        schema
    }
}
