//! The copy itself.

mod table_parts;

use rowkey_core::Backend;
use rowkey_tables::catalog::{Catalog, QualifiedName};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::digest::RowDifference;
use rowkey_tables::{Connection, Error, Progress, Step};
use serde::Serialize;

use self::table_parts::{Part, Queue, TableProgress};
use crate::batch::RowSum;
use crate::definitions::counters;
use crate::definitions::create;
use crate::definitions::key_sequences::KeySequences;
use crate::definitions::objects::{self, Object, ObjectKind};
use crate::definitions::omissions;
use crate::definitions::sequences;
use crate::engine::{MaySet, engine};
use crate::job::{Job, names_of, unknown_names};
use crate::mapping::{all_or_one, check_backends};
use crate::plans::plan::CopyPlan;
use crate::preflight;
use crate::preflight::existing::{
    changed_since, check_target, check_triggers, check_unchecked_references, delete_rows, referring,
};
use crate::request::{MAX_JOBS, Request};
use crate::rows::checkpoint::{self, Checkpoint, State, rows_of};
use crate::rows::compare::{self, compare_table};
use crate::rows::copied_rows;
use crate::session;
use crate::tables::prepared::PreparedTable;

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
    /// The table's name in the source.
    pub table: QualifiedName,
    /// The table's name in the target.
    pub becomes: QualifiedName,
    /// How many rows it has.
    pub rows: u64,
    /// How many of them an earlier run has copied.
    pub rows_before: u64,
    /// The sum of the hashes of its rows, in hexadecimal.
    pub hash: String,
    /// How the target differs from the source, if an earlier run has copied rows that the source
    /// has changed since.
    pub changed: Option<RowDifference>,
}

impl CopiedTable {
    pub(crate) fn new(
        table: QualifiedName,
        becomes: QualifiedName,
        rows_before: u64,
        total: RowSum,
    ) -> Self {
        Self {
            table,
            becomes,
            rows: total.rows,
            rows_before,
            hash: total.hash_text(),
            changed: None,
        }
    }
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
/// [`Error::Refused`] before the first row for what the plan does not map, and for tables with rows
/// of which it does not say what becomes of them; later for a value that its column in the target
/// does not hold. The rows that are committed stay, and the same call continues after them.
pub async fn copy(
    source: &mut Connection,
    target: &mut Connection,
    plan: &CopyPlan,
    request: &Request,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    check_backends(source, target, plan)?;
    session::require_two_databases(source, target).await?;
    let identity = session::identity(source).await?;
    plan.check()?;
    let mut catalog = Catalog::read(source).await?;
    plan.check_catalog(&catalog)?;
    plan.respell_source(&mut catalog);
    let mut job = Job::new(plan, &catalog)?;
    all_or_one(unknown_names(&job.tables)?)?;
    job.notes.extend(catalog.unseen.iter().cloned());
    let left_out = omissions::of_database(source, plan, &catalog).await?;
    job.notes.extend(left_out);
    let there = plan.target_catalog(target).await?;
    let sides: Vec<_> = job.tables.iter().map(|table| &table.to).collect();
    job.is_unchecked = session::can_uncheck(target, &there, &sides).await?;
    let jobs = job.jobs(source, &there, request).await?;
    session::begin_writing(target, &job.id).await?;
    let readers = session::begin_reading_together(source, jobs - 1, &job.tables).await?;
    preflight::require(source, target, plan, &catalog, request.create, progress).await?;
    let part_rows = (jobs > 1).then_some(request.part_rows);
    let checkpoints = job
        .begin(source, target, request.create, part_rows, &identity)
        .await?;
    let mut tables = job
        .rows(source, target, readers, &checkpoints, progress)
        .await?;
    if !request.create {
        job.check_existing_references(target, &checkpoints).await?;
    }
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
    job.set_counters(source, target, request.create).await?;
    job.check_references(target).await?;
    // Otherwise the copy stays open, so that the next run reports the change, too.
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

impl Job<'_> {
    /// How many parts are copied at the same time.
    async fn jobs(
        &mut self,
        source: &mut Connection,
        target: &Catalog,
        request: &Request,
    ) -> Result<u32, Error> {
        if !session::sees_one_moment(source).await? {
            self.notes.push(session::NO_MOMENT.into());
            return Ok(1);
        }
        let jobs = request.jobs.clamp(1, MAX_JOBS);
        if jobs > 1 && !request.create && self.has_checked_references(target) {
            self.notes.push(
                "one job has copied all, because the target looks at references while rows are written".into(),
            );
            return Ok(1);
        }
        let backends = |table: &PreparedTable<'_>| [table.from.backend, table.to.backend];
        let mut backends = self.tables.iter().flat_map(backends);
        Ok(match jobs > 1 && backends.any(Backend::has_one_writer) {
            true => {
                self.notes
                    .push("one job has copied all, because SQLite has one writer".into());
                1
            }
            false => jobs,
        })
    }

    /// Whether a row has to wait for one of another existing table.
    fn has_checked_references(&self, target: &Catalog) -> bool {
        if engine(target.backend).objects.orphan.is_some() || self.is_unchecked {
            return false;
        }
        let is_planned = |name: &QualifiedName| self.tables.iter().any(|one| one.to.name == *name);
        let existing = target.tables.iter().filter(|table| is_planned(&table.name));
        let mut keys = existing.flat_map(|table| &table.foreign_keys);
        keys.any(|key| is_planned(&key.target))
    }

    /// Makes or checks the tables of the target, and returns how far each part of each has come.
    async fn begin(
        &mut self,
        source: &mut Connection,
        target: &mut Connection,
        create: bool,
        part_rows: Option<u32>,
        identity: &str,
    ) -> Result<Vec<Vec<Checkpoint>>, Error> {
        let known = checkpoint::read(target, &self.id, self.tables.len()).await?;
        let catalog = self.plan.target_catalog(target).await?;
        if !create {
            for table in &mut self.tables {
                if let Ok(existing) = catalog.table(&table.to.name) {
                    table.to.take_facts_of(existing);
                }
            }
            self.copy_trees_at_once(&catalog, known.as_deref());
        }
        let checkpoints = match known {
            Some(mut known) => {
                // Older versions have not written that these are done.
                let kept = self.tables.iter().zip(&mut known);
                let kept = kept.filter(|(table, _)| table.to.keeps_rows());
                kept.flat_map(|(_, parts)| parts)
                    .for_each(|part| part.state = State::Done);
                all_or_one(checkpoint::other_source(target, &self.id, identity).await?)?;
                if !checkpoint::is_over(&known) {
                    self.require_same_way(target, create).await?;
                }
                let earlier = copied_rows::look(target, &catalog, &self.tables, &known).await?;
                all_or_one(earlier.refused)?;
                all_or_one(changed_since(&catalog, &self.tables, &known))?;
                self.notes.extend(earlier.notes);
                known
            }
            None => {
                let names = self.tables.iter().map(|table| &table.to.name);
                let names: Vec<&QualifiedName> = names.collect();
                for table in &self.tables {
                    check_target(target, &catalog, &table.to, &names, create).await?;
                    self.notes.extend(check_triggers(&catalog, &table.to)?);
                }
                let sides: Vec<_> = self.tables.iter().map(|table| &table.to).collect();
                all_or_one(referring(target, &catalog, &sides).await?)?;
                // Tables that are made have none.
                if !create {
                    delete_rows(target, &sides, self.is_unchecked).await?;
                }
                let parts = self.divide(source, part_rows).await?;
                checkpoint::begin(target, &self.id, &parts, create, identity).await?;
                parts
            }
        };
        let all: Vec<&PreparedTable<'_>> = self.tables.iter().collect();
        if create {
            for statement in create::before_tables(target, &all).await? {
                target
                    .execute("making what the tables need", &statement)
                    .await?;
            }
        }
        for table in &all {
            if create {
                let is_key_late = objects::has_late_key(target, table).await?;
                let made = create::creation(table, &all, is_key_late)?;
                let doing = format!("making the table {}", table.to.name);
                target.execute(&doing, &made.statement).await?;
                self.notes.extend(made.left_out);
                let redefine = engine(table.to.backend).objects.redefine;
                if let Some(redefine) = redefine.filter(|_| !table.to.leave_out.is_empty()) {
                    for statement in redefine(&table.to.name.name, &made.statement) {
                        target.execute(&doing, &statement).await?;
                    }
                }
                self.notes.extend(omissions::of_table(table));
            }
            self.notes.extend(omissions::of_rows(table));
        }
        if create {
            self.notes.extend(omissions::of_text(all));
        }
        Ok(checkpoints)
    }

    /// Fails for a copy that has begun in the other way: the tables that it has made would get no
    /// indexes and references, or tables of others would get some.
    async fn require_same_way(&self, target: &mut Connection, create: bool) -> Result<(), Error> {
        let (how, instead) = match checkpoint::creates(target, &self.id).await? {
            Some(true) if !create => ("with", "give it again, so that they get their indexes"),
            Some(false) if create => ("without", "leave it out, because the tables exist"),
            _ => return Ok(()),
        };
        Err(Error::refused(
            "the copy",
            format!("it has begun {how} --create, and goes on in the same way"),
            instead,
        ))
    }

    /// The parts of each table, each of about so many rows.
    async fn divide(
        &self,
        source: &mut Connection,
        part_rows: Option<u32>,
    ) -> Result<Vec<Vec<Checkpoint>>, Error> {
        let mut tables = Vec::new();
        for table in &self.tables {
            tables.push(match part_rows {
                _ if table.to.keeps_rows() => vec![Checkpoint {
                    state: State::Done,
                    ..Checkpoint::beginning(Vec::new())
                }],
                Some(rows) => {
                    table_parts::divide(source, table.original, &table.from, rows).await?
                }
                None => vec![Checkpoint::beginning(Vec::new())],
            });
        }
        Ok(tables)
    }

    /// The parts of a table.
    fn parts(&self, number: usize, checkpoints: &[Checkpoint]) -> impl Iterator<Item = Part> {
        let PreparedTable { from, to, .. } = &self.tables[number];
        Part::of(&self.id, number, from, to, checkpoints)
    }

    /// Looks at the references of existing tables, if the target may not have done so for each row: an
    /// earlier run can have had another account.
    async fn check_existing_references(
        &self,
        target: &mut Connection,
        checkpoints: &[Vec<Checkpoint>],
    ) -> Result<(), Error> {
        let is_begun = |part: &Checkpoint| part.state != State::Done && part.copied.rows > 0;
        let goes_on = checkpoints.iter().flatten().any(is_begun);
        let can_uncheck = engine(target.backend()).sessions.unchecked.is_some();
        if !(self.is_unchecked || goes_on && can_uncheck) {
            return Ok(());
        }
        let catalog = self.plan.target_catalog(target).await?;
        let sides = self.tables.iter().map(|table| &table.to);
        check_unchecked_references(target, &catalog, sides).await
    }

    /// Copies a table in one transaction whose rows refer to each other in the target, so that each
    /// finds the other: PostgreSQL looks at the end of a statement.
    fn copy_trees_at_once(&mut self, target: &Catalog, known: Option<&[Vec<Checkpoint>]>) {
        if engine(target.backend).objects.orphan.is_some() || self.is_unchecked {
            return;
        }
        for (number, table) in self.tables.iter_mut().enumerate() {
            let existing = target.tables.iter().find(|one| one.name == table.to.name);
            let mut keys = existing.into_iter().flat_map(|table| &table.foreign_keys);
            let is_begun = known.is_some_and(|known| checkpoint::rows_of(&known[number]).rows > 0);
            if !is_begun && keys.any(|key| key.target == table.to.name) {
                table.from.key.clear();
                table.to.key.clear();
            }
        }
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
        let reported = checkpoints
            .iter()
            .enumerate()
            .map(|(number, parts)| TableProgress {
                table: self.tables[number].from.name.to_string(),
                done: rows_of(parts).rows,
                expected: self.tables[number].original.estimated_rows,
            });
        let mut reported: Vec<TableProgress> = reported.collect();
        let parts = parts.collect();
        // References of existing tables may form circles.
        let queue = Queue::new(parts, self.plan.policy, self.is_unchecked);
        if self.is_unchecked {
            session::uncheck(target).await?;
        }
        let copied_all =
            table_parts::copy(queue, source, target, readers, &mut reported, progress).await;
        let checked = match self.is_unchecked {
            true => session::check(target).await,
            false => Ok(()),
        };
        // What has gone wrong first is why the rest has.
        copied_all?;
        checked?;
        let done = checkpoint::read(target, &self.id, self.tables.len()).await?;
        let mut tables = Vec::new();
        let done = done.ok_or_else(checkpoint::damaged)?;
        for (number, parts) in done.iter().enumerate() {
            let PreparedTable { from, to, .. } = &self.tables[number];
            let (before, total) = (&checkpoints[number], rows_of(parts));
            if before.iter().any(|part| part.state != State::Done) {
                copied_rows::require(target, to, total.rows).await?;
            }
            let (table, becomes) = (from.name.clone(), to.name.clone());
            tables.push(CopiedTable::new(
                table,
                becomes,
                rows_of(before).rows,
                total,
            ));
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
    ) -> Result<Option<RowDifference>, Error> {
        let PreparedTable { from, to, .. } = &self.tables[number];
        for part in self.parts(number, checkpoints) {
            let Some(copied) = part.copied()? else {
                continue;
            };
            // Whether the source has other rows now where an earlier run has copied some.
            let doing = format!("reading again what was copied of {}", from.name);
            progress.report(Step::Begins(doing));
            let found = compare::sum(source, from, copied).await?;
            if found != part.checkpoint.copied {
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
        let catalog = self.plan.target_catalog(target).await?;
        for (number, object) in &planned {
            let Ok(object) = object else { continue };
            let side = &self.tables[*number].to;
            let names = names_of(&planned, *number);
            if !object.is_in(catalog.table(&side.name)?, &names) {
                let doing = format!("{}: {}", side.name, object.name);
                progress.report(Step::Begins(doing.clone()));
                let added = target.execute(&doing, &object.statement).await;
                added.map_err(|error| self.not_added(*number, object, error))?;
            }
        }
        let omissions = planned.into_iter().filter_map(|(_, planned)| planned.err());
        self.notes.extend(objects::notes(omissions));
        Ok(())
    }

    /// Looks for rows that refer to none, where the target has not looked yet.
    async fn check_references(&self, target: &mut Connection) -> Result<(), Error> {
        let Some(query) = engine(target.backend()).objects.orphan else {
            return Ok(());
        };
        let doing = "the references of the target";
        let rows = target.query(doing, query, &[]).await?;
        let Some(row) = rows.first() else {
            return Ok(());
        };
        let (table, referred) = (row.text(0)?, row.text(2)?);
        let why = "a row refers to one that does not exist";
        for (number, object) in self.planned_objects()? {
            if let Ok(object) = object
                && self.tables[number].to.name.name == table
                && object
                    .referred
                    .as_ref()
                    .is_some_and(|(name, _)| name.name == referred)
            {
                return Err(self.refused_at_the_end(number, &object, why));
            }
        }
        Err(Error::Differs {
            what: format!("the references of {table}"),
            found: why.into(),
        })
    }

    /// The error for an object that the target refuses although it took it without rows.
    fn not_added(&self, number: usize, object: &Object, error: Error) -> Error {
        match error.sql_state() {
            Some(_) if object.kind != ObjectKind::PrimaryKey && !error.is_denied() => {
                self.refused_at_the_end(number, object, &error.reason())
            }
            _ => error,
        }
    }

    fn refused_at_the_end(&self, number: usize, object: &Object, why: &str) -> Error {
        let PreparedTable { original, to, .. } = &self.tables[number];
        let mut names = to.leave_out.clone();
        names.push(object.name.clone());
        let line = objects::line_to_leave_out(&original.name, &names);
        Error::refused(
            format!("{}: the {}", to.name, object.described()),
            why,
            format!(
                "correct the rows in the target, or {line}; then repeat the command, which goes on"
            ),
        )
    }

    /// Lets the counters of the target continue after the rows.
    async fn set_counters(
        &mut self,
        source: &mut Connection,
        target: &mut Connection,
        create: bool,
    ) -> Result<(), Error> {
        let found = match create {
            true => None,
            false => Some(self.plan.target_catalog(target).await?),
        };
        let keys = KeySequences::read(source, target).await?;
        let copied = self.tables.iter().filter(|table| !table.to.keeps_rows());
        for PreparedTable {
            original: table,
            to: side,
            ..
        } in copied
        {
            let found = found.as_ref();
            let existing = found.map(|found| found.table(&side.name)).transpose()?;
            let continued = counters::continued(source, table, side, existing).await?;
            self.notes.extend(continued.notes);
            for statement in continued.statements {
                let doing = format!("the counter of {}", side.name);
                let goes_on = matches!(engine(side.backend).counters.may_set, MaySet::Doomed(_));
                match target.execute(&doing, &statement).await {
                    Err(error) if error.is_denied() && goes_on => {
                        self.notes.push(counters::unset(side));
                    }
                    outcome => {
                        outcome?;
                    }
                }
            }
            let ended = counters::ended(target, side, existing, &continued.columns);
            self.notes.extend(ended.await?);
            if let Some(existing) = existing {
                self.notes.extend(keys.uncounted(table, side, existing));
                let notes = keys.continued([source, target], table, side, existing);
                self.notes.extend(notes.await?);
            }
        }
        let others = found.and_then(|found| keys.without_tables(&self.tables, &found));
        self.notes.extend(others);
        let notes = sequences::continued(source, target, create, &self.tables).await?;
        self.notes.extend(notes);
        Ok(())
    }
}
