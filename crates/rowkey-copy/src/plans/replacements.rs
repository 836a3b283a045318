//! What the target gets instead of values that it has no place for.

use rowkey_tables::types::clock;
use serde::{Deserialize, Serialize};

use crate::batch::{Batch, Cell};

/// What the target gets instead of values that it has no place for. What is not here is refused.
///
/// ```
/// use rowkey_copy::CopyPlan;
///
/// let plan = CopyPlan::from_toml(
///     r#"
///     version = 1
///     source = "mariadb"
///     target = "postgres"
///
///     [[table]]
///     name = "note"
///     becomes = "note"
///     catalog = ""
///
///     [[table.column]]
///     name = "made"
///     from = "datetime"
///     to = "timestamp without time zone"
///     instead = { zero-date = "null" }
///     "#,
/// )?;
/// assert!(plan.tables[0].columns[0].instead.zero_date.is_some());
/// # Ok::<(), rowkey_copy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Replacements {
    /// Dates with zeros, and days that no month has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero_date: Option<Null>,
    /// Infinite numbers, times and intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infinity: Option<Null>,
    /// NaN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nan: Option<Null>,
    /// The floating-point number −0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative_zero: Option<Zero>,
    /// Text with the character U+0000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nul: Option<Strip>,
    /// Times before 00:00 or after 24:00, and years before 1 or after 9999.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_range: Option<Null>,
    /// Values that are not what the column's type says: SQLite's values of other types, and text
    /// that is to become a number, a date or a UUID, and isn't one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_type: Option<Null>,
    /// Times with more digits after the second than the target's column has, which would round them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<Cut>,
    /// Times with tenths of a microsecond, which only SQL Server has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenths: Option<Cut>,
}

/// NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// NULL.
    Null,
}

/// Zero without its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zero {
    /// Zero without its sign.
    Zero,
}

/// The time without the digits that have no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// The time without the digits that have no place.
    Cut,
}

/// The text without the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strip {
    /// The text without the characters.
    Strip,
}

impl Replacements {
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a value may become NULL.
    pub(crate) fn gives_null(&self) -> bool {
        let nulls = [
            self.zero_date,
            self.infinity,
            self.nan,
            self.out_of_range,
            self.other_type,
        ];
        nulls.iter().any(Option::is_some)
    }

    /// The cell that a target gets.
    pub(crate) fn apply(&self, batch: &mut Batch, cell: Cell) -> Cell {
        if self.is_empty() {
            return cell;
        }
        match (cell, SpecialValue::of(batch, cell)) {
            (Cell::Text(span), Some(SpecialValue::Nul)) if self.nul.is_some() => {
                let stripped = batch.text(span).replace('\0', "");
                Cell::Text(batch.keep(stripped.as_bytes()))
            }
            (Cell::Single(_), Some(SpecialValue::NegativeZero)) if self.negative_zero.is_some() => {
                Cell::Single(0.0)
            }
            (Cell::Double(_), Some(SpecialValue::NegativeZero)) if self.negative_zero.is_some() => {
                Cell::Double(0.0)
            }
            (_, Some(SpecialValue::Infinity)) if self.infinity.is_some() => Cell::Null,
            (_, Some(SpecialValue::Nan)) if self.nan.is_some() => Cell::Null,
            (_, Some(SpecialValue::OutOfRange)) if self.out_of_range.is_some() => Cell::Null,
            _ => cell,
        }
    }
}

/// What a plan can replace in a value that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecialValue {
    Nul,
    NegativeZero,
    Infinity,
    Nan,
    OutOfRange,
}

impl SpecialValue {
    pub(crate) fn of(batch: &Batch, cell: Cell) -> Option<Self> {
        match cell {
            Cell::Single(number) => Self::of_float(number.into()),
            Cell::Double(number) => Self::of_float(number),
            Cell::Decimal(span) => match batch.text(span) {
                "NaN" => Some(Self::Nan),
                "Infinity" | "-Infinity" => Some(Self::Infinity),
                _ => None,
            },
            Cell::Text(span) => batch.bytes(span).contains(&0).then_some(Self::Nul),
            Cell::Date(i32::MIN | i32::MAX) | Cell::Timestamp(i64::MIN | i64::MAX) => {
                Some(Self::Infinity)
            }
            Cell::Date(days) => clock::date_text(days).is_err().then_some(Self::OutOfRange),
            Cell::Timestamp(micros) => {
                let text = clock::timestamp_text(micros);
                text.is_err().then_some(Self::OutOfRange)
            }
            Cell::Time(0..=clock::DAY) => None,
            Cell::Time(_) => Some(Self::OutOfRange),
            _ => None,
        }
    }

    fn of_float(number: f64) -> Option<Self> {
        match number {
            _ if number.is_nan() => Some(Self::Nan),
            _ if number.is_infinite() => Some(Self::Infinity),
            0.0 if number.is_sign_negative() => Some(Self::NegativeZero),
            _ => None,
        }
    }

    /// The words of a plan that replace it.
    pub(crate) fn plan_entry(self) -> &'static str {
        match self {
            Self::Nul => "nul = \"strip\"",
            Self::NegativeZero => "negative-zero = \"zero\"",
            Self::Infinity => "infinity = \"null\"",
            Self::Nan => "nan = \"null\"",
            Self::OutOfRange => "out-of-range = \"null\"",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_replaced() {
        let mut batch = Batch::new(1, 20);
        let nul = Cell::Text(batch.keep(b"a\0b\0"));
        let nan = Cell::Decimal(batch.keep(b"NaN"));
        for (cell, words, expected) in [
            (nul, "nul = \"strip\"", None),
            (nan, "nan = \"null\"", Some(Cell::Null)),
            (
                Cell::Double(f64::NEG_INFINITY),
                "infinity = \"null\"",
                Some(Cell::Null),
            ),
            (
                Cell::Date(i32::MAX),
                "infinity = \"null\"",
                Some(Cell::Null),
            ),
            (
                Cell::Single(-0.0),
                "negative-zero = \"zero\"",
                Some(Cell::Single(0.0)),
            ),
            (Cell::Time(-1), "out-of-range = \"null\"", Some(Cell::Null)),
            (
                Cell::Timestamp(i64::MAX - 1),
                "out-of-range = \"null\"",
                Some(Cell::Null),
            ),
        ] {
            let special = SpecialValue::of(&batch, cell).unwrap();
            assert_eq!(special.plan_entry(), words);
            let nothing = Replacements::default().apply(&mut batch, cell);
            assert_eq!(SpecialValue::of(&batch, nothing), Some(special), "{words}");
            let instead: Replacements = toml::from_str(words).unwrap();
            let replaced = instead.apply(&mut batch, cell);
            assert_eq!(SpecialValue::of(&batch, replaced), None, "{words}");
            if let Some(expected) = expected {
                assert_eq!(replaced, expected, "{words}");
            }
            assert_eq!(
                instead.apply(&mut batch, Cell::Integer(1)),
                Cell::Integer(1)
            );
        }
        let stripped = toml::from_str::<Replacements>("nul = \"strip\"").unwrap();
        let Cell::Text(span) = stripped.apply(&mut batch, nul) else {
            panic!("it is no text");
        };
        assert_eq!(batch.text(span), "ab");
        assert!(toml::from_str::<Replacements>("nul = \"null\"").is_err());
    }
}
