//! Database servers in containers, which last as long as a run of the tests.

use std::{
    env, io,
    process::{self, Child, Command},
    sync::Mutex,
    thread,
};

use anyhow::{Context, Result};
use rowkey_testkit::{Backend, Error, REQUIRE_VARIABLE, containers, test_name, url_variable};

/// What tests are told about servers, and the containers of some, which go when this is dropped.
pub(crate) struct Servers {
    /// The backends that must not be missing.
    pub(crate) required: String,
    /// The addresses of the containers, by their variables.
    pub(crate) urls: Vec<(&'static str, &'static str)>,
}

impl Servers {
    /// Starts the servers with these names, or all whose licences are accepted; with `None`,
    /// nothing.
    pub(crate) fn start(names: Option<&[String]>) -> Result<Self> {
        let mut servers = Self {
            required: env::var(REQUIRE_VARIABLE).unwrap_or_default(),
            urls: Vec::new(),
        };
        let Some(names) = names else {
            return Ok(servers);
        };
        ctrlc::set_handler(interrupt).context("could not listen for signals")?;
        let mut backends = Backend::ALL.to_vec();
        backends.retain(|backend| match names {
            [] => url_variable(*backend).is_some(),
            names => names.iter().any(|name| name == test_name(*backend)),
        });
        thread::scope(|scope| {
            // All of them at once: that takes as long as the slowest.
            for backend in &backends {
                scope.spawn(|| containers::start(*backend));
            }
        });
        for backend in backends {
            let url = match containers::start(backend) {
                Err(refusal @ Error::Licence) if names.is_empty() => {
                    println!("{refusal}");
                    continue;
                }
                outcome => outcome?,
            };
            let variable = url_variable(backend).unwrap_or_default();
            println!("{variable} is a container's");
            servers.urls.push((variable, url));
            servers.required += &format!(",{}", test_name(backend));
        }
        Ok(servers)
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // After a signal at the start, `interrupt` removes them and ends the process.
        let _held = TESTS.lock();
        containers::remove();
    }
}

/// The process group of the tests, if they have started.
static TESTS: Mutex<Option<u32>> = Mutex::new(None);

/// Starts the tests, which a signal to this process ends with all that they start: cargo does not
/// pass it on. A console that is not Unix's tells all processes by itself.
pub(crate) fn spawn_tests(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;

        // A terminal would stop processes of another group that read from it.
        command.process_group(0).stdin(process::Stdio::null());
    }
    let mut tests = TESTS.lock().unwrap_or_else(|held| held.into_inner());
    let child = command.spawn()?;
    *tests = Some(child.id());
    Ok(child)
}

/// Ends the tests, after which the containers are removed as always; or else the start.
fn interrupt() {
    let tests = TESTS.lock().unwrap_or_else(|held| held.into_inner());
    let Some(group) = *tests else {
        containers::remove();
        process::exit(130);
    };
    #[cfg(unix)]
    {
        use nix::{sys::signal, unistd::Pid};

        // The tests may have ended meanwhile.
        let _ = signal::killpg(Pid::from_raw(group.cast_signed()), signal::SIGTERM);
    }
}
