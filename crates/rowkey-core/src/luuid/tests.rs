//! Groups of every possible number, within the compiler's limit for constant evaluation.

use super::{KeyGroup, KeyGroups, refuse_union};
use crate::format::LuuidGroup;

const COUNT: usize = LuuidGroup::COUNT;

/// Names that differ in their first and last characters only, and all in their CRC-12.
static NAMES: [[u8; NAME.len()]; COUNT] = {
    let mut names = [*NAME; COUNT];
    let mut index = 0;
    while index < COUNT {
        names[index][0] = 0x40 | (index >> 6) as u8;
        names[index][NAME.len() - 1] = 0x40 | (index & 0x3f) as u8;
        index += 1;
    }
    names
};
const NAME: &[u8; 46] = b"@.example.accounting.ledger.journal.entities.@";

/// Prefixes of the greatest length, which differ in their last three characters only.
static PREFIXES: [[u8; 24]; COUNT] = {
    let mut prefixes = [[b'q'; 24]; COUNT];
    let mut index = 0;
    while index < COUNT {
        let mut rest = index;
        let mut digit = 24;
        while rest > 0 {
            digit -= 1;
            prefixes[index][digit] = b'a' + (rest % 16) as u8;
            rest /= 16;
        }
        index += 1;
    }
    prefixes
};

const fn text(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("only ASCII"),
    }
}

static GROUPS: [KeyGroup; COUNT] = {
    let mut groups = [KeyGroup::named("", ""); COUNT];
    let mut index = 0;
    while index < COUNT {
        groups[index] = KeyGroup::named(text(&NAMES[index]), "RowId");
        groups[index].prefix = Some(text(&PREFIXES[index]));
        index += 1;
    }
    groups
};

/// More keys than an enum has.
const _: () = refuse_union(GROUPS.split_at(256).0);

const ALL: KeyGroups = KeyGroups::new(&GROUPS);

#[test]
fn every_number_has_its_group() {
    for number in 0..COUNT as u16 {
        let group = LuuidGroup::new(number).expect("12 bits");
        let found = ALL.get(group).expect("one for each number");
        assert_eq!(found.group(), group);
    }
}
