//! The struct below the attribute.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Type, Visibility};

use crate::derives::{Implemented, without_clashes};
use crate::problems::Problems;

/// `#(attributes)* visibility struct Name(#(attributes)* Format);`
pub(crate) struct Declaration {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) field_attributes: Vec<Attribute>,
    pub(crate) format: Type,
    /// Whether the name of the field's type shows that it is not a format.
    pub(crate) is_no_format: bool,
}

impl Declaration {
    /// The declaration, or `None` if the item does not have the shape of a key.
    pub(crate) fn read(item: &TokenStream, problems: &mut Problems) -> Option<Self> {
        let Ok(input) = syn::parse2::<DeriveInput>(item.clone()) else {
            problems.at(
                item,
                "`#[entity_key]` can only be applied to a struct with one unnamed field",
            );
            return None;
        };
        let attributes = without_clashes(
            input.attrs,
            "#[entity_key]",
            Implemented::FOR_KEYS,
            problems,
        );
        let fields = match input.data {
            Data::Struct(data) => data.fields,
            Data::Enum(data) => {
                problems.at(
                    data.enum_token,
                    wrong_shape(&input.ident, "this is an enum"),
                );
                return None;
            }
            Data::Union(data) => {
                problems.at(
                    data.union_token,
                    wrong_shape(&input.ident, "this is a union"),
                );
                return None;
            }
        };
        let field = match fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                fields.unnamed.into_iter().next()
            }
            Fields::Unnamed(fields) => {
                let found = format!("this one has {}", fields.unnamed.len());
                problems.at(fields, wrong_shape(&input.ident, &found));
                None
            }
            Fields::Named(fields) => {
                problems.at(
                    fields,
                    wrong_shape(&input.ident, "this one has named fields"),
                );
                None
            }
            Fields::Unit => {
                problems.at(&input.ident, wrong_shape(&input.ident, "this one has none"));
                None
            }
        };
        let generic = !input.generics.params.is_empty() || input.generics.where_clause.is_some();
        if !input.generics.params.is_empty() {
            problems.at(
                &input.generics,
                "a key cannot have type, lifetime or const parameters",
            );
        } else if let Some(clause) = &input.generics.where_clause {
            problems.at(clause, "a key cannot have a where clause");
        }
        let field = field?;
        check_field(&field, problems);
        if generic {
            return None;
        }
        Some(Self {
            attributes,
            visibility: input.vis,
            name: input.ident,
            field_attributes: field.attrs,
            is_no_format: check_format(&field.ty, problems),
            format: field.ty,
        })
    }
}

fn wrong_shape(name: &Ident, found: &str) -> String {
    format!(
        "a key is a struct with one unnamed field, but {found}: write `struct {name}(ShortPrefixComb);`"
    )
}

/// Other code could write an id into a public field that does not fit the plan.
fn check_field(field: &Field, problems: &mut Problems) {
    if !matches!(field.vis, Visibility::Inherited) {
        problems.at(
            &field.vis,
            "the field of a key is private, because `from_format` checks its value; leave \
             this out",
        );
    }
}

/// Types that users wrap by mistake; no alias of a format has such a name.
const NO_FORMATS: [&str; 16] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "bool",
    "char", "str", "String",
];

/// Reports a type whose name shows that it is not a format.
///
/// The compiler finds other types, but reports them once for every impl.
fn check_format(field: &Type, problems: &mut Problems) -> bool {
    let is_uuid = |name: &Ident| name == "Uuid";
    let is_listed = |name: &Ident| NO_FORMATS.iter().any(|listed| name == listed);
    let advice = match field {
        Type::Array(_) | Type::Reference(_) | Type::Slice(_) | Type::Tuple(_) => NO_FORMAT,
        Type::Path(path) => match path.path.segments.last().map(|last| &last.ident) {
            Some(name) if is_uuid(name) => {
                "a `Uuid` does not say how new ids are made and sorted: write `UuidV7` or \
                 `UuidV4`, or `AnyUuid` for a column of any UUIDs"
            }
            Some(name) if is_listed(name) => NO_FORMAT,
            _ => return false,
        },
        _ => return false,
    };
    problems.at(field, advice);
    true
}

const NO_FORMAT: &str = "this is not an id format: a key wraps a type of `rowkey::format`, such \
                         as `ShortPrefixComb`, `UuidV7` or `DistributedId`";
