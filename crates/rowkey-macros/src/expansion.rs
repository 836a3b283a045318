//! The expansion of a declaration.
//!
//! All paths are absolute or begin with the path of the rowkey crate, because the user's module may
//! have no prelude, or its own `Result`, `Option` or `core`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr};

use crate::declaration::Declaration;
use crate::options::Options;

/// The struct, its `EntityKey` impl, the checks of its constants and the calls that emit the rest.
pub(crate) fn expand(declaration: &Declaration, options: &Options) -> TokenStream {
    let Declaration {
        attributes,
        visibility,
        name,
        field_attributes,
        ..
    } = declaration;
    let rowkey = match &options.rowkey {
        Some(path) => path.to_token_stream(),
        None => quote!(::rowkey),
    };
    let (format, mention) = match &declaration.format {
        // Expands with a valid format, so that the error about this type stays the only one; the
        // mention keeps an import of the type used.
        wrong if declaration.is_no_format => (
            quote!(#rowkey::AnyUuid),
            quote! {
                const _: ::core::marker::PhantomData<#wrong> = ::core::marker::PhantomData;
            },
        ),
        format => (format.to_token_stream(), TokenStream::new()),
    };
    let entity_key = entity_key_impl(declaration, &format, options, &rowkey);
    let public_id_label = options
        .public_id
        .as_ref()
        .map(|label| public_id_label_impl(name, label, &rowkey));
    let checks = checks(declaration, options, &rowkey);
    let mut rest = quote! {
        #mention
        #entity_key
        #public_id_label
        #checks

        #rowkey::__private::impl_key! { #name, #format }
        #rowkey::__private::key_drivers! { #name }
    };
    let is_deprecated = |attribute: &Attribute| attribute.path().is_ident("deprecated");
    if attributes.iter().any(is_deprecated) {
        // The warning is for users of the key, not for its declaration.
        rest = quote! {
            #[allow(deprecated)]
            const _: () = { #rest };
        };
    }
    quote! {
        #(#attributes)*
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::cmp::PartialOrd,
            ::core::cmp::Ord,
            ::core::hash::Hash,
        )]
        #[repr(transparent)]
        #visibility struct #name(#(#field_attributes)* #format);

        #rest
    }
}

fn entity_key_impl(
    Declaration {
        attributes, name, ..
    }: &Declaration,
    format: &TokenStream,
    options: &Options,
    rowkey: &TokenStream,
) -> TokenStream {
    let text = name.unraw().to_string();
    let description = description(attributes);
    let prefix = optional("PREFIX", options.prefix.as_ref());
    let encoding = options.text.map(|text| {
        let encoding = Ident::new(text.encoding, Span::call_site());
        quote! {
            const TEXT: #rowkey::text::Encoding = #rowkey::text::Encoding::#encoding;
        }
    });
    let group = optional("GROUP_NAME", options.group.as_ref());
    let choices = options.storage.iter().map(|(backend, choice)| {
        let backend = backend.variant(Span::call_site());
        quote!(.with_if_possible(#rowkey::Backend::#backend, #choice))
    });
    let plan = (!options.storage.is_empty()).then(|| {
        quote! {
            const PLAN: #rowkey::storage::StoragePlan =
                #rowkey::__private::default_plan::<Self>() #(#choices)*;
        }
    });
    quote! {
        #[automatically_derived]
        impl #rowkey::EntityKey for #name {
            type Format = #format;

            const NAME: &'static ::core::primitive::str = #text;
            #description
            #prefix
            #encoding
            #group
            #plan

            #[inline]
            fn from_format(
                __rowkey_id: #format,
            ) -> ::core::result::Result<Self, #rowkey::Error> {
                ::core::result::Result::map(#rowkey::__private::admit::<Self>(__rowkey_id), Self)
            }

            #[inline]
            fn into_format(self) -> #format {
                self.0
            }
        }
    }
}

/// A macro, because public ids are a feature of rowkey.
fn public_id_label_impl(name: &Ident, label: &LitStr, rowkey: &TokenStream) -> TokenStream {
    quote! {
        #rowkey::__private::impl_public_id_label! { #name, #label }
    }
}

/// Constants that fail to compile, each with the span of a wrong part of the declaration.
///
/// The plan leaves out a wrong choice, so that this stays the only error about it.
fn checks(declaration: &Declaration, options: &Options, rowkey: &TokenStream) -> TokenStream {
    let key_at = |place: Span| {
        let mut name = declaration.name.clone();
        name.set_span(place);
        (moved(rowkey.clone(), place), name)
    };
    let storage = options.storage.iter().map(|(backend, choice)| {
        let place = choice.span();
        let (rowkey, name) = key_at(place);
        let backend = backend.variant(place);
        quote_spanned! {place=>
            const _: () =
                #rowkey::__private::check_storage::<#name>(#rowkey::Backend::#backend, #choice);
        }
    });
    let label = options.public_id.as_ref().map(|label| {
        let place = label.span();
        let rowkey = moved(rowkey.clone(), place);
        quote_spanned! {place=>
            const _: () = #rowkey::__private::check_public_id_label(#label);
        }
    });
    let place = match &options.group {
        Some(group) => group.span(),
        None => declaration.format.span(),
    };
    let (rowkey, name) = key_at(place);
    quote_spanned! {place=>
        #(#storage)*
        #label
        const _: () = #rowkey::__private::check_group::<#name>();
    }
}

/// The same tokens with another span.
pub(crate) fn moved(tokens: TokenStream, place: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut group = Group::new(group.delimiter(), moved(group.stream(), place));
                group.set_span(place);
                TokenTree::Group(group)
            }
            mut token => {
                token.set_span(place);
                token
            }
        })
        .collect()
}

/// The constant with the doc comment of a declaration, if it has one.
pub(crate) fn description(attributes: &[Attribute]) -> Option<TokenStream> {
    let lines = attributes.iter().filter_map(|attribute| {
        let meta = attribute.meta.require_name_value().ok()?;
        match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) if meta.path.is_ident("doc") => Some(line.value()),
            _ => None,
        }
    });
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect();
    let text = LitStr::new(lines.join("\n").trim(), Span::call_site());
    optional("DESCRIPTION", Some(&text).filter(|_| !lines.is_empty()))
}

/// The constant of an option, if it is declared. The trait has the defaults, and a constant that is
/// left out costs no time to compile.
fn optional(name: &str, value: Option<&LitStr>) -> Option<TokenStream> {
    let value = value?;
    let name = Ident::new(name, Span::call_site());
    Some(quote! {
        const #name: ::core::option::Option<&'static ::core::primitive::str> =
            ::core::option::Option::Some(#value);
    })
}
