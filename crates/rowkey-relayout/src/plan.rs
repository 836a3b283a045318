//! What a change of a key's columns will do, as a file that people read and edit.

use std::collections::BTreeSet;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Column as DeclaredColumn;
use rowkey_sql::{Conversion, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Column, QualifiedName, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::ColumnType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of the file's format.
const VERSION: u32 = 1;

/// The change of a key and of every reference to it. It contains names, storages and policies,
/// never SQL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The version of the file's format: 1.
    pub version: u32,
    /// The database's product: `postgres`, `mysql`, `mariadb`, `sqlite` or `sql-server`.
    pub backend: String,
    /// The hash of what the catalogue said about the tables when the plan was written.
    pub catalog: String,
    /// Tables without a column that changes, but with a foreign key to a table that does. MySQL and
    /// MariaDB rebuild tables, and foreign keys would stay with the old ones: so these are rebuilt
    /// along with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rebuilt: Vec<QualifiedName>,
    /// The key.
    pub key: KeyPlan,
    /// The columns with the key's values in other rows, with or without a constraint.
    #[serde(default, rename = "reference", skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<ReferencePlan>,
    /// Columns that look like references, but aren't, or keep the values of before.
    #[serde(default, rename = "left-out", skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How the change is made.
    #[serde(default)]
    pub policy: Policy,
}

/// The key of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KeyPlan {
    /// The key's table.
    pub table: QualifiedName,
    /// The key's column.
    pub column: String,
    /// The format of its ids after the change, which is also that before it unless it is re-keyed.
    pub format: String,
    /// How the column stores them, as `STORAGE[:LAYOUT]`. Without it, the key is re-keyed: rows get
    /// new ids, and a table maps the old ones to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How the new column stores them, as `STORAGE[:LAYOUT]`.
    pub to: String,
    /// The name of the column after the change. If it stays, programs with the old declaration go
    /// on writing: that needs the policy `old-programs = "mark"`, or a type that refuses the old
    /// form.
    pub becomes: String,
    /// The column with the time at which a row was created, for new ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
}

/// A reference to the key of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReferencePlan {
    /// The reference's table.
    pub table: QualifiedName,
    /// The reference's column.
    pub column: String,
    /// The name of the column after the change.
    pub becomes: String,
    /// Whether a foreign key of the database asserts it.
    pub asserted: bool,
}

/// A column that a plan leaves as it is, although it looks like a reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LeftOut {
    /// The column's table.
    pub table: QualifiedName,
    /// The column's name.
    pub column: String,
}

/// How a change is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// How programs with the old declaration are kept from writing after the swap.
    pub old_programs: OldPrograms,
    /// How many rows a transaction of the backfill converts at most. It begins with up to 2,000,
    /// and goes on with as many as take a quarter of a second, because programs that write the same
    /// rows have to wait. In SQL Server it is always 2,000 at most.
    pub batch_rows: u32,
    /// How long the backfill rests between two batches, in milliseconds.
    pub pause_ms: u32,
    /// How long to wait for a lock, in milliseconds; then the attempt is given up and repeated
    /// later, so that programs do not queue behind it.
    pub lock_timeout_ms: u32,
    /// How many attempts there are.
    pub lock_attempts: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            old_programs: OldPrograms::Rename,
            batch_rows: 50_000,
            pause_ms: 0,
            lock_timeout_ms: 1_000,
            lock_attempts: 60,
        }
    }
}

/// How programs with the old declaration are kept from writing after the swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OldPrograms {
    /// The columns have other names, so that old statements fail.
    Rename,
    /// The columns keep their names, and a trigger refuses rows from sessions without a mark (in
    /// MySQL and MariaDB not a statement that finds no row, which changes nothing): PostgreSQL's
    /// setting `rowkey.layout`, MySQL's and MariaDB's variable `@rowkey_layout`.
    Mark,
}

impl Plan {
    /// The plan for a key: the key's column and every column that refers to it, directly or through
    /// another key that contains it.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if the table or the column does not exist, [`Error::Refused`] or
    /// [`Error::Core`] for a format or a form that does not exist there.
    pub fn for_key(catalog: &Catalog, request: &Request) -> Result<Self, Error> {
        let table = catalog.table(&request.table)?;
        let column = column_of(table, &request.column)?;
        let mut plan = Self {
            version: VERSION,
            backend: catalog.backend.name().into(),
            catalog: String::new(),
            rebuilt: Vec::new(),
            key: KeyPlan {
                table: request.table.clone(),
                column: request.column.clone(),
                format: request.format.name().into(),
                from: request.from.clone(),
                to: request.to.clone(),
                becomes: String::new(),
                created: request.created.clone(),
            },
            references: Vec::new(),
            left_out: Vec::new(),
            policy: request.policy.clone(),
        };
        plan.require_forms(catalog.backend, column)?;
        plan.key.becomes = plan.new_name(table, &request.column);
        for (table, column) in referring(catalog, &request.table, &request.column) {
            let becomes = plan.new_name(table, &column);
            plan.references.push(ReferencePlan {
                table: table.name.clone(),
                column,
                becomes,
                asserted: true,
            });
        }
        for (name, column) in &request.unasserted {
            let table = catalog.table(name)?;
            column_of(table, column)?;
            let is_known = |known: &ReferencePlan| (&known.table, &known.column) == (name, column);
            if !plan.references.iter().any(is_known) {
                plan.references.push(ReferencePlan {
                    table: name.clone(),
                    column: column.clone(),
                    becomes: plan.new_name(table, column),
                    asserted: false,
                });
            }
        }
        if catalog.backend.rebuilds_tables() {
            plan.rebuilt = rebuilt(catalog, plan.tables());
        }
        plan.catalog = catalog.hash(&plan.tables());
        Ok(plan)
    }

    /// The name of a column after the change: its own if programs are told apart by a mark,
    /// otherwise one that the table does not have.
    fn new_name(&self, table: &Table, column: &str) -> String {
        match self.policy.old_programs {
            OldPrograms::Mark => column.into(),
            OldPrograms::Rename => free_name(table, &format!("{column}_key")),
        }
    }

    /// The columns that change, the key first.
    pub(crate) fn columns(&self) -> impl Iterator<Item = PlannedColumn<'_>> {
        let key = PlannedColumn {
            table: &self.key.table,
            name: &self.key.column,
            becomes: &self.key.becomes,
            is_key: true,
            is_asserted: true,
        };
        let references = self.references.iter().map(|part| PlannedColumn {
            table: &part.table,
            name: &part.column,
            becomes: &part.becomes,
            is_key: false,
            is_asserted: part.asserted,
        });
        std::iter::once(key).chain(references)
    }

    /// The tables that it changes or rebuilds, the key's first.
    pub fn tables(&self) -> Vec<QualifiedName> {
        let references = self.references.iter().map(|reference| &reference.table);
        let others = references.chain(&self.rebuilt);
        let mut tables: Vec<QualifiedName> = Vec::new();
        for table in std::iter::once(&self.key.table).chain(others) {
            if !tables.contains(table) {
                tables.push(table.clone());
            }
        }
        tables
    }

    /// Whether the catalogue says of the tables what it said when the plan was written.
    pub(crate) fn is_of(&self, catalog: &Catalog) -> bool {
        catalog.hash(&self.tables()) == self.catalog
    }

    /// Why a plan does not match a catalogue: its tables have changed, or somebody edited the plan.
    /// To tell, this looks for the tables whose hash the plan has.
    pub(crate) fn refusal(&self, catalog: &Catalog) -> Error {
        let key = (&self.key.table, self.key.column.as_str());
        let declared = referring(catalog, key.0, key.1);
        let mut written = vec![key.0.clone()];
        written.extend(declared.iter().map(|(table, _)| table.name.clone()));
        let named = self.references.iter().map(|one| one.table.clone());
        let left_out = self.left_out.iter().map(|one| one.table.clone());
        let (named, left_out): (Vec<_>, Vec<_>) = (named.collect(), left_out.collect());
        let is_edited = [
            vec![],
            named.clone(),
            left_out.clone(),
            [named, left_out].concat(),
        ]
        .into_iter()
        .any(|others| {
            let mut tables = [written.clone(), others].concat();
            if catalog.backend.rebuilds_tables() {
                tables.extend(rebuilt(catalog, tables.clone()));
            }
            catalog.hash(&tables) == self.catalog
        });
        if !is_edited {
            return Error::refused(
                "the plan",
                "its tables have changed since it was written",
                "write it again with `rowkey plan`, and compare",
            );
        }
        let is_gone = |(table, column): &&(&Table, String)| {
            let mut columns = self.columns();
            !columns.any(|one| *one.table == table.name && one.name == *column)
        };
        let gone = declared.iter().filter(is_gone);
        let gone = gone.map(|(table, column)| format!("{}.{column}", table.name));
        let gone = gone.collect::<Vec<_>>().join(", ");
        let (why, instead) = match gone.is_empty() {
            true => (
                "it was edited: it has other references than it was written with".to_owned(),
                "write it again with `rowkey plan`, and --reference for those without a constraint",
            ),
            false => (
                format!("it was edited: a constraint says that {gone} refers to the key"),
                "put it back, or drop the constraint and write the plan again with `rowkey plan`",
            ),
        };
        Error::refused("the plan", why, instead)
    }

    /// The backend.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for a name that is not one.
    pub fn backend(&self) -> Result<Backend, Error> {
        Ok(self.backend.parse()?)
    }

    /// The format of the ids after the change.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for a name that is not one.
    pub fn format(&self) -> Result<FormatKind, Error> {
        Ok(self.key.format.parse()?)
    }

    /// The form of the ids before the change, unless the key is re-keyed, and that after it.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for a form that does not exist for the format on the backend, and for two
    /// forms that SQL does not convert.
    pub fn forms(&self, backend: Backend) -> Result<(Option<StoredForm>, StoredForm), Error> {
        let format = self.format()?;
        let form = |entry: &str, name: &str| {
            StoredForm::named(format, backend, name).map_err(|why| {
                Error::refused(
                    format!("`{entry} = \"{name}\"`"),
                    why,
                    format!("choose another form of {} on {backend}", format.name()),
                )
            })
        };
        let to = form("to", &self.key.to)?;
        let from = self.key.from.as_deref();
        let from = from.map(|name| form("from", name)).transpose()?;
        if let Some(from) = from {
            if from == to {
                return Err(Error::refused(
                    format!("{}.{}", self.key.table, self.key.column),
                    "it is already stored in that form",
                    "nothing has to be done",
                ));
            }
            Conversion::new(from, to)?;
        }
        Ok((from, to))
    }

    /// Fails for forms that do not exist, and for a column that pads its ids, where that stands in
    /// the way: spaces behind a text do not, unless nothing else would change.
    fn require_forms(&self, backend: Backend, column: &Column) -> Result<(), Error> {
        let from = self.key.from.as_deref();
        let from = from.and_then(|from| StoredForm::named(self.format().ok()?, backend, from).ok());
        let to = StoredForm::named(self.format()?, backend, &self.key.to).ok();
        let column_type = column.column_type(backend);
        let (Some(from), Some(found)) = (from, column_type.padded_length()) else {
            return self.forms(backend).map(|_| ());
        };
        let (sql_type, is_bytes) = (from.sql_type(), column_type.name() == "binary");
        let own = ColumnType::parse(backend, sql_type.as_str()).length();
        let own = own.filter(|own| found > *own);
        let Some(own) = own.filter(|_| is_bytes || to == Some(from)) else {
            return self.forms(backend).map(|_| ());
        };
        let name = &self.key.column;
        let (with, instead) = match is_bytes {
            true => (
                "bytes of zero",
                format!(
                    "make it varbinary({found}), cut its values and those of its references (SET {name} = \
                     SUBSTRING({name}, 1, {own})), and make it {sql_type}; foreign keys have to be dropped \
                     before, and added again"
                ),
            ),
            false => (
                "spaces",
                format!("give it and its references the type {sql_type}, which cuts them off"),
            ),
        };
        Err(Error::refused(
            format!("{}.{name}", self.key.table),
            format!("its type {} fills each id up with {with}", column.sql_type),
            instead,
        ))
    }

    /// The plan in a file's text.
    ///
    /// # Errors
    ///
    /// [`Error::Plan`] says where the text is wrong.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let plan: Self = toml::from_str(text).map_err(|error| Error::Plan(error.to_string()))?;
        if plan.version != VERSION {
            return Err(Error::Plan(format!(
                "its version is {}, and this program reads version {VERSION}",
                plan.version
            )));
        }
        let mut columns = BTreeSet::new();
        for PlannedColumn { table, name, .. } in plan.columns() {
            if !columns.insert((table, name)) {
                return Err(Error::Plan(format!("{table}.{name} is named twice")));
            }
        }
        if plan.policy.batch_rows == 0 || plan.policy.lock_attempts == 0 {
            return Err(Error::Plan(
                "`batch-rows` and `lock-attempts` are at least 1".into(),
            ));
        }
        plan.backend()?;
        plan.format()?;
        Ok(plan)
    }

    /// The text of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Plan`] if it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self).map_err(|error| Error::Plan(error.to_string()))
    }

    /// The SHA-256 of the plan, in hexadecimal: of what it says, not of its comments and spaces.
    ///
    /// # Errors
    ///
    /// As [`to_toml`](Self::to_toml).
    pub fn hash(&self) -> Result<String, Error> {
        Ok(hex::encode(Sha256::digest(self.to_toml()?)))
    }

    /// The mark of the sessions of new programs, with the policy [`OldPrograms::Mark`].
    ///
    /// # Errors
    ///
    /// As [`to_toml`](Self::to_toml).
    pub fn mark(&self) -> Result<String, Error> {
        Ok(self.hash()?.chars().take(12).collect())
    }
}

/// A column of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedColumn<'p> {
    pub(crate) table: &'p QualifiedName,
    /// The name before the change.
    pub(crate) name: &'p str,
    /// The name of the new column after the swap.
    pub(crate) becomes: &'p str,
    pub(crate) is_key: bool,
    /// Whether a foreign key asserts it, directly or through a composite key; true for the key.
    pub(crate) is_asserted: bool,
}

impl PlannedColumn<'_> {
    /// The name of the old column after the swap, where it stays in its table.
    pub(crate) fn retired_name(&self) -> String {
        format!("{}_before", self.name)
    }
}

/// What a plan is to change.
#[derive(Clone, Debug)]
pub struct Request {
    /// The key's table.
    pub table: QualifiedName,
    /// The key's column.
    pub column: String,
    /// The format of the ids.
    pub format: FormatKind,
    /// How the column stores them, as `STORAGE[:LAYOUT]`; nothing if it is to be re-keyed.
    pub from: Option<String>,
    /// How the new column stores them.
    pub to: String,
    /// The column with the time at which a row was created, for new ids.
    pub created: Option<String>,
    /// References without a constraint: tables and columns.
    pub unasserted: Vec<(QualifiedName, String)>,
    /// How the change is made.
    pub policy: Policy,
}

impl Request {
    /// The change of a column of ids to what a key declares, with the default policy.
    ///
    /// `from` is how the column stores them, as `STORAGE[:LAYOUT]`. `declared` is the key's column
    /// on the backend: `OfferId::PLAN.column(catalog.backend)`.
    ///
    /// ```
    /// use rowkey_core::Backend;
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::StoragePlan;
    /// use rowkey_relayout::plan::Request;
    ///
    /// let declared = StoragePlan::default_for(FormatKind::UuidV7);
    /// let request = Request::relayout("offers", "id", "text", declared.column(Backend::MySql));
    /// assert_eq!(request.from.as_deref(), Some("text"));
    /// assert_eq!(request.to, "uuid:public");
    /// ```
    pub fn relayout(
        table: impl Into<QualifiedName>,
        column: impl Into<String>,
        from: impl Into<String>,
        declared: DeclaredColumn,
    ) -> Self {
        Self {
            from: Some(from.into()),
            ..Self::rekey(table, column, declared)
        }
    }

    /// New ids for the rows of a table, as a key declares them, with the default policy. Set
    /// [`created`](Self::created) if they are to begin with the time at which a row was created.
    pub fn rekey(
        table: impl Into<QualifiedName>,
        column: impl Into<String>,
        declared: DeclaredColumn,
    ) -> Self {
        let (storage, layout) = (declared.storage(), declared.layout());
        Self {
            table: table.into(),
            column: column.into(),
            format: declared.format(),
            from: None,
            to: format!("{}:{}", storage.name(), layout.name()),
            created: None,
            unasserted: Vec::new(),
            policy: Policy::default(),
        }
    }
}

/// The form of the ids in the map of a re-keyed table: what clients see.
pub(crate) fn public_text(format: FormatKind, backend: Backend) -> Result<StoredForm, Error> {
    StoredForm::named(format, backend, "text:public").map_err(|why| {
        Error::refused(
            format!("`format = \"{}\"`", format.name()),
            why,
            "choose a format whose ids have a text that SQL can write",
        )
    })
}

fn column_of<'t>(table: &'t Table, column: &str) -> Result<&'t Column, Error> {
    table.column(column).ok_or_else(|| Error::Missing {
        what: format!("the column {column} of the table {}", table.name),
    })
}

/// A name that no column of the table has.
fn free_name(table: &Table, name: &str) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while table.column(&free).is_some() {
        free = format!("{name}_{number}");
        number += 1;
    }
    free
}

/// The tables with a reference to one of some tables, directly or through others, except those
/// themselves.
fn rebuilt(catalog: &Catalog, mut tables: Vec<QualifiedName>) -> Vec<QualifiedName> {
    let changed = tables.len();
    let mut next = 0;
    while let Some(target) = tables.get(next).cloned() {
        for (table, _) in catalog.references_to(&target) {
            if !tables.contains(&table.name) {
                tables.push(table.name.clone());
            }
        }
        next += 1;
    }
    tables.split_off(changed)
}

/// The columns that refer to a column, directly or through a key that contains it: a reference to a
/// composite key carries the key on to the next table.
fn referring<'c>(
    catalog: &'c Catalog,
    table: &QualifiedName,
    column: &str,
) -> Vec<(&'c Table, String)> {
    let mut found: Vec<(&Table, String)> = Vec::new();
    let mut open = vec![(table.clone(), column.to_owned())];
    let start = open[0].clone();
    while let Some((target, target_column)) = open.pop() {
        for (table, key) in catalog.references_to(&target) {
            for (column, referred) in key.columns.iter().zip(&key.target_columns) {
                let here = (table.name.clone(), column.clone());
                let is_known = here == start
                    || found
                        .iter()
                        .any(|(table, column)| (&table.name, column) == (&here.0, &here.1));
                if *referred == target_column && !is_known {
                    found.push((table, column.clone()));
                    open.push(here);
                }
            }
        }
    }
    found.sort_by(|a, b| (&a.0.name, &a.1).cmp(&(&b.0.name, &b.1)));
    found
}

#[cfg(test)]
mod tests {
    use rowkey_core::storage::StoragePlan;

    use super::*;

    #[test]
    fn a_request_names_the_declared_column() {
        for format in FormatKind::ALL {
            for backend in Backend::ALL {
                let declared = StoragePlan::default_for(format).column(backend);
                let request = Request::relayout("offers", "id", "text", declared);
                assert_eq!(request.from.as_deref(), Some("text"));
                assert_eq!(request.format, format);
                let named = StoredForm::named(format, backend, &request.to);
                let named = named.map(|form| (form.storage(), form.layout()));
                assert_eq!(named, Ok((declared.storage(), declared.layout())));
                assert_eq!(Request::rekey("offers", "id", declared).from, None);
            }
        }
    }
}
