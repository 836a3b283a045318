//! What a copy leaves behind, and what it meets in the target, as sentences.

use std::collections::BTreeMap;
use std::iter::successors;

use rowkey_core::Backend;
use rowkey_tables::catalog::{
    Catalog, Column, Dependent, DependentKind, QualifiedName, ReferenceAttribute, Table,
};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::inventory::other_schemas;
use rowkey_tables::types::{ColumnType, Kind, Type, collation};
use rowkey_tables::{Connection, Error};

use crate::definitions::checks;
use crate::engine::engine;
use crate::mapping::partitions;
use crate::plans::plan::CopyPlan;
use crate::rows::checkpoint;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// What is left out of a whole database: tables without an entry in the plan, privileges, views and
/// programs that name none of its tables, and other schemas.
pub(crate) async fn of_database(
    source: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
) -> Result<Vec<String>, Error> {
    let mut notes = omitted(plan, catalog);
    notes.extend(shared_sequences(plan, catalog));
    notes.extend(moments(source, plan).await?);
    notes.extend(grants(source, plan).await?);
    notes.extend(hidden(source, plan).await?);
    notes.extend(programs(source, plan, catalog).await?);
    if engine(catalog.backend).objects.has_schemas {
        let schemas = other_schemas::names(source).await?;
        let names = || plan.tables.iter().map(|table| &table.name);
        let is_copied = |schema: &String| names().any(|name| name.schema.as_ref() == Some(schema));
        let schemas = schemas.iter().filter(|schema| !is_copied(schema));
        notes.extend(schemas.map(|schema| format!("the schema {schema} is left out")));
    }
    Ok(notes)
}

/// What is left out of the rows of a table, or becomes something else.
pub(crate) fn of_rows(table: &PreparedTable<'_>) -> Vec<String> {
    let mut notes = durations(table);
    notes.extend(longer_numbers(table));
    notes.extend(texts(table));
    notes.extend(objects(table));
    notes.extend(wide_rows(table));
    notes.extend(offsets(table.from.backend, table.original, &table.to));
    let engine_name = table.original.engine();
    if engine(table.from.backend).target.has_engines && !["InnoDB", ""].contains(&engine_name) {
        notes.push(format!(
            "{}: its engine {engine_name} has no transactions, so that its rows are not those of the moment at \
             which the copy began",
            table.original.name
        ));
    }
    notes
}

/// PostgreSQL and InnoDB have no room for a row of very many long values: each leaves a pointer, and
/// InnoDB keeps those of up to 40 bytes.
fn wide_rows(table: &PreparedTable<'_>) -> Option<String> {
    let [most, left] = engine(table.to.backend).objects.row_bytes?;
    let bytes = table.to.columns.iter().map(|column| match column.own {
        Type::Bool => 1,
        Type::Integer { bytes, .. } => u32::from(bytes),
        Type::Single | Type::Date | Type::Enum => 4,
        Type::Double | Type::Time | Type::Timestamp | Type::Instant => 8,
        Type::Uuid | Type::Interval => 16,
        Type::Text(_) | Type::Bytes(_) | Type::Json => left,
        _ => 18,
    });
    (bytes.sum::<u32>() > most).then(|| {
        format!(
            "{}: a row with values in all of its {} columns may be too large for a page of the target, and the copy \
             stops at such a row",
            table.to.name,
            table.to.columns.len()
        )
    })
}

/// The columns with numbers of the server's own objects, which may be others in the target.
fn objects(table: &PreparedTable<'_>) -> Vec<String> {
    let is_of_objects = |side: &&ColumnSide| {
        side.content == Content::Values(Kind::Own) && side.sql_type.names_objects()
    };
    let columns = table.to.columns.iter().filter(is_of_objects);
    let notes = columns.map(|column| {
        format!(
            "{}.{}: the numbers of its objects are copied: compare their names on both sides",
            table.original.name, column.name
        )
    });
    notes.collect()
}

/// What is left out of a table that is made: what depends on it, and what its columns no longer say.
pub(crate) fn of_table(prepared: &PreparedTable<'_>) -> Vec<String> {
    let (source, side, table) = (prepared.from.backend, &prepared.to, prepared.original);
    let mut notes = dependents(table, |dependent| {
        checks::words(source, table, side, dependent).is_some()
    });
    if checks::unnamed(source, table, side).is_ok_and(|checks| checks.is_empty()) {
        notes.extend(unnamed_checks(table));
    }
    notes.extend(of_definition(table));
    notes.extend(keys(table));
    if !engine(side.backend).objects.reference_attributes {
        notes.extend(references(table));
    }
    notes.extend(shorter(prepared));
    notes.extend(words(source, table, side));
    notes.extend(uncertain_words(source, table, side));
    notes
}

/// What tables that are made do not say of text any more, once for all columns.
pub(crate) fn of_text<'t>(tables: impl IntoIterator<Item = &'t PreparedTable<'t>>) -> Vec<String> {
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for PreparedTable { original, from, to } in tables {
        let mut of_table: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let lost = collations(from.backend, original, to);
        let of_postgres = collations_of_postgres(from.backend, original, to);
        for (column, what) in lost.into_iter().chain(of_postgres) {
            of_table.entry(what).or_default().push(column);
        }
        for (what, names) in of_table {
            let names = format!("{}.{}", original.name, names.join(", "));
            columns.entry(what).or_default().push(names);
        }
    }
    let notes = columns.into_iter();
    notes
        .map(|(what, columns)| format!("{}: {what}", columns.join("; ")))
        .collect()
}

/// Numbers and moments that are an interval on the other side.
fn durations(table: &PreparedTable<'_>) -> Vec<String> {
    let columns = table.from.columns.iter().zip(&table.to.columns);
    columns
        .filter(|(from, to)| {
            let kinds = [from, to].map(|column| column.content);
            let is_interval = |column: &ColumnSide| column.own == Type::Interval;
            is_interval(from) != is_interval(to)
                && [Kind::Integer, Kind::Timestamp]
                    .map(|kind| [Content::Values(kind); 2])
                    .contains(&kinds)
        })
        .map(|(from, to)| {
            let what = match from.content {
                Content::Values(Kind::Integer) => "number of microseconds",
                _ => "time since 1970-01-01",
            };
            format!(
                "{}.{}: the {what} is an interval ({} becomes {})",
                table.original.name, from.name, from.sql_type, to.sql_type
            )
        })
        .collect()
}

/// Moments, numbers, truth and values of types that the target lacks, which become text, and words that
/// become truth.
fn texts(table: &PreparedTable<'_>) -> Vec<String> {
    let columns = table.from.columns.iter().zip(&table.to.columns);
    let notes = columns.filter_map(|(from, to)| {
        let what = match (from.is_truth_in_text(), to.is_text_of_others()) {
            (true, false) => "words become truth",
            (false, true) => "values become text",
            _ if from.is_bytes_in_text() => "texts become bytes",
            _ if is_shown_as_text(table.from.backend, from, to) => "values become text",
            _ => return None,
        };
        Some(format!(
            "{}.{}: its {what} ({} becomes {})",
            table.original.name, from.name, from.sql_type, to.sql_type
        ))
    });
    notes.collect()
}

/// Whether a type with values of its own, such as an array, is text on the other side, or values of
/// several types in SQLite are. Those of an `enum` are words.
fn is_shown_as_text(source: Backend, from: &ColumnSide, to: &ColumnSide) -> bool {
    let is_text = |column: &ColumnSide| matches!(column.own, Type::Text(_) | Type::PaddedText(_));
    let is_other = match source.stores_any_type() {
        true => to.content == Content::Values(Kind::Text),
        false => from.own == Type::Own && from.sql_type.name() != "citext",
    };
    is_other && is_text(to) && !is_text(from) && from.members.is_empty()
}

/// Columns of text and bytes that hold less in the target: an index has a limit.
fn shorter(table: &PreparedTable<'_>) -> Vec<String> {
    let length = |column: &ColumnSide| {
        let (length, what) = match column.own {
            Type::Text(length) => (length, "characters"),
            Type::PaddedText(length) => (Some(length), "characters"),
            Type::Bytes(length) => (length, "bytes"),
            Type::FixedBytes(length) => (Some(length), "bytes"),
            _ => return None,
        };
        Some(match (length, column.most_bytes) {
            (Some(length), _) => (length.into(), what),
            (None, most) => (most.unwrap_or(u64::MAX), "bytes"),
        })
    };
    let columns = table.from.columns.iter().zip(&table.to.columns);
    let notes = columns.filter_map(|(from, to)| {
        let (had, (most, what)) = (length(from)?.0, length(to)?);
        let is_limit = !table.to.backend.stores_any_type();
        let is_shorter = is_limit && most < had && !matches!(to.content, Content::Ids(_));
        is_shorter.then(|| {
            format!(
                "{}.{}: it holds {most} {what} in the target, and more in the source ({})",
                table.original.name, from.name, from.sql_type
            )
        })
    });
    notes.collect()
}

/// Numbers of 32 bits that another type shows with all of their digits.
fn longer_numbers(table: &PreparedTable<'_>) -> Vec<String> {
    let columns = table.from.columns.iter().zip(&table.to.columns);
    let longer = columns.filter(|(from, to)| (from.own, to.own) == (Type::Single, Type::Double));
    let notes = longer.map(|(from, to)| {
        format!(
            "{}.{}: its numbers of 32 bits are the same in {}, which shows more of their digits",
            table.original.name, from.name, to.sql_type
        )
    });
    notes.collect()
}

/// Moments that become times without a zone, and were seen in another zone than UTC; and times without
/// a zone that become moments.
async fn moments(source: &mut Connection, plan: &CopyPlan) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let taken = columns_of_types(plan, Type::Timestamp, Type::Instant)?;
    if !taken.is_empty() {
        notes.push(format!(
            "{}: times without a zone are taken for those of UTC",
            taken.join("; ")
        ));
    }
    let Some(query) = engine(plan.source()?).sessions.zone else {
        return Ok(notes);
    };
    let doing = "the time zone of the source";
    let row = source.one_row(doing, query, &[]).await?;
    let zone = row.text(0)?;
    if !["UTC", "GMT", "+00:00", "Etc/UTC"].contains(&zone) {
        let lost = columns_of_types(plan, Type::Instant, Type::Timestamp)?.into_iter();
        notes.extend(lost.map(|columns| {
            format!(
                "{columns}: moments become times of UTC; sessions in the time zone of the source's server, {zone}, \
                 saw other hours"
            )
        }));
    }
    Ok(notes)
}

/// The columns of one type that become another, for each table that has some.
fn columns_of_types(plan: &CopyPlan, from: Type, to: Type) -> Result<Vec<String>, Error> {
    let (source, target) = (plan.source()?, plan.target()?);
    let tables = plan.tables.iter().filter_map(|table| {
        let columns = table.columns.iter().filter(|column| {
            let own = ColumnType::parse(source, column.from.as_str()).meaning();
            let becomes = column.to.as_deref();
            let becomes = becomes.and_then(|to| ColumnType::parse(target, to).meaning());
            (own, becomes) == (Some(from), Some(to))
        });
        let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        (!columns.is_empty()).then(|| format!("{}.{}", table.name, columns.join(", ")))
    });
    Ok(tables.collect())
}

/// What only the server's own tables say of tables that are copied.
async fn hidden(source: &mut Connection, plan: &CopyPlan) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let Some(query) = engine(source.backend()).objects.hidden else {
        return Ok(notes);
    };
    for row in source
        .query("the definitions of the source", query, &[])
        .await?
    {
        if is_planned(plan, &QualifiedName::from(row.text(0)?)) {
            let (place, what) = (row.text(1)?, row.text(2)?);
            notes.push(format!("{place}: tables that are made lack {what}"));
        }
    }
    Ok(notes)
}

fn is_planned(plan: &CopyPlan, name: &QualifiedName) -> bool {
    plan.tables.iter().any(|table| table.name == *name)
}

/// The tables without an entry in the plan.
fn omitted(plan: &CopyPlan, catalog: &Catalog) -> Vec<String> {
    let mut notes = Vec::new();
    for table in &catalog.tables {
        // Nobody misses the record of an earlier copy.
        if is_planned(plan, &table.name) || table.name.name == checkpoint::TABLE {
            continue;
        }
        let mut wholes = successors(partitions::whole(table, catalog), |whole| {
            partitions::whole(whole, catalog)
        });
        match wholes.find(|whole| is_planned(plan, &whole.name)) {
            Some(whole) => notes.extend(of_partition(table, whole)),
            None => notes.push(match table.is_of_tools() {
                true => format!(
                    "the table {} is left out: its tool for migrations has to make it in the target",
                    table.name
                ),
                false => format!("the table {} is left out", table.name),
            }),
        }
    }
    notes
}

/// The references of a partition that its whole table lacks: its rows are copied with that table.
fn of_partition(partition: &Table, whole: &Table) -> Vec<String> {
    let keys = partition.foreign_keys.iter();
    let own = keys.filter(|key| {
        let mut others = whole.foreign_keys.iter();
        !others.any(|other| other.columns == key.columns && other.target == key.target)
    });
    let notes = own.map(|key| {
        let (columns, target) = (key.columns.join(", "), &key.target);
        format!(
            "{}: the reference of its partition {} of {columns} to {target} is left out",
            whole.name, partition.name
        )
    });
    notes.collect()
}

/// The privileges on whole tables, as sentences, unless they are among the dependents of a table.
async fn grants(source: &mut Connection, plan: &CopyPlan) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let Some(query) = engine(source.backend()).objects.grants else {
        return Ok(notes);
    };
    for row in source.query("the privileges", query, &[]).await? {
        let schema = row.optional_text(0)?.map(ToOwned::to_owned);
        let name = row.text(1)?.to_owned();
        let table = QualifiedName { schema, name };
        if is_planned(plan, &table) {
            let (role, privileges) = (row.text(2)?, row.text(3)?);
            notes.push(format!(
                "{table}: the privileges of {role} are left out: {privileges}"
            ));
        }
    }
    Ok(notes)
}

/// The views and programs of the source's own schema that no table of the plan leads to.
async fn programs(
    source: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
) -> Result<Vec<String>, Error> {
    let tables = catalog.tables.iter();
    let planned = tables.filter(|table| is_planned(plan, &table.name));
    let dependents: Vec<_> = planned.flat_map(|table| &table.dependents).collect();
    let objects = &engine(source.backend()).objects;
    let mut notes = Vec::new();
    let doing = "the views and programs";
    for row in source.query(doing, objects.programs, &[]).await? {
        let (kind, name) = (row.text(0)?, row.text(1)?.to_owned());
        let name = match objects.programs_are_quoted {
            true => name,
            false => QualifiedName { schema: None, name }.to_string(),
        };
        let mut dependents = dependents.iter();
        if !dependents.any(|one| one.kind.name() == kind && one.name == name) {
            notes.push(format!("the {kind} {name} is left out"));
        }
    }
    Ok(notes)
}

/// What depends on a table and stays behind, as sentences.
fn dependents(table: &Table, goes: impl Fn(&Dependent) -> bool) -> Vec<String> {
    let is_own = |kind| {
        matches!(
            kind,
            // What becomes of a column is said of it.
            DependentKind::Sequence
                | DependentKind::ReplicaIdentity
                | DependentKind::GeneratedColumn
        )
    };
    let dependents = table.dependents.iter();
    dependents
        .filter(|dependent| !is_own(dependent.kind) && !goes(dependent))
        .map(|dependent| match dependent.kind {
            DependentKind::Partition => {
                format!("{}: it has no partitions in the target", table.name)
            }
            _ => {
                let (kind, name) = (dependent.kind_name(), &dependent.name);
                format!("{}: the {kind} {name} is left out", table.name)
            }
        })
        .collect()
}

/// What PostgreSQL's keys say beyond their columns.
fn keys(table: &Table) -> Vec<String> {
    let mut notes = Vec::new();
    for key in &table.keys {
        for words in [
            "INCLUDE",
            "WITHOUT OVERLAPS",
            "NULLS NOT DISTINCT",
            "DEFERRABLE",
        ] {
            if key.constraint().contains(words) {
                let (table, key) = (&table.name, &key.name);
                notes.push(format!("{table}: {words} of the key {key} is left out"));
            }
        }
    }
    notes
}

/// What PostgreSQL's references say beyond their columns and actions.
fn references(table: &Table) -> Vec<String> {
    let mut notes = Vec::new();
    for key in &table.foreign_keys {
        let (columns, referred) = (key.columns.join(", "), &key.target);
        let matching = match key.attributes.has(&ReferenceAttribute::MatchFull) {
            true => "MATCH FULL",
            false => "",
        };
        for words in [
            matching,
            key.attributes.set_columns(),
            &key.attributes.at_end(),
        ] {
            if !words.is_empty() {
                notes.push(format!(
                    "{}: {words} of the reference of {columns} to {referred} is left out",
                    table.name
                ));
            }
        }
    }
    notes
}

/// What only the definition of a table of SQLite says. Its keywords are never names without quotes,
/// except behind the columns.
#[cfg(feature = "sqlite")]
fn of_definition(table: &Table) -> Vec<String> {
    let Ok(tokens) = rowkey_tables::catalog::sqlite::tokens(table.statement()) else {
        return Vec::new();
    };
    let end = tokens.iter().rposition(|token| token.is(')'));
    let behind = end.map_or(&tokens[..], |end| &tokens[end..]);
    let mut notes = Vec::new();
    for (tokens, keyword, what) in [
        (
            &tokens[..],
            "COLLATE",
            "its collations are left out: the target may tell texts apart that were the same",
        ),
        (behind, "WITHOUT", "WITHOUT ROWID is left out"),
        (behind, "STRICT", "STRICT is left out"),
        (&tokens[..], "CONFLICT", "its ON CONFLICT is left out"),
        (
            &tokens[..],
            "DESC",
            "the descending order of its keys is left out",
        ),
    ] {
        if tokens.iter().any(|token| token.is_keyword(keyword)) {
            notes.push(format!("{}: {what}", table.name));
        }
    }
    notes
}

/// The CHECKs of SQLite have no names in the catalogue.
#[cfg(feature = "sqlite")]
fn unnamed_checks(table: &Table) -> Option<String> {
    let tokens = rowkey_tables::catalog::sqlite::tokens(table.statement()).ok()?;
    let has_check = tokens.iter().any(|token| token.is_keyword("CHECK"));
    has_check.then(|| format!("{}: its CHECKs are left out", table.name))
}

#[cfg(not(feature = "sqlite"))]
fn unnamed_checks(_: &Table) -> Option<String> {
    None
}

#[cfg(not(feature = "sqlite"))]
fn of_definition(_: &Table) -> Vec<String> {
    Vec::new()
}

/// That columns of text take other words than those of an `enum` or a `set`.
fn words(source: Backend, table: &Table, side: &TableSide) -> Vec<String> {
    let columns = table.columns.iter().filter(|column| {
        let own = column.column_type(source).meaning();
        let copied = side.column(&column.name);
        (matches!(own, Some(Type::Enum | Type::Set)) || !column.enum_words.is_empty())
            && copied.is_some_and(|copied| matches!(copied.own, Type::Text(_)))
    });
    let notes = columns.map(|column| {
        format!(
            "{}.{}: the words of its type are left out: the target takes any text",
            table.name, column.name
        )
    });
    notes.collect()
}

/// The columns with words in which MySQL and MariaDB may show other characters as question marks.
fn uncertain_words(source: Backend, table: &Table, side: &TableSide) -> Vec<String> {
    let is_uncertain = |column: &&Column| {
        let own = column.column_type(source).meaning();
        let has_words = |copied: &ColumnSide| !matches!(copied.own, Type::Text(_));
        matches!(own, Some(Type::Enum | Type::Set))
            && source.names_character_sets()
            && column.sql_type.contains('?')
            && side.column(&column.name).is_some_and(has_words)
    };
    let columns = table.columns.iter().filter(is_uncertain);
    let notes = columns.map(|column| {
        format!(
            "{}.{}: the words of its type are made as `{}`, in which the source may show other characters as \
             question marks",
            table.name, column.name, column.sql_type
        )
    });
    notes.collect()
}

/// The columns that get another collation or none, so that other texts may count as the same.
fn collations<'t>(source: Backend, table: &'t Table, side: &TableSide) -> Vec<(&'t str, String)> {
    let is_lenient = |collation: &str| {
        let collation = collation.to_ascii_lowercase();
        collation.contains("_ci") || ["nocase", "rtrim"].contains(&collation.as_str())
    };
    let mut lost = Vec::new();
    for column in &table.columns {
        let (Some(collation), Some(copied)) = (&column.collation, side.column(&column.name)) else {
            continue;
        };
        let what = match copied.sql_type.collation() {
            _ if is_citext(copied.sql_type.bare()) => continue,
            Some(same) if same == collation => continue,
            Some(other) if engine(source).columns.names_collations => {
                match collation::nearest(collation, &[other.to_owned()]) {
                    Some((_, differences)) if differences.is_empty() => continue,
                    Some((_, differences)) => format!("becomes {other}: {differences}"),
                    None => format!("becomes {other}"),
                }
            }
            _ if is_lenient(collation)
                && !matches!(
                    copied.content,
                    Content::Ids(_) | Content::Values(Kind::Uuid)
                ) =>
            {
                "is left out: the target may tell texts apart that were the same".to_owned()
            }
            _ => continue,
        };
        lost.push((&*column.name, format!("the collation {collation} {what}")));
    }
    lost
}

fn is_citext(sql_type: &str) -> bool {
    sql_type.rsplit('.').next() == Some("citext")
}

/// The same of PostgreSQL: a collation, and a type for which upper and lower case are the same.
fn collations_of_postgres<'t>(
    source: Backend,
    table: &'t Table,
    side: &TableSide,
) -> Vec<(&'t str, String)> {
    let mut lost = Vec::new();
    if source != Backend::Postgres {
        return lost;
    }
    for column in &table.columns {
        let Some(copied) = side.column(&column.name) else {
            continue;
        };
        let what = match column.collation.as_deref() {
            _ if is_citext(&column.sql_type) && !is_citext(copied.sql_type.bare()) => {
                "the type citext is left out: the target may tell texts apart that were the same"
                    .to_owned()
            }
            // The type has this one.
            Some("default") | None => continue,
            Some(_) if column.sql_type == "name" => continue,
            Some(collation)
                if side.backend == source && copied.sql_type.collation() != Some(collation) =>
            {
                format!(
                    "the collation {collation} is left out: the target may compare and sort texts in another way"
                )
            }
            Some(_) => continue,
        };
        lost.push((&*column.name, what));
    }
    lost
}

/// Sequences that several columns take their numbers from.
fn shared_sequences(plan: &CopyPlan, catalog: &Catalog) -> Vec<String> {
    let mut users: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for table in &catalog.tables {
        let columns = table.columns.iter().filter(|column| column.is_serial());
        for column in columns.filter(|_| is_planned(plan, &table.name)) {
            let user = format!("{}.{}", table.name, column.name);
            let sequence = column.default.as_deref().unwrap_or_default();
            users.entry(sequence).or_default().push(user);
        }
    }
    let shared = users.into_values().filter(|users| users.len() > 1);
    shared
        .map(|users| {
            format!(
                "{} take their numbers from one sequence: tables that are made count each on their own, so that \
                 new rows may have the same numbers",
                users.join(" and ")
            )
        })
        .collect()
}

/// What a moment does not say: SQL Server's `datetimeoffset` remembers where its clock was.
fn offsets(source: Backend, table: &Table, side: &TableSide) -> Vec<String> {
    let has_offset = |name: &str| {
        let original = table.column(name);
        original.is_some_and(|column| column.column_type(source).has_offset())
    };
    let columns = side.columns.iter().filter(|column| {
        has_offset(&column.name) && matches!(column.own, Type::Instant | Type::Timestamp)
    });
    columns
        .map(|column| {
            format!(
                "{}.{}: its moments are copied, and the offsets from UTC are left out",
                table.name, column.name
            )
        })
        .collect()
}
