//! The error for what SQL can't express.

use alloc::borrow::Cow;

use rowkey_core::Error;
use rowkey_core::error::ErrorKind;

#[cold]
pub(crate) fn refused(reason: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Declaration, reason)
}
