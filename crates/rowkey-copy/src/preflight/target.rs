//! Whether the target is as the plan needs it.

use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table, layout_of};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::{Asked, Dialect};
use rowkey_tables::types::layout::Layout;
use rowkey_tables::types::{Kind, Type, collation};

use super::definition;
use super::existing;
use super::references::NO_KEY;
use crate::definitions::key_sequences::KeySequences;
use crate::definitions::sequences::{self, Sequence};
use crate::engine::engine;
use crate::mapping::collations::known_collations;
use crate::mapping::names;
use crate::mapping::own_types;
use crate::mapping::spelling::in_any_case;
use crate::plans::plan::CopyPlan;
use crate::rows::checkpoint;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, MomentsEnd, TableSide};

/// Whether none of the tables exists, so that they are to be made unless a person says otherwise.
pub(super) fn has_none(catalog: &Catalog, sides: &[&TableSide]) -> bool {
    sides.iter().all(|side| table_of(catalog, side).is_none())
}

/// What of a plan is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    All,
    /// A table by its number.
    Table(usize),
    /// A column of it.
    Column(usize, String),
}

/// Why something is refused.
pub(crate) type Refusal = (Place, Error);

/// The refusals of a target's tables.
pub(super) async fn refusals(
    target: &mut Connection,
    catalog: &Catalog,
    plan: &CopyPlan,
    tables: &[PreparedTable<'_>],
    keys: &KeySequences,
    creates: bool,
) -> Result<Vec<Refusal>, Error> {
    let mut refused = Vec::new();
    let sides: Vec<&TableSide> = tables.iter().map(|table| &table.to).collect();
    let sides = sides.as_slice();
    let planned: Vec<&QualifiedName> = sides.iter().map(|side| &side.name).collect();
    let views = views(target).await?;
    let sequences = sequences::all(target).await?;
    for (number, side) in sides.iter().enumerate() {
        let mut add = |error| refused.push((Place::Table(number), error));
        if table_of(catalog, side).is_none() && views.contains(&side.name) {
            add(is_view(&side.name, creates));
            continue;
        }
        if let Some(name) = sequence_instead(&sequences, catalog, side, creates) {
            let behind = table_behind(name, catalog, tables, keys);
            add(is_sequence(side, name, behind));
            continue;
        }
        match existing::check_presence(target, catalog, side, &planned, creates).await {
            Err(error @ (Error::Refused { .. } | Error::Missing { .. })) => add(error),
            Err(error) if error.is_denied() => add(Error::refused(
                format!("the table {} in the target", side.name),
                format!("it may not be read: {}", error.reason()),
                "grant SELECT on it, or delete its entry from the plan",
            )),
            outcome => outcome?,
        }
        if let Some(table) = table_of(catalog, side)
            && !creates
        {
            definition::misfits(table, side, plan)
                .into_iter()
                .for_each(add);
        }
    }
    let mut general = existing::referring(target, catalog, sides).await?;
    general.extend(without_keys(target, catalog).await?);
    if creates {
        general.extend(may_not_create(target).await?);
        general.extend(same_tables(target, plan).await?);
        refused.extend(missing_schemas(target, sides).await?);
        refused.extend(unknown_collations(target, sides).await?);
    }
    refused.extend(unknown_types(target, sides, creates).await?);
    refused.extend(general.into_iter().map(|error| (Place::All, error)));
    Ok(refused)
}

/// The tables of SQLite that refer to columns which are no key: it says so when it first looks at
/// references, which is after all rows.
async fn without_keys(target: &mut Connection, catalog: &Catalog) -> Result<Vec<Error>, Error> {
    let mut refused = Vec::new();
    let Some(query) = engine(target.backend()).objects.orphans else {
        return Ok(refused);
    };
    let referring = catalog
        .tables
        .iter()
        .filter(|table| !table.foreign_keys.is_empty());
    for Table { name, .. } in referring {
        let values = [Value::from(name.name.as_str())];
        match target
            .query("the references of the target", query, &values)
            .await
        {
            Err(error) if error.reason().contains(NO_KEY) => refused.push(Error::refused(
                format!("the table {name} in the target"),
                error.reason(),
                "let the reference name a primary key, or columns with a unique index, or drop it",
            )),
            looked => {
                looked?;
            }
        }
    }
    Ok(refused)
}

/// That the database has not all characters.
pub(super) async fn encoding(target: &mut Connection) -> Result<Option<String>, Error> {
    let Some(query) = engine(target.backend()).target.encoding else {
        return Ok(None);
    };
    let rows = target
        .query("the encoding of the target", query, &[])
        .await?;
    let encoding = rows.first().map(|row| row.text(0)).transpose()?;
    Ok(encoding.map(|encoding| {
        format!(
            "the target's encoding is {encoding}: the copy stops at texts with characters that it lacks, \
             for which no value was looked at; a database with UTF8 has all"
        )
    }))
}

/// That a table is not there, and a view has its name.
pub(crate) fn is_view(name: &QualifiedName, creates: bool) -> Error {
    Error::refused(
        format!("the table {name} in the target"),
        "a view has its name",
        match creates {
            true => "rename the view, or write another name in `becomes`",
            false => "rename the view and make the table, or delete its entry from the plan",
        },
    )
}

/// The views of the account's schema.
pub(crate) async fn views(target: &mut Connection) -> Result<Vec<QualifiedName>, Error> {
    let query = engine(target.backend()).target.views;
    let rows = target.query("the views of the target", query, &[]).await?;
    let names = rows.iter().map(|row| Ok(QualifiedName::from(row.text(0)?)));
    names.collect()
}

/// The sequence of the target that has the name of a table which is not there.
pub(crate) fn sequence_instead<'n>(
    sequences: &'n [Sequence],
    catalog: &Catalog,
    side: &TableSide,
    creates: bool,
) -> Option<&'n str> {
    if side.name.schema.is_some() || table_of(catalog, side).is_some() {
        return None;
    }
    let mut found = sequences.iter().map(|found| found.name.as_str());
    match creates {
        true => found.find(|name| *name == side.name.name),
        false => in_any_case(found, |name| name, &side.name.name),
    }
}

/// The table behind whose rows the copy sets a sequence.
fn table_behind<'t>(
    sequence: &str,
    catalog: &Catalog,
    tables: &'t [PreparedTable<'_>],
    keys: &KeySequences,
) -> Option<&'t QualifiedName> {
    let copied = tables.iter().filter(|table| !table.to.keeps_rows());
    let mut copied = copied.filter(|table| {
        table_of(catalog, &table.to).is_some_and(|existing| {
            let found = keys.of(table.original, &table.to, existing);
            found.iter().any(|(_, name)| *name == sequence)
        })
    });
    copied.next().map(|table| &table.to.name)
}

pub(crate) fn is_sequence(
    side: &TableSide,
    sequence: &str,
    behind: Option<&QualifiedName>,
) -> Error {
    let instead = match behind {
        Some(table) => format!(
            "delete its entry from the plan: the copy sets the sequence behind the rows of {table}"
        ),
        None => "delete its entry from the plan".into(),
    };
    Error::refused(
        format!("the table {} in the target", side.name),
        format!("the target has a sequence {sequence} instead"),
        instead,
    )
}

pub(super) fn table_of<'c>(catalog: &'c Catalog, side: &TableSide) -> Option<&'c Table> {
    catalog.tables.iter().find(|table| table.name == side.name)
}

/// The side with the character sets, collations and lengths that an existing table has.
pub(super) async fn as_existing(
    target: &mut Connection,
    side: &TableSide,
    table: &Table,
) -> Result<TableSide, Error> {
    let columns = side.columns.iter().map(|column| {
        let Some(found) = table.column(&column.name) else {
            return column.clone();
        };
        let found_type = found.column_type(side.backend);
        let sql_type = match &found.collation {
            Some(collation) if engine(side.backend).columns.names_collations => {
                found_type.with_collation(collation)
            }
            _ => found_type,
        };
        let mut existing = ColumnSide::new(&column.name, sql_type, column.own, column.content);
        if side.backend.stores_any_type() {
            existing.collation = declared_collation(table, &column.name);
        }
        existing.instead = column.instead;
        existing.tick = column.tick;
        existing.takes_offsets = column.takes_offsets;
        existing.trims = column.trims;
        existing.members.extend(found.enum_words.iter().cloned());
        existing.layout.clone_from(&found.layout);
        existing
    });
    let mut existing = TableSide {
        columns: columns.collect(),
        ..side.clone()
    };
    take_end_of_moments(target, &mut existing).await?;
    existing.take_facts_of(table);
    let Some(query) = engine(side.backend).target.lenient_collations else {
        return Ok(existing);
    };
    let name = [Value::Text(side.quoted()?)];
    for row in target
        .query("the collations of the target", query, &name)
        .await?
    {
        let (name, collation) = (row.text(0)?, row.text(1)?);
        let mut columns = existing.columns.iter_mut();
        if let Some(column) = columns.find(|column| column.name == name) {
            column.collation = Some(collation.to_owned());
        }
    }
    Ok(existing)
}

/// Moments of an older server end earlier.
async fn take_end_of_moments(target: &mut Connection, side: &mut TableSide) -> Result<(), Error> {
    let is_moment = |column: &&mut ColumnSide| column.own == Type::Instant;
    let Some(query) = engine(side.backend).target.ends_in_2038 else {
        return Ok(());
    };
    let mut moments: Vec<_> = side.columns.iter_mut().filter(is_moment).collect();
    if !moments.is_empty()
        && target
            .one_row("the end of its moments", query, &[])
            .await?
            .is(0)?
    {
        for column in &mut moments {
            column.moments_end = Some(MomentsEnd::In2038);
        }
    }
    Ok(())
}

/// What SQLite takes for the same in a column: its catalogue does not say it.
#[cfg(feature = "sqlite")]
fn declared_collation(table: &Table, column: &str) -> Option<String> {
    let found = rowkey_tables::catalog::sqlite::collation(table.statement(), column);
    let found = found.ok().flatten()?.to_uppercase();
    ["NOCASE", "RTRIM"].contains(&&*found).then_some(found)
}

#[cfg(not(feature = "sqlite"))]
fn declared_collation(_: &Table, _: &str) -> Option<String> {
    None
}

/// The side of a table that is made, with what the target's own types of these names consist of.
pub(super) async fn as_made(target: &mut Connection, side: &TableSide) -> Result<TableSide, Error> {
    let mut made = side.clone();
    take_end_of_moments(target, &mut made).await?;
    for column in made
        .columns
        .iter_mut()
        .filter(|column| column.layout.is_some())
    {
        let Some(found) = layout_of(target, column.sql_type.as_str()).await? else {
            continue;
        };
        if let Layout::Enum(words) = &found {
            column.members.clone_from(words);
        }
        column.layout = Some(found);
    }
    Ok(made)
}

/// The columns of an existing table that refuse NULL.
pub(super) fn not_null(side: &TableSide, table: &Table) -> Vec<String> {
    let names = side.columns.iter().map(|column| &column.name);
    let refuses = |name: &&String| table.column(name).is_some_and(|column| !column.is_nullable);
    names.filter(refuses).cloned().collect()
}

/// Those of a table that is made: its primary key, which may be NULL in SQLite.
pub(super) fn not_null_if_made(source: &Table) -> Vec<String> {
    let key = source.primary_key().map(|key| key.columns.clone());
    key.unwrap_or_default()
}

/// The refusal if the account may not make tables. PostgreSQL tells; elsewhere, a CREATE TABLE that
/// fails in any case says whether a privilege is missing.
pub(super) async fn may_not_create(target: &mut Connection) -> Result<Option<Error>, Error> {
    let Some(query) = engine(target.backend()).target.create_privilege else {
        let doomed = format!("CREATE TABLE {} (one int, one int)", checkpoint::TABLE);
        let doing = "the privileges in the target";
        return Ok(match target.execute(doing, &doomed).await {
            Err(error) if error.is_denied() => Some(Error::refused(
                "the target",
                format!("the account may not make tables: {}", error.reason()),
                "grant CREATE, SELECT, INSERT and UPDATE on the database: the table rowkey_copy keeps its state",
            )),
            _ => None,
        });
    };
    let row = target
        .one_row("the privileges in the target", query, &[])
        .await?;
    let schema = row.text(0)?;
    Ok((!row.is(1)?).then(|| {
        let why = match schema {
            "" => "the connection has no schema".to_owned(),
            schema => format!("the account may not make tables in the schema {schema}"),
        };
        Error::refused(
            "the target",
            why,
            "grant CREATE on the schema, or name another one: …?options=-csearch_path%3Dname",
        )
    }))
}

/// Schemas, or databases of MySQL and MariaDB, that the plan names and the copy does not make.
async fn missing_schemas(
    target: &mut Connection,
    sides: &[&TableSide],
) -> Result<Vec<Refusal>, Error> {
    let mut named = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        let (place, name) = (Place::Table(number), side.name.to_string());
        let instead = "make it, or write another name in `becomes`";
        named.extend(
            side.name
                .schema
                .clone()
                .map(|schema| (place, name, schema, instead)),
        );
        for column in side
            .columns
            .iter()
            .filter(|column| !column.members.is_empty())
        {
            // As PostgreSQL writes the names of types, in quotes where it has to.
            let name = QualifiedName::from(column.sql_type.as_str());
            let schema = name
                .schema
                .map(|schema| schema.trim_matches('"').to_owned());
            let place = Place::Column(number, column.name.clone());
            let name = format!("{}.{}", side.name, column.name);
            let instead = "make it, or write `to = \"text\"`";
            let is_own = column.content == Content::Values(Kind::Own);
            named.extend(
                schema
                    .filter(|_| is_own)
                    .map(|schema| (place, name, schema, instead)),
            );
        }
    }
    let query = engine(target.backend()).target.schema;
    let mut refused = Vec::new();
    for (place, name, schema, instead) in named {
        let doing = "the schemas of the target";
        let values = [Value::from(schema.as_str())];
        if target.query(doing, query, &values).await?.is_empty() {
            let why = format!("the target has no schema {schema}");
            refused.push((place, Error::refused(name, why, instead)));
        }
    }
    Ok(refused)
}

/// On some machines, MySQL does not tell tables apart by the case of their letters; SQL Server does
/// as the collation of the database says.
async fn same_tables(target: &mut Connection, plan: &CopyPlan) -> Result<Vec<Error>, Error> {
    let backend = target.backend();
    let Asked::Query(query) = backend.case_of_tables() else {
        return Ok(Vec::new());
    };
    let row = target.one_row("the names of tables", query, &[]).await?;
    let mut refused = Vec::new();
    if !row.is(0)? {
        for (place, table) in plan.tables.iter().enumerate() {
            let folded =
                |table: &crate::TablePlan| names::folded(backend, &table.becomes.to_string());
            let mut others = plan.tables.iter().take(place);
            if let Some(other) = others.find(|other| folded(other) == folded(table)) {
                refused.push(names::same_tables(backend, other, table));
            }
        }
    }
    Ok(refused)
}

/// Whether a column has arrays of an enum that the copy makes for another column, before all tables.
fn is_array_of_made(column: &ColumnSide, sides: &[&TableSide]) -> bool {
    let element = column.sql_type.as_str().strip_suffix("[]");
    let mut columns = sides.iter().flat_map(|side| &side.columns);
    columns.any(|other| {
        other.content == Content::Values(Kind::Own)
            && !other.members.is_empty()
            && Some(other.sql_type.as_str()) == element
    })
}

/// Types of PostgreSQL's users and extensions, which the copy does not make.
pub(crate) async fn unknown_types(
    target: &mut Connection,
    sides: &[&TableSide],
    creates: bool,
) -> Result<Vec<Refusal>, Error> {
    let mut refused = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        for column in side.columns.iter().filter(|column| column.own == Type::Own) {
            let known = own_types::known(target, column.sql_type.as_str()).await?;
            let Some((is_known, is_read_from_text)) = known else {
                return Ok(refused);
            };
            let why = match column.content {
                // The type of a column that exists is looked at with it.
                Content::Values(Kind::Own) if is_known && creates && column.layout.is_some() => {
                    let found = layout_of(target, column.sql_type.as_str()).await?;
                    let name = format!("{}.{}", side.name, column.name);
                    let other =
                        found.and_then(|found| definition::other_layout(name, column, &found));
                    let place = Place::Column(number, column.name.clone());
                    refused.extend(other.map(|error| (place, error)));
                    continue;
                }
                // The copy makes enums.
                Content::Values(Kind::Own) if is_known || !column.members.is_empty() => continue,
                Content::Values(Kind::Own) if creates && is_array_of_made(column, sides) => {
                    continue;
                }
                Content::Values(Kind::Text) if is_read_from_text => continue,
                Content::Values(Kind::Text) if is_known => {
                    format!("{} of the target is not read from text", column.sql_type)
                }
                _ => format!("the target has no type {}", column.sql_type),
            };
            let error = Error::refused(
                format!("{}.{}", side.name, column.name),
                why,
                match creates {
                    true => "make it there, or write `to = \"text\"`",
                    false => "change the column there to text, and write the plan again",
                },
            );
            let place = Place::Column(number, column.name.clone());
            refused.push((place, error));
        }
    }
    Ok(refused)
}

/// Collations differ between MySQL, MariaDB and their versions.
async fn unknown_collations(
    target: &mut Connection,
    sides: &[&TableSide],
) -> Result<Vec<Refusal>, Error> {
    let mut refused = Vec::new();
    let Some(known) = known_collations(target).await? else {
        return Ok(refused);
    };
    for (number, side) in sides.iter().enumerate() {
        for column in &side.columns {
            let Some(unknown) = &column.collation else {
                continue;
            };
            if collation::is_known(unknown, &known) {
                continue;
            }
            let instead = match collation::nearest(unknown, &known) {
                Some((name, differences)) => {
                    let to = column.sql_type.with_collation(name);
                    let differences = Some(differences).filter(|text| !text.is_empty());
                    let differences =
                        differences.unwrap_or_else(|| "it compares in the same way".into());
                    format!("write the nearest one, `to = \"{to}\"`: {differences}")
                }
                None => "write a type with another one in `to`".into(),
            };
            let error = Error::refused(
                format!("{}.{}", side.name, column.name),
                format!("the target has no collation {unknown}"),
                instead,
            );
            let place = Place::Column(number, column.name.clone());
            refused.push((place, error));
        }
    }
    Ok(refused)
}
