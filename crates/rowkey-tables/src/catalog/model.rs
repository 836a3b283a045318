//! What a catalogue consists of, and how it is asked.

use std::fmt;

use rowkey_core::Backend;
use rowkey_core::storage::TableName;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::declared::{
    Generated, KeyDefinition, ReferenceAttribute, ReferenceAttributes, ReferentialAction,
    TableOptions, is_clustered, is_special,
};
use super::dependent::{Dependent, DependentKind};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::types::layout::Layout;
use crate::types::{ColumnType, Type};

/// The tables that `rowkey copy`, `rowkey relayout` and `rowkey rekey` make.
const OWN: [&str; 7] = [
    "rowkey_copy",
    "rowkey_id_map",
    "rowkey_old_ids",
    "rowkey_relayout",
    "rowkey_swapped",
    "rowkey_swapped_no",
    "rowkey_swapped_yes",
];

/// What the numbered tables of an interrupted rehearsal and of a Spark job begin with.
const OWN_BEFORE_NUMBER: [&str; 2] = ["rowkey_rehearsal_", "rowkey_staging_"];

fn is_own(name: &str) -> bool {
    let is_number = |rest: &str| {
        rest.bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
    };
    let mut rests = OWN_BEFORE_NUMBER
        .iter()
        .filter_map(|own| name.strip_prefix(own));
    OWN.contains(&name) || rests.any(is_number)
}

/// The tables in which tools for migrations remember what they have done.
const TOOLS: [&str; 43] = [
    "_sqlx_migrations",
    "__diesel_schema_migrations",
    "seaql_migrations",
    "refinery_schema_history",
    "schema_migrations",
    "ar_internal_metadata",
    "django_migrations",
    "__EFMigrationsHistory",
    "__MigrationHistory",
    "flyway_schema_history",
    "DATABASECHANGELOG",
    "DATABASECHANGELOGLOCK",
    "goose_db_version",
    "gorp_migrations",
    "atlas_schema_revisions",
    "gh_ost_migrations",
    "_prisma_migrations",
    "__drizzle_migrations",
    "d1_migrations",
    "alembic_version",
    "migrate_version",
    "aerich",
    "_yoyo_migration",
    "_yoyo_log",
    "_yoyo_version",
    "yoyo_lock",
    "knex_migrations",
    "knex_migrations_lock",
    "kysely_migration",
    "kysely_migration_lock",
    "mikro_orm_migrations",
    "pgmigrations",
    "SequelizeMeta",
    "SequelizeData",
    "typeorm_metadata",
    "adonis_schema",
    "adonis_schema_versions",
    "phinxlog",
    "doctrine_migration_versions",
    "migration_versions",
    "play_evolutions",
    "play_evolutions_lock",
    "south_migrationhistory",
];

/// Tables of tools whose names programs may use as well, told by all of their columns but `id`.
const TOOLS_BY_COLUMNS: [(&str, &[&str]); 12] = [
    // Laravel, TypeORM, CodeIgniter, db-migrate and postgres-migrations.
    ("migrations", &["migration", "batch"]),
    ("migrations", &["timestamp", "name"]),
    (
        "migrations",
        &["version", "class", "group", "namespace", "time", "batch"],
    ),
    ("migrations", &["name", "run_on"]),
    ("migrations", &["name", "hash", "executed_at"]),
    // Yii and FluentMigrator.
    ("migration", &["version", "apply_time"]),
    ("VersionInfo", &["Version", "AppliedOn", "Description"]),
    // Pop and DbUp, each of which has had several.
    ("schema_migration", &["version"]),
    ("schema_migration", &["version", "version_self"]),
    ("schemaversions", &["scriptname", "applied"]),
    (
        "schemaversions",
        &["schemaversionid", "scriptname", "applied"],
    ),
    (
        "schemaversions",
        &["schemaversionsid", "scriptname", "applied"],
    ),
];

/// The tables of a database, with what depends on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    /// The database's product.
    pub backend: Backend,
    /// The tables, by name.
    pub tables: Vec<Table>,
    /// What the account was not allowed to see, as sentences.
    pub unseen: Vec<String>,
}

/// The name of a table, with its schema (in MySQL and MariaDB: its database) unless it is the
/// connection's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct QualifiedName {
    /// The schema, if it is not the connection's default.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
}

impl QualifiedName {
    /// The name as written in SQL.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for a name that is not valid on the backend.
    pub fn quoted(&self, backend: Backend) -> Result<String, Error> {
        let name = match &self.schema {
            Some(schema) => TableName::from((schema.as_str(), self.name.as_str())),
            None => TableName::from(&self.name),
        };
        Ok(name.quoted(backend)?)
    }

    /// Another name in the same schema.
    #[must_use]
    pub fn sibling(&self, name: impl Into<String>) -> Self {
        Self {
            schema: self.schema.clone(),
            name: name.into(),
        }
    }
}

/// `schema.name` or `name`; a name with a dot is written in double quotes.
impl From<String> for QualifiedName {
    fn from(text: String) -> Self {
        let (schema, name) = split(&text);
        Self { schema, name }
    }
}

impl From<&str> for QualifiedName {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<QualifiedName> for String {
    fn from(name: QualifiedName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for QualifiedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &str| match text.contains(['.', '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        if let Some(schema) = &self.schema {
            write!(f, "{}.", part(schema))?;
        }
        f.write_str(&part(&self.name))
    }
}

/// Splits at the first dot outside quotes.
fn split(text: &str) -> (Option<String>, String) {
    let (mut schema, mut name) = (None, String::new());
    let mut is_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                name.push('"');
            }
            // Within a name that does not begin with one, it is a character like others.
            '"' if is_quoted || name.is_empty() => is_quoted = !is_quoted,
            '.' if !is_quoted && schema.is_none() => schema = Some(std::mem::take(&mut name)),
            _ => name.push(character),
        }
    }
    (schema, name)
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The table's name.
    pub name: QualifiedName,
    /// The table's columns, in order.
    pub columns: Vec<Column>,
    /// The table's primary key and unique constraints.
    pub keys: Vec<Key>,
    /// The table's indexes, except those of its keys.
    pub indexes: Vec<Index>,
    /// The table's references to other tables and to itself.
    pub foreign_keys: Vec<ForeignKey>,
    /// What else depends on the table: views, triggers, policies.
    pub dependents: Vec<Dependent>,
    /// What the table is besides.
    pub options: TableOptions,
    /// How many rows it has, by the database's statistics.
    #[serde(skip)]
    pub estimated_rows: Option<u64>,
    /// The table as the catalogue shows it, if that text had to be corrected, as in MySQL.
    /// [`Catalog::hash`] uses this one, so that plans made before the correction remain valid.
    #[serde(skip)]
    pub shown: Option<Box<Table>>,
}

impl Table {
    /// A table that has nothing yet.
    pub fn new(name: impl Into<QualifiedName>) -> Self {
        Self {
            name: name.into(),
            columns: Vec::new(),
            keys: Vec::new(),
            indexes: Vec::new(),
            foreign_keys: Vec::new(),
            dependents: Vec::new(),
            options: TableOptions::Plain,
            estimated_rows: None,
            shown: None,
        }
    }

    /// The storage engine; empty if the database has none, or does not know the table's.
    pub fn engine(&self) -> &str {
        match &self.options {
            TableOptions::Engine(name) => name,
            _ => "",
        }
    }

    /// SQLite's statement that made the table, which also says what the other fields do not; empty
    /// in other databases.
    pub fn statement(&self) -> &str {
        match &self.options {
            TableOptions::Statement(sql) => sql,
            _ => "",
        }
    }

    /// The column with a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The primary key, if there is one.
    pub fn primary_key(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.is_primary)
    }

    /// The privileges on a column alone.
    pub fn privileges(&self, column: &str) -> impl Iterator<Item = &Dependent> {
        let dependents = self.dependents.iter();
        dependents.filter(move |one| {
            one.kind == DependentKind::Privilege && one.columns.iter().any(|name| name == column)
        })
    }

    /// Whether the database counts the values of a column.
    pub fn counts(&self, column: &Column) -> bool {
        // SQLite's number of a row, whose key has no index of its own, and so no name.
        let is_rowid = || {
            let key = self.primary_key();
            let is_it =
                key.is_some_and(|key| key.name.is_empty() && key.columns == [column.name.as_str()]);
            is_it && column.sql_type.eq_ignore_ascii_case("integer")
        };
        column.generated.is_counted() || column.is_serial() || is_rowid()
    }

    /// Whether a tool for migrations, or this crate, keeps its own records there.
    pub fn is_of_tools(&self) -> bool {
        let name = &self.name.name;
        let columns = self.columns.iter().map(|column| column.name.as_str());
        let columns: Vec<&str> = columns
            .filter(|name| !name.eq_ignore_ascii_case("id"))
            .collect();
        let is_one_of =
            |own: &[&str], name: &str| own.iter().any(|one| one.eq_ignore_ascii_case(name));
        let mut by_columns = TOOLS_BY_COLUMNS.iter();
        is_own(name)
            // CakePHP's plugins have one each.
            || name.ends_with("_phinxlog")
            || is_one_of(&TOOLS, name)
            || by_columns.any(|(tool, own)| {
                tool.eq_ignore_ascii_case(name)
                    && own.len() == columns.len()
                    && columns.iter().all(|column| is_one_of(own, column))
            })
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The column's name.
    pub name: String,
    /// The column's type as the database writes it, such as `character varying(36)` or
    /// `binary(16)`. For a domain of PostgreSQL, it is the type that this is over.
    pub sql_type: String,
    /// Whether it may be NULL.
    pub is_nullable: bool,
    /// The SQL of its default, as the database writes it.
    pub default: Option<String>,
    /// The full default in MySQL and MariaDB, where the catalogue cuts bytes off and hides rare
    /// characters. It is not part of [`Catalog::hash`], so that older plans remain valid.
    #[serde(skip)]
    pub complete_default: Option<String>,
    /// Whether the database counts or computes it, and how.
    pub generated: Generated,
    /// The column's collation, if it is text.
    pub collation: Option<String>,
    /// The column's comment.
    pub comment: Option<String>,
    /// The words of an enum of PostgreSQL. MySQL and MariaDB have those of theirs in the type.
    #[serde(skip)]
    pub enum_words: Vec<String>,
    /// What values of a user's type of PostgreSQL consist of.
    #[serde(skip)]
    pub layout: Option<Layout>,
}

impl Column {
    /// A column that is nothing but a type, for tests.
    #[doc(hidden)]
    pub fn of_type(sql_type: &str) -> Self {
        Self {
            name: "id".into(),
            sql_type: sql_type.into(),
            is_nullable: false,
            default: None,
            complete_default: None,
            generated: Generated::No,
            collation: None,
            comment: None,
            enum_words: Vec::new(),
            layout: None,
        }
    }

    /// The SQL of its default, with all that is known.
    pub fn default_in_full(&self) -> Option<&str> {
        self.complete_default.as_deref().or(self.default.as_deref())
    }

    /// Whether only a part of its default is known: bytes of MySQL and MariaDB in a table without rows.
    pub fn has_unknown_default(&self, backend: Backend) -> bool {
        let is_shown_as_text = |sql: &str| sql.len() > "''".len() && sql.starts_with('\'');
        self.is_of_bytes(backend) && self.is_shown_only(backend, is_shown_as_text)
    }

    /// Whether `?` in its default may stand for another character: in MySQL and MariaDB in a table
    /// without rows.
    pub fn has_uncertain_default(&self, backend: Backend) -> bool {
        let has_marks = |sql: &str| sql.starts_with('\'') && sql.contains('?');
        !self.is_of_bytes(backend) && self.is_shown_only(backend, has_marks)
    }

    fn is_of_bytes(&self, backend: Backend) -> bool {
        let own = self.column_type(backend).meaning();
        matches!(own, Some(Type::Bytes(_) | Type::FixedBytes(_)))
    }

    fn is_shown_only(&self, backend: Backend, is_it: impl Fn(&str) -> bool) -> bool {
        backend.names_character_sets()
            && self.complete_default.is_none()
            && self.default.as_deref().is_some_and(is_it)
    }

    /// Its type, read.
    pub fn column_type(&self, backend: Backend) -> ColumnType {
        ColumnType::parse(backend, self.sql_type.as_str())
    }

    /// Whether its default is the next number of a sequence.
    pub fn is_serial(&self) -> bool {
        self.sequence().is_some()
    }

    /// The sequence of which its default is the next number, as an operand in SQL: a name in
    /// MariaDB, an expression in PostgreSQL.
    pub fn sequence(&self) -> Option<&str> {
        let next = self.default.as_deref()?.strip_prefix("nextval(")?;
        next.strip_suffix(')')
    }
}

/// A primary key or a unique constraint. Its columns are in the order of its index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The key's name.
    pub name: String,
    /// The key's columns.
    pub columns: Vec<String>,
    /// Whether it is the primary key.
    pub is_primary: bool,
    /// What the key is besides.
    pub definition: KeyDefinition,
}

impl Key {
    /// How PostgreSQL defines it; empty in other databases.
    pub fn constraint(&self) -> &str {
        match &self.definition {
            KeyDefinition::Constraint(sql) => sql,
            _ => "",
        }
    }

    /// Whether SQL Server keeps the rows in the order of the key.
    pub fn is_clustered(&self) -> bool {
        matches!(&self.definition, KeyDefinition::Index(words) if is_clustered(words))
    }

    /// Whether its index in SQL Server is more than its columns.
    pub fn is_special(&self) -> bool {
        matches!(&self.definition, KeyDefinition::Index(words) if is_special(words))
    }
}

/// An index that is not the index of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The index's name.
    pub name: String,
    /// The index's plain columns, in order; a part that is an expression is missing.
    pub columns: Vec<String>,
    /// Whether it is unique.
    pub is_unique: bool,
    /// Whether it is nothing but plain columns: no expression, condition, prefix length, operator
    /// class or included column.
    pub is_plain: bool,
    /// How the database defines it, such as `pg_get_indexdef` or SQLite's `sql`.
    pub definition: String,
    /// In MySQL and MariaDB, the definition with sort orders and expressions. It is not part of
    /// [`Catalog::hash`], so that older plans remain valid.
    #[serde(skip)]
    pub complete_definition: Option<String>,
    /// What MySQL and MariaDB say of each column; nothing if a part is an expression.
    #[serde(skip)]
    pub terms: Vec<IndexTerm>,
}

impl Index {
    /// How the database defines it, with all that is known.
    pub fn definition_in_full(&self) -> &str {
        let complete = self.complete_definition.as_deref();
        complete.unwrap_or(&self.definition)
    }

    /// Whether it is a list of whole columns in the usual order.
    pub fn is_list(&self) -> bool {
        self.is_plain && !self.terms.iter().any(|term| term.is_descending)
    }
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexTerm {
    /// The column's name.
    pub column: String,
    /// How many characters or bytes of it the index contains, if not all.
    pub prefix: Option<i64>,
    /// Whether it is in descending order.
    pub is_descending: bool,
}

impl Index {
    /// Whether SQL Server keeps the rows in the order of the index, which its definition says there.
    pub fn is_clustered(&self) -> bool {
        is_clustered(&self.definition)
    }
}

/// A reference to a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// The name of the constraint; empty if it has none, as in SQLite.
    pub name: String,
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The table that is referred to.
    pub target: QualifiedName,
    /// The columns that are referred to, in the same order.
    pub target_columns: Vec<String>,
    /// What happens to the rows that refer when the key that they refer to changes.
    pub on_update: ReferentialAction,
    /// What happens to them when the row that they refer to is deleted.
    pub on_delete: ReferentialAction,
    /// What else its definition says.
    pub attributes: ReferenceAttributes,
}

impl ForeignKey {
    /// Whether every row is known to have a target: PostgreSQL may not have checked its rows.
    pub fn is_validated(&self) -> bool {
        !self.attributes.has(&ReferenceAttribute::NotValid) && self.is_enforced()
    }

    /// Whether new rows must have a target.
    pub fn is_enforced(&self) -> bool {
        !self.attributes.has(&ReferenceAttribute::NotEnforced)
    }
}

impl Catalog {
    /// The table with a name.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if there is none.
    pub fn table(&self, name: &QualifiedName) -> Result<&Table, Error> {
        let found = self.tables.iter().find(|table| table.name == *name);
        found.ok_or_else(|| Error::Missing {
            what: format!("the table {name}"),
        })
    }

    /// The tables and foreign keys that refer to a table, the table itself included.
    pub fn references_to(&self, target: &QualifiedName) -> Vec<(&Table, &ForeignKey)> {
        let mut found = Vec::new();
        for table in &self.tables {
            let to_target = table
                .foreign_keys
                .iter()
                .filter(|key| key.target == *target);
            found.extend(to_target.map(|key| (table, key)));
        }
        found
    }

    /// The SHA-256 of what the catalogue says about some tables, in hexadecimal. Numbers of rows do
    /// not count.
    pub fn hash(&self, names: &[QualifiedName]) -> String {
        let mut names: Vec<&QualifiedName> = names.iter().collect();
        names.sort_unstable();
        names.dedup();
        let tables = names.into_iter().map(|name| self.table_to_hash(name));
        hash_of(tables)
    }

    /// The same hash for one table, without what a copy ignores: views, programs and privileges may
    /// come and go, even in other schemas or where not every account sees them.
    pub fn hash_to_copy(&self, name: &QualifiedName) -> String {
        let counts = |one: &Dependent| {
            !matches!(
                one.kind,
                DependentKind::View
                    | DependentKind::Trigger
                    | DependentKind::Routine
                    | DependentKind::Event
                    | DependentKind::Publication
                    | DependentKind::Statistics
                    | DependentKind::Privilege
            )
        };
        let mut table = self.table_to_hash(name).cloned();
        if let Some(table) = &mut table {
            table.dependents.retain(counts);
        }
        hash_of([table.as_ref()])
    }

    fn table_to_hash(&self, name: &QualifiedName) -> Option<&Table> {
        let table = self.tables.iter().find(|table| table.name == *name)?;
        Some(table.shown.as_deref().unwrap_or(table))
    }
}

fn hash_of<'t>(tables: impl IntoIterator<Item = Option<&'t Table>>) -> String {
    let mut hash = Sha256::new();
    for table in tables {
        // JSON only refuses maps whose keys aren't text, and a table has no maps.
        hash.update(serde_json::to_vec(&table).expect("a table has a JSON form"));
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_they_are_read() {
        for (text, schema, name) in [
            ("offer", None, "offer"),
            ("sales.offer", Some("sales"), "offer"),
            ("\"a.b\"", None, "a.b"),
            ("\"a.b\".\"c\"\"d\"", Some("a.b"), "c\"d"),
            ("s.\"a.b\"", Some("s"), "a.b"),
            ("odd \"t", None, "odd \"t"),
        ] {
            let read = QualifiedName::from(text);
            assert_eq!(
                (read.schema.as_deref(), read.name.as_str()),
                (schema, name),
                "{text}"
            );
            assert_eq!(QualifiedName::from(read.to_string()), read, "{text}");
        }
    }

    #[test]
    fn tables_that_begin_like_those_of_this_program_are_not_its_own() {
        for (name, expected) in [
            ("rowkey_copy", true),
            ("rowkey_rehearsal_12", true),
            ("rowkey_staging_0a1b2c3d4e5f_7", true),
            ("rowkey_orders", false),
            ("rowkey_copy_of_orders", false),
            ("rowkey_rehearsal_notes", false),
        ] {
            assert_eq!(Table::new(name).is_of_tools(), expected, "{name}");
        }
    }
}
