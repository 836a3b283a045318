//! A module without a prelude, in which the names that a macro would trust mean something else.

#![no_implicit_prelude]

pub use self::inner::{BerthId, DB, FerryId, PlaceId, ST, TerminalId, r#type};

mod inner {
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros)]

    use ::rowkey::{DistributedId, Luuid, ShortPrefixComb, UuidV7, entity_key, key_union};

    struct Result;
    struct Option;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct String;
    struct Vec;
    struct Box;
    struct Value;
    struct Key;
    struct Self_;
    struct bool;
    struct u8;
    struct u64;
    struct u128;
    struct str;
    struct usize;
    mod core {}
    mod std {}
    mod alloc {}
    mod rowkey {}
    mod rowkey_core {}
    mod rowkey_diesel {}
    mod rowkey_sea_orm {}
    mod rowkey_sqlx {}
    mod rowkey_tiberius {}
    mod serde {}
    mod schemars {}
    mod utoipa {}
    mod proptest {}
    mod rust_decimal {}
    mod diesel {}
    mod sea_orm {}
    mod sea_query {}
    mod sqlx {}
    mod tiberius {}
    trait Clone {}
    trait Copy {}
    trait Debug {}
    trait Default {}
    trait From {}
    trait Into {}
    trait TryFrom {}
    trait Serialize {}
    trait Deserialize {}
    trait Type {}
    trait Encode {}
    trait Decode {}
    trait ToSql {}
    trait IntoSql {}
    trait FromSql {}
    trait FromSqlOwned {}
    trait Queryable {}
    trait AsExpression {}
    trait Nullable {}
    trait ValueType {}
    trait TryGetable {}
    trait TryFromU64 {}
    trait IntoActiveValue {}
    trait EntityKey {}
    trait Format {}
    trait Generate {}
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

    /// Called like the type parameters of impls.
    #[entity_key]
    pub struct ST(ShortPrefixComb<1000>);

    /// Called like another one, and a uuid in one database alone.
    #[entity_key(storage(postgres = "uuid"))]
    pub struct DB(DistributedId);

    /// Called like a keyword.
    #[entity_key]
    pub struct r#type(UuidV7);

    /// A place.
    #[key_union]
    pub enum PlaceId {
        /// A berth.
        Berth(BerthId),
    }
}
