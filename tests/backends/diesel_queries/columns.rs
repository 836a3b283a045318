//! The types of columns that the schema in `generated/domains_as_keys.rs` names.

use rowkey::driver::diesel::Key;

use crate::diesel_queries::keys;

pub(crate) type InvoiceId = Key<keys::InvoiceId>;
pub(crate) type OfferId = Key<keys::OfferId>;
