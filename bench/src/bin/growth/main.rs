//! Measures how indexes of ids grow in PostgreSQL, by the rate of inserts and over turns of the
//! short COMB's ring, and writes a page of it.
//!
//! `growth <rows> <directory>`; `cargo xtask bench --growth` calls it.

mod kind;
mod server;

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use rowkey::UnixMillis;
use rowkey_bench::interval::Interval;
use rowkey_bench::machine::Machine;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use kind::{KINDS, Kind, WRAPPED};
use server::{SETTINGS, Server};

/// Rows of a statement.
const BATCH: u64 = 1_000;

/// Rows from one checkpoint to the next.
const CHECKPOINT: u64 = 50_000;

/// Passes over the kinds of each rate, every second one in the reverse order: what else the machine
/// does meanwhile meets them alike.
const PASSES: usize = 3;

/// Rows that come in every minute.
const RATES: [u64; 3] = [60, 3_000, 60_000];

/// Milliseconds of four turns of a ring of minutes.
const FOUR_TURNS: u64 = 4 * 65_536 * 60_000;

/// The time of the first row, the same in each run.
const START: i64 = 1_780_000_000_000;

/// What became of an index in one pass.
struct Growth {
    index_bytes: i64,
    wal_bytes: i64,
    newest_blocks: u64,
    middle_blocks: u64,
    elapsed: Duration,
}

/// One kind of ids, and its passes.
struct Case {
    kind: &'static Kind,
    passes: Vec<Growth>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [rows, folder] = &arguments[..] else {
        bail!("usage: growth <rows> <directory>");
    };
    let rows: u64 = rows.parse().context("name a number of rows")?;
    let machine = Machine::look();
    let server = Server::start()?;
    // The server goes also if a signal asks to end early.
    let (version, lines) = tokio::select! {
        lines = measure(&server, rows) => lines?,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
    };
    let page = format!(
        include_str!("page.md"),
        rows = rows,
        lines = lines,
        version = version,
        machine = machine.describe("client and server on the same machine"),
        settings = SETTINGS.join(", "),
        batch = BATCH,
        checkpoint = CHECKPOINT,
        passes = PASSES,
    );
    fs::create_dir_all(folder)?;
    Ok(fs::write(Path::new(folder).join("index-growth.md"), page)?)
}

/// The server's version, and the lines of the table.
async fn measure(server: &Server, rows: u64) -> Result<(String, String)> {
    let mut lines = String::new();
    let rates = RATES.map(|rate| (format!("{rate} a minute"), 60_000 / rate));
    let turns = (String::from("four turns"), FOUR_TURNS / rows);
    for (rate, step) in rates.into_iter().chain([turns]) {
        for case in grow_all(server, rows, step).await? {
            writeln!(lines, "| {rate} |{}", case.cells(rows))?;
        }
    }
    let mut db = server.connect().await?;
    let version = sqlx::query_scalar("SELECT current_setting('server_version')");
    Ok((version.fetch_one(&mut db).await?, lines))
}

/// Measures the kinds of a rate, each once in every pass.
async fn grow_all(server: &Server, rows: u64, step: u64) -> Result<Vec<Case>> {
    let is_wrapped = step > 60_000 / RATES[0];
    let kinds = KINDS
        .iter()
        .filter(|kind| !is_wrapped || WRAPPED.contains(&kind.name));
    let case = |kind| Case {
        kind,
        passes: Vec::new(),
    };
    let mut cases: Vec<Case> = kinds.map(case).collect();
    for pass in 1..=PASSES {
        let mut order: Vec<&mut Case> = cases.iter_mut().collect();
        if pass % 2 == 0 {
            order.reverse();
        }
        for case in order {
            let growth = grow(server, case.kind, rows, step).await?;
            let seconds = growth.elapsed.as_secs_f64();
            eprintln!("{}, {step} ms, pass {pass}: {seconds:.1} s", case.kind.name);
            case.passes.push(growth);
        }
    }
    Ok(cases)
}

impl Case {
    /// The case's cells of the table.
    fn cells(&self, rows: u64) -> String {
        let of = |value: fn(&Growth) -> f64| Interval::of(self.passes.iter().map(value));
        let index_bytes = of(|pass| pass.index_bytes as f64).median;
        format!(
            " {} | {:.1} | {:.1} | {:.0} | {:.0} | {:.0} | {} |",
            self.kind.name,
            index_bytes / 1e6,
            index_bytes / rows as f64,
            of(|pass| pass.wal_bytes as f64).median / 1e6,
            of(|pass| pass.newest_blocks as f64).median,
            of(|pass| pass.middle_blocks as f64).median,
            of(|pass| pass.elapsed.as_secs_f64()).to_text(1),
        )
    }
}

/// Fills a table, and reads from it with nothing in the cache.
async fn grow(server: &Server, kind: &Kind, rows: u64, step: u64) -> Result<Growth> {
    let mut db = server.connect().await?;
    let column = kind.column;
    let create = format!(
        "DROP TABLE IF EXISTS measured; \
         CREATE TABLE measured (id {column} PRIMARY KEY, amount bigint NOT NULL); CHECKPOINT"
    );
    execute(&mut db, create).await?;
    let insert = format!("INSERT INTO measured SELECT sent::{column}, 1 FROM unnest($1) AS sent");
    let wal = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint";
    let before: i64 = sqlx::query_scalar(wal).fetch_one(&mut db).await?;
    let mut make = (kind.maker)();
    let mut elapsed = Duration::ZERO;
    let (mut middle, mut newest) = (Vec::new(), Vec::new());
    for first in (0..rows).step_by(BATCH as usize) {
        let ids = first..rows.min(first + BATCH);
        let ids = ids.map(|row| make(row + 1, UnixMillis::new(START + (row * step) as i64)));
        let mut ids = ids.collect::<Result<Vec<_>>>()?;
        if kind.sorted {
            ids.sort_unstable();
        }
        let begin = Instant::now();
        let query = sqlx::query(AssertSqlSafe(insert.clone())).bind(&ids);
        query.execute(&mut db).await?;
        if first % CHECKPOINT == 0 {
            execute(&mut db, String::from("CHECKPOINT")).await?;
        }
        elapsed += begin.elapsed();
        if first <= rows / 2 {
            middle = ids;
        } else {
            newest = ids;
        }
    }
    let after: i64 = sqlx::query_scalar(wal).fetch_one(&mut db).await?;
    let size = sqlx::query_scalar("SELECT pg_relation_size('measured_pkey')");
    let index_bytes = size.fetch_one(&mut db).await?;
    db.close().await?;

    server.restart()?;
    let mut db = server.connect().await?;
    // The index is what is measured, whatever the planner would take.
    let only_index = "SET enable_seqscan = off; SET enable_bitmapscan = off";
    execute(&mut db, String::from(only_index)).await?;
    Ok(Growth {
        index_bytes,
        wal_bytes: after - before,
        newest_blocks: blocks_read(&mut db, column, &newest).await?,
        middle_blocks: blocks_read(&mut db, column, &middle).await?,
        elapsed,
    })
}

/// The blocks of index and table that are read to find these rows.
async fn blocks_read(db: &mut PgConnection, column: &str, ids: &[String]) -> Result<u64> {
    let list = ids.join(",");
    let explain = format!(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \
         SELECT amount FROM measured WHERE id = ANY ('{{{list}}}'::{column}[])"
    );
    let row = sqlx::query(AssertSqlSafe(explain)).fetch_one(db).await?;
    // Text in JSON, of a type that is not among the driver's features here.
    let plan: Value = serde_json::from_str(row.try_get_unchecked(0)?)?;
    let read = plan[0]["Plan"]["Shared Read Blocks"].as_u64();
    read.context("the plan does not tell the blocks that were read")
}

async fn execute(db: &mut PgConnection, sql: String) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(db).await?;
    Ok(())
}
