//! Where the old columns of a table are after the swap.

use rowkey_core::Backend;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::dialect::Dialect;

/// The table with the old columns after the swap, on the databases that do not keep them in the
/// same table.
pub(crate) fn old_table(backend: Backend, table: &QualifiedName) -> Option<QualifiedName> {
    match backend.rebuilds_tables() {
        #[cfg(feature = "mysql")]
        true => Some(table.sibling(crate::mysql::old_table(&table.name))),
        _ => None,
    }
}
