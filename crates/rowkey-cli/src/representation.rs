//! Text forms of ids, and which formats have them.

use clap::ValueEnum;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Storage, StoredRef};
use rowkey_core::text::{Encoding, ShortText, Width, hyphenated};
use rowkey_core::{Backend, Error};

use crate::failure::Failure;
use crate::prefix::{self, Prefix};

/// A text form of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Representation {
    /// The form that clients see
    Public,
    /// Hyphenated lower-case text of the 128 bits
    Uuid,
    /// Upper-case hexadecimal
    Hex,
    /// Base 62
    Alphanumeric,
    /// Decimal digits
    Decimal,
    /// The bytes as lower-case hexadecimal
    Binary,
    /// Text of the uuid that SQL Server's uniqueidentifier stores
    SqlServer,
    /// Text of the uuid that MariaDB's UUID type stores
    MariadbUuid,
}

impl Representation {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Uuid => "uuid",
            Self::Hex => "hex",
            Self::Alphanumeric => "alphanumeric",
            Self::Decimal => "decimal",
            Self::Binary => "binary",
            Self::SqlServer => "sql-server",
            Self::MariadbUuid => "mariadb-uuid",
        }
    }
}

/// The input of a conversion: ids of a format, or bare numbers of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Ids of a format.
    Format(FormatKind),
    /// Numbers, whose plain form is decimal.
    Number(Width),
    /// 128 bits, whose plain form is a uuid.
    Uuid,
}

/// The subjects that are not formats.
const RAW: [(&str, Subject); 5] = [
    ("i64", Subject::Number(Width::I64)),
    ("u64", Subject::Number(Width::U64)),
    ("decimal28", Subject::Number(Width::Decimal28)),
    ("u128", Subject::Number(Width::U128)),
    ("uuid", Subject::Uuid),
];

impl Subject {
    /// All names on the command line.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        FormatKind::ALL
            .map(FormatKind::name)
            .into_iter()
            .chain(RAW.map(|(name, _)| name))
    }

    /// The subject of a name.
    pub(crate) fn named(name: &str) -> Result<Self, Error> {
        match RAW.iter().find(|(raw, _)| *raw == name) {
            Some((_, subject)) => Ok(*subject),
            None => name.parse().map(Self::Format),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Format(format) => format.name(),
            raw => RAW
                .iter()
                .find(|(_, subject)| *subject == raw)
                .map_or("", |(name, _)| name),
        }
    }

    fn width(self) -> Width {
        match self {
            Self::Format(format) => format.width(),
            Self::Number(width) => width,
            Self::Uuid => Width::U128,
        }
    }

    fn plain_encoding(self) -> Encoding {
        match self {
            Self::Format(format) => format.public_encoding(),
            Self::Number(_) => Encoding::Decimal,
            Self::Uuid => Encoding::Uuid,
        }
    }

    /// Returns the number if it belongs to the subject.
    fn check(self, value: u128) -> Result<u128, Error> {
        match self {
            Self::Format(format) => format.check(value),
            Self::Number(_) | Self::Uuid => Ok(value),
        }
    }
}

/// A representation of a subject, checked to exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codec {
    subject: Subject,
    form: TextForm,
}

#[derive(Clone, Copy, Debug)]
enum TextForm {
    /// The format's own text, or the plain form of a bare number.
    Public,
    Encoding(Encoding),
    /// The text of a uuid in a column's layout.
    Stored(Column),
}

impl Codec {
    /// The representation of a subject.
    ///
    /// Combinations that do not exist are wrong usage.
    pub(crate) fn new(subject: Subject, representation: Representation) -> Result<Self, Failure> {
        let form = match representation {
            Representation::Public => TextForm::Public,
            Representation::Uuid => TextForm::Encoding(uuid_encoding(subject)?),
            Representation::Hex => TextForm::Encoding(Encoding::Hexadecimal),
            Representation::Alphanumeric => TextForm::Encoding(Encoding::Alphanumeric),
            Representation::Decimal => TextForm::Encoding(Encoding::Decimal),
            Representation::Binary => TextForm::Encoding(Encoding::Binary),
            Representation::SqlServer => TextForm::Stored(column(
                subject,
                representation,
                Backend::SqlServer,
                Storage::Uuid,
            )?),
            Representation::MariadbUuid => TextForm::Stored(column(
                subject,
                representation,
                Backend::MariaDb,
                Storage::NativeUuid,
            )?),
        };
        Ok(Self { subject, form })
    }

    /// The format, if the representation can have a prefix: only the public form can.
    pub(crate) fn prefixed_format(self) -> Option<FormatKind> {
        match (self.form, self.subject) {
            (TextForm::Public, Subject::Format(format)) => Some(format),
            _ => None,
        }
    }

    /// The number that a text represents.
    pub(crate) fn read(self, text: &str) -> Result<u128, Error> {
        match (self.form, self.subject) {
            (TextForm::Public, Subject::Format(format)) => prefix::read_public(format, text),
            (TextForm::Public, subject) => subject.width().decode(subject.plain_encoding(), text),
            (TextForm::Encoding(encoding), subject) => {
                subject.check(subject.width().decode(encoding, text)?)
            }
            (TextForm::Stored(column), _) => column.decode(StoredRef::Text(text)),
        }
    }

    /// The text of a number that belongs to the subject.
    pub(crate) fn write(self, value: u128) -> Result<ShortText, Error> {
        match (self.form, self.subject) {
            (TextForm::Public, Subject::Format(format)) => Ok(format.public_text(value)),
            (TextForm::Public, subject) => subject.width().encode(subject.plain_encoding(), value),
            (TextForm::Encoding(encoding), subject) => subject.width().encode(encoding, value),
            (TextForm::Stored(column), _) => {
                Ok(hyphenated::write(column.permutation().apply(value)))
            }
        }
    }
}

/// Writes ids in a representation, with the requested prefix.
pub(crate) struct Printer<'a> {
    codec: Codec,
    prefix: Option<(&'a Prefix, FormatKind)>,
}

impl<'a> Printer<'a> {
    /// A prefix with another form than the public one is wrong usage.
    pub(crate) fn new(codec: Codec, prefix: Option<&'a Prefix>) -> Result<Self, Failure> {
        let prefix = match (prefix, codec.prefixed_format()) {
            (None, _) => None,
            (Some(prefix), Some(format)) => Some((prefix, format)),
            (Some(_), None) => {
                return Err(Failure::wrong_usage(
                    "--prefix is for the public form of a format",
                    "leave out --prefix, or write --to public or --repr public",
                ));
            }
        };
        Ok(Self { codec, prefix })
    }

    /// Refuses a text with another prefix than the one to print.
    pub(crate) fn allow(&self, text: &str) -> Result<(), Failure> {
        self.prefix.map_or(Ok(()), |(prefix, _)| prefix.allow(text))
    }

    /// The text of a number that belongs to the format.
    pub(crate) fn write(&self, value: u128) -> Result<String, Error> {
        match self.prefix {
            Some((prefix, format)) => prefix::key_text(prefix, format, value),
            None => self.codec.write(value).map(|text| text.to_string()),
        }
    }
}

fn uuid_encoding(subject: Subject) -> Result<Encoding, Failure> {
    match subject {
        Subject::Number(Width::I64 | Width::U64) => Err(Failure::wrong_usage(
            format_args!("{} has no uuid form: it has only 64 bits", subject.name()),
            "use --format u128 for numbers that are stored as uuids",
        )),
        _ => Ok(Encoding::Uuid),
    }
}

/// The uuid column that stores a subject's ids.
fn column(
    subject: Subject,
    representation: Representation,
    backend: Backend,
    storage: Storage,
) -> Result<Column, Failure> {
    let refused = |reason: &str, hint| {
        let (subject, form) = (subject.name(), representation.name());
        Failure::wrong_usage(format_args!("{subject} has no {form} form: {reason}"), hint)
    };
    match subject {
        Subject::Format(format) => Column::new(format, backend, storage, None)
            .map_err(|reason| refused(reason, "use --repr or --to with another representation")),
        Subject::Number(_) | Subject::Uuid => Err(refused(
            "storage depends on the format of the ids",
            "name the format, such as --format uuid-v7",
        )),
    }
}

/// The text of the uuid that MariaDB's `UUID` type stores, for the formats that it does not damage.
pub(crate) fn mariadb_uuid(format: FormatKind, value: u128) -> Option<ShortText> {
    let column = Column::new(format, Backend::MariaDb, Storage::NativeUuid, None).ok()?;
    Some(hyphenated::write(column.permutation().apply(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_representation_of_a_format_reads_what_it_writes() {
        let value = 0x0064_74fb_c7aa_40fa_b346_06fe_2796_21e5;
        for format in FormatKind::ALL
            .into_iter()
            .filter(|format| format.admits(value))
        {
            for representation in Representation::value_variants() {
                let Ok(codec) = Codec::new(Subject::Format(format), *representation) else {
                    assert_eq!(*representation, Representation::MariadbUuid);
                    assert!(mariadb_uuid(format, value).is_none());
                    continue;
                };
                let text = codec.write(value).unwrap();
                assert_eq!(
                    codec.read(&text),
                    Ok(value),
                    "{format} {representation:?} {text}"
                );
            }
        }
    }

    #[test]
    fn stored_forms_are_those_of_the_library() {
        let value = 0x0064_74fb_c7aa_40fa_b346_06fe_2796_21e5;
        for format in FormatKind::ALL
            .into_iter()
            .filter(|format| format.admits(value))
        {
            let write = |representation| {
                Codec::new(Subject::Format(format), representation)
                    .ok()
                    .map(|codec| codec.write(value).unwrap())
            };
            let in_sql_server = Column::new(format, Backend::SqlServer, Storage::Uuid, None);
            let stored = in_sql_server.map_or(value, |column| column.permutation().apply(value));
            assert_eq!(
                write(Representation::SqlServer),
                Some(hyphenated::write(stored))
            );
            assert_eq!(
                write(Representation::MariadbUuid),
                mariadb_uuid(format, value)
            );
        }
    }

    #[test]
    fn names_on_the_command_line_are_those_of_the_variants() {
        for representation in Representation::value_variants() {
            let value = representation.to_possible_value().unwrap();
            assert_eq!(value.get_name(), representation.name());
        }
        for name in Subject::names() {
            assert_eq!(Subject::named(name).unwrap().name(), name);
        }
        assert!(Subject::named("guid").is_err());
    }
}
