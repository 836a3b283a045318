//! Programs that write all the time, and know what they have written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rowkey_sql::StoredForm;
use rowkey_tables::{Connection, Error};

use crate::relayout::rekeyed;
use crate::relayout::rows::{Child, Parent, Random, Rows};
use crate::relayout::shop::{Names, Shop};

/// A program with rows of its own, which nobody else refers to.
pub(crate) struct Writer {
    shop: Shop,
    /// What it declares.
    declared: Declaration,
    /// What it declares after it was deployed again.
    next: Declaration,
    rows: Rows,
    random: Random,
    /// The number of its next row.
    number: i64,
    counts: Arc<Counts>,
}

/// The names and the form of the columns with ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) names: Names,
    pub(crate) form: StoredForm,
}

/// What a program has done.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Transactions with the old declaration.
    pub(crate) old: AtomicU64,
    /// Transactions with the new one.
    pub(crate) new: AtomicU64,
    /// Transactions that failed, and left nothing behind.
    pub(crate) failed: AtomicU64,
}

impl Writer {
    /// A program whose rows have numbers from one on.
    pub(crate) fn new(shop: &Shop, forms: [&str; 2], names: Names, first: i64) -> Result<Self> {
        let declaration = |names, form| {
            let form = shop.dialect.form(form)?;
            Ok::<_, anyhow::Error>(Declaration { names, form })
        };
        Ok(Self {
            shop: shop.clone(),
            declared: declaration(Names::Old, forms[0])?,
            next: declaration(names, forms[1])?,
            rows: Rows::default(),
            random: Random(first as u64),
            number: first,
            counts: Arc::default(),
        })
    }

    /// Gives it rows that are already in the tables.
    pub(crate) fn with_rows(mut self, rows: Rows) -> Self {
        self.number += rows.children.len() as i64;
        self.rows = rows;
        self
    }

    pub(crate) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Writes until it is told to stop; the rows that have to be in the tables.
    pub(crate) async fn write(mut self, stop: Arc<AtomicBool>) -> Result<Rows> {
        let mut connection = self.shop.connect().await?;
        while !stop.load(Ordering::Relaxed) {
            let mut after = self.rows.clone();
            let statements = self.transaction(&mut after);
            match self.shop.transaction(&mut connection, &statements).await {
                Ok(()) => {
                    self.rows = after;
                    let count = match self.declared.names {
                        Names::Old => &self.counts.old,
                        Names::New => &self.counts.new,
                    };
                    count.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    self.counts.failed.fetch_add(1, Ordering::Relaxed);
                    self.after_failure(&mut connection, error).await?;
                }
            }
            // Others want the locks too.
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(self.rows)
    }

    /// A failed program is deployed again with the other declaration, if the columns are those.
    async fn after_failure(&mut self, connection: &mut Connection, error: Error) -> Result<()> {
        // The program's references are right. A change whose tables are not equal refuses them.
        let is_of_reference = format!("{error:?}").to_lowercase().contains("foreign key");
        ensure!(!is_of_reference, "a reference was refused: {error:?}");
        if connection.query("a probe", "SELECT 1", &[]).await.is_err() {
            *connection = self.shop.connect().await.context(error)?;
            return Ok(());
        }
        if names_in_use(connection).await? != self.next.names {
            return Ok(());
        }
        std::mem::swap(&mut self.declared, &mut self.next);
        if self.declared.form.format() != self.next.form.format() {
            self.rekey(connection).await?;
        }
        Ok(())
    }

    /// The program's rows have the ids of the other format now.
    async fn rekey(&mut self, connection: &mut Connection) -> Result<()> {
        let map = rekeyed::map(connection, "parent").await?;
        let pairs = map.iter().map(|(old, new)| (*old as u128, *new));
        let other: BTreeMap<u128, u128> = match self.declared.names {
            Names::New => pairs.collect(),
            Names::Old => pairs.map(|(old, new)| (new, old)).collect(),
        };
        self.rows.rekey(|id| other.get(&id).copied().unwrap_or(id));
        Ok(())
    }

    /// The statements of a transaction, and what they do to the rows.
    fn transaction(&mut self, rows: &mut Rows) -> Vec<String> {
        let statements = match self.random.below(10) {
            0..=3 => self.insertion(rows),
            4 => self.deletion(rows),
            5 | 6 => self.renaming(rows),
            7 => self.reference(rows),
            8 => self.loose(rows),
            _ => self.title(rows),
        };
        let statements = statements.iter().map(|sql| self.declared.names.in_sql(sql));
        statements.collect()
    }

    fn literal(&self, id: u128) -> String {
        self.declared.form.literal(id)
    }

    fn new_id(&mut self) -> u128 {
        self.random.id_of(self.declared.form.format())
    }

    /// One of its parents.
    fn any(&mut self, rows: &Rows) -> Option<u128> {
        let place = self.random.below(rows.parents.len() as u64) as usize;
        rows.parents.keys().nth(place).copied()
    }

    fn insertion(&mut self, rows: &mut Rows) -> Vec<String> {
        let (id, above) = (self.new_id(), self.any(rows));
        let (other, number) = (self.any(rows), self.number);
        self.number += 1;
        let optional = |id: Option<u128>| id.map_or("NULL".into(), |id| self.literal(id));
        let key = self.literal(id);
        let statements = vec![
            format!(
                "INSERT INTO parent ({{id}}, title, {{above_id}}) VALUES ({key}, 'written', {})",
                optional(above)
            ),
            format!(
                "INSERT INTO child (number, {{parent_id}}, {{other_id}}) VALUES ({number}, {key}, {})",
                optional(other)
            ),
            format!("INSERT INTO line ({{parent_id}}, n, quantity) VALUES ({key}, 1, {number})"),
            format!(
                "INSERT INTO part ({{parent_id}}, n, k, quantity) VALUES ({key}, 1, 1, {number})"
            ),
            format!("INSERT INTO loose (number, {{parent_id}}) VALUES ({number}, {key})"),
        ];
        let title = "written".to_owned();
        let parent = Parent {
            title,
            above,
            created: 0,
        };
        rows.parents.insert(id, parent);
        rows.children.insert(number, Child { parent: id, other });
        rows.lines.insert((id, 1), number);
        rows.parts.insert((id, 1, 1), number);
        rows.loose.insert(number, Some(id));
        statements
    }

    fn deletion(&mut self, rows: &mut Rows) -> Vec<String> {
        let Some(id) = self.any(rows) else {
            return Vec::new();
        };
        rows.delete(id);
        vec![format!(
            "DELETE FROM parent WHERE {{id}} = {}",
            self.literal(id)
        )]
    }

    /// Another key for a parent that no other parent is below.
    fn renaming(&mut self, rows: &mut Rows) -> Vec<String> {
        let (Some(id), fresh) = (self.any(rows), self.new_id()) else {
            return Vec::new();
        };
        if rows.parents.values().any(|row| row.above == Some(id)) {
            return Vec::new();
        }
        rows.rename(id, fresh);
        vec![format!(
            "UPDATE parent SET {{id}} = {} WHERE {{id}} = {}",
            self.literal(fresh),
            self.literal(id)
        )]
    }

    fn reference(&mut self, rows: &mut Rows) -> Vec<String> {
        let place = self.random.below(rows.children.len() as u64) as usize;
        let (Some(parent), Some((number, child))) =
            (self.any(rows), rows.children.iter_mut().nth(place))
        else {
            return Vec::new();
        };
        (child.parent, child.other) = (parent, None);
        vec![format!(
            "UPDATE child SET {{parent_id}} = {}, {{other_id}} = NULL WHERE number = {number}",
            self.literal(parent)
        )]
    }

    fn loose(&mut self, rows: &mut Rows) -> Vec<String> {
        let place = self.random.below(rows.loose.len() as u64) as usize;
        let id = self.new_id();
        let Some((number, row)) = rows.loose.iter_mut().nth(place) else {
            return Vec::new();
        };
        *row = Some(id);
        vec![format!(
            "UPDATE loose SET {{parent_id}} = {} WHERE number = {number}",
            self.literal(id)
        )]
    }

    /// A change that leaves the ids alone.
    fn title(&mut self, rows: &mut Rows) -> Vec<String> {
        let Some(id) = self.any(rows) else {
            return Vec::new();
        };
        let title = format!("title {}", self.random.below(1_000));
        let sql = format!(
            "UPDATE parent SET title = '{title}' WHERE {{id}} = {}",
            self.literal(id)
        );
        if let Some(row) = rows.parents.get_mut(&id) {
            row.title = title;
        }
        vec![sql]
    }
}

/// The names that the columns have. Until the swap, there are new ones beside them. Where a server
/// exchanges the tables at this moment, it may find neither.
async fn names_in_use(connection: &mut Connection) -> Result<Names> {
    const ATTEMPTS: u32 = 500;
    let mut failure = None;
    for _ in 0..ATTEMPTS {
        for (column, names) in [("id", Names::Old), ("id_key", Names::New)] {
            let query = format!("SELECT {column} FROM parent WHERE 1 = 0");
            match connection.query("a probe", &query, &[]).await {
                Ok(_) => return Ok(names),
                Err(error) => failure = Some(error),
            }
        }
        if connection.query("a probe", "SELECT 1", &[]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let failure = failure.context("no probe")?;
    Err(failure).context("neither name of the key is there")
}

/// A program that nobody deploys again: it writes with the old declaration until it is told to
/// stop. After the swap, none of its statements may succeed.
pub(crate) async fn write_stubbornly(
    shop: Shop,
    form: StoredForm,
    stop: Arc<AtomicBool>,
    refused: Arc<AtomicU64>,
) -> Result<Rows> {
    let mut random = Random(0x5708);
    let mut rows = Rows::default();
    let mut connection = shop.connect().await?;
    let mut has_changed = false;
    while !stop.load(Ordering::Relaxed) {
        let id = random.id_of(form.format());
        let insert = format!(
            "INSERT INTO parent (id, title) VALUES ({}, 'stubborn')",
            form.literal(id)
        );
        match shop.transaction(&mut connection, &[insert]).await {
            Ok(()) if has_changed => bail!("an old program has written after the swap"),
            Ok(()) => {
                let title = "stubborn".to_owned();
                let parent = Parent {
                    title,
                    above: None,
                    created: 0,
                };
                rows.parents.insert(id, parent);
            }
            Err(_) if has_changed => {
                refused.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => has_changed = names_in_use(&mut connection).await? == Names::New,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(rows)
}
