//! What only PostgreSQL has: arrays and domains.

use anyhow::{Result, ensure};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Array, Nullable};
use rowkey::EntityKey;
use rowkey::driver::diesel::{Key, KeyColumn};
use rowkey_testkit::TestDatabase;

use crate::connection::{connect, execute};
use crate::keys::{BookingId, InvoiceId, OfferId, SessionId};

diesel::table! {
    use diesel::sql_types::{Array, Integer, Nullable};
    use super::{BookingId, InvoiceId, Key, OfferId, SessionId};

    bundles (n) {
        n -> Integer,
        offers -> Array<Key<OfferId>>,
        invoices -> Array<Nullable<Key<InvoiceId>>>,
        sessions -> Nullable<Array<Key<SessionId>>>,
        bookings -> Array<Key<BookingId>>,
    }
}

#[derive(Debug, PartialEq, Insertable, Queryable)]
#[diesel(table_name = bundles)]
struct Bundle {
    n: i32,
    offers: Vec<OfferId>,
    invoices: Vec<Option<InvoiceId>>,
    sessions: Option<Vec<SessionId>>,
    bookings: Vec<BookingId>,
}

pub(crate) fn arrays(database: &TestDatabase) -> Result<()> {
    let db = &mut connect::<PgConnection>(database)?;
    execute(
        db,
        "CREATE TABLE bundles (n INT, offers uuid[], invoices numeric(28,0)[], \
         sessions varchar(36)[], bookings bytea[])",
    )?;
    let full = Bundle {
        n: 1,
        offers: OfferId::generate_batch(3),
        invoices: vec![Some(InvoiceId::generate()), None],
        sessions: Some(SessionId::generate_batch(2)),
        bookings: BookingId::generate_batch(2),
    };
    let empty = Bundle {
        n: 2,
        offers: Vec::new(),
        invoices: Vec::new(),
        sessions: None,
        bookings: Vec::new(),
    };
    for bundle in [&full, &empty] {
        diesel::insert_into(bundles::table)
            .values(bundle)
            .execute(db)?;
    }
    let found: Vec<Bundle> = bundles::table.order(bundles::n).load(db)?;
    ensure!(found[0] == full && found[1] == empty, "{found:?}");

    let second = full.offers[1];
    let with_second: Vec<i32> = bundles::table
        .filter(bundles::offers.contains(vec![second]))
        .select(bundles::n)
        .load(db)?;
    ensure!(with_second == [1]);
    let with_others: Vec<i32> = bundles::table
        .filter(bundles::offers.overlaps_with(OfferId::generate_batch(2)))
        .select(bundles::n)
        .load(db)?;
    ensure!(with_others.is_empty());
    let unnested: Vec<OfferId> =
        sql::<Key<OfferId>>("SELECT unnest(offers) FROM bundles").load(db)?;
    ensure!(unnested == full.offers);
    let gathered: Vec<Option<InvoiceId>> = sql::<Array<Nullable<Key<InvoiceId>>>>(
        "SELECT array_agg(i) FROM bundles, unnest(invoices) AS i",
    )
    .get_result(db)?;
    ensure!(gathered == full.invoices);
    Ok(())
}

/// What `diesel print-schema` makes of columns of domains, with `custom_type_derives` for the
/// derives and `pg_domains_as_custom_types` for the types.
mod generated {
    #[expect(unreachable_pub, reason = "as generated")]
    pub mod sql_types {
        #[derive(diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
        #[diesel(postgres_type(name = "offer_id"))]
        pub struct OfferId;

        #[derive(diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
        #[diesel(postgres_type(name = "invoice_id"))]
        pub struct InvoiceId;
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
}

impl KeyColumn<OfferId> for generated::sql_types::OfferId {}
impl KeyColumn<InvoiceId> for generated::sql_types::InvoiceId {}

#[derive(Debug, PartialEq, Insertable, Queryable)]
#[diesel(table_name = generated::offers)]
struct Offer {
    id: OfferId,
    replaces: Option<OfferId>,
    invoice_id: InvoiceId,
    others: Vec<Option<OfferId>>,
}

pub(crate) fn domains(database: &TestDatabase) -> Result<()> {
    use generated::offers;

    let db = &mut connect::<PgConnection>(database)?;
    let backend = database.backend();
    let offer = OfferId::PLAN.column_type(backend)?;
    let invoice = InvoiceId::PLAN.column_type(backend)?;
    execute(
        db,
        &format!(
            "CREATE DOMAIN offer_id AS {offer}; CREATE DOMAIN invoice_id AS {invoice}; \
             CREATE TABLE offers (id offer_id PRIMARY KEY, replaces offer_id, \
             invoice_id invoice_id NOT NULL, others offer_id[] NOT NULL)"
        ),
    )?;
    let ids = OfferId::generate_batch(2);
    let first = Offer {
        id: ids[0],
        replaces: Some(ids[1]),
        invoice_id: InvoiceId::generate(),
        others: vec![Some(ids[1]), None],
    };
    diesel::insert_into(offers::table)
        .values(&first)
        .execute(db)?;
    let found: Offer = offers::table.find(ids[0]).first(db)?;
    ensure!(found == first, "{found:?}");
    let found: Vec<OfferId> = offers::table
        .filter(offers::id.eq_any(&ids))
        .filter(offers::invoice_id.le(first.invoice_id))
        .filter(offers::replaces.eq(ids[1]))
        .select(offers::id)
        .load(db)?;
    ensure!(found == [ids[0]]);
    Ok(())
}
