//! What a plan will do to the rows that exist, before it does anything.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_sql::{Conversion, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, DependentKind, QualifiedName, Table};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::ColumnType;
use serde::Serialize;

use crate::change;
use crate::engine;
use crate::id_map::example_id;
use crate::plan::{OldPrograms, Plan};
use crate::refusals::Refusals;

/// How many rows are shown before and after.
const SAMPLES: usize = 5;

/// How many rows are converted to measure the time.
const TIMED_ROWS: u32 = 20_000;

/// What a plan will do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preflight {
    /// The columns that change, the key first.
    pub columns: Vec<ColumnPreflight>,
    /// Why the change is refused; nothing if it can begin.
    pub refused: Vec<String>,
    /// What takes locks, on what, and for how long, as sentences.
    pub locks: Vec<String>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// A column that changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnPreflight {
    /// The column's table.
    pub table: QualifiedName,
    /// The column's name.
    pub column: String,
    /// The column's name after the change.
    pub becomes: String,
    /// How many values it has.
    pub values: u64,
    /// How many of them aren't ids of the format in the form that the plan names.
    pub damaged: u64,
    /// Some values, as the database stores them: before, and after.
    pub samples: Vec<Sample>,
    /// How long the database takes to convert all values, extrapolated from the first of them, in
    /// seconds. Writing them, their indexes and their constraints come on top.
    pub conversion_seconds: f64,
}

/// A value before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// As it is stored: bytes in hexadecimal.
    pub before: String,
    /// As it will be stored; nothing if it cannot be converted. If rows get new ids, the text of
    /// one that the row could get: the change makes another with the same time.
    pub after: Option<String>,
}

impl Preflight {
    /// Reads the tables of a plan. Nothing is written.
    ///
    /// It doesn't check whether the values look like ids of the plan's format:
    /// `doctor::contradiction` does, and `rowkey preflight` adds its sentence to the notes.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if the database refuses a query. What refuses the change is in the
    /// answer.
    pub async fn read(connection: &mut Connection, plan: &Plan) -> Result<Self, Error> {
        let mut preflight = Self {
            columns: Vec::new(),
            refused: Vec::new(),
            locks: locks(connection.backend()),
            notes: Vec::new(),
        };
        let catalog = Catalog::read(connection).await?;
        let outcome = change::refuse(connection, plan, &catalog).await;
        let refused: BTreeSet<(QualifiedName, String)> = outcome
            .iter()
            .flat_map(Refusals::columns)
            .map(|(table, column)| (table.clone(), column.to_owned()))
            .collect();
        let unseen = outcome.iter().flat_map(Refusals::unseen);
        preflight.notes.extend(unseen.cloned());
        let outcome = outcome.map(|refusals| preflight.refused.extend(refusals.sentences()));
        preflight.refuse_if_against(outcome)?;
        preflight.notes.extend(catalog.unseen.iter().cloned());
        preflight.notes.push(deployment(plan)?);
        preflight.notes.extend(routines(plan, &catalog));
        let (from, to) = plan.forms(connection.backend())?;
        for planned in plan.columns() {
            let (table, column) = (planned.table, planned.name);
            let seen = catalog.table(table).map(|table| table.column(column));
            if !matches!(seen, Ok(Some(_))) {
                preflight.refused.push(format!(
                    "{table}.{column} does not exist in the database, or the account may not see it"
                ));
                continue;
            }
            let mut part = ColumnPreflight {
                table: table.clone(),
                column: column.to_owned(),
                becomes: planned.becomes.to_owned(),
                values: 0,
                damaged: 0,
                samples: Vec::new(),
                conversion_seconds: 0.0,
            };
            let is_refused = refused.contains(&(table.clone(), column.to_owned()));
            match part.read(connection, from, to).await {
                // A column of another type, which is among the refusals, may not even be compared.
                Err(Error::Database { .. }) if is_refused => continue,
                Err(error) if error.is_denied() => {
                    let reason = error.reason();
                    let what = format!("{table}.{column} may not be read by the account: {reason}");
                    preflight.refused.push(what);
                    continue;
                }
                outcome => outcome?,
            }
            // Only for the key: references get the ids of the rows that they refer to.
            if from.is_none() && planned.is_key {
                let found = catalog.table(table)?;
                let created = plan.key.created.as_deref();
                let untimed = untimed(connection, found, created).await?;
                preflight.notes.extend(untimed);
                // What is wrong with the creation column is among the refusals.
                if let Ok(example) = example_id(to, found, created) {
                    part.make(connection, found, created, &example).await?;
                }
            }
            if part.damaged > 0 && !is_refused {
                preflight.refused.push(format!(
                    "{table}.{column}: {} of {} values are no {} as {}",
                    part.damaged,
                    part.values,
                    plan.key.format,
                    plan.key.from.as_deref().unwrap_or_default(),
                ));
            }
            preflight.columns.push(part);
        }
        Ok(preflight)
    }

    /// A reason against the change is a part of the answer, and so is a privilege that is missing.
    fn refuse_if_against(&mut self, outcome: Result<(), Error>) -> Result<(), Error> {
        match outcome {
            Err(error @ (Error::Refused { .. } | Error::Differs { .. })) => {
                self.refused.push(error.to_string());
            }
            // The columns of the plan are looked at one by one, and those that are missing named.
            Err(Error::Missing { .. }) => {}
            Err(error) if error.is_denied() => {
                let reason = error.reason();
                self.refused
                    .push(format!("not everything may be read: {reason}"));
            }
            outcome => outcome?,
        }
        Ok(())
    }
}

impl ColumnPreflight {
    async fn read(
        &mut self,
        connection: &mut Connection,
        from: Option<StoredForm>,
        to: StoredForm,
    ) -> Result<(), Error> {
        self.count(connection, from).await?;
        match from {
            Some(from) => self.convert(connection, from, to).await,
            None => Ok(()),
        }
    }

    async fn count(
        &mut self,
        connection: &mut Connection,
        from: Option<StoredForm>,
    ) -> Result<(), Error> {
        let backend = connection.backend();
        let table = self.table.quoted(backend)?;
        let column = quote_identifier(backend, &self.column)?;
        let good = match from {
            Some(from) => format!("count(CASE WHEN {} THEN 1 END)", from.condition(&column)?),
            None => format!("count({column})"),
        };
        let query = format!("SELECT count({column}), {good} FROM {table}");
        let doing = format!("the values of {}.{}", self.table, self.column);
        let row = connection.one_row(&doing, &query, &[]).await?;
        let (values, good) = (row.count(0)?, row.count(1)?);
        let damaged = values.checked_sub(good).ok_or_else(|| Error::Differs {
            what: doing,
            found: format!("{good} of {values} are ids"),
        });
        (self.values, self.damaged) = (values, damaged?);
        Ok(())
    }

    async fn convert(
        &mut self,
        connection: &mut Connection,
        from: StoredForm,
        to: StoredForm,
    ) -> Result<(), Error> {
        let column = quote_identifier(connection.backend(), &self.column)?;
        let after = Conversion::new(from, to)?.of(&column)?;
        let trial = Trial {
            before: readable(from, &column),
            after: readable(to, &after),
            timed: after,
            columns: column,
        };
        self.try_out(connection, &trial).await
    }

    /// Makes new ids, which nobody keeps.
    async fn make(
        &mut self,
        connection: &mut Connection,
        table: &Table,
        created: Option<&str>,
        id: &str,
    ) -> Result<(), Error> {
        let backend = connection.backend();
        let column = quote_identifier(backend, &self.column)?;
        let mut columns = column.clone();
        if let Some(created) = created.filter(|created| *created != self.column) {
            columns = format!("{columns}, {}", quote_identifier(backend, created)?);
        }
        let found = table.column(&self.column);
        let column_type = found.map(|found| found.column_type(backend));
        let trial = Trial {
            before: match column_type.is_some_and(|found| is_bytes(&found)) {
                true => column.clone(),
                false => backend.as_text(&column),
            },
            after: id.to_owned(),
            timed: id.to_owned(),
            columns,
        };
        self.try_out(connection, &trial).await
    }

    /// Shows values before and after, and measures how long the new ones take.
    async fn try_out(&mut self, connection: &mut Connection, trial: &Trial) -> Result<(), Error> {
        let Trial {
            before,
            after,
            timed,
            columns,
        } = trial;
        let backend = connection.backend();
        let table = self.table.quoted(backend)?;
        let column = quote_identifier(backend, &self.column)?;
        let doing = format!("the conversion of {}.{}", self.table, self.column);
        let (top, limit) = backend.first_rows(SAMPLES);
        let query =
            format!("SELECT {top}{before}, {after} FROM {table} WHERE {column} IS NOT NULL{limit}");
        for row in connection.query(&doing, &query, &[]).await? {
            self.samples.push(Sample {
                before: shown(row.0.first()).unwrap_or_default(),
                after: shown(row.0.get(1)),
            });
        }
        let (top, limit) = backend.first_rows(TIMED_ROWS);
        let query = format!(
            "SELECT count({timed}) FROM (SELECT {top}{columns} FROM {table} \
             WHERE {column} IS NOT NULL{limit}) AS timed"
        );
        let start = Instant::now();
        connection.query(&doing, &query, &[]).await?;
        self.conversion_seconds = extrapolated(start.elapsed(), self.values);
        Ok(())
    }
}

/// SQL over a table, for a look at what a change will do.
struct Trial {
    before: String,
    after: String,
    /// The value whose making is measured.
    timed: String,
    /// The columns that it needs.
    columns: String,
}

/// Tells how many rows get new ids with the time of the change.
async fn untimed(
    connection: &mut Connection,
    table: &Table,
    created: Option<&str>,
) -> Result<Option<String>, Error> {
    let Some(created) = created.filter(|created| table.column(created).is_some()) else {
        return Ok(None);
    };
    let backend = connection.backend();
    let query = format!(
        "SELECT count(*) FROM {} WHERE {} IS NULL",
        table.name.quoted(backend)?,
        quote_identifier(backend, created)?
    );
    let doing = format!("the creation times of {}", table.name);
    let count = connection.count(&doing, &query, &[]).await?;
    Ok((count > 0).then(|| {
        format!(
            "{count} rows of {} have no {created}: their new ids carry the time of the change.",
            table.name
        )
    }))
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn extrapolated(measured: Duration, rows: u64) -> f64 {
    let timed = rows.min(u64::from(TIMED_ROWS)).max(1);
    measured.as_secs_f64() * rows as f64 / timed as f64
}

/// Numbers and MariaDB's UUIDs as text, whatever their driver has for them.
fn readable(form: StoredForm, sql: &str) -> String {
    use rowkey_core::storage::Storage;
    let is_plain = !matches!(form.storage(), Storage::Decimal | Storage::NativeUuid);
    match is_plain {
        true => sql.into(),
        false => form.backend().as_text(sql),
    }
}

/// Whether drivers read the values of a column as bytes.
fn is_bytes(column_type: &ColumnType) -> bool {
    matches!(
        column_type.name(),
        "binary" | "varbinary" | "blob" | "bytea"
    )
}

fn shown(value: Option<&Value>) -> Option<String> {
    let value = value.filter(|value| **value != Value::Null);
    value.map(ToString::to_string)
}

fn deployment(plan: &Plan) -> Result<String, Error> {
    Ok(match plan.policy.old_programs {
        OldPrograms::Rename => format!(
            "After the swap, {}.{} is called {}: statements of programs with the old declaration fail, \
             so deploy the new one at that moment. After --contract, statements that name no columns no \
             longer fail: no old program may be left.",
            plan.key.table, plan.key.column, plan.key.becomes
        ),
        OldPrograms::Mark => format!(
            "After the swap, rows are accepted from sessions with the mark only: programs with the new \
             declaration say when they connect: {}. --contract ends that: no old program may be left. \
             Another version of the plan has another mark.",
            engine::marking(plan.backend()?, &plan.mark()?)
        ),
    })
}

/// What the database does not look into: routines and events that name a table of the plan.
fn routines(plan: &Plan, catalog: &Catalog) -> Vec<String> {
    let mut notes = Vec::new();
    let names = plan.tables();
    for table in catalog
        .tables
        .iter()
        .filter(|table| names.contains(&table.name))
    {
        let changes = |column: &String| {
            let mut columns = plan.columns();
            columns.any(|one| *one.table == table.name && one.name == *column)
        };
        for one in &table.dependents {
            let is_routine = matches!(one.kind, DependentKind::Routine | DependentKind::Event);
            if is_routine && (one.columns.is_empty() || one.columns.iter().any(changes)) {
                let (kind, name) = (one.kind.name(), &one.name);
                notes.push(format!(
                    "the {kind} {name} names {}: if it uses a changed column, change it with the programs",
                    table.name
                ));
            }
        }
    }
    notes
}

/// What takes locks.
fn locks(backend: Backend) -> Vec<String> {
    let sentences = engine::locks(backend);
    let contract = "contract: write locks on all tables of the plan, while foreign keys get their names back and \
                    empty columns are dropped: that takes as long as building the tables again";
    let contract = backend.cascades_without_lock().then_some(contract);
    let sentences = sentences.iter().copied().chain(contract);
    sentences.map(Into::into).collect()
}
