//! Recompiles the crate when a migration is added, which the macros that embed them do not notice.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
