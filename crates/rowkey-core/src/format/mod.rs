//! The id formats, one file each, and their shared traits.

use core::str::FromStr;

use alloc::string::String;

use crate::bits::FixedBits;
use crate::error::{Error, FormatProblem};
use crate::layout::Permutation;
use crate::message::Message;
use crate::text::{Encoding, ShortText, Width, hyphenated};
use crate::time::UnixMillis;

pub use crate::bits::{BitField, FieldKind};
pub use crate::kind::FormatKind;

// The formats. Not from their rows, because rustfmt only finds the files of modules that it sees.
mod any_uuid;
mod database_number;
pub(crate) mod distributed_id;
pub(crate) mod distributed_id128;
pub(crate) mod hot_guid;
mod iuid;
mod luuid;
mod prefix_comb;
mod short_prefix_comb;
mod short_suffix_comb;
mod suffix_comb;
mod uuid_v4;
mod uuid_v7;

// What they share.
pub(crate) mod comb;
pub(crate) mod spec;
mod time_span;
pub(crate) mod traits;

pub use comb::interval_counter;
pub use iuid::IuidContext;
pub(crate) use luuid::NUMBER_MAX as LUUID_NUMBER_MAX;
pub use luuid::{LuuidGroup, crc12};
use spec::FormatSpec;
pub(crate) use spec::{Leading, TimeRange};
pub(crate) use traits::FromDraw;
pub use traits::{Counted, Format, TimeOrdered};

macro_rules! list_formats {
    ([] $({$module:ident $format:ident $($rest:tt)*})*) => {
        $(pub use $module::$format;)*

        /// The specs of the formats, indexed by [`FormatKind`].
        const SPECS: &[FormatSpec; FormatKind::ALL.len()] = &[$($module::SPEC),*];
    };
}

crate::kind::format_rows!(list_formats);

impl FormatKind {
    /// The format's spec.
    #[inline]
    #[doc(hidden)]
    pub const fn spec(self) -> &'static FormatSpec {
        &SPECS[self as usize]
    }

    /// The public form's fields, from the most significant bit to the least. Their widths add up to
    /// 128.
    pub const fn fields(self) -> &'static [BitField] {
        self.spec().fields
    }

    /// When an id of this format was made; `None` for formats without an instant (short COMBs only
    /// carry a counter that wraps around) and for numbers that no clock produces.
    pub fn time_of(self, value: u128) -> Option<UnixMillis> {
        self.spec().time_of(value)
    }

    /// The encodings' width: 28 decimal digits for a DistributedId, 63 bits for a DatabaseNumber, 128
    /// bits for the others.
    #[inline]
    pub const fn width(self) -> Width {
        self.spec().width
    }

    /// Whether these 128 bits belong to the format: its version and variant, or its range.
    #[inline]
    pub const fn admits(self, value: u128) -> bool {
        self.spec().fixed.are_in(value) && value <= self.width().max()
    }

    /// The value itself if it belongs to the format.
    ///
    /// # Errors
    ///
    /// [`Error::Format`], with the fixed bits that differ.
    #[inline]
    pub fn check(self, value: u128) -> Result<u128, Error> {
        if self.admits(value) {
            Ok(value)
        } else {
            Err(self.explain(value))
        }
    }

    /// Panics with the first rule that a constant breaks.
    #[track_caller]
    pub(crate) const fn refuse_constant(self, value: u128) -> ! {
        let message = Message::of("not a ").text(self.name()).text(": ");
        self.problem(value, Permutation::Identity)
            .after(message)
            .panic()
    }

    /// Out of line, so that successful parsing does not pay for it.
    #[cold]
    fn explain(self, value: u128) -> Error {
        Error::Format {
            format: self,
            problem: self.problem(value, Permutation::Identity),
        }
    }

    /// The first rule that `value` breaks, with its position in the text of the layout.
    pub(crate) const fn problem(self, value: u128, layout: Permutation) -> FormatProblem {
        const fn nibble(value: u128, shift: u32) -> u8 {
            ((value >> shift) & 0xf) as u8
        }
        const fn position(layout: Permutation, shift: u32) -> usize {
            hyphenated::position_of_digit(layout.apply(0xf << shift))
        }
        let FixedBits { mask, bits } = self.spec().fixed;
        let differs = (value ^ bits) & mask;
        if value > self.width().max() {
            match self.width() {
                Width::I64 => FormatProblem::TooLargeForBigint,
                _ => FormatProblem::TooLarge { digits: 28 },
            }
        } else if differs >> 76 & 0xf != 0 {
            FormatProblem::Version {
                position: position(layout, 76),
                expected: (bits >> 76 & 0xf) as u8,
                found: nibble(value, 76),
            }
        } else if differs >> 72 & 0xf != 0 {
            FormatProblem::InternalVersion {
                found: nibble(value, 72),
            }
        } else {
            // The RFC's variant has two bits, so the digit has four possible values.
            let expected = if mask >> 60 & 0xf == 0xf {
                "a"
            } else {
                "8, 9, a or b"
            };
            FormatProblem::Variant {
                position: position(layout, 60),
                expected,
                found: nibble(value, 60),
            }
        }
    }

    /// The public text: decimal digits for a DistributedId and a DatabaseNumber, hyphenated lower case
    /// for the others.
    #[inline]
    pub fn public_text(self, value: u128) -> ShortText {
        self.width().encode_admitted(self.public_encoding(), value)
    }

    /// The encoding of the public text.
    pub const fn public_encoding(self) -> Encoding {
        match self.width() {
            Width::U128 => Encoding::Uuid,
            _ => Encoding::Decimal,
        }
    }

    /// Reads the public text.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] for text of another form, [`Error::Format`] for a value of another format.
    #[inline]
    pub fn parse_public(self, text: &str) -> Result<u128, Error> {
        let value = match self.width() {
            Width::U128 => hyphenated::parse(text)?,
            width => width.decode(Encoding::Decimal, text)?,
        };
        self.check(value)
    }
}

/// The name on the command line, such as `short-prefix-comb`.
impl FromStr for FormatKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "format",
                name: name.into(),
                choices: names().into(),
            })
    }
}

/// The names of all formats: `this, that and another`.
#[cold]
fn names() -> String {
    let mut names = String::new();
    for (index, kind) in FormatKind::ALL.into_iter().enumerate() {
        names += match index {
            0 => "",
            _ if index + 1 == FormatKind::ALL.len() => " and ",
            _ => ", ",
        };
        names += kind.name();
    }
    names
}
