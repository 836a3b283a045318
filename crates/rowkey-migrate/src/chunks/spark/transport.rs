//! How the values of a column go through Spark: as text that the source writes and the target reads, because
//! Spark's own numbers, dates and times hold less than those of databases. Bytes and floating-point numbers
//! stay what they are.

use rowkey_core::Backend;
use rowkey_core::storage::{SparkConversion, StoredForm, Wire};

use crate::copy::side::{Content, SideColumn};
use crate::error::Error;
use crate::types::{Kind, Type};

/// The SQL of the source for a column, and Spark's expression for what the source gives.
pub(super) struct Transport {
    pub(super) select: String,
    pub(super) convert: Option<String>,
}

/// How a column goes from one side to the other. `column` is its name in the source's SQL, `alias` that of its
/// values in Spark.
///
/// # Errors
///
/// [`Error::Core`] for a conversion that Spark SQL does not have.
pub(super) fn transport(
    (source, from): (Backend, &SideColumn),
    (target, to): (Backend, &SideColumn),
    column: &str,
    alias: &str,
) -> Result<Transport, Error> {
    match (from.content, to.content) {
        (Content::Ids(before), Content::Ids(after)) => ids(source, before, after, column, alias),
        (Content::Values(kind), _) | (_, Content::Values(kind)) => Ok(Transport {
            select: match source {
                Backend::Postgres => of_postgres(kind, from.own, target, to.own, column),
                _ => of_mysql(kind, from.own, target, to.own, column),
            },
            convert: None,
        }),
    }
}

fn ids(
    source: Backend,
    before: StoredForm,
    after: StoredForm,
    column: &str,
    alias: &str,
) -> Result<Transport, Error> {
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
    match (kind, from, to) {
        (Kind::Bytes | Kind::Single | Kind::Double, ..) => column.into(),
        (Kind::Bool, ..) if target != Backend::Postgres => format!("{column}::integer::text"),
        (Kind::Uuid, Type::Uuid, Type::FixedBytes(_) | Type::Bytes(_)) => {
            format!("uuid_send({column})")
        }
        (Kind::Uuid, Type::Bytes(_), _) => format!("encode({column}, 'hex')"),
        (Kind::Uuid, Type::Text(_) | Type::PaddedText(_), _) if target != Backend::Postgres => {
            format!("uuid_send({column}::uuid)")
        }
        // Its text has a zone, which others do not read.
        (Kind::Timestamp, Type::Instant, _) if target != Backend::Postgres => {
            format!("({column} AT TIME ZONE 'UTC')::text")
        }
        (Kind::Timestamp, Type::Instant, Type::Timestamp) => {
            format!("({column} AT TIME ZONE 'UTC')::text")
        }
        (Kind::Timestamp, Type::Timestamp, Type::Instant) if target == Backend::Postgres => {
            format!("({column}::text || '+00')")
        }
        _ => format!("{column}::text"),
    }
}

fn of_mysql(kind: Kind, from: Type, target: Backend, to: Type, column: &str) -> String {
    let text = format!("CAST({column} AS CHAR)");
    match (kind, from, to) {
        (Kind::Bytes | Kind::Double | Kind::Text, ..) => column.into(),
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
