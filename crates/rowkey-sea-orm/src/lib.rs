//! Typed keys of rowkey in the entities of SeaORM: as primary keys, foreign keys and other columns,
//! in conditions, and in migrations.
//!
//! A key declared with `#[entity_key]` is a column type of SeaORM, alone and in an `Option`. One
//! entity works with PostgreSQL, MySQL, MariaDB and SQLite.
//!
//! ```
//! use rowkey::driver::sea_orm::migration::key_column;
//! use sea_orm::entity::prelude::*;
//! use sea_orm::{ActiveValue::Set, Database, sea_query::Table};
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
//!     }
//!
//!     impl ActiveModelBehavior for ActiveModel {}
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), DbErr> {
//! let db = Database::connect("sqlite::memory:").await?;
//! let id = key_column::<offer::OfferId>(db.get_database_backend(), "id")?.primary_key().take();
//! db.execute(&Table::create().table("offer").col(id).take()).await?;
//!
//! let id = offer::OfferId::generate();
//! let offer = offer::ActiveModel { id: Set(id) }.insert(&db).await?;
//! assert_eq!(offer::Entity::find_by_id(id).one(&db).await?, Some(offer));
//! # Ok(())
//! # }
//! ```
//!
//! This crate adds what is not part of the key types:
//!
//! * [`migration`] defines the columns of keys;
//! * [`KeyColumnMethods`] builds the condition for a time range or a list of keys;
//! * [`ToParam::to_param`] makes a key or a bound a parameter for one backend.
//!
//! SeaORM converts a key into a value before it knows the database. So PostgreSQL, MySQL and SQLite
//! must store a key in the same way. If they don't, the compiler says what to declare.
//!
//! Which keys fit, migrations, generated entities, JSON and limits are in the book, in
//! `docs/src/drivers/sea-orm.md`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod condition;
mod emit;
mod storage;

pub mod migration;
pub mod row;
pub mod value;

pub use condition::KeyColumnMethods;
#[doc(hidden)]
pub use emit::private as __private;
pub use storage::{Fits, SeaOrmStorage};
pub use value::ToParam;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
