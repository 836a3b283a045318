//! The secrets of a rotation, and the ciphers that are made from them.

use alloc::sync::Arc;

use crate::Error;
use crate::emit::{check_public_id_label, label_problem};
use crate::error::ErrorKind;
use crate::public_id::cipher::PublicIdCiphers;
use crate::public_id::label::PublicIdLabel;
use crate::public_id::labelled::LabelledCipher;
use crate::public_id::rotation::Rotation;
use crate::public_id::sealed::SealedCipher;
use crate::public_id::secret::PublicIdSecret;
use crate::public_id::value::PublicIdValue;

/// The secrets of a rotation, newest first, and the ciphers made from them. The newest secret
/// encodes; all of them decode.
///
/// Make each cipher once, when the program starts, and share it. How reliably a cipher recognises
/// the right secret depends on its form: see [`LabelledCipher`] and [`SealedCipher`].
///
/// ```
/// use rowkey::public_id::{PublicIdSecret, PublicIdSecrets};
///
/// let older = PublicIdSecrets::new(PublicIdSecret::from_bytes(&[1; 32])?);
/// let given_out = older.cipher_for::<u64>("order")?.encode(&42)?;
///
/// let secrets = PublicIdSecrets::new(PublicIdSecret::from_bytes(&[2; 32])?)
///     .with_older(PublicIdSecret::from_bytes(&[1; 32])?);
/// let orders = secrets.cipher_for::<u64>("order")?;
/// assert_eq!(orders.decode(given_out)?, 42);
/// assert_ne!(orders.encode(&42)?, given_out);
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Debug)]
pub struct PublicIdSecrets {
    secrets: Rotation<PublicIdSecret>,
    legacy: Option<Arc<PublicIdCiphers>>,
}

impl PublicIdSecrets {
    /// The set of one secret.
    pub fn new(newest: PublicIdSecret) -> Self {
        Self {
            secrets: Rotation::new(newest),
            legacy: None,
        }
    }

    /// Adds a secret that is older than all others in the set.
    #[must_use]
    pub fn with_older(mut self, secret: PublicIdSecret) -> Self {
        self.secrets.push_older(secret);
        self
    }

    /// The set of these secrets, newest first.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if there are none.
    pub fn newest_first(secrets: impl IntoIterator<Item = PublicIdSecret>) -> Result<Self, Error> {
        Ok(Self {
            secrets: Rotation::newest_first(secrets)?,
            legacy: None,
        })
    }

    /// Adds the ciphers that made public ids before there were labels, for links that must keep
    /// working.
    ///
    /// Every [`LabelledCipher`] then also decodes ids that one of these ciphers has encoded, if no
    /// secret recognises them. Such an id is not bound to its entity: while these ciphers are in
    /// use, the public id of one entity can still be decoded as another's.
    #[must_use]
    pub fn with_legacy(mut self, ciphers: impl Into<PublicIdCiphers>) -> Self {
        self.legacy = Some(Arc::new(ciphers.into()));
        self
    }

    /// The cipher of one entity's public ids, which have 128 bits.
    pub fn cipher<T: PublicIdLabel>(&self) -> LabelledCipher<T> {
        self.cipher_with(declared_label::<T>())
    }

    /// The cipher of public ids with a label that is known only at run time, or of a type without a
    /// label.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if `label` is not a label: see [`PublicIdLabel::LABEL`].
    pub fn cipher_for<T: PublicIdValue>(&self, label: &str) -> Result<LabelledCipher<T>, Error> {
        check_label(label)?;
        Ok(self.cipher_with(label))
    }

    /// The cipher of one entity's sealed ids, which have 256 bits.
    pub fn sealed_cipher<T: PublicIdLabel>(&self) -> SealedCipher<T> {
        SealedCipher::new(&self.secrets, declared_label::<T>())
    }

    /// The cipher of sealed ids with a label that is known only at run time, or of a type without a
    /// label.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if `label` is not a label: see [`PublicIdLabel::LABEL`].
    pub fn sealed_cipher_for<T: PublicIdValue>(
        &self,
        label: &str,
    ) -> Result<SealedCipher<T>, Error> {
        check_label(label)?;
        Ok(SealedCipher::new(&self.secrets, label))
    }

    fn cipher_with<T: PublicIdValue>(&self, label: &str) -> LabelledCipher<T> {
        LabelledCipher::new(&self.secrets, label, self.legacy.clone())
    }
}

impl From<PublicIdSecret> for PublicIdSecrets {
    fn from(secret: PublicIdSecret) -> Self {
        Self::new(secret)
    }
}

/// The label of a type, checked at compile time, because the trait can also be implemented without
/// `#[entity_key]`.
fn declared_label<T: PublicIdLabel>() -> &'static str {
    const { check_public_id_label(T::LABEL) };
    T::LABEL
}

fn check_label(label: &str) -> Result<(), Error> {
    match label_problem(label) {
        Some(problem) => Err(Error::new(ErrorKind::Declaration, problem)),
        None => Ok(()),
    }
}
