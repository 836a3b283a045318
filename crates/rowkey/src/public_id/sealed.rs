//! Longer public ids, which cannot be made up, changed or mistaken for another entity's.

use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use zeroize::Zeroizing;

use crate::Error;
use crate::public_id::key;
use crate::public_id::label::not_of_label;
use crate::public_id::rotation::Rotation;
use crate::public_id::{PublicIdSecret, PublicIdValue};
use crate::text::base62;

/// The form's name, from which the subkeys are derived.
const FORM: &str = "sealed";

/// AES-SIV operations cannot fail here: there is one item of associated data, and the limit is 126.
const ONE_ITEM: &str = "AES-SIV takes up to 126 items of associated data";

/// Turns the values of one entity into sealed ids and back: AES-SIV (RFC 5297).
///
/// ```text
/// PublicIdValue::to_block (16 bytes)
///     -> AES-SIV-CMAC-512, the label as its only associated data
///     -> synthetic IV (16 bytes) | ciphertext (16 bytes)
/// ```
///
/// Make a cipher with
/// [`PublicIdSecrets::sealed_cipher`](crate::public_id::PublicIdSecrets::sealed_cipher). Any number
/// of threads can use it without a lock. The subkey is overwritten when the cipher is dropped, but
/// each use may leave a copy on the stack.
///
/// A value always has the same sealed id within one entity, and unrelated ones in different
/// entities. Without the secret, a made-up id decodes with probability 2^-128, for any type. So an
/// id that was changed, or that belongs to another entity or secret, is an error, and you can
/// rotate the secret for every type. A sealed id still does not prove permission: anyone who has
/// the link has the id.
///
/// ```
/// use rowkey::public_id::{PublicIdSecret, PublicIdSecrets};
/// use rowkey::AnyUuid;
///
/// let secrets = PublicIdSecrets::new(PublicIdSecret::from_bytes(&[7; 32])?);
/// let customers = secrets.sealed_cipher_for::<AnyUuid>("customer")?;
/// let id: AnyUuid = "018e5f3b-ff48-7bff-8000-0123456789ab".parse()?;
///
/// let sealed = customers.encode(&id)?;
/// assert_eq!(sealed.to_string().len(), 44);
/// assert_eq!(customers.decode(sealed)?, id);
///
/// let suppliers = secrets.sealed_cipher_for::<AnyUuid>("supplier")?;
/// assert!(suppliers.decode(sealed).is_err());
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct SealedCipher<T> {
    label: Box<str>,
    // Every use mutates `Aes256Siv`, so each use makes one. Its traces on the stack are not
    // overwritten, because that would cost more than the encryption.
    subkeys: Rotation<Box<Zeroizing<[u8; 64]>>>,
    value: PhantomData<fn() -> T>,
}

impl<T> SealedCipher<T> {
    pub(super) fn new(secrets: &Rotation<PublicIdSecret>, label: &str) -> Self {
        Self {
            label: label.into(),
            subkeys: secrets.map(|secret| key::leaving_no_trace(|| secret.subkey(FORM, label))),
            value: PhantomData,
        }
    }

    /// The label of the entity.
    pub fn label(&self) -> &str {
        &self.label
    }
}

impl<T: PublicIdValue> SealedCipher<T> {
    /// The sealed id of a value under the newest secret.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a value without a public id: a negative `i64`.
    pub fn encode(&self, value: &T) -> Result<SealedId<T>, Error> {
        let mut block = value.to_block()?.to_be_bytes();
        let iv = siv(&self.subkeys.newest)
            .encrypt_inout_detached([&*self.label], (&mut block[..]).into())
            .expect(ONE_ITEM);
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&iv);
        bytes[16..].copy_from_slice(&block);
        Ok(SealedId::from_bytes(bytes))
    }

    /// The value of a sealed id, made with any of the secrets.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Format` if no secret made the id: it was made up or changed, or is of another
    /// label or secret.
    pub fn decode(&self, id: SealedId<T>) -> Result<T, Error> {
        self.subkeys
            .iter()
            .find_map(|subkey| T::from_block(self.open(subkey, id.bytes)?))
            .ok_or_else(|| not_of_label::<T>(&self.label))
    }

    fn open(&self, subkey: &[u8; 64], id: [u8; 32]) -> Option<u128> {
        let (iv, block) = id.split_first_chunk::<16>()?;
        let mut block: [u8; 16] = block.try_into().ok()?;
        siv(subkey)
            .decrypt_inout_detached([&*self.label], (&mut block[..]).into(), iv.into())
            .ok()?;
        Some(u128::from_be_bytes(block))
    }
}

fn siv(subkey: &[u8; 64]) -> Aes256Siv {
    Aes256Siv::new(subkey.into())
}

impl<T> fmt::Debug for SealedCipher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedCipher({}, redacted)", self.label)
    }
}

/// A sealed id of a value of type `T`: 256 bits without meaning or useful order.
///
/// The text has 44 alphanumeric characters (`0-9A-Za-z`, letter case matters), eleven for each
/// eight bytes. The `T` only keeps ids of different types apart at compile time.
///
/// Parsing text, or deserializing with serde (text in human-readable formats, 32 bytes in binary
/// ones), requires no secret: [`SealedCipher::decode`] checks whether the text belongs to a value.
pub struct SealedId<T> {
    bytes: [u8; 32],
    // `fn() -> T`: an id holds no `T`, so it is `Send` and `Sync` for any `T`.
    value: PhantomData<fn() -> T>,
}

impl<T> SealedId<T> {
    /// The id of these bytes: synthetic IV and ciphertext.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self {
            bytes,
            value: PhantomData,
        }
    }

    /// The synthetic IV and the ciphertext.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.bytes
    }
}

impl_id_traits!(SealedId, bytes);

impl<T> fmt::Debug for SealedId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedId({self})")
    }
}

impl<T> fmt::Display for SealedId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = base62::encode_32_bytes(&self.bytes);
        f.pad(core::str::from_utf8(&text).unwrap_or_default())
    }
}

impl<T> FromStr for SealedId<T> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        base62::decode_32_bytes(text).map(Self::from_bytes)
    }
}
