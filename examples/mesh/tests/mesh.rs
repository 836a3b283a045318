//! Real processes of three regions over three databases: what clients see, and a country that moves
//! while they go on and processes are killed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::pin::Pin;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use mesh::{Config, MESH, MeshId, Store, pairs};
use reqwest::{Client, Method, StatusCode};
use rowkey::EntityKey;
use rowkey::routing::IuidContext;
use rowkey_testkit::{Backend, Server, Suite, TestDatabase};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::time::sleep;

const BACKENDS: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];
const REGIONS: [&str; 3] = ["almaty", "sao-paulo", "lima"];

type Test = fn(System) -> Pin<Box<dyn Future<Output = Result<()>>>>;

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    for (index, backend) in BACKENDS.into_iter().enumerate() {
        // Brazil moves from this kind of database to the next one that there is.
        let others = BACKENDS.into_iter().cycle().skip(index + 1);
        let to = others
            .take(4)
            .find_map(|other| suite.server(other))
            .cloned();
        let mut add = |name: &str, test: Test| {
            let to = to.clone();
            suite.test_on_server(backend, name, move |from| {
                let runtime = tokio::runtime::Runtime::new()?;
                let to = to.as_ref().unwrap_or(from);
                runtime.block_on(async { test(System::start(from, to).await?).await })
            });
        };
        add("every_region_answers_for_all", |system| {
            Box::pin(every_region_answers_for_all(system))
        });
        add("a_silent_region_is_named", |system| {
            Box::pin(a_silent_region_is_named(system))
        });
        add("old_tables_do_no_harm", |system| {
            Box::pin(old_tables_do_no_harm(system))
        });
        add("an_interrupted_move_goes_on", |system| {
            Box::pin(an_interrupted_move_goes_on(system))
        });
        add("brazil_moves_under_load", |system| {
            Box::pin(brazil_moves_under_load(system))
        });
    }
    Ok(suite.run())
}

/// Three regions, with their databases and processes.
struct System {
    addresses: BTreeMap<&'static str, String>,
    processes: BTreeMap<&'static str, Child>,
    config: NamedTempFile,
    stores: Vec<Store>,
    client: Client,
    // Dropped last, when nothing uses them any more.
    _databases: [TestDatabase; 3],
}

impl System {
    async fn start(from: &Server, to: &Server) -> Result<Self> {
        let sqlite = Server::at(Backend::Sqlite, "");
        let databases = [from, to, &sqlite].map(Server::create_database);
        let [one, two, three] = databases;
        let databases = [one?, two?, three?];
        let free = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0"));
        let mut text = "limit_ms = 60000\n".to_owned();
        let mut addresses = BTreeMap::new();
        for ((region, database), listener) in REGIONS.into_iter().zip(&databases).zip(free) {
            let (address, url) = (listener?.local_addr()?.to_string(), database.url());
            text += &format!("[regions.{region}]\naddress = {address:?}\ndatabase = {url:?}\n");
            addresses.insert(region, address);
        }
        text += "[mesh]\ndefault = \"almaty\"\n[[mesh.routes]]\ncountries = [\"Peru\"]\nnode = \"lima\"\n";
        let config = NamedTempFile::new()?;
        fs::write(&config, text)?;
        let mut system = Self {
            addresses,
            processes: BTreeMap::new(),
            stores: Config::read(config.path())?.stores().await?,
            config,
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
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    /// Runs a command to its end; returns its output.
    fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = self.command(arguments).stderr(Stdio::piped()).output()?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {error}");
        Ok(String::from_utf8(output.stdout)?)
    }

    fn start_region(&mut self, region: &'static str) -> Result<()> {
        let mut process = self.command(&["run", region]).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        ensure!(line.starts_with("listening"), "{region}: {line:?}");
        self.processes.insert(region, process);
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

    fn set_limit(&self, ms: u32) -> Result<()> {
        let text = fs::read_to_string(&self.config)?;
        Ok(fs::write(
            &self.config,
            text.replace("limit_ms = 60000", &format!("limit_ms = {ms}")),
        )?)
    }

    /// Asks the instance of a region.
    async fn ask(&self, region: &str, method: Method, path: &str, title: &str) -> Result<Answer> {
        let url = format!("http://{}{path}", self.addresses[region]);
        let request = self
            .client
            .request(method, url)
            .body(json!({"title": title}).to_string());
        Answer::to(request).await
    }

    async fn get(&self, region: &str, path: &str) -> Result<Answer> {
        self.ask(region, Method::GET, path, "").await
    }

    async fn put(&self, region: &str, path: &str, title: &str) -> Result<Answer> {
        self.ask(region, Method::PUT, path, title).await
    }

    /// Rows are in one database each, and these are all there are.
    async fn contains(&self, expected: &BTreeMap<MeshId, String>) -> Result<()> {
        let mut found = BTreeMap::new();
        for store in &self.stores {
            for pair in pairs() {
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
        }
        ensure!(
            found == *expected,
            "{} rows, {} expected",
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
    retry_after: bool,
    body: Value,
}

impl Answer {
    async fn to(request: reqwest::RequestBuilder) -> Result<Self> {
        let response = request.send().await?;
        let by = response.headers().get("mesh-answered-by");
        Ok(Self {
            status: response.status().as_u16(),
            by: by.map_or("", |by| by.to_str().unwrap_or("")).to_owned(),
            retry_after: response.headers().contains_key("retry-after"),
            body: serde_json::from_slice(&response.bytes().await?).unwrap_or_default(),
        })
    }

    /// The problem with this status, in words.
    fn problem(&self, status: u16) -> Result<&str> {
        ensure!(self.status == status, "{self:?}");
        ensure!(self.retry_after == (status == 503), "{self:?}");
        self.body["detail"].as_str().context("no problem")
    }

    fn is(&self, status: u16, by: &str, title: &str) -> Result<()> {
        let is_right = self.status == status && self.by == by && self.body["title"] == title;
        ensure!(is_right, "{self:?}, expected {status} by {by} with {title}");
        Ok(())
    }
}

/// A new id, and its path.
fn new(country: &str, entity: &str) -> (MeshId, String) {
    let id = MeshId::generate_for(&MESH.context(country, entity).unwrap());
    let table = if entity == "TaxiRide" {
        "rides"
    } else {
        "orders"
    };
    (id, format!("/{table}/{id}"))
}

async fn every_region_answers_for_all(system: System) -> Result<()> {
    for (country, region) in [
        ("Kazakhstan", "almaty"),
        ("Brazil", "almaty"),
        ("Peru", "lima"),
    ] {
        for (service, entity) in [("shop", "ShopOrder"), ("taxi", "TaxiRide")] {
            for asked in REGIONS {
                let (id, path) = new(country, entity);
                system.get(asked, &path).await?.problem(404)?;
                system
                    .put(asked, &path, "one")
                    .await?
                    .is(201, region, "one")?;
                system
                    .put(asked, &path, "one")
                    .await?
                    .is(200, region, "one")?;
                system.put(asked, &path, "two").await?.problem(409)?;
                for asked in REGIONS {
                    system.get(asked, &path).await?.is(200, region, "one")?;
                    let found = system.get(asked, &format!("/any/{id}")).await?.body;
                    let expected = json!({
                        "id": id, "country": country, "region": region, "service": service,
                        "service_entity": entity, "row": {"title": "one"},
                    });
                    ensure!(found == expected, "{found}");
                }
            }
        }
    }
    let of = |country, service_entity| {
        MeshId::generate_for(&IuidContext {
            country,
            service_entity,
        })
    };
    for (id, detail) in [
        (of(77, 10), "no country has the number 77"),
        (of(2, 99), "no service entity has the number 99"),
    ] {
        for path in [format!("/orders/{id}"), format!("/any/{id}")] {
            ensure!(system.get("lima", &path).await?.problem(404)? == detail);
        }
    }
    let (ride, _) = new("Brazil", "TaxiRide");
    let wrong = system.get("lima", &format!("/orders/{ride}")).await?;
    ensure!(wrong.problem(404)? == "this id is one of /rides, not of /orders");
    system.get("lima", "/orders/x").await?.problem(400)?;
    // Whatever a header says, nothing is passed on twice.
    let url = format!("http://{}/rides/{ride}", system.addresses["lima"]);
    let again = Answer::to(system.client.get(url).header("mesh-passed-on-by", "almaty")).await?;
    ensure!(again.problem(421)? == "`lima` cannot answer for TaxiRide of Brazil now");
    Ok(())
}

async fn a_silent_region_is_named(mut system: System) -> Result<()> {
    system.set_limit(1_000)?;
    system.kill("lima")?;
    system.start_region("lima")?;
    let (_, path) = new("Brazil", "ShopOrder");
    let detail = "the region `almaty` does not answer for ShopOrder of Brazil";
    system.signal("almaty", Signal::STOP)?;
    let stopped = system.put("lima", &path, "one").await?;
    system.signal("almaty", Signal::CONT)?;
    ensure!(stopped.problem(503)? == detail && stopped.body["region"] == "almaty");
    system.put("lima", &path, "one").await?;
    system.kill("almaty")?;
    for path in [path.clone(), path.replace("orders", "any")] {
        ensure!(system.get("lima", &path).await?.problem(503)? == detail);
    }
    // Other regions go on.
    let (_, other) = new("Peru", "ShopOrder");
    system
        .put("sao-paulo", &other, "two")
        .await?
        .is(201, "lima", "two")?;
    system.start_region("almaty")?;
    system.get("lima", &path).await?.is(200, "almaty", "one")
}

async fn old_tables_do_no_harm(mut system: System) -> Result<()> {
    let (id, path) = new("Brazil", "TaxiRide");
    system.put("almaty", &path, "one").await?;
    // Nobody tells them, so each has its old table; only the new one of `lima` is right.
    for region in REGIONS {
        system.signal(region, Signal::STOP)?;
    }
    system.set_limit(300)?;
    ensure!(
        system
            .run(&["move", "Brazil", "sao-paulo"])?
            .contains("rows copied: 1")
    );
    for region in REGIONS {
        system.signal(region, Signal::CONT)?;
    }
    system.kill("lima")?;
    system.start_region("lima")?;
    for region in ["lima", "sao-paulo", "almaty"] {
        system
            .get(region, &path)
            .await?
            .is(200, "sao-paulo", "one")?;
        let (_, new) = new("Brazil", "ShopOrder");
        system
            .put(region, &new, "new")
            .await?
            .is(201, "sao-paulo", "new")?;
    }
    // Again, and back, and what is where it is not any more goes.
    system.run(&["move", "Brazil", "sao-paulo"])?;
    system.run(&["move", "Brazil", "lima", "--service-entity", "TaxiRide"])?;
    system.get("almaty", &path).await?.is(200, "lima", "one")?;
    let deleted = system.run(&["clean", "Brazil"])?;
    ensure!(
        deleted.matches("deleted: 1").count() == 0 && deleted.contains("deleted: 2"),
        "{deleted}"
    );
    ensure!(!system.run(&["clean", "Brazil"])?.contains("deleted: 2"));
    system.get("almaty", &format!("/any/{id}")).await?;
    system.get("almaty", &path).await?.is(200, "lima", "one")
}

async fn an_interrupted_move_goes_on(mut system: System) -> Result<()> {
    system.set_limit(400)?;
    for region in REGIONS {
        system.kill(region)?;
        system.start_region(region)?;
    }
    let pair = MESH.context("Brazil", "ShopOrder")?;
    let mut expected = BTreeMap::new();
    let store = |region| {
        system
            .stores
            .iter()
            .find(|store| store.region == region)
            .unwrap()
    };
    for (step, [from, to]) in [["almaty", "sao-paulo"], ["sao-paulo", "almaty"]]
        .iter()
        .cycle()
        .take(4)
        .enumerate()
    {
        let (id, path) = new("Brazil", "ShopOrder");
        system
            .put("lima", &path, "kept")
            .await?
            .is(201, from, "kept")?;
        expected.insert(id, "kept".to_owned());
        // What a command that died after a step has left: begun, frozen, decided, opened.
        let mut place = store(*from).place(pair).await?.context("no place")?;
        place.round += 1;
        place.moving_to = Some((*to).to_owned());
        place.is_frozen = step == 1;
        if step >= 2 {
            let rows = store(*from).rows(pair, 0..i64::MAX, None).await?;
            store(*to).put(&rows).await?;
            (place.region, place.moving_to) = ((*to).to_owned(), None);
            place.moves += 1;
        }
        ensure!(store(*from).replace(place.round - 1, &place).await?);
        if step == 3 {
            let there = store(*to).place(pair).await?.context("no place")?;
            place.round = there.round + 1;
            ensure!(store(*to).replace(there.round, &place).await?);
        }
        let (late, late_path) = new("Brazil", "ShopOrder");
        let written = system.put("lima", &late_path, "late").await?;
        let read = system.get("lima", &path).await?;
        match step {
            1 | 2 => drop(written.problem(503)?),
            _ => written.is(201, if step == 0 { from } else { to }, "late")?,
        }
        match step {
            2 => drop(read.problem(503)?),
            _ => read.is(200, if step == 3 { to } else { from }, "kept")?,
        }
        if step == 0 {
            let elsewhere = system
                .run(&["move", "Brazil", "lima"])
                .unwrap_err()
                .to_string();
            ensure!(
                elsewhere.contains("on its way from `almaty` to `sao-paulo`"),
                "{elsewhere}"
            );
        }
        if step == 1 {
            // Given up, and begun again.
            system.run(&["move", "Brazil", from])?;
            system
                .put("lima", &late_path, "late")
                .await?
                .is(201, from, "late")?;
        }
        system.run(&["move", "Brazil", to])?;
        system.put("lima", &late_path, "late").await?;
        system
            .get("almaty", &late_path)
            .await?
            .is(200, to, "late")?;
        expected.insert(late, "late".to_owned());
        system.get("almaty", &path).await?.is(200, to, "kept")?;
        system.run(&["clean", "Brazil"])?;
        system.contains(&expected).await?;
    }
    Ok(())
}

/// What the clients have seen.
#[derive(Default)]
struct Figures {
    requests: AtomicUsize,
    passed_on: AtomicUsize,
    unavailable: AtomicUsize,
    broken: AtomicUsize,
    longest: AtomicUsize,
    is_over: AtomicBool,
    /// Whether the process of a region is being killed or has not come back.
    is_down: AtomicBool,
    acknowledged: Mutex<BTreeMap<MeshId, String>>,
}

/// Repeats a request, each time at another instance, until it is answered.
async fn until_answered(
    figures: &Figures,
    urls: &[(&'static str, String)],
    client: &Client,
    (turn, method, path, title): (usize, Method, &str, &str),
) -> Result<Answer> {
    for turn in turn.. {
        let (asked, url) = &urls[turn % urls.len()];
        let was_down = figures.is_down.load(SeqCst);
        let begun = Instant::now();
        let request = client.request(method.clone(), format!("{url}{path}"));
        let answer = Answer::to(request.body(json!({"title": title}).to_string())).await;
        let is_down = was_down || figures.is_down.load(SeqCst);
        figures.requests.fetch_add(1, SeqCst);
        let Ok(answer) = answer else {
            ensure!(
                is_down && *asked == KILLED,
                "`{asked}` has broken a connection"
            );
            figures.broken.fetch_add(1, SeqCst);
            continue;
        };
        figures
            .longest
            .fetch_max(begun.elapsed().as_millis() as usize, SeqCst);
        if answer.status != StatusCode::SERVICE_UNAVAILABLE {
            if answer.by != *asked && !answer.by.is_empty() {
                figures.passed_on.fetch_add(1, SeqCst);
            }
            return Ok(answer);
        }
        answer.problem(503)?;
        ensure!(
            is_down && answer.body["region"] == KILLED,
            "{answer:?} for {path}"
        );
        figures.unavailable.fetch_add(1, SeqCst);
        sleep(Duration::from_millis(20)).await;
    }
    unreachable!()
}

/// The region whose process is killed.
const KILLED: &str = "sao-paulo";

/// Creates and reads rows until the test is over. Any wrong answer is an error.
async fn client(
    figures: Arc<Figures>,
    urls: Vec<(&'static str, String)>,
    number: usize,
) -> Result<()> {
    let client = Client::builder().no_proxy().build()?;
    let ask = |turn, method, path: String, title: String| {
        let (figures, urls, client) = (&figures, &urls, &client);
        async move { until_answered(figures, urls, client, (turn, method, &path, &title)).await }
    };
    let mut paths = Vec::new();
    for turn in number.. {
        if figures.is_over.load(SeqCst) {
            return Ok(());
        }
        let country = ["Brazil", "Kazakhstan", "Brazil", "Peru"][turn % 4];
        let (id, path) = new(country, ["ShopOrder", "TaxiRide"][turn / 4 % 2]);
        let title = format!("{number} {turn}");
        let missing = ask(turn, Method::GET, path.clone(), String::new()).await?;
        missing.problem(404)?;
        let created = ask(turn, Method::PUT, path.clone(), title.clone()).await?;
        ensure!([200, 201].contains(&created.status), "{created:?}");
        figures
            .acknowledged
            .lock()
            .unwrap()
            .insert(id, title.clone());
        paths.push((path, title));
        // What it has just created, and something older, elsewhere.
        for (path, title) in [&paths[paths.len() - 1], &paths[turn * 7919 % paths.len()]] {
            let read = ask(turn + 1, Method::GET, path.clone(), String::new()).await?;
            ensure!(
                read.status == 200 && read.body["title"] == **title,
                "{read:?} for {path}"
            );
        }
    }
    unreachable!()
}

async fn brazil_moves_under_load(mut system: System) -> Result<()> {
    let is_long = std::env::var_os("ROWKEY_CHAOS").is_some_and(|value| value == "1");
    let (clients, rounds, rows) = if is_long {
        (32, 10, 20_000)
    } else {
        (8, 1, 2_000)
    };
    let figures = Arc::new(Figures::default());
    let context = MESH.context("Brazil", "ShopOrder")?;
    let old: Vec<_> = (0..rows)
        .map(|row| (MeshId::generate_for(&context), format!("old {row}")))
        .collect();
    for rows in old.chunks(500) {
        system
            .stores
            .iter()
            .find(|store| store.region == "almaty")
            .unwrap()
            .put(rows)
            .await?;
    }
    figures.acknowledged.lock().unwrap().extend(old);
    let urls: Vec<_> = system
        .addresses
        .iter()
        .map(|(region, address)| (*region, format!("http://{address}")))
        .collect();
    let clients: Vec<_> = (0..clients)
        .map(|number| tokio::spawn(client(figures.clone(), urls.clone(), number)))
        .collect();
    let worked = async |more: usize| {
        let before = figures.requests.load(SeqCst);
        while figures.requests.load(SeqCst) < before + more
            && !clients.iter().any(|client| client.is_finished())
        {
            sleep(Duration::from_millis(2)).await;
        }
    };
    let (mut moves, mut killed_moves) = (0, 0);
    for round in 0..2 * rounds {
        let to = ["sao-paulo", "almaty"][round % 2];
        worked(200).await;
        // A command that is killed, at another step each time, and a region, in the middle of the move.
        for after in [20, 60, 100, 150, 250] {
            let mut command = system.command(&["move", "Brazil", to]).spawn()?;
            sleep(Duration::from_millis(after + 7 * round as u64)).await;
            if command.try_wait()?.is_none() {
                killed_moves += 1;
            }
            command.kill()?;
            command.wait()?;
        }
        let mut command = system
            .command(&["move", "Brazil", to])
            .stderr(Stdio::null())
            .spawn()?;
        figures.is_down.store(true, SeqCst);
        system.kill(KILLED)?;
        worked(100).await;
        system.start_region(KILLED)?;
        figures.is_down.store(false, SeqCst);
        ensure!(command.wait()?.success());
        moves += 1;
        worked(200).await;
        system.run(&["clean", "Brazil"])?;
    }
    figures.is_over.store(true, SeqCst);
    let mut wrong = 0;
    for client in clients {
        if let Err(error) = client.await? {
            wrong += 1;
            eprintln!("wrong: {error:#}");
        }
    }
    let acknowledged = std::mem::take(&mut *figures.acknowledged.lock().unwrap());
    let rows = system.contains(&acknowledged).await;
    println!(
        "moves {moves}, killed moves {killed_moves}, rows {}, requests {}, passed on {}, 503 {}, \
         broken connections {}, wrong {wrong}, longest answer {} ms",
        acknowledged.len(),
        figures.requests.load(SeqCst),
        figures.passed_on.load(SeqCst),
        figures.unavailable.load(SeqCst),
        figures.broken.load(SeqCst),
        figures.longest.load(SeqCst),
    );
    ensure!(wrong == 0);
    rows
}
