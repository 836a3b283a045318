//! Processes ids from the arguments or from standard input, one after the other.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufWriter, Read, Write};

use clap::Args;
use serde::Serialize;

use crate::failure::{Failure, Outcome, Stop};
use crate::line::{Lines, Unreadable};

/// The ids that a command processes.
#[derive(Debug, Args)]
pub(crate) struct Ids {
    /// Ids; without any, they are read from standard input, one per line
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(crate) ids: Vec<OsString>,

    /// Continue after a bad id
    ///
    /// A bad id is reported on standard error, and an empty line is printed for it; the exit code
    /// is then 1.
    #[arg(long)]
    pub(crate) keep_going: bool,
}

/// The refusal of one id by a command.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// Why.
    failure: Failure,
    /// Whether the output has the answer for this id, so that the next one can follow.
    answered: bool,
}

impl Refusal {
    /// A refusal that the command has also written to its output.
    pub(crate) fn answered(failure: Failure) -> Self {
        Self {
            failure,
            answered: true,
        }
    }
}

impl<T: Into<Failure>> From<T> for Refusal {
    fn from(failure: T) -> Self {
        Self {
            failure: failure.into(),
            answered: false,
        }
    }
}

/// The output for a refused id with `--keep-going`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedLine {
    /// An empty line, so that the lines of output and input match.
    EmptyLine,
    /// Nothing, because the output has another order than the input.
    Nothing,
}

/// Processes one id: reads a text, appends whole lines to the output.
type Answer<'a> = &'a mut dyn FnMut(Result<&str, Unreadable>, &mut Vec<u8>) -> Result<(), Refusal>;

/// Writes the answers for all ids of a command to standard output, in their order.
///
/// Output is buffered in large blocks, but flushed before reading blocks: a program that sends ids
/// line by line gets its answers line by line.
pub(crate) fn answer_each(
    ids: &Ids,
    refused_line: RefusedLine,
    mut answer: impl FnMut(Result<&str, Unreadable>, &mut Vec<u8>) -> Result<(), Refusal>,
) -> Result<Outcome, Stop> {
    let mut stream = Stream {
        output: output(),
        report: Failure::report,
        answer: &mut answer,
        refused_line,
        keep_going: ids.keep_going,
    };
    if ids.ids.is_empty() {
        stream.lines(io::stdin().lock())
    } else {
        stream.arguments(&ids.ids)
    }
}

/// Standard output, locked and buffered. Flush it at the end: dropping it hides errors.
pub(crate) fn output() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(64 * 1024, io::stdout().lock())
}

/// Writes all of an answer.
pub(crate) fn print(answer: &[u8]) -> Result<(), Stop> {
    let mut output = output();
    output.write_all(answer)?;
    Ok(output.flush()?)
}

/// Appends a text as one line.
pub(crate) fn text_line(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
}

/// Appends a value as one line of JSON.
pub(crate) fn json_line(line: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory does not fail, and all map keys are strings.
    serde_json::to_writer(&mut *line, value).expect("the value has a JSON form");
    line.push(b'\n');
}

struct Stream<'a, W> {
    output: W,
    report: fn(&Failure),
    answer: Answer<'a>,
    refused_line: RefusedLine,
    keep_going: bool,
}

impl<W: Write> Stream<'_, W> {
    fn arguments(&mut self, ids: &[impl AsRef<OsStr>]) -> Result<Outcome, Stop> {
        let mut outcome = Outcome::Complete;
        let mut block = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let id = std::str::from_utf8(id.as_ref().as_encoded_bytes()).map_err(|error| {
                Unreadable::NotUtf8 {
                    position: error.valid_up_to(),
                }
            });
            let place = || format!("argument {}", index + 1);
            self.one(id, place, &mut block, &mut outcome)?;
        }
        self.output.flush()?;
        Ok(outcome)
    }

    fn lines(&mut self, input: impl Read) -> Result<Outcome, Stop> {
        let mut outcome = Outcome::Complete;
        let mut block = Vec::new();
        let mut lines = Lines::new(input);
        for number in 1_u64.. {
            if lines.may_wait() {
                self.output.flush()?;
            }
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    self.output.flush()?;
                    return Err(Stop::Failure(Failure::bad_input(
                        format_args!("line {number}: the input cannot be read: {error}"),
                        "check where standard input comes from",
                    )));
                }
            };
            let place = || format!("line {number}");
            self.one(line, place, &mut block, &mut outcome)?;
        }
        self.output.flush()?;
        Ok(outcome)
    }

    fn one(
        &mut self,
        id: Result<&str, Unreadable>,
        place: impl Fn() -> String,
        block: &mut Vec<u8>,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        block.clear();
        let Err(refusal) = (self.answer)(id, block) else {
            self.output.write_all(block)?;
            return Ok(());
        };
        if refusal.answered {
            self.output.write_all(block)?;
        } else if self.keep_going && self.refused_line == RefusedLine::EmptyLine {
            self.output.write_all(b"\n")?;
        }
        let failure = refusal.failure.at(place());
        if self.keep_going || refusal.answered {
            (self.report)(&failure);
            *outcome = Outcome::SomeBad;
            Ok(())
        } else {
            self.output.flush()?;
            Err(Stop::Failure(failure))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// Answers `x` with `x!`, refuses `bad`.
    fn shout(id: Result<&str, Unreadable>, line: &mut Vec<u8>) -> Result<(), Refusal> {
        match id? {
            "bad" => Err(Failure::bad_input("it is bad", "be good").into()),
            id => {
                line.extend(id.bytes().chain(*b"!\n"));
                Ok(())
            }
        }
    }

    fn run(
        input: &[u8],
        keep_going: bool,
        refused_line: RefusedLine,
    ) -> (String, Result<Outcome, Stop>) {
        let mut output = Vec::new();
        let result = Stream {
            output: &mut output,
            report: |_| (),
            answer: &mut shout,
            refused_line,
            keep_going,
        }
        .lines(input);
        (String::from_utf8(output).unwrap(), result)
    }

    #[test]
    fn answers_before_a_bad_line_are_written_and_the_error_has_its_number() {
        let (output, result) = run(b"a\nb\nbad\nc\n", false, RefusedLine::EmptyLine);
        assert_eq!(output, "a!\nb!\n");
        let Err(Stop::Failure(failure)) = result else {
            panic!("{result:?}")
        };
        assert_eq!(failure.message(), "line 3: it is bad");
    }

    #[test]
    fn keep_going_keeps_the_lines_aligned() {
        let (output, result) = run(b"a\nbad\nc", true, RefusedLine::EmptyLine);
        assert_eq!(output, "a!\n\nc!\n");
        assert!(matches!(result, Ok(Outcome::SomeBad)));
        assert_eq!(run(b"a\nbad\nc", true, RefusedLine::Nothing).0, "a!\nc!\n");
    }

    #[test]
    fn answers_are_written_before_reading_blocks() {
        /// Records the length of the output at each read.
        struct Slow<'a> {
            chunks: std::vec::IntoIter<&'a [u8]>,
            output: Rc<RefCell<Vec<u8>>>,
            seen: Rc<RefCell<Vec<usize>>>,
        }
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.seen.borrow_mut().push(self.output.borrow().len());
                let Some(chunk) = self.chunks.next() else {
                    return Ok(0);
                };
                buffer[..chunk.len()].copy_from_slice(chunk);
                Ok(chunk.len())
            }
        }
        struct Shared(Rc<RefCell<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.borrow_mut().write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (output, seen) = (Rc::default(), Rc::new(RefCell::new(Vec::new())));
        let chunks = vec![&b"a\n"[..], b"b\nc", b"d\n"].into_iter();
        let input = Slow {
            chunks,
            output: Rc::clone(&output),
            seen: Rc::clone(&seen),
        };
        let writer = BufWriter::new(Shared(output));
        let mut stream = Stream {
            output: writer,
            report: |_| (),
            answer: &mut shout,
            refused_line: RefusedLine::EmptyLine,
            keep_going: false,
        };
        stream.lines(input).unwrap();
        assert_eq!(*seen.borrow(), [0, 3, 6, 10]);
    }
}
