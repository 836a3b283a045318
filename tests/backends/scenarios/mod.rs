//! The scenarios by name.

pub(crate) mod adoption;
pub(crate) mod arrays;
mod damage;
mod joins;
mod literals;
pub(crate) mod many;
mod order;
mod partitions;
mod range;
mod round_trip;
pub(crate) mod rows;
pub(crate) mod servers;
mod short_keys;
pub(crate) mod sql_server;
pub(crate) mod sql_server_only;
pub(crate) mod support;

use std::pin::Pin;

use anyhow::Result;
use rowkey::Backend;
use rowkey::storage::Storage;

use crate::driver::{Ability, Assumption, Driver, Session};

/// A test on a database of its own.
pub(crate) struct Scenario<D: Driver> {
    pub(crate) name: String,
    pub(crate) assumes: Option<Assumption>,
    pub(crate) run: Run<D>,
}

/// A scenario, to be run once.
pub(crate) type Run<D> = Box<dyn for<'s> FnOnce(&'s mut Session<D>) -> Outcome<'s> + Send>;

/// What a scenario ends with.
pub(crate) type Outcome<'s> = Pin<Box<dyn Future<Output = Result<()>> + 's>>;

impl<D: Driver> Scenario<D> {
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl for<'s> FnOnce(&'s mut Session<D>) -> Outcome<'s> + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            assumes: None,
            run: Box::new(run),
        }
    }

    /// The scenario, which says nothing about a server that does otherwise.
    pub(crate) fn assuming(self, assumption: Assumption) -> Self {
        Self {
            assumes: Some(assumption),
            ..self
        }
    }
}

/// Every scenario of a backend.
pub(crate) fn all<D: Driver>(backend: Backend) -> Vec<Scenario<D>> {
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
    scenarios.extend(D::own_scenarios(backend));
    scenarios.extend(short_keys::scenarios(backend));
    scenarios.extend(partitions::scenarios(backend));
    scenarios
}
