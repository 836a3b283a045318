//! `rowkey public-id encode` and `rowkey public-id decode`.

use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, FromArgMatches, ValueEnum, ValueHint};
use rowkey_core::text::{Encoding, ShortText, Width};
use rowkey_core::{DistributedId, Error, PublicId, PublicIdCipher, PublicIdCiphers, PublicIdValue};
use serde::Serialize;
use uuid::Uuid;

use crate::args::{Decode, Encode};
use crate::failure::{Failure, Outcome, Stop};
use crate::stream::{Gap, answer_each, json_line, text_line};

/// What a public id hides.
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

/// How a public id is written.
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
    fn encoding(self) -> Encoding {
        match self {
            Self::Uuid => Encoding::Uuid,
            Self::Alphanumeric => Encoding::Alphanumeric,
            Self::Hex => Encoding::Hexadecimal,
        }
    }
}

impl PublicIdType {
    /// Reads the plain form. The u128 may also be given as a uuid.
    fn read(self, text: &str) -> Result<u128, Error> {
        let decimal = |width: Width| width.decode(Encoding::Decimal, text);
        match self {
            Self::I64 => decimal(Width::I64),
            Self::U64 => decimal(Width::U64),
            Self::DistributedId => decimal(Width::Decimal28),
            Self::U128 if text.contains('-') => Width::U128.decode(Encoding::Uuid, text),
            Self::U128 => decimal(Width::U128),
            Self::Uuid => Width::U128.decode(Encoding::Uuid, text),
        }
    }

    fn write(self, value: u128) -> Result<ShortText, Error> {
        let encoding = if self == Self::Uuid {
            Encoding::Uuid
        } else {
            Encoding::Decimal
        };
        Width::U128.encode(encoding, value)
    }

    fn encrypt(self, ciphers: &PublicIdCiphers, value: u128) -> Result<Uuid, Error> {
        fn of<T: PublicIdValue>(ciphers: &PublicIdCiphers, value: &T) -> Result<Uuid, Error> {
            ciphers.encode(value).map(Uuid::from)
        }
        match self {
            // `read` has kept the value within the type.
            Self::I64 => of(ciphers, &(value as i64)),
            Self::U64 => of(ciphers, &(value as u64)),
            Self::DistributedId => of(ciphers, &DistributedId::try_from(value)?),
            Self::U128 => of(ciphers, &value),
            Self::Uuid => of(ciphers, &Uuid::from_u128(value)),
        }
    }

    fn decrypt(self, ciphers: &PublicIdCiphers, public_id: Uuid) -> Result<u128, Error> {
        fn of<T: PublicIdValue>(ciphers: &PublicIdCiphers, public_id: Uuid) -> Result<T, Error> {
            ciphers.decode(PublicId::from_uuid(public_id))
        }
        Ok(match self {
            // A public id never decodes to a negative number.
            Self::I64 => of::<i64>(ciphers, public_id)? as u128,
            Self::U64 => of::<u64>(ciphers, public_id)?.into(),
            Self::DistributedId => of::<DistributedId>(ciphers, public_id)?.to_u128(),
            Self::U128 => of(ciphers, public_id)?,
            Self::Uuid => of::<Uuid>(ciphers, public_id)?.as_u128(),
        })
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    public_id: &'a str,
}

/// Ids to public ids.
pub(super) fn encode(args: &Encode, json: bool) -> Result<Outcome, Stop> {
    let ciphers = args.keys.read()?;
    answer_each(&args.ids, Gap::EmptyLine, |text, line| {
        let id = text?;
        let public_id = args.id_type.encrypt(&ciphers, args.id_type.read(id)?)?;
        let public_id = Width::U128.encode(args.repr.encoding(), public_id.as_u128())?;
        if json {
            json_line(
                line,
                &Answer {
                    id,
                    public_id: &public_id,
                },
            );
        } else {
            text_line(line, &public_id);
        }
        Ok(())
    })
}

/// Public ids to ids.
pub(super) fn decode(args: &Decode, json: bool) -> Result<Outcome, Stop> {
    let ciphers = args.keys.read()?;
    answer_each(&args.ids, Gap::EmptyLine, |text, line| {
        let public_id = text?;
        let value = args.id_type.decrypt(&ciphers, read_public_id(public_id)?)?;
        let id = args.id_type.write(value)?;
        if json {
            json_line(line, &Answer { id: &id, public_id });
        } else {
            text_line(line, &id);
        }
        Ok(())
    })
}

/// Reads any of the three forms; they differ in length.
fn read_public_id(text: &str) -> Result<Uuid, Failure> {
    const FORMS: [Encoding; 3] = [
        Encoding::Uuid,
        Encoding::Alphanumeric,
        Encoding::Hexadecimal,
    ];
    let length = text.chars().count();
    for form in FORMS {
        if Width::U128.encode(form, 0)?.len() == length {
            let public_id: PublicId<Uuid> = PublicId::decode(form, text)?;
            return Ok(public_id.into());
        }
    }
    Err(Failure::bad_input(
        format_args!(
            "expected a public id: hyphenated UUID text (36 characters), 22 alphanumeric or 32 \
             hexadecimal characters: found {length} characters"
        ),
        "public ids are read exactly as printed, without blanks, quotes, braces or prefixes",
    ))
}

/// Where the keys are, newest first. Never the keys themselves: other users can see command lines.
#[derive(Clone, Debug)]
pub(crate) struct KeySources(Vec<KeySource>);

#[derive(Clone, Debug)]
enum KeySource {
    File(PathBuf),
    Variable(String),
}

impl KeySources {
    fn read(&self) -> Result<PublicIdCiphers, Failure> {
        let ciphers: Result<Vec<_>, _> = self.0.iter().map(KeySource::read).collect();
        Ok(PublicIdCiphers::newest_first(ciphers?)?)
    }
}

impl KeySource {
    fn read(&self) -> Result<PublicIdCipher, Failure> {
        const HINT: &str = "a key is 16, 24 or 32 bytes in standard base64 with padding";
        match self {
            Self::File(path) => PublicIdCipher::from_file(path).map_err(|error| {
                let place = format!("--key-file {}", path.display());
                Failure::from(error).with_hint(HINT).at(place)
            }),
            // It may be a key, so it is not repeated.
            Self::Variable(name) if !is_variable_name(name) => Err(Failure::wrong_usage(
                "--key-env takes the name of an environment variable: letters, digits and _",
                "keys do not belong on the command line, where other users can see them",
            )),
            Self::Variable(name) if std::env::var_os(name).is_none() => Err(Failure::bad_input(
                format_args!("--key-env {name}: the environment has no such variable"),
                "export the variable, or name another one",
            )),
            Self::Variable(name) => PublicIdCipher::from_env(name).map_err(|error| {
                Failure::from(error)
                    .with_hint(HINT)
                    .at(format_args!("--key-env {name}"))
            }),
        }
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

const KEY_FILE: &str = "key-file";
const KEY_ENV: &str = "key-env";

/// By hand, because the derive keeps the order within each option only, not across both.
impl clap::Args for KeySources {
    fn augment_args(command: Command) -> Command {
        let key_file = Arg::new(KEY_FILE)
            .long(KEY_FILE)
            .value_name("FILE")
            .help("A file with the AES key in standard base64; repeatable, newest first")
            .value_parser(ValueParser::path_buf())
            .value_hint(ValueHint::FilePath)
            .action(ArgAction::Append);
        let key_env = Arg::new(KEY_ENV)
            .long(KEY_ENV)
            .value_name("NAME")
            .help("An environment variable with the AES key in standard base64; repeatable")
            .action(ArgAction::Append);
        let keys = ArgGroup::new("keys")
            .args([KEY_FILE, KEY_ENV])
            .required(true)
            .multiple(true);
        command.arg(key_file).arg(key_env).group(keys)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for KeySources {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let files = positions(matches, KEY_FILE)
            .zip(matches.get_many::<PathBuf>(KEY_FILE).into_iter().flatten())
            .map(|(position, path)| (position, KeySource::File(path.clone())));
        let variables = positions(matches, KEY_ENV)
            .zip(matches.get_many::<String>(KEY_ENV).into_iter().flatten())
            .map(|(position, name)| (position, KeySource::Variable(name.clone())));
        let mut sources: Vec<_> = files.chain(variables).collect();
        sources.sort_by_key(|(position, _)| *position);
        Ok(Self(
            sources.into_iter().map(|(_, source)| source).collect(),
        ))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn positions(matches: &ArgMatches, option: &str) -> impl Iterator<Item = usize> {
    matches.indices_of(option).into_iter().flatten()
}
