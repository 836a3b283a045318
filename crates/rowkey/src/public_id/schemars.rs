//! schemars: JSON schemas.

use alloc::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::public_id::schema::{PUBLIC_ID, SEALED_ID, TextSchema};
use crate::public_id::{PublicId, SealedId};

fn schema_of(text: &TextSchema) -> Schema {
    json_schema!({ "type": "string", "pattern": text.pattern, "examples": [text.example] })
}

impl<T> JsonSchema for PublicId<T> {
    fn schema_name() -> Cow<'static, str> {
        "PublicId".into()
    }

    fn schema_id() -> Cow<'static, str> {
        "rowkey::PublicId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema_of(&PUBLIC_ID)
    }
}

impl<T> JsonSchema for SealedId<T> {
    fn schema_name() -> Cow<'static, str> {
        "SealedId".into()
    }

    fn schema_id() -> Cow<'static, str> {
        "rowkey::SealedId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema_of(&SEALED_ID)
    }
}
