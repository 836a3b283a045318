//! Running one external command of a task.

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A `cargo` command that runs in the workspace root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    // Cargo names its own executable to what it starts; taking that one keeps
    // the toolchain of the outer command.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(args).current_dir(workspace::root());
    command
}

/// A command of another program that runs in the workspace root.
pub(crate) fn external(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(workspace::root());
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

/// Shows the command and becomes it where that is possible: a signal then finds nothing else.
/// Elsewhere, runs it and takes over its exit code.
pub(crate) fn replace(command: &mut Command) -> Result<ExitCode> {
    let shown = shown(command);
    println!("$ {shown}");
    let failed = || format!("could not start `{shown}`");
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;

        Err(command.exec()).with_context(failed)
    }
    #[cfg(not(unix))]
    {
        let status = command.status().with_context(failed)?;
        Ok(match status.code().map(u8::try_from) {
            Some(Ok(code)) => code.into(),
            _ => ExitCode::FAILURE,
        })
    }
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

/// The command as one would type it, with the variables it sets.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!(
                "{}={}",
                name.display(),
                quoted(&value.to_string_lossy())
            ));
        }
    }
    // Only the name: the path to cargo's executable is long and says nothing.
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    words.push(name.to_string_lossy().into_owned());
    words.extend(command.get_args().map(|arg| quoted(&arg.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) {
        format!("'{word}'")
    } else {
        word.to_owned()
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
            .env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            shown(&command),
            "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps"
        );
    }
}
