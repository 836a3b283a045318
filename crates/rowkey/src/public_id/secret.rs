//! One secret for the public ids of every entity, and the subkeys that are derived from it.

use alloc::boxed::Box;
use alloc::format;
use core::fmt;

use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::Error;
use crate::error::ErrorKind;
use crate::public_id::key;

const SALT: &[u8] = b"rowkey public id v1";

/// The secret behind the public ids of all entities: 32 random bytes.
///
/// Each entity's cipher has its own subkey, derived from the secret and the entity's
/// [label](crate::public_id::PublicIdLabel). `openssl rand -base64 32` prints a new secret.
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
/// The bytes are stored once, on the heap, are overwritten when the secret is dropped, and cannot
/// be read or copied. `Debug` does not show them.
///
/// ```
/// use rowkey::public_id::{PublicIdSecret, PublicIdSecrets};
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
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct PublicIdSecret(Box<Zeroizing<[u8; 32]>>);

impl PublicIdSecret {
    /// The secret of these 32 bytes. You are responsible for wiping your own copy.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut secret = Self(Box::default());
        if bytes.len() != secret.0.len() {
            let found = bytes.len();
            return Err(Error::new(
                ErrorKind::Declaration,
                format!("a secret for public ids has 32 bytes, this one has {found}"),
            ));
        }
        secret.0.copy_from_slice(bytes);
        Ok(secret)
    }

    /// The secret from 44 characters of standard base64 with padding. White space around the text,
    /// such as a trailing line feed, is ignored.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for text that is empty or not base64, and for another number of
    /// bytes.
    pub fn from_base64(text: &str) -> Result<Self, Error> {
        Self::from_bytes(&key::of_base64(text)?)
    }

    /// The secret in an environment variable, as for [`from_base64`](Self::from_base64).
    ///
    /// The environment keeps its own copy, which child processes inherit. A program that reads a
    /// file and calls [`from_base64`](Self::from_base64) avoids that problem.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if there is no such variable, and the errors of
    /// [`from_base64`](Self::from_base64).
    #[cfg(feature = "std")]
    pub fn from_env(name: impl AsRef<std::ffi::OsStr>) -> Result<Self, Error> {
        Self::from_base64(&key::text_of_variable(name.as_ref())?)
    }

    /// The subkey of a form and a label, on the heap from the start.
    /// Call it within [`key::leaving_no_trace`].
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
