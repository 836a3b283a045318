//! Customers and their invoices behind one trait, on PostgreSQL, MySQL, MariaDB and SQLite.
//!
//! The keys are declared once, in [`CustomerId`] and [`InvoiceId`]. What uses customers knows the
//! trait [`CustomerRepository`] and no driver, and the URL says which database it is:
//!
//! ```
//! use repository::{Customer, CustomerId, Error};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! let customers = repository::sqlx::connect("sqlite::memory:").await?;
//! let ada = Customer {
//!     id: CustomerId::generate(),
//!     name: "Ada".to_owned(),
//!     referred_by: None,
//! };
//! customers.add_customer(&ada).await?;
//! assert_eq!(customers.customer(ada.id).await?, Some(ada.clone()));
//!
//! let error = customers.add_customer(&ada).await.unwrap_err();
//! assert_eq!(error.to_string(), format!("customer {} exists already", ada.id));
//! # Ok(())
//! # }
//! ```
//!
//! The tables are made by the migrations of this workspace's folder `migrations`. A test compares the
//! types of their columns with the keys' plans, in every database.

#![forbid(unsafe_code)]

mod entities;
mod error;
mod migrations;
mod repository;
pub mod sqlx;
mod tour;

pub use crate::entities::{Customer, CustomerId, CustomerTotal, Invoice, InvoiceId};
pub use crate::error::{AnyKey, Error};
pub use crate::repository::CustomerRepository;
pub use crate::tour::tour;
