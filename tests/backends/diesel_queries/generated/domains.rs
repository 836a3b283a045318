//! Columns of PostgreSQL domains.

use anyhow::{Result, ensure};
use diesel::prelude::*;
use rowkey::EntityKey;
use rowkey::driver::diesel::KeyColumn;
use rowkey_testkit::TestDatabase;

use super::{domains_as_keys, domains_as_types};
use crate::diesel_queries::connection::{connect, execute};
use crate::diesel_queries::keys::{InvoiceId, OfferId};

macro_rules! keys_in_domains {
    ($database:ident, $schema:ident) => {{
        use $schema::offers;

        #[derive(Debug, PartialEq, Insertable, Queryable)]
        struct Offer {
            id: OfferId,
            replaces: Option<OfferId>,
            invoice_id: InvoiceId,
            others: Vec<Option<OfferId>>,
        }

        let db = &mut connect::<PgConnection>($database)?;
        execute(db, include_str!("domains.sql"))?;
        let ids = OfferId::generate_batch(2);
        let first = Offer {
            id: ids[0],
            replaces: None,
            invoice_id: InvoiceId::generate(),
            others: vec![Some(ids[1]), None],
        };
        let second = Offer {
            id: ids[1],
            replaces: Some(ids[0]),
            invoice_id: InvoiceId::generate(),
            others: Vec::new(),
        };
        for offer in [&first, &second] {
            diesel::insert_into(offers::table)
                .values(offer)
                .execute(db)?;
        }
        let found: Offer = offers::table.find(ids[0]).first(db)?;
        ensure!(found == first, "{found:?}");
        let found: Vec<OfferId> = offers::table
            .filter(offers::id.eq_any(&ids))
            .filter(offers::invoice_id.ge(first.invoice_id))
            .filter(offers::replaces.eq(ids[0]))
            .select(offers::id)
            .load(db)?;
        ensure!(found == [ids[1]], "{found:?}");
        Ok(())
    }};
}

impl KeyColumn<OfferId> for domains_as_types::sql_types::OfferId {}
impl KeyColumn<InvoiceId> for domains_as_types::sql_types::InvoiceId {}

pub(crate) fn as_keys(database: &TestDatabase) -> Result<()> {
    keys_in_domains!(database, domains_as_keys)
}

pub(crate) fn as_types(database: &TestDatabase) -> Result<()> {
    keys_in_domains!(database, domains_as_types)
}
