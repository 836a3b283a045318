//! The promises of the stores, on every database that is there.

use std::process::ExitCode;

use rowkey_testkit::{Backend, Suite, TestDatabase};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::shop::SqlServer;

mod client_made_ids;
mod command_ids;
mod key_blocks;
mod pruning;
mod shop;
mod short_keys;

const ALL: [Backend; 5] = Backend::ALL;
/// Where several connections write at the same time, and one can be ended by another.
const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
/// Runs a scenario to its end.
fn run<F>(scenario: F) -> anyhow::Result<()>
where
    F: AsyncFnOnce() -> anyhow::Result<()>,
{
    // Each test runs on a thread of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(scenario())
}

/// Adds scenarios to the suite: functions that are generic over the driver.
macro_rules! tests {
    ($suite:ident, $backends:expr, $module:ident: $($scenario:ident),* $(,)?) => {$(
        $suite.test(stringify!($scenario), $backends, |database: &TestDatabase| {
            run(async || match database.backend() {
                Backend::Postgres => $module::$scenario::<PgPool>(database).await,
                Backend::MySql | Backend::MariaDb => {
                    $module::$scenario::<MySqlPool>(database).await
                }
                Backend::Sqlite => $module::$scenario::<SqlitePool>(database).await,
                Backend::SqlServer => $module::$scenario::<SqlServer>(database).await,
            })
        });
    )*};
}

fn main() -> anyhow::Result<ExitCode> {
    if let Some(work) = key_blocks::Work::of_this_process() {
        work?.run()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut suite = Suite::from_env()?;
    tests! { suite, ALL, command_ids:
        a_command_creates_an_entity_with_an_id_of_the_server,
        a_repeated_command_gets_the_id_of_the_first_time,
        entity_and_command_id_are_committed_together_or_not_at_all,
        a_command_that_failed_can_be_sent_again,
        random_command_ids_do_as_well,
        entities_of_any_format_are_created,
        a_command_id_with_another_name_is_a_conflict,
        what_a_command_created_is_no_key_of_another_type,
        names_that_databases_would_mix_up_are_refused,
        a_call_that_is_dropped_before_the_commit_leaves_nothing,
        a_duplicate_of_the_closure_is_no_repeated_command,
    }
    tests! { suite, ALL, command_ids:
        concurrent_duplicates_create_one_entity_per_command,
        concurrent_duplicates_are_not_misled_by_unique_keys_of_the_entity,
    }
    tests! { suite, SERVERS, command_ids:
        a_connection_killed_between_insert_and_commit_is_tried_again,
        deadlocks_are_tried_again,
    }
    suite.test(
        "a_client_within_a_transaction_is_refused",
        [Backend::SqlServer],
        |database| {
            run(async || command_ids::a_client_within_a_transaction_is_refused(database).await)
        },
    );
    tests! { suite, ALL, pruning:
        the_first_command_after_creation_forgets_the_creating_one,
        forgetting_is_undone_with_the_transaction,
        a_cap_for_each_name_drops_the_oldest,
        a_global_cap_drops_the_oldest,
        a_command_that_was_forgotten_creates_a_second_entity,
    }
    tests! { suite, ALL, client_made_ids:
        an_unknown_id_is_validated_and_created,
        an_id_from_another_time_is_refused_for_a_new_entity,
        the_clock_can_be_that_of_a_batch,
        a_late_repetition_finds_its_entity,
        the_same_id_of_another_command_is_a_conflict,
        the_same_id_with_another_payload_is_a_conflict,
        a_duplicate_of_another_unique_key_is_the_closures_error,
        a_failed_creation_leaves_nothing,
    }
    tests! { suite, ALL, client_made_ids:
        one_of_several_commands_with_the_same_id_wins,
        concurrent_duplicates_find_the_entity_of_the_first,
    }
    tests! { suite, ALL, key_blocks:
        numbers_begin_with_one_and_have_no_gaps_within_a_process,
        groups_are_counted_apart,
        another_process_goes_on_behind_the_reserved_block,
        the_last_block_ends_with_the_last_number,
    }
    tests! { suite, ALL, key_blocks:
        tasks_share_a_block,
        four_processes_get_no_number_twice,
        a_block_is_not_rolled_back_with_a_callers_transaction,
    }
    tests! { suite, ALL, short_keys:
        the_index_refuses_a_number_twice,
        an_entity_whose_number_is_taken_gets_another_one,
        an_entity_is_given_up_after_ten_clashes,
        another_failure_is_no_clash,
    }
    Ok(suite.run())
}
