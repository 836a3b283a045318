//! utoipa: OpenAPI schemas named after the type, so that every use of a key refers to one schema.
//!
//! For a field with a generic type, such as `ShortKey<CustomerId>`, the derives require
//! `ComposeSchema`, which is in a hidden module. It is implemented here nevertheless, because there
//! is no other way to support such a field. It is unlikely to change in this major version: every
//! utoipa 6 accepts any utoipa-gen 6, whose output names the trait in users' crates.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use utoipa::__dev::ComposeSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::external::schema::TextSchema;
use crate::format::Format;
use crate::key::EntityKey;
use crate::luuid::{KeyUnion, ShortKey};

/// Implements utoipa's traits for a key or a union of keys, with the trait that has its name and
/// the function of its schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_utoipa {
    ($type:ident, $named_by:ident, $schema:ident) => {
        #[automatically_derived]
        impl $crate::__private::utoipa::PartialSchema for $type {
            #[inline]
            fn schema() -> $crate::__private::utoipa::openapi::RefOr<
                $crate::__private::utoipa::openapi::schema::Schema,
            > {
                $crate::__private::$schema::<Self>()
            }
        }

        #[automatically_derived]
        impl $crate::__private::utoipa::ToSchema for $type {
            #[inline]
            fn name() -> $crate::__private::Cow<'static, ::core::primitive::str> {
                $crate::__private::Cow::Borrowed(<Self as $crate::__private::$named_by>::NAME)
            }
        }
    };
}

fn schema_of(text: TextSchema) -> RefOr<Schema> {
    let string = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(text.format.map(|name| SchemaFormat::Custom(name.into())))
        .pattern(Some(text.pattern))
        .description(text.description)
        .examples(text.example);
    RefOr::T(Schema::Object(string.build()))
}

/// The schema of a key's text.
pub fn key_openapi_schema<K: EntityKey>() -> RefOr<Schema> {
    schema_of(TextSchema::of_key::<K>())
}

/// The schema of the text of a union of keys.
pub fn union_openapi_schema<U: KeyUnion>() -> RefOr<Schema> {
    schema_of(TextSchema::of_union::<U>())
}

macro_rules! implement {
    ([$($generics:tt)*] $format:ty) => {
        impl<$($generics)*> PartialSchema for $format {
            fn schema() -> RefOr<Schema> {
                schema_of(TextSchema::of_format::<Self>())
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

/// A derive turns the name into `ShortKey_CustomerId`: one schema for each type of key.
impl<K> ComposeSchema for ShortKey<K> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        schema_of(TextSchema::of_short_key())
    }
}

impl<K> ToSchema for ShortKey<K> {
    fn name() -> Cow<'static, str> {
        "ShortKey".into()
    }
}
