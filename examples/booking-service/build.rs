//! Recompiles the crate when a migration is added: `sqlx::migrate!` tracks only those it knows.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
