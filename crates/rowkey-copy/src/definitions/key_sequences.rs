//! Sequences of a target from which programs take the numbers of a column that it does not count. The
//! names that frameworks give them tell whose they are.

use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Column, Generated, Table};
use rowkey_tables::connection::Connection;
use rowkey_tables::types::Type;

use crate::definitions::counters;
use crate::definitions::sequences::{self, Sequence};
use crate::mapping::spelling::in_any_case;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, TableSide};

/// The sequences with which no column counts.
#[derive(Default)]
pub(crate) struct KeySequences(Vec<Sequence>);

impl KeySequences {
    /// Reads the sequences that none of the source with the same name continues.
    pub(crate) async fn read(
        source: &mut Connection,
        target: &mut Connection,
    ) -> Result<Self, Error> {
        let mut free = sequences::without_columns(target).await?;
        if !free.is_empty() {
            for Sequence { name, .. } in sequences::without_columns(source).await? {
                let copied = in_any_case(free.iter(), |found| &found.name, &name);
                let copied = copied.map(|found| found.name.clone());
                free.retain(|found| Some(&found.name) != copied.as_ref());
            }
        }
        Ok(Self(free))
    }

    /// The columns of an existing table with their sequences. Those of other schemas are not known.
    pub(crate) fn of<'s>(
        &'s self,
        table: &Table,
        side: &'s TableSide,
        existing: &Table,
    ) -> Vec<(&'s ColumnSide, &'s str)> {
        let mut found = Vec::new();
        if side.name.schema.is_some() {
            return found;
        }
        for column in &side.columns {
            if !takes_numbers(existing, column) {
                continue;
            }
            let names = names(&side.name.name, &column.name);
            // The first one names the column.
            let names = match is_wanted(table, existing, column) {
                true => &names[..],
                false => &names[..1],
            };
            let own = self.0.iter().filter(|sequence| {
                names.contains(&sequence.name.to_lowercase())
                    && sequence.is_free_for(&existing.name.name, &column.name)
            });
            found.extend(own.map(|sequence| (column, sequence.name.as_str())));
        }
        found
    }

    /// The columns that the source counts, but neither the target nor one of these sequences.
    pub(crate) fn uncounted(
        &self,
        table: &Table,
        side: &TableSide,
        existing: &Table,
    ) -> Vec<String> {
        let of_programs = self.of(table, side, existing);
        let is_lost = |column: &&ColumnSide| {
            let counts = |table: &Table| {
                let found = table.column(&column.name);
                found.is_some_and(|found| table.counts(found))
            };
            matches!(column.own, Type::Integer { .. })
                && counts(table)
                && !counts(existing)
                && !of_programs.iter().any(|(own, _)| own.name == column.name)
        };
        let lost = side.columns.iter().filter(is_lost);
        let told = lost.map(|column| {
            format!(
                "{}.{}: the source counts it, and the target does not",
                table.name, column.name
            )
        });
        told.collect()
    }

    /// The sequences of which no table is known, if there is a table that none counts.
    pub(crate) fn without_tables(
        &self,
        tables: &[PreparedTable<'_>],
        target: &Catalog,
    ) -> Option<String> {
        let copied = tables.iter().filter(|table| !table.to.keeps_rows());
        let copied = copied.filter_map(|PreparedTable { original, to, .. }| {
            Some((*original, to, target.table(&to.name).ok()?))
        });
        let copied: Vec<(&Table, &TableSide, &Table)> = copied.collect();
        let mut uncounted = copied.iter();
        if !uncounted
            .any(|(table, side, existing)| !self.uncounted(table, side, existing).is_empty())
        {
            return None;
        }
        let known = copied
            .iter()
            .flat_map(|(table, side, existing)| self.of(table, side, existing));
        let known: Vec<&str> = known.map(|(_, name)| name).collect();
        let others = self.0.iter().map(|sequence| sequence.name.as_str());
        let others: Vec<&str> = others.filter(|name| !known.contains(name)).collect();
        (!others.is_empty()).then(|| {
            format!(
                "no column of the target counts with these sequences: {}; if programs number copied rows with \
                 them, set them behind the copied numbers",
                others.join(", ")
            )
        })
    }

    /// Lets them go on as counters do, and says which cannot.
    pub(crate) async fn continued(
        &self,
        [source, target]: [&mut Connection; 2],
        table: &Table,
        side: &TableSide,
        existing: &Table,
    ) -> Result<Vec<String>, Error> {
        let mut notes = Vec::new();
        for (column, name) in self.of(table, side, existing) {
            let last = counters::last(source, table, column, &mut notes).await?;
            let set = sequences::go_on_behind(target, name, side, &column.name, last.number);
            match set.await {
                Err(error) if error.sql_state().is_some() => notes.push(format!(
                    "the sequence {name} does not go on behind the rows of {}, because the target refuses it: {}",
                    side.name,
                    error.reason()
                )),
                note => notes.extend(note?),
            }
        }
        Ok(notes)
    }
}

/// Whether a column of whole numbers has them from programs alone.
fn takes_numbers(existing: &Table, column: &ColumnSide) -> bool {
    let found = existing.column(&column.name);
    let is_filled = |found: &Column| found.default.is_some() || found.generated != Generated::No;
    matches!(column.own, Type::Integer { .. }) && found.is_some_and(|found| !is_filled(found))
}

/// Whether the source counts it, or it is the key.
fn is_wanted(table: &Table, existing: &Table, column: &ColumnSide) -> bool {
    let original = table.column(&column.name);
    original.is_some_and(|original| table.counts(original)) || is_key(existing, &column.name)
}

fn is_key(table: &Table, column: &str) -> bool {
    let key = table.primary_key().map(|key| key.columns.as_slice());
    matches!(key, Some([name]) if name == column)
}

/// Django, SQLAlchemy, Flask-AppBuilder and Hibernate.
fn names(table: &str, column: &str) -> [String; 3] {
    let names = [
        format!("{table}_{column}_seq"),
        format!("{table}_id_seq"),
        format!("{table}_seq"),
    ];
    names.map(|name| name.to_lowercase())
}
