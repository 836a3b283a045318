//! How far a copy has come, in a table of the target.

use rowkey_core::Backend;

use crate::connection::Connection;
use crate::error::Error;
use crate::write::Tally;
use crate::write::literal::push_hex;

/// The table.
pub(super) const TABLE: &str = "rowkey_copy";

/// What is done with a table of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// The table may have been made, and may have some rows.
    Begun,
    /// It has all rows.
    Copied,
    /// It has its indexes, constraints and counters too.
    Done,
}

impl State {
    const ALL: [Self; 3] = [Self::Begun, Self::Copied, Self::Done];

    fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Copied => "copied",
            Self::Done => "done",
        }
    }
}

/// The state of a table of the plan.
pub(super) struct Checkpoint {
    pub(super) state: State,
    pub(super) rows: u64,
    pub(super) sum: u128,
    pub(super) last_key: Vec<u8>,
}

impl Checkpoint {
    /// Before the first row.
    pub(super) fn beginning() -> Self {
        Self {
            state: State::Begun,
            rows: 0,
            sum: 0,
            last_key: Vec::new(),
        }
    }
}

/// The checkpoints of a job; nothing if it has not begun.
pub(super) async fn read(
    target: &mut Connection,
    job: &str,
    tables: usize,
) -> Result<Option<Vec<Checkpoint>>, Error> {
    make_table(target).await?;
    read_existing(target, job, tables).await
}

/// The checkpoints in a table that exists.
pub(super) async fn read_existing(
    target: &mut Connection,
    job: &str,
    tables: usize,
) -> Result<Option<Vec<Checkpoint>>, Error> {
    let query = format!(
        "SELECT job, state, row_count, row_sum, last_key FROM {TABLE} ORDER BY job, number"
    );
    let mut found = Vec::new();
    for row in target.query("the state of the copy", &query, &[]).await? {
        let state = row.text(1)?;
        let state = State::ALL.into_iter().find(|known| known.name() == state);
        let (Some(state), Ok(sum), Some(last_key)) = (
            state,
            u128::from_str_radix(row.text(3)?, 16),
            bytes_of(row.text(4)?),
        ) else {
            return Err(damaged());
        };
        if row.text(0)? == job {
            found.push(Checkpoint {
                state,
                rows: u64::try_from(row.integer(2)?).map_err(|_| damaged())?,
                sum,
                last_key,
            });
        } else if state != State::Done {
            return Err(Error::refused(
                "the target",
                "a copy with another plan, or with this one before it was edited, has not ended \
                 there",
                "end it with its plan, or drop its tables and the table rowkey_copy",
            ));
        }
    }
    match found.len() {
        0 => Ok(None),
        count if count == tables => Ok(Some(found)),
        _ => Err(damaged()),
    }
}

fn damaged() -> Error {
    Error::Differs {
        what: format!("the table {TABLE} in the target"),
        found: "it is not as this program writes it".into(),
    }
}

async fn make_table(target: &mut Connection) -> Result<(), Error> {
    let options = match target.backend() {
        Backend::MySql | Backend::MariaDb => " ENGINE = InnoDB CHARACTER SET ascii",
        _ => "",
    };
    let text = match target.backend() {
        Backend::MySql | Backend::MariaDb => "longtext",
        _ => "text",
    };
    let statement = format!(
        "CREATE TABLE IF NOT EXISTS {TABLE} (job varchar(64) NOT NULL, number integer NOT NULL, \
         state varchar(20) NOT NULL, row_count bigint NOT NULL, row_sum varchar(32) NOT NULL, \
         last_key {text} NOT NULL, PRIMARY KEY (job, number)){options}"
    );
    target.execute("the state of the copy", &statement).await?;
    Ok(())
}

/// Writes down that a job begins.
pub(super) async fn begin(target: &mut Connection, job: &str, tables: usize) -> Result<(), Error> {
    if tables == 0 {
        return Ok(());
    }
    let row = |number| format!("('{job}', {number}, '{}', 0, '0', '')", State::Begun.name());
    let rows: Vec<String> = (0..tables).map(row).collect();
    let statement = format!(
        "INSERT INTO {TABLE} (job, number, state, row_count, row_sum, last_key) VALUES {}",
        rows.join(", ")
    );
    target.execute("the state of the copy", &statement).await?;
    Ok(())
}

/// Writes down which rows a transaction has added; fails if another process has added some.
pub(super) async fn advance(
    target: &mut Connection,
    job: &str,
    number: usize,
    before: u64,
    tally: &Tally,
) -> Result<(), Error> {
    let mut last_key = String::new();
    push_hex(&mut last_key, &tally.last_key);
    let statement = format!(
        "UPDATE {TABLE} SET row_count = {}, row_sum = '{:032x}', last_key = '{last_key}' \
         WHERE job = '{job}' AND number = {number} AND row_count = {before} AND state = '{}'",
        tally.rows,
        tally.sum,
        State::Begun.name(),
    );
    let changed = target.execute("the state of the copy", &statement).await?;
    match changed {
        1 => Ok(()),
        _ => Err(Error::refused(
            "the plan",
            "another process has copied with it meanwhile",
            "wait until that has ended",
        )),
    }
}

/// Writes down that a table is in a state.
pub(super) async fn reach(
    target: &mut Connection,
    job: &str,
    number: usize,
    state: State,
) -> Result<(), Error> {
    let statement = format!(
        "UPDATE {TABLE} SET state = '{}' WHERE job = '{job}' AND number = {number}",
        state.name()
    );
    target.execute("the state of the copy", &statement).await?;
    Ok(())
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
