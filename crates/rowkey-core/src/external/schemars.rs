//! schemars: JSON schemas named after the type, so that every use of a key refers to one schema.

use alloc::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::external::schema::TextSchema;
use crate::{EntityKey, Format, PublicId};

/// Implements schemars' trait for a key.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_schemars {
    ($key:ident) => {
        #[automatically_derived]
        impl $crate::__private::schemars::JsonSchema for $key {
            fn schema_name() -> $crate::__private::Cow<'static, ::core::primitive::str> {
                $crate::__private::Cow::Borrowed(<Self as $crate::EntityKey>::NAME)
            }

            fn schema_id() -> $crate::__private::Cow<'static, ::core::primitive::str> {
                $crate::__private::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    ::core::stringify!($key)
                ))
            }

            fn json_schema(
                _: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::__private::key_json_schema::<Self>()
            }
        }
    };
}

fn schema_of(text: TextSchema) -> Schema {
    match text {
        TextSchema::Format(format) => json_schema!({ "type": "string", "format": format }),
        TextSchema::Pattern(pattern) => json_schema!({ "type": "string", "pattern": pattern }),
    }
}

/// The schema of a key's text.
pub fn key_json_schema<K: EntityKey>() -> Schema {
    schema_of(TextSchema::of_key::<K>())
}

macro_rules! implement {
    ([$($generics:tt)*] $format:ty) => {
        impl<$($generics)*> JsonSchema for $format {
            fn schema_name() -> Cow<'static, str> {
                Self::KIND.type_name().into()
            }

            fn schema_id() -> Cow<'static, str> {
                alloc::format!("rowkey::{}", Self::KIND).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema_of(TextSchema::of_format(Self::KIND))
            }
        }
    };
}

for_each_format!(implement);

impl<T> JsonSchema for PublicId<T> {
    fn schema_name() -> Cow<'static, str> {
        "PublicId".into()
    }

    fn schema_id() -> Cow<'static, str> {
        "rowkey::PublicId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema_of(TextSchema::UUID)
    }
}
