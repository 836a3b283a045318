//! A session that runs the statements of the pages.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

use anyhow::{Context, Result, ensure};

use crate::book;
use crate::driver::{Driver, Session};

/// A session that runs blocks of the pages by their names, and remembers which ones ran.
///
/// The statements of a block are not handed out, so that a scenario cannot take one without running
/// it.
pub(super) struct PageSession<'s, D: Driver> {
    session: &'s mut Session<D>,
    has_run: BTreeSet<String>,
}

impl<D: Driver> Deref for PageSession<'_, D> {
    type Target = Session<D>;

    fn deref(&self) -> &Session<D> {
        self.session
    }
}

impl<D: Driver> DerefMut for PageSession<'_, D> {
    fn deref_mut(&mut self) -> &mut Session<D> {
        self.session
    }
}

impl<'s, D: Driver> PageSession<'s, D> {
    pub(super) fn new(session: &'s mut Session<D>) -> Self {
        Self {
            session,
            has_run: BTreeSet::new(),
        }
    }

    /// Fails unless these blocks have run as they are on the page and without an error.
    pub(super) fn ensure_has_run(&self, blocks: &[&str]) -> Result<()> {
        for block in blocks {
            ensure!(self.has_run.contains(*block), "`{block}` has not run");
        }
        Ok(())
    }

    /// Runs a block that returns no rows.
    pub(super) async fn run_block(&mut self, name: &str) -> Result<()> {
        let sql = self.sql(name)?;
        self.session.execute(sql).await?;
        self.has_run.insert(name.to_owned());
        Ok(())
    }

    /// Runs a block as a client does that goes on after an error, and counts the errors.
    pub(super) async fn try_block(&mut self, name: &str) -> Result<usize> {
        let sql = self.sql(name)?;
        let errors = self.count_errors(sql).await;
        if errors == 0 {
            self.has_run.insert(name.to_owned());
        }
        Ok(errors)
    }

    /// The same for a block that is changed first, which does not count as run.
    pub(super) async fn try_changed_block(
        &mut self,
        name: &str,
        change: impl FnOnce(&str) -> String,
    ) -> Result<usize> {
        let sql = self.sql(name)?;
        let changed = change(sql);
        ensure!(changed != sql, "`{name}` is not changed");
        Ok(self.count_errors(&changed).await)
    }

    /// Runs a block, with the view that it needs, and reads each of its rows.
    pub(super) async fn rows_of<T>(
        &mut self,
        name: &str,
        read: impl FnMut(&D::Row<'_>) -> Result<T, D::Error>,
    ) -> Result<Vec<T>> {
        let sql = self.sql(name)?;
        let needs_view = sql.contains("FROM order_ids");
        if needs_view {
            self.run_block("order-ids").await?;
        }
        let rows = self.session.fetch_text(sql, read).await;
        if needs_view {
            self.session.execute("DROP VIEW order_ids").await?;
        }
        let rows = rows.with_context(|| name.to_owned())?;
        self.has_run.insert(name.to_owned());
        Ok(rows)
    }

    /// Runs a block that returns one row of integers.
    pub(super) async fn counts_of<const N: usize>(
        &mut self,
        name: &str,
        columns: [&str; N],
    ) -> Result<[i64; N]> {
        let mut counts = [0; N];
        let read = |row: &D::Row<'_>| {
            for (count, column) in counts.iter_mut().zip(columns) {
                *count = D::get_integer(row, column)?;
            }
            Ok(())
        };
        let rows = self.rows_of(name, read).await?.len();
        ensure!(rows == 1, "{name}: {rows} rows");
        Ok(counts)
    }

    fn sql(&self, name: &str) -> Result<&'static str> {
        book::sql(self.session.backend(), name)
    }

    async fn count_errors(&mut self, sql: &str) -> usize {
        // A statement with a body in it is alone in its block.
        let statements: Vec<&str> = match sql.contains("$$") {
            true => vec![sql],
            false => sql.split(';').collect(),
        };
        let mut errors = 0;
        for statement in statements {
            if !statement.trim().is_empty() {
                errors += usize::from(self.session.execute(statement).await.is_err());
            }
        }
        errors
    }
}
