//! The bytes of a new id, in the order of its stored form: of the time, random, or fixed.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::dialect::{concatenated, lower, part, text_of_column, upper};
use crate::refused::refused;
use crate::sixteen_bytes::SixteenBytes;
use crate::whole_number::WholeNumber;
use rowkey_core::__sql::FixedBits;
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::format::{FieldKind, FormatKind};
use rowkey_core::storage::Column;
use rowkey_core::storage::TextForm;
use rowkey_core::storage::Wire;

/// The most bytes that are a positive number of 64 bits.
const BYTES_OF_NUMBER: usize = 7;

/// Where a byte comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The byte with this index in the number of the time, its highest one first.
    Time(u8),
    /// A random byte, in which the bits of the mask are fixed.
    Random { mask: u8, bits: u8 },
}

/// Neighbours of the same origin.
enum Piece {
    /// Bytes of the time from an index on.
    Time {
        first: u8,
        count: u8,
    },
    /// Random bytes; in PostgreSQL, the bytes of a random UUID from an index on.
    Random {
        first: u8,
        count: u8,
    },
    Mixed {
        mask: u8,
        bits: u8,
    },
    Fixed(Vec<u8>),
}

impl Piece {
    fn count(&self) -> u8 {
        match self {
            Self::Time { count, .. } | Self::Random { count, .. } => *count,
            Self::Mixed { .. } => 1,
            Self::Fixed(bytes) => bytes.len() as u8,
        }
    }
}

pub(crate) struct IdBytes {
    backend: Backend,
    wire: Wire,
    origins: [Origin; 16],
    /// The number of bytes of the time.
    time_bytes: u8,
    /// The SQL of the time as a number.
    time: String,
}

impl IdBytes {
    /// The bytes for a column, with the SQL of the number in the time field. The format has only
    /// time, random and fixed fields.
    pub(crate) fn new(column: Column, time: String) -> Self {
        let (public, time_bytes) = origins(column.format());
        let mut origins = public;
        for (origin, place) in public.into_iter().zip(column.permutation().places()) {
            origins[usize::from(place)] = origin;
        }
        Self {
            backend: column.backend(),
            wire: column.wire(),
            origins,
            time_bytes,
            time,
        }
    }

    /// The value of the column, in which each piece is evaluated once.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for forms that need one of them in several places.
    pub(crate) fn stored(&self) -> Result<String, Error> {
        let backend = self.backend;
        let sql = match (self.wire, backend) {
            (Wire::Text(TextForm::Compact16 | TextForm::Compact22), _) => {
                return Err(refused(
                    "SQL does not write compact text; make the ids in the program, or store them \
                     otherwise",
                ));
            }
            (Wire::Text(TextForm::Digits28 | TextForm::Digits38), Backend::Sqlite) => {
                return Err(refused(
                    "SQLite does not make new ids of decimal digits; make them in the program, or \
                     store them as `binary`",
                ));
            }
            // SQL Server's clock is not known to stand still while a statement runs.
            (_, Backend::SqlServer) if !self.has_whole_time() => {
                return Err(refused(
                    "this layout takes the bytes of the time apart, and the clock may go on between \
                     them; store the ids in another layout or type, or make them in the program",
                ));
            }
            (Wire::Decimal(precision), _) => self.number().decimal(precision),
            (Wire::Text(form @ (TextForm::Digits28 | TextForm::Digits38)), _) => {
                self.number().digits(form.width())
            }
            (Wire::Text(TextForm::Hyphenated), Backend::Sqlite) => {
                lower(backend, self.hyphenated())
            }
            (Wire::Text(TextForm::HyphenatedUpper), Backend::Sqlite) => {
                upper(backend, self.hyphenated())
            }
            (wire, _) => self.sixteen_bytes().as_wire(wire)?,
        };
        Ok(text_of_column(backend, self.wire, sql))
    }

    fn has_whole_time(&self) -> bool {
        let pieces = self.pieces(0..16, 16);
        let times = pieces
            .iter()
            .filter(|piece| matches!(piece, Piece::Time { .. }));
        times.count() <= 1
    }

    fn sixteen_bytes(&self) -> SixteenBytes {
        let pieces = self.pieces(0..16, 16);
        match (self.backend, pieces.as_slice()) {
            (Backend::Postgres, [Piece::Random { count: 16, .. }]) => {
                SixteenBytes::of_uuid(self.backend, RANDOM_UUID.into())
            }
            (Backend::Sqlite, _) => SixteenBytes::of_hex(self.backend, self.joined(&pieces)),
            _ => SixteenBytes::of_bytes(self.backend, self.joined(&pieces)),
        }
    }

    fn hyphenated(&self) -> String {
        [0..4, 4..6, 6..8, 8..10, 10..16]
            .map(|group| self.joined(&self.pieces(group, 16)))
            .join(" || '-' || ")
    }

    fn number(&self) -> WholeNumber {
        let mut shift = 128;
        let pieces = self.pieces(0..16, BYTES_OF_NUMBER);
        let terms = pieces.iter().filter_map(|piece| {
            shift -= 8 * u32::from(piece.count());
            let number = match piece {
                Piece::Fixed(bytes) if bytes.iter().all(|byte| *byte == 0) => return None,
                Piece::Time { first: 0, count } if *count == self.time_bytes => {
                    WholeNumber::of_integer(self.backend, &self.time)
                }
                _ => {
                    let digits = hex(self.backend, &self.sql(piece), piece.count());
                    WholeNumber::of_digits(self.backend, &digits, piece.count())
                }
            };
            Some((number, shift))
        });
        WholeNumber::sum(self.backend, terms)
    }

    /// The pieces of some bytes, none of them longer than a limit.
    fn pieces(&self, range: Range<usize>, limit: usize) -> Vec<Piece> {
        let mut rest = &self.origins[range];
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let piece = self.first_piece(&rest[..rest.len().min(limit)]);
            rest = &rest[usize::from(piece.count())..];
            pieces.push(piece);
        }
        pieces
    }

    fn first_piece(&self, origins: &[Origin]) -> Piece {
        match origins[0] {
            Origin::Time(first) => {
                let times = (first..).map(Origin::Time);
                let run = origins.iter().zip(times).take_while(|(a, b)| **a == *b);
                let count = run.count() as u8;
                Piece::Time { first, count }
            }
            Origin::Random { mask: 0xff, .. } => {
                let run = origins.iter().map_while(|origin| match origin {
                    Origin::Random { mask: 0xff, bits } => Some(*bits),
                    _ => None,
                });
                Piece::Fixed(run.collect())
            }
            Origin::Random { mask, bits } => match random_run(self.backend, origins) {
                (_, 0) => Piece::Mixed { mask, bits },
                (first, count) => Piece::Random { first, count },
            },
        }
    }

    fn joined(&self, pieces: &[Piece]) -> String {
        concatenated(self.backend, pieces.iter().map(|piece| self.sql(piece)))
    }

    /// A piece as bytes, in SQLite as hexadecimal digits.
    fn sql(&self, piece: &Piece) -> String {
        let backend = self.backend;
        match piece {
            Piece::Time { first, count } => self.time_piece(*first, *count),
            Piece::Random { first, count } => random_bytes(backend, *first, *count),
            Piece::Mixed { mask, bits } => mixed_byte(backend, !mask, *bits),
            Piece::Fixed(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                match backend {
                    Backend::Postgres => format!("'\\x{digits}'::bytea"),
                    Backend::MySql | Backend::MariaDb => format!("X'{digits}'"),
                    Backend::Sqlite => format!("'{digits}'"),
                    Backend::SqlServer => format!("0x{digits}"),
                }
            }
        }
    }

    fn time_piece(&self, first: u8, count: u8) -> String {
        let (backend, time, bytes) = (self.backend, &self.time, self.time_bytes);
        let whole = match backend {
            Backend::Postgres => {
                return part(
                    backend,
                    &format!("int8send({time})"),
                    8 - bytes + first + 1,
                    count,
                );
            }
            Backend::MySql | Backend::MariaDb => {
                format!("UNHEX(LPAD(HEX({time}), {}, '0'))", 2 * bytes)
            }
            Backend::Sqlite => format!("printf('%0{}X', {time})", 2 * bytes),
            Backend::SqlServer => format!("CONVERT(binary({bytes}), {time})"),
        };
        match backend {
            _ if count == bytes => whole,
            Backend::Sqlite => part(backend, &whole, 2 * first + 1, 2 * count),
            _ => part(backend, &whole, first + 1, count),
        }
    }
}

/// Where the bytes of the public form come from, and how many bytes the time field has.
fn origins(format: FormatKind) -> ([Origin; 16], u8) {
    let mut fixed = FixedBits::NONE;
    let mut time = 0..0;
    for field in format.fields() {
        if let Some(value) = field.kind.value() {
            fixed.mask |= field.max() << field.shift();
            fixed.bits |= u128::from(value) << field.shift();
        }
        if let FieldKind::Time { .. } | FieldKind::Interval = field.kind {
            // The number ends with a byte, and the bits before it are zero.
            time = field.first_bit / 8..(field.first_bit + field.width).div_ceil(8);
        }
    }
    let (mask, bits) = (fixed.mask.to_be_bytes(), fixed.bits.to_be_bytes());
    let origins = core::array::from_fn(|index| match time.contains(&(index as u8)) {
        true => Origin::Time(index as u8 - time.start),
        false => Origin::Random {
            mask: mask[index],
            bits: bits[index],
        },
    });
    (origins, time.end - time.start)
}

/// PostgreSQL's only random bytes.
const RANDOM_UUID: &str = "gen_random_uuid()";

/// The bits of a random UUID that are not random.
const UUID_BITS: FixedBits = FixedBits::rfc(4);

/// A byte of a random UUID of which every bit is random.
const RANDOM_BYTE: u8 = 15;

/// How many bytes from the first on a server makes at once and, in PostgreSQL, from which one of a
/// random UUID.
fn random_run(backend: Backend, origins: &[Origin]) -> (u8, u8) {
    let run = |made: &[Origin]| {
        let run = made.iter().zip(origins).take_while(|(a, b)| a == b);
        run.count() as u8
    };
    match backend {
        Backend::Postgres => {
            let (mask, bits) = (UUID_BITS.mask.to_be_bytes(), UUID_BITS.bits.to_be_bytes());
            let uuid: [Origin; 16] = core::array::from_fn(|index| Origin::Random {
                mask: mask[index],
                bits: bits[index],
            });
            let runs = (0..16).map(|first| (first, run(&uuid[usize::from(first)..])));
            runs.max_by_key(|(_, count)| *count).unwrap_or_default()
        }
        _ => (0, run(&[Origin::Random { mask: 0, bits: 0 }; 16])),
    }
}

fn random_bytes(backend: Backend, first: u8, count: u8) -> String {
    match backend {
        Backend::Postgres if count == 16 => format!("uuid_send({RANDOM_UUID})"),
        Backend::Postgres => part(
            backend,
            &format!("uuid_send({RANDOM_UUID})"),
            first + 1,
            count,
        ),
        Backend::MySql | Backend::MariaDb => format!("RANDOM_BYTES({count})"),
        Backend::Sqlite => format!("hex(randomblob({count}))"),
        Backend::SqlServer => format!("CRYPT_GEN_RANDOM({count})"),
    }
}

/// A byte with random bits where the mask has them.
fn mixed_byte(backend: Backend, mask: u8, bits: u8) -> String {
    let mixed = |random: &str| match bits {
        0 => format!("{random} & {mask}"),
        _ => format!("({random} & {mask}) | {bits}"),
    };
    match backend {
        Backend::Postgres => {
            let random = format!("get_byte(uuid_send({RANDOM_UUID}), {RANDOM_BYTE})");
            format!("set_byte('\\x00'::bytea, 0, {})", mixed(&random))
        }
        Backend::MySql | Backend::MariaDb => {
            format!("CHAR({})", mixed("ASCII(RANDOM_BYTES(1))"))
        }
        Backend::Sqlite => format!("printf('%02X', {})", mixed("random()")),
        Backend::SqlServer => {
            let byte = mixed("CONVERT(int, CRYPT_GEN_RANDOM(1))");
            format!("CONVERT(binary(1), {byte})")
        }
    }
}

/// Hexadecimal digits of bytes, which SQLite already has.
fn hex(backend: Backend, bytes: &str, count: u8) -> String {
    match backend {
        Backend::Postgres => format!("encode({bytes}, 'hex')"),
        Backend::MySql | Backend::MariaDb => format!("HEX({bytes})"),
        Backend::Sqlite => bytes.into(),
        Backend::SqlServer => format!("CONVERT(char({}), {bytes}, 2)", 2 * count),
    }
}
