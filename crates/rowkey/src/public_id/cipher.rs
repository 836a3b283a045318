//! Public ids with one AES key for values of all types, as in the original system.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::{fmt, slice};

use crate::error::ErrorKind;
use crate::public_id::key;
use crate::public_id::rotation::Rotation;
use crate::public_id::{PublicId, PublicIdValue};
use crate::{Error, Uuid};
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, InvalidLength, KeyInit};
use aes::{Aes128, Aes192, Aes256, Block};

/// Turns values into public ids and back, with one AES key for the values of all types, as in the
/// original system.
///
/// The public id of one entity can be decoded as another entity's. In new programs, use a cipher
/// for each entity: [`LabelledCipher`](crate::public_id::LabelledCipher) or
/// [`SealedCipher`](crate::public_id::SealedCipher).
///
/// The key schedule is computed once. Any number of threads can use a cipher without a lock (share
/// it with `Arc` or in a `static`).
///
/// The schedule is stored once, on the heap, and cannot be read or copied. When the cipher is
/// dropped, the schedule is overwritten, as is the part of the stack where it was computed. This
/// does not cover registers, memory that the system has written to disk, and the stack of each use:
/// encoding and decoding may leave round keys there, the first of which are the key, even in
/// optimised programs.
///
/// ```
/// use rowkey::public_id::PublicIdCipher;
/// use rowkey::DistributedId;
///
/// let cipher = PublicIdCipher::from_base64("k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=")?;
/// let id: DistributedId = "1088824355131185736905670087".parse()?;
///
/// let public_id = cipher.encode(&id)?;
/// assert_eq!(public_id.to_string(), "30322474-a954-ffa9-941c-6f038afe4ff1");
/// assert_eq!(cipher.decode(public_id)?, id);
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct PublicIdCipher(KeySchedule);

// Boxed, so that moving the cipher leaves no copies of the schedule behind.
enum KeySchedule {
    Aes128(Box<Aes128>),
    Aes192(Box<Aes192>),
    Aes256(Box<Aes256>),
}

impl KeySchedule {
    fn of(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(match key.len() {
            16 => Self::Aes128(Box::new(Aes128::new_from_slice(key)?)),
            24 => Self::Aes192(Box::new(Aes192::new_from_slice(key)?)),
            32 => Self::Aes256(Box::new(Aes256::new_from_slice(key)?)),
            _ => return Err(InvalidLength),
        })
    }

    #[inline]
    fn encrypt_block(&self, block: &mut Block) {
        match self {
            Self::Aes256(aes) => aes.encrypt_block(block),
            _ => self.encrypt_with_shorter_key(block),
        }
    }

    #[inline]
    fn decrypt_block(&self, block: &mut Block) {
        match self {
            Self::Aes256(aes) => aes.decrypt_block(block),
            _ => self.decrypt_with_shorter_key(block),
        }
    }

    // Out of line, here and below: with the code for three lengths of keys, functions that use one
    // block would be too large to be inlined. Cold, so that the usual length is the straight way.
    #[cold]
    #[inline(never)]
    fn encrypt_with_shorter_key(&self, block: &mut Block) {
        self.encrypt(slice::from_mut(block));
    }

    #[cold]
    #[inline(never)]
    fn decrypt_with_shorter_key(&self, block: &mut Block) {
        self.decrypt(slice::from_mut(block));
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        match self {
            Self::Aes128(aes) => aes.encrypt_blocks(blocks),
            Self::Aes192(aes) => aes.encrypt_blocks(blocks),
            Self::Aes256(aes) => aes.encrypt_blocks(blocks),
        }
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        match self {
            Self::Aes128(aes) => aes.decrypt_blocks(blocks),
            Self::Aes192(aes) => aes.decrypt_blocks(blocks),
            Self::Aes256(aes) => aes.decrypt_blocks(blocks),
        }
    }
}

impl PublicIdCipher {
    /// The cipher with this key, of 16, 24 or 32 bytes (AES-128, AES-192, AES-256).
    ///
    /// You are responsible for wiping your own copy of the key.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for another number of bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, Error> {
        match key::leaving_no_trace(|| KeySchedule::of(key)) {
            Ok(schedule) => Ok(Self(schedule)),
            Err(InvalidLength) => Err(Error::new(
                ErrorKind::Declaration,
                format!(
                    "an AES key has 16, 24 or 32 bytes, this one has {}",
                    key.len()
                ),
            )),
        }
    }

    /// The cipher whose key is this text in standard base64 with padding. White space around the
    /// text, such as a trailing line feed, is ignored.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for text that is empty or not base64 (white space inside it,
    /// missing padding, URL alphabet), and for a key of another length.
    pub fn from_base64(text: &str) -> Result<Self, Error> {
        Self::from_key(&key::of_base64(text)?)
    }

    /// The cipher whose key is the value of an environment variable, as for
    /// [`from_base64`](Self::from_base64).
    ///
    /// The environment keeps its own copy of the key, which child processes inherit. A program that
    /// reads a file and calls [`from_base64`](Self::from_base64) does not have that problem.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if there is no such variable, and the errors of
    /// [`from_base64`](Self::from_base64).
    #[cfg(feature = "std")]
    pub fn from_env(name: impl AsRef<std::ffi::OsStr>) -> Result<Self, Error> {
        Self::from_base64(&key::text_of_variable(name.as_ref())?)
    }

    /// The public id of a value.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a value without a public id: a negative `i64`.
    #[inline]
    pub fn encode<T: PublicIdValue>(&self, value: &T) -> Result<PublicId<T>, Error> {
        let mut block = value.to_block()?.to_be_bytes().into();
        self.0.encrypt_block(&mut block);
        Ok(PublicId::from_uuid(Uuid::from_bytes_le(block.into())))
    }

    /// The value of a public id.
    ///
    /// For types that use all 128 bits this never fails. See [`PublicIdCiphers`] for what each type
    /// can detect.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Format` if no value of the type has this public id.
    #[inline]
    pub fn decode<T: PublicIdValue>(&self, public_id: PublicId<T>) -> Result<T, Error> {
        T::from_block(self.decrypt(public_id.as_uuid())).ok_or_else(unrecognised::<T>)
    }

    /// The public ids of many values, in their order: the processor encrypts several blocks at
    /// once, so that each takes a fraction of the time of [`encode`](Self::encode).
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if a value has no public id: a negative `i64`.
    pub fn encode_all<T: PublicIdValue>(&self, values: &[T]) -> Result<Vec<PublicId<T>>, Error> {
        let mut blocks = blocks_of(values)?;
        self.0.encrypt(&mut blocks);
        blocks.iter_mut().for_each(reverse_fields);
        let uuids = blocks
            .into_iter()
            .map(|block| Uuid::from_bytes(block.into()));
        Ok(uuids.map(PublicId::from_uuid).collect())
    }

    /// The values of many public ids, each as [`decode`](Self::decode) returns it, in their order.
    ///
    /// ```
    /// # use rowkey::public_id::PublicIdCipher;
    /// let cipher = PublicIdCipher::from_key(&[7; 32])?;
    /// let public_ids = cipher.encode_all(&[1_u64, 2, 3])?;
    /// let numbers: Result<Vec<_>, _> = cipher.decode_all(&public_ids).collect();
    /// assert_eq!(numbers?, [1, 2, 3]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn decode_all<T: PublicIdValue>(
        &self,
        public_ids: &[PublicId<T>],
    ) -> impl ExactSizeIterator<Item = Result<T, Error>> {
        let blocks = self.decrypt_all(public_ids);
        values_of(public_ids, blocks, |public_id| self.decode(public_id))
    }

    fn decrypt_all<T>(&self, public_ids: &[PublicId<T>]) -> Vec<Block> {
        let uuids = public_ids.iter().map(PublicId::as_uuid);
        let mut blocks: Vec<Block> = uuids.map(|uuid| uuid.to_bytes_le().into()).collect();
        self.0.decrypt(&mut blocks);
        blocks
    }

    #[inline]
    fn decrypt(&self, public_id: Uuid) -> u128 {
        let mut block = public_id.to_bytes_le().into();
        self.0.decrypt_block(&mut block);
        u128::from_be_bytes(block.into())
    }
}

/// The blocks of values, to be encrypted together.
pub(super) fn blocks_of<T: PublicIdValue>(values: &[T]) -> Result<Vec<Block>, Error> {
    // `collect` of results does not know the number of results, and would ask for space each time.
    let mut refusal = None;
    let blocks = values.iter().map(|value| match value.to_block() {
        Ok(block) => block.to_be_bytes().into(),
        Err(error) => {
            refusal.get_or_insert(error);
            Block::default()
        }
    });
    let blocks = blocks.collect();
    match refusal {
        None => Ok(blocks),
        Some(error) => Err(error),
    }
}

/// What `Uuid::from_bytes_le` does, in place: half of the bytes stay as they are.
///
/// Not for blocks that are decrypted next, which would wait for these short writes.
#[inline]
fn reverse_fields(block: &mut Block) {
    block[..4].reverse();
    block[4..6].reverse();
    block[6..8].reverse();
}

/// The values of blocks that the newest key has decrypted. Blocks of no value are decoded alone.
pub(super) fn values_of<T: PublicIdValue>(
    public_ids: &[PublicId<T>],
    blocks: Vec<Block>,
    decode: impl Fn(PublicId<T>) -> Result<T, Error>,
) -> impl ExactSizeIterator<Item = Result<T, Error>> {
    public_ids
        .iter()
        .zip(blocks)
        .map(move |(public_id, block)| {
            T::from_block(u128::from_be_bytes(block.into())).map_or_else(|| decode(*public_id), Ok)
        })
}

/// Shows the key's length, never the key.
impl fmt::Debug for PublicIdCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            KeySchedule::Aes128(_) => "PublicIdCipher(AES-128, redacted)",
            KeySchedule::Aes192(_) => "PublicIdCipher(AES-192, redacted)",
            KeySchedule::Aes256(_) => "PublicIdCipher(AES-256, redacted)",
        })
    }
}

#[cold]
fn unrecognised<T: PublicIdValue>() -> Error {
    Error::new(
        ErrorKind::Format,
        format!("not a public id of type {} under any of the keys", T::TYPE),
    )
}

/// The keys of a rotation, newest first. The newest encodes; all of them decode.
///
/// [`decode`](Self::decode) uses the first cipher that decrypts the public id to a valid value. How
/// reliable this is depends on the type:
///
/// | type | under a wrong key, a public id passes for another value |
/// |---|---|
/// | `u64` | 1 time in 2^64 |
/// | `i64` | 1 time in 2^65 |
/// | `DistributedId` | 1 time in about 2^35 |
/// | `Iuid` | 1 time in 2^10 |
/// | `Luuid` | 1 time in 2^8 |
/// | COMBs, `UuidV4`, `UuidV7` | 1 time in 64 |
/// | `u128`, `Uuid`, `AnyUuid`, `HotGuid`, `DistributedId128` | always |
///
/// So you can rotate keys for numbers and `DistributedId`: public ids made with an older key keep
/// working. For the other types, a new key turns some or all of the older public ids into ids of
/// *other* values, which at best do not exist. Rotate the keys of these types only to invalidate
/// all existing links, with a set that contains only the new key. While both keys must be valid,
/// carry the key's version next to the public id, for instance in the path, and choose the
/// [`PublicIdCipher`] by it.
///
/// ```
/// use rowkey::public_id::{PublicIdCipher, PublicIdCiphers};
///
/// let older = PublicIdCipher::from_key(&[1; 32])?;
/// let given_out = older.encode(&42_u64)?;
///
/// let ciphers = PublicIdCiphers::new(PublicIdCipher::from_key(&[2; 32])?).with_older(older);
/// assert_eq!(ciphers.decode(given_out)?, 42);
/// assert_ne!(ciphers.encode(&42_u64)?, given_out);
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Debug)]
pub struct PublicIdCiphers(Rotation<PublicIdCipher>);

impl PublicIdCiphers {
    /// The set of one cipher.
    pub fn new(newest: PublicIdCipher) -> Self {
        Self(Rotation::new(newest))
    }

    /// Adds a cipher that is older than all others in the set.
    #[must_use]
    pub fn with_older(mut self, cipher: PublicIdCipher) -> Self {
        self.0.push_older(cipher);
        self
    }

    /// The set of these ciphers, newest first.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if there are none.
    pub fn newest_first(ciphers: impl IntoIterator<Item = PublicIdCipher>) -> Result<Self, Error> {
        Rotation::newest_first(ciphers).map(Self)
    }

    /// The public id of a value under the newest key.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a value without a public id: a negative `i64`.
    pub fn encode<T: PublicIdValue>(&self, value: &T) -> Result<PublicId<T>, Error> {
        self.0.newest.encode(value)
    }

    /// The value of a public id, from the first key, newest first, that decrypts it to a valid
    /// value.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Format` if no key does.
    pub fn decode<T: PublicIdValue>(&self, public_id: PublicId<T>) -> Result<T, Error> {
        self.0
            .iter()
            .find_map(|cipher| T::from_block(cipher.decrypt(public_id.as_uuid())))
            .ok_or_else(unrecognised::<T>)
    }

    /// The public ids of many values under the newest key, as
    /// [`PublicIdCipher::encode_all`] makes them.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if a value has no public id: a negative `i64`.
    pub fn encode_all<T: PublicIdValue>(&self, values: &[T]) -> Result<Vec<PublicId<T>>, Error> {
        self.0.newest.encode_all(values)
    }

    /// The values of many public ids, each as [`decode`](Self::decode) returns it, in their order.
    /// Public ids of the newest key are fast.
    pub fn decode_all<T: PublicIdValue>(
        &self,
        public_ids: &[PublicId<T>],
    ) -> impl ExactSizeIterator<Item = Result<T, Error>> {
        let blocks = self.0.newest.decrypt_all(public_ids);
        values_of(public_ids, blocks, |public_id| self.decode(public_id))
    }
}

impl From<PublicIdCipher> for PublicIdCiphers {
    fn from(cipher: PublicIdCipher) -> Self {
        Self::new(cipher)
    }
}
