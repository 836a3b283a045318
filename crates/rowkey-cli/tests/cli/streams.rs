//! Lines in, lines out.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use crate::program::rowkey;

const ID: &str = "006474fb-c7aa-40fa-b346-06fe279621e5";
const HEX: &str = "006474FBC7AA40FAB34606FE279621E5";
const CONVERT: &str = "convert --format short-prefix-comb --from public --to hex";

#[test]
fn arguments_come_before_standard_input() {
    let output = rowkey(CONVERT).arg(ID).arg(ID).reading(b"x\n").ok();
    assert_eq!(output, format!("{HEX}\n{HEX}\n"));
    assert_eq!(rowkey(CONVERT).reading(b"").ok(), "");
}

#[test]
fn lines_end_with_lf_or_crlf_and_the_last_may_end_without() {
    for input in [
        format!("{ID}\n{ID}\n"),
        format!("{ID}\r\n{ID}\r\n"),
        format!("{ID}\r\n{ID}"),
    ] {
        assert_eq!(
            rowkey(CONVERT).reading(input.as_bytes()).ok(),
            format!("{HEX}\n{HEX}\n")
        );
    }
}

#[test]
fn a_bad_line_stops_with_its_number_after_the_answers_before_it() {
    for bad in ["x", "", " ", &format!("{ID}\r"), &format!(" {ID}")] {
        let finished = rowkey(CONVERT).reading(format!("{ID}\n{ID}\n{bad}\n{ID}\n").as_bytes());
        let answered = finished.output.lines().count();
        if bad.ends_with('\r') {
            assert_eq!((finished.code, answered), (0, 4));
            continue;
        }
        assert!(
            finished.bad_input().starts_with("error: line 3: "),
            "{bad:?}"
        );
        assert_eq!(finished.output, format!("{HEX}\n{HEX}\n"));
    }
}

#[test]
fn a_bad_argument_stops_with_its_number() {
    let finished = rowkey(CONVERT).arg(ID).arg("x").arg(ID).run();
    assert!(finished.bad_input().starts_with("error: argument 2: "));
    assert_eq!(finished.output, format!("{HEX}\n"));
}

#[test]
fn keep_going_prints_empty_lines_for_bad_ones() {
    for json in ["", " --json"] {
        let finished = rowkey(&format!("{CONVERT} --keep-going{json}"))
            .reading(format!("x\n{ID}\n\n{ID}\nx").as_bytes());
        assert_eq!(finished.code, 1);
        let is_answered: Vec<_> = finished
            .output
            .lines()
            .map(|line| !line.is_empty())
            .collect();
        assert_eq!(is_answered, [false, true, false, true, false]);
        let places: Vec<_> = finished
            .errors
            .lines()
            .map(|line| line.split(": ").nth(1).unwrap())
            .collect();
        assert_eq!(places, ["line 1", "line 3", "line 5"]);
    }
    assert_eq!(
        rowkey(&format!("{CONVERT} --keep-going"))
            .arg(ID)
            .run()
            .ok(),
        format!("{HEX}\n")
    );
}

#[test]
fn lines_that_are_not_utf8_are_bad_input() {
    let mut input = format!("{ID}\n").into_bytes();
    input.extend(b"00\xff\xfe\n");
    input.extend(ID.as_bytes());
    let finished = rowkey(CONVERT).reading(&input);
    assert!(
        finished
            .bad_input()
            .starts_with("error: line 2: expected ASCII text: the byte at position 2")
    );
    let finished = rowkey(&format!("{CONVERT} --keep-going")).reading(&input);
    assert_eq!(finished.output, format!("{HEX}\n\n{HEX}\n"));
    finished.bad_input();
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_bad_input() {
    use std::os::unix::ffi::OsStrExt;
    let finished = rowkey(CONVERT)
        .arg(std::ffi::OsStr::from_bytes(b"\xff"))
        .run();
    assert!(
        finished
            .bad_input()
            .starts_with("error: argument 1: expected ASCII text")
    );
}

#[test]
fn control_characters_of_bad_lines_do_not_reach_the_terminal() {
    let finished = rowkey(CONVERT)
        .arg("006474fb-c7aa-40fa-b346-06fe279621\u{1b}[")
        .run();
    assert!(
        finished.bad_input().contains(r"'\u{1b}' at position 34"),
        "{}",
        finished.errors
    );
}

#[test]
fn endless_lines_are_bad_input() {
    let mut input = vec![b'0'; 10_000_000];
    input.extend(format!("\n{ID}\n").as_bytes());
    let finished = rowkey(&format!("{CONVERT} --keep-going")).reading(&input);
    assert_eq!(finished.output, format!("\n{HEX}\n"));
    assert!(
        finished
            .bad_input()
            .starts_with("error: line 1: expected an id: found more than")
    );
}

#[test]
fn a_closed_output_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rowkey"))
        .args(["new", "--format", "uuid-v4", "-n", "100000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut first).unwrap();
    drop(output);
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), errors.as_str()),
        (Some(0), "")
    );
    assert_eq!(first.len(), 37);
}

#[test]
fn input_that_arrives_line_by_line_is_answered_line_by_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rowkey"))
        .args(CONVERT.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        questions.write_all(format!("{ID}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(answer.trim_end(), HEX);
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

#[test]
fn many_lines_keep_their_order() {
    let ids = rowkey("new --format distributed-id --at 1700000000000 -n 50000")
        .run()
        .ok();
    let hex = rowkey("convert --format distributed-id --from public --to hex")
        .reading(ids.as_bytes())
        .ok();
    let back = rowkey("convert --format distributed-id --from hex --to public")
        .reading(hex.as_bytes())
        .ok();
    assert_eq!(back, ids);
}

#[test]
fn convert_prints_input_and_result_as_json() {
    let output = rowkey(&format!("{CONVERT} --json")).arg(ID).run().ok();
    insta::assert_snapshot!(output.trim_end(), @r#"{"id":"006474fb-c7aa-40fa-b346-06fe279621e5","result":"006474FBC7AA40FAB34606FE279621E5"}"#);
    assert_eq!(
        rowkey(&format!("--json {CONVERT}")).arg(ID).run().ok(),
        output
    );
}
