//! `rowkey new`.

use std::cell::Cell;
use std::io::Write;
use std::thread;

use rowkey_core::format::{Format, FormatKind, interval_counter};
use rowkey_core::generate::{Clock, Entropy, Generate, SystemEntropy};
use rowkey_core::generate::{DistributedId128Generator, DistributedIdGenerator, HotGuidGenerator};
use rowkey_core::luuid::LuuidContext;
use rowkey_core::routing::IuidContext;
use rowkey_core::{
    AnyUuid, Error, Iuid, Luuid, PrefixComb, ShortPrefixComb, ShortSuffixComb, SuffixComb,
    UnixMillis, UuidV4, UuidV7,
};
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
                Err(Error::Throttled { wait, .. }) => match time.fixed {
                    Some(_) => time.advance(1),
                    None => thread::sleep(wait),
                },
                Err(error) => {
                    output.flush()?;
                    return Err(error.into());
                }
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

fn maker<'a>(args: &New, time: &'a Time) -> Result<Maker<'a>, Failure> {
    let interval_ms = args.interval.unwrap_or_default().millis();
    let short = move |entropy: &mut SystemEntropy| -> Result<(u16, [u8; 14]), Error> {
        let mut random = [0; 14];
        entropy.fill(&mut random);
        Ok((interval_counter(time.now(), interval_ms)?, random))
    };
    let mut entropy = SystemEntropy::new();
    Ok(match args.format {
        FormatKind::ShortPrefixComb => Box::new(move |_| {
            let (counter, random) = short(&mut entropy)?;
            Ok(ShortPrefixComb::<60_000>::from_parts(counter, random).to_u128())
        }),
        FormatKind::ShortSuffixComb => Box::new(move |_| {
            let (counter, random) = short(&mut entropy)?;
            Ok(ShortSuffixComb::<60_000>::from_parts(counter, random).to_u128())
        }),
        FormatKind::PrefixComb => stateless::<PrefixComb>((), time),
        FormatKind::SuffixComb => stateless::<SuffixComb>((), time),
        FormatKind::UuidV4 => stateless::<UuidV4>((), time),
        FormatKind::UuidV7 => stateless::<UuidV7>((), time),
        FormatKind::AnyUuid => stateless::<AnyUuid>((), time),
        FormatKind::Iuid => {
            let country = required(args, "--country", args.country.as_ref())?;
            let entity = required(args, "--entity", args.entity.as_ref())?;
            let context = IuidContext {
                country: country.fit("--country", "0 to 255")?,
                service_entity: entity.fit("--entity", "0 to 255")?,
            };
            stateless::<Iuid>(context, time)
        }
        FormatKind::Luuid => {
            let group = required(args, "--group", args.group.as_ref())?;
            let first = *required(args, "--short-key", args.short_key.as_ref())?;
            let group = Group::resolve(group)?;
            Box::new(move |index| {
                // The largest number is far below the limit at which this saturates.
                let number = first.saturating_add(index);
                let context = LuuidContext { group, number };
                // Only the number can be wrong.
                let used_up = |_| Error::NumbersUsedUp { group: group.get() };
                let id = Luuid::generate_with(&context, time, &mut entropy);
                id.map(Luuid::to_u128).map_err(used_up)
            })
        }
        FormatKind::DistributedId => {
            let generator = DistributedIdGenerator::new().with_clock(time);
            Box::new(move |_| generator.try_generate().map(Format::to_u128))
        }
        FormatKind::DistributedId128 => {
            let generator = DistributedId128Generator::new().with_clock(time);
            Box::new(move |_| generator.try_generate().map(Format::to_u128))
        }
        FormatKind::HotGuid => {
            let shard = required(args, "--shard", args.shard.as_ref())?;
            let shard = shard.fit("--shard", "0 to 4294967295")?;
            let generator = HotGuidGenerator::new().with_clock(time);
            // The capacity of the counter, in ids per second.
            const PER_SECOND: u64 = 1 << 24;
            Box::new(move |index| {
                if index > 0 && index % PER_SECOND == 0 {
                    time.advance(1_000);
                }
                generator.try_generate(shard).map(Format::to_u128)
            })
        }
    })
}

fn stateless<'a, F: Generate>(context: F::Context, time: &'a Time) -> Maker<'a>
where
    F::Context: 'a,
{
    let mut entropy = SystemEntropy::new();
    Box::new(move |_| F::generate_with(&context, time, &mut entropy).map(Format::to_u128))
}

fn required<'a, T>(args: &New, option: &str, value: Option<&'a T>) -> Result<&'a T, Failure> {
    value.ok_or_else(|| {
        Failure::wrong_usage(
            format_args!("{} needs {option}", args.format.name()),
            "`rowkey new --help` shows the options",
        )
    })
}
