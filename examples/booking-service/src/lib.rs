//! A booking service over HTTP, with typed keys from the address line to the column.
//!
//! * [`keys`] declares them; [`model`] is what they name, with the rules of the business.
//! * [`http`] is what clients see: routes, bodies, problems, the OpenAPI document.
//! * [`store`] is the database: SQLite, PostgreSQL, MySQL or MariaDB, by its URL.

#![forbid(unsafe_code)]

pub mod http;
pub mod keys;
pub mod model;
pub mod moment;
pub mod store;
