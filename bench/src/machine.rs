//! What a run happens on, for the pages of figures.

use std::fmt::Write;
use std::{fs, thread};

/// The machine, as far as the system tells.
#[derive(Debug)]
pub struct Machine {
    processor: Option<String>,
    cores: usize,
    memory_gib: Option<u64>,
    load: Option<f64>,
}

impl Machine {
    /// Looks at the machine before the run.
    pub fn look() -> Self {
        let line = |path: &str, name: &str| {
            let text = fs::read_to_string(path).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let kibibytes = line("/proc/meminfo", "MemTotal");
        Self {
            processor: line("/proc/cpuinfo", "model name"),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_gib: kibibytes
                .and_then(|size| size.trim_end_matches(" kB").parse().ok())
                .map(|size: u64| size >> 20),
            load: fs::read_to_string("/proc/loadavg")
                .ok()
                .and_then(|text| text.split_whitespace().next()?.parse().ok()),
        }
    }

    /// The machine in sentences, the first of which ends with `what_runs`.
    pub fn describe(&self, what_runs: &str) -> String {
        let mut text = format!("{} cores", self.cores);
        if let Some(processor) = &self.processor {
            let _ = write!(text, " of {processor}");
        }
        if let Some(memory) = self.memory_gib {
            let _ = write!(text, ", {memory} GiB of memory");
        }
        let _ = write!(text, "; {what_runs}.");
        if let Some(load) = self.load {
            let _ = write!(text, " Load average before the run: {load:.1}");
            text += match load {
                0.3.. => ", so the machine was shared with other work; seconds are rough.",
                _ => ".",
            };
        }
        text
    }
}
