//! The conditions that time spans become.

use diesel::backend::Backend;
use diesel::debug_query;
use diesel::mysql::Mysql;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use diesel::sqlite::Sqlite;
use rowkey::driver::diesel::{Key, KeyColumnMethods, ToParam, Within};
use rowkey::{EntityKey, UnixMillis};

use schema::{InvoiceId, OfferId, VisitId, offers};

mod schema {
    use rowkey::driver::diesel::Key;
    use rowkey::{DistributedId, PrefixComb, ShortPrefixComb, entity_key};

    #[entity_key]
    pub struct OfferId(ShortPrefixComb);

    #[entity_key]
    pub struct InvoiceId(DistributedId);

    #[entity_key]
    pub struct VisitId(PrefixComb);

    diesel::table! {
        use super::{InvoiceId, Key, OfferId, VisitId};
        use diesel::sql_types::{Nullable, Text};

        offers {
            id -> Key<OfferId>,
            invoice_id -> Key<InvoiceId>,
            visit_id -> Nullable<Key<VisitId>>,
            title -> Text,
        }
    }
}

/// Where the ring counter of the short COMBs returns to 0.
const WRAP: i64 = 1_647_575_040_000;

fn at(millis: i64) -> UnixMillis {
    UnixMillis::new(millis)
}

fn condition<DB, E, K>(condition: Within<E, K>) -> String
where
    DB: Backend<QueryBuilder: Default> + Default,
    K: EntityKey,
    Within<E, K>: QueryFragment<DB>,
{
    let query = debug_query::<DB, _>(&condition).to_string();
    query.split(" -- ").next().unwrap_or_default().to_owned()
}

#[test]
fn one_interval_has_two_edges() {
    let within = || offers::id.within(OfferId::bounds(at(WRAP)..at(WRAP + 1)));
    assert_eq!(
        condition::<Pg, _, _>(within()),
        r#"("offers"."id" >= $1 AND "offers"."id" < $2)"#
    );
    assert_eq!(
        condition::<Mysql, _, _>(within()),
        "(`offers`.`id` >= ? AND `offers`.`id` < ?)"
    );
    assert_eq!(
        condition::<Sqlite, _, _>(within()),
        "(`offers`.`id` >= ? AND `offers`.`id` < ?)"
    );
}

#[test]
fn an_open_side_is_left_out() {
    let from = offers::invoice_id.within(InvoiceId::bounds(at(WRAP)..));
    assert_eq!(
        condition::<Sqlite, _, _>(from),
        "(`offers`.`invoice_id` >= ?)"
    );
    let to = offers::visit_id.within(VisitId::bounds(..at(WRAP)));
    assert_eq!(condition::<Sqlite, _, _>(to), "(`offers`.`visit_id` < ?)");
}

#[test]
fn a_span_across_the_rings_end_is_two_intervals() {
    let bounds = OfferId::bounds(at(WRAP - 1)..at(WRAP + 1));
    assert_eq!(
        condition::<Pg, _, _>(offers::id.within(bounds)),
        r#"("offers"."id" < $1 OR "offers"."id" >= $2)"#
    );
}

#[test]
fn no_ids_and_all_ids_need_no_parameter() {
    let none = OfferId::bounds(at(WRAP)..at(WRAP));
    assert_eq!(condition::<Pg, _, _>(offers::id.within(none)), "1 = 0");
    let all = InvoiceId::bounds(..);
    assert_eq!(
        condition::<Pg, _, _>(offers::invoice_id.within(all)),
        r#""offers"."invoice_id" IS NOT NULL"#
    );
    // Every value of the ring comes around again.
    let all = OfferId::bounds(at(WRAP)..);
    assert_eq!(
        condition::<Pg, _, _>(offers::id.within(all)),
        r#""offers"."id" IS NOT NULL"#
    );
}

#[test]
fn a_condition_is_a_part_of_others() {
    let bounds = OfferId::bounds(at(WRAP - 1)..at(WRAP + 1));
    let query = offers::table
        .filter(offers::title.eq("Fjords"))
        .filter(diesel::dsl::not(offers::id.within(bounds)))
        .or_filter(offers::id.within(bounds).and(offers::title.eq("Alps")))
        .select(offers::id)
        .limit(7);
    let sql = debug_query::<Pg, _>(&query).to_string();
    let (_, sql) = sql.split_once(" WHERE ").unwrap();
    assert!(
        sql.starts_with(
            r#"((("offers"."title" = $1) AND  NOT (("offers"."id" < $2 OR "offers"."id" >= $3))) OR (("offers"."id" < $4 OR "offers"."id" >= $5) AND ("offers"."title" = $6))) LIMIT $7"#
        ),
        "{sql}"
    );
}

#[test]
fn only_mysql_converts_and_only_numbers() {
    let sql = |sql: String| sql.split(" -- ").next().unwrap_or_default().to_owned();
    let invoice = InvoiceId::try_from(7_u128).unwrap();
    let of_invoice = offers::table
        .filter(offers::invoice_id.eq(invoice))
        .filter(offers::invoice_id.in_keys([invoice]))
        .select(offers::title);
    let mysql = sql(debug_query::<Mysql, _>(&of_invoice).to_string());
    assert!(
        mysql.ends_with(
            "((`offers`.`invoice_id` = CAST(? AS DECIMAL(28,0))) \
             AND (`offers`.`invoice_id` IN (CAST(? AS DECIMAL(28,0)))))"
        ),
        "{mysql}"
    );
    let postgres = sql(debug_query::<Pg, _>(&of_invoice).to_string());
    assert!(
        postgres
            .ends_with(r#"(("offers"."invoice_id" = $1) AND ("offers"."invoice_id" = ANY($2)))"#),
        "{postgres}"
    );
    let sqlite = sql(debug_query::<Sqlite, _>(&of_invoice).to_string());
    assert!(
        sqlite.ends_with("((`offers`.`invoice_id` = ?) AND (`offers`.`invoice_id` IN (?)))"),
        "{sqlite}"
    );
    let offer = OfferId::generate();
    let of_offer = offers::table
        .filter(offers::id.eq(offer).and(offers::id.not_in_keys([offer])))
        .select(offers::title);
    let mysql = sql(debug_query::<Mysql, _>(&of_offer).to_string());
    assert!(
        mysql.ends_with("((`offers`.`id` = ?) AND (`offers`.`id` NOT IN (?)))"),
        "{mysql}"
    );
}

#[test]
fn a_bound_tells_its_key() {
    let edge = VisitId::bounds(at(0)..)[0].lower.unwrap();
    assert_eq!(
        format!("{:?}", edge.to_param()),
        format!("BoundParam({edge:?})")
    );
    assert_eq!(format!("{:?}", Key::<VisitId>::default()), "Key<VisitId>");
}
