//! Typed keys of rowkey in the entities of SeaORM: as primary keys, foreign keys and other columns,
//! in conditions, and in migrations.
//!
//! A key declared with `#[entity_key]` is a column type of SeaORM, alone and in an `Option`. Nothing
//! has to be called for that, and one entity serves PostgreSQL, MySQL, MariaDB and SQLite.
//!
//! ```
//! use offer::OfferId;
//! use rowkey::driver::sea_orm::migration::{key_column, nullable_key_column};
//! use sea_orm::entity::prelude::*;
//! use sea_orm::sea_query::{ColumnDef, Table};
//! use sea_orm::{ActiveValue::Set, Database};
//!
//! mod offer {
//!     use rowkey::{ShortPrefixComb, entity_key};
//!     use sea_orm::entity::prelude::*;
//!
//!     #[entity_key]
//!     pub struct OfferId(ShortPrefixComb);
//!
//!     #[sea_orm::model]
//!     #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
//!     #[sea_orm(table_name = "offer")]
//!     pub struct Model {
//!         #[sea_orm(primary_key, auto_increment = false)]
//!         pub id: OfferId,
//!         pub parent: Option<OfferId>,
//!         pub title: String,
//!     }
//!
//!     impl ActiveModelBehavior for ActiveModel {}
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), DbErr> {
//! let db = Database::connect("sqlite::memory:").await?;
//! let backend = db.get_database_backend();
//! let table = Table::create()
//!     .table("offer")
//!     .col(key_column::<OfferId>(backend, "id")?.primary_key())
//!     .col(nullable_key_column::<OfferId>(backend, "parent")?)
//!     .col(ColumnDef::new("title").text().not_null())
//!     .to_owned();
//! db.execute(&table).await?;
//!
//! let id = OfferId::generate();
//! let offer = offer::ActiveModel {
//!     id: Set(id),
//!     parent: Set(None),
//!     title: Set("Fjords in winter".to_owned()),
//! };
//! let offer = offer.insert(&db).await?;
//! assert_eq!(offer::Entity::find_by_id(id).one(&db).await?, Some(offer));
//! # Ok(())
//! # }
//! ```
//!
//! The derives ask for `auto_increment = false`, because no database counts keys up, and for keys
//! that are as public as the entity.
//!
//! This crate adds what keys cannot carry themselves:
//!
//! * [`migration`] has the columns of keys;
//! * [`ToCondition::to_condition`] makes the condition of a time range or a list of keys;
//! * [`value`] has a key's value for one backend.
//!
//! Neither a runtime nor encryption of connections is turned on here. Depend on sea-orm 2.0 yourself
//! and turn on what you use, such as `runtime-tokio-rustls`.
//!
//! # Which keys
//!
//! SeaORM makes a `Value` of a key before it knows the database. So one kind of value has to be right
//! for the key's columns in PostgreSQL, MySQL (and MariaDB) and SQLite alike:
//!
//! | value | PostgreSQL | MySQL, MariaDB | SQLite | keys |
//! |---|---|---|---|---|
//! | `Uuid` | `uuid` | `BINARY(16)` | `BLOB` | the default of all but DistributedId, and `uuid` for all three |
//! | `Decimal` | `numeric` | `DECIMAL`, bound as such | `TEXT` of 28 digits | the default of DistributedId |
//! | `Bytes` | `bytea` | `BINARY` | `BLOB` | `binary` for all three |
//! | `String` | `text` | `CHAR` | `TEXT` | the same text for all three; MariaDB's own `UUID` goes with `text` |
//!
//! All three count, whichever of them a program uses: what a key can do would otherwise change with a
//! feature that another crate turns on. Other keys cannot be columns of entities, among them those
//! that are `decimal` with 38 digits; the compiler then says what to declare:
//!
//! ```compile_fail,E0277
//! use rowkey::{DistributedId, entity_key};
//!
//! #[entity_key(storage(postgres = "uuid"))]
//! struct InvoiceId(DistributedId);
//!
//! // SeaORM cannot store `InvoiceId` keys in the columns of their storage plan
//! let value = sea_orm::Value::from(InvoiceId::generate());
//! ```
//!
//! An entity with such a key has dozens of errors; the first one says what to declare, and the
//! others go with it. Such a key is still declared, and read from rows: decoding knows the database.
//!
//! # Short numbers in SQLite
//!
//! SQLite stores a DistributedId as exactly 28 digits, and SeaORM sends a number there as text without
//! zeros in front. Ids have 28 digits by themselves since 2012; this is about shorter ones, such as
//! constants in a test, and about SQLite only:
//!
//! * An insert or a change fails by the check in [`key_column`](migration::key_column)'s column, with
//!   SeaORM and with any other driver. So `find_by_id`, `eq`, `is_in`, relations and their loaders miss no
//!   row of such a table.
//! * In a table that was made in another way there may be short numbers, which these conditions do **not**
//!   find.
//! * `lt`, `gt`, `between` and cursors put a short number in the wrong place.
//!
//! SeaORM makes the value before it knows the database, and any other value would be wrong in
//! PostgreSQL or MySQL, so this cannot be mended behind `From`. Where short numbers are possible, write
//! conditions with [`ToCondition`], which is told the backend and right for lists of keys and for every
//! edge of a time range, or with [`value::encode_for`]; refuse such ids where they come in with
//! [`looks_generated`](rowkey_core::DistributedId::looks_generated); or declare the key with `uuid` for
//! all three.
//!
//! # JSON
//!
//! SeaORM's `into_json()` on a query knows nothing of keys. It gives what the columns store: a uuid in
//! the column's layout, a number as the database has it, and no prefix. None of that is a key's public
//! form. Serialize models, or structs with the fields that you select:
//!
//! ```
//! use offer::OfferId;
//! use sea_orm::entity::prelude::*;
//! use sea_orm::{FromQueryResult, QuerySelect};
//! use serde::Serialize;
//!
//! mod offer {
//!     # use rowkey::{ShortSuffixComb, entity_key};
//!     # use sea_orm::entity::prelude::*;
//!     #
//!     #[entity_key]
//!     pub struct OfferId(ShortSuffixComb);
//!
//!     #[sea_orm::model]
//!     #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
//!     #[sea_orm(table_name = "offer")]
//!     pub struct Model {
//!         #[sea_orm(primary_key, auto_increment = false)]
//!         pub id: OfferId,
//!         pub title: String,
//!     }
//!     #
//!     # impl ActiveModelBehavior for ActiveModel {}
//! }
//!
//! #[derive(FromQueryResult, Serialize)]
//! struct Listed {
//!     id: OfferId,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let db = sea_orm::Database::connect("sqlite::memory:").await?;
//! # use sea_orm::{ConnectionTrait, IntoActiveModel, sea_query};
//! # let table = sea_query::Table::create()
//! #     .table("offer")
//! #     .col(rowkey::driver::sea_orm::migration::key_column::<OfferId>(db.get_database_backend(), "id")?)
//! #     .col(sea_query::ColumnDef::new("title").text().not_null())
//! #     .to_owned();
//! # db.execute(&table).await?;
//! # let offer = offer::Model { id: OfferId::generate(), title: "Fjords".into() };
//! # offer::Entity::insert(offer.into_active_model()).exec(&db).await?;
//! let offers = offer::Entity::find().select_only().column(offer::Column::Id);
//! let offer = offers.clone().into_model::<Listed>().one(&db).await?.ok_or("no offer")?;
//! let json = serde_json::to_value(&offer)?;
//! assert_eq!(json["id"], offer.id.to_string());
//!
//! // Another offer, to whoever reads this:
//! let stored = offers.into_json().one(&db).await?.ok_or("no offer")?;
//! assert_ne!(stored["id"], json["id"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Tables
//!
//! Make them with migrations and [`migration`], or with your own SQL and
//! [`StoragePlan::column_definition`](rowkey_core::StoragePlan::column_definition). Do not let
//! SeaORM make tables or columns of entities (`create_table_from_entity`, `SchemaBuilder::sync` and
//! `apply`):
//!
//! * In SQLite the column of a DistributedId becomes `real(28, 0)`, a floating-point number.
//!   Neighbouring ids become the same one, and what was stored is lost. Reading such a row is an
//!   error that says so.
//! * Text gets the database's collation, whose order and equality are not those of the key. In MySQL
//!   and MariaDB, compact texts that differ in upper and lower case are then the same key.
//!
//! `sync` leaves the columns of migrations as they are, and warns of those that it would have made
//! otherwise. So it does no harm where migrations come first and have the columns of all keys.
//!
//! # Generated entities
//!
//! `sea-orm-cli generate entity` goes by the columns of the database that it looks at, and has no
//! option for other types:
//!
//! | column | PostgreSQL | MySQL, MariaDB | SQLite |
//! |---|---|---|---|
//! | sixteen bytes | `Uuid` | `Vec<u8>` | `Vec<u8>` |
//! | number of 28 digits | `Decimal` | `Decimal` | `String` |
//! | `binary` | `Vec<u8>` | `Vec<u8>` | `Vec<u8>` |
//! | text | `String` | `String` | `String` |
//! | MariaDB's own `UUID` | | `String` that is ignored | |
//!
//! Replace these types by the keys after the first run, and remove `column_type` from the attributes
//! of their fields; with MariaDB's `UUID` also `ignore` and `select_as`:
//!
//! ```text
//! $ cargo install sea-orm-cli
//! $ export DATABASE_URL=postgres://user@localhost/shop
//! $ sea-orm-cli generate entity --output-dir src/entities
//! ```
//!
//! ```text
//!  // in src/entities/invoice.rs
//!  use sea_orm::entity::prelude::*;
//! +
//! +use crate::keys::{AccountId, InvoiceId};
//!
//!  pub struct Model {
//! -    #[sea_orm(
//! -        primary_key,
//! -        auto_increment = false,
//! -        column_type = "Decimal(Some((28, 0)))"
//! -    )]
//! -    pub id: Decimal,
//! -    pub account_id: Uuid,
//! -    #[sea_orm(column_type = "Decimal(Some((28, 0)))", nullable)]
//! -    pub corrects: Option<Decimal>,
//! +    #[sea_orm(primary_key, auto_increment = false)]
//! +    pub id: InvoiceId,
//! +    pub account_id: AccountId,
//! +    #[sea_orm(nullable)]
//! +    pub corrects: Option<InvoiceId>,
//!      pub total: i32,
//!  }
//! ```
//!
//! Entities with keys serve every database, whichever they were generated from. Later runs overwrite
//! them: generate into another folder and take over what has changed. Do not leave the generated
//! types: those of one database do not read the columns of the others, and a `Uuid` is in the
//! column's layout, which is not the public form of the suffix COMBs. With `--entity-format dense`,
//! call foreign keys other than their tables (`account_id`): a field of each name is generated.
//!
//! # What is typed
//!
//! `find_by_id`, `delete_by_id`, models and active models take the key of their entity alone. A
//! column's `eq`, `is_in` and the others take any value, so another entity's key compiles there, as
//! everything does.
//!
//! # Long lists
//!
//! `is_in` has a parameter for each key. A statement takes 65,535 of them in PostgreSQL, MySQL and
//! MariaDB, and 32,766 in the SQLite that sqlx comes with; one more is an error. Divide longer lists,
//! or use `eq_any` in PostgreSQL, where an array of any length is one parameter. What lists of many
//! lengths cost in MySQL and MariaDB is in [`rowkey-sqlx`](rowkey_sqlx#lists-of-keys).
//!
//! # What a driver does here
//!
//! It moves values and knows no rule. The key's [`StoragePlan`](rowkey_core::StoragePlan) says what
//! a column holds, `rowkey-core` turns a key into that, [`value`] puts it into SeaORM's terms, and
//! [`row`] asks a row for its backend and lets `rowkey-sqlx` read it. Rows of `MockDatabase` and of
//! proxies, which do not tell, hold a key as the value that it is, or as the bytes or digits that
//! MySQL and SQLite store; a number has to be a `Decimal`, because a `BigDecimal` looks like NULL
//! there. Proxies of SeaORM 2.0.4 do not compile together with its driver for SQLite.
//!
//! # Errors
//!
//! A value that the plan does not store in that column is a `DbErr` that names the column and says
//! what was expected and what was found.
//!
//! NULL is `TryGetError::Null`, which an `Option` takes. Otherwise SeaORM says:
//!
//! * for a model `Missing value for column 'parent'`, also of a column that is missing from the
//!   SELECT; if no field has a value, `A null value was encountered while decoding All fields of
//!   nested model are null`, without a column;
//! * for other structs and `try_get` `A null value was encountered while decoding "parent"`.
//!
//! An `Option` whose column is missing from the SELECT is `None`, so a misspelt alias is no error.
//!
//! # Why the impls are emitted by a macro
//!
//! The traits are SeaORM's and the key is the user's, so neither this crate nor any other can
//! implement one for the other. A wrapper around each key would work, and would show up in every
//! entity and every query. So the declaration emits a few thin impls next to the key, and they call
//! the generic functions of [`value`] and [`row`].

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod condition;
mod emit;
mod storage;

pub mod migration;
pub mod row;
pub mod value;

pub use condition::ToCondition;
#[doc(hidden)]
pub use emit::private as __private;
pub use storage::{Fits, SeaOrmStorage};

/// Compiles and runs the example of this package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
