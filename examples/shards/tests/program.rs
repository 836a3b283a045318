//! The program runs with its own configuration, and says what is wrong with another.

use std::fs;
use std::process::{Command, Output};

fn run(configuration: Option<&str>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_shards"));
    let file = configuration.map(|text| {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        file
    });
    program.args(file.as_ref().map(|file| file.path()));
    program.output().unwrap()
}

#[test]
fn bookings_are_found_before_and_after_the_move() {
    let output = run(None);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let [oslo, madrid, moved] = lines[..] else {
        panic!("{text}");
    };
    assert!(
        oslo.ends_with("Some(\"Fjords in winter\"), partition 0 of region 578"),
        "{oslo}"
    );
    assert!(
        madrid.ends_with("Some(\"The Prado at night\"), partition 0 of region 724"),
        "{madrid}"
    );
    assert!(
        moved.ends_with("Some(\"The Prado at night\"), now in `north`"),
        "{moved}"
    );
    // The same id, which ends with its shard key: the lowest byte comes first.
    let id = |line: &str| line.split_once(": ").map(|(id, _)| id.to_owned());
    assert_eq!(id(madrid), id(moved));
    assert!(id(madrid).unwrap().ends_with("000000b5"), "{madrid}");
}

#[test]
fn a_configuration_that_is_wrong_is_refused_with_the_place() {
    let configuration = include_str!("../shards.toml");
    let overlap = configuration.replace("to = 578", "to = 724");
    let output = run(Some(&overlap));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    let expected = "Error: routes 1 and 2 overlap: both have partition 0 of region 724";
    assert_eq!(error.lines().next(), Some(expected));
}
