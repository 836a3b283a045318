//! Whole numbers of 28 and 38 digits in SQL.
//!
//! Servers compute exactly with them. SQLite's integers have 64 bits, so its text of 28 digits is
//! taken as three numbers, and the factors of two in powers of ten keep the products below 2^63:
//!
//! ```text
//! n = a · 10^21 + b · 10^14 + c         digits 1..7, 8..14 and 15..28
//! 10^21 = 2^21 · 5^21                   10^14 = 2^14 · 5^14
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rowkey_core::Backend;
use rowkey_core::storage::TextForm;
use rowkey_core::storage::{Precision, Wire};

const FIVE_14: u64 = 5_u64.pow(14);

/// A number as an SQL expression: an exact decimal, in SQLite text of 28 digits.
pub(crate) struct WholeNumber {
    backend: Backend,
    sql: String,
}

impl WholeNumber {
    /// The number in a column; `None` if the column stores no digits, or 38 of them in SQLite.
    pub(crate) fn stored(backend: Backend, wire: Wire, stored: &str) -> Option<Self> {
        let sql = match (wire, backend) {
            (Wire::Decimal(_), _) | (Wire::Text(TextForm::Digits28), Backend::Sqlite) => {
                stored.into()
            }
            (Wire::Text(TextForm::Digits38), Backend::Sqlite) => return None,
            (Wire::Text(TextForm::Digits28 | TextForm::Digits38), _) => {
                exact(backend, Precision::Digits38, stored)
            }
            _ => return None,
        };
        Some(Self { backend, sql })
    }

    /// Some of the number's bits as a number of at most 63 bits: those above `shift`, which is at
    /// least 48 in SQLite.
    pub(crate) fn bits(&self, shift: u32, width: u32) -> String {
        let n = &self.sql;
        let low = 1_u128 << shift;
        // No number has 128 bits.
        let rest = (shift + width < 128).then(|| 1_u128 << (shift + width));
        match (self.backend, rest) {
            (Backend::Postgres, Some(rest)) => format!("div(mod({n}, {rest}), {low})::bigint"),
            (Backend::Postgres, None) => format!("div({n}, {low})::bigint"),
            (Backend::MySql | Backend::MariaDb, Some(rest)) => {
                format!("(MOD({n}, {rest}) DIV {low})")
            }
            (Backend::MySql | Backend::MariaDb, None) => format!("({n} DIV {low})"),
            // A quotient with a remainder would be rounded.
            (Backend::SqlServer, Some(rest)) => {
                format!("CONVERT(bigint, ({n} % {rest} - {n} % {low}) / {low})")
            }
            (Backend::SqlServer, None) => format!("CONVERT(bigint, ({n} - {n} % {low}) / {low})"),
            (Backend::Sqlite, _) => {
                let high = self.sqlite_above_48_bits();
                match shift.saturating_sub(48) {
                    0 if width >= 46 => format!("({high})"),
                    0 => format!("(({high}) & {})", (1_u64 << width) - 1),
                    more => format!("(({high}) >> {more})"),
                }
            }
        }
    }

    pub(crate) fn hex(&self) -> String {
        let [high, middle, low] = match self.backend {
            Backend::Sqlite => {
                let (high, low) = (self.sqlite_above_48_bits(), self.sqlite_48_bits());
                return format!("printf('%020X%012X', {high}, {low})");
            }
            _ => [self.bits(96, 32), self.bits(48, 48), self.bits(0, 48)],
        };
        match self.backend {
            Backend::Postgres => format!(
                "lpad(to_hex({high}), 8, '0') || lpad(to_hex({middle}), 12, '0') || \
                 lpad(to_hex({low}), 12, '0')"
            ),
            Backend::SqlServer => format!(
                "CONVERT(char(8), CONVERT(binary(4), {high}), 2) + CONVERT(char(12), \
                 CONVERT(binary(6), {middle}), 2) + CONVERT(char(12), CONVERT(binary(6), {low}), 2)"
            ),
            _ => format!(
                "CONCAT(LPAD(HEX({high}), 8, '0'), LPAD(HEX({middle}), 12, '0'), \
                 LPAD(HEX({low}), 12, '0'))"
            ),
        }
    }

    /// The number of sixteen bytes, in SQLite of the last twelve. `hex` is the SQL of the
    /// hexadecimal digits of some bytes, from the index of the first.
    pub(crate) fn of_hex(backend: Backend, hex: impl Fn(u8, u8) -> String) -> Self {
        if backend == Backend::Sqlite {
            let (high, low) = (hex(4, 6), hex(10, 6));
            return Self {
                backend,
                sql: sqlite_28_digits(&hex_number(&high), &hex_number(&low)),
            };
        }
        let part = |first, count| Self::of_digits(backend, &hex(first, count), count);
        Self::sum(
            backend,
            [(part(0, 4), 96), (part(4, 6), 48), (part(10, 6), 0)],
        )
    }

    /// The number of at most seven bytes in hexadecimal digits. SQLite has no such numbers.
    pub(crate) fn of_digits(backend: Backend, digits: &str, count: u8) -> Self {
        let sql = match backend {
            Backend::Postgres => format!("{}::numeric", integer_of_hex(backend, digits, count)),
            Backend::SqlServer => {
                let integer = integer_of_hex(backend, digits, count);
                format!("CONVERT(decimal(20,0), {integer})")
            }
            _ => format!("CAST(CONV({digits}, 16, 10) AS DECIMAL(20,0))"),
        };
        Self { backend, sql }
    }

    /// The number of an integer that is not negative.
    pub(crate) fn of_integer(backend: Backend, integer: &str) -> Self {
        let sql = match backend {
            Backend::Postgres => format!("({integer})::numeric"),
            Backend::SqlServer => format!("CONVERT(decimal(20,0), {integer})"),
            _ => format!("CAST({integer} AS DECIMAL(20,0))"),
        };
        Self { backend, sql }
    }

    /// The sum of numbers, each of them shifted left by some bits.
    pub(crate) fn sum(backend: Backend, terms: impl IntoIterator<Item = (Self, u32)>) -> Self {
        let terms = terms.into_iter().map(|(number, shift)| match shift {
            0 => number.sql,
            _ => format!("{} * {}", number.sql, 1_u128 << shift),
        });
        Self {
            backend,
            sql: format!("({})", terms.collect::<Vec<_>>().join(" + ")),
        }
    }

    pub(crate) fn decimal(self, precision: Precision) -> String {
        match self.backend {
            Backend::Sqlite => self.sql,
            backend => exact(backend, precision, &self.sql),
        }
    }

    /// The number as text of exactly this many digits.
    pub(crate) fn digits(self, width: u8) -> String {
        let n = self.sql;
        match self.backend {
            Backend::Postgres => format!("lpad({n}::text, {width}, '0')"),
            Backend::MySql | Backend::MariaDb => format!("LPAD({n}, {width}, '0')"),
            Backend::SqlServer => {
                format!("RIGHT(REPLICATE('0', {width}) + CONVERT(varchar(38), {n}), {width})")
            }
            Backend::Sqlite => n,
        }
    }

    /// The number without its lowest 48 bits: ⌊n / 2^48⌋ = ⌊(⌊n / 2^14⌋) / 2^34⌋, where ⌊n / 2^14⌋
    /// = a · 10^7 · 5^14 + b · 5^14 + ⌊c / 2^14⌋, and the first factor of a is split at 2^34.
    fn sqlite_above_48_bits(&self) -> String {
        const FACTOR: u64 = FIVE_14 * 10_u64.pow(7);
        let (above, below) = (FACTOR >> 34, FACTOR & ((1 << 34) - 1));
        let [a, b, c] = self.sqlite_parts();
        format!("{a} * {above} + (({a} * {below} + {b} * {FIVE_14} + ({c} >> 14)) >> 34)")
    }

    /// The lowest 48 bits: of a · 5^21, only the lowest 27 reach them, and of b · 5^14 the
    /// lowest 34.
    fn sqlite_48_bits(&self) -> String {
        const LOW_27: u64 = (1 << 27) - 1;
        const LOW_34: u64 = (1 << 34) - 1;
        const LOW_48: u64 = (1 << 48) - 1;
        let factor = 5_u64.pow(21) & LOW_27;
        let [a, b, c] = self.sqlite_parts();
        format!(
            "(((({a} * {factor}) & {LOW_27}) << 21) + ((({b} * {FIVE_14}) & {LOW_34}) << 14) + {c}) \
             & {LOW_48}"
        )
    }

    fn sqlite_parts(&self) -> [String; 3] {
        let text = &self.sql;
        [(1, 7), (8, 7), (15, 14)]
            .map(|(first, count)| format!("CAST(substr({text}, {first}, {count}) AS INTEGER)"))
    }
}

/// Text of 28 digits without the zeros in front of a number, which may be zero.
pub(crate) fn without_zeros(backend: Backend, digits: &str) -> String {
    match backend {
        Backend::Postgres => format!("regexp_replace({digits}, '^0+(?=.)', '')"),
        Backend::MySql | Backend::MariaDb => {
            format!("CONCAT(TRIM(LEADING '0' FROM LEFT({digits}, 27)), RIGHT({digits}, 1))")
        }
        Backend::SqlServer => {
            format!("SUBSTRING({digits}, PATINDEX('%[^0]%', LEFT({digits}, 27) + '.'), 28)")
        }
        Backend::Sqlite => format!("ltrim(substr({digits}, 1, 27), '0') || substr({digits}, 28)"),
    }
}

pub(crate) fn text_of_integer(backend: Backend, integer: &str) -> String {
    match backend {
        Backend::Postgres => format!("{integer}::text"),
        Backend::MySql | Backend::MariaDb => format!("CAST({integer} AS CHAR)"),
        Backend::SqlServer => format!("CONVERT(varchar(20), {integer})"),
        Backend::Sqlite => format!("CAST({integer} AS TEXT)"),
    }
}

fn exact(backend: Backend, precision: Precision, sql: &str) -> String {
    let digits = precision.digits();
    match backend {
        Backend::Postgres => format!("{sql}::numeric({digits},0)"),
        Backend::SqlServer => format!("CONVERT(decimal({digits},0), {sql})"),
        _ => format!("CAST({sql} AS DECIMAL({digits},0))"),
    }
}

/// The number of bytes in hexadecimal digits as 64 bits: of at most seven bytes, in MySQL and
/// MariaDB of eight.
pub(crate) fn integer_of_hex(backend: Backend, digits: &str, count: u8) -> String {
    match backend {
        Backend::Postgres => {
            let zeros = "00".repeat(8 - usize::from(count));
            format!("('x{zeros}' || {digits})::bit(64)::bigint")
        }
        Backend::MySql | Backend::MariaDb => format!("CAST(CONV({digits}, 16, 10) AS UNSIGNED)"),
        Backend::Sqlite => hex_number(digits),
        Backend::SqlServer => {
            format!("CONVERT(bigint, CONVERT(binary({count}), {digits}, 2))")
        }
    }
}

/// The number of hexadecimal digits in SQLite, which reads them in JSON5.
fn hex_number(digits: &str) -> String {
    format!("('0x' || {digits} ->> '$')")
}

/// The 28 digits of 48 bits and 48 lower bits in SQLite: the quotient and the remainder by
/// 10^14 = 2^14 · 5^14, as on paper with 17 bits at a time.
fn sqlite_28_digits(high: &str, low: &str) -> String {
    let step = |remainder: &str, bits: &str| format!("(({remainder}) * 131072 + ({bits}))");
    let first = step(&format!("{high} % {FIVE_14}"), &format!("{low} >> 31"));
    let second = step(
        &format!("{first} % {FIVE_14}"),
        &format!("({low} >> 14) & 131071"),
    );
    format!(
        "printf('%014d%014d', {high} / {FIVE_14} * 17179869184 + {first} / {FIVE_14} * 131072 + \
         {second} / {FIVE_14}, {second} % {FIVE_14} * 16384 + ({low} & 16383))"
    )
}
