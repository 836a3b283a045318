//! Regular expressions for strings whose characters are the digits of a number in a range.
//!
//! They use classes, groups, alternatives and repetitions, which mean the same in JSON Schema, in
//! OpenAPI and in the `regex` crate. They are not anchored.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Runs of consecutive characters and their values as digits: the value of the first character,
/// that character, and the length of the run. Several characters may have the same value.
type Digits = &'static [(u8, u8, u8)];

pub(crate) const HEXADECIMAL: Digits = &[(0, b'0', 10), (10, b'A', 6), (10, b'a', 6)];
pub(crate) const BASE_62: Digits = &[(0, b'0', 10), (10, b'A', 26), (36, b'a', 26)];
pub(crate) const DECIMAL: Digits = &[(0, b'0', 10)];
const HYPHEN: Digits = &[(0, b'-', 1)];

/// A position in a string, and the values of the digits allowed there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    digits: Digits,
    low: u8,
    high: u8,
}

impl Place {
    pub(crate) const HYPHEN: Self = Self::digit(HYPHEN, 0, 0);

    pub(crate) const fn digit(digits: Digits, low: u8, high: u8) -> Self {
        Self { digits, low, high }
    }

    /// The digits from `low` to `high`: `7`, `[89ABab]`.
    fn class(self, low: u8, high: u8) -> String {
        let mut class = String::new();
        let mut characters = 0;
        for &(value, first, count) in self.digits {
            let low = low.max(value);
            let high = high.min(value + count - 1);
            if low > high {
                continue;
            }
            characters += high - low + 1;
            let character = |digit| char::from(first + (digit - value));
            class.push(character(low));
            match high - low {
                0 => {}
                1 => class.push(character(high)),
                _ => class.extend(['-', character(high)]),
            }
        }
        match characters {
            1 => class,
            _ => format!("[{class}]"),
        }
    }
}

/// All strings of these positions.
pub(crate) fn any(places: &[Place]) -> String {
    let runs = places.chunk_by(|one, next| one == next);
    runs.map(|run| {
        let class = run[0].class(run[0].low, run[0].high);
        match run.len() {
            1 => class,
            length => format!("{class}{{{length}}}"),
        }
    })
    .collect()
}

/// The strings from one to another, in the order of their digits. Both have one digit for each
/// position, which is allowed there.
pub(crate) fn between(places: &[Place], low: &[u8], high: &[u8]) -> String {
    let ([place, rest @ ..], [low, after_low @ ..], [high, after_high @ ..]) = (places, low, high)
    else {
        return String::new();
    };
    if low == high {
        return place.class(*low, *low) + &between(rest, after_low, after_high);
    }
    let lowest: Vec<u8> = rest.iter().map(|place| place.low).collect();
    let highest: Vec<u8> = rest.iter().map(|place| place.high).collect();
    // Anything may follow a digit strictly between the edges, and an edge itself if all its later
    // digits are the lowest (or highest) possible.
    let (mut first, mut last) = (*low, *high);
    let mut alternatives = Vec::new();
    if after_low != lowest {
        alternatives.push(place.class(*low, *low) + &between(rest, after_low, &highest));
        first += 1;
    }
    if after_high != highest {
        last -= 1;
    }
    if first <= last {
        let mut inner = places.to_vec();
        inner[0] = Place::digit(place.digits, first, last);
        alternatives.push(any(&inner));
    }
    if after_high != highest {
        alternatives.push(place.class(*high, *high) + &between(rest, &lowest, after_high));
    }
    one_of(&alternatives)
}

/// Any of these alternatives.
pub(crate) fn one_of(alternatives: &[String]) -> String {
    match alternatives {
        [only] => only.clone(),
        _ => format!("({})", alternatives.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_short() {
        let digit = |low, high| any(&[Place::digit(HEXADECIMAL, low, high)]);
        assert_eq!(digit(7, 7), "7");
        assert_eq!(digit(10, 10), "[Aa]");
        assert_eq!(digit(8, 11), "[89ABab]");
        assert_eq!(digit(0, 15), "[0-9A-Fa-f]");
        let three = [Place::digit(BASE_62, 0, 61); 3];
        assert_eq!(any(&three), "[0-9A-Za-z]{3}");
        assert_eq!(any(&[three[0], Place::HYPHEN]), "[0-9A-Za-z]-");
    }

    #[test]
    fn ranges_branch_at_the_digits_of_their_edges() {
        let places = [Place::digit(DECIMAL, 0, 9); 3];
        let range = |low: [u8; 3], high: [u8; 3]| between(&places, &low, &high);
        assert_eq!(range([0, 0, 0], [9, 9, 9]), "[0-9]{3}");
        assert_eq!(range([4, 7, 1], [4, 7, 1]), "471");
        assert_eq!(
            range([0, 0, 0], [2, 5, 5]),
            "([01][0-9]{2}|2([0-4][0-9]|5[0-5]))"
        );
        assert_eq!(range([0, 9, 8], [1, 9, 9]), "(09[89]|1[0-9]{2})");
        assert_eq!(range([1, 0, 0], [3, 0, 0]), "([12][0-9]{2}|300)");
        assert_eq!(range([7, 0, 0], [7, 9, 9]), "7[0-9]{2}");
    }
}
