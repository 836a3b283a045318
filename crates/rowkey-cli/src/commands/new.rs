//! `rowkey new`.

use std::cell::Cell;
use std::io::Write;
use std::thread;

use rowkey_core::format::{Format, FormatKind, interval_counter};
use rowkey_core::generate::{Clock, Counted, Entropy, Generate, SystemEntropy};
use rowkey_core::generate::{
    DistributedId128Generator, DistributedIdGenerator, HotGuidGenerator, OrderedGenerator,
};
use rowkey_core::luuid::LuuidContext;
use rowkey_core::routing::IuidContext;
use rowkey_core::{Error, Iuid, Luuid, ShortPrefixComb, ShortSuffixComb, UnixMillis};
use serde::Serialize;

use crate::args::New;
use crate::failure::{Failure, Outcome, Stop};
use crate::number::Group;
use crate::representation::{Codec, Printer, Subject};
use crate::stream::{json_line, output, text_line};
use crate::time::Interval;

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
}

/// Makes the ids.
pub(super) fn run(args: &New, json: bool) -> Result<Outcome, Stop> {
    let codec = Codec::new(Subject::Format(args.format), args.repr)?;
    let printer = Printer::new(codec, args.prefix.as_ref())?;
    check_options(args)?;
    let time = Time {
        fixed: args.at,
        advanced_ms: Cell::new(0),
    };
    let mut make = maker(args, &time)?;
    let mut output = output();
    let mut line = Vec::new();
    for index in 0..args.count {
        let value = loop {
            match make(index) {
                Ok(value) => break value,
                Err(error) => match (error.wait(), time.fixed) {
                    (Some(_), Some(_)) => time.advance(1),
                    (Some(wait), None) => thread::sleep(wait),
                    (None, _) => {
                        output.flush()?;
                        return Err(error.into());
                    }
                },
            }
        };
        let text = printer.write(value)?;
        line.clear();
        if json {
            json_line(&mut line, &Answer { id: &text });
        } else {
            text_line(&mut line, &text);
        }
        output.write_all(&line)?;
    }
    output.flush()?;
    Ok(Outcome::Complete)
}

/// The system's clock, or a fixed one that advances only when a millisecond is full.
struct Time {
    fixed: Option<UnixMillis>,
    advanced_ms: Cell<i64>,
}

impl Time {
    /// Advances a fixed clock.
    fn advance(&self, millis: i64) {
        self.advanced_ms.update(|advanced| advanced + millis);
    }
}

impl Clock for Time {
    fn now(&self) -> UnixMillis {
        match self.fixed {
            Some(time) => UnixMillis::new(time.get().saturating_add(self.advanced_ms.get())),
            None => UnixMillis::now(),
        }
    }
}

impl Clock for &Time {
    fn now(&self) -> UnixMillis {
        (**self).now()
    }
}

/// Refuses options for which the format has no field.
fn check_options(args: &New) -> Result<(), Failure> {
    let format = args.format;
    let has_time = format.value_ranges(None, None, 1).is_some();
    let has_interval = Interval::belongs_to(format);
    let is_luuid = format == FormatKind::Luuid;
    let is_iuid = format == FormatKind::Iuid;
    let is_hot_guid = format == FormatKind::HotGuid;
    let options = [
        ("--at", args.at.is_some(), has_time),
        ("--interval", args.interval.is_some(), has_interval),
        ("--group", args.group.is_some(), is_luuid),
        ("--short-key", args.short_key.is_some(), is_luuid),
        ("--country", args.country.is_some(), is_iuid),
        ("--entity", args.entity.is_some(), is_iuid),
        ("--shard", args.shard.is_some(), is_hot_guid),
    ];
    match options
        .into_iter()
        .find(|(_, given, belongs)| *given && !belongs)
    {
        None => Ok(()),
        Some((option, ..)) => Err(Failure::wrong_usage(
            format_args!("{option} does not belong to {}", format.name()),
            format!("leave out {option}, or choose another --format"),
        )),
    }
}

/// A function from an index, which starts at 0, to an id.
type Maker<'a> = Box<dyn FnMut(u64) -> Result<u128, Error> + 'a>;

/// Declares `maker`, which calls for each format the function of this module that is named like the
/// format's. A format of a time and random bits alone needs none.
macro_rules! declare_maker {
    ([] $({
        $module:ident $format:ident $name:literal $made:ident($($context:ident)?)
        [$($generics:tt)*] [$($arguments:tt)*]
    })*) => {
        fn maker<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
            match args.format {
                $(
                    FormatKind::$format => declare_maker! {
                        $made($($context)? $($generics)*) $module $format, args, time
                    },
                )*
            }
        }
    };
    (drawn() $module:ident $format:ident, $args:ident, $time:ident) => {
        Ok(stateless::<rowkey_core::$format>((), $time))
    };
    (counted() $module:ident $format:ident, $args:ident, $time:ident) => {
        Ok(counted::<rowkey_core::$format>((), $time))
    };
    ($made:ident($($own:tt)*) $module:ident $format:ident, $args:ident, $time:ident) => {
        $module($args, $time)
    };
}

rowkey_core::__private::format_rows!(declare_maker);

fn short_prefix_comb<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    Ok(counting(args, time, |counter, random| {
        ShortPrefixComb::<60_000>::from_parts(counter, random).to_u128()
    }))
}

fn short_suffix_comb<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    Ok(counting(args, time, |counter, random| {
        ShortSuffixComb::<60_000>::from_parts(counter, random).to_u128()
    }))
}

/// Ids with a counter of the interval that the options give.
fn counting<'a>(args: &New, time: &'a Time, make: fn(u16, [u8; 14]) -> u128) -> Maker<'a> {
    let interval_ms = args.interval.unwrap_or_default().millis();
    let mut entropy = SystemEntropy::new();
    Box::new(move |_| {
        let mut random = [0; 14];
        entropy.fill(&mut random);
        Ok(make(interval_counter(time.now(), interval_ms)?, random))
    })
}

fn iuid<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    let country = required(args, "--country", args.country.as_ref())?;
    let entity = required(args, "--entity", args.entity.as_ref())?;
    let context = IuidContext {
        country: country.fit("--country", "0 to 255")?,
        service_entity: entity.fit("--entity", "0 to 255")?,
    };
    Ok(counted::<Iuid>(context, time))
}

fn luuid<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    let group = required(args, "--group", args.group.as_ref())?;
    let first = *required(args, "--short-key", args.short_key.as_ref())?;
    let group = Group::resolve(group)?;
    let mut entropy = SystemEntropy::new();
    Ok(Box::new(move |index| {
        // The largest number is far below the limit at which this saturates.
        let number = first.saturating_add(index);
        let context = LuuidContext { group, number };
        // Only the number can be wrong.
        let used_up = |_| group.used_up();
        let id = Luuid::generate_with(&context, time, &mut entropy);
        id.map(Luuid::to_u128).map_err(used_up)
    }))
}

fn distributed_id<'a>(_: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    let generator = DistributedIdGenerator::new().with_clock(time);
    Ok(Box::new(move |_| {
        generator.try_generate().map(Format::to_u128)
    }))
}

fn distributed_id128<'a>(_: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    let generator = DistributedId128Generator::new().with_clock(time);
    Ok(Box::new(move |_| {
        generator.try_generate().map(Format::to_u128)
    }))
}

/// No program makes such a number, not even this one.
fn database_number<'a>(args: &New, _: &'a Time) -> Result<Maker<'a>, Failure> {
    Err(Failure::wrong_usage(
        format_args!("the database counts a {}", args.format.name()),
        "insert a row without one, and read the number that the statement returns",
    ))
}

fn hot_guid<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    let shard = required(args, "--shard", args.shard.as_ref())?;
    let shard = shard.fit("--shard", "0 to 4294967295")?;
    let generator = HotGuidGenerator::new().with_clock(time);
    // The capacity of the counter, in ids per second.
    const PER_SECOND: u64 = 1 << 24;
    Ok(Box::new(move |index| {
        if index > 0 && index % PER_SECOND == 0 {
            time.advance(1_000);
        }
        generator.try_generate(shard).map(Format::to_u128)
    }))
}

fn stateless<'a, F: Generate>(context: F::Context, time: &'a Time) -> Maker<'a>
where
    F::Context: 'a,
{
    let mut entropy = SystemEntropy::new();
    Box::new(move |_| F::generate_with(&context, time, &mut entropy).map(Format::to_u128))
}

/// Ids in order, unless their time is given: then all of them have it.
fn counted<'a, F>(context: <F as Generate>::Context, time: &'a Time) -> Maker<'a>
where
    F: Generate + Counted<Context = <F as Generate>::Context>,
    <F as Generate>::Context: 'a,
{
    if time.fixed.is_some() {
        return stateless::<F>(context, time);
    }
    let generator = OrderedGenerator::<F>::new();
    Box::new(move |_| generator.try_generate_for(&context).map(Format::to_u128))
}

fn required<'a, T>(args: &New, option: &str, value: Option<&'a T>) -> Result<&'a T, Failure> {
    value.ok_or_else(|| {
        Failure::wrong_usage(
            format_args!("{} needs {option}", args.format.name()),
            "`rowkey new --help` shows the options",
        )
    })
}
