//! The fields of an id, under the names that the JSON output gives them.

use rowkey_core::format::{BitField, FieldKind, FormatKind};
use rowkey_core::{DistributedId, DistributedId128, Error, HotGuid, Iuid, Luuid, UnixMillis};
use serde::Serialize;
use serde_json::Value;

use crate::time::to_rfc3339;

/// Numbers up to here are exact in every JSON reader.
const LARGEST_EXACT: u128 = 1 << 53;

/// The fields of an id; `None` where its format has no such field.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    time_unix_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_entity: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard_key: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unix_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random: Option<Value>,
}

impl Fields {
    /// The fields of a value that belongs to the format.
    pub(crate) fn of(format: FormatKind, value: u128) -> Result<Self, Error> {
        let time_unix_ms = format.time_of(value).map(UnixMillis::get);
        let fields = Self {
            time_unix_ms,
            counter: interval_of(format, value).map(u32::from),
            ..Self::default()
        };
        Ok(match format {
            FormatKind::DistributedId => {
                let id = DistributedId::try_from(value)?;
                Self {
                    random: Some(number(id.random().into())),
                    ..fields
                }
            }
            FormatKind::DistributedId128 => {
                let id = DistributedId128::try_from(value)?;
                Self {
                    random: Some(number(id.random())),
                    ..fields
                }
            }
            FormatKind::Luuid => {
                let id = Luuid::try_from(value)?;
                Self {
                    group: Some(id.group().to_string()),
                    short_key: Some(id.short_key()),
                    random: Some(number(id.random().into())),
                    ..fields
                }
            }
            FormatKind::Iuid => {
                let id = Iuid::try_from(value)?;
                Self {
                    country: Some(id.country()),
                    service_entity: Some(id.service_entity()),
                    random: Some(number(id.random().into())),
                    ..fields
                }
            }
            FormatKind::HotGuid => {
                let id = HotGuid::try_from(value)?;
                Self {
                    counter: Some(id.counter()),
                    shard_key: Some(id.shard_key()),
                    unix_seconds: Some(id.unix_seconds()),
                    machine: Some(id.machine().map(|byte| format!("{byte:02x}")).concat()),
                    ..fields
                }
            }
            FormatKind::DatabaseNumber => Self {
                number: Some(number(value)),
                ..fields
            },
            // Time and counter, if anything.
            _ => fields,
        })
    }

    /// Name and value of each field that the format has, for the text output.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        fn text(value: Option<impl ToString>) -> Option<String> {
            value.map(|value| value.to_string())
        }
        let time = self
            .time_unix_ms
            .map(|millis| match to_rfc3339(UnixMillis::new(millis)) {
                Some(time) => format!("{millis} ({time})"),
                None => millis.to_string(),
            });
        let digits = |value: &Option<Value>| {
            value.as_ref().map(|value| match value {
                Value::String(digits) => digits.clone(),
                number => number.to_string(),
            })
        };
        [
            ("time_unix_ms", time),
            ("counter", text(self.counter)),
            ("group", self.group.clone()),
            ("short_key", self.short_key.clone()),
            ("country", text(self.country)),
            ("service_entity", text(self.service_entity)),
            ("shard_key", text(self.shard_key)),
            ("unix_seconds", text(self.unix_seconds)),
            ("machine", self.machine.clone()),
            ("number", digits(&self.number)),
            ("random", digits(&self.random)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }
}

/// The interval counter of an id, if its format has one.
pub(crate) fn interval_of(format: FormatKind, value: u128) -> Option<u16> {
    let is_interval = |field: &&BitField| field.kind == FieldKind::Interval;
    let field = format.fields().iter().find(is_interval)?;
    // The field has sixteen bits.
    Some((value >> (128 - field.first_bit - field.width)) as u16)
}

/// A JSON number if it is exact, otherwise the digits as a string.
fn number(value: u128) -> Value {
    match u64::try_from(value) {
        Ok(exact) if value <= LARGEST_EXACT => exact.into(),
        _ => value.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_that_tells_an_id_from_others_is_left_out() {
        for format in FormatKind::ALL {
            let fields = format.fields();
            let has = |kind: fn(&FieldKind) -> bool| fields.iter().any(|field| kind(&field.kind));
            let contexts = fields
                .iter()
                .filter(|field| field.kind == FieldKind::Context);
            let expected = usize::from(has(|kind| matches!(kind, FieldKind::Time { .. })))
                + usize::from(has(|kind| matches!(kind, FieldKind::Interval)))
                + usize::from(has(|kind| matches!(kind, FieldKind::Counter)))
                + usize::from(has(|kind| matches!(kind, FieldKind::Machine)))
                + contexts.count();
            let fixed = fields.iter().fold(0, |bits, field| {
                let shift = 128 - field.first_bit - field.width;
                match field.kind {
                    FieldKind::Version(value) | FieldKind::Variant(value) => {
                        bits | u128::from(value) << shift
                    }
                    _ => bits,
                }
            });
            let shown = Fields::of(format, fixed).unwrap().lines();
            assert!(shown.len() >= expected, "{format}: {shown:?}");
        }
    }

    #[test]
    fn numbers_are_exact_or_strings() {
        assert_eq!(number(1 << 53), Value::from(9_007_199_254_740_992_u64));
        assert_eq!(number((1 << 53) + 1), Value::from("9007199254740993"));
        assert_eq!(number(u128::MAX), Value::from(u128::MAX.to_string()));
    }
}
