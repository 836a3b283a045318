//! The sources of generators' random bits.

/// A source of random bits.
///
/// **Contract:** the bits come from a cryptographically secure generator. With any other source,
/// ids may be guessed, and ids of several processes may be equal. Tests can use an [`EntropyFn`]
/// that repeats values.
pub trait Entropy {
    /// Fills `bytes` with random bits.
    fn fill(&mut self, bytes: &mut [u8]);

    /// 64 random bits; by default the next 8 bytes, little-endian.
    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// 128 random bits; by default the next 16 bytes, little-endian.
    fn next_u128(&mut self) -> u128 {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        u128::from_le_bytes(bytes)
    }
}

impl<E: Entropy + ?Sized> Entropy for &mut E {
    fn fill(&mut self, bytes: &mut [u8]) {
        (**self).fill(bytes);
    }

    fn next_u64(&mut self) -> u64 {
        (**self).next_u64()
    }

    fn next_u128(&mut self) -> u128 {
        (**self).next_u128()
    }
}

/// A closure as [`Entropy`], such as a hardware generator or fixed bits in tests.
///
/// ```
/// use rowkey_core::generate::{Entropy, EntropyFn};
///
/// let mut ones = EntropyFn(|bytes: &mut [u8]| bytes.fill(1));
/// assert_eq!(ones.next_u64(), 0x0101_0101_0101_0101);
/// ```
#[derive(Clone, Debug)]
pub struct EntropyFn<T>(
    /// Fills the slice with random bytes.
    pub T,
);

impl<T: FnMut(&mut [u8])> Entropy for EntropyFn<T> {
    fn fill(&mut self, bytes: &mut [u8]) {
        (self.0)(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting() -> EntropyFn<impl FnMut(&mut [u8])> {
        let mut next = 0;
        EntropyFn(move |bytes: &mut [u8]| {
            for byte in bytes {
                *byte = next;
                next += 1;
            }
        })
    }

    #[test]
    fn integers_are_little_endian() {
        let mut entropy = counting();
        assert_eq!(entropy.next_u64(), 0x0706_0504_0302_0100);
        let scripted: &mut dyn Entropy = &mut entropy;
        assert_eq!(
            scripted.next_u128(),
            0x1716_1514_1312_1110_0f0e_0d0c_0b0a_0908
        );
    }
}
