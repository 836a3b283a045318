//! What PostgreSQL's binary form of a user's type consists of.
//!
//! The form has the numbers of elements' and fields' types, which each database gives anew, and no
//! names of fields.

use std::borrow::Cow;

/// The first number of a type that is not part of PostgreSQL itself.
pub const FIRST_USER_TYPE: i64 = 10_000;
/// PostgreSQL has few types inside each other; bytes that say otherwise are no value.
const DEEPEST: usize = 64;

/// What a value consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One value, of a type with this name.
    Single(String),
    /// One of some words.
    Enum(Vec<String>),
    Array(Box<Layout>),
    /// Fields with their names, in order.
    Composite(Vec<(String, Layout)>),
    Range(Box<Layout>),
    Multirange(Box<Layout>),
}

impl Layout {
    /// Where another layout has something else, if anywhere. The words of enums may differ: values
    /// are looked at for these.
    pub fn difference(&self, target: &Self) -> Option<String> {
        match (self, target) {
            (Self::Single(here), Self::Single(there)) if here == there => None,
            (Self::Enum(_), Self::Enum(_)) => None,
            (Self::Array(here), Self::Array(there))
            | (Self::Range(here), Self::Range(there))
            | (Self::Multirange(here), Self::Multirange(there)) => here.difference(there),
            (Self::Composite(here), Self::Composite(there)) => fields(here, there),
            _ => Some(format!(
                "it is {} there, and not {}",
                target.name(),
                self.name()
            )),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Single(name) => name,
            Self::Enum(_) => "an enum",
            Self::Array(_) => "an array",
            Self::Composite(_) => "a composite type",
            Self::Range(_) => "a range",
            Self::Multirange(_) => "a multirange",
        }
    }

    /// Whether an enum of the other layout lacks words.
    pub fn lacks_words(&self, target: &Self) -> bool {
        match (self, target) {
            (Self::Enum(here), Self::Enum(there)) => here.iter().any(|word| !there.contains(word)),
            (Self::Array(here), Self::Array(there))
            | (Self::Range(here), Self::Range(there))
            | (Self::Multirange(here), Self::Multirange(there)) => here.lacks_words(there),
            (Self::Composite(here), Self::Composite(there)) => {
                let mut pairs = here.iter().zip(there);
                pairs.any(|((_, here), (_, there))| here.lacks_words(there))
            }
            _ => false,
        }
    }

    /// A value without the numbers of users' types, which PostgreSQL does not look at when it reads
    /// one; nothing if the bytes are not a value of this layout.
    pub fn without_numbers<'v>(&self, value: &'v [u8]) -> Option<Cow<'v, [u8]>> {
        let numbers = self.found(value)?.numbers;
        let mut bytes = Cow::Borrowed(value);
        for place in numbers {
            bytes.to_mut().get_mut(place..place + 4)?.fill(0);
        }
        Some(bytes)
    }

    /// The first word of a value that its enum does not have.
    pub fn unknown_word(&self, value: &[u8]) -> Option<String> {
        self.found(value)?.unknown
    }

    fn found(&self, value: &[u8]) -> Option<Found> {
        let mut found = Found::default();
        self.walk(value, 0, DEEPEST, &mut found)?;
        Some(found)
    }

    /// Goes through a value that begins at a place of the whole one.
    fn walk(&self, value: &[u8], start: usize, depth: usize, found: &mut Found) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let mut rest = Rest { value, place: 0 };
        match self {
            Self::Single(_) => return Some(()),
            Self::Enum(words) => {
                let is_known = words.iter().any(|word| word.as_bytes() == value);
                if found.unknown.is_none() && !is_known {
                    found.unknown = Some(String::from_utf8_lossy(value).into_owned());
                }
                return Some(());
            }
            Self::Array(element) => {
                let dimensions = rest.count()?;
                rest.take(4)?;
                rest.type_number(start, found)?;
                let mut elements = usize::from(dimensions > 0);
                for _ in 0..dimensions {
                    elements = elements.checked_mul(rest.count()?)?;
                    rest.take(4)?;
                }
                for _ in 0..elements {
                    rest.part(element, start, depth, found)?;
                }
            }
            Self::Composite(fields) => {
                if rest.count()? != fields.len() {
                    return None;
                }
                for (_, field) in fields {
                    rest.type_number(start, found)?;
                    rest.part(field, start, depth, found)?;
                }
            }
            Self::Range(bound) => {
                let flags = *rest.take(1)?.first()?;
                for _ in 0..bounds(flags) {
                    rest.part(bound, start, depth, found)?;
                }
            }
            Self::Multirange(bound) => {
                let range = Self::Range(bound.clone());
                for _ in 0..rest.count()? {
                    rest.part(&range, start, depth, found)?;
                }
            }
        }
        (rest.place == value.len()).then_some(())
    }
}

fn fields(here: &[(String, Layout)], there: &[(String, Layout)]) -> Option<String> {
    if here.len() != there.len() {
        return Some(format!(
            "it has {} fields there, and not {}",
            there.len(),
            here.len()
        ));
    }
    let mut places = here.iter().zip(there).zip(1..);
    places.find_map(|(((name, here), (other, there)), place)| {
        if name != other {
            return Some(format!(
                "field {place} is `{other}` there, and not `{name}`"
            ));
        }
        let difference = here.difference(there)?;
        Some(format!("the field `{name}`: {difference}"))
    })
}

/// How many bounds a range with these flags has: an empty one has none, and a side that is infinite
/// or NULL has none either.
fn bounds(flags: u8) -> usize {
    match flags & 1 {
        1 => 0,
        _ => usize::from(flags & 0x28 == 0) + usize::from(flags & 0x50 == 0),
    }
}

/// What a value has.
#[derive(Default)]
struct Found {
    /// The places of the numbers of users' types.
    numbers: Vec<usize>,
    /// The first word that its enum does not have.
    unknown: Option<String>,
}

struct Rest<'v> {
    value: &'v [u8],
    place: usize,
}

impl<'v> Rest<'v> {
    fn take(&mut self, length: usize) -> Option<&'v [u8]> {
        let end = self.place.checked_add(length)?;
        let taken = self.value.get(self.place..end)?;
        self.place = end;
        Some(taken)
    }

    fn integer(&mut self) -> Option<i32> {
        Some(i32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.integer()?).ok()
    }

    fn type_number(&mut self, start: usize, found: &mut Found) -> Option<()> {
        let place = start + self.place;
        let number = u32::from_be_bytes(self.take(4)?.try_into().ok()?);
        if i64::from(number) >= FIRST_USER_TYPE {
            found.numbers.push(place);
        }
        Some(())
    }

    /// A part behind its length, unless it is NULL.
    fn part(
        &mut self,
        layout: &Layout,
        start: usize,
        depth: usize,
        found: &mut Found,
    ) -> Option<()> {
        let length = self.integer()?;
        if length == -1 {
            return Some(());
        }
        let begin = start + self.place;
        let part = self.take(usize::try_from(length).ok()?)?;
        layout.walk(part, begin, depth, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mood(words: &[&str]) -> Layout {
        Layout::Enum(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn single(name: &str) -> Layout {
        Layout::Single(name.into())
    }

    fn composite(fields: &[(&str, Layout)]) -> Layout {
        let fields = fields.iter();
        let fields = fields.map(|(name, layout)| ((*name).to_owned(), layout.clone()));
        Layout::Composite(fields.collect())
    }

    /// An array of one composite with an enum and an integer.
    fn value(numbers: [u32; 2]) -> Vec<u8> {
        let mut row = 2_u32.to_be_bytes().to_vec();
        row.extend(numbers[1].to_be_bytes());
        row.extend(3_u32.to_be_bytes());
        row.extend(b"sad");
        row.extend(23_u32.to_be_bytes());
        row.extend(4_u32.to_be_bytes());
        row.extend(7_u32.to_be_bytes());
        let head = [1, 0, numbers[0], 1, 1, row.len() as u32];
        let mut value: Vec<u8> = head.iter().flat_map(|word| word.to_be_bytes()).collect();
        value.extend(row);
        value
    }

    #[test]
    fn values_are_the_same_whatever_the_numbers_of_types() {
        let fields = [("mood", mood(&["ok"])), ("many", single("integer"))];
        let layout = Layout::Array(Box::new(composite(&fields)));
        let (one, other) = (value([16_384, 16_390]), value([20_000, 20_001]));
        let one = layout.without_numbers(&one).unwrap();
        let other = layout.without_numbers(&other).unwrap();
        assert_eq!(one, other);
        assert_eq!(*one, value([0, 0]));
        assert_eq!(layout.unknown_word(&one).as_deref(), Some("sad"));
        for length in 0..one.len() {
            assert_eq!(layout.without_numbers(&one[..length]), None, "{length}");
        }
    }

    #[test]
    fn a_difference_has_its_place() {
        let point = |names: [&str; 2], kind| {
            composite(&[(names[0], single("integer")), (names[1], single(kind))])
        };
        let here = Layout::Array(Box::new(point(["width", "height"], "integer")));
        assert_eq!(here.difference(&here), None);
        for (there, expected) in [
            (
                point(["height", "width"], "integer"),
                "field 1 is `height` there, and not `width`",
            ),
            (
                point(["width", "height"], "text"),
                "the field `height`: it is text there, and not integer",
            ),
            (
                composite(&[("width", single("integer"))]),
                "it has 1 fields there, and not 2",
            ),
            (mood(&[]), "it is an enum there, and not a composite type"),
        ] {
            let there = Layout::Array(Box::new(there));
            assert_eq!(here.difference(&there).as_deref(), Some(expected));
        }
        assert!(mood(&["sad", "ok"]).lacks_words(&mood(&["ok"])));
        assert!(!mood(&["ok"]).lacks_words(&mood(&["sad", "ok"])));
    }

    #[test]
    fn ranges_have_the_bounds_that_their_flags_say() {
        // Flags: empty, both bounds, no lower, no upper, none.
        for (flags, expected) in [(1, 0), (2, 2), (8, 1), (16, 1), (24, 0)] {
            assert_eq!(bounds(flags), expected, "{flags}");
        }
    }
}
