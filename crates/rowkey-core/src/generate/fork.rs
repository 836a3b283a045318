//! Detection of forked children, and values that each process makes for itself.
//!
//! The parent's other threads do not exist in the child, so nothing here ever waits for another
//! thread: it might never finish.

use alloc::boxed::Box;
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use once_cell::race::OnceBox;

/// A mark of the process in which a value was made. The check costs two loads and no call: a
/// handler of the C library's `fork` increments a counter in the child.
pub(super) enum Mark {
    Handler(forkguard::Guard),
    /// For a process that does not know whether its handler is registered. The check is a system
    /// call.
    ProcessId(forkguard::pid::Guard),
}

impl Mark {
    #[cold]
    pub(super) fn here() -> &'static Self {
        static PROCESSES: PerProcess<()> = PerProcess::new();
        &PROCESSES.make(|| ()).process
    }

    fn new() -> Self {
        static REGISTRATION: Registration = Registration(AtomicU8::new(Registration::NOT_BEGUN));
        REGISTRATION.mark()
    }

    /// Whether the mark was made in an ancestor of this process.
    #[inline]
    pub(super) fn is_of_parent(&self) -> bool {
        match self {
            Self::Handler(guard) => guard.clone().detected_fork(),
            Self::ProcessId(guard) => differs(guard),
        }
    }
}

// Out of line: it is rare, and would be inlined into every generator.
#[cold]
#[inline(never)]
fn differs(guard: &forkguard::pid::Guard) -> bool {
    guard.clone().detected_fork()
}

/// The progress of registering the handler.
struct Registration(AtomicU8);

impl Registration {
    const NOT_BEGUN: u8 = 0;
    const BEGUN: u8 = 1;
    const DONE: u8 = 2;

    fn mark(&self) -> Mark {
        let begun = self.0.compare_exchange(
            Self::NOT_BEGUN,
            Self::BEGUN,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        // A second caller would block until the first one has finished, which never happens in a
        // child forked in between.
        if begun.is_err() && !self.is_done_soon() {
            return Mark::ProcessId(forkguard::pid::Guard::default());
        }
        let guard = forkguard::Guard::try_new();
        self.0.store(Self::DONE, Ordering::Release);
        match guard {
            Ok(guard) => Mark::Handler(guard),
            Err(_) => Mark::ProcessId(forkguard::pid::Guard::default()),
        }
    }

    fn is_done_soon(&self) -> bool {
        (0..1_000).any(|_| {
            let is_done = self.0.load(Ordering::Acquire) == Self::DONE;
            if !is_done {
                std::thread::yield_now();
            }
            is_done
        })
    }
}

/// A value that a forked child makes again instead of sharing it with its parent. Kept in a list
/// with one element per generation of processes, so that no element is ever changed or freed while
/// another thread uses it.
pub(crate) struct PerProcess<T> {
    first: OnceBox<Made<T>>,
}

struct Made<T> {
    process: Mark,
    value: T,
    in_child: PerProcess<T>,
}

impl<T> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self {
            first: OnceBox::new(),
        }
    }

    /// The value of this process, made by `make` at its first use. Threads that race may each make
    /// a value, of which one is kept.
    #[inline]
    pub(crate) fn get_or_make(&self, make: impl Fn() -> T) -> &T {
        match self.first.get() {
            Some(made) if !made.process.is_of_parent() => &made.value,
            _ => &self.make(make).value,
        }
    }

    #[cold]
    fn make(&self, make: impl Fn() -> T) -> &Made<T> {
        let mut list = self;
        loop {
            let made = list.first.get_or_init(|| {
                Box::new(Made {
                    process: Mark::new(),
                    value: make(),
                    in_child: Self::new(),
                })
            });
            if !made.process.is_of_parent() {
                return made;
            }
            list = &made.in_child;
        }
    }
}

impl<T> fmt::Debug for PerProcess<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerProcess").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registration_that_never_ends_is_not_waited_for() {
        let left_by_parent = Registration(AtomicU8::new(Registration::BEGUN));
        let mark = left_by_parent.mark();
        assert!(matches!(mark, Mark::ProcessId(_)));
        assert!(!mark.is_of_parent());
    }

    #[test]
    fn a_process_makes_its_value_once() {
        let numbers = PerProcess::new();
        let first: *const i32 = numbers.get_or_make(|| 1);
        assert!(core::ptr::eq(numbers.get_or_make(|| 2), first));
        assert!(matches!(Mark::here(), Mark::Handler(_)));
    }
}
