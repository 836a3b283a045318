//! Views and triggers that use a table.

use std::collections::BTreeSet;

use super::{Token, tokens};
use crate::catalog::{Dependent, DependentKind, Table, TriggerEvent};
use crate::connection::Connection;
use crate::error::Error;

/// A view or a trigger of the file.
struct Definition {
    kind: DependentKind,
    name: String,
    /// The table or view of a trigger.
    owner: String,
    sql: String,
    tokens: Vec<Token>,
}

impl Definition {
    fn names(&self, name: &str) -> bool {
        self.tokens.iter().any(|token| token.names(name))
    }

    /// The event of a trigger: the first such keyword, because none can be a name without quotes.
    fn events(&self, table: &str) -> Vec<TriggerEvent> {
        let is_own = self.kind == DependentKind::Trigger && self.owner.eq_ignore_ascii_case(table);
        let words = ["INSERT", "UPDATE", "DELETE"];
        let mut found = self.tokens.iter().filter_map(|token| {
            let mut words = words.into_iter();
            words.find(|word| token.is_keyword(word))
        });
        let event = found.next().filter(|_| is_own);
        TriggerEvent::of_words(event.unwrap_or_default())
    }
}

/// Adds to each table the views and triggers that use it, directly or through a view, with the
/// columns whose names they contain. SQLite does not say which table such a name belongs to, so a
/// column may be another table's.
pub(super) async fn read(connection: &mut Connection, tables: &mut [Table]) -> Result<(), Error> {
    let query = "SELECT type, name, tbl_name, sql FROM sqlite_master \
                 WHERE type IN ('view', 'trigger') ORDER BY type DESC, name";
    let mut definitions = Vec::new();
    for row in connection
        .query("the views and triggers", query, &[])
        .await?
    {
        let sql = row.text(3)?;
        definitions.push(Definition {
            kind: match row.text(0)? {
                "view" => DependentKind::View,
                _ => DependentKind::Trigger,
            },
            name: row.text(1)?.into(),
            owner: row.text(2)?.into(),
            sql: sql.into(),
            tokens: tokens(sql)?,
        });
    }
    for table in tables {
        let relations = relations_over(&table.name.name, &definitions);
        for definition in &definitions {
            let is_relation = |name: &str| relations.contains(&name.to_ascii_lowercase());
            let uses = match definition.kind {
                DependentKind::View => is_relation(&definition.name),
                _ => {
                    is_relation(&definition.owner)
                        || relations.iter().any(|name| definition.names(name))
                }
            };
            if uses {
                table.dependents.push(dependent(definition, table));
            }
        }
    }
    Ok(())
}

/// The table and the views over it, in lower case.
fn relations_over(table: &str, definitions: &[Definition]) -> BTreeSet<String> {
    let mut relations = BTreeSet::from([table.to_ascii_lowercase()]);
    loop {
        let known = relations.len();
        for definition in definitions {
            if definition.kind == DependentKind::View
                && relations.iter().any(|name| definition.names(name))
            {
                relations.insert(definition.name.to_ascii_lowercase());
            }
        }
        if relations.len() == known {
            return relations;
        }
    }
}

fn dependent(definition: &Definition, table: &Table) -> Dependent {
    let columns = table.columns.iter().map(|column| &column.name);
    Dependent {
        kind: definition.kind,
        name: definition.name.clone(),
        columns: columns
            .filter(|name| definition.names(name))
            .cloned()
            .collect(),
        definition: definition.sql.clone(),
        events: definition.events(&table.name.name),
    }
}
