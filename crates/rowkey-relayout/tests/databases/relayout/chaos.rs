//! Changes whose processes are killed while programs write.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::Plan;
use rowkey_relayout::verify;
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite};
use tokio::task::JoinHandle;

use crate::is_large;
use crate::relayout::interrupted::Way;
use crate::relayout::journal::{Counts, Writer, write_stubbornly};
use crate::relayout::kills::Killer;
use crate::relayout::rows::{Random, Rows};
use crate::relayout::shop::{NEW, NUMBERS, Names, OLD, Shop};
use crate::relayout::{add, add_on, rekeyed};

/// How many transactions each program has to do after the columns were exchanged.
const AFTERWARDS: u64 = 20;

/// Where a change ends in more than one transaction.
const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for (name, forms) in [
        ("chaos_loses_no_write", [OLD, NEW]),
        ("chaos_loses_no_compact_text", ["text-compact", NEW]),
        (
            "chaos_loses_no_write_on_the_way_to_compact_text",
            [OLD, "text-compact"],
        ),
    ] {
        add(suite, name, move |shop| swapped(shop, forms));
    }
    for (name, forms) in [
        ("chaos_loses_no_38_digits", ["text-digits", "binary"]),
        (
            "chaos_loses_no_write_on_the_way_to_38_digits",
            ["binary", "text-digits"],
        ),
    ] {
        add_on(suite, &[Backend::Sqlite], name, move |shop| {
            swapped(shop.with_38_digits(), forms)
        });
    }
    add(suite, "chaos_of_a_rekey_loses_no_write", |shop| {
        swapped(shop, [NUMBERS, NEW])
    });
    add_on(
        suite,
        &SERVERS,
        "chaos_of_undoing_a_rekey_loses_no_write",
        |shop| undone(shop, NUMBERS),
    );
    add_on(
        suite,
        &SERVERS,
        "chaos_of_contracting_loses_no_write",
        |shop| contracted(shop, OLD),
    );
    if is_large() {
        add_on(suite, &SERVERS, "chaos_of_undoing_loses_no_write", |shop| {
            undone(shop, OLD)
        });
        add_on(
            suite,
            &SERVERS,
            "chaos_of_contracting_a_rekey_loses_no_write",
            |shop| contracted(shop, NUMBERS),
        );
    }
}

/// How large the tables are, and how often processes are killed.
struct Size {
    rows: u64,
    kills: u32,
    /// The longest time until a process is killed.
    window: Duration,
}

impl Size {
    fn of_change(forms: [&str; 2]) -> Self {
        // Expressions of compact text take a hundred times as long.
        let is_slow = forms.contains(&"text-compact");
        match is_large() {
            true => Self {
                rows: if is_slow { 20_000 } else { 300_000 },
                kills: 20,
                window: Duration::from_millis(3_000),
            },
            false => Self {
                rows: if is_slow { 600 } else { 3_000 },
                kills: 2,
                window: Duration::from_millis(250),
            },
        }
    }

    /// An end has few statements, and is soon over.
    fn of_end() -> Self {
        match is_large() {
            true => Self {
                rows: 20_000,
                kills: 20,
                window: Duration::from_millis(100),
            },
            false => Self {
                rows: 100,
                kills: 2,
                window: Duration::from_millis(60),
            },
        }
    }

    /// How often the processes of one end may be killed.
    fn kills_of_a_round(&self) -> u32 {
        self.kills.min(4)
    }
}

async fn swapped(shop: Shop, forms: [&'static str; 2]) -> Result<()> {
    let size = Size::of_change(forms);
    let (mut killed, mut rounds) = (0, 0);
    loop {
        rounds += 1;
        let mut work = Running::begin(&shop, forms, &size, OldProgram::GoesOn).await?;
        let outcome = killed_and_swapped(&shop, &work, &size, rounds).await;
        let programs = work.programs.to_string();
        let rows = work.end(&shop).await?;
        let (kills, report) = outcome?;
        killed += kills;
        shop.expect(&rows, forms[1], Names::after(&work.plan))
            .await?;
        verified(&shop, &work.plan).await?;
        eprintln!("{}: {report}; {programs}", shop.dialect.backend);
        if killed >= size.kills {
            return Ok(());
        }
        // A process was done before the moment to kill it: once more, with other moments.
        ensure!(rounds < 10 * size.kills, "killed {killed} times only");
        shop.contract(&work.plan).await?;
        shop.drop_tables().await?;
    }
}

/// Kills the process again and again, and lets the last one finish; the kills, and what it said.
async fn killed_and_swapped(
    shop: &Shop,
    work: &Running,
    size: &Size,
    round: u32,
) -> Result<(u32, String)> {
    let started = Instant::now();
    let mut killer = killer(shop, work, Way::ToSwap, size, Random(round.into()));
    let killed = killer.kill(size.kills).await?;
    let notes = killer.finish().await?;
    work.programs
        .wait_until("have written after the swap", Programs::follow_the_swap)
        .await?;
    let seconds = started.elapsed().as_secs_f64();
    let report = format!("killed {killed} times, {seconds:.1} s, {notes}");
    Ok((killed, report))
}

/// Programs follow a change there and back, while the way back is killed.
async fn undone(shop: Shop, from: &'static str) -> Result<()> {
    let size = Size::of_end();
    let mut work = Running::begin(&shop, [from, NEW], &size, OldProgram::Stops).await?;
    let before = shop.catalog().await?;
    let outcome = killed_undoings(&shop, from, &mut work, &size).await;
    let programs = work.programs.to_string();
    let rows = work.end(&shop).await?;
    let report = outcome?;
    shop.expect(&rows, from, Names::Old).await?;
    ensure!(shop.catalog().await? == before, "another catalogue");
    eprintln!("{}: {report}; {programs}", shop.dialect.backend);
    Ok(())
}

async fn killed_undoings(
    shop: &Shop,
    from: &str,
    work: &mut Running,
    size: &Size,
) -> Result<String> {
    let (mut killed, mut rounds) = (0, 0);
    let mut random = Random(7);
    while killed < size.kills {
        ensure!(rounds < 10 * size.kills, "killed {killed} times only");
        let phase = [Phase::Swap, Phase::Check][rounds as usize % 2];
        rounds += 1;
        work.plan = shop.plan(from, NEW).await?;
        std::fs::write(work.file(), work.plan.to_toml()?)?;
        shop.run(&work.plan, phase).await?;
        if phase == Phase::Swap {
            work.programs.wait_for_more(|counts| &counts.new).await?;
        }
        let mut killer = killer(shop, work, Way::Undo, size, Random(random.next()));
        killed += killer.kill(size.kills_of_a_round()).await?;
        killer.finish().await?;
        work.programs.wait_for_more(|counts| &counts.old).await?;
    }
    Ok(format!("killed {killed} times in {rounds} undoings"))
}

/// The old columns are dropped in spite of the kills, and nothing of the change is left.
async fn contracted(shop: Shop, from: &'static str) -> Result<()> {
    let size = Size::of_end();
    let (mut killed, mut rounds) = (0, 0);
    while killed < size.kills {
        ensure!(rounds < 10 * size.kills, "killed {killed} times only");
        rounds += 1;
        shop.drop_tables().await?;
        let mut work = Running::begin(&shop, [from, NEW], &size, OldProgram::GoesOn).await?;
        let outcome = killed_contract(&shop, &work, &size, rounds).await;
        let rows = work.end(&shop).await?;
        killed += outcome?;
        shop.expect(&rows, NEW, Names::New).await?;
        nothing_is_left(&shop).await?;
        verified(&shop, &work.plan).await?;
    }
    let backend = shop.dialect.backend;
    eprintln!("{backend}: killed {killed} times in {rounds} contracts");
    Ok(())
}

async fn killed_contract(shop: &Shop, work: &Running, size: &Size, round: u32) -> Result<u32> {
    shop.run(&work.plan, Phase::Swap).await?;
    work.programs.wait_for_more(|counts| &counts.new).await?;
    let mut killer = killer(shop, work, Way::Contract, size, Random(round.into()));
    let killed = killer.kill(size.kills_of_a_round()).await?;
    killer.finish().await?;
    work.programs
        .wait_until("have written after the swap", Programs::follow_the_swap)
        .await?;
    Ok(killed)
}

async fn nothing_is_left(shop: &Shop) -> Result<()> {
    let catalog = rowkey_tables::catalog::Catalog::read(&mut shop.connect().await?).await?;
    for table in &catalog.tables {
        let name = &table.name.name;
        ensure!(
            name == "rowkey_id_map" || !name.contains("rowkey"),
            "{name}"
        );
        for column in &table.columns {
            let name = &column.name;
            ensure!(
                !name.contains("before") && !name.contains("rowkey"),
                "{name}"
            );
        }
    }
    Ok(())
}

async fn verified(shop: &Shop, plan: &Plan) -> Result<()> {
    let found = verify::verify(&mut shop.connect().await?, plan, &mut Silent).await?;
    ensure!(found.differences.is_empty(), "{:?}", found.differences);
    Ok(())
}

fn killer<'k>(
    shop: &'k Shop,
    work: &'k Running,
    way: Way,
    size: &Size,
    random: Random,
) -> Killer<'k> {
    Killer {
        shop,
        plan: work.file(),
        way,
        window: size.window,
        random,
    }
}

/// Whether a program that nobody deploys again takes part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OldProgram {
    GoesOn,
    Stops,
}

/// Tables with rows, a plan for them in a file, and programs that write.
struct Running {
    from: &'static str,
    plan: Plan,
    file: tempfile::NamedTempFile,
    /// Rows that no program writes.
    rows: Rows,
    stop: Arc<AtomicBool>,
    programs: Programs,
}

impl Running {
    async fn begin(
        shop: &Shop,
        forms: [&'static str; 2],
        size: &Size,
        old_program: OldProgram,
    ) -> Result<Self> {
        let [from, to] = forms;
        shop.create(from).await?;
        let rows = shop.fill_from(from, 0, size.rows, 31).await?;
        let plan = shop.plan(from, to).await?;
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), plan.to_toml()?)?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut programs = Programs::start(shop, &plan, forms, &stop).await?;
        if old_program == OldProgram::GoesOn {
            programs.start_stubborn(shop, from, &stop)?;
        }
        Ok(Self {
            from,
            plan,
            file,
            rows,
            stop,
            programs,
        })
    }

    fn file(&self) -> &Path {
        self.file.path()
    }

    /// Stops the programs; the rows that have to be in the tables now.
    async fn end(&mut self, shop: &Shop) -> Result<Rows> {
        self.stop.store(true, Ordering::Relaxed);
        let mut rows = std::mem::take(&mut self.rows);
        let times: Vec<(u128, i64)> = rows
            .parents
            .iter()
            .map(|(id, row)| (*id, row.created))
            .collect();
        for program in self.programs.running.drain(..) {
            rows.extend(program.await??);
        }
        let mut connection = shop.connect().await?;
        let columns = "SELECT id_key FROM parent WHERE 1 = 0";
        let is_new = connection.query("a probe", columns, &[]).await.is_ok();
        if self.from == NUMBERS && is_new {
            let map = rekeyed::map(&mut connection, "parent").await?;
            let new_id = |id: u128| {
                let old = i64::try_from(id).ok();
                old.and_then(|id| map.get(&id).copied()).unwrap_or(id)
            };
            rows.rekey(new_id);
            for (id, created) in times {
                let time = FormatKind::PrefixComb.time_of(new_id(id));
                ensure!(time.map(UnixMillis::get) == Some(created), "{id}: {time:?}");
            }
        }
        Ok(rows)
    }
}

/// The programs that write.
struct Programs {
    running: Vec<JoinHandle<Result<Rows>>>,
    counts: Vec<Arc<Counts>>,
    /// How many statements of the old program failed after the swap, if there is one.
    refused: Option<Arc<AtomicU64>>,
}

impl Programs {
    async fn start(
        shop: &Shop,
        plan: &Plan,
        forms: [&str; 2],
        stop: &Arc<AtomicBool>,
    ) -> Result<Self> {
        let mut programs = Self {
            running: Vec::new(),
            counts: Vec::new(),
            refused: None,
        };
        for place in 1..=3 {
            let first = place * 10_000_000;
            let rows = shop.fill_from(forms[0], first, 200, place as u64).await?;
            let writer = Writer::new(shop, forms, Names::after(plan), first)?.with_rows(rows);
            programs.counts.push(writer.counts());
            programs
                .running
                .push(tokio::spawn(writer.write(Arc::clone(stop))));
        }
        Ok(programs)
    }

    /// Starts one that nobody deploys again.
    fn start_stubborn(&mut self, shop: &Shop, from: &str, stop: &Arc<AtomicBool>) -> Result<()> {
        let refused = Arc::<AtomicU64>::default();
        self.refused = Some(Arc::clone(&refused));
        let form = shop.dialect.form(from)?;
        let stubborn = write_stubbornly(shop.clone(), form, Arc::clone(stop), refused);
        self.running.push(tokio::spawn(stubborn));
        Ok(())
    }

    /// Whether all of them have written with the new declaration, and the old one was refused.
    fn follow_the_swap(&self) -> bool {
        let refused = self.refused.as_ref();
        let is_refused = refused.is_none_or(|one| one.load(Ordering::Relaxed) >= AFTERWARDS);
        let mut counts = self.counts.iter();
        is_refused && counts.all(|counts| counts.new.load(Ordering::Relaxed) >= AFTERWARDS)
    }

    /// Waits until each program has done some more transactions of a kind.
    async fn wait_for_more(&self, count: fn(&Counts) -> &AtomicU64) -> Result<()> {
        let numbers = |programs: &Self| -> Vec<u64> {
            let counts = programs.counts.iter();
            counts
                .map(|counts| count(counts).load(Ordering::Relaxed))
                .collect()
        };
        let before = numbers(self);
        self.wait_until("go on", |programs| {
            let mut pairs = numbers(programs).into_iter().zip(&before);
            pairs.all(|(now, before)| now >= before + AFTERWARDS)
        })
        .await
    }

    async fn wait_until(&self, what: &str, is_done: impl Fn(&Self) -> bool) -> Result<()> {
        let started = Instant::now();
        while !is_done(self) {
            if started.elapsed() > Duration::from_secs(60) {
                bail!("the programs do not {what}: {self}");
            }
            if self.running.iter().any(JoinHandle::is_finished) {
                return Err(anyhow::anyhow!("a program has ended")).context(self.to_string());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

impl std::fmt::Display for Programs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sum = |count: fn(&Counts) -> &AtomicU64| -> u64 {
            let counts = self.counts.iter();
            counts.map(|one| count(one).load(Ordering::Relaxed)).sum()
        };
        write!(
            f,
            "{} transactions with the old and {} with the new declaration, {} failed",
            sum(|counts| &counts.old),
            sum(|counts| &counts.new),
            sum(|counts| &counts.failed),
        )?;
        match &self.refused {
            Some(refused) => {
                let refused = refused.load(Ordering::Relaxed);
                write!(f, "; {refused} of the old program refused")
            }
            None => Ok(()),
        }
    }
}
