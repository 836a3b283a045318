//! Temporary replacement of a format's generator, on this thread or within one async task.
//!
//! Every format that programs generate has a default generator for the whole process. A scope
//! replaces it, for one format, until the scope ends. Scopes nest without limit, and the innermost
//! one of a format applies; scopes of other formats do not affect it. (`ShortPrefixComb<60_000>`
//! and `ShortPrefixComb<1_000>` are different formats.)
//!
//! A scope belongs to one thread or one task. Threads and tasks started within it use the default
//! again. Give them their own scope, and share the generator in an [`Arc`] if their ids must come
//! from the same sequence.
//!
//! ```
//! use rowkey_core::generate::{Generate, Incremental, scope};
//! use rowkey_core::DistributedId;
//!
//! let _ids = scope::enter(Incremental::<DistributedId>::new());
//! assert_eq!(DistributedId::generate().to_string(), "1");
//! assert_eq!(DistributedId::generate().to_string(), "2");
//! ```

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::active::{Entry, change};
use super::{Generate, Generator};

impl Entry {
    fn of<F: Generate>(generator: impl Generator<F> + 'static) -> Self {
        let generator: Arc<dyn Generator<F>> = Arc::new(generator);
        Self::new(generator)
    }
}

/// Makes this thread use `generator` for `F` until the guard is dropped.
///
/// Dropping guards in any order is harmless: each removes its own scope and no other. In async
/// code use [`run`]: a guard held across an `.await` would also affect other tasks of the thread.
pub fn enter<F: Generate>(generator: impl Generator<F> + 'static) -> ScopeGuard {
    let entry = Entry::of(generator);
    let guard = ScopeGuard {
        id: entry.id,
        this_thread: PhantomData,
    };
    // Without a stack, the thread is ending, and so is the scope.
    change(|stack| stack.push(entry));
    guard
}

/// Ends its scope when dropped. It cannot leave the thread.
#[must_use = "the scope ends when the guard is dropped"]
#[derive(Debug)]
pub struct ScopeGuard {
    id: u64,
    /// A raw pointer is neither `Send` nor `Sync`.
    this_thread: PhantomData<*const ()>,
}

impl Drop for ScopeGuard {
    fn drop(&mut self) {
        let removed = change(|stack| {
            let position = stack.iter().rposition(|entry| entry.id == self.id)?;
            Some(stack.remove(position))
        });
        drop(removed);
    }
}

/// Makes `future` use `generator` for `F`, on any thread that polls it.
///
/// The scope is pushed onto the polling thread's scopes during each poll and while the future is
/// dropped; a panic removes it as well. Guards of [`enter`] that live inside the future move with
/// it. No runtime is needed, and the future is `Send` when `future` is.
///
/// ```
/// use rowkey_core::generate::{Custom, Generate, scope};
/// use rowkey_core::DistributedId;
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     match std::pin::pin!(future).poll(&mut context) {
/// #         std::task::Poll::Ready(value) => value,
/// #         std::task::Poll::Pending => unreachable!(),
/// #     }
/// # }
///
/// let always_seven = Custom::value(DistributedId::constant(7));
/// let id = block_on(scope::run(always_seven, async { DistributedId::generate() }));
/// assert_eq!(id, DistributedId::constant(7));
/// ```
pub fn run<F: Generate, T: Future>(generator: impl Generator<F> + 'static, future: T) -> Scoped<T> {
    let entry = Entry::of(generator);
    Scoped {
        base: entry.id,
        entries: Vec::from([entry]),
        future: Some(Box::pin(future)),
    }
}

/// A future with its own scopes: see [`run`].
#[must_use = "futures do nothing unless polled"]
pub struct Scoped<T> {
    /// The outermost scope of this future. It has no guard, so only this future ever removes it
    /// from a stack.
    base: u64,
    /// The scopes of this future while it is not being polled, outermost first.
    entries: Vec<Entry>,
    /// `None` only while the future is being dropped.
    future: Option<Pin<Box<T>>>,
}

impl<T> Scoped<T> {
    /// Runs `work` with this future's scopes on the thread's stack.
    fn inside<R>(&mut self, work: impl FnOnce(&mut Option<Pin<Box<T>>>) -> R) -> R {
        let _installed = Installed::new(self.base, &mut self.entries);
        work(&mut self.future)
    }
}

/// The scopes of a future on the thread's stack; its drop takes them back, also while unwinding.
struct Installed<'a> {
    base: u64,
    entries: &'a mut Vec<Entry>,
}

impl<'a> Installed<'a> {
    fn new(base: u64, entries: &'a mut Vec<Entry>) -> Self {
        change(|stack| stack.append(entries));
        Self { base, entries }
    }
}

impl Drop for Installed<'_> {
    fn drop(&mut self) {
        change(|stack| {
            // By id: a guard below may have been dropped in the meantime and shifted the rest.
            if let Some(position) = stack.iter().rposition(|entry| entry.id == self.base) {
                self.entries.extend(stack.drain(position..));
            }
        });
    }
}

impl<T: Future> Future for Scoped<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T::Output> {
        self.inside(|future| match future {
            Some(future) => future.as_mut().poll(context),
            None => unreachable!("a future that is being dropped is not polled"),
        })
    }
}

impl<T> Drop for Scoped<T> {
    fn drop(&mut self) {
        // What the future owns may generate ids while it is dropped.
        self.inside(|future| drop(future.take()));
    }
}

impl<T> fmt::Debug for Scoped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scoped").finish_non_exhaustive()
    }
}
