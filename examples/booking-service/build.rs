//! Has the crate compiled again when a migration is added: `sqlx::migrate!` sees only those it knows.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=../../migrations");
}
