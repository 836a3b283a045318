// @generated automatically by Diesel CLI.

diesel::table! {
    use diesel::sql_types::*;
    use crate::diesel_queries::columns::*;

    offers (id) {
        id -> OfferId,
        replaces -> Nullable<OfferId>,
        invoice_id -> InvoiceId,
        others -> Array<Nullable<OfferId>>,
    }
}
