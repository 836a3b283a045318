//! What a deletion takes along, where a trigger has to say so.
//!
//! MySQL from 9.6 on carries out foreign keys itself, unless it leaves them to InnoDB
//! (`innodb_native_foreign_keys`). A cascade that finds rows of its own table makes it count wrongly: it then
//! refuses whatever else finds a row for a foreign key, until the next row of the program's statement
//! (error 6575). That includes the triggers. So they remove the rows from the leaves on, and the foreign
//! keys of the other table have nothing left to find.

use super::super::refusals::Refusals;
use super::super::runner::Runner;
use super::super::work::Work;
use super::names;
use super::rebuilt::{Rebuilt, Side, in_order, quoted};
use super::values::Reading;
use crate::catalog::{Catalog, ForeignKey, Index, QualifiedName, Table};
use crate::connection::Row;
use crate::error::Error;

/// What to do about tables with which the server itself cannot deal.
const INSTEAD: &str =
    "start the server with --innodb-native-foreign-keys=ON until the change is contracted";

/// Who carries out foreign keys, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cascades {
    /// The server knows how to, whatever it does until its next start.
    may_be_of_server: bool,
    /// The server, and not InnoDB.
    are_of_server: bool,
    /// The triggers of the rows run that a cascade changes.
    fire_triggers: bool,
}

impl Cascades {
    /// The query that tells. Other servers have no such variables. Sessions of programs begin as this one has begun.
    pub(super) const QUERY: &str = "SHOW SESSION VARIABLES WHERE variable_name IN \
                                    ('innodb_native_foreign_keys', 'enable_cascade_triggers')";

    pub(super) async fn read(runner: &mut Runner<'_>) -> Result<Self, Error> {
        let rows = runner.query("who carries out foreign keys", Self::QUERY, &[]);
        Self::from_rows(&rows.await?)
    }

    pub(super) fn from_rows(rows: &[Row]) -> Result<Self, Error> {
        let mut cascades = Self::default();
        for row in rows {
            let is_on = row.text(1)? == "ON";
            match row.text(0)? {
                "innodb_native_foreign_keys" => {
                    cascades.may_be_of_server = true;
                    cascades.are_of_server = !is_on;
                }
                _ => cascades.fire_triggers = is_on,
            }
        }
        Ok(cascades)
    }

    /// The indexes of a new table that statements name. The server has made some of them for foreign keys, and
    /// replaces these when the new table gets its own, unless they were named.
    pub(super) fn named_indexes<'w>(
        self,
        table: &Rebuilt<'w>,
    ) -> impl Iterator<Item = &'w str> + use<'w> {
        let table = &table.changed.table;
        let keys = &table.foreign_keys;
        let is_of_key = |index: &&Index| keys.iter().any(|key| key.columns == index.columns);
        let indexes = table.indexes.iter().filter(move |_| self.may_be_of_server);
        indexes.filter(is_of_key).map(|index| index.name.as_str())
    }

    /// Refuses what the server would do to one of two tables only, or refuse to programs.
    pub(super) fn add_refusals(self, refusals: &mut Refusals, work: &Work, catalog: &Catalog) {
        if !self.are_of_server {
            return;
        }
        let mut keys = work.tables.iter().flat_map(|one| &one.table.foreign_keys);
        if self.fire_triggers && keys.any(|key| writes(&key.on_delete) || writes(&key.on_update)) {
            refusals.add(
                "enable_cascade_triggers = ON",
                "triggers would run for rows that the foreign keys of the new tables change too, and refuse \
                 programs' updates",
                "SET GLOBAL enable_cascade_triggers = OFF until the change is contracted, and let the programs \
                 connect again",
            );
        }
        let graph = Graph(catalog.tables.iter().collect());
        for table in &work.tables {
            let name = table.name();
            if graph.is_in_circle(name) {
                refusals.add(
                    format!("the table {name}"),
                    "a deletion cascades to other tables and back to it, which this server does in part only: it \
                     leaves rows whose references lead nowhere",
                    format!("{INSTEAD}, or drop a foreign key of the circle, and add it again after the change"),
                );
            }
            for key in &table.table.foreign_keys {
                let is_changed = work.tables.iter().any(|other| *other.name() == key.target);
                if writes(&key.on_delete) && !is_changed && graph.meets_itself(&key.target) {
                    refusals.add(
                        format!("the foreign key {} of {name}", key.name),
                        format!(
                            "a deletion from {} cascades to rows that refer to rows of their own table, which this \
                             server counts wrongly, and may refuse (error 6575) when the new table is there too",
                            key.target
                        ),
                        format!("{INSTEAD}, or drop the foreign key, and add it again after the change"),
                    );
                }
            }
        }
    }

    /// Whether the triggers of a table have to say what a deletion takes along. In circles of tables they cannot, where
    /// InnoDB has to carry out the foreign keys.
    pub(super) fn need_statements(self, work: &Work, table: &Rebuilt<'_>) -> bool {
        let graph = Graph(work.tables.iter().map(|one| &one.table).collect());
        self.may_be_of_server
            && graph.meets_itself(table.changed.name())
            && !graph.0.iter().any(|one| graph.is_in_circle(&one.name))
    }
}

/// The statements of a trigger that remove from a side's tables what the deletion of the row `OLD` takes along.
pub(super) fn removal(work: &Work, table: &Rebuilt<'_>, side: Side) -> Result<String, Error> {
    let tables = in_order(work)?;
    let mut removal = Removal {
        tables: &tables,
        side,
        statements: String::new(),
    };
    let is_row = table.has_key(side, "n.", "OLD.", Reading::Current)?;
    let of_row = format!("{} n FORCE INDEX (PRIMARY)", removal.named(table)?);
    for key in own(table, "CASCADE") {
        if let Some(cut) = removal.cut(table, key)? {
            removal.statements += &format!("UPDATE {of_row} SET {cut} WHERE {is_row}; ");
        }
    }
    let row = format!(
        "SELECT DISTINCT {} FROM {of_row} WHERE {is_row} FOR SHARE OF n",
        removal.carried(table)?
    );
    let gone = removal.closed(table, &row, 1)?;
    removal.follow(table, &[gone])?;
    Ok(removal.statements)
}

/// Whether a rule changes the rows that refer.
fn writes(rule: &str) -> bool {
    matches!(rule, "CASCADE" | "SET NULL")
}

/// Tables, and the ways of deletions between them.
struct Graph<'t>(Vec<&'t Table>);

impl<'t> Graph<'t> {
    /// Whether a deletion from a table may change rows that refer to rows of their own table.
    fn meets_itself(&self, table: &QualifiedName) -> bool {
        let is_own = |other: &Table| {
            let mut keys = other.foreign_keys.iter();
            keys.any(|key| key.target == other.name && writes(&key.on_delete))
        };
        let reached = self.reached_from(table);
        let mut tables = self.0.iter();
        tables.any(|one| (one.name == *table || reached.contains(&&one.name)) && is_own(one))
    }

    /// Whether a deletion from a table may cascade to other tables and back to it.
    fn is_in_circle(&self, table: &QualifiedName) -> bool {
        self.reached_from(table).contains(&table)
    }

    /// The tables to which a deletion from a table cascades by way of other tables.
    fn reached_from(&self, table: &QualifiedName) -> Vec<&'t QualifiedName> {
        let mut reached = self.next(table);
        let mut place = 0;
        while let Some(one) = reached.get(place) {
            for next in self.next(one) {
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
            place += 1;
        }
        reached
    }

    fn next(&self, table: &QualifiedName) -> Vec<&'t QualifiedName> {
        let refers = |other: &&&Table| {
            let mut keys = other.foreign_keys.iter();
            other.name != *table
                && keys.any(|key| key.target == *table && key.on_delete == "CASCADE")
        };
        self.0
            .iter()
            .filter(refers)
            .map(|other| &other.name)
            .collect()
    }
}

/// The foreign keys of a table to itself that have a rule.
fn own<'w>(table: &Rebuilt<'w>, rule: &str) -> impl Iterator<Item = &'w ForeignKey> {
    let changed = table.changed;
    let keys = changed.table.foreign_keys.iter();
    keys.filter(move |key| key.target == *changed.name() && key.on_delete == rule)
}

/// The statements of a trigger, under way.
///
/// Rows that go are the results `d1`, `d2` and so on of queries: those of one table, of a table that refers to
/// it, and so on. They are DISTINCT, so that the server keeps them apart from the tables that it changes, and
/// they lock, because the snapshot of the program's statement may be older than the rows.
struct Removal<'r, 'w> {
    tables: &'r [Rebuilt<'w>],
    side: Side,
    statements: String,
}

impl<'w> Removal<'_, 'w> {
    /// Removes what refers to the last of the rows that go, and those rows themselves if they refer to each
    /// other.
    fn follow(&mut self, table: &Rebuilt<'w>, gone: &[String]) -> Result<(), Error> {
        let with = format!("WITH RECURSIVE {} ", gone.join(", "));
        let tables = self.tables;
        for other in tables.iter().filter(|other| other.name() != table.name()) {
            let keys = other.changed.table.foreign_keys.iter();
            for key in keys.filter(|key| key.target == *table.changed.name()) {
                match key.on_delete.as_str() {
                    "SET NULL" => self.set_null(&with, gone.len(), table, other, key)?,
                    "CASCADE" => self.remove(&with, gone, table, other, key)?,
                    _ => {}
                }
            }
        }
        for key in own(table, "SET NULL") {
            self.set_null(&with, gone.len(), table, table, key)?;
        }
        self.remove_leaves(&with, gone.len(), table)
    }

    /// Removes the rows that refer by a foreign key.
    fn remove(
        &mut self,
        with: &str,
        gone: &[String],
        table: &Rebuilt<'w>,
        other: &Rebuilt<'w>,
        key: &ForeignKey,
    ) -> Result<(), Error> {
        let joined = self.joined(gone.len(), table, other, key)?;
        for own in own(other, "CASCADE") {
            if let Some(cut) = self.cut(other, own)? {
                self.statements += &format!("{with}UPDATE {joined} SET {cut}; ");
            }
        }
        let rows = format!(
            "SELECT DISTINCT {} FROM {joined} FOR SHARE OF n",
            self.carried(other)?
        );
        let rows = self.closed(other, &rows, gone.len() + 1)?;
        self.follow(other, &[gone, &[rows]].concat())?;
        self.statements += &format!("{with}DELETE n FROM {joined}; ");
        Ok(())
    }

    /// A cascade does not set the times that an update sets.
    fn set_null(
        &mut self,
        with: &str,
        number: usize,
        table: &Rebuilt<'w>,
        other: &Rebuilt<'w>,
        key: &ForeignKey,
    ) -> Result<(), Error> {
        let mut set = Vec::new();
        for column in &key.columns {
            set.push(format!("n.{} = NULL", other.quoted_of(column, self.side)?));
        }
        for column in other.columns().filter(|one| one.generated == "on update") {
            let name = other.quoted_of(&column.name, self.side)?;
            set.push(format!("n.{name} = n.{name}"));
        }
        let joined = self.joined(number, table, other, key)?;
        self.statements += &format!("{with}UPDATE {joined} SET {}; ", set.join(", "));
        Ok(())
    }

    /// Removes the rows to which none refers, until none is left.
    fn remove_leaves(
        &mut self,
        with: &str,
        number: usize,
        table: &Rebuilt<'w>,
    ) -> Result<(), Error> {
        let (mut joins, mut is_leaf) = (String::new(), Vec::new());
        let named = self.named(table)?;
        for (key, c) in own(table, "CASCADE").zip((1..).map(|place| format!("c{place}"))) {
            let on = self.pairs(&c, table, "n", table, key)?;
            joins += &format!(" LEFT JOIN {named} {c}{} ON {on}", self.index(table, key)?);
            let first = &key.columns[0];
            is_leaf.push(format!(
                "{c}.{} IS NULL",
                table.quoted_of(first, self.side)?
            ));
        }
        if is_leaf.is_empty() {
            return Ok(());
        }
        let mut is_row = Vec::new();
        for column in table.key()? {
            let name = table.quoted_of(&column.name, self.side)?;
            is_row.push(format!("n.{name} = d.{name}"));
        }
        self.statements += &format!(
            "REPEAT {with}DELETE n FROM d{number} d STRAIGHT_JOIN {named} n FORCE INDEX (PRIMARY) ON {}{joins} \
             WHERE {}; UNTIL ROW_COUNT() = 0 END REPEAT; ",
            is_row.join(" AND "),
            is_leaf.join(" AND ")
        );
        Ok(())
    }

    /// The definition of rows that go: some, and those of the same table that refer to them.
    fn closed(&self, table: &Rebuilt<'w>, rows: &str, number: usize) -> Result<String, Error> {
        let mut rows = format!("({rows})");
        for key in own(table, "CASCADE") {
            let joined = self.joined(number, table, table, key)?;
            let columns = self.carried(table)?;
            rows += &format!(" UNION DISTINCT (SELECT {columns} FROM {joined} FOR SHARE OF n)");
        }
        Ok(format!("d{number} AS ({rows})"))
    }

    /// Rows that go, of a table, with those of another that refer to them.
    fn joined(
        &self,
        number: usize,
        table: &Rebuilt<'w>,
        other: &Rebuilt<'w>,
        key: &ForeignKey,
    ) -> Result<String, Error> {
        Ok(format!(
            "d{number} d STRAIGHT_JOIN {} n{} ON {}",
            self.named(other)?,
            self.index(other, key)?,
            self.pairs("n", other, "d", table, key)?
        ))
    }

    /// The condition that a row refers to another one by a foreign key.
    fn pairs(
        &self,
        from: &str,
        other: &Rebuilt<'w>,
        to: &str,
        table: &Rebuilt<'w>,
        key: &ForeignKey,
    ) -> Result<String, Error> {
        let mut pairs = Vec::new();
        for (column, target) in key.columns.iter().zip(&key.target_columns) {
            let column = other.quoted_of(column, self.side)?;
            pairs.push(format!(
                "{from}.{column} = {to}.{}",
                table.quoted_of(target, self.side)?
            ));
        }
        Ok(pairs.join(" AND "))
    }

    /// The index of a foreign key: the server may still take a table that was just filled for an empty one.
    fn index(&self, table: &Rebuilt<'w>, key: &ForeignKey) -> Result<String, Error> {
        let table = &table.changed.table;
        let keys = table.keys.iter().map(|one| (&one.name, &one.columns));
        let mut all = keys.chain(table.indexes.iter().map(|one| (&one.name, &one.columns)));
        match all.find(|(_, columns)| columns.starts_with(&key.columns)) {
            Some((name, _)) => Ok(format!(" FORCE INDEX ({})", quoted(name)?)),
            None => Ok(String::new()),
        }
    }

    /// The columns of rows that go by which they and what refers to them are found.
    fn carried(&self, table: &Rebuilt<'w>) -> Result<String, Error> {
        let key = table.key()?.into_iter().map(|column| column.name.as_str());
        let mut names: Vec<&str> = key.collect();
        for other in self.tables {
            let keys = other.changed.table.foreign_keys.iter();
            let keys = keys.filter(|key| key.target == *table.changed.name());
            names.extend(keys.flat_map(|key| &key.target_columns).map(String::as_str));
        }
        let mut columns = Vec::new();
        for name in names {
            let column = format!("n.{}", table.quoted_of(name, self.side)?);
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        Ok(columns.join(", "))
    }

    /// How a row stops to refer to its own table, so that no circle of rows is without a leaf. None if it
    /// cannot.
    fn cut(&self, table: &Rebuilt<'w>, key: &ForeignKey) -> Result<Option<String>, Error> {
        let mut set = Vec::new();
        for column in table.columns() {
            if column.is_nullable && key.columns.contains(&column.name) {
                let name = table.quoted_of(&column.name, self.side)?;
                set.push(format!("n.{name} = NULL"));
            }
        }
        Ok((!set.is_empty()).then(|| set.join(", ")))
    }

    /// The side's table in SQL, as it is called while triggers write to it.
    fn named(&self, table: &Rebuilt<'w>) -> Result<String, Error> {
        quoted(&match self.side {
            Side::New => names::new_table(table.name()),
            Side::Old => names::old_table(table.name()),
        })
    }
}
