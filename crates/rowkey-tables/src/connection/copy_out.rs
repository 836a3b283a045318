//! PostgreSQL's rows of COPY TO in binary.
//!
//! ```text
//! "PGCOPY\n\xff\r\n\0"  flags: 4  length: 4  extension
//! number of columns: 2  { length: 4, -1 for NULL  value }  ...
//! -1: 2
//! ```

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
/// The length of NULL.
const NULL: i32 = -1;

/// Bytes of the server, which may divide rows among messages in any way.
#[derive(Debug, Default)]
pub struct CopyOut {
    bytes: Vec<u8>,
    /// How many of them are done.
    done: usize,
    has_begun: bool,
    is_ended: bool,
}

/// The bytes are not in the form of COPY, or are of another number of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The values of a row; None is NULL.
#[derive(Clone, Debug)]
pub struct CopyRow<'b>(&'b [u8]);

impl CopyOut {
    /// Adds a message, and forgets the rows that were taken.
    pub fn add(&mut self, message: &[u8]) {
        self.bytes.drain(..self.done);
        self.done = 0;
        self.bytes.extend_from_slice(message);
    }

    /// Takes the next row, if all of it is there.
    pub fn next_row(&mut self, columns: usize) -> Result<Option<CopyRow<'_>>, Malformed> {
        if !self.has_begun && !self.begin()? {
            return Ok(None);
        }
        let rest = &self.bytes[self.done..];
        let Some((number, rest)) = rest.split_first_chunk() else {
            return Ok(None);
        };
        let number = i16::from_be_bytes(*number);
        if number == -1 {
            (self.done, self.is_ended) = (self.done + size_of::<i16>(), true);
            return Ok(None);
        }
        if usize::try_from(number) != Ok(columns) {
            return Err(Malformed);
        }
        Ok(row_length(rest, columns)?.map(|length| {
            self.done += size_of::<i16>() + length;
            CopyRow(&rest[..length])
        }))
    }

    /// Whether the server has said that there are no more rows.
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Takes the header, if all of it is there.
    fn begin(&mut self) -> Result<bool, Malformed> {
        let Some(length) = header_length(&self.bytes) else {
            return Ok(false);
        };
        if !self.bytes.starts_with(SIGNATURE) {
            return Err(Malformed);
        }
        (self.done, self.has_begun) = (length, true);
        Ok(true)
    }
}

impl<'b> Iterator for CopyRow<'b> {
    type Item = Option<&'b [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let (length, rest) = self.0.split_first_chunk()?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            self.0 = rest;
            return Some(None);
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Some(value))
    }
}

/// The length of the header, if all of it is there.
fn header_length(bytes: &[u8]) -> Option<usize> {
    let length = SIGNATURE.len() + 4;
    let extension = bytes.get(length..)?.first_chunk()?;
    let length = length + 4 + u32::from_be_bytes(*extension) as usize;
    (bytes.len() >= length).then_some(length)
}

/// The length of the values of a row, if all of them are there.
fn row_length(bytes: &[u8], columns: usize) -> Result<Option<usize>, Malformed> {
    let mut place = 0;
    for _ in 0..columns {
        let Some(length) = bytes.get(place..).and_then(<[u8]>::first_chunk) else {
            return Ok(None);
        };
        place += length.len();
        place += match i32::from_be_bytes(*length) {
            NULL => 0,
            length => usize::try_from(length).map_err(|_| Malformed)?,
        };
    }
    Ok((bytes.len() >= place).then_some(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of two columns, the end, and a header with an extension of three bytes.
    fn stream() -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 3, 7, 7, 7]);
        bytes.extend([0, 2, 0, 0, 0, 2, b'a', b'b', 0xff, 0xff, 0xff, 0xff]);
        bytes.extend([0, 2, 0, 0, 0, 0, 0, 0, 0, 1, b'c']);
        bytes.extend([0xff, 0xff]);
        bytes
    }

    type Rows = Vec<Vec<Option<Vec<u8>>>>;

    fn rows(messages: &[&[u8]], columns: usize) -> Result<(Rows, bool), Malformed> {
        let (mut copy, mut rows) = (CopyOut::default(), Vec::new());
        for message in messages {
            copy.add(message);
            while let Some(row) = copy.next_row(columns)? {
                rows.push(row.map(|value| value.map(<[u8]>::to_vec)).collect());
            }
        }
        Ok((rows, copy.is_ended()))
    }

    #[test]
    fn messages_divide_rows_in_any_way() {
        let bytes = stream();
        let expected = vec![
            vec![Some(b"ab".to_vec()), None],
            vec![Some(Vec::new()), Some(b"c".to_vec())],
        ];
        for first in 0..bytes.len() {
            for second in first..bytes.len() {
                let messages = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(rows(&messages, 2), Ok((expected.clone(), true)));
            }
        }
        let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(rows(&one_by_one, 2), Ok((expected, true)));
    }

    #[test]
    fn an_early_end_and_other_bytes_are_noticed() {
        let bytes = stream();
        for end in 0..bytes.len() {
            let (_, is_ended) = rows(&[&bytes[..end]], 2).unwrap();
            assert!(!is_ended, "{end}");
        }
        assert_eq!(rows(&[&bytes], 3), Err(Malformed));
        let null = bytes
            .windows(4)
            .position(|four| *four == NULL.to_be_bytes());
        let mut negative = bytes.clone();
        negative[null.unwrap() + 3] = 0xfe;
        assert_eq!(rows(&[&negative], 2), Err(Malformed));
        let mut other = bytes;
        other[0] = b'Q';
        assert_eq!(rows(&[&other], 2), Err(Malformed));
    }
}
