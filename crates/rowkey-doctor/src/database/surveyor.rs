//! The thread that surveys rows while the connection reads the next ones.

use std::mem;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use rowkey_core::UnixMillis;
use rowkey_tables::Error;
use rowkey_tables::connection::{Held, SCANNED};

use crate::database::source::ColumnKind;
use crate::values::observation::{Observation, StoredValue};
use crate::values::survey::Survey;

/// How many batches wait for the thread. If it were woken for each batch of few rows, it would
/// often wait for the processor of the thread that reads.
const WAITING: usize = 8;

/// Rows of a batch, unless their values are long.
const ROWS: usize = 4_000;

/// Bytes after which a batch is full.
const BYTES: usize = 1 << 16;

/// Takes rows, and hands them to the thread in batches.
pub(crate) struct Surveyor {
    batch: Batch,
    batches: SyncSender<Batch>,
    thread: JoinHandle<Survey>,
    rows: u64,
}

impl Surveyor {
    /// Starts the thread, for rows of a column of some kind.
    pub(crate) fn start(survey: Survey, kind: ColumnKind) -> Result<Self, Error> {
        let (batches, received) = sync_channel(WAITING);
        let thread = Builder::new()
            .name("rowkey-surveyor".into())
            .spawn(move || run(survey, kind, &received))
            .map_err(Error::database("starting a thread"))?;
        Ok(Self {
            batch: Batch::default(),
            batches,
            thread,
            rows: 0,
        })
    }

    /// How many rows it has taken.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the next row. `follows` is whether it was inserted next after the one before.
    pub(crate) fn take(&mut self, row: &[Held<'_>; SCANNED], follows: bool) -> Result<(), Error> {
        self.rows += 1;
        self.batch.add(row, follows);
        match self.batch.is_full() {
            true => self.send(),
            false => Ok(()),
        }
    }

    /// What the rows are.
    pub(crate) fn end(mut self) -> Result<Survey, Error> {
        self.send()?;
        drop(self.batches);
        self.thread.join().map_err(|_| ended())
    }

    fn send(&mut self) -> Result<(), Error> {
        let batch = mem::take(&mut self.batch);
        self.batches.send(batch).map_err(|_| ended())
    }
}

fn ended() -> Error {
    Error::Differs {
        what: "the survey of the rows".into(),
        found: "its thread has ended by a defect of this program".into(),
    }
}

fn run(mut survey: Survey, kind: ColumnKind, batches: &Receiver<Batch>) -> Survey {
    for batch in batches {
        for (values, follows) in batch.rows() {
            observe(&mut survey, &values, kind, follows);
        }
    }
    survey
}

/// Rows without the connection that has read them.
#[derive(Debug, Default)]
struct Batch {
    rows: Vec<Row>,
    /// The texts of all rows, one after the other.
    text: String,
    /// The bytes of all rows, one after the other.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    values: [Sent; SCANNED],
    follows: bool,
}

/// A value of a row, whose text or bytes are in the batch.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Null,
    Integer(i64),
    Real(f64),
    /// How long the text is.
    Text(usize),
    /// How many bytes there are.
    Bytes(usize),
}

impl Batch {
    fn add(&mut self, row: &[Held<'_>; SCANNED], follows: bool) {
        if self.rows.is_empty() {
            self.rows.reserve(ROWS);
        }
        let values = row.each_ref().map(|value| match value {
            Held::Null => Sent::Null,
            Held::Integer(number) => Sent::Integer(*number),
            Held::Real(number) => Sent::Real(*number),
            Held::Text(text) => {
                self.text.push_str(text);
                Sent::Text(text.len())
            }
            Held::Bytes(bytes) => {
                self.bytes.extend_from_slice(bytes);
                Sent::Bytes(bytes.len())
            }
        });
        self.rows.push(Row { values, follows });
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= ROWS || self.text.len() + self.bytes.len() >= BYTES
    }

    /// The rows, and whether each follows the one before.
    fn rows(&self) -> impl Iterator<Item = ([Held<'_>; SCANNED], bool)> {
        let (mut text, mut bytes) = (self.text.as_str(), self.bytes.as_slice());
        self.rows.iter().map(move |row| {
            let values = row.values.map(|value| match value {
                Sent::Null => Held::Null,
                Sent::Integer(number) => Held::Integer(number),
                Sent::Real(number) => Held::Real(number),
                Sent::Text(length) => {
                    let (first, rest) = text.split_at(length);
                    text = rest;
                    Held::Text(first.into())
                }
                Sent::Bytes(length) => {
                    let (first, rest) = bytes.split_at(length);
                    bytes = rest;
                    Held::Bytes(first.into())
                }
            });
            (values, row.follows)
        })
    }
}

/// Takes a row of [`Source::query`].
fn observe(survey: &mut Survey, row: &[Held<'_>; SCANNED], kind: ColumnKind, follows: bool) {
    let [stored, created] = row;
    let digits;
    let value = match (stored, kind) {
        (Held::Null, _) => StoredValue::Null,
        (Held::Integer(number), _) => StoredValue::Integer(*number),
        (Held::Real(number), _) => {
            digits = number.to_string();
            StoredValue::Real(&digits)
        }
        (Held::Text(text), ColumnKind::Decimal | ColumnKind::Integer) => StoredValue::Decimal(text),
        (Held::Text(text), _) => StoredValue::Text(text),
        // MySQL's protocol calls text with a binary collation, and MariaDB's UUID, bytes.
        (Held::Bytes(bytes), ColumnKind::Text | ColumnKind::Uuid) if bytes.len() != 16 => {
            match std::str::from_utf8(bytes) {
                Ok(text) => StoredValue::Text(text),
                Err(_) => StoredValue::Bytes(bytes),
            }
        }
        (Held::Bytes(bytes), _) => StoredValue::Bytes(bytes),
    };
    let created = match created {
        Held::Integer(millis) => Some(*millis),
        Held::Text(digits) => digits.parse().ok(),
        _ => None,
    };
    survey.take(Observation {
        value,
        follows,
        created: created.map(UnixMillis::new),
    });
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

    use super::*;

    #[test]
    fn rows_arrive_as_they_were_taken() {
        let rows: [[Held<'_>; SCANNED]; 6] = [
            [Held::Text("ü1".into()), Held::Integer(-7)],
            [Held::Null, Held::Text("17".into())],
            [Held::Bytes(vec![1, 255].into()), Held::Null],
            [Held::Real(-0.5), Held::Null],
            [Held::Bytes(vec![].into()), Held::Text("".into())],
            [Held::Text("end".into()), Held::Bytes(vec![3].into())],
        ];
        let mut batch = Batch::default();
        for (number, row) in rows.iter().enumerate() {
            batch.add(row, number % 2 == 1);
        }
        let arrived: Vec<String> = batch.rows().map(|row| format!("{row:?}")).collect();
        let taken = rows.iter().enumerate();
        let taken = taken.map(|(number, row)| format!("{:?}", (row, number % 2 == 1)));
        assert_eq!(arrived, taken.collect::<Vec<_>>());
    }

    #[test]
    fn all_rows_are_surveyed_however_many_and_long_they_are() {
        let survey = || Survey::new(Backend::Postgres, false, UnixMillis::new(1_795_000_000_000));
        for (rows, length) in [
            (0, 0),
            (1, 1),
            (3 * ROWS + 1, 16),
            (5, BYTES),
            (40, BYTES / 3),
        ] {
            let mut surveyor = Surveyor::start(survey(), ColumnKind::Bytes).unwrap();
            let row = [Held::Bytes(vec![7; length].into()), Held::Null];
            for _ in 0..rows {
                surveyor.take(&row, false).unwrap();
            }
            assert_eq!(surveyor.rows(), rows as u64);
            assert_eq!(surveyor.end().unwrap().rows(), rows as u64);
        }
    }
}
