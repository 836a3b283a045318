//! The programs of the applications, which make, fill, read and change their tables.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::moves::{Application, Packages};

/// The first argument of this program when it is an application itself.
pub(crate) const OWN: &str = "--application";

/// How the program of an application is called.
pub(crate) struct Program {
    command: PathBuf,
    arguments: Vec<String>,
    /// Where programs of Node find what is installed.
    modules: Option<PathBuf>,
}

impl Program {
    /// The program, for one step on a database.
    pub(crate) fn step(&self, step: &str, url: &str) -> Command {
        let mut command = Command::new(&self.command);
        command.args(&self.arguments).arg(step);
        command
            .env("APPLICATION_URL", url)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(modules) = &self.modules {
            command.env("NODE_PATH", modules);
        }
        command
    }
}

/// Installs the framework into a folder of its own, unless these versions are there.
pub(crate) fn install(application: &Application) -> Result<Program> {
    let name = application.name;
    let program = |language: &str, ending: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/applications");
        vec![format!("{folder}/{language}/{name}_app.{ending}")]
    };
    let folder = cache()?.join("applications").join(name);
    let (packages, installs, program) = match application.packages {
        Packages::Own => {
            return Ok(Program {
                command: env::current_exe()?,
                arguments: vec![OWN.to_owned(), name.to_owned()],
                modules: None,
            });
        }
        Packages::Python(packages) => {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv"]).arg(&folder);
            let mut pip = Command::new(folder.join("bin/pip"));
            pip.args(["install", "--quiet"]).args(packages);
            let program = Program {
                command: folder.join("bin/python"),
                arguments: program("python", "py"),
                modules: None,
            };
            (packages, vec![venv, pip], program)
        }
        Packages::Node(packages) => {
            let mut npm = Command::new("npm");
            npm.args(["install", "--silent", "--ignore-scripts", "--prefix"]);
            npm.arg(&folder).args(packages);
            let program = Program {
                command: "node".into(),
                arguments: program("node", "js"),
                modules: Some(folder.join("node_modules")),
            };
            (packages, vec![npm], program)
        }
    };
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).ok() != Some(packages.join("\n")) {
        println!("==> installing {}", packages.join(" "));
        fs::create_dir_all(&folder)?;
        for mut install in installs {
            let status = install.status();
            let status = status.with_context(|| format!("could not start {install:?}"))?;
            ensure!(status.success(), "{install:?} failed with {status}");
        }
        fs::write(installed, packages.join("\n"))?;
    }
    Ok(program)
}

/// Where `.ci/run` keeps its tools as well.
fn cache() -> Result<PathBuf> {
    if let Some(cache) = env::var_os("XDG_CACHE_HOME") {
        return Ok(PathBuf::from(cache).join("rowkey"));
    }
    let home = env::home_dir().context("there is no home directory for what is installed")?;
    Ok(home.join(".cache/rowkey"))
}
