//! Counts the instructions of every operation.

// The attribute makes a public module without documentation.
#![allow(missing_docs)]

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind};
use rowkey_bench::Operation;
use rowkey_bench::measurement::COUNTED_OPERATIONS;

/// An operation that has run before: what it sets up once is not part of the count.
fn warmed_up(operation: &'static Operation) -> &'static Operation {
    operation.run(2);
    operation
}

#[library_benchmark(setup = warmed_up)]
#[benches::number(iter = rowkey_bench::operations())]
fn operation(operation: &'static Operation) {
    operation.run(operation.rounds_for(COUNTED_OPERATIONS));
}

library_benchmark_group!(name = counts, benchmarks = operation);

main!(
    config = LibraryBenchmarkConfig::default()
        // With the addresses of databases.
        .env_clear(false)
        .tool(Callgrind::with_args(["--cache-sim=no"]).format([EventKind::Ir])),
    library_benchmark_groups = counts
);
