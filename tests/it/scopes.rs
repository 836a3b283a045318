//! Which threads and tasks a scope of generated ids reaches. The book's page about ids in tests
//! shows this code.

use std::sync::Arc;
use std::thread;

use rowkey::generate::{Incremental, scope};
use rowkey::{DistributedId, entity_key};
use tokio::task;

#[entity_key]
struct InvoiceId(DistributedId);

fn next() -> InvoiceId {
    InvoiceId::generate()
}

/// Whether the generator of the process makes the ids: those of the tests are small.
fn is_default() -> bool {
    next() > InvoiceId::constant(1_000)
}

/// A counter that several threads and tasks can use.
fn counter() -> Arc<Incremental<DistributedId>> {
    Arc::new(Incremental::new())
}

#[test]
fn a_thread_starts_without_scopes_and_is_given_one() {
    let ids = counter();
    let _here = scope::enter(Arc::clone(&ids));
    assert_eq!(next(), InvoiceId::constant(1));

    thread::scope(|threads| {
        threads.spawn(|| assert!(is_default()));
        threads.spawn(|| {
            let _there = scope::enter(Arc::clone(&ids));
            assert_eq!(next(), InvoiceId::constant(2));
        });
    });
    assert_eq!(next(), InvoiceId::constant(3));
}

#[tokio::test]
async fn tasks_of_the_same_thread_use_its_scope() {
    let ids = scope::enter(counter());
    assert_eq!(next(), InvoiceId::constant(1));
    let spawned = tokio::spawn(async {
        task::yield_now().await;
        next()
    });
    assert_eq!(spawned.await.unwrap(), InvoiceId::constant(2));

    // Not on the threads for blocking work.
    assert!(task::spawn_blocking(is_default).await.unwrap());

    drop(ids);
    assert!(tokio::spawn(async { is_default() }).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_on_other_threads_do_not() {
    let _ids = scope::enter(counter());
    assert_eq!(next(), InvoiceId::constant(1));
    assert!(tokio::spawn(async { is_default() }).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scope_follows_its_future_and_is_passed_on() {
    let ids = counter();
    let test = scope::run(Arc::clone(&ids), async move {
        assert_eq!(next(), InvoiceId::constant(1));
        // All that is awaited in the same task.
        let both = tokio::join!(async { next() }, async {
            task::yield_now().await;
            next()
        });
        assert_eq!(both, (InvoiceId::constant(2), InvoiceId::constant(3)));

        // ANCHOR: run
        // Another task or thread only if it is given the generator.
        assert!(tokio::spawn(async { is_default() }).await.unwrap());
        let spawned = tokio::spawn(scope::run(Arc::clone(&ids), async { next() }));
        assert_eq!(spawned.await.unwrap(), InvoiceId::constant(4));
        let blocking = task::spawn_blocking(move || {
            let _ids = scope::enter(ids);
            next()
        });
        assert_eq!(blocking.await.unwrap(), InvoiceId::constant(5));
        // ANCHOR_END: run
        next()
    });
    // On whichever thread polls it.
    assert_eq!(tokio::spawn(test).await.unwrap(), InvoiceId::constant(6));
    assert!(is_default());
}

#[tokio::test]
async fn the_scope_of_a_future_does_not_reach_what_it_spawns_on_the_same_thread() {
    let inside = scope::run(counter(), async {
        let spawned = tokio::spawn(async { is_default() });
        assert_eq!(next(), InvoiceId::constant(1));
        spawned.await.unwrap()
    });
    assert!(inside.await);
}

#[tokio::test]
async fn local_tasks_are_tasks_of_the_same_thread() {
    let _ids = scope::enter(counter());
    let local = task::LocalSet::new();
    let spawned = local.run_until(async { task::spawn_local(async { next() }).await });
    assert_eq!(spawned.await.unwrap(), InvoiceId::constant(1));
}
