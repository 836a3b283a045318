//! Processes that fork without `exec`: the child makes other ids than its parent, and never waits
//! for a thread that only its parent has.

use std::collections::BTreeSet;
use std::io::{Read, Write, pipe};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};
use rowkey::generate::{
    DistributedIdGenerator, Entropy, Generate, OrderedGenerator, SystemEntropy,
};
use rowkey::luuid::{LuuidContext, LuuidGroup};
use rowkey::routing::IuidContext;
use rowkey::{
    AnyUuid, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, PrefixComb, ShortPrefixComb,
    ShortSuffixComb, SuffixComb, UnixMillis, UuidV4, UuidV7,
};

/// How long a child may take that does not hang.
const DEADLINE: Duration = Duration::from_secs(60);

/// Makes a number of ids of one format.
type Maker = fn(usize) -> Vec<u128>;

/// Ids of every kind that a process makes.
const MAKERS: [(&str, Maker); 12] = [
    ("ShortPrefixComb", |count| plain::<ShortPrefixComb>(count)),
    ("ShortSuffixComb", |count| plain::<ShortSuffixComb>(count)),
    ("PrefixComb", plain::<PrefixComb>),
    ("SuffixComb", plain::<SuffixComb>),
    ("UuidV4", plain::<UuidV4>),
    ("UuidV7", plain::<UuidV7>),
    ("AnyUuid", plain::<AnyUuid>),
    ("DistributedId", plain::<DistributedId>),
    ("DistributedId128", plain::<DistributedId128>),
    ("HotGuid", |count| of::<HotGuid>(&7, count)),
    ("Iuid", |count| {
        let (country, service_entity) = (1, 2);
        let context = IuidContext {
            country,
            service_entity,
        };
        of::<Iuid>(&context, count)
    }),
    ("Luuid", |count| {
        let group = LuuidGroup::of("com.acme.Customer");
        of::<Luuid>(&LuuidContext { group, number: 1 }, count)
    }),
];

fn plain<F: Generate<Context = ()>>(count: usize) -> Vec<u128> {
    of::<F>(&(), count)
}

fn of<F: Generate>(context: &F::Context, count: usize) -> Vec<u128> {
    let ids = (0..count).map(|_| F::generate_for(context));
    ids.map(|id| id.to_u128()).collect()
}

/// The result of `work` in a child of this process, and of `meanwhile` here.
fn in_child_and_here(
    work: impl FnOnce() -> Vec<u128>,
    meanwhile: impl FnOnce() -> Vec<u128>,
) -> (Vec<u128>, Vec<u128>) {
    let (mut answers, mut answer) = pipe().unwrap();
    // SAFETY: the child of a process with threads should call only functions that are safe in
    // signal handlers. This one also allocates, which the C library allows, and ends without
    // destructors.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let sent = catch_unwind(AssertUnwindSafe(|| {
                let bytes: Vec<u8> = work().into_iter().flat_map(u128::to_be_bytes).collect();
                answer.write_all(&bytes)
            }));
            // SAFETY: ends the process.
            unsafe { nix::libc::_exit(i32::from(!matches!(sent, Ok(Ok(()))))) }
        }
        ForkResult::Parent { child } => {
            drop(answer);
            let here = meanwhile();
            let (sender, receiver) = mpsc::channel();
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let read = answers.read_to_end(&mut bytes).map(|_| bytes);
                // The receiver is gone after the deadline.
                let _ = sender.send(read);
            });
            let bytes = receiver.recv_timeout(DEADLINE).unwrap_or_else(|_| {
                kill(child, Signal::SIGKILL).unwrap();
                waitpid(child, None).unwrap();
                panic!("the child still hangs after {DEADLINE:?}");
            });
            assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 0)));
            let (ids, rest) = bytes.as_ref().unwrap().as_chunks();
            assert!(rest.is_empty(), "{rest:?}");
            (ids.iter().copied().map(u128::from_be_bytes).collect(), here)
        }
    }
}

/// One test at a time: ids that the parent makes elsewhere would hide that both continue alike.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[track_caller]
fn assert_all_differ(what: &str, ids: &[u128], expected: usize) {
    assert_eq!(ids.len(), expected, "{what}");
    let distinct: BTreeSet<_> = ids.iter().collect();
    assert_eq!(
        distinct.len(),
        expected,
        "{what}: the same ids were made in both processes"
    );
}

#[test]
fn a_child_makes_other_ids_than_its_parent() {
    let _alone = alone();
    for (format, make) in MAKERS {
        make(2);
        let (child, parent) = in_child_and_here(|| make(1_000), || make(1_000));
        assert_all_differ(format, &[child, parent].concat(), 2_000);
    }
}

/// A thread that has made nothing before the fork has no state to notice it by.
#[test]
fn a_new_thread_of_a_child_makes_other_ids() {
    let _alone = alone();
    for (format, make) in MAKERS {
        make(2);
        let in_thread = || thread::spawn(move || make(1_000)).join().unwrap();
        let (child, parent) = in_child_and_here(in_thread, in_thread);
        assert_all_differ(format, &[child, parent].concat(), 2_000);
    }
}

/// The parent's thread has random bits in its buffer that were not drawn for ids.
#[test]
fn the_first_ids_after_a_fork_differ() {
    let _alone = alone();
    for (format, make) in MAKERS {
        let ids = thread::spawn(move || {
            SystemEntropy::new().next_u64();
            let (child, parent) = in_child_and_here(|| make(1_000), || make(1_000));
            [child, parent].concat()
        });
        assert_all_differ(format, &ids.join().unwrap(), 2_000);
    }
}

#[test]
fn a_grandchild_makes_other_ids_than_both() {
    let _alone = alone();
    for (format, make) in MAKERS {
        make(2);
        let in_child = || {
            let (grandchild, child) = in_child_and_here(|| make(500), || make(500));
            [grandchild, child].concat()
        };
        let (children, parent) = in_child_and_here(in_child, || make(500));
        assert_all_differ(format, &[children, parent].concat(), 1_500);
    }
}

#[test]
fn what_a_program_holds_across_a_fork_is_renewed() {
    let _alone = alone();
    let draws = |mut entropy: SystemEntropy| {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        vec![
            entropy.next_u128(),
            entropy.next_u64().into(),
            u128::from_be_bytes(bytes),
        ]
    };
    let entropy = SystemEntropy::new();
    let (child, parent) = in_child_and_here(|| draws(entropy.clone()), || draws(entropy.clone()));
    assert_all_differ("SystemEntropy", &[child, parent].concat(), 6);

    let ids = DistributedIdGenerator::new();
    ids.try_generate().unwrap();
    let make = || {
        (0..100)
            .map(|_| ids.generate().unwrap().to_u128())
            .collect()
    };
    let (child, parent) = in_child_and_here(make, make);
    assert_all_differ("DistributedIdGenerator", &[child, parent].concat(), 200);
}

/// A forked child counts on like its parent: only the bits behind the counter are its own.
#[test]
fn ordered_generators_count_on_with_other_random_bits() {
    let _alone = alone();
    let context = IuidContext {
        country: 1,
        service_entity: 2,
    };
    let clock = UnixMillis::new(1_700_000_000_000);
    let uuids = OrderedGenerator::<UuidV7>::new().with_clock(clock);
    let iuids = OrderedGenerator::<Iuid>::new().with_clock(clock);
    let uuid = || uuids.try_generate_for(&()).unwrap().to_u128();
    let iuid = || iuids.try_generate_for(&context).unwrap().to_u128();
    let makers: [(_, &dyn Fn() -> u128, u32); 2] = [("UuidV7", &uuid, 58), ("Iuid", &iuid, 38)];
    for (format, make, random_bits) in makers {
        let last = make();
        let hundred = || (0..100).map(|_| make()).collect::<Vec<_>>();
        let (child, parent) = in_child_and_here(hundred, hundred);
        assert_all_differ(format, &[&child[..], &parent].concat(), 200);
        let places = |ids: &[u128]| ids.iter().map(|id| id >> random_bits).collect::<Vec<_>>();
        assert_eq!(places(&child), places(&parent), "{format}");
        for ids in [child, parent] {
            assert!(ids[0] > last && ids.is_sorted(), "{format}");
        }
    }
}

#[test]
fn children_never_wait_for_threads_of_their_parent() {
    let _alone = alone();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let with_state = ["DistributedId", "DistributedId128", "HotGuid"];
        for (format, make) in MAKERS {
            if with_state.contains(&format) {
                let ended = &ended;
                scope.spawn(move || {
                    while !ended.load(Ordering::Relaxed) {
                        make(100);
                    }
                });
            }
        }
        let result = catch_unwind(|| {
            for _ in 0..40 {
                let everything = || MAKERS.iter().flat_map(|(_, make)| make(10)).collect();
                let (child, parent) = in_child_and_here(everything, everything);
                assert_all_differ("all formats", &[child, parent].concat(), 20 * MAKERS.len());
            }
        });
        ended.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}
