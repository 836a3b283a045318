//! The order of the ids that a process makes: UUIDv7 and iUID.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

use rowkey_core::error::ErrorKind;
use rowkey_core::generate::{Clock, Counted, Custom, Generate, Generator, OrderedGenerator, scope};
use rowkey_core::routing::IuidContext;
use rowkey_core::{Iuid, UnixMillis, UuidV7};

const THREADS: usize = 8;
const EACH: usize = 5_000;

const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

const CONTEXT: IuidContext = IuidContext {
    country: 49,
    service_entity: 3,
};

/// A clock that is set by hand.
struct SetClock(AtomicI64);

impl SetClock {
    const fn new() -> Self {
        Self(AtomicI64::new(NOW.get()))
    }

    fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for &SetClock {
    fn now(&self) -> UnixMillis {
        UnixMillis::new(self.0.load(Ordering::Relaxed))
    }
}

#[track_caller]
fn assert_increasing<F: Ord + std::fmt::Debug>(ids: &[F]) {
    for pair in ids.windows(2) {
        assert!(pair[0] < pair[1], "{:?} follows {:?}", pair[1], pair[0]);
    }
}

/// Runs `make` on all threads at once.
fn on_threads<T: Send>(make: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(&make)).collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    })
}

fn threads_keep_the_order<F: Generate>(make: impl Fn() -> F + Sync) {
    // In the order of each thread, and distinct across threads.
    let of_threads = on_threads(|| Vec::from_iter((0..EACH).map(|_| make())));
    of_threads.iter().for_each(|ids| assert_increasing(ids));
    let distinct: BTreeSet<F> = of_threads.into_iter().flatten().collect();
    assert_eq!(distinct.len(), THREADS * EACH);

    // What a thread makes after it has seen another one's id is larger.
    let largest = Mutex::new(make());
    on_threads(|| {
        for _ in 0..EACH {
            let seen = *largest.lock().unwrap();
            let id = make();
            assert!(seen < id, "{id} was made after {seen}");
            let mut largest = largest.lock().unwrap();
            *largest = id.max(*largest);
        }
    });
}

#[test]
fn ids_of_all_threads_increase() {
    threads_keep_the_order(UuidV7::generate);
    threads_keep_the_order(|| Iuid::generate_for(&CONTEXT));
}

#[test]
fn ids_of_all_threads_increase_while_a_clock_jumps() {
    let clock = SetClock::new();
    let ids = OrderedGenerator::<UuidV7>::new().with_clock(&clock);
    thread::scope(|scope| {
        let jumping = scope.spawn(|| {
            for step in 0..EACH as i64 {
                // Back and forth by at most nine seconds, and forth in the long run.
                clock.advance(if step % 2 == 0 { 9_000 } else { -8_999 });
            }
        });
        threads_keep_the_order(|| ids.try_generate_for(&()).unwrap());
        jumping.join().unwrap();
    });
}

#[test]
fn ids_of_each_context_increase_whatever_others_do() {
    let contexts: Vec<_> = (0..=u8::MAX)
        .map(|number| IuidContext {
            country: number,
            service_entity: !number,
        })
        .collect();
    let of_threads = on_threads(|| {
        let rounds = (0..100).map(|_| Vec::from_iter(contexts.iter().map(Iuid::generate_for)));
        rounds.collect::<Vec<_>>()
    });
    for rounds in of_threads {
        for (index, context) in contexts.iter().enumerate() {
            let ids: Vec<_> = rounds.iter().map(|round| round[index]).collect();
            assert_increasing(&ids);
            let right = |id: &Iuid| {
                (id.country(), id.service_entity()) == (context.country, context.service_entity)
            };
            assert!(ids.iter().all(right));
        }
    }
}

#[test]
fn ids_of_a_batch_increase_and_follow_those_before() {
    let first = UuidV7::generate();
    // More than a counter has.
    let mut ids = UuidV7::generate_batch(100_000);
    assert_eq!(ids.len(), 100_000);
    ids.insert(0, first);
    ids.push(UuidV7::generate());
    assert_increasing(&ids);
    assert!(UuidV7::generate_batch(0).is_empty());
}

#[test]
fn the_time_is_the_clocks() {
    let before = UnixMillis::now();
    let ids = [
        UuidV7::generate().time(),
        Iuid::generate_for(&CONTEXT).time(),
    ];
    let after = UnixMillis::now();
    // Other tests of this process make more ids than a millisecond has.
    for time in ids {
        assert!(before <= time && time.get() <= after.get() + 10_000);
    }

    let clock = SetClock::new();
    let ids = OrderedGenerator::<UuidV7>::new().with_clock(&clock);
    for _ in 0..1_000 {
        assert_eq!(ids.try_generate_for(&()).unwrap().time(), (&clock).now());
        clock.advance(1);
    }
}

#[test]
fn a_clock_that_is_set_back_does_not_set_ids_back() {
    fn check<F>(context: &<F as Generate>::Context, time: fn(F) -> UnixMillis)
    where
        F: Generate + Counted<Context = <F as Generate>::Context>,
    {
        let clock = SetClock::new();
        let generator = OrderedGenerator::<F>::new().with_clock(&clock);
        let make = || generator.try_generate_for(context).unwrap();
        let mut ids = vec![make()];
        clock.advance(-10_000);
        ids.extend((0..1_000).map(|_| make()));
        assert!(ids.iter().all(|id| time(*id) == NOW));
        clock.advance(10_001);
        ids.push(make());
        assert_eq!(time(ids[1_001]).get(), NOW.get() + 1);
        assert_increasing(&ids);

        // Further back, ids would be too far ahead.
        clock.advance(-10_002);
        let id = make();
        assert!(id < ids[0]);
        assert_eq!(time(id), (&clock).now());
        assert_increasing(&[id, make()]);
    }
    check::<UuidV7>(&(), UuidV7::time);
    check::<Iuid>(&CONTEXT, Iuid::time);
}

#[test]
fn ids_increase_while_a_clock_stands_still() {
    let ids = OrderedGenerator::<UuidV7>::new().with_clock(NOW);
    let made: Vec<_> = (0..200_000)
        .map(|_| ids.try_generate_for(&()).unwrap())
        .collect();
    assert_increasing(&made);
    // A counter has 65,536 values, of which the first millisecond uses at least half.
    let last = made[199_999].time().get() - NOW.get();
    assert!((2..=3).contains(&last), "{last}");
}

#[test]
fn a_bad_clock_is_an_error_and_a_good_one_works_again() {
    let clock = SetClock::new();
    let ids = OrderedGenerator::<Iuid>::new().with_clock(&clock);
    let first = ids.try_generate_for(&CONTEXT).unwrap();
    clock.advance(-NOW.get() - 1);
    assert_eq!(
        ids.try_generate_for(&CONTEXT).unwrap_err().kind(),
        ErrorKind::OutOfRange
    );
    clock.advance(NOW.get() + 1);
    assert!(first < ids.try_generate_for(&CONTEXT).unwrap());
}

#[test]
fn each_id_has_random_bits_of_its_own() {
    const LOW_58: u128 = (1 << 58) - 1;
    const LOW_38: u64 = (1 << 38) - 1;
    let uuids = OrderedGenerator::<UuidV7>::new().with_clock(NOW);
    let iuids = OrderedGenerator::<Iuid>::new().with_clock(NOW);
    let mut random = BTreeSet::new();
    // Both values of each bit.
    let (mut ones, mut zeros) = ((0, 0), (0, 0));
    for _ in 0..1_000 {
        let uuid = uuids.try_generate_for(&()).unwrap().to_u128() & LOW_58;
        let iuid = iuids.try_generate_for(&CONTEXT).unwrap().random() & LOW_38;
        assert!(random.insert(uuid));
        ones = (ones.0 | uuid, ones.1 | iuid);
        zeros = (zeros.0 | !uuid & LOW_58, zeros.1 | !iuid & LOW_38);
    }
    assert_eq!((ones, zeros), ((LOW_58, LOW_38), (LOW_58, LOW_38)));

    // In a batch, too.
    let batch = UuidV7::generate_batch(1_000);
    let batch: BTreeSet<_> = batch.iter().map(|id| id.to_u128() & LOW_58).collect();
    assert_eq!(batch.len(), 1_000);

    // So have the first counters of a millisecond, all but the first bit.
    let counter = |id: UuidV7| (id.to_u128() >> 64 & 0xfff) << 4 | id.to_u128() >> 58 & 0xf;
    let first = || OrderedGenerator::<UuidV7>::new().with_clock(NOW);
    let counters = (0..1_000).map(|_| counter(first().try_generate_for(&()).unwrap()));
    assert_eq!(counters.fold(0, |bits, counter| bits | counter), 0x7fff);
    // The bits behind the counter do not repeat it.
    let mut ids = (0..1_000).map(|_| first().try_generate_for(&()).unwrap());
    assert!(ids.any(|id| counter(id) != id.to_u128() & 0x7fff));
}

#[test]
fn scopes_replace_the_order() {
    let fixed = UuidV7::constant(0x7000_8000_0000_0000_0000);
    {
        let _ids = scope::enter(Custom::value(fixed));
        assert_eq!([UuidV7::generate(), UuidV7::generate()], [fixed; 2]);
        assert_eq!(UuidV7::generate_batch(2), [fixed; 2]);
    }
    {
        // A time that a test chooses, with ids in order.
        let _ids = scope::enter(OrderedGenerator::<UuidV7>::new().with_clock(NOW));
        let ids = UuidV7::generate_batch(3);
        assert_increasing(&ids);
        assert!(ids.iter().all(|id| id.time() == NOW));
    }
    assert!(UuidV7::generate().time() > NOW);
    // Generators of a user's own are as good as others.
    let shared: &dyn Generator<UuidV7> = &OrderedGenerator::new();
    assert!(shared.try_generate_for(&()).is_ok());
}
