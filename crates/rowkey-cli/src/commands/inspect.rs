//! `rowkey inspect`.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Storage, StoragePlan};
use rowkey_core::{Backend, UnixMillis};
use serde::Serialize;

use crate::args::Inspect;
use crate::failure::{Failure, Outcome, Stop};
use crate::fields::Fields;
use crate::likelihood::{Likelihood, Reading};
use crate::prefix;
use crate::recognition::{command_for_short_key, read_as, readings};
use crate::representation::{Codec, Representation, Subject, mariadb_uuid};
use crate::stream::{RefusedLine, answer_each, json_line};
use crate::target::plan;

/// The fields of the JSON output and of the text output, with the same names.
#[derive(Serialize)]
struct Answer {
    format: &'static str,
    #[serde(flatten)]
    rank: Option<Rank>,
    #[serde(flatten)]
    key: Option<KeyText>,
    public: String,
    uuid: String,
    hex: String,
    alphanumeric: String,
    decimal: String,
    binary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql_server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mariadb_uuid: Option<String>,
    #[serde(flatten)]
    fields: Fields,
}

/// How a reading ranks among all readings of a text without `--format`.
#[derive(Serialize)]
struct Rank {
    /// 1 for the most likely.
    rank: usize,
    likelihood: Likelihood,
    /// The number of hidden unlikely readings; only in the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<usize>,
    /// Whether there is no other reading.
    #[serde(skip)]
    is_alone: bool,
}

/// The text of a key with a prefix.
#[derive(Serialize)]
struct KeyText {
    prefix: String,
    key_text: String,
}

/// Shows the ids.
pub(super) fn run(args: &Inspect, json: bool) -> Result<Outcome, Stop> {
    let columns = args
        .storage
        .iter()
        .map(|(backend, storage)| (*backend, storage.as_str()));
    let chosen = match args.format {
        Some(format) => Some(plan(format, columns)?),
        None => None,
    };
    let style = Styles::of_standard_output();
    let mut is_first = true;
    answer_each(&args.ids, RefusedLine::EmptyLine, |text, block| {
        let text = text?;
        if let Some(prefix) = &args.prefix {
            prefix.allow(text)?;
        }
        let prefix = args.prefix.as_deref().or_else(|| prefix::of(text));
        let (readings, hidden) = match args.format {
            Some(format) => (vec![(format, read_as(format, text)?, None)], 0),
            None => {
                let now = args.at.unwrap_or_else(UnixMillis::now);
                ranked(readings(text, now)?, args.all)
            }
        };
        let mut separate = |block: &mut Vec<u8>| {
            if !std::mem::take(&mut is_first) {
                block.push(b'\n');
            }
        };
        let may_be_short_key = !json && args.format.is_none();
        if may_be_short_key && let Some(command) = command_for_short_key(text) {
            separate(block);
            let _ = writeln!(block, "{text} may be the short key of a luuid: {command}");
        }
        for (format, value, rank) in readings {
            let answer = Answer::of(format, value, prefix, rank)?;
            if json {
                json_line(block, &answer);
                continue;
            }
            separate(block);
            let plan = chosen.unwrap_or(StoragePlan::default_for(format));
            // Writing to memory does not fail.
            let _ = answer.show(style, block);
            let _ = show_literals(&plan, value, style, block);
        }
        if !json && hidden > 0 {
            let (formats, them) = match hidden {
                1 => ("format is", "it"),
                _ => ("formats are", "them"),
            };
            separate(block);
            let _ = writeln!(
                block,
                "{hidden} unlikely {formats} hidden; --all shows {them}"
            );
        }
        Ok(())
    })
}

/// The readings to show, with their ranks, and the number of hidden ones.
fn ranked(readings: Vec<Reading>, all: bool) -> (Vec<(FormatKind, u128, Option<Rank>)>, usize) {
    let found = readings.len();
    let shown: Vec<_> = readings
        .into_iter()
        .take_while(|reading| all || reading.likelihood != Likelihood::Unlikely)
        .collect();
    let hidden = found - shown.len();
    let ranked = shown.into_iter().zip(1..).map(|(reading, rank)| {
        let rank = Rank {
            rank,
            likelihood: reading.likelihood,
            hidden: (rank == 1 && hidden > 0).then_some(hidden),
            is_alone: found == 1,
        };
        (reading.format, reading.value, Some(rank))
    });
    (ranked.collect(), hidden)
}

impl Answer {
    fn of(
        format: FormatKind,
        value: u128,
        prefix: Option<&str>,
        rank: Option<Rank>,
    ) -> Result<Self, Failure> {
        let write = |representation| -> Result<String, Failure> {
            let codec = Codec::new(Subject::Format(format), representation)?;
            Ok(codec.write(value).map_err(Failure::from)?.to_string())
        };
        let key = match prefix {
            None => None,
            Some(prefix) => Some(KeyText {
                prefix: prefix.to_owned(),
                key_text: prefix::key_text(prefix, format, value)?,
            }),
        };
        Ok(Self {
            format: format.name(),
            rank,
            key,
            public: write(Representation::Public)?,
            uuid: write(Representation::Uuid)?,
            hex: write(Representation::Hex)?,
            alphanumeric: write(Representation::Alphanumeric)?,
            decimal: write(Representation::Decimal)?,
            binary: write(Representation::Binary)?,
            // A number has no uuid there.
            sql_server: match format {
                FormatKind::DatabaseNumber => None,
                _ => Some(write(Representation::SqlServer)?),
            },
            mariadb_uuid: mariadb_uuid(format, value).map(|text| text.to_string()),
            fields: Fields::of(format, value)?,
        })
    }

    fn show(&self, Styles { title, name }: Styles, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{title}{}{title:#}", self.format)?;
        match &self.rank {
            Some(rank) if !rank.is_alone => writeln!(out, " ({})", rank.likelihood.name())?,
            _ => writeln!(out)?,
        }
        let representations = [
            ("public", Some(&self.public)),
            ("uuid", Some(&self.uuid)),
            ("hex", Some(&self.hex)),
            ("alphanumeric", Some(&self.alphanumeric)),
            ("decimal", Some(&self.decimal)),
            ("binary", Some(&self.binary)),
            ("sql_server", self.sql_server.as_ref()),
            ("mariadb_uuid", self.mariadb_uuid.as_ref()),
        ];
        if let Some(KeyText { prefix, key_text }) = &self.key {
            writeln!(out, "  {name}{:<16}{name:#} {prefix}", "prefix")?;
            writeln!(out, "  {name}{:<16}{name:#} {key_text}", "key_text")?;
        }
        for (label, value) in self.fields.lines() {
            writeln!(out, "  {name}{label:<16}{name:#} {value}")?;
        }
        for (label, value) in representations {
            if let Some(value) = value {
                writeln!(out, "  {name}{label:<16}{name:#} {value}")?;
            }
        }
        Ok(())
    }
}

/// One line per kind of column, with the literal for a WHERE clause.
fn show_literals(
    plan: &StoragePlan,
    value: u128,
    Styles { name, .. }: Styles,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "  {name}literals{name:#}")?;
    let mut line = |backend: Backend, sql_type: &str, column: Column| {
        let literal = if value <= column.max_value() {
            column.literal(value)
        } else {
            "(does not fit into the column)".to_owned()
        };
        let backend = backend.to_string();
        writeln!(
            out,
            "    {name}{backend:<10} {sql_type:<24}{name:#} {literal}"
        )
    };
    for backend in Backend::ALL {
        let column = plan.column(backend);
        // MySQL does not have MariaDB's UUID type.
        if let Ok(sql_type) = plan.column_type(backend) {
            let sql_type = sql_type.split(" COLLATE ").next().unwrap_or_default();
            line(backend, sql_type, column)?;
        }
        if backend == Backend::MariaDb && column.storage() != Storage::NativeUuid {
            let native = Column::new(column.format(), backend, Storage::NativeUuid, None);
            if let Ok(native) = native {
                line(backend, "UUID", native)?;
            }
        }
    }
    Ok(())
}

/// The styles of the text output: plain unless it goes to a terminal.
#[derive(Clone, Copy)]
struct Styles {
    title: Style,
    name: Style,
}

impl Styles {
    fn of_standard_output() -> Self {
        if AutoStream::choice(&io::stdout()) == ColorChoice::Never {
            Self {
                title: Style::new(),
                name: Style::new(),
            }
        } else {
            Self {
                title: Style::new().bold(),
                name: Style::new().dimmed(),
            }
        }
    }
}
