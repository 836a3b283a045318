//! The tables. A column of keys is on each backend what the key's plan says.

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use rowkey::driver::diesel::Key;
    use crate::CustomerId;

    customers {
        id -> Key<CustomerId>,
        name -> Text,
        referred_by -> Nullable<Key<CustomerId>>,
    }
}

diesel::table! {
    use diesel::sql_types::BigInt;
    use rowkey::driver::diesel::Key;
    use crate::{CustomerId, InvoiceId};

    invoices {
        id -> Key<InvoiceId>,
        customer_id -> Key<CustomerId>,
        cents -> BigInt,
    }
}

diesel::joinable!(invoices -> customers (customer_id));
diesel::allow_tables_to_appear_in_same_query!(customers, invoices);
