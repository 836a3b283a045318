//! Numbers of LUUID keys that turn out to be taken.

use std::cell::RefCell;
use std::error::Error as StdError;
use std::io;

use anyhow::{Context, Result};
use rowkey::luuid::NumberCounter;
use rowkey::sql::short_key_index;
use rowkey::storage::Nullability;
use rowkey::{EntityKey, Luuid, entity_key};
use rowkey_stores::{CreateError, create_numbered};
use rowkey_testkit::{Backend, TestDatabase};

use crate::shop::{Driver, Shop};

/// A customer with the usual storage.
#[entity_key(group = "com.acme.Customer")]
struct CustomerId(Luuid);

#[entity_key(
    group = "com.acme.Customer",
    storage(
        postgres = "binary",
        mysql = "binary",
        sqlite = "binary",
        sqlserver = "binary"
    )
)]
struct BinaryCustomerId(Luuid);

#[entity_key(
    group = "com.acme.Customer",
    storage(postgres = "text", mysql = "text", sqlite = "text", sqlserver = "text")
)]
struct TextCustomerId(Luuid);

#[entity_key(
    group = "com.acme.Customer",
    storage(
        postgres = "text-compact",
        mysql = "text-compact",
        sqlite = "text-compact",
        sqlserver = "text-compact"
    )
)]
struct CompactCustomerId(Luuid);

#[entity_key(group = "com.acme.Customer", storage(mariadb = "native-uuid"))]
struct NativeCustomerId(Luuid);

/// A table of customers with unique numbers.
async fn create_table<D: Driver, K: EntityKey>(shop: &Shop<D>, table: &str) -> Result<()> {
    let id = K::PLAN.column_definition(shop.backend, "id", Nullability::NotNull)?;
    shop.execute(&format!("CREATE TABLE {table} ({id} PRIMARY KEY)"))
        .await?;
    let index = format!("{table}_by_number");
    for statement in short_key_index(&K::PLAN, shop.backend, table, "id", &index)? {
        shop.execute(&statement).await?;
    }
    Ok(())
}

async fn insert<D: Driver, K: EntityKey>(
    shop: &Shop<D>,
    table: &str,
    key: K,
) -> Result<(), NotInserted> {
    let id = K::PLAN.column(shop.backend).literal(key.to_u128());
    let sql = format!("INSERT INTO {table} (id) VALUES ({id})");
    let connection = shop.driver.connection().await;
    let mut connection = connection.expect("there are connections");
    let inserted = D::execute(&mut connection, &sql).await;
    inserted.map_err(|error| NotInserted(Box::new(error)))
}

async fn count<D: Driver>(shop: &Shop<D>, table: &str) -> Result<usize> {
    let rows = shop.strings(&format!("SELECT 'row' FROM {table}")).await?;
    Ok(rows.len())
}

/// A closure's error that contains an error of any driver.
#[derive(Debug, thiserror::Error)]
#[error("the customer was not inserted")]
struct NotInserted(#[source] Box<dyn StdError + Send + Sync>);

pub(crate) async fn the_index_refuses_a_number_twice<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    async fn check<D: Driver, K: EntityKey<Format = Luuid>>(
        shop: &Shop<D>,
        table: &str,
    ) -> Result<()> {
        create_table::<D, K>(shop, table).await?;
        // Neighbouring numbers on both sides, beyond the first bytes.
        for number in [1, 2, 0x1_0000, 0xffff_ffff_ffff] {
            insert(shop, table, K::generate_for(&K::luuid_context(number))).await?;
        }
        let same_number = K::generate_for(&K::luuid_context(2));
        let refused = insert(shop, table, same_number).await;
        assert!(refused.is_err(), "{table}");
        assert_eq!(count(shop, table).await?, 4, "{table}");
        Ok(())
    }

    let shop = Shop::<D>::open(database).await?;
    check::<D, CustomerId>(&shop, "guests").await?;
    check::<D, BinaryCustomerId>(&shop, "binary_guests").await?;
    check::<D, TextCustomerId>(&shop, "text_guests").await?;
    check::<D, CompactCustomerId>(&shop, "compact_guests").await?;
    if shop.backend == Backend::MariaDb {
        check::<D, NativeCustomerId>(&shop, "native_guests").await?;
    }
    Ok(())
}

pub(crate) async fn an_entity_whose_number_is_taken_gets_another_one<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    create_table::<D, CustomerId>(&shop, "guests").await?;
    for number in [1, 2] {
        let customer = CustomerId::generate_for(&CustomerId::luuid_context(number));
        insert(&shop, "guests", customer).await?;
    }
    // A new counter starts again at 1.
    let numbers = NumberCounter::new();
    let customer = create_numbered(&numbers, async |customer: CustomerId| {
        insert(&shop, "guests", customer).await?;
        Ok::<_, NotInserted>(customer)
    })
    .await?;
    assert_eq!(customer.into_format().number(), 3);
    assert_eq!(count(&shop, "guests").await?, 3);
    Ok(())
}

pub(crate) async fn an_entity_is_given_up_after_ten_clashes<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    create_table::<D, CustomerId>(&shop, "guests").await?;
    let taken = CustomerId::generate_for(&CustomerId::luuid_context(1));
    insert(&shop, "guests", taken).await?;

    let tried = RefCell::new(Vec::new());
    let refused = create_numbered(&NumberCounter::new(), async |customer: CustomerId| {
        tried.borrow_mut().push(customer.into_format().number());
        insert(&shop, "guests", taken).await
    })
    .await;
    assert!(matches!(refused, Err(CreateError::Closure(NotInserted(_)))));
    assert!(tried.into_inner().into_iter().eq(1..=10));
    Ok(())
}

pub(crate) async fn another_failure_is_no_clash<D: Driver>(database: &TestDatabase) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let numbers = NumberCounter::new();
    let failed = create_numbered(&numbers, async |customer: CustomerId| {
        insert(&shop, "no_such_table", customer).await
    })
    .await;
    assert!(matches!(failed, Err(CreateError::Closure(_))));
    let refused = create_numbered(&numbers, async |_: CustomerId| {
        Err::<(), _>(io::Error::other("sold out"))
    });
    let refused = refused.await.err().context("it was created")?;
    let source = refused.source().map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("sold out"));
    let next = CustomerId::generate_numbered(&numbers).await?;
    assert_eq!(next.into_format().number(), 3);
    Ok(())
}
