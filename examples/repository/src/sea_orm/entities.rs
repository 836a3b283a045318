//! The entities of SeaORM, one module each, as its derives require.

pub(super) mod customer {
    use sea_orm::entity::prelude::*;

    use crate::{Customer, CustomerId};

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "customers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: CustomerId,
        pub name: String,
        pub referred_by: Option<CustomerId>,
        #[sea_orm(has_many)]
        pub invoices: HasMany<super::invoice::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}

    impl From<Customer> for Model {
        fn from(customer: Customer) -> Self {
            Self {
                id: customer.id,
                name: customer.name,
                referred_by: customer.referred_by,
            }
        }
    }

    impl From<Model> for Customer {
        fn from(model: Model) -> Self {
            Self {
                id: model.id,
                name: model.name,
                referred_by: model.referred_by,
            }
        }
    }
}

pub(super) mod invoice {
    use sea_orm::entity::prelude::*;

    use crate::{CustomerId, Invoice, InvoiceId};

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "invoices")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: InvoiceId,
        pub customer_id: CustomerId,
        pub cents: i64,
        #[sea_orm(belongs_to, from = "customer_id", to = "id")]
        pub customer: BelongsTo<super::customer::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}

    impl From<Model> for Invoice {
        fn from(model: Model) -> Self {
            Self {
                id: model.id,
                customer_id: model.customer_id,
                cents: model.cents,
            }
        }
    }
}
