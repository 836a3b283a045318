//! Finds derives on a declaration that the expansion makes unnecessary.
//!
//! Only derives below `#[entity_key]` are visible: those above are expanded before the attribute
//! gets the item.

use syn::punctuated::Punctuated;
use syn::{Attribute, Path, Token, parse_quote};

use crate::problems::Problems;

/// Derive macros whose traits the expansion implements.
pub(crate) struct Implemented {
    names: &'static [&'static str],
    /// The crates that may qualify the names. Traits of other crates are ignored.
    crates: &'static [&'static str],
    /// Whether an unqualified name is enough, because no other well-known derive has it.
    alone: bool,
    /// The attribute that such a derive reads; without the derive, the attribute would be an error.
    helper: &'static str,
    /// Whether the feature of `rowkey` is on: otherwise the expansion does not implement the
    /// traits.
    on: bool,
}

impl Implemented {
    const fn standard(names: &'static [&'static str]) -> Self {
        Self {
            names,
            crates: &["core", "std", "derive_more"],
            alone: true,
            helper: "",
            on: true,
        }
    }

    const SERDE: Self = Self {
        names: &["Serialize", "Deserialize"],
        crates: &["serde", "serde_derive"],
        alone: true,
        helper: "serde",
        on: cfg!(feature = "serde"),
    };
    const SCHEMARS: Self = Self {
        names: &["JsonSchema"],
        crates: &["schemars"],
        alone: true,
        helper: "schemars",
        on: cfg!(feature = "schemars"),
    };
    const UTOIPA: Self = Self {
        names: &["ToSchema"],
        crates: &["utoipa"],
        alone: true,
        helper: "schema",
        on: cfg!(feature = "utoipa"),
    };
    const PROPTEST: Self = Self {
        names: &["Arbitrary"],
        crates: &["proptest_derive"],
        // The crate `arbitrary` has a derive of the same name.
        alone: false,
        helper: "proptest",
        on: cfg!(feature = "proptest"),
    };
    const SQLX: Self = Self {
        names: &["Type", "Encode", "Decode"],
        crates: &["sqlx"],
        // Other crates have derives of the same names.
        alone: false,
        helper: "sqlx",
        on: cfg!(feature = "sqlx"),
    };
    const DIESEL: Self = Self {
        names: &["AsExpression", "FromSqlRow", "DieselNewType"],
        crates: &["diesel", "diesel_derive_newtype"],
        alone: true,
        helper: "diesel",
        on: cfg!(feature = "diesel"),
    };
    const SEA_ORM: Self = Self {
        names: &["DeriveValueType"],
        crates: &["sea_orm"],
        alone: true,
        helper: "sea_orm",
        on: cfg!(feature = "sea-orm"),
    };

    pub(crate) const FOR_KEYS: &'static [Self] = &[
        Self::standard(&[
            "Clone",
            "Copy",
            "PartialEq",
            "Eq",
            "PartialOrd",
            "Ord",
            "Hash",
            "Debug",
            "Display",
            "FromStr",
        ]),
        Self::SERDE,
        Self::SCHEMARS,
        Self::UTOIPA,
        Self::PROPTEST,
        Self::SQLX,
        Self::DIESEL,
        Self::SEA_ORM,
    ];

    pub(crate) const FOR_UNIONS: &'static [Self] = &[
        Self::standard(&[
            "Clone",
            "Copy",
            "PartialEq",
            "Eq",
            "Hash",
            "Debug",
            "Display",
            "FromStr",
        ]),
        Self::SERDE,
        Self::SCHEMARS,
        Self::UTOIPA,
    ];

    fn is_named_by(&self, path: &Path) -> bool {
        let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
            return false;
        };
        let known_place = if path.segments.len() == 1 {
            self.alone
        } else {
            self.crates.iter().any(|name| first.ident == name)
        };
        self.on && known_place && self.names.iter().any(|name| last.ident == name)
    }
}

/// Reports derives of traits that the expansion implements, and removes them and the attributes
/// that they read: two impls of a trait would be a second error.
pub(crate) fn without_clashes(
    attributes: Vec<Attribute>,
    attribute_macro: &str,
    implemented: &[Implemented],
    problems: &mut Problems,
) -> Vec<Attribute> {
    let mut helpers = Vec::new();
    let mut kept = Vec::new();
    for attribute in attributes {
        let list = Punctuated::<Path, Token![,]>::parse_terminated;
        // `derive` itself reports what cannot be parsed.
        let derived = match attribute.parse_args_with(list) {
            Ok(derived) if attribute.path().is_ident("derive") => derived,
            _ => {
                kept.push(attribute);
                continue;
            }
        };
        let mut others = Vec::new();
        for path in derived {
            let Some(clash) = implemented.iter().find(|known| known.is_named_by(&path)) else {
                others.push(path);
                continue;
            };
            helpers.push(clash.helper);
            let name = path.segments.last().map(|last| last.ident.to_string());
            let name = name.unwrap_or_default();
            problems.at(
                path,
                format!("`{attribute_macro}` already implements `{name}`; leave it out"),
            );
        }
        if !others.is_empty() {
            kept.push(parse_quote!(#[derive(#(#others),*)]));
        }
    }
    kept.retain(|attribute| {
        !helpers
            .iter()
            .any(|helper| attribute.path().is_ident(helper))
    });
    kept
}
