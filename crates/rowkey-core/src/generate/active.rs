//! The scopes of a thread, independent of the traits of generators.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicU64, Ordering};

std::thread_local! {
    static STACK: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
    /// Whether the stack has entries. This flag has no destructor, so it is cheaper to check.
    static HAS_SCOPES: Cell<bool> = const { Cell::new(false) };
}

/// Changes the thread's stack. `None` while the thread's destructors run, because it may already be
/// dropped.
pub(super) fn change<R>(work: impl FnOnce(&mut Vec<Entry>) -> R) -> Option<R> {
    STACK
        .try_with(|stack| {
            let stack = &mut *stack.borrow_mut();
            let result = work(stack);
            HAS_SCOPES.set(!stack.is_empty());
            result
        })
        .ok()
}

/// One active scope. No generator is run or dropped while the stack is borrowed: generators are the
/// user's code and may open scopes themselves.
pub(super) struct Entry {
    pub(super) id: u64,
    /// The generator in an `Arc`, found by its type.
    generator: Box<dyn Any + Send + Sync>,
}

impl Entry {
    pub(super) fn new(generator: impl Any + Send + Sync) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            generator: Box::new(generator),
        }
    }
}

/// Whether the thread has scopes, of whatever format.
#[inline]
pub(super) fn has_scopes() -> bool {
    HAS_SCOPES.get()
}

/// The generator of the innermost scope with one of the type `G`.
#[cold]
#[inline(never)]
pub(super) fn innermost<G: Any + Clone>() -> Option<G> {
    // Without a stack, because the thread's destructors run, there are no scopes.
    STACK.try_with(|stack| find(&stack.borrow())).ok().flatten()
}

fn find<G: Any + Clone>(stack: &[Entry]) -> Option<G> {
    stack
        .iter()
        .rev()
        .find_map(|entry| entry.generator.downcast_ref().cloned())
}
