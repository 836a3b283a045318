//! The columns of keys in migrations.
//!
//! ```
//! use rowkey::driver::sea_orm::migration::{key_column, nullable_key_column};
//! use rowkey::{DistributedId, ShortPrefixComb, entity_key};
//! use sea_orm_migration::prelude::*;
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! #[entity_key]
//! struct InvoiceId(DistributedId);
//!
//! #[derive(DeriveMigrationName)]
//! struct CreateInvoice;
//!
//! #[async_trait::async_trait]
//! impl MigrationTrait for CreateInvoice {
//!     async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
//!         let backend = manager.get_database_backend();
//!         let table = Table::create()
//!             .table("invoice")
//!             .col(key_column::<InvoiceId>(backend, "id")?.primary_key())
//!             .col(nullable_key_column::<OfferId>(backend, "offer")?)
//!             .foreign_key(
//!                 ForeignKey::create()
//!                     .from("invoice", "offer")
//!                     .to("offer", "id"),
//!             )
//!             .to_owned();
//!         manager.create_table(table).await
//!     }
//! }
//! ```

use std::fmt::Display;

use rowkey_core::driver::{SqliteWire, UuidWire};
use rowkey_core::storage::{StoragePlan, TextForm, quote_identifier};
use rowkey_core::{Backend, DatabaseNumber, EntityKey};
use sea_orm::sea_query::{Alias, ColumnDef, Expr, ExprTrait, Func};
use sea_orm::{DbBackend, DbErr};

use crate::value::backend_of;

/// The column of a key, NOT NULL, as the key's plan stores it on a backend.
///
/// `text-upper`, `text-hex` and `text-hex-upper` have a CHECK of length and letter case, as in
/// [`StoragePlan::column_definition`](rowkey_core::storage::StoragePlan::column_definition).
///
/// In SQLite, a column of fixed-width digits also checks that there are 28 digits and that the
/// first is not 0. SeaORM writes a [`DistributedId`](rowkey_core::DistributedId) of fewer digits
/// without the required leading zeros, so its conditions would not find an id that another driver
/// has stored. An insert of such an id fails with every driver.
///
/// # Errors
///
/// `DbErr::Migration` for a backend that rowkey does not support, and for a name that is not valid
/// there or has a dot in it: the column of a migration has no table before its name.
pub fn key_column<K: EntityKey>(backend: DbBackend, name: &str) -> Result<ColumnDef, DbErr> {
    let mut column = definition_of::<K>(backend, name)?;
    Ok(column.not_null().take())
}

/// The same column, but nullable, for an optional key.
///
/// # Errors
///
/// As [`key_column`].
pub fn nullable_key_column<K: EntityKey>(
    backend: DbBackend,
    name: &str,
) -> Result<ColumnDef, DbErr> {
    let mut column = definition_of::<K>(backend, name)?;
    Ok(column.null().take())
}

/// The primary key that the database counts, as
/// [`StoragePlan::counted_column_definition`](rowkey_core::storage::StoragePlan::counted_column_definition)
/// defines it. The entity's column has `#[sea_orm(primary_key)]` alone.
///
/// # Errors
///
/// As [`key_column`].
pub fn counted_key_column<K>(backend: DbBackend, name: &str) -> Result<ColumnDef, DbErr>
where
    K: EntityKey<Format = DatabaseNumber>,
{
    let known = known_of::<K>(backend, name)?;
    let counted = K::PLAN.counted_column_type(known);
    let counted = counted.map_err(|error| refused::<K>(name, &error))?;
    Ok(ColumnDef::new(Alias::new(name))
        .custom(Alias::new(counted))
        .take())
}

fn refused<K: EntityKey>(name: &str, reason: &dyn Display) -> DbErr {
    DbErr::Migration(format!("column `{name}` for {} keys: {reason}", K::NAME))
}

/// The backend, if the name is valid there.
fn known_of<K: EntityKey>(backend: DbBackend, name: &str) -> Result<Backend, DbErr> {
    let known =
        backend_of::<K>(backend).ok_or_else(|| refused::<K>(name, &"not a known backend"))?;
    quote_identifier(known, name).map_err(|error| refused::<K>(name, &error))?;
    match name.rsplit_once('.') {
        Some((_, column)) => {
            let instead = format!("it is one name with a dot in it; write `{column}`");
            Err(refused::<K>(name, &instead))
        }
        None => Ok(known),
    }
}

fn definition_of<K: EntityKey>(backend: DbBackend, name: &str) -> Result<ColumnDef, DbErr> {
    let refused = |reason: &dyn Display| refused::<K>(name, reason);
    let known = known_of::<K>(backend, name)?;
    let sql_type = K::PLAN
        .column_type(known)
        .map_err(|error| refused(&error))?;
    let mut column = ColumnDef::new(Alias::new(name));
    column.custom(Alias::new(sql_type));
    let check = K::PLAN.column_check(known, name);
    if let Some(check) = check.map_err(|error| refused(&error))? {
        column.check(Expr::cust(check));
    }
    if backend == DbBackend::Sqlite && is_number_elsewhere(&K::PLAN) {
        let digits = || Expr::col(Alias::new(name));
        let length = Expr::from(Func::char_length(digits())).eq(DIGITS);
        column.check(length.and(digits().gte(SMALLEST)));
    }
    Ok(column)
}

const DIGITS: i32 = 28;

/// The smallest number with this many digits.
const SMALLEST: &str = "1000000000000000000000000000";

/// Whether SeaORM uses a decimal number for what SQLite stores as digits of fixed width.
fn is_number_elsewhere(plan: &StoragePlan) -> bool {
    matches!(plan.postgres().wire(), UuidWire::Decimal(_))
        && plan.sqlite().wire() == SqliteWire::Text(TextForm::Digits28)
}
