//! Messages that are the same in constants and at run time, and text comparison in constants.

use core::fmt;

/// A message in parts: `Display` for errors, [`panic`](Self::panic) for constants.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    parts: [Part<'a>; 9],
    len: usize,
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Text(&'a str),
    Quoted(&'a str),
    Number(u8),
    Group(u16),
}

impl<'a> Message<'a> {
    pub(crate) const fn of(text: &'a str) -> Self {
        Self {
            parts: [Part::Text(text); 9],
            len: 1,
        }
    }

    pub(crate) const fn text(self, text: &'a str) -> Self {
        self.and(Part::Text(text))
    }

    /// Text with quotes around it and white space made visible, as `{:?}` writes it.
    pub(crate) const fn quoted(self, text: &'a str) -> Self {
        self.and(Part::Quoted(text))
    }

    pub(crate) const fn number(self, number: u8) -> Self {
        self.and(Part::Number(number))
    }

    /// Three hexadecimal digits.
    pub(crate) const fn group(self, group: u16) -> Self {
        self.and(Part::Group(group))
    }

    const fn and(mut self, part: Part<'a>) -> Self {
        self.parts[self.len] = part;
        self.len += 1;
        self
    }

    #[track_caller]
    pub(crate) const fn panic(&self) -> ! {
        // A constant has no `format!`, and its buffers have fixed sizes.
        if self.max_len() <= 1 << 10 {
            self.panic_within::<{ 1 << 10 }>()
        } else {
            self.panic_within::<{ 1 << 16 }>()
        }
    }

    const fn max_len(&self) -> usize {
        let mut len = 0;
        let mut index = 0;
        while index < self.len {
            len += match self.parts[index] {
                Part::Text(text) => text.len(),
                Part::Quoted(text) => 2 * text.len() + 2,
                Part::Number(_) | Part::Group(_) => 3,
            };
            index += 1;
        }
        len
    }

    #[track_caller]
    const fn panic_within<const SIZE: usize>(&self) -> ! {
        let mut line = Line::<SIZE>::EMPTY;
        let mut index = 0;
        while index < self.len {
            match self.parts[index] {
                Part::Text(text) => line.text(text),
                Part::Quoted(text) => line.quoted(text),
                Part::Number(number) => line.number(number),
                Part::Group(group) => line.group(group),
            }
            index += 1;
        }
        panic!("{}", line.as_str());
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts[..self.len] {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Quoted(text) => write!(f, "{text:?}")?,
                Part::Number(number) => write!(f, "{number}")?,
                Part::Group(group) => write!(f, "{group:03x}")?,
            }
        }
        Ok(())
    }
}

/// Text of at most `SIZE` bytes.
struct Line<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: usize,
}

impl<const SIZE: usize> Line<SIZE> {
    const EMPTY: Self = Self {
        bytes: [0; SIZE],
        len: 0,
    };

    /// Appends text, or as many whole characters of it as fit.
    const fn text(&mut self, text: &str) {
        let (_, free) = self.bytes.split_at_mut(self.len);
        let mut fitting = if text.len() < free.len() {
            text.len()
        } else {
            free.len()
        };
        while !text.is_char_boundary(fitting) {
            fitting -= 1;
        }
        let (written, _) = free.split_at_mut(fitting);
        written.copy_from_slice(text.as_bytes().split_at(fitting).0);
        self.len += fitting;
    }

    /// As `{:?}`, except for white space and control characters other than tabs and line ends.
    const fn quoted(&mut self, text: &str) {
        self.text("\"");
        let mut rest = text;
        while !rest.is_empty() {
            let mut len = 1;
            while !rest.is_char_boundary(len) {
                len += 1;
            }
            let (character, others) = rest.split_at(len);
            self.text(match character.as_bytes() {
                b"\"" => "\\\"",
                b"\\" => "\\\\",
                b"\t" => "\\t",
                b"\n" => "\\n",
                b"\r" => "\\r",
                _ => character,
            });
            rest = others;
        }
        self.text("\"");
    }

    const fn number(&mut self, number: u8) {
        let digits = [
            b'0' + number / 100,
            b'0' + number / 10 % 10,
            b'0' + number % 10,
        ];
        let zeros = match number {
            0..10 => 2,
            10..100 => 1,
            _ => 0,
        };
        self.ascii(digits.split_at(zeros).1);
    }

    const fn group(&mut self, group: u16) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.ascii(&[
            DIGITS[(group >> 8 & 0xf) as usize],
            DIGITS[(group >> 4 & 0xf) as usize],
            DIGITS[(group & 0xf) as usize],
        ]);
    }

    const fn ascii(&mut self, digits: &[u8]) {
        if let Ok(digits) = core::str::from_utf8(digits) {
            self.text(digits);
        }
    }

    const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // Only whole characters are in it.
            Err(_) => "",
        }
    }
}

/// `==` of text, for constants.
pub(crate) const fn equal(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    // From the end, because many names begin with the same words. Without calls, which the compiler
    // counts in constants.
    while let ([before_a @ .., last_a], [before_b @ .., last_b]) = (a, b) {
        if *last_a != *last_b {
            return false;
        }
        (a, b) = (before_a, before_b);
    }
    true
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::string::{String, ToString};
    use std::panic::catch_unwind;

    use super::Message;

    fn panicked(message: Message<'static>) -> String {
        let stopped = catch_unwind(|| message.panic()).unwrap_err();
        stopped
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_default()
    }

    #[test]
    fn a_constant_says_the_same_as_a_running_program() {
        for message in [
            Message::of("").quoted(" Brazil\t\"\\\r\n"),
            Message::of("").quoted("").text(" é"),
            Message::of("n ")
                .number(0)
                .number(7)
                .number(10)
                .number(99)
                .number(100)
                .number(255),
            Message::of("g ")
                .group(0)
                .group(0xf)
                .group(0x1dd)
                .group(0xfff),
        ] {
            assert_eq!(panicked(message), message.to_string());
        }
    }
}
