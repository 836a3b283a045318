//! Active models that are inserted without their key, which the database counts.

#![expect(
    unreachable_pub,
    reason = "the derives ask for public entities with public keys"
)]

use anyhow::{Context, Result, ensure};
use rowkey::EntityKey;
use rowkey::driver::sea_orm::migration::{counted_key_column, key_column, nullable_key_column};
use rowkey_testkit::Suite;
use sea_orm::ActiveValue::Set;
use sea_orm::prelude::*;
use sea_orm::sea_query::{ForeignKey, Table};

use self::booking::{BookingId, BookingNumber};
use crate::{BACKENDS, add_test};

mod booking {
    use rowkey::{DatabaseNumber, UuidV7, entity_key};
    use sea_orm::entity::prelude::*;

    #[entity_key]
    pub struct BookingNumber(DatabaseNumber);

    #[entity_key]
    pub struct BookingId(UuidV7);

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "booking")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: BookingNumber,
        pub external_id: BookingId,
        pub replaces: Option<BookingNumber>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) fn add_tests(suite: &mut Suite) {
    add_test(suite, BACKENDS, "counted_numbers", counted_numbers);
}

async fn counted_numbers(db: &DatabaseConnection) -> Result<()> {
    let backend = db.get_database_backend();
    for (name, why) in [
        ("", "empty"),
        ("i\0d", "NUL"),
        ("b.id", "one name with a dot in it; write `id`"),
    ] {
        for column in [
            counted_key_column::<BookingNumber>(backend, name),
            key_column::<BookingId>(backend, name),
            nullable_key_column::<BookingId>(backend, name),
        ] {
            let refused = column.err().map(|error| error.to_string());
            let is_told = refused.as_ref().is_some_and(|told| told.contains(why));
            ensure!(is_told, "{name:?}: {refused:?}");
        }
    }
    let table = Table::create()
        .table("booking")
        .col(counted_key_column::<BookingNumber>(backend, "id")?)
        .col(key_column::<BookingId>(backend, "external_id")?.unique_key())
        .col(nullable_key_column::<BookingNumber>(backend, "replaces")?)
        .foreign_key(
            ForeignKey::create()
                .from("booking", "replaces")
                .to("booking", "id"),
        )
        .to_owned();
    db.execute(&table).await?;

    let new = |replaces| booking::ActiveModel {
        external_id: Set(BookingId::generate()),
        replaces: Set(replaces),
        ..Default::default()
    };
    let first = new(None).insert(db).await?;
    let second = new(Some(first.id)).insert(db).await?;
    ensure!(
        (first.id.to_number(), second.id.to_number()) == (1, 2),
        "{first:?}, {second:?}"
    );
    let inserted = booking::Entity::insert(new(Some(second.id)))
        .exec(db)
        .await?;
    let third = inserted.last_insert_id;
    ensure!(third.to_number() == 3, "{third}");
    let by_external_id =
        booking::Entity::find().filter(booking::Column::ExternalId.eq(second.external_id));
    let found = by_external_id.one(db).await?.context("no such booking")?;
    ensure!(found == second, "{found:?}");
    let found = booking::Entity::find_by_id(first.id).one(db).await?;
    ensure!(found.as_ref() == Some(&first), "{found:?}");
    let found = booking::Entity::find()
        .filter(booking::Column::Id.is_in([first.id, third]))
        .count(db)
        .await?;
    ensure!(found == 2, "{found} rows");

    let mut changed: booking::ActiveModel = second.into();
    changed.replaces = Set(None);
    let changed = changed.update(db).await?;
    ensure!(changed.replaces.is_none(), "{changed:?}");
    Ok(())
}
