//! What an existing table of the target says that a plan does not.

use rowkey_tables::catalog::{Catalog, Table};
use rowkey_tables::types::Type;

use super::partitions::is_partitioned;
use crate::engine::engine;
use crate::tables::table_side::TableSide;

impl TableSide {
    /// The same side with what the target's catalogue says of the table, if it is there.
    pub(crate) fn as_found(&self, target: &Catalog) -> Self {
        let mut found = self.clone();
        let existing = target.tables.iter().find(|table| table.name == self.name);
        if let Some(existing) = existing {
            found.take_facts_of(existing);
        }
        found
    }

    /// Since a plan was written, the columns of an existing table may have got more digits of a
    /// second than it says. A plan does not say either which columns take NULL, and whether the rows
    /// are in partitions.
    pub(crate) fn take_facts_of(&mut self, table: &Table) {
        for column in &mut self.columns {
            if let Some(found) = table.column(&column.name) {
                column.tick = column.tick.min(found.column_type(self.backend).tick());
                column.fills_null = engine(self.backend).values.fills_null_moments
                    && column.own == Type::Instant
                    && !found.is_nullable;
            }
        }
        self.is_partitioned = is_partitioned(table, self.backend);
    }
}
