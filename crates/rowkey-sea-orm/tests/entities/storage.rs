//! What columns hold, beside what sqlx writes; time ranges; and what is refused.

use anyhow::{Context, Result, bail, ensure};
use rowkey::driver::sea_orm::ToCondition;
use rowkey::driver::sea_orm::migration::key_column;
use rowkey::driver::sea_orm::value::encode_for;
use rowkey::{Bounds, EntityKey, TimeOrdered, UnixMillis};
use rowkey_testkit::{Backend, Suite};
use sea_orm::prelude::*;
use sea_orm::sea_query::{self, Table};
use sea_orm::sqlx::AssertSqlSafe;
use sea_orm::{ActiveValue::Set, DbBackend, FromQueryResult, QueryOrder, Schema, Statement};

use crate::queries::account_with_invoices;
use crate::shop::{
    AccountId, BadgeId, InvoiceId, ProductId, ReceiptId, VisitId, account, badge, invoice, line,
    visit,
};
use crate::{BACKENDS, add_test};

pub(crate) fn add_tests(suite: &mut Suite) {
    add_test(
        suite,
        BACKENDS,
        "columns_hold_what_sqlx_writes",
        columns_hold_what_sqlx_writes,
    );
    add_test(
        suite,
        BACKENDS,
        "bounds_select_a_time_span",
        bounds_select_a_time_span,
    );
    add_test(
        suite,
        BACKENDS,
        "bounds_of_short_numbers_are_numbers",
        bounds_of_short_numbers_are_numbers,
    );
    add_test(
        suite,
        BACKENDS,
        "a_short_number_is_stored_right_or_refused",
        a_short_number_is_stored_right_or_refused,
    );
    add_test(
        suite,
        BACKENDS,
        "a_value_of_another_format_is_refused",
        a_value_of_another_format_is_refused,
    );
    add_test(
        suite,
        [Backend::MariaDb],
        "mariadbs_own_type_holds_keys",
        mariadbs_own_type_holds_keys,
    );
    add_test(
        suite,
        [Backend::Sqlite],
        "a_table_made_from_an_entity_damages_numbers",
        a_table_made_from_an_entity_damages_numbers,
    );
    add_test(
        suite,
        [Backend::Postgres, Backend::MySql, Backend::MariaDb],
        "a_table_made_from_an_entity_holds_keys",
        a_table_made_from_an_entity_holds_keys,
    );
}

/// Runs sqlx on the connection of SeaORM.
macro_rules! with_sqlx {
    ($db:expr, |$pool:ident| $run:expr) => {
        match $db.get_database_backend() {
            DbBackend::Postgres => {
                let $pool = $db.get_postgres_connection_pool();
                $run
            }
            DbBackend::MySql => {
                let $pool = $db.get_mysql_connection_pool();
                $run
            }
            DbBackend::Sqlite => {
                let $pool = $db.get_sqlite_connection_pool();
                $run
            }
            backend => anyhow::bail!("no test knows {backend:?}"),
        }
    };
}

/// Numbered parameters where the backend has them.
fn parameters(backend: DbBackend, sql: &str) -> String {
    if backend != DbBackend::Postgres {
        return sql.to_owned();
    }
    let mut parts = sql.split('?');
    let mut numbered = parts.next().unwrap_or_default().to_owned();
    for (number, part) in (1..).zip(parts) {
        numbered += &format!("${number}{part}");
    }
    numbered
}

/// A column's values as text in which all bytes and, in SQLite, the type can be seen.
async fn stored(db: &DatabaseConnection, table: &str, column: &str) -> Result<Vec<Option<String>>> {
    let backend = db.get_database_backend();
    let seen = match backend {
        DbBackend::Postgres => format!("{column}::text"),
        DbBackend::MySql => format!("hex(concat({column}))"),
        _ => format!("typeof({column}) || ' ' || hex({column})"),
    };
    let sql = format!("SELECT {seen} AS seen FROM {table} ORDER BY 1");
    let rows = db
        .query_all_raw(Statement::from_string(backend, sql))
        .await?;
    let texts: Result<_, DbErr> = rows.iter().map(|row| row.try_get("", "seen")).collect();
    Ok(texts?)
}

async fn columns_hold_what_sqlx_writes(db: &DatabaseConnection) -> Result<()> {
    let (account, invoices) = account_with_invoices(db, 1).await?;
    let line = line::ActiveModel {
        invoice: Set(invoices[0].id),
        product: Set(ProductId::generate()),
        receipt: Set(Some(ReceiptId::generate())),
    };
    let line = line.insert(db).await?;
    let mut by_sea_orm = Vec::new();
    let columns = [
        ("account", "id"),
        ("invoice", "id"),
        ("invoice", "account"),
        ("invoice", "corrects"),
        ("line", "product"),
        ("line", "receipt"),
    ];
    for (table, column) in columns {
        by_sea_orm.push(stored(db, table, column).await?);
    }
    line.clone().delete(db).await?;
    invoices[0].clone().delete(db).await?;
    account.clone().delete(db).await?;

    // The same rows again. They are read by the entities, and found by keys.
    let backend = db.get_database_backend();
    with_sqlx!(db, |pool| {
        let sql = parameters(backend, "INSERT INTO account (id, name) VALUES (?, ?)");
        let insert = sea_orm::sqlx::query(AssertSqlSafe(sql));
        insert
            .bind(account.id)
            .bind(&account.name)
            .execute(pool)
            .await?;
        let sql = "INSERT INTO invoice (id, account, corrects, total) VALUES (?, ?, ?, ?)";
        let insert = sea_orm::sqlx::query(AssertSqlSafe(parameters(backend, sql)));
        let insert = insert.bind(invoices[0].id).bind(invoices[0].account);
        insert
            .bind(invoices[0].corrects)
            .bind(invoices[0].total)
            .execute(pool)
            .await?;
        let sql = "INSERT INTO line (invoice, product, receipt) VALUES (?, ?, ?)";
        let insert = sea_orm::sqlx::query(AssertSqlSafe(parameters(backend, sql)));
        let insert = insert
            .bind(line.invoice)
            .bind(line.product)
            .bind(line.receipt);
        insert.execute(pool).await?;
    });
    let mut by_sqlx = Vec::new();
    for (table, column) in columns {
        by_sqlx.push(stored(db, table, column).await?);
    }
    assert_eq!(by_sea_orm, by_sqlx);
    assert_eq!(
        account::Entity::find_by_id(account.id).one(db).await?,
        Some(account)
    );
    assert_eq!(
        invoice::Entity::find_by_id(invoices[0].id).one(db).await?,
        invoices.first().cloned()
    );
    let found = line::Entity::find_by_id((line.invoice, line.product))
        .one(db)
        .await?;
    assert_eq!(found, Some(line));
    Ok(())
}

/// Where the ring counter of the short COMBs returns to 0.
const WRAP: i64 = 1_647_575_040_000;

/// So many minutes after the counter's return.
fn minute(n: i32) -> UnixMillis {
    UnixMillis::new(WRAP + i64::from(n) * 60_000)
}

/// The smallest id of a minute.
fn first_of<K>(n: i32) -> Result<K>
where
    K: EntityKey<Format: TimeOrdered>,
{
    let edge = K::bounds(minute(n)..minute(n + 1))[0].lower;
    Ok(K::try_from(
        edge.context("the minute has a beginning")?.to_u128(),
    )?)
}

async fn bounds_select_a_time_span(db: &DatabaseConnection) -> Result<()> {
    for n in -3..3 {
        let visit = visit::ActiveModel {
            id: Set(first_of(n)?),
            n: Set(n),
        };
        visit.insert(db).await?;
        let account = account::ActiveModel {
            id: Set(first_of(n)?),
            name: Set(n.to_string()),
        };
        account.insert(db).await?;
    }
    let backend = db.get_database_backend();
    for (span, expected) in [
        (minute(-2)..minute(0), vec![-2, -1]),
        (minute(0)..minute(2), vec![0, 1]),
        // Across the end of the ring: two intervals.
        (minute(-1)..minute(1), vec![-1, 0]),
        (minute(1)..minute(1), vec![]),
        // A whole turn and more.
        (UnixMillis::new(0)..minute(0), vec![-3, -2, -1, 0, 1, 2]),
    ] {
        // A condition of two intervals stands next to another one.
        let visits = visit::Entity::find()
            .filter(visit::Column::N.gte(-3))
            .filter(VisitId::bounds(span.clone()).to_condition(visit::Column::Id, backend))
            .filter(visit::Column::N.lt(3))
            .order_by_asc(visit::Column::N)
            .all(db)
            .await?;
        let visits: Vec<i32> = visits.into_iter().map(|visit| visit.n).collect();
        assert_eq!(visits, expected, "{span:?}");

        let of_span = AccountId::bounds(span.clone()).to_condition(account::Column::Id, backend);
        let accounts = account::Entity::find()
            .filter(of_span.clone())
            .all(db)
            .await?;
        let numbers: Result<Vec<i32>, _> =
            accounts.iter().map(|found| found.name.parse()).collect();
        let mut numbers = numbers?;
        numbers.sort();
        assert_eq!(numbers, expected, "{span:?}");
        let others = account::Entity::find()
            .filter(of_span.not())
            .count(db)
            .await?;
        assert_eq!(others, 6 - expected.len() as u64, "{span:?}");
    }
    Ok(())
}

async fn bounds_of_short_numbers_are_numbers(db: &DatabaseConnection) -> Result<()> {
    account_with_invoices(db, 2).await?;
    let totals = async |bounds: Bounds<InvoiceId>| -> Result<Vec<i32>> {
        let backend = db.get_database_backend();
        let found = invoice::Entity::find()
            .filter(bounds.to_condition(invoice::Column::Id, backend))
            .order_by_asc(invoice::Column::Id)
            .all(db)
            .await?;
        Ok(found.into_iter().map(|invoice| invoice.total).collect())
    };
    // The ids of 2010 have 27 digits, and as text they would stand behind all of today's.
    let in_2010 = UnixMillis::new(1_262_304_000_000);
    let edge = InvoiceId::bounds(in_2010..)[0]
        .lower
        .context("the span has a beginning")?;
    ensure!(edge.to_u128() < 10_u128.pow(27), "{edge:?}");
    assert_eq!(totals(InvoiceId::bounds(in_2010..)).await?, [0, 1]);
    assert_eq!(totals(InvoiceId::bounds(..in_2010)).await?, [] as [i32; 0]);
    Ok(())
}

async fn a_short_number_is_stored_right_or_refused(db: &DatabaseConnection) -> Result<()> {
    let (account, _) = account_with_invoices(db, 0).await?;
    let id = InvoiceId::constant(5);
    let short = invoice::ActiveModel {
        id: Set(id),
        account: Set(account.id),
        corrects: Set(None),
        total: Set(1),
    };
    if db.get_database_backend() != DbBackend::Sqlite {
        let inserted = short.insert(db).await?;
        assert_eq!(
            invoice::Entity::find_by_id(id).one(db).await?,
            Some(inserted)
        );
        return Ok(());
    }
    let error = short.insert(db).await.unwrap_err();
    ensure!(
        error.to_string().contains("CHECK constraint failed"),
        "{error}"
    );

    // With the zeros of other drivers, for which there is a function.
    let id = encode_for(DbBackend::Sqlite, id);
    assert_eq!(id, Value::from("0000000000000000000000000005"));
    let insert = Statement::from_sql_and_values(
        DbBackend::Sqlite,
        "INSERT INTO invoice (id, account, total) VALUES (?, ?, 1)",
        [id.clone(), account.id.into()],
    );
    db.execute_raw(insert).await?;
    let found = invoice::Entity::find()
        .filter(invoice::Column::Id.eq(id))
        .one(db)
        .await?;
    assert_eq!(
        found.map(|invoice| invoice.id),
        Some(InvoiceId::constant(5))
    );
    Ok(())
}

async fn a_value_of_another_format_is_refused(db: &DatabaseConnection) -> Result<()> {
    #[derive(Debug, FromQueryResult)]
    struct Wrong {
        #[expect(dead_code, reason = "it cannot be read")]
        name: AccountId,
    }
    account_with_invoices(db, 0).await?;
    let error = account::Entity::find()
        .into_model::<Wrong>()
        .one(db)
        .await
        .unwrap_err();
    let error = error.to_string();
    ensure!(
        error.contains("decoding column \"name\": stored ShortSuffixComb"),
        "{error}"
    );

    #[derive(Debug, FromQueryResult)]
    struct Missing {
        #[expect(dead_code, reason = "it cannot be read")]
        other: AccountId,
    }
    let error = account::Entity::find()
        .into_model::<Missing>()
        .one(db)
        .await
        .unwrap_err();
    ensure!(
        error
            .to_string()
            .contains("no column found for name: other"),
        "{error}"
    );

    #[derive(Debug, FromQueryResult)]
    struct Optional {
        other: Option<AccountId>,
    }
    let found = account::Entity::find()
        .into_model::<Optional>()
        .one(db)
        .await?;
    assert_eq!(found.context("the account is there")?.other, None);
    Ok(())
}

async fn mariadbs_own_type_holds_keys(db: &DatabaseConnection) -> Result<()> {
    let mut id = key_column::<BadgeId>(db.get_database_backend(), "id")?;
    let table = Table::create()
        .table("badge")
        .col(id.primary_key())
        .col(sea_query::ColumnDef::new("n").integer().not_null())
        .to_owned();
    db.execute(&table).await?;
    let first = BadgeId::generate().to_u128();
    for n in 0..3_i32 {
        let badge = badge::ActiveModel {
            id: Set(BadgeId::try_from(first + u128::from(n.unsigned_abs()))?),
            n: Set(n),
        };
        badge.insert(db).await?;
    }
    let [first, last] = [first, first + 2].map(BadgeId::try_from);
    let found = badge::Entity::find()
        .filter(badge::Column::Id.is_in([first?, last?]))
        .order_by_asc(badge::Column::Id)
        .all(db)
        .await?;
    let found: Vec<i32> = found.into_iter().map(|badge| badge.n).collect();
    assert_eq!(found, [0, 2]);
    let types = "SELECT column_type AS found FROM information_schema.columns \
                 WHERE table_schema = database() AND table_name = 'badge' AND column_name = 'id'";
    let row = db
        .query_one_raw(Statement::from_string(DbBackend::MySql, types))
        .await?;
    let found: String = row.context("there is a column")?.try_get("", "found")?;
    assert_eq!(found, "uuid");
    Ok(())
}

/// SeaORM writes `real(28, 0)` for a decimal column of SQLite.
async fn a_table_made_from_an_entity_damages_numbers(db: &DatabaseConnection) -> Result<()> {
    let [first, neighbour] = invoices_for_tables_of_entities(db).await?;
    invoice::Entity::insert(first)
        .exec_without_returning(db)
        .await?;
    let stored = stored(db, "invoice", "id").await?;
    let [Some(seen)] = &stored[..] else {
        bail!("{stored:?}");
    };
    ensure!(seen.starts_with("real "), "{seen}");
    // Another id has become the same number.
    let inserted = invoice::Entity::insert(neighbour)
        .exec_without_returning(db)
        .await;
    let error = inserted.unwrap_err();
    ensure!(
        matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))),
        "{error}"
    );
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

async fn a_table_made_from_an_entity_holds_keys(db: &DatabaseConnection) -> Result<()> {
    let invoices = invoices_for_tables_of_entities(db).await?;
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

/// Replaces the tables of two entities by those that SeaORM makes of them; two invoices with
/// neighbouring ids could go there.
async fn invoices_for_tables_of_entities(
    db: &DatabaseConnection,
) -> Result<[invoice::ActiveModel; 2]> {
    for table in ["line", "invoice", "account"] {
        db.execute_unprepared(&format!("DROP TABLE {table}"))
            .await?;
    }
    let schema = Schema::new(db.get_database_backend());
    db.execute(&schema.create_table_from_entity(account::Entity))
        .await?;
    db.execute(&schema.create_table_from_entity(invoice::Entity))
        .await?;
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
