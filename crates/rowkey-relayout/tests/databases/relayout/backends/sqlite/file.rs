//! A file with tables whose keys change, and what programs do with it.

use std::pin::Pin;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_relayout::plan::{Plan, Policy, Request};
use rowkey_relayout::{self as relayout, Phase};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Error, Silent, Value};

/// A test with its name.
pub(crate) type Test = (&'static str, fn(String) -> Outcome);
/// What a test returns.
pub(crate) type Outcome = Pin<Box<dyn Future<Output = anyhow::Result<()>>>>;

/// The names of functions, and the functions.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub(crate) const TESTS: &[super::file::Test] =
            &[$((stringify!($name), |url| Box::pin($name(url)))),*];
    };
}

pub(crate) use tests;

/// Tables with all kinds of references, and with what a table can have in SQLite.
pub(crate) const TABLES: &str = "
CREATE TABLE parent (
    id BLOB PRIMARY KEY, -- the key
    title TEXT NOT NULL DEFAULT 'none, yet' CHECK (title <> '') ,
    upper_title TEXT AS (upper(title)) STORED
);
CREATE TABLE \"child\" (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    [parent id] BLOB NOT NULL REFERENCES parent(ID) ON DELETE CASCADE ON UPDATE CASCADE,
    second REFERENCES parent ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    note TEXT
);
CREATE TABLE line (
    parent_id BLOB, n INTEGER, next_n INTEGER,
    PRIMARY KEY (parent_id, n),
    FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE,
    FOREIGN KEY (parent_id, next_n) REFERENCES line (parent_id, n)
) WITHOUT ROWID, STRICT;
CREATE TABLE visit (about BLOB, day TEXT);
CREATE INDEX child_by_parent ON child (\"parent id\" DESC, note) WHERE second IS NOT NULL;
CREATE UNIQUE INDEX child_by_note ON child (lower(note));
CREATE INDEX visit_by_about ON visit (about);
CREATE TABLE log (entry TEXT);
CREATE TRIGGER titles AFTER UPDATE OF title ON parent BEGIN
    INSERT INTO log VALUES (old.title || ' -> ' || new.title); END;
CREATE VIEW everything AS SELECT * FROM parent;
CREATE VIEW titles_only AS SELECT title FROM everything;
";

/// An open file.
pub(crate) struct File {
    pub(crate) connection: Connection,
}

impl File {
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        let connection = Connection::open(&url.parse()?).await?;
        Ok(Self { connection })
    }

    /// A new file with the tables, and some rows.
    pub(crate) async fn with_rows(url: &str, form: StoredForm, rows: u64) -> anyhow::Result<Self> {
        let mut file = Self::open(url).await?;
        file.run(TABLES).await?;
        file.run("BEGIN").await?;
        for number in 0..rows {
            let id = form.literal(id(number));
            let other = form.literal(id_of_another(number));
            file.run(&format!(
                "INSERT INTO parent (id, title) VALUES ({id}, 'title {number}');
                 INSERT INTO child (\"parent id\", second, note) VALUES \
                 ({id}, {other}, 'note {number}'), ({id}, NULL, 'other {number}');
                 INSERT INTO line VALUES ({id}, 1, NULL), ({id}, 2, 1);
                 INSERT INTO visit VALUES ({id}, 'monday'), (NULL, 'tuesday')"
            ))
            .await?;
        }
        // Numbers of rows with gaps, and a counter that is ahead.
        file.run("DELETE FROM parent WHERE title = 'title 1'")
            .await?;
        file.run("DELETE FROM child WHERE number > (SELECT max(number) - 1 FROM child)")
            .await?;
        file.run("COMMIT").await?;
        Ok(file)
    }

    pub(crate) async fn run(&mut self, sql: &str) -> Result<u64, Error> {
        self.connection.execute("a test", sql).await
    }

    /// The rows of a query, each as text.
    pub(crate) async fn rows(&mut self, query: &str) -> anyhow::Result<Vec<String>> {
        let rows = self.connection.query("a test", query, &[]).await?;
        let text = |value: &Value| match value {
            Value::Null => "NULL".to_owned(),
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let row = |values: &Vec<Value>| values.iter().map(text).collect::<Vec<_>>().join(" | ");
        Ok(rows.iter().map(|row_of| row(&row_of.0)).collect())
    }

    /// What the file says about everything in it, except the state of changes.
    pub(crate) async fn definitions(&mut self) -> anyhow::Result<Vec<String>> {
        self.rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_master \
             WHERE name <> 'rowkey_relayout' \
             AND tbl_name NOT IN ('rowkey_relayout', 'rowkey_id_map') \
             ORDER BY type, name",
        )
        .await
    }

    /// A plan for the key of `parent`, with the reference that no constraint asserts.
    pub(crate) async fn plan(&mut self, change: &Change) -> anyhow::Result<Plan> {
        let catalog = Catalog::read(&mut self.connection).await?;
        Ok(Plan::for_key(&catalog, &change.request())?)
    }

    pub(crate) async fn change(&mut self, plan: &Plan, last: Phase) -> Result<(), Error> {
        relayout::run(&mut self.connection, plan, last, &mut Silent).await
    }

    pub(crate) async fn undo(&mut self, plan: &Plan) -> Result<(), Error> {
        relayout::undo(&mut self.connection, plan, &mut Silent).await
    }

    pub(crate) async fn contract(&mut self, plan: &Plan) -> Result<(), Error> {
        relayout::contract(&mut self.connection, plan, &mut Silent).await
    }
}

/// A change of a key's form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) format: FormatKind,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

impl Change {
    /// Two forms of the same type: the most dangerous change.
    pub(crate) const SWAP: Self = Self {
        format: FormatKind::ShortSuffixComb,
        from: "uuid:public",
        to: "uuid",
    };
    /// Two forms of different types.
    pub(crate) const TO_TEXT: Self = Self {
        format: FormatKind::ShortSuffixComb,
        from: "uuid",
        to: "text",
    };

    pub(crate) fn form(&self, name: &str) -> StoredForm {
        StoredForm::named(self.format, Backend::Sqlite, name).unwrap()
    }

    pub(crate) fn old_form(&self) -> StoredForm {
        self.form(self.from)
    }

    pub(crate) fn new_form(&self) -> StoredForm {
        self.form(self.to)
    }

    fn request(&self) -> Request {
        Request {
            table: "parent".into(),
            column: "id".into(),
            format: self.format,
            from: Some(self.from.into()),
            to: self.to.into(),
            created: None,
            unasserted: vec![("visit".into(), "about".into())],
            policy: Policy::default(),
        }
    }
}

/// The public value of a row, of version 4.
pub(crate) fn id(number: u64) -> u128 {
    let mixed = u128::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    mixed & !(0xf << 76 | 0b11 << 62) | 4 << 76 | 0b10 << 62
}

/// The public value of another row, which may be gone.
fn id_of_another(number: u64) -> u128 {
    id(match number / 2 {
        1 => 0,
        other => other,
    })
}
