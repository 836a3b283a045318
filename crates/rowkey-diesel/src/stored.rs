//! What every backend does before it writes a key and after it reads one.

use diesel::deserialize;
use rowkey_core::{Backend, EntityKey};

use crate::column::Declared;
use crate::{Error, KeyColumn};

/// Checks that the schema declares a key's column as what the plan stores on a backend.
///
/// Diesel binds a parameter as the type in the schema. If the plan stores another type, the server
/// might convert one type to the other and compare a value that is no longer the key.
#[inline]
pub(crate) fn check_declared<K, ST>(backend: Backend) -> Result<(), Error>
where
    K: EntityKey,
    ST: KeyColumn<K>,
{
    let column = K::PLAN.column(backend);
    if ST::DECLARED.holds(column.wire()) {
        Ok(())
    } else {
        Err(Error::Declared {
            key: K::NAME,
            declared: name(ST::DECLARED),
            backend,
            stored: column.wire().describe(),
            required_type: column.required_type(),
        })
    }
}

const fn name(declared: Declared) -> &'static str {
    match declared {
        Declared::AsPlanned => "Key",
        Declared::Uuid => "Uuid",
        Declared::Numeric => "Numeric",
        Declared::Binary => "Binary",
        Declared::Text => "Text",
        Declared::BigInt => "BigInt",
    }
}

/// The key of a public value read from a column.
///
/// Takes a closure that reads the value, because a `Result` argument would be copied.
#[inline(always)]
pub(crate) fn key_of<K: EntityKey>(
    read: impl FnOnce() -> Result<u128, rowkey_core::Error>,
) -> deserialize::Result<K> {
    Ok(K::try_from(read()?)?)
}
