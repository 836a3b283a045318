//! The copy itself.

use rowkey_core::Backend;
use serde::Serialize;

use super::checkpoint::{self, Checkpoint, State};
use super::compare::{self, Difference, compare_table};
use super::left_out;
use super::objects::{self, Carried, ObjectKind};
use super::parts::{self, Part, Told};
use super::plan::{CopyPlan, CopyPolicy, type_of};
use super::request::{MAX_JOBS, Request};
use super::select::first;
use super::side::Side;
use super::{create, preflight, session};
use crate::catalog::{Catalog, QualifiedName, Table};
use crate::connection::Connection;
use crate::error::Error;
use crate::progress::{Progress, Step};
use crate::types;

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The product that was read.
    pub source: &'static str,
    /// The product that was written.
    pub target: &'static str,
    /// The tables, in the order of the plan.
    pub tables: Vec<CopiedTable>,
    /// What a person should know: what the target has not got.
    pub notes: Vec<String>,
}

/// A table that was copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopiedTable {
    /// Its name in the source.
    pub table: QualifiedName,
    /// Its name in the target.
    pub becomes: QualifiedName,
    /// How many rows it has.
    pub rows: u64,
    /// How many of them an earlier run has copied.
    pub rows_before: u64,
    /// The sum of the hashes of its rows, in hexadecimal.
    pub hash: String,
    /// How the target differs from the source, if an earlier run has copied rows that the source
    /// has changed since.
    pub changed: Option<Difference>,
}

/// Copies the tables of a plan, or goes on where an interrupted copy has stopped.
///
/// Rows are committed together with the last key of them, so that every row is copied exactly once.
/// A table without a key is copied in one transaction. With several jobs, all readers see the
/// source at the same moment: MySQL and MariaDB lock the tables for that moment, which needs the
/// privilege LOCK TABLES; SQL Server locks them too, and has one job where the database does not
/// allow snapshots. A runtime with several threads lets them use several processors.
///
/// # Errors
///
/// [`Error::Refused`] before the first row for what the plan does not map, and for tables with
/// rows; later for a value that its column in the target does not hold. The rows that are committed
/// stay, and the same call goes on behind them.
pub async fn copy(
    source: &mut Connection,
    target: &mut Connection,
    plan: &CopyPlan,
    request: &Request,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    plan.check()?;
    check_backends(source, target, plan)?;
    let catalog = Catalog::read(source).await?;
    plan.check_catalog(&catalog)?;
    let mut job = Job::new(plan, &catalog)?;
    job.notes.extend(catalog.unseen.iter().cloned());
    let left_out = left_out::of_database(source, plan, &catalog).await?;
    job.notes.extend(left_out);
    let jobs = job.jobs(source, request).await?;
    session::begin_writing(target, &job.id).await?;
    let readers = session::begin_reading_together(source, jobs - 1, &job.from).await?;
    preflight::require(source, target, plan, &catalog, request.create, progress).await?;
    let part_rows = (jobs > 1).then_some(request.part_rows);
    let checkpoints = job.begin(source, target, request.create, part_rows).await?;
    let mut tables = job
        .rows(source, target, readers, &checkpoints, progress)
        .await?;
    // At the end, so that copies that are often interrupted come to one.
    for (number, table) in tables.iter_mut().enumerate() {
        let parts = &checkpoints[number];
        table.changed = job
            .difference(source, target, number, parts, progress)
            .await?;
    }
    if request.create {
        job.add_objects(target, progress).await?;
    }
    job.set_counters(source, target).await?;
    let orphan = "a row refers to one that does not exist, in the source too";
    check_references(target, orphan).await?;
    // Otherwise it stays without an end, so that the next run says so, too.
    if tables.iter().all(|table| table.changed.is_none()) {
        checkpoint::end(target, &job.id).await?;
    }
    Ok(Report {
        source: source.backend().name(),
        target: target.backend().name(),
        tables,
        notes: job.notes,
    })
}

/// The plan is for these two databases.
pub(super) fn check_backends(
    source: &Connection,
    target: &Connection,
    plan: &CopyPlan,
) -> Result<(), Error> {
    for (what, found, planned) in [
        ("the source", source.backend(), plan.source()?),
        ("the target", target.backend(), plan.target()?),
    ] {
        if found != planned {
            return Err(Error::refused(
                what,
                format!("it is {found}, and the plan is for {planned}"),
                "give the address of the database that the plan is for",
            ));
        }
    }
    Ok(())
}

/// The tables of a copy.
pub(super) struct Job<'c> {
    /// The hash of the plan.
    id: String,
    source: Backend,
    originals: Vec<&'c Table>,
    from: Vec<Side>,
    to: Vec<Side>,
    policy: CopyPolicy,
    notes: Vec<String>,
}

impl<'c> Job<'c> {
    pub(super) fn new(plan: &CopyPlan, catalog: &'c Catalog) -> Result<Self, Error> {
        let mut job = Self {
            id: plan.hash()?,
            source: catalog.backend,
            originals: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
            policy: plan.policy,
            notes: Vec::new(),
        };
        for (place, table) in plan.tables.iter().enumerate() {
            let (from, to) = plan.sides(catalog, place)?;
            let original = catalog.table(&table.name)?;
            objects::require_own_rows(original, catalog.backend)?;
            let omitted = original.columns.iter().filter(|column| {
                !table
                    .columns
                    .iter()
                    .any(|planned| planned.name == column.name)
            });
            let omitted =
                omitted.map(|column| format!("{}.{} is left out", table.name, column.name));
            job.notes.extend(omitted);
            job.originals.push(original);
            job.from.push(from);
            job.to.push(to);
        }
        Ok(job)
    }

    /// How many parts are copied at the same time.
    async fn jobs(&mut self, source: &mut Connection, request: &Request) -> Result<u32, Error> {
        if !session::sees_one_moment(source).await? {
            self.notes.push(session::NO_MOMENT.into());
            return Ok(1);
        }
        let jobs = request.jobs.clamp(1, MAX_JOBS);
        let is_sqlite = |side: &Side| side.backend == Backend::Sqlite;
        Ok(
            match jobs > 1 && self.from.iter().chain(&self.to).any(is_sqlite) {
                true => {
                    self.notes
                        .push("one job has copied all, because SQLite has one writer".into());
                    1
                }
                false => jobs,
            },
        )
    }

    /// Makes or checks the tables of the target, and returns how far each part of each has come.
    async fn begin(
        &mut self,
        source: &mut Connection,
        target: &mut Connection,
        create: bool,
        part_rows: Option<u32>,
    ) -> Result<Vec<Vec<Checkpoint>>, Error> {
        let known = checkpoint::read(target, &self.id, self.to.len()).await?;
        let checkpoints = match known {
            Some(known) => known,
            None => {
                let catalog = Catalog::read(target).await?;
                for side in &self.to {
                    check_target(target, &catalog, side, create).await?;
                    self.notes.extend(left_out::triggers(&catalog, side));
                }
                let parts = self.divide(source, part_rows).await?;
                checkpoint::begin(target, &self.id, &parts).await?;
                parts
            }
        };
        for ((table, side), from) in self.originals.iter().zip(&self.to).zip(&self.from) {
            if create {
                let is_key_late = objects::has_late_key(target, from, side).await?;
                let (to, originals) = (&self.to, &self.originals);
                let made = create::creation(self.source, table, side, to, originals, is_key_late)?;
                let doing = format!("making the table {}", side.name);
                target.execute(&doing, &made.statement).await?;
                self.notes.extend(made.left_out);
            }
            let left_out = left_out::of_table(self.source, table, side);
            self.notes.extend(left_out);
        }
        Ok(checkpoints)
    }

    /// The parts of each table, each of about so many rows.
    async fn divide(
        &self,
        source: &mut Connection,
        part_rows: Option<u32>,
    ) -> Result<Vec<Vec<Checkpoint>>, Error> {
        let mut tables = Vec::new();
        for (table, side) in self.originals.iter().zip(&self.from) {
            tables.push(match part_rows {
                Some(rows) => parts::divide(source, table, side, rows).await?,
                None => vec![Checkpoint::beginning(Vec::new())],
            });
        }
        Ok(tables)
    }

    /// The parts of a table.
    fn parts(&self, number: usize, checkpoints: &[Checkpoint]) -> impl Iterator<Item = Part> {
        let (from, to) = (&self.from[number], &self.to[number]);
        Part::of(&self.id, number, from, to, checkpoints)
    }

    /// Copies all rows that are not there yet.
    async fn rows(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        readers: Vec<Connection>,
        checkpoints: &[Vec<Checkpoint>],
        progress: &mut dyn Progress,
    ) -> Result<Vec<CopiedTable>, Error> {
        let tables = checkpoints.iter().enumerate();
        let parts = tables.flat_map(|(number, parts)| self.parts(number, parts));
        let parts = parts.filter(|part| part.checkpoint.state == State::Begun);
        let before = |parts: &[Checkpoint]| parts.iter().map(|part| part.rows).sum();
        let told = checkpoints.iter().enumerate().map(|(number, parts)| Told {
            table: self.from[number].name.to_string(),
            done: before(parts),
            expected: self.originals[number].estimated_rows,
        });
        let mut told: Vec<Told> = told.collect();
        let parts = parts.collect();
        parts::copy(
            parts,
            self.policy,
            source,
            target,
            readers,
            &mut told,
            progress,
        )
        .await?;
        let copied = checkpoint::read(target, &self.id, self.to.len()).await?;
        let mut tables = Vec::new();
        for (number, parts) in copied.unwrap_or_default().iter().enumerate() {
            let (from, to) = (&self.from[number], &self.to[number]);
            let rows = parts.iter().map(|part| part.rows).sum();
            let sums = parts.iter().map(|part| part.sum);
            if checkpoints[number]
                .iter()
                .any(|part| part.state != State::Done)
            {
                check_rows(target, to, rows).await?;
            }
            tables.push(CopiedTable {
                table: from.name.clone(),
                becomes: to.name.clone(),
                rows,
                rows_before: before(&checkpoints[number]),
                hash: format!("{:032x}", sums.fold(0, u128::wrapping_add)),
                changed: None,
            });
        }
        Ok(tables)
    }

    /// How a table differs from its source, if that has changed since an earlier run.
    async fn difference(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        number: usize,
        checkpoints: &[Checkpoint],
        progress: &mut dyn Progress,
    ) -> Result<Option<Difference>, Error> {
        let (from, to) = (&self.from[number], &self.to[number]);
        for part in self.parts(number, checkpoints) {
            let Some(copied) = part.copied()? else {
                continue;
            };
            // Whether the source has other rows now where an earlier run has copied some.
            let doing = format!("reading again what was copied of {}", from.name);
            progress.report(Step::Begins(doing));
            let found = compare::sum(source, from, &copied).await?;
            if found != (part.checkpoint.rows, part.checkpoint.sum) {
                let compared = compare_table(source, target, from, to).await?;
                return Ok(compared.difference);
            }
        }
        Ok(None)
    }

    /// Adds the keys and indexes of all tables, then the references.
    async fn add_objects(
        &mut self,
        target: &mut Connection,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let planned = self.planned_objects()?;
        let catalog = Catalog::read(target).await?;
        for (number, object) in &planned {
            let object = match object {
                Ok(object) => object,
                Err(note) => {
                    self.notes.push(note.clone());
                    continue;
                }
            };
            let side = &self.to[*number];
            let names = names_of(&planned, *number);
            if !object.is_in(catalog.table(&side.name)?, &names) {
                let doing = format!("{}: {}", side.name, object.name);
                progress.report(Step::Begins(doing.clone()));
                target.execute(&doing, &object.statement).await?;
            }
        }
        Ok(())
    }

    /// The keys and indexes of all tables, then the references, with the numbers of their tables.
    fn planned_objects(&self) -> Result<Vec<(usize, Carried)>, Error> {
        let mut taken = objects::taken(&self.to);
        let mut planned = Vec::new();
        let tables = || self.originals.iter().zip(&self.to).enumerate();
        for (number, (table, side)) in tables() {
            let key = objects::late_key(table, side)?;
            planned.extend(key.map(|key| (number, Ok(key))));
        }
        for (number, (table, side)) in tables() {
            let indexes = objects::indexes(self.source, table, side, &mut taken)?;
            planned.extend(indexes.into_iter().map(|index| (number, index)));
        }
        for (number, (table, side)) in tables() {
            if side.backend != Backend::Sqlite {
                let keys =
                    objects::references(self.source, table, side, &self.to, &self.originals)?;
                planned.extend(keys.into_iter().map(|key| (number, key)));
            }
        }
        Ok(planned)
    }

    /// What of it a target has not got.
    pub(super) fn missing_objects(&self, target: &Catalog) -> Result<Vec<String>, Error> {
        let mut missing = Vec::new();
        let planned = self.planned_objects()?;
        for (number, object) in &planned {
            let side = &self.to[*number];
            let names = names_of(&planned, *number);
            let table = target.tables.iter().find(|table| table.name == side.name);
            if let Ok(object) = object
                && !table.is_some_and(|table| object.is_in(table, &names))
            {
                let what = match object.kind {
                    ObjectKind::PrimaryKey => object.name.clone(),
                    ObjectKind::Index => format!("index {}", object.name),
                    ObjectKind::Reference => format!("reference {}", object.name),
                };
                missing.push(format!("{}: the {what} is missing", side.name));
            }
        }
        Ok(missing)
    }

    /// Lets the counters of the target go on behind the rows.
    async fn set_counters(
        &self,
        source: &mut Connection,
        target: &mut Connection,
    ) -> Result<(), Error> {
        for (table, side) in self.originals.iter().zip(&self.to) {
            let counted = create::counted(table, side);
            let Some(column) = counted.and_then(|column| table.column(&column.name)) else {
                continue;
            };
            let last = objects::counted_to(source, table, column).await?;
            for statement in objects::counter(side, &column.name, last)? {
                let doing = format!("the counter of {}", side.name);
                target.execute(&doing, &statement).await?;
            }
        }
        Ok(())
    }
}

/// Fails, with what is wrong, for a reference without a row in SQLite, which does not look while
/// rows are written.
pub(crate) async fn check_references(target: &mut Connection, wrong: &str) -> Result<(), Error> {
    if target.backend() != Backend::Sqlite {
        return Ok(());
    }
    let doing = "the references of the target";
    let query = "SELECT \"table\", rowid FROM pragma_foreign_key_check() LIMIT 1";
    match target.query(doing, query, &[]).await?.first() {
        Some(row) => Err(Error::Differs {
            what: format!("the references of {}", row.text(0)?),
            found: wrong.into(),
        }),
        None => Ok(()),
    }
}

/// A table of the target is not there if it is to be made, and empty otherwise.
pub(crate) async fn check_target(
    target: &mut Connection,
    catalog: &Catalog,
    side: &Side,
    create: bool,
) -> Result<(), Error> {
    let existing = catalog.tables.iter().find(|table| table.name == side.name);
    let what = format!("the table {} in the target", side.name);
    match (existing, create) {
        (None, true) => Ok(()),
        (Some(_), true) => Err(Error::refused(
            what,
            "it exists",
            "drop it or rename it; or leave out --create, so that rows go into it if it has none",
        )),
        (None, false) => Err(Error::refused(
            what,
            "it does not exist",
            "make it, or give --create",
        )),
        (Some(table), false) => {
            for column in &side.columns {
                if table.column(&column.name).is_none() {
                    return Err(Error::Missing {
                        what: format!("the column {} of {what}", column.name),
                    });
                }
            }
            check_types(table, side)?;
            let is_mysql = matches!(side.backend, Backend::MySql | Backend::MariaDb);
            if is_mysql && table.options != "InnoDB" {
                return Err(Error::refused(
                    what,
                    format!("its engine {} has no transactions", table.options),
                    "make it with InnoDB, so that an interrupted copy can go on",
                ));
            }
            let query = format!("SELECT 1 FROM {}", side.quoted()?);
            let query = first(side.backend, 1, &query);
            match target.query(&what, &query, &[]).await?.is_empty() {
                true => Ok(()),
                false => Err(Error::refused(
                    what,
                    "it has rows",
                    "empty it, or copy into another database",
                )),
            }
        }
    }
}

/// An existing column has the type that the plan says.
fn check_types(table: &Table, side: &Side) -> Result<(), Error> {
    for column in &side.columns {
        let found = table.column(&column.name);
        let own = found.and_then(|found| types::parse(side.backend, &found.sql_type));
        let planned = type_of(&column.sql_type);
        if let Some(found) = found
            && (own != Some(column.own)
                || types::normalizes_json(side.backend, &found.sql_type)
                    != types::normalizes_json(side.backend, planned)
                || !types::keeps_times(side.backend, column.own, planned, &found.sql_type))
        {
            return Err(Error::refused(
                format!("{}.{} in the target", side.name, column.name),
                format!(
                    "its type is {}, and the plan says {}",
                    found.sql_type, column.sql_type
                ),
                "change the plan or the table",
            ));
        }
    }
    Ok(())
}

async fn check_rows(target: &mut Connection, side: &Side, rows: u64) -> Result<(), Error> {
    let doing = format!("the rows of {}", side.name);
    let function = match side.backend {
        Backend::SqlServer => "COUNT_BIG",
        _ => "COUNT",
    };
    let query = format!("SELECT {function}(*) FROM {}", side.quoted()?);
    let found = target.query(&doing, &query, &[]).await?;
    let found = found.first().map_or(Ok(0), |row| row.integer(0))?;
    match u64::try_from(found) == Ok(rows) {
        true => Ok(()),
        false => Err(Error::Differs {
            what: doing,
            found: format!("{rows} rows were copied, and the target has {found}"),
        }),
    }
}

/// The names of the objects of a table.
fn names_of(planned: &[(usize, Carried)], number: usize) -> Vec<&str> {
    let planned = planned.iter().filter(|(table, _)| *table == number);
    let objects = planned.filter_map(|(_, object)| object.as_ref().ok());
    objects.map(|object| object.name.as_str()).collect()
}
