//! Public ids of one entity: a block of AES-256 under the entity's own subkey.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::public_id::cipher::{blocks_of, values_of};
use crate::public_id::key;
use crate::public_id::label::not_of_label;
use crate::public_id::rotation::Rotation;
use crate::public_id::{PublicId, PublicIdCiphers, PublicIdSecret, PublicIdValue};
use crate::{Error, Uuid};
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes256, Block};

/// The form's name, from which the subkeys are derived.
const FORM: &str = "block";

/// Turns the values of one entity into public ids and back.
///
/// ```text
/// PublicIdValue::to_block (16 bytes) -> AES-256, one block -> the 16 bytes of the public id
/// ```
///
/// Make a cipher with [`PublicIdSecrets::cipher`](crate::public_id::PublicIdSecrets::cipher), which
/// computes the key schedules. Any number of threads can use the cipher without a lock. The
/// schedules are overwritten when the cipher is dropped, but each use may leave round keys on the
/// stack, the first of which are the subkey.
///
/// A value always has the same public id within one entity, and unrelated ones in different
/// entities. [`decode`](Self::decode) detects an id that was made up, or that belongs to another
/// entity, only by the type's fixed bits:
///
/// | type | such an id passes for a value |
/// |---|---|
/// | `u64`, `i64` | 1 time in 2^64, 2^65 |
/// | `DistributedId` | 1 time in about 2^35 |
/// | a key over `Luuid`, with its group | 1 time in 2^20 |
/// | `Iuid` | 1 time in 2^10 |
/// | COMBs, `UuidV4`, `UuidV7` | 1 time in 64 |
/// | `u128`, `Uuid`, `AnyUuid`, `HotGuid`, `DistributedId128` | always |
///
/// With several secrets, the first that yields a value of the type is used. So the table also gives
/// the probability that an id of an older secret decodes to another value. For the types in the
/// lower half, use [`SealedCipher`](crate::public_id::SealedCipher), whose ids cannot be mistaken.
pub struct LabelledCipher<T> {
    label: Box<str>,
    // Boxed, so that moving the cipher leaves no copies of the schedules behind.
    schedules: Rotation<Box<Aes256>>,
    legacy: Option<Arc<PublicIdCiphers>>,
    value: PhantomData<fn() -> T>,
}

impl<T> LabelledCipher<T> {
    pub(super) fn new(
        secrets: &Rotation<PublicIdSecret>,
        label: &str,
        legacy: Option<Arc<PublicIdCiphers>>,
    ) -> Self {
        Self {
            label: label.into(),
            schedules: secrets.map(|secret| {
                key::leaving_no_trace(|| {
                    let subkey = secret.subkey::<32>(FORM, label);
                    Box::new(Aes256::new((&**subkey).into()))
                })
            }),
            legacy,
            value: PhantomData,
        }
    }

    /// The label of the entity.
    pub fn label(&self) -> &str {
        &self.label
    }
}

impl<T: PublicIdValue> LabelledCipher<T> {
    /// The public id of a value under the newest secret.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a value without a public id: a negative `i64`.
    pub fn encode(&self, value: &T) -> Result<PublicId<T>, Error> {
        let mut block = value.to_block()?.to_be_bytes().into();
        self.schedules.newest.encrypt_block(&mut block);
        Ok(PublicId::from_uuid(Uuid::from_bytes(block.into())))
    }

    /// The value of a public id, from the first secret, newest first, that decrypts it to a valid
    /// value.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Format` if no secret does.
    pub fn decode(&self, public_id: PublicId<T>) -> Result<T, Error> {
        self.schedules
            .iter()
            .find_map(|schedule| {
                let mut block = public_id.as_uuid().into_bytes().into();
                schedule.decrypt_block(&mut block);
                T::from_block(u128::from_be_bytes(block.into()))
            })
            .or_else(|| self.legacy.as_ref()?.decode(public_id).ok())
            .ok_or_else(|| not_of_label::<T>(&self.label))
    }

    /// The public ids of many values under the newest secret, in their order: the processor
    /// encrypts several blocks at once, so that each takes a fraction of the time of
    /// [`encode`](Self::encode).
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if a value has no public id: a negative `i64`.
    pub fn encode_all(&self, values: &[T]) -> Result<Vec<PublicId<T>>, Error> {
        let mut blocks = blocks_of(values)?;
        self.schedules.newest.encrypt_blocks(&mut blocks);
        let uuids = blocks
            .into_iter()
            .map(|block| Uuid::from_bytes(block.into()));
        Ok(uuids.map(PublicId::from_uuid).collect())
    }

    /// The values of many public ids, each as [`decode`](Self::decode) returns it, in their order.
    /// Public ids of the newest secret are fast.
    pub fn decode_all(
        &self,
        public_ids: &[PublicId<T>],
    ) -> impl ExactSizeIterator<Item = Result<T, Error>> {
        let uuids = public_ids.iter().map(PublicId::as_uuid);
        let mut blocks: Vec<Block> = uuids.map(|uuid| uuid.into_bytes().into()).collect();
        self.schedules.newest.decrypt_blocks(&mut blocks);
        values_of(public_ids, blocks, |public_id| self.decode(public_id))
    }
}

impl<T> fmt::Debug for LabelledCipher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LabelledCipher({}, redacted)", self.label)
    }
}
