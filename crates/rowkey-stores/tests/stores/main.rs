//! The guarantees of the stores, on every available database.
//!
//! The rules of idempotent commands, and the tests that show each of them:
//!
//! | | rule | tests |
//! |---|---|---|
//! | | **Commands after the creation** | `executed_commands` |
//! | 1 | A command has an id that its client has made, possibly a random one, and the entity's id | `an_executed_command_is_recorded_with_what_it_has_changed`, `a_command_to_an_unknown_entity_finds_nothing` |
//! | 2 | The entity's own state contains the ids of executed commands | `an_executed_command_is_recorded_with_what_it_has_changed` |
//! | 3 | A known id: nothing is executed or changed, and the request succeeds | `a_known_command_changes_nothing_and_succeeds` |
//! | 4 | An unknown one: change and id are committed together; a failure records nothing, so a repetition runs again | `an_executed_command_is_recorded_with_what_it_has_changed`, `a_command_that_fails_is_not_recorded_and_runs_again`, `concurrent_repetitions_execute_once` |
//! | 5 | The list is unbounded, or bounded and drops the oldest | `a_bounded_list_forgets_the_oldest_command`, `an_unbounded_list_forgets_nothing` |
//! | 6 | A dropped id runs as a new command, which the entity's rules or its version refuse | `a_bounded_list_forgets_the_oldest_command`, `a_forgotten_command_is_refused_by_a_rule_or_by_the_version` |
//! | | Without row locks, the version that was read is compared when the entity is written | `a_change_of_an_older_version_is_refused`, `a_repetition_that_comes_too_late_finds_its_command`, `many_commands_are_executed_once_without_a_lock` |
//! | 7 | A lost request, a rollback and a lost answer look alike to the client, which sends the same id again | `whatever_was_lost_the_client_sends_the_same_command_again` |
//! | | **Entities whose ids clients make** | `client_made_ids` |
//! | 8 | The id is validated on creation only, against a given clock | `an_unknown_id_is_validated_and_created`, `an_id_from_another_time_is_refused_for_a_new_entity`, `the_clock_can_be_that_of_a_batch` |
//! | 9 | Found: returned as it is, however late. Not found: validated, created, committed | `a_late_repetition_finds_its_entity`, `an_unknown_id_is_validated_and_created`, `concurrent_duplicates_find_the_entity_of_the_first`, `a_failed_creation_leaves_nothing` |
//! | 10 | A command id may be sent as well | `the_same_id_of_another_command_is_a_conflict`, `the_same_id_with_another_payload_is_a_conflict`, `one_of_several_commands_with_the_same_id_wins` |
//! | | **Entities whose ids the server makes** | `command_ids`, `pruning` |
//! | 11 | A row has the command id, which is unique, the entity's id and the command's name | `a_command_creates_an_entity_with_an_id_of_the_server`, `a_command_id_with_another_name_is_a_conflict`, `entities_of_any_format_are_created` |
//! | 12 | Found: the entity's id. Not found: entity and row in one transaction | `a_repeated_command_gets_the_id_of_the_first_time`, `entity_and_command_id_are_committed_together_or_not_at_all`, `a_command_that_failed_can_be_sent_again`, `a_call_that_is_dropped_before_the_commit_leaves_nothing` |
//! | 13 | One of several concurrent duplicates creates, the others look up | `concurrent_duplicates_create_one_entity_per_command`, `concurrent_duplicates_are_not_misled_by_unique_keys_of_the_entity`, `deadlocks_are_tried_again`, `a_connection_killed_between_insert_and_commit_is_tried_again`, `a_process_killed_between_insert_and_commit_leaves_nothing` |
//! | 14 | Command ids begin with a time; random ones work as well | all of them use `UuidV7`, and `random_command_ids_work_as_well`, `uuids_of_version_1_work_but_are_not_in_the_order_of_their_time` |
//! | 15 | Rows are deleted by the first command after the creation, or by caps, oldest first | `the_first_command_after_creation_forgets_the_creating_one`, `forgetting_is_undone_with_the_transaction`, `a_cap_for_each_name_drops_the_oldest`, `a_global_cap_drops_the_oldest` |
//! | 16 | Without its row, a repetition creates a second entity | `a_command_that_was_forgotten_creates_a_second_entity` |
//! | | **Creation that is not idempotent** | `creation_without_identifiers` |
//! | 17 | A clean-up finds orphans; a client that uses one later finds nothing | `orphans_are_deleted_by_the_time_in_their_keys`, `orphans_are_marked_and_can_be_brought_back`, `an_entity_whose_first_command_is_under_way_is_no_orphan` |
//! | 18 | If ids collide, one transaction fails, and the other's row stays | `a_collision_of_ids_fails_one_transaction_and_leaves_the_others_row`, `a_duplicate_of_the_closure_is_no_repeated_command` |

use std::process::ExitCode;

#[cfg(feature = "diesel-mysql")]
use ::diesel::MysqlConnection;
#[cfg(feature = "diesel-postgres")]
use ::diesel::PgConnection;
use ::diesel::SqliteConnection;
use ::sea_orm::DatabaseConnection;
use diesel_async::{AsyncMysqlConnection, AsyncPgConnection};
use rowkey_testkit::{Backend, Suite, TestDatabase};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::diesel::{AsyncSqliteConnection, Asynchronous, Waiting};
use crate::shop::SqlServer;

mod chaos;
mod client_made_ids;
mod command_ids;
mod creation_without_identifiers;
mod diesel;
mod dropped_calls;
mod ended_transactions;
mod executed_commands;
mod halls;
mod killed_processes;
mod messages;
mod number_blocks;
mod odd_connections;
mod pruning;
mod sea_orm;
mod shop;
mod taken_numbers;
mod transactions;
mod versions;

const ALL: [Backend; 5] = Backend::ALL;
/// Backends where several connections can write at the same time, and one can end another.
const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
/// The backends that sqlx has drivers for.
const SQLX: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

/// Runs a scenario to its end.
fn run<F>(scenario: F) -> anyhow::Result<()>
where
    F: AsyncFnOnce() -> anyhow::Result<()>,
{
    // The scenario stays on the thread of its test. diesel-async's connection to SQLite must not be
    // dropped on a runtime without other threads.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(scenario())
}

/// Adds scenarios to the suite that are about a driver.
macro_rules! tests_of_sqlx {
    ($suite:ident, $backends:expr, $module:ident: $($scenario:ident),* $(,)?) => {$(
        $suite.test(stringify!($scenario), $backends, |database: &TestDatabase| {
            run(async || $module::$scenario(database).await)
        });
    )*};
}

/// Adds scenarios to the suite: functions that are generic over the driver, with each of the
/// drivers.
macro_rules! tests {
    ($suite:ident, $backends:expr, $module:ident: $($scenario:ident),* $(,)?) => {
        tests_of_tasks! { $suite, $backends, $module: $($scenario),* }
        tests_of_diesel! { $suite, $backends, $module: $($scenario),* }
    };
}

/// Adds scenarios to the suite with Diesel's connections, which block.
macro_rules! tests_of_diesel {
    ($suite:ident, $backends:expr, $module:ident: $($scenario:ident),* $(,)?) => {
        $($suite.test(
            concat!("diesel_", stringify!($scenario)),
            with_driver_of_diesel($backends),
            |database: &TestDatabase| {
                run(async || match database.backend() {
                    #[cfg(feature = "diesel-postgres")]
                    Backend::Postgres => {
                        $module::$scenario::<Waiting<PgConnection>>(database).await
                    }
                    #[cfg(feature = "diesel-mysql")]
                    Backend::MySql | Backend::MariaDb => {
                        $module::$scenario::<Waiting<MysqlConnection>>(database).await
                    }
                    _ => $module::$scenario::<Waiting<SqliteConnection>>(database).await,
                })
            }
        );)*
    };
}

/// Adds scenarios in which tasks wait for each other. Diesel's connections block, so that their
/// only thread would wait for itself.
macro_rules! tests_of_tasks {
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
        $suite.test(
            concat!("sea_orm_", stringify!($scenario)),
            without_sql_server($backends),
            |database: &TestDatabase| {
                run(async || $module::$scenario::<DatabaseConnection>(database).await)
            }
        );
        $suite.test(
            concat!("diesel_async_", stringify!($scenario)),
            without_sql_server($backends),
            |database: &TestDatabase| {
                run(async || match database.backend() {
                    Backend::Postgres => {
                        $module::$scenario::<Asynchronous<AsyncPgConnection>>(database).await
                    }
                    Backend::MySql | Backend::MariaDb => {
                        $module::$scenario::<Asynchronous<AsyncMysqlConnection>>(database).await
                    }
                    _ => $module::$scenario::<Asynchronous<AsyncSqliteConnection>>(database).await,
                })
            }
        );
    )*};
}

fn without_sql_server(backends: impl IntoIterator<Item = Backend>) -> Vec<Backend> {
    let mut backends: Vec<Backend> = backends.into_iter().collect();
    backends.retain(|backend| *backend != Backend::SqlServer);
    backends
}

/// The backends whose client library is linked.
fn with_driver_of_diesel(backends: impl IntoIterator<Item = Backend>) -> Vec<Backend> {
    let mut backends = without_sql_server(backends);
    backends.retain(|backend| match backend {
        Backend::Postgres => cfg!(feature = "diesel-postgres"),
        Backend::MySql | Backend::MariaDb => cfg!(feature = "diesel-mysql"),
        _ => true,
    });
    backends
}

fn main() -> anyhow::Result<ExitCode> {
    if let Some(work) = number_blocks::Work::of_this_process() {
        work?.run()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(outcome) = killed_processes::run_if_this_process_is_to_be_killed() {
        outcome?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut suite = Suite::from_env()?;
    tests! { suite, ALL, command_ids:
        a_command_creates_an_entity_with_an_id_of_the_server,
        a_repeated_command_gets_the_id_of_the_first_time,
        entity_and_command_id_are_committed_together_or_not_at_all,
        a_command_that_failed_can_be_sent_again,
        random_command_ids_work_as_well,
        uuids_of_version_1_work_but_are_not_in_the_order_of_their_time,
        entities_of_any_format_are_created,
        a_command_id_with_another_name_is_a_conflict,
        an_id_of_another_type_is_an_error,
        names_that_databases_would_mix_up_are_refused,
        a_closure_that_rolls_back_has_created_nothing,
        a_duplicate_of_the_closure_is_no_repeated_command,
    }
    tests_of_tasks! { suite, ALL, command_ids:
        a_call_that_is_dropped_before_the_commit_leaves_nothing,
    }
    tests! { suite, ALL, command_ids:
        concurrent_duplicates_create_one_entity_per_command,
        concurrent_duplicates_are_not_misled_by_unique_keys_of_the_entity,
    }
    tests! { suite, SERVERS, command_ids:
        a_connection_killed_between_insert_and_commit_is_tried_again,
    }
    tests_of_tasks! { suite, SERVERS, command_ids:
        deadlocks_are_tried_again,
    }
    suite.test(
        "a_transaction_that_sqlite_ends_does_not_spoil_its_connection",
        [Backend::Sqlite],
        |database| {
            run(async || {
                command_ids::a_transaction_that_sqlite_ends_does_not_spoil_its_connection(database)
                    .await
            })
        },
    );
    suite.test(
        "a_killed_session_has_created_nothing",
        [Backend::SqlServer],
        |database| run(async || command_ids::a_killed_session_has_created_nothing(database).await),
    );
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
    tests! { suite, ALL, executed_commands:
        an_executed_command_is_recorded_with_what_it_has_changed,
        a_known_command_changes_nothing_and_succeeds,
        a_command_that_fails_is_not_recorded_and_runs_again,
        whatever_was_lost_the_client_sends_the_same_command_again,
        a_bounded_list_forgets_the_oldest_command,
        a_forgotten_command_is_refused_by_a_rule_or_by_the_version,
        an_unbounded_list_forgets_nothing,
        concurrent_repetitions_execute_once,
        a_command_to_an_unknown_entity_finds_nothing,
    }
    tests! { suite, ALL, creation_without_identifiers:
        orphans_are_deleted_by_the_time_in_their_keys,
        orphans_are_marked_and_can_be_brought_back,
    }
    tests_of_tasks! { suite, ALL, creation_without_identifiers:
        an_entity_whose_first_command_is_under_way_is_no_orphan,
        a_collision_of_ids_fails_one_transaction_and_leaves_the_others_row,
    }
    tests! { suite, ALL, number_blocks:
        numbers_begin_with_one_and_have_no_gaps_within_a_process,
        each_group_has_its_own_numbers,
        another_process_continues_after_the_reserved_block,
        the_last_block_ends_with_the_last_number,
        an_invalid_number_in_the_table_is_an_error,
    }
    tests! { suite, ALL, number_blocks:
        tasks_share_a_block,
        four_processes_get_no_number_twice,
        a_block_is_not_rolled_back_with_a_callers_transaction,
    }
    tests_of_tasks! { suite, SQLX, dropped_calls:
        numbers_stay_reserved_after_dropped_calls,
        dropped_calls_spoil_no_connection,
    }
    tests_of_tasks! { suite, SERVERS, dropped_calls:
        calls_in_tasks_of_their_own_outlive_their_handlers,
    }
    tests! { suite, [Backend::Postgres], dropped_calls:
        a_connection_left_in_a_transaction_is_no_obstacle,
        a_pool_left_in_transactions_is_no_obstacle,
        a_read_only_server_is_unavailable_and_its_connection_is_closed,
    }
    tests_of_sqlx! { suite, [Backend::Postgres], messages:
        a_transaction_begins_with_one_message,
    }
    tests! { suite, ALL, killed_processes:
        a_process_killed_between_insert_and_commit_leaves_nothing,
    }
    tests! { suite, ALL, ended_transactions:
        a_failure_that_a_closure_ignores_is_an_error,
        a_transaction_that_its_closure_ends_is_an_error,
        a_command_whose_closure_commits_and_fails_is_unfinished,
    }
    tests! { suite, [Backend::Postgres], ended_transactions:
        a_duplicate_at_the_commit_fails_once,
    }
    tests! { suite, [Backend::Sqlite], odd_connections:
        a_block_whose_commit_failed_is_not_used,
        a_file_that_was_locked_is_tried_again,
        no_other_writer_comes_between_a_read_and_a_write,
    }
    tests! { suite, [Backend::MySql, Backend::MariaDb], odd_connections:
        a_block_stays_reserved_without_autocommit,
        a_command_is_found_behind_old_snapshots,
        commands_are_found_and_pruned_without_autocommit,
    }
    tests! { suite, [Backend::Postgres], odd_connections:
        numbers_are_reserved_at_any_default_isolation,
    }
    tests! { suite, ALL, taken_numbers:
        the_index_refuses_a_number_twice,
        an_entity_whose_number_is_taken_gets_another_one,
        an_entity_is_given_up_after_ten_clashes,
        another_failure_is_no_clash,
    }
    tests! { suite, ALL, versions:
        a_change_of_an_older_version_is_refused,
        a_repetition_that_comes_too_late_finds_its_command,
        many_commands_are_executed_once_without_a_lock,
    }
    tests! { suite, ALL, transactions:
        each_of_many_commands_at_the_same_time_is_executed_once,
        a_command_that_fails_changes_nothing,
    }
    tests_of_diesel! { suite, ALL, diesel:
        blocking_functions_reserve_numbers,
        blocking_functions_drop_commands,
    }
    tests_of_sqlx! { suite, [Backend::Sqlite], diesel: connections_without_a_timeout_wait }
    tests_of_sqlx! { suite, [Backend::Sqlite], sea_orm: a_connection_without_a_pool_is_refused }
    tests_of_tasks! { suite, ALL, chaos: commands_are_executed_once_whatever_breaks }
    tests_of_diesel! { suite, ALL, chaos: threads_execute_commands_once_whatever_breaks }
    Ok(suite.run())
}
