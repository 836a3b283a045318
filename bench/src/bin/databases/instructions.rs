//! How many instructions the client takes for a statement.
//!
//! Other work on the machine changes times, but no instructions. This program runs itself under
//! Callgrind, with more and with fewer statements; what differs is what the statements take. That
//! is what this thread does for them: the driver's part, and neither that of the system nor
//! waiting.

use std::env;
use std::process::{self, Command};

use anyhow::{Result, ensure};
use rowkey::Backend;
use rowkey_bench::valgrind;

use crate::statements::{COMMAND, COUNTED, Kind, STATEMENTS, Side, URL_VARIABLE, Work};

/// Runs, of which the one with the fewest instructions counts: to ask in vain once more only ever
/// adds to them.
const RUNS: usize = 3;

/// What the client takes for a statement: with a typed key, and with the driver's own type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions {
    pub(crate) insert: [f64; 2],
    pub(crate) select: [f64; 2],
}

/// Counts, unless Valgrind is not installed. The database has an empty table `measured` for these
/// ids, and has it afterwards.
pub(crate) async fn count(backend: Backend, url: &str, kind: Kind) -> Result<Option<Instructions>> {
    if !valgrind::is_installed()? {
        return Ok(None);
    }
    let (mut insert, mut select) = ([0.0; 2], [0.0; 2]);
    for (index, side) in [Side::Key, Side::Peer].into_iter().enumerate() {
        let mut totals = [f64::INFINITY; 3];
        let more = 2 * STATEMENTS;
        let runs = [(STATEMENTS, 0), (more, 0), (more, STATEMENTS)];
        for (fewest, (inserts, selects)) in totals.iter_mut().zip(runs) {
            let work = Work {
                backend: backend.name().to_owned(),
                kind,
                side,
                inserts,
                selects,
            };
            for _ in 0..RUNS {
                *fewest = fewest.min(total(url, &work)?);
                // A run takes seconds, and signals wait for it to end.
                tokio::task::yield_now().await;
            }
        }
        insert[index] = (totals[1] - totals[0]) / STATEMENTS as f64;
        select[index] = (totals[2] - totals[1]) / STATEMENTS as f64;
    }
    Ok(Some(Instructions { insert, select }))
}

/// All instructions of a run.
fn total(url: &str, work: &Work) -> Result<f64> {
    let output = env::temp_dir().join(format!("rowkey_bench_{}.callgrind", process::id()));
    let run = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", output.display()))
        .arg(env::current_exe()?)
        .args([COMMAND, &serde_json::to_string(work)?])
        .env(URL_VARIABLE, url)
        .output()?;
    let message = String::from_utf8_lossy(&run.stderr);
    ensure!(run.status.success(), "{work:?} under valgrind: {message}");
    Ok(valgrind::take_sum(&output, "totals: ")? as f64)
}
