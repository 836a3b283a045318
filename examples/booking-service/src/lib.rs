//! A booking service over HTTP, with typed keys from the URL to the column.
//!
//! * [`keys`] declares them; [`model`] has their entities, with the business rules.
//! * [`http`] is the interface for clients: routes, bodies, problems, the OpenAPI document.
//! * [`store`] is the database: SQLite, PostgreSQL, MySQL or MariaDB, by its URL.

#![forbid(unsafe_code)]

pub mod http;
pub mod keys;
pub mod model;
pub mod store;
