//! Quoting names: a backend reads exactly the given name, with any characters.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_fuzz::AnyBackend;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    backend: AnyBackend,
    name: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let (backend, name) = (input.backend.0, input.name);
    match quote_identifier(backend, name) {
        Ok(quoted) => assert_eq!(unquoted(backend, &quoted).as_deref(), Some(name)),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            assert!(!is_plain || name.is_empty() || name.len() > 63);
        }
    }
});

/// What a backend takes the quoted name for, if it is one name and nothing more.
fn unquoted(backend: Backend, quoted: &str) -> Option<String> {
    let (open, close) = match backend {
        Backend::Postgres => ('"', '"'),
        Backend::MySql | Backend::MariaDb | Backend::Sqlite => ('`', '`'),
        Backend::SqlServer => ('[', ']'),
    };
    let mut characters = quoted.strip_prefix(open)?.chars();
    let mut name = String::new();
    loop {
        let character = characters.next()?;
        if character != close {
            name.push(character);
        } else if characters.as_str().starts_with(close) {
            name.push(close);
            characters.next();
        } else {
            // The end of the name, and of the text.
            return characters.as_str().is_empty().then_some(name);
        }
    }
}
