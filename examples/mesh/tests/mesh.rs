//! Processes of three regions over three databases: what clients see, and a country that moves while they
//! go on and processes are killed. `ROWKEY_CHAOS=1` means more clients, rows, moves and kills.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::pin::Pin;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};
use mesh::{Config, MESH, MeshId, Pair, Place, Store, pairs};
use reqwest::{Client, Method};
use rowkey::EntityKey;
use rowkey::routing::IuidContext;
use rowkey_testkit::{Backend, Server, Suite, TestDatabase};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::time::sleep;

const REGIONS: [&str; 3] = ["almaty", "sao-paulo", "lima"];
const ORDERS_OF_BRAZIL: Pair = (2, 10);

type Test = fn(System) -> Pin<Box<dyn Future<Output = Result<()>>>>;

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    let backends = [
        Backend::Postgres,
        Backend::MySql,
        Backend::MariaDb,
        Backend::Sqlite,
    ];
    for (index, backend) in backends.into_iter().enumerate() {
        // Brazil moves to the next kind of database that there is, and back.
        let others = backends.into_iter().cycle().skip(index + 1);
        let to = others
            .take(4)
            .find_map(|other| suite.server(other))
            .cloned();
        let mut add = |name: &str, limit_ms: u32, test: Test| {
            let to = to.clone();
            suite.test_on_server(backend, name, move |from| {
                let runtime = tokio::runtime::Runtime::new()?;
                let to = to.as_ref().unwrap_or(from);
                runtime.block_on(async { test(System::start(from, to, limit_ms).await?).await })
            });
        };
        add("every_region_answers_for_all", 60_000, |system| {
            Box::pin(answers_for_all(system))
        });
        add("a_silent_region_is_named", 1_000, |system| {
            Box::pin(a_silent_region(system))
        });
        add("old_tables_do_no_harm", 60_000, |system| {
            Box::pin(old_tables(system))
        });
        add("an_interrupted_move_goes_on", 500, |system| {
            Box::pin(an_interrupted_move(system))
        });
        add("brazil_moves_under_load", 60_000, |system| {
            Box::pin(moves_under_load(system))
        });
    }
    Ok(suite.run())
}

/// Three regions, with their databases and processes.
struct System {
    urls: BTreeMap<&'static str, String>,
    processes: BTreeMap<&'static str, Child>,
    config: NamedTempFile,
    stores: BTreeMap<String, Store>,
    client: Client,
    // Dropped last, when nothing uses them any more.
    _databases: Vec<TestDatabase>,
}

impl System {
    async fn start(from: &Server, to: &Server, limit_ms: u32) -> Result<Self> {
        let mut text = format!("limit_ms = {limit_ms}\n");
        let (mut urls, mut databases, mut ports) = (BTreeMap::new(), Vec::new(), Vec::new());
        let third = Server::at(Backend::Sqlite, "");
        // Linux has many local addresses: with one for each test, no client of another takes a port meanwhile.
        static COUNT: AtomicUsize = AtomicUsize::new(1);
        let [.., high, low] = process::id().to_be_bytes();
        let is_linux = cfg!(target_os = "linux");
        let own = Ipv4Addr::new(127, high, low, COUNT.fetch_add(1, SeqCst) as u8);
        let host = if is_linux { own } else { Ipv4Addr::LOCALHOST };
        for (region, server) in REGIONS.into_iter().zip([from, to, &third]) {
            let (port, database) = (TcpListener::bind((host, 0))?, server.create_database()?);
            let (address, url) = (port.local_addr()?, database.url());
            text += &format!("[regions.{region}]\naddress = \"{address}\"\ndatabase = {url:?}\n");
            urls.insert(region, format!("http://{address}"));
            ports.push(port);
            databases.push(database);
        }
        drop(ports);
        text += "[mesh]\ndefault = \"almaty\"\n";
        text += "[[mesh.routes]]\ncountries = [\"Peru\"]\nnode = \"lima\"\n";
        let config = NamedTempFile::new()?;
        fs::write(&config, text)?;
        let stores = Config::read(config.path())?.stores().await?;
        let mut system = Self {
            urls,
            processes: BTreeMap::new(),
            config,
            stores: stores
                .into_iter()
                .map(|store| (store.region.clone(), store))
                .collect(),
            client: Client::builder().no_proxy().build()?,
            _databases: databases,
        };
        system.run(&["open"])?;
        REGIONS
            .iter()
            .try_for_each(|region| system.start_region(region))?;
        Ok(system)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mesh"));
        command
            .args(arguments)
            .env("MESH_CONFIG", self.config.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end; returns its output.
    fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = self.command(arguments).output()?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {error}");
        Ok(String::from_utf8(output.stdout)?)
    }

    fn start_region(&mut self, region: &'static str) -> Result<()> {
        let mut process = self
            .command(&["run", region])
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        self.processes.insert(region, process);
        ensure!(line.starts_with("listening on "), "{region}: {line:?}");
        Ok(())
    }

    fn kill(&mut self, region: &str) -> Result<()> {
        let mut process = self.processes.remove(region).context("it does not run")?;
        process.kill()?;
        process.wait()?;
        Ok(())
    }

    fn signal(&self, region: &str, signal: Signal) -> Result<()> {
        Ok(kill_process(
            Pid::from_child(&self.processes[region]),
            signal,
        )?)
    }

    /// Asks the instance of a region: for `GET /path`, or `PUT /path` with a title.
    async fn ask(&self, region: &str, what: &str, title: &str) -> Result<Answer> {
        Answer::to(&self.client, &self.urls[region], what, title).await
    }

    /// Asks, and compares the answer: the title by a region, or a problem with these words.
    async fn check(
        &self,
        region: &str,
        what: &str,
        title: &str,
        status: u16,
        expected: &str,
    ) -> Result<()> {
        let answer = self.ask(region, what, title).await?;
        let found = if status < 300 {
            &answer.by
        } else {
            &answer.text
        };
        let is_right = answer.status == status && found == expected;
        ensure!(
            is_right,
            "{answer:?} of {region} for {what}, expected {status} {expected}"
        );
        ensure!(
            status >= 300 || answer.text == title,
            "{answer:?}, expected {title}"
        );
        Ok(())
    }

    /// Each of these rows is in one database, and there are no others.
    async fn contains(&self, expected: &BTreeMap<MeshId, String>) -> Result<()> {
        let mut found = BTreeMap::new();
        for (store, pair) in self
            .stores
            .values()
            .flat_map(|store| pairs().map(move |pair| (store, pair)))
        {
            let mut last = None;
            loop {
                let rows = store.rows(pair, 0..i64::MAX, last).await?;
                let Some((id, _)) = rows.last() else { break };
                last = Some(*id);
                for (id, title) in rows {
                    ensure!(found.insert(id, title).is_none(), "{id} is there twice");
                }
            }
        }
        ensure!(
            found == *expected,
            "{} rows, expected {}",
            found.len(),
            expected.len()
        );
        Ok(())
    }
}

impl Drop for System {
    fn drop(&mut self) {
        for process in self.processes.values_mut() {
            // Both fail only if it is gone already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    /// The region that has answered.
    by: String,
    text: String,
}

impl Answer {
    async fn to(client: &Client, url: &str, what: &str, title: &str) -> Result<Self> {
        let (method, path) = what.split_once(' ').context("a method and a path")?;
        let method = Method::from_bytes(method.as_bytes())?;
        let request = client
            .request(method, format!("{url}{path}"))
            .body(title.to_owned());
        let response = request.send().await?;
        let (status, by) = (
            response.status().as_u16(),
            response.headers().get("mesh-answered-by"),
        );
        let by = by.map_or("", |by| by.to_str().unwrap_or("")).to_owned();
        ensure!(
            response.headers().contains_key("retry-after") == (status == 503),
            "{response:?}"
        );
        Ok(Self {
            status,
            by,
            text: response.text().await?,
        })
    }
}

/// A new id, and how to read and create it.
fn new(country: &str, entity: &str) -> Result<(MeshId, String, String)> {
    let id = MeshId::generate_for(&MESH.context(country, entity)?);
    let path = format!(
        "/{}/{id}",
        if entity == "TaxiRide" {
            "rides"
        } else {
            "orders"
        }
    );
    Ok((id, format!("GET {path}"), format!("PUT {path}")))
}

async fn answers_for_all(system: System) -> Result<()> {
    for (country, region) in [
        ("Kazakhstan", "almaty"),
        ("Brazil", "almaty"),
        ("Peru", "lima"),
    ] {
        for (service, service_entity) in [("shop", "ShopOrder"), ("taxi", "TaxiRide")] {
            for asked in REGIONS {
                let (id, get, put) = new(country, service_entity)?;
                let missing = format!("nothing has the id {id}");
                system.check(asked, &get, "", 404, &missing).await?;
                system.check(asked, &put, "one", 201, region).await?;
                system.check(asked, &put, "one", 200, region).await?;
                let conflict = "the entity was created from another payload";
                system.check(asked, &put, "two", 409, conflict).await?;
                for asked in REGIONS {
                    system.check(asked, &get, "one", 200, region).await?;
                    let expected = json!({"id": id, "country": country, "service": service,
                        "service_entity": service_entity, "region": region, "title": "one"});
                    let any = format!("GET /any/{id}");
                    system
                        .check(asked, &any, &expected.to_string(), 200, region)
                        .await?;
                }
            }
        }
    }
    for (country, service_entity, unknown) in [
        (77, 20, "no country has the number 77"),
        (2, 99, "no service entity has the number 99"),
    ] {
        let id = MeshId::generate_for(&IuidContext {
            country,
            service_entity,
        });
        for what in [
            format!("GET /rides/{id}"),
            format!("PUT /rides/{id}"),
            format!("GET /any/{id}"),
        ] {
            system.check("lima", &what, "", 404, unknown).await?;
        }
    }
    let (_, get, _) = new("Brazil", "TaxiRide")?;
    let wrong = "this id is one of /rides, not of /orders";
    system
        .check("lima", &get.replace("rides", "orders"), "", 404, wrong)
        .await?;
    ensure!(system.ask("lima", "GET /any/x", "").await?.status == 400);
    // Nothing is passed on twice, whoever says that it was passed on.
    let url = get.replace("GET ", &system.urls["lima"]);
    let twice = system
        .client
        .get(url)
        .header("mesh-passed-on-by", "almaty")
        .send()
        .await?;
    ensure!(twice.status() == 421 && twice.text().await?.contains("\"region\":\"almaty\""));
    Ok(())
}

async fn a_silent_region(mut system: System) -> Result<()> {
    let (id, get, put) = new("Brazil", "ShopOrder")?;
    let silent = "the region `almaty` does not answer for ShopOrder of Brazil";
    system.signal("almaty", Signal::STOP)?;
    let stopped = system.check("lima", &put, "one", 503, silent).await;
    system.signal("almaty", Signal::CONT)?;
    stopped?;
    ensure!(system.ask("lima", &put, "one").await?.status < 300);
    system.kill("almaty")?;
    for what in [&get, &put, &format!("GET /any/{id}")] {
        system.check("lima", what, "one", 503, silent).await?;
    }
    // Other regions go on.
    let (_, _, other) = new("Peru", "ShopOrder")?;
    system
        .check("sao-paulo", &other, "two", 201, "lima")
        .await?;
    system.start_region("almaty")?;
    system.check("lima", &get, "one", 200, "almaty").await
}

async fn old_tables(mut system: System) -> Result<()> {
    let (_, get, put) = new("Brazil", "TaxiRide")?;
    system.check("almaty", &put, "one", 201, "almaty").await?;
    // Nobody is told: the note of each command says so.
    let text = fs::read_to_string(&system.config)?;
    let unreachable = NamedTempFile::new()?;
    fs::write(
        &unreachable,
        text.replace("address = ", "address = \"127.0.0.1:1\" # "),
    )?;
    let moved = ["move", "Brazil", "sao-paulo"];
    let moved = system
        .command(&moved)
        .env("MESH_CONFIG", unreachable.path())
        .output()?;
    ensure!(
        String::from_utf8(moved.stderr)?
            .matches("does not answer")
            .count()
            == 3
    );
    // One is started again with the routes of the file, two have their old tables.
    system.kill("lima")?;
    system.start_region("lima")?;
    for region in REGIONS {
        system.check(region, &get, "one", 200, "sao-paulo").await?;
        let (_, _, put) = new("Brazil", "ShopOrder")?;
        system.check(region, &put, "new", 201, "sao-paulo").await?;
    }
    // Again; then a single service entity goes on. What has been left is there until it is deleted.
    ensure!(
        system
            .run(&["move", "Brazil", "sao-paulo"])?
            .matches("copied: 0")
            .count()
            == 2
    );
    system.run(&["move", "Brazil", "lima", "TaxiRide"])?;
    for deleted in [
        "TaxiRide of Brazil: rows deleted: 2",
        "TaxiRide of Brazil: rows deleted: 0",
    ] {
        system.check("almaty", &get, "one", 200, "lima").await?;
        ensure!(system.run(&["clean", "Brazil"])?.contains(deleted));
    }
    system.check("almaty", &get, "one", 200, "lima").await
}

async fn an_interrupted_move(system: System) -> Result<()> {
    let mut expected = BTreeMap::new();
    let [one, two] = ["almaty", "sao-paulo"];
    // The statuses of a write and of a read when a command has died after this step.
    for (step, from, to, write, read) in [
        ("begun", one, two, 201, 200),
        ("frozen", two, one, 503, 200),
        ("decided", one, two, 503, 503),
        ("opened", two, one, 201, 200),
    ] {
        let (id, get, put) = new("Brazil", "ShopOrder")?;
        let (late, get_late, put_late) = new("Brazil", "ShopOrder")?;
        system.check("lima", &put, "kept", 201, from).await?;
        expected.extend([(id, "kept".to_owned()), (late, "late".to_owned())]);
        let (old, new) = (&system.stores[from], &system.stores[to]);
        let [mut place, mut there] = [
            old.place(ORDERS_OF_BRAZIL).await?,
            new.place(ORDERS_OF_BRAZIL).await?,
        ];
        let is_decided = ["decided", "opened"].contains(&step);
        let moves = place.moves + 1;
        let left = |place: &mut Place| match is_decided {
            true => (place.region, place.moves) = (to.to_owned(), moves),
            false => (place.moving_to, place.is_frozen) = (Some(to.to_owned()), step == "frozen"),
        };
        let rows = old.rows(ORDERS_OF_BRAZIL, 0..i64::MAX, None).await?;
        ensure!(old.change(&mut place, left).await?);
        if is_decided {
            new.put(ORDERS_OF_BRAZIL, &rows).await?;
            ensure!(step == "decided" || new.change(&mut there, left).await?);
        }
        let region = if is_decided { to } else { from };
        let silent = format!("the region `{region}` does not answer for ShopOrder of Brazil");
        for (what, title, status) in [(&put_late, "late", write), (&get, "kept", read)] {
            let expected = if status == 503 { &silent } else { region };
            system.check("lima", what, title, status, expected).await?;
        }
        if step == "frozen" {
            let elsewhere = system
                .run(&["move", "Brazil", "lima"])
                .unwrap_err()
                .to_string();
            ensure!(
                elsewhere.contains("is on its way to `almaty`"),
                "{elsewhere}"
            );
            // Given up, and begun again.
            system.run(&["move", "Brazil", from])?;
            system.check("lima", &put_late, "late", 201, from).await?;
        }
        system.run(&["move", "Brazil", to])?;
        ensure!(system.ask("almaty", &put_late, "late").await?.status < 300);
        system.check("lima", &get, "kept", 200, to).await?;
        system
            .check("sao-paulo", &get_late, "late", 200, to)
            .await?;
        system.run(&["clean", "Brazil"])?;
        system.contains(&expected).await?;
    }
    Ok(())
}

/// The region whose process is killed.
const KILLED: &str = "sao-paulo";

/// What clients have seen.
#[derive(Default)]
struct Load {
    urls: BTreeMap<&'static str, String>,
    client: Client,
    requests: AtomicUsize,
    passed_on: AtomicUsize,
    unavailable: AtomicUsize,
    broken: AtomicUsize,
    longest_ms: AtomicUsize,
    /// Whether the process of [`KILLED`] may be down.
    is_down: AtomicBool,
    is_over: AtomicBool,
    acknowledged: Mutex<BTreeMap<MeshId, String>>,
}

impl Load {
    /// Repeats a request, each time at another instance, until it is answered.
    async fn ask(&self, mut turn: usize, what: &str, title: &str) -> Result<Answer> {
        loop {
            let asked = REGIONS[turn % REGIONS.len()];
            let (was_down, begun) = (self.is_down.load(SeqCst), Instant::now());
            let answer = Answer::to(&self.client, &self.urls[asked], what, title).await;
            let is_down = was_down || self.is_down.load(SeqCst);
            self.requests.fetch_add(1, SeqCst);
            match answer {
                Ok(answer) if answer.status != 503 => {
                    self.longest_ms
                        .fetch_max(begun.elapsed().as_millis() as usize, SeqCst);
                    let is_passed_on = !answer.by.is_empty() && answer.by != asked;
                    self.passed_on.fetch_add(is_passed_on.into(), SeqCst);
                    return Ok(answer);
                }
                Ok(answer) => {
                    ensure!(
                        is_down && answer.text.contains(KILLED) && answer.text.ends_with("Brazil"),
                        "{answer:?} for {what}"
                    );
                    self.unavailable.fetch_add(1, SeqCst);
                    sleep(Duration::from_millis(20)).await;
                }
                Err(error) => {
                    ensure!(
                        is_down && asked == KILLED,
                        "{error:#} of {asked} for {what}"
                    );
                    self.broken.fetch_add(1, SeqCst);
                }
            }
            turn += 1;
        }
    }

    /// Creates and reads rows until the test is over. A wrong answer is an error.
    async fn client(self: Arc<Self>, mut turn: usize) -> Result<()> {
        let mut rows = Vec::new();
        while !self.is_over.load(SeqCst) {
            let country = ["Brazil", "Kazakhstan", "Brazil", "Peru"][turn % 4];
            let (id, get, put) = new(country, ["ShopOrder", "TaxiRide"][turn / 4 % 2])?;
            let title = format!("row {turn}");
            let missing = self.ask(turn, &get, "").await?;
            ensure!(missing.status == 404, "{missing:?} for {get}");
            let created = self.ask(turn, &put, &title).await?;
            ensure!(
                created.status < 300 && created.text == title,
                "{created:?} for {put}"
            );
            self.acknowledged.lock().unwrap().insert(id, title.clone());
            rows.push((get, title));
            // This one, and an older one, at another instance.
            for (get, title) in [&rows[rows.len() - 1], &rows[turn * 7919 % rows.len()]] {
                let read = self.ask(turn + 1, get, "").await?;
                ensure!(
                    read.status == 200 && read.text == *title,
                    "{read:?} for {get}"
                );
            }
            turn += 1;
        }
        Ok(())
    }
}

async fn moves_under_load(mut system: System) -> Result<()> {
    let is_long = env::var_os("ROWKEY_CHAOS").is_some_and(|value| value == "1");
    let (clients, moves, old) = if is_long {
        (32, 20, 20_000)
    } else {
        (8, 2, 2_000)
    };
    let load = Arc::new(Load {
        urls: system.urls.clone(),
        ..Load::default()
    });
    let context = MESH.context("Brazil", "ShopOrder")?;
    let old = (0..old).map(|row| (MeshId::generate_for(&context), format!("old {row}")));
    let old: Vec<_> = old.collect();
    for rows in old.chunks(500) {
        system.stores["almaty"].put(ORDERS_OF_BRAZIL, rows).await?;
    }
    load.acknowledged.lock().unwrap().extend(old);
    let clients = (0..clients).map(|number| tokio::spawn(load.clone().client(number * 100_000)));
    let clients: Vec<_> = clients.collect();
    let worked = async |more: usize| {
        let until = load.requests.load(SeqCst) + more;
        while load.requests.load(SeqCst) < until && !clients.iter().any(|one| one.is_finished()) {
            sleep(Duration::from_millis(1)).await;
        }
    };
    let mut killed = 0;
    for turn in 0..moves {
        let to = ["sao-paulo", "almaty"][turn % 2];
        worked(200).await;
        for pause_ms in [40, 80, 130, 200, 300] {
            let mut command = system.command(&["move", "Brazil", to]).spawn()?;
            sleep(Duration::from_millis(pause_ms + 3 * turn as u64)).await;
            killed += usize::from(command.try_wait()?.is_none());
            command.kill()?;
            command.wait()?;
        }
        // It has to wait until the region is back, or has moved before; a killed region does not stop it.
        let mut command = system.command(&["move", "Brazil", to]).spawn()?;
        load.is_down.store(true, SeqCst);
        system.kill(KILLED)?;
        worked(100).await;
        system.start_region(KILLED)?;
        load.is_down.store(false, SeqCst);
        ensure!(command.wait()?.success(), "the move to {to}");
        worked(200).await;
        system.run(&["clean", "Brazil"])?;
    }
    load.is_over.store(true, SeqCst);
    let mut wrong = 0;
    for client in clients {
        if let Err(error) = client.await? {
            wrong += 1;
            eprintln!("wrong: {error:#}");
        }
    }
    let rows = load.acknowledged.lock().unwrap().clone();
    let contains = system.contains(&rows).await;
    println!(
        "moves {moves}, commands killed {killed}, regions killed {moves}, rows {}, requests {}, passed on {}, \
         503 {}, connections broken {}, wrong {wrong}, lost {}, longest answer {} ms",
        rows.len(),
        load.requests.load(SeqCst),
        load.passed_on.load(SeqCst),
        load.unavailable.load(SeqCst),
        load.broken.load(SeqCst),
        if contains.is_ok() { "0" } else { "some" },
        load.longest_ms.load(SeqCst),
    );
    ensure!(wrong == 0, "{wrong} clients got wrong answers");
    contains
}
