//! What stands against a change on PostgreSQL.

use rowkey_sql::{Conversion, NewId};
use rowkey_tables::catalog::{
    Catalog, Dependent, DependentKind, Generated, POSTGRES_SEQUENCE, QualifiedName, creation_time,
    postgres_row_types,
};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::{Error, Silent};

use super::constraints::{indexes, keys, mentions, misfit};
use super::names::quoted;
use super::sequences;
use super::triggers::LAST;
use super::values::Values;
use crate::plan::public_text;
use crate::refusals::{AGAIN, Refusals, What, describe};
use crate::runner::Runner;
use crate::work::{ChangedColumn, ChangedTable, Form, Source, Work};

/// Ranges of row addresses, by which the backfill reads, are quick since this version.
const FIRST_VERSION: u64 = 140_000;

/// Every reason against the change.
pub(crate) async fn refuse(
    connection: &mut Connection,
    work: &Work,
    catalog: &Catalog,
) -> Result<Refusals, Error> {
    let mut refusals = Refusals::default();
    version(connection, &mut refusals).await?;
    for table in &work.tables {
        privileges(connection, table, &mut refusals).await?;
        for column in &table.columns {
            refusals.add_names_of_columns(work, table, column);
            type_of_column(work, table, column, &mut refusals);
            let (mut silent, owner) = (Silent, (table, column.column.name.as_str()));
            let mut runner = Runner::dry(connection, &mut silent);
            sequences::refuse(&mut runner, owner, &mut refusals).await?;
        }
        collations(connection, work, table, &mut refusals).await?;
        names_of_made(work, table, &mut refusals);
        refusals.add_dependents(table, objection);
        bodies_of_triggers(connection, table, &mut refusals).await?;
        on_every_update(connection, table, &mut refusals).await?;
        keys_and_indexes(connection, work, table, &mut refusals).await?;
        whole_rows(connection, table, &mut refusals).await?;
    }
    if let Source::Mapped = work.source {
        map(work, &mut refusals)?;
    }
    references(work, catalog, &mut refusals);
    if refusals.is_empty() {
        refusals
            .add_damaged_values(connection, work, Form::Old)
            .await?;
        refusals.add_unusable_times(connection, work).await?;
        for table in &work.tables {
            let keys = table.foreign_keys().filter(|key| key.is_validated());
            refusals.add_orphans(connection, work, table, keys).await?;
        }
        default_of_key(connection, work, &mut refusals).await?;
    }
    Ok(refusals)
}

async fn version(connection: &mut Connection, refusals: &mut Refusals) -> Result<(), Error> {
    let query = "SELECT current_setting('server_version_num')::bigint";
    let version = connection.count("the version", query, &[]).await?;
    if version < FIRST_VERSION {
        refusals.add(
            format!("PostgreSQL {}", connection.version()),
            "it reads ranges of row addresses only by reading the whole table",
            "upgrade to 14 or newer",
        );
    }
    Ok(())
}

async fn privileges(
    connection: &mut Connection,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let query = "SELECT pg_has_role(c.relowner, 'USAGE'), \
                 has_schema_privilege(c.relnamespace, 'CREATE'), pg_get_userbyid(c.relowner)::text, \
                 row_security_active(c.oid) FROM pg_class c WHERE c.oid = to_regclass($1)";
    let doing = format!("the privileges on {}", table.name());
    let name = Value::Text(table.name().quoted(rowkey_core::Backend::Postgres)?);
    let rows = connection.query(&doing, query, &[name]).await?;
    let Some(row) = rows.first() else {
        return Ok(());
    };
    if !row.is(0)? {
        refusals.add(
            table.name().to_string(),
            format!(
                "it belongs to {}, and only its owner may change it",
                row.text(2)?
            ),
            "connect as its owner",
        );
    }
    if !row.is(1)? {
        refusals.add(
            table.name().to_string(),
            "functions for its triggers may not be made in its schema",
            "grant CREATE on the schema for the time of the change",
        );
    }
    if row.is(3)? {
        refusals.add(
            table.name().to_string(),
            "its policies of row-level security hide rows from the account",
            "ALTER TABLE … NO FORCE ROW LEVEL SECURITY for the time of the change, or connect as a role \
             with BYPASSRLS",
        );
    }
    Ok(())
}

fn names_of_made(work: &Work, table: &ChangedTable, refusals: &mut Refusals) {
    let longest = work.made(table, "index99").name;
    if let Err(error) = quoted(&longest) {
        let what = table.name().to_string();
        refusals.add(what, format!("{longest}: {error}"), "report this");
    }
}

fn type_of_column(
    work: &Work,
    table: &ChangedTable,
    column: &ChangedColumn,
    refusals: &mut Refusals,
) {
    let what = || What::column(table.name(), &column.column.name);
    if column.column.generated == Generated::Computed {
        refusals.add(
            what(),
            "the database computes it",
            "drop the expression first, with ALTER COLUMN … DROP EXPRESSION",
        );
    }
    refusals.add_other_type(work, what(), &column.column);
    // It makes the old ids of rows that new programs write.
    let makes_old_ids = column.is_key && matches!(work.source, Source::Mapped);
    if column.column.generated == Generated::Identity && !makes_old_ids {
        refusals.add(
            what(),
            format!(
                "the database makes its values ({})",
                column.column.generated
            ),
            "let programs make the ids first",
        );
    }
    let is_kept = makes_old_ids && column.counts_by_default(work.backend);
    let is_refused = |default: &&str| !default.starts_with("NULL") && !is_kept;
    let default = column.column.default.as_deref();
    if let Some(default) = default.filter(is_refused) {
        refusals.add_default(what(), default);
    }
}

/// Refuses collations without patterns, by which a change tells ids from other values.
async fn collations(
    connection: &mut Connection,
    work: &Work,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    if let Source::Mapped = work.source {
        return Ok(());
    }
    let query = "SELECT a.attname::text, l.collname::text, format_type(a.atttypid, a.atttypmod) \
                 FROM pg_attribute a JOIN pg_collation l ON l.oid = a.attcollation \
                 WHERE a.attrelid = to_regclass($1) \
                 AND to_jsonb(l)->>'collisdeterministic' = 'false' ORDER BY a.attnum";
    let doing = format!("the collations of {}", table.name());
    let name = Value::Text(table.name().quoted(work.backend)?);
    for row in connection.query(&doing, query, &[name]).await? {
        let column = row.text(0)?;
        if table.changed(column).is_none() {
            continue;
        }
        refusals.add(
            What::column(table.name(), column),
            format!(
                "its collation {} takes different texts for equal, and has no patterns, by which ids \
                 are told",
                row.text(1)?
            ),
            format!(
                "change it, also at the other end of its references: ALTER TABLE {} ALTER COLUMN {} TYPE {} \
                 COLLATE \"C\"",
                table.name().quoted(work.backend)?,
                quoted(column)?,
                row.text(2)?
            ),
        );
    }
    Ok(())
}

/// What new ids need.
fn map(work: &Work, refusals: &mut Refusals) -> Result<(), Error> {
    let (table, key) = work.key()?;
    let what = || What::column(table.name(), &key.column.name);
    let mut keys = table.table.keys.iter();
    if !keys.any(|one| one.columns == [key.column.name.as_str()]) || key.column.is_nullable {
        refusals.add(
            what(),
            "old ids that are NULL or not unique have no new ones",
            "make it the primary key, or unique and NOT NULL, first",
        );
    }
    let outcome = public_text(work.to.format(), work.backend).and_then(|form| {
        NewId::new(form)?;
        Conversion::new(form, work.to)?;
        Ok(())
    });
    if let Err(error) = outcome {
        refusals.add(
            format!("new ids of {}", work.to.format().name()),
            error.to_string(),
            "choose a format that the server can make, in a form that SQL can write",
        );
    }
    if let Some(created) = &work.created {
        let millis = creation_time::unix_millis(work.backend, &table.table, created, "");
        if let Err(error) = millis {
            refusals.add(what(), error.to_string(), "name another column, or none");
        }
    }
    Ok(())
}

/// Old ids for rows of new programs come from the key's default, in a function.
async fn default_of_key(
    connection: &mut Connection,
    work: &Work,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let mut silent = Silent;
    let mut runner = Runner::dry(connection, &mut silent);
    let values = Values::of(&mut runner, work).await?;
    if let Some(why) = values.trial_of_default(&mut runner).await? {
        let (table, key) = work.key()?;
        refusals.add(
            What::column(table.name(), &key.column.name),
            format!("its default makes no ids in a session without a search path: {why}"),
            "write schemas before the names in its functions, or SET search_path for them",
        );
    }
    used_up(connection, work, refusals).await
}

/// Rows that new programs write get the next number of the sequence as their old id.
async fn used_up(
    connection: &mut Connection,
    work: &Work,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let Source::Mapped = work.source else {
        return Ok(());
    };
    let (table, key) = work.key()?;
    let name = Value::Text(table.name().quoted(work.backend)?);
    let column = Value::from(key.column.name.as_str());
    let doing = format!("the next number of {}", table.name());
    let query = format!(
        "SELECT s.last::text, s.last::numeric + s.step BETWEEN s.least AND LEAST(s.most, \
         CASE a.atttypid WHEN 'int2'::regtype THEN 32767 WHEN 'int4'::regtype THEN 2147483647 \
         ELSE 9223372036854775807 END) OR s.cycles OR s.last IS NULL FROM pg_attribute a, ({POSTGRES_SEQUENCE}) s \
         WHERE a.attrelid = to_regclass($1::text) AND a.attname = $2::text"
    );
    let rows = connection.query(&doing, &query, &[name, column]).await?;
    if let Some(row) = rows.first()
        && !row.is(1)?
    {
        let what = What::column(table.name(), &key.column.name);
        refusals.add_used_up(what, row.text(0)?, "its sequence");
    }
    Ok(())
}

fn objection(dependent: &Dependent, used: &[&str]) -> Option<(String, &'static str)> {
    let uses = format!(
        "it uses {}, and would go on with the old ids",
        used.join(", ")
    );
    match dependent.kind {
        DependentKind::Publication => Some((
            "subscribers have no column of the new name".into(),
            "take the table out of the publication, and subscribe again after the change",
        )),
        DependentKind::Partition => Some((
            "partitions are not carried".into(),
            "copy the rows into a new table instead",
        )),
        DependentKind::Inheritance => Some((
            "the columns of an inheriting table change with those of the other".into(),
            "end the inheritance with ALTER TABLE … NO INHERIT first",
        )),
        DependentKind::Trigger if dependent.name.as_str() >= LAST => Some((
            "it would run after the triggers of the change, and might change the row again".into(),
            "give it a name that comes before zz_rowkey",
        )),
        DependentKind::Privilege | DependentKind::Sequence => None,
        _ if used.is_empty() => None,
        // The new column has the type of the storage, and the old one keeps its domain.
        DependentKind::Domain if dependent.definition.is_empty() => None,
        DependentKind::Domain => Some((
            format!(
                "it says {} of {}, which would not hold for new ids, and could not be taken from the old \
                 column",
                dependent.definition,
                used.join(", ")
            ),
            "give the column the type that the domain is over (ALTER TABLE … ALTER COLUMN … TYPE …), and add \
             what it says to the column",
        )),
        DependentKind::ReplicaIdentity => Some((
            format!("it is an index on {}", used.join(", ")),
            "set REPLICA IDENTITY DEFAULT or FULL first",
        )),
        DependentKind::GeneratedColumn => Some((
            format!("it is computed from {}", used.join(", ")),
            "drop the column, and add it again after the change",
        )),
        _ => Some((uses, AGAIN)),
    }
}

/// The database does not look into the bodies of functions. One that names the column would fail at
/// the first write after the swap.
async fn bodies_of_triggers(
    connection: &mut Connection,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let query = "SELECT t.tgname::text, p.oid::regprocedure::text, p.prosrc FROM pg_trigger t \
                 JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang \
                 WHERE t.tgrelid = to_regclass($1) AND NOT t.tgisinternal \
                 AND l.lanname NOT IN ('internal', 'c') ORDER BY 1";
    let doing = format!("the triggers of {}", table.name());
    let name = Value::Text(table.name().quoted(rowkey_core::Backend::Postgres)?);
    for row in connection.query(&doing, query, &[name]).await? {
        let body = row.text(2)?;
        let columns = table.columns.iter().map(|column| &column.column.name);
        for column in columns.filter(|column| mentions(body, column)) {
            refusals.add(
                format!("the trigger {} of {}", row.text(0)?, table.name()),
                format!("its function {} names {column}", row.text(1)?),
                AGAIN,
            );
        }
        if copies_rows(body) {
            refusals.add(
                format!("the trigger {} of {}", row.text(0)?, table.name()),
                format!(
                    "its function {} takes all columns of a row (NEW.* or OLD.*), and there will be others",
                    row.text(1)?
                ),
                "let it name the columns, or drop it, and make it again after the change",
            );
        }
    }
    Ok(())
}

/// Whether a body of a trigger's function has all columns of its row, such as `SELECT (NEW).*`.
fn copies_rows(body: &str) -> bool {
    let is_kept = |character: &char| !character.is_whitespace() && !"()\"".contains(*character);
    let body: String = body.to_lowercase().chars().filter(is_kept).collect();
    ["new.*", "old.*"].iter().any(|part| body.contains(part))
}

/// The backfill updates every row, and a trigger or a rule cannot tell that from an update of a
/// program.
async fn on_every_update(
    connection: &mut Connection,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let query = "SELECT 'trigger ' || tgname FROM pg_trigger WHERE tgrelid = to_regclass($1) \
                 AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 16 <> 0 \
                 AND cardinality(tgattr::smallint[]) = 0 \
                 UNION ALL SELECT 'rule ' || rulename FROM pg_rewrite \
                 WHERE ev_class = to_regclass($1) AND ev_type = '2' AND ev_enabled <> 'D' ORDER BY 1";
    let doing = format!("the triggers and rules of {}", table.name());
    let name = Value::Text(table.name().quoted(rowkey_core::Backend::Postgres)?);
    for row in connection.query(&doing, query, &[name]).await? {
        refusals.add(
            format!("the {} of {}", row.text(0)?, table.name()),
            "it runs for every update, also for those that fill the new column",
            "let it run for the columns that it is about (UPDATE OF …), or disable it for the time of \
             the change",
        );
    }
    Ok(())
}

async fn keys_and_indexes(
    connection: &mut Connection,
    work: &Work,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    for (_, key) in keys(table) {
        let special = ["INCLUDE (", "NULLS NOT DISTINCT", "WITHOUT OVERLAPS"];
        if let Some(found) = special.iter().find(|part| key.constraint().contains(*part)) {
            refusals.add(
                format!("the key {} of {}", key.name, table.name()),
                format!("{found} is not carried"),
                AGAIN,
            );
        }
    }
    let query = "SELECT COALESCE(pg_get_expr(indexprs, indrelid), ''), \
                 COALESCE(pg_get_expr(indpred, indrelid), '') FROM pg_index \
                 WHERE indexrelid = to_regclass($1)";
    for (_, index) in indexes(table).filter(|(_, index)| !index.is_plain) {
        let name = table.name().sibling(&index.name);
        let name = Value::Text(name.quoted(rowkey_core::Backend::Postgres)?);
        let doing = format!("the index {}", index.name);
        let row = connection.one_row(&doing, query, &[name]).await?;
        let what = || format!("the index {} of {}", index.name, table.name());
        let mut computes = false;
        for column in &table.columns {
            let column = &column.column.name;
            let is_known = is_presence(row.text(1)?, column);
            if mentions(row.text(0)?, column) || mentions(row.text(1)?, column) && !is_known {
                computes = true;
                refusals.add(
                    what(),
                    format!("it computes something from {column}"),
                    AGAIN,
                );
            }
        }
        // Such as one for LIKE, or with a collation, on a column that isn't text any more.
        if !computes && let Some(why) = misfit(connection, work, table, index).await? {
            refusals.add(
                what(),
                format!(
                    "it cannot be made for values of the type {}: {why}",
                    work.to.sql_type()
                ),
                "drop it; the keys and the other indexes are carried",
            );
        }
    }
    Ok(())
}

/// Whatever holds or takes whole rows, which would have other columns. Expressions have them as a
/// column 0, and so have views that ask for a row as one value.
const WHOLE_ROWS: &str = "
SELECT 'index ' || indexrelid::regclass FROM pg_index WHERE indrelid = to_regclass($1)
  AND (indexprs::text LIKE '%:varattno 0 %' OR indpred::text LIKE '%:varattno 0 %')
UNION ALL
SELECT 'check ' || conname FROM pg_constraint
WHERE conrelid = to_regclass($1) AND conbin::text LIKE '%:varattno 0 %'
UNION ALL
SELECT 'view ' || r.ev_class::regclass FROM pg_rewrite r
WHERE r.ev_action::text LIKE '%:varattno 0 %' AND EXISTS (SELECT FROM pg_depend d
  WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refobjid = to_regclass($1))
UNION ALL
SELECT 'policy ' || polname FROM pg_policy WHERE polrelid = to_regclass($1)
  AND (polqual::text LIKE '%:varattno 0 %' OR polwithcheck::text LIKE '%:varattno 0 %')
UNION ALL
SELECT 'column ' || a.attname || ' of ' || c.oid::regclass FROM rows
JOIN pg_attribute a ON a.atttypid = rows.type AND NOT a.attisdropped
JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f', 'm', 'v')
UNION ALL
SELECT 'type ' || reloftype::regtype FROM pg_class WHERE oid = to_regclass($1) AND reloftype <> 0
ORDER BY 1";

async fn whole_rows(
    connection: &mut Connection,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let doing = format!("the whole rows of {}", table.name());
    let name = Value::Text(table.name().quoted(rowkey_core::Backend::Postgres)?);
    let query = postgres_row_types("to_regclass($1)") + WHOLE_ROWS;
    for row in connection.query(&doing, &query, &[name]).await? {
        let what = row.text(0)?;
        if what.starts_with("type ") {
            refusals.add(
                format!("the {what} of {}", table.name()),
                "the table has the columns of this type, and can get no others",
                "ALTER TABLE … NOT OF first",
            );
            continue;
        }
        refusals.add(
            format!("the {what}, for {}", table.name()),
            "it takes all columns of a row, and there will be others",
            "let it name the columns, or drop it, and make it again after the change",
        );
    }
    Ok(())
}

/// Whether a condition asks for nothing but the presence of a value, which both forms have.
fn is_presence(condition: &str, column: &str) -> bool {
    let Ok(column) = quoted(column) else {
        return false;
    };
    let plain = condition.replace('"', "");
    let column = column.replace('"', "");
    plain == format!("({column} IS NOT NULL)") || plain == format!("({column} IS NULL)")
}

/// Both ends of a reference change, or neither.
fn references(work: &Work, catalog: &Catalog, refusals: &mut Refusals) {
    refusals.add_halved_references(work, catalog);
    for table in &work.tables {
        for key in table
            .foreign_keys()
            .filter(|key| !key.attributes.set_columns().is_empty())
        {
            refusals.add(
                describe(key, table.name()),
                "a list of columns to set is not carried",
                "drop it, and make it again after the change",
            );
        }
    }
}

/// Fails if a table has the triggers of the change, and another name than it had: they would stay.
pub(super) fn refuse_renamed(work: &Work, now: &Catalog) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    for table in &now.tables {
        let is_known = work.table(&table.name).is_some();
        let is_ours =
            |one: &Dependent| one.kind == DependentKind::Trigger && one.name.starts_with(LAST);
        if !is_known && table.name.schema.is_none() && table.dependents.iter().any(is_ours) {
            refusals.add(
                format!("the table {}", table.name),
                "it has triggers of the change, which knows it by another name",
                "give it that name again with ALTER TABLE … RENAME",
            );
        }
    }
    refusals.result()
}

/// Fails for everything that new programs have hung on the new columns, which would go with them.
pub(super) fn refuse_undo(work: &Work, now: &Catalog) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    let why = "it uses a column that an undo drops";
    let instead = "drop it first";
    for table in &work.tables {
        let Ok(found) = now.table(table.name()) else {
            continue;
        };
        let is_new = |column: &String| table.columns.iter().any(|one| one.new_name == *column);
        for one in &found.dependents {
            let is_ours = one.kind == DependentKind::Trigger && one.name.starts_with(LAST);
            let goes_along = matches!(one.kind, DependentKind::Privilege);
            if !is_ours && !goes_along && one.columns.iter().any(is_new) {
                let what = format!("the {} {} of {}", one.kind.name(), one.name, table.name());
                refusals.add(what, why, instead);
            }
        }
        let indexes = found.indexes.iter().map(|one| (&one.name, &one.columns));
        let keys = found.keys.iter().map(|one| (&one.name, &one.columns));
        for (name, columns) in indexes.chain(keys) {
            let before = &table.table;
            let is_known = before.indexes.iter().any(|one| one.name == *name)
                || before.keys.iter().any(|one| one.name == *name);
            if !is_known && columns.iter().any(is_new) {
                refusals.add(
                    format!("the index {name} of {}", table.name()),
                    why,
                    instead,
                );
            }
        }
    }
    for (table, key) in now.tables.iter().flat_map(|table| {
        let keys = table.foreign_keys.iter();
        keys.map(move |key| (table, key))
    }) {
        let changed = |name: &QualifiedName, columns: &[String]| {
            work.table(name).is_some_and(|found| {
                let mut new = found.columns.iter().map(|one| &one.new_name);
                new.any(|column| columns.contains(column))
            })
        };
        let is_known = work.table(&table.name).is_some_and(|before| {
            let mut keys = before.table.foreign_keys.iter();
            keys.any(|one| one.name == key.name)
        });
        let is_concerned =
            changed(&table.name, &key.columns) || changed(&key.target, &key.target_columns);
        if !is_known && is_concerned {
            refusals.add(describe(key, &table.name), why, instead);
        }
    }
    refusals.result()
}

/// Fails for everything that uses the old columns, without which the server does not drop them.
/// Indexes, checks and statistics go with them.
pub(super) fn refuse_contract(work: &Work, now: &Catalog) -> Refusals {
    let mut refusals = Refusals::default();
    let why = "it uses an old column, which is to be dropped";
    let instead = "drop it first";
    for table in &work.tables {
        let is_old = |column: &String| table.columns.iter().any(|one| one.retired_name == *column);
        let dependents = now
            .table(table.name())
            .map(|found| found.dependents.as_slice());
        for one in dependents.unwrap_or_default() {
            let stays = match one.kind {
                DependentKind::Trigger => !one.name.starts_with(LAST),
                DependentKind::View
                | DependentKind::Rule
                | DependentKind::Routine
                | DependentKind::Policy
                | DependentKind::GeneratedColumn => true,
                _ => false,
            };
            if stays && one.columns.iter().any(is_old) {
                let what = format!("the {} {} of {}", one.kind.name(), one.name, table.name());
                refusals.add(what, why, instead);
            }
        }
        for (other, key) in now.references_to(table.name()) {
            if key.target_columns.iter().any(is_old) {
                refusals.add(describe(key, &other.name), why, instead);
            }
        }
    }
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_on_presence_means_the_same_in_both_forms() {
        assert!(is_presence("(parent_id IS NOT NULL)", "parent_id"));
        assert!(is_presence("(\"Parent Id\" IS NULL)", "Parent Id"));
        assert!(!is_presence("(parent_id > '0'::uuid)", "parent_id"));
        assert!(!is_presence("((a IS NULL) AND (b IS NULL))", "a"));
    }
}
