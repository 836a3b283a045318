//! Lines of standard input, one at a time and in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

use crate::failure::Failure;

/// Far more than any id needs; only names for `crc12` can be long.
const LONGEST: usize = 64 * 1024;

/// Some editors write it at the start of a UTF-8 file. It is not part of the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads lines that end in `\n` or `\r\n`; the last one needs no line ending. A byte-order mark at
/// the start of the first is skipped.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    is_first: bool,
}

/// Why a line or an argument cannot be read as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is not UTF-8.
    NotUtf8 {
        /// Valid bytes before the first wrong one.
        position: usize,
    },
    /// It is longer than [`LONGEST`].
    TooLong,
}

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::NotUtf8 { position } => Self::bad_input(
                format_args!("expected ASCII text: the byte at position {position} is not UTF-8"),
                "convert the input to UTF-8 first",
            ),
            Unreadable::TooLong => Self::bad_input(
                format_args!(
                    "expected an id: found more than {LONGEST} bytes without an end of line"
                ),
                "give one id per line",
            ),
        }
    }
}

impl<R: Read> Lines<R> {
    /// The lines of `reader`.
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::with_capacity(64),
            is_first: true,
        }
    }

    /// Whether reading the next line may block.
    pub(crate) fn may_wait(&self) -> bool {
        !self.reader.buffer().contains(&b'\n')
    }

    /// The next line without its end, or `None` after the last.
    pub(crate) fn next(&mut self) -> io::Result<Option<Result<&str, Unreadable>>> {
        self.line.clear();
        let limit = (BYTE_ORDER_MARK.len() + LONGEST + 2) as u64;
        if self
            .reader
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut self.line)?
            == 0
        {
            return Ok(None);
        }
        let complete = self.line.pop_if(|byte| *byte == b'\n').is_some();
        if complete {
            self.line.pop_if(|byte| *byte == b'\r');
        }
        if std::mem::take(&mut self.is_first) && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
            if self.line.is_empty() && !complete {
                return Ok(None);
            }
        }
        if self.line.len() > LONGEST {
            if !complete {
                self.reader.skip_until(b'\n')?;
            }
            return Ok(Some(Err(Unreadable::TooLong)));
        }
        Ok(Some(std::str::from_utf8(&self.line).map_err(|error| {
            Unreadable::NotUtf8 {
                position: error.valid_up_to(),
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Result<String, Unreadable>> {
        let mut lines = Lines::new(input);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line.map(str::to_owned));
        }
        all
    }

    #[test]
    fn either_line_ending_is_taken_off_and_the_last_line_needs_none() {
        let expected = ["a", "b", "", "c\r"].map(|line| Ok(line.to_owned()));
        assert_eq!(lines(b"a\r\nb\n\nc\r"), expected);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), [Ok(String::new())]);
    }

    #[test]
    fn a_line_that_is_not_utf8_does_not_disturb_the_next() {
        let expected = [Err(Unreadable::NotUtf8 { position: 1 }), Ok("b".into())];
        assert_eq!(lines(b"a\xff\nb\n"), expected);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_only_in_the_first_line() {
        let marked = ["a", "\u{feff}b"].map(|line| Ok(line.to_owned()));
        assert_eq!(lines("\u{feff}a\n\u{feff}b".as_bytes()), marked);
        assert_eq!(lines("\u{feff}\n".as_bytes()), [Ok(String::new())]);
        assert_eq!(lines("\u{feff}".as_bytes()), []);
    }

    #[test]
    fn a_line_beyond_the_limit_is_skipped_in_bounded_memory() {
        let mut input = vec![b'x'; LONGEST];
        input.extend(b"\r\n");
        input.extend(vec![b'x'; LONGEST + 1]);
        input.extend(b"\nok\n");
        input.extend(vec![b'x'; 40 * LONGEST]);
        input.extend(b"\nend\n");
        let mut lines = Lines::new(&input[..]);
        assert_eq!(lines.next().unwrap().unwrap().map(str::len), Ok(LONGEST));
        assert_eq!(lines.next().unwrap(), Some(Err(Unreadable::TooLong)));
        assert_eq!(lines.next().unwrap(), Some(Ok("ok")));
        assert_eq!(lines.next().unwrap(), Some(Err(Unreadable::TooLong)));
        assert_eq!(lines.next().unwrap(), Some(Ok("end")));
        assert_eq!(lines.next().unwrap(), None);
        assert!(lines.line.capacity() < 3 * LONGEST);
    }
}
