//! Declarations in a module without a prelude, and with other items under the same names.

#![no_implicit_prelude]
#![deny(warnings, missing_docs, unreachable_pub, dead_code)]

mod names {
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals)]
    #![allow(unused_macros, unused_imports)]

    use ::rowkey::{DistributedId, Luuid, ShortPrefixComb, entity_key, key_union};

    struct Result;
    struct Option;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct String;
    struct Self_;
    struct u8;
    struct u128;
    struct str;
    struct usize;
    mod core {}
    mod std {}
    mod alloc {}
    mod rowkey {}
    mod rowkey_core {}
    mod serde {}
    mod sqlx {}
    trait Clone {}
    trait Copy {}
    trait Debug {}
    trait From {}
    trait Into {}
    trait TryFrom {}
    trait Serialize {}
    trait EntityKey {}
    trait Format {}
    trait Generate {}
    // Names of parameters and bindings: a pattern would refer to an item of the same name.
    const f: () = ();
    const text: () = ();
    const value: () = ();
    const number: () = ();
    const other: () = ();
    const state: () = ();
    const serializer: () = ();
    const deserializer: () = ();
    const buffer: () = ();
    const out: () = ();
    const row: () = ();
    const a: () = ();
    static id: () = ();
    static uuid: () = ();
    static block: () = ();
    static found: () = ();
    static index: () = ();
    static context: () = ();
    static hasher: () = ();
    struct key;
    struct group(());
    macro_rules! panic { () => {}; }
    macro_rules! write { () => {}; }
    macro_rules! concat { () => {}; }

    #[entity_key]
    pub(crate) struct OfferId(ShortPrefixComb<1000>);

    #[entity_key(prefix = "inv", storage(postgres = "uuid"))]
    pub(super) struct InvoiceId(DistributedId);

    #[entity_key(group = "com.acme.Person")]
    pub(crate) struct PersonId(Luuid);

    #[entity_key]
    struct r#type(::rowkey::UuidV7);

    #[entity_key(group = "com.acme.Order", prefix = "ord")]
    pub(crate) struct OrderId(Luuid);

    #[key_union]
    pub(crate) enum AnyId {
        Person(PersonId),
        Order(OrderId),
    }
}

fn main() {
    let offer = names::OfferId::constant(0x0001_0000_0000_4000_8000_000000000000);
    ::std::assert_eq!(offer, offer);
    let invoice = names::InvoiceId::generate();
    ::std::assert_eq!(::std::string::ToString::to_string(&invoice).len(), 20);
    let text = "00000023-122e-6f47-a789-28ef27ab7c62";
    let found: ::std::result::Result<names::AnyId, _> = ::std::str::FromStr::from_str(text);
    ::std::assert!(::std::matches!(
        found,
        ::std::result::Result::Err(::rowkey::Error::UnknownGroup { .. })
    ));
    let _: fn(_) -> _ = names::AnyId::Person;
    let _: fn(_) -> _ = names::AnyId::Order;
}
