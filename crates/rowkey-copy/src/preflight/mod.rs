//! What refuses a copy, before its first row.

mod clashes;
mod conditions;
pub(crate) mod definition;
pub(crate) mod existing;
mod kept;
mod long_rows;
mod misfits;
mod reason_kind;
pub(crate) mod references;
mod rehearsal;
mod suspect_column;
mod suspects;
pub(crate) mod target;
pub(crate) mod trial;
mod unique;
mod values;
mod writing;

use std::collections::BTreeSet;
use std::{iter, mem};

use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::connection::Connection;
use rowkey_tables::refusals::Refusals;
use rowkey_tables::{Error, Progress, Step};
use serde::Serialize;

use self::kept::Copied;
pub use self::misfits::{Misfit, Misfits};
use self::reason_kind::ReasonKind;
use self::target::Place;
use crate::definitions::counters;
use crate::definitions::create;
use crate::definitions::key_sequences::KeySequences;
use crate::definitions::objects;
use crate::definitions::omissions;
use crate::definitions::sequences;
use crate::engine::engine;
use crate::job::{planned_objects, unknown_names};
use crate::mapping::kept_ids;
use crate::mapping::names;
use crate::mapping::partitions;
use crate::mapping::{check_backends, one_error, source_column};
use crate::plans::plan::{CopyPlan, ExistingRows};
use crate::rows::checkpoint;
use crate::rows::copied_rows;
use crate::session;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// What is reported when the values are read.
const LOOKING: &str = "looking for values that have no place";

/// What refuses a copy, and what it leaves behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preflight {
    /// The product that is read.
    pub source: &'static str,
    /// The product that is to be written.
    pub target: &'static str,
    /// The values that the target has no place for.
    pub values: Vec<Misfits>,
    /// Why the copy is refused, the values among it, by kinds of reasons; nothing if it can begin.
    pub refused: Vec<String>,
    /// Their kinds, as titles.
    #[serde(skip)]
    pub kinds: Vec<&'static str>,
    /// What stays behind, and what could not be looked at.
    pub notes: Vec<String>,
}

impl Preflight {
    /// Reads the tables of a plan and the catalogue of the target. In the target, it fills
    /// temporary tables with values that rules are about, and makes the tables that it has none of, empty,
    /// with all indexes and references; they are gone afterwards. Up to 10,000 rows that the plan deletes
    /// are deleted in a transaction that is rolled back, unless triggers would run.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a database refuses a query. What refuses the copy is in the answer.
    pub async fn read(
        source: &mut Connection,
        target: &mut Connection,
        plan: &CopyPlan,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        check_backends(source, target, plan)?;
        session::require_two_databases(source, target).await?;
        let identity = session::identity(source).await?;
        let mut catalog = Catalog::read(source).await?;
        let changed = plan.changed_tables(&catalog);
        plan.respell_source(&mut catalog);
        session::begin_reading(source).await?;
        session::set_target(target).await?;
        let mut findings = Findings::default();
        let tables = findings.check_plan(plan, &catalog, changed)?;
        let is_complete = findings.refused.is_empty();
        if !tables.is_empty() {
            let target_catalog = plan.target_catalog(target).await?;
            match checkpoint::find(target, &target_catalog, plan).await {
                Ok(None) => {
                    progress.report(Step::Begins(LOOKING.into()));
                    findings
                        .check_databases(source, target, plan, &tables, &target_catalog, None)
                        .await?;
                }
                Ok(Some(known)) => {
                    let other = checkpoint::other_source(target, &plan.hash()?, &identity).await?;
                    findings.refuse(ReasonKind::Target, other);
                    let earlier = copied_rows::look(target, &target_catalog, &tables, &known);
                    let earlier = earlier.await?;
                    findings.refuse(ReasonKind::Target, earlier.refused);
                    if is_complete {
                        let changed = existing::changed_since(&target_catalog, &tables, &known);
                        findings.refuse(ReasonKind::Target, changed);
                    }
                    findings.notes.push(copied_rows::state(&known));
                    findings.notes.extend(earlier.notes);
                }
                Err(error @ Error::Refused { .. }) => findings.refuse(ReasonKind::Target, [error]),
                Err(error) => return Err(error),
            }
            let left_out = omissions::of_database(source, plan, &catalog).await?;
            findings.notes.extend(left_out);
            // A column that is refused is not left out yet.
            if is_complete {
                findings.note_omissions(&tables, &target_catalog)?;
            }
        }
        if !session::sees_one_moment(source).await? {
            findings.notes.push(session::NO_MOMENT.into());
        }
        findings.notes.extend(catalog.unseen);
        findings.refused.sort();
        let refused = || findings.refused.iter();
        Ok(Self {
            source: source.backend().name(),
            target: target.backend().name(),
            values: findings.values,
            kinds: refused().map(|(kind, _)| kind.title()).collect(),
            refused: refused().map(|(_, error)| error.to_string()).collect(),
            notes: findings.notes,
        })
    }

    /// The reasons against the copy, each below the title of its kind.
    pub fn refused_by_kind(&self) -> Vec<(&'static str, Vec<&str>)> {
        let mut groups: Vec<(&'static str, Vec<&str>)> = Vec::new();
        // Files have no kinds.
        let kinds = self.kinds.iter().copied().chain(iter::repeat(""));
        for (title, reason) in kinds.zip(&self.refused) {
            match groups.last_mut().filter(|(last, _)| *last == title) {
                Some((_, reasons)) => reasons.push(reason),
                None => groups.push((title, vec![reason])),
            }
        }
        groups
    }
}

/// Refuses what a copy cannot do, unless it has begun already.
pub(super) async fn require(
    source: &mut Connection,
    target: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
    creates: bool,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    if !plan.policy.preflight {
        return Ok(());
    }
    let target_catalog = plan.target_catalog(target).await?;
    if checkpoint::find(target, &target_catalog, plan)
        .await?
        .is_some()
    {
        return Ok(());
    }
    let mut findings = Findings::default();
    let tables = findings.check_plan(plan, catalog, Vec::new())?;
    findings.all_or_one()?;
    progress.report(Step::Begins(LOOKING.into()));
    findings
        .check_databases(
            source,
            target,
            plan,
            &tables,
            &target_catalog,
            Some(creates),
        )
        .await?;
    findings.all_or_one()
}

/// What was found so far.
#[derive(Default)]
struct Findings {
    values: Vec<Misfits>,
    refused: Refusals<ReasonKind>,
    /// The tables of which the plan itself says something wrong.
    unplanned: BTreeSet<QualifiedName>,
    notes: Vec<String>,
    /// Whether references are looked at when all rows are written.
    is_unchecked: bool,
}

impl Findings {
    fn refuse(&mut self, kind: ReasonKind, errors: impl IntoIterator<Item = Error>) {
        for error in errors {
            self.refused.add(kind, error);
        }
    }

    fn all_or_one(&mut self) -> Result<(), Error> {
        one_error(mem::take(&mut self.refused))
    }

    /// Finds what the plan alone tells. Returns the tables without the columns that are refused, so
    /// that a look at their values finds the rest.
    fn check_plan<'c>(
        &mut self,
        plan: &CopyPlan,
        catalog: &'c Catalog,
        changed: Vec<Error>,
    ) -> Result<Vec<PreparedTable<'c>>, Error> {
        let mut tables = Vec::new();
        let refused = plan.refusals()?.into_iter().map(|(_, error)| error);
        self.refuse(ReasonKind::Plan, refused);
        // Of names that the target takes for the same, one can be looked at.
        let told_apart = names::without_doubled(plan, plan.target()?);
        let unplanned = told_apart.refusals()?.into_iter();
        let unplanned = unplanned.filter_map(|(table, _)| Some(table?.name.clone()));
        self.unplanned.extend(unplanned);
        let (columns, left) = plan.without_refused_columns();
        let mut is_complete = columns.is_empty();
        self.refuse(ReasonKind::Columns, columns);
        if !changed.is_empty() {
            // The plan is to be written again.
            self.refuse(ReasonKind::Changed, changed);
            return Ok(tables);
        }
        let (kept, left) = kept_ids::refusals(left, catalog);
        for table in &left.tables {
            let original = catalog.table(&table.name)?;
            // No statement can name it, and the others say the rest.
            if table.becomes.quoted(plan.target()?).is_err() {
                continue;
            }
            if let Err(error) = partitions::require_once(plan, catalog, original) {
                self.unplanned.insert(table.name.clone());
                self.refuse(ReasonKind::Plan, [error]);
            }
            // The columns that it has say the rest.
            let mut planned = table.clone();
            planned.columns.retain(|column| {
                let found = source_column(original, table, column, false);
                let refused = found.err();
                let is_found = refused.is_none();
                self.refuse(ReasonKind::Plan, refused);
                is_found
            });
            is_complete &= planned.columns.len() == table.columns.len();
            if planned.columns.is_empty() {
                continue;
            }
            match left.prepare(catalog, &planned) {
                Ok(table) => tables.push(table),
                Err(error) => self.refuse(ReasonKind::Plan, [error]),
            }
        }
        self.refuse(ReasonKind::Plan, kept);
        // An index has its name only with its columns.
        if is_complete && tables.len() == plan.tables.len() {
            self.refuse(ReasonKind::Plan, unknown_names(&tables)?);
        }
        Ok(tables)
    }

    /// The target, and the values of the source.
    async fn check_databases(
        &mut self,
        source: &mut Connection,
        target: &mut Connection,
        plan: &CopyPlan,
        tables: &[PreparedTable<'_>],
        target_catalog: &Catalog,
        creates: Option<bool>,
    ) -> Result<(), Error> {
        let sides: Vec<&TableSide> = tables.iter().map(|table| &table.to).collect();
        self.is_unchecked = session::can_uncheck(target, target_catalog, &sides).await?;
        let makes = creates.unwrap_or_else(|| target::has_none(target_catalog, &sides));
        let keys = match makes {
            true => KeySequences::default(),
            false => KeySequences::read(source, target).await?,
        };
        let refused = target::refusals(target, target_catalog, plan, tables, &keys, makes).await?;
        let places: Vec<&Place> = refused.iter().map(|(place, _)| place).collect();
        let mut rehearsed = Vec::new();
        if makes && !places.contains(&&Place::All) {
            // What the plan itself has wrong would be refused once more.
            rehearsed = without_refused(tables, &places);
            rehearsed.retain(|table| !self.unplanned.contains(&table.original.name));
        }
        let can_delete = !makes && !places.contains(&&Place::All);
        let unsound: Vec<Vec<String>> = (0..tables.len())
            .map(|number| refused_columns(&places, number))
            .collect();
        let refused = refused.into_iter().map(|(_, error)| error);
        self.refuse(ReasonKind::Target, refused);
        if can_delete {
            let existing = sides.iter().copied();
            let existing = existing.filter(|side| target::table_of(target_catalog, side).is_some());
            let existing: Vec<&TableSide> = existing.collect();
            let tried =
                existing::try_to_delete(target, target_catalog, &existing, self.is_unchecked);
            match tried.await {
                Err(refused @ Error::Refused { .. }) => self.refuse(ReasonKind::Target, [refused]),
                note => self.notes.extend(note?),
            }
        }
        self.notes.extend(target::encoding(target).await?);
        let denied = match makes {
            true => writing::no_state(target).await?,
            false => writing::refusals(target, target_catalog, &sides).await?,
        };
        self.refuse(ReasonKind::Denied, denied);
        // What may be read, also by the references of others.
        let (mut readable, mut looked_at) = (Vec::new(), Vec::new());
        for (number, planned) in tables.iter().enumerate() {
            let PreparedTable { original, from, to } = planned;
            if let Some(note) = to.note_of_kept_rows() {
                self.notes.push(note);
                readable.push(planned.with_target(to.as_found(target_catalog)));
                continue;
            }
            match existing::check_triggers(target_catalog, to) {
                Ok(note) => self.notes.extend(note),
                Err(refused) => self.refuse(ReasonKind::Target, [refused]),
            }
            let existing = target::table_of(target_catalog, to);
            let (to, not_null) = match existing {
                Some(table) => (
                    target::as_existing(target, to, table).await?,
                    target::not_null(to, table),
                ),
                None => (
                    target::as_made(target, to).await?,
                    target::not_null_if_made(original),
                ),
            };
            if let Some(existing) = existing {
                let denied = writing::counters(target, original, &to, existing, &keys);
                for denied in denied.await? {
                    match denied {
                        Ok(note) => self.notes.push(note),
                        Err(refused) => self.refuse(ReasonKind::Denied, [refused]),
                    }
                }
            }
            if creates.is_none() {
                let uncounted = existing.map(|table| keys.uncounted(original, &to, table));
                self.notes.extend(uncounted.into_iter().flatten());
                let continued = counters::continued(source, original, &to, existing).await?;
                self.notes.extend(continued.notes);
                if existing.is_some() {
                    let ended = counters::ended(target, &to, existing, &continued.columns);
                    self.notes.extend(ended.await?);
                }
            }
            let from = from.clone();
            let table = PreparedTable { original, from, to };
            session::mark(source).await?;
            // The target would not take their values for another reason.
            let sound = PreparedTable {
                original,
                from: table.from.without(&unsound[number]),
                to: table.to.without(&unsound[number]),
            };
            let checked = match sound.to.columns.is_empty() {
                true => Ok(()),
                false => {
                    self.check_table(source, target, &sound, existing, &not_null)
                        .await
                }
            };
            match checked {
                Err(error) if error.is_denied() => {
                    session::back_to_mark(source).await?;
                    let refused = Error::refused(
                        format!("the table {}", original.name),
                        format!("it may not be read: {}", error.reason()),
                        "grant SELECT on it, or delete its entry from the plan",
                    );
                    self.refuse(ReasonKind::Denied, [refused]);
                }
                outcome => {
                    outcome?;
                    readable.push(table.with_target(table.to.clone()));
                    looked_at.push((table, existing));
                }
            }
            session::unmark(source).await?;
        }
        if !rehearsed.is_empty() {
            let found = rehearsal::rehearse(target, target_catalog, &rehearsed, &self.values);
            let found = found.await?;
            self.refuse(ReasonKind::Objects, found.refused);
            self.notes.extend(found.note);
        }
        for (table, existing) in &looked_at {
            self.check_references(source, table, *existing, &readable)
                .await?;
        }
        if creates.is_none() {
            let left_out = sequences::left_out(source, target, makes, &readable).await?;
            self.notes.extend(left_out);
            let others = keys.without_tables(&readable, target_catalog);
            self.notes.extend(others);
        }
        let outside = kept::look_outside(source, target, target_catalog, plan, &looked_at);
        for reference in outside.await? {
            match reference.told(&[]) {
                Ok(note) => self.notes.push(note),
                Err(error) => self.refuse(ReasonKind::References, [error]),
            }
        }
        for kept in readable.iter().filter(|table| table.to.keeps_rows()) {
            self.check_kept(source, target, target_catalog, kept, &readable, &looked_at)
                .await?;
        }
        Ok(())
    }

    async fn check_table(
        &mut self,
        source: &mut Connection,
        target: &mut Connection,
        table: &PreparedTable<'_>,
        existing: Option<&Table>,
        not_null: &[String],
    ) -> Result<(), Error> {
        let mut misfits = values::misfits(source, table, not_null).await?;
        if existing.is_none() {
            misfits.iter_mut().for_each(|one| one.keep_reference(table));
        }
        let (advised, columns) = misfits::as_advised(table, &misfits, existing.is_some());
        let errors = misfits.iter();
        let errors = errors.map(|misfits| misfits.error(table, existing));
        self.refuse(ReasonKind::Values, errors);
        self.values.extend(misfits);
        let too_long = long_rows::too_long_row(source, table, target.statement_limit()).await?;
        self.refuse(ReasonKind::Values, too_long);
        if let Some(existing) = existing {
            let broken = conditions::broken(source, target, &advised, existing, &columns).await?;
            self.refuse(ReasonKind::Checks, broken.refused);
            self.notes.extend(broken.notes);
        }
        let long = long_rows::find(source, target, &advised, existing, &columns).await?;
        self.refuse(ReasonKind::Objects, long.refused);
        self.notes.extend(long.notes);
        let found = clashes::find(source, target, &advised, existing, &columns).await?;
        self.refuse(ReasonKind::Unique, found.refused);
        self.notes.extend(found.notes);
        Ok(())
    }

    async fn check_references(
        &mut self,
        source: &mut Connection,
        table: &PreparedTable<'_>,
        existing: Option<&Table>,
        tables: &[PreparedTable<'_>],
    ) -> Result<(), Error> {
        let found = references::orphans(source, table, existing, tables).await?;
        self.refuse(ReasonKind::References, found.refused);
        self.notes.extend(found.notes);
        if let Some(existing) = existing.filter(|_| !self.is_unchecked) {
            let late = references::to_later_tables(source, table, existing, tables).await?;
            self.refuse(ReasonKind::References, late);
        }
        Ok(())
    }

    /// The rows of a table that stay in the target, and to which copied rows refer.
    async fn check_kept(
        &mut self,
        source: &mut Connection,
        target: &mut Connection,
        catalog: &Catalog,
        kept: &PreparedTable<'_>,
        tables: &[PreparedTable<'_>],
        copied: &[Copied<'_>],
    ) -> Result<(), Error> {
        match existing::check_target(target, catalog, &kept.to, &[], false).await {
            // That is refused already.
            Err(Error::Refused { .. } | Error::Missing { .. }) => return Ok(()),
            outcome => outcome?,
        }
        let found = kept::look(source, target, kept, copied).await?;
        if found.is_empty() {
            return Ok(());
        }
        let mut possible = Vec::new();
        for rows in [ExistingRows::Merge, ExistingRows::Delete] {
            session::mark(source).await?;
            match takes_rows(source, target, catalog, kept, tables, rows).await {
                Ok(true) => possible.push(rows),
                Ok(false) => {}
                Err(error) if error.is_denied() => session::back_to_mark(source).await?,
                Err(error) => return Err(error),
            }
            session::unmark(source).await?;
        }
        for reference in found {
            match reference.told(&possible) {
                Ok(note) => self.notes.push(note),
                Err(error) => self.refuse(ReasonKind::References, [error]),
            }
        }
        Ok(())
    }

    /// What the copy leaves behind of the tables. Those of the target have their own definitions.
    fn note_omissions(
        &mut self,
        tables: &[PreparedTable<'_>],
        target_catalog: &Catalog,
    ) -> Result<(), Error> {
        let is_made =
            |table: &PreparedTable<'_>| target::table_of(target_catalog, &table.to).is_none();
        let all: Vec<&PreparedTable<'_>> = tables.iter().collect();
        for table in &all {
            self.notes.extend(table.omitted_columns());
            if is_made(table) {
                self.notes
                    .extend(create::creation(table, &all, false)?.left_out);
                self.notes.extend(omissions::of_table(table));
            }
            self.notes.extend(omissions::of_rows(table));
        }
        // Those who made a table chose its collations, if there are any to choose from.
        let told = all
            .into_iter()
            .filter(|table| is_made(table) || !engine(table.to.backend).columns.names_collations);
        self.notes.extend(omissions::of_text(told));
        let planned = planned_objects(tables)?.into_iter();
        let planned = planned.filter(|(number, _)| is_made(&tables[*number]));
        let omitted = planned.filter_map(|(_, planned)| planned.err());
        self.notes.extend(objects::notes(omitted));
        Ok(())
    }
}

/// Whether nothing refuses that a table of the target gets the source's rows instead of keeping its
/// own, so that a person may be told to write it.
async fn takes_rows(
    source: &mut Connection,
    target: &mut Connection,
    catalog: &Catalog,
    kept: &PreparedTable<'_>,
    tables: &[PreparedTable<'_>],
    rows: ExistingRows,
) -> Result<bool, Error> {
    let mut to = kept.to.clone();
    to.existing_rows = Some(rows);
    let names: Vec<&QualifiedName> = tables.iter().map(|table| &table.to.name).collect();
    match existing::check_target(target, catalog, &to, &names, false).await {
        Err(Error::Refused { .. } | Error::Missing { .. }) => return Ok(false),
        outcome => outcome?,
    }
    let others = tables.iter().map(|table| &table.to);
    let others = others.filter(|side| side.name != to.name);
    let sides: Vec<&TableSide> = others.chain([&to]).collect();
    if !existing::referring(target, catalog, &sides)
        .await?
        .is_empty()
    {
        return Ok(false);
    }
    let there = target::table_of(catalog, &to);
    let not_null = there.map(|there| target::not_null(&to, there));
    let table = kept.with_target(match there {
        Some(there) => target::as_existing(target, &to, there).await?,
        None => to,
    });
    let mut trial = Findings::default();
    trial
        .check_table(source, target, &table, there, &not_null.unwrap_or_default())
        .await?;
    trial
        .check_references(source, &table, there, tables)
        .await?;
    Ok(trial.refused.is_empty())
}

/// The tables without what is refused already, so that a rehearsal says the rest.
fn without_refused<'c>(tables: &[PreparedTable<'c>], places: &[&Place]) -> Vec<PreparedTable<'c>> {
    let tables = tables.iter().enumerate();
    let tables = tables.filter(|(number, _)| !places.contains(&&Place::Table(*number)));
    let tables = tables.map(|(number, table)| {
        let mut refused = names::spare(&table.to, table.original);
        refused.extend(refused_columns(places, number));
        table.with_target(table.to.without(&refused))
    });
    tables.collect()
}

/// The columns of a table that are refused for themselves.
fn refused_columns(places: &[&Place], table: usize) -> Vec<String> {
    let names = places.iter().filter_map(|place| match place {
        Place::Column(number, name) if *number == table => Some(name.clone()),
        _ => None,
    });
    names.collect()
}
