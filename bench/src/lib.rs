//! Benchmarks of rowkey next to its peers.
//!
//! `benches/instructions.rs` counts the instructions that every [`Operation`] retires, with
//! Callgrind: time would depend on what else the machine does. It is compiled in both
//! [profiles](measurement::Profile), and once more for what differs without the feature
//! `coarse-clock`. The binary `ratios` then reads the counts and writes one table of rowkey, its
//! peers and the [aims](comparison).
//!
//! `cargo xtask bench` does all of it. The binary `databases` asks the databases themselves:
//! `cargo xtask bench --databases`. The binary `compile` measures what declared keys cost the
//! compiler: `cargo xtask bench --compile`.

pub mod comparison;
pub mod interval;
pub mod machine;
pub mod measurement;
pub mod operation;
pub mod valgrind;

#[cfg(feature = "drivers")]
pub mod drivers;
mod generation;
mod inputs;
mod keys;
mod public_ids;
mod routing;
mod storage;
mod text;

pub use operation::{Build, Operation};

/// Every operation that this build can measure here: not those on values of a database that is
/// missing.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    operations_of(Build::THIS)
}

/// Every operation that a build can measure here, in the order that numbers them.
pub fn operations_of(build: Build) -> impl Iterator<Item = &'static Operation> {
    all_operations().filter(move |one| one.build == build && one.is_possible())
}

/// Every operation there is.
pub fn all_operations() -> impl Iterator<Item = &'static Operation> {
    [
        operation::BASELINES,
        generation::OPERATIONS,
        text::OPERATIONS,
        keys::OPERATIONS,
        storage::OPERATIONS,
        public_ids::OPERATIONS,
        routing::OPERATIONS,
        #[cfg(feature = "drivers")]
        drivers::OPERATIONS,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_fit_a_directory() {
        let mut names = HashSet::new();
        for operation in all_operations() {
            assert!(names.insert(operation.name), "{} twice", operation.name);
            let plain = |character| matches!(character, 'a'..='z' | '0'..='9' | '-');
            assert!(operation.name.chars().all(plain), "{}", operation.name);
        }
    }

    #[test]
    fn every_comparison_and_every_operation_is_known_to_the_other() {
        let known: HashSet<_> = all_operations().map(|operation| operation.name).collect();
        let mut compared: HashSet<_> = all_operations().map(|one| one.baseline).collect();
        let comparisons = comparison::comparisons();
        for comparison in comparisons.iter().filter(|one| one.is_built()) {
            for name in [comparison.rowkey].into_iter().chain(comparison.peer) {
                assert!(known.contains(name), "{name} is not measured");
                compared.insert(name);
            }
        }
        let forgotten: Vec<_> = known.difference(&compared).collect();
        assert!(forgotten.is_empty(), "in no comparison: {forgotten:?}");
    }

    #[test]
    fn every_operation_runs() {
        for operation in operations() {
            operation.run(2);
        }
    }
}
