//! Indexes and constraints of one form, with the names and the properties of those of the
//! other.

use super::names::quoted;
use super::not_null::NotNullNames;
use super::session;
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Work, quoted_list};
use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Index, Key, ReferenceAttribute};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::text_literal::text_literal;

/// The keys with a column that changes.
pub(super) fn keys(table: &ChangedTable) -> impl Iterator<Item = (String, &Key)> {
    let keys = table.table.keys.iter().enumerate();
    keys.filter(|(_, key)| table.changes_any(&key.columns))
        .map(|(place, key)| (format!("key{place}"), key))
}

/// The other indexes that a change of the columns concerns.
pub(super) fn indexes(table: &ChangedTable) -> impl Iterator<Item = (String, &Index)> {
    let indexes = table.table.indexes.iter().enumerate();
    let is_concerned = |index: &Index| {
        let mut columns = table.columns.iter();
        // One whose definition is not understood is not left out in silence.
        tail(&index.definition)
            .is_none_or(|tail| columns.any(|column| mentions(tail, &column.column.name)))
    };
    indexes
        .filter(move |(_, index)| is_concerned(index))
        .map(|(place, index)| (format!("index{place}"), index))
}

/// Whether SQL has a name as a word.
pub(super) fn mentions(sql: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "_$".contains(character);
    // Between quotation marks, one in the name is doubled.
    let name = name.replace('"', "\"\"");
    sql.match_indices(&name).any(|(start, _)| {
        let before = sql[..start].chars().next_back();
        let after = sql[start + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// What `pg_get_indexdef` says after the names of the index and the table: `USING btree (…)`.
pub(super) fn tail(definition: &str) -> Option<&str> {
    let rest = definition.strip_prefix("CREATE ")?;
    let rest = rest.strip_prefix("UNIQUE ").unwrap_or(rest);
    let rest = after_name(rest.strip_prefix("INDEX ")?)?;
    let rest = rest.strip_prefix(" ON ")?;
    let rest = after_name(rest.strip_prefix("ONLY ").unwrap_or(rest))?;
    let rest = match rest.strip_prefix('.') {
        Some(table) => after_name(table)?,
        None => rest,
    };
    rest.strip_prefix(' ')
}

/// What comes after a name, which may be quoted.
fn after_name(sql: &str) -> Option<&str> {
    let Some(mut rest) = sql.strip_prefix('"') else {
        return sql.find([' ', '.']).map(|end| &sql[end..]);
    };
    loop {
        rest = &rest[rest.find('"')? + 1..];
        match rest.strip_prefix('"') {
            Some(quoted) => rest = quoted,
            None => return Some(rest),
        }
    }
}

/// Builds the indexes of a form under names of their own, while programs write.
pub(super) async fn build_indexes(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    form: Form,
) -> Result<(), Error> {
    for (what, key) in keys(table) {
        let columns = table.renamed(&key.columns, |column| column.filled(form));
        let tail = format!(
            "USING btree ({})",
            quoted_list(Backend::Postgres, &columns)?
        );
        build(runner, work, table, &what, "UNIQUE ", &tail).await?;
    }
    for (what, index) in indexes(table) {
        let unique = if index.is_unique { "UNIQUE " } else { "" };
        let tail = if index.is_plain {
            let columns = table.renamed(&index.columns, |column| column.filled(form));
            format!(
                "USING btree ({})",
                quoted_list(Backend::Postgres, &columns)?
            )
        } else {
            rewritten(runner, table, index, form).await?
        };
        build(runner, work, table, &what, unique, &tail).await?;
    }
    Ok(())
}

async fn build(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    what: &str,
    unique: &str,
    tail: &str,
) -> Result<(), Error> {
    let index = work.made(table, what);
    let (name, quoted_index) = (
        table.name().quoted(work.backend)?,
        index.quoted(work.backend)?,
    );
    let doing = format!("the index {index} of {}", table.name());
    let query = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)";
    let rows = runner
        .query(&doing, query, &[Value::Text(quoted_index.clone())])
        .await?;
    match rows.first().map(|row| row.is(0)).transpose()? {
        Some(true) => return Ok(()),
        // A process that was killed has left it half built.
        Some(false) => {
            let drop = vec![format!("DROP INDEX {quoted_index}")];
            session::in_transaction(runner, work, &doing, &drop).await?;
        }
        None => {}
    }
    let short = quoted(&index.name)?;
    let create = format!("CREATE {unique}INDEX CONCURRENTLY {short} ON {name} {tail}");
    runner.run(&doing, &create).await.map(|_| ())
}

/// The definition of an index with other columns, as the server itself writes it for a table in
/// which they are renamed. The table is temporary, and its transaction is rolled back.
async fn rewritten(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    index: &Index,
    form: Form,
) -> Result<String, Error> {
    let doing = format!("the definition of the index {}", index.name);
    let missing = || Error::Differs {
        what: doing.clone(),
        found: index.definition.clone(),
    };
    let name = table.name().quoted(rowkey_core::Backend::Postgres)?;
    let mut statements = vec![
        "BEGIN".to_owned(),
        format!("CREATE TEMPORARY TABLE rowkey_shadow (LIKE {name})"),
    ];
    let rename = |from: &str, to: &str| -> Result<String, Error> {
        let (from, to) = (quoted(from)?, quoted(to)?);
        Ok(format!(
            "ALTER TABLE rowkey_shadow RENAME COLUMN {from} TO {to}"
        ))
    };
    for column in &table.columns {
        // Before the exchange, the other form's column has the name in the definition, or will get
        // it.
        let (other, old) = match form {
            Form::New => (column.shadow_name(), column.column.name.clone()),
            Form::Old => (column.new_name.clone(), column.retired_name.clone()),
        };
        let other = quoted(&other)?;
        statements.push(format!(
            "ALTER TABLE rowkey_shadow DROP COLUMN IF EXISTS {other}"
        ));
        if old != column.column.name {
            statements.push(rename(&old, &column.column.name)?);
        }
    }
    let tail_before = tail(&index.definition).ok_or_else(missing)?;
    statements.push(format!(
        "CREATE INDEX rowkey_shadow_index ON rowkey_shadow {tail_before}"
    ));
    for column in &table.columns {
        statements.push(rename(&column.column.name, &column.filled(form))?);
    }
    let read = "SELECT pg_get_indexdef('rowkey_shadow_index'::regclass)";
    let outcome = aside(runner, &doing, &statements, read).await;
    runner.query(&doing, "ROLLBACK", &[]).await?;
    let definition = outcome?.ok_or_else(missing)?;
    tail(&definition).map(str::to_owned).ok_or_else(missing)
}

/// Why an index cannot be made for the new types of the columns, if that is so.
pub(super) async fn misfit(
    connection: &mut Connection,
    work: &Work,
    table: &ChangedTable,
    index: &Index,
) -> Result<Option<String>, Error> {
    let Some(tail) = tail(&index.definition) else {
        return Ok(None);
    };
    let doing = format!("a trial of the index {}", index.name);
    let name = table.name().quoted(work.backend)?;
    let mut statements = vec![
        "BEGIN".to_owned(),
        format!("CREATE TEMPORARY TABLE rowkey_shadow (LIKE {name})"),
    ];
    for column in &table.columns {
        statements.push(format!(
            "ALTER TABLE rowkey_shadow ALTER COLUMN {} TYPE {} USING NULL",
            quoted(&column.column.name)?,
            work.to.sql_type()
        ));
    }
    statements.push(format!("CREATE INDEX ON rowkey_shadow {tail}"));
    let mut outcome = Ok(());
    for statement in &statements {
        if outcome.is_ok() {
            outcome = connection.execute(&doing, statement).await.map(|_| ());
        }
    }
    connection.execute(&doing, "ROLLBACK").await?;
    Ok(match outcome {
        Ok(()) => None,
        Err(Error::Database { source, .. }) => Some(source.to_string()),
        Err(error) => return Err(error),
    })
}

/// The text that a query gives after some statements, none of which is part of the change; nothing
/// for no row.
pub(super) async fn aside(
    runner: &mut Runner<'_>,
    doing: &str,
    statements: &[String],
    query: &str,
) -> Result<Option<String>, Error> {
    for statement in statements {
        runner.query(doing, statement, &[]).await?;
    }
    let rows = runner.query(doing, query, &[]).await?;
    let text = rows.first().map_or(Ok(None), |row| row.optional_text(0))?;
    Ok(text.map(str::to_owned))
}

/// Gives a form's indexes the names and the constraints of those that are gone.
pub(super) fn attach_indexes(work: &Work, table: &ChangedTable) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let mut statements = Vec::new();
    for (what, key) in keys(table) {
        let (index, constraint) = (work.made(table, &what).name, quoted(&key.name)?);
        let kind = if key.is_primary {
            "PRIMARY KEY"
        } else {
            "UNIQUE"
        };
        let deferrable = match key.constraint().split_once(" DEFERRABLE") {
            Some((_, more)) => format!(" DEFERRABLE{more}"),
            None => String::new(),
        };
        statements.push(format!(
            "ALTER TABLE {name} ADD CONSTRAINT {constraint} {kind} USING INDEX {}{deferrable}",
            quoted(&index)?
        ));
    }
    for (what, index) in indexes(table) {
        let made = work.made(table, &what).quoted(work.backend)?;
        let to = quoted(&index.name)?;
        statements.push(format!("ALTER INDEX {made} RENAME TO {to}"));
    }
    Ok(statements)
}

/// The references of a table after the exchange, not yet validated.
pub(super) fn attach_foreign_keys(
    work: &Work,
    table: &ChangedTable,
    form: Form,
) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let mut statements = Vec::new();
    for key in table.foreign_keys() {
        let [columns, targets] = work.ends(table, key, form)?;
        // A list of columns is refused.
        let matching = match key.attributes.has(&ReferenceAttribute::MatchFull) {
            true => " MATCH FULL",
            false => "",
        };
        statements.push(format!(
            "ALTER TABLE {name} ADD CONSTRAINT {} FOREIGN KEY ({columns}) REFERENCES {} ({targets}){matching} \
             ON UPDATE {} ON DELETE {} {} NOT VALID",
            quoted(&key.name)?,
            key.target.quoted(work.backend)?,
            key.on_update,
            key.on_delete,
            key.attributes.at_end(),
        ));
    }
    Ok(statements)
}

/// The comments on what an exchange makes again under the same name, and the mark of the index by
/// which CLUSTER sorts the table.
pub(super) async fn comments(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    not_null: &NotNullNames,
) -> Result<Vec<String>, Error> {
    let query = "SELECT 'constraint', k.conname::text, d.description FROM pg_constraint k \
                 JOIN pg_description d ON d.classoid = 'pg_constraint'::regclass \
                 AND d.objoid = k.oid WHERE k.conrelid = to_regclass($1) \
                 UNION ALL SELECT 'index', c.relname::text, d.description FROM pg_index i \
                 JOIN pg_class c ON c.oid = i.indexrelid \
                 JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid \
                 WHERE i.indrelid = to_regclass($1) \
                 UNION ALL SELECT 'cluster', c.relname::text, '' FROM pg_index i \
                 JOIN pg_class c ON c.oid = i.indexrelid \
                 WHERE i.indrelid = to_regclass($1) AND i.indisclustered";
    let name = table.name().quoted(rowkey_core::Backend::Postgres)?;
    let doing = format!("the comments on {}", table.name());
    let values = [Value::Text(name.clone())];
    let mut statements = Vec::new();
    for row in runner.query(&doing, query, &values).await? {
        let (kind, one) = (row.text(0)?, row.text(1)?);
        let comment = text_literal(Backend::Postgres, row.text(2)?);
        let is_key = keys(table).any(|(_, key)| key.name == one);
        let is_reference = table.foreign_keys().any(|key| key.name == one);
        let is_not_null = not_null.contains(table, one);
        let is_index = is_key || indexes(table).any(|(_, index)| index.name == one);
        match kind {
            "constraint" if is_key || is_reference || is_not_null => statements.push(format!(
                "COMMENT ON CONSTRAINT {} ON {name} IS {comment}",
                quoted(one)?
            )),
            "index" if is_index => {
                let index = table.name().sibling(one);
                let index = index.quoted(rowkey_core::Backend::Postgres)?;
                statements.push(format!("COMMENT ON INDEX {index} IS {comment}"));
            }
            "cluster" if is_index => {
                statements.push(format!("ALTER TABLE {name} CLUSTER ON {}", quoted(one)?));
            }
            _ => {}
        }
    }
    Ok(statements)
}

/// Validates the references that were valid before the exchange, while programs write.
pub(super) async fn validate_foreign_keys(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
) -> Result<(), Error> {
    let name = table.name().quoted(work.backend)?;
    let query = "SELECT count(*) FROM pg_constraint WHERE conrelid = to_regclass($1) \
                 AND conname = $2 AND contype = 'f' AND convalidated";
    for key in table.foreign_keys().filter(|key| key.is_validated()) {
        let doing = format!("the validation of {} on {}", key.name, table.name());
        let values = [Value::Text(name.clone()), key.name.as_str().into()];
        if !runner.is_dry() && runner.is(&doing, query, &values).await? {
            continue;
        }
        let validate = format!(
            "ALTER TABLE {name} VALIDATE CONSTRAINT {}",
            quoted(&key.name)?
        );
        session::in_transaction(runner, work, &doing, &[validate]).await?;
    }
    Ok(())
}

/// Lets the server look at the new columns, so that it plans queries well from the swap on.
pub(super) async fn analyze(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
) -> Result<(), Error> {
    let shadow = table
        .columns
        .iter()
        .map(|column| quoted(&column.shadow_name()));
    let shadow: Vec<String> = shadow.collect::<Result<_, Error>>()?;
    let name = table.name().quoted(work.backend)?;
    let analyze = format!("ANALYZE {name} ({})", shadow.join(", "));
    let doing = format!("the statistics of {}", table.name());
    session::in_transaction(runner, work, &doing, &[analyze]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_an_index_begins_after_the_names() {
        for (definition, expected) in [
            ("CREATE INDEX i ON s.t USING btree (a)", "USING btree (a)"),
            (
                "CREATE UNIQUE INDEX \"i USING \"\" x\" ON ONLY \"my s\".\"t.u\" USING hash (b) WHERE c",
                "USING hash (b) WHERE c",
            ),
        ] {
            assert_eq!(tail(definition), Some(expected));
        }
        assert_eq!(tail("CREATE VIEW v AS SELECT"), None);
        assert_eq!(tail("CREATE INDEX \"i"), None);
    }

    #[test]
    fn words_are_not_parts_of_words() {
        assert!(mentions("USING btree (parent_id, id)", "id"));
        assert!(mentions("USING btree (\"Id\")", "Id"));
        assert!(mentions("USING btree (\"c\"\"i\")", "c\"i"));
        assert!(!mentions("USING btree (parent_id, idle)", "id"));
        assert!(!mentions("", "id"));
    }
}
