//! Scopes: which generator a thread or a task uses.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use rowkey_core::error::ErrorKind;
use rowkey_core::format::FormatKind;
use rowkey_core::generate::{Custom, Generate, Generator, Incremental, scope};
use rowkey_core::{DistributedId, DistributedId128, Error, HotGuid, UnixMillis, UuidV4};

fn fixed(value: u128) -> Custom<DistributedId> {
    Custom::value(DistributedId::constant(value))
}

fn next() -> u128 {
    DistributedId::generate().to_u128()
}

/// Whether the default generator is in charge: no test's scope makes such ids.
fn is_default() -> bool {
    DistributedId::generate().looks_generated()
}

fn poll<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(value) = poll(&mut future) {
            return value;
        }
    }
}

/// Is pending once.
fn yield_once() -> impl Future<Output = ()> {
    let mut polled = false;
    std::future::poll_fn(move |_| {
        if std::mem::replace(&mut polled, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

#[test]
fn the_innermost_scope_wins_and_dropping_restores() {
    assert!(is_default());
    let outer = scope::enter(fixed(1));
    assert_eq!(next(), 1);
    {
        let _inner = scope::enter(fixed(2));
        assert_eq!((next(), next()), (2, 2));
        let _innermost = scope::enter(fixed(3));
        assert_eq!(next(), 3);
    }
    assert_eq!(next(), 1);
    drop(outer);
    assert!(is_default());
}

#[test]
fn formats_have_scopes_of_their_own() {
    let _ids = scope::enter(fixed(1));
    assert!(DistributedId128::generate().looks_generated());
    let _wide = scope::enter(Custom::value(DistributedId128::constant(2)));
    assert_eq!(next(), 1);
    assert_eq!(DistributedId128::generate().to_u128(), 2);
}

#[test]
fn dropping_out_of_order_is_harmless() {
    let guards = [1, 2, 3].map(|value| scope::enter(fixed(value)));
    let [first, second, third] = guards;
    drop(second);
    assert_eq!(next(), 3);
    drop(first);
    assert_eq!(next(), 3);
    drop(third);
    assert!(is_default());
}

#[test]
fn a_guard_ends_its_scope_while_unwinding() {
    let result = catch_unwind(|| {
        let _guard = scope::enter(fixed(1));
        assert_eq!(next(), 2, "on purpose");
    });
    assert!(result.is_err() && is_default());
}

#[test]
fn a_new_thread_starts_with_the_default() {
    let ids = Arc::new(Incremental::<DistributedId>::new());
    let _here = scope::enter(Arc::clone(&ids));
    assert_eq!(next(), 1);
    assert!(thread::spawn(is_default).join().unwrap());
    // Sharing the generator continues its sequence.
    let there = thread::spawn(|| {
        let _there = scope::enter(ids);
        next()
    });
    assert_eq!(there.join().unwrap(), 2);
    assert_eq!(next(), 3);
}

#[test]
fn a_custom_generator_decides_everything() {
    // Neither the time nor the range of generated ids applies to what it returns.
    for value in [0, 1, 10u128.pow(28) - 1] {
        let _guard = scope::enter(fixed(value));
        assert_eq!(next(), value);
        assert_eq!(
            DistributedId::generate_batch(2),
            [DistributedId::constant(value); 2]
        );
    }
    // Formats without state have batches of their own, which are not for scopes.
    let id = UuidV4::constant(0x4000_8000_0000_0000_0000);
    let _guard = scope::enter(Custom::value(id));
    assert_eq!(UuidV4::generate_batch(2), [id; 2]);

    let made = AtomicUsize::new(0);
    let _guard = scope::enter(Custom::new(move |shard_key: &u32| {
        HotGuid::from_parts(
            0,
            [0; 5],
            made.fetch_add(1, Ordering::Relaxed) as u32,
            *shard_key,
        )
    }));
    let ids = [HotGuid::generate_for(&7), HotGuid::generate_for(&8)];
    assert_eq!(ids.map(HotGuid::counter), [0, 1]);
    assert_eq!(ids.map(HotGuid::shard_key), [7, 8]);
}

#[test]
fn errors_of_a_scope_are_returned_and_panicked() {
    let exhausted = Incremental::starting_at(DistributedId::constant(10u128.pow(28) - 1));
    let _guard = scope::enter(exhausted);
    assert!(DistributedId::try_generate().is_ok());
    assert_eq!(
        DistributedId::try_generate().unwrap_err().kind(),
        ErrorKind::Exhausted
    );
    let panic = catch_unwind(next).unwrap_err();
    assert!(
        panic
            .downcast_ref::<String>()
            .unwrap()
            .contains("no value left")
    );
}

/// A generator that succeeds at the third attempt.
fn reluctant() -> Custom<DistributedId> {
    let attempts = AtomicUsize::new(0);
    Custom::new(move |()| match attempts.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err(Error::throttled(
            FormatKind::DistributedId,
            Duration::from_millis(1),
        )),
        attempt => Ok(DistributedId::constant(attempt as u128)),
    })
}

#[test]
fn only_try_generate_returns_throttled() {
    let guard = scope::enter(reluctant());
    assert!(DistributedId::try_generate().unwrap_err().is_throttled());
    drop(guard);
    let _guard = scope::enter(reluctant());
    assert_eq!(next(), 2);
}

#[test]
fn a_throttled_attempt_says_how_long_to_wait() {
    let _guard = scope::enter(reluctant());
    let waits = [(); 3].map(|()| {
        DistributedId::try_generate()
            .err()
            .and_then(|error| error.wait())
    });
    let wait = Some(Duration::from_millis(1));
    assert_eq!(waits, [wait, wait, None]);
}

#[test]
fn the_async_variant_awaits() {
    let slept = RefCell::new(Vec::new());
    let sleep = async |duration| {
        slept.borrow_mut().push(duration);
        yield_once().await;
    };
    let id = block_on(scope::run(
        reluctant(),
        DistributedId::generate_async(sleep),
    ));
    assert_eq!(id.to_u128(), 2);
    assert_eq!(slept.into_inner(), [Duration::from_millis(1); 2]);
}

#[test]
fn a_generator_may_use_scopes_itself() {
    let _outer = scope::enter(fixed(1));
    let _inner = scope::enter(Custom::new(|()| {
        let _nested = scope::enter(fixed(5));
        DistributedId::try_generate()
    }));
    assert_eq!(next(), 5);
}

/// Makes an id when it is dropped, and reports it.
struct OnDrop(Arc<std::sync::Mutex<Option<u128>>>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = Some(next());
    }
}

#[test]
fn a_generator_may_make_ids_while_it_is_dropped() {
    let told = Arc::default();
    let on_drop = OnDrop(Arc::clone(&told));
    let _outer = scope::enter(fixed(1));
    drop(scope::enter(Custom::new(move |()| {
        let _owned = &on_drop;
        Ok(DistributedId::constant(2))
    })));
    assert_eq!(*told.lock().unwrap(), Some(1));
}

#[test]
fn tasks_on_one_thread_do_not_see_each_other() {
    let task = |value| {
        Box::pin(scope::run(fixed(value), async {
            let before = next();
            yield_once().await;
            (before, next())
        }))
    };
    let (mut one, mut two) = (task(1), task(2));
    assert!(poll(&mut one).is_pending());
    assert!(is_default());
    assert!(poll(&mut two).is_pending());
    assert_eq!(poll(&mut one), Poll::Ready((1, 1)));
    assert_eq!(poll(&mut two), Poll::Ready((2, 2)));
    assert!(is_default());
}

#[test]
fn a_task_keeps_its_scope_on_another_thread() {
    let mut task = Box::pin(scope::run(Incremental::<DistributedId>::new(), async {
        let before = next();
        yield_once().await;
        (before, next())
    }));
    assert!(poll(&mut task).is_pending());
    let ended = thread::spawn(move || {
        let result = poll(&mut task);
        assert!(is_default());
        result
    });
    assert_eq!(ended.join().unwrap(), Poll::Ready((1, 2)));
}

#[test]
fn a_task_lies_on_top_of_the_scopes_of_its_thread() {
    let _thread = scope::enter(fixed(1));
    let _wide = scope::enter(Custom::value(DistributedId128::constant(9)));
    let inner = scope::run(fixed(3), async { next() });
    let outer = scope::run(fixed(2), async { (next(), inner.await, next()) });
    assert_eq!(block_on(outer), (2, 3, 2));
    assert_eq!(
        block_on(scope::run(fixed(2), async {
            DistributedId128::generate().to_u128()
        })),
        9
    );
    assert_eq!(next(), 1);
}

#[test]
fn guards_within_a_task_move_with_it() {
    let mut task = Box::pin(scope::run(fixed(1), async {
        let guard = scope::enter(fixed(2));
        yield_once().await;
        let inside = next();
        drop(guard);
        (inside, next())
    }));
    assert!(poll(&mut task).is_pending());
    assert!(is_default());
    assert_eq!(poll(&mut task), Poll::Ready((2, 1)));
    assert!(is_default());
}

#[test]
fn a_guard_of_the_thread_may_be_dropped_within_a_task() {
    let guard = scope::enter(fixed(1));
    let seen = block_on(scope::run(fixed(2), async {
        drop(guard);
        yield_once().await;
        next()
    }));
    assert_eq!(seen, 2);
    assert!(is_default());
}

#[test]
fn a_panic_in_a_task_takes_its_scope_off() {
    let mut task = Box::pin(scope::run(fixed(1), async {
        assert_eq!(next(), 2, "on purpose");
    }));
    assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut task))).is_err());
    assert!(is_default());
}

#[test]
fn a_cancelled_task_is_dropped_within_its_scope() {
    let told = Arc::default();
    let on_drop = OnDrop(Arc::clone(&told));
    let mut task = Box::pin(scope::run(fixed(4), async move {
        let _owned = on_drop;
        std::future::pending::<()>().await;
    }));
    assert!(poll(&mut task).is_pending());
    drop(task);
    assert_eq!(*told.lock().unwrap(), Some(4));
    assert!(is_default());
}

#[test]
fn scoped_futures_can_be_spawned() {
    fn spawnable(_: &(impl Send + 'static)) {}
    let sleep = |_| std::future::ready(());
    spawnable(&scope::run(fixed(1), DistributedId::generate_async(sleep)));
}

#[test]
fn ids_can_be_made_while_a_thread_ends() {
    std::thread_local! {
        static LATE: RefCell<Option<(OnDrop, scope::ScopeGuard)>> = const { RefCell::new(None) };
    }
    let told = Arc::default();
    let on_drop = OnDrop(Arc::clone(&told));
    // First this test's local, then the stack: the stack may be gone when the local is dropped.
    let ended = thread::spawn(move || {
        LATE.with(|late| *late.borrow_mut() = Some((on_drop, scope::enter(fixed(1)))));
    });
    ended.join().unwrap();
    assert!(told.lock().unwrap().is_some());
}

#[test]
fn a_shared_generator_and_a_trait_object_are_generators() {
    let shared: Arc<dyn Generator<DistributedId>> = Arc::new(fixed(6));
    let _guard = scope::enter(shared);
    assert_eq!(next(), 6);
    let clock = UnixMillis::new(1_577_836_800_000);
    let own = rowkey_core::generate::DistributedIdGenerator::new().with_clock(clock);
    let _guard = scope::enter(own);
    let embedded = DistributedId::generate().time();
    assert_eq!(embedded, Some(UnixMillis::new(1_577_836_799_000)));
}
