//! The conversion of ids in Spark SQL.

use rowkey_core::Error;
use rowkey_core::error::ErrorKind;
use rowkey_core::storage::{BinaryLength, Permutation, Precision, TextForm, Wire};
use rowkey_sql::StoredForm;

/// 2^64.
const TWO_64: &str = "18446744073709551616BD";

/// The conversion of ids in Spark SQL, from the form that one database stores to that of another.
///
/// In Spark, a `uuid`, a `uniqueidentifier` and MariaDB's `UUID` are a `STRING` of 36 characters,
/// numbers are a `DECIMAL` without a scale, bytes are `BINARY`, and text is a `STRING`. A value
/// that is not of the first form's shape gives NULL, as does an id that is too large for the second
/// form.
#[derive(Clone, Copy, Debug)]
pub(super) struct SparkConversion {
    from: StoredForm,
    to: StoredForm,
}

/// How Spark has the values of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spark {
    Text(TextForm),
    Bytes(BinaryLength),
    Decimal(Precision),
    Integer,
}

impl Spark {
    const fn of(wire: Wire) -> Self {
        match wire {
            Wire::Uuid | Wire::NativeUuid => Self::Text(TextForm::Hyphenated),
            Wire::Bytes(length) => Self::Bytes(length),
            Wire::Decimal(precision) => Self::Decimal(precision),
            Wire::Text(form) => Self::Text(form),
            Wire::Integer => Self::Integer,
        }
    }

    const fn is_compact(self) -> bool {
        matches!(self, Self::Text(TextForm::Compact16 | TextForm::Compact22))
    }
}

impl SparkConversion {
    /// The conversion between two forms, which may be those of different backends.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for forms of different formats, and for compact text, whose base 62
    /// is slow in SQL, unless it stays as it is.
    pub(super) fn new(from: StoredForm, to: StoredForm) -> Result<Self, Error> {
        if from.format() != to.format() {
            return Err(Error::new(
                ErrorKind::Declaration,
                "a conversion is between two forms of the same format",
            ));
        }
        let conversion = Self { from, to };
        let (before, after) = conversion.types();
        if !conversion.is_identity() && (before.is_compact() || after.is_compact()) {
            return Err(Error::new(
                ErrorKind::Declaration,
                "compact text is not converted in Spark SQL; store the ids in another form, or as they are",
            ));
        }
        Ok(conversion)
    }

    /// Whether values stay as they are. Text that becomes a `uuid` is checked, because a server
    /// takes other text for one too.
    pub(super) fn is_identity(self) -> bool {
        let (before, after) = self.types();
        let is_checked =
            self.from.wire() != self.to.wire() && matches!(self.from.wire(), Wire::Text(_));
        before == after && self.places().is_sorted() && !is_checked
    }

    /// The expression for a column.
    pub(super) fn expression(self, column: &str) -> String {
        let stored = format!("`{}`", column.replace('`', "``"));
        if self.is_identity() {
            return stored;
        }
        let (before, after) = self.types();
        let hex = hex(before, &stored);
        let sql = match (number(before, &stored), after) {
            (Some(number), Spark::Decimal(precision)) => decimal(&number, precision.digits()),
            (Some(number), Spark::Text(form @ (TextForm::Digits28 | TextForm::Digits38))) => {
                digits(&number, form)
            }
            _ => written(after, &hex, &self.places()),
        };
        let fitting = guarded(self.at_most(&hex), sql);
        guarded(shape(self.from.wire(), &stored), fitting)
    }

    fn types(self) -> (Spark, Spark) {
        (Spark::of(self.from.wire()), Spark::of(self.to.wire()))
    }

    /// The index in the first form of each byte of the second.
    fn places(self) -> Places {
        let from = places(self.from.permutation());
        let to = self.to.permutation();
        to.apply(u128::from_be_bytes(from)).to_be_bytes()
    }

    /// The largest public value that a value of the first form's shape can have.
    fn largest(self) -> u128 {
        match self.from.wire() {
            Wire::Bytes(BinaryLength::Bytes12) => (1 << 96) - 1,
            Wire::Decimal(_)
            | Wire::Text(TextForm::Digits28 | TextForm::Digits38)
            | Wire::Integer => self.from.max_value(),
            _ => u128::MAX,
        }
    }

    /// The condition that an id fits, unless every one does.
    fn at_most(self, hex: &str) -> Option<String> {
        let max = self.to.max_value();
        (self.largest() > max).then(|| {
            let public = piece(hex, &places(self.from.permutation()));
            format!("upper({public}) <= '{max:032X}'")
        })
    }
}

/// Sixteen indexes of bytes.
type Places = [u8; 16];

/// The index in the stored form of each byte of the public form.
fn places(permutation: Permutation) -> Places {
    permutation
        .invert(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)
        .to_be_bytes()
}

const fn is_hyphenated(form: TextForm) -> bool {
    matches!(form, TextForm::Hyphenated | TextForm::HyphenatedUpper)
}

/// `NULL` for values that do not fulfil the condition.
fn guarded(condition: Option<String>, sql: String) -> String {
    match condition {
        Some(condition) => format!("CASE WHEN {condition} THEN {sql} END"),
        None => sql,
    }
}

/// The condition that a value has the length, the alphabet and the letter case of its form. None
/// for types that have no other values.
fn shape(wire: Wire, stored: &str) -> Option<String> {
    let (class, form) = match wire {
        Wire::Uuid | Wire::NativeUuid | Wire::Integer => return None,
        Wire::Bytes(length) => return Some(format!("length({stored}) = {}", length.bytes())),
        Wire::Decimal(precision) => {
            return Some(format!("{stored} BETWEEN 0 AND {}BD", precision.max()));
        }
        Wire::Text(form) => match form {
            TextForm::Hyphenated | TextForm::Hex => ("0-9a-f", form),
            TextForm::HyphenatedUpper | TextForm::HexUpper => ("0-9A-F", form),
            TextForm::Digits28 | TextForm::Digits38 => ("0-9", form),
            TextForm::Compact16 | TextForm::Compact22 => ("0-9A-Za-z", form),
        },
    };
    let width = form.width();
    let pattern = match is_hyphenated(form) {
        true => format!("^[{class}]{{8}}(-[{class}]{{4}}){{3}}-[{class}]{{12}}$"),
        false => format!("^[{class}]{{{width}}}$"),
    };
    // In Spark, `$` also matches before the end of a last line.
    Some(format!(
        "length({stored}) = {width} AND {stored} RLIKE '{pattern}'"
    ))
}

/// The number in a column that stores digits.
fn number(from: Spark, stored: &str) -> Option<String> {
    match from {
        Spark::Decimal(_) | Spark::Text(TextForm::Digits28 | TextForm::Digits38) => {
            Some(format!("CAST({stored} AS DECIMAL(38,0))"))
        }
        _ => None,
    }
}

/// 32 hexadecimal digits in either case.
fn hex(from: Spark, stored: &str) -> String {
    if let Some(n) = number(from, stored) {
        let low = format!("({n} % {TWO_64})");
        return format!(
            "concat(lpad(hex(CAST(({n} - {low}) / {TWO_64} AS BIGINT)), 16, '0'), \
             lpad(conv(CAST({low} AS STRING), 10, 16), 16, '0'))"
        );
    }
    match from {
        Spark::Bytes(BinaryLength::Bytes16) => format!("hex({stored})"),
        Spark::Bytes(BinaryLength::Bytes12) => format!("concat('00000000', hex({stored}))"),
        Spark::Text(form) if is_hyphenated(form) => format!("replace({stored}, '-', '')"),
        _ => stored.into(),
    }
}

/// The digits of some bytes.
fn piece(hex: &str, places: &[u8]) -> String {
    if places.len() == 16 && places.is_sorted() {
        return hex.into();
    }
    let runs = places.chunk_by(|before, after| before + 1 == *after);
    let pieces = runs.map(|run| {
        let (first, count) = (2 * run[0] + 1, 2 * run.len());
        format!("substring({hex}, {first}, {count})")
    });
    let pieces: Vec<String> = pieces.collect();
    match pieces.len() {
        1 => pieces.concat(),
        _ => format!("concat({})", pieces.join(", ")),
    }
}

/// The value of a column from hexadecimal digits, whose bytes are at these places.
fn written(to: Spark, hex: &str, places: &Places) -> String {
    match to {
        Spark::Bytes(BinaryLength::Bytes16) => format!("unhex({})", piece(hex, places)),
        Spark::Bytes(BinaryLength::Bytes12) => format!("unhex({})", piece(hex, &places[4..])),
        Spark::Decimal(precision) => decimal(&whole(hex, places), precision.digits()),
        Spark::Text(form @ (TextForm::Digits28 | TextForm::Digits38)) => {
            digits(&whole(hex, places), form)
        }
        Spark::Text(form) => {
            let text = match is_hyphenated(form) {
                true => {
                    let pieces = [0..4, 4..6, 6..8, 8..10, 10..16];
                    let pieces = pieces.map(|range| piece(hex, &places[range]));
                    format!("concat_ws('-', {})", pieces.join(", "))
                }
                false => piece(hex, places),
            };
            match form {
                TextForm::HyphenatedUpper | TextForm::HexUpper => format!("upper({text})"),
                _ => format!("lower({text})"),
            }
        }
        Spark::Integer => hex.into(),
    }
}

/// The number of hexadecimal digits, which has at most 38 digits.
fn whole(hex: &str, places: &Places) -> String {
    let half = |places| {
        let digits = piece(hex, places);
        format!("CAST(conv({digits}, 16, 10) AS DECIMAL(20,0))")
    };
    let (high, low) = (half(&places[..8]), half(&places[8..]));
    format!("({high} * {TWO_64} + {low})")
}

fn decimal(number: &str, digits: u8) -> String {
    format!("CAST({number} AS DECIMAL({digits},0))")
}

fn digits(number: &str, form: TextForm) -> String {
    let width = form.width();
    format!("lpad(CAST({number} AS STRING), {width}, '0')")
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;
    use rowkey_core::format::FormatKind;
    use rowkey_core::storage::{Layout, Storage};

    use super::*;

    fn form(format: FormatKind, backend: Backend, name: &str) -> StoredForm {
        StoredForm::named(format, backend, name).unwrap()
    }

    #[test]
    fn forms_of_different_formats_and_compact_text_are_refused() {
        let uuid = |format| form(format, Backend::Postgres, "uuid");
        let refused = SparkConversion::new(uuid(FormatKind::UuidV7), uuid(FormatKind::UuidV4));
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Declaration);
        let compact = form(FormatKind::UuidV7, Backend::MySql, "text-compact");
        let refused = SparkConversion::new(uuid(FormatKind::UuidV7), compact).unwrap_err();
        assert!(refused.to_string().contains("compact text"), "{refused}");
        assert!(
            SparkConversion::new(compact, compact)
                .unwrap()
                .is_identity()
        );
    }

    #[test]
    fn every_pair_has_an_expression_or_is_refused_for_its_compact_text() {
        for format in FormatKind::ALL {
            let mut forms = Vec::new();
            for backend in Backend::ALL {
                for storage in Storage::ALL {
                    for layout in Layout::ALL {
                        forms.extend(StoredForm::new(format, backend, storage, Some(layout)));
                    }
                }
            }
            for (from, to) in forms
                .iter()
                .flat_map(|from| forms.iter().map(move |to| (*from, *to)))
            {
                let is_compact = [from, to].map(|form| form.storage() == Storage::TextCompact);
                match SparkConversion::new(from, to) {
                    Ok(conversion) => {
                        let is_same = conversion.expression("id") == "`id`";
                        assert_eq!(is_same, conversion.is_identity(), "{from:?} {to:?}");
                    }
                    Err(_) => assert!(is_compact.contains(&true), "{from:?} {to:?}"),
                }
            }
        }
    }

    #[test]
    fn bytes_move_to_the_places_of_the_other_layout() {
        let from = form(FormatKind::ShortPrefixComb, Backend::MariaDb, "uuid:suffix");
        let to = form(FormatKind::ShortPrefixComb, Backend::Postgres, "uuid");
        assert_eq!(
            SparkConversion::new(from, to).unwrap().expression("id"),
            "CASE WHEN length(`id`) = 16 THEN lower(concat_ws('-', \
             concat(substring(hex(`id`), 21, 4), substring(hex(`id`), 5, 4)), \
             substring(hex(`id`), 9, 4), substring(hex(`id`), 13, 4), substring(hex(`id`), 17, 4), \
             concat(substring(hex(`id`), 1, 4), substring(hex(`id`), 25, 8)))) END",
        );
    }

    #[test]
    fn numbers_are_taken_in_halves() {
        let decimal = form(FormatKind::DistributedId, Backend::Postgres, "decimal");
        let bytes = form(FormatKind::DistributedId, Backend::MariaDb, "binary");
        assert_eq!(
            SparkConversion::new(decimal, bytes)
                .unwrap()
                .expression("a`b"),
            "CASE WHEN `a``b` BETWEEN 0 AND 9999999999999999999999999999BD THEN \
             unhex(substring(concat(lpad(hex(CAST((CAST(`a``b` AS DECIMAL(38,0)) - \
             (CAST(`a``b` AS DECIMAL(38,0)) % 18446744073709551616BD)) / 18446744073709551616BD AS BIGINT)), \
             16, '0'), lpad(conv(CAST((CAST(`a``b` AS DECIMAL(38,0)) % 18446744073709551616BD) AS STRING), \
             10, 16), 16, '0')), 9, 24)) END",
        );
        assert_eq!(
            SparkConversion::new(bytes, decimal)
                .unwrap()
                .expression("id"),
            "CASE WHEN length(`id`) = 12 THEN CASE WHEN upper(concat('00000000', hex(`id`))) <= \
             '00000000204FCE5E3E2502610FFFFFFF' THEN CAST((CAST(conv(substring(concat('00000000', hex(`id`)), \
             1, 16), 16, 10) AS DECIMAL(20,0)) * 18446744073709551616BD + \
             CAST(conv(substring(concat('00000000', hex(`id`)), 17, 16), 16, 10) AS DECIMAL(20,0))) AS \
             DECIMAL(28,0)) END END",
        );
    }
}
