//! What does not allow the change, all of it before anything is changed.

use super::definition::{Definition, obstacle_of_index};
use super::new_ids;
use super::rebuild::name_aside;
use super::rewriting::{OldValues, rewritten};
use crate::positional::inserts_by_place;
use crate::refusals::{Refusals, What, halved_references};
use crate::work::{ChangedColumn, ChangedTable, Form, Source, Work};
use rowkey_tables::Error;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::catalog::sqlite::{Token, tokens};
use rowkey_tables::connection::{Connection, Row, Value};
use rowkey_tables::types::ColumnType;

use crate::plan::OldPrograms;

/// Every reason that there is.
pub(crate) async fn refuse(
    connection: &mut Connection,
    work: &Work,
    catalog: &Catalog,
) -> Result<Refusals, Error> {
    let mut reasons = Refusals::default();
    if work.policy.old_programs == OldPrograms::Mark {
        reasons.add(
            "`old-programs = \"mark\"`",
            "it needs a variable of the session, which SQLite does not have",
            "write `old-programs = \"rename\"`",
        );
    }
    unplanned_references(work, catalog, &mut reasons);
    let modules = VirtualTable::read(&connection.query(MODULES, VIRTUAL_TABLES, &[]).await?)?;
    for table in &work.tables {
        let aside = name_aside(table.name());
        if catalog.table(&aside).is_ok() {
            reasons.add(
                format!("the table {aside}"),
                format!(
                    "it has the name of {} while its rows are copied",
                    table.name()
                ),
                "rename it",
            );
        }
        dependents(table, &mut reasons);
        for module in &modules {
            let columns = table.columns.iter();
            module.add_to(
                &mut reasons,
                table,
                columns.map(|changed| &changed.column.name),
                "drop it, and create it for the new column after the swap",
            );
        }
        for changed in &table.columns {
            column(work, table, changed, &mut reasons)?;
        }
    }
    reasons
        .add_damaged_values(connection, work, Form::Old)
        .await?;
    if let Source::Mapped = work.source {
        new_ids::refuse(connection, work, &mut reasons).await?;
    }
    if reasons.is_empty() {
        add_orphans(connection, work, &mut reasons).await?;
    }
    if reasons.is_empty()
        && let Err(error) = rewritten(work, OldValues::Kept).await
    {
        reasons.add(
            "the definitions of the tables",
            format!("SQLite does not take them without the rest of the file: {error}"),
            "make the tables anew without what needs a program's own functions or collations",
        );
    }
    Ok(reasons)
}

/// Views and triggers with the name of a column that gets another name and other values.
fn dependents(table: &ChangedTable, reasons: &mut Refusals) {
    for dependent in &table.table.dependents {
        let named = table.changed_of(&dependent.columns);
        if !named.is_empty() {
            reasons.add(
                format!("the {} {}", dependent.kind.name(), dependent.name),
                format!("it uses {} and names {}", table.name(), named.join(", ")),
                "drop it, and create it for the new column after the swap",
            );
        } else if inserts_by_place(&dependent.definition, &table.name().name) {
            reasons.add(
                format!("the {} {}", dependent.kind.name(), dependent.name),
                format!("it inserts into {} without naming columns", table.name()),
                "let it name them, and create it for the new column after the swap",
            );
        }
    }
}

/// What the queries for them are about.
pub(super) const MODULES: &str = "the virtual tables";

/// Virtual tables, which the catalogue does not have.
pub(super) const VIRTUAL_TABLES: &str = "SELECT name, sql FROM sqlite_master \
                                         WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL %'";

/// A virtual table, whose module may read tables and columns that its statement names, as a
/// full-text index of their content does.
pub(super) struct VirtualTable {
    name: String,
    tokens: Vec<Token>,
}

impl VirtualTable {
    pub(super) fn read(rows: &[Row]) -> Result<Vec<Self>, Error> {
        let table = |row: &Row| {
            Ok(Self {
                name: row.text(0)?.to_owned(),
                tokens: tokens(row.text(1)?)?,
            })
        };
        rows.iter().map(table).collect()
    }

    /// Adds a reason if it names the table and one of the columns.
    pub(super) fn add_to<'c>(
        &self,
        reasons: &mut Refusals,
        table: &ChangedTable,
        mut columns: impl Iterator<Item = &'c String>,
        instead: &str,
    ) {
        let names = |name: &str| self.tokens.iter().any(|token| token.names(name));
        let column = columns.find(|column| names(column));
        if let Some(column) = column.filter(|_| names(&table.name().name)) {
            reasons.add(
                format!("the virtual table {}", self.name),
                format!("it uses {} and names {column}", table.name()),
                instead,
            );
        }
    }
}

/// Adds a reason for references without a target, which were written while they were not enforced.
async fn add_orphans(
    connection: &mut Connection,
    work: &Work,
    reasons: &mut Refusals,
) -> Result<(), Error> {
    let query = "SELECT k.`from`, v.parent, count(*) FROM pragma_foreign_key_check(?) AS v \
                 JOIN pragma_foreign_key_list(?) AS k ON k.id = v.fkid AND k.seq = 0 \
                 GROUP BY v.fkid ORDER BY v.fkid";
    for table in &work.tables {
        let name = Value::from(table.name().name.as_str());
        let doing = format!("the references of {}", table.name());
        let rows = connection
            .query(&doing, query, &[name.clone(), name])
            .await?;
        for row in rows {
            let (column, target, count) = (row.text(0)?, row.text(1)?, row.count(2)?);
            let mut tables = work.tables.iter();
            if tables.any(|table| table.name().name.eq_ignore_ascii_case(target)) {
                reasons.add(
                    format!("the reference {column} of {}", table.name()),
                    format!("{count} of its values lead nowhere, although it forbids that"),
                    "correct or delete the rows",
                );
            }
        }
    }
    Ok(())
}

fn column(
    work: &Work,
    table: &ChangedTable,
    changed: &ChangedColumn,
    reasons: &mut Refusals,
) -> Result<(), Error> {
    let name = &changed.column.name;
    let place = What::column(table.name(), name);
    let definition = Definition::read(table.table.statement())?;
    let new_type = ColumnType::parse(work.backend, work.to.sql_type());
    let found = changed.column.sql_type.as_str();
    let is_other_type = !found.eq_ignore_ascii_case(new_type.bare());
    let is_refused_by_type = definition.is_strict() && is_other_type;
    if changed.new_name.eq_ignore_ascii_case(name) && !is_refused_by_type {
        reasons.add(
            place.clone(),
            "it keeps its name, so that programs with the old declaration go on writing",
            "give it another in `becomes`",
        );
    }
    reasons.add_needed_name(work, table, changed, &changed.retired_name);
    for obstacle in definition.obstacles(name) {
        reasons.add(
            format!("the table {}", table.name()),
            obstacle,
            "make the table anew without that",
        );
    }
    for index in &table.table.indexes {
        if let Some(obstacle) = obstacle_of_index(&index.definition, name)? {
            reasons.add(
                format!("the index {}", index.name),
                format!("it {obstacle} {place}"),
                "drop it, and create it for the new column after the swap",
            );
        }
    }
    Ok(())
}

/// References that are not as the plan says: their columns change without those that they refer to,
/// or the other way around.
fn unplanned_references(work: &Work, catalog: &Catalog, reasons: &mut Refusals) {
    for (table, key, column, target) in halved_references(work, catalog) {
        reasons.add(
            What::column(&table.name, column),
            format!(
                "it refers to {}.{target}, and the plan changes only one of them",
                key.target
            ),
            "write the plan again with `rowkey plan`",
        );
    }
}
