//! Numbers of fields on the command line.
//!
//! A text that is not a number is wrong usage; a number that does not fit its field is bad input.

use std::fmt;
use std::str::FromStr;

use rowkey_core::luuid::LuuidGroup;

use crate::failure::Failure;

/// A whole number of any size.
#[derive(Clone, Debug)]
pub(crate) struct Number(String);

impl FromStr for Number {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("not a whole number");
        }
        Ok(Self(text.to_owned()))
    }
}

impl Number {
    /// The number, if it fits the type; `range` describes the valid numbers in the error.
    pub(crate) fn fit<T: FromStr>(&self, option: &str, range: &str) -> Result<T, Failure> {
        self.0
            .parse()
            .map_err(|_| out_of_range(option, range, &self.0))
    }
}

/// The group of LUUIDs: a name, whose CRC-12 is used, or the number itself.
#[derive(Clone, Debug)]
pub(crate) enum Group {
    /// The full name of a kind of entity.
    Name(String),
    /// Hexadecimal digits.
    Number(String),
}

impl FromStr for Group {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        match digits {
            Some(digits) if !is_hexadecimal(digits) => {
                Err("a number is written as 0x and hexadecimal digits, such as 0xaa1".into())
            }
            Some(digits) => Ok(Self::Number(digits.to_owned())),
            None if text.is_empty() => Err("the name is empty".into()),
            // `inspect` and `crc12` show the number of a group in this form.
            None if text.len() == 3 && is_hexadecimal(text) => Err(format!(
                "a number is written as 0x{text}; if `{text}` is the name of a group, its number is 0x{}",
                LuuidGroup::of(text)
            )),
            None => Ok(Self::Name(text.to_owned())),
        }
    }
}

impl Group {
    /// The group that goes into the ids.
    pub(crate) fn resolve(&self) -> Result<LuuidGroup, Failure> {
        match self {
            Self::Name(name) => group_of(name).map_err(|failure| failure.at("--group")),
            Self::Number(digits) => {
                let number = u16::from_str_radix(digits, 16).map_err(|_| {
                    out_of_range("--group", "0x000 to 0xfff", format_args!("0x{digits}"))
                })?;
                Ok(LuuidGroup::new(number)?)
            }
        }
    }
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The group of a name. White space around a name or a byte-order mark would give another group,
/// and no key can be declared with such a name.
pub(crate) fn group_of(name: &str) -> Result<LuuidGroup, Failure> {
    let is_foreign = |character: char| character.is_whitespace() || character == '\u{feff}';
    let end = name.chars().count().saturating_sub(1);
    match name
        .chars()
        .enumerate()
        .find(|(position, character)| [0, end].contains(position) && is_foreign(*character))
    {
        None => Ok(LuuidGroup::of(name)),
        Some((position, found)) => Err(Failure::bad_input(
            format_args!(
                "expected the name of a group, without spaces around it: {found:?} at position \
                 {position}"
            ),
            "give the name exactly as it is declared",
        )),
    }
}

fn out_of_range(option: &str, range: &str, value: impl fmt::Display) -> Failure {
    Failure::bad_input(
        format_args!("{option} is {range}, not {value}"),
        "give a number within the field's range",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_never_masked() {
        let fit = |text: &str| {
            text.parse::<Number>()
                .unwrap()
                .fit::<u8>("--country", "0 to 255")
        };
        assert_eq!(fit("255").unwrap(), 255);
        for text in ["256", "-1", "340282366920938463463374607431768211712"] {
            let message = fit(text).unwrap_err().message().to_owned();
            assert_eq!(message, format!("--country is 0 to 255, not {text}"));
        }
        for text in ["", "-", "1.0", "0x10", "+1", " 1"] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_group_is_a_name_or_a_number() {
        let resolve = |text: &str| {
            text.parse::<Group>()
                .unwrap()
                .resolve()
                .map(LuuidGroup::get)
        };
        assert_eq!(resolve("0xAA1").unwrap(), 0xaa1);
        assert_eq!(resolve("com.soqqo.system.domain.Person").unwrap(), 0xf47);
        assert!(resolve("0x1000").is_err());
        assert!(resolve("0x10000").is_err());
        assert!("0x".parse::<Group>().is_err());
        assert!("0xperson".parse::<Group>().is_err());
        assert!("".parse::<Group>().is_err());
        assert!("f47".parse::<Group>().is_err());
    }
}
