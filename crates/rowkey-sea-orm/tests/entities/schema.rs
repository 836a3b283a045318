//! Tables that SeaORM makes of entities, instead of migrations, and what that does to keys.

use anyhow::{Result, bail, ensure};
use rowkey::driver::sea_orm::migration::key_column;
use rowkey_testkit::{Backend, Suite};
use sea_orm::prelude::*;
use sea_orm::sea_query::{ColumnDef, Table};
use sea_orm::{ActiveValue::Set, QueryOrder};

use crate::queries::account_with_invoices;
use crate::shop::{AccountId, InvoiceId, TicketId, account, invoice, line, ticket, visit};
use crate::storage::{stored, type_of};
use crate::{BACKENDS, add_test};

pub(crate) fn add_tests(suite: &mut Suite) {
    add_test(
        suite,
        [Backend::Sqlite],
        "schema_sync_damages_numbers",
        schema_sync_damages_numbers,
    );
    add_test(
        suite,
        [Backend::Sqlite],
        "schema_sync_adds_columns_that_damage_numbers",
        schema_sync_adds_columns_that_damage_numbers,
    );
    add_test(
        suite,
        [Backend::MySql, Backend::MariaDb],
        "schema_sync_takes_letters_for_the_same",
        schema_sync_takes_letters_for_the_same,
    );
    add_test(
        suite,
        [Backend::Postgres, Backend::MySql, Backend::MariaDb],
        "schema_sync_makes_columns_for_numbers_and_bytes",
        schema_sync_makes_columns_for_numbers_and_bytes,
    );
    add_test(
        suite,
        BACKENDS,
        "schema_sync_leaves_columns_of_migrations_alone",
        schema_sync_leaves_columns_of_migrations_alone,
    );
}

/// SeaORM writes `real(28, 0)` for a decimal column of SQLite.
async fn schema_sync_damages_numbers(db: &DatabaseConnection) -> Result<()> {
    let [first, neighbour] = invoices_for_synced_tables(db).await?;
    invoice::Entity::insert(first)
        .exec_without_returning(db)
        .await?;
    let stored = stored(db, "invoice", "id").await?;
    let [seen] = &stored[..] else {
        bail!("{stored:?}");
    };
    ensure!(seen.starts_with("real "), "{seen}");
    // Another id has become the same number.
    let inserted = invoice::Entity::insert(neighbour)
        .exec_without_returning(db)
        .await;
    ensure_unique_violation(inserted)?;
    // All that is left to do is to say so.
    let error = invoice::Entity::find()
        .all(db)
        .await
        .unwrap_err()
        .to_string();
    ensure!(
        error.contains("column \"id\"") && error.contains("declare it as TEXT"),
        "{error}"
    );
    Ok(())
}

/// So it does for a column that a table of a migration lacks.
async fn schema_sync_adds_columns_that_damage_numbers(db: &DatabaseConnection) -> Result<()> {
    let backend = db.get_database_backend();
    for table in ["line", "invoice"] {
        db.execute_unprepared(&format!("DROP TABLE {table}"))
            .await?;
    }
    let invoice = Table::create()
        .table("invoice")
        .col(key_column::<InvoiceId>(backend, "id")?.primary_key())
        .col(key_column::<AccountId>(backend, "account")?)
        .col(ColumnDef::new("total").integer().not_null())
        .to_owned();
    db.execute(&invoice).await?;
    sync(db).await?;
    assert_eq!(type_of(db, "invoice", "id").await?, "TEXT");
    assert_eq!(type_of(db, "invoice", "corrects").await?, "real(28, 0)");

    let (_, invoices) = account_with_invoices(db, 1).await?;
    invoice::Entity::update_many()
        .col_expr(invoice::Column::Corrects, Expr::value(invoices[0].id))
        .exec(db)
        .await?;
    let error = invoice::Entity::find()
        .all(db)
        .await
        .unwrap_err()
        .to_string();
    ensure!(
        error.contains("column \"corrects\"") && error.contains("declare it as TEXT"),
        "{error}"
    );
    Ok(())
}

/// Text has the collation of the database, which may know no upper and lower case.
async fn schema_sync_takes_letters_for_the_same(db: &DatabaseConnection) -> Result<()> {
    // `A` and `a` behind zeros.
    let [upper, lower] = [10, 36].map(|number| ticket::ActiveModel {
        id: Set(TicketId::constant(number)),
    });
    ticket::Entity::insert_many([upper.clone(), lower.clone()])
        .exec_without_returning(db)
        .await?;
    assert_eq!(ticket::Entity::find().count(db).await?, 2);

    db.execute_unprepared("DROP TABLE ticket").await?;
    sync(db).await?;
    ticket::Entity::insert(upper)
        .exec_without_returning(db)
        .await?;
    let inserted = ticket::Entity::insert(lower)
        .exec_without_returning(db)
        .await;
    ensure_unique_violation(inserted)
}

async fn schema_sync_makes_columns_for_numbers_and_bytes(db: &DatabaseConnection) -> Result<()> {
    let invoices = invoices_for_synced_tables(db).await?;
    let ids = invoices.clone().map(|invoice| invoice.id.unwrap());
    invoice::Entity::insert_many(invoices)
        .exec_without_returning(db)
        .await?;
    let found = invoice::Entity::find()
        .order_by_asc(invoice::Column::Id)
        .all(db)
        .await?;
    let found: Vec<InvoiceId> = found.into_iter().map(|invoice| invoice.id).collect();
    assert_eq!(found, ids);
    Ok(())
}

async fn schema_sync_leaves_columns_of_migrations_alone(db: &DatabaseConnection) -> Result<()> {
    let columns = [
        ("account", "id"),
        ("invoice", "id"),
        ("invoice", "account"),
        ("invoice", "corrects"),
        ("line", "product"),
        ("line", "receipt"),
        ("ticket", "id"),
        ("visit", "id"),
    ];
    let types = async || -> Result<Vec<String>> {
        let mut types = Vec::new();
        for (table, column) in columns {
            types.push(type_of(db, table, column).await?);
        }
        Ok(types)
    };
    let (_, invoices) = account_with_invoices(db, 3).await?;
    let migrated = types().await?;
    sync(db).await?;
    assert_eq!(types().await?, migrated);
    let found = invoice::Entity::find()
        .order_by_asc(invoice::Column::Id)
        .all(db)
        .await?;
    assert_eq!(found, invoices);
    Ok(())
}

fn ensure_unique_violation<T: std::fmt::Debug>(outcome: Result<T, DbErr>) -> Result<()> {
    let error = outcome.unwrap_err();
    ensure!(
        matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))),
        "{error}"
    );
    Ok(())
}

/// Lets SeaORM make what is missing in the tables of all entities.
async fn sync(db: &DatabaseConnection) -> Result<()> {
    let builder = db.get_schema_builder();
    let builder = builder.register(account::Entity).register(invoice::Entity);
    let builder = builder.register(line::Entity).register(ticket::Entity);
    Ok(builder.register(visit::Entity).sync(db).await?)
}

/// Replaces the tables by those that SeaORM makes of entities; two invoices with neighbouring ids
/// could go there.
async fn invoices_for_synced_tables(db: &DatabaseConnection) -> Result<[invoice::ActiveModel; 2]> {
    for table in ["line", "invoice", "account"] {
        db.execute_unprepared(&format!("DROP TABLE {table}"))
            .await?;
    }
    sync(db).await?;
    let (account, _) = account_with_invoices(db, 0).await?;
    let first = InvoiceId::generate();
    let neighbour = InvoiceId::try_from(first.to_u128() + 1)?;
    Ok([first, neighbour].map(|id| invoice::ActiveModel {
        id: Set(id),
        account: Set(account.id),
        corrects: Set(None),
        total: Set(1),
    }))
}
