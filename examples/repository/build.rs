//! Recompiles the crate when a migration is added, which `sqlx::migrate!` does not notice.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
