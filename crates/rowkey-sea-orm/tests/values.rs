//! Keys as values, in rows of values, and as columns, without a database.

#![expect(
    unreachable_pub,
    reason = "the derives ask for public entities with public keys"
)]

use std::collections::BTreeMap;

use rowkey::driver::sea_orm::migration::{key_column, nullable_key_column};
use rowkey::driver::sea_orm::value;
use rowkey::{Backend, DistributedId, EntityKey, ShortSuffixComb, UuidV7, entity_key};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{
    self, ArrayType, MysqlQueryBuilder, Nullable, PostgresQueryBuilder, SqliteQueryBuilder, Table,
    ValueType,
};
use sea_orm::{ActiveValue::Set, DbBackend, MockDatabase, MockExecResult, Transaction, TryFromU64};

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

#[tokio::test]
async fn a_wrong_value_of_a_mock_row_is_an_error_with_the_column() -> Result<(), DbErr> {
    let row = BTreeMap::from([("account", Value::from(Uuid::nil()))]);
    let db = MockDatabase::new(DbBackend::Postgres)
        .append_query_results([[row]])
        .into_connection();
    let statement = sea_orm::Statement::from_string(DbBackend::Postgres, "SELECT account");
    let row = db.query_one_raw(statement).await?.expect("a row");
    let error = row
        .try_get::<AccountId>("", "account")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Type Error: column \"account\": "),
        "{error}"
    );
    Ok(())
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
            let expected = K::PLAN.column_definition(known, "id", rowkey::Nullability::NotNull)?;
            assert_eq!(required, format!("{expected}{check}"));
            let optional = column_sql(backend, nullable_key_column::<K>(backend, "id")?);
            let expected = K::PLAN.column_definition(known, "id", rowkey::Nullability::Nullable)?;
            assert_eq!(optional, format!("{expected}{check}"));
        }
        Ok(())
    }
    check::<AccountId>("")?;
    check::<InvoiceId>(r#" CHECK (LENGTH("id") = 28)"#)?;
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
