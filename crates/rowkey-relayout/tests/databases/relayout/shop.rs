//! The tables of the scenarios: every kind of reference to a key.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_relayout::plan::{OldPrograms, Plan, Policy, Request};
use rowkey_relayout::{self as relayout, Phase};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Address, Connection, Error, Row, Silent, Value};

use crate::is_large;
use crate::relayout::dialect::Dialect;
use crate::relayout::rows::{Child, Parent, Random, Rows};

/// The tables, and what is read of them: the columns with ids by their names before the change.
pub(crate) const SELECTS: [(&str, &str); 5] = [
    ("parent", "SELECT {id}, title, {above_id} FROM parent"),
    ("child", "SELECT number, {parent_id}, {other_id} FROM child"),
    ("line", "SELECT {parent_id}, n, quantity FROM line"),
    ("part", "SELECT {parent_id}, n, k, quantity FROM part"),
    ("loose", "SELECT number, {parent_id} FROM loose"),
];

/// The columns with ids.
const COLUMNS: [&str; 4] = ["id", "above_id", "parent_id", "other_id"];

/// The forms of most scenarios, which have the same type: the most dangerous change.
pub(crate) const OLD: &str = "uuid:suffix";
pub(crate) const NEW: &str = "uuid:public";

/// The form of numbers, which get new ids.
pub(crate) const NUMBERS: &str = "bigint";

/// A database with the tables.
#[derive(Clone, Debug)]
pub(crate) struct Shop {
    pub(crate) dialect: Dialect,
    pub(crate) url: String,
    pub(crate) address: Address,
    printed: Arc<Mutex<Option<Printed>>>,
}

/// The ends of a change on SQL Server, which are printed before it begins.
#[derive(Debug)]
struct Printed {
    undo: Vec<String>,
    contract: Vec<String>,
}

impl Shop {
    pub(crate) fn open(dialect: Dialect, url: &str) -> Result<Self> {
        Ok(Self {
            dialect,
            url: url.to_owned(),
            address: url.parse()?,
            printed: Arc::default(),
        })
    }

    /// The same shop with ids that fit 38 digits.
    pub(crate) fn with_38_digits(mut self) -> Self {
        self.dialect.format = FormatKind::DistributedId128;
        self
    }

    /// A connection, prepared as those of programs are.
    pub(crate) async fn connect(&self) -> Result<Connection> {
        let mut connection = Connection::open(&self.address).await?;
        connection
            .execute("the session", self.dialect.session())
            .await?;
        Ok(connection)
    }

    /// Makes the tables with ids in a form.
    pub(crate) async fn create(&self, form: &str) -> Result<()> {
        let mut connection = self.connect().await?;
        for statement in self.tables(self.dialect.form(form)?) {
            connection.execute("a table", &statement).await?;
        }
        Ok(())
    }

    /// The statements that make the tables.
    fn tables(&self, form: StoredForm) -> Vec<String> {
        let (key, id) = (form.sql_type(), self.dialect.key_type(form));
        let time = self.dialect.time_type();
        let (on_delete, on_update) = self.dialect.second_reference();
        let tables = [
            format!(
                "parent (id {id} NOT NULL, title varchar(40) NOT NULL, above_id {key} NULL, \
                 created_at {time} NULL, CONSTRAINT parent_key PRIMARY KEY (id), \
                 CONSTRAINT parent_above FOREIGN KEY (above_id) REFERENCES parent (id){on_delete})"
            ),
            format!(
                "child (number bigint NOT NULL PRIMARY KEY, parent_id {key} NOT NULL, \
                 other_id {key} NULL, CONSTRAINT child_parent FOREIGN KEY (parent_id) \
                 REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE, \
                 CONSTRAINT child_other FOREIGN KEY (other_id) \
                 REFERENCES parent (id){on_delete}{on_update})"
            ),
            format!(
                "line (parent_id {key} NOT NULL, n integer NOT NULL, quantity integer NOT NULL, \
                 PRIMARY KEY (parent_id, n), CONSTRAINT line_parent FOREIGN KEY (parent_id) \
                 REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE)"
            ),
            format!(
                "part (parent_id {key} NOT NULL, n integer NOT NULL, k integer NOT NULL, \
                 quantity integer NOT NULL, PRIMARY KEY (parent_id, n, k), \
                 CONSTRAINT part_line FOREIGN KEY (parent_id, n) REFERENCES line (parent_id, n) \
                 ON DELETE CASCADE ON UPDATE CASCADE)"
            ),
            format!("loose (number bigint NOT NULL PRIMARY KEY, parent_id {key} NULL)"),
        ];
        let options = self.dialect.table_options();
        let mut statements: Vec<String> = tables
            .iter()
            .map(|table| format!("CREATE TABLE {table}{options}"))
            .collect();
        statements.extend([
            "CREATE INDEX parent_by_above ON parent (above_id)".to_owned(),
            "CREATE INDEX child_by_parent ON child (parent_id, number)".to_owned(),
            "CREATE INDEX child_by_other ON child (other_id)".to_owned(),
            "CREATE INDEX loose_by_parent ON loose (parent_id)".to_owned(),
        ]);
        statements
    }

    /// Fills the tables with this number of parents, and as many rows in each of the others.
    pub(crate) async fn fill(&self, form: &str, count: u64, seed: u64) -> Result<Rows> {
        self.fill_from(form, 0, count, seed).await
    }

    /// The same, with numbers from one on.
    pub(crate) async fn fill_from(
        &self,
        form: &str,
        first: i64,
        count: u64,
        seed: u64,
    ) -> Result<Rows> {
        let form = self.dialect.form(form)?;
        let rows = some_rows(form.format(), first, count, &mut Random(seed));
        let mut connection = self.connect().await?;
        connection.execute("the rows", self.dialect.begin()).await?;
        for (table, _) in SELECTS {
            for part in rows.literals(table, form).chunks(500) {
                let columns = insert_columns(table);
                let insert = format!("INSERT INTO {table} ({columns}) VALUES {}", part.join(", "));
                connection.execute("the rows", &insert).await?;
            }
        }
        connection.execute("the rows", "COMMIT").await?;
        Ok(rows)
    }

    /// What is to be changed, from one form to another. Numbers get new ids with the time of
    /// creation.
    pub(crate) fn request(&self, from: &str, to: &str) -> Request {
        Request {
            table: "parent".into(),
            column: "id".into(),
            format: self.dialect.format,
            from: (from != NUMBERS).then(|| self.dialect.form_name(from).into()),
            to: self.dialect.form_name(to).into(),
            created: (from == NUMBERS).then(|| "created_at".into()),
            unasserted: vec![("loose".into(), "parent_id".into())],
            policy: Policy {
                // Several batches in a small table, too.
                batch_rows: match is_large() {
                    true => Policy::default().batch_rows,
                    false => 500,
                },
                lock_timeout_ms: 500,
                ..Policy::default()
            },
        }
    }

    pub(crate) async fn plan(&self, from: &str, to: &str) -> Result<Plan> {
        self.plan_for(&self.request(from, to)).await
    }

    pub(crate) async fn plan_for(&self, request: &Request) -> Result<Plan> {
        let mut connection = self.connect().await?;
        let catalog = Catalog::read(&mut connection).await?;
        Ok(Plan::for_key(&catalog, request)?)
    }

    /// Runs the phases up to one, as the tool does: on a connection of its own. On SQL Server, the
    /// printed statements are executed as a person would.
    pub(crate) async fn run(&self, plan: &Plan, last: Phase) -> Result<(), Error> {
        let mut connection = Connection::open(&self.address).await?;
        if self.dialect.backend == Backend::SqlServer {
            let script = relayout::script(&mut connection, plan, last).await?;
            let undo = relayout::undo_script(&mut connection, plan).await?;
            let mut parts = undo.split(|line| line == "-- undo, before the swap");
            let part = match last {
                Phase::Swap => parts.next(),
                _ => parts.nth(1),
            };
            *self.printed() = Some(Printed {
                undo: part.unwrap_or_default().to_vec(),
                contract: relayout::contract_script(&mut connection, plan).await?,
            });
            return execute(&mut connection, &script).await;
        }
        relayout::run(&mut connection, plan, last, &mut Silent).await
    }

    pub(crate) async fn undo(&self, plan: &Plan) -> Result<(), Error> {
        let mut connection = Connection::open(&self.address).await?;
        let printed = self.printed().take();
        match printed {
            Some(printed) => execute(&mut connection, &printed.undo).await,
            None => relayout::undo(&mut connection, plan, &mut Silent).await,
        }
    }

    pub(crate) async fn contract(&self, plan: &Plan) -> Result<(), Error> {
        let mut connection = Connection::open(&self.address).await?;
        let printed = self.printed().take();
        match printed {
            Some(printed) => execute(&mut connection, &printed.contract).await,
            None => relayout::contract(&mut connection, plan, &mut Silent).await,
        }
    }

    fn printed(&self) -> MutexGuard<'_, Option<Printed>> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails unless the tables contain exactly the rows, in a form, in columns with these names.
    pub(crate) async fn expect(&self, rows: &Rows, form: &str, names: Names) -> Result<()> {
        let mut connection = self.connect().await?;
        let form = self.dialect.form(form)?;
        for (table, select) in SELECTS {
            let mut found: Vec<Vec<Value>> = connection
                .query(table, &names.in_sql(select), &[])
                .await?
                .into_iter()
                .map(|Row(values)| values)
                .collect();
            let mut expected = rows.expected(table, form);
            found.sort_by_cached_key(|row| format!("{row:?}"));
            expected.sort_by_cached_key(|row| format!("{row:?}"));
            let different = found.iter().zip(&expected).find(|(one, two)| one != two);
            ensure!(
                found == expected,
                "{table}: {} rows instead of {}; the first difference: {different:?}",
                found.len(),
                expected.len(),
            );
        }
        Ok(())
    }

    /// Runs statements of a program in one transaction. Ids are written as `{id:…}` was formatted
    /// before.
    pub(crate) async fn transaction(
        &self,
        connection: &mut Connection,
        statements: &[String],
    ) -> Result<(), Error> {
        connection.execute("a begin", self.dialect.begin()).await?;
        for statement in statements {
            if let Err(error) = connection.execute("a write", statement).await {
                connection.execute("a rollback", "ROLLBACK").await?;
                return Err(error);
            }
        }
        connection.execute("a commit", "COMMIT").await.map(|_| ())
    }

    /// Drops the tables, and the map of their ids.
    pub(crate) async fn drop_tables(&self) -> Result<()> {
        let mut connection = self.connect().await?;
        let tables = SELECTS.iter().rev().map(|(table, _)| *table);
        for table in tables.chain(["rowkey_id_map"]) {
            let drop = format!("DROP TABLE IF EXISTS {table}");
            connection.execute("a table", &drop).await?;
        }
        Ok(())
    }

    /// What the catalogue says, without what a change keeps beside the tables.
    pub(crate) async fn catalog(&self) -> Result<Catalog> {
        let mut connection = self.connect().await?;
        let mut catalog = Catalog::read(&mut connection).await?;
        catalog
            .tables
            .retain(|table| SELECTS.iter().any(|(name, _)| table.name.name == *name));
        for table in &mut catalog.tables {
            table.estimated_rows = None;
            table.columns.sort_by(|a, b| a.name.cmp(&b.name));
            table.keys.sort_by(|a, b| a.name.cmp(&b.name));
            table.indexes.sort_by(|a, b| a.name.cmp(&b.name));
            table.foreign_keys.sort_by(|a, b| a.name.cmp(&b.name));
        }
        Ok(catalog)
    }
}

/// The text of a refusal, which has all of some parts.
pub(crate) fn refused<T: Debug>(outcome: Result<T, Error>, parts: &[&str]) -> Result<String> {
    let refusal = match outcome {
        Err(refusal @ Error::Refused { .. }) => refusal.to_string(),
        other => bail!("{other:?} instead of a refusal"),
    };
    for part in parts {
        ensure!(refusal.contains(part), "{part} is not in {refusal}");
    }
    Ok(refusal)
}

/// Executes a script, whose other lines are comments.
async fn execute(connection: &mut Connection, script: &[String]) -> Result<(), Error> {
    for statement in script.iter().filter(|line| !line.starts_with("--")) {
        connection.execute("the script", statement).await?;
    }
    Ok(())
}

/// Which names the columns with ids have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Those from before the change, which they keep if programs are told apart by a mark.
    Old,
    /// Those that a plan gives them otherwise.
    New,
}

impl Names {
    pub(crate) fn after(plan: &Plan) -> Self {
        match plan.policy.old_programs {
            OldPrograms::Rename => Self::New,
            OldPrograms::Mark => Self::Old,
        }
    }

    /// Puts the names into SQL: `{id}` becomes `id` or `id_key`.
    pub(crate) fn in_sql(self, sql: &str) -> String {
        let mut sql = sql.to_owned();
        for column in COLUMNS {
            let name = match self {
                Self::Old => column.to_owned(),
                Self::New => format!("{column}_key"),
            };
            sql = sql.replace(&format!("{{{column}}}"), &name);
        }
        sql
    }
}

fn insert_columns(table: &str) -> &'static str {
    match table {
        "parent" => "id, title, above_id, created_at",
        "child" => "number, parent_id, other_id",
        "line" => "parent_id, n, quantity",
        "part" => "parent_id, n, k, quantity",
        _ => "number, parent_id",
    }
}

/// Rows of every table. Every fifth parent is below another, every third optional reference is
/// NULL, and some references without a constraint lead nowhere.
fn some_rows(format: FormatKind, first: i64, count: u64, random: &mut Random) -> Rows {
    let mut rows = Rows::default();
    let ids: Vec<u128> = (0..count).map(|_| random.id_of(format)).collect();
    for (index, id) in ids.iter().enumerate() {
        let above = (index % 5 == 4).then(|| ids[random.below(index as u64) as usize]);
        let created = 1_700_000_000_000 + index as i64 * 61_000;
        let title = format!("parent {index}");
        rows.parents.insert(
            *id,
            Parent {
                title,
                above,
                created,
            },
        );
    }
    for (index, id) in ids.iter().enumerate() {
        let number = first + index as i64;
        let any = |random: &mut Random| ids[random.below(count) as usize];
        let parent = any(random);
        let other = (number % 3 != 0).then(|| any(random));
        rows.children.insert(number, Child { parent, other });
        rows.lines.insert((*id, 1), number);
        rows.parts.insert((*id, 1, number % 7), number);
        let loose = match number % 10 {
            0 => None,
            1 => Some(random.id_of(format)),
            _ => Some(any(random)),
        };
        rows.loose.insert(number, loose);
    }
    rows
}

impl Rows {
    /// The rows of a table as SQL, in an order in which references find their targets.
    fn literals(&self, table: &str, form: StoredForm) -> Vec<String> {
        let id = |id: &u128| form.literal(*id);
        let optional = |one: &Option<u128>| one.map_or("NULL".into(), |one| form.literal(one));
        match table {
            "parent" => {
                let mut parents: Vec<_> = self.parents.iter().collect();
                parents.sort_by_key(|(_, row)| row.created);
                let literal = |(key, row): &(&u128, &Parent)| {
                    let time = UtcTime(row.created);
                    let (key, above) = (id(key), optional(&row.above));
                    format!("({key}, '{}', {above}, '{time}')", row.title)
                };
                parents.iter().map(literal).collect()
            }
            "child" => {
                let literal = |(number, row): (&i64, &Child)| {
                    format!("({number}, {}, {})", id(&row.parent), optional(&row.other))
                };
                self.children.iter().map(literal).collect()
            }
            "line" => {
                let literal = |((key, n), quantity): (&(u128, i64), &i64)| {
                    format!("({}, {n}, {quantity})", id(key))
                };
                self.lines.iter().map(literal).collect()
            }
            "part" => {
                let literal = |((key, n, k), quantity): (&(u128, i64, i64), &i64)| {
                    format!("({}, {n}, {k}, {quantity})", id(key))
                };
                self.parts.iter().map(literal).collect()
            }
            _ => {
                let literal =
                    |(number, row): (&i64, &Option<u128>)| format!("({number}, {})", optional(row));
                self.loose.iter().map(literal).collect()
            }
        }
    }
}

/// Milliseconds since 1970 as every backend reads a time.
pub(crate) struct UtcTime(pub(crate) i64);

impl std::fmt::Display for UtcTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let days = self.0.div_euclid(86_400_000);
        let ms = self.0.rem_euclid(86_400_000);
        // The civil calendar, counted from the first of March of the year 0.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
        let (seconds, ms) = (ms / 1_000 % 60, ms % 1_000);
        write!(
            f,
            "{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}.{ms:03}"
        )
    }
}

/// The only number of a query.
pub(crate) async fn number(connection: &mut Connection, query: &str) -> Result<i64> {
    let rows = connection.query("a number", query, &[]).await?;
    Ok(rows.first().context("a row")?.integer(0)?)
}

/// The only text of a query; empty for NULL, which is what rows of no table add up to.
pub(crate) async fn text(connection: &mut Connection, query: &str) -> Result<String> {
    let row = connection.one_row(query, query, &[]).await?;
    Ok(row.optional_text(0)?.unwrap_or_default().to_owned())
}
