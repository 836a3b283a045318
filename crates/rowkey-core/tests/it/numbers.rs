//! Numbers of LUUID keys: where they come from.

use std::collections::BTreeSet;
use std::future::Future;
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use rowkey_core::Luuid;
use rowkey_core::error::ErrorKind;
use rowkey_core::luuid::{LuuidGroup, NumberCounter, NumberSource, ReservedNumbers};

use crate::assert_refused;

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
    let numbers = NumberCounter::new();
    let next = |group| ready(numbers.next_number(group));
    assert_eq!((next(CUSTOMER), next(CUSTOMER)), (Ok(1), Ok(2)));
    assert_eq!(next(ORDER), Ok(1));

    numbers.start_after(CUSTOMER, LAST - 1);
    numbers.start_after(CUSTOMER, 7);
    assert_eq!(next(CUSTOMER), Ok(LAST));
    for _ in 0..2 {
        assert_refused(&next(CUSTOMER), &used_up(CUSTOMER));
    }
    assert_eq!(next(ORDER), Ok(2));
    numbers.start_after(ORDER, u64::MAX);
    assert!(next(ORDER).is_err());
}

fn used_up(group: LuuidGroup) -> String {
    format!("group {group} has no number left: the last is ffffffffffff")
}

#[test]
fn a_block_ends_with_the_largest_number_and_begins_with_one() {
    let block = |first, of| {
        let reserved = ReservedNumbers::new();
        let first = reserved.add_block(CUSTOMER, first, size(of))?;
        let others = std::iter::from_fn(|| reserved.next(CUSTOMER));
        Ok([first].into_iter().chain(others).collect::<Vec<_>>())
    };
    assert_eq!(block(1, 3), Ok(vec![1, 2, 3]));
    assert_eq!(block(7, 1), Ok(vec![7]));
    assert_eq!(block(LAST - 1, 5), Ok(vec![LAST - 1, LAST]));
    assert_eq!(block(LAST, u32::MAX), Ok(vec![LAST]));

    assert_refused(
        &block(0, 1),
        "first number of a Luuid is 1..=281474976710655, not 0",
    );
    for beyond in [LAST + 1, u64::MAX] {
        assert_refused(&block(beyond, 1), &used_up(CUSTOMER));
    }
}

#[test]
fn a_block_that_is_refused_leaves_the_others_as_they_are() {
    let reserved = ReservedNumbers::new();
    assert_eq!(reserved.add_block(CUSTOMER, 1, size(2)), Ok(1));
    assert!(reserved.add_block(CUSTOMER, 0, size(2)).is_err());
    assert!(reserved.add_block(CUSTOMER, LAST + 1, size(2)).is_err());
    assert_eq!(
        (reserved.next(CUSTOMER), reserved.next(CUSTOMER)),
        (Some(2), None)
    );
}

#[test]
fn blocks_are_used_up_in_the_order_in_which_they_came() {
    let reserved = ReservedNumbers::new();
    let add = |group, first| reserved.add_block(group, first, size(2));
    assert_eq!(add(CUSTOMER, 11), Ok(11));
    assert_eq!(add(CUSTOMER, 5), Ok(5));
    assert_eq!(add(ORDER, 1), Ok(1));
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
    let (reserved, table) = (ReservedNumbers::new(), AtomicU64::new(1));
    let next = || {
        reserved.next(CUSTOMER).or_else(|| {
            let first = table.fetch_add(3, Ordering::Relaxed);
            let number = reserved.add_block(CUSTOMER, first, size(3));
            Some(number.expect("the table is far from its end"))
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
    let second = first.with_number(8).unwrap();
    let parts = |id: Luuid| (id.group(), id.number(), id.random());
    assert_eq!(parts(second), (CUSTOMER, 8, 9));
    assert_eq!(
        first.with_number(LAST + 1).unwrap_err().kind(),
        ErrorKind::OutOfRange
    );
}
