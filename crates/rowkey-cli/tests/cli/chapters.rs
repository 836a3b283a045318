//! The commands of the chapters in `docs` print what they say.

use crate::program::rowkey;

/// What the chapters have in the environment variable `BOOKING_PUBLIC_ID_KEY`.
const KEY: &str = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";

/// Runs every command of a chapter that has so many of them.
#[track_caller]
fn commands_print_what_the_chapter_says(chapter: &str, expected_commands: usize) {
    let blocks = chapter.split("```console\n").skip(1);
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
fn of_the_chapter_about_existing_columns() {
    let chapter = include_str!("../../../../docs/src/adoption.md");
    commands_print_what_the_chapter_says(chapter, 5);
}

#[test]
fn of_the_chapter_about_ids_that_clients_make() {
    let chapter = include_str!("../../../../docs/src/clients-make-the-ids.md");
    commands_print_what_the_chapter_says(chapter, 3);
}

#[test]
fn of_the_chapter_about_support() {
    let chapter = include_str!("../../../../docs/src/support-has-an-id.md");
    commands_print_what_the_chapter_says(chapter, 15);
}

#[test]
fn of_the_chapter_about_hidden_ids() {
    let chapter = include_str!("../../../../docs/src/hide-ids-from-the-public.md");
    commands_print_what_the_chapter_says(chapter, 3);
}

#[test]
fn of_the_readme() {
    commands_print_what_the_chapter_says(include_str!("../../README.md"), 2);
}

#[test]
fn of_the_chapter_about_the_command_line() {
    let chapter = include_str!("../../../../docs/src/command-line.md");
    commands_print_what_the_chapter_says(chapter, 4);
}
