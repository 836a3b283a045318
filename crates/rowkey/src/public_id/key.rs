//! Cipher keys and secrets from base64 text or the environment.

use alloc::format;
#[cfg(feature = "std")]
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::error::ErrorKind;

/// The bytes of text in standard base64 with padding. White space around the text is ignored.
pub(super) fn of_base64(text: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let base64 = text.trim();
    if base64.is_empty() {
        return Err(no_key());
    }
    // Allocated at its final size: a buffer that grows leaves copies of the key behind.
    let capacity = base64::decoded_len_estimate(base64.len());
    let mut key = Zeroizing::new(vec![0; capacity]);
    match STANDARD.decode_slice(base64, &mut key) {
        Ok(length) => {
            key.truncate(length);
            Ok(key)
        }
        Err(_) => Err(explain_base64(text)),
    }
}

/// The error if no key or secret was given.
#[cold]
pub(super) fn no_key() -> Error {
    Error::new(ErrorKind::Declaration, "no cipher key was given")
}

#[cfg(feature = "std")]
pub(super) fn text_of_variable(name: &std::ffi::OsStr) -> Result<Zeroizing<String>, Error> {
    match std::env::var_os(name) {
        // A value that is not Unicode has a replacement character at the first invalid position.
        Some(value) => Ok(Zeroizing::new(match value.into_string() {
            Ok(text) => text,
            Err(value) => value.to_string_lossy().into_owned(),
        })),
        None => Err(no_key()),
    }
}

/// The position of the first character that is not in the base64 alphabet, or at which the text
/// ends too early or has wrong padding.
#[cold]
fn explain_base64(text: &str) -> Error {
    let leading = text
        .chars()
        .take_while(|character| character.is_whitespace())
        .count();
    let in_alphabet =
        |character: char| matches!(character, 'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/');
    let position = leading + text.trim().chars().take_while(|&c| in_alphabet(c)).count();
    Error::new(
        ErrorKind::Declaration,
        format!("the key is not standard base64 with padding (position {position})"),
    )
}

/// Makes something on the heap from a key, and overwrites the part of the stack that was used.
///
/// Libraries pass keys and key schedules by value, and each move leaves a copy on the stack: twenty
/// copies of one key in a debug build. Both calls start at the same stack depth, so the second
/// overwrites the first.
pub(super) fn leaving_no_trace<T>(make: impl FnOnce() -> T) -> T {
    let made = called(make);
    overwrite_stack();
    made
}

#[inline(never)]
fn called<T>(make: impl FnOnce() -> T) -> T {
    make()
}

/// More stack than the deepest computation of a key needs.
#[inline(never)]
fn overwrite_stack() {
    let mut area = [0_u8; 16 * 1024];
    area.zeroize();
}
