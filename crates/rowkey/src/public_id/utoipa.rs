//! utoipa: OpenAPI schemas, one for each type of id.
//!
//! For a field with a generic type, the derives require `ComposeSchema`, which is in a hidden
//! module: as for the generic types of rowkey-core, there is no other way.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::public_id::schema::{PUBLIC_ID, SEALED_ID, TextSchema};
use crate::public_id::{PublicId, SealedId};

fn schema_of(text: &TextSchema) -> RefOr<Schema> {
    let string = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(text.pattern))
        .examples([text.example]);
    RefOr::T(Schema::Object(string.build()))
}

/// A derive turns the name into `PublicId_InvoiceId`: one schema for each type of id.
impl<T> ComposeSchema for PublicId<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        schema_of(&PUBLIC_ID)
    }
}

impl<T> ToSchema for PublicId<T> {
    fn name() -> Cow<'static, str> {
        "PublicId".into()
    }
}

/// A derive turns the name into `SealedId_CustomerId`: one schema for each type of id.
impl<T> ComposeSchema for SealedId<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        schema_of(&SEALED_ID)
    }
}

impl<T> ToSchema for SealedId<T> {
    fn name() -> Cow<'static, str> {
        "SealedId".into()
    }
}
