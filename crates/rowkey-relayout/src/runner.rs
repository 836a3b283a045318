//! Runs statements, or collects them for people to read.

use crate::engine;
use crate::plan::OldPrograms;
use crate::refusals::Refusals;
use crate::work::{Form, Work};
use rowkey_tables::catalog::Catalog;
use rowkey_tables::connection::{Connection, Row, Value};
use rowkey_tables::{Error, Progress, Step};

/// Where the statements of a phase go. A phase is written once, for both.
pub(super) struct Runner<'r> {
    connection: &'r mut Connection,
    progress: &'r mut dyn Progress,
    /// The statements so far, if they are not to be run.
    script: Option<Vec<String>>,
}

impl<'r> Runner<'r> {
    /// Runs the statements.
    pub(super) fn live(connection: &'r mut Connection, progress: &'r mut dyn Progress) -> Self {
        Self {
            connection,
            progress,
            script: None,
        }
    }

    /// Collects the statements. Queries still run, because phases ask the catalogue.
    pub(super) fn dry(connection: &'r mut Connection, progress: &'r mut dyn Progress) -> Self {
        Self {
            connection,
            progress,
            script: Some(Vec::new()),
        }
    }

    /// Whether the statements are collected.
    pub(super) fn is_dry(&self) -> bool {
        self.script.is_some()
    }

    /// Runs or collects a statement; how many rows were affected.
    pub(super) async fn run(&mut self, doing: &str, statement: &str) -> Result<u64, Error> {
        match &mut self.script {
            Some(script) => {
                script.push(format!("{statement};"));
                Ok(0)
            }
            None => self.connection.execute(doing, statement).await,
        }
    }

    /// The rows of a query.
    pub(super) async fn query(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
    ) -> Result<Vec<Row>, Error> {
        self.connection.query(doing, query, values).await
    }

    /// The row of a query that always has one.
    pub(super) async fn one_row(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
    ) -> Result<Row, Error> {
        self.connection.one_row(doing, query, values).await
    }

    /// Whether what a query of one row selects is true.
    pub(super) async fn is(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
    ) -> Result<bool, Error> {
        self.connection.is(doing, query, values).await
    }

    /// The count that is all that a query selects.
    pub(super) async fn count(&mut self, doing: &str, query: &str) -> Result<u64, Error> {
        self.connection.count(doing, query, &[]).await
    }

    /// Fails if values that were written since the swap have no way back.
    pub(super) async fn refuse_values_damaged_since(&mut self, work: &Work) -> Result<(), Error> {
        let mut refusals = Refusals::default();
        refusals
            .add_damaged_values(self.connection, work, Form::New)
            .await?;
        refusals.result()
    }

    /// What the catalogue says now.
    pub(super) async fn catalog(&mut self) -> Result<Catalog, Error> {
        Catalog::read(self.connection).await
    }

    /// A comment in the script, a step of the progress.
    pub(super) fn begins(&mut self, what: &str) {
        match &mut self.script {
            Some(script) => script.push(format!("-- {what}")),
            None => self.progress.report(Step::Begins(what.into())),
        }
    }

    /// Tells how far a table is.
    pub(super) fn rows(&mut self, table: &str, done: u64, expected: Option<u64>) {
        self.progress.report(Step::Rows {
            table: table.into(),
            done,
            expected,
        });
    }

    /// Tells something that a person should know.
    pub(super) fn note(&mut self, note: String) {
        self.progress.report(Step::Note(note));
    }

    /// Tells what sessions of new programs say, if they have to.
    pub(super) fn tell_mark(&mut self, work: &Work) {
        if work.policy.old_programs == OldPrograms::Mark {
            let statement = engine::marking(work.backend, &work.mark);
            self.note(format!(
                "programs with the new declaration say: {statement}"
            ));
        }
    }

    /// The collected statements.
    pub(super) fn into_script(self) -> Vec<String> {
        self.script.unwrap_or_default()
    }
}
