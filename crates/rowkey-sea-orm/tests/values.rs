//! Keys as values, in rows of values, and as columns, without a database.

#![expect(
    unreachable_pub,
    reason = "the derives ask for public entities with public keys"
)]

use std::collections::BTreeMap;

use rowkey::driver::sea_orm::migration::{key_column, nullable_key_column};
use rowkey::driver::sea_orm::value;
use rowkey::{
    Backend, DatabaseNumber, DistributedId, EntityKey, ShortSuffixComb, UuidV7, entity_key,
};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{
    self, ArrayType, MysqlQueryBuilder, Nullable, PostgresQueryBuilder, SqliteQueryBuilder, Table,
    ValueType,
};
use sea_orm::{
    ActiveValue::Set, DbBackend, MockDatabase, MockExecResult, QueryResult, Statement, Transaction,
    TryFromU64,
};

/// Sixteen bytes whose first and last are exchanged for the column.
#[entity_key]
pub struct AccountId(ShortSuffixComb);

/// A decimal number, or text of 28 digits.
#[entity_key]
pub struct InvoiceId(DistributedId);

/// Twelve bytes.
#[entity_key(storage(postgres = "binary", mysql = "binary", sqlite = "binary"))]
pub struct ReceiptId(DistributedId);

/// Text, also for MariaDB's own type.
#[entity_key(storage(postgres = "text", mariadb = "native-uuid", sqlite = "text"))]
pub struct ProductId(UuidV7);

/// A number that the database counts.
#[entity_key]
pub struct AccountNumber(DatabaseNumber);

mod invoice {
    use sea_orm::entity::prelude::*;

    use super::{AccountId, InvoiceId, ProductId, ReceiptId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "invoice")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: InvoiceId,
        pub account: AccountId,
        pub product: ProductId,
        pub receipt: Option<ReceiptId>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

const ACCOUNT: AccountId = AccountId::constant(0x0001_0203_0405_4607_8809_0a0b_0c0d_0e0f);
const INVOICE: InvoiceId = InvoiceId::constant(1_088_824_355_131_185_736_905_670_087);

fn taken<K: ValueType>(value: Value) -> Option<K> {
    <K as ValueType>::try_from(value).ok()
}

#[test]
fn a_key_is_the_value_of_its_columns() {
    // Where the bytes of the public form stand in the column.
    let stored = "0a0b0203-0405-4607-8809-00010c0d0e0f";
    assert_eq!(
        Value::from(ACCOUNT),
        Value::from(Uuid::parse_str(stored).unwrap())
    );
    assert_eq!(taken(ACCOUNT.into()), Some(ACCOUNT));
    assert_eq!(AccountId::null(), Value::Uuid(None));
    assert_eq!(AccountId::array_type(), ArrayType::Uuid);

    let number = "1088824355131185736905670087".parse::<Decimal>().unwrap();
    assert_eq!(Value::from(INVOICE), Value::from(number));
    assert_eq!(taken(INVOICE.into()), Some(INVOICE));
    assert_eq!(taken(Value::from(Some(INVOICE))), Some(Some(INVOICE)));
    assert_eq!(
        taken(Value::from(None::<InvoiceId>)),
        Some(None::<InvoiceId>)
    );
    let largest = InvoiceId::constant(10_u128.pow(28) - 1);
    assert_eq!(taken(largest.into()), Some(largest));

    let receipt = ReceiptId::constant(0x0102);
    assert_eq!(
        Value::from(receipt),
        Value::from(vec![0_u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
    );
    assert_eq!(taken(receipt.into()), Some(receipt));

    let product = ProductId::generate();
    assert_eq!(Value::from(product), Value::from(product.to_string()));
    assert_eq!(taken(product.into()), Some(product));
}

#[test]
fn another_value_is_no_key() {
    for value in [
        Value::Uuid(None),
        Value::from("1088824355131185736905670087"),
        Value::from(Decimal::from(-1)),
        Value::from("0.5".parse::<Decimal>().unwrap()),
        Value::from(Decimal::from_i128_with_scale(10_i128.pow(28), 0)),
    ] {
        assert_eq!(taken::<InvoiceId>(value.clone()), None, "{value:?}");
    }
    assert_eq!(
        taken(Value::from("5.000".parse::<Decimal>().unwrap())),
        Some(InvoiceId::constant(5))
    );
    assert_eq!(taken::<AccountId>(Value::from(Uuid::nil())), None);
    let error = value::decode::<AccountId>(&Value::from(1))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "stored ShortSuffixComb: expected a uuid, found the value Int(Some(1))"
    );
}

#[test]
fn a_key_is_no_counted_number() {
    let error = InvoiceId::try_from_u64(1).unwrap_err();
    assert!(
        matches!(error, DbErr::ConvertFromU64("InvoiceId")),
        "{error}"
    );
}

#[test]
fn a_counted_key_is_the_last_insert_id() -> Result<(), DbErr> {
    let number = (1 << 53) + 1;
    let key = AccountNumber::try_from_u64(number)?;
    assert_eq!(key.to_number(), number as i64);
    assert_eq!(Value::from(key), Value::BigInt(Some(number as i64)));
    assert_eq!(taken(Value::from(key)), Some(key));
    assert_eq!(taken::<AccountNumber>(Value::from(-1_i64)), None);
    assert_eq!(taken::<AccountNumber>(Value::from(1_i32)), None);
    assert_eq!(AccountNumber::null(), Value::BigInt(None));
    assert!(AccountNumber::try_from_u64(1 << 63).is_err());
    Ok(())
}

#[tokio::test]
async fn mock_databases_have_keys() -> Result<(), DbErr> {
    let found = invoice::Model {
        id: INVOICE,
        account: ACCOUNT,
        product: ProductId::generate(),
        receipt: None,
    };
    let with_receipt = invoice::Model {
        receipt: Some(ReceiptId::constant(7)),
        ..found.clone()
    };
    for backend in [DbBackend::Postgres, DbBackend::MySql, DbBackend::Sqlite] {
        let db = MockDatabase::new(backend)
            .append_query_results([vec![found.clone(), with_receipt.clone()]])
            .append_exec_results([MockExecResult {
                last_insert_id: 0,
                rows_affected: 1,
            }])
            .into_connection();
        let rows = invoice::Entity::find().all(&db).await?;
        assert_eq!(rows, [found.clone(), with_receipt.clone()]);
        invoice::Entity::delete_by_id(INVOICE).exec(&db).await?;
        let log = db.into_transaction_log();
        let parameter = if backend == DbBackend::Postgres {
            "$1"
        } else {
            "?"
        };
        let quote = if backend == DbBackend::MySql {
            "`"
        } else {
            "\""
        };
        let sql = format!("DELETE FROM \"invoice\" WHERE \"invoice\".\"id\" = {parameter}");
        let sql = sql.replace('"', quote);
        let expected = Transaction::from_sql_and_values(backend, &sql, [INVOICE.into()]);
        assert_eq!(log[1], expected);
    }
    Ok(())
}

/// The one row that a database of values has.
async fn row_of(value: Value) -> QueryResult {
    let db = MockDatabase::new(DbBackend::Sqlite)
        .append_query_results([[BTreeMap::from([("id", value)])]])
        .into_connection();
    let statement = Statement::from_string(DbBackend::Sqlite, "SELECT id");
    let row = db.query_one_raw(statement).await;
    row.expect("the row is read").expect("there is a row")
}

#[tokio::test]
async fn rows_of_values_have_what_any_database_stores() -> Result<(), DbErr> {
    // Sixteen bytes in MySQL and SQLite, and digits in SQLite.
    let bytes = Uuid::parse_str("0a0b0203-0405-4607-8809-00010c0d0e0f").unwrap();
    for value in [Value::from(bytes), Value::from(bytes.as_bytes().to_vec())] {
        let row = row_of(value).await;
        assert_eq!(row.try_get::<AccountId>("", "id")?, ACCOUNT);
        assert_eq!(row.try_get_by_index::<Option<AccountId>>(0)?, Some(ACCOUNT));
    }
    for value in [Value::from(INVOICE), Value::from(INVOICE.to_string())] {
        let row = row_of(value).await;
        assert_eq!(row.try_get::<InvoiceId>("", "id")?, INVOICE);
    }
    for null in [AccountId::null(), Value::Bytes(None), Value::String(None)] {
        let row = row_of(null).await;
        assert_eq!(row.try_get::<Option<AccountId>>("", "id")?, None);
        let error = row.try_get::<AccountId>("", "id").unwrap_err().to_string();
        assert!(error.contains("null value"), "{error}");
    }
    Ok(())
}

/// SeaORM has NULL for a value of another type, which must not become `None`.
#[tokio::test]
async fn a_wrong_value_in_a_row_of_values_is_an_error_with_the_column() {
    for (value, found) in [
        (Value::from(Uuid::nil()), "not a ShortSuffixComb"),
        (
            Value::from(vec![1_u8; 15]),
            "expected 16 bytes, found 15 bytes",
        ),
        (
            Value::from("0a0b0203-0405-4607-8809-00010c0d0e0f"),
            "expected a uuid, found",
        ),
        (Value::from(Decimal::ONE), "expected a uuid, found"),
        (Value::from(1), "expected a uuid, found"),
        (Value::from(1_i64), "expected a uuid, found"),
        (Value::from(1.5), "expected a uuid, found"),
        (Value::from(true), "expected a uuid, found"),
    ] {
        let row = row_of(value.clone()).await;
        for error in [
            row.try_get::<AccountId>("", "id").map(drop),
            row.try_get::<Option<AccountId>>("", "id").map(drop),
        ] {
            let error = error.unwrap_err().to_string();
            assert!(
                error.starts_with("Type Error: column \"id\": ") && error.contains(found),
                "{value:?}: {error}"
            );
        }
    }
    // The last one is what a number is in a column of SQLite that has damaged it.
    for (value, found) in [
        (Value::from("abc"), "text of 3 characters"),
        (Value::from(5), "the value Int(Some(5))"),
        (
            Value::from("0.5".parse::<Decimal>().unwrap()),
            "the number 0.5",
        ),
        (Value::from(1.088_824_355_131_185_7e27), "the value Double"),
    ] {
        let row = row_of(value.clone()).await;
        let error = row.try_get::<Option<InvoiceId>>("", "id").unwrap_err();
        let expected = "Type Error: column \"id\": stored DistributedId: expected a whole Decimal of \
                        at most 28 digits, or text of exactly 28 digits, found ";
        let error = error.to_string();
        assert!(
            error
                .strip_prefix(expected)
                .is_some_and(|rest| rest.starts_with(found)),
            "{value:?}: {error}"
        );
    }
}

/// The column of a table with it alone, as SQL.
fn column_sql(backend: DbBackend, column: sea_query::ColumnDef) -> String {
    let mut table = Table::create();
    table.table("t").col(column);
    let sql = match backend {
        DbBackend::MySql => table.to_string(MysqlQueryBuilder),
        DbBackend::Postgres => table.to_string(PostgresQueryBuilder),
        _ => table.to_string(SqliteQueryBuilder),
    };
    let column = sql
        .split_once("( ")
        .and_then(|(_, rest)| rest.strip_suffix(" )"));
    column.expect("one column in parentheses").to_owned()
}

#[test]
fn columns_of_migrations_are_those_of_the_plan() -> Result<(), Box<dyn std::error::Error>> {
    fn check<K: EntityKey>(check: &str) -> Result<(), Box<dyn std::error::Error>> {
        for (known, backend) in [
            (Backend::Postgres, DbBackend::Postgres),
            (K::PLAN.column(Backend::MySql).backend(), DbBackend::MySql),
            (Backend::Sqlite, DbBackend::Sqlite),
        ] {
            let check = if backend == DbBackend::Sqlite {
                check
            } else {
                ""
            };
            let required = column_sql(backend, key_column::<K>(backend, "id")?);
            let expected =
                K::PLAN.column_definition(known, "id", rowkey::storage::Nullability::NotNull)?;
            assert_eq!(required, of_sea_query(backend, &expected) + check);
            let optional = column_sql(backend, nullable_key_column::<K>(backend, "id")?);
            let expected =
                K::PLAN.column_definition(known, "id", rowkey::storage::Nullability::Nullable)?;
            assert_eq!(optional, of_sea_query(backend, &expected) + check);
        }
        Ok(())
    }
    // A definition of a column in double quotes is one as well.
    fn of_sea_query(backend: DbBackend, definition: &str) -> String {
        match backend {
            DbBackend::Sqlite => definition.replace('`', "\""),
            _ => definition.to_owned(),
        }
    }
    check::<AccountId>("")?;
    check::<InvoiceId>(r#" CHECK (LENGTH("id") = 28 AND "id" >= '1000000000000000000000000000')"#)?;
    check::<ReceiptId>("")?;
    check::<ProductId>("")?;
    Ok(())
}

#[test]
fn an_active_model_takes_keys() {
    let mut model = <invoice::ActiveModel as sea_orm::ActiveModelTrait>::default();
    sea_orm::ActiveModelTrait::set(&mut model, invoice::Column::Id, INVOICE.into());
    assert_eq!(model.id, Set(INVOICE));
}
