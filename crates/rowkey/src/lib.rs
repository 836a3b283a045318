//! Typed, database-friendly ids, stored correctly in every database.
//!
//! ```
//! use rowkey::{Backend, DistributedId, EntityKey, ShortPrefixComb, entity_key};
//!
//! /// A booking offer.
//! #[entity_key]
//! pub struct BookingOfferId(ShortPrefixComb);
//!
//! /// An invoice: 28 decimal digits, but sixteen bytes in PostgreSQL and SQL Server.
//! #[entity_key(prefix = "inv", storage(postgres = "uuid", sqlserver = "uuid"))]
//! pub struct InvoiceId(DistributedId);
//!
//! // Clients see the same text for every database.
//! let offer = BookingOfferId::generate();
//! assert_eq!(offer.to_string().parse::<BookingOfferId>()?, offer);
//!
//! let invoice: InvoiceId = "inv_3zfAkCP7ZtzfeQYp".parse()?;
//! assert_eq!(invoice.to_u128(), 1_088_824_355_131_185_736_905_670_087);
//!
//! // Each database stores the form that it sorts and indexes best.
//! let literal = |backend| InvoiceId::PLAN.column(backend).literal(invoice.to_u128());
//! assert_eq!(literal(Backend::MySql), "1088824355131185736905670087");
//! assert_eq!(literal(Backend::Sqlite), "'1088824355131185736905670087'");
//! assert_eq!(literal(Backend::Postgres), "'00000000-0384-a786-907d-b2ad82883dc7'");
//! # Ok::<(), rowkey::Error>(())
//! ```
//!
//! # What a key goes through
//!
//! ```text
//! BookingOfferId     typed key, declared in your crate with #[entity_key]
//!       |            transparent newtype
//! ShortPrefixComb    format: 128 bits in public (RFC) order
//!       |            StoragePlan of the key: for each backend a column type and a layout
//!    Stored          uuid bytes, binary bytes, decimal digits, an integer or text
//!       |            driver: moves bytes, contains no rules
//!     wire
//! ```
//!
//! * A [`Format`](format::Format) is an id algorithm, such as [`ShortPrefixComb`] or
//!   [`DistributedId`]. It defines how ids are made, the meaning of their 128 bits, and their
//!   public form.
//! * An [`EntityKey`] is your newtype over a format. Keys of different entities do not compare,
//!   join or convert by accident.
//! * The [`StoragePlan`](storage::StoragePlan) of a key gives for each [`Backend`] the type of the
//!   [`Column`](storage::Column) and the [`Layout`](storage::Layout) of its bytes, so that the
//!   database sorts the column in the format's order. The plan is a constant; [`entity_key`] checks
//!   it when your crate is compiled.
//! * Time ranges are [`Bounds`](time_range::Bounds): [`EntityKey::bounds`] gives the bounds of the
//!   ids made in a span, which are query parameters like keys.
//!
//! Reading takes the same path back. Decoding checks everything, and encoding cannot fail: a value
//! that does not fit a key's plan cannot become such a key.
//!
//! # Features
//!
//! | feature | on by default | what it adds |
//! |---|---|---|
//! | `std` | yes | the system clock, `generate()`, generators and scopes; without it the crate is `no_std` with `alloc` |
//! | `serde` | yes | text in human-readable formats such as JSON, sixteen bytes in binary formats |
//! | `schemars`, `utoipa` | | JSON Schema and OpenAPI schemas of keys, short keys, unions and public ids |
//! | `proptest` | | arbitrary valid keys |
//! | `rand` | | any generator of the crate `rand` as the randomness of new keys |
//! | `rust_decimal` | | conversions of [`DistributedId`] keys |
//! | `public-id` | | encrypted public ids, separate for each entity by a label, and ids that cannot be forged |
//! | `sql` | | SQL text: conversions, partitions, defaults, the index on short keys |
//! | `router` | | [routing tables](routing) from configuration, replaced at run time |
//! | `coarse-clock` | | a cheaper clock for the short COMBs and `HotGuid` |
//! | `sqlx-postgres`, `sqlx-mysql`, `sqlx-sqlite` | | keys as parameters and columns of sqlx queries |
//! | `diesel-postgres`, `diesel-mysql`, `diesel-sqlite` | | keys as columns and parameters of Diesel queries |
//! | `sea-orm-postgres`, `sea-orm-mysql`, `sea-orm-sqlite` | | keys as columns of SeaORM's entities and migrations, and the sqlx feature |
//! | `tiberius` | | keys as parameters, columns and bulk rows of SQL Server |
//!
//! Features are additive: a crate that turns one on changes nothing for other crates.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod drivers;
mod emit;

pub mod code;
#[cfg(feature = "public-id")]
#[cfg_attr(docsrs, doc(cfg(feature = "public-id")))]
pub mod public_id;
pub mod routing;

#[doc(hidden)]
pub use drivers::private as __private;

/// Declares a typed key: a newtype over an id format.
///
/// ```
/// use rowkey::{ShortPrefixComb, entity_key};
///
/// /// A booking offer.
/// #[entity_key]
/// pub struct BookingOfferId(ShortPrefixComb);
///
/// const DEMO: BookingOfferId = BookingOfferId::constant(0x0001_0000_0000_4000_8000_000000000000);
/// assert_eq!(DEMO.to_string(), "00010000-0000-4000-8000-000000000000");
/// assert_eq!(format!("{DEMO:?}"), "BookingOfferId(00010000-0000-4000-8000-000000000000)");
///
/// let offer = BookingOfferId::generate();
/// assert_ne!(offer, DEMO);
/// ```
///
/// The struct keeps its visibility, attributes and documentation, and you can add impls to it. The
/// field is private; use [`EntityKey::from_format`] and [`EntityKey::into_format`].
///
/// # What the key implements
///
/// * [`EntityKey`], with the key's name, prefix, group and [`StoragePlan`](storage::StoragePlan) as
///   constants.
/// * `Clone`, `Copy`, `PartialEq`, `Eq`, `PartialOrd`, `Ord` (the public order of the format) and
///   `Hash`.
/// * `Debug` with the key's name, `Display` and `FromStr` for the public form.
/// * `From` the key to the format, `Uuid` and `u128`, and `TryFrom` back to the key.
/// * `constant(u128)`, which is checked at compile time; and, for formats whose ids need no
///   context, `generate()` and `try_generate()`. [`EntityKey`] has the others.
/// * `PublicIdValue`, for encrypted public ids, with the feature `public-id`.
/// * The traits of serde, schemars, utoipa and proptest, and of the database drivers, if the
///   features of `rowkey` are on. Your crate needs no dependency on them for its keys.
///
/// Put derives of other traits below the attribute, as usual. There, `#[derive(Debug)]` or
/// `#[derive(Serialize)]` is an error that says to leave it out. A derive above the attribute is
/// expanded first and is invisible to it, so the compiler reports "conflicting implementations of
/// trait `Debug`", with both places.
///
/// # Options
///
/// ## `prefix`
///
/// The public form becomes the prefix, an underscore and the compact alphanumeric form; parsing
/// requires the prefix. Databases store the bare id. A prefix is 1 to 24 lower-case letters and
/// digits and begins with a letter.
///
/// ```
/// use rowkey::{DistributedId, entity_key};
///
/// #[entity_key(prefix = "inv")]
/// pub struct InvoiceId(DistributedId);
///
/// let error = "cus_3zfAkCP7ZtzfeQYp".parse::<InvoiceId>().unwrap_err();
/// assert_eq!(error.to_string(), "InvoiceId begins with `inv_`, but the text begins with `cus_`");
/// ```
///
/// ## `text`
///
/// The public form of a key without a prefix: `alphanumeric`, `hexadecimal` or `decimal`. The
/// default is the format's public form. Columns do not depend on this option.
///
/// ```
/// use rowkey::{DistributedId, entity_key};
///
/// #[entity_key(text = "alphanumeric")]
/// pub struct InvoiceId(DistributedId);
///
/// let invoice = InvoiceId::constant(1_088_824_355_131_185_736_905_670_087);
/// assert_eq!(invoice.to_string(), "3zfAkCP7ZtzfeQYp");
/// assert_eq!("3zfAkCP7ZtzfeQYp".parse(), Ok(invoice));
/// ```
///
/// Alphanumeric and hexadecimal text sorts bytewise like the keys. Decimal text has no leading
/// zeros, so it sorts like the keys only among strings of the same length.
///
/// ## `storage`
///
/// A storage and optionally a layout, for each backend that should not use the default column:
///
/// ```
/// use rowkey::storage::Storage;
/// use rowkey::{AnyUuid, Backend, DistributedId, EntityKey, entity_key};
///
/// #[entity_key(storage(postgres = "uuid", sqlserver = "uuid"))]
/// pub struct InvoiceId(DistributedId);
///
/// assert_eq!(InvoiceId::PLAN.column(Backend::Postgres).storage(), Storage::Uuid);
/// assert_eq!(InvoiceId::PLAN.column(Backend::MySql).storage(), Storage::Decimal);
///
/// /// An old SQL Server table that stores guids in public order.
/// #[entity_key(storage(sqlserver = "uuid:public"))]
/// pub struct LegacyOrderId(AnyUuid);
/// ```
///
/// Backends: `postgres`, `mysql`, `mariadb`, `sqlite`, `sqlserver`. Storages: `uuid`, `native-uuid`
/// (MariaDB's own type), `binary`, `decimal`, `text` (hyphenated, lower case), `text-upper`,
/// `text-hex` (32 digits), `text-hex-upper`, `text-compact`, `text-digits`, `bigint` (of
/// [`DatabaseNumber`] alone). Layouts, after a colon: `public`, `public-unordered`, `prefix`,
/// `suffix`, `sql-server`. A choice that would lose a value, or the order without saying so, is a
/// compile error that says why and what to write:
///
/// ```compile_fail
/// # use rowkey::{UuidV7, entity_key};
/// // SQL Server would sort by six bytes that are random in this format.
/// #[entity_key(storage(sqlserver = "uuid:public"))]
/// pub struct OrderId(UuidV7);
/// ```
///
/// If a table in SQL Server already has such guids, `public-unordered` gives up their order and
/// keeps everything else. A condition with the bounds of a time span then does not compile on SQL
/// Server, and the error says why. On other databases it compiles.
///
/// ```
/// use rowkey::storage::OrderPromise;
/// use rowkey::{Backend, EntityKey, UuidV7, entity_key};
///
/// /// Made by .NET's `Guid.CreateVersion7`, and stored unchanged.
/// #[entity_key(storage(sqlserver = "uuid:public-unordered"))]
/// pub struct OrderId(UuidV7);
///
/// let promise = |backend| OrderId::PLAN.column(backend).order_promise();
/// assert_eq!(promise(Backend::SqlServer), OrderPromise::Unordered);
/// assert_eq!(promise(Backend::Postgres), OrderPromise::Full);
/// ```
///
/// Drivers cannot distinguish MySQL and MariaDB, so both store a key the same way: `mysql` and
/// `mariadb` set the same column, and have to agree if both are given.
///
/// ## `group`
///
/// Required for keys over [`Luuid`], and only for them: the full name of the kind of entity. An
/// explicit name lets you rename the type without changing the ids. The ids contain the name's
/// CRC-12, which two names can share: [`KeyGroups`](luuid::KeyGroups) and [`key_union`] refuse
/// that.
///
/// ```
/// use rowkey::{EntityKey, Luuid, entity_key};
///
/// #[entity_key(group = "com.acme.Customer")]
/// pub struct CustomerId(Luuid);
///
/// let customer = CustomerId::generate_for(&CustomerId::luuid_context(4711));
/// assert_eq!(customer.into_format().number(), 4711);
/// ```
///
/// ## `public_id`
///
/// The label of the entity's public ids. It gives the key `PublicIdLabel`, which the ciphers of the
/// feature `public-id` require: public ids of two labels have nothing in common, and how often an
/// order's public id is read as some invoice's is in the table of `LabelledCipher`. A label is 1 to
/// 64 lower-case letters, digits, `-`, `_` and `.`, and begins with a letter. The label is explicit
/// and has no default, so that renaming the type does not break published links. Two keys with the
/// same label are not detected: the macro reads one declaration at a time.
///
#[cfg_attr(feature = "public-id", doc = "```")]
#[cfg_attr(not(feature = "public-id"), doc = "```ignore")]
/// use rowkey::public_id::PublicIdLabel;
/// use rowkey::{DistributedId, entity_key};
///
/// #[entity_key(public_id = "invoice")]
/// pub struct InvoiceId(DistributedId);
///
/// assert_eq!(InvoiceId::LABEL, "invoice");
/// ```
///
/// ## `crate`
///
/// The path of this crate, if it is not `::rowkey`: because the dependency is renamed, or because
/// another crate re-exports it.
///
/// ```
/// mod ids {
///     pub use rowkey::*;
/// }
///
/// #[ids::entity_key(crate = "crate::ids")]
/// pub struct CustomerId(ids::UuidV7);
/// # fn main() {}
/// ```
pub use rowkey_macros::entity_key;

/// Declares a union of typed keys over [`Luuid`], for ids whose type is known only from the id
/// itself.
///
/// ```
/// use rowkey::{EntityKey, Luuid, entity_key, key_union};
/// use rowkey::Uuid;
///
/// #[entity_key(group = "com.acme.Customer")]
/// pub struct CustomerId(Luuid);
///
/// #[entity_key(group = "com.acme.Order", prefix = "ord")]
/// pub struct OrderId(Luuid);
///
/// #[key_union]
/// pub enum AnyId {
///     Customer(CustomerId),
///     Order(OrderId),
/// }
///
/// /// The target of `/any/<uuid>`.
/// fn redirect(id: Uuid) -> Result<String, rowkey::Error> {
///     Ok(match AnyId::try_from(id)? {
///         AnyId::Customer(id) => format!("/customer/{id}"),
///         AnyId::Order(id) => format!("/order/{}", id.short_key()),
///     })
/// }
///
/// let order = OrderId::generate_for(&OrderId::luuid_context(0x23122e));
/// assert_eq!(redirect(order.to_uuid())?, "/order/23122e");
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// The enum keeps its attributes and documentation. Ambiguous keys do not compile: keys over
/// another format than [`Luuid`], keys of the same group or of groups with the same CRC-12, keys
/// with the same prefix, or some with decimal and some with hexadecimal text.
///
/// ```compile_fail
/// # use rowkey::{Luuid, entity_key, key_union};
/// #[entity_key(group = "com.acme.Price")]
/// pub struct PriceId(Luuid);
///
/// #[entity_key(group = "com.acme.Wallet")]
/// pub struct WalletId(Luuid);
///
/// // The groups `com.acme.Price` and `com.acme.Wallet` have the same CRC-12.
/// #[key_union]
/// pub enum AnyId {
///     Price(PriceId),
///     Wallet(WalletId),
/// }
/// ```
///
/// # What the union implements
///
/// * [`KeyUnion`](luuid::KeyUnion), with the groups of the keys as a constant.
/// * `Clone`, `Copy`, `PartialEq`, `Eq`, `Hash`, `Debug`, and `From` each key.
/// * `Display`, the text of the key, and `FromStr`, which reads that text and hyphenated UUIDs.
/// * `TryFrom` [`Luuid`] and `Uuid`, and `From` the union to them.
/// * The traits of serde, schemars and utoipa, if the features are on, like keys.
///
/// The only option is `crate`, as in [`entity_key`].
pub use rowkey_macros::key_union;

/// Lists the columns of a database that hold keys, as an array of
/// [`KeyColumn`](storage::KeyColumn)s.
///
/// Each key is followed by `table.column` or `schema.table.column`. Write an `Option` of a key for
/// a column that allows NULL. `rowkey_tables::schema` compares a database with such a list.
///
/// ```
/// use rowkey::storage::KeyColumn;
/// use rowkey::{UuidV7, entity_key, key_columns};
///
/// #[entity_key]
/// pub struct OfferId(UuidV7);
///
/// #[entity_key]
/// pub struct BookingId(UuidV7);
///
/// const KEY_COLUMNS: &[KeyColumn] = &key_columns![
///     OfferId => "offer.id",
///     BookingId => "shop.booking.id",
///     OfferId => "shop.booking.offer_id",
///     Option<BookingId> => "shop.booking.replaces_id",
/// ];
/// assert_eq!(KEY_COLUMNS[1].schema, Some("shop"));
/// ```
///
/// Text that names no column does not compile:
///
/// ```compile_fail
/// # use rowkey::{UuidV7, entity_key, key_columns};
/// # #[entity_key]
/// # pub struct OfferId(UuidV7);
/// key_columns![OfferId => "offer"];
/// ```
#[doc(inline)]
pub use rowkey_core::key_columns;

pub use rowkey_core::{Backend, EntityKey, Error, UnixMillis, Uuid};
pub use rowkey_core::{error, format, generate, luuid, storage, text, time_range, uuid, validate};

macro_rules! export_formats {
    ([] $({$module:ident $format:ident $($rest:tt)*})*) => {
        pub use rowkey_core::{$($format),*};
    };
}

rowkey_core::__private::format_rows!(export_formats);

/// SQL text for keys: conversions between stored forms, ids that the server makes, partitions.
#[cfg(feature = "sql")]
#[cfg_attr(docsrs, doc(cfg(feature = "sql")))]
pub mod sql {
    pub use rowkey_sql::*;
}

/// Extensions for queries with keys, one module per driver.
///
/// Not in the root, because `use rowkey::*` would then shadow the drivers' own crates.
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite",
    feature = "diesel-postgres",
    feature = "diesel-mysql",
    feature = "diesel-sqlite",
    feature = "tiberius"
))]
pub mod driver {
    // Modules, because for a renamed crate the compiler suggests paths that do not exist.

    /// Keys in Diesel.
    #[cfg(any(
        feature = "diesel-postgres",
        feature = "diesel-mysql",
        feature = "diesel-sqlite"
    ))]
    pub mod diesel {
        pub use rowkey_diesel::*;
    }
    /// Keys in SeaORM.
    #[cfg(any(
        feature = "sea-orm-postgres",
        feature = "sea-orm-mysql",
        feature = "sea-orm-sqlite"
    ))]
    pub mod sea_orm {
        pub use rowkey_sea_orm::*;
    }
    /// Keys in sqlx.
    #[cfg(any(
        feature = "sqlx-postgres",
        feature = "sqlx-mysql",
        feature = "sqlx-sqlite"
    ))]
    pub mod sqlx {
        pub use rowkey_sqlx::*;
    }
    /// Keys in SQL Server.
    #[cfg(feature = "tiberius")]
    pub mod tiberius {
        pub use rowkey_tiberius::*;
    }
}

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct PackageReadme;
