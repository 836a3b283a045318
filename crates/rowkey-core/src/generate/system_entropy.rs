//! The random bits of this process.

use core::cell::Cell;

use super::Entropy;
use super::fork::Mark;

/// The current thread's generator: ChaCha12, seeded by the operating system and reseeded every
/// 64 KiB. Threads share nothing, so it scales with their number. A forked child takes a new seed:
/// see [forks](super#forks).
///
/// # Panics
///
/// If the operating system cannot give a seed.
#[derive(Clone, Debug, Default)]
pub struct SystemEntropy(());

impl SystemEntropy {
    /// A handle to the current thread's generator.
    pub fn new() -> Self {
        Self(())
    }

    /// Discards the current thread's state and takes a new seed from the operating system.
    ///
    /// For copies of a process that are not made by `fork`, such as a restored snapshot of a
    /// machine.
    ///
    /// # Panics
    ///
    /// If the operating system cannot give a seed.
    pub fn reseed() {
        DRAWN.with(|drawn| drawn.left.set(0));
        if let Err(error) = rand::rng().reseed() {
            panic!("the operating system gives no random seed: {error}");
        }
    }

    /// The same generator for a batch, without checks for forks.
    pub(super) fn for_batch() -> BatchEntropy {
        DRAWN.with(Drawn::assure_process);
        BatchEntropy(rand::rng())
    }
}

impl Entropy for SystemEntropy {
    fn fill(&mut self, bytes: &mut [u8]) {
        Self::for_batch().fill(bytes);
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        let [word] = DRAWN.with(Drawn::take);
        word
    }

    #[inline]
    fn next_u128(&mut self) -> u128 {
        let [low, high] = DRAWN.with(Drawn::take);
        u128::from(high) << 64 | u128::from(low)
    }
}

pub(super) struct BatchEntropy(rand::rngs::ThreadRng);

impl Entropy for BatchEntropy {
    fn fill(&mut self, bytes: &mut [u8]) {
        rand::Rng::fill_bytes(&mut self.0, bytes);
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        rand::Rng::next_u64(&mut self.0)
    }

    #[inline]
    fn next_u128(&mut self) -> u128 {
        // Two words are several times cheaper than filling sixteen bytes.
        let low = self.next_u64();
        u128::from(self.next_u64()) << 64 | u128::from(low)
    }
}

const WORDS: usize = 128;

/// Words that the thread's generator has made in advance: access to it costs more than the words.
struct Drawn {
    words: Cell<[u64; WORDS]>,
    /// The number of unused words, at the front.
    left: Cell<usize>,
    /// The process in which the generator was seeded.
    process: Cell<Option<&'static Mark>>,
}

std::thread_local! {
    static DRAWN: Drawn = const {
        Drawn {
            words: Cell::new([0; WORDS]),
            left: Cell::new(0),
            process: Cell::new(None),
        }
    };
}

impl Drawn {
    #[inline]
    fn take<const N: usize>(&self) -> [u64; N] {
        let words: &Cell<[u64]> = &self.words;
        if self.left.get() < N || self.is_of_parent() {
            self.refill();
        }
        let left = (self.left.get() - N) % WORDS;
        self.left.set(left);
        core::array::from_fn(|index| words.as_slice_of_cells()[(left + index) % WORDS].get())
    }

    #[cold]
    fn refill(&self) {
        self.assure_process();
        let mut words = [0; WORDS];
        rand::RngExt::fill(&mut rand::rng(), &mut words);
        self.words.set(words);
        self.left.set(WORDS);
    }

    #[inline]
    fn is_of_parent(&self) -> bool {
        self.process.get().is_none_or(Mark::is_of_parent)
    }

    // Also at a thread's first draw: its generator may have been used elsewhere before the fork.
    fn assure_process(&self) {
        if self.is_of_parent() {
            SystemEntropy::reseed();
            self.process.set(Some(Mark::here()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_does_not_repeat_itself() {
        let mut entropy = SystemEntropy::new();
        let first = entropy.next_u128();
        assert_ne!(first, entropy.next_u128());
        SystemEntropy::reseed();
        assert_ne!(first, SystemEntropy::new().next_u128());
        let mut bytes = [0; 33];
        entropy.fill(&mut bytes);
        assert_ne!(bytes, [0; 33]);
    }
}
