//! A rotation of keys: the newest one and older ones.

use alloc::vec::Vec;

use crate::Error;
use crate::public_id::key::no_key;

/// The newest item, which encodes, and older ones, which only decode.
#[derive(Debug)]
pub(super) struct Rotation<K> {
    pub(super) newest: K,
    older: Vec<K>,
}

impl<K> Rotation<K> {
    pub(super) fn new(newest: K) -> Self {
        Self {
            newest,
            older: Vec::new(),
        }
    }

    /// The first is the newest. `ErrorKind::Declaration` if there are none.
    pub(super) fn newest_first(keys: impl IntoIterator<Item = K>) -> Result<Self, Error> {
        let mut keys = keys.into_iter();
        match keys.next() {
            Some(newest) => Ok(Self {
                newest,
                older: keys.collect(),
            }),
            None => Err(no_key()),
        }
    }

    pub(super) fn push_older(&mut self, key: K) {
        self.older.push(key);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &K> {
        core::iter::once(&self.newest).chain(&self.older)
    }

    pub(super) fn map<T>(&self, make: impl Fn(&K) -> T) -> Rotation<T> {
        Rotation {
            newest: make(&self.newest),
            older: self.older.iter().map(make).collect(),
        }
    }
}
