//! `rowkey public-id encode` and `rowkey public-id decode`.

use rowkey::public_id::{
    LabelledCipher, PublicId, PublicIdCipher, PublicIdCiphers, PublicIdSecret, PublicIdSecrets,
    PublicIdValue, SealedCipher, SealedId,
};
use rowkey_core::format::FormatKind;
use rowkey_core::text::{Encoding, ShortText, Width, decimal, hyphenated};
use rowkey_core::{DistributedId, Error};
use serde::Serialize;
use uuid::Uuid;

use crate::args::{Decode, Encode, PublicIdType};
use crate::cipher_keys::KeySources;
use crate::failure::{Failure, Outcome, Stop};
use crate::prefix;
use crate::stream::{RefusedLine, answer_each, json_line, text_line};

/// A type of ids, with its plain form on the command line.
trait PlainId: PublicIdValue {
    /// The format of keys of the type, which can have a prefix.
    const FORMAT: Option<FormatKind> = None;

    fn read(text: &str) -> Result<Self, Failure>;

    fn number(&self) -> u128;

    fn write(&self) -> ShortText {
        decimal::write(self.number())
    }
}

impl PlainId for i64 {
    fn read(text: &str) -> Result<Self, Failure> {
        Ok(decimal::parse(text, Width::I64)? as Self)
    }

    fn number(&self) -> u128 {
        // A public id never encodes a negative number.
        *self as u128
    }
}

impl PlainId for u64 {
    fn read(text: &str) -> Result<Self, Failure> {
        Ok(decimal::parse(text, Width::U64)? as Self)
    }

    fn number(&self) -> u128 {
        (*self).into()
    }
}

impl PlainId for DistributedId {
    const FORMAT: Option<FormatKind> = Some(FormatKind::DistributedId);

    fn read(text: &str) -> Result<Self, Failure> {
        Ok(prefix::read(FormatKind::DistributedId, text)?.try_into()?)
    }

    fn number(&self) -> u128 {
        self.to_u128()
    }
}

/// May also be given as a uuid.
impl PlainId for u128 {
    const FORMAT: Option<FormatKind> = Some(FormatKind::AnyUuid);

    fn read(text: &str) -> Result<Self, Failure> {
        if text.contains(['-', '_']) {
            prefix::read(FormatKind::AnyUuid, text)
        } else {
            Ok(decimal::parse(text, Width::U128)?)
        }
    }

    fn number(&self) -> u128 {
        *self
    }
}

impl PlainId for Uuid {
    const FORMAT: Option<FormatKind> = Some(FormatKind::AnyUuid);

    fn read(text: &str) -> Result<Self, Failure> {
        prefix::read(FormatKind::AnyUuid, text).map(Self::from_u128)
    }

    fn number(&self) -> u128 {
        self.as_u128()
    }

    fn write(&self) -> ShortText {
        hyphenated::write(self.number())
    }
}

/// The ciphers of one type of ids.
enum Ciphers<T> {
    /// One key for all types: the original form, without labels.
    Unlabelled(PublicIdCiphers),
    /// A secret and a label.
    Labelled {
        short: LabelledCipher<T>,
        sealed: SealedCipher<T>,
    },
}

impl<T: PlainId> Ciphers<T> {
    fn read(keys: &KeySources, label: Option<&str>) -> Result<Self, Failure> {
        let Some(label) = label else {
            let hint = "a key is 16, 24 or 32 bytes in standard base64 with padding";
            let ciphers = keys.read(PublicIdCipher::from_base64, hint)?;
            let ciphers = PublicIdCiphers::newest_first(ciphers).map_err(refused)?;
            return Ok(Self::Unlabelled(ciphers));
        };
        let hint = "with --label, a key is a secret of 32 bytes in standard base64 with padding";
        let secrets = keys.read(PublicIdSecret::from_base64, hint)?;
        let secrets = PublicIdSecrets::newest_first(secrets).map_err(refused)?;
        Ok(Self::Labelled {
            short: secrets.cipher_for(label).map_err(refused)?,
            sealed: secrets.sealed_cipher_for(label).map_err(refused)?,
        })
    }

    fn encode(&self, id: &T, encoding: Encoding) -> Result<String, Failure> {
        let public_id = match self {
            Self::Unlabelled(ciphers) => ciphers.encode(id),
            Self::Labelled { short, .. } => short.encode(id),
        };
        Ok(public_id.map_err(refused)?.encode(encoding).into())
    }

    fn seal(&self, id: &T) -> Result<String, Failure> {
        match self {
            Self::Labelled { sealed, .. } => Ok(sealed.encode(id).map_err(refused)?.to_string()),
            Self::Unlabelled(_) => Err(sealed_without_label()),
        }
    }

    fn decode(&self, text: &str) -> Result<T, Failure> {
        let id = match (read_public_id(text)?, self) {
            (PublicForm::Short(id), Self::Unlabelled(ciphers)) => ciphers.decode(id),
            (PublicForm::Short(id), Self::Labelled { short, .. }) => short.decode(id),
            (PublicForm::Sealed(id), Self::Labelled { sealed, .. }) => sealed.decode(id),
            (PublicForm::Sealed(_), Self::Unlabelled(_)) => return Err(sealed_without_label()),
        };
        id.map_err(refused)
    }
}

/// A value or a public id that the keys don't fit.
fn refused(error: Error) -> Failure {
    Failure::from(error).with_hint("check the key, the label, the type and the value")
}

fn sealed_without_label() -> Failure {
    Failure::wrong_usage(
        "a sealed id needs a label",
        "give it with --label, as declared in `public_id = \"…\"`",
    )
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<&'a str>,
    public_id: &'a str,
}

/// Ids to public ids.
pub(super) fn encode(args: &Encode, json: bool) -> Result<Outcome, Stop> {
    match args.id_type {
        PublicIdType::I64 => encode_all::<i64>(args, json),
        PublicIdType::U64 => encode_all::<u64>(args, json),
        PublicIdType::DistributedId => encode_all::<DistributedId>(args, json),
        PublicIdType::U128 => encode_all::<u128>(args, json),
        PublicIdType::Uuid => encode_all::<Uuid>(args, json),
    }
}

fn encode_all<T: PlainId>(args: &Encode, json: bool) -> Result<Outcome, Stop> {
    let ciphers = Ciphers::<T>::read(&args.keys, args.label.as_deref())?;
    answer_each(&args.ids, RefusedLine::EmptyLine, |text, line| {
        let id = text?;
        let value = T::read(id)?;
        let public_id = if args.sealed {
            ciphers.seal(&value)?
        } else {
            ciphers.encode(&value, args.repr.encoding())?
        };
        if json {
            json_line(
                line,
                &Answer {
                    id,
                    prefix: prefix::of(id),
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
    match args.id_type {
        PublicIdType::I64 => decode_all::<i64>(args, json),
        PublicIdType::U64 => decode_all::<u64>(args, json),
        PublicIdType::DistributedId => decode_all::<DistributedId>(args, json),
        PublicIdType::U128 => decode_all::<u128>(args, json),
        PublicIdType::Uuid => decode_all::<Uuid>(args, json),
    }
}

fn decode_all<T: PlainId>(args: &Decode, json: bool) -> Result<Outcome, Stop> {
    let prefixed = match (&args.prefix, T::FORMAT) {
        (None, _) => None,
        (Some(prefix), Some(format)) => Some((prefix, format)),
        (Some(_), None) => {
            return Err(Stop::Failure(Failure::wrong_usage(
                format_args!("--prefix does not belong to {}", T::TYPE),
                "keys with a prefix are of the type distributed-id, u128 or uuid",
            )));
        }
    };
    let ciphers = Ciphers::<T>::read(&args.keys, args.label.as_deref())?;
    answer_each(&args.ids, RefusedLine::EmptyLine, |text, line| {
        let public_id = text?;
        let value = ciphers.decode(public_id)?;
        let id = match prefixed {
            Some((prefix, format)) => prefix::key_text(prefix, format, value.number())?,
            None => value.write().to_string(),
        };
        if json {
            json_line(
                line,
                &Answer {
                    id: &id,
                    prefix: prefix::of(&id),
                    public_id,
                },
            );
        } else {
            text_line(line, &id);
        }
        Ok(())
    })
}

/// A public id, recognised by its length.
enum PublicForm<T> {
    Short(PublicId<T>),
    Sealed(SealedId<T>),
}

/// Reads a public id in any of its forms; they differ in length.
fn read_public_id<T>(text: &str) -> Result<PublicForm<T>, Failure> {
    const SEALED_LENGTH: usize = 44;
    const ENCODINGS: [Encoding; 3] = [
        Encoding::Uuid,
        Encoding::Alphanumeric,
        Encoding::Hexadecimal,
    ];
    let length = text.chars().count();
    if length == SEALED_LENGTH {
        return Ok(PublicForm::Sealed(text.parse()?));
    }
    for encoding in ENCODINGS {
        if Width::U128.encode(encoding, 0)?.len() == length {
            return Ok(PublicForm::Short(PublicId::decode(encoding, text)?));
        }
    }
    Err(Failure::bad_input(
        format_args!(
            "expected a public id: hyphenated UUID text (36 characters), 22 or, if it is sealed, 44 \
             alphanumeric or 32 hexadecimal characters: found {length} character{}",
            if length == 1 { "" } else { "s" }
        ),
        "public ids are read exactly as printed, without spaces, quotes, braces or prefixes",
    ))
}
