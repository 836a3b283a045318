//! The command that runs while the servers do.

use std::{
    ffi::OsString,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use anyhow::{Context, Result};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
#[cfg(unix)]
use tokio::time::sleep;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

use crate::signal::Interruption;

/// How often to look whether anything of an interrupted command still runs.
#[cfg(unix)]
const GROUP_INTERVAL: Duration = Duration::from_millis(50);

/// A command and the processes that it starts: in a process group of their own, which all of them
/// can be ended by.
///
/// A signal may come to this process alone, and cargo does not pass it on to the tests it runs. One
/// that a terminal sends does not reach the group by itself.
#[derive(Debug)]
pub(crate) struct RunningCommand {
    child: Child,
    #[cfg(unix)]
    group: Pid,
}

impl RunningCommand {
    /// Starts a command in this environment, with further variables.
    pub(crate) fn start(command: &[OsString], variables: &[(&str, String)]) -> Result<Self> {
        let (program, args) = command.split_first().context("there is no command")?;
        let mut process = Command::new(program);
        process
            .args(args)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            // A terminal would stop processes of another group that read from it.
            .stdin(Stdio::null())
            .kill_on_drop(true);
        #[cfg(unix)]
        process.process_group(0);
        let shown = program.display();
        let child = process
            .spawn()
            .with_context(|| format!("could not start `{shown}`"))?;
        Ok(Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| Pid::from_raw(id.try_into().ok()?))
                .with_context(|| format!("`{shown}` has no process id"))?,
            child,
        })
    }

    /// Waits until the command ends by itself.
    pub(crate) async fn wait(&mut self) -> Result<ExitStatus> {
        let status = self.child.wait().await;
        status.context("could not wait for the command")
    }

    /// Passes the signal on to all processes, and kills those that it does not end in time.
    #[cfg(unix)]
    pub(crate) async fn end(
        mut self,
        interruption: Interruption,
        patience: Duration,
    ) -> Result<()> {
        self.send(interruption.signal())?;
        if timeout(patience, self.until_ended()).await.is_err() {
            self.send(Signal::KILL)?;
            self.wait().await?;
        }
        Ok(())
    }

    /// Waits for the command, which a console has told to end, and kills it if it does not in time.
    #[cfg(not(unix))]
    pub(crate) async fn end(mut self, _: Interruption, patience: Duration) -> Result<()> {
        if timeout(patience, self.child.wait()).await.is_err() {
            self.child
                .kill()
                .await
                .context("could not end the command")?;
        }
        Ok(())
    }

    #[cfg(unix)]
    fn send(&self, signal: Signal) -> Result<()> {
        match kill_process_group(self.group, signal) {
            // All of them have ended.
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error).context("could not end the command"),
        }
    }

    /// Waits for the command and for what it started.
    #[cfg(unix)]
    async fn until_ended(&mut self) -> Result<()> {
        self.wait().await?;
        while test_kill_process_group(self.group).is_ok() {
            sleep(GROUP_INTERVAL).await;
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, path::PathBuf, process, time::Instant};

    use tokio::runtime::Runtime;

    use super::*;

    /// Ends a shell and the process it started in the background, which a file says the id of.
    fn end_shell(name: &str, script: &str, patience: Duration) -> Pid {
        let file = format!("rowkey_containers_{name}_{}", process::id());
        let file: PathBuf = std::env::temp_dir().join(file);
        let words = ["sh".into(), "-c".into(), script.into()];
        let pid = Runtime::new().unwrap().block_on(async {
            let path = file.to_str().unwrap().to_owned();
            let running = RunningCommand::start(&words, &[("PID_FILE", path)]).unwrap();
            let pid = loop {
                let text = fs::read_to_string(&file).unwrap_or_default();
                if let Some(number) = text.strip_suffix('\n') {
                    break Pid::from_raw(number.parse().unwrap()).unwrap();
                }
                sleep(GROUP_INTERVAL).await;
            };
            let interruption = Interruption::by_signal(Signal::TERM);
            running.end(interruption, patience).await.unwrap();
            // Killed, but its new parent may not have waited for it yet.
            let start = Instant::now();
            while is_running(pid) && start.elapsed() < Duration::from_secs(10) {
                sleep(GROUP_INTERVAL).await;
            }
            pid
        });
        fs::remove_file(file).unwrap();
        pid
    }

    fn is_running(pid: Pid) -> bool {
        rustix::process::test_kill_process(pid).is_ok()
    }

    #[test]
    fn a_signal_ends_what_the_command_started_too() {
        let script = "sleep 600 & echo $! > $PID_FILE; wait";
        let start = Instant::now();
        let pid = end_shell("ends", script, Duration::from_secs(60));
        assert!(!is_running(pid));
        assert!(start.elapsed() < Duration::from_secs(50));
    }

    #[test]
    fn what_ignores_the_signal_is_killed() {
        let script = "trap '' TERM; sleep 600 & echo $! > $PID_FILE; trap - TERM; wait";
        let pid = end_shell("ignores", script, Duration::from_millis(300));
        assert!(!is_running(pid));
    }

    #[test]
    fn a_command_that_cannot_be_started_is_told() {
        Runtime::new().unwrap().block_on(async {
            let error = RunningCommand::start(&["/no/such/program".into()], &[]).unwrap_err();
            assert_eq!(error.to_string(), "could not start `/no/such/program`");
            let error = RunningCommand::start(&[], &[]).unwrap_err();
            assert_eq!(error.to_string(), "there is no command");
        });
    }
}
