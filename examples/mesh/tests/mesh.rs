//! Processes of three regions over three databases: what clients see, and a country that moves while they
//! go on and processes are killed. `ROWKEY_CHAOS=1` means more clients, rows, moves and kills.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;
use mesh::{Config, MESH, MeshId, Pair, Place, Store, pairs};
use reqwest::{Client, Method};
use rowkey::EntityKey;
use rowkey::routing::IuidContext;
use rowkey_testkit::{Backend, Server, Suite, TestDatabase};
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::time::sleep;

const REGIONS: [&str; 3] = ["almaty", "sao-paulo", "lima"];
const ORDERS_OF_BRAZIL: Pair = (2, 10);

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
        let mut others = backends.into_iter().cycle().skip(index + 1).take(4);
        let to = others.find_map(|other| suite.server(other)).cloned();
        let on = (backend, to);
        add(
            &mut suite,
            &on,
            60_000,
            "every_region_answers_for_all",
            answers_for_all,
        );
        add(
            &mut suite,
            &on,
            1_000,
            "a_region_that_is_down_is_named",
            a_region_is_down,
        );
        add(
            &mut suite,
            &on,
            1_000,
            "an_interrupted_move_goes_on",
            an_interrupted_move,
        );
        add(
            &mut suite,
            &on,
            60_000,
            "chaos_of_a_move_loses_no_answer",
            moves_under_load,
        );
    }
    Ok(suite.run())
}

fn add<T>(suite: &mut Suite, on: &(Backend, Option<Server>), limit_ms: u32, name: &str, test: T)
where
    T: AsyncFnOnce(System) -> Result<()> + Send + 'static,
{
    let to = on.1.clone();
    suite.test_on_server(on.0, name, move |from| {
        let system = System::start([from, to.as_ref().unwrap_or(from)], limit_ms);
        tokio::runtime::Runtime::new()?.block_on(async { test(system.await?).await })
    });
}

/// The status, the region that has answered, and the text of an answer.
type Answer = (u16, String, String);

fn answered(status: u16, region: &str, text: &str) -> Answer {
    (status, region.to_owned(), text.to_owned())
}

fn silent(region: &str, pair: &str) -> Answer {
    let text = format!("the region `{region}` does not answer for {pair}");
    answered(503, "", &text)
}

fn new(country: &str, entity: &str) -> Result<MeshId> {
    Ok(MeshId::generate_for(&MESH.context(country, entity)?))
}

/// Clients of the instances.
#[derive(Clone)]
struct Clients {
    urls: HashMap<&'static str, String>,
    client: Client,
}

impl Clients {
    async fn ask(&self, asked: &str, method: Method, path: &str, title: &str) -> Result<Answer> {
        let request = self
            .client
            .request(method, format!("{}{path}", self.urls[asked]));
        let response = request.body(title.to_owned()).send().await?;
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).map(|value| value.to_str());
        let region = header("mesh-region")
            .transpose()?
            .unwrap_or_default()
            .to_owned();
        ensure!(
            header("retry-after").is_some() == (status == 503),
            "{response:?}"
        );
        Ok((status, region, response.text().await?))
    }

    async fn get(&self, asked: &str, id: MeshId) -> Result<Answer> {
        self.ask(asked, Method::GET, &format!("/entities/{id}"), "")
            .await
    }

    async fn put(&self, asked: &str, id: MeshId, title: &str) -> Result<Answer> {
        self.ask(asked, Method::PUT, &format!("/entities/{id}"), title)
            .await
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
        let mut text = format!("limit_ms = {limit_ms}\n");
        let (mut urls, mut databases, mut ports) = (HashMap::new(), Vec::new(), Vec::new());
        // Linux has many local addresses: with one for each test, no client of another takes a port meanwhile.
        static COUNT: AtomicUsize = AtomicUsize::new(1);
        let [.., high, low] = process::id().to_be_bytes();
        let own = Ipv4Addr::new(127, high, low, COUNT.fetch_add(1, SeqCst) as u8);
        let host = if cfg!(target_os = "linux") {
            own
        } else {
            Ipv4Addr::LOCALHOST
        };
        for (region, server) in
            REGIONS
                .into_iter()
                .zip([from, to, &Server::at(Backend::Sqlite, "")])
        {
            let (port, database) = (TcpListener::bind((host, 0))?, server.create_database()?);
            let (address, url) = (port.local_addr()?, database.url());
            text += &format!("[regions.{region}]\naddress = \"{address}\"\ndatabase = {url:?}\n");
            urls.insert(region, format!("http://{address}"));
            (ports.push(port), databases.push(database));
        }
        drop(ports);
        let config = NamedTempFile::new()?;
        fs::write(&config, text + "[mesh]\ndefault = \"almaty\"\n")?;
        let client = Client::builder().no_proxy().build()?;
        let mut system = Self {
            clients: Clients { urls, client },
            processes: HashMap::new(),
            stores: Config::read(config.path())?.stores().await?,
            config,
            _databases: databases,
        };
        for (country, region) in [
            ("Kazakhstan", "almaty"),
            ("Brazil", "almaty"),
            ("Peru", "lima"),
        ] {
            system.move_to(country, region)?;
        }
        REGIONS.iter().try_for_each(|region| system.run(region))?;
        Ok(system)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mesh"));
        command
            .args(arguments)
            .env("MESH_CONFIG", self.config.path())
            .stdout(Stdio::piped());
        command
    }

    fn move_to(&self, country: &str, region: &str) -> Result<()> {
        let output = self.command(&["move", country, region]).output()?;
        ensure!(
            output.status.success(),
            "{country} does not move to {region}"
        );
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

    /// All databases contain these rows, each once, and no others.
    async fn contains(&self, mut expected: Vec<(MeshId, String)>) -> Result<()> {
        let mut found = Vec::new();
        for (store, pair) in self
            .stores
            .values()
            .flat_map(|store| pairs().map(move |pair| (store, pair)))
        {
            found.extend(
                store
                    .rows(pair, 0..i64::MAX)
                    .try_collect::<Vec<_>>()
                    .await?,
            );
        }
        (found.sort(), expected.sort());
        ensure!(
            found == expected,
            "{} rows, expected {}",
            found.len(),
            expected.len()
        );
        Ok(())
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // Fails only for a region that is down already.
        REGIONS.iter().for_each(|region| _ = self.kill(region));
    }
}

async fn answers_for_all(System { ref clients, .. }: System) -> Result<()> {
    for (country, region) in [
        ("Kazakhstan", "almaty"),
        ("Brazil", "almaty"),
        ("Peru", "lima"),
    ] {
        for (service, entity) in [("shop", "Order"), ("taxi", "Ride")] {
            for asked in REGIONS {
                let id = new(country, &format!("{service}.{entity}"))?;
                let (one, missing) = (
                    answered(200, region, "one"),
                    format!("nothing has the id {id}"),
                );
                assert_eq!(
                    clients.get(asked, id).await?,
                    answered(404, region, &missing)
                );
                assert_eq!(clients.put(asked, id, "one").await?, one);
                for asked in REGIONS {
                    assert_eq!(clients.put(asked, id, "one").await?, one);
                    assert_eq!(clients.put(asked, id, "two").await?.0, 409);
                    assert_eq!(clients.get(asked, id).await?, one);
                    let any = clients
                        .ask(asked, Method::GET, &format!("/any/{id}"), "")
                        .await?;
                    let expected = json!({"id": id, "country": country, "service": service,
                        "entity": entity, "region": region, "title": "one"});
                    assert_eq!(any, answered(200, region, &expected.to_string()));
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
        assert_eq!(clients.get("lima", id).await?, answered(404, "", unknown));
        assert_eq!(
            clients.put("lima", id, "one").await?,
            answered(404, "", unknown)
        );
    }
    // Nothing is passed on twice, whoever says that it was passed on.
    let url = format!(
        "{}/entities/{}",
        clients.urls["lima"],
        new("Brazil", "taxi.Ride")?
    );
    let twice = clients
        .client
        .get(url)
        .header("mesh-passed-on-by", "lima")
        .send()
        .await?;
    assert_eq!(twice.status(), 421);
    assert_eq!(twice.headers()["mesh-region"], "almaty");
    Ok(())
}

async fn a_region_is_down(mut system: System) -> Result<()> {
    let (id, other) = (new("Brazil", "shop.Order")?, new("Peru", "shop.Order")?);
    let silent = silent("almaty", "shop.Order of Brazil");
    system.kill("almaty")?;
    assert_eq!(system.clients.get("lima", id).await?, silent);
    assert_eq!(system.clients.put("lima", id, "one").await?, silent);
    // Others go on.
    assert_eq!(system.clients.put("sao-paulo", other, "two").await?.0, 200);
    // It accepts connections, and does not answer.
    let hung = TcpListener::bind(&system.clients.urls["almaty"]["http://".len()..])?;
    assert_eq!(system.clients.get("lima", id).await?, silent);
    drop(hung);
    system.run("almaty")?;
    assert_eq!(system.clients.get("lima", id).await?.0, 404);
    Ok(())
}

/// What has to go on is written as by a command that has died: before a move is decided, and after it.
async fn an_interrupted_move(system: System) -> Result<()> {
    let mut rows = Vec::new();
    for (is_decided, from, to) in [
        (false, "almaty", "sao-paulo"),
        (true, "sao-paulo", "almaty"),
    ] {
        let id = new("Brazil", "shop.Order")?;
        let kept = |region| answered(200, region, "kept");
        assert_eq!(system.clients.put("lima", id, "kept").await?, kept(from));
        let Place { version, region } = system.stores[from].place(ORDERS_OF_BRAZIL).await?;
        let (version, region) = (version + 1, if is_decided { to.to_owned() } else { region });
        let place = Place { version, region };
        ensure!(
            system.stores[from]
                .advance(ORDERS_OF_BRAZIL, &place)
                .await?
        );
        let answer = system.clients.get("lima", id).await?;
        assert_eq!(answer.0, if is_decided { 503 } else { 200 }, "{answer:?}");
        system.move_to("Brazil", to)?;
        // None of them was told.
        for asked in REGIONS {
            assert_eq!(system.clients.get(asked, id).await?, kept(to));
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
    unavailable: usize,
    broken_connections: usize,
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
    /// Repeats a request, each time at another instance, until it is answered.
    async fn ask(
        &self,
        mut turn: usize,
        method: &Method,
        id: MeshId,
        title: &str,
    ) -> Result<Answer> {
        loop {
            let (asked, path) = (REGIONS[turn % REGIONS.len()], format!("/entities/{id}"));
            let (was_down, begun) = (self.is_down.load(SeqCst), Instant::now());
            let answer = self.clients.ask(asked, method.clone(), &path, title).await;
            let is_down = was_down || self.is_down.load(SeqCst);
            {
                let mut seen = self.seen.lock().unwrap();
                seen.requests += 1;
                match answer {
                    Ok(answer) if answer.0 != 503 => {
                        seen.longest = seen.longest.max(begun.elapsed());
                        seen.passed_on += usize::from(answer.1 != asked);
                        return Ok(answer);
                    }
                    Ok((.., text)) => {
                        ensure!(
                            is_down && text.contains(KILLED),
                            "{text} of {asked} for {id}"
                        );
                        seen.unavailable += 1;
                    }
                    Err(error) => {
                        ensure!(is_down && asked == KILLED, "{error:#} of {asked} for {id}");
                        seen.broken_connections += 1;
                    }
                }
            }
            sleep(Duration::from_millis(20)).await;
            turn += 1;
        }
    }

    /// Creates and reads rows until the test is over, and returns them. A wrong answer is an error.
    async fn client(self: Arc<Self>, mut turn: usize) -> Result<Vec<(MeshId, String)>> {
        let mut rows = Vec::new();
        while !self.is_over.load(SeqCst) {
            let country = ["Brazil", "Kazakhstan", "Brazil", "Peru"][turn % 4];
            let id = new(country, ["shop.Order", "taxi.Ride"][turn / 4 % 2])?;
            let title = format!("row {turn}");
            for (method, status) in [(Method::GET, 404), (Method::PUT, 200)] {
                let answer = self.ask(turn, &method, id, &title).await?;
                ensure!(answer.0 == status, "{answer:?} to {method} of {id}");
            }
            rows.push((id, title));
            // This one, and an older one, at another instance.
            for (id, title) in [&rows[rows.len() - 1], &rows[turn * 7919 % rows.len()]] {
                let answer = self.ask(turn + 1, &Method::GET, *id, "").await?;
                ensure!(answer.0 == 200 && answer.2 == *title, "{answer:?} for {id}");
            }
            turn += 1;
        }
        Ok(rows)
    }
}

async fn moves_under_load(mut system: System) -> Result<()> {
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
            (command.kill()?, command.wait()?);
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
    let mut wrong = 0;
    for client in clients {
        match client.await? {
            Ok(created) => rows.extend(created),
            Err(error) => {
                wrong += 1;
                eprintln!("wrong: {error:#}");
            }
        }
    }
    println!(
        "{moves} moves and kills of a region, {killed} commands killed, {} rows, {wrong} wrong answers, {:?}",
        rows.len(),
        load.seen.lock().unwrap()
    );
    ensure!(wrong == 0, "{wrong} clients got wrong answers");
    system.contains(rows).await
}
