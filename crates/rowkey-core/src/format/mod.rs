//! The id formats, one file each, and their shared traits.

use core::str::FromStr;

use crate::bits::FixedBits;
use crate::error::{Error, Problem, by_name};
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
pub use luuid::{LuuidGroup, crc12};
pub(crate) use luuid::{NUMBER_MAX as LUUID_NUMBER_MAX, check_number};
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

    /// The encodings' width: 28 decimal digits for a DistributedId, 63 bits for a DatabaseNumber,
    /// 128 bits for the others.
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
    /// `ErrorKind::Format`, with the fixed bits that differ.
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
        self.problem_after(message, value, Permutation::Identity)
            .panic()
    }

    /// Out of line, so that successful parsing does not pay for it.
    #[cold]
    fn explain(self, value: u128) -> Error {
        let format = self;
        Problem::Format { format, value }.into()
    }

    /// The first rule that `value` breaks, with its position in the text of the layout.
    pub(crate) const fn problem(self, value: u128, layout: Permutation) -> Message<'static> {
        self.problem_after(Message::of(""), value, layout)
    }

    /// [`problem`](Self::problem) at the end of another message.
    const fn problem_after(
        self,
        message: Message<'static>,
        value: u128,
        layout: Permutation,
    ) -> Message<'static> {
        const fn nibble(value: u128, shift: u32) -> usize {
            (value >> shift & 0xf) as usize
        }
        const DIGITS: [&str; 16] = [
            "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f",
        ];
        let FixedBits { mask, bits } = self.spec().fixed;
        let differs = (value ^ bits) & mask;
        if value > self.width().max() {
            return message.text(match self.width() {
                Width::I64 => "the number is larger than 2^63-1",
                _ => "the number is larger than 10^28-1",
            });
        }
        if nibble(differs, 76) == 0 && nibble(differs, 72) != 0 {
            return message
                .text("unknown internal format version ")
                .number(nibble(value, 72) as u8)
                .text(" (only 0 is defined)");
        }
        let (what, shift, expected) = if nibble(differs, 76) != 0 {
            ("the version (position ", 76, DIGITS[nibble(bits, 76)])
        } else if nibble(mask, 60) == 0xf {
            ("the variant (position ", 60, "a")
        } else {
            // The RFC's variant has two bits, so the digit has four possible values.
            ("the variant (position ", 60, "8, 9, a or b")
        };
        message
            .text(what)
            .number(hyphenated::position_of_digit(layout.apply(0xf << shift)) as u8)
            .text(" of the hyphenated text) is ")
            .text(DIGITS[nibble(value, shift)])
            .text(", expected ")
            .text(expected)
    }

    /// The public text: decimal digits for a DistributedId and a DatabaseNumber, hyphenated lower
    /// case for the others.
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
    /// `ErrorKind::Text` for text of another form, `ErrorKind::Format` for a value of another
    /// format.
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
        by_name("format", name, &Self::ALL, Self::name)
    }
}
