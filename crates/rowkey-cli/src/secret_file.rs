//! Files with a secret.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use crate::failure::Failure;

/// The largest file that is read.
const MAX_FILE_BYTES: usize = 4096;

/// What a file contains, for its errors.
pub(crate) struct SecretFile {
    /// What it contains, such as `the key`.
    pub(crate) content: &'static str,
    /// How long that is.
    pub(crate) limit: &'static str,
    /// How to give it otherwise.
    pub(crate) elsewhere: &'static str,
}

impl SecretFile {
    fn hint(&self) -> String {
        format!("name a file that contains only {}", self.content)
    }

    pub(crate) fn read(&self, path: &Path) -> Result<Zeroizing<String>, Failure> {
        let unreadable = |error| {
            Failure::bad_input(
                format_args!("the file cannot be read: {error}"),
                self.hint(),
            )
        };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        self.refuse_others_than_files(&metadata)?;
        self.refuse_shared(&metadata)?;
        // Large enough for everything that is read: a growing buffer leaves copies of it behind.
        let mut text = Zeroizing::new(String::with_capacity(2 * MAX_FILE_BYTES));
        file.take(MAX_FILE_BYTES as u64 + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        if text.len() > MAX_FILE_BYTES {
            return Err(Failure::bad_input(
                format_args!("the file has more than {MAX_FILE_BYTES} bytes"),
                self.limit,
            ));
        }
        Ok(text)
    }

    /// Directories and devices contain no secret, and the hint of [`refuse_shared`] must not make a
    /// user change the mode of a shared one such as `/dev/null`. Pipes are accepted: a shell passes
    /// the output of another program by one.
    fn refuse_others_than_files(&self, metadata: &Metadata) -> Result<(), Failure> {
        let kind = metadata.file_type();
        #[cfg(unix)]
        let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&kind);
        #[cfg(not(unix))]
        let is_pipe = false;
        if kind.is_file() || is_pipe {
            return Ok(());
        }
        Err(Failure::bad_input(
            "this is neither a file nor a pipe",
            self.hint(),
        ))
    }

    /// Like ssh, this refuses a file that other users can read or write.
    #[cfg(unix)]
    fn refuse_shared(&self, file: &Metadata) -> Result<(), Failure> {
        use std::os::unix::fs::PermissionsExt;

        let mode = file.permissions().mode() & 0o7777;
        let what = match mode & 0o077 {
            0 => return Ok(()),
            shared if shared & 0o022 != 0 => "write",
            _ => "read",
        };
        Err(Failure::bad_input(
            format_args!(
                "the file has the mode {mode:04o}: users other than its owner can {what} it"
            ),
            format!("make it private with `chmod 600`, or {}", self.elsewhere),
        ))
    }

    #[cfg(not(unix))]
    fn refuse_shared(&self, _: &Metadata) -> Result<(), Failure> {
        Ok(())
    }
}
