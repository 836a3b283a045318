//! What registries compare, and the check of a constant list.

use super::key_group::KeyGroup;
use crate::clash::Clash;
use crate::format::LuuidGroup;
use crate::message::equal;

/// An entry of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// The group of a key, whose number is computed from its name.
    Group(KeyGroup),
    /// A name with a number.
    Name {
        /// What the name is of, such as `country`.
        kind: &'static str,
        /// The number.
        number: u8,
        /// The name.
        name: &'a str,
    },
}

impl<'a> Entry<'a> {
    pub(super) const fn number_and_name(self) -> (u16, &'a str) {
        match self {
            Self::Group(group) => (group.group().get(), group.name()),
            Self::Name { number, name, .. } => (number as u16, name),
        }
    }

    /// What is wrong with this entry alone.
    pub(super) const fn invalid(self) -> Option<Clash<'a>> {
        match self {
            Self::Name { kind, name, .. } if !is_name(name) => Some(Clash::NoName { kind, name }),
            _ => None,
        }
    }

    /// The conflict with a later entry of the same registry, if there is one.
    pub(super) const fn clash(self, later: Self) -> Option<Clash<'a>> {
        match (self, later) {
            (Self::Group(earlier), Self::Group(later)) => {
                if earlier.group().get() != later.group().get() {
                    return None;
                }
                Some(if equal(earlier.name(), later.name()) {
                    Clash::DeclaredTwice {
                        name: later.name(),
                        keys: (earlier.key(), later.key()),
                    }
                } else {
                    Clash::SameCrc {
                        group: later.group().get(),
                        names: (earlier.name(), later.name()),
                    }
                })
            }
            (
                Self::Name {
                    number: n0,
                    name: earlier,
                    ..
                },
                Self::Name { kind, number, name },
            ) => {
                if equal(earlier, name) {
                    let numbers = (n0, number);
                    return Some(Clash::SameName {
                        kind,
                        name,
                        numbers,
                    });
                }
                if n0 != number {
                    return None;
                }
                let names = (earlier, name);
                Some(Clash::SameNumber {
                    kind,
                    number,
                    names,
                })
            }
            _ => None,
        }
    }
}

/// Whether a name is valid: neither empty nor with white space around it. Works in constants, where
/// `str::trim` is not available.
const fn is_name(name: &str) -> bool {
    // The UTF-8 encodings of the `char::is_whitespace` characters.
    !matches!(
        name.as_bytes(),
        [] | [b'\t'..=b'\r' | b' ', ..]
            | [0xc2, 0x85 | 0xa0, ..]
            | [0xe1, 0x9a, 0x80, ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
            | [0xe2, 0x81, 0x9f, ..]
            | [0xe3, 0x80, 0x80, ..]
            | [.., b'\t'..=b'\r' | b' ']
            | [.., 0xc2, 0x85 | 0xa0]
            | [.., 0xe1, 0x9a, 0x80]
            | [.., 0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf]
            | [.., 0xe2, 0x81, 0x9f]
            | [.., 0xe3, 0x80, 0x80]
    )
}

/// The entries of a constant.
#[derive(Clone, Copy)]
pub(crate) enum List<'a> {
    Groups(&'a [KeyGroup]),
    Names {
        kind: &'static str,
        entries: &'a [(u8, &'a str)],
    },
}

impl<'a> List<'a> {
    const fn len(self) -> usize {
        match self {
            Self::Groups(groups) => groups.len(),
            Self::Names { entries, .. } => entries.len(),
        }
    }

    const fn get(self, index: usize) -> Entry<'a> {
        match self {
            Self::Groups(groups) => Entry::Group(groups[index]),
            Self::Names { kind, entries } => {
                let (number, name) = entries[index];
                Entry::Name { kind, number, name }
            }
        }
    }
}

/// Panics with a message that names both entries if two in the list clash, or one is invalid.
///
/// In one pass, because the compiler limits constant evaluation.
#[track_caller]
pub(crate) const fn refuse_clashes(list: List<'_>) {
    // The position in the list of each number's entry, counted from 1.
    let mut numbers = [0; LuuidGroup::COUNT];
    // Twice the maximum number of names that have numbers. Groups with the same name have the same
    // number.
    let mut names = TextTable::<512>::EMPTY;
    let mut index = 0;
    while index < list.len() {
        let entry = list.get(index);
        if let Some(clash) = entry.invalid() {
            clash.message().panic();
        }
        index += 1;
        let place = &mut numbers[entry.number_and_name().0 as usize];
        let mut earlier = *place;
        if let Entry::Name { name, .. } = entry
            && let Some(same) = names.insert(name, index)
            && (earlier == 0 || same < earlier)
        {
            earlier = same;
        }
        if earlier != 0
            && let Some(clash) = list.get(earlier - 1).clash(entry)
        {
            clash.message().panic();
        }
        *place = index;
    }
}

/// Strings and their places, for constants: a hash table that must have a free slot.
pub(crate) struct TextTable<'a, const SLOTS: usize> {
    slots: [Option<(&'a str, usize)>; SLOTS],
}

impl<'a, const SLOTS: usize> TextTable<'a, SLOTS> {
    pub(crate) const EMPTY: Self = Self {
        slots: [None; SLOTS],
    };

    /// Adds a text, or returns the place of the one that is there.
    pub(crate) const fn insert(&mut self, text: &'a str, place: usize) -> Option<usize> {
        let mut slot = hash(text) % SLOTS;
        while let Some((known, place)) = self.slots[slot] {
            if equal(known, text) {
                return Some(place);
            }
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = Some((text, place));
        None
    }
}

/// FNV-1a of 32 bits.
const fn hash(text: &str) -> usize {
    let text = text.as_bytes();
    let mut hash: u32 = 0x811c_9dc5;
    let mut index = 0;
    while index < text.len() {
        hash = (hash ^ text[index] as u32).wrapping_mul(0x0100_0193);
        index += 1;
    }
    hash as usize
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn no_name_begins_or_ends_with_white_space() {
        for character in '\0'..=char::MAX {
            let is_part = !character.is_whitespace();
            assert_eq!(is_name(&format!("{character}x")), is_part, "{character:?}");
            assert_eq!(is_name(&format!("x{character}")), is_part, "{character:?}");
        }
        assert!(is_name("New Zealand"));
        assert!(!is_name(""));
    }
}
