//! Keys of every kind of value that SeaORM stores, the entities that have them, and their tables.

#![expect(
    unreachable_pub,
    reason = "the derives ask for public entities with public keys"
)]

use rowkey::{DistributedId, ShortPrefixComb, ShortSuffixComb, UuidV7, entity_key};

/// Sixteen bytes whose first and last are exchanged for the column.
#[entity_key]
pub struct AccountId(ShortSuffixComb);

/// A decimal number in PostgreSQL, MySQL and MariaDB, text of 28 digits in SQLite.
#[entity_key]
pub struct InvoiceId(DistributedId);

/// Text everywhere.
#[entity_key(
    prefix = "prd",
    storage(postgres = "text", mysql = "text", sqlite = "text")
)]
pub struct ProductId(UuidV7);

/// Twelve bytes everywhere.
#[entity_key(storage(postgres = "binary", mysql = "binary", sqlite = "binary"))]
pub struct ReceiptId(DistributedId);

/// Sixteen bytes as they are.
#[entity_key]
pub struct VisitId(ShortPrefixComb);

/// Sixteen letters and digits everywhere.
#[entity_key(storage(
    postgres = "text-compact",
    mysql = "text-compact",
    sqlite = "text-compact"
))]
pub struct TicketId(DistributedId);

/// Text, but for MariaDB's own type, which is sent as text.
#[entity_key(storage(postgres = "text", mariadb = "native-uuid", sqlite = "text"))]
pub struct BadgeId(UuidV7);

pub(crate) mod account {
    use sea_orm::entity::prelude::*;

    use super::AccountId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "account")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: AccountId,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(has_many = "super::invoice::Entity")]
        Invoice,
    }

    impl Related<super::invoice::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Invoice.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod invoice {
    use sea_orm::entity::prelude::*;
    use serde::{Deserialize, Serialize};

    use super::{AccountId, InvoiceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize)]
    #[sea_orm(table_name = "invoice")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: InvoiceId,
        pub account: AccountId,
        pub corrects: Option<InvoiceId>,
        pub total: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::account::Entity",
            from = "Column::Account",
            to = "super::account::Column::Id"
        )]
        Account,
        #[sea_orm(belongs_to = "Entity", from = "Column::Corrects", to = "Column::Id")]
        Corrected,
        #[sea_orm(has_many = "super::line::Entity")]
        Line,
    }

    impl Related<super::account::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Account.def()
        }
    }

    impl Related<super::line::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Line.def()
        }
    }

    /// From an invoice to the one that it corrects.
    pub struct Corrected;

    impl Linked for Corrected {
        type FromEntity = Entity;
        type ToEntity = Entity;

        fn link(&self) -> Vec<RelationDef> {
            vec![Relation::Corrected.def()]
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod line {
    use sea_orm::entity::prelude::*;

    use super::{InvoiceId, ProductId, ReceiptId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "line")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub invoice: InvoiceId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub product: ProductId,
        pub receipt: Option<ReceiptId>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::invoice::Entity",
            from = "Column::Invoice",
            to = "super::invoice::Column::Id"
        )]
        Invoice,
    }

    impl Related<super::invoice::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Invoice.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod visit {
    use sea_orm::entity::prelude::*;

    use super::VisitId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "visit")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: VisitId,
        pub n: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod ticket {
    use sea_orm::entity::prelude::*;

    use super::TicketId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "ticket")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: TicketId,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// The table of badges is made where it can be.
pub(crate) mod badge {
    use sea_orm::entity::prelude::*;

    use super::BadgeId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "badge")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: BadgeId,
        pub n: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Two of the entities in the format that SeaORM 2.0 brought.
pub(crate) mod dense {
    pub(crate) mod account {
        use sea_orm::entity::prelude::*;

        use crate::shop::AccountId;

        #[sea_orm::model]
        #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
        #[sea_orm(table_name = "account")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: AccountId,
            pub name: String,
            #[sea_orm(has_many)]
            pub invoices: HasMany<super::invoice::Entity>,
        }

        impl ActiveModelBehavior for ActiveModel {}
    }

    pub(crate) mod invoice {
        use sea_orm::entity::prelude::*;

        use crate::shop::{AccountId, InvoiceId};

        #[sea_orm::model]
        #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
        #[sea_orm(table_name = "invoice")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: InvoiceId,
            pub account: AccountId,
            pub corrects: Option<InvoiceId>,
            pub total: i32,
            #[sea_orm(belongs_to, from = "account", to = "id")]
            pub owner: BelongsTo<super::account::Entity>,
        }

        impl ActiveModelBehavior for ActiveModel {}
    }
}

pub(crate) mod migration {
    use rowkey::driver::sea_orm::migration::{key_column, nullable_key_column};
    use sea_orm_migration::prelude::*;

    use super::{AccountId, InvoiceId, ProductId, ReceiptId, TicketId, VisitId};

    pub(crate) struct Migrator;

    #[async_trait::async_trait]
    impl MigratorTrait for Migrator {
        fn migrations() -> Vec<Box<dyn MigrationTrait>> {
            vec![Box::new(CreateShop)]
        }
    }

    struct CreateShop;

    impl MigrationName for CreateShop {
        fn name(&self) -> &str {
            "m20240101_000001_create_shop"
        }
    }

    #[async_trait::async_trait]
    #[expect(
        elided_lifetimes_in_paths,
        reason = "as async_trait and the trait want it"
    )]
    impl MigrationTrait for CreateShop {
        async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
            let backend = manager.get_database_backend();
            let tables = [
                Table::create()
                    .table("account")
                    .col(key_column::<AccountId>(backend, "id")?.primary_key())
                    .col(ColumnDef::new("name").string().not_null())
                    .take(),
                Table::create()
                    .table("invoice")
                    .col(key_column::<InvoiceId>(backend, "id")?.primary_key())
                    .col(key_column::<AccountId>(backend, "account")?)
                    .col(nullable_key_column::<InvoiceId>(backend, "corrects")?)
                    .col(ColumnDef::new("total").integer().not_null())
                    .foreign_key(
                        ForeignKey::create()
                            .from("invoice", "account")
                            .to("account", "id"),
                    )
                    .foreign_key(
                        ForeignKey::create()
                            .from("invoice", "corrects")
                            .to("invoice", "id"),
                    )
                    .take(),
                Table::create()
                    .table("line")
                    .col(key_column::<InvoiceId>(backend, "invoice")?)
                    .col(key_column::<ProductId>(backend, "product")?)
                    .col(nullable_key_column::<ReceiptId>(backend, "receipt")?)
                    .primary_key(Index::create().col("invoice").col("product"))
                    .foreign_key(
                        ForeignKey::create()
                            .from("line", "invoice")
                            .to("invoice", "id"),
                    )
                    .take(),
                Table::create()
                    .table("visit")
                    .col(key_column::<VisitId>(backend, "id")?.primary_key())
                    .col(ColumnDef::new("n").integer().not_null())
                    .take(),
                Table::create()
                    .table("ticket")
                    .col(key_column::<TicketId>(backend, "id")?.primary_key())
                    .take(),
            ];
            for table in tables {
                manager.create_table(table).await?;
            }
            Ok(())
        }
    }
}
