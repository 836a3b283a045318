//! The pages about existing columns, `docs/src/adoption/*.md`: each of their SQL blocks runs, on
//! tables that are as the pages say.
//!
//! A list below names the scenarios of a backend, each with the blocks that it covers: it fails
//! unless they have run, without a change and without an error. `every_block_has_a_scenario`
//! compares the lists with the pages.

mod byte_order;
mod combs;
mod copies;
mod digits;
mod keys;
mod letter_case;
mod mariadb;
mod orders;
mod other_makers;
mod page_session;
mod postgres;
mod recognise;
mod references;
mod updates;
mod values;
mod wrong_declarations;

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use rowkey::Backend;
use rowkey::storage::Storage;
use sqlx::{MySql, Postgres, Sqlite};

use self::page_session::PageSession;
use crate::book;
use crate::driver::{Assumption, Driver};
use crate::drivers::sqlx::Sqlx;
use crate::drivers::tiberius::Tiberius;
use crate::scenario::Scenario;

/// A scenario, and the blocks that it covers.
struct PageScenario<D: Driver> {
    blocks: &'static [&'static str],
    scenario: Scenario<D>,
}

macro_rules! scenarios {
    ($($module:ident::$scenario:ident => [$($block:literal),* $(,)?]),* $(,)?) => {
        vec![$(PageScenario {
            blocks: &[$($block),*],
            scenario: Scenario::new(concat!("adoption_", stringify!($scenario)), |session| {
                Box::pin(async move {
                    let mut session = PageSession::new(session);
                    $module::$scenario(&mut session).await?;
                    session.ensure_has_run(&[$($block),*])
                })
            }),
        }),*]
    };
}

fn on_postgres() -> Vec<PageScenario<Sqlx<Postgres>>> {
    scenarios![
        recognise::versions_are_counted => ["order-ids", "count-versions"],
        recognise::ids_of_any_column_are_shown => ["find-other-digits"],
        recognise::clocks_are_found => ["find-clock"],
        recognise::counters_are_found => ["find-counter"],
        byte_order::byte_orders_are_recognised => ["find-version-digit"],
        byte_order::net_bytes_are_put_in_order => ["net-bytes-in-order"],
        letter_case::other_letter_cases_are_refused_and_not_found => ["letter-case", "text-to-lower-case"],
        letter_case::text_is_declared_by_its_case => [],
        references::constraints_keep_their_actions => [
            "find-references", "find-orphans", "with-lines",
        ],
        updates::other_columns_are_left_alone => [],
        combs::suffix_combs_get_their_time_in_front => ["suffix-to-prefix", "short-suffix-to-prefix"],
        combs::time_ranges_leave_out_old_random_ids => [],
        postgres::postgres_text_becomes_uuid => ["find-other-text", "text-to-uuid"],
        postgres::postgres_bytes_become_uuid => ["bytea-to-uuid"],
        postgres::postgres_conversions_keep_constraints => [],
    ]
}

fn on_mysql() -> Vec<PageScenario<Sqlx<MySql>>> {
    scenarios![
        recognise::versions_are_counted => ["order-ids", "count-versions"],
        recognise::ids_of_any_column_are_shown => ["find-other-digits"],
        recognise::clocks_are_found => ["find-clock"],
        recognise::counters_are_found => ["find-counter"],
        byte_order::byte_orders_are_recognised => ["find-version-digit"],
        byte_order::net_bytes_are_put_in_order => ["net-bytes-in-order"],
        byte_order::time_bytes_are_put_in_order => ["time-bytes-in-order"],
        letter_case::other_letter_cases_are_refused_and_not_found => ["letter-case", "text-to-lower-case"],
        letter_case::text_is_declared_by_its_case => [],
        letter_case::collations_decide_about_letter_case => [],
        references::constraints_keep_their_actions => [
            "find-references", "find-orphans", "with-lines", "commit-lines",
        ],
        references::orphans_are_found => [],
        updates::updates_keep_the_time => [],
        updates::other_columns_are_left_alone => [],
        combs::suffix_combs_get_their_time_in_front => ["suffix-to-prefix", "short-suffix-to-prefix"],
        combs::time_ranges_leave_out_old_random_ids => [],
        copies::mysql_text_becomes_binary => [
            "find-other-text", "text-to-binary", "compare-tables", "exchange-tables",
        ],
        copies::bad_text_loses_no_row => [],
        wrong_declarations::mysql_columns_take_wrong_ids => [],
    ]
}

/// What only MariaDB runs.
fn on_mariadb() -> Vec<PageScenario<Sqlx<MySql>>> {
    scenarios![
        mariadb::uuids_are_read_as_they_are => ["prefix-to-suffix", "short-prefix-to-suffix"],
        mariadb::uuids_become_binary => ["uuid-to-binary", "compare-with-originals"],
        mariadb::damaged_uuids_are_found => ["find-damaged"],
        wrong_declarations::mariadb_columns_take_wrong_ids => [],
    ]
}

fn on_sqlite() -> Vec<PageScenario<Sqlx<Sqlite>>> {
    scenarios![
        recognise::versions_are_counted => ["order-ids", "count-versions"],
        recognise::ids_of_any_column_are_shown => ["find-other-digits"],
        recognise::clocks_are_found => ["find-clock"],
        byte_order::byte_orders_are_recognised => ["find-version-digit"],
        byte_order::net_bytes_are_put_in_order => ["net-bytes-in-order"],
        letter_case::other_letter_cases_are_refused_and_not_found => ["letter-case", "text-to-lower-case"],
        letter_case::text_is_declared_by_its_case => [],
        references::constraints_keep_their_actions => [
            "find-references", "find-orphans", "with-lines", "commit-lines",
        ],
        updates::other_columns_are_left_alone => [],
        combs::suffix_combs_get_their_time_in_front => ["suffix-to-prefix", "short-suffix-to-prefix"],
        combs::time_ranges_leave_out_old_random_ids => [],
        copies::sqlite_text_becomes_blob => [
            "count-types", "find-other-text", "find-definitions", "text-to-blob",
            "compare-tables", "exchange-tables",
        ],
        copies::bad_text_loses_no_row => [],
        digits::sqlite_digits_are_padded => ["pad-digits", "find-other-numbers"],
        digits::sqlite_numbers_are_found => ["find-damaged"],
        wrong_declarations::sqlite_columns_take_wrong_ids => [],
    ]
}

fn on_sql_server() -> Vec<PageScenario<Tiberius>> {
    scenarios![other_makers::makers_of_guids_are_counted => ["count-makers"]]
}

pub(crate) fn postgres() -> Vec<Scenario<Sqlx<Postgres>>> {
    with_check(on_postgres())
}

pub(crate) fn mysql(backend: Backend) -> Vec<Scenario<Sqlx<MySql>>> {
    let mut scenarios = with_check(on_mysql());
    if backend == Backend::MariaDb {
        scenarios.extend(on_mariadb().into_iter().map(|own| own.scenario));
    }
    scenarios
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlx<Sqlite>>> {
    with_check(on_sqlite())
}

pub(crate) fn sql_server() -> Vec<Scenario<Tiberius>> {
    let mut scenarios = with_check(on_sql_server());
    scenarios.push(
        Scenario::new("adoption_guids_of_other_makers_are_in_order", |session| {
            Box::pin(other_makers::guids_of_other_makers_are_in_order(session))
        })
        .assuming(Assumption::OrderOf(Storage::Uuid)),
    );
    scenarios
}

fn with_check<D: Driver>(scenarios: Vec<PageScenario<D>>) -> Vec<Scenario<D>> {
    let check = Scenario::new("adoption_every_block_has_a_scenario", |session| {
        let backend = session.backend();
        Box::pin(async move { every_block_has_a_scenario(backend) })
    });
    let scenarios = scenarios.into_iter().map(|own| own.scenario);
    scenarios.chain([check]).collect()
}

/// The lists name the blocks of a backend, no others and none twice.
fn every_block_has_a_scenario(backend: Backend) -> Result<()> {
    book::ensure_no_other_page_has_sql()?;
    fn names<D: Driver>(scenarios: Vec<PageScenario<D>>) -> Vec<&'static str> {
        scenarios
            .iter()
            .flat_map(|own| own.blocks)
            .copied()
            .collect()
    }
    let listed = match backend {
        Backend::Postgres => names(on_postgres()),
        Backend::MySql => names(on_mysql()),
        Backend::MariaDb => [names(on_mysql()), names(on_mariadb())].concat(),
        Backend::Sqlite => names(on_sqlite()),
        Backend::SqlServer => names(on_sql_server()),
    };
    let mut on_pages = Vec::new();
    let pages = book::PAGES.into_iter();
    for (_, page) in pages.filter(|(path, _)| path.starts_with("adoption/")) {
        let blocks = book::blocks(page)?;
        let own = blocks
            .iter()
            .filter(|block| book::dialects(backend).contains(&block.dialect));
        on_pages.extend(own.map(|block| block.name));
    }
    for names in [&listed, &on_pages] {
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        ensure!(
            distinct.len() == names.len(),
            "a block is there twice: {names:?}"
        );
    }
    let (listed, on_pages) = (BTreeSet::from_iter(listed), BTreeSet::from_iter(on_pages));
    let without_scenario: Vec<_> = on_pages.difference(&listed).collect();
    let not_on_pages: Vec<_> = listed.difference(&on_pages).collect();
    ensure!(
        without_scenario.is_empty(),
        "no scenario answers for {without_scenario:?}"
    );
    ensure!(not_on_pages.is_empty(), "no page has {not_on_pages:?}");
    Ok(())
}
