//! What depends on a table.

use serde::{Deserialize, Serialize};

/// Something that uses a table, and that a change of its columns may break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependent {
    /// The kind of object.
    pub kind: DependentKind,
    /// The object's name.
    pub name: String,
    /// The columns of the table that it uses, if the database knows.
    pub columns: Vec<String>,
    /// How the database defines it, if it says so.
    pub definition: String,
    /// The events that fire a trigger of the table itself; empty if the trigger is disabled.
    #[serde(skip)]
    pub events: Vec<TriggerEvent>,
}

impl Dependent {
    /// The name of its kind. PostgreSQL's exclusion constraints are among the checks.
    pub fn kind_name(&self) -> &'static str {
        match self.excludes() {
            true => "exclusion constraint",
            false => self.kind.name(),
        }
    }

    /// Whether it is an exclusion constraint.
    pub fn excludes(&self) -> bool {
        self.definition.starts_with("EXCLUDE ")
    }
}

/// A kind of object that depends on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DependentKind {
    /// A view or a materialised view.
    View,
    /// A trigger.
    Trigger,
    /// A function or a procedure that names the table.
    Routine,
    /// A rule of PostgreSQL.
    Rule,
    /// A policy of row-level security.
    Policy,
    /// A publication, or another replication that selects the table.
    Publication,
    /// A partition, or the way in which the table is partitioned.
    Partition,
    /// A table that inherits.
    Inheritance,
    /// A CHECK or exclusion constraint.
    Check,
    /// A domain of PostgreSQL, which is the type of columns.
    Domain,
    /// A column that the database computes from others.
    GeneratedColumn,
    /// Which columns identify a row in replication.
    ReplicaIdentity,
    /// Statistics over several columns.
    Statistics,
    /// A sequence or identity that fills a column.
    Sequence,
    /// A privilege on the table or on a column.
    Privilege,
    /// An event of MySQL and MariaDB that names the table.
    Event,
}

impl DependentKind {
    /// The name in reports: `view`, `trigger`, `routine`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Trigger => "trigger",
            Self::Routine => "routine",
            Self::Rule => "rule",
            Self::Policy => "policy",
            Self::Publication => "publication",
            Self::Partition => "partition",
            Self::Inheritance => "inheritance",
            Self::Check => "check",
            Self::Domain => "domain",
            Self::GeneratedColumn => "generated-column",
            Self::ReplicaIdentity => "replica-identity",
            Self::Statistics => "statistics",
            Self::Sequence => "sequence",
            Self::Privilege => "privilege",
            Self::Event => "event",
        }
    }
}

/// What a trigger runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerEvent {
    /// Rows are inserted.
    Insert,
    /// Rows are updated.
    Update,
    /// Rows are deleted.
    Delete,
    /// PostgreSQL's TRUNCATE.
    Truncate,
}

impl TriggerEvent {
    const ALL: [(&str, Self); 4] = [
        ("INSERT", Self::Insert),
        ("UPDATE", Self::Update),
        ("DELETE", Self::Delete),
        ("TRUNCATE", Self::Truncate),
    ];

    /// The events that a catalogue's words name.
    pub(super) fn of_words(words: &str) -> Vec<Self> {
        let all = Self::ALL.into_iter();
        let named = all.filter(|(word, _)| words.contains(word));
        named.map(|(_, event)| event).collect()
    }
}
