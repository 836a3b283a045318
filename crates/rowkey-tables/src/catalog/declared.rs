//! What tables, columns and keys have in one database only.
//!
//! Each type serialises to its database's own words, because the hash of a catalogue covers them
//! and the state of a change contains them.

use std::fmt;

use serde::de::IntoDeserializer;
use serde::de::value::Error as UnknownWord;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// How the database fills a column by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Generated {
    /// Only a default may fill it.
    #[serde(rename = "")]
    No,
    /// A counter of PostgreSQL or SQL Server.
    #[serde(rename = "identity")]
    Identity,
    /// A counter of MySQL, MariaDB or SQLite.
    #[serde(rename = "auto_increment")]
    AutoIncrement,
    /// Its values are computed from other columns.
    #[serde(rename = "generated")]
    Computed,
    /// Every change of a row sets it to the time, in MySQL and MariaDB.
    #[serde(rename = "on update")]
    OnUpdate,
    /// SQL Server's mark for the column by which replication knows a row.
    #[serde(rename = "rowguidcol")]
    RowGuid,
}

impl Generated {
    /// Parses the word that a query on a catalogue returns.
    pub(super) fn of_word(word: &str) -> Result<Self, Error> {
        let doing = "how the database fills a column";
        Self::deserialize(word.into_deserializer()).map_err(Error::database::<UnknownWord>(doing))
    }

    /// Whether the database counts the values.
    pub fn is_counted(self) -> bool {
        matches!(self, Self::Identity | Self::AutoIncrement)
    }
}

impl fmt::Display for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a reference does to its rows when the row that they refer to is deleted or gets another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReferentialAction {
    /// The database refuses.
    #[serde(rename = "NO ACTION")]
    NoAction,
    /// The database refuses at once, even where the reference is checked later.
    #[serde(rename = "RESTRICT")]
    Restrict,
    /// The rows are deleted, or get the other key.
    #[serde(rename = "CASCADE")]
    Cascade,
    /// The columns become NULL.
    #[serde(rename = "SET NULL")]
    SetNull,
    /// The columns get their defaults.
    #[serde(rename = "SET DEFAULT")]
    SetDefault,
    /// The account may not see it.
    #[serde(rename = "")]
    Unseen,
}

impl ReferentialAction {
    /// The action that SQL calls by these words.
    pub(super) fn of_words(words: &str) -> Result<Self, Error> {
        let doing = "what a reference does";
        Self::deserialize(words.into_deserializer()).map_err(Error::database::<UnknownWord>(doing))
    }
}

impl fmt::Display for ReferentialAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a reference says besides its columns and actions, in the order of its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReferenceAttributes(Vec<ReferenceAttribute>);

/// One of them: in PostgreSQL, but for the last three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceAttribute {
    /// All of its columns refer, or none.
    MatchFull,
    /// The columns that a deletion sets, as a list in SQL.
    SetColumns(String),
    /// It can be looked at when the transaction ends.
    Deferrable,
    /// It is, if the transaction does not say otherwise.
    InitiallyDeferred,
    /// The last column is a span of time.
    Period,
    /// Rows may break it.
    NotEnforced,
    /// The server has not looked at the rows of before.
    NotValid,
    /// SQL Server does not look at rows.
    NoCheck,
    /// SQL Server has not looked at all rows.
    Untrusted,
    /// SQL Server does not look at the rows of a replication.
    Unreplicated,
}

/// Those that always have the same words.
const REFERENCE_WORDS: [(&str, ReferenceAttribute); 9] = [
    ("MATCH FULL", ReferenceAttribute::MatchFull),
    ("DEFERRABLE", ReferenceAttribute::Deferrable),
    ("INITIALLY DEFERRED", ReferenceAttribute::InitiallyDeferred),
    ("PERIOD", ReferenceAttribute::Period),
    ("NOT ENFORCED", ReferenceAttribute::NotEnforced),
    ("NOT VALID", ReferenceAttribute::NotValid),
    ("NOCHECK", ReferenceAttribute::NoCheck),
    ("UNTRUSTED", ReferenceAttribute::Untrusted),
    ("UNREPLICATED", ReferenceAttribute::Unreplicated),
];

impl ReferenceAttribute {
    /// Its words in a definition.
    pub fn words(&self) -> &str {
        match self {
            Self::SetColumns(list) => list,
            word => {
                let mut words = REFERENCE_WORDS.iter();
                words
                    .find(|(_, one)| one == word)
                    .map_or("", |(words, _)| words)
            }
        }
    }
}

impl ReferenceAttributes {
    /// Those that a query on a catalogue calls by their words here.
    pub(super) fn of_words(words: &str) -> Result<Self, Error> {
        let doing = "what a reference says";
        Self::deserialize(words.into_deserializer()).map_err(Error::database::<UnknownWord>(doing))
    }

    /// Whether one of them is this one.
    pub fn has(&self, attribute: &ReferenceAttribute) -> bool {
        self.0.contains(attribute)
    }

    /// The columns that a deletion sets, as a list in SQL; nothing if it sets all.
    pub fn set_columns(&self) -> &str {
        let is_list = |one: &&ReferenceAttribute| matches!(one, ReferenceAttribute::SetColumns(_));
        self.0
            .iter()
            .find(is_list)
            .map_or("", ReferenceAttribute::words)
    }

    /// The words that come last in PostgreSQL, without `NOT VALID`.
    pub fn at_end(&self) -> String {
        let is_elsewhere = |one: &ReferenceAttribute| {
            use ReferenceAttribute::{MatchFull, NotValid, SetColumns};
            matches!(one, MatchFull | SetColumns(_) | NotValid)
        };
        let at_end = self.0.iter().filter(|one| !is_elsewhere(one));
        at_end
            .map(ReferenceAttribute::words)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl fmt::Display for ReferenceAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.0.iter().map(ReferenceAttribute::words).collect();
        f.write_str(&words.join(" "))
    }
}

impl TryFrom<String> for ReferenceAttributes {
    type Error = String;

    fn try_from(words: String) -> Result<Self, String> {
        let (mut found, mut rest) = (Vec::new(), words.trim());
        while !rest.is_empty() {
            let known = || {
                let mut known = REFERENCE_WORDS.iter();
                known.find_map(|(words, one)| Some((one.clone(), rest.strip_prefix(words)?)))
            };
            let (one, behind) = match list_at_start(rest) {
                Some((list, behind)) => (ReferenceAttribute::SetColumns(list.to_owned()), behind),
                None => known().ok_or_else(|| format!("`{rest}` is not known"))?,
            };
            found.push(one);
            rest = behind.trim_start();
        }
        Ok(Self(found))
    }
}

impl From<ReferenceAttributes> for String {
    fn from(attributes: ReferenceAttributes) -> Self {
        attributes.to_string()
    }
}

/// A list in parentheses and what follows it. Names in quotes may contain parentheses.
fn list_at_start(sql: &str) -> Option<(&str, &str)> {
    let inside = sql.strip_prefix('(')?;
    let mut is_quoted = false;
    let end = inside.find(|one| {
        is_quoted ^= one == '"';
        one == ')' && !is_quoted
    })?;
    Some(sql.split_at(end + 2))
}

/// What a table is besides its columns and keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum TableOptions {
    /// A table like any other of its database.
    Plain,
    /// The storage engine in MySQL and MariaDB.
    Engine(String),
    /// SQLite's statement that made the table.
    Statement(String),
    /// How it differs from other tables of SQL Server, such as `temporal`.
    Special(String),
}

impl From<String> for TableOptions {
    /// What a change has saved. None begins on a special table of SQL Server.
    fn from(words: String) -> Self {
        match words.as_str() {
            "" => Self::Plain,
            sql if sql.starts_with("CREATE ") => Self::Statement(words),
            _ => Self::Engine(words),
        }
    }
}

impl From<TableOptions> for String {
    fn from(options: TableOptions) -> Self {
        match options {
            TableOptions::Plain => Self::new(),
            TableOptions::Engine(words)
            | TableOptions::Statement(words)
            | TableOptions::Special(words) => words,
        }
    }
}

/// What a key is besides its columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum KeyDefinition {
    /// The database says nothing else.
    Columns,
    /// PostgreSQL's `pg_get_constraintdef`.
    Constraint(String),
    /// What SQL Server says of its index, such as `NONCLUSTERED SPECIAL`.
    Index(String),
}

impl From<String> for KeyDefinition {
    fn from(words: String) -> Self {
        match words.split(' ').next() {
            Some("") | None => Self::Columns,
            Some("CLUSTERED" | "NONCLUSTERED") => Self::Index(words),
            Some(_) => Self::Constraint(words),
        }
    }
}

impl From<KeyDefinition> for String {
    fn from(definition: KeyDefinition) -> Self {
        match definition {
            KeyDefinition::Columns => Self::new(),
            KeyDefinition::Constraint(words) | KeyDefinition::Index(words) => words,
        }
    }
}

/// Whether the words for an index of SQL Server say that the rows of the table are in its order.
pub(super) fn is_clustered(index: &str) -> bool {
    index.split(' ').next() == Some("CLUSTERED")
}

/// Whether they say that it is more than plain columns in ascending order.
pub(super) fn is_special(index: &str) -> bool {
    index.ends_with(" SPECIAL")
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;

    use super::*;

    fn assert_words<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, words: &str) {
        let json = serde_json::to_string(words).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), json, "{value:?}");
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{words}");
    }

    #[test]
    fn words_are_those_that_changes_have_saved() {
        for (generated, words) in [
            (Generated::No, ""),
            (Generated::Identity, "identity"),
            (Generated::AutoIncrement, "auto_increment"),
            (Generated::Computed, "generated"),
            (Generated::OnUpdate, "on update"),
            (Generated::RowGuid, "rowguidcol"),
        ] {
            assert_words(generated, words);
            assert_eq!(generated.to_string(), words);
            assert_eq!(Generated::of_word(words).unwrap(), generated);
        }
        assert!(Generated::of_word("counted").is_err());
        for words in [
            "",
            "MATCH FULL (\"a)b\", \"PERIOD\") DEFERRABLE INITIALLY DEFERRED NOT VALID",
            "PERIOD NOT ENFORCED",
            "NOCHECK UNREPLICATED",
        ] {
            assert_words(ReferenceAttributes::of_words(words).unwrap(), words);
        }
        let attributes =
            ReferenceAttributes::of_words("MATCH FULL (\"PERIOD\") NOT VALID").unwrap();
        assert!(!attributes.has(&ReferenceAttribute::Period));
        assert_eq!(
            (attributes.set_columns(), attributes.at_end()),
            ("(\"PERIOD\")", String::new())
        );
        assert!(ReferenceAttributes::of_words("MATCH PARTIAL").is_err());
        let sql = "CREATE TABLE \"offer\" (id BLOB)";
        assert_words(TableOptions::Plain, "");
        assert_words(TableOptions::Engine("InnoDB".into()), "InnoDB");
        assert_words(TableOptions::Statement(sql.into()), sql);
        let sql = "UNIQUE (id) DEFERRABLE";
        assert_words(KeyDefinition::Columns, "");
        assert_words(KeyDefinition::Constraint(sql.into()), sql);
        let words = "NONCLUSTERED HASH SPECIAL";
        assert_words(KeyDefinition::Index(words.into()), words);
    }

    #[test]
    fn kinds_of_indexes_are_read() {
        for (words, is_clustered, is_special) in [
            ("CLUSTERED", true, false),
            ("CLUSTERED COLUMNSTORE SPECIAL", true, true),
            ("NONCLUSTERED", false, false),
        ] {
            assert_eq!(super::is_clustered(words), is_clustered, "{words}");
            assert_eq!(super::is_special(words), is_special, "{words}");
        }
    }
}
