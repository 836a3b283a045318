//! What a closure is lent while it runs.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// A connection that a closure has for as long as it runs; `&mut *lent` is the driver's own.
///
/// It goes back when it is dropped, at the latest at the end of the closure. A closure that keeps it
/// for longer fails with [`Error::TransactionEnded`].
///
/// A plain `&mut` would do in a program of one thread. But of a function that takes a closure with
/// such a parameter, the compiler does not see that its future is `Send`.
pub struct Lent<T> {
    /// Always there until this is dropped.
    item: Option<T>,
    home: Home<T>,
}

type Home<T> = Arc<Mutex<Option<T>>>;

/// Runs a closure with something that it gives back.
pub(crate) async fn lend<T, O, F>(
    item: T,
    mut closure: impl FnMut(Lent<T>) -> F,
) -> (Result<T, Error>, O)
where
    F: Future<Output = O>,
{
    let home = Home::default();
    let lent = Lent {
        item: Some(item),
        home: Arc::clone(&home),
    };
    let outcome = closure(lent).await;
    let returned = home.lock().unwrap_or_else(PoisonError::into_inner).take();
    (returned.ok_or(Error::TransactionEnded), outcome)
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = self.item.take();
    }
}

impl<T: DerefMut> Deref for Lent<T> {
    type Target = T::Target;

    fn deref(&self) -> &T::Target {
        match &self.item {
            Some(item) => item,
            None => unreachable!("it is there until it is dropped"),
        }
    }
}

impl<T: DerefMut> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T::Target {
        match &mut self.item {
            Some(item) => item,
            None => unreachable!("it is there until it is dropped"),
        }
    }
}

impl<T> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").finish_non_exhaustive()
    }
}
