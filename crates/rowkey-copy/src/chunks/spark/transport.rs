//! How the values of a column go through Spark: as text that the source writes and the target
//! reads, because Spark's own numbers, dates and times hold less than those of databases. Bytes and
//! floating-point numbers stay what they are.

use rowkey_core::Backend;
use rowkey_core::storage::Wire;
use rowkey_sql::StoredForm;
use rowkey_tables::types::{Kind, Type};

use super::conversion::SparkConversion;
use crate::tables::table_side::{ColumnSide, Content};

/// The SQL of the source for a column, and Spark's expression for what the source gives.
pub(super) struct Transport {
    pub(super) select: String,
    pub(super) convert: Option<String>,
}

/// How a column goes from one side to the other. `column` is its name in the source's SQL, `alias`
/// that of its values in Spark.
///
/// # Errors
///
/// Why the job would not copy its values exactly.
pub(super) fn transport(
    (source, from): (Backend, &ColumnSide),
    (target, to): (Backend, &ColumnSide),
    column: &str,
    alias: &str,
) -> Result<Transport, String> {
    if !from.instead.is_empty() {
        return Err("a Spark job replaces no values, and the plan says `instead`".into());
    }
    match (from.content, to.content) {
        (Content::Ids(before), Content::Ids(after)) => {
            ids(source, before, after, column, alias).map_err(|error| error.to_string())
        }
        (Content::Values(kind), _) | (_, Content::Values(kind)) => {
            let is_postgres = [source, target] == [Backend::Postgres; 2];
            if let Some(what) = without_text(from, to, is_postgres) {
                return Err(format!(
                    "a Spark job does not copy {what} between these types"
                ));
            }
            Ok(Transport {
                select: match source {
                    Backend::Postgres => of_postgres(kind, from.own, target, to.own, column),
                    _ => of_mysql(kind, from.own, target, to.own, column),
                },
                convert: None,
            })
        }
    }
}

/// The values whose text the two databases write differently: nothing for those that have the same
/// text.
fn without_text(from: &ColumnSide, to: &ColumnSide, is_postgres: bool) -> Option<&'static str> {
    use Type::{Bits, Interval, Network};
    match (from.own, to.own) {
        (Interval, Interval) | (Bits { .. }, Bits { .. }) | (Network { .. }, Network { .. })
            if is_postgres =>
        {
            None
        }
        (Interval, _) | (_, Interval) => Some("intervals"),
        (Bits { .. }, _) | (_, Bits { .. }) => Some("bits"),
        (Network { .. }, _) | (_, Network { .. }) => Some("network addresses"),
        _ if to.is_text_of_others() => Some("values that become text"),
        _ if from.is_truth_in_text() => Some("words that become truth"),
        _ if from.is_bytes_in_text() => Some("text that becomes bytes"),
        _ if from.own == Type::Own && !is_postgres => Some("values of types without text"),
        _ => None,
    }
}

fn ids(
    source: Backend,
    before: StoredForm,
    after: StoredForm,
    column: &str,
    alias: &str,
) -> Result<Transport, rowkey_core::Error> {
    let conversion = SparkConversion::new(before, after)?;
    let select = match (before.wire(), source) {
        (Wire::Bytes(_), _) => column.to_owned(),
        (Wire::Decimal(precision), _) => {
            format!("CAST({column} AS DECIMAL({},0))", precision.digits())
        }
        (_, Backend::Postgres) => format!("{column}::text"),
        _ => format!("CAST({column} AS CHAR)"),
    };
    Ok(Transport {
        select,
        convert: (!conversion.is_identity()).then(|| conversion.expression(alias)),
    })
}

fn of_postgres(kind: Kind, from: Type, target: Backend, to: Type, column: &str) -> String {
    let is_other = target != Backend::Postgres;
    match (kind, from, to) {
        // As a number of 32 bits, the largest one gets digits that are too large for a `float`.
        (Kind::Single, ..) if is_other => format!("{column}::double precision"),
        (Kind::Bytes | Kind::Single | Kind::Double, ..) => column.into(),
        // `::text` takes away the spaces at the end.
        (Kind::Text, Type::PaddedText(length), _) => format!("rpad({column}::text, {length})"),
        // As text, 0 is the year 2000.
        (Kind::Integer, _, Type::Year) => format!("lpad({column}::text, 4, '0')"),
        (Kind::Bool, ..) if is_other => format!("{column}::integer::text"),
        (Kind::Uuid, Type::Uuid, Type::FixedBytes(_) | Type::Bytes(_)) => {
            format!("uuid_send({column})")
        }
        (Kind::Uuid, Type::Bytes(_), _) => format!("encode({column}, 'hex')"),
        // MariaDB's type reads fewer forms.
        (Kind::Uuid, Type::Text(_) | Type::PaddedText(_), _) => format!("{column}::uuid::text"),
        // The text of a moment has a zone, which others do not read.
        (Kind::Timestamp, Type::Instant, Type::Instant) if !is_other => {
            format!("{column}::text")
        }
        (Kind::Timestamp, Type::Instant, _) => format!("({column} AT TIME ZONE 'UTC')::text"),
        (Kind::Timestamp, _, Type::Instant) if !is_other => {
            format!("({column} AT TIME ZONE 'UTC')::text")
        }
        _ => format!("{column}::text"),
    }
}

fn of_mysql(kind: Kind, from: Type, target: Backend, to: Type, column: &str) -> String {
    let text = format!("CAST({column} AS CHAR)");
    match (kind, from, to) {
        (Kind::Bytes | Kind::Double | Kind::Text | Kind::Json, ..) => column.into(),
        (Kind::Integer, own, Type::Year) if own != Type::Year => format!("LPAD({text}, 4, '0')"),
        // By itself, it would be shown with six digits.
        (Kind::Single, ..) => format!("({column} * 1e0)"),
        (Kind::Uuid, Type::FixedBytes(_) | Type::Bytes(_), Type::Uuid) => {
            format!("LOWER(HEX({column}))")
        }
        (Kind::Uuid, Type::Uuid | Type::Text(_), Type::FixedBytes(_) | Type::Bytes(_)) => {
            format!("UNHEX(REPLACE({text}, '-', ''))")
        }
        (Kind::Timestamp, _, Type::Instant) if target == Backend::Postgres => {
            format!("CONCAT({text}, '+00')")
        }
        _ => text,
    }
}
