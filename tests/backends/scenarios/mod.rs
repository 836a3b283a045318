//! The scenarios by name.

mod adoption;
mod arrays;
mod codes;
mod conversions;
mod counted_numbers;
mod damage;
mod joins;
mod lists;
mod literals;
pub(crate) mod many;
mod new_ids;
mod order;
pub(crate) mod own;
mod partitions;
mod random_conversions;
mod range;
mod round_trip;
pub(super) mod routed;
mod rows;
mod servers;
mod short_keys;
mod sql_server;
mod sql_server_only;
mod support;
mod two_columns;

use rowkey::Backend;
use rowkey::storage::Storage;

use crate::cases::Cases;
use crate::driver::{Ability, Assumption};
use crate::scenario::Scenario;

/// The scenarios that every driver runs.
pub(crate) fn of_every_driver<D: Cases>(backend: Backend) -> Vec<Scenario<D>> {
    let mut scenarios = vec![
        Scenario::new("every_column_has_a_key", |session| {
            Box::pin(round_trip::every_column_has_a_key(session))
        }),
        Scenario::new("keys_come_back", |session| {
            Box::pin(round_trip::keys_come_back(session))
        }),
        Scenario::new("literals_find_rows", |session| {
            Box::pin(round_trip::literals_find_rows(session))
        }),
        Scenario::new("extremes_come_back", |session| {
            Box::pin(round_trip::extremes_come_back(session))
        }),
        Scenario::new("keys_and_parameters_are_one_expression", |session| {
            Box::pin(round_trip::keys_and_parameters_are_one_expression(session))
        }),
        Scenario::new("unknown_columns_are_errors", |session| {
            Box::pin(lists::unknown_columns_are_errors(session))
        }),
        Scenario::new("a_key_is_there_once", |session| {
            Box::pin(round_trip::a_key_is_there_once(session))
        }),
        Scenario::new("neighbours_are_told_apart", |session| {
            Box::pin(range::neighbours_are_told_apart(session))
        }),
        Scenario::new("children_are_joined_to_their_parents", |session| {
            Box::pin(joins::children_are_joined_to_their_parents(session))
        }),
        Scenario::new("literals_are_equal_to_keys", |session| {
            Box::pin(literals::literals_are_equal_to_keys(session))
        }),
        Scenario::new("values_of_another_type_are_refused", |session| {
            Box::pin(damage::values_of_another_type_are_refused(session))
        }),
        Scenario::new("ids_of_another_format_are_refused", |session| {
            Box::pin(damage::ids_of_another_format_are_refused(session))
        }),
    ];
    scenarios.extend(codes::scenarios());
    scenarios.extend(counted_numbers::scenarios());
    scenarios.push(two_columns::scenario());
    // MySQL knows no RETURNING.
    if backend != Backend::MySql && D::can(Ability::Return, backend) {
        scenarios.push(Scenario::new("written_keys_are_returned", |session| {
            Box::pin(round_trip::written_keys_are_returned(session))
        }));
    }
    for storage in Storage::ALL {
        if storage == Storage::NativeUuid && backend != Backend::MariaDb {
            continue;
        }
        let named = |scenario| format!("{scenario}_{}", storage.name().replace('-', "_"));
        scenarios.push(Scenario::new(named("lists_of"), move |session| {
            Box::pin(lists::lists_of(session, storage))
        }));
        scenarios.push(
            Scenario::new(named("foreign_keys_of"), move |session| {
                Box::pin(joins::foreign_keys_of(session, storage))
            })
            .assuming(Assumption::ForeignKeysOf(storage)),
        );
        let sorted = [
            Scenario::new(named("order_of"), move |session| {
                Box::pin(order::order_of(session, storage))
            }),
            Scenario::new(named("spans_of"), move |session| {
                Box::pin(range::spans_of(session, storage))
            }),
            Scenario::new(named("spans_until_now_of"), move |session| {
                Box::pin(range::spans_until_now_of(session, storage))
            }),
            Scenario::new(named("intervals_of"), move |session| {
                Box::pin(range::intervals_of(session, storage))
            }),
            Scenario::new(named("literals_around"), move |session| {
                Box::pin(literals::literals_around(session, storage))
            }),
        ];
        scenarios.extend(sorted.map(|scenario| scenario.assuming(Assumption::OrderOf(storage))));
    }
    scenarios.extend(short_keys::scenarios(backend));
    scenarios.extend(partitions::scenarios(backend));
    scenarios.extend(routed::scenarios(backend));
    scenarios
}
