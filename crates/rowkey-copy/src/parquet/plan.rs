//! Plans of which one side is a folder.

use std::path::Path;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::StoragePlan;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::{self, Catalog, QualifiedName};
use rowkey_tables::types::{self, ColumnType, Kind, Type};
use rowkey_tables::{Connection, Error, Progress, StoredIds};

use super::columns::{Column, public_form, type_of_ids};
use super::file::{self, OriginColumn, Reader};
use super::{NAME, types as parquet_types};
use crate::mapping::partitions::{is_partitioned, require_once};
use crate::mapping::{all_or_one, source_column, wrong_backend};
use crate::planning::target_types::is_counted_id;
use crate::planning::{Choices, plan_for};
use crate::plans::plan::{
    ColumnPlan, CopyPlan, CopyPolicy, TablePlan, VERSION, Wanted, is_collation,
};
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// What a database counts to.
const COUNTED: Type = Type::Integer {
    bytes: 8,
    is_unsigned: false,
};

/// Which tables of a database become files, and what their columns become there. Ids whose format
/// is certain get their public form.
///
/// `ids` tells that of a column, as for a [copy](crate::plan()).
///
/// # Errors
///
/// Those of the catalogue and of `ids`.
pub async fn plan(
    source: &mut Connection,
    progress: &mut dyn Progress,
    ids: impl AsyncFnMut(&mut Connection, &catalog::Table, &str) -> Result<StoredIds, Error>,
) -> Result<CopyPlan, Error> {
    let backend = source.backend();
    refuse_sql_server(backend)?;
    let choices = Choices::default();
    let (planned, catalog) = plan_for(source, backend, &[], choices, progress, ids).await?;
    let mut plan = planned.plan;
    plan.target = NAME.into();
    let tables: Vec<&catalog::Table> = catalog.tables.iter().collect();
    for table in &mut plan.tables {
        let original = catalog.table(&table.name)?;
        for column in &mut table.columns {
            if let Some(format) = &column.format {
                column.stored_to = Some(form_name(public_form(format.parse()?)));
            } else if let Some(own) = ColumnType::parse(backend, column.from.as_str()).meaning() {
                let found = original.column(&column.name);
                let place = parquet_types::write(match found {
                    // As in a copy between databases, nobody counts farther.
                    Some(found) if is_counted_id(original, found, &tables) => COUNTED,
                    _ => own,
                });
                column.refused = place.as_ref().err().map(ToString::to_string);
                column.to = place.ok();
            }
        }
    }
    Ok(plan)
}

/// SQL Server's snapshots and code pages are not handled here.
fn refuse_sql_server(backend: Backend) -> Result<(), Error> {
    match backend {
        Backend::SqlServer => Err(Error::refused(
            "Parquet files and SQL Server",
            "tables of SQL Server become no files, and files no tables there",
            "copy the tables to another database first",
        )),
        _ => Ok(()),
    }
}

/// Which files of a folder become tables, and what their columns become there. Ids get the form
/// that a key of their format declares by default.
///
/// # Errors
///
/// [`Error::Refused`] for a file with a column of a type that no table has, and those of the files.
pub fn plan_back(folder: &Path, target: Backend) -> Result<CopyPlan, Error> {
    refuse_sql_server(target)?;
    let mut tables = Vec::new();
    for (name, path) in file::tables_of(folder)? {
        let reader = Reader::open(&name, &path)?;
        let place = reader.origin.as_ref().map_or(0, |origin| origin.place);
        let table = TablePlan {
            becomes: QualifiedName {
                schema: None,
                name: name.name.clone(),
            },
            name,
            catalog: reader.hash()?,
            existing_rows: None,
            triggers: None,
            leave_out: Vec::new(),
            columns: reader
                .columns
                .iter()
                .map(|column| planned_back(&reader, column, target))
                .collect::<Result<_, _>>()?,
        };
        tables.push((place, table));
    }
    tables.sort_by_key(|(place, _)| *place);
    Ok(CopyPlan {
        version: VERSION,
        source: NAME.into(),
        target: target.name().into(),
        left_out: Vec::new(),
        tables: tables.into_iter().map(|(_, table)| table).collect(),
        policy: CopyPolicy::default(),
    })
}

fn planned_back(reader: &Reader, column: &Column, target: Backend) -> Result<ColumnPlan, Error> {
    let mut planned = ColumnPlan::new(&column.name, reader.type_of(column)?);
    if let Some(public) = column.ids {
        let declared = StoragePlan::default_for(public.format()).column(target);
        planned.format = Some(public.format().name().into());
        planned.stored_from = Some(form_name(public));
        planned.stored_to = Some(form_name(declared.into()));
        return Ok(planned);
    }
    match type_back(reader, column, target) {
        Ok(to) => planned.to = Some(to),
        Err(refusal) => planned.refused = Some(refusal.to_string()),
    }
    Ok(planned)
}

/// The type that a column had, if it was one of the same product; otherwise one for that, or for
/// the values of the file.
fn type_back(reader: &Reader, column: &Column, target: Backend) -> Result<String, types::Refusal> {
    let origin = reader.origin.as_ref();
    let is_key = origin.is_some_and(|origin| origin.key.contains(&column.name));
    if let Some(origin) = origin
        && let Ok(source) = origin.source.parse::<Backend>()
        && let Some(OriginColumn { sql_type, .. }) =
            origin.columns.iter().find(|old| old.name == column.name)
    {
        let same = (source == target).then(|| sql_type.clone());
        let is_of_file =
            |own: &Type| parquet_types::write(*own) == parquet_types::write(column.own);
        let similar = ColumnType::parse(source, sql_type.as_str())
            .meaning()
            .filter(is_of_file)
            .and_then(|own| types::write(target, own, is_key).ok());
        let mut candidates = same.into_iter().chain(similar);
        if let Some(found) = candidates.find(|to| kind_back(column.own, target, to).is_some()) {
            return Ok(found);
        }
    }
    types::write(target, column.own, is_key)
}

/// How both sides see a value of a file that a column is for.
fn kind_back(own: Type, target: Backend, to: &str) -> Option<Kind> {
    // The type may come from a file that anyone has written, and goes into a statement.
    let to = ColumnType::parse(target, to);
    if !to.ends_with_members() {
        return None;
    }
    let kind = types::pair(own, to.meaning()?)?;
    let would_round = matches!(kind, Kind::Time | Kind::Timestamp) && to.fraction_digits() < 6;
    (parquet_types::kind(own) == Some(kind) && !would_round).then_some(kind)
}

/// How both sides see a value that a column of a file is for.
fn kind_of(from: Type, to: Type) -> Option<Kind> {
    let kind = match (from, to) {
        (Type::Own, Type::Text(_)) => Some(Kind::Text),
        _ => types::pair(from, to),
    };
    kind.filter(|kind| parquet_types::kind(to) == Some(*kind))
}

fn form_name(form: StoredForm) -> String {
    format!("{}:{}", form.storage(), form.layout())
}

/// A table of a plan for files.
pub(super) struct Export<'c> {
    pub(super) original: &'c catalog::Table,
    pub(super) name: QualifiedName,
    pub(super) from: TableSide,
    pub(super) columns: Vec<Column>,
}

/// The tables of a plan for files, or all that is against it.
pub(super) fn exports<'c>(plan: &CopyPlan, catalog: &'c Catalog) -> Result<Vec<Export<'c>>, Error> {
    require_side(&plan.target, "the target")?;
    if plan.source()? != catalog.backend {
        return Err(wrong_backend("the source", catalog.backend, &plan.source));
    }
    plan.check_catalog(catalog)?;
    let (mut exports, mut refused) = (Vec::new(), Vec::new());
    for table in &plan.tables {
        let original = catalog.table(&table.name)?;
        refused.extend(unused(table));
        refused.extend(require_once(plan, catalog, original).err());
        let pairs = table.columns.iter().map(|planned| {
            let found = source_column(original, table, planned, false)?;
            column_to(catalog.backend, table, planned, found.is_nullable)
        });
        let (mut from, mut columns) = (Vec::new(), Vec::new());
        for pair in pairs {
            match pair {
                Ok((source, column)) => {
                    from.push(source);
                    columns.push(column);
                }
                Err(error) => refused.push(error),
            }
        }
        exports.push(Export {
            original,
            name: table.becomes.clone(),
            from: TableSide {
                key: table.places(&primary_key(original)).unwrap_or_default(),
                is_partitioned: is_partitioned(original, catalog.backend),
                ..TableSide::new(catalog.backend, table.name.clone(), from)
            },
            columns,
        });
    }
    all_or_one(refused)?;
    Ok(exports)
}

pub(super) fn primary_key(table: &catalog::Table) -> Vec<String> {
    let key = table.primary_key();
    key.map_or_else(Vec::new, |key| key.columns.clone())
}

fn require_side(name: &str, side: &str) -> Result<(), Error> {
    match name == NAME {
        true => Ok(()),
        false => Err(Error::refused(
            side,
            format!("it is {name} in the plan, and a folder of files"),
            "write a plan with `rowkey plan` and an address like parquet:FOLDER",
        )),
    }
}

fn refused_column(table: &TablePlan, column: &ColumnPlan, why: &str) -> Error {
    Error::refused(
        format!("{}.{} ({})", table.name, column.name, column.from),
        why,
        "give it a type with `to`, or delete its entry to leave it out",
    )
}

/// What a plan says of a table, and files have no place for.
fn unused(table: &TablePlan) -> Vec<Error> {
    let lines = [
        (table.existing_rows.is_some(), "existing-rows"),
        (!table.leave_out.is_empty(), "leave-out"),
    ];
    let said = lines.into_iter().filter(|(is_said, _)| *is_said);
    let refused = said.map(|(_, line)| {
        let why = format!("`{line}` is for copies between databases");
        let instead = format!("delete `{line}` from the plan");
        Error::refused(table.name.to_string(), why, instead)
    });
    refused.collect()
}

/// The reason against a column that stays as it is.
const NO_KEEP: &str = "it has `keep`, which is for copies between databases";

/// The form of ids in the database and in files, from the plan's words for both.
fn forms(
    format: &str,
    (database, name): (Backend, &str),
    in_files: &str,
) -> Result<(StoredForm, StoredForm), String> {
    let format: FormatKind = format
        .parse()
        .map_err(|error: rowkey_core::Error| error.to_string())?;
    let public = public_form(format);
    if in_files != form_name(public) {
        return Err(format!(
            "in files, its ids are stored as {}",
            form_name(public)
        ));
    }
    Ok((StoredForm::named(format, database, name)?, public))
}

/// A column of a database, and of a file.
fn column_to(
    source: Backend,
    table: &TablePlan,
    column: &ColumnPlan,
    is_nullable: bool,
) -> Result<(ColumnSide, Column), Error> {
    let refused = |why: &str| refused_column(table, column, why);
    let sql_type = ColumnType::parse(source, column.from.as_str());
    let own = sql_type
        .meaning()
        .ok_or_else(|| refused(&format!("{source}'s type is not copied")))?;
    let (content, to, ids) = match column.wanted().map_err(refused)? {
        Wanted::Ids { format, from, to } => {
            let found = forms(format, (source, from), to);
            let (form, public) = found.map_err(|why| refused(&why))?;
            let to = type_of_ids(public).ok_or_else(|| refused("its ids have no type"))?;
            (Content::Ids(form), to, Some(public))
        }
        Wanted::Kept(_) => return Err(refused(NO_KEEP)),
        Wanted::Type(words) => {
            let to = parquet_types::parse(words)
                .ok_or_else(|| refused(&format!("`{words}` is no type of files")))?;
            let kind = kind_of(own, to).ok_or_else(|| {
                refused(&format!("`{words}` does not hold all values of that type"))
            })?;
            (Content::Values(kind), to, None)
        }
    };
    let from = ColumnSide {
        instead: column.instead,
        ..ColumnSide::new(&column.name, sql_type, own, content)
    };
    let column = Column {
        name: column.name.clone(),
        own: to,
        ids,
        is_nullable: is_nullable || !column.instead.is_empty(),
    };
    Ok((from, column))
}

/// A table of a plan from files.
pub(super) struct Import {
    pub(super) reader: Reader,
    pub(super) to: TableSide,
    /// For each column of the table, that of the file.
    pub(super) places: Vec<usize>,
    /// The columns of the primary key, if all of them are in the plan.
    pub(super) key: Vec<String>,
}

/// The tables of a plan from files, or all that is against it.
pub(super) fn imports(plan: &CopyPlan, folder: &Path) -> Result<Vec<Import>, Error> {
    require_side(&plan.source, "the source")?;
    let target = plan.target()?;
    let files = file::tables_of(folder)?;
    let (mut imports, mut refused) = (Vec::new(), Vec::new());
    for table in &plan.tables {
        let file = files.iter().find(|(name, _)| *name == table.name);
        let (_, path) = file.ok_or_else(|| {
            Error::refused(
                format!("the table {}", table.name),
                format!("the folder {} has no file of it", folder.display()),
                "name the folder that the plan is for",
            )
        })?;
        let mut reader = Reader::open(&table.name, path)?;
        if reader.hash()? != table.catalog {
            refused.push(Error::refused(
                format!("the file of {}", table.name),
                "its columns have changed since the plan was written",
                "write the plan again with `rowkey plan`",
            ));
            continue;
        }
        refused.extend(unused(table));
        let (mut places, mut columns) = (Vec::new(), Vec::new());
        for planned in &table.columns {
            match column_from(&mut reader, target, table, planned) {
                Ok((place, column)) => {
                    places.push(place);
                    columns.push(column);
                }
                Err(error) => refused.push(error),
            }
        }
        // The file of another program has none.
        let origin = reader.origin.as_ref();
        let mut key = origin.map_or_else(Vec::new, |origin| origin.key.clone());
        let key_places = table.places(&key).unwrap_or_default();
        if key_places.is_empty() {
            key.clear();
        }
        imports.push(Import {
            reader,
            to: TableSide {
                triggers: table.triggers,
                key: key_places,
                ..TableSide::new(target, table.becomes.clone(), columns)
            },
            places,
            key,
        });
    }
    all_or_one(refused)?;
    Ok(imports)
}

/// A column of a file, by its place, and of the database. The plan may know the format of ids that
/// another program has written.
fn column_from(
    reader: &mut Reader,
    target: Backend,
    table: &TablePlan,
    column: &ColumnPlan,
) -> Result<(usize, ColumnSide), Error> {
    let refused = |why: &str| refused_column(table, column, why);
    let mut columns = reader.columns.iter_mut().enumerate();
    let (place, found) = columns
        .find(|(_, found)| found.name == column.name)
        .ok_or_else(|| refused("the file has no such column"))?;
    let origin = reader.origin.as_ref();
    if origin.is_some_and(|origin| origin.key.contains(&column.name)) && !column.instead.is_empty()
    {
        return Err(refused("it is in the key, whose values are not replaced"));
    }
    let (words, content) = match column.wanted().map_err(refused)? {
        Wanted::Ids { format, from, to } => {
            let known = forms(format, (target, to), from);
            let (form, public) = known.map_err(|why| refused(&why))?;
            if type_of_ids(public) != Some(found.own)
                || found.ids.is_some_and(|known| known != public)
            {
                return Err(refused("the file has no ids of this format in it"));
            }
            found.ids = Some(public);
            (form.sql_type(), Content::Ids(form))
        }
        Wanted::Kept(_) => return Err(refused(NO_KEEP)),
        Wanted::Type(_) if found.ids.is_some() => {
            return Err(refused("it contains ids, which need `format`"));
        }
        Wanted::Type(to) => {
            if !is_collation(ColumnType::parse(target, to).suffix()) {
                return Err(refused(
                    "behind the type in `to`, only CHARACTER SET and COLLATE with a name are possible",
                ));
            }
            let kind = kind_back(found.own, target, to)
                .ok_or_else(|| refused(&format!("`{to}` does not hold all values of that type")))?;
            (to.to_owned(), Content::Values(kind))
        }
    };
    let sql_type = ColumnType::parse(target, words);
    let own = sql_type
        .meaning()
        .ok_or_else(|| refused(&format!("{target}'s type `{sql_type}` is not copied")))?;
    let column = ColumnSide {
        instead: column.instead,
        ..ColumnSide::new(&column.name, sql_type, own, content)
    };
    Ok((place, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_a_file_is_no_statement() {
        let text = Type::Text(None);
        for to in [
            "enum('new','it''s')",
            "set('a', 'b')",
            "varchar(80)",
            "longtext",
        ] {
            assert_eq!(
                kind_back(text, Backend::MySql, to),
                Some(Kind::Text),
                "{to}"
            );
        }
        for (backend, to) in [
            (Backend::MySql, "enum('a'); DROP TABLE offer; -- ')"),
            (Backend::MySql, "enum('a') DEFAULT 'a'"),
            (Backend::MySql, "enum(a); DROP TABLE offer; --"),
            (Backend::MySql, "enum('a\\'); DROP TABLE offer; -- ')"),
            (Backend::MySql, "varchar(80)); DROP TABLE offer; --"),
            (Backend::Postgres, "text); DROP TABLE offer; --"),
            (Backend::Postgres, "varchar(80)); DROP TABLE offer; --"),
            (Backend::Sqlite, "TEXT); DROP TABLE offer; --"),
            (Backend::Sqlite, "VARCHAR(9)); DROP TABLE offer; --"),
        ] {
            assert_eq!(kind_back(text, backend, to), None, "{to}");
        }
    }
}
