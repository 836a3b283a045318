//! The conditions that time spans and lists of keys become.

use rowkey::driver::tiberius::{Condition, Error, OrderedKey, ToParam};
use rowkey::time_range::Bounds;
use rowkey::{
    AnyUuid, DistributedId, PrefixComb, ShortPrefixComb, ShortSuffixComb, UnixMillis, UuidV7,
    entity_key,
};
use tiberius::numeric::Numeric;
use tiberius::{ColumnData, Query};
use uuid::uuid;

#[entity_key]
struct OfferId(ShortPrefixComb);

#[entity_key]
struct StopId(ShortSuffixComb);

#[entity_key]
struct InvoiceId(DistributedId);

#[entity_key(storage(sqlserver = "text"))]
struct VisitId(PrefixComb);

#[entity_key]
struct EventId(UuidV7);

#[entity_key(storage(sqlserver = "binary"))]
struct ReceiptId(DistributedId);

#[entity_key]
struct LegacyId(AnyUuid);

/// Where the ring counter of the short COMBs returns to 0.
const WRAP: i64 = 1_647_575_040_000;

fn at(millis: i64) -> UnixMillis {
    UnixMillis::new(millis)
}

fn condition<K: OrderedKey>(bounds: &Bounds<K>) -> Condition {
    Condition::within("id", bounds, 1).unwrap()
}

#[test]
fn one_interval_has_two_edges_in_the_layout_of_the_column() {
    let condition = condition(&OfferId::bounds(at(WRAP + 60_000)..at(WRAP + 120_000)));
    assert_eq!(condition.to_string(), "([id] >= @P1 AND [id] < @P2)");
    assert_eq!(
        condition.parameters(),
        [
            ColumnData::Guid(Some(uuid!("00000000-0000-4000-8000-000100000000"))),
            ColumnData::Guid(Some(uuid!("00000000-0000-4000-8000-000200000000"))),
        ]
    );
}

#[test]
fn the_sql_server_layout_turns_an_edge_around() {
    let condition = condition(&EventId::bounds(at(0x0123_4567_89ab)..));
    assert_eq!(condition.to_string(), "([id] >= @P1)");
    assert_eq!(
        condition.parameters(),
        [ColumnData::Guid(Some(uuid!(
            "00000000-0000-0080-7000-0123456789ab"
        )))]
    );
}

#[test]
fn an_open_side_is_left_out() {
    assert_eq!(
        condition(&InvoiceId::bounds(at(WRAP)..)).to_string(),
        "([id] >= @P1)"
    );
    assert_eq!(
        condition(&InvoiceId::bounds(..at(WRAP))).to_string(),
        "([id] < @P1)"
    );
}

#[test]
fn a_span_across_the_rings_end_is_two_intervals() {
    let span = || at(WRAP - 1)..at(WRAP + 1);
    let offers = condition(&OfferId::bounds(span()));
    assert_eq!(offers.to_string(), "([id] < @P1 OR [id] >= @P2)");
    assert_eq!(offers.next_parameter(), 3);
    let stops = condition(&StopId::bounds(span()));
    assert_eq!(
        stops.parameters(),
        [
            ColumnData::Guid(Some(uuid!("00000000-0000-4000-8000-000100000000"))),
            ColumnData::Guid(Some(uuid!("00000000-0000-4000-8000-ffff00000000"))),
        ]
    );
}

#[test]
fn no_ids_and_all_ids_need_no_parameter() {
    let none = condition(&OfferId::bounds(at(WRAP)..at(WRAP)));
    assert_eq!(none.to_string(), "1 = 0");
    assert_eq!(none.next_parameter(), 1);
    assert_eq!(
        condition(&InvoiceId::bounds(..)).to_string(),
        "[id] IS NOT NULL"
    );
    // Every value of the ring comes around again.
    assert_eq!(
        condition(&OfferId::bounds(at(WRAP)..)).to_string(),
        "[id] IS NOT NULL"
    );
    let none: [OfferId; 0] = [];
    assert_eq!(
        Condition::in_keys("id", &none, 1).unwrap().to_string(),
        "1 = 0"
    );
    assert_eq!(
        Condition::not_in_keys("id", &none, 1).unwrap().to_string(),
        "1 = 1"
    );
}

#[test]
fn text_is_compared_as_char() {
    let visits = condition(&VisitId::bounds(at(0)..at(1)));
    assert_eq!(
        visits.to_string(),
        "([id] >= CAST(@P1 AS char(36)) AND [id] < CAST(@P2 AS char(36)))"
    );
    let visit = VisitId::constant(0x0011_2233_4455_4677_8899_aabb_ccdd_eeff);
    assert_eq!(
        Condition::in_keys("id", &[visit], 7).unwrap().to_string(),
        "[id] IN (CAST(@P7 AS char(36)))"
    );
}

#[test]
fn bytes_are_compared_as_binary() {
    let receipts = condition(&ReceiptId::bounds(at(WRAP)..));
    assert_eq!(receipts.to_string(), "([id] >= CAST(@P1 AS binary(12)))");
    assert_eq!(
        Condition::in_keys("id", &[ReceiptId::constant(7)], 2)
            .unwrap()
            .to_string(),
        "[id] IN (CAST(@P2 AS binary(12)))"
    );
}

#[test]
fn lists_carry_their_keys_in_order() {
    let invoices = [7, 5].map(InvoiceId::constant);
    let condition = Condition::in_keys(("i", "id"), &invoices, 4).unwrap();
    assert_eq!(condition.to_string(), "[i].[id] IN (@P4, @P5)");
    let number = |value| ColumnData::Numeric(Some(Numeric::new_with_scale(value, 0)));
    assert_eq!(condition.parameters(), [number(7), number(5)]);
    assert_eq!(condition.next_parameter(), 6);
    let others = Condition::not_in_keys(("i", "id"), &invoices, 4).unwrap();
    assert_eq!(others.to_string(), "[i].[id] NOT IN (@P4, @P5)");
    assert_eq!(others.parameters(), condition.parameters());
}

#[test]
fn parameters_are_bound_to_the_numbers_in_the_text_or_not_at_all() {
    let title = String::from("Fjords");
    let bounds = VisitId::bounds(at(0)..at(1));
    let visits = Condition::within("id", bounds, 2).unwrap();
    let mut query = Query::new(format!(
        "SELECT 1 FROM visit WHERE title = @P1 AND {visits}"
    ));
    let error = visits.clone().bind(&mut query).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the condition's parameters begin with @P2, but 0 are bound before them: give \
         the condition the number 1"
    );
    assert_eq!(query.param_count(), 0);
    query.bind(title.as_str());
    visits.bind(&mut query).unwrap();
    assert_eq!(query.param_count(), 3);
}

#[test]
fn more_parameters_than_a_query_takes_are_refused() {
    let keys = |count| vec![LegacyId::constant(1); count];
    assert!(Condition::in_keys("id", &keys(2_098), 1).is_ok());
    for (count, first) in [(2_099, 1), (2_098, 2), (1, 2_099)] {
        let error = Condition::in_keys("id", &keys(count), first).unwrap_err();
        assert_eq!(error, Error::TooManyParameters { last: 2_099 });
    }
    assert_eq!(
        Error::TooManyParameters { last: 2_099 }.to_string(),
        "the condition's last parameter would be @P2099, but a query takes 2098"
    );
    let error = Condition::in_keys("id", &keys(1), usize::MAX).unwrap_err();
    assert!(matches!(error, Error::TooManyParameters { .. }), "{error}");
    // Nothing to bind is nothing too many.
    assert!(Condition::in_keys("id", &keys(0), 2_099).is_ok());
}

#[test]
fn parameters_that_begin_with_0_are_refused() {
    let keys = [LegacyId::constant(1)];
    for error in [
        Condition::within("id", VisitId::bounds(at(0)..at(1)), 0),
        Condition::in_keys("id", &keys, 0),
        // Nothing is bound, but the number is as wrong.
        Condition::in_keys("id", &keys[..0], 0),
    ] {
        let error = error.unwrap_err();
        assert_eq!(error, Error::ParameterZero);
        assert_eq!(
            error.to_string(),
            "the condition's parameters begin with @P0, but a query's first is @P1"
        );
    }
}

#[test]
fn names_are_quoted_or_refused() {
    let bounds = VisitId::bounds(..at(1));
    let condition = Condition::within(("my]table", "i\"d"), bounds, 1).unwrap();
    assert_eq!(
        condition.to_string(),
        "([my]]table].[i\"d] < CAST(@P1 AS char(36)))"
    );
    for name in [("visit", ""), ("", "id"), ("visit", "i\0d")] {
        let error = Condition::within(name, bounds, 1).unwrap_err();
        assert!(matches!(error, Error::Identifier(_)), "{error}");
        let list = Condition::in_keys(name, &[LegacyId::constant(1)], 1);
        assert_eq!(list.unwrap_err(), error);
    }
    let error = Condition::within("visit.id", bounds, 1).unwrap_err();
    let pair = r#"`visit.id` is one name; write the pair ("visit", "id")"#;
    assert!(error.to_string().ends_with(pair), "{error}");
}

#[test]
fn a_bound_alone_is_what_the_condition_binds() {
    let bounds = OfferId::bounds(at(WRAP)..at(WRAP + 60_000));
    let edge = bounds[0].lower.unwrap();
    assert_eq!(condition(&bounds).parameters()[0], edge.to_param());
}
