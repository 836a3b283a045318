//! Shards that move between every two kinds of databases, while requests go on and after a move was
//! interrupted.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use rowkey::EntityKey;
use rowkey::routing::{NoNode, Shard};
use rowkey_testkit::{Backend, Server, Suite, TestDatabase, test_name};
use shards::{BookingId, Bookings, Change, Config, Database, Error, SHARDS};
use sqlx::Executor;
use tokio::sync::watch;
use tokio::time::timeout;

const BACKENDS: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

/// Far more than the slowest machine needs.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// In `old` at first.
const MOVING: Shard = Shard {
    region: 724,
    partition: 0,
};
/// In `old` all the time.
const STAYING: Shard = Shard {
    region: 578,
    partition: 0,
};
/// In `third` all the time.
const OTHER: Shard = Shard {
    region: 724,
    partition: 7,
};

fn main() -> anyhow::Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    for from in BACKENDS {
        for to in BACKENDS {
            let name = format!("a_shard_moves_to_{}", test_name(to));
            match suite.server(to).cloned() {
                Some(to) => suite.test_on_server(from, &name, move |from| run(moves, from, &to)),
                None => suite.ignore_on(from, &name, "the other server is missing"),
            }
        }
        suite.test_on_server(from, "an_interrupted_move_goes_on", |server| {
            run(an_interrupted_move_goes_on, server, server)
        });
        suite.test_on_server(
            from,
            "an_interrupted_move_does_not_end_elsewhere",
            |server| run(an_interrupted_move_does_not_end_elsewhere, server, server),
        );
        suite.test_on_server(from, "a_shard_is_in_one_database_only", |server| {
            run(a_shard_is_in_one_database_only, server, server)
        });
        suite.test_on_server(from, "a_shard_stays_if_it_cannot_be_copied", |server| {
            run(a_shard_stays_if_it_cannot_be_copied, server, server)
        });
    }
    Ok(suite.run())
}

fn run<F: Future<Output = anyhow::Result<()>>>(
    test: impl FnOnce(System) -> F,
    from: &Server,
    to: &Server,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let system = System::open(from, to).await?;
        // Clients that are refused come again for ever.
        timeout(TIME_LIMIT, test(system)).await?
    })
}

/// Three databases, and the routes to them.
struct System {
    config: Config,
    databases: BTreeMap<String, Database>,
    // Dropped last, when nothing uses them any more.
    _on_servers: [TestDatabase; 3],
}

impl System {
    async fn open(from: &Server, to: &Server) -> anyhow::Result<Self> {
        let third = Server::at(Backend::Sqlite, "");
        let on_servers = [
            from.create_database()?,
            to.create_database()?,
            third.create_database()?,
        ];
        let [old, new, third] = on_servers.each_ref().map(TestDatabase::url);
        let config: Config = toml::from_str(&format!(
            "[nodes]\nold = {old:?}\nnew = {new:?}\nthird = {third:?}\n\
             [shards]\nrefuse_others = true\n\
             [[shards.routes]]\nregion = 724\npartition = 0\nnode = \"old\"\n\
             [[shards.routes]]\nregion = 578\nnode = \"old\"\n\
             [[shards.routes]]\nregion = 724\npartition = {{ from = 1, to = 9 }}\nnode = \"third\"\n"
        ))?;
        let databases = config.open().await?;
        Ok(Self {
            config,
            databases,
            _on_servers: on_servers,
        })
    }

    /// Bookings of one process.
    fn bookings(&self) -> anyhow::Result<Bookings> {
        Ok(Bookings::new(self.config.table(&self.databases)?))
    }

    fn set_route_of_moving(&mut self, node: &str) {
        self.config.shards.routes[0].node = node.to_owned();
    }

    /// Each database contains the shards that the routes say, and of these, exactly these bookings.
    async fn contains(
        &self,
        shard: Shard,
        expected: &BTreeMap<BookingId, String>,
        node: &str,
    ) -> anyhow::Result<()> {
        let key = SHARDS.compose(shard.region, shard.partition)?;
        for (name, database) in &self.databases {
            let found = database.bookings(key).await?;
            if name == node {
                ensure!(
                    found == *expected,
                    "`{name}` has {found:?}, expected {expected:?}"
                );
            } else {
                ensure!(found.is_empty(), "`{name}` has {found:?}");
            }
        }
        Ok(())
    }
}

async fn moves(mut system: System) -> anyhow::Result<()> {
    let here = Arc::new(system.bookings()?);
    // It learns of a move only after it.
    let elsewhere = Arc::new(system.bookings()?);
    for shard in [MOVING, STAYING, OTHER] {
        here.open_shard(shard).await?;
    }
    let error = here
        .create(
            Shard {
                region: 1,
                partition: 2,
            },
            "nowhere",
        )
        .await
        .unwrap_err();
    ensure!(
        matches!(error, Error::NoNode(NoNode::Shard(Shard { region: 1, .. }))),
        "{error}"
    );

    let is_over = Arc::new(AtomicBool::new(false));
    let mut clients = Vec::new();
    for bookings in [&here, &elsewhere] {
        for shard in [MOVING, MOVING, STAYING, OTHER] {
            let (count, counted) = watch::channel(0);
            let client = client(bookings.clone(), shard, is_over.clone(), count);
            clients.push((shard, tokio::spawn(client), counted));
        }
    }
    for node in ["new", "old", "new"] {
        // Every client is at work.
        for (_, _, counted) in &mut clients {
            let before = *counted.borrow_and_update();
            counted
                .wait_for(|count| *count > before + 1)
                .await
                .context("a client has failed")?;
        }
        system.set_route_of_moving(node);
        here.move_shard(MOVING, system.config.table(&system.databases)?)
            .await?;
        elsewhere.route_by(system.config.table(&system.databases)?);
    }
    is_over.store(true, Ordering::Relaxed);

    let mut accepted: BTreeMap<Shard, BTreeMap<BookingId, String>> = BTreeMap::new();
    for (shard, client, _) in clients {
        accepted.entry(shard).or_default().extend(client.await??);
    }
    for (shard, node) in [(MOVING, "new"), (STAYING, "old"), (OTHER, "third")] {
        let accepted = &accepted[&shard];
        system.contains(shard, accepted, node).await?;
        for (id, title) in accepted {
            ensure!(SHARDS.shard_of((*id).into())? == shard);
            for bookings in [&here, &elsewhere] {
                ensure!(bookings.title(*id).await?.as_ref() == Some(title), "{id}");
            }
        }
    }
    Ok(())
}

/// Creates bookings and renames them, until the test is over; returns what has been accepted.
async fn client(
    bookings: Arc<Bookings>,
    shard: Shard,
    is_over: Arc<AtomicBool>,
    count: watch::Sender<usize>,
) -> anyhow::Result<BTreeMap<BookingId, String>> {
    let mut accepted = BTreeMap::new();
    while !is_over.load(Ordering::Relaxed) {
        let id = retried(|| bookings.create(shard, "new")).await?;
        let found = retried(|| bookings.title(id)).await?;
        ensure!(found.as_deref() == Some("new"), "{id} is {found:?}");
        let title = format!("renamed {}", accepted.len());
        ensure!(
            retried(|| bookings.rename(id, &title)).await?,
            "{id} was not found"
        );
        accepted.insert(id, title);
        count.send_modify(|count| *count += 1);
    }
    Ok(accepted)
}

/// Repeats a request while the answer is to come again.
async fn retried<T, F: Future<Output = Result<T, Error>>>(
    request: impl Fn() -> F,
) -> Result<T, Error> {
    loop {
        match request().await {
            Err(Error::NotOpen(_)) => {}
            answer => return answer,
        }
    }
}

async fn an_interrupted_move_goes_on(mut system: System) -> anyhow::Result<()> {
    let bookings = system.bookings()?;
    bookings.open_shard(MOVING).await?;
    let key = SHARDS.compose(MOVING.region, MOVING.partition)?;
    let id = bookings.create(MOVING, "kept").await?;
    let expected = BTreeMap::from([(id, "kept".to_owned())]);
    let old = system.databases["old"].clone();
    let new = system.databases["new"].clone();
    let other_id = BookingId::generate_for(&key);
    let write = Change::Create("refused");

    // Each time, the former move has come one step further: frozen, copied in part, closed, opened.
    for steps in 0..5 {
        if steps > 0 {
            old.freeze(key).await?;
            ensure!(
                old.change(key, other_id, write).await?.is_none(),
                "frozen, but written"
            );
            ensure!(old.title(key, id).await? == Some(Some("kept".to_owned())));
            ensure!(new.title(key, id).await?.is_none());
        }
        if steps > 1 {
            let left_over = BTreeMap::from([(other_id, "left over".to_owned())]);
            new.replace_bookings(key, &left_over).await?;
        }
        if steps > 2 {
            new.replace_bookings(key, &expected).await?;
            old.close(key).await?;
            ensure!(old.title(key, id).await?.is_none(), "closed, but read");
            ensure!(
                old.change(key, other_id, write).await?.is_none(),
                "closed, but written"
            );
        }
        if steps > 3 {
            new.open_shard(key).await?;
        }
        system.set_route_of_moving("new");
        // Another process takes over: one with the old table, or one that was started with the new
        // one.
        let takes_over = system.bookings()?;
        for process in [&takes_over, &bookings] {
            process
                .move_shard(MOVING, system.config.table(&system.databases)?)
                .await?;
        }
        system.contains(MOVING, &expected, "new").await?;
        ensure!(bookings.title(id).await?.as_deref() == Some("kept"));

        // Moving it to where it is changes nothing.
        bookings
            .move_shard(MOVING, system.config.table(&system.databases)?)
            .await?;
        system.contains(MOVING, &expected, "new").await?;

        system.set_route_of_moving("old");
        bookings
            .move_shard(MOVING, system.config.table(&system.databases)?)
            .await?;
        system.contains(MOVING, &expected, "old").await?;
    }
    Ok(())
}

async fn a_shard_is_in_one_database_only(mut system: System) -> anyhow::Result<()> {
    let before = system.bookings()?;
    before.open_shard(MOVING).await?;
    let key = SHARDS.compose(MOVING.region, MOVING.partition)?;
    let id = before.create(MOVING, "kept").await?;
    system.set_route_of_moving("new");
    let after = system.bookings()?;
    let error = after.open_shard(MOVING).await.unwrap_err();
    ensure!(
        matches!(error, Error::Elsewhere(of) if of == key),
        "{error}"
    );

    // Somebody has opened it by hand: neither of them may win.
    system.databases["new"].open_shard(key).await?;
    let table = system.config.table(&system.databases)?;
    let error = before.move_shard(MOVING, table).await.unwrap_err();
    ensure!(
        matches!(error, Error::Elsewhere(of) if of == key),
        "{error}"
    );
    ensure!(before.title(id).await?.as_deref() == Some("kept"));
    Ok(())
}

async fn an_interrupted_move_does_not_end_elsewhere(mut system: System) -> anyhow::Result<()> {
    let bookings = system.bookings()?;
    bookings.open_shard(MOVING).await?;
    let key = SHARDS.compose(MOVING.region, MOVING.partition)?;
    let id = bookings.create(MOVING, "kept").await?;
    let rows = BTreeMap::from([(id, "kept".to_owned())]);
    system.databases["new"].replace_bookings(key, &rows).await?;
    system.databases["old"].close(key).await?;

    system.set_route_of_moving("third");
    let table = system.config.table(&system.databases)?;
    let moved = bookings.move_shard(MOVING, table).await;
    let opened = system.bookings()?.open_shard(MOVING).await;
    for refused in [moved, opened] {
        ensure!(
            matches!(refused, Err(Error::Elsewhere(of)) if of == key),
            "{refused:?}"
        );
    }
    system.set_route_of_moving("new");
    let table = system.config.table(&system.databases)?;
    bookings.move_shard(MOVING, table).await?;
    system.contains(MOVING, &rows, "new").await?;

    // What an attempt to move it elsewhere has left isn't an obstacle either.
    let left_over = BTreeMap::from([(BookingId::generate_for(&key), "left over".to_owned())]);
    let third = &system.databases["third"];
    third.replace_bookings(key, &left_over).await?;
    system.set_route_of_moving("old");
    let table = system.config.table(&system.databases)?;
    bookings.move_shard(MOVING, table).await?;
    system.contains(MOVING, &rows, "old").await
}

async fn a_shard_stays_if_it_cannot_be_copied(mut system: System) -> anyhow::Result<()> {
    let bookings = system.bookings()?;
    bookings.open_shard(MOVING).await?;
    let id = bookings.create(MOVING, "kept").await?;
    match &system.databases["new"] {
        Database::Postgres(pool) => {
            pool.execute("DROP TABLE bookings").await?;
        }
        Database::MySql(pool) => {
            pool.execute("DROP TABLE bookings").await?;
        }
        Database::Sqlite(pool) => {
            pool.execute("DROP TABLE bookings").await?;
        }
    }
    system.set_route_of_moving("new");
    let table = system.config.table(&system.databases)?;
    let error = bookings.move_shard(MOVING, table).await.unwrap_err();
    ensure!(matches!(error, Error::Database(_)), "{error}");
    ensure!(bookings.title(id).await?.as_deref() == Some("kept"));
    ensure!(bookings.rename(id, "renamed").await?);
    Ok(())
}
