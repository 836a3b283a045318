//! Rows that refer to rows which the target does not have when they are written.

use rowkey_core::Backend;
use rowkey_core::storage::{Stored, quote_identifier};
use rowkey_tables::Error;
use rowkey_tables::catalog::{ForeignKey, Generated, QualifiedName, ReferenceAttribute, Table};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{Kind, Type};

use super::trial::{Found, not_looked_at, shown};
use crate::definitions::objects;
use crate::engine::engine;
use crate::rows::orphan::orphan;
use crate::rows::select::first;
use crate::rows::write::literal::{has_uuid_text, uuid_text};
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// A reference that the target has or gets.
struct Reference<'t> {
    /// Nothing for one of an existing table, which the plan does not leave out.
    name: Option<String>,
    columns: Vec<String>,
    target: &'t PreparedTable<'t>,
    target_columns: Vec<String>,
    /// Whether a row refers with all of its columns or none.
    is_full: bool,
    /// Whether the last column is a span of time.
    is_period: bool,
}

/// What SQLite says of a reference to columns that are no key.
pub(super) const NO_KEY: &str = "foreign key mismatch";

/// The rows that refer to rows which do not exist, where the source does not prevent them: somebody
/// has turned its checks off, or it has no such reference.
pub(super) async fn orphans(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    existing: Option<&Table>,
    copied: &[PreparedTable<'_>],
) -> Result<Found, Error> {
    let (mut refused, mut notes) = (Vec::new(), Vec::new());
    let mut listing = engine(source.backend()).objects.orphans;
    listing = listing.filter(|_| existing.is_none());
    if let Some(query) = listing {
        match listed(source, query, table, copied).await {
            // Each is looked at by itself, and that one is refused by the target.
            Err(error) if error.reason().contains(NO_KEY) => listing = None,
            found => refused = found?,
        }
    }
    let is_known = !refused.is_empty();
    if let Some(existing) = existing {
        notes.extend(filled(table, existing));
    }
    let mut found = Vec::new();
    let references = references(table, existing, copied)?;
    let lenient = match references.is_empty() {
        true => Vec::new(),
        false => lenient_columns(source, table).await?,
    };
    for reference in references {
        if reference.is_full
            && let Some(error) = partly_null(source, table, &reference).await?
        {
            refused.push(error);
        }
        if let Some(column) = stored_apart(table, &reference)
            && refers(source, &table.from, &reference.columns).await?
        {
            let how = "the target has UUIDs in another form here than in";
            refused.push(of_other_type(table, &reference, column, how, ""));
            continue;
        }
        if reference.is_period || !is_comparable(table, &reference) {
            if existing.is_some() && !is_guaranteed(table, &reference) {
                let columns = reference.columns.join(", ");
                notes.push(not_looked_at(table, &format!("reference of {columns}")));
            }
            continue;
        }
        let columns = [table, reference.target].map(|table| &table.from);
        if let Some(names) = trimmed_once(table, &reference)
            && ends_with_spaces(source, columns, names).await?
        {
            let [column, _] = names;
            let how = "the target cuts the spaces of a `char` off here or in";
            refused.push(of_other_type(
                table,
                &reference,
                column,
                how,
                ", and not in both",
            ));
            continue;
        }
        let (columns, target_columns) = (&reference.columns, &reference.target_columns);
        let rows = [&*table.from.rows()?, &*reference.target.from.rows()?];
        if listing.is_none()
            && !is_guaranteed(table, &reference)
            && let Some(row) = orphan(source, rows, columns, target_columns, &[]).await?
        {
            found.push((reference, row, "does not exist"));
            continue;
        }
        let told_apart = told_apart(table, &reference, &lenient);
        if !told_apart.is_empty()
            && !is_known
            && let Some(row) = orphan(source, rows, columns, target_columns, &told_apart).await?
        {
            found.push((reference, row, "is another text for the target"));
        }
    }
    let names = found.iter().filter_map(|(found, ..)| found.name.clone());
    let names: Vec<String> = table.to.leave_out.iter().cloned().chain(names).collect();
    // Of several references with the same rows, one says it.
    let is_said = |number: usize| {
        let (this, ..) = &found[number];
        let mut earlier = found[..number].iter();
        earlier.any(|(other, ..)| {
            (&other.columns, &other.target_columns) == (&this.columns, &this.target_columns)
                && other.target.original.name == this.target.original.name
        })
    };
    let said = found.iter().enumerate();
    let said = said.filter(|(number, _)| !is_said(*number));
    refused.extend(said.map(|(_, (reference, row, why))| {
        let values: Vec<String> = row.0.iter().map(shown).collect();
        let mut instead = String::from(match *why {
            "does not exist" => "delete such rows, or add those that they refer to",
            _ => {
                "write both in the same letters and digits, with the same spaces at the end, and in columns of one type"
            }
        });
        if reference.name.is_some() {
            let line = objects::line_to_leave_out(&table.original.name, &names);
            instead += &format!(", or {line}");
        }
        Error::refused(
            format!("{}.{}", table.original.name, reference.columns.join(", ")),
            format!(
                "a row refers to one of {} that {why}: {}",
                reference.target.original.name,
                values.join(", ")
            ),
            instead,
        )
    }));
    Ok(Found { refused, notes })
}

/// A row that refers with some of its columns, where the target wants all or none.
async fn partly_null(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    reference: &Reference<'_>,
) -> Result<Option<Error>, Error> {
    let backend = source.backend();
    let quoted = reference.columns.iter();
    let quoted = quoted.map(|name| quote_identifier(backend, name));
    let quoted: Vec<String> = quoted.collect::<Result<_, _>>()?;
    let some = |words: &str| {
        let some = quoted.iter().map(|name| format!("{name} {words}"));
        some.collect::<Vec<_>>().join(" OR ")
    };
    let query = format!(
        "SELECT 1 FROM {} WHERE ({}) AND ({})",
        table.from.rows()?,
        some("IS NULL"),
        some("IS NOT NULL")
    );
    let doing = format!("the references of {}", table.original.name);
    let rows = source
        .query(&doing, &first(backend, 1, &query), &[])
        .await?;
    Ok((!rows.is_empty()).then(|| {
        Error::refused(
            format!("{}.{}", table.original.name, reference.columns.join(", ")),
            format!(
                "a row has NULL in some of these columns, and the target's reference to {} is MATCH FULL",
                reference.target.to.name
            ),
            "let such rows have all of them, or none, or drop the reference in the target",
        )
    }))
}

/// The references of an existing table with a column that the target computes or fills, or whose
/// NULL counts.
fn filled(table: &PreparedTable<'_>, existing: &Table) -> Vec<String> {
    let is_filled = |key: &ForeignKey, name: &String| {
        let column = existing.column(name);
        table.to.column(name).is_none()
            && column.is_some_and(|column| {
                column.generated == Generated::Computed
                    || column.default.is_some()
                    || key.attributes.has(&ReferenceAttribute::MatchFull)
            })
    };
    let keys = existing.foreign_keys.iter();
    let keys = keys.filter(|key| {
        let mut names = key.columns.iter();
        key.is_enforced() && names.any(|name| is_filled(key, name))
    });
    let named = |key: &ForeignKey| {
        let columns = key.columns.join(", ");
        not_looked_at(table, &format!("reference of {columns}"))
    };
    keys.map(named).collect()
}

/// A column whose spaces say nothing, while those of what it refers to do, or the other way round.
fn trimmed_once<'r>(
    table: &PreparedTable<'_>,
    reference: &'r Reference<'_>,
) -> Option<[&'r String; 2]> {
    let mut pairs = reference.columns.iter().zip(&reference.target_columns);
    let differs = |(name, referred): &(&String, &String)| {
        let sides = table
            .to
            .column(name)
            .zip(reference.target.to.column(referred));
        sides.is_some_and(|(to, referred)| to.trims != referred.trims)
    };
    pairs.find(differs).map(<[_; 2]>::from)
}

/// Whether a value of one of two columns ends with a space.
async fn ends_with_spaces(
    source: &mut Connection,
    sides: [&TableSide; 2],
    names: [&String; 2],
) -> Result<bool, Error> {
    let backend = source.backend();
    for (side, name) in sides.into_iter().zip(names) {
        let column = quote_identifier(backend, name)?;
        let query = format!("SELECT 1 FROM {} WHERE {column} LIKE '% '", side.rows()?);
        let doing = format!("the references of {}", side.name);
        let rows = source
            .query(&doing, &first(backend, 1, &query), &[])
            .await?;
        if !rows.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The refusal of a column whose type keeps it from what it refers to.
fn of_other_type(
    table: &PreparedTable<'_>,
    reference: &Reference<'_>,
    column: &str,
    how: &str,
    end: &str,
) -> Error {
    Error::refused(
        format!("{}.{column}", table.original.name),
        format!("{how} {}{end}", reference.target.original.name),
        "let both columns have one type there, and write the plan again",
    )
}

/// The columns with collations that take different texts for the same, where types do not name them.
async fn lenient_columns(
    source: &mut Connection,
    table: &PreparedTable<'_>,
) -> Result<Vec<String>, Error> {
    let Some(query) = engine(source.backend()).target.lenient_collations else {
        return Ok(Vec::new());
    };
    let doing = "the collations of the source";
    let name = [Value::Text(table.from.quoted()?)];
    let rows = source.query(doing, query, &name).await?;
    let names = rows.iter().map(|row| Ok(row.text(0)?.to_owned()));
    names.collect()
}

/// A column whose UUIDs the target has as bytes or as a text, and those that it refers to otherwise.
fn stored_apart<'r>(table: &PreparedTable<'_>, reference: &'r Reference<'_>) -> Option<&'r str> {
    let target = table.to.backend;
    if !target.stores_any_type() {
        return None;
    }
    // The length of the text; bytes have none.
    let form = |column: &ColumnSide| match column.content {
        Content::Ids(form) => match form.encode(0) {
            Stored::Text(text) => Some(text.as_str().len()),
            _ => Some(0),
        },
        Content::Values(Kind::Uuid) => match has_uuid_text(target, column) {
            true => Some(uuid_text(column.own, &[0; 16]).len()),
            false => Some(0),
        },
        Content::Values(_) => None,
    };
    let mut pairs = reference.columns.iter().zip(&reference.target_columns);
    let is_apart = |(name, referred): &(&String, &String)| {
        let one = table.to.column(name).and_then(form);
        let other = reference.target.to.column(referred).and_then(form);
        one.zip(other).is_some_and(|(one, other)| one != other)
    };
    pairs.find(is_apart).map(|(name, _)| name.as_str())
}

/// The columns whose texts the source may take for the same, because it ignores case or final
/// spaces, and the target tells apart; and those of numbers and spans of time that become text.
fn told_apart<'r>(
    table: &PreparedTable<'_>,
    reference: &'r Reference<'_>,
    lenient: &[String],
) -> Vec<&'r str> {
    let (source, target) = (table.from.backend, table.to.backend);
    // Within SQLite, values stay as they are.
    let is_text = |column: &ColumnSide| match column.content {
        Content::Values(Kind::Text) => true,
        Content::Values(Kind::Own) => {
            target.stores_any_type() && matches!(column.own, Type::Text(_))
        }
        _ => false,
    };
    let is_exact = |backend, column: &ColumnSide, endings: &[&str]| match &column.collation {
        Some(collation) => endings.iter().any(|ending| collation.ends_with(ending)),
        // SQLite's are not in the catalogue of a source, which is lenient.
        None if backend == Backend::Sqlite => true,
        None => !engine(backend).columns.names_collations && column.sql_type.name() != "citext",
    };
    let is_padded = |column: &ColumnSide| matches!(column.own, Type::PaddedText(_));
    let pairs = reference.columns.iter().zip(&reference.target_columns);
    let told_apart = pairs.filter(|(name, referred)| {
        let sides = table.from.column(name).zip(table.to.column(name));
        let referred = |side: &'r TableSide| side.column(referred);
        let others = referred(&reference.target.from).zip(referred(&reference.target.to));
        sides.zip(others).is_some_and(|((from, to), (old, new))| {
            // SQLite compares as the column that is referred to.
            let to = if target.stores_any_type() { new } else { to };
            let is_lenient = source.stores_any_type()
                || lenient.contains(&from.name)
                || !is_exact(source, from, &["_nopad_bin", "_0900_bin"]);
            // The spaces of PostgreSQL's `char`, which do not count there, are copied.
            let is_longer = source == Backend::Postgres
                && (is_padded(from) || is_padded(old))
                && !from.sql_type.is_same(&old.sql_type);
            let no_pad = ["_nopad_bin", "_0900_bin", "_0900_ai_ci", "_0900_as_cs"];
            // 1.0 is 1.00, and a day is 24 hours, but for text.
            let is_spelled = matches!(
                from.own,
                Type::Decimal(_) | Type::Single | Type::Double | Type::Interval
            ) && match to.own {
                Type::Text(_) | Type::PaddedText(_) => true,
                Type::Decimal(_) if target.stores_any_type() => true,
                // InnoDB compares the bytes, in which both have their own number of digits.
                Type::Decimal(_) => {
                    engine(target).objects.references_have_one_type && to.own != new.own
                }
                _ => false,
            };
            is_spelled
                || is_text(from)
                    && is_text(to)
                    && (is_lenient && is_exact(target, to, &["_bin"])
                        || is_longer
                            && !(is_padded(to) && target == source)
                            && is_exact(target, to, &no_pad))
        })
    });
    told_apart.map(|(name, _)| name.as_str()).collect()
}

/// The references to tables of the copy that a table gets, or has already.
fn references<'t>(
    table: &PreparedTable<'_>,
    existing: Option<&Table>,
    copied: &'t [PreparedTable<'t>],
) -> Result<Vec<Reference<'t>>, Error> {
    let target = |name: &QualifiedName| copied.iter().find(|other| other.to.name == *name);
    let mut found = Vec::new();
    let Some(existing) = existing else {
        let all: Vec<&PreparedTable<'_>> = copied.iter().collect();
        for object in objects::references(table, &all)?.into_iter().flatten() {
            // It goes on being none that holds for all rows.
            let is_valid = !object.definition.ends_with("NOT VALID");
            if let Some((name, target_columns)) = object.referred
                && let Some(target) = target(&name)
                && is_valid
            {
                found.push(Reference {
                    name: Some(object.name),
                    columns: object.columns,
                    target,
                    target_columns,
                    is_full: false,
                    is_period: false,
                });
            }
        }
        return Ok(found);
    };
    for key in existing.foreign_keys.iter().filter(|key| key.is_enforced()) {
        if let Some(target) = target(&key.target)
            && !target.to.keeps_rows()
            && table.from.has_all(&key.columns)
            && target.from.has_all(&key.target_columns)
        {
            found.push(Reference {
                name: None,
                columns: key.columns.clone(),
                target,
                target_columns: key.target_columns.clone(),
                is_full: key.attributes.has(&ReferenceAttribute::MatchFull),
                is_period: key.attributes.has(&ReferenceAttribute::Period),
            });
        }
    }
    Ok(found)
}

/// Whether the source has refused rows without the one that they refer to at all times.
fn is_guaranteed(table: &PreparedTable<'_>, reference: &Reference<'_>) -> bool {
    let is_same = |key: &&ForeignKey| {
        key.columns == reference.columns
            && key.target == reference.target.original.name
            && key.target_columns == reference.target_columns
            && key.is_validated()
    };
    let can_be_off = engine(table.from.backend)
        .objects
        .reference_checks_can_be_off;
    !can_be_off && table.original.foreign_keys.iter().any(|key| is_same(&key))
}

/// Whether the source can compare both sides, and finds a row by its key.
fn is_comparable(table: &PreparedTable<'_>, reference: &Reference<'_>) -> bool {
    let Reference {
        columns,
        target,
        target_columns,
        ..
    } = reference;
    let is_alike = |(one, other): (&String, &String)| {
        let (one, other) = (table.from.column(one), target.from.column(other));
        one.zip(other).is_some_and(|(one, other)| {
            let are_both = |is: fn(Type) -> bool| is(one.own) && is(other.own);
            one.sql_type.is_same(&other.sql_type)
                || are_both(|own| matches!(own, Type::Integer { .. }))
                || are_both(|own| matches!(own, Type::Text(_) | Type::PaddedText(_)))
                // SQLite's type for UUIDs is one of text, too.
                || table.from.backend.stores_any_type()
                    && are_both(|own| matches!(own, Type::Text(_) | Type::PaddedText(_) | Type::Uuid))
        })
    };
    let original = target.original;
    let keys = original.keys.iter().map(|key| &key.columns);
    let indexes = original.indexes.iter().map(|index| &index.columns);
    let mut keys = keys.chain(indexes);
    keys.any(|found| found.starts_with(target_columns))
        && columns.iter().zip(target_columns).all(is_alike)
}

/// The rows of a table of SQLite, which says them itself.
async fn listed(
    source: &mut Connection,
    query: &str,
    table: &PreparedTable<'_>,
    copied: &[PreparedTable<'_>],
) -> Result<Vec<Error>, Error> {
    let mut found = Vec::new();
    let original = &table.original.name;
    if table.original.foreign_keys.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<&PreparedTable<'_>> = copied.iter().collect();
    let planned = objects::references(table, &all)?;
    let doing = format!("the references of {original}");
    let name = Value::from(original.name.as_str());
    for row in source.query(&doing, query, &[name]).await? {
        let place = usize::try_from(row.integer(0)?).ok();
        // The others are left out.
        if let Some(Ok(object)) = place.and_then(|place| planned.get(place)) {
            let first = match row.0.get(2) {
                Some(Value::Integer(rowid)) => {
                    format!(", the first is that with the rowid {rowid}")
                }
                _ => String::new(),
            };
            let (count, parent) = (row.count(1)?, row.text(3)?);
            let why =
                format!("{count} of its rows refer to rows of {parent} that do not exist{first}");
            found.push((object.name.clone(), why));
        }
    }
    let names = found.iter().map(|(name, _)| name);
    let names: Vec<String> = table.to.leave_out.iter().chain(names).cloned().collect();
    let line = objects::line_to_leave_out(original, &names);
    let instead = format!("delete these rows, or add those that they refer to, or {line}");
    let found = found.into_iter();
    Ok(found
        .map(|(_, why)| Error::refused(original.to_string(), why, instead.as_str()))
        .collect())
}

/// The references of an existing table to tables whose rows come later, as in a circle.
pub(super) async fn to_later_tables(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
    copied: &[PreparedTable<'_>],
) -> Result<Vec<Error>, Error> {
    let mut refused = Vec::new();
    // It looks at references at the end.
    if engine(table.to.backend).objects.orphan.is_some() {
        return Ok(refused);
    }
    let later = copied
        .iter()
        .skip_while(|other| other.to.name != table.to.name);
    let later: Vec<_> = later.skip(1).map(|other| &other.to.name).collect();
    for reference in references(table, Some(existing), copied)? {
        let name = &reference.target.to.name;
        if !later.contains(&name) {
            continue;
        }
        if !refers(source, &table.from, &reference.columns).await? {
            continue;
        }
        let mut again = String::new();
        for key in &existing.foreign_keys {
            if key.columns == reference.columns && key.target == *name {
                let [drop, add] = objects::dropped_and_added(&table.to, key)?;
                again += &format!(
                    "; or, in a circle, run `{drop}` there now, and after the copy `{add}`"
                );
            }
        }
        refused.push(Error::refused(
            format!("the table {} in the target", table.to.name),
            format!(
                "its rows refer to those of {name} by {}, which are copied later",
                reference.columns.join(", ")
            ),
            format!("move the plan's entry of {name} up{again}"),
        ));
    }
    Ok(refused)
}

/// Whether a row has no NULL in some columns, so that it refers to another one.
pub(super) async fn refers(
    source: &mut Connection,
    side: &TableSide,
    columns: &[String],
) -> Result<bool, Error> {
    let backend = source.backend();
    let conditions = columns.iter().map(|column| {
        let column = quote_identifier(backend, column)?;
        Ok(format!("{column} IS NOT NULL"))
    });
    let conditions: Vec<String> = conditions.collect::<Result<_, Error>>()?;
    let (rows, conditions) = (side.rows()?, conditions.join(" AND "));
    let query = format!("SELECT 1 FROM {rows} WHERE {conditions}");
    let doing = format!("the references of {}", side.name);
    let found = source
        .query(&doing, &first(backend, 1, &query), &[])
        .await?;
    Ok(!found.is_empty())
}
