//! The conditions that time spans become.

use rowkey::error::ErrorKind;
use rowkey::storage::ColumnName;
use rowkey::{
    Backend, DistributedId, EntityKey, PrefixComb, ShortPrefixComb, ShortSuffixComb, UnixMillis,
    entity_key,
};
use rowkey_sqlx::{PushInKeys, PushWithin, ToParam};
use sqlx::{Database, Encode, MySql, Postgres, QueryBuilder, Sqlite};

#[entity_key]
struct OfferId(ShortPrefixComb);

#[entity_key]
struct StopId(ShortSuffixComb);

#[entity_key]
struct InvoiceId(DistributedId);

#[entity_key]
struct VisitId(PrefixComb);

/// Where the ring counter of the short COMBs returns to 0.
const WRAP: i64 = 1_647_575_040_000;

fn at(millis: i64) -> UnixMillis {
    UnixMillis::new(millis)
}

fn condition<DB, K>(bounds: &rowkey::time_range::Bounds<K>) -> String
where
    DB: Database,
    K: EntityKey,
    QueryBuilder<DB>: PushWithin,
{
    let mut query = QueryBuilder::<DB>::new("");
    query.push_within("id", bounds).unwrap();
    query.sql().as_str().to_owned()
}

#[test]
fn one_interval_has_two_edges() {
    let bounds = OfferId::bounds(at(WRAP)..at(WRAP + 1));
    assert_eq!(
        condition::<Postgres, _>(&bounds),
        r#"("id" >= $1 AND "id" < $2)"#
    );
    assert_eq!(condition::<MySql, _>(&bounds), "(`id` >= ? AND `id` < ?)");
    assert_eq!(condition::<Sqlite, _>(&bounds), "(`id` >= ? AND `id` < ?)");
}

#[test]
fn an_open_side_is_left_out() {
    let from = InvoiceId::bounds(at(WRAP)..);
    assert_eq!(condition::<Postgres, _>(&from), r#"("id" >= $1)"#);
    let to = InvoiceId::bounds(..at(WRAP));
    assert_eq!(condition::<MySql, _>(&to), "(`id` < ?)");
}

#[test]
fn a_span_across_the_rings_end_is_two_intervals() {
    let offers = OfferId::bounds(at(WRAP - 1)..at(WRAP + 1));
    assert_eq!(
        condition::<Postgres, _>(&offers),
        r#"("id" < $1 OR "id" >= $2)"#
    );
    let stops = StopId::bounds(at(WRAP - 1)..at(WRAP + 1));
    assert_eq!(condition::<Sqlite, _>(&stops), "(`id` < ? OR `id` >= ?)");
    let visits = VisitId::bounds(at(WRAP - 1)..at(WRAP + 1));
    assert_eq!(condition::<Sqlite, _>(&visits), "(`id` >= ? AND `id` < ?)");
}

#[test]
fn no_ids_and_all_ids_need_no_parameter() {
    assert_eq!(
        condition::<Postgres, _>(&OfferId::bounds(at(WRAP)..at(WRAP))),
        "1 = 0"
    );
    assert_eq!(
        condition::<Postgres, _>(&InvoiceId::bounds(..)),
        "\"id\" IS NOT NULL"
    );
    // Every value of the ring comes around again.
    assert_eq!(
        condition::<Postgres, _>(&OfferId::bounds(at(WRAP)..)),
        "\"id\" IS NOT NULL"
    );
}

#[test]
fn parameters_are_numbered_from_those_before() {
    let mut query = QueryBuilder::<Postgres>::new("title = ");
    query.push_bind("Fjords").push(" AND ");
    let bounds = VisitId::bounds(at(0)..at(1));
    query
        .push_within(("visit", "id"), bounds)
        .unwrap()
        .push(" LIMIT ")
        .push_bind(7_i64);
    assert_eq!(
        query.sql().as_str(),
        r#"title = $1 AND ("visit"."id" >= $2 AND "visit"."id" < $3) LIMIT $4"#
    );
}

#[test]
fn names_are_quoted_or_refused() {
    let bounds = VisitId::bounds(..at(1));
    let mut query = QueryBuilder::<MySql>::new("");
    query
        .push_within(ColumnName::from(("my`table", "i\"d")), bounds)
        .unwrap();
    assert_eq!(query.sql().as_str(), "(`my``table`.`i\"d` < ?)");

    let mut query = QueryBuilder::<Sqlite>::new("WHERE ");
    for name in [("visit", ""), ("", "id"), ("visit", "i\0d")] {
        let error = query.push_within(name, bounds).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Name, "{error}");
    }
    let error = query.push_within("visit.id", bounds).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"not an SQL identifier: `visit.id` is one name; write the pair ("visit", "id")"#
    );
    assert_eq!(query.sql().as_str(), "WHERE ");
}

#[test]
fn an_edge_is_written_in_the_layout_of_its_column() {
    let edge = StopId::bounds(at(WRAP + 60_000)..at(WRAP + 120_000))[0]
        .lower
        .unwrap();
    assert_eq!(edge.to_u128(), 0x4000_8000_0001_0000_0000);
    let mut buffer = Vec::new();
    let _ = Encode::<MySql>::encode(edge.to_param(), &mut buffer).unwrap();
    // The length, and B10 B11 in front.
    assert_eq!(buffer[..4], [16, 0, 1, 0]);
    assert_eq!(
        StopId::PLAN
            .column(Backend::MySql)
            .literal(edge.to_u128())
            .get(..6),
        Some("X'0001")
    );
    assert_eq!(
        format!("{:?}", edge.to_param()),
        format!("BoundParam({edge:?})")
    );
}

fn list<DB, K>(keys: &[K]) -> [String; 2]
where
    DB: Database,
    K: EntityKey,
    QueryBuilder<DB>: PushInKeys,
{
    let mut of_these = QueryBuilder::<DB>::new("");
    of_these.push_in_keys(("i", "id"), keys).unwrap();
    let mut of_others = QueryBuilder::<DB>::new("");
    of_others.push_not_in_keys("id", keys).unwrap();
    [of_these, of_others].map(|query| query.sql().as_str().to_owned())
}

#[test]
fn a_list_is_an_array_or_a_parameter_for_each_key() {
    let keys = [7, 5, 7].map(InvoiceId::constant);
    assert_eq!(
        list::<Postgres, _>(&keys),
        [r#""i"."id" = ANY($1)"#, r#""id" <> ALL($1)"#]
    );
    assert_eq!(
        list::<MySql, _>(&keys),
        ["`i`.`id` IN (?, ?, ?)", "`id` NOT IN (?, ?, ?)"]
    );
    assert_eq!(
        list::<Sqlite, _>(&keys[..1]),
        ["`i`.`id` IN (?)", "`id` NOT IN (?)"]
    );
}

#[test]
fn a_list_without_keys_is_a_condition() {
    let keys: [InvoiceId; 0] = [];
    assert_eq!(
        list::<Postgres, _>(&keys),
        [r#""i"."id" = ANY($1)"#, r#""id" <> ALL($1)"#]
    );
    assert_eq!(list::<MySql, _>(&keys), ["1 = 0", "1 = 1"]);
    assert_eq!(list::<Sqlite, _>(&keys), ["1 = 0", "1 = 1"]);
}

#[test]
fn nothing_is_appended_for_a_column_without_a_name() {
    let keys = [InvoiceId::constant(7)];
    let mut postgres = QueryBuilder::<Postgres>::new("WHERE ");
    let mut sqlite = QueryBuilder::<Sqlite>::new("WHERE ");
    assert!(postgres.push_in_keys("", &keys).is_err());
    assert!(postgres.push_not_in_keys("", &keys).is_err());
    assert!(sqlite.push_in_keys("", &keys[..0]).is_err());
    assert!(sqlite.push_not_in_keys("", &keys).is_err());
    assert_eq!(
        [postgres.sql().as_str(), sqlite.sql().as_str()],
        ["WHERE "; 2]
    );
}
