//! What tells a forked child from its parent, and values of which each process has its own.
//!
//! A thread that the parent has at the fork does not exist in the child, so nothing here ever waits
//! for another thread: what it has begun may never end.

use alloc::boxed::Box;
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use once_cell::race::OnceBox;

/// The process in which something was made.
///
/// Asking costs two loads and no call: a handler of the C library's `fork` counts in the child.
pub(super) enum Mark {
    Handler(forkguard::Guard),
    /// For a process that cannot know whether its handler is registered. Asking is a system call.
    ProcessId(forkguard::pid::Guard),
}

impl Mark {
    /// The present process.
    #[cold]
    pub(super) fn here() -> &'static Self {
        static PROCESSES: PerProcess<()> = PerProcess::new();
        &PROCESSES.make(|| ()).process
    }

    fn new() -> Self {
        static REGISTRATION: Registration = Registration(AtomicU8::new(Registration::NOT_BEGUN));
        REGISTRATION.mark()
    }

    /// Whether the mark was made in a process of which this one is a child.
    #[inline]
    pub(super) fn is_of_parent(&self) -> bool {
        match self {
            Self::Handler(guard) => guard.clone().detected_fork(),
            Self::ProcessId(guard) => differs(guard),
        }
    }
}

// Out of line: it is rare, and would be in every generator.
#[cold]
#[inline(never)]
fn differs(guard: &forkguard::pid::Guard) -> bool {
    guard.clone().detected_fork()
}

/// How far registering the handler is.
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
        // Whoever comes second would be blocked until the first one is done, which in a child that
        // was forked meanwhile is never.
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

/// A value that a forked child does not share with its parent, but makes anew.
///
/// It is a list with an element for each generation of processes, so that none is ever changed or
/// freed while another thread uses it.
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

    /// The value of this process, which `make` makes at its first use. Threads that come first at the
    /// same time may each make one, of which one stays.
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
