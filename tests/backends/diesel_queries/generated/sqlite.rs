// @generated automatically by Diesel CLI.

diesel::table! {
    customers (id) {
        id -> Binary,
        name -> Text,
        referred_by -> Nullable<Binary>,
    }
}

diesel::table! {
    invoices (id) {
        id -> Text,
        customer_id -> Binary,
        cents -> Integer,
    }
}

diesel::joinable!(invoices -> customers (customer_id));

diesel::allow_tables_to_appear_in_same_query!(customers, invoices,);
