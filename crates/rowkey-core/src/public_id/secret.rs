//! One secret for the public ids of every entity, and the subkeys that are derived from it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::Error;
use crate::error::PublicIdProblem;
use crate::key::label_problem;
use crate::public_id::key;
use crate::public_id::rotation::Rotation;
use crate::public_id::{
    LabelledCipher, PublicIdCiphers, PublicIdLabel, PublicIdValue, SealedCipher,
};

const SALT: &[u8] = b"rowkey public id v1";

/// The secret behind the public ids of all entities: 32 random bytes.
///
/// Each entity's cipher has a subkey of its own, derived from the secret and the entity's
/// [label](PublicIdLabel). `openssl rand -base64 32` prints a new secret.
///
/// ```text
/// secret   32 bytes
/// subkey   HKDF-SHA256 (RFC 5869)
///          salt  "rowkey public id v1"
///          info  1 byte: length of the form | form | 1 byte: length of the label | label
///
/// form     subkey     what it is for
/// block    32 bytes   AES-256, one block                             LabelledCipher
/// sealed   64 bytes   AES-SIV: 32 bytes for CMAC, 32 bytes for CTR   SealedCipher
/// ```
///
/// The bytes are at one place on the heap, which is overwritten when the secret is dropped, and
/// there is no way to read or copy them. `Debug` does not show them.
///
/// ```
/// use rowkey_core::public_id::{PublicIdSecret, PublicIdSecrets};
///
/// let secret = PublicIdSecret::from_base64("k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=")?;
/// let secrets = PublicIdSecrets::new(secret);
/// let orders = secrets.cipher_for::<u64>("order")?;
/// let invoices = secrets.cipher_for::<u64>("invoice")?;
///
/// let public_id = orders.encode(&42)?;
/// assert_eq!(orders.decode(public_id)?, 42);
/// assert_eq!(
///     invoices.decode(public_id).unwrap_err().to_string(),
///     "not a public id of type u64 with the label `invoice` under any of the secrets: made up, \
///      changed, or made for another label or with another secret",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub struct PublicIdSecret(Box<Zeroizing<[u8; 32]>>);

impl PublicIdSecret {
    /// The secret of these 32 bytes. The caller's copy stays the caller's to wipe.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::SecretLength`] for another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut secret = Self(Box::default());
        if bytes.len() != secret.0.len() {
            return Err(PublicIdProblem::SecretLength { found: bytes.len() }.into());
        }
        secret.0.copy_from_slice(bytes);
        Ok(secret)
    }

    /// The secret that this text is in standard base64 with padding: 44 characters. White space
    /// around the text, such as a file's last line feed, does not count.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::NoKey`] for an empty text, [`PublicIdProblem::Base64`] for one that is
    /// not base64, and [`PublicIdProblem::SecretLength`] for another number of bytes.
    pub fn from_base64(text: &str) -> Result<Self, Error> {
        Self::from_bytes(&key::of_base64(text)?)
    }

    /// The secret in an environment variable, as for [`from_base64`](Self::from_base64).
    ///
    /// The environment keeps its own copy, which child processes inherit. A program that reads a
    /// file and calls [`from_base64`](Self::from_base64) does not have that problem.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::NoKey`] if there is no such variable, and those of
    /// [`from_base64`](Self::from_base64).
    #[cfg(feature = "std")]
    pub fn from_env(name: impl AsRef<std::ffi::OsStr>) -> Result<Self, Error> {
        Self::from_base64(&key::text_of_variable(name.as_ref())?)
    }

    /// The subkey of a form and a label, on the heap from the start.
    ///
    /// To be called in [`key::leaving_no_trace`].
    pub(super) fn subkey<const N: usize>(
        &self,
        form: &str,
        label: &str,
    ) -> Box<Zeroizing<[u8; N]>> {
        let mut subkey = Box::new(Zeroizing::new([0; N]));
        // One byte is enough: forms are known, and labels have at most 64 bytes.
        let [form_length, label_length] = [form, label].map(|text| [text.len() as u8]);
        let info: [&[u8]; 4] = [
            &form_length,
            form.as_bytes(),
            &label_length,
            label.as_bytes(),
        ];
        Hkdf::<Sha256>::new(Some(SALT), &**self.0)
            .expand_multi_info(&info, &mut subkey[..])
            .expect("HKDF-SHA256 gives up to 8160 bytes");
        subkey
    }
}

impl fmt::Debug for PublicIdSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublicIdSecret(redacted)")
    }
}

/// The secrets of a rotation, newest first, and the ciphers that are made from them: the newest
/// encodes, every one decodes.
///
/// A cipher is made once, when a program starts, and shared. How well it can tell the secrets
/// apart depends on its form: see [`LabelledCipher`] and [`SealedCipher`].
///
/// ```
/// use rowkey_core::public_id::{PublicIdSecret, PublicIdSecrets};
///
/// let older = PublicIdSecrets::new(PublicIdSecret::from_bytes(&[1; 32])?);
/// let given_out = older.cipher_for::<u64>("order")?.encode(&42)?;
///
/// let secrets = PublicIdSecrets::new(PublicIdSecret::from_bytes(&[2; 32])?)
///     .with_older(PublicIdSecret::from_bytes(&[1; 32])?);
/// let orders = secrets.cipher_for::<u64>("order")?;
/// assert_eq!(orders.decode(given_out)?, 42);
/// assert_ne!(orders.encode(&42)?, given_out);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Debug)]
pub struct PublicIdSecrets {
    secrets: Rotation<PublicIdSecret>,
    unlabelled: Option<Arc<PublicIdCiphers>>,
}

impl PublicIdSecrets {
    /// The set of one secret.
    pub fn new(newest: PublicIdSecret) -> Self {
        Self {
            secrets: Rotation::new(newest),
            unlabelled: None,
        }
    }

    /// Adds a secret that is older than all in the set.
    #[must_use]
    pub fn with_older(mut self, secret: PublicIdSecret) -> Self {
        self.secrets.push_older(secret);
        self
    }

    /// The set of these secrets, newest first.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::NoKey`] if there are none.
    pub fn newest_first(secrets: impl IntoIterator<Item = PublicIdSecret>) -> Result<Self, Error> {
        Ok(Self {
            secrets: Rotation::newest_first(secrets)?,
            unlabelled: None,
        })
    }

    /// Adds the ciphers that made public ids before there were labels, for links that are to go on.
    ///
    /// Every [`LabelledCipher`] then also decodes what one of these has encoded, if no secret
    /// recognises it. Such an id says nothing of its entity: as long as the ciphers are here, the
    /// public id of one entity can still be read as another's.
    #[must_use]
    pub fn with_unlabelled(mut self, ciphers: impl Into<PublicIdCiphers>) -> Self {
        self.unlabelled = Some(Arc::new(ciphers.into()));
        self
    }

    /// The cipher of one entity's public ids, which have 128 bits.
    pub fn cipher<T: PublicIdLabel>(&self) -> LabelledCipher<T> {
        self.cipher_with(declared_label::<T>())
    }

    /// The cipher of public ids with a label that only the running program knows, or of a type
    /// without a label.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::Label`] if this is not a label: see [`PublicIdLabel::LABEL`].
    pub fn cipher_for<T: PublicIdValue>(&self, label: &str) -> Result<LabelledCipher<T>, Error> {
        check_label(label)?;
        Ok(self.cipher_with(label))
    }

    /// The cipher of one entity's sealed ids, which have 256 bits.
    pub fn sealed_cipher<T: PublicIdLabel>(&self) -> SealedCipher<T> {
        SealedCipher::new(&self.secrets, declared_label::<T>())
    }

    /// The cipher of sealed ids with a label that only the running program knows, or of a type
    /// without a label.
    ///
    /// # Errors
    ///
    /// [`PublicIdProblem::Label`] if this is not a label: see [`PublicIdLabel::LABEL`].
    pub fn sealed_cipher_for<T: PublicIdValue>(
        &self,
        label: &str,
    ) -> Result<SealedCipher<T>, Error> {
        check_label(label)?;
        Ok(SealedCipher::new(&self.secrets, label))
    }

    fn cipher_with<T: PublicIdValue>(&self, label: &str) -> LabelledCipher<T> {
        LabelledCipher::new(&self.secrets, label, self.unlabelled.clone())
    }
}

impl From<PublicIdSecret> for PublicIdSecrets {
    fn from(secret: PublicIdSecret) -> Self {
        Self::new(secret)
    }
}

/// The label of a type, which is checked when it is compiled: `#[entity_key]` is not the only one
/// who can implement the trait.
fn declared_label<T: PublicIdLabel>() -> &'static str {
    const { crate::__private::check_public_id_label(T::LABEL) };
    T::LABEL
}

fn check_label(label: &str) -> Result<(), Error> {
    match label_problem(label) {
        Some(problem) => Err(PublicIdProblem::Label(problem).into()),
        None => Ok(()),
    }
}
