//! The names of what a change makes beside the tables.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use sha2::{Digest, Sha256};

/// The longest name of a table or a trigger, in characters.
const LONGEST: usize = 64;

/// The table whose only row says whether the swap has happened. Triggers read it.
pub(super) const SWAPPED: &str = "rowkey_swapped";

/// The names of the tables with 0 and with 1, while they are not named [`SWAPPED`].
pub(super) const SWAPPED_NO: &str = "rowkey_swapped_no";
pub(super) const SWAPPED_YES: &str = "rowkey_swapped_yes";

/// The counter of old ids for rows that new programs write.
pub(super) const OLD_IDS: &str = "rowkey_old_ids";

/// A name in SQL.
pub(super) fn quoted(name: &str) -> Result<String, Error> {
    Ok(quote_identifier(Backend::MySql, name)?)
}

/// The table with the new columns, until the swap.
pub(super) fn new_table(table: &str) -> String {
    derived(table, "_rowkey_new")
}

/// The table with the old columns, from the swap on.
pub(crate) fn old_table(table: &str) -> String {
    derived(table, "_rowkey_old")
}

/// The table with the key up to which rows are converted.
pub(super) fn progress_table(table: &str) -> String {
    derived(table, "_rowkey_done")
}

/// A trigger of the table.
pub(super) fn trigger(table: &str, role: Role, event: Event) -> String {
    derived(table, &format!("_rowkey_{}_{}", role.name(), event.name()))
}

/// The name of a foreign key of the new table. The server itself changes the names that it chose
/// along with the table's; others have to be unique in the database.
pub(super) fn foreign_key(table: &str, name: &str) -> String {
    let chosen = name.strip_prefix(table);
    match chosen.filter(|rest| rest.starts_with("_ibfk_")) {
        Some(rest) => derived(&new_table(table), rest),
        None => derived(name, "_rowkey"),
    }
}

/// Whether the server changes the name of a foreign key along with the table's.
pub(super) fn follows_its_table(table: &str, name: &str) -> bool {
    let rest = name.strip_prefix(table);
    rest.is_some_and(|rest| rest.starts_with("_ibfk_"))
}

/// What a trigger is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Writes to the old table reach the new one.
    Forward,
    /// Writes to the new table reach the old one.
    Back,
    /// Sessions without a mark are refused.
    Guard,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Guard => "guard",
        }
    }
}

/// What fires a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Delete,
    Update,
    Insert,
}

impl Event {
    /// In the order of their making: a row that reaches the other table must not outlive its
    /// deletion.
    pub(super) const ALL: [Self; 3] = [Self::Delete, Self::Update, Self::Insert];

    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Update => "UPDATE",
            Self::Insert => "INSERT",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Update => "update",
            Self::Insert => "insert",
        }
    }
}

/// A name with a suffix. One that would be too long is cut, and told apart by a hash.
fn derived(name: &str, suffix: &str) -> String {
    if name.chars().count() + suffix.chars().count() <= LONGEST {
        return format!("{name}{suffix}");
    }
    let digest = Sha256::digest(name);
    let hash = hex::encode(&digest[..4]);
    let room = LONGEST.saturating_sub(suffix.chars().count() + 1 + hash.len());
    let begin: String = name.chars().take(room).collect();
    format!("{begin}_{hash}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        assert_eq!(new_table("offer"), "offer_rowkey_new");
        let (one, other) = (
            format!("{}1", "ü".repeat(63)),
            format!("{}2", "ü".repeat(63)),
        );
        let names = [
            trigger(&one, Role::Forward, Event::Delete),
            trigger(&other, Role::Forward, Event::Delete),
            trigger(&one, Role::Back, Event::Delete),
        ];
        assert!(
            names.iter().all(|name| name.chars().count() == LONGEST),
            "{names:?}"
        );
        assert!(names[0] != names[1] && names[0] != names[2]);
    }

    #[test]
    fn foreign_keys_keep_the_form_of_names_that_the_server_chose() {
        assert_eq!(foreign_key("line", "line_ibfk_2"), "line_rowkey_new_ibfk_2");
        assert_eq!(foreign_key("line", "of_offer"), "of_offer_rowkey");
        assert!(follows_its_table("line", "line_ibfk_2"));
        assert!(!follows_its_table("line", "line_of_offer"));
    }
}
