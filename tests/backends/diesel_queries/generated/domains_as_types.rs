// @generated automatically by Diesel CLI.

pub mod sql_types {
    #[derive(diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
    #[diesel(postgres_type(name = "invoice_id"))]
    pub struct InvoiceId;

    #[derive(diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
    #[diesel(postgres_type(name = "offer_id"))]
    pub struct OfferId;
}

diesel::table! {
    use diesel::sql_types::*;
    use super::sql_types::OfferId;
    use super::sql_types::InvoiceId;

    offers (id) {
        id -> OfferId,
        replaces -> Nullable<OfferId>,
        invoice_id -> InvoiceId,
        others -> Array<Nullable<OfferId>>,
    }
}
