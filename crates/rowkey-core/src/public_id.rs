//! Ids for the outside world: the key's value, encrypted into 128 bits that say nothing about it.
//!
//! ```text
//! value                      block of 16 bytes                          public id
//! u64, i64 (not negative)    00 00 00 00 00 00 00 00 | LE value (8)  \
//! DistributedId              00 00 00 00 | LE upper 32 | LE lower 64  } AES -> Uuid::from_bytes_le
//! any other 128 bits         the 16 bytes, big-endian                /
//! ```
//!
//! One block, so AES itself is all there is: no mode, no initialization vector, no padding. The
//! same value always has the same public id, and no two values of a type share one.
//!
//! # What the encryption promises, and what not
//!
//! Without the key nobody learns a value, an order or a rate from public ids. Nobody can make up
//! ids of a type with zero bytes in its block either: a random public id is accepted with
//! probability 2^-64 for `u64`, 2^-65 for `i64` and 2^-35 for a
//! [`DistributedId`](crate::DistributedId), whose 32 zero bits are followed by a number that is at
//! most 10^28-1. **Every** public id decodes to some value of the types that use all 128 bits:
//! `u128`, `Uuid`, [`AnyUuid`](crate::AnyUuid), [`HotGuid`](crate::HotGuid) and
//! [`DistributedId128`](crate::DistributedId128). Formats with a version and a variant lie between:
//! of a COMB's or a random UUID's six fixed bits, one random public id in 64 has all right.
//!
//! A public id is therefore no proof of permission. It hides what an id would tell; whether the
//! caller may see the row is a question for the row.
//!
//! The type is not part of the block: the public id of a `u64` is that of the
//! [`DistributedId`](crate::DistributedId) with the same number. Use one key per purpose if that
//! matters.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::str::FromStr;

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, InvalidLength, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::text::{Encoding, ShortText, Width, hyphenated};
use crate::{Error, Format, FormatKind, PublicIdProblem};

/// A value that has a public id.
///
/// Implemented by `u64`, `i64`, `u128`, [`Uuid`] and every [`Format`]. A newtype forwards to the
/// value it wraps.
pub trait PublicIdValue: Sized {
    /// The name of the type in messages.
    const TYPE: &'static str;

    /// The sixteen bytes that are encrypted.
    ///
    /// # Errors
    ///
    /// [`Error::PublicId`] for a value that has no public id: a negative `i64`.
    fn to_block(&self) -> Result<[u8; 16], Error>;

    /// The value of sixteen decrypted bytes; nothing if no value of the type has this block.
    fn from_block(block: [u8; 16]) -> Option<Self>;
}

/// The block of a format's value.
pub(crate) fn block_of(kind: FormatKind, value: u128) -> [u8; 16] {
    match kind.width() {
        Width::Decimal28 => decimal_block(value),
        Width::U128 => value.to_be_bytes(),
        Width::I64 | Width::U64 => number_block(value as u64),
    }
}

/// The value that has this block, if it is of the format.
pub(crate) fn value_of(kind: FormatKind, block: [u8; 16]) -> Option<u128> {
    let value = match kind.width() {
        Width::Decimal28 => decimal_of(block)?,
        Width::U128 => u128::from_be_bytes(block),
        Width::I64 | Width::U64 => number_of(block)?.into(),
    };
    kind.admits(value).then_some(value)
}

/// Eight zero bytes, then the number in little-endian order.
fn number_block(value: u64) -> [u8; 16] {
    // The first byte of the block is the most significant one here.
    u128::from(value.swap_bytes()).to_be_bytes()
}

fn number_of(block: [u8; 16]) -> Option<u64> {
    u64::try_from(u128::from_be_bytes(block))
        .ok()
        .map(u64::swap_bytes)
}

/// Four zero bytes, then the upper 32 bits and the lower 64 bits, each in little-endian order.
fn decimal_block(value: u128) -> [u8; 16] {
    let upper = ((value >> 64) as u32).swap_bytes();
    let lower = (value as u64).swap_bytes();
    (u128::from(upper) << 64 | u128::from(lower)).to_be_bytes()
}

fn decimal_of(block: [u8; 16]) -> Option<u128> {
    let block = u128::from_be_bytes(block);
    let upper = u32::try_from(block >> 64).ok()?.swap_bytes();
    let lower = (block as u64).swap_bytes();
    Some(u128::from(upper) << 64 | u128::from(lower))
}

impl PublicIdValue for u64 {
    const TYPE: &'static str = "u64";

    fn to_block(&self) -> Result<[u8; 16], Error> {
        Ok(number_block(*self))
    }

    fn from_block(block: [u8; 16]) -> Option<Self> {
        number_of(block)
    }
}

/// From 0 on: a negative number has no public id.
impl PublicIdValue for i64 {
    const TYPE: &'static str = "i64";

    fn to_block(&self) -> Result<[u8; 16], Error> {
        match u64::try_from(*self) {
            Ok(value) => Ok(number_block(value)),
            Err(_) => Err(Error::PublicId(PublicIdProblem::Value {
                kind: Self::TYPE,
                reason: "it is negative",
            })),
        }
    }

    fn from_block(block: [u8; 16]) -> Option<Self> {
        number_of(block)?.try_into().ok()
    }
}

impl PublicIdValue for u128 {
    const TYPE: &'static str = "u128";

    fn to_block(&self) -> Result<[u8; 16], Error> {
        Ok(self.to_be_bytes())
    }

    fn from_block(block: [u8; 16]) -> Option<Self> {
        Some(Self::from_be_bytes(block))
    }
}

impl PublicIdValue for Uuid {
    const TYPE: &'static str = "Uuid";

    fn to_block(&self) -> Result<[u8; 16], Error> {
        Ok(self.into_bytes())
    }

    fn from_block(block: [u8; 16]) -> Option<Self> {
        Some(Self::from_bytes(block))
    }
}

impl<F: Format> PublicIdValue for F {
    const TYPE: &'static str = F::KIND.type_name();

    fn to_block(&self) -> Result<[u8; 16], Error> {
        Ok(block_of(F::KIND, self.to_u128()))
    }

    fn from_block(block: [u8; 16]) -> Option<Self> {
        value_of(F::KIND, block).map(Self::from_admitted)
    }
}

/// Turns values into public ids and back, with one AES key.
///
/// The key schedule is computed once; a cipher is used from any number of threads without a lock
/// (share it with `Arc` or in a `static`). It is wiped from memory when the cipher is dropped, and
/// there is no way to read or copy it.
///
/// ```
/// use rowkey_core::{DistributedId, PublicIdCipher};
///
/// let cipher = PublicIdCipher::from_base64("k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=")?;
/// let id: DistributedId = "1088824355131185736905670087".parse()?;
///
/// let public_id = cipher.encode(&id)?;
/// assert_eq!(public_id.to_string(), "30322474-a954-ffa9-941c-6f038afe4ff1");
/// assert_eq!(cipher.decode(public_id)?, id);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub struct PublicIdCipher(KeySchedule);

// The variants differ in size, but a program has one or two ciphers and a box would cost every
// call a step.
enum KeySchedule {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl PublicIdCipher {
    /// The cipher with this key, of 16, 24 or 32 bytes (AES-128, AES-192, AES-256).
    ///
    /// The caller's copy of the key stays the caller's to wipe.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::KeyLength`] for another number of bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, Error> {
        let schedule = match key.len() {
            16 => Aes128::new_from_slice(key).map(KeySchedule::Aes128),
            24 => Aes192::new_from_slice(key).map(KeySchedule::Aes192),
            32 => Aes256::new_from_slice(key).map(KeySchedule::Aes256),
            _ => Err(InvalidLength),
        };
        match schedule {
            Ok(schedule) => Ok(Self(schedule)),
            Err(InvalidLength) => Err(PublicIdProblem::KeyLength { found: key.len() }.into()),
        }
    }

    /// The cipher whose key is this text in standard base64 with padding. White space around the
    /// text, such as a file's last line feed, does not count.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::NoKey`] for an empty text, [`PublicIdProblem::Base64`] for one that is
    /// not base64 (white space inside it, missing padding, URL alphabet), and
    /// [`PublicIdProblem::KeyLength`] for a key of another length.
    pub fn from_base64(text: &str) -> Result<Self, Error> {
        let base64 = text.trim();
        if base64.is_empty() {
            return Err(PublicIdProblem::NoKey.into());
        }
        // Of the final size from the start: a buffer that grows leaves copies of the key behind.
        let capacity = base64::decoded_len_estimate(base64.len());
        let mut key = Zeroizing::new(vec![0; capacity]);
        match STANDARD.decode_slice(base64, &mut key) {
            Ok(length) => Self::from_key(&key[..length]),
            Err(_) => Err(explain_base64(text)),
        }
    }

    /// The cipher whose key is the content of a file, as for [`from_base64`](Self::from_base64).
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::File`] if the file cannot be read or is not text, and those of
    /// [`from_base64`](Self::from_base64).
    #[cfg(feature = "std")]
    pub fn from_file(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_base64(&Zeroizing::new(text)),
            Err(error) => {
                let message = alloc::format!("{}: {error}", path.display());
                Err(PublicIdProblem::File(message).into())
            }
        }
    }

    /// The cipher whose key is the value of an environment variable, as for
    /// [`from_base64`](Self::from_base64).
    ///
    /// The environment keeps its own copy of the key, which child processes inherit;
    /// [`from_file`](Self::from_file) does not have that problem.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::NoKey`] if there is no such variable, and those of
    /// [`from_base64`](Self::from_base64).
    #[cfg(feature = "std")]
    pub fn from_env(name: impl AsRef<std::ffi::OsStr>) -> Result<Self, Error> {
        match std::env::var_os(name) {
            // What is not Unicode has a replacement character at the first offending position.
            Some(value) => Self::from_base64(&Zeroizing::new(value.to_string_lossy().into_owned())),
            None => Err(PublicIdProblem::NoKey.into()),
        }
    }

    /// The public id of a value.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::Value`] for a value that has none: a negative `i64`.
    pub fn encode<T: PublicIdValue>(&self, value: &T) -> Result<PublicId<T>, Error> {
        let mut block = value.to_block()?.into();
        match &self.0 {
            KeySchedule::Aes128(aes) => aes.encrypt_block(&mut block),
            KeySchedule::Aes192(aes) => aes.encrypt_block(&mut block),
            KeySchedule::Aes256(aes) => aes.encrypt_block(&mut block),
        }
        Ok(PublicId::from_uuid(Uuid::from_bytes_le(block.into())))
    }

    /// The value of a public id.
    ///
    /// For types that use all 128 bits this never fails, whatever the public id: see
    /// [`PublicIdCiphers`] for what each type can tell.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::Unrecognised`] if no value of the type has this public id.
    pub fn decode<T: PublicIdValue>(&self, public_id: PublicId<T>) -> Result<T, Error> {
        T::from_block(self.decrypt(public_id.uuid)).ok_or_else(unrecognised::<T>)
    }

    fn decrypt(&self, public_id: Uuid) -> [u8; 16] {
        let mut block = public_id.to_bytes_le().into();
        match &self.0 {
            KeySchedule::Aes128(aes) => aes.decrypt_block(&mut block),
            KeySchedule::Aes192(aes) => aes.decrypt_block(&mut block),
            KeySchedule::Aes256(aes) => aes.decrypt_block(&mut block),
        }
        block.into()
    }
}

/// The key's length, never the key.
impl fmt::Debug for PublicIdCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            KeySchedule::Aes128(_) => "PublicIdCipher(AES-128, redacted)",
            KeySchedule::Aes192(_) => "PublicIdCipher(AES-192, redacted)",
            KeySchedule::Aes256(_) => "PublicIdCipher(AES-256, redacted)",
        })
    }
}

/// The position of the first character that is not of the base64 alphabet, or that ends the text
/// too early or wrongly.
#[cold]
fn explain_base64(text: &str) -> Error {
    let leading = text
        .chars()
        .take_while(|character| character.is_whitespace())
        .count();
    let in_alphabet =
        |character: char| matches!(character, 'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/');
    let position = leading + text.trim().chars().take_while(|&c| in_alphabet(c)).count();
    PublicIdProblem::Base64 { position }.into()
}

#[cold]
fn unrecognised<T: PublicIdValue>() -> Error {
    PublicIdProblem::Unrecognised { kind: T::TYPE }.into()
}

/// The keys of a rotation, newest first: the newest encodes, any decodes.
///
/// [`decode`](Self::decode) takes the first cipher under which the public id is one of the type's.
/// It can only do that as well as the type tells a wrong key from the right one:
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
/// So numbers and `DistributedId` rotate: public ids made with an older key keep working. For the
/// other types a new key turns some or all of the older public ids into ids of *other* values, at
/// best of none that exists. Rotate them only if that is what you want (all links given out so far
/// end), with a set of the one new key; while both keys are to be valid, carry the key's version
/// next to the public id, for instance in the path, and pick the [`PublicIdCipher`] by it.
///
/// ```
/// use rowkey_core::{PublicIdCipher, PublicIdCiphers};
///
/// let older = PublicIdCipher::from_key(&[1; 32])?;
/// let given_out = older.encode(&42_u64)?;
///
/// let ciphers = PublicIdCiphers::new(PublicIdCipher::from_key(&[2; 32])?).with_older(older);
/// assert_eq!(ciphers.decode(given_out)?, 42);
/// assert_ne!(ciphers.encode(&42_u64)?, given_out);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Debug)]
pub struct PublicIdCiphers {
    newest: PublicIdCipher,
    older: Vec<PublicIdCipher>,
}

impl PublicIdCiphers {
    /// The set of one cipher.
    pub fn new(newest: PublicIdCipher) -> Self {
        Self {
            newest,
            older: Vec::new(),
        }
    }

    /// Adds a cipher that is older than all in the set.
    #[must_use]
    pub fn with_older(mut self, cipher: PublicIdCipher) -> Self {
        self.older.push(cipher);
        self
    }

    /// The set of these ciphers, newest first.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::NoKey`] if there are none.
    pub fn newest_first(ciphers: impl IntoIterator<Item = PublicIdCipher>) -> Result<Self, Error> {
        let mut ciphers = ciphers.into_iter();
        match ciphers.next() {
            Some(newest) => Ok(Self {
                newest,
                older: ciphers.collect(),
            }),
            None => Err(PublicIdProblem::NoKey.into()),
        }
    }

    /// The public id of a value under the newest key.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::Value`] for a value that has none: a negative `i64`.
    pub fn encode<T: PublicIdValue>(&self, value: &T) -> Result<PublicId<T>, Error> {
        self.newest.encode(value)
    }

    /// The value of a public id under the first key, newest first, that makes it one of the type's.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::Unrecognised`] if no key does.
    pub fn decode<T: PublicIdValue>(&self, public_id: PublicId<T>) -> Result<T, Error> {
        core::iter::once(&self.newest)
            .chain(&self.older)
            .find_map(|cipher| T::from_block(cipher.decrypt(public_id.uuid)))
            .ok_or_else(unrecognised::<T>)
    }
}

impl From<PublicIdCipher> for PublicIdCiphers {
    fn from(cipher: PublicIdCipher) -> Self {
        Self::new(cipher)
    }
}

/// An encrypted id of a value of type `T`: 128 bits without meaning or useful order.
///
/// It is written as hyphenated lower-case text; [`encode`](Self::encode) has the shorter ones. The
/// `T` only keeps public ids of different types apart at compile time.
///
/// Making one from text, or reading it with serde (as text in formats for humans, as 16 bytes in
/// binary ones), takes no key: that the text belongs to a value turns out in
/// [`PublicIdCipher::decode`].
///
/// ```
/// use rowkey_core::PublicId;
/// use rowkey_core::text::Encoding;
///
/// let public_id: PublicId<u64> = "30322474-a954-ffa9-941c-6f038afe4ff1".parse()?;
/// assert_eq!(public_id.encode(Encoding::Alphanumeric), "48XoooHHCe1CiOHrghM7Dl");
/// assert_eq!(public_id.encode(Encoding::Hexadecimal), "30322474A954FFA9941C6F038AFE4FF1");
/// assert_eq!(PublicId::decode(Encoding::Alphanumeric, "48XoooHHCe1CiOHrghM7Dl")?, public_id);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub struct PublicId<T> {
    uuid: Uuid,
    // `fn() -> T`: a public id holds no `T`, so it is `Send` and `Sync` whatever `T` is.
    value: PhantomData<fn() -> T>,
}

impl<T> PublicId<T> {
    /// The public id of these 128 bits.
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self {
            uuid,
            value: PhantomData,
        }
    }

    /// The 128 bits. Their version and variant mean nothing.
    pub const fn as_uuid(&self) -> Uuid {
        self.uuid
    }

    /// The text in an encoding of 128 bits: 36 characters hyphenated, 22 alphanumeric, 32
    /// hexadecimal, up to 39 decimal.
    pub fn encode(&self, encoding: Encoding) -> ShortText {
        Width::U128.encode_admitted(encoding, self.uuid.as_u128())
    }

    /// Reads a text of an encoding of 128 bits.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] when the text does not have the encoding's length, alphabet or range.
    pub fn decode(encoding: Encoding, text: &str) -> Result<Self, Error> {
        Width::U128
            .decode(encoding, text)
            .map(|bits| Self::from_uuid(Uuid::from_u128(bits)))
    }
}

// By hand, because the derives would ask all of this of `T` as well.

impl<T> Clone for PublicId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PublicId<T> {}

impl<T> PartialEq for PublicId<T> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}

impl<T> Eq for PublicId<T> {}

impl<T> PartialOrd for PublicId<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of the text. It has nothing to do with the order of the values.
impl<T> Ord for PublicId<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.uuid.cmp(&other.uuid)
    }
}

impl<T> Hash for PublicId<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}

impl<T> fmt::Debug for PublicId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicId({self})")
    }
}

impl<T> fmt::Display for PublicId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.encode(Encoding::Uuid))
    }
}

impl<T> FromStr for PublicId<T> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        hyphenated::parse(text).map(|bits| Self::from_uuid(Uuid::from_u128(bits)))
    }
}

impl<T> From<Uuid> for PublicId<T> {
    fn from(uuid: Uuid) -> Self {
        Self::from_uuid(uuid)
    }
}

impl<T> From<PublicId<T>> for Uuid {
    fn from(public_id: PublicId<T>) -> Self {
        public_id.uuid
    }
}
