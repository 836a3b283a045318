//! Makes the tables of a plan before the first row, empty, so that the target's own rules refuse
//! what they would refuse after the last one. Columns have the types that are advised for their
//! values, which an index may not take.

use std::time::Duration;

use rowkey_tables::Error;
use rowkey_tables::advisory_lock::AdvisoryLock;
use rowkey_tables::catalog::{Catalog, QualifiedName};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::types::{ColumnType, Type};

use super::long_rows::greatest;
use super::misfits::Misfits;
use crate::definitions::counters;
use crate::definitions::create;
use crate::definitions::objects::{Object, ObjectKind, line_to_leave_out, list};
use crate::engine::{Rehearsal, engine};
use crate::job::planned_objects;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, TableSide};

/// What the names of stand-ins begin with. A process that was killed leaves them.
const STAND_IN: &str = "rowkey_rehearsal_";

/// How long to wait for another rehearsal: one of many tables takes minutes.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the target has said.
#[derive(Default)]
pub(super) struct Rehearsed {
    pub(super) refused: Vec<Error>,
    /// Why not everything was tried.
    pub(super) note: Option<String>,
}

/// Makes all tables, indexes and references, asks for every refusal, and undoes it.
pub(super) async fn rehearse(
    target: &mut Connection,
    existing: &Catalog,
    tables: &[PreparedTable<'_>],
    misfits: &[Misfits],
) -> Result<Rehearsed, Error> {
    let mut stage = Stage::new(tables, misfits, target);
    // It ends with this connection, if not before.
    let _lock = stage.lock(target).await?;
    let begun = stage.begin(target, existing).await;
    let has_begun = begun.is_ok();
    let played = match begun {
        Ok(()) => stage.play(target).await,
        Err(error) => Err(error),
    };
    let mut denied = None;
    let note = match played {
        Ok(()) => None,
        Err(error) if has_begun && error.is_denied() => {
            denied = Some(Error::refused(
                "the target",
                stage.reason(&error),
                "grant it on the database, because the copy needs it, too; or, if the account has it on these \
                 tables only, write `preflight = false` below `[policy]`",
            ));
            None
        }
        Err(error) if stage.is_prevented(&error) => Some(format!(
            "the target was not asked whether it takes all tables, indexes and references: {}",
            error.reason()
        )),
        Err(error) => {
            // The first error is the one that says why.
            let _ = stage.end(target, existing).await;
            return Err(error);
        }
    };
    match stage.end(target, existing).await {
        Err(error) if note.is_none() || !stage.is_prevented(&error) => return Err(error),
        _ => {}
    }
    let mut refused = stage.refusals();
    refused.extend(denied);
    Ok(Rehearsed { refused, note })
}

/// The tables that are made, and what the target has refused.
struct Stage<'c> {
    how: &'static Rehearsal,
    tables: Vec<PreparedTable<'c>>,
    /// The columns with another type than in the plan, as `to` says it, with the numbers of their
    /// tables.
    advised: Vec<(usize, String, String)>,
    refused_tables: Vec<(usize, String)>,
    refused_objects: Vec<(usize, Object, String)>,
}

impl<'c> Stage<'c> {
    fn new(tables: &[PreparedTable<'c>], misfits: &[Misfits], target: &Connection) -> Self {
        let how = &engine(target.backend()).target.rehearsal;
        let mut advised = Vec::new();
        let staged = tables.iter().enumerate().map(|(number, table)| {
            let stand_in = table.to.name.sibling(stand_in(number));
            let mut to = TableSide {
                stand_in: matches!(how, Rehearsal::StandIns { .. }).then_some(stand_in),
                ..table.to.clone()
            };
            for column in &mut to.columns {
                let mut misfits = misfits.iter();
                let misfits = misfits.find(|one| one.is_of(table.original, &column.name));
                let Some(sql_type) = misfits.and_then(|misfits| misfits.to.as_deref()) else {
                    continue;
                };
                let parsed = ColumnType::parse(target.backend(), sql_type);
                let Some(own) = parsed.meaning() else {
                    continue;
                };
                *column = ColumnSide::new(&column.name, parsed, own, column.content);
                advised.push((number, column.name.clone(), sql_type.to_owned()));
            }
            table.with_target(to)
        });
        let tables = staged.collect();
        Self {
            how,
            tables,
            advised,
            refused_tables: Vec::new(),
            refused_objects: Vec::new(),
        }
    }

    /// Keeps others from this database's stand-ins: they have the same names. On a connection of its
    /// own, because older servers give a session one lock.
    async fn lock(&self, target: &Connection) -> Result<Option<Connection>, Error> {
        if matches!(self.how, Rehearsal::Transaction { .. }) {
            return Ok(None);
        }
        let lock = AdvisoryLock {
            numbers: String::new(),
            name: format!("LEFT(CONCAT('{STAND_IN}', SHA2(DATABASE(), 256)), 64)"),
        };
        let mut keeper = target.another().await?;
        match lock.take(&mut keeper, DOING, PATIENCE).await? {
            true => Ok(Some(keeper)),
            false => Err(Error::refused(
                DOING,
                "another process has one in the same database, and has not ended it for minutes",
                "wait until that has ended",
            )),
        }
    }

    async fn begin(&self, target: &mut Connection, existing: &Catalog) -> Result<(), Error> {
        match self.how {
            Rehearsal::Transaction { begin, .. } => {
                target.execute(DOING, begin).await?;
                Ok(())
            }
            Rehearsal::StandIns { .. } => self.drop_stand_ins(target, existing).await,
        }
    }

    async fn end(&self, target: &mut Connection, existing: &Catalog) -> Result<(), Error> {
        match self.how {
            Rehearsal::Transaction { end, .. } => {
                target.execute(DOING, end).await?;
                Ok(())
            }
            Rehearsal::StandIns { .. } => self.drop_stand_ins(target, existing).await,
        }
    }

    /// Drops the stand-ins, also those that another process has left.
    async fn drop_stand_ins(
        &self,
        target: &mut Connection,
        existing: &Catalog,
    ) -> Result<(), Error> {
        let Rehearsal::StandIns { before, after } = self.how else {
            return Ok(());
        };
        let left = existing.tables.iter().map(|table| &table.name);
        let is_stand_in = |name: &QualifiedName| {
            let number = name.name.strip_prefix(STAND_IN);
            number.is_some_and(|number| number.parse::<usize>().is_ok())
        };
        let left = left.filter(|name| is_stand_in(name));
        let own = self
            .tables
            .iter()
            .filter_map(|table| table.to.stand_in.as_ref());
        let mut names: Vec<&QualifiedName> = left.chain(own).collect();
        names.sort_unstable();
        names.dedup();
        let names = names.into_iter().map(|name| name.quoted(target.backend()));
        let names: Vec<String> = names.collect::<Result<_, _>>()?;
        if names.is_empty() {
            return Ok(());
        }
        target.execute(DOING, before).await?;
        let drop = format!("DROP TABLE IF EXISTS {}", names.join(", "));
        let dropped = target.execute(DOING, &drop).await;
        target.execute(DOING, after).await?;
        dropped.map(|_| ())
    }

    /// Makes the tables, then their indexes, then their references.
    async fn play(&mut self, target: &mut Connection) -> Result<(), Error> {
        let all: Vec<&PreparedTable<'_>> = self.tables.iter().collect();
        for statement in create::before_tables(target, &all).await? {
            target.execute(DOING, &statement).await?;
        }
        for number in 0..self.tables.len() {
            let all: Vec<&PreparedTable<'_>> = self.tables.iter().collect();
            let made = create::creation(all[number], &all, false)?;
            if let Err(error) = self.attempt(target, &made.statement).await? {
                let reason = self.reason(&error);
                self.refused_tables.push((number, reason));
            }
        }
        for (number, object) in planned_objects(&self.tables)? {
            let Ok(object) = object else { continue };
            if self.is_made_with_table(number, &object) || !self.has_tables_of(number, &object) {
                continue;
            }
            let tried = match object.kind {
                ObjectKind::Reference if !engine(target.backend()).objects.adds_references => {
                    self.look_at_reference(target, number, &object).await?
                }
                _ => self.attempt(target, &object.statement).await?,
            };
            if let Err(error) = tried {
                let mut reason = self.reason(&error);
                if self.sets_null(number, &object) {
                    reason += "; SET NULL needs a column that may be NULL";
                }
                self.refused_objects.push((number, object, reason));
            }
        }
        Ok(())
    }

    /// Whether a reference would set a column to NULL that refuses it.
    fn sets_null(&self, number: usize, object: &Object) -> bool {
        let original = self.tables[number].original;
        let mut columns = object.columns.iter();
        object.kind == ObjectKind::Reference
            && object.definition.contains("SET NULL")
            && columns.any(|name| {
                let column = original.column(name);
                column.is_some_and(|column| !column.is_nullable)
            })
    }

    fn is_made_with_table(&self, number: usize, object: &Object) -> bool {
        let PreparedTable { original, to, .. } = &self.tables[number];
        match object.kind {
            ObjectKind::PrimaryKey => true,
            ObjectKind::Index => {
                counters::is_made_with_table(original, to, &object.columns, object.is_unique)
            }
            ObjectKind::Reference | ObjectKind::Check => false,
        }
    }

    /// Whether the tables that an object needs could be made.
    fn has_tables_of(&self, number: usize, object: &Object) -> bool {
        let mut refused = self.refused_tables.iter();
        let referred = object.referred.as_ref().map(|(name, _)| name);
        !refused
            .any(|(table, _)| *table == number || Some(&self.tables[*table].to.name) == referred)
    }

    /// Runs a statement; what the target refuses is the inner error.
    async fn attempt(
        &self,
        target: &mut Connection,
        statement: &str,
    ) -> Result<Result<(), Error>, Error> {
        if let Rehearsal::Transaction { savepoint, .. } = self.how {
            target.execute(DOING, savepoint).await?;
        }
        let error = match target.execute(DOING, statement).await {
            Ok(_) => return Ok(Ok(())),
            Err(error) => error,
        };
        if self.is_prevented(&error) {
            return Err(error);
        }
        // Fails where the connection is lost, or the transaction at an end.
        if let Rehearsal::Transaction { back, .. } = self.how {
            target.execute(DOING, back).await?;
        }
        Ok(Err(error))
    }

    /// SQLite makes references with their tables, and looks at the key that one refers to when it
    /// looks at rows: here at none, of a table that has this reference alone.
    async fn look_at_reference(
        &self,
        target: &mut Connection,
        number: usize,
        object: &Object,
    ) -> Result<Result<(), Error>, Error> {
        let Some(query) = engine(target.backend()).objects.orphans else {
            return Ok(Ok(()));
        };
        let (stand_in, columns) = (stand_in(number), list(target.backend(), &object.columns)?);
        let create = format!("CREATE TABLE {stand_in} ({columns}, {})", object.definition);
        if let Err(error) = self.attempt(target, &create).await? {
            return Ok(Err(error));
        }
        let name = Value::from(stand_in.as_str());
        let looked = target.query(DOING, query, &[name]).await;
        let drop = format!("DROP TABLE {stand_in}");
        target.execute(DOING, &drop).await?;
        Ok(looked.map(|_| ()))
    }

    /// Whether the target could not be asked: the account may not drop stand-ins, or the server has
    /// no memory for so many locks.
    fn is_prevented(&self, error: &Error) -> bool {
        let is_full = |state: &str| state.starts_with("53");
        match self.how {
            Rehearsal::StandIns { .. } => error.is_denied(),
            Rehearsal::Transaction { .. } => error.sql_state().is_some_and(|state| is_full(&state)),
        }
    }

    /// What the server said, with the names of the tables themselves.
    fn reason(&self, error: &Error) -> String {
        let mut reason = error.reason();
        // Backwards, because the name of stand-in 10 begins with that of stand-in 1.
        for (number, table) in self.tables.iter().enumerate().rev() {
            reason = reason.replace(&stand_in(number), &table.to.name.name);
        }
        reason
    }

    /// The reason, with the types that are advised for some columns of a table.
    fn with_advised(&self, number: usize, columns: &[String], reason: &str) -> String {
        let advised = self.advised.iter();
        let advised = advised.filter(|(table, name, _)| *table == number && columns.contains(name));
        let types = advised.map(|(_, name, sql_type)| {
            let sql_type = toml::Value::from(sql_type.as_str());
            format!("`to = {sql_type}` for {name}")
        });
        let types: Vec<String> = types.collect();
        match types.is_empty() {
            true => reason.to_owned(),
            false => format!("with {}: {reason}", types.join(" and ")),
        }
    }

    fn refusals(self) -> Vec<Error> {
        let mut refused = Vec::new();
        for (number, reason) in &self.refused_tables {
            let to = &self.tables[*number].to;
            let columns: Vec<String> = to.columns.iter().map(|one| one.name.clone()).collect();
            let typed = |column: &ColumnSide| format!("{} {}", column.name, column.sql_type.bare());
            let key: Vec<String> = to.key_columns().map(typed).collect();
            let advised = self.advised.iter().filter(|(other, ..)| other == number);
            let advised: Vec<&str> = advised.map(|(_, name, _)| name.as_str()).collect();
            let is_advised = to
                .key_columns()
                .any(|column| advised.contains(&column.name.as_str()));
            let instead = match shorter_key(to, &advised) {
                Some(lines) => format!("give a column another type with `to`, such as {lines}"),
                // A shorter one would not hold its values.
                None if is_advised => "shorten the values of the key".into(),
                None if key.is_empty() => "give a column another type with `to`".into(),
                None => format!(
                    "give a column another type with `to` (the key is {})",
                    key.join(", ")
                ),
            };
            refused.push(Error::refused(
                format!("the table {} in the target", to.name),
                self.with_advised(*number, &columns, reason),
                format!("{instead}, or delete the table's entry from the plan"),
            ));
        }
        for (number, object, reason) in &self.refused_objects {
            let PreparedTable { original, to, .. } = &self.tables[*number];
            let own = self.refused_objects.iter();
            let own = own.filter(|(other, ..)| other == number);
            let own = own.map(|(_, object, _)| &object.name);
            let names: Vec<String> = to.leave_out.iter().chain(own).cloned().collect();
            let line = line_to_leave_out(&original.name, &names);
            refused.push(Error::refused(
                format!("{}: the {}", to.name, object.described()),
                self.with_advised(*number, &object.columns, reason),
                format!("to leave it out, {line}"),
            ));
        }
        refused
    }
}

/// The lines that make a key short enough whose columns have too many bytes together; the values of
/// some need as many as these have.
fn shorter_key(to: &TableSide, advised: &[&str]) -> Option<String> {
    let limit = engine(to.backend).objects.key_bytes?;
    let is_long = |column: &&ColumnSide| {
        matches!(column.own, Type::Text(Some(_)) | Type::PaddedText(_))
            && !advised.contains(&column.name.as_str())
    };
    let (long, others): (Vec<&ColumnSide>, Vec<&ColumnSide>) = to.key_columns().partition(is_long);
    let bytes = greatest(others.iter().copied())? as usize;
    let of_others = bytes + others.len() * OTHER_BYTES;
    if long.is_empty() || greatest(long.iter().copied())? as usize + of_others <= limit as usize {
        return None;
    }
    let share = (limit as usize).checked_sub(of_others)? / 4 / long.len();
    let shorter = long.into_iter().filter_map(|column| {
        let length = column.sql_type.length()?;
        let (had, has) = (format!("({length})"), format!("({share})"));
        let to = column.sql_type.as_str().replacen(&had, &has, 1);
        let to = toml::Value::from(to);
        (length as usize > share).then(|| format!("`to = {to}` for {}", column.name))
    });
    let lines: Vec<String> = shorter.collect();
    (!lines.is_empty()).then(|| lines.join(", "))
}

/// More bytes than columns of a key take that are neither text nor bytes.
const OTHER_BYTES: usize = 32;

const DOING: &str = "the rehearsal in the target";

fn stand_in(number: usize) -> String {
    format!("{STAND_IN}{number}")
}
