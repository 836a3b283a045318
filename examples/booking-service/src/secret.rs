//! The secret of public ids, from the environment.

use std::env;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rowkey::public_id::PublicIdSecret;
use zeroize::Zeroizing;

const VARIABLE: &str = "BOOKING_PUBLIC_ID_KEY";
const FILE_VARIABLE: &str = "BOOKING_PUBLIC_ID_KEY_FILE";

/// A secret has 44 characters.
const MAX_FILE_BYTES: usize = 4096;

/// The secret from the environment, or a random one.
pub(crate) fn from_environment() -> Result<PublicIdSecret> {
    let is_set = |name| env::var_os(name).is_some();
    match (is_set(VARIABLE), env::var_os(FILE_VARIABLE)) {
        (true, Some(_)) => bail!("{VARIABLE} and {FILE_VARIABLE} are both set"),
        (true, None) => PublicIdSecret::from_env(VARIABLE).context(VARIABLE),
        (false, Some(path)) => in_file(path.as_ref()).context(FILE_VARIABLE),
        (false, None) => {
            tracing::warn!(
                "neither {VARIABLE} nor {FILE_VARIABLE} is set: public ids will change at the \
                 next start"
            );
            let mut secret = [0; 32];
            getrandom::fill(&mut secret).context("cannot generate the secret of public ids")?;
            Ok(PublicIdSecret::from_bytes(&secret)?)
        }
    }
}

/// The secret in a file. Its text is overwritten once it has been read.
fn in_file(path: &Path) -> Result<PublicIdSecret> {
    let unreadable = || format!("{} cannot be read", path.display());
    let file = File::open(path).with_context(unreadable)?;
    refuse_shared(&file.metadata().with_context(unreadable)?)
        .with_context(|| format!("{} is not used", path.display()))?;
    // Large enough from the start: a buffer that grows leaves copies of the secret in memory.
    let mut text = Zeroizing::new(String::with_capacity(2 * MAX_FILE_BYTES));
    file.take(MAX_FILE_BYTES as u64)
        .read_to_string(&mut text)
        .with_context(unreadable)?;
    Ok(PublicIdSecret::from_base64(&text)?)
}

/// Refuses a file that other users can read or write, as the `rowkey` command and ssh do.
fn refuse_shared(file: &Metadata) -> Result<()> {
    let mode = file.permissions().mode() & 0o7777;
    ensure!(
        mode & 0o077 == 0,
        "its mode is {mode:04o}: users other than its owner can read or write it; make it private with \
         `chmod 600`"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    const SECRET: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=";

    #[test]
    fn a_file_that_others_can_open_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, format!("{SECRET}\n")).unwrap();
        for mode in [0o600, 0o400] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            assert!(in_file(file.path()).is_ok(), "{mode:o}");
        }
        for mode in [0o644, 0o640, 0o604, 0o620, 0o602, 0o610] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let error = format!("{:#}", in_file(file.path()).unwrap_err());
            assert!(error.contains(&format!("{mode:04o}")), "{error}");
            assert!(!error.contains(SECRET), "{error}");
        }
    }
}
