//! The tables of the workspace's folder `migrations`, as the migrations of four libraries.
//!
//! Each module is what a program with that library contains. The tests apply, revert and apply
//! again on every available database. The book's page about migrations shows this code.

#![forbid(unsafe_code)]

pub mod diesel;
pub mod refinery;
pub mod sea_orm;
pub mod sqlx;
