//! What drivers of PostgreSQL have to know of its protocol: the numbers of the types that keys are
//! stored in, and the wire form of `numeric`.

pub mod numeric;

use super::Wire;

/// The numbers of a type and of arrays of it in `pg_type`, the same on every server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeOids {
    /// The type itself.
    pub element: u32,
    /// Arrays of it.
    pub array: u32,
}

const VARCHAR: TypeOids = TypeOids {
    element: 1043,
    array: 1015,
};
const CHAR: TypeOids = TypeOids {
    element: 1042,
    array: 1014,
};

impl TypeOids {
    /// What a key's parameters are: `uuid`, `numeric`, `bytea` or `text`.
    pub const fn of_parameters(wire: Wire) -> Self {
        match wire {
            Wire::Uuid | Wire::NativeUuid => Self {
                element: 2950,
                array: 2951,
            },
            Wire::Decimal(_) => Self {
                element: 1700,
                array: 1231,
            },
            Wire::Bytes(_) => Self {
                element: 17,
                array: 1001,
            },
            Wire::Text(_) => Self {
                element: 25,
                array: 1009,
            },
        }
    }

    /// The types of columns that hold a key: that of the parameters, and for text its kinds.
    pub fn of_columns(wire: Wire) -> impl Iterator<Item = Self> {
        let kinds_of_text: &[Self] = match wire {
            Wire::Text(_) => &[VARCHAR, CHAR],
            _ => &[],
        };
        core::iter::once(Self::of_parameters(wire)).chain(kinds_of_text.iter().copied())
    }
}
