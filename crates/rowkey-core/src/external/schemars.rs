//! schemars: JSON schemas named after the type, so that every use of a key refers to one schema.

use alloc::borrow::Cow;
use alloc::format;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::external::schema::TextSchema;
use crate::format::Format;
use crate::key::EntityKey;
use crate::luuid::{KeyUnion, ShortKey};

/// Implements schemars' trait for a key or a union of keys, with the trait that has its name and
/// the function of its schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_schemars {
    ($type:ident, $named_by:ident, $schema:ident) => {
        #[automatically_derived]
        impl $crate::__private::schemars::JsonSchema for $type {
            #[inline]
            fn schema_name() -> $crate::__private::Cow<'static, ::core::primitive::str> {
                $crate::__private::Cow::Borrowed(<Self as $crate::__private::$named_by>::NAME)
            }

            #[inline]
            fn schema_id() -> $crate::__private::Cow<'static, ::core::primitive::str> {
                $crate::__private::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    ::core::stringify!($type)
                ))
            }

            #[inline]
            fn json_schema(
                _: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::__private::$schema::<Self>()
            }
        }
    };
}

fn schema_of(text: TextSchema) -> Schema {
    let mut schema = json_schema!({ "type": "string", "pattern": text.pattern });
    if let Some(format) = text.format {
        schema.insert("format".into(), format.into());
    }
    if let Some(description) = text.description {
        schema.insert("description".into(), description.into());
    }
    if let Some(example) = text.example {
        schema.insert("examples".into(), [example].into());
    }
    schema
}

/// The schema of a key's text.
pub fn key_json_schema<K: EntityKey>() -> Schema {
    schema_of(TextSchema::of_key::<K>())
}

/// The schema of the text of a union of keys.
pub fn union_json_schema<U: KeyUnion>() -> Schema {
    schema_of(TextSchema::of_union::<U>())
}

macro_rules! implement {
    ([$($generics:tt)*] $format:ty) => {
        impl<$($generics)*> JsonSchema for $format {
            fn schema_name() -> Cow<'static, str> {
                Self::KIND.type_name().into()
            }

            fn schema_id() -> Cow<'static, str> {
                format!("rowkey::{}", Self::KIND).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema_of(TextSchema::of_format::<Self>())
            }
        }
    };
}

for_each_format!(implement);

/// One schema per key.
impl<K: JsonSchema> JsonSchema for ShortKey<K> {
    fn schema_name() -> Cow<'static, str> {
        format!("ShortKey_for_{}", K::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("rowkey::ShortKey<{}>", K::schema_id()).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema_of(TextSchema::of_short_key())
    }
}
