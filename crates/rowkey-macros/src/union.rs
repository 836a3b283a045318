//! An enum of keys, which becomes a union of keys.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Fields, Meta, Path, Token, Type, Variant, Visibility, parse_quote,
};

use crate::derives::{Implemented, without_clashes};
use crate::expansion::{description, moved};
use crate::options::up_to_comma;
use crate::problems::Problems;

/// `#(attributes)* visibility enum Name { #(attributes)* Customer(CustomerId), … }`
pub(crate) struct Union {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    variants: Vec<Variant>,
    /// The key of each variant.
    keys: Vec<Type>,
}

impl Union {
    /// The declaration, or `None` if the item does not have the shape of a union.
    pub(crate) fn read(item: &TokenStream, problems: &mut Problems) -> Option<Self> {
        let wrong_item = "`#[key_union]` can only be applied to an enum of keys";
        let Ok(input) = syn::parse2::<DeriveInput>(item.clone()) else {
            problems.at(item, wrong_item);
            return None;
        };
        let Data::Enum(data) = input.data else {
            problems.at(item, wrong_item);
            return None;
        };
        let attributes = without_clashes(
            input.attrs,
            "#[key_union]",
            Implemented::FOR_UNIONS,
            problems,
        );
        if !input.generics.params.is_empty() || input.generics.where_clause.is_some() {
            problems.at(
                &input.generics,
                "a union of keys cannot have parameters or a where clause",
            );
            return None;
        }
        if data.variants.is_empty() {
            problems.at(
                &input.ident,
                format!(
                    "a union needs keys: write `enum {} {{ Customer(CustomerId) }}`",
                    input.ident
                ),
            );
            return None;
        }
        let variants: Vec<Variant> = data.variants.into_iter().collect();
        let keys: Vec<Option<Type>> = variants
            .iter()
            .map(|variant| read_key(variant, problems))
            .collect();
        Some(Self {
            attributes,
            visibility: input.vis,
            name: input.ident,
            variants,
            keys: keys.into_iter().collect::<Option<_>>()?,
        })
    }

    /// The enum, its `KeyUnion` impl, the checks of its keys and the call that emits the rest.
    pub(crate) fn expand(&self, rowkey: Option<&Path>) -> TokenStream {
        let rowkey = match rowkey {
            Some(path) => path.to_token_stream(),
            None => quote!(::rowkey),
        };
        let Self {
            attributes,
            visibility,
            name,
            variants,
            keys,
        } = self;
        let text = name.unraw().to_string();
        let cases: Vec<&Ident> = variants.iter().map(|variant| &variant.ident).collect();
        let conditions: Vec<Vec<Attribute>> = variants.iter().map(conditions).collect();
        let conversions = self.conversions();
        let checks = self.checks(&rowkey);
        let description = description(attributes);
        quote! {
            #(#attributes)*
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::cmp::PartialEq,
                ::core::cmp::Eq,
                ::core::hash::Hash,
                ::core::fmt::Debug,
            )]
            #visibility enum #name {
                #(#variants,)*
            }

            // Deprecation warnings are for users of the union, variant or key, not for this code.
            #[allow(deprecated)]
            const _: () = {
                #[automatically_derived]
                impl #rowkey::luuid::KeyUnion for #name {
                    const NAME: &'static ::core::primitive::str = #text;
                    #description
                    const GROUPS: &'static [#rowkey::luuid::KeyGroup] =
                        &[#(#(#conditions)* #rowkey::__private::member::<#keys>()),*];

                    fn from_luuid(
                        __rowkey_id: #rowkey::Luuid,
                    ) -> ::core::result::Result<Self, #rowkey::Error> {
                        #(
                            #(#conditions)*
                            if #rowkey::__private::has_group_of::<#keys>(__rowkey_id) {
                                return ::core::result::Result::map(
                                    #rowkey::__private::key_of_bits(__rowkey_id.to_u128()),
                                    Self::#cases,
                                );
                            }
                        )*
                        #rowkey::__private::unknown_group(__rowkey_id)
                    }

                    fn into_luuid(self) -> #rowkey::Luuid {
                        match self {
                            #(
                                #(#conditions)*
                                Self::#cases(__rowkey_key) => {
                                    #rowkey::__private::luuid_of_key(__rowkey_key)
                                },
                            )*
                        }
                    }
                }

                #[automatically_derived]
                impl ::core::fmt::Display for #name {
                    fn fmt(&self, __rowkey_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        match self {
                            #(
                                #(#conditions)*
                                Self::#cases(__rowkey_key) => {
                                    ::core::fmt::Display::fmt(__rowkey_key, __rowkey_f)
                                },
                            )*
                        }
                    }
                }

                #conversions
                #checks

                #rowkey::__private::impl_key_union! { #name }
            };
        }
    }

    /// `From` each key; only once for a repeated key, which is already another error, unless its
    /// variants have different conditions.
    fn conversions(&self) -> TokenStream {
        let name = &self.name;
        let mut seen = HashSet::new();
        let mut conversions = TokenStream::new();
        for (variant, key) in self.variants.iter().zip(&self.keys) {
            let case = &variant.ident;
            let conditions = conditions(variant);
            if !seen.insert(quote!(#(#conditions)* #key).to_string()) {
                continue;
            }
            conversions.extend(quote! {
                #(#conditions)*
                #[automatically_derived]
                impl ::core::convert::From<#key> for #name {
                    fn from(__rowkey_key: #key) -> Self {
                        Self::#case(__rowkey_key)
                    }
                }
            });
        }
        conversions
    }

    /// Constants that fail to compile, each with the span of a wrong part of the declaration.
    fn checks(&self, rowkey: &TokenStream) -> TokenStream {
        let keys = self.variants.iter().zip(&self.keys).map(|(variant, key)| {
            let place = key.span();
            let rowkey = moved(rowkey.clone(), place);
            let conditions = conditions(variant);
            quote_spanned! {place=>
                #(#conditions)*
                const _: () = #rowkey::__private::check_key_of_union::<#key>();
            }
        });
        let name = &self.name;
        let place = name.span();
        let rowkey = moved(rowkey.clone(), place);
        let together = quote_spanned! {place=>
            const _: () = #rowkey::__private::check_union::<#name>();
        };
        quote!(#(#keys)* #together)
    }
}

fn conditions(variant: &Variant) -> Vec<Attribute> {
    let metas = variant.attrs.iter().map(|attribute| &attribute.meta);
    let conditions = metas.filter_map(condition);
    conditions
        .map(|condition| parse_quote!(#[#condition]))
        .collect()
}

/// The condition in an attribute: a `cfg` itself, or a `cfg_attr` with only the conditions in it,
/// because other attributes may not be allowed on an impl or a statement.
fn condition(meta: &Meta) -> Option<Meta> {
    if meta.path().is_ident("cfg") {
        return Some(meta.clone());
    }
    if !meta.path().is_ident("cfg_attr") {
        return None;
    }
    let parser = |input: ParseStream<'_>| {
        let predicate = up_to_comma(input)?;
        input.parse::<Token![,]>()?;
        let attributes = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
        Ok((predicate, attributes))
    };
    // `cfg_attr` itself reports what cannot be parsed.
    let (predicate, attributes) = meta.require_list().ok()?.parse_args_with(parser).ok()?;
    let conditions: Vec<Meta> = attributes.iter().filter_map(condition).collect();
    (!conditions.is_empty()).then(|| parse_quote!(cfg_attr(#predicate, #(#conditions),*)))
}

fn read_key(variant: &Variant, problems: &mut Problems) -> Option<Type> {
    if let Some((_, value)) = &variant.discriminant {
        problems.at(
            value,
            "the variants of a union of keys cannot have discriminants",
        );
        return None;
    }
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            fields.unnamed.first().map(|field| field.ty.clone())
        }
        _ => {
            problems.at(
                variant,
                format!("a variant is one key: write `{0}({0}Id)`", variant.ident),
            );
            None
        }
    }
}
