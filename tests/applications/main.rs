//! Applications of frameworks read and write their data after `rowkey copy` into the tables that
//! their own migrations have made in a database of another product.
//!
//! `cargo xtask applications` runs this; `moves` names the applications.

mod framework;
mod moves;
mod repositories;
mod run;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use rowkey_testkit::test_name;

use crate::moves::APPLICATIONS;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let [framework::OWN, driver, step] = words[..] {
        repositories::run(driver, step).await?;
        return Ok(ExitCode::SUCCESS);
    }
    for name in &words {
        let names = APPLICATIONS.map(|application| application.name);
        ensure!(
            names.contains(name),
            "{name} is none of {}",
            names.join(", ")
        );
    }
    let mut lines = Vec::new();
    let mut has_failed = false;
    for application in &APPLICATIONS {
        if !words.is_empty() && !words.contains(&application.name) {
            continue;
        }
        let program = framework::install(application)?;
        for step in application.moves {
            let (source, target) = (test_name(step.source), test_name(step.target));
            println!("==> {}: {source} to {target}", application.name);
            let mut report = run::Report::default();
            let outcome = run::run(&program, step, &mut report).await;
            if let Err(error) = &outcome {
                has_failed = true;
                println!("error: {error:#}");
            }
            lines.push(format!(
                "{:12}{source:10}{target:10}{report}{}",
                application.name,
                if outcome.is_ok() { "" } else { "failed" },
            ));
        }
    }
    println!(
        "\n{:12}{:10}{:10}{}",
        "application",
        "source",
        "target",
        run::Report::HEADER
    );
    lines
        .iter()
        .for_each(|line| println!("{}", line.trim_end()));
    Ok(if has_failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
