//! The emitted impls compile where names mean something else, and are all there.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

use ::rowkey::entity_key;

/// What a macro would name if it trusted the user's module.
mod core {}
mod std {}
mod diesel {}
mod rowkey_diesel {}
mod rowkey_core {}
struct Result;
struct Option;
struct Vec;
struct Box;
struct String;
struct Ok;
struct Err;
struct bool;
struct u128;
struct Key;
struct Self_;
trait ToSql {}
trait FromSql {}
trait Queryable {}
trait AsExpression {}
trait Clone {}
trait Default {}
trait Into {}

#[entity_key]
struct OfferId(::rowkey::ShortPrefixComb);

/// Called like a type parameter.
#[entity_key]
struct ST(::rowkey::ShortPrefixComb);

#[entity_key(storage(postgres = "uuid"))]
struct DB(::rowkey::DistributedId);

fn is_key<Db, K>()
where
    Db: ::diesel::backend::Backend,
    K: ::rowkey::EntityKey
        + ::diesel::serialize::ToSql<::rowkey_diesel::Key<K>, Db>
        + ::diesel::deserialize::FromSql<::rowkey_diesel::Key<K>, Db>
        + ::diesel::deserialize::Queryable<::rowkey_diesel::Key<K>, Db>
        + ::diesel::expression::AsExpression<::rowkey_diesel::Key<K>>
        + ::diesel::expression::AsExpression<::diesel::sql_types::Nullable<::rowkey_diesel::Key<K>>>,
    for<'a> &'a K: ::diesel::expression::AsExpression<::rowkey_diesel::Key<K>>,
    for<'a, 'b> &'a &'b K: ::diesel::expression::AsExpression<::rowkey_diesel::Key<K>>,
    ::rowkey_diesel::Key<K>: ::diesel::sql_types::SqlOrd,
{
}

#[test]
fn a_key_has_the_traits_of_every_backend() {
    is_key::<::diesel::pg::Pg, OfferId>();
    is_key::<::diesel::pg::Pg, DB>();
    is_key::<::diesel::mysql::Mysql, ST>();
    is_key::<::diesel::sqlite::Sqlite, DB>();
}
