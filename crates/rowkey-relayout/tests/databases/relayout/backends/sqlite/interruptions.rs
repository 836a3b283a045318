//! Changes that are killed, and programs that read and write meanwhile.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use anyhow::{Context, Result};
use rowkey_relayout::plan::Plan;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_tables::{Connection, Step};
use tokio::runtime::Runtime;

use super::file::{Change, File, id, tests};

tests![
    killed_with_a_rollback_journal,
    killed_with_a_write_ahead_log,
    programs_wait_with_a_rollback_journal,
    programs_wait_with_a_write_ahead_log,
];

/// The variables with the address of a file and with a plan, for a process that does nothing but
/// carry the plan out.
const VARIABLE: &str = "ROWKEY_SQLITE_URL";
const PLAN: &str = "ROWKEY_SQLITE_PLAN";

/// If this process is to be killed: changes the file, and writes each step as a line.
pub(crate) fn as_child() -> Option<ExitCode> {
    let (url, plan) = (env::var(VARIABLE).ok()?, env::var(PLAN).ok()?);
    match change_of(&url, &plan) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("{error:#}");
            Some(ExitCode::FAILURE)
        }
    }
}

fn change_of(url: &str, plan: &str) -> Result<()> {
    let plan = Plan::from_toml(plan)?;
    Runtime::new()?.block_on(async {
        let mut connection = Connection::open(&url.parse()?).await?;
        let mut progress = |step: Step| {
            // Whoever reads the lines may be gone.
            let _ = writeln!(std::io::stdout(), "{step}");
        };
        relayout::run(&mut connection, &plan, Phase::Swap, &mut progress).await?;
        Ok(())
    })
}

async fn killed_with_a_rollback_journal(url: String) -> Result<()> {
    killed(url, "DELETE").await
}

async fn killed_with_a_write_ahead_log(url: String) -> Result<()> {
    killed(url, "WAL").await
}

/// Kills a process at each of its steps. It leaves the file as it was, and the next one succeeds.
async fn killed(url: String, journal: &str) -> Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 2_000).await?;
    file.rows(&format!("PRAGMA journal_mode = {journal}"))
        .await?;
    let plan = file.plan(&Change::SWAP).await?;
    let everything = [
        "SELECT rowid, * FROM parent ORDER BY rowid",
        "SELECT * FROM child ORDER BY number",
        "SELECT * FROM line ORDER BY parent_id, n",
    ];
    let (definitions, mut before) = (file.definitions().await?, Vec::new());
    for query in everything {
        before.push(file.rows(query).await?);
    }
    // The phases and the tables.
    for last_line in 1..=8 {
        killed_after(&url, &plan, last_line)?;
        assert_eq!(file.rows("PRAGMA integrity_check").await?, ["ok"]);
        assert_eq!(file.definitions().await?, definitions, "line {last_line}");
        for (query, before) in everything.into_iter().zip(&before) {
            assert_eq!(file.rows(query).await?, *before, "line {last_line}");
        }
        let state = "SELECT count(*) FROM sqlite_master WHERE name = 'rowkey_relayout'";
        assert_eq!(file.rows(state).await?, ["0"], "line {last_line}");
    }
    file.change(&plan, Phase::Swap).await?;
    let new_id = Change::SWAP.new_form().literal(id(7));
    let query = format!("SELECT title FROM parent WHERE id_key = {new_id}");
    assert_eq!(file.rows(&query).await?, ["title 7"]);
    Ok(())
}

/// Starts a process, and kills it when it has written so many lines.
fn killed_after(url: &str, plan: &Plan, lines: usize) -> Result<()> {
    let mut child = Command::new(env::current_exe()?)
        .env(VARIABLE, url)
        .env(PLAN, plan.to_toml()?)
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().context("the lines")?;
    let written = BufReader::new(output).lines().take(lines).count();
    child.kill()?;
    let status = child.wait()?;
    assert_eq!(written, lines, "the process ended before: {status}");
    assert!(!status.success(), "the process was not killed in time");
    Ok(())
}

async fn programs_wait_with_a_rollback_journal(url: String) -> Result<()> {
    programs_wait(url, "DELETE").await
}

async fn programs_wait_with_a_write_ahead_log(url: String) -> Result<()> {
    programs_wait(url, "WAL").await
}

/// In the middle of the change, readers see the old tables, and writers wait or are told that the
/// file is locked. Those that have waited find the new tables: with the old declaration, they fail.
async fn programs_wait(url: String, journal: &str) -> Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 50).await?;
    file.rows(&format!("PRAGMA journal_mode = {journal}"))
        .await?;
    let plan = file.plan(&Change::SWAP).await?;
    let old_id = Change::SWAP.old_form().literal(id(1_000));
    let new_id = Change::SWAP.new_form().literal(id(1_001));
    let old = format!("INSERT INTO parent (id, title) VALUES ({old_id}, 'old')");
    // Before the swap, a new program's statement alone would not be valid.
    let new = format!(
        "BEGIN IMMEDIATE; INSERT INTO parent (id_key, title) VALUES ({new_id}, 'new'); COMMIT"
    );
    let (mut met, mut waiting, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut meanwhile = |step: Step| match step {
        Step::Rows { .. } if met.is_empty() => {
            let (url, old) = (url.clone(), old.clone());
            let impatient = thread::spawn(move || impatient_program(&url, &old));
            met.push(impatient.join());
        }
        Step::Rows { .. } if waiting.is_empty() => {
            for statement in [old.clone(), new.clone()] {
                let url = url.clone();
                waiting.push(thread::spawn(move || patient_program(&url, &statement)));
            }
        }
        Step::Note(note) => notes.push(note),
        _ => {}
    };
    relayout::run(&mut file.connection, &plan, Phase::Swap, &mut meanwhile).await?;
    let Some(Ok(Ok((count, refusal)))) = met.pop() else {
        panic!("the program in the middle failed");
    };
    assert_eq!(count, "49");
    assert!(refusal.contains("database is locked"), "{refusal}");
    let mut outcomes = Vec::new();
    for program in waiting {
        match program.join() {
            Ok(outcome) => outcomes.push(outcome?),
            Err(_) => panic!("a program that waited has panicked"),
        }
    }
    let [old_program, new_program] = &outcomes[..] else {
        panic!("{} programs", outcomes.len());
    };
    let refusal = old_program.as_deref().unwrap_or_default();
    assert!(refusal.contains("no column named id"), "{refusal}");
    assert_eq!(*new_program, None);
    let query = format!("SELECT title FROM parent WHERE id_key = {new_id}");
    assert_eq!(file.rows(&query).await?, ["new"]);
    assert!(
        notes.iter().any(|note| note.contains("ms exclusive")),
        "{notes:?}"
    );
    Ok(())
}

/// What a program reads, and what it is told when it writes without waiting.
fn impatient_program(url: &str, write: &str) -> Result<(String, String)> {
    Runtime::new()?.block_on(async {
        let mut file = File::open(url).await?;
        file.rows("PRAGMA busy_timeout = 0").await?;
        let count = file.rows("SELECT count(id) FROM parent").await?.join("");
        let refusal = file.run(write).await.err();
        let refusal = refusal.map(|error| error.to_string());
        Ok((count, refusal.unwrap_or_default()))
    })
}

/// What a program is told when it writes and waits, if it is not successful.
fn patient_program(url: &str, write: &str) -> Result<Option<String>> {
    Runtime::new()?.block_on(async {
        let mut file = File::open(url).await?;
        let outcome = file.run(write).await;
        Ok(outcome.err().map(|error| error.to_string()))
    })
}
