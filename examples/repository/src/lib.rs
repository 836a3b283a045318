//! Customers and their invoices behind one trait, with several drivers and on several databases.
//!
//! The keys are declared once, in [`CustomerId`] and [`InvoiceId`]. Code that uses customers
//! depends only on the trait [`CustomerRepository`] and on no driver. There is an implementation
//! for each:
//!
//! | | PostgreSQL | MySQL, MariaDB | SQLite | SQL Server |
//! |---|---|---|---|---|
//! | [`repository::sqlx`](crate::sqlx) | yes | yes | yes | |
//! | [`repository::diesel`](crate::diesel) | feature `diesel-postgres`, needs libpq | feature `diesel-mysql`, needs libmariadb or libmysqlclient | yes | |
//! | [`repository::sea_orm`](crate::sea_orm) | yes | yes | yes | |
//! | [`repository::tiberius`](crate::tiberius) | | | | yes |
//!
//! The repositories share the tables, even at the same time: each reads rows that the others have
//! written. The URL selects the database.
//!
//! ```
//! use repository::{Customer, CustomerId, CustomerRepository, Error};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! add_ada(&*repository::sqlx::connect("sqlite::memory:").await?).await?;
//! add_ada(&*repository::diesel::connect("sqlite::memory:").await?).await?;
//! add_ada(&*repository::sea_orm::connect("sqlite::memory:").await?).await?;
//! # Ok(())
//! # }
//!
//! async fn add_ada(customers: &dyn CustomerRepository) -> Result<(), Error> {
//!     let ada = Customer {
//!         id: CustomerId::generate(),
//!         name: "Ada".to_owned(),
//!         referred_by: None,
//!     };
//!     customers.add_customer(&ada).await?;
//!     assert_eq!(customers.customer(ada.id).await?, Some(ada.clone()));
//!
//!     let error = customers.add_customer(&ada).await.unwrap_err();
//!     assert_eq!(error.to_string(), format!("customer {} exists already", ada.id));
//!     Ok(())
//! }
//! ```
//!
//! # Calls that are repeated
//!
//! [`put_customer`](CustomerRepository::put_customer) and
//! [`add_invoice_once`](CustomerRepository::add_invoice_once) create once, by `rowkey-stores`,
//! whichever driver gets the repetition. [`http`] serves them: `cargo run -p repository --bin
//! customer-service -- diesel`.
//!
//! # Calls that are dropped
//!
//! A web framework drops a handler whose client disconnects, at any `await`. The pools of sqlx, and
//! of SeaORM with it, can then lose a connection to MySQL or MariaDB for good, or get one to
//! PostgreSQL back in the middle of a transaction. So make the call in a separate task, as [`http`]
//! does for all of its routes:
//!
//! ```
//! use std::error::Error;
//! use std::sync::Arc;
//!
//! use repository::{CustomerId, CustomerRepository};
//!
//! async fn handle(
//!     customers: &Arc<dyn CustomerRepository>,
//!     id: CustomerId,
//!     name: String,
//! ) -> Result<(), Box<dyn Error>> {
//!     let customers = Arc::clone(customers);
//!     let call = async move { customers.rename_customer(id, &name).await };
//!     // The task runs to its end, even if the handler is dropped.
//!     Ok(tokio::spawn(call).await??)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn Error>> {
//! let customers = repository::sqlx::connect("sqlite::memory:").await?.into();
//! let unknown = handle(&customers, CustomerId::generate(), "Ada".to_owned()).await;
//! assert!(unknown.unwrap_err().to_string().ends_with("does not exist"));
//! # Ok(())
//! # }
//! ```
//!
//! # Tables
//!
//! Each driver applies the migrations in this workspace's folder `migrations` if they are missing.
//! A test compares the column types with the keys' plans, in every database, and others let each
//! driver read what another has written.

#![forbid(unsafe_code)]

mod database;
pub mod diesel;
mod entities;
mod error;
pub mod http;
mod keys;
mod migrations;
mod repository;
mod rules;
pub mod sea_orm;
pub mod sqlx;
pub mod tiberius;
mod tour;

pub use crate::entities::{Customer, CustomerTotal, Invoice};
pub use crate::error::{AnyKey, Error};
pub use crate::keys::{CommandId, CustomerId, InvoiceId};
pub use crate::repository::CustomerRepository;
pub use crate::tour::tour;
