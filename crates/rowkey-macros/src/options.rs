//! The options in the parentheses of `#[entity_key(…)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Path, Token, token};

use crate::problems::Problems;

/// The valid options of a declaration.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) prefix: Option<LitStr>,
    pub(crate) text: Option<Text>,
    pub(crate) group: Option<LitStr>,
    pub(crate) public_id: Option<LitStr>,
    /// In the order of the declaration, each backend once.
    pub(crate) storage: Vec<(Backend, LitStr)>,
    pub(crate) rowkey: Option<Path>,
}

/// A declared text without a prefix.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    /// The variant of `rowkey_core::text::Encoding`.
    pub(crate) encoding: &'static str,
    place: Span,
}

/// A backend as declarations name it.
///
/// The crate does not depend on `rowkey-core`, which would have to be compiled before every macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backend {
    /// An identifier, so it is not `sql-server`.
    pub(crate) name: &'static str,
    /// The variant of `rowkey_core::Backend`.
    pub(crate) variant: &'static str,
}

pub(crate) const BACKENDS: [Backend; 5] = {
    const fn backend(name: &'static str, variant: &'static str) -> Backend {
        Backend { name, variant }
    }
    [
        backend("postgres", "Postgres"),
        backend("mysql", "MySql"),
        backend("mariadb", "MariaDb"),
        backend("sqlite", "Sqlite"),
        backend("sqlserver", "SqlServer"),
    ]
};

impl Backend {
    /// The variant as a token at this place.
    pub(crate) fn variant(self, place: Span) -> Ident {
        Ident::new(self.variant, place)
    }

    fn names() -> String {
        let names = BACKENDS.map(|backend| format!("`{}`", backend.name));
        let (last, first) = names.split_last().expect("there are backends");
        format!("{} and {last}", first.join(", "))
    }
}

const OPTIONS: &str = "`prefix = \"inv\"`, `text = \"alphanumeric\"`, `group = \"com.acme.Customer\"`, \
                       `public_id = \"invoice\"`, `storage(postgres = \"uuid\")` and `crate = \"path::to::rowkey\"`";

impl Options {
    /// Reads the options. Wrong ones are reported and left out.
    pub(crate) fn read(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        let mut seen = Vec::new();
        for entry in entries(tokens, &format!("expected an option: {OPTIONS}")) {
            match entry {
                Ok(entry) if seen.contains(&entry.name()) => entry.is_given_twice(problems),
                Ok(entry) => {
                    seen.push(entry.name());
                    options.set(&entry, problems);
                }
                Err(error) => problems.add(error),
            }
        }
        options.refuse_two_texts(problems);
        options
    }

    fn refuse_two_texts(&mut self, problems: &mut Problems) {
        if let (Some(prefix), Some(text)) = (&self.prefix, self.text) {
            problems.add(syn::Error::new(
                text.place,
                format!(
                    "the text of a key with a prefix is alphanumeric after `{}_`; leave `text` or \
                     `prefix` out",
                    prefix.value()
                ),
            ));
            self.text = None;
        }
    }

    fn set(&mut self, entry: &Entry, problems: &mut Problems) {
        match (entry.name().as_str(), &entry.value) {
            ("prefix", _) => {
                let prefix = entry.text("inv", problems);
                self.prefix = prefix.filter(|prefix| check_prefix(prefix, problems));
            }
            ("text", _) => {
                let text = entry.text("alphanumeric", problems);
                self.text = text.and_then(|text| read_text(&text, problems));
            }
            ("group", _) => {
                // A wrong group still counts as one: a LUUID key without a group would be a second
                // error.
                let group = entry.text("com.acme.Customer", problems);
                self.group = Some(match group {
                    Some(group) => check_group(group, problems),
                    None => LitStr::new("", entry.ident.span()),
                });
            }
            ("public_id", _) => {
                // As with a group: a missing label would be a second error where the key is used.
                let unreadable = || LitStr::new("unreadable", entry.ident.span());
                let label = entry.text("invoice", problems);
                self.public_id = Some(label.unwrap_or_else(unreadable));
            }
            ("crate", _) => {
                let path = entry.text("path::to::rowkey", problems);
                self.rowkey = path.and_then(|path| read_path(&path, problems));
            }
            ("storage", Value::List(list)) => {
                self.storage = read_storage(list.clone(), problems);
            }
            ("storage", _) => problems.at(
                &entry.ident,
                "`storage` takes a list of backends: `storage(postgres = \"uuid\")`",
            ),
            (name, _) => problems.at(
                &entry.ident,
                format!("unknown option `{name}`; the options are {OPTIONS}"),
            ),
        }
    }
}

/// Reads the one option of `#[key_union(…)]`: the path of the rowkey crate.
pub(crate) fn read_crate(tokens: TokenStream, problems: &mut Problems) -> Option<Path> {
    const OPTION: &str = "`crate = \"path::to::rowkey\"`";
    let mut rowkey = None;
    for entry in entries(tokens, &format!("expected the option {OPTION}")) {
        match entry {
            Ok(entry) if entry.name() == "crate" => {
                if rowkey.is_some() {
                    entry.is_given_twice(problems);
                } else {
                    let path = entry.text("path::to::rowkey", problems);
                    rowkey = path.and_then(|path| read_path(&path, problems));
                }
            }
            Ok(entry) => problems.at(
                &entry.ident,
                format!(
                    "unknown option `{}`; the only option is {OPTION}",
                    entry.name()
                ),
            ),
            Err(error) => problems.add(error),
        }
    }
    rowkey
}

fn read_path(path: &LitStr, problems: &mut Problems) -> Option<Path> {
    let read = path.parse_with(Path::parse_mod_style).ok();
    if read.is_none() {
        problems.at(
            path,
            "`crate` is the path of the rowkey crate, such as \"path::to::rowkey\"",
        );
    }
    read
}

fn read_storage(tokens: TokenStream, problems: &mut Problems) -> Vec<(Backend, LitStr)> {
    let mut storage = Vec::new();
    let mut seen = Vec::new();
    let names = Backend::names();
    for entry in entries(tokens, &format!("expected a backend: {names}")) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.add(error);
                continue;
            }
        };
        let name = entry.name();
        match BACKENDS.into_iter().find(|backend| backend.name == name) {
            None => problems.at(
                &entry.ident,
                format!("unknown backend `{name}`; the backends are {names}"),
            ),
            Some(backend) if seen.contains(&backend) => entry.is_given_twice(problems),
            Some(backend) => {
                seen.push(backend);
                storage.extend(entry.text("uuid", problems).map(|choice| (backend, choice)));
            }
        }
    }
    check_mysql_protocol(&mut storage, problems);
    storage
}

/// MySQL and MariaDB are one column of the plan, so the later declaration may only repeat the
/// earlier one.
fn check_mysql_protocol(storage: &mut Vec<(Backend, LitStr)>, problems: &mut Problems) {
    let mut first: Option<String> = None;
    storage.retain(|(backend, choice)| {
        if !matches!(backend.name, "mysql" | "mariadb") {
            return true;
        }
        let agrees = *first.get_or_insert_with(|| choice.value()) == choice.value();
        if !agrees {
            problems.at(
                choice,
                "drivers cannot distinguish MySQL and MariaDB, so both store a key the same way: \
                 declare the same for `mysql` and `mariadb`, or only one of them",
            );
        }
        agrees
    });
}

/// `name`, `name = value` or `name(list)`.
struct Entry {
    ident: Ident,
    value: Value,
}

enum Value {
    Missing,
    Equals(TokenStream),
    List(TokenStream),
    Other(TokenStream),
}

/// Splits a list at its commas.
fn entries(tokens: TokenStream, expected: &str) -> Vec<syn::Result<Entry>> {
    let parser = |input: ParseStream<'_>| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            if input.peek(Token![,]) {
                let comma = input.parse::<Token![,]>()?;
                entries.push(Err(syn::Error::new_spanned(comma, expected)));
                continue;
            }
            if input.peek(Ident::peek_any) {
                entries.push(Ok(entry(input)?));
            } else {
                let other = up_to_comma(input)?;
                entries.push(Err(syn::Error::new_spanned(other, expected)));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(entries)
    };
    parser
        .parse2(tokens)
        .unwrap_or_else(|error| vec![Err(error)])
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    let ident = input.call(Ident::parse_any)?;
    let value = if input.is_empty() || input.peek(Token![,]) {
        Value::Missing
    } else if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        Value::Equals(up_to_comma(input)?)
    } else if input.peek(token::Paren) {
        let list;
        syn::parenthesized!(list in input);
        let list = list.parse()?;
        let rest = up_to_comma(input)?;
        if rest.is_empty() {
            Value::List(list)
        } else {
            Value::Other(rest)
        }
    } else {
        Value::Other(up_to_comma(input)?)
    };
    Ok(Entry { ident, value })
}

/// The tokens before the next comma, or all.
pub(crate) fn up_to_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

impl Entry {
    fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    fn is_given_twice(&self, problems: &mut Problems) {
        problems.at(&self.ident, format!("`{}` is given twice", self.name()));
    }

    /// The value of an option that is a string.
    fn text(&self, example: &str, problems: &mut Problems) -> Option<LitStr> {
        let found = match &self.value {
            Value::Equals(value) => match syn::parse2(value.clone()) {
                Ok(text) => return Some(text),
                Err(_) => value.clone(),
            },
            Value::List(found) | Value::Other(found) => found.clone(),
            Value::Missing => TokenStream::new(),
        };
        let name = self.name();
        let message = format!("`{name}` takes a string: `{name} = \"{example}\"`");
        if found.is_empty() {
            problems.at(&self.ident, message);
        } else {
            problems.at(found, message);
        }
        None
    }
}

fn read_text(text: &LitStr, problems: &mut Problems) -> Option<Text> {
    let encoding = match text.value().as_str() {
        "alphanumeric" => "Alphanumeric",
        "hexadecimal" => "Hexadecimal",
        "decimal" => "Decimal",
        _ => {
            problems.at(
                text,
                "the text of a key is `alphanumeric`, `hexadecimal` or `decimal`; leave `text` out \
                 for that of the format",
            );
            return None;
        }
    };
    Some(Text {
        encoding,
        place: text.span(),
    })
}

const PREFIX_RULE: &str =
    "a prefix is 1 to 24 lower-case ASCII letters and digits, and begins with a letter";

/// Whether the text before the underscore of an id will be recognised as this prefix.
fn check_prefix(prefix: &LitStr, problems: &mut Problems) -> bool {
    let text = prefix.value();
    let problem = if text.is_empty() {
        Some("this one is empty".to_owned())
    } else if let Some(digit) = text.chars().next().filter(char::is_ascii_digit) {
        Some(format!("this one begins with {digit:?}"))
    } else if let Some((index, wrong)) = text
        .chars()
        .enumerate()
        .find(|(_, c)| !c.is_ascii_lowercase() && !c.is_ascii_digit())
    {
        Some(format!("character {} is {wrong:?}", index + 1))
    } else if text.len() > 24 {
        Some(format!("this one has {} characters", text.len()))
    } else {
        None
    };
    if let Some(problem) = &problem {
        problems.at(prefix, format!("{PREFIX_RULE}; {problem}"));
    }
    problem.is_none()
}

/// Whether a character is invisible at the edges of a name, where it would give another group.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// Reports an empty name, and invisible characters around it.
fn check_group(group: LitStr, problems: &mut Problems) -> LitStr {
    let name = group.value();
    if name.trim().is_empty() {
        problems.at(
            &group,
            "a group is the full name of a kind of entity, such as \"com.acme.Customer\"; this one \
             is empty",
        );
    } else if name.trim_matches(is_blank) != name {
        problems.at(
            &group,
            "the name of a group must not have white space or a byte-order mark around it",
        );
    }
    group
}
