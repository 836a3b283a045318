//! The emitted impls compile where names mean something else, and are all there.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

use ::rowkey::entity_key;

/// What a macro would name if it trusted the user's module.
mod core {}
mod std {}
mod sea_orm {}
mod sea_query {}
mod rowkey_sea_orm {}
mod rowkey_core {}
struct Result;
struct Option;
struct Vec;
struct Box;
struct String;
struct Ok;
struct Err;
struct Value;
struct bool;
struct u64;
struct u128;
struct str;
trait From {}
trait Nullable {}
trait ValueType {}
trait TryGetable {}
trait TryFromU64 {}
trait IntoActiveValue {}
trait Clone {}

#[entity_key]
struct OfferId(::rowkey::ShortPrefixComb);

#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text"))]
struct InvoiceId(::rowkey::DistributedId);

/// No value of SeaORM is right for all its columns; what reads it is there.
#[entity_key(storage(postgres = "uuid"))]
struct ReceiptId(::rowkey::DistributedId);

fn is_read<K>()
where
    K: ::sea_orm::TryGetable + ::sea_orm::TryFromU64,
{
}

fn is_column<K>()
where
    K: ::sea_orm::sea_query::ValueType
        + ::sea_orm::sea_query::Nullable
        + ::sea_orm::sea_query::postgres_array::NotU8
        + ::sea_orm::TryGetable
        + ::sea_orm::TryFromU64
        + ::sea_orm::IntoActiveValue<K>
        + ::std::convert::Into<::sea_orm::Value>,
{
}

#[test]
fn a_key_has_every_trait() {
    is_column::<OfferId>();
    is_column::<InvoiceId>();
    is_read::<ReceiptId>();
}
