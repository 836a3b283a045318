//! What a column may hold: a format in a layout, and how a single value speaks for it.

use rowkey_core::format::{BitField, FieldKind, FormatKind};
use rowkey_core::storage::{
    Backend, Column, Layout, Permutation, Storage, StoragePlan, Stored, Wire,
};
use rowkey_core::{Luuid, UnixMillis};
use rowkey_sql::StoredForm;

use crate::values::version_bits::VersionBits;

/// The instants at which ids are made: from 2000 to a day from now, for clocks that are fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Era {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Era {
    pub(crate) fn until(now: UnixMillis) -> Self {
        const YEAR_2000: i64 = 946_684_800_000;
        const DAY: i64 = 86_400_000;
        Self {
            from: YEAR_2000,
            to: now.get().saturating_add(DAY).max(YEAR_2000 + DAY),
        }
    }

    pub(crate) fn contains(self, time: UnixMillis) -> bool {
        (self.from..self.to).contains(&time.get())
    }

    /// The share of a field's values that are in it.
    pub(crate) fn share_of(self, field: &BitField) -> f64 {
        match field.kind {
            FieldKind::Time { unit_ms, .. } => {
                let length = (self.to - self.from) as f64 / f64::from(unit_ms);
                (length / 2_f64.powi(field.width.into())).min(1.0)
            }
            _ => 1.0,
        }
    }
}

/// A LUUID's number counts from 1. One with more bits is rather the time of a UUID of version 6.
const LARGEST_NUMBER: u64 = 1 << 44;

/// The numbers in a field of time that are in an [`Era`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Bits after the field in the stored form.
    shift: u32,
    mask: u64,
    first: u64,
    end: u64,
}

impl Times {
    /// Of a format with one field of time, whose bits are stored side by side.
    fn of(format: FormatKind, permutation: Permutation, era: Era) -> Option<Self> {
        let fields = format.fields().iter();
        let mut times = fields.filter_map(|field| match field.kind {
            FieldKind::Time { epoch, unit_ms } => Some((field, epoch.get(), i64::from(unit_ms))),
            _ => None,
        });
        let (field, epoch, unit) = times.next()?;
        if times.next().is_some() || field.width > 64 {
            return None;
        }
        let public = 128 - u32::from(field.first_bit) - u32::from(field.width);
        let stored = |bit: u32| permutation.apply(1 << (public + bit)).trailing_zeros();
        let shift = stored(0);
        let mut bits = 0..u32::from(field.width);
        if !bits.all(|bit| stored(bit) == shift + bit) {
            return None;
        }
        // Rounded down, and up.
        let first = (era.from - epoch).div_euclid(unit);
        let end = (era.to - epoch).div_euclid(unit) + 1;
        Some(Self {
            shift,
            mask: u64::MAX >> (64 - u32::from(field.width)),
            first: u64::try_from(first).unwrap_or(0),
            end: u64::try_from(end).unwrap_or(0),
        })
    }

    /// Whether the time of a stored value may be in the era: true for all whose time is. Most
    /// values of other formats have another time, which is seen at once.
    #[inline]
    pub(crate) fn contain(self, stored: u128) -> bool {
        (self.first..self.end).contains(&((stored >> self.shift) as u64 & self.mask))
    }
}

/// A format in a layout.
#[derive(Clone, Debug)]
pub(crate) struct Hypothesis {
    pub(crate) format: FormatKind,
    pub(crate) layout: Layout,
    pub(crate) permutation: Permutation,
    /// Other names for the same bits: a prefix COMB stored as suffix COMB looks like a suffix COMB.
    pub(crate) twins: Vec<(FormatKind, Layout)>,
    /// Whether columns of the type have the layout. Programs of others store ids without it.
    pub(crate) has_layout: bool,
    /// The bits of the stored form that every id has, version and variant among them: which they
    /// are, and their values.
    marks: (u128, u128),
    /// What a plausible time is, if the format has one in one piece.
    times: Option<Times>,
    /// How many of all random values that have the format's version and variant speak for it.
    pub(crate) chance: f64,
    /// How many of all random times are plausible.
    pub(crate) chance_of_time: f64,
}

impl Hypothesis {
    fn new(format: FormatKind, layout: Layout, permutation: Permutation, era: Era) -> Self {
        let shift = |field: &BitField| 128 - u32::from(field.first_bit) - u32::from(field.width);
        let (mut mask, mut bits, mut constants) = (0, 0, 0);
        for field in format.fields() {
            let value = match field.kind {
                FieldKind::Constant(value) => {
                    constants += i32::from(field.width);
                    u128::from(value)
                }
                FieldKind::Version(value) | FieldKind::Variant(value) => u128::from(value),
                _ => continue,
            };
            mask |= (u128::MAX >> (128 - u32::from(field.width))) << shift(field);
            bits |= value << shift(field);
        }
        let of_time: f64 = format
            .fields()
            .iter()
            .map(|field| era.share_of(field))
            .product();
        let of_number = match format {
            // A LUUID's variant has two bits more than that of RFC 9562, and its number few bits.
            FormatKind::Luuid => 2_f64.powi(-6),
            _ => 1.0,
        };
        Self {
            format,
            layout,
            permutation,
            twins: Vec::new(),
            has_layout: true,
            marks: (permutation.apply(mask), permutation.apply(bits)),
            times: Times::of(format, permutation, era),
            chance: of_time * of_number * 2_f64.powi(-constants),
            chance_of_time: of_time,
        }
    }

    /// The public value of a stored one.
    pub(crate) fn public(&self, stored: u128) -> u128 {
        self.permutation.invert(stored)
    }

    /// Whether a generator of the format may have made a stored value.
    pub(crate) fn admits(&self, stored: u128, era: Era) -> bool {
        let (mask, bits) = self.marks;
        if stored & mask != bits {
            return false;
        }
        let value = self.public(stored);
        self.format.admits(value)
            && match self.format {
                FormatKind::Luuid => {
                    Luuid::try_from(value).is_ok_and(|id| id.number() < LARGEST_NUMBER)
                }
                format => format.time_of(value).is_some_and(|time| era.contains(time)),
            }
    }

    /// Which bits of the stored form are the same in every value that is admitted, and what they
    /// are.
    pub(crate) fn marks(&self) -> (u128, u128) {
        self.marks
    }

    /// What a plausible time is, if the format has one in one piece.
    pub(crate) fn times(&self) -> Option<Times> {
        self.times
    }

    /// The bits of the stored form that carry the time or the counter.
    pub(crate) fn time_bits(&self) -> u128 {
        self.bits_of(|kind| matches!(kind, FieldKind::Time { .. } | FieldKind::Interval))
    }

    /// The time of a stored value, to compare.
    pub(crate) fn time_key(&self, stored: u128) -> u128 {
        self.public(stored) & self.public(self.time_bits())
    }

    /// The bits of the stored form that are drawn at random.
    pub(crate) fn random_bits(&self) -> u128 {
        self.bits_of(|kind| kind == FieldKind::Random)
    }

    /// The stored bits of some of the public value.
    pub(crate) fn public_bits(&self, bits: u128) -> u128 {
        self.permutation.apply(bits)
    }

    fn bits_of(&self, is_meant: impl Fn(FieldKind) -> bool) -> u128 {
        let mut bits = 0;
        for field in self
            .format
            .fields()
            .iter()
            .filter(|field| is_meant(field.kind))
        {
            let shift = 128 - u32::from(field.first_bit) - u32::from(field.width);
            bits |= (u128::MAX >> (128 - u32::from(field.width))) << shift;
        }
        self.permutation.apply(bits)
    }

    /// The interval counter of a stored value, for the short COMBs.
    pub(crate) fn counter(&self, stored: u128) -> Option<u16> {
        let is_counter = |field: &&BitField| field.kind == FieldKind::Interval;
        let field = self.format.fields().iter().find(is_counter)?;
        let shift = 128 - u32::from(field.first_bit) - u32::from(field.width);
        Some((self.public(stored) >> shift) as u16)
    }

    /// Where version and variant are.
    pub(crate) fn version_bits(&self) -> VersionBits {
        match self.permutation {
            Permutation::SqlServer => VersionBits::SqlServer,
            _ => VersionBits::Text,
        }
    }

    /// Whether both describe the same stored bits.
    fn is_like(&self, other: &Self) -> bool {
        let is_comb = |format| {
            matches!(
                format,
                FormatKind::ShortPrefixComb
                    | FormatKind::ShortSuffixComb
                    | FormatKind::PrefixComb
                    | FormatKind::SuffixComb
            )
        };
        let in_order = |hypothesis: &Self| hypothesis.permutation != Permutation::SqlServer;
        is_comb(self.format)
            && is_comb(other.format)
            && in_order(self)
            && in_order(other)
            && self.time_bits() == other.time_bits()
    }

    /// Names the bits as the short prefix COMB that they are by default in a database that sorts
    /// other bytes first. Hardly any other program makes short COMBs; COMBs of milliseconds are
    /// mostly made by others, which show them as they are stored.
    fn named_by_default(self, backend: Backend, wire: Wire, era: Era) -> Self {
        let default = StoragePlan::default_for(FormatKind::ShortPrefixComb).column(backend);
        let (format, layout) = (default.format(), default.layout());
        let is_twin = |twin: &(FormatKind, Layout)| *twin == (format, layout);
        let place = self.twins.iter().position(is_twin);
        match (place, permutation(format, layout)) {
            (Some(place), Some(permutation)) if default.wire() == wire => {
                let mut twins = self.twins;
                twins[place] = (self.format, self.layout);
                Self {
                    twins,
                    ..Self::new(format, layout, permutation, era)
                }
            }
            _ => self,
        }
    }

    /// Whether the format is told by each value, and not by the order of many.
    pub(crate) fn is_told_by_values(&self) -> bool {
        matches!(
            self.format,
            FormatKind::PrefixComb
                | FormatKind::SuffixComb
                | FormatKind::DistributedId
                | FormatKind::DistributedId128
                | FormatKind::Luuid
                | FormatKind::Iuid
                | FormatKind::HotGuid
                | FormatKind::UuidV7
        )
    }
}

/// The permutation of a layout of a format, as the core applies it.
pub(crate) fn permutation(format: FormatKind, layout: Layout) -> Option<Permutation> {
    /// Bytes that are all different.
    const PROBE: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;
    let form = StoredForm::new(format, Backend::SqlServer, Storage::Uuid, Some(layout)).ok()?;
    let Stored::Uuid(stored) = form.encode(PROBE) else {
        return None;
    };
    let permutations = [
        Permutation::Identity,
        Permutation::SwapShort,
        Permutation::SwapFull,
        Permutation::SqlServer,
    ];
    permutations
        .into_iter()
        .find(|permutation| permutation.apply(PROBE).to_be_bytes() == stored)
}

/// The storage that gives a column of a backend this shape for a format.
pub(crate) fn storage(format: FormatKind, backend: Backend, wire: Wire) -> Option<Storage> {
    Storage::ALL.into_iter().find(|storage| {
        Column::new(format, backend, *storage, None).is_ok_and(|column| column.wire() == wire)
    })
}

/// All that a column of a shape may hold. Of several names for the same bits, the one whose ids are
/// stored unchanged is the first.
pub(crate) fn hypotheses(backend: Backend, wire: Wire, era: Era) -> Vec<Hypothesis> {
    let mut found: Vec<Hypothesis> = Vec::new();
    let pairs = Layout::ALL
        .into_iter()
        .flat_map(|layout| FormatKind::ALL.map(|format| (format, layout)));
    for (format, layout) in pairs {
        let Some(storage) = storage(format, backend, wire) else {
            continue;
        };
        let has_layout = StoredForm::new(format, backend, storage, Some(layout)).is_ok();
        // MariaDB's UUID keeps the bytes of every UUID, whatever it sorts by.
        let is_unchanged = wire == Wire::NativeUuid && layout == Layout::Public;
        if layout == Layout::PublicUnordered || !has_layout && !is_unchanged {
            continue;
        }
        let permutation = match wire {
            Wire::Uuid | Wire::NativeUuid | Wire::Bytes(_) | Wire::Text(_) => {
                permutation(format, layout)
            }
            Wire::Decimal(_) | Wire::Integer => Some(Permutation::Identity),
        };
        let Some(permutation) = permutation else {
            continue;
        };
        let hypothesis = Hypothesis {
            has_layout,
            ..Hypothesis::new(format, layout, permutation, era)
        };
        match found.iter_mut().find(|known| known.is_like(&hypothesis)) {
            Some(known) => known.twins.push((format, layout)),
            None => found.push(hypothesis),
        }
    }
    let named = found.into_iter();
    named
        .map(|hypothesis| hypothesis.named_by_default(backend, wire, era))
        .collect()
}

#[cfg(test)]
mod tests {
    use rowkey_core::storage::BinaryLength;

    use super::*;
    use crate::values::chance::Draws;

    fn era() -> Era {
        Era::until(UnixMillis::new(1_795_000_000_000))
    }

    fn names(backend: Backend, wire: Wire) -> Vec<String> {
        let name = |hypothesis: &Hypothesis| {
            let twins: Vec<String> = hypothesis
                .twins
                .iter()
                .map(|(format, layout)| format!("={}:{layout}", format.name()))
                .collect();
            format!(
                "{}:{}{}",
                hypothesis.format.name(),
                hypothesis.layout,
                twins.concat()
            )
        };
        hypotheses(backend, wire, era()).iter().map(name).collect()
    }

    #[test]
    fn names_of_the_same_bits_are_one_hypothesis() {
        let names = names(Backend::Postgres, Wire::Uuid);
        for name in [
            "short-prefix-comb:public=short-suffix-comb:prefix",
            "short-suffix-comb:public=short-prefix-comb:suffix",
            "prefix-comb:public=suffix-comb:prefix",
            "suffix-comb:public=prefix-comb:suffix",
            "prefix-comb:sql-server",
            "short-suffix-comb:sql-server",
            "uuid-v7:public",
            "uuid-v7:sql-server",
            "distributed-id:public",
            "hot-guid:sql-server",
        ] {
            assert!(
                names.iter().any(|found| found == name),
                "{name} is not in {names:?}"
            );
        }
        assert!(!names.iter().any(|name| name.contains("database-number")));
    }

    #[test]
    fn shapes_have_the_formats_that_the_core_stores_in_them() {
        assert_eq!(
            names(Backend::MySql, Wire::Bytes(BinaryLength::Bytes12)),
            ["distributed-id:public"]
        );
        assert_eq!(
            names(Backend::Sqlite, Wire::Integer),
            ["database-number:public"]
        );
        let native = names(Backend::MariaDb, Wire::NativeUuid);
        assert!(
            native.iter().any(|name| name == "uuid-v7:public"),
            "{native:?}"
        );
        assert!(
            !native.iter().any(|name| name.contains("hot-guid")),
            "{native:?}"
        );
        let without_layout = hypotheses(Backend::MariaDb, Wire::NativeUuid, era());
        let without_layout = without_layout.iter().filter(|known| !known.has_layout);
        let without_layout: Vec<_> = without_layout
            .map(|known| (known.format, known.layout))
            .collect();
        assert_eq!(
            without_layout,
            [FormatKind::ShortPrefixComb, FormatKind::PrefixComb]
                .map(|format| (format, Layout::Public))
        );
    }

    #[test]
    fn the_marks_are_in_every_value_that_the_format_admits() {
        let era = Era::until(UnixMillis::new(1_795_000_000_000));
        let all = hypotheses(Backend::Postgres, Wire::Uuid, era);
        for hypothesis in all.iter().filter(|found| found.is_told_by_values()) {
            let (mask, bits) = hypothesis.marks();
            let admits = |stored| hypothesis.format.admits(hypothesis.public(stored));
            let constants = hypothesis.bits_of(|kind| matches!(kind, FieldKind::Constant(_)));
            assert!(admits(bits), "{hypothesis:?}");
            // The doctor asks for constants that the format itself leaves to the generator.
            for bit in (0..128).filter(|bit| (mask & !constants) >> bit & 1 == 1) {
                assert!(!admits(bits ^ 1 << bit), "{hypothesis:?} {bit}");
            }
        }
    }

    #[test]
    fn fields_of_time_with_plausible_numbers_are_not_passed_over() {
        let era = Era::until(UnixMillis::new(1_795_000_000_000));
        let mut draws = Draws::new(5);
        let mut half = || u128::from(draws.below(u64::MAX));
        let mut found = 0;
        for hypothesis in hypotheses(Backend::Postgres, Wire::Uuid, era) {
            let (format, Some(times)) = (hypothesis.format, hypothesis.times) else {
                continue;
            };
            for _ in 0..20_000 {
                // Half of them are near the ends.
                let near = (half() as u64 % 8).wrapping_sub(4);
                let number = match half() % 4 {
                    0 => times.first.wrapping_add(near),
                    1 => times.end.wrapping_add(near),
                    _ => half() as u64,
                };
                let field = |number: u64| u128::from(number & times.mask) << times.shift;
                let stored = (half() << 64 | half()) & !field(u64::MAX) | field(number);
                let time = format.time_of(hypothesis.public(stored));
                let is_in = time.is_some_and(|time| era.contains(time));
                assert!(!is_in || times.contain(stored), "{format:?} {stored:032x}");
                found += u32::from(is_in);
            }
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn a_time_out_of_the_era_speaks_against_a_format() {
        let now = UnixMillis::new(1_795_000_000_000);
        let era = Era::until(now);
        let all = hypotheses(Backend::Postgres, Wire::Uuid, era);
        let v7 = all
            .iter()
            .find(|found| found.format == FormatKind::UuidV7)
            .unwrap();
        let at = |millis: u128| millis << 80 | 0x7001_8040_0000_0000_0001;
        assert!(v7.admits(at(1_700_000_000_000), era));
        assert!(!v7.admits(at(0), era));
        assert!(!v7.admits(at(1_795_100_000_000), era));
        assert!(v7.chance > 0.002 && v7.chance < 0.004, "{}", v7.chance);
    }
}
