//! One run of the binary.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::Value;

/// A run under construction.
pub(crate) struct Rowkey {
    command: Command,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// `rowkey` with arguments separated by spaces.
pub(crate) fn rowkey(arguments: &str) -> Rowkey {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command.args(arguments.split_ascii_whitespace());
    command.env_remove("CLICOLOR_FORCE");
    Rowkey { command }
}

impl Rowkey {
    /// Adds one argument, which may contain spaces.
    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs without standard input.
    pub(crate) fn run(self) -> Finished {
        self.reading(b"")
    }

    /// Runs with these bytes on standard input.
    pub(crate) fn reading(mut self, input: &[u8]) -> Finished {
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = thread::scope(|scope| {
            scope.spawn(move || {
                // A run that stops early does not read all its input.
                let _ = stdin.write_all(input);
            });
            child.wait_with_output().unwrap()
        });
        Finished::of(output)
    }

    /// Runs with standard output going to a full disk, so the output is lost.
    #[cfg(target_os = "linux")]
    pub(crate) fn with_a_full_disk(mut self) -> Finished {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = self
            .command
            .stdin(Stdio::null())
            .stdout(full.unwrap())
            .output()
            .unwrap();
        Finished::of(output)
    }

    /// Runs with these lines on standard input.
    pub(crate) fn reading_lines(self, lines: &[impl AsRef<str>]) -> Finished {
        let input: String = lines
            .iter()
            .map(|line| format!("{}\n", line.as_ref()))
            .collect();
        self.reading(input.as_bytes())
    }
}

impl Finished {
    fn of(output: Output) -> Self {
        let finished = Self {
            code: output
                .status
                .code()
                .expect("the run is not ended by a signal"),
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!finished.errors.contains("panicked"), "{}", finished.errors);
        finished
    }

    /// The output of a successful run.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(
            (self.code, self.errors.as_str()),
            (0, ""),
            "{}",
            self.output
        );
        self.output
    }

    /// The output lines of a successful run.
    #[track_caller]
    pub(crate) fn lines(self) -> Vec<String> {
        self.ok().lines().map(str::to_owned).collect()
    }

    /// The JSON lines of a successful run.
    #[track_caller]
    pub(crate) fn json(self) -> Vec<Value> {
        self.ok()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The output lines of a run with `--keep-going`, `None` for refused ids.
    #[track_caller]
    pub(crate) fn answers(self) -> Vec<Option<String>> {
        let answers: Vec<_> = self
            .output
            .lines()
            .map(|line| (!line.is_empty()).then(|| line.to_owned()))
            .collect();
        let refused = answers.iter().filter(|answer| answer.is_none()).count();
        assert_eq!(self.errors.lines().count(), refused, "{}", self.errors);
        assert_eq!(self.code, i32::from(refused > 0));
        answers
    }

    /// The one error line of bad input.
    #[track_caller]
    pub(crate) fn bad_input(&self) -> &str {
        self.error(1)
    }

    /// The one error line of wrong usage; there is no output.
    #[track_caller]
    pub(crate) fn wrong_usage(&self) -> &str {
        assert_eq!(self.output, "");
        self.error(2)
    }

    #[track_caller]
    fn error(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.errors.lines().count(), 1, "{}", self.errors);
        let line = self.errors.trim_end_matches('\n');
        assert!(
            line.starts_with("error: ") && line.contains("(hint: "),
            "{line}"
        );
        line
    }
}
