//! A module without a prelude, in which the names that a macro would trust mean something else.

#![no_implicit_prelude]

pub use self::inner::{BerthId, FerryId, PlaceId, TerminalId};

mod inner {
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros)]

    use ::rowkey::{DistributedId, Luuid, UuidV7, entity_key, key_union};

    struct Result;
    struct Option;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct String;
    struct Vec;
    struct Box;
    struct bool;
    struct u8;
    struct u128;
    struct str;
    struct usize;
    mod core {}
    mod std {}
    mod alloc {}
    mod rowkey {}
    mod rowkey_core {}
    mod rowkey_diesel {}
    mod rowkey_sqlx {}
    mod serde {}
    mod schemars {}
    mod utoipa {}
    mod proptest {}
    mod rust_decimal {}
    mod diesel {}
    mod sqlx {}
    trait Clone {}
    trait Copy {}
    trait Debug {}
    trait From {}
    trait Into {}
    trait TryFrom {}
    trait Serialize {}
    trait Deserialize {}
    trait Type {}
    trait Encode {}
    trait Decode {}
    trait EntityKey {}
    trait Format {}
    trait KeyUnion {}
    trait Display {}
    trait FromStr {}
    // Names of parameters and bindings: an item of the same name is what a pattern means.
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
    macro_rules! panic {
        () => {};
    }
    macro_rules! write {
        () => {};
    }
    macro_rules! concat {
        () => {};
    }

    /// A ferry.
    #[entity_key]
    pub struct FerryId(UuidV7);

    /// A terminal.
    #[entity_key(prefix = "trm")]
    pub struct TerminalId(DistributedId);

    /// A berth.
    #[entity_key(group = "com.acme.Berth", prefix = "bth")]
    pub struct BerthId(Luuid);

    /// A place.
    #[key_union]
    pub enum PlaceId {
        /// A berth.
        Berth(BerthId),
    }
}
