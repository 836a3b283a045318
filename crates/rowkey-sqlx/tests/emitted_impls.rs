//! The emitted impls compile where names mean something else, and are all there.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

use ::rowkey::entity_key;

/// What a macro would name if it trusted the user's module.
mod core {}
mod std {}
mod sqlx {}
mod rowkey_sqlx {}
mod rowkey_core {}
struct Result;
struct Option;
struct Vec;
struct Box;
struct String;
struct Ok;
struct Err;
struct bool;
struct u8;
struct u128;
struct str;
trait Type {}
trait Encode {}
trait Decode {}
trait Clone {}

#[entity_key]
struct OfferId(::rowkey::ShortPrefixComb);

#[entity_key(storage(postgres = "uuid"))]
struct InvoiceId(::rowkey::DistributedId);

fn is_key<Db, K>()
where
    Db: ::sqlx::Database,
    K: ::sqlx::Type<Db> + for<'q> ::sqlx::Encode<'q, Db> + for<'r> ::sqlx::Decode<'r, Db>,
{
}

fn is_element<K: ::sqlx::postgres::PgHasArrayType>() {}

#[test]
fn a_key_has_the_traits_of_every_driver() {
    is_key::<::sqlx::Postgres, OfferId>();
    is_key::<::sqlx::Postgres, InvoiceId>();
    is_key::<::sqlx::Postgres, ::std::vec::Vec<InvoiceId>>();
    is_key::<::sqlx::MySql, OfferId>();
    is_key::<::sqlx::MySql, ::std::option::Option<OfferId>>();
    is_key::<::sqlx::Sqlite, InvoiceId>();
    is_element::<OfferId>();
}
