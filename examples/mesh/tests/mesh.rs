//! Processes of three regions over three databases: what clients see, and a country that moves
//! while they go on and processes are killed. `ROWKEY_CHAOS=1` means more clients, rows, moves and
//! kills.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;
use mesh::{Config, MESH, MeshId, Pair, Store, pairs};
use reqwest::Client;
use rowkey::EntityKey;
use rowkey::routing::IuidContext;
use rowkey_testkit::{Backend, Server, Suite, TestDatabase};
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::sync::Mutex;
use tokio::time::sleep;

const REGIONS: [&str; 3] = ["almaty", "sao-paulo", "lima"];
const ORDERS_OF_BRAZIL: Pair = (2, 10);

type Row = (MeshId, String);

/// A method and a path, for [`Clients::ask`].
const GET: &str = "GET /entities/";
const PUT: &str = "PUT /entities/";

type Test = fn([&Server; 2]) -> Result<()>;

const TESTS: [(&str, Test); 4] = [
    ("every_region_answers", every_region_answers),
    ("a_region_is_down", a_region_is_down),
    ("an_interrupted_move_goes_on", an_interrupted_move_goes_on),
    (
        "chaos_of_a_move_loses_nothing",
        chaos_of_a_move_loses_nothing,
    ),
];

fn main() -> Result<ExitCode> {
    use Backend::{MariaDb, MySql, Postgres, Sqlite};
    let mut suite = Suite::from_env()?;
    // Brazil moves from one kind of database to another, and back.
    for (from, to) in [
        (Postgres, MySql),
        (MySql, MariaDb),
        (MariaDb, Sqlite),
        (Sqlite, Postgres),
    ] {
        let to = suite.server(to).cloned().unwrap_or(Server::at(Sqlite, ""));
        for (name, test) in TESTS {
            let to = to.clone();
            suite.test_on_server(from, name, move |from| test([from, &to]));
        }
    }
    Ok(suite.run())
}

fn new(country: &str, entity: &str) -> Result<MeshId> {
    Ok(MeshId::generate_for(&MESH.context(country, entity)?))
}

#[derive(Clone)]
struct Clients {
    urls: HashMap<&'static str, String>,
    client: Client,
}

impl Clients {
    /// Asks the instance of a region; returns the status, the region that has answered, and the
    /// text.
    async fn ask(&self, asked: &str, what: &str, id: MeshId, title: &str) -> Result<String> {
        let (method, path) = what.split_once(' ').context("a method and a path")?;
        let url = format!("{}{path}{id}", self.urls[asked]);
        let request = self.client.request(method.parse()?, url);
        let response = request.body(title.to_owned()).send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers());
        let has_retry_after = headers.contains_key("retry-after");
        ensure!(has_retry_after == (status == 503), "{response:?}");
        let region = headers.get("mesh-region").map(|region| region.to_str());
        let region = region.transpose()?.unwrap_or("-").to_owned();
        Ok(format!("{status} {region} {}", response.text().await?))
    }
}

/// Three regions, with their databases and processes.
struct System {
    clients: Clients,
    processes: HashMap<&'static str, Child>,
    config: NamedTempFile,
    stores: BTreeMap<String, Store>,
    // Dropped last, when nothing uses them any more.
    _databases: Vec<TestDatabase>,
}

impl System {
    async fn start([from, to]: [&Server; 2], limit_ms: u32) -> Result<Self> {
        let mut text = format!("limit_ms = {limit_ms}\nmesh.default = \"almaty\"\n");
        let (mut urls, mut databases, mut ports) = (HashMap::new(), Vec::new(), Vec::new());
        // Linux has many local addresses: with one for each test, no client of another takes a port
        // meanwhile.
        static COUNT: AtomicUsize = AtomicUsize::new(1);
        let [.., high, low] = process::id().to_be_bytes();
        let own = Ipv4Addr::new(127, high, low, COUNT.fetch_add(1, SeqCst) as u8);
        let is_linux = cfg!(target_os = "linux");
        let host = if is_linux { own } else { Ipv4Addr::LOCALHOST };
        let third = Server::at(Backend::Sqlite, "");
        for (region, server) in REGIONS.into_iter().zip([from, to, &third]) {
            let (port, database) = (TcpListener::bind((host, 0))?, server.create_database()?);
            let (address, url) = (port.local_addr()?, database.url());
            text += &format!("[regions.{region}]\naddress = \"{address}\"\ndatabase = {url:?}\n");
            urls.insert(region, format!("http://{address}"));
            ports.push(port);
            databases.push(database);
        }
        drop(ports);
        let config = NamedTempFile::new()?;
        fs::write(&config, text)?;
        let client = Client::builder().no_proxy().build()?;
        let mut system = Self {
            clients: Clients { urls, client },
            processes: HashMap::new(),
            stores: Config::read(config.path())?.stores().await?,
            config,
            _databases: databases,
        };
        system.move_to("Kazakhstan", "almaty")?;
        system.move_to("Brazil", "almaty")?;
        system.move_to("Peru", "lima")?;
        REGIONS.iter().try_for_each(|region| system.run(region))?;
        Ok(system)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mesh"));
        command.args(arguments).stdout(Stdio::piped());
        command.env("MESH_CONFIG", self.config.path());
        command
    }

    fn move_to(&self, country: &str, region: &str) -> Result<()> {
        let output = self.command(&["move", country, region]).output()?;
        ensure!(output.status.success(), "{output:?}");
        Ok(())
    }

    fn run(&mut self, region: &'static str) -> Result<()> {
        let mut process = self.command(&["run", region]).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        self.processes.insert(region, process);
        ensure!(line.starts_with("listening on "), "{region}: {line:?}");
        Ok(())
    }

    fn kill(&mut self, region: &str) -> Result<()> {
        let process = self.processes.get_mut(region).context("it does not run")?;
        process.kill()?;
        process.wait().map(drop).map_err(Into::into)
    }

    /// The databases contain these rows, each once, and no others.
    async fn contains(&self, mut expected: Vec<Row>) -> Result<()> {
        let mut found = Vec::new();
        for store in self.stores.values() {
            for pair in pairs() {
                let rows = store.rows(pair, 0..i64::MAX);
                found.extend(rows.try_collect::<Vec<_>>().await?);
            }
        }
        found.sort();
        expected.sort();
        let (count, expected_count) = (found.len(), expected.len());
        ensure!(found == expected, "{count} rows, expected {expected_count}");
        Ok(())
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // Fails only for a region that is down already.
        REGIONS.iter().for_each(|region| _ = self.kill(region));
    }
}

#[tokio::main]
async fn every_region_answers(servers: [&Server; 2]) -> Result<()> {
    let system = System::start(servers, 60_000).await?;
    let check = async |what: &str, id: MeshId, title: &str, expected: String| {
        for asked in REGIONS {
            let answer = system.clients.ask(asked, what, id, title).await?;
            ensure!(answer == expected, "{answer} of {asked}, not {expected}");
        }
        Ok(())
    };
    for (country, region) in [
        ("Kazakhstan", "almaty"),
        ("Brazil", "almaty"),
        ("Peru", "lima"),
    ] {
        for (service, entity) in [("shop", "Order"), ("taxi", "Ride")] {
            let id = new(country, &format!("{service}.{entity}"))?;
            check(GET, id, "", format!("404 {region} nothing has the id {id}")).await?;
            check(PUT, id, "one", format!("200 {region} one")).await?;
            check(GET, id, "", format!("200 {region} one")).await?;
            let conflict = "the entity was created with another title";
            check(PUT, id, "two", format!("409 {region} {conflict}")).await?;
            let found = json!({"id": id, "country": country, "service": service,
                "entity": entity, "region": region, "title": "one"});
            check("GET /any/", id, "", format!("200 {region} {found}")).await?;
        }
    }
    for (country, service_entity, unknown) in [
        (77, 20, "country has the number 77"),
        (2, 99, "service entity has the number 99"),
    ] {
        let id = MeshId::generate_for(&IuidContext {
            country,
            service_entity,
        });
        for what in [GET, PUT, "GET /any/"] {
            check(what, id, "", format!("404 - no {unknown}")).await?;
        }
    }
    let id = new("Chile", "taxi.Ride")?;
    check(
        PUT,
        id,
        "one",
        "503 - no region has taxi.Ride of Chile yet".into(),
    )
    .await?;
    let (id, Clients { urls, client }) = (new("Brazil", "taxi.Ride")?, &system.clients);
    let request = client.head(format!("{}/any/{id}", urls["sao-paulo"]));
    let length = request.send().await?.headers()["content-length"].clone();
    assert_ne!(length, "0");
    // Nothing is passed on twice, whoever says that it was passed on.
    let request = client.get(format!("{}/any/{id}", urls["lima"]));
    let twice = request.header("mesh-passed-on-by", "lima").send().await?;
    assert_eq!(twice.status(), 421);
    assert_eq!(twice.headers()["mesh-region"], "almaty");
    Ok(())
}

#[tokio::main]
async fn a_region_is_down(servers: [&Server; 2]) -> Result<()> {
    let mut system = System::start(servers, 1_000).await?;
    let (id, other) = (new("Brazil", "shop.Order")?, new("Peru", "shop.Order")?);
    let silent = "503 - the region `almaty` does not answer for shop.Order of Brazil";
    system.kill("almaty")?;
    // Others go on.
    let two = system.clients.ask("sao-paulo", PUT, other, "two").await?;
    assert_eq!(two, "200 lima two");
    assert_eq!(system.clients.ask("lima", PUT, id, "one").await?, silent);
    // It accepts connections, and does not answer.
    let hung = TcpListener::bind(&system.clients.urls["almaty"]["http://".len()..])?;
    assert_eq!(system.clients.ask("lima", GET, id, "").await?, silent);
    drop(hung);
    system.run("almaty")?;
    let mut one = system.clients.ask("lima", PUT, id, "one").await?;
    // On a busy machine, the first answers may take longer than the limit.
    for _ in 0..10 {
        if one == silent {
            one = system.clients.ask("lima", PUT, id, "one").await?;
        }
    }
    assert_eq!(one, "200 almaty one");
    // Almaty's database is up, so the country can be moved away while Almaty is down.
    system.kill("almaty")?;
    system.move_to("Brazil", "lima")?;
    for asked in ["lima", "sao-paulo"] {
        let one = system.clients.ask(asked, GET, id, "").await?;
        assert_eq!(one, "200 lima one");
    }
    Ok(())
}

/// The place is written as by a command that has died before a move was decided, or after it.
#[tokio::main]
async fn an_interrupted_move_goes_on(servers: [&Server; 2]) -> Result<()> {
    let system = System::start(servers, 1_000).await?;
    let mut rows = Vec::new();
    for (is_decided, from, to) in [
        (false, "almaty", "sao-paulo"),
        (true, "sao-paulo", "almaty"),
    ] {
        let id = new("Brazil", "shop.Order")?;
        let put = system.clients.ask("lima", PUT, id, "kept").await?;
        assert_eq!(put, format!("200 {from} kept"));
        let store = &system.stores[from];
        let mut place = store.place(ORDERS_OF_BRAZIL).await?;
        place.version += 1;
        if is_decided {
            // What was written under older versions has been copied.
            system.stores[to].put(&rows).await?;
            place.region = to.to_owned();
        }
        ensure!(store.advance(ORDERS_OF_BRAZIL, &place).await?);
        rows.push((id, "kept".to_owned()));
        let answer = system.clients.ask("lima", GET, id, "").await?;
        assert!(answer.starts_with(if is_decided { "503" } else { "200" }));
        system.move_to("Brazil", to)?;
        // None of them was told.
        for asked in REGIONS {
            let answer = system.clients.ask(asked, GET, id, "").await?;
            assert_eq!(answer, format!("200 {to} kept"));
        }
        system.contains(rows.clone()).await?;
    }
    Ok(())
}

/// The region whose process is killed.
const KILLED: &str = "sao-paulo";

/// What clients have seen.
#[derive(Debug, Default)]
struct Seen {
    requests: usize,
    passed_on: usize,
    unanswered: usize,
    longest: Duration,
}

struct Load {
    clients: Clients,
    seen: Mutex<Seen>,
    /// Whether the process of [`KILLED`] may be down.
    is_down: AtomicBool,
    is_over: AtomicBool,
}

impl Load {
    /// Repeats a request, each time at another instance, until it is answered. A wrong answer is an
    /// error.
    async fn ask(&self, mut turn: usize, what: &str, row: &Row, expected: &str) -> Result<()> {
        loop {
            let asked = REGIONS[turn % REGIONS.len()];
            let (was_down, begun) = (self.is_down.load(SeqCst), Instant::now());
            let answer = self.clients.ask(asked, what, row.0, &row.1).await;
            let is_down = was_down || self.is_down.load(SeqCst);
            let answer = answer.unwrap_or_else(|error| format!("503 {asked} {error:#}"));
            let mut seen = self.seen.lock().await;
            seen.requests += 1;
            if !answer.starts_with("503") {
                seen.longest = seen.longest.max(begun.elapsed());
                seen.passed_on += usize::from(!answer[4..].starts_with(asked));
                let is_right = answer[..3] == expected[..3] && answer.ends_with(&expected[3..]);
                ensure!(is_right, "{answer} of {asked}, not {expected}");
                return Ok(());
            }
            seen.unanswered += 1;
            drop(seen);
            ensure!(is_down && answer.contains(KILLED), "{answer} of {asked}");
            sleep(Duration::from_millis(20)).await;
            turn += 1;
        }
    }

    /// Creates and reads rows until the test is over, and returns them.
    async fn client(self: Arc<Self>, mut turn: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        while !self.is_over.load(SeqCst) {
            let country = ["Brazil", "Kazakhstan", "Brazil", "Peru"][turn % 4];
            let id = new(country, ["shop.Order", "taxi.Ride"][turn / 4 % 2])?;
            let row = (id, format!("row {turn}"));
            self.ask(turn, GET, &row, &format!("404 nothing has the id {id}"))
                .await?;
            self.ask(turn, PUT, &row, &format!("200 {}", row.1)).await?;
            rows.push(row);
            // This one, and an older one, at another instance.
            for row in [&rows[rows.len() - 1], &rows[turn * 7919 % rows.len()]] {
                self.ask(turn + 1, GET, row, &format!("200 {}", row.1))
                    .await?;
            }
            turn += 1;
        }
        Ok(rows)
    }
}

#[tokio::main]
async fn chaos_of_a_move_loses_nothing(servers: [&Server; 2]) -> Result<()> {
    let mut system = System::start(servers, 60_000).await?;
    let is_long = env::var_os("ROWKEY_CHAOS").is_some_and(|value| value == "1");
    let (clients, moves, old) = if is_long {
        (32, 20, 20_000)
    } else {
        (8, 2, 2_000)
    };
    let old = (0..old).map(|row| Ok((new("Brazil", "shop.Order")?, format!("old {row}"))));
    let mut rows = old.collect::<Result<Vec<_>>>()?;
    for rows in rows.chunks(500) {
        system.stores["almaty"].put(rows).await?;
    }
    let load = Arc::new(Load {
        clients: system.clients.clone(),
        seen: Mutex::default(),
        is_down: false.into(),
        is_over: false.into(),
    });
    let clients = (0..clients).map(|number| tokio::spawn(load.clone().client(number * 100_000)));
    let (clients, mut killed) = (clients.collect::<Vec<_>>(), 0);
    for turn in 0..moves {
        let to = ["sao-paulo", "almaty"][turn % 2];
        for pause_ms in [40, 80, 130, 200, 300] {
            let mut command = system.command(&["move", "Brazil", to]).spawn()?;
            sleep(Duration::from_millis(pause_ms + 3 * turn as u64)).await;
            killed += usize::from(command.try_wait()?.is_none());
            command.kill()?;
            command.wait()?;
        }
        // A killed region does not stop it.
        let mut command = system.command(&["move", "Brazil", to]).spawn()?;
        load.is_down.store(true, SeqCst);
        system.kill(KILLED)?;
        sleep(Duration::from_millis(200)).await;
        system.run(KILLED)?;
        load.is_down.store(false, SeqCst);
        ensure!(command.wait()?.success(), "the move to {to}");
        sleep(Duration::from_millis(200)).await;
    }
    load.is_over.store(true, SeqCst);
    let mut wrong = Vec::new();
    for client in clients {
        match client.await? {
            Ok(created) => rows.extend(created),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    let (count, seen) = (rows.len(), load.seen.lock().await);
    println!("{moves} moves, {killed} commands killed, {count} rows, {seen:?}, wrong: {wrong:?}");
    ensure!(wrong.is_empty(), "wrong answers");
    system.contains(rows).await
}
