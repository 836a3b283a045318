//! One schema and one set of entities on every backend, and on all of them behind one connection.

use diesel::prelude::*;
use rowkey::EntityKey;
use rowkey::driver::diesel::Key;

use crate::diesel_queries::keys::{InvoiceId, OfferId, StopId};

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use super::{InvoiceId, Key, OfferId};

    offers {
        id -> Key<OfferId>,
        replaces -> Nullable<Key<OfferId>>,
        invoice_id -> Nullable<Key<InvoiceId>>,
        title -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::Integer;
    use super::{Key, OfferId, StopId};

    stops {
        id -> Key<StopId>,
        offer_id -> Key<OfferId>,
        position -> Integer,
    }
}

diesel::joinable!(stops -> offers (offer_id));
diesel::allow_tables_to_appear_in_same_query!(offers, stops);

#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Queryable,
    Selectable,
    Insertable,
    Identifiable,
    QueryableByName,
    AsChangeset,
)]
#[diesel(table_name = offers)]
pub(crate) struct Offer {
    pub(crate) id: OfferId,
    pub(crate) replaces: Option<OfferId>,
    pub(crate) invoice_id: Option<InvoiceId>,
    pub(crate) title: String,
}

#[derive(
    Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, Identifiable, Associations,
)]
#[diesel(table_name = stops, belongs_to(Offer))]
pub(crate) struct Stop {
    pub(crate) id: StopId,
    pub(crate) offer_id: OfferId,
    pub(crate) position: i32,
}

/// A change of an offer, of which absent fields stay as they are.
#[derive(AsChangeset)]
#[diesel(table_name = offers)]
pub(crate) struct OfferChange {
    pub(crate) replaces: Option<Option<OfferId>>,
    pub(crate) invoice_id: Option<Option<InvoiceId>>,
}

/// Three offers, of which the second replaces the first, and two stops of each of the first two.
pub(crate) fn records() -> (Vec<Offer>, Vec<Stop>) {
    let mut ids = OfferId::generate_batch(3);
    // The order of the column, which is not that of creation within an interval.
    OfferId::sort_for(rowkey::Backend::Postgres, &mut ids);
    let invoices = InvoiceId::generate_batch(2);
    let offers: Vec<Offer> = [
        (None, Some(invoices[0]), "Fjords in winter"),
        (Some(ids[0]), Some(invoices[1]), "Fjords in spring"),
        (None, None, "The Alps by train"),
    ]
    .into_iter()
    .zip(&ids)
    .map(|((replaces, invoice_id, title), id)| Offer {
        id: *id,
        replaces,
        invoice_id,
        title: title.to_owned(),
    })
    .collect();
    let stops = [(0, 1), (0, 2), (1, 1), (1, 2)]
        .map(|(offer, position)| Stop {
            id: StopId::generate(),
            offer_id: offers[offer].id,
            position,
        })
        .to_vec();
    (offers, stops)
}

/// The scenarios on one connection type.
macro_rules! entities {
    ($module:ident, $Connection:ty) => {
        pub(crate) mod $module {
            use anyhow::{Context as _, Result, ensure};
            use diesel::dsl::{exists, max, min};
            use diesel::prelude::*;
            use rowkey::driver::diesel::{Key, KeyColumnMethods};
            use rowkey::storage::Nullability;
            use rowkey::Backend;
            #[allow(unused_imports)]
            use rowkey_testkit::TestDatabase;

            use super::{Offer, OfferChange, Stop, offers, records, stops};
            #[allow(unused_imports)]
            use crate::diesel_queries::connection::connect;
            use crate::diesel_queries::connection::{column, execute};
            use crate::diesel_queries::keys::{InvoiceId, OfferId, StopId};

            pub(crate) fn create_tables(db: &mut $Connection, backend: Backend) -> Result<()> {
                let id = column::<OfferId>(backend, "id", Nullability::NotNull)?;
                let replaces = column::<OfferId>(backend, "replaces", Nullability::Nullable)?;
                let invoice = column::<InvoiceId>(backend, "invoice_id", Nullability::Nullable)?;
                execute(
                    db,
                    &format!(
                        "CREATE TABLE offers ({id}, {replaces}, {invoice}, \
                         title VARCHAR(100) NOT NULL, PRIMARY KEY (id))"
                    ),
                )?;
                let id = column::<StopId>(backend, "id", Nullability::NotNull)?;
                let offer = column::<OfferId>(backend, "offer_id", Nullability::NotNull)?;
                execute(
                    db,
                    &format!(
                        "CREATE TABLE stops ({id}, {offer}, position INT NOT NULL, \
                         PRIMARY KEY (id), FOREIGN KEY (offer_id) REFERENCES offers (id))"
                    ),
                )
            }

            pub(crate) fn scenario(db: &mut $Connection, backend: Backend) -> Result<()> {
                create_tables(db, backend)?;
                let (offers, stops) = records();
                inserts(db, &offers, &stops)?;
                conditions(db, &offers).context("conditions")?;
                joins(db, &offers, &stops).context("joins")?;
                aggregates(db, &offers, backend).context("aggregates")?;
                changes(db, &offers, backend).context("changes")
            }

            fn inserts(db: &mut $Connection, offers: &[Offer], stops: &[Stop]) -> Result<()> {
                let count = diesel::insert_into(offers::table)
                    .values(&offers[0])
                    .execute(db)?;
                ensure!(count == 1);
                // A batch, by reference and by tuple.
                let count = entities!(@insert_all $module, db, offers::table, &offers[1..]);
                ensure!(count == 2);
                let rows: Vec<_> = stops
                    .iter()
                    .map(|stop| {
                        (
                            stops::id.eq(stop.id),
                            stops::offer_id.eq(&stop.offer_id),
                            stops::position.eq(stop.position),
                        )
                    })
                    .collect();
                let count = entities!(@insert_all $module, db, stops::table, rows);
                ensure!(count == 4);
                // The same key twice.
                let again = diesel::insert_into(offers::table)
                    .values(&offers[0])
                    .execute(db);
                ensure!(
                    matches!(
                        again,
                        Err(diesel::result::Error::DatabaseError(
                            diesel::result::DatabaseErrorKind::UniqueViolation,
                            _
                        ))
                    ),
                    "the same key twice: {again:?}"
                );
                Ok(())
            }

            fn conditions(db: &mut $Connection, all: &[Offer]) -> Result<()> {
                let [first, second, third] = [0, 1, 2].map(|index| &all[index]);
                let by_condition = |found: Vec<Offer>, expected: &[&Offer], condition: &str| {
                    let is_expected = found.iter().eq(expected.iter().copied());
                    ensure!(is_expected, "{condition} finds {found:?}");
                    Ok(())
                };
                let found: Offer = offers::table.find(second.id).first(db)?;
                ensure!(found == *second);
                let found: Offer = offers::table
                    .filter(offers::id.eq(&first.id))
                    .select(Offer::as_select())
                    .first(db)?;
                ensure!(found == *first);

                macro_rules! by {
                    ($condition:expr, $expected:expr) => {
                        by_condition(
                            offers::table
                                .filter($condition)
                                .order(offers::id)
                                .load(db)?,
                            $expected,
                            stringify!($condition),
                        )?
                    };
                }
                by!(offers::id.ne(second.id), &[first, third]);
                by!(offers::id.eq_any([first.id, third.id]), &[first, third]);
                by!(offers::id.eq_any(vec![second.id]), &[second]);
                by!(offers::id.eq_any(&[first.id, third.id]), &[first, third]);
                by!(offers::id.eq_any(Vec::<OfferId>::new()), &[]);
                by!(offers::id.ne_all(vec![first.id, third.id]), &[second]);
                by!(offers::id.in_keys([first.id, third.id]), &[first, third]);
                by!(offers::id.in_keys(&[second.id]), &[second]);
                by!(offers::id.in_keys([] as [OfferId; 0]), &[]);
                by!(offers::id.not_in_keys([second.id]), &[first, third]);
                by!(offers::id.not_in_keys([] as [OfferId; 0]), &[first, second, third]);
                by!(offers::id.between(first.id, second.id), &[first, second]);
                by!(offers::id.gt(first.id), &[second, third]);
                by!(offers::id.le(second.id), &[first, second]);
                by!(offers::replaces.eq(first.id), &[second]);
                by!(offers::replaces.eq(Some(first.id)), &[second]);
                by!(offers::replaces.eq(None::<OfferId>), &[]);
                by!(offers::replaces.is_null(), &[first, third]);
                by!(offers::replaces.is_not_null(), &[second]);
                by!(offers::replaces.eq_any([first.id, second.id]), &[second]);
                by!(offers::replaces.eq_any([Some(first.id)]), &[second]);
                by!(offers::replaces.assume_not_null().eq(first.id), &[second]);
                by!(offers::replaces.eq(offers::id.nullable()), &[]);
                // Neighbours as floating-point numbers.
                let invoice = second.invoice_id.context("the second has one")?;
                by!(offers::invoice_id.eq_any([invoice]), &[second]);
                by!(offers::invoice_id.ne_all([invoice]), &[first]);
                by!(offers::invoice_id.in_keys([invoice]), &[second]);
                by!(offers::invoice_id.not_in_keys([invoice]), &[first]);
                by!(offers::invoice_id.between(invoice, invoice), &[second]);

                let mut boxed = offers::table.into_boxed();
                boxed = boxed.filter(offers::id.eq(first.id));
                boxed = boxed.or_filter(offers::id.eq(third.id));
                by_condition(boxed.order(offers::id).load(db)?, &[first, third], "boxed")?;

                let of_stops = stops::table.select(stops::offer_id);
                by!(offers::id.eq_any(of_stops), &[first, second]);
                let replaced = diesel::alias!(offers as replaced);
                let is_replaced = exists(
                    replaced.filter(replaced.field(offers::replaces).eq(offers::id.nullable())),
                );
                by!(is_replaced, &[first]);
                Ok(())
            }

            fn joins(db: &mut $Connection, offers: &[Offer], stops: &[Stop]) -> Result<()> {
                let of_first = Stop::belonging_to(&offers[0])
                    .order(stops::position)
                    .select(Stop::as_select())
                    .load(db)?;
                ensure!(of_first == stops[..2]);
                let all: Vec<Stop> = Stop::belonging_to(offers)
                    .order(stops::position)
                    .load(db)?;
                let counts: Vec<usize> =
                    all.grouped_by(offers).iter().map(|stops| stops.len()).collect();
                ensure!(counts == [2, 2, 0], "{counts:?}");

                let inner: Vec<(OfferId, StopId)> = offers::table
                    .inner_join(stops::table)
                    .order((offers::id, stops::position))
                    .select((offers::id, stops::id))
                    .load(db)?;
                let expected: Vec<_> = stops.iter().map(|stop| (stop.offer_id, stop.id)).collect();
                ensure!(inner == expected, "{inner:?}");
                let left: Vec<(Offer, Option<Stop>)> = offers::table
                    .left_join(stops::table)
                    .filter(stops::id.nullable().is_null())
                    .select((Offer::as_select(), Option::<Stop>::as_select()))
                    .load(db)?;
                ensure!(left == [(offers[2].clone(), None)], "{left:?}");
                let left: Vec<(OfferId, Option<StopId>)> = offers::table
                    .left_join(stops::table)
                    .filter(offers::id.eq(offers[1].id))
                    .order(stops::position)
                    .select((offers::id, stops::id.nullable()))
                    .load(db)?;
                let second = offers[1].id;
                ensure!(left == [(second, Some(stops[2].id)), (second, Some(stops[3].id))]);
                Ok(())
            }

            fn aggregates(
                db: &mut $Connection,
                offers: &[Offer],
                backend: Backend,
            ) -> Result<()> {
                let invoices: Vec<InvoiceId> =
                    offers.iter().filter_map(|offer| offer.invoice_id).collect();
                let extremes: (Option<InvoiceId>, Option<InvoiceId>) = offers::table
                    .select((min(offers::invoice_id), max(offers::invoice_id)))
                    .first(db)?;
                ensure!(extremes == (invoices.iter().min().copied(), invoices.iter().max().copied()));
                let last = offers::table.select(max(offers::id)).first::<Option<OfferId>>(db);
                match last {
                    Ok(last) => ensure!(last == Some(offers[2].id)),
                    // PostgreSQL 15 has none.
                    Err(error) => {
                        let is_missing = error.to_string().contains("max(uuid)");
                        ensure!(backend == Backend::Postgres && is_missing, "{error}");
                    }
                }
                let groups: Vec<(OfferId, i64)> = stops::table
                    .group_by(stops::offer_id)
                    .order(stops::offer_id)
                    .select((stops::offer_id, diesel::dsl::count_star()))
                    .load(db)?;
                ensure!(groups == [(offers[0].id, 2), (offers[1].id, 2)]);
                Ok(())
            }

            fn changes(db: &mut $Connection, offers: &[Offer], backend: Backend) -> Result<()> {
                let [first, second, third] = [0, 1, 2].map(|index| &offers[index]);
                let parameter = if backend == Backend::Postgres { "$1" } else { "?" };
                let query = format!("SELECT * FROM offers WHERE id = {parameter}");
                let found = diesel::sql_query(query)
                    .bind::<Key<OfferId>, _>(second.id)
                    .load::<Offer>(db)?;
                ensure!(found == [second.clone()], "{found:?}");

                let change = OfferChange {
                    replaces: Some(Some(second.id)),
                    invoice_id: None,
                };
                let count = diesel::update(first).set(change).execute(db)?;
                ensure!(count == 1);
                let found: Offer = offers::table.find(first.id).first(db)?;
                ensure!((found.replaces, found.invoice_id) == (Some(second.id), first.invoice_id));
                let change = OfferChange {
                    replaces: Some(None),
                    invoice_id: Some(second.invoice_id),
                };
                diesel::update(offers::table.find(first.id))
                    .set(change)
                    .execute(db)?;
                let found: Offer = offers::table.find(first.id).first(db)?;
                ensure!((found.replaces, found.invoice_id) == (None, second.invoice_id));
                diesel::update(offers::table.filter(offers::id.eq(first.id)))
                    .set(offers::replaces.eq(third.id))
                    .execute(db)?;
                let replaced: Vec<Option<OfferId>> = offers::table
                    .filter(offers::id.eq_any([first.id]))
                    .select(offers::replaces)
                    .load(db)?;
                ensure!(replaced == [Some(third.id)]);
                let count = diesel::delete(third).execute(db)?;
                ensure!(count == 1);
                let left: i64 = offers::table.count().get_result(db)?;
                ensure!(left == 2);
                Ok(())
            }

            entities!(@own $module);
        }
    };
    // Diesel has no batches for a backend that may be SQLite.
    (@insert_all any, $db:ident, $table:expr, $rows:expr) => {{
        let mut count = 0;
        for row in $rows {
            count += diesel::insert_into($table).values(row).execute($db)?;
        }
        count
    }};
    (@insert_all $module:ident, $db:ident, $table:expr, $rows:expr) => {
        diesel::insert_into($table).values($rows).execute($db)?
    };
    (@own any) => {};
    (@own mysql) => {
        pub(crate) fn run(database: &TestDatabase) -> Result<()> {
            scenario(&mut connect(database)?, database.backend())
        }
    };
    (@own $with_returning:ident) => {
        entities!(@own mysql);

        pub(crate) fn returning(database: &TestDatabase) -> Result<()> {
            let db = &mut connect(database)?;
            create_tables(db, database.backend())?;
            let (offers, _) = records();
            let first: Offer = diesel::insert_into(offers::table)
                .values(&offers[0])
                .returning(Offer::as_returning())
                .get_result(db)?;
            ensure!(first == offers[0]);
            let id: OfferId = diesel::insert_into(offers::table)
                .values(&offers[1])
                .returning(offers::id)
                .get_result(db)?;
            ensure!(id == offers[1].id);
            // The same key again changes the row that is there.
            let again = Offer {
                replaces: Some(first.id),
                ..offers[1].clone()
            };
            let replaced: Option<OfferId> = diesel::insert_into(offers::table)
                .values(&again)
                .on_conflict(offers::id)
                .do_update()
                .set(offers::replaces.eq(diesel::upsert::excluded(offers::replaces)))
                .returning(offers::replaces)
                .get_result(db)?;
            ensure!(replaced == Some(first.id));
            let replaced: Option<OfferId> = diesel::update(offers::table.find(id))
                .set(offers::replaces.eq(id))
                .returning(offers::replaces)
                .get_result(db)?;
            ensure!(replaced == Some(id));
            let gone: Vec<OfferId> = diesel::delete(offers::table.filter(offers::id.eq(id)))
                .returning(offers::id)
                .get_results(db)?;
            ensure!(gone == [id]);
            Ok(())
        }
    };
}

#[cfg(feature = "diesel-postgres")]
entities!(postgres, diesel::PgConnection);
#[cfg(feature = "diesel-mysql")]
entities!(mysql, diesel::MysqlConnection);
entities!(sqlite, diesel::SqliteConnection);
entities!(any, crate::diesel_queries::multi_connection::AnyConnection);
