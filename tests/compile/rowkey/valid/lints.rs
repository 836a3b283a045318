//! The expansion triggers no lint, wherever a key is declared.

#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub, unused)]
#![deny(rust_2018_idioms, single_use_lifetimes, trivial_casts, unused_qualifications)]
#![deny(unused_results, variant_size_differences, redundant_lifetimes, unit_bindings)]
#![forbid(unsafe_code)]

use rowkey::{AnyUuid, DistributedId128, HotGuid, Luuid, UuidV4, entity_key, key_union};

/// A public key.
#[entity_key]
pub struct CustomerId(UuidV4);

/// Documentation on a field is allowed.
#[entity_key(storage(mysql = "binary", mariadb = "binary"))]
pub struct OrderId(
    /// The value.
    AnyUuid,
);

/// A deprecated key.
#[entity_key]
#[deprecated]
pub struct ProposalId(UuidV4);

/// A key of another platform.
#[entity_key]
#[cfg(any())]
pub struct ElsewhereId(NoSuchFormat);

/// A supplier.
#[entity_key(group = "com.acme.Supplier")]
pub struct SupplierId(Luuid);

/// A branch of a supplier.
#[entity_key(group = "com.acme.Branch")]
pub struct BranchId(Luuid);

/// A supplier or a branch.
#[key_union]
pub enum PartnerId {
    /// A supplier.
    Supplier(SupplierId),
    /// A branch.
    Branch(BranchId),
    /// A partner of another platform.
    #[cfg(any())]
    Elsewhere(ElsewhereId),
}

/// A private module with public items.
mod private {
    use super::{HotGuid, entity_key};

    #[entity_key]
    pub(crate) struct ShardId(HotGuid);
}

/// A declaration in a function.
fn local() {
    #[entity_key(prefix = "lcl")]
    struct LocalId(DistributedId128);

    let id = LocalId::generate();
    assert_eq!(id.to_string().parse::<LocalId>(), Ok(id));
}

/// A declaration from a macro.
macro_rules! keys {
    ($($name:ident: $format:ty, $storage:literal;)*) => {
        $(
            /// A key.
            #[entity_key(storage(postgres = $storage))]
            pub struct $name($format);
        )*
    };
}

keys! {
    LineId: rowkey::UuidV7, "text";
    ItemId: rowkey::Iuid, "binary";
}

fn main() {
    local();
    let shard = private::ShardId::constant(7);
    assert_eq!(u128::from(shard), 7);
    let text = "00000023-122e-6f47-a789-28ef27ab7c62";
    assert!(text.parse::<PartnerId>().is_err());
}
