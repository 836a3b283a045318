//! Constants and running programs refuse the same entries, and say why in the same words.

use std::panic::{UnwindSafe, catch_unwind};

use proptest::prelude::*;
use rowkey_core::luuid::{KeyGroup, KeyGroups};
use rowkey_core::routing::{Country, Registry};

/// What stops a constant.
fn panicked<T>(constant: impl FnOnce() -> T + UnwindSafe) -> String {
    let payload = catch_unwind(constant).err().expect("it stops");
    let message = payload.downcast_ref::<String>();
    message.expect("panics of constants have a message").clone()
}

#[test]
fn names() {
    let lists: [(&[(u8, &str)], &str); 6] = [
        (
            &[(1, "Kazakhstan"), (2, "Norway"), (1, "Brazil")],
            "the country `Brazil` has the number 1 of `Kazakhstan`",
        ),
        (
            &[(7, "Brazil"), (255, "Brazil")],
            "the country `Brazil` is listed twice, with the numbers 7 and 255",
        ),
        (
            &[(10, "Brazil"), (10, "Brazil")],
            "the country `Brazil` is listed twice, with the numbers 10 and 10",
        ),
        (
            &[(1, "Norway"), (2, "")],
            "\"\" is not a valid country name: it is empty or has white space around it",
        ),
        (
            &[(1, " Brazil\t")],
            "\" Brazil\\t\" is not a valid country name: it is empty or has white space around it",
        ),
        (
            &[(0, "Brazil\r\n")],
            "\"Brazil\\r\\n\" is not a valid country name: it is empty or has white space around it",
        ),
    ];
    for (list, message) in lists {
        let read = list
            .iter()
            .map(|(number, name)| (i64::from(*number), *name));
        let error = Registry::<Country>::try_from_iter(read).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(panicked(move || Registry::<Country>::new(list)), message);
    }
}

#[test]
fn groups() {
    const CLASH: &[KeyGroup] = &[
        KeyGroup::named("com.acme.Order", "OrderId"),
        KeyGroup::named("com.acme.Price", "PriceId"),
        KeyGroup::named("com.acme.Wallet", "WalletId"),
    ];
    const TWICE: &[KeyGroup] = &[
        KeyGroup::named("com.acme.Order", "OrderId"),
        KeyGroup::named("com.acme.Order", "OrderKey"),
    ];
    for (groups, message) in [
        (
            CLASH,
            "the groups `com.acme.Price` and `com.acme.Wallet` have the same CRC-12 1dd; give the \
             newer one another name",
        ),
        (
            TWICE,
            "the group `com.acme.Order` is declared twice, for OrderId and for OrderKey",
        ),
    ] {
        let error = KeyGroups::try_from_iter(groups.iter().copied()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(panicked(|| KeyGroups::new(groups)), message);
    }
}

/// As many names as there are numbers, within the compiler's limit for constant evaluation. They
/// have the same length, and differ at their ends only.
static NAMES: [[u8; 40]; 256] = {
    let mut names = [*b"com.example.accounting.ledger.journal.@@"; 256];
    let mut number = 0;
    while number < 256 {
        names[number][38] = b'a' + (number / 16) as u8;
        names[number][39] = b'a' + (number % 16) as u8;
        number += 1;
    }
    names
};

static ENTRIES: [(u8, &str); 256] = {
    let mut entries = [(0, ""); 256];
    let mut number = 0;
    while number < 256 {
        entries[number] = match std::str::from_utf8(&NAMES[number]) {
            Ok(name) => (number as u8, name),
            Err(_) => panic!("only ASCII"),
        };
        number += 1;
    }
    entries
};

const COUNTRIES: Registry<Country> = Registry::new(&ENTRIES);

#[test]
fn every_number_has_its_name() {
    for (number, name) in ENTRIES {
        assert_eq!(COUNTRIES.name(number), Some(name));
        assert_eq!(COUNTRIES.number(name), Ok(number));
    }
}

#[test]
fn a_constant_registry_is_extended_when_the_program_starts() {
    let mut countries = Registry::<Country>::new(&[(1, "Kazakhstan")]);
    countries.register((2, "Brazil")).unwrap();
    let before = countries.clone();
    for (entry, message) in [
        (
            (1, "Norway"),
            "the country `Norway` has the number 1 of `Kazakhstan`",
        ),
        (
            (3, "Brazil"),
            "the country `Brazil` is listed twice, with the numbers 2 and 3",
        ),
        (
            (256, "Norway"),
            "the country `Norway` has the number 256; numbers are 0 to 255",
        ),
    ] {
        assert_eq!(countries.register(entry).unwrap_err().to_string(), message);
        assert_eq!(countries, before);
    }
    assert_eq!(
        countries,
        Registry::new(&[(1, "Kazakhstan"), (2, "Brazil")])
    );
    let entries: Vec<_> = countries.iter().collect();
    assert_eq!(entries, [(1, "Kazakhstan"), (2, "Brazil")]);
}

/// Constants have no `format!`, but do not shorten what they say.
#[test]
fn long_names_are_whole() {
    for len in [400, 600, 2_000, 30_000] {
        let (one, other) = ("A".repeat(len), "é".repeat(len / 2));
        let list = vec![(1, &*one.leak()), (1, &*other.leak())].leak();
        let error = Registry::<Country>::try_from_iter(widened(list)).unwrap_err();
        assert!(error.to_string().len() > 2 * len);
        assert_eq!(
            panicked(|| Registry::<Country>::new(list)),
            error.to_string()
        );
    }
}

fn widened(list: &[(u8, &'static str)]) -> impl Iterator<Item = (i64, &'static str)> {
    list.iter()
        .map(|(number, name)| (i64::from(*number), *name))
}

proptest! {
    #[test]
    fn any_list_is_accepted_by_both_or_refused_by_both(
        entries in prop::collection::vec((0_u8..6, prop::sample::select(&["a", "b", "c", "d", "", "e "])), 0..8),
    ) {
        let list: &'static [_] = entries.leak();
        match Registry::<Country>::try_from_iter(widened(list)) {
            Ok(read) => prop_assert_eq!(read, Registry::new(list)),
            Err(error) => {
                prop_assert_eq!(panicked(|| Registry::<Country>::new(list)), error.to_string());
            }
        }
    }
}
