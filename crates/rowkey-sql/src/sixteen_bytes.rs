//! The sixteen bytes of an id in SQL, and other orders of them.

use alloc::format;
use alloc::string::String;

use crate::compact_text;
use crate::dialect::{concatenated, lower, part, upper, without_hyphens};
use crate::named::{has_names, with_names};
use crate::refused::refused;
use crate::sqlite_digits;
use crate::whole_number::WholeNumber;
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::storage::TextForm;
use rowkey_core::storage::{BinaryLength, Wire};

/// Sixteen bytes as an SQL expression, in one of the types that the backend has for them, and the
/// order in which to read them.
pub(crate) struct SixteenBytes {
    backend: Backend,
    kind: SqlEncoding,
    sql: String,
    /// The last eight bytes, if the SQL above is the first eight only: a piece of one half is
    /// computed without the other.
    second_half: Option<String>,
    places: Places,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SqlEncoding {
    /// PostgreSQL's `uuid` or SQL Server's `uniqueidentifier`.
    Uuid,
    Bytes,
    /// 32 hexadecimal digits in either case.
    Hex,
}

/// Where each byte of one form is in another: `places[i]` for the byte at index i.
pub(crate) type Places = [u8; 16];

impl SixteenBytes {
    /// An expression of the bytes of a column, including a number's.
    pub(crate) fn expression(
        backend: Backend,
        wire: Wire,
        stored: &str,
        of: impl FnOnce(Self) -> Result<String, Error>,
    ) -> Result<String, Error> {
        match Self::long_hex(backend, wire, stored) {
            // An expression contains pieces of the digits.
            Some(hex) => {
                let expression = of(Self::of_hex(backend, "digits".into()))?;
                Ok(with_names(backend, [("digits".into(), hex)], &expression))
            }
            None => of(Self::stored(backend, wire, stored)?),
        }
    }

    /// A condition of the bytes of a column, including a number's.
    pub(crate) fn condition(
        backend: Backend,
        wire: Wire,
        stored: &str,
        of: impl FnOnce(Self) -> String,
    ) -> Result<String, Error> {
        // SQL Server selects values, and a condition is not a value.
        let is_selected =
            backend == Backend::SqlServer && Self::long_hex(backend, wire, stored).is_some();
        let sql = Self::expression(backend, wire, stored, |bytes| {
            let condition = of(bytes);
            Ok(match is_selected {
                true => format!("CASE WHEN {condition} THEN 1 ELSE 0 END"),
                false => condition,
            })
        })?;
        Ok(match is_selected {
            true => format!("{sql} = 1"),
            false => sql,
        })
    }

    /// The hexadecimal digits of a form whose expression takes long.
    fn long_hex(backend: Backend, wire: Wire, stored: &str) -> Option<String> {
        match wire {
            Wire::Text(form @ (TextForm::Compact16 | TextForm::Compact22))
                if has_names(backend) =>
            {
                Some(compact_text::hex(backend, form, stored))
            }
            Wire::Text(TextForm::Digits38) if backend == Backend::Sqlite => {
                Some(sqlite_digits::hex(stored))
            }
            _ => None,
        }
    }

    fn stored(backend: Backend, wire: Wire, stored: &str) -> Result<Self, Error> {
        if let Some(number) = WholeNumber::stored(backend, wire, stored) {
            return Ok(Self::of_hex(backend, number.hex()));
        }
        let (kind, sql) = match (wire, backend) {
            (Wire::Uuid, _) => (SqlEncoding::Uuid, stored.into()),
            (Wire::Bytes(BinaryLength::Bytes16), _) => (SqlEncoding::Bytes, stored.into()),
            (Wire::Bytes(BinaryLength::Bytes12), Backend::Postgres) => (
                SqlEncoding::Bytes,
                format!("'\\x00000000'::bytea || {stored}"),
            ),
            (Wire::Bytes(BinaryLength::Bytes12), Backend::MySql | Backend::MariaDb) => {
                (SqlEncoding::Bytes, format!("CONCAT(X'00000000', {stored})"))
            }
            (Wire::Bytes(BinaryLength::Bytes12), Backend::Sqlite) => {
                (SqlEncoding::Hex, format!("'00000000' || hex({stored})"))
            }
            (Wire::Bytes(BinaryLength::Bytes12), Backend::SqlServer) => (
                SqlEncoding::Hex,
                format!("'00000000' + CONVERT(char(24), {stored}, 2)"),
            ),
            (Wire::NativeUuid, _) => (
                SqlEncoding::Hex,
                without_hyphens(backend, &format!("CAST({stored} AS CHAR)")),
            ),
            (
                Wire::Text(
                    form @ (TextForm::Hyphenated
                    | TextForm::HyphenatedUpper
                    | TextForm::Hex
                    | TextForm::HexUpper),
                ),
                _,
            ) => match (backend, form.is_hyphenated()) {
                (Backend::Postgres, _) => (SqlEncoding::Uuid, format!("{stored}::uuid")),
                (Backend::SqlServer, true) => (
                    SqlEncoding::Uuid,
                    format!("CONVERT(uniqueidentifier, {stored})"),
                ),
                (_, true) => (SqlEncoding::Hex, without_hyphens(backend, stored)),
                (_, false) => (SqlEncoding::Hex, stored.into()),
            },
            (Wire::Text(form @ (TextForm::Compact16 | TextForm::Compact22)), _) => {
                let [first, second] = compact_text::halves(backend, form, stored);
                let second_half = Some(second);
                return Ok(Self {
                    second_half,
                    ..Self::of_hex(backend, first)
                });
            }
            _ => return Err(not_sixteen_bytes()),
        };
        Ok(Self::new(backend, kind, sql))
    }

    pub(crate) fn of_bytes(backend: Backend, bytes: String) -> Self {
        Self::new(backend, SqlEncoding::Bytes, bytes)
    }

    /// 32 digits in either case.
    pub(crate) fn of_hex(backend: Backend, digits: String) -> Self {
        Self::new(backend, SqlEncoding::Hex, digits)
    }

    /// From a server's own type for UUIDs.
    pub(crate) fn of_uuid(backend: Backend, uuid: String) -> Self {
        Self::new(backend, SqlEncoding::Uuid, uuid)
    }

    fn new(backend: Backend, kind: SqlEncoding, sql: String) -> Self {
        Self {
            backend,
            kind,
            sql,
            second_half: None,
            places: core::array::from_fn(|index| index as u8),
        }
    }

    /// The same bytes in another order: first the one at the first place.
    pub(crate) fn in_order(self, places: Places) -> Self {
        Self { places, ..self }
    }

    /// The value of a column, from bytes in its order.
    pub(crate) fn as_wire(&self, wire: Wire) -> Result<String, Error> {
        let backend = self.backend;
        Ok(match wire {
            Wire::Uuid => self.uuid(),
            Wire::NativeUuid => format!("CAST({} AS UUID)", self.hyphenated()),
            Wire::Bytes(BinaryLength::Bytes16)
                if backend == Backend::Postgres && !self.is_in_order() =>
            {
                format!("({})", self.bytes())
            }
            Wire::Bytes(BinaryLength::Bytes16) => self.bytes(),
            Wire::Bytes(BinaryLength::Bytes12) if backend == Backend::Sqlite => {
                format!("unhex({})", self.some_hex(4, 12))
            }
            Wire::Bytes(BinaryLength::Bytes12) => part(backend, &self.bytes(), 5, 12),
            Wire::Text(TextForm::Hyphenated) => lower(backend, self.hyphenated()),
            Wire::Text(TextForm::HyphenatedUpper) => upper(backend, self.hyphenated()),
            Wire::Text(TextForm::Hex) => lower(backend, self.hex()),
            Wire::Text(TextForm::HexUpper) => upper(backend, self.hex()),
            Wire::Decimal(precision) => self.number().decimal(precision),
            Wire::Text(TextForm::Digits38) if backend == Backend::Sqlite => {
                sqlite_digits::of_hex(|first, count| self.some_hex(first, count))
            }
            Wire::Text(form @ (TextForm::Digits28 | TextForm::Digits38)) => {
                self.number().digits(form.width())
            }
            Wire::Text(form @ (TextForm::Compact16 | TextForm::Compact22)) => {
                compact_text::of_hex(backend, form, |first, count| self.some_hex(first, count))
            }
            Wire::Integer => return Err(not_sixteen_bytes()),
        })
    }

    /// The condition that the bytes, in public order, are at most a number.
    pub(crate) fn at_most(&self, max: u128) -> String {
        let backend = self.backend;
        match backend {
            Backend::Postgres => format!("{} <= '\\x{max:032x}'::bytea", self.bytes()),
            Backend::MySql | Backend::MariaDb => format!("{} <= X'{max:032x}'", self.bytes()),
            Backend::Sqlite => format!("{} <= '{max:032X}'", upper(backend, self.hex())),
            Backend::SqlServer => format!("{} <= 0x{max:032x}", self.bytes()),
        }
    }

    fn uuid(&self) -> String {
        match (self.kind, self.backend) {
            (SqlEncoding::Uuid, _) if self.is_in_order() => self.sql.clone(),
            (SqlEncoding::Hex, Backend::Postgres) => format!("({})::uuid", self.hex()),
            (_, Backend::Postgres) => format!("encode({}, 'hex')::uuid", self.bytes()),
            _ => format!("CONVERT(uniqueidentifier, {})", self.hyphenated()),
        }
    }

    fn bytes(&self) -> String {
        let (sql, backend) = (&self.sql, self.backend);
        let bytes = match (self.kind, backend) {
            (SqlEncoding::Bytes, Backend::Postgres | Backend::MySql | Backend::MariaDb) => {
                sql.clone()
            }
            (SqlEncoding::Uuid, Backend::Postgres) => format!("uuid_send({sql})"),
            (SqlEncoding::Bytes, _) if self.is_in_order() => sql.clone(),
            (_, Backend::Postgres) => return format!("decode({}, 'hex')", self.hex()),
            (_, Backend::MySql | Backend::MariaDb) => return format!("UNHEX({})", self.hex()),
            (_, Backend::Sqlite) => return format!("unhex({})", self.hex()),
            (_, Backend::SqlServer) => return format!("CONVERT(binary(16), {}, 2)", self.hex()),
        };
        if self.is_in_order() {
            return bytes;
        }
        let pieces =
            runs(&self.places, false).map(|(first, count)| part(backend, &bytes, first + 1, count));
        concatenated(backend, pieces)
    }

    fn hex(&self) -> String {
        match (self.kind, self.backend) {
            (SqlEncoding::Uuid | SqlEncoding::Bytes, Backend::Postgres) => {
                format!("encode({}, 'hex')", self.bytes())
            }
            (SqlEncoding::Bytes, Backend::MySql | Backend::MariaDb) => {
                format!("HEX({})", self.bytes())
            }
            _ if self.is_in_order() => self.stored_hex(),
            _ => self.some_hex(0, 16),
        }
    }

    /// The hexadecimal digits before the bytes are put in order.
    fn stored_hex(&self) -> String {
        let (sql, backend) = (&self.sql, self.backend);
        match (self.kind, backend) {
            (SqlEncoding::Hex, _) => match &self.second_half {
                Some(second) => format!("CONCAT({sql}, {second})"),
                None => sql.clone(),
            },
            (SqlEncoding::Uuid, Backend::Postgres) => format!("encode(uuid_send({sql}), 'hex')"),
            (_, Backend::Postgres) => format!("encode({sql}, 'hex')"),
            (SqlEncoding::Uuid, _) => {
                without_hyphens(backend, &format!("CONVERT(char(36), {sql})"))
            }
            (_, Backend::SqlServer) => format!("CONVERT(char(32), {sql}, 2)"),
            (_, Backend::Sqlite) => format!("hex({sql})"),
            (_, Backend::MySql | Backend::MariaDb) => format!("HEX({sql})"),
        }
    }

    /// The digits of some bytes, from the index of the first.
    fn some_hex(&self, first: u8, count: u8) -> String {
        let places = &self.places[usize::from(first)..usize::from(first + count)];
        let pieces = runs(places, self.second_half.is_some());
        let pieces = pieces.map(|(first, count)| self.hex_piece(first, count));
        concatenated(self.backend, pieces)
    }

    /// The digits of some bytes before they are put in order, of one half if there are halves.
    fn hex_piece(&self, first: u8, count: u8) -> String {
        let (hex, first) = match (&self.second_half, first) {
            (Some(second), 8..) => (second.clone(), first - 8),
            (Some(_), _) => (self.sql.clone(), first),
            (None, _) => (self.stored_hex(), first),
        };
        part(self.backend, &hex, 2 * first + 1, 2 * count)
    }

    fn hyphenated(&self) -> String {
        match (self.kind, self.backend) {
            (_, Backend::Postgres) => format!("{}::text", self.uuid()),
            (SqlEncoding::Uuid, _) if self.is_in_order() => {
                format!("CONVERT(char(36), {})", self.sql)
            }
            (_, Backend::MySql | Backend::MariaDb) => hyphens_in("INSERT", self.hex()),
            (_, Backend::SqlServer) if self.is_in_order() => hyphens_in("STUFF", self.hex()),
            (_, backend) => {
                let hyphen = match backend {
                    Backend::Sqlite => " || '-' || ",
                    _ => " + '-' + ",
                };
                [(0, 4), (4, 2), (6, 2), (8, 2), (10, 6)]
                    .map(|(first, count)| self.some_hex(first, count))
                    .join(hyphen)
            }
        }
    }

    fn number(&self) -> WholeNumber {
        WholeNumber::of_hex(self.backend, |first, count| self.some_hex(first, count))
    }

    fn is_in_order(&self) -> bool {
        self.places.is_sorted()
    }
}

#[cold]
fn not_sixteen_bytes() -> Error {
    refused("an integer of 64 bits is not an id of sixteen bytes; it has no other form")
}

/// The hyphens of a UUID in its digits, with a function that replaces a part of a text.
fn hyphens_in(function: &str, digits: String) -> String {
    let positions = [9, 14, 19, 24].into_iter();
    positions.fold(digits, |text, position| {
        format!("{function}({text}, {position}, 0, '-')")
    })
}

/// The runs of neighbours among places: the first of each, and how many there are. No run is in
/// both halves if these are apart.
pub(crate) fn runs(places: &[u8], has_halves: bool) -> impl Iterator<Item = (u8, u8)> {
    places
        .chunk_by(move |before, after| before + 1 == *after && !(has_halves && *after == 8))
        .map(|run| (run[0], run.len() as u8))
}
