//! The command line, declared for clap.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use rowkey_core::format::FormatKind;
use rowkey_core::text::Encoding;
use rowkey_core::{Backend, Luuid, UnixMillis};

use crate::cipher_keys::KeySources;
#[cfg(feature = "databases")]
use crate::commands::{
    chunks::Chunks, copy::Copies, doctor::Doctor, inventory::Inventories, plan::Plans,
    preflight::Preflights, relayout::Relayout, verify::Verify,
};
use crate::format_argument::format_parser;
use crate::number::{Group, Number};
use crate::prefix::Prefix;
use crate::representation::{Representation, Subject};
use crate::stream::Ids;
use crate::target::{SortOrder, Target};
use crate::time::{Interval, parse_duration, parse_instant, parse_interval};

/// The help below the options: the names of formats and representations, and rules for all
/// commands.
fn long_help() -> String {
    let mut help = String::from("Formats:\n ");
    let mut line = 1;
    for format in FormatKind::ALL {
        let name = format.name();
        if line + 1 + name.len() > 80 {
            help += "\n ";
            line = 1;
        }
        help += " ";
        help += name;
        line += 1 + name.len();
    }
    help + AFTER_FORMATS
}

const AFTER_FORMATS: &str = "

Representations:
  public        the form that clients see: decimal digits of a distributed-id and a database-number,
                otherwise as `uuid`
  uuid          hyphenated lower-case text of the 128 bits
  hex           upper-case hexadecimal (either case is read)
  alphanumeric  base 62, case-sensitive
  decimal       digits without padding
  binary        the bytes as lower-case hexadecimal (either case is read)
  sql-server    text of the uuid that SQL Server's uniqueidentifier stores
  mariadb-uuid  text of the uuid that MariaDB's UUID type stores

Wherever public ids are read, they may have the prefix of their key, as in inv_3zfAkCP7ZtzfeQYp.

Ids come from the arguments or, without any, one per line from standard input. Times are RFC 3339
(2026-01-31T12:00:00Z) or milliseconds since 1970; durations have units (60s, 10m, 1h30m).

Exit codes: 0 success, 1 bad input, refused, different or cannot tell, 2 wrong usage,
3 interrupted.";

/// Make, inspect, convert, validate and sort database-friendly ids.
#[derive(Debug, Parser)]
#[command(
    name = "rowkey",
    version,
    arg_required_else_help = true,
    after_long_help = long_help()
)]
pub(crate) struct Cli {
    /// Print JSON, one value per line
    ///
    /// Errors are still printed as text on standard error.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    New(New),
    Inspect(Inspect),
    Convert(Convert),
    Validate(Validate),
    Sort(Sort),
    #[command(subcommand)]
    PublicId(PublicId),
    Crc12(Crc12),
    Range(Range),
    Sql(Sql),
    Ddl(Ddl),
    #[cfg(feature = "databases")]
    Inventory(Inventories),
    #[cfg(feature = "databases")]
    Doctor(Doctor),
    #[cfg(feature = "databases")]
    Plan(Plans),
    #[cfg(feature = "databases")]
    Preflight(Preflights),
    #[cfg(feature = "databases")]
    Relayout(Relayout),
    /// Give rows new ids of a format, in place, while programs write
    ///
    /// As `rowkey relayout`, for a plan without the form of the old ids. The table rowkey_id_map
    /// keeps the old ids.
    #[cfg(feature = "databases")]
    Rekey(Relayout),
    #[cfg(feature = "databases")]
    Verify(Verify),
    #[cfg(feature = "databases")]
    Copy(Copies),
    #[cfg(feature = "databases")]
    Chunks(Chunks),
    Completions(Completions),
}

/// Make new ids
///
/// distributed-id, distributed-id128, luuid, iuid and uuid-v7 are printed in increasing order; with
/// --at, iuid and uuid-v7 are not. hot-guid is, until its counter starts again. Of the others,
/// COMBs made in one millisecond or interval, uuid-v4 and any-uuid are in no order.
///
/// Options for which the format has no field are wrong usage; numbers outside a field's range and
/// times outside the format's range are bad input.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The format of the ids
    #[arg(short, long, value_parser = format_parser())]
    pub(crate) format: FormatKind,

    /// How many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    pub(crate) count: u64,

    /// The time to put into them, instead of now
    ///
    /// A distributed-id made at TIME carries the second before TIME. If the ids do not all fit into
    /// one millisecond, the next milliseconds are used, without waiting.
    #[arg(long, value_name = "TIME", value_parser = parse_instant, allow_hyphen_values = true)]
    pub(crate) at: Option<UnixMillis>,

    /// The interval of a short COMB's counter [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_interval, allow_hyphen_values = true)]
    pub(crate) interval: Option<Interval>,

    /// The group of a luuid: the full name of its kind, or a number such as 0xaa1
    #[arg(long, value_name = "NAME|0xNNN")]
    pub(crate) group: Option<Group>,

    /// The short key of a luuid, in hexadecimal; the next ids get the next
    #[arg(long, visible_alias = "key", value_name = "HEX", value_parser = Luuid::parse_short_key, allow_hyphen_values = true)]
    pub(crate) short_key: Option<u64>,

    /// The country of an iuid, 0 to 255
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) country: Option<Number>,

    /// The service entity of an iuid, 0 to 255
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) entity: Option<Number>,

    /// The shard key of a hot-guid, 0 to 4294967295
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) shard: Option<Number>,

    /// How to print them
    #[arg(long, value_name = "REPRESENTATION", value_enum)]
    #[arg(default_value = "public")]
    pub(crate) repr: Representation,

    /// Print them as ids of a key with this prefix, such as inv for inv_3zfAkCP7ZtzfeQYp
    #[arg(long)]
    pub(crate) prefix: Option<Prefix>,
}

/// Show everything that an id contains: its fields, its representations and its SQL literals
///
/// Without --format, all formats that the id may have are shown, most likely first, judged by the
/// bits that each format fixes and by how near to now its time is. Unlikely ones, such as those
/// with a time before 2000 or more than a year ahead, are only counted; a number is always shown as
/// a distributed-id. With --format, the id may be in any representation with a recognisable shape.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) ids: Ids,

    /// The format of the ids
    #[arg(short, long, value_parser = format_parser())]
    pub(crate) format: Option<FormatKind>,

    /// Show the unlikely formats too
    #[arg(long, conflicts_with = "format")]
    pub(crate) all: bool,

    /// The time to compare with, instead of now
    #[arg(long, value_name = "TIME", value_parser = parse_instant, allow_hyphen_values = true)]
    #[arg(conflicts_with = "format")]
    pub(crate) at: Option<UnixMillis>,

    /// A column that is not stored in the default way, such as postgres=uuid; repeatable
    ///
    /// Write the storage as in the declaration of a key: uuid, native-uuid, binary, decimal, text,
    /// text-upper, text-hex, text-hex-upper, text-compact, text-digits or bigint, optionally with a
    /// layout, such as uuid:public.
    #[arg(long, value_name = "BACKEND=STORAGE", requires = "format", value_parser = parse_column)]
    pub(crate) storage: Vec<(Backend, String)>,

    /// The prefix of the key, such as inv, for ids that are given without it
    #[arg(long)]
    pub(crate) prefix: Option<Prefix>,
}

/// Convert ids from one representation to another
#[derive(Debug, Args)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) ids: Ids,

    /// The format of the ids, or the width of bare numbers
    #[arg(short, long, value_parser = subject_parser())]
    pub(crate) format: Subject,

    /// The representation of the input
    #[arg(long, value_name = "REPRESENTATION", value_enum)]
    pub(crate) from: Representation,

    /// The representation of the output
    #[arg(long, value_name = "REPRESENTATION", value_enum)]
    pub(crate) to: Representation,

    /// Print public ids with this prefix, such as inv for inv_3zfAkCP7ZtzfeQYp
    ///
    /// Without it, they are printed without a prefix. Ids with another prefix are bad input.
    #[arg(long)]
    pub(crate) prefix: Option<Prefix>,
}

/// Check ids that clients made for new entities
///
/// An id passes if it is a random UUID whose interval counter is close to the current one. For an
/// id that passes, `valid` is printed; one that fails is bad input. With --json, an object is
/// printed for every id, which names the failed rule: missing, malformed, not-random-v4 or
/// outside-window; the ids after a bad one are checked without --keep-going, too.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) ids: Ids,

    /// The format of the ids
    #[arg(short, long, value_parser = PossibleValuesParser::new([FormatKind::ShortPrefixComb.name()]))]
    pub(crate) format: String,

    /// The interval of the counter [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_interval, allow_hyphen_values = true)]
    pub(crate) interval: Option<Interval>,

    /// How old an id may be [default: ten intervals]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) past: Option<Duration>,

    /// How far ahead of the clock an id may be [default: ten intervals]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) future: Option<Duration>,

    /// The prefix of the key, such as bkg; like on the server, ids without it are malformed
    #[arg(long)]
    pub(crate) prefix: Option<Prefix>,

    /// The time to check against, instead of now
    #[arg(long, value_name = "TIME", value_parser = parse_instant, allow_hyphen_values = true)]
    pub(crate) at: Option<UnixMillis>,
}

/// Sort ids as a backend sorts its column
///
/// With --format, the ids are public ids, sorted as in the format's default column; without it,
/// they are stored uuids as text.
///
/// Reads all ids before it prints the first, and keeps duplicates. With --keep-going, a bad id is
/// reported and left out.
#[derive(Debug, Args)]
pub(crate) struct Sort {
    #[command(flatten)]
    pub(crate) ids: Ids,

    /// The backend whose order is used
    #[arg(short, long, value_enum)]
    pub(crate) backend: SortOrder,

    /// The format of public ids
    #[arg(short, long, value_parser = format_parser())]
    pub(crate) format: Option<FormatKind>,

    /// Print them with this prefix, such as inv for inv_3zfAkCP7ZtzfeQYp [default: as given]
    #[arg(long, requires = "format")]
    pub(crate) prefix: Option<Prefix>,
}

/// Encrypt ids for the public, and decrypt them
///
/// The key is read from a file or an environment variable, as standard base64: with --label, a
/// secret of 32 bytes, from which each label gets its own key; without it, one AES key for the ids
/// of all entities. During a key rotation, give several, the newest first: the first encodes, all
/// decode. On Unix, only the owner may have access to the file (chmod 600).
#[derive(Debug, Subcommand)]
pub(crate) enum PublicId {
    Encode(Encode),
    Decode(Decode),
}

/// The type of the id behind a public id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PublicIdType {
    /// 0 to 2^63-1
    I64,
    /// 0 to 2^64-1
    U64,
    /// 0 to 10^28-1
    DistributedId,
    /// 0 to 2^128-1
    U128,
    /// 128 bits, as hyphenated text
    Uuid,
}

/// The text form of a public id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PublicIdRepresentation {
    /// Hyphenated, 36 characters
    Uuid,
    /// Base 62, 22 characters
    Alphanumeric,
    /// Upper-case hexadecimal, 32 characters
    Hex,
}

impl PublicIdRepresentation {
    /// The encoding in `rowkey-core`.
    pub(crate) fn encoding(self) -> Encoding {
        match self {
            Self::Uuid => Encoding::Uuid,
            Self::Alphanumeric => Encoding::Alphanumeric,
            Self::Hex => Encoding::Hexadecimal,
        }
    }
}

/// Turn ids into public ids
#[derive(Debug, Args)]
pub(crate) struct Encode {
    #[command(flatten)]
    pub(crate) ids: Ids,

    /// The type of the ids; uuids are read as hyphenated text, all others as decimal digits, either
    /// with or without the prefix of their key
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub(crate) id_type: PublicIdType,

    #[command(flatten)]
    pub(crate) keys: KeySources,

    /// The label of the entity, as its key declares it: `#[entity_key(public_id = "…")]`
    #[arg(long)]
    pub(crate) label: Option<String>,

    /// Print sealed ids: 44 alphanumeric characters, which cannot be forged
    #[arg(long, requires = "label", conflicts_with = "repr")]
    pub(crate) sealed: bool,

    /// How to print the public ids
    #[arg(long, value_name = "REPRESENTATION", value_enum)]
    #[arg(default_value = "uuid")]
    pub(crate) repr: PublicIdRepresentation,
}

/// Turn public ids back into ids
#[derive(Debug, Args)]
pub(crate) struct Decode {
    #[command(flatten)]
    pub(crate) ids: Ids,

    /// The type of the ids
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub(crate) id_type: PublicIdType,

    #[command(flatten)]
    pub(crate) keys: KeySources,

    /// The label of the entity, as its key declares it: `#[entity_key(public_id = "…")]`
    #[arg(long)]
    pub(crate) label: Option<String>,

    /// Print them as ids of a key with this prefix, such as inv for inv_3zfAkCP7ZtzfeQYp
    #[arg(long)]
    pub(crate) prefix: Option<Prefix>,
}

/// Print the CRC-12 of names: the group number of luuids
#[derive(Debug, Args)]
#[command(mut_arg("ids", |arg| arg
    .value_name("TEXT")
    .help("Names; without any, they are read from standard input, one per line")))]
pub(crate) struct Crc12 {
    #[command(flatten)]
    pub(crate) ids: Ids,
}

/// Print SQL conditions for the ids made in a time span, or for the luuids with a short key
///
/// One line per interval. The counter of a short COMB wraps around, so a span can give two
/// intervals: join the lines with OR.
///
/// A bound beyond the format's range of times is left out. The time in a distributed-id is up to
/// 1000 ms earlier than the clock that created it.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("ids").args(["from", "short_key"]).required(true)))]
pub(crate) struct Range {
    /// The format of the ids
    #[arg(short, long, value_parser = format_parser())]
    pub(crate) format: FormatKind,

    /// The start of the span, inclusive
    #[arg(long, value_name = "TIME", value_parser = parse_instant, allow_hyphen_values = true)]
    #[arg(requires = "to")]
    pub(crate) from: Option<UnixMillis>,

    /// The end of the span, exclusive
    #[arg(long, value_name = "TIME", value_parser = parse_instant, allow_hyphen_values = true)]
    #[arg(requires = "from")]
    pub(crate) to: Option<UnixMillis>,

    /// The short key of luuids, in hexadecimal as users read it out: 23122e, 2078
    #[arg(long, value_name = "HEX", value_parser = Luuid::parse_short_key, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["to", "interval"])]
    pub(crate) short_key: Option<u64>,

    /// The group of the short key: the full name of its kind, or a number such as 0xaa1
    ///
    /// Without it, the condition matches the number in every group, which is enough for a table
    /// whose ids all have the same group.
    #[arg(long, value_name = "NAME|0xNNN")]
    pub(crate) group: Option<Group>,

    /// Where the ids are stored
    #[arg(short, long, value_enum)]
    pub(crate) backend: Target,

    /// The interval of a short COMB's counter [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_interval, allow_hyphen_values = true)]
    pub(crate) interval: Option<Interval>,

    /// The name of the column
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub(crate) column: String,

    /// The table of the column, or its alias, for a query of several
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// How the column stores the ids, if not in the default way, such as uuid or uuid:public
    ///
    /// Written as in the declaration of a key: uuid, native-uuid, binary, decimal, text,
    /// text-upper, text-hex, text-hex-upper, text-compact, text-digits or bigint, optionally with a
    /// layout.
    #[arg(long, value_name = "STORAGE")]
    pub(crate) storage: Option<String>,
}

/// Print SQL that converts, checks or reads the ids of a column
///
/// A conversion gives NULL for a value of another shape: text of another length, alphabet or letter
/// case, bytes of another length, a number out of range. From a form to itself, values are not
/// looked at. A conversion does not look at the version and the variant of a UUID, which `--as
/// condition` does.
///
/// Expressions of text-compact, and of 38 digits in SQLite, contain a subquery, except in MySQL and
/// MariaDB. SQLite needs version 3.41 for bytes from text, 3.42 for digits and compact text.
/// Expressions for SQL Server have run on a server that speaks T-SQL, not on SQL Server itself;
/// those of a view of numbers and of the checks of compact text have run nowhere.
#[derive(Debug, Args)]
pub(crate) struct Sql {
    /// The format of the ids
    #[arg(short, long, value_parser = format_parser())]
    pub(crate) format: FormatKind,

    /// The database
    #[arg(short, long, value_parser = backend_parser())]
    pub(crate) backend: Backend,

    /// How the column stores the ids, such as uuid, uuid:public or text-hex:sql-server
    ///
    /// Written as in the declaration of a key: uuid, native-uuid, binary, decimal, text,
    /// text-upper, text-hex, text-hex-upper, text-compact, text-digits or bigint, optionally with a
    /// layout: public, public-unordered, prefix, suffix or sql-server. Without one, it is the
    /// layout that keeps the order there. Layouts that lose it are allowed as well.
    #[arg(long, value_name = "STORAGE[:LAYOUT]")]
    pub(crate) from: String,

    /// What to convert them to [default for a view: the public text, as `rowkey convert` prints it]
    #[arg(long, value_name = "STORAGE[:LAYOUT]")]
    pub(crate) to: Option<String>,

    /// What to print
    #[arg(long = "as", value_enum, default_value = "expression")]
    pub(crate) shape: SqlShape,

    /// The name of the column
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub(crate) column: String,

    /// The table of the column, or its alias; a view is called after its table: offer_public
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,
}

/// What `rowkey sql` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SqlShape {
    /// The converted id
    Expression,
    /// The function that converts an id, and the one for the way back
    Function,
    /// A view of the table with a column of the converted ids, id_public
    View,
    /// Whether the value is an id of the format in this form
    Condition,
    /// The instant in the id, in milliseconds since 1970
    Time,
}

/// Print definitions: a key's column, the partitions of its table, the tables of rowkey-stores
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").args(["format", "stores"]).required(true)))]
#[command(group(ArgGroup::new("new_ids").args(["default", "trigger"])))]
pub(crate) struct Ddl {
    /// The database
    #[arg(short, long, value_parser = backend_parser())]
    pub(crate) backend: Backend,

    /// The format of the key
    #[arg(short, long, value_parser = format_parser())]
    pub(crate) format: Option<FormatKind>,

    /// How the column stores the ids, if not in the default way, such as binary or uuid:public
    #[arg(long, value_name = "STORAGE[:LAYOUT]", requires = "format")]
    pub(crate) storage: Option<String>,

    /// The name of the column
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub(crate) column: String,

    /// Allow NULL in the column
    #[arg(long, requires = "format")]
    pub(crate) nullable: bool,

    /// Let the database make the id of a row that is inserted without one
    ///
    /// The column gets an expression as its default, for formats of time and random bits. A
    /// database-number is counted. PostgreSQL needs version 13, MySQL 8.0.13 (see --trigger),
    /// MariaDB 10.10; SQLite 3.41 for bytes. Those for SQL Server have run on a server that speaks
    /// T-SQL, not on SQL Server itself.
    #[arg(long, requires = "format", conflicts_with_all = ["stores", "nullable", "trigger"])]
    pub(crate) default: bool,

    /// The table in which a trigger makes the ids, for MySQL from 5.6.17 to 8.0.12
    ///
    /// The column is printed with a default that the trigger replaces, then the trigger.
    #[arg(long, value_name = "TABLE", requires = "format")]
    #[arg(conflicts_with = "nullable")]
    pub(crate) trigger: Option<String>,

    /// The interval of a short COMB's counter in new ids [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_interval, allow_hyphen_values = true)]
    #[arg(requires = "new_ids")]
    pub(crate) interval: Option<Interval>,

    /// The table that is partitioned by the time in its keys
    ///
    /// The clause of CREATE TABLE is printed without a semicolon, the statements before and after
    /// it with one.
    #[arg(long, value_name = "NAME", requires_all = ["format", "from", "months"])]
    pub(crate) table: Option<String>,

    /// The month in which the first partition begins, such as 2026-01
    #[arg(long, value_name = "YYYY-MM", value_parser = parse_month, requires = "table")]
    pub(crate) from: Option<(u16, u8)>,

    /// How many monthly partitions there are
    #[arg(long, value_name = "N", requires = "table")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1200))]
    pub(crate) months: Option<u16>,

    /// The tables of rowkey-stores
    #[arg(long)]
    pub(crate) stores: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

fn backend_parser() -> impl TypedValueParser<Value = Backend> {
    let values = Backend::ALL.map(|backend| {
        let value = PossibleValue::new(backend.name());
        match backend {
            Backend::Postgres => value.alias("postgresql"),
            Backend::SqlServer => value.alias("sqlserver"),
            _ => value,
        }
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Backend>())
}

fn parse_month(text: &str) -> Result<(u16, u8), String> {
    let month = text
        .split_once('-')
        .filter(|(year, month)| year.len() == 4 && month.len() == 2)
        .and_then(|(year, month)| Some((year.parse().ok()?, month.parse().ok()?)));
    match month {
        Some((year, month @ 1..=12)) => Ok((year, month)),
        _ => Err("write the year and the month: 2026-01".into()),
    }
}

fn subject_parser() -> impl TypedValueParser<Value = Subject> {
    PossibleValuesParser::new(Subject::names()).try_map(|name| Subject::named(&name))
}

/// Reads `BACKEND=STORAGE[:LAYOUT]`; the storage is checked later, when the format is known.
fn parse_column(text: &str) -> Result<(Backend, String), String> {
    let Some((backend, storage)) = text.split_once('=') else {
        return Err("write the backend, an equals sign and the storage: postgres=uuid".into());
    };
    let backend = backend
        .parse()
        .map_err(|error: rowkey_core::Error| error.to_string())?;
    Ok((backend, storage.to_owned()))
}
