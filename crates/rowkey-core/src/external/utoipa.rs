//! utoipa: OpenAPI schemas named after the type, so that every use of a key refers to one schema.
//!
//! Public ids have none: utoipa's derives ask generic types for more than its public traits. Write
//! `#[schema(value_type = String, format = "uuid")]` on such a field.

use alloc::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::external::schema::TextSchema;
use crate::{EntityKey, Format};

/// Implements utoipa's traits for a key.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_utoipa {
    ($key:ident) => {
        #[automatically_derived]
        impl $crate::__private::utoipa::PartialSchema for $key {
            fn schema() -> $crate::__private::utoipa::openapi::RefOr<
                $crate::__private::utoipa::openapi::schema::Schema,
            > {
                $crate::__private::key_openapi_schema::<Self>()
            }
        }

        #[automatically_derived]
        impl $crate::__private::utoipa::ToSchema for $key {
            fn name() -> $crate::__private::Cow<'static, ::core::primitive::str> {
                $crate::__private::Cow::Borrowed(<Self as $crate::EntityKey>::NAME)
            }
        }
    };
}

fn schema_of(text: TextSchema) -> RefOr<Schema> {
    let string = ObjectBuilder::new().schema_type(Type::String);
    RefOr::T(Schema::Object(match text {
        TextSchema::Format(format) => string
            .format(Some(SchemaFormat::Custom(format.into())))
            .build(),
        TextSchema::Pattern(pattern) => string.pattern(Some(pattern)).build(),
    }))
}

/// The schema of a key's text.
pub fn key_openapi_schema<K: EntityKey>() -> RefOr<Schema> {
    schema_of(TextSchema::of_key::<K>())
}

macro_rules! implement {
    ([$($generics:tt)*] $format:ty) => {
        impl<$($generics)*> PartialSchema for $format {
            fn schema() -> RefOr<Schema> {
                schema_of(TextSchema::of_format(Self::KIND))
            }
        }

        impl<$($generics)*> ToSchema for $format {
            fn name() -> Cow<'static, str> {
                Self::KIND.type_name().into()
            }
        }
    };
}

for_each_format!(implement);
