//! The service over HTTP, on every available database.
//!
//! Each test starts the program as a separate process, on a new database. A test is called
//! `<backend>::<scenario>`; see [`rowkey_testkit`].

mod client;
mod concurrency;
mod conflicts;
mod creation;
mod database;
mod dropped_answers;
mod ends;
mod killed;
mod known_ids;
mod malformed;
mod openapi;
mod outages;
mod pages;
mod public_ids;
mod raw;
mod requests;
mod routes;
mod service;

use std::process::ExitCode;

use rowkey_testkit::{Backend, Suite, TestDatabase};

/// Where the service keeps its bookings.
const BACKENDS: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

/// Databases behind a connection that can be lost.
const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

/// Adds scenarios to the suite.
macro_rules! tests {
    ($suite:ident, $backends:expr, $module:ident: $($scenario:ident),* $(,)?) => {$(
        $suite.test(stringify!($scenario), $backends, |database: &TestDatabase| {
            block_on($module::$scenario(database))
        });
    )*};
}

fn main() -> anyhow::Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    tests! { suite, BACKENDS, routes:
        customers_are_created_once_and_read,
        customers_are_found_by_their_number,
        offers_are_created_once_and_read,
        prices_change_once_per_command,
        offers_are_withdrawn_once,
        offers_are_booked_once,
        bookings_are_cancelled_once,
        any_id_is_dispatched_by_its_group,
        unknown_ids_are_not_found,
        unknown_routes_and_methods_are_problems,
        health_asks_the_database,
        wrong_content_types_are_refused,
        commands_have_any_random_uuid,
    }
    tests! { suite, BACKENDS, malformed:
        malformed_ids_in_paths,
        malformed_ids_in_bodies,
        malformed_bodies,
        values_out_of_range,
        bodies_that_are_too_large,
        malformed_requests,
        malformed_parameters_of_pages,
    }
    tests! { suite, BACKENDS, creation:
        ids_of_other_kinds_are_refused,
        ids_of_another_time_are_refused,
        recorded_times_replace_the_clock,
        late_repetitions_find_their_offer,
    }
    tests! { suite, BACKENDS, conflicts:
        an_offers_id_belongs_to_one_command,
        a_commands_id_belongs_to_one_command,
        closed_offers_take_no_new_commands,
        refused_commands_can_be_sent_again,
        cancelled_bookings_take_no_new_commands,
        invalid_commands_change_nothing_that_is_stored,
    }
    tests! { suite, BACKENDS, public_ids:
        made_up_public_ids_are_unknown,
        public_ids_are_of_one_key,
        public_ids_outlive_the_process,
        a_key_is_made_if_there_is_none,
        numbers_of_invoices_stay_inside,
    }
    tests! { suite, BACKENDS, dropped_answers:
        customers_whose_answers_are_lost,
        offers_whose_answers_are_lost,
        price_changes_whose_answers_are_lost,
        bookings_whose_answers_are_lost,
    }
    tests! { suite, BACKENDS, concurrency:
        customers_are_created_once_by_many,
        offers_are_created_once_by_many,
        offers_are_booked_once_by_many,
        an_offer_is_booked_by_one_of_many,
        concurrent_price_changes_are_all_kept,
        bookings_and_cancellations_keep_their_books,
    }
    tests! { suite, BACKENDS, killed: a_batch_is_executed_once_whenever_it_is_killed }
    tests! { suite, BACKENDS, pages:
        pages_have_each_offer_once,
        cursors_need_no_offer,
        pages_lose_nothing_while_offers_arrive,
    }
    tests! { suite, BACKENDS, openapi:
        the_description_has_every_route,
        ids_are_schemas_with_names,
        the_description_is_the_one_that_was_reviewed,
    }
    tests! { suite, BACKENDS, ends:
        requests_in_flight_are_answered,
        idle_connections_are_closed,
        entities_outlive_the_process,
        requests_are_logged,
        no_secret_is_logged,
        a_start_that_fails_reveals_no_secret,
    }
    tests! { suite, [Backend::Sqlite], ends:
        nothing_has_to_be_set,
        requests_that_never_end_are_given_up,
    }
    tests! { suite, [Backend::Sqlite], outages: a_locked_file_is_reported }
    tests! { suite, [Backend::Postgres], outages: a_read_only_server_is_left }
    tests! { suite, SERVERS, outages:
        an_unreachable_database_is_reported,
        broken_connections_are_replaced,
    }
    known_ids::add_tests(&mut suite);
    Ok(suite.run())
}

/// Runs a scenario to its end, on the thread of its test.
fn block_on(scenario: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(scenario)
}
