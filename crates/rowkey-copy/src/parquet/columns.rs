//! The columns of a file.

use arrow_schema::extension::{Json, Uuid};
use arrow_schema::{DataType, Field, TimeUnit};
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::StoragePlan;
use rowkey_core::text::Encoding;
use rowkey_sql::StoredForm;
use rowkey_tables::types::{ColumnType, Type};

/// The time zone of moments.
const UTC: &str = "UTC";

/// A column of a file.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) own: Type,
    /// The public form of its ids, if it has some.
    pub(super) ids: Option<StoredForm>,
    pub(super) is_nullable: bool,
}

/// How ids of a format are in files, in the words of the database that has a type for each of them.
pub(super) fn public_form(format: FormatKind) -> StoredForm {
    let column = StoragePlan::default_for(format).column(Backend::Postgres);
    let uuid = match format.public_encoding() {
        Encoding::Uuid => StoredForm::named(format, Backend::Postgres, "uuid:public").ok(),
        _ => None,
    };
    uuid.unwrap_or_else(|| column.into())
}

/// The type of a column with ids in public form.
pub(super) fn type_of_ids(public: StoredForm) -> Option<Type> {
    ColumnType::parse(Backend::Postgres, public.sql_type()).meaning()
}

impl Column {
    /// The column's declaration in Arrow.
    pub(super) fn field(&self) -> Option<Field> {
        let data_type = match self.own {
            Type::Bool => DataType::Boolean,
            Type::Integer { bytes, is_unsigned } => match (bytes, is_unsigned) {
                (1, false) => DataType::Int8,
                (2, false) => DataType::Int16,
                (4, false) => DataType::Int32,
                (_, false) => DataType::Int64,
                (1, true) => DataType::UInt8,
                (2, true) => DataType::UInt16,
                (4, true) => DataType::UInt32,
                (_, true) => DataType::UInt64,
            },
            Type::Single => DataType::Float32,
            Type::Double => DataType::Float64,
            Type::Decimal(Some((precision, scale))) => {
                let (digits, places) = (precision.try_into().ok()?, scale.try_into().ok()?);
                match precision {
                    ..=38 => DataType::Decimal128(digits, places),
                    _ => DataType::Decimal256(digits, places),
                }
            }
            Type::Text(_) | Type::Json => DataType::Utf8,
            Type::Bytes(_) => DataType::Binary,
            Type::FixedBytes(length) => DataType::FixedSizeBinary(length.try_into().ok()?),
            Type::Date => DataType::Date32,
            Type::Time => DataType::Time64(TimeUnit::Microsecond),
            Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Type::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
            Type::Uuid => DataType::FixedSizeBinary(16),
            _ => return None,
        };
        let mut field = Field::new(&self.name, data_type, self.is_nullable);
        match self.own {
            Type::Uuid => field.try_with_extension_type(Uuid).ok()?,
            Type::Json => field.try_with_extension_type(Json::default()).ok()?,
            _ => {}
        }
        Some(field)
    }
}

/// What the declaration of a column means, without ids; nothing for types that no column of a table
/// has.
pub(super) fn type_of(field: &Field) -> Option<Type> {
    let integer = |bytes, is_unsigned| Type::Integer { bytes, is_unsigned };
    let decimal = |digits: u8, places: i8| {
        let scale = u32::try_from(places).ok()?;
        Some(Type::Decimal(Some((digits.into(), scale))))
    };
    Some(match field.data_type() {
        DataType::Boolean => Type::Bool,
        DataType::Int8 => integer(1, false),
        DataType::Int16 => integer(2, false),
        DataType::Int32 => integer(4, false),
        DataType::Int64 => integer(8, false),
        DataType::UInt8 => integer(1, true),
        DataType::UInt16 => integer(2, true),
        DataType::UInt32 => integer(4, true),
        DataType::UInt64 => integer(8, true),
        DataType::Float32 => Type::Single,
        DataType::Float64 => Type::Double,
        DataType::Decimal128(digits, places) | DataType::Decimal256(digits, places) => {
            return decimal(*digits, *places);
        }
        DataType::Utf8 if field.has_valid_extension_type::<Json>() => Type::Json,
        DataType::Utf8 => Type::Text(None),
        DataType::Binary => Type::Bytes(None),
        DataType::FixedSizeBinary(16) if field.has_valid_extension_type::<Uuid>() => Type::Uuid,
        DataType::FixedSizeBinary(length) => Type::FixedBytes((*length).try_into().ok()?),
        DataType::Date32 => Type::Date,
        DataType::Time64(TimeUnit::Microsecond) => Type::Time,
        DataType::Timestamp(TimeUnit::Microsecond, None) => Type::Timestamp,
        DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if zone.as_ref() == UTC => {
            Type::Instant
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::types::{parse, tests::WORDS};
    use super::*;

    #[test]
    fn ids_are_in_public_form() {
        for format in FormatKind::ALL {
            let form = public_form(format);
            let own = type_of_ids(form).unwrap();
            let expected = match format.public_encoding() {
                Encoding::Uuid => Type::Uuid,
                _ if format == FormatKind::DatabaseNumber => Type::Integer {
                    bytes: 8,
                    is_unsigned: false,
                },
                _ => Type::Decimal(Some((28, 0))),
            };
            assert_eq!(own, expected, "{format}");
        }
    }

    #[test]
    fn a_declaration_means_the_type_that_it_was_made_of() {
        for words in WORDS {
            let own = parse(words).unwrap();
            let column = Column {
                name: "id".into(),
                own,
                ids: None,
                is_nullable: true,
            };
            let field = column.field().unwrap();
            assert_eq!(type_of(&field), Some(own), "{words}");
            let is_uuid = field.extension_type_name() == Some("arrow.uuid");
            assert_eq!(is_uuid, *words == "uuid");
        }
    }
}
