//! Generators of the crate `rand` as the source of ids.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rowkey_core::format::FormatKind;
use rowkey_core::generate::{EntropyRng, Generate, RngGenerator, scope};
use rowkey_core::luuid::{LuuidContext, LuuidGroup};
use rowkey_core::routing::IuidContext;
use rowkey_core::{
    AnyUuid, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, PrefixComb, ShortPrefixComb,
    ShortSuffixComb, SuffixComb, UnixMillis, UuidV4, UuidV7,
};

const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

/// How many ids of each format are made from one seed.
const COUNT: usize = 100;

fn drawn<F: Generate>(context: &F::Context, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut draw = || F::generate_with(context, &NOW, &mut EntropyRng(&mut rng)).unwrap();
    (0..COUNT).map(|_| draw()).collect()
}

fn scoped<F: Generate>(context: &F::Context, seed: u64) -> Vec<F> {
    let seeded = RngGenerator::new(StdRng::seed_from_u64(seed)).with_clock(NOW);
    let _scope = scope::enter::<F>(seeded);
    (0..COUNT).map(|_| F::generate_for(context)).collect()
}

fn check<F: Generate>(context: &F::Context) -> FormatKind {
    let ids = drawn::<F>(context, 1);
    assert_eq!(ids, drawn(context, 1), "{}", F::KIND);
    assert_eq!(ids, scoped(context, 1), "{}", F::KIND);
    assert_ne!(ids, drawn(context, 2), "{}", F::KIND);
    let distinct: BTreeSet<u128> = ids.iter().map(|id| id.to_u128()).collect();
    assert_eq!(distinct.len(), COUNT, "{}", F::KIND);
    F::KIND
}

#[test]
fn a_seed_and_a_time_make_the_same_ids_of_every_format() {
    let iuid = IuidContext {
        country: 7,
        service_entity: 8,
    };
    let luuid = LuuidContext {
        group: LuuidGroup::of("com.acme.Customer"),
        number: 9,
    };
    let mut checked = vec![
        check::<ShortPrefixComb>(&()),
        check::<ShortSuffixComb>(&()),
        check::<PrefixComb>(&()),
        check::<SuffixComb>(&()),
        check::<DistributedId>(&()),
        check::<DistributedId128>(&()),
        check::<Luuid>(&luuid),
        check::<Iuid>(&iuid),
        check::<HotGuid>(&10),
        check::<UuidV4>(&()),
        check::<UuidV7>(&()),
        check::<AnyUuid>(&()),
    ];
    checked.push(FormatKind::DatabaseNumber);
    assert_eq!(checked, FormatKind::ALL);
}

#[test]
fn a_clock_that_goes_on_keeps_the_order_and_an_arc_serves_several_formats() {
    let now = AtomicI64::new(NOW.get());
    let clock = move || UnixMillis::new(now.fetch_add(1, Ordering::Relaxed));
    let seeded = Arc::new(RngGenerator::new(StdRng::seed_from_u64(1)).with_clock(clock));
    let _combs = scope::enter::<PrefixComb>(Arc::clone(&seeded));
    let _uuids = scope::enter::<UuidV7>(seeded);
    let uuids = UuidV7::generate_batch(COUNT);
    assert!(uuids.is_sorted());
    assert_eq!(uuids[0].time(), NOW);
    let after = NOW.get() + i64::try_from(COUNT).unwrap();
    assert_eq!(PrefixComb::generate().time().get(), after);
}
