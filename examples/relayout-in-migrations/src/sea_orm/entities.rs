//! The entities, whose columns have other names than their fields.

#![allow(unreachable_pub, reason = "SeaORM's macros expect public models")]

pub(super) mod customer {
    use sea_orm::entity::prelude::*;

    use crate::CustomerId;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "customers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false, column_name = "id_key")]
        pub id: CustomerId,
        pub name: String,
        #[sea_orm(has_many)]
        pub orders: HasMany<super::order::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(super) mod order {
    use sea_orm::entity::prelude::*;

    use crate::CustomerId;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "orders")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub number: i64,
        #[sea_orm(column_name = "customer_id_key")]
        pub customer_id: CustomerId,
        pub cents: i64,
        #[sea_orm(belongs_to, from = "customer_id", to = "id")]
        pub customer: BelongsTo<super::customer::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(super) mod payment {
    use sea_orm::entity::prelude::*;

    use crate::CustomerId;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "payments")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub number: i64,
        pub customer_id: CustomerId,
        pub cents: i64,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
