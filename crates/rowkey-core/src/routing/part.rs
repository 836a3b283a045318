//! The numbers in ids that say where they live.

use super::{Country, ServiceEntity};
use crate::format::{BitField, Format, FormatKind, HotGuid, Iuid};
use crate::message::equal;
use crate::storage::Backend;

/// A number in the ids of a format that says where they live: [`ShardKey`], [`Country`] or
/// [`ServiceEntity`].
pub trait RoutingPart: private::Placed + 'static {
    /// The format whose ids contain it.
    type Format: Format;

    /// The number in an id.
    type Number: Copy + Ord + Into<u32>;

    /// The number in a column. No database but MySQL has unsigned types of every width.
    type Stored: Copy + Ord + From<Self::Number> + Into<i64>;

    /// The number of an id.
    fn of(id: Self::Format) -> Self::Number;
}

/// The shard key of HotGuids, 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardKey {}

macro_rules! routing_parts {
    ($($Part:ident of $Format:ident: $name:literal $number:ident $Number:ty, $order:ident,
       column $size:ident $Stored:ty;)*) => {$(
        impl RoutingPart for $Part {
            type Format = $Format;
            type Number = $Number;
            type Stored = $Stored;

            fn of(id: $Format) -> $Number {
                id.$number()
            }
        }

        impl private::Placed for $Part {
            const FIELD: NumberField =
                private::field(FormatKind::$Format, $name, ByteOrder::$order);
            const SIZE: NumberSize = NumberSize::$size;
        }
    )*};
}

routing_parts! {
    ShardKey of HotGuid: "shard key" shard_key u32, LittleEndian, column Big i64;
    Country of Iuid: "country" country u8, BigEndian, column Small i16;
    ServiceEntity of Iuid: "service entity" service_entity u8, BigEndian, column Small i16;
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The highest byte comes first.
    BigEndian,
    /// The lowest byte comes first. The number is whole bytes.
    LittleEndian,
}

/// A field of at most 63 bits of the public form, as a number.
#[derive(Clone, Copy, Debug)]
pub struct NumberField {
    /// Where the number is.
    pub bits: BitField,
    /// The order of the number's bytes.
    pub order: ByteOrder,
}

/// The type of the column of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSize {
    /// Sixteen bits.
    Small,
    /// 64 bits.
    Big,
}

impl NumberSize {
    /// The type of the column in SQL.
    pub const fn sql_type(self, backend: Backend) -> &'static str {
        match (backend, self) {
            (Backend::Sqlite, _) => "INTEGER",
            (Backend::MySql | Backend::MariaDb, Self::Small) => "SMALLINT",
            (Backend::MySql | Backend::MariaDb, Self::Big) => "BIGINT",
            (_, Self::Small) => "smallint",
            (_, Self::Big) => "bigint",
        }
    }
}

mod private {
    use super::*;

    /// A number with a place in the public form.
    pub trait Placed {
        const FIELD: NumberField;

        /// The size of the number's column, which has a sign.
        const SIZE: NumberSize;
    }

    pub(super) const fn field(format: FormatKind, name: &str, order: ByteOrder) -> NumberField {
        let fields = format.fields();
        let mut index = 0;
        while !equal(fields[index].name, name) {
            index += 1;
        }
        NumberField {
            bits: fields[index],
            order,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::private::Placed;
    use super::*;

    fn number_in(field: NumberField, value: u128) -> u32 {
        let number = (value >> field.bits.shift() & field.bits.max()) as u32;
        match field.order {
            ByteOrder::BigEndian => number,
            ByteOrder::LittleEndian => number.swap_bytes(),
        }
    }

    #[test]
    fn fields_are_those_of_the_accessors() {
        let mut value = 1_u128;
        for _ in 0..10_000 {
            // Any odd multiplier reaches all bits.
            value = value.wrapping_mul(0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15) ^ value >> 64;
            let value = FormatKind::Iuid.spec().fixed.stamp(value);
            let (guid, iuid) = (HotGuid::admitted(value), Iuid::admitted(value));
            assert_eq!(number_in(ShardKey::FIELD, value), ShardKey::of(guid));
            assert_eq!(
                number_in(Country::FIELD, value),
                u32::from(Country::of(iuid))
            );
            let entity = ServiceEntity::of(iuid);
            assert_eq!(number_in(ServiceEntity::FIELD, value), u32::from(entity));
        }
    }
}
