//! Numbers of LUUID keys: allocators, blocks and what they hand out.

use std::collections::BTreeSet;
use std::future::Future;
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use rowkey_core::luuid::{
    InMemoryShortKeys, LuuidGroup, ReservedShortKeys, ShortKeyAllocator, ShortKeyBlock,
};
use rowkey_core::{Error, Luuid};

const LAST: u64 = (1 << 48) - 1;
const CUSTOMER: LuuidGroup = LuuidGroup::of("com.acme.Customer");
const ORDER: LuuidGroup = LuuidGroup::of("com.acme.Order");

fn size(size: u32) -> NonZeroU32 {
    NonZeroU32::new(size).expect("a size is not zero")
}

/// The outcome of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("nothing is there to be waited for"),
    }
}

#[test]
fn each_group_counts_from_one_to_the_largest_number() {
    let keys = InMemoryShortKeys::new();
    let next = |group| ready(keys.next_short_key(group));
    assert_eq!((next(CUSTOMER), next(CUSTOMER)), (Ok(1), Ok(2)));
    assert_eq!(next(ORDER), Ok(1));

    keys.start_after(CUSTOMER, LAST - 1);
    keys.start_after(CUSTOMER, 7);
    assert_eq!(next(CUSTOMER), Ok(LAST));
    for _ in 0..2 {
        let group = CUSTOMER.get();
        assert_eq!(next(CUSTOMER), Err(Error::ShortKeysUsedUp { group }));
    }
    assert_eq!(next(ORDER), Ok(2));
    keys.start_after(ORDER, u64::MAX);
    assert!(next(ORDER).is_err());
}

#[test]
fn a_block_ends_with_the_largest_number_and_begins_with_one() {
    let block = |first, of| ShortKeyBlock::starting_at(CUSTOMER, first, size(of));
    assert_eq!(block(1, 3).unwrap().collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(
        block(LAST - 1, 5).unwrap().collect::<Vec<_>>(),
        [LAST - 1, LAST]
    );
    let mut last = block(LAST, u32::MAX).unwrap();
    assert_eq!((last.len(), last.last_key()), (1, Some(LAST)));
    assert_eq!((last.next(), last.next()), (Some(LAST), None));
    assert_eq!((last.len(), last.last_key()), (0, None));

    assert!(matches!(block(0, 1), Err(Error::Field { value: 0, .. })));
    let group = CUSTOMER.get();
    for beyond in [LAST + 1, u64::MAX] {
        assert_eq!(block(beyond, 1), Err(Error::ShortKeysUsedUp { group }));
    }
}

#[test]
fn blocks_are_used_up_in_the_order_in_which_they_came() {
    let reserved = ReservedShortKeys::new();
    let block = |group, first| ShortKeyBlock::starting_at(group, first, size(2)).unwrap();
    assert_eq!(reserved.next_of(block(CUSTOMER, 11)), Some(11));
    assert_eq!(reserved.next_of(block(CUSTOMER, 5)), Some(5));
    assert_eq!(reserved.next_of(block(ORDER, 1)), Some(1));
    let left: Vec<_> = std::iter::from_fn(|| reserved.next(CUSTOMER)).collect();
    assert_eq!(left, [12, 6]);
    assert_eq!(
        (reserved.next(ORDER), reserved.next(ORDER)),
        (Some(2), None)
    );
}

/// Stands for a table with a counter, from which threads take blocks of three.
#[test]
fn threads_that_reserve_blocks_get_different_numbers() {
    let (reserved, table) = (ReservedShortKeys::new(), AtomicU64::new(1));
    let next = || {
        reserved.next(CUSTOMER).or_else(|| {
            let first = table.fetch_add(3, Ordering::Relaxed);
            let block = ShortKeyBlock::starting_at(CUSTOMER, first, size(3));
            reserved.next_of(block.expect("the table is far from its end"))
        })
    };
    let found: Vec<u64> = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..4)
            .map(|_| threads.spawn(|| (0..500).filter_map(|_| next()).collect::<Vec<_>>()))
            .collect();
        let found = workers.into_iter().map(|worker| worker.join());
        found
            .flat_map(|found| found.expect("no thread panics"))
            .collect()
    });
    assert_eq!(found.len(), 2_000);
    assert_eq!(BTreeSet::from_iter(found).len(), 2_000);
}

#[test]
fn an_id_whose_number_is_taken_gets_another_one_and_keeps_the_rest() {
    let first = Luuid::from_parts(CUSTOMER, 7, 9).unwrap();
    let second = first.with_key(8).unwrap();
    let parts = |id: Luuid| (id.group(), id.key(), id.random());
    assert_eq!(parts(second), (CUSTOMER, 8, 9));
    assert!(matches!(first.with_key(LAST + 1), Err(Error::Field { .. })));
}
