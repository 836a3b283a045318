//! The commands of the chapter about existing columns print what it says.

use crate::program::rowkey;

const CHAPTER: &str = include_str!("../../../../docs/adoption.md");

#[test]
fn commands_of_the_chapter_print_what_it_says() {
    let blocks = CHAPTER.split("```console\n").skip(1);
    let mut commands = 0;
    for block in blocks {
        let (block, _) = block.split_once("```").expect("each block has an end");
        for run in block.split("$ rowkey ").skip(1) {
            let (arguments, expected) = run.split_once('\n').expect("a command is a line");
            let finished = rowkey(arguments).run();
            assert_eq!(finished.output + &finished.errors, expected, "{arguments}");
            commands += 1;
        }
    }
    assert!(commands >= 5, "{commands} commands");
}
