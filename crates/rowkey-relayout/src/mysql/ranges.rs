//! A table's rows in ranges of its primary key, in that order.
//!
//! The ends of a range are variables of the session, so that a key of any type keeps its value.

use super::names::quoted;
use super::rebuilt::Rebuilt;
use crate::runner::Runner;
use crate::work::Form;
use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::Column;
use rowkey_tables::dialect::compared;
use rowkey_tables::types::Type;

/// The ranges of a table, one after the other.
#[derive(Debug)]
pub(super) struct Ranges {
    /// The table in SQL.
    table: String,
    /// The key's columns in SQL.
    key: Vec<KeyColumn>,
    has_start: bool,
    has_end: bool,
    is_over: bool,
}

#[derive(Debug)]
struct KeyColumn {
    name: String,
    /// Whether its values are ordered by numbers that they only show as text.
    is_member: bool,
}

impl KeyColumn {
    fn new(column: &Column, name: String) -> Self {
        let meaning = column.column_type(Backend::MySql).meaning();
        Self {
            name,
            is_member: matches!(meaning, Some(Type::Enum | Type::Set)),
        }
    }

    /// What is compared, of the row with the qualifier.
    fn compared(&self, qualifier: &str) -> String {
        match self.is_member {
            true => format!("({qualifier}{} + 0)", self.name),
            false => format!("{qualifier}{}", self.name),
        }
    }
}

impl Ranges {
    /// The ranges of a form's table, which has the name in SQL.
    pub(super) fn new(table: &Rebuilt<'_>, form: Form, name: String) -> Result<Self, Error> {
        let mut key = Vec::new();
        for column in table.key()? {
            key.push(KeyColumn::new(column, table.quoted_of(&column.name, form)?));
        }
        Ok(Self {
            table: name,
            key,
            has_start: false,
            has_end: false,
            is_over: false,
        })
    }

    /// The rows after the saved end of an earlier range, if there is one.
    pub(super) async fn go_on(
        &mut self,
        runner: &mut Runner<'_>,
        saved: &str,
    ) -> Result<(), Error> {
        let saved = quoted(saved)?;
        if runner.is_dry() {
            return Ok(());
        }
        let doing = "the progress of an earlier run";
        let count = format!("SELECT COUNT(*) FROM {saved}");
        if runner.is(doing, &count, &[]).await? {
            let columns = self.each(|number, column| match column.is_member {
                true => format!("key_{number} + 0"),
                false => format!("key_{number}"),
            });
            let variables = self.each(|number, _| format!("@rowkey_to_{number}"));
            let read = format!("SELECT {columns} INTO {variables} FROM {saved}");
            runner.run(doing, &read).await?;
            // The next range begins where this one ends.
            self.has_end = true;
        }
        Ok(())
    }

    /// Finds the end of the next range. False if there is none.
    pub(super) async fn next(&mut self, runner: &mut Runner<'_>, rows: u32) -> Result<bool, Error> {
        if self.is_over {
            return Ok(false);
        }
        self.has_start |= self.has_end;
        let start = self.has_end.then(|| {
            let start =
                self.each(|number, _| format!("@rowkey_from_{number} = @rowkey_to_{number}"));
            format!("{start}, ")
        });
        self.find_end(runner, rows, &start.unwrap_or_default())
            .await?;
        Ok(true)
    }

    /// Ends the range after fewer rows than it has.
    pub(super) async fn shorten(
        &mut self,
        runner: &mut Runner<'_>,
        rows: u32,
    ) -> Result<(), Error> {
        self.find_end(runner, rows, "").await
    }

    /// Finds the end of the range, after `set` has set where it begins.
    async fn find_end(
        &mut self,
        runner: &mut Runner<'_>,
        rows: u32,
        set: &str,
    ) -> Result<(), Error> {
        let doing = format!("the next rows of {}", self.table);
        let none = self.each(|number, _| format!("@rowkey_to_{number} = NULL"));
        runner.run(&doing, &format!("SET {set}{none}")).await?;
        let columns = self.each(|_, column| column.compared(""));
        let variables = self.each(|number, _| format!("@rowkey_to_{number}"));
        let after = match self.has_start {
            true => format!("WHERE {} ", self.after("")),
            false => String::new(),
        };
        let order = self.each(|_, column| column.name.clone());
        let find = format!(
            "SELECT {columns} INTO {variables} FROM {} {after}ORDER BY {order} LIMIT 1 OFFSET {}",
            self.table,
            rows.saturating_sub(1)
        );
        let found = runner.run(&doing, &find).await?;
        // A dry run shows one range, which stands for all.
        self.has_end = runner.is_dry() || found > 0;
        self.is_over = runner.is_dry() || found == 0;
        Ok(())
    }

    /// The condition for the rows of the range. The last one has no end.
    pub(super) fn condition(&self, qualifier: &str) -> String {
        let mut conditions = Vec::new();
        if self.has_start {
            conditions.push(self.after(qualifier));
        }
        if self.has_end {
            conditions.push(self.compared(qualifier, ["<", "<="], "to"));
        }
        match conditions.is_empty() {
            true => "TRUE".into(),
            false => conditions.join(" AND "),
        }
    }

    fn after(&self, qualifier: &str) -> String {
        self.compared(qualifier, [">", ">"], "from")
    }

    /// The comparison of the key with variables.
    fn compared(&self, qualifier: &str, operators: [&str; 2], variable: &str) -> String {
        let columns = self.key.iter().map(|column| column.compared(qualifier));
        let variables = (1..=self.key.len()).map(|number| format!("@rowkey_{variable}_{number}"));
        let (columns, variables): (Vec<String>, Vec<String>) = columns.zip(variables).unzip();
        compared(&columns, &variables, operators)
    }

    /// The statement that saves the end of the range, if it has one.
    pub(super) fn save(&self, progress: &str) -> Result<Option<String>, Error> {
        if !self.has_end {
            return Ok(None);
        }
        let columns = self.each(|number, _| format!("key_{number}"));
        let variables = self.each(|number, _| format!("@rowkey_to_{number}"));
        let set = self.each(|number, _| format!("key_{number} = VALUES(key_{number})"));
        Ok(Some(format!(
            "INSERT INTO {} (one, {columns}) VALUES (1, {variables}) \
             ON DUPLICATE KEY UPDATE {set}",
            quoted(progress)?
        )))
    }

    fn each(&self, sql: impl Fn(usize, &KeyColumn) -> String) -> String {
        let each = (1..)
            .zip(&self.key)
            .map(|(number, column)| sql(number, column));
        each.collect::<Vec<String>>().join(", ")
    }
}
