//! Running one external command of a task.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// The workspace root.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs the task. The path known at compile
    // time is only right until the checkout moves.
    let manifest_dir = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let parent = manifest_dir.parent().map(Path::to_path_buf);
    parent.unwrap_or(manifest_dir)
}

/// A `cargo` command that runs in the workspace root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    // Cargo names its own executable to what it starts; taking that one keeps
    // the toolchain of the outer command.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = external(cargo);
    command.args(args);
    command
}

/// A command of another program that runs in the workspace root.
pub(crate) fn external(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    // Cargo says these of the package of this program. Build scripts that look at them would run
    // again, and all that depends on them would be built again, each time that a command is not
    // started from here.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// Shows the command, runs it with inherited output and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    println!("$ {shown}");
    let status = command
        .status()
        .with_context(|| format!("could not start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed with {status}");
    }
    Ok(())
}

/// Runs the command and returns what it wrote to its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command
        .output()
        .with_context(|| format!("could not start `{shown}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed with {}: {}", output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` did not write UTF-8"))
}

/// How variables are called whose values are not shown.
const SECRET: [&str; 2] = ["_PASSWORD", "_URL"];

/// The command as one would type it, with the variables it sets.
pub(crate) fn shown(command: &Command) -> String {
    let set = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut words: Vec<String> = set
        .map(|(name, value)| match name.to_string_lossy() {
            name if SECRET.iter().any(|end| name.ends_with(end)) => format!("{name}=…"),
            name => format!("{name}={}", quoted(&value.to_string_lossy())),
        })
        .collect();
    // Only the name: the path to cargo's executable is long and says nothing.
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    words.push(name.to_string_lossy().into_owned());
    words.extend(command.get_args().map(|arg| quoted(&arg.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    match word.is_empty() || word.contains(char::is_whitespace) {
        true => format!("'{word}'"),
        false => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command
            .args(["doc", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("TEST_URL", "server=h;password=hunter2");
        assert_eq!(
            shown(&command),
            "RUSTDOCFLAGS='-D warnings' TEST_URL=… cargo doc --no-deps"
        );
    }
}
