// @generated automatically by Diesel CLI.

diesel::table! {
    customers (id) {
        #[max_length = 16]
        id -> Binary,
        #[max_length = 200]
        name -> Varchar,
        #[max_length = 16]
        referred_by -> Nullable<Binary>,
    }
}

diesel::table! {
    invoices (id) {
        id -> Decimal,
        #[max_length = 16]
        customer_id -> Binary,
        cents -> Bigint,
    }
}

diesel::joinable!(invoices -> customers (customer_id));

diesel::allow_tables_to_appear_in_same_query!(customers, invoices,);
