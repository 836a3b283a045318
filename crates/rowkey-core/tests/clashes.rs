//! Constants and running programs refuse the same entries, and say why in the same words.

use std::panic::{UnwindSafe, catch_unwind};

use rowkey_core::luuid::{GroupRegistry, KeyGroup};
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
        let error = GroupRegistry::try_from_iter(groups.iter().copied()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(panicked(|| GroupRegistry::new(groups)), message);
    }
}
