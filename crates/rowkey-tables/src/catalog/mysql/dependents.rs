//! What depends on tables of MySQL and MariaDB.
//!
//! The catalogue tells which tables views and programs use by their text only. A name in it counts
//! as a use, so that a use is never missed, though a name that isn't a use may be counted, too.

use super::scope::{Scope, Tables};
use crate::catalog::{Dependent, DependentKind, QualifiedName, Table, TriggerEvent};
use crate::connection::Connection;
use crate::error::Error;
use crate::text_literal::text_literal;
use rowkey_core::Backend;

/// The databases of the servers themselves, whose views and programs are theirs.
const OF_THE_SERVER: &str = "('mysql', 'sys', 'information_schema', 'performance_schema')";

/// Adds the dependents, and returns what the account was not allowed to see.
pub(super) async fn read(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
) -> Result<Vec<String>, Error> {
    let mut unseen = Vec::new();
    views(connection, scope, tables, &mut unseen).await?;
    triggers(connection, scope, tables).await?;
    routines(connection, scope, tables, &mut unseen).await?;
    events(connection, scope, tables).await?;
    for (kind, query) in [
        (DependentKind::Partition, Some(partitions(scope))),
        (DependentKind::Check, checks(connection, scope).await?),
        (
            DependentKind::GeneratedColumn,
            generated_columns(connection, scope).await?,
        ),
    ] {
        if let Some(query) = query {
            add(connection, scope, tables, kind, &query).await?;
        }
    }
    privileges(connection, scope, tables).await?;
    for table in tables.values_mut() {
        sort(&mut table.dependents);
    }
    Ok(unseen)
}

pub(super) fn sort(dependents: &mut [Dependent]) {
    dependents.sort_by(|a, b| {
        (a.kind.name(), &a.name, &a.columns).cmp(&(b.kind.name(), &b.name, &b.columns))
    });
}

async fn views(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
    unseen: &mut Vec<String>,
) -> Result<(), Error> {
    let query = format!(
        "SELECT table_schema, table_name, view_definition FROM information_schema.views \
         WHERE table_schema NOT IN {OF_THE_SERVER}"
    );
    for row in connection.query("the views", &query, &[]).await? {
        let name = scope.name(&row, 0, 1)?;
        let definition = row.optional_text(2)?.unwrap_or_default();
        if definition.is_empty() {
            unseen.push(format!(
                "the definition of the view {name}, which needs the privilege SHOW VIEW"
            ));
        }
        for table in tables.values_mut() {
            let schema = table.name.schema.as_ref().unwrap_or(&scope.own);
            // The server writes definitions with all names in full and in quotes.
            if definition.contains(&format!("{}.{}", quoted(schema), quoted(&table.name.name))) {
                let uses = |column: &str| definition.contains(&format!(".{}", quoted(column)));
                let dependent = dependent(
                    table,
                    DependentKind::View,
                    &name.to_string(),
                    definition,
                    uses,
                );
                table.dependents.push(dependent);
            }
        }
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A dependent with the table's columns that it uses.
fn dependent(
    table: &Table,
    kind: DependentKind,
    name: &str,
    definition: &str,
    uses: impl Fn(&str) -> bool,
) -> Dependent {
    Dependent {
        kind,
        name: name.into(),
        columns: columns(table, uses),
        definition: definition.into(),
        events: Vec::new(),
    }
}

pub(super) fn columns(table: &Table, uses: impl Fn(&str) -> bool) -> Vec<String> {
    let columns = table.columns.iter().map(|column| &column.name);
    columns.filter(|column| uses(column)).cloned().collect()
}

/// Triggers of the tables, and triggers of others that name them.
async fn triggers(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
) -> Result<(), Error> {
    let query = format!(
        "SELECT event_object_schema, event_object_table, trigger_name, action_timing, \
         event_manipulation, action_statement FROM information_schema.triggers \
         WHERE trigger_schema IN ({})",
        scope.schemas()
    );
    for row in scope.rows(connection, "the triggers", &query).await? {
        let (of, name) = (scope.name(&row, 0, 1)?, row.text(2)?);
        // MariaDB shows the name alone to accounts without TRIGGER.
        let [timing, event, body] = [3, 4, 5].map(|column| row.optional_text(column));
        let (body, event) = (body?.unwrap_or_default(), event?.unwrap_or_default());
        let definition = format!(
            "{} {event} ON {of} FOR EACH ROW {body}",
            timing?.unwrap_or_default()
        );
        for table in tables.values_mut() {
            if table.name == of || names(body, &table.name.name) {
                let uses = |column: &str| names(body, column);
                let mut dependent =
                    dependent(table, DependentKind::Trigger, name, &definition, uses);
                if table.name == of {
                    dependent.events = TriggerEvent::of_words(match event {
                        "" => "INSERT UPDATE DELETE",
                        event => event,
                    });
                }
                table.dependents.push(dependent);
            }
        }
    }
    Ok(())
}

async fn routines(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
    unseen: &mut Vec<String>,
) -> Result<(), Error> {
    let query = format!(
        "SELECT routine_schema, routine_name, routine_definition \
         FROM information_schema.routines WHERE routine_schema NOT IN {OF_THE_SERVER}"
    );
    for row in connection.query("the routines", &query, &[]).await? {
        let name = scope.name(&row, 0, 1)?;
        match row.optional_text(2)? {
            Some(body) => add_naming(scope, tables, DependentKind::Routine, &name, body),
            None => unseen.push(format!(
                "the definition of the routine {name}, which only its definer may see"
            )),
        }
    }
    Ok(())
}

async fn events(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
) -> Result<(), Error> {
    let query = "SELECT event_schema, event_name, event_definition FROM information_schema.events";
    for row in connection.query("the events", query, &[]).await? {
        let name = scope.name(&row, 0, 1)?;
        add_naming(scope, tables, DependentKind::Event, &name, row.text(2)?);
    }
    Ok(())
}

/// Adds a program to the tables that its text names, those of other databases with their database.
fn add_naming(
    scope: &Scope,
    tables: &mut Tables,
    kind: DependentKind,
    name: &QualifiedName,
    body: &str,
) {
    for table in tables.values_mut() {
        let schema = table.name.schema.as_ref().unwrap_or(&scope.own);
        let is_reached = table.name.schema == name.schema || names(body, schema);
        if is_reached && names(body, &table.name.name) {
            let uses = |column: &str| names(body, column);
            let dependent = dependent(table, kind, &name.to_string(), body, uses);
            table.dependents.push(dependent);
        }
    }
}

/// Whether a text contains a name as a whole word, in any letter case.
pub(super) fn names(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_part = |character: Option<char>| {
        character.is_some_and(|character| character.is_alphanumeric() || "_$".contains(character))
    };
    !name.is_empty()
        && text.match_indices(&name).any(|(start, _)| {
            let (before, after) = (&text[..start], &text[start + name.len()..]);
            !is_part(before.chars().next_back()) && !is_part(after.chars().next())
        })
}

/// Adds what is said of each table: its schema, its name, the name and the definition of a
/// dependent.
async fn add(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
    kind: DependentKind,
    query: &str,
) -> Result<(), Error> {
    let doing = format!("each {}", kind.name());
    for row in scope.rows(connection, &doing, query).await? {
        if let Some(table) = tables.get_mut(&scope.name(&row, 0, 1)?) {
            let (name, definition) = (row.text(2)?, row.text(3)?);
            let uses = |column: &str| names(definition, column);
            let dependent = dependent(table, kind, name, definition, uses);
            table.dependents.push(dependent);
        }
    }
    Ok(())
}

fn partitions(scope: &Scope) -> String {
    format!(
        "SELECT DISTINCT table_schema, table_name, partition_method, \
         CONCAT(COALESCE(partition_expression, ''), ' ', COALESCE(subpartition_expression, '')) \
         FROM information_schema.partitions \
         WHERE partition_method IS NOT NULL AND table_schema IN ({})",
        scope.schemas()
    )
}

/// Whether the server's `information_schema` has a column. Versions differ.
pub(super) async fn has(
    connection: &mut Connection,
    table: &str,
    column: &str,
) -> Result<bool, Error> {
    let query = format!(
        "SELECT COUNT(*) FROM information_schema.columns \
         WHERE table_schema = 'information_schema' AND table_name = {} AND column_name = {}",
        text_literal(Backend::MySql, table),
        text_literal(Backend::MySql, column)
    );
    connection
        .is("the catalogue's own columns", &query, &[])
        .await
}

/// Nothing for older servers, which parse a CHECK and forget it.
async fn checks(connection: &mut Connection, scope: &Scope) -> Result<Option<String>, Error> {
    if !has(connection, "CHECK_CONSTRAINTS", "CHECK_CLAUSE").await? {
        return Ok(None);
    }
    // MariaDB's names of CHECKs are unique in their tables only, so that they cannot be joined by
    // name. It has no CHECK that is not enforced.
    let (from, clause) = match has(connection, "CHECK_CONSTRAINTS", "TABLE_NAME").await? {
        true => ("information_schema.check_constraints", "check_clause"),
        false => (
            "information_schema.check_constraints JOIN information_schema.table_constraints \
             USING (constraint_schema, constraint_name)",
            "CONCAT(check_clause, CASE enforced WHEN 'NO' THEN ' NOT ENFORCED' ELSE '' END)",
        ),
    };
    Ok(Some(format!(
        "SELECT constraint_schema, table_name, constraint_name, {clause} \
         FROM {from} WHERE constraint_schema IN ({})",
        scope.schemas()
    )))
}

async fn generated_columns(
    connection: &mut Connection,
    scope: &Scope,
) -> Result<Option<String>, Error> {
    let is_known = has(connection, "COLUMNS", "GENERATION_EXPRESSION").await?;
    Ok(is_known.then(|| {
        format!(
            "SELECT table_schema, table_name, column_name, generation_expression \
             FROM information_schema.columns \
             WHERE COALESCE(generation_expression, '') <> '' AND table_schema IN ({})",
            scope.schemas()
        )
    }))
}

/// The privileges of accounts on tables and on columns.
async fn privileges(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
) -> Result<(), Error> {
    let query = format!(
        "SELECT table_schema, table_name, grantee, \
         GROUP_CONCAT(privilege_type ORDER BY privilege_type SEPARATOR ', '), NULL \
         FROM information_schema.table_privileges WHERE table_schema IN ({0}) \
         GROUP BY table_schema, table_name, grantee \
         UNION ALL SELECT table_schema, table_name, grantee, \
         GROUP_CONCAT(privilege_type ORDER BY privilege_type SEPARATOR ', '), column_name \
         FROM information_schema.column_privileges WHERE table_schema IN ({0}) \
         GROUP BY table_schema, table_name, grantee, column_name",
        scope.schemas()
    );
    // The list is in the query twice.
    let others: Vec<_> = [&scope.others[..], &scope.others[..]].concat();
    for row in connection.query("the privileges", &query, &others).await? {
        if let Some(table) = tables.get_mut(&scope.name(&row, 0, 1)?) {
            table.dependents.push(Dependent {
                kind: DependentKind::Privilege,
                name: row.text(2)?.into(),
                columns: row.optional_text(4)?.map(Into::into).into_iter().collect(),
                definition: row.text(3)?.into(),
                events: Vec::new(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_name_counts_only_as_a_whole_word() {
        for text in ["insert into Offer set x", "`offer`", "a.offer", "offer"] {
            assert!(names(text, "offer"), "{text}");
        }
        for text in ["offers", "my_offer", "offer$x", "", "of fer"] {
            assert!(!names(text, "offer"), "{text}");
        }
    }
}
