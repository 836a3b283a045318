//! The specification of a format as one constant: what text, storage and time ranges need to know.

use crate::bits::{BitField, FieldKind, FixedBits};
use crate::error::{Error, Problem};
use crate::kind::FormatKind;
use crate::layout::Permutation;
use crate::text::Width;
use crate::time::UnixMillis;

/// The specification of a format. Each format's file has one.
pub struct FormatSpec {
    /// The public form, from the most significant bit to the least.
    pub fields: &'static [BitField],
    /// The fixed fields.
    pub fixed: FixedBits,
    /// The field that carries time.
    pub time: Option<TimeField>,
    /// The largest value and its number of digits.
    pub width: Width,
    /// The decimal digits of a column for every generated id, if 38 are enough.
    pub decimal_digits: Option<u8>,
    /// What the order depends on first.
    pub leading: Leading,
    /// Whether MariaDB's `UUID` type stores every value unchanged and sorts it by time.
    pub fits_mariadb_uuid: bool,
}

impl FormatSpec {
    /// A format of 128 bits that MariaDB's `UUID` type may damage.
    pub const fn new(fields: &'static [BitField], leading: Leading) -> Self {
        Self {
            fields,
            fixed: FixedBits::of(fields),
            time: TimeField::of(fields),
            width: Width::U128,
            decimal_digits: None,
            leading,
            fits_mariadb_uuid: false,
        }
    }

    /// The instants that ids can carry, for the constants of formats with an instant.
    pub const fn instants(&self) -> TimeRange {
        match self.time {
            Some(TimeField {
                unit: TimeUnit::Instant { range, .. },
                ..
            }) => range,
            _ => panic!("the format tells no instant"),
        }
    }

    /// The instant of a value, for formats whose every value has one.
    #[inline]
    pub const fn instant_of(&self, value: u128) -> UnixMillis {
        match self.time_of(value) {
            Some(time) => time,
            None => panic!("the format tells no instant"),
        }
    }

    /// The instant of a value, if it has one.
    #[inline]
    pub const fn time_of(&self, value: u128) -> Option<UnixMillis> {
        match &self.time {
            Some(field) => field.time_of(value),
            None => None,
        }
    }
}

/// What a format requires of a column's order.
#[derive(Clone, Copy)]
pub enum Leading {
    /// A prefix COMB, whose first bytes are the time. The permutation makes it a suffix COMB.
    CombPrefix(Permutation),
    /// A suffix COMB, whose last bytes are the time. The permutation makes it a prefix COMB.
    CombSuffix(Permutation),
    /// Not a COMB, but the first bytes of the public form are the time or the number.
    Plain,
    Unordered,
}

/// The instants that a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// The format's first millisecond, as unix time.
    pub min: UnixMillis,
    /// The format's last millisecond, as unix time.
    pub max: UnixMillis,
}

impl TimeRange {
    /// `time` if the format can hold it.
    #[inline]
    pub fn check(self, format: FormatKind, time: UnixMillis) -> Result<UnixMillis, Error> {
        if time < self.min || time > self.max {
            Err(self.refusal(format, time))
        } else {
            Ok(time)
        }
    }

    #[cold]
    fn refusal(self, format: FormatKind, time: UnixMillis) -> Error {
        let Self { min, max } = self;
        Problem::Time {
            format,
            time,
            min,
            max,
        }
        .into()
    }
}

/// What a format's time field counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Intervals, on the ring of the short COMBs.
    Interval,
    /// Whole units of `unit_ms` milliseconds since the first instant of the range.
    Instant {
        /// The instants that ids can carry.
        range: TimeRange,
        /// The milliseconds of a unit.
        unit_ms: u32,
    },
}

/// How a format carries time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeField {
    /// What the field counts.
    pub unit: TimeUnit,
    shift: u32,
    mask: u128,
    /// The smallest generated value of position 0.
    smallest: u128,
    /// The largest value that carries a time; the bits before the field are always 0.
    last: u128,
}

impl TimeField {
    /// The field that carries time, if there is one.
    pub const fn of(fields: &[BitField]) -> Option<Self> {
        let mut time = None;
        let mut smallest = 0;
        let mut last = u128::MAX;
        let mut index = 0;
        while index < fields.len() {
            let field = fields[index];
            match field.kind {
                FieldKind::Time { .. } | FieldKind::Interval => time = Some(field),
                FieldKind::Constant(0) if index == 0 => last >>= field.width,
                _ => {}
            }
            if let Some(value) = field.kind.value() {
                smallest |= (value as u128) << field.shift();
            }
            index += 1;
        }
        let Some(field) = time else {
            return None;
        };
        let unit = match field.kind {
            FieldKind::Time { epoch, unit_ms } => {
                let unit = unit_ms as i64;
                let max = epoch.get() + field.max() as i64 * unit + (unit - 1);
                let range = TimeRange {
                    min: epoch,
                    max: UnixMillis::new(max),
                };
                TimeUnit::Instant { range, unit_ms }
            }
            _ => TimeUnit::Interval,
        };
        Some(Self {
            unit,
            shift: field.shift(),
            mask: field.max(),
            smallest,
            last,
        })
    }

    /// The smallest generated value of an instant (unix milliseconds within the range) or, for the
    /// short COMBs, of a counter.
    #[inline]
    pub const fn smallest_at(&self, position: i64) -> u128 {
        let position = match self.unit {
            TimeUnit::Interval => position,
            TimeUnit::Instant { range, unit_ms } => (position - range.min.get()) / unit_ms as i64,
        };
        self.smallest | (position as u128 & self.mask) << self.shift
    }

    /// The instant of a value.
    #[inline]
    pub const fn time_of(&self, value: u128) -> Option<UnixMillis> {
        match self.unit {
            TimeUnit::Instant { range, unit_ms } if value <= self.last => {
                let units = (value >> self.shift & self.mask) as i64;
                Some(UnixMillis::new(range.min.get() + units * unit_ms as i64))
            }
            _ => None,
        }
    }
}
