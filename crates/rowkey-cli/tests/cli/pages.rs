//! The commands in the book print what the book shows.

use crate::program::rowkey;

/// The value of the environment variable `BOOKING_PUBLIC_ID_KEY` on the pages.
const KEY: &str = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";

/// Runs every command of a page and checks their number.
#[track_caller]
fn commands_print_what_the_page_shows(page: &str, expected_commands: usize) {
    let blocks = page.split("```console\n").skip(1);
    let mut commands = 0;
    for block in blocks {
        let (block, _) = block.split_once("```").expect("each block has an end");
        for run in block.split("$ rowkey ").skip(1) {
            let (arguments, expected) = run.split_once('\n').expect("a command is a line");
            let finished = rowkey(arguments).env("BOOKING_PUBLIC_ID_KEY", KEY).run();
            assert_eq!(finished.output + &finished.errors, expected, "{arguments}");
            commands += 1;
        }
    }
    assert_eq!(commands, expected_commands);
}

#[test]
fn of_the_page_about_existing_columns_in_sql_server() {
    let page = include_str!("../../../../docs/src/adoption/sql-server.md");
    commands_print_what_the_page_shows(page, 1);
}

#[test]
fn of_the_page_about_a_fragmented_index() {
    let page = include_str!("../../../../docs/src/adoption/fragmented-index.md");
    commands_print_what_the_page_shows(page, 2);
}

#[test]
fn of_the_page_about_ids_that_clients_make() {
    let page = include_str!("../../../../docs/src/clients-make-the-ids.md");
    commands_print_what_the_page_shows(page, 2);
}

#[test]
fn of_the_page_about_support() {
    let page = include_str!("../../../../docs/src/support-has-an-id.md");
    commands_print_what_the_page_shows(page, 9);
}

#[test]
fn of_the_page_about_hidden_ids() {
    let page = include_str!("../../../../docs/src/hide-ids-from-the-public.md");
    commands_print_what_the_page_shows(page, 2);
}

#[test]
fn of_the_readme() {
    commands_print_what_the_page_shows(include_str!("../../README.md"), 2);
}

#[test]
fn of_the_page_about_the_command_line() {
    let page = include_str!("../../../../docs/src/command-line.md");
    commands_print_what_the_page_shows(page, 5);
}
