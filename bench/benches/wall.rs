//! Takes the time of every operation.

use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};

fn main() {
    // No plots, and short: the table takes the fastest of many samples, which settles quickly.
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(60)
        .nresamples(1_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(900))
        .configure_from_args();
    let mut group = criterion.benchmark_group(rowkey_bench::measurement::WALL_GROUP);
    // Samples of equal length, or the first ones would be too short to be exact.
    group.sampling_mode(SamplingMode::Flat);
    for operation in rowkey_bench::operations() {
        group.bench_function(operation.name, |bencher| {
            bencher.iter_custom(|rounds| {
                let start = Instant::now();
                operation.run(rounds);
                start.elapsed()
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
