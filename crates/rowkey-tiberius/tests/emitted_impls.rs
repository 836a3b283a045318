//! The emitted impls compile where names mean something else, and are all there.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

use ::rowkey::entity_key;

/// What a macro would name if it trusted the user's module.
mod core {}
mod std {}
mod tiberius {}
mod rowkey_tiberius {}
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
trait ToSql {}
trait IntoSql {}
trait FromSql {}
trait FromSqlOwned {}
trait Clone {}

#[entity_key]
struct OfferId(::rowkey::ShortPrefixComb);

#[entity_key(storage(sqlserver = "text"))]
struct InvoiceId(::rowkey::DistributedId);

fn is_key<K>()
where
    K: ::tiberius::ToSql
        + for<'a> ::tiberius::IntoSql<'a>
        + for<'a> ::tiberius::FromSql<'a>
        + ::tiberius::FromSqlOwned,
{
}

#[test]
fn a_key_has_every_trait() {
    is_key::<OfferId>();
    is_key::<InvoiceId>();
}
