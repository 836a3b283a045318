//! Connections that closures borrow while they run.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use futures_util::lock::{Mutex, OwnedMutexGuard};

use crate::Error;

/// A connection that a closure borrows while it runs; `&mut *borrowed` is the driver's own.
///
/// Dropping it returns the connection, at the latest at the end of the closure. If a closure keeps
/// it for longer, the call fails with [`Error::TransactionEnded`].
///
/// This type is not a plain `&mut`, because the future of a function that takes a closure with such
/// a parameter is not known to be `Send`.
pub struct Borrowed<T>(OwnedMutexGuard<T>);

/// Runs a closure with something that it returns afterwards.
pub(crate) async fn lend<T, O, F>(
    item: T,
    mut closure: impl FnMut(Borrowed<T>) -> F,
) -> (Result<T, Error>, O)
where
    F: Future<Output = O>,
{
    let item = Arc::new(Mutex::new(item));
    let borrowed = Borrowed(Arc::clone(&item).lock_owned().await);
    let outcome = closure(borrowed).await;
    let returned = Arc::into_inner(item).map(Mutex::into_inner);
    (returned.ok_or(Error::TransactionEnded), outcome)
}

impl<T: DerefMut> Deref for Borrowed<T> {
    type Target = T::Target;

    fn deref(&self) -> &T::Target {
        &self.0
    }
}

impl<T: DerefMut> DerefMut for Borrowed<T> {
    fn deref_mut(&mut self) -> &mut T::Target {
        &mut self.0
    }
}

impl<T> fmt::Debug for Borrowed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Borrowed").finish_non_exhaustive()
    }
}
