//! Formatted expansions, and every message with its declaration.

use proc_macro2::TokenStream;
use quote::quote;
use rowkey_core::Backend;
use rowkey_core::text::prefixed;

use crate::declaration::Declaration;
use crate::options::{BACKENDS, Options};
use crate::problems::Problems;

fn expanded(options: TokenStream, item: TokenStream) -> String {
    let expansion = crate::expand(options, item);
    match syn::parse2(expansion.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("not items: {error}\n{expansion}"),
    }
}

fn problems(options: TokenStream, item: TokenStream) -> Vec<String> {
    let mut problems = Problems::default();
    Options::read(options, &mut problems);
    Declaration::read(&item, &mut problems);
    problems.messages()
}

fn option_problems(options: TokenStream) -> Vec<String> {
    problems(
        options,
        quote!(
            struct Id(UuidV7);
        ),
    )
}

#[test]
fn a_key_without_options() {
    insta::assert_snapshot!(expanded(
        quote!(),
        quote! {
            /// A customer.
            pub struct CustomerId(ShortPrefixComb);
        }
    ));
}

#[test]
fn a_key_with_every_option() {
    insta::assert_snapshot!(expanded(
        quote! {
            prefix = "cus",
            group = "com.acme.Customer",
            public_id = "customer",
            storage(mysql = "binary", mariadb = "binary", sqlserver = "uuid"),
            crate = "my_app::ids",
        },
        quote! {
            #[must_use]
            pub(crate) struct r#type(#[doc(hidden)] my_app::ids::Luuid);
        }
    ));
}

#[test]
fn a_key_with_a_text() {
    insta::assert_snapshot!(expanded(
        quote!(text = "alphanumeric"),
        quote! { struct InvoiceId(DistributedId); }
    ));
}

#[test]
fn a_deprecated_key_is_declared_without_warnings() {
    insta::assert_snapshot!(expanded(
        quote!(),
        quote! {
            #[deprecated = "now an `OfferId`"]
            struct ProposalId(UuidV4);
        }
    ));
}

#[test]
fn a_wrong_option_leaves_the_key_usable() {
    insta::assert_snapshot!(expanded(
        quote!(prefix = "Inv", colour = "red"),
        quote!(
            struct InvoiceId(DistributedId);
        )
    ));
}

#[test]
fn an_item_of_another_shape_is_emitted_unchanged() {
    insta::assert_snapshot!(expanded(
        quote!(prefix = ""),
        quote!(
            pub struct Pair(u8, u8);
        )
    ));
}

#[test]
fn several_problems_are_reported_together() {
    insta::assert_debug_snapshot!(problems(
        quote! {
            prefix = 5,
            prefix = "9a",
            storage(mysql = "uuid", oracle = "raw", mysql = "binary", mariadb = "native-uuid"),
            group,
            group = "   ",
            "text",
            crate = "not a path",
        },
        quote! {
            #[derive(Clone, Debug, Default)]
            struct Id<T>(pub T);
        }
    ));
}

#[test]
fn derives_of_other_traits_stay() {
    let item = quote! {
        #[derive(MyTrait, other::Debug, rkyv::Serialize, ::std::hash::Hash)]
        #[derive(bincode::Encode, Arbitrary, FromRow)]
        #[my_trait(skip)]
        struct Id(UuidV7);
    };
    assert_eq!(
        problems(quote!(), item.clone()),
        ["`#[entity_key]` already implements `Hash`; leave it out"]
    );
    let expansion = expanded(quote!(), item);
    for kept in [
        "#[derive(MyTrait, other::Debug, rkyv::Serialize)]",
        "#[derive(bincode::Encode, Arbitrary, FromRow)]",
        "#[my_trait(skip)]",
    ] {
        assert!(expansion.contains(kept), "{kept} is not in {expansion}");
    }
}

/// With a feature of rowkey turned off, the derive may be needed.
#[test]
fn derives_of_traits_are_refused_where_the_key_has_them() {
    for (derive, on) in [
        (quote!(Serialize), cfg!(feature = "serde")),
        (quote!(serde::Deserialize), cfg!(feature = "serde")),
        (quote!(JsonSchema), cfg!(feature = "schemars")),
        (quote!(utoipa::ToSchema), cfg!(feature = "utoipa")),
        (
            quote!(proptest_derive::Arbitrary),
            cfg!(feature = "proptest"),
        ),
        (quote!(sqlx::Type), cfg!(feature = "sqlx")),
        (quote!(DieselNewType), cfg!(feature = "diesel")),
        (
            quote!(diesel::deserialize::FromSqlRow),
            cfg!(feature = "diesel"),
        ),
        (quote!(DeriveValueType), cfg!(feature = "sea-orm")),
    ] {
        let found = problems(
            quote!(),
            quote! {
                #[derive(#derive)]
                struct Id(UuidV7);
            },
        );
        assert_eq!(!found.is_empty(), on, "{derive}: {found:?}");
    }
}

#[test]
fn only_structs_with_one_unnamed_field_are_keys() {
    let items = [
        quote!(
            struct Id {
                value: UuidV7,
            }
        ),
        quote!(
            struct Id;
        ),
        quote!(
            struct Id();
        ),
        quote!(
            struct Id(UuidV7, UuidV7);
        ),
        quote!(
            enum Id {
                One(UuidV7),
            }
        ),
        quote!(union Id { one: UuidV7 }),
        quote!(
            fn id() {}
        ),
        quote!(
            struct Id<const N: u64>(ShortPrefixComb<N>);
        ),
        quote!(
            struct Id(UuidV7)
            where
                UuidV7: Copy;
        ),
    ];
    insta::assert_debug_snapshot!(items.map(|item| (item.to_string(), problems(quote!(), item))));
}

#[test]
fn a_prefix_names_its_wrong_character() {
    let prefixes = [
        "",
        "Inv",
        "in-v",
        "1nv",
        "größe",
        "inv_",
        "abcdefghijklmnopqrstuvwxy",
    ];
    insta::assert_debug_snapshot!(
        prefixes.map(|prefix| (prefix, option_problems(quote!(prefix = #prefix))))
    );
    for prefix in ["a", "inv2", "abcdefghijklmnopqrstuvwx"] {
        assert!(
            option_problems(quote!(prefix = #prefix)).is_empty(),
            "{prefix}"
        );
        assert_eq!(prefixed::check(prefix), Ok(()));
    }
    // A prefix that cannot be declared is not recognised in an id either.
    for prefix in prefixes {
        assert!(prefixed::check(prefix).is_err(), "{prefix}");
    }
}

#[test]
fn values_of_another_kind_are_refused_with_an_example() {
    insta::assert_debug_snapshot!(option_problems(quote! {
        prefix("inv"),
        group = Customer,
        storage = "uuid",
        crate = rowkey,
        ,
    }));
    insta::assert_debug_snapshot!(option_problems(quote! {
        storage(postgres, sqlite("blob"), mysql = b"uuid", = "x", sqlserver "uuid", mariadb = ),
        prefix = "inv" + "oice",
    }));
}

fn expanded_union(options: TokenStream, item: TokenStream) -> String {
    let expansion = crate::expand_union(options, item);
    match syn::parse2(expansion.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("not items: {error}\n{expansion}"),
    }
}

#[test]
fn a_union_of_two_keys() {
    insta::assert_snapshot!(expanded_union(
        quote!(crate = "my_app::ids"),
        quote! {
            /// Any id.
            #[derive(PartialOrd)]
            pub enum AnyId {
                /// Of a customer.
                Customer(CustomerId),
                Order(orders::OrderId),
            }
        },
    ));
}

#[test]
fn a_key_is_converted_into_the_variant_that_is_compiled() {
    let expansion = expanded_union(
        quote!(),
        quote! {
            enum Any {
                #[cfg(feature = "new")]
                New(OneId),
                #[cfg(not(feature = "new"))]
                Old(OneId),
            }
        },
    );
    let conversions = expansion.matches("From<OneId> for Any").count();
    assert_eq!(conversions, 2, "{expansion}");
}

#[test]
fn conditions_are_found_among_other_attributes() {
    let expansion = expanded_union(
        quote!(),
        quote! {
            enum Any {
                #[cfg_attr(true, doc = "New.", cfg(feature = "new"), cfg_attr(unix, inline, cfg(false)))]
                #[cfg_attr(unix, doc = "On Unix.")]
                New(OneId),
            }
        },
    );
    // One at each of: the list of groups, both directions, the text, the conversion and the check.
    let condition = r#"#[cfg_attr(true, cfg(feature = "new"), cfg_attr(unix, cfg(false)))]"#;
    assert_eq!(expansion.matches(condition).count(), 6, "{expansion}");
    assert_eq!(expansion.matches("On Unix").count(), 1, "{expansion}");
}

#[test]
fn enums_that_are_not_unions_are_emitted_unchanged() {
    for (options, item) in [
        (
            quote!(),
            quote!(
                enum Any<K> {
                    One(K),
                }
            ),
        ),
        (
            quote!(),
            quote!(
                enum Any
                where
                    u8: Copy,
                {
                    One(OneId),
                }
            ),
        ),
        (
            quote!(),
            quote!(
                enum Any {
                    One(OneId) = 1,
                }
            ),
        ),
        (
            quote!(),
            quote!(
                enum Any {
                    One { id: OneId },
                }
            ),
        ),
        (
            quote!(),
            quote!(
                enum Any {}
            ),
        ),
        (
            quote!(),
            quote!(
                struct Any(OneId);
            ),
        ),
        (
            quote!(crate = "a", crate = "b"),
            quote!(
                enum Any {
                    One(OneId),
                }
            ),
        ),
        (
            quote!(crate = 7, group = "x"),
            quote!(
                enum Any {
                    One(OneId),
                }
            ),
        ),
    ] {
        let expansion = expanded_union(options, item);
        assert!(expansion.contains("compile_error!"), "{expansion}");
        let kept = expansion.contains("enum Any") || expansion.contains("struct Any");
        assert!(kept, "{expansion}");
    }
}

#[test]
fn every_backend_can_be_declared() {
    let declared = BACKENDS.map(|backend| {
        let known: Backend = backend.name.parse().unwrap();
        assert_eq!(format!("{known:?}"), backend.variant);
        known
    });
    assert_eq!(declared, Backend::ALL);
}
