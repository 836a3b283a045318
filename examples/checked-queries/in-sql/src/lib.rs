//! Typed keys in sqlx's `query!`, `query_as!` and `query_scalar!`, with the type of each key named
//! in the query.
//!
//! The macros check each query against the answer of a database, and take the Rust types from
//! there. They cannot know keys, so a query says which column holds one:
//!
//! | a column called | has the type |
//! |---|---|
//! | `"id: CustomerId"` | `CustomerId`, in an `Option` if the database says that it may be NULL |
//! | `"id!: CustomerId"` | `CustomerId` |
//! | `"id?: CustomerId"` | `Option<CustomerId>` |
//! | `"id: _"` | that of the field with this name, in `query_as!` |
//!
//! A parameter is a key if it is given `as CustomerId` or `as _`. Only PostgreSQL tells the types
//! of parameters, so the queries of the others do without, and a key of the wrong type compiles
//! there.
//!
//! Where a type is missing, the compiler says that `CustomerId: From<Vec<u8>>` is not satisfied, or
//! sqlx that its feature `uuid` is required. The feature would not help: what is missing is the
//! name of the key. Records of `query!` have a field of the database's type then, and no error.
//!
//! The keys, the rows and the queries without columns of keys are in `checked-queries-shop`.
//!
//! What the databases answered is in `.sqlx`, so that building needs none; `cargo xtask prepare`
//! asks them again. After a change to a query, sqlx advises `cargo sqlx prepare`, which does not
//! support several databases: use `cargo xtask prepare` instead. The files are named after the text
//! of the query, so a crate must not send the same text to two databases. That is why the
//! placeholders of SQLite have numbers here.

pub use checked_queries_shop::{Customer, CustomerId, Invoice, InvoiceId};

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
