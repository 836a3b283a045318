// @generated automatically by Diesel CLI.

diesel::table! {
    customers (id) {
        id -> Uuid,
        #[max_length = 200]
        name -> Varchar,
        referred_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    invoices (id) {
        id -> Numeric,
        customer_id -> Uuid,
        cents -> Int8,
    }
}

diesel::joinable!(invoices -> customers (customer_id));

diesel::allow_tables_to_appear_in_same_query!(customers, invoices,);
