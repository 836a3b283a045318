//! Spark on this machine, with workers that are processes of their own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, TestDatabase};

const SUBMIT: &str = "ROWKEY_TEST_SPARK_SUBMIT";
const JARS: &str = "ROWKEY_TEST_SPARK_JARS";

/// How many workers there are, each with one core.
pub(crate) const WORKERS: usize = 3;

/// Where Spark and the JDBC drivers are.
pub(crate) struct Cluster {
    submit: PathBuf,
    jars: PathBuf,
}

impl Cluster {
    pub(crate) fn from_env() -> Result<Self> {
        let submit = path(SUBMIT, "the program spark-submit of Spark 3.5")?;
        let jars = path(
            JARS,
            "the folder with postgresql.jar and mariadb-java-client.jar",
        )?;
        let cluster = Self { submit, jars };
        // It also looks for Java.
        let mut version = cluster.command();
        let version = version.arg("--version").output();
        let submit = cluster.submit.display();
        let version =
            version.with_context(|| format!("{SUBMIT} is {submit}, which does not run"))?;
        let said = String::from_utf8_lossy(&version.stderr);
        ensure!(version.status.success(), "{submit} --version: {said}");
        Ok(cluster)
    }

    /// The program, with its own folder in front of others: that of a virtual environment has the
    /// Python that it needs.
    fn command(&self) -> Command {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = std::env::split_paths(&others).collect();
        folders.splice(..0, self.submit.parent().map(Path::to_owned));
        let mut command = Command::new(&self.submit);
        command.stdin(Stdio::null());
        command.envs(std::env::join_paths(folders).map(|path| ("PATH", path)));
        command
    }

    /// Puts the drivers and Spark's configuration into a folder.
    pub(crate) fn prepare(&self, folder: &Path) -> Result<()> {
        for name in ["postgresql.jar", "mariadb-java-client.jar"] {
            fs::copy(self.jars.join(name), folder.join(name))
                .with_context(|| format!("{JARS} is {} without {name}", self.jars.display()))?;
        }
        let events = folder.join("events");
        fs::create_dir(&events)?;
        let configuration = format!(
            "spark.master local-cluster[{WORKERS},1,1024]\n\
             spark.executor.memory 1024m\n\
             spark.driver.host 127.0.0.1\n\
             spark.driver.bindAddress 127.0.0.1\n\
             spark.ui.enabled false\n\
             spark.cores.max {WORKERS}\n\
             spark.scheduler.minRegisteredResourcesRatio 1\n\
             spark.scheduler.maxRegisteredResourcesWaitingTime 300s\n\
             spark.eventLog.enabled true\n\
             spark.eventLog.dir file:{}\n",
            events.display()
        );
        Ok(fs::write(
            folder.join("spark-defaults.conf"),
            configuration,
        )?)
    }

    pub(crate) fn submit(
        &self,
        (from, to): (&TestDatabase, &TestDatabase),
        folder: &Path,
        arguments: &str,
    ) -> Result<Job> {
        let log = folder.join("spark.log");
        let file = File::create(&log)?;
        let mut command = self.command();
        for (database, variable) in [(from, "ROWKEY_SOURCE_JDBC"), (to, "ROWKEY_TARGET_JDBC")] {
            let (url, account) = jdbc(database)?;
            let (user, password) = account.split_once(':').unwrap_or((&account, ""));
            command
                .env(variable, url)
                .env(format!("{variable}_USER"), user)
                .env(format!("{variable}_PASSWORD"), password);
        }
        let child = command
            .args(arguments.split(' '))
            .env("SPARK_CONF_DIR", folder)
            .env("SPARK_LOCAL_IP", "127.0.0.1")
            // A zone in which some moments have the same time on the clock.
            .env("TZ", "Europe/Berlin")
            .current_dir(folder)
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()?;
        Ok(Job { child, log })
    }
}

fn path(variable: &str, what: &str) -> Result<PathBuf> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    let value = value.with_context(|| format!("{variable} is not set: it is {what}"))?;
    Ok(PathBuf::from(value))
}

/// The address of a database as Java's drivers have it, and the account.
fn jdbc(database: &TestDatabase) -> Result<(String, String)> {
    let address = database.url().split_once("://");
    let (_, rest) = address.context("an address has ://")?;
    let (account, place) = rest.split_once('@').unwrap_or(("", rest));
    let url = match database.backend() {
        Backend::Postgres => format!("jdbc:postgresql://{place}"),
        // Other drivers have other words for options.
        _ => format!("jdbc:mysql://{}", place.split('?').next().unwrap_or(place)),
    };
    Ok((url, account.to_owned()))
}

/// A job that runs; dropping it ends it.
pub(crate) struct Job {
    child: Child,
    log: PathBuf,
}

impl Job {
    pub(crate) fn is_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the job has ended early with {status}: {}", self.said()?),
        }
    }

    /// The processes of the workers.
    pub(crate) fn workers(&self) -> Result<Vec<Worker>> {
        let mut workers = Vec::new();
        for entry in fs::read_dir("/proc").context("processes are found on Linux only")? {
            let folder = entry?.path();
            // A process may end meanwhile.
            let Ok(command) = fs::read_to_string(folder.join("cmdline")) else {
                continue;
            };
            let mut words = command.split('\0');
            let is_worker = words.any(|word| word.ends_with(".CoarseGrainedExecutorBackend"));
            let id = words.skip_while(|word| *word != "--executor-id").nth(1);
            if let (true, Some(id), Some(process)) = (is_worker, id, folder.file_name())
                && parent(&folder)? == self.child.id()
            {
                workers.push(Worker {
                    id: id.to_owned(),
                    process: process.to_string_lossy().into_owned(),
                    folder: fs::read_link(folder.join("cwd"))?,
                });
            }
        }
        Ok(workers)
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        ensure!(status.success(), "{status}: {}", self.said()?);
        Ok(())
    }

    fn said(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(&self.log)?).into_owned())
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // It fails for one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The parent of a process, whose name in parentheses may contain anything.
fn parent(folder: &Path) -> Result<u32> {
    let status = fs::read_to_string(folder.join("stat"))?;
    let (_, fields) = status.rsplit_once(") ").context("a name of a process")?;
    let parent = fields.split(' ').nth(1).context("a parent of a process")?;
    Ok(parent.parse()?)
}

/// A worker's process.
pub(crate) struct Worker {
    /// Spark's name for it.
    pub(crate) id: String,
    process: String,
    folder: PathBuf,
}

impl Worker {
    pub(crate) fn kill(&self) -> Result<()> {
        let status = Command::new("kill")
            .args(["-KILL", &self.process])
            .status()?;
        ensure!(status.success(), "kill: {status}");
        Ok(())
    }

    /// Removes what Spark leaves behind of the whole job in its own folder, as far as workers that
    /// still end let it.
    pub(crate) fn clean_job(&self) {
        let _ = self.folder.parent().map(fs::remove_dir_all);
    }
}
