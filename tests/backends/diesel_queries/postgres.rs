//! What only PostgreSQL has: arrays and `COPY`.

use anyhow::{Result, ensure};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Array, Nullable};
use rowkey::EntityKey;
use rowkey::driver::diesel::Key;
use rowkey_testkit::TestDatabase;

use crate::diesel_queries::connection::{connect, execute};
use crate::diesel_queries::entities::{self, Stop, offers, records, stops};
use crate::diesel_queries::keys::{BookingId, InvoiceId, OfferId, SessionId, StopId};

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

/// What [`Stop`] is, for `COPY`.
#[derive(Insertable)]
#[diesel(table_name = stops, treat_none_as_default_value = false)]
struct CopiedStop {
    id: StopId,
    offer_id: OfferId,
    position: i32,
}

pub(crate) fn copy(database: &TestDatabase) -> Result<()> {
    let db = &mut connect::<PgConnection>(database)?;
    entities::postgres::create_tables(db, database.backend())?;
    let (offers, mut stops) = records();
    diesel::insert_into(offers::table)
        .values(&offers)
        .execute(db)?;
    let copied: Vec<CopiedStop> = stops
        .iter()
        .map(|stop| CopiedStop {
            id: stop.id,
            offer_id: stop.offer_id,
            position: stop.position,
        })
        .collect();
    diesel::copy_from(stops::table)
        .from_insertable(&copied)
        .execute(db)?;
    let mut found: Vec<Stop> = stops::table.load(db)?;
    stops.sort_by_key(|stop| stop.id);
    found.sort_by_key(|stop| stop.id);
    ensure!(found == stops, "{found:?}");
    Ok(())
}
