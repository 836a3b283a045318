#![doc = include_str!("../README.md")]
//! # From text to bytes
//!
//! A change is a [`Plan`](plan::Plan), which is made from the [`Catalog`](catalog::Catalog) of the
//! database, and four [phases](Phase), after which programs use the new column. The old
//! one is kept until it is dropped by [`contract`], so that
//! [`undo`] can take everything back:
//!
#![cfg_attr(feature = "sqlite", doc = "```")]
#![cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
//! use rowkey_core::format::FormatKind;
//! use rowkey_core::storage::StoragePlan;
//! use rowkey_relayout::catalog::Catalog;
//! use rowkey_relayout::plan::{Plan, Request};
//! use rowkey_relayout::preflight::Preflight;
//! use rowkey_relayout::{self as relayout, Phase};
//! use rowkey_relayout::{Address, Connection, Step};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("shop.db");
//! # let url = format!("sqlite://{}?mode=rwc", file.display());
//! let address: Address = url.parse()?;
//! let mut db = Connection::open(&address).await?;
//! # let tables = "CREATE TABLE offers (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL);
//! #     CREATE TABLE bookings (number INTEGER PRIMARY KEY, offer_id TEXT REFERENCES offers (id));
//! #     INSERT INTO offers VALUES ('018e5f3b-ff48-7bff-8000-0123456789ab', 'Fjords in winter');
//! #     INSERT INTO bookings VALUES (1, '018e5f3b-ff48-7bff-8000-0123456789ab')";
//! # db.execute("the tables", tables).await?;
//! let catalog = Catalog::read(&mut db).await?;
//! // For a key of `#[entity_key]`, this is its constant `PLAN`.
//! let declared = StoragePlan::default_for(FormatKind::UuidV7).column(catalog.backend);
//! let request = Request::relayout("offers", "id", "text", declared);
//! let plan = Plan::for_key(&catalog, &request)?;
//! assert_eq!(plan.references[0].column, "offer_id");
//! assert_eq!(Preflight::read(&mut db, &plan).await?.refused, [""; 0]);
//!
//! let mut report = |step: Step| println!("{step}");
//! relayout::run(&mut db, &plan, Phase::Swap, &mut report).await?;
//! let query = "SELECT o.title, length(b.offer_id_key) FROM bookings b \
//!              JOIN offers o ON o.id_key = b.offer_id_key";
//! let rows = db.query("a booking", query, &[]).await?;
//! assert_eq!((rows[0].text(0)?, rows[0].integer(1)?), ("Fjords in winter", 16));
//!
//! // In a later release: until then, everything can be undone.
//! relayout::contract(&mut db, &plan, &mut report).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Inside your own migrations
//!
//! A change commits in between and can take hours, so it does not belong into a migration's
//! transaction. It has a connection of its own, and a program that is started again goes on where
//! the last one has stopped. A program that keeps its plan in a file calls [`run`]
//! with that. One that makes its plan itself asks for the plan that has [`begun`]
//! first:
//!
//! ```
//! use rowkey_relayout::catalog::Catalog;
//! use rowkey_relayout::plan::{Plan, Request};
//! use rowkey_relayout::{self as relayout, Phase};
//! use rowkey_relayout::{Connection, Error, Progress};
//!
//! async fn change(
//!     db: &mut Connection,
//!     request: &Request,
//!     progress: &mut dyn Progress,
//! ) -> Result<(), Error> {
//!     let plan = match relayout::begun(db).await? {
//!         Some(plan) => plan,
//!         None => Plan::for_key(&Catalog::read(db).await?, request)?,
//!     };
//!     relayout::run(db, &plan, Phase::Swap, progress).await
//! }
//! ```
//!
//! `examples/relayout-in-migrations` in the repository does this between two migrations of sqlx,
//! SeaORM and Diesel, which record it in their own tables.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "mysql", feature = "postgres"))]
mod batch_size;
mod change;
mod engine;
mod id_map;
#[cfg(feature = "mysql")]
mod mysql;
mod phase;
pub mod plan;
mod positional;
#[cfg(feature = "postgres")]
mod postgres;
pub mod preflight;
mod refusals;
mod refused_rows;
mod runner;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;
mod state;
pub mod verify;
mod work;

pub use self::change::{begun, contract, contract_script, reached, run, script, undo, undo_script};
pub use self::phase::Phase;
pub use rowkey_tables::{Address, Connection, Error, Progress, Row, Silent, Step, Value, catalog};
