//! Whether a column of the target holds a value as it is. Servers cut off, round or replace some
//! values without an error.

use rowkey_core::Backend;
use rowkey_sql::StoredForm;
use rowkey_tables::connection::shortened;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::interval::Interval;
use rowkey_tables::types::{Affinity, Kind, Type, clock, network};
use serde::de::IgnoredAny;

use crate::batch::{Batch, Cell, Lost, Normal, as_double, depth, is_unicode, normal};
use crate::engine::{NegativeZero, SpecialDecimals, Times, engine};
use crate::tables::table_side::{ColumnSide, Content};

/// Why PostgreSQL refuses a text.
const NO_ZERO: &str = "a text contains the character U+0000, which PostgreSQL's text does not have";
/// MySQL's and MariaDB's longest time, and the beginning of their `timestamp`, in microseconds.
const LONGEST_TIME: i64 = (838 * 3_600 + 59 * 60 + 59) * 1_000_000;
const FIRST_MOMENT: i64 = -946_684_799_000_000;

/// Why a column does not hold a value, if so.
pub(crate) fn check(
    backend: Backend,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<(), String> {
    if let Some(other) = as_text(column, cell)? {
        return text(backend, column, &other);
    }
    let refuses_negative = column.sql_type.refuses_negative();
    match cell {
        Cell::Refused(span) => Err(batch.text(span).to_owned()),
        Cell::Null if column.fills_null => {
            Err("it is NULL, for which the target would take the present moment".into())
        }
        // It comes from a column of the same type, but an enum may have other words there.
        Cell::Bytes(span) if column.content == Content::Values(Kind::Own) => {
            let bytes = batch.bytes(span);
            if !column.members.is_empty() {
                return text(backend, column, &String::from_utf8_lossy(bytes));
            }
            let layout = column.layout.as_ref();
            match layout.and_then(|layout| layout.unknown_word(bytes)) {
                None => Ok(()),
                Some(word) => Err(format!(
                    "a value has the word {word:?}, which an enum of {} does not have",
                    column.sql_type
                )),
            }
        }
        _ if column.content == Content::Values(Kind::Own) => Ok(()),
        Cell::Null | Cell::Bool(_) => Ok(()),
        Cell::Integer(number) => integer(backend, column, number.into()),
        Cell::Large(number) => integer(backend, column, number.into()),
        Cell::Single(number) if number.is_sign_negative() && refuses_negative => {
            Err(outside(column, &number.to_string()))
        }
        Cell::Double(number) if number.is_sign_negative() && refuses_negative => {
            Err(outside(column, &number.to_string()))
        }
        // As a number of 64 bits, none of these is too small.
        Cell::Single(number) => {
            let is_small = column.own == Type::Single && number.is_subnormal();
            float(backend, number.into(), is_small)
        }
        Cell::Double(number) => float(backend, number, number.is_subnormal()),
        Cell::Decimal(span) => decimal(backend, column, batch.text(span)),
        Cell::Text(span) => text(backend, column, batch.text(span)),
        Cell::Bytes(span) => bytes(backend, column, batch.bytes(span)),
        Cell::Date(_) if engine(backend).values.has_all_years => Ok(()),
        Cell::Date(days) => Ok(clock::date_text(days).map(drop)?),
        Cell::Time(micros) | Cell::Timestamp(micros)
            if micros % column.tick != 0 && !is_infinite(cell) =>
        {
            Err(format!(
                "a value has a fraction of a second, {}, that {} would round",
                clock::time_text(micros.rem_euclid(clock::DAY)),
                column.sql_type
            ))
        }
        Cell::Time(_) | Cell::Timestamp(_) if column.own == Type::Interval => Ok(()),
        // An infinite interval, where others are text, numbers or times of day.
        Cell::Timestamp(_) if column.content != Content::Values(Kind::Timestamp) => Err(format!(
            "a value is an infinite interval, which {} does not have",
            column.sql_type
        )),
        Cell::Time(micros) => time(backend, micros),
        Cell::Timestamp(micros) => timestamp(backend, column, micros),
        Cell::Sixteen(span) => match column.content {
            Content::Ids(form) => id(form, batch.sixteen(span)),
            Content::Values(_) => Ok(()),
        },
    }
}

/// The text that a column of text gets instead of another value: that which SQLite gets for times.
pub(crate) fn as_text(column: &ColumnSide, cell: Cell) -> Result<Option<String>, String> {
    Ok(Some(match cell {
        _ if !column.is_text_of_others() => return Ok(None),
        // As drivers write it where the words have no place.
        Cell::Bool(truth) if matches!(column.own, Type::Text(Some(..5))) => {
            u8::from(truth).to_string()
        }
        Cell::Bool(truth) => truth.to_string(),
        Cell::Integer(number) => number.to_string(),
        Cell::Large(number) => number.to_string(),
        Cell::Date(days) => clock::date_text(days)?,
        Cell::Time(micros) => clock::time_text(micros),
        Cell::Timestamp(micros) => {
            let zone = if column.takes_offsets { "+00:00" } else { "" };
            format!("{}{zone}", clock::timestamp_text(micros)?)
        }
        _ => return Ok(None),
    }))
}

/// Whether it is PostgreSQL's infinite moment, which has no fraction.
fn is_infinite(cell: Cell) -> bool {
    matches!(cell, Cell::Timestamp(i64::MIN | i64::MAX))
}

fn integer(backend: Backend, column: &ColumnSide, number: i128) -> Result<(), String> {
    let (first, last) = match column.own {
        Type::Decimal(_) => return decimal(backend, column, &number.to_string()),
        Type::Integer { .. } | Type::Flag | Type::Loose(_) | Type::Own | Type::Bytes(_)
            if backend.stores_any_type() =>
        {
            (i64::MIN.into(), i64::MAX.into())
        }
        Type::Year if matches!(number, 0 | 1_901..=2_155) => return Ok(()),
        Type::Year => (1_901, 2_155),
        Type::Flag => (-128, 127),
        Type::Integer { bytes, is_unsigned } => bounds(bytes, is_unsigned),
        _ => return Ok(()),
    };
    match (first..=last).contains(&number) {
        true => Ok(()),
        false => Err(outside(column, &number.to_string())),
    }
}

fn outside(column: &ColumnSide, number: &str) -> String {
    format!("a value is {number}, outside of {}", column.sql_type)
}

/// The least and the greatest integer of some bytes.
pub(crate) fn bounds(bytes: u8, is_unsigned: bool) -> (i128, i128) {
    let count = 1_i128 << (8 * u32::from(bytes));
    match is_unsigned {
        true => (0, count - 1),
        false => (-count / 2, count / 2 - 1),
    }
}

/// SQLite stores NULL instead of NaN.
fn float(backend: Backend, number: f64, is_subnormal: bool) -> Result<(), String> {
    let has = &engine(backend).values;
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    let is_held = (has.has_nan_floats || !number.is_nan())
        && (has.has_infinite_floats || !number.is_infinite())
        && (has.negative_zero == NegativeZero::Kept || !is_negative_zero)
        && (has.has_subnormal_floats || !is_subnormal);
    match is_held {
        true => Ok(()),
        false => Err(format!(
            "a value is {number:?}, which {backend} does not have"
        )),
    }
}

fn decimal(backend: Backend, column: &ColumnSide, digits: &str) -> Result<(), String> {
    let shown = shortened(digits);
    match (column.own, normal(digits)) {
        (
            _,
            Some(Normal::Number {
                is_negative: true, ..
            }),
        ) if column.sql_type.refuses_negative() => Err(outside(column, &shown)),
        (_, None) => Err(format!(
            "a value is \"{shown}\", which is no decimal number"
        )),
        (own, Some(Normal::Special(_))) => {
            let is_infinite = digits != "NaN";
            let is_held = match engine(backend).values.special_decimals {
                // Infinite numbers have no digits.
                SpecialDecimals::Numbers => !is_infinite || own == Type::Decimal(None),
                SpecialDecimals::AsText => own != Type::Double,
                SpecialDecimals::None => false,
            };
            match is_held {
                true => Ok(()),
                false => Err(format!(
                    "a value is {shown}, which {} of {backend} does not have",
                    column.sql_type
                )),
            }
        }
        (own, _)
            if column.stores_floats()
                && as_double(digits).is_none()
                && (own == Type::Double || !is_whole(digits)) =>
        {
            Err(format!("a value is {shown}, which would be rounded"))
        }
        (
            Type::Decimal(Some((precision, scale))),
            Some(Normal::Number {
                whole, fraction, ..
            }),
        ) => {
            if fraction.len() > scale as usize {
                return Err(format!("a value is {shown}, which would be rounded"));
            }
            let money = column.sql_type.money();
            let is_outside = money.is_some_and(|(first, last)| {
                scaled(digits, 4).is_none_or(|number| !(first..=last).contains(&number))
            });
            match is_outside || whole.len() > precision.saturating_sub(scale) as usize {
                true => Err(format!(
                    "a value is {shown}, which has more digits than {}",
                    column.sql_type
                )),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn is_whole(digits: &str) -> bool {
    scaled(digits, 0).is_some_and(|number| i64::try_from(number).is_ok())
}

/// A decimal number as a whole one, with so many digits after the point.
pub(crate) fn scaled(digits: &str, scale: u32) -> Option<i128> {
    let Normal::Number {
        is_negative,
        whole,
        fraction,
    } = normal(digits)?
    else {
        return None;
    };
    let zeros = (scale as usize).checked_sub(fraction.len())?;
    let number = format!("{whole}{fraction}{}", "0".repeat(zeros));
    let number: i128 = match number.as_str() {
        "" => 0,
        number => number.parse().ok()?,
    };
    Some(if is_negative { -number } else { number })
}

/// Servers cut off spaces at the end of text that is too long.
fn text(backend: Backend, column: &ColumnSide, text: &str) -> Result<(), String> {
    if !engine(backend).values.has_zero_character && text.as_bytes().contains(&0) {
        return Err(NO_ZERO.into());
    }
    if !is_of_type(column, text) {
        let shown = shortened(text);
        let sql_type = &column.sql_type;
        return Err(format!("a value is \"{shown}\", which is no {sql_type}"));
    }
    if column.content == Content::Values(Kind::Json) {
        json(backend, column, text)?;
    }
    if backend.stores_any_type() && becomes_another(column, text) {
        let shown = shortened(text);
        let sql_type = &column.sql_type;
        return Err(format!(
            "a text is \"{shown}\", of which {sql_type} makes a number with other digits"
        ));
    }
    match column.own {
        // SQLite's lengths are not limits.
        Type::Text(Some(length)) | Type::PaddedText(length)
            if !backend.stores_any_type()
                && text.len() > length as usize
                && characters(backend, text) > length as usize =>
        {
            let found = characters(backend, text);
            let holds = holds(column, length.into());
            return Err(format!("a value has {found} characters, and {holds}"));
        }
        // Shorter values are filled with spaces.
        Type::PaddedText(length)
            if !column.trims && characters(backend, text) < length as usize =>
        {
            let sql_type = &column.sql_type;
            let found = characters(backend, text);
            return Err(format!(
                "a value has {found} characters, and {sql_type} has exactly {length}"
            ));
        }
        _ => {}
    }
    if text.ends_with(' ') && column.sql_type.cuts_spaces() {
        let sql_type = &column.sql_type;
        return Err(format!(
            "a text ends with a space, which {sql_type} cuts off"
        ));
    }
    if let Some(most) = column.most_bytes
        && text.len() as u64 > most
    {
        let holds = holds(column, most);
        return Err(format!("a value has {} bytes, and {holds}", text.len()));
    }
    match column.charset.misfit(text) {
        Some(character) => Err(format!(
            "a text contains the character U+{:04X}, which {} does not have",
            u32::from(character),
            column.sql_type
        )),
        None => Ok(()),
    }
}

/// Whether SQLite makes a number of a text, and that is shown in another way.
fn becomes_another(column: &ColumnSide, text: &str) -> bool {
    let affinity = column.sql_type.affinity();
    if matches!(affinity, Affinity::Text | Affinity::Blob) {
        return false;
    }
    let digits = text.trim_ascii();
    let is_word = digits.contains(|one: char| one.is_alphabetic() && !matches!(one, 'e' | 'E'));
    let Ok(number) = digits.parse::<f64>() else {
        return false;
    };
    let is_whole = affinity != Affinity::Real && number.fract() == 0.0 && number.abs() < 9.2e18;
    let shown = match digits.parse::<i64>() {
        Ok(whole) if affinity != Affinity::Real => whole.to_string(),
        _ if is_whole => format!("{number:.0}"),
        _ => format!("{number:?}"),
    };
    !is_word && shown != text
}

pub(crate) fn characters(backend: Backend, text: &str) -> usize {
    match engine(backend).values.counts_utf16 {
        true => text.encode_utf16().count(),
        false => text.chars().count(),
    }
}

/// A server that keeps JSON as a tree has no place for some names, strings and numbers.
fn json(backend: Backend, column: &ColumnSide, text: &str) -> Result<(), String> {
    let sql_type = &column.sql_type;
    let Some(tree) = &engine(backend).values.json else {
        return Ok(());
    };
    let most = tree.deepest;
    if depth(text) > most {
        return Err(format!(
            "JSON has more than {most} arrays and objects inside each other"
        ));
    }
    if !is_unicode(text) {
        return Err("a text is no JSON".into());
    }
    if !tree.has_zero_character && has_zero_escape(text) {
        return Err(format!(
            "JSON has the character U+0000, which {sql_type} does not have"
        ));
    }
    let lost = tree.lost(text).map_err(|_| "a text is no JSON")?;
    let Some(lost) = lost else {
        return Ok(());
    };
    Err(match lost {
        Lost::Repeated(name) => {
            let name = shortened(&name);
            format!(
                "JSON has the name \"{name}\" twice in an object, of which {sql_type} keeps one"
            )
        }
        Lost::Name(name) => format!(
            "JSON has a name of {} bytes, and {sql_type} holds {}",
            name.len(),
            tree.longest_name
        ),
        Lost::Number(number) => {
            let number = shortened(&number);
            format!("JSON has the number {number}, which {sql_type} does not keep")
        }
    })
}

fn has_zero_escape(text: &str) -> bool {
    let is_escape = |place: usize| {
        let before = text[..place]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\');
        before.count() % 2 == 0
    };
    let mut escapes = text.match_indices("\\u0000");
    escapes.any(|(place, _)| is_escape(place))
}

/// Whether a text is JSON. Servers look at that themselves when it is written.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether a text is one of those that the type has.
fn is_of_type(column: &ColumnSide, text: &str) -> bool {
    let is_member = |word: &str| column.members.iter().any(|member| member == word);
    match column.own {
        Type::Enum => is_member(text),
        Type::Own if !column.members.is_empty() => is_member(text),
        // Words in another order, or twice, would be stored as others.
        Type::Set => {
            let place = |word| column.members.iter().position(|member| member == word);
            let places: Option<Vec<usize>> = text.split(',').map(place).collect();
            text.is_empty() || places.is_some_and(|places| places.is_sorted_by(|a, b| a < b))
        }
        Type::Bits { length, is_fixed } => {
            let fits = match is_fixed {
                true => text.len() == length as usize,
                false => text.len() <= length as usize,
            };
            fits && text.bytes().all(|byte| matches!(byte, b'0' | b'1'))
        }
        // What it would show otherwise, such as a network without its mask, is another text.
        Type::Network { is_cidr } => network::binary(text, is_cidr)
            .and_then(|binary| network::text(&binary, is_cidr))
            .is_some_and(|shown| shown == text),
        Type::Text(_) if column.sql_type.is_address() => column.sql_type.shows_address(text),
        Type::Interval => Interval::read(text).is_some(),
        _ => true,
    }
}

fn holds(column: &ColumnSide, most: u64) -> String {
    format!("{} holds {most}", column.sql_type)
}

fn bytes(backend: Backend, column: &ColumnSide, bytes: &[u8]) -> Result<(), String> {
    let found = bytes.len();
    let most = match column.own {
        _ if backend.stores_any_type() => None,
        // Shorter values are filled with zeros.
        Type::FixedBytes(length) if found != length as usize => {
            let sql_type = &column.sql_type;
            return Err(format!(
                "a value has {found} bytes, and {sql_type} has exactly {length}"
            ));
        }
        Type::Bytes(Some(length)) => Some(length.into()),
        _ => column.most_bytes,
    };
    match most.filter(|most| found as u64 > *most) {
        Some(most) => Err(format!(
            "a value has {found} bytes, and {}",
            holds(column, most)
        )),
        None => Ok(()),
    }
}

fn time(backend: Backend, micros: i64) -> Result<(), String> {
    let text = || clock::time_text(micros);
    match engine(backend).values.times {
        Times::OfManyDays if micros.abs() > LONGEST_TIME => Err(format!(
            "a value is {}, and {backend}'s times end at 838:59:59",
            text()
        )),
        Times::OfManyDays => Ok(()),
        Times::BeforeMidnight if micros == clock::DAY => Err(format!(
            "a value is {}, and {backend}'s times end before",
            text()
        )),
        _ if (0..=clock::DAY).contains(&micros) => Ok(()),
        _ => Err(format!("a value is {}, which is no time of a day", text())),
    }
}

fn timestamp(backend: Backend, column: &ColumnSide, micros: i64) -> Result<(), String> {
    let has = &engine(backend).values;
    if has.has_all_years {
        return Ok(());
    }
    let text = clock::timestamp_text(micros)?;
    let end = has.moments_end.filter(|_| column.own == Type::Instant);
    match column.moments_end.or(end) {
        Some(end) if !(FIRST_MOMENT..=end.last()).contains(&micros) => Err(format!(
            "a value is {text}, and {} lies between 1970 and {}",
            column.sql_type,
            end.year()
        )),
        _ => Ok(()),
    }
}

/// An id that the form of a side holds.
fn id(form: StoredForm, id: u128) -> Result<(), String> {
    match id <= form.max_value() {
        true => Ok(()),
        false => Err(format!(
            "an id is {id}, and {}:{} holds at most {}",
            form.storage(),
            form.layout(),
            form.max_value()
        )),
    }
}
