//! Compares the backfill of a relayout with the same statement written by hand, on a database of
//! yours.
//!
//! ```console
//! $ cargo run --release -p rowkey-relayout --all-features --example backfill -- \
//!       postgres://localhost/scratch 300000 prefix-comb uuid:suffix uuid:public
//! ```
//!
//! Each round makes two equal tables and changes one of each kind, the first one in turns. By hand
//! means one statement: an UPDATE of a new column or, in MySQL and MariaDB, an INSERT … SELECT into
//! an equal table, as the relayout does. It is what a person writes who has stopped all programs:
//! there are no triggers, all rows stay locked until its end, and whoever interrupts it begins
//! again. The relayout does its work in batches under triggers, and looks at the end whether it has
//! left a row. That counts; the catalogue, which it reads before, does not.
//!
//! In PostgreSQL, a transaction that is open elsewhere on the server makes the relayout slower: it
//! keeps the old versions of rows, whose room the relayout uses. In SQLite the relayout has no
//! backfill; it is the whole change there, with a copy of every row. The tables are dropped at the
//! end.
//!
//! MySQL and MariaDB have other storages: `binary:suffix binary:public`.

use std::env;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use rowkey_core::Backend;
use rowkey_core::format::{FieldKind, FormatKind};
use rowkey_relayout::plan::{Plan, Policy, Request};
use rowkey_relayout::{self as relayout, Phase};
use rowkey_sql::{Conversion, StoredForm};
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Address, Connection, Silent, Step};

const ROUNDS: usize = 5;

/// The table of the relayout, and the one that is changed by hand.
const TABLES: [&str; 2] = ["backfilled", "backfilled_by_hand"];

/// The new table of MySQL and MariaDB.
const BY_HAND_NEW: &str = "backfilled_by_hand_new";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, rest @ ..] = arguments.as_slice() else {
        return Err(anyhow!("backfill ADDRESS [ROWS] [FORMAT] [FROM] [TO]"));
    };
    let argument = |index: usize, default| rest.get(index).map_or(default, String::as_str);
    let address: Address = address.parse()?;
    let mut connection = Connection::open(&address).await?;
    let comparison = Comparison::new(
        connection.backend(),
        argument(0, "300000").parse()?,
        argument(1, "prefix-comb").parse()?,
        [argument(2, "uuid:suffix"), argument(3, "uuid:public")],
    )?;
    comparison.run(&mut connection).await
}

/// What is compared.
struct Comparison {
    rows: u64,
    names: [String; 2],
    from: StoredForm,
    to: StoredForm,
    /// The SQL of the new id from the old one.
    converted: String,
}

impl Comparison {
    fn new(backend: Backend, rows: u64, format: FormatKind, names: [&str; 2]) -> Result<Self> {
        ensure!(backend != Backend::SqlServer, "not on SQL Server");
        let form = |name| StoredForm::named(format, backend, name).map_err(|why| anyhow!(why));
        let [from, to] = [form(names[0])?, form(names[1])?];
        Ok(Self {
            rows,
            names: names.map(str::to_owned),
            from,
            to,
            converted: Conversion::new(from, to)?.expression("id")?,
        })
    }

    async fn run(&self, connection: &mut Connection) -> Result<()> {
        let (mut ratios, mut alone) = (Vec::new(), Duration::MAX);
        for round in 0..ROUNDS {
            for table in TABLES {
                self.create(connection, table).await?;
            }
            alone = alone.min(self.expression_alone(connection).await?);
            let (by_tool, by_hand) = match round % 2 {
                0 => (
                    self.by_tool(connection).await?,
                    self.by_hand(connection).await?,
                ),
                _ => {
                    let by_hand = self.by_hand(connection).await?;
                    (self.by_tool(connection).await?, by_hand)
                }
            };
            for table in [TABLES[0], TABLES[1], BY_HAND_NEW] {
                drop_table(connection, table).await?;
            }
            let ratio = by_hand.as_secs_f64() / by_tool.as_secs_f64();
            ratios.push(ratio);
            println!(
                "relayout {:.2} s, by hand {:.2} s ({:.1} µs a row): {ratio:.2} of its speed",
                by_tool.as_secs_f64(),
                by_hand.as_secs_f64(),
                self.micros_a_row(by_hand),
            );
        }
        ratios.sort_by(f64::total_cmp);
        println!(
            "{} to {}, {} rows: {:.2} of the speed by hand (median of {ROUNDS}); the expression alone \
             takes {:.1} µs a row",
            self.names[0],
            self.names[1],
            self.rows,
            ratios[ROUNDS / 2],
            self.micros_a_row(alone),
        );
        Ok(())
    }

    fn micros_a_row(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.rows as f64
    }

    async fn create(&self, connection: &mut Connection, table: &str) -> Result<()> {
        let key = self.from.sql_type();
        let create = format!(
            "CREATE TABLE {table} (id {key} NOT NULL PRIMARY KEY, title varchar(40) NOT NULL)"
        );
        connection.execute("a table", &create).await?;
        connection.execute("the rows", "BEGIN").await?;
        for first in (0..self.rows).step_by(1_000) {
            let rows = first..self.rows.min(first + 1_000);
            let rows = rows.map(|row| {
                let id = self.from.literal(id(self.from, self.to, row));
                format!("({id}, 'The title of row {row}')")
            });
            let rows: Vec<String> = rows.collect();
            let insert = format!("INSERT INTO {table} VALUES {}", rows.join(", "));
            connection.execute("the rows", &insert).await?;
        }
        connection.execute("the rows", "COMMIT").await?;
        let settle = match connection.backend() {
            Backend::Postgres => format!("VACUUM ANALYZE {table}"),
            Backend::Sqlite => format!("ANALYZE {table}"),
            _ => format!("ANALYZE TABLE {table}"),
        };
        connection.query("the statistics", &settle, &[]).await?;
        Ok(())
    }

    /// How much longer a scan takes with the expression than without it.
    async fn expression_alone(&self, connection: &mut Connection) -> Result<Duration> {
        let mut times = Vec::new();
        for value in ["id", &self.converted] {
            let query = format!("SELECT count({value}) FROM {}", TABLES[1]);
            let started = Instant::now();
            let counted = connection.query("a scan", &query, &[]).await?;
            times.push(started.elapsed());
            let counted = counted.first().context("a count")?.integer(0)?;
            ensure!(counted.cast_unsigned() == self.rows, "{counted} ids");
        }
        Ok(times[1].saturating_sub(times[0]))
    }

    async fn by_tool(&self, connection: &mut Connection) -> Result<Duration> {
        let catalog = Catalog::read(connection).await?;
        let request = Request {
            table: TABLES[0].into(),
            column: "id".into(),
            format: self.from.format(),
            from: Some(self.names[0].clone()),
            to: self.names[1].clone(),
            created: None,
            unasserted: Vec::new(),
            policy: Policy::default(),
        };
        let plan = Plan::for_key(&catalog, &request)?;
        relayout::run(connection, &plan, Phase::Expand, &mut Silent).await?;
        let last = match connection.backend() {
            Backend::Sqlite => Phase::Swap,
            _ => Phase::Backfill,
        };
        // Before its phase begins, a run reads the catalogue, however many rows there are.
        let mut begun = Instant::now();
        let mut progress = |step: Step| {
            if step == Step::Begins(Phase::Backfill.name().into()) {
                begun = Instant::now();
            }
        };
        relayout::run(connection, &plan, last, &mut progress).await?;
        let time = begun.elapsed();
        relayout::undo(connection, &plan, &mut Silent).await?;
        Ok(time)
    }

    async fn by_hand(&self, connection: &mut Connection) -> Result<Duration> {
        let (table, key, converted) = (TABLES[1], self.to.sql_type(), &self.converted);
        let (prepare, fill) = match connection.backend() {
            Backend::MySql | Backend::MariaDb => (
                format!(
                    "CREATE TABLE {BY_HAND_NEW} (id_key {key} NOT NULL PRIMARY KEY, \
                     title varchar(40) NOT NULL)"
                ),
                format!("INSERT INTO {BY_HAND_NEW} SELECT {converted}, title FROM {table}"),
            ),
            _ => (
                format!("ALTER TABLE {table} ADD COLUMN id_key {key}"),
                format!("UPDATE {table} SET id_key = {converted}"),
            ),
        };
        connection.execute("the new place", &prepare).await?;
        let started = Instant::now();
        let filled = connection.execute("the statement", &fill).await?;
        let time = started.elapsed();
        ensure!(filled == self.rows, "{filled} rows");
        Ok(time)
    }
}

async fn drop_table(connection: &mut Connection, table: &str) -> Result<()> {
    let drop = format!("DROP TABLE IF EXISTS {table}");
    connection.execute("the end", &drop).await?;
    Ok(())
}

/// An id of the format that fits both forms, later than the one of the row before.
fn id(from: StoredForm, to: StoredForm, row: u64) -> u128 {
    let mut random = row.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    random = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let millis = 1_767_225_600_000 + u128::from(row / 4);
    let any = millis << 80 | u128::from(random ^ random >> 27) << 12;
    let id = from.format().fields().iter().fold(any, |id, field| {
        let (FieldKind::Version(fixed) | FieldKind::Variant(fixed)) = field.kind else {
            return id;
        };
        let shift = 128 - field.first_bit - field.width;
        let mask = u128::MAX >> (128 - field.width) << shift;
        id & !mask | u128::from(fixed) << shift
    });
    let max = from.max_value().min(to.max_value());
    let excess = (0..).find(|bits| id >> bits <= max).unwrap_or_default();
    id >> excess
}
