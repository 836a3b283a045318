//! Help, versions, completions and wrong usage.

use crate::program::rowkey;

const COMMANDS: [&str; 13] = [
    "new",
    "inspect",
    "convert",
    "validate",
    "sort",
    "public-id",
    "public-id encode",
    "public-id decode",
    "crc12",
    "range",
    "sql",
    "ddl",
    "completions",
];

#[test]
fn help_names_every_command_format_and_representation() {
    let help = rowkey("--help").run().ok();
    for command in COMMANDS.iter().filter(|command| !command.contains(' ')) {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
    }
    for name in [
        "short-prefix-comb",
        "distributed-id128",
        "any-uuid",
        "mariadb-uuid",
        "60s",
    ] {
        assert!(help.contains(name), "{name}");
    }
    for command in COMMANDS {
        for flag in ["--help", "-h"] {
            let help = rowkey(&format!("{command} {flag}")).run().ok();
            assert!(help.contains(&format!("Usage: rowkey {command}")), "{help}");
        }
    }
}

#[test]
fn the_version_is_printed() {
    let version = rowkey("--version").run().ok();
    assert_eq!(version, format!("rowkey {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_is_one_line_with_a_hint_and_exits_with_2() {
    for (arguments, problem) in [
        ("frobnicate", "frobnicate"),
        ("convert --format uuid-v7 --from public", "--to"),
        (
            "convert --format uuid-v8 --from public --to hex",
            "possible values",
        ),
        (
            "convert --format uuid-v7 --from public --to base64",
            "possible values",
        ),
        (
            "inspect --formt uuid-v7",
            "a similar argument exists: '--format'",
        ),
        ("public-id encode --type u64 5", "--key-file"),
        (
            "public-id encode --type text --key-env KEY 5",
            "possible values",
        ),
        ("completions tcsh", "possible values"),
        ("range --format uuid-v7 --from 0 --backend postgres", "--to"),
        (
            "range --format uuid-v7 --from 0 --to soon --backend postgres",
            "RFC 3339",
        ),
        ("new --keep-going --format uuid-v4", "--keep-going"),
    ] {
        let finished = rowkey(arguments).run();
        assert!(
            finished.wrong_usage().contains(problem),
            "{}",
            finished.errors
        );
    }
}

#[test]
fn without_a_command_the_help_is_shown_as_an_error() {
    for arguments in ["", "public-id"] {
        let finished = rowkey(arguments).run();
        assert_eq!((finished.code, finished.output.as_str()), (2, ""));
        assert!(finished.errors.contains("Usage: rowkey"));
    }
}

#[test]
fn completions_exist_for_the_usual_shells() {
    assert!(
        rowkey("completions bash")
            .run()
            .ok()
            .contains("short-prefix-comb")
    );
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = rowkey(&format!("completions {shell}")).run().ok();
        assert!(
            script.contains("rowkey") && script.contains("keep-going"),
            "{shell}"
        );
    }
}

#[test]
fn output_that_is_not_a_terminal_has_no_colour() {
    for arguments in ["inspect 5", "inspect x", "--help", "frobnicate"] {
        let finished = rowkey(arguments).run();
        assert!(!finished.output.contains('\u{1b}') && !finished.errors.contains('\u{1b}'));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_is_an_error() {
    for arguments in [
        "--help",
        "-h",
        "help",
        "--version",
        "help public-id encode",
        "new --help",
        "completions bash",
        "new --format uuid-v4",
        "inspect 5",
        "inspect --json 5",
        "convert --format uuid-v4 --from public --to hex 006474fb-c7aa-40fa-b346-06fe279621e5",
        "validate --format short-prefix-comb --past 30d --future 30d \
         006474fb-c7aa-40fa-b346-06fe279621e5",
        "sort --backend postgres 006474fb-c7aa-40fa-b346-06fe279621e5",
        "crc12 a",
        "range --format uuid-v7 --from 0 --to 1 --backend postgres",
        "range --format uuid-v7 --from 0 --to 0 --backend postgres",
    ] {
        let finished = rowkey(arguments).with_a_full_disk();
        let error = finished.bad_input();
        assert!(error.contains("the output cannot be written"), "{error}");
    }
    let key = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";
    for arguments in [
        "public-id encode --type u64 --key-env KEY 5",
        "public-id decode --type uuid --key-env KEY 30322474-a954-ffa9-941c-6f038afe4ff1",
    ] {
        let finished = rowkey(arguments).env("KEY", key).with_a_full_disk();
        finished.bad_input();
    }
}
