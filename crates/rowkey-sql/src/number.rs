//! Numbers inside of stored ids, as SQL expressions.
//!
//! A number is a field of the format, in one byte order or the other. The bits are followed through
//! the column's layout into the stored form, and each byte that has some of them is read there:
//!
//! ```text
//! HotGuid, shard key     public    B12 B13 B14 B15     lowest byte first
//!                        stored    uuid in PostgreSQL: bytes 12 .. 16
//!                                  uniqueidentifier, sql-server layout: bytes 3, 2, 1, 0
//!                                  hyphenated text: characters 28 .. 36
//! ```
//!
//! A decimal number is shifted and masked as a whole. The expressions are allowed in a CHECK.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::compact_text;
use crate::dialect::shifted_right;
use crate::refused::refused;
use crate::sqlite_digits;
use crate::whole_number::WholeNumber;
use rowkey_core::__sql::{ByteOrder, NumberField};
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::format::BitField;
use rowkey_core::storage::Column;
use rowkey_core::storage::TextForm;
use rowkey_core::storage::Wire;

/// Bits of a number that are next to each other in one byte of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    byte: u8,
    /// Bits of the byte below the slice.
    below: u32,
    width: u32,
    /// Bits of the number below the slice.
    shift: u32,
}

/// Most fields have their highest byte first.
pub(crate) const fn big_endian(bits: BitField) -> NumberField {
    NumberField {
        bits,
        order: ByteOrder::BigEndian,
    }
}

/// The bits of the number by the bytes of the public form.
fn slices(field: NumberField) -> Vec<Slice> {
    let first = u32::from(field.bits.first_bit);
    let end = first + u32::from(field.bits.width);
    let bytes = first / 8..end.div_ceil(8);
    let slice = |byte: u32| {
        let (from, to) = (first.max(8 * byte), end.min(8 * byte + 8));
        Slice {
            byte: byte as u8,
            below: 8 * byte + 8 - to,
            width: to - from,
            shift: match field.order {
                ByteOrder::BigEndian => end - to,
                ByteOrder::LittleEndian => from - first,
            },
        }
    };
    bytes.map(slice).collect()
}

/// The largest number of this many bits, at most 32.
const fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// The SQL expression of a number in an id that is stored on a backend, the column's own or, of
/// MySQL and MariaDB, the other. `stored` is the SQL of the id, such as a quoted column.
///
/// # Errors
///
/// `ErrorKind::Declaration` for integers of 64 bits.
pub(crate) fn expression(
    column: Column,
    backend: Backend,
    field: NumberField,
    stored: &str,
) -> Result<String, Error> {
    let (shift, width) = (field.bits.shift(), field.bits.width.into());
    if let Some(number) = WholeNumber::stored(backend, column.wire(), stored) {
        return Ok(number.bits(shift, width));
    }
    if column.wire() == Wire::Text(TextForm::Digits38) {
        return Ok(sqlite_digits::bits(stored, shift, width));
    }
    let reader = Reader {
        backend,
        form: ByteForm::of(column.wire())?,
        stored,
    };
    let places = column.permutation().places();
    let mut slices = slices(field);
    slices.sort_by_key(|slice| u32::MAX - slice.shift);
    let terms = slices.into_iter().filter_map(|slice| {
        let index = places[usize::from(slice.byte)].checked_sub(omitted_zeros(column.wire()))?;
        Some(reader.term(reader.byte(index), slice))
    });
    Ok(terms.collect::<Vec<_>>().join(" + "))
}

const fn omitted_zeros(wire: Wire) -> u8 {
    match wire {
        Wire::Bytes(length) => 16 - length.bytes(),
        _ => 0,
    }
}

/// How the bytes of an id can be read from a column.
#[derive(Clone, Copy)]
enum ByteForm {
    /// PostgreSQL's `uuid` or SQL Server's `uniqueidentifier`.
    Uuid,
    Bytes,
    /// Hexadecimal digits, perhaps hyphenated.
    Hex(TextForm),
    /// MariaDB's `UUID`, which is hyphenated text if it is taken as text.
    NativeUuid,
    /// Eleven digits of base 62 for each eight bytes.
    Compact(TextForm),
}

impl ByteForm {
    fn of(wire: Wire) -> Result<Self, Error> {
        Ok(match wire {
            Wire::Uuid => Self::Uuid,
            Wire::NativeUuid => Self::NativeUuid,
            Wire::Bytes(_) => Self::Bytes,
            Wire::Text(form @ (TextForm::Compact16 | TextForm::Compact22)) => Self::Compact(form),
            Wire::Text(
                form @ (TextForm::Hyphenated
                | TextForm::HyphenatedUpper
                | TextForm::Hex
                | TextForm::HexUpper),
            ) => Self::Hex(form),
            _ => {
                return Err(refused(
                    "SQL does not read the number in this form; store the key as `uuid`, `binary` or \
                     `text`",
                ));
            }
        })
    }
}

/// Reads bytes of a stored id in the SQL of a backend.
struct Reader<'a> {
    backend: Backend,
    form: ByteForm,
    stored: &'a str,
}

impl Reader<'_> {
    /// The byte with this index in the stored form, from 0 to 255.
    fn byte(&self, index: u8) -> String {
        let stored = self.stored;
        let position = index + 1;
        match (self.form, self.backend) {
            (ByteForm::Compact(form), backend) => compact_text::byte(backend, form, stored, index),
            (ByteForm::Uuid, Backend::Postgres) => {
                format!("get_byte(uuid_send({stored}), {index})")
            }
            (ByteForm::Bytes, Backend::Postgres) => format!("get_byte({stored}, {index})"),
            (ByteForm::Hex(form), Backend::Postgres) => {
                let first = hex_position(form, index);
                format!("get_byte(decode(substr({stored}, {first}, 2), 'hex'), 0)")
            }
            // The first three groups are little-endian as bytes.
            (ByteForm::Uuid, Backend::SqlServer) => {
                const POSITIONS: [u8; 16] = [4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16];
                let position = POSITIONS[usize::from(index)];
                format!("CONVERT(int, SUBSTRING(CONVERT(binary(16), {stored}), {position}, 1))")
            }
            (ByteForm::Bytes, Backend::SqlServer) => {
                format!("CONVERT(int, SUBSTRING({stored}, {position}, 1))")
            }
            (ByteForm::Hex(form), Backend::SqlServer) => {
                let first = hex_position(form, index);
                format!("CONVERT(int, CONVERT(binary(1), SUBSTRING({stored}, {first}, 2), 2))")
            }
            (ByteForm::Uuid | ByteForm::Bytes, Backend::MySql | Backend::MariaDb) => {
                format!("ASCII(SUBSTRING({stored}, {position}, 1))")
            }
            (ByteForm::Hex(form), Backend::MySql | Backend::MariaDb) => {
                let first = hex_position(form, index);
                format!("ASCII(UNHEX(SUBSTRING({stored}, {first}, 2)))")
            }
            (ByteForm::NativeUuid, _) => {
                let first = hex_position(TextForm::Hyphenated, index);
                format!("ASCII(UNHEX(SUBSTRING(CAST({stored} AS CHAR), {first}, 2)))")
            }
            (ByteForm::Uuid | ByteForm::Bytes, Backend::Sqlite) => {
                let digits = format!("hex(substr({stored}, {position}, 1))");
                sqlite_byte("0123456789ABCDEF", &digits, 1)
            }
            (ByteForm::Hex(form), Backend::Sqlite) => {
                let digits = match form {
                    TextForm::HyphenatedUpper | TextForm::HexUpper => "0123456789ABCDEF",
                    _ => "0123456789abcdef",
                };
                sqlite_byte(digits, stored, hex_position(form, index))
            }
        }
    }

    fn term(&self, byte: String, slice: Slice) -> String {
        let mut term = byte;
        if slice.below > 0 {
            term = shifted_right(self.backend, &term, slice.below);
        }
        if slice.below + slice.width < 8 {
            term = format!("({term} & {})", mask(slice.width));
        }
        // The type of a byte has 31 bits in these two.
        if slice.shift + slice.width > 31 {
            term = match self.backend {
                Backend::Postgres => format!("{term}::bigint"),
                Backend::SqlServer => format!("CONVERT(bigint, {term})"),
                _ => term,
            };
        }
        term = match (slice.shift, self.backend) {
            (0, _) => term,
            // SQL Server's larger literals are decimal numbers.
            (31.., Backend::SqlServer) => {
                format!("{term} * CONVERT(bigint, {})", 1_u64 << slice.shift)
            }
            (shift, _) => format!("{term} * {}", 1_u64 << shift),
        };
        term
    }
}

/// The position of the first of a byte's two hexadecimal digits, counted from 1.
fn hex_position(form: TextForm, index: u8) -> u8 {
    let hyphens = match form {
        TextForm::Hyphenated | TextForm::HyphenatedUpper => [4, 6, 8, 10]
            .iter()
            .filter(|group| index >= **group)
            .count() as u8,
        _ => 0,
    };
    2 * index + hyphens + 1
}

/// A byte from two hexadecimal digits: SQLite has no function that reads bytes.
fn sqlite_byte(digits: &str, text: &str, first: u8) -> String {
    let digit = |position| format!("(instr('{digits}', substr({text}, {position}, 1)) - 1)");
    format!("({} * 16 + {})", digit(first), digit(first + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::format::FieldKind;
    use rowkey_core::format::FormatKind;
    use rowkey_core::storage::{Layout, Storage};

    fn number_in(field: NumberField, value: u128) -> u32 {
        let bytes = value.to_be_bytes();
        slices(field).into_iter().fold(0, |number, slice| {
            let bits = u32::from(bytes[usize::from(slice.byte)]) >> slice.below;
            number | (bits & mask(slice.width)) << slice.shift
        })
    }

    fn field(first_bit: u8, width: u8, order: ByteOrder) -> NumberField {
        let bits = BitField {
            name: "number",
            kind: FieldKind::Context,
            first_bit,
            width,
        };
        NumberField { bits, order }
    }

    fn column(backend: Backend, storage: Storage, layout: Option<Layout>) -> Column {
        Column::new(FormatKind::HotGuid, backend, storage, layout).unwrap()
    }

    #[test]
    fn a_number_is_the_bits_of_its_field() {
        let value = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
        for first_bit in 0..128 {
            for width in 1..=32.min(128 - first_bit) {
                let expected = value >> (128 - first_bit - width) & u128::from(mask(width.into()));
                let number = number_in(field(first_bit, width, ByteOrder::BigEndian), value);
                assert_eq!(
                    u128::from(number),
                    expected,
                    "{width} bits from {first_bit}"
                );
            }
        }
        let last = field(96, 32, ByteOrder::LittleEndian);
        assert_eq!(number_in(last, value), 0xffee_ddcc);
    }

    #[test]
    fn a_field_across_bytes_has_its_bits_together() {
        let column = column(Backend::Postgres, Storage::Uuid, None);
        let expression = expression(
            column,
            Backend::Postgres,
            field(66, 8, ByteOrder::BigEndian),
            "id",
        );
        assert_eq!(
            expression.unwrap(),
            "(get_byte(uuid_send(id), 8) & 63) * 4 + (get_byte(uuid_send(id), 9) >> 6)"
        );
    }

    /// In SQL Server, the bytes of a guid's first three groups are little-endian, as in .NET.
    #[test]
    fn layouts_move_the_bytes_of_a_number() {
        let number = field(96, 32, ByteOrder::LittleEndian);
        // Each term is a byte, by its position, and its weight.
        let terms = |column: Column| {
            let expression = expression(column, Backend::SqlServer, number, "id");
            let expression = expression.unwrap();
            let term = |term: &str| {
                let (_, place) = term.split_once("binary(16), id), ").unwrap();
                let (position, weight) = place.split_once(", 1)").unwrap();
                let weight = weight.split_once(" * ").map_or("1", |(_, weight)| weight);
                (position.parse().unwrap(), weight.parse().unwrap())
            };
            expression
                .split(" + ")
                .map(term)
                .collect::<Vec<(usize, u32)>>()
        };
        let ordered = column(Backend::SqlServer, Storage::Uuid, None);
        assert_eq!(ordered.layout(), Layout::SqlServer);
        let unordered = Some(Layout::PublicUnordered);
        let unordered = column(Backend::SqlServer, Storage::Uuid, unordered);
        for (column, first) in [(ordered, 4), (unordered, 16)] {
            let terms = terms(column);
            assert_eq!(terms[0], (first, 1 << 24));
            let mut value = 3_u128;
            for _ in 0..1_000 {
                value = value.wrapping_mul(0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15) ^ value >> 64;
                let stored = column.permutation().apply(value);
                let bytes = uuid::Uuid::from_u128(stored).to_bytes_le();
                let byte = |(position, weight)| u32::from(bytes[position - 1]) * weight;
                let computed: u32 = terms.iter().copied().map(byte).sum();
                assert_eq!(computed, number_in(number, value), "{column:?}: {value:x}");
            }
        }
    }

    /// The upper digits of the text are one number, and the bytes before them are left out.
    #[test]
    fn the_first_bytes_of_compact_text_of_a_distributed_id_are_zero() {
        let column = Column::new(
            FormatKind::DistributedId,
            Backend::Sqlite,
            Storage::TextCompact,
            None,
        );
        let number = |first_bit| {
            let field = field(first_bit, 8, ByteOrder::BigEndian);
            let number = expression(column.unwrap(), Backend::Sqlite, field, "id");
            number.unwrap()
        };
        assert_eq!(number(0), "0");
        assert!(number(56).ends_with(" & 255)"), "{}", number(56));
        assert!(!number(56).contains("substr(id, 6, 1)"), "{}", number(56));
    }
}
