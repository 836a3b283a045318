//! Reads the cipher keys of public ids.
//!
//! No error repeats an argument, because it may be the key, pasted in place of the name of its file
//! or variable.

use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, FromArgMatches, ValueHint};
use rowkey_core::Error;
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::secret_file::SecretFile;

/// A key in a file.
const SECRET: SecretFile = SecretFile {
    content: "the key",
    limit: "a key has at most 44 characters",
    elsewhere: "give the key in a variable with --key-env",
};

/// Where to find the keys, newest first. Never the keys themselves: other users can see command
/// lines.
#[derive(Clone, Debug)]
pub(crate) struct KeySources(Vec<KeySource>);

#[derive(Clone, Debug)]
enum KeySource {
    File(PathBuf),
    Variable(String),
}

impl KeySources {
    /// The names of the options.
    pub(crate) const OPTIONS: [&str; 2] = [KEY_ENV, KEY_FILE];

    /// Applies `make` to the text of each key, newest first. `hint` describes the expected text.
    pub(super) fn read<K>(
        &self,
        make: impl Fn(&str) -> Result<K, Error>,
        hint: &'static str,
    ) -> Result<Vec<K>, Failure> {
        let count = self.0.len();
        let read = |(index, source): (usize, &KeySource)| {
            let key = source
                .text()
                .and_then(|text| make(&text).map_err(|error| Failure::from(error).with_hint(hint)));
            key.map_err(|failure| match count {
                1 => failure.at(source.option()),
                _ => failure.at(format_args!(
                    "{} (key {} of {count})",
                    source.option(),
                    index + 1
                )),
            })
        };
        self.0.iter().enumerate().map(read).collect()
    }
}

impl KeySource {
    /// The option, without its value.
    fn option(&self) -> &'static str {
        match self {
            Self::File(_) => "--key-file",
            Self::Variable(_) => "--key-env",
        }
    }

    fn text(&self) -> Result<Zeroizing<String>, Failure> {
        match self {
            Self::File(path) => SECRET.read(path),
            Self::Variable(name) if !is_variable_name(name) => Err(Failure::wrong_usage(
                "this is not the name of an environment variable: letters, digits and _",
                "keys do not belong on the command line, where other users can see them",
            )),
            Self::Variable(name) => match std::env::var_os(name).map(|value| value.into_string()) {
                Some(Ok(text)) => Ok(text.into()),
                Some(Err(_)) => Err(Failure::bad_input(
                    "the value of the environment variable is not text",
                    "a key is standard base64",
                )),
                None => Err(Failure::bad_input(
                    "the environment has no variable of this name",
                    "export the variable, or name another one",
                )),
            },
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

/// Not derived, because the derive keeps the order within each option, but not across both.
impl clap::Args for KeySources {
    fn augment_args(command: Command) -> Command {
        let key_file = Arg::new(KEY_FILE)
            .long(KEY_FILE)
            .value_name("FILE")
            .help("A file with the key in standard base64; repeatable, newest first")
            .value_parser(ValueParser::path_buf())
            .value_hint(ValueHint::FilePath)
            .action(ArgAction::Append);
        let key_env = Arg::new(KEY_ENV)
            .long(KEY_ENV)
            .value_name("NAME")
            .help("An environment variable with the key in standard base64; repeatable")
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
