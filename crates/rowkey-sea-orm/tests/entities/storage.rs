//! What columns hold, time ranges, and what is refused.

use anyhow::{Context, Result, ensure};
use rowkey::driver::sea_orm::KeyColumnMethods;
use rowkey::driver::sea_orm::ToParam;
use rowkey::driver::sea_orm::migration::key_column;
use rowkey::format::TimeOrdered;
use rowkey::storage::Nullability;
use rowkey::time_range::Bounds;
use rowkey::{EntityKey, UnixMillis};
use rowkey_testkit::{Backend, Suite};
use sea_orm::prelude::*;
use sea_orm::sea_query::{self, Table};
use sea_orm::{
    ActiveValue::Set, DbBackend, FromQueryResult, QueryOrder, Statement, TransactionTrait,
    TryGetable,
};

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
        "one_entity_has_the_columns_of_each_backend",
        one_entity_has_the_columns_of_each_backend,
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
        "a_short_number_is_found_with_its_zeros",
        a_short_number_is_found_with_its_zeros,
    );
    add_test(
        suite,
        BACKENDS,
        "null_and_missing_columns_are_no_keys",
        null_and_missing_columns_are_no_keys,
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
        // MySQL has no type for one of them.
        [Backend::Postgres, Backend::MariaDb, Backend::Sqlite],
        "keys_without_a_value_are_read",
        keys_without_a_value_are_read,
    );
    add_test(
        suite,
        BACKENDS,
        "generated_types_are_of_one_backend",
        generated_types_are_of_one_backend,
    );
}

/// A column's values as text and, in SQLite, their types; in the order of the column.
pub(crate) async fn stored(
    db: &DatabaseConnection,
    table: &str,
    column: &str,
) -> Result<Vec<String>> {
    let backend = db.get_database_backend();
    let seen = match backend {
        DbBackend::Postgres => format!("{column}::text"),
        DbBackend::MySql => format!("cast({column} AS char)"),
        _ => format!("typeof({column}) || ' ' || {column}"),
    };
    let sql = format!("SELECT {seen} AS seen FROM {table} ORDER BY {column}");
    texts(db, &sql, "seen").await
}

/// A column of text of a query's rows.
pub(crate) async fn texts(db: &DatabaseConnection, sql: &str, column: &str) -> Result<Vec<String>> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let rows = db.query_all_raw(statement).await?;
    let texts: Result<_, DbErr> = rows.iter().map(|row| row.try_get("", column)).collect();
    Ok(texts?)
}

/// The database of a test as rowkey calls it.
async fn backend_of(db: &DatabaseConnection) -> Result<Backend> {
    Ok(match db.get_database_backend() {
        DbBackend::Postgres => Backend::Postgres,
        DbBackend::Sqlite => Backend::Sqlite,
        _ => match &texts(db, "SELECT version() AS version", "version").await?[..] {
            [version] if version.contains("MariaDB") => Backend::MariaDb,
            _ => Backend::MySql,
        },
    })
}

/// A decimal number in PostgreSQL, MySQL and MariaDB, text of 28 digits in SQLite: of one entity.
async fn one_entity_has_the_columns_of_each_backend(db: &DatabaseConnection) -> Result<()> {
    let (account, invoices) = account_with_invoices(db, 1).await?;
    let line = line::ActiveModel {
        invoice: Set(invoices[0].id),
        product: Set(ProductId::generate()),
        receipt: Set(Some(ReceiptId::generate())),
    };
    let line = line.insert(db).await?;
    let digits = invoices[0].id.to_string();
    let (column_type, expected) = match backend_of(db).await? {
        Backend::Postgres => ("numeric(28,0)", digits),
        Backend::Sqlite => ("TEXT", format!("text {digits}")),
        _ => ("decimal(28,0)", digits),
    };
    assert_eq!(type_of(db, "invoice", "id").await?, column_type);
    assert_eq!(stored(db, "invoice", "id").await?, [expected.as_str()]);
    assert_eq!(type_of(db, "line", "invoice").await?, column_type);
    assert_eq!(stored(db, "line", "invoice").await?, [expected.as_str()]);

    // What the plan calls the same keys in SQL.
    let backend = backend_of(db).await?;
    async fn is_stored<K: EntityKey>(
        db: &DatabaseConnection,
        backend: Backend,
        (table, column): (&str, &str),
        key: K,
    ) -> Result<()> {
        let literal = K::PLAN.column(backend).literal(key.to_u128());
        let sql = format!("SELECT 'found' AS found FROM {table} WHERE {column} = {literal}");
        ensure!(
            texts(db, &sql, "found").await? == ["found"],
            "nothing for {sql}"
        );
        Ok(())
    }
    is_stored(db, backend, ("account", "id"), account.id).await?;
    is_stored(db, backend, ("invoice", "id"), invoices[0].id).await?;
    is_stored(db, backend, ("invoice", "account"), account.id).await?;
    is_stored(db, backend, ("line", "product"), line.product).await?;
    let receipt = line.receipt.context("the line has a receipt")?;
    is_stored(db, backend, ("line", "receipt"), receipt).await
}

/// A column's type as the database has it.
pub(crate) async fn type_of(db: &DatabaseConnection, table: &str, column: &str) -> Result<String> {
    let sql = match db.get_database_backend() {
        DbBackend::Postgres => format!(
            "SELECT format_type(atttypid, atttypmod) AS found FROM pg_attribute \
             WHERE attrelid = '{table}'::regclass AND attname = '{column}'"
        ),
        DbBackend::MySql => format!(
            "SELECT CAST(column_type AS char) AS found FROM information_schema.columns \
             WHERE table_schema = database() \
             AND table_name = '{table}' AND column_name = '{column}'"
        ),
        _ => format!(
            "SELECT type AS found FROM pragma_table_info('{table}') WHERE name = '{column}'"
        ),
    };
    let mut found = texts(db, &sql, "found").await?;
    found
        .pop()
        .with_context(|| format!("no column {table}.{column}"))
}

mod read_only {
    use rowkey::{DistributedId, DistributedId128, ShortPrefixComb, entity_key};
    use sea_orm::FromQueryResult;

    /// Numbers of 38 digits.
    #[entity_key(storage(postgres = "decimal", mysql = "decimal", sqlite = "decimal"))]
    pub struct EventId(DistributedId128);

    /// A uuid in one database, a number in others.
    #[entity_key(storage(postgres = "uuid"))]
    pub struct PaymentId(DistributedId);

    /// MariaDB's own type, with its own layout.
    #[entity_key(storage(mariadb = "native-uuid"))]
    pub struct SeatId(ShortPrefixComb);

    #[derive(Debug, PartialEq, FromQueryResult)]
    pub(super) struct Row {
        pub(super) event: EventId,
        pub(super) payment: Option<PaymentId>,
        pub(super) seat: Option<SeatId>,
    }
}

/// No value of SeaORM is right for their columns, but rows know where they come from.
async fn keys_without_a_value_are_read(db: &DatabaseConnection) -> Result<()> {
    use read_only::{EventId, PaymentId, Row, SeatId};

    let backend = backend_of(db).await?;
    let event = EventId::PLAN.column_definition(backend, "event", Nullability::NotNull)?;
    let payment = PaymentId::PLAN.column_definition(backend, "payment", Nullability::Nullable)?;
    let seat = SeatId::PLAN.column_definition(backend, "seat", Nullability::Nullable)?;
    db.execute_unprepared(&format!(
        "CREATE TABLE booking ({event}, {payment}, {seat})"
    ))
    .await?;
    // Zeros in front, and more digits than a `Decimal` has.
    let row = Row {
        event: EventId::try_from(10_u128.pow(37) + 7)?,
        payment: Some(PaymentId::constant(5)),
        seat: Some(SeatId::constant(0x0001_8b2c_1234_4abc_8111_2222_3333_4444)),
    };
    let event = EventId::PLAN.column(backend).literal(row.event.to_u128());
    let payment = PaymentId::PLAN.column(backend).literal(5);
    let seat = SeatId::PLAN
        .column(backend)
        .literal(0x0001_8b2c_1234_4abc_8111_2222_3333_4444);
    let insert =
        format!("INSERT INTO booking VALUES ({event}, {payment}, {seat}), ({event}, NULL, NULL)");
    db.execute_unprepared(&insert).await?;

    let select = "SELECT event, payment, seat FROM booking ORDER BY payment IS NULL";
    let statement = Statement::from_string(db.get_database_backend(), select);
    let found = Row::find_by_statement(statement).all(db).await?;
    let bare = Row {
        event: row.event,
        payment: None,
        seat: None,
    };
    assert_eq!(found, [row, bare]);
    Ok(())
}

/// What `sea-orm-cli generate entity` writes goes by the database that it has looked at.
async fn generated_types_are_of_one_backend(db: &DatabaseConnection) -> Result<()> {
    async fn read<T: TryGetable>(db: &DatabaseConnection, column: &str) -> Result<T, DbErr> {
        let sql = format!("SELECT {column} FROM invoice");
        let statement = Statement::from_string(db.get_database_backend(), sql);
        let row = db.query_one_raw(statement).await?;
        row.ok_or(DbErr::RecordNotFound(String::new()))?
            .try_get("", column)
    }
    let (account, invoices) = account_with_invoices(db, 1).await?;
    let backend = db.get_database_backend();

    // `Decimal` of PostgreSQL and MySQL, `String` of SQLite.
    let number = read::<Decimal>(db, "id").await;
    let digits = read::<String>(db, "id").await;
    let id = invoices[0].id.to_string();
    match backend {
        DbBackend::Sqlite => {
            ensure!(number.is_err(), "{number:?}");
            assert_eq!(digits?, id);
        }
        _ => {
            assert_eq!(number?.to_string(), id);
            ensure!(digits.is_err(), "{digits:?}");
        }
    }

    // `Uuid` of PostgreSQL, `Vec<u8>` of MySQL and SQLite; in the layout of the column.
    let uuid = read::<Uuid>(db, "account").await?;
    assert_ne!(uuid.to_string(), account.id.to_string());
    let json = account::Entity::find().into_json().one(db).await?;
    assert_eq!(
        json.context("the account is there")?["id"],
        uuid.to_string()
    );
    let bytes = read::<Vec<u8>>(db, "account").await;
    match backend {
        DbBackend::Postgres => ensure!(bytes.is_err(), "{bytes:?}"),
        _ => assert_eq!(bytes?, uuid.as_bytes()),
    }
    Ok(())
}

/// Where the ring counter of the short COMBs returns to 0.
const WRAP: i64 = 1_647_575_040_000;

/// `n` minutes after the counter's return.
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
            .filter(visit::Column::Id.within(VisitId::bounds(span.clone()), backend))
            .filter(visit::Column::N.lt(3))
            .order_by_asc(visit::Column::N)
            .all(db)
            .await?;
        let visits: Vec<i32> = visits.into_iter().map(|visit| visit.n).collect();
        assert_eq!(visits, expected, "{span:?}");

        let of_span = account::Column::Id.within(AccountId::bounds(span.clone()), backend);
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
            .filter(invoice::Column::Id.within(bounds, backend))
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
    // Other drivers write the zeros, and SeaORM would not find the row.
    let with_zeros = sea_query::Query::insert()
        .into_table(invoice::Entity)
        .columns([
            invoice::Column::Id,
            invoice::Column::Account,
            invoice::Column::Total,
        ])
        .values([
            id.to_param(DbBackend::Sqlite).into(),
            Value::from(account.id).into(),
            1.into(),
        ])?
        .to_owned();
    let error = db.execute(&with_zeros).await.unwrap_err();
    ensure!(
        error.to_string().contains("CHECK constraint failed"),
        "{error}"
    );
    Ok(())
}

/// SQLite compares digits as text. SeaORM's own value lacks the zeros in front, `to_param` and
/// `in_keys` have them, for tables that were made without the check of `key_column`.
async fn a_short_number_is_found_with_its_zeros(db: &DatabaseConnection) -> Result<()> {
    use invoice::{Column, Entity};

    let (account, _) = account_with_invoices(db, 1).await?;
    let backend = db.get_database_backend();
    let id = InvoiceId::constant(5);
    let encoded = id.to_param(backend);
    if backend == DbBackend::Sqlite {
        assert_eq!(encoded, Value::from("0000000000000000000000000005"));
    }
    let insert = sea_query::Query::insert()
        .into_table(Entity)
        .columns([Column::Id, Column::Account, Column::Total])
        .values([
            encoded.clone().into(),
            Value::from(account.id).into(),
            5.into(),
        ])?
        .to_owned();
    let transaction = db.begin().await?;
    if backend == DbBackend::Sqlite {
        transaction
            .execute_unprepared("PRAGMA ignore_check_constraints = ON")
            .await?;
    }
    transaction.execute(&insert).await?;
    if backend == DbBackend::Sqlite {
        transaction
            .execute_unprepared("PRAGMA ignore_check_constraints = OFF")
            .await?;
    }
    transaction.commit().await?;

    // The short number's row has the total 5, that of a generated one 0.
    let totals = async |condition: sea_orm::Condition| -> Result<Vec<i32>> {
        let found = Entity::find()
            .filter(condition)
            .order_by_asc(Column::Total)
            .all(db)
            .await?;
        Ok(found.into_iter().map(|invoice| invoice.total).collect())
    };
    let all = |condition: Expr| sea_orm::Condition::all().add(condition);
    let nothing = [] as [i32; 0];

    let found = Entity::find_by_id(id).one(db).await?;
    let found = found.map(|invoice| invoice.total);
    let later = totals(all(Column::Id.gt(id))).await?;
    let earlier = totals(all(Column::Id.lt(id))).await?;
    if backend == DbBackend::Sqlite {
        assert_eq!(found, None);
        assert_eq!(later, nothing);
        assert_eq!(earlier, [0, 5]);
    } else {
        assert_eq!(found, Some(5));
        assert_eq!(later, [0]);
        assert_eq!(earlier, nothing);
    }

    assert_eq!(totals(Column::Id.in_keys(&[id], backend)).await?, [5]);
    assert_eq!(
        totals(Column::Id.in_keys(&[id; 0], backend)).await?,
        nothing
    );
    assert_eq!(totals(all(Column::Id.eq(encoded.clone()))).await?, [5]);
    assert_eq!(totals(all(Column::Id.gt(encoded.clone()))).await?, [0]);
    assert_eq!(totals(all(Column::Id.lt(encoded))).await?, nothing);
    let in_2010 = UnixMillis::new(1_262_304_000_000);
    let before = Column::Id.within(InvoiceId::bounds(..in_2010), backend);
    assert_eq!(totals(before).await?, [5]);
    let since = Column::Id.within(InvoiceId::bounds(in_2010..), backend);
    assert_eq!(totals(since).await?, [0]);
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

async fn null_and_missing_columns_are_no_keys(db: &DatabaseConnection) -> Result<()> {
    account_with_invoices(db, 1).await?;
    let read = async |columns: &str| {
        let sql = format!("SELECT {columns} FROM invoice");
        let statement = Statement::from_string(db.get_database_backend(), sql);
        invoice::Entity::find()
            .from_raw_sql(statement)
            .one(db)
            .await
    };
    for columns in [
        "id, NULL AS account, corrects, total",
        "id, corrects, total",
    ] {
        let error = read(columns).await.unwrap_err().to_string();
        assert_eq!(error, "Type Error: Missing value for column 'account'");
    }
    for columns in [
        "NULL AS id, NULL AS account, NULL AS corrects, NULL AS total",
        "corrects",
    ] {
        let error = read(columns).await.unwrap_err().to_string();
        assert_eq!(
            error,
            "Type Error: A null value was encountered while decoding All fields of nested model \
             are null"
        );
    }
    let found = read("id, account, total").await?;
    assert_eq!(found.context("the invoice is there")?.corrects, None);
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
    assert_eq!(type_of(db, "badge", "id").await?, "uuid");
    Ok(())
}
