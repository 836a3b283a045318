//! The tables of a plan with what the source's catalogue says of them.

use rowkey_tables::catalog::Table;

use crate::tables::table_side::TableSide;

/// A table of a plan, as the source has it and as the target gets it.
#[derive(Debug)]
pub(crate) struct PreparedTable<'c> {
    /// What the source's catalogue says.
    pub(crate) original: &'c Table,
    pub(crate) from: TableSide,
    pub(crate) to: TableSide,
}

impl PreparedTable<'_> {
    /// The same table as another one of the target.
    pub(crate) fn with_target(&self, to: TableSide) -> Self {
        Self {
            original: self.original,
            from: self.from.clone(),
            to,
        }
    }

    /// The columns of the source that are not copied, as sentences.
    pub(crate) fn omitted_columns(&self) -> impl Iterator<Item = String> {
        self.from.omitted_columns(self.original)
    }
}
