//! Columns that look like references, by their names and types.

use std::collections::BTreeMap;

use super::model::{Holds, KeyCandidate, Origin, Reference, keys_of};
use super::names::{means, singular, stem, words};
use crate::catalog::{Catalog, Column, QualifiedName, Table};

/// The tables of a catalogue as names of columns mean them. It is made once for all columns, which
/// would look through all tables otherwise.
pub struct KeyNames<'c> {
    pub(super) catalog: &'c Catalog,
    /// By the last word of their names, in the singular.
    by_last_word: BTreeMap<String, Vec<Known<'c>>>,
    /// Primary keys, by their names in lower case.
    by_key: BTreeMap<String, Vec<(&'c Table, KeyCandidate)>>,
}

/// A table that references may mean.
struct Known<'c> {
    table: &'c Table,
    words: Vec<String>,
}

impl<'c> KeyNames<'c> {
    /// Those of a catalogue.
    pub fn of(catalog: &'c Catalog) -> Self {
        let mut names = Self {
            catalog,
            by_last_word: BTreeMap::new(),
            by_key: BTreeMap::new(),
        };
        for table in catalog.tables.iter().filter(|table| !table.is_of_tools()) {
            let words = words(&table.name.name);
            if let Some(last) = words.last() {
                let same = names.by_last_word.entry(singular(last)).or_default();
                same.push(Known { table, words });
            }
            for key in keys_of(table).into_iter().filter(|key| key.is_primary) {
                let same = names.by_key.entry(key.column.to_ascii_lowercase());
                same.or_default().push((table, key));
            }
        }
        names
    }

    /// The references of a table that no constraint declares, as far as names and types tell. A
    /// column has one for each table that its name may mean: values decide between them.
    pub(super) fn references(&self, table: &Table) -> Vec<Reference> {
        if table.is_of_tools() {
            return Vec::new();
        }
        let columns = table.columns.iter();
        columns
            .filter(|column| !is_declared(table, column) && type_column(table, column).is_none())
            // Nobody counts the keys of another table.
            .filter(|column| !table.counts(column))
            .flat_map(|column| self.references_of(table, column))
            .collect()
    }

    fn references_of(&self, table: &Table, column: &Column) -> Vec<Reference> {
        let (Some(stem), Some(holds)) = (stem(&column.name), Holds::of(column)) else {
            return Vec::new();
        };
        let mut found: Vec<Reference> = Vec::new();
        let mut add = |target: &Table, key: KeyCandidate, why: String| {
            if found.iter().all(|known| known.target != target.name) {
                found.push(Reference {
                    columns: vec![column.name.clone()],
                    target: target.name.clone(),
                    target_columns: vec![key.column],
                    origin: Origin::Likely {
                        reason: format!("{why}, and the types agree"),
                        evidence: None,
                    },
                });
            }
        };
        let last = stem.last().map(|last| singular(last));
        let alike = last.and_then(|last| self.by_last_word.get(&last));
        let alike = || alike.into_iter().flatten();
        // The name of a table does not say that its column refers to another of its rows.
        let is_other = |other: &Table| other.name != table.name;
        for known in alike().filter(|known| is_other(known.table) && means(&known.words, &stem)) {
            if let Some(key) = key_of(known.table, holds) {
                let why = format!("its name is that of the table {}", known.table.name);
                add(known.table, key, why);
            }
        }
        let same_name = self.by_key.get(&column.name.to_ascii_lowercase());
        for (other, key) in same_name.into_iter().flatten() {
            if is_other(other) && key.holds == holds {
                let why = format!("it has the name of the key of {}", other.name);
                add(other, key.clone(), why);
            }
        }
        // A key of the table refers to nothing by its own name.
        let own = key_of(table, holds).filter(|key| key.column != column.name);
        if let Some(key) = own.clone().filter(|_| is_parent(&stem)) {
            let why = "its name says that it refers to another row of the table".to_owned();
            add(table, key, why);
        }
        // A prefix of tables, as of an application, or a role: `billing_address_id`.
        for Known {
            table: other,
            words,
        } in alike()
        {
            let is_own = !is_other(other);
            let is_prefixed = !is_own
                && words.len() > stem.len()
                && means(&words[words.len() - stem.len()..], &stem);
            let has_role =
                stem.len() > words.len() && means(words, &stem[stem.len() - words.len()..]);
            let why = match (is_prefixed, has_role) {
                (true, _) => format!(
                    "its name is the end of the name of the table {}",
                    other.name
                ),
                (_, true) => format!("its name ends with that of the table {}", other.name),
                _ => continue,
            };
            let key = match is_own {
                true => own.clone(),
                false => key_of(other, holds),
            };
            if let Some(key) = key {
                add(other, key, why);
            }
        }
        without_copies(found, table)
    }
}

/// Of tables that exist once for each site or tenant, as `wp_posts`, `wp_1_posts` and `wp_2_posts`, a
/// name in `wp_1_postmeta` means the one of its own site.
fn without_copies(mut found: Vec<Reference>, table: &Table) -> Vec<Reference> {
    let own = words(&table.name.name);
    let copy_of = |name: &QualifiedName| Copied::of(&words(&name.name), &own);
    let targets = found.iter().map(|reference| &reference.target);
    let mut own_parts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for copy in targets.chain([&table.name]).map(copy_of) {
        if copy.is_of_own_site {
            let longest = own_parts.entry(copy.kind).or_default();
            *longest = copy.shared.max(*longest);
        }
    }
    found.retain(|reference| {
        let copy = copy_of(&reference.target);
        let longest = own_parts.get(&copy.kind);
        longest.is_none_or(|longest| copy.is_of_own_site && copy.shared == *longest)
    });
    found
}

/// What the name of a table says beside the number of a site.
struct Copied {
    /// The name without its numbers.
    kind: Vec<String>,
    /// How many words the name of the other table begins with, too.
    shared: usize,
    /// Whether these words have all of its numbers.
    is_of_own_site: bool,
}

impl Copied {
    fn of(words: &[String], other: &[String]) -> Self {
        let pairs = words.iter().zip(other);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        let mut others = words.iter().skip(shared);
        let letters = words.iter().map(|word| word.replace(char::is_numeric, ""));
        Self {
            kind: letters.filter(|word| !word.is_empty()).collect(),
            shared,
            is_of_own_site: shared > 0 && !others.any(|word| word.contains(char::is_numeric)),
        }
    }
}

pub(super) fn is_declared(table: &Table, column: &Column) -> bool {
    let mut keys = table.foreign_keys.iter();
    keys.any(|key| key.columns.contains(&column.name))
}

/// The column that names the kind of row a polymorphic reference refers to: of `about_id`,
/// `about_type`.
pub(super) fn type_column<'t>(table: &'t Table, column: &Column) -> Option<&'t Column> {
    let mut stem = stem(&column.name)?;
    stem.push("type".into());
    let mut columns = table.columns.iter();
    columns.find(|other| words(&other.name) == stem && Holds::of(other) == Some(Holds::Text))
}

fn is_parent(stem: &[String]) -> bool {
    let last = stem.last().map(String::as_str);
    matches!(
        last,
        Some("parent" | "ancestor" | "root" | "previous" | "next")
    )
}

/// The key of a table that holds the same kind of values.
pub(super) fn key_of(table: &Table, holds: Holds) -> Option<KeyCandidate> {
    let mut keys = keys_of(table).into_iter();
    keys.find(|key| key.holds == holds)
}

/// The table that a value of a type column names: `Offer`, `offers`, `App\Models\Offer` or
/// `shop.Offer`.
pub(super) fn table_of_type<'c>(catalog: &'c Catalog, value: &str) -> Option<&'c QualifiedName> {
    let name = value.rsplit(['\\', '.', ':', '/']).next()?;
    let stem = words(name);
    let mut tables = catalog.tables.iter();
    let found = tables.find(|table| !table.is_of_tools() && means(&words(&table.name.name), &stem));
    found.map(|table| &table.name)
}
