//! What a table keeps unique.

use std::mem;

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{DependentKind, Index, Table};

use crate::definitions::index_rules::parts_of;
use crate::definitions::sql_text::{mentioned, separated};
use crate::engine::{Indexes, engine};
use crate::tables::table_side::TableSide;

/// A unique key or index.
pub(super) struct Unique {
    pub(super) name: String,
    /// The columns that it looks at.
    pub(super) columns: Vec<String>,
    /// Whether it is nothing but these columns.
    pub(super) is_plain: bool,
    /// Whether it compares them by other collations than they have.
    has_collations: bool,
    /// What two rows do not have in common, in the words of the database; nothing if it is not known.
    pub(super) terms: Vec<String>,
    /// Which rows it is about, if not all.
    pub(super) condition: Option<String>,
    /// Whether NULL is like another NULL.
    pub(super) counts_nulls: bool,
}

impl Unique {
    /// Those of a table in the words of a database.
    pub(super) fn of(backend: Backend, table: &Table) -> Result<Vec<Self>, Error> {
        let takes_nulls = engine(backend).objects.unique_takes_nulls;
        let mut found = Vec::new();
        for key in &table.keys {
            let counts_nulls = !takes_nulls || key.constraint().contains(" NULLS NOT DISTINCT ");
            let plain = Self::of_columns(backend, &key.columns, counts_nulls)?;
            let collated = collated_terms(table, &plain)?;
            if collated.is_empty() {
                found.push(plain);
                continue;
            }
            for terms in collated {
                found.push(Self {
                    terms,
                    has_collations: true,
                    ..Self::of_columns(backend, &key.columns, counts_nulls)?
                });
            }
        }
        for index in table.indexes.iter().filter(|index| index.is_unique) {
            found.push(match index.is_plain {
                true => Self::of_columns(backend, &index.columns, !takes_nulls)?,
                false => Self::of_index(backend, table, index)?,
            });
        }
        found.sort_by_key(|unique| {
            let (columns, terms) = (unique.columns.clone(), unique.terms.clone());
            (!unique.is_plain, columns, terms)
        });
        found.dedup_by(|one, other| {
            one.is_plain && one.terms == other.terms && one.is_part_of(other, true)
        });
        Ok(found)
    }

    /// A key of whole columns.
    pub(super) fn of_columns(
        backend: Backend,
        columns: &[String],
        counts_nulls: bool,
    ) -> Result<Self, Error> {
        let terms = columns.iter().map(|name| quote_identifier(backend, name));
        Ok(Self {
            name: format!("unique key of {}", columns.join(", ")),
            columns: columns.to_owned(),
            is_plain: true,
            has_collations: false,
            terms: terms.collect::<Result<_, _>>()?,
            condition: None,
            counts_nulls,
        })
    }

    /// The same with what the target computes of other columns in place of the columns with that, as far
    /// as their expressions are known.
    pub(super) fn with_expressions(mut self, to: &TableSide, existing: &Table) -> Self {
        let computed = |name: &String| {
            let known = engine(to.backend).objects.computed_columns?;
            let mut dependents = existing.dependents.iter();
            let found = dependents
                .find(|found| found.kind == DependentKind::GeneratedColumn && found.name == *name);
            (known.expression)(&found.filter(|_| to.column(name).is_none())?.definition)
        };
        if !self.is_plain {
            return self;
        }
        let mut columns = Vec::new();
        for (name, term) in self.columns.iter().zip(&mut self.terms) {
            match computed(name) {
                Some(expression) => {
                    columns.extend(mentioned(existing, &expression));
                    *term = format!("({expression})");
                    self.is_plain = false;
                }
                None => columns.push(name.clone()),
            }
        }
        columns.sort();
        columns.dedup();
        if !self.is_plain {
            self.columns = columns;
        }
        self
    }

    fn of_index(backend: Backend, table: &Table, index: &Index) -> Result<Self, Error> {
        let mut unique = Self {
            name: format!("unique index {}", index.name),
            is_plain: false,
            ..Self::of_columns(backend, &index.columns, false)?
        };
        for (term, part) in unique.terms.iter_mut().zip(&index.terms) {
            if let Some(length) = part.prefix {
                *term = format!("LEFT({term}, {length})");
            }
        }
        if !index.terms.is_empty() {
            return Ok(unique);
        }
        let plain = mem::take(&mut unique.terms);
        match engine(backend).definitions.indexes {
            Indexes::None => {}
            Indexes::Terms => {
                unique.terms = terms_of_mysql(backend, index, &plain).unwrap_or_default();
            }
            Indexes::Statement => {
                if let Some(parts) = parts_of(backend, index.definition_in_full()) {
                    let terms = parts.terms.iter().map(|term| without_order(term));
                    unique.terms = terms.map(|term| format!("({term})")).collect();
                    unique.condition = parts.condition.map(ToOwned::to_owned);
                    unique.counts_nulls = parts.counts_nulls;
                }
            }
        }
        if !unique.terms.is_empty() {
            let words = unique.terms.iter().chain(&unique.condition);
            let words: Vec<&str> = words.map(String::as_str).collect();
            unique.columns = mentioned(table, &words.join(" "));
        }
        Ok(unique)
    }

    /// Whether rows, which may have NULL, fulfil this rule if they fulfil another one.
    pub(super) fn is_part_of(&self, other: &Self, has_nulls: bool) -> bool {
        !self.terms.is_empty()
            && self.is_plain == other.is_plain
            && self.columns == other.columns
            && (self.is_plain && !self.has_collations
                || (&self.terms, &self.condition) == (&other.terms, &other.condition))
            && (other.counts_nulls || !self.counts_nulls || !has_nulls)
    }
}

/// The parts of an index of MySQL that has expressions, beside which names have no quotes.
fn terms_of_mysql(backend: Backend, index: &Index, quoted: &[String]) -> Option<Vec<String>> {
    let definition = (engine(backend).definitions.index)(index.definition_in_full());
    let words = definition.strip_prefix(&format!("UNIQUE KEY {} (", index.name))?;
    let mut columns = index.columns.iter().zip(quoted);
    let term = |part: &str| {
        let part = part.trim();
        let part = part.strip_suffix(" DESC").unwrap_or(part);
        if part.starts_with('(') {
            return Some(part.to_owned());
        }
        let (name, quoted) = columns.next()?;
        Some(match part.strip_prefix(name.as_str())? {
            "" => quoted.clone(),
            length => format!("LEFT({quoted}, {length})"),
        })
    };
    let parts = separated(words.strip_suffix(')')?, ",");
    parts.into_iter().map(term).collect()
}

/// What two rows do not have in common in SQLite, for each key of these columns that names collations.
#[cfg(feature = "sqlite")]
fn collated_terms(table: &Table, plain: &Unique) -> Result<Vec<Vec<String>>, Error> {
    use rowkey_tables::catalog::sqlite::{CollatedKey, collated_keys};

    let keys = collated_keys(table.statement(), &plain.columns)?;
    let terms = |key: CollatedKey| {
        let terms = key.into_iter().zip(&plain.terms);
        terms
            .map(|((_, collation), term)| match collation {
                Some(collation) => format!("{term} COLLATE {collation}"),
                None => term.clone(),
            })
            .collect()
    };
    Ok(keys.into_iter().map(terms).collect())
}

#[cfg(not(feature = "sqlite"))]
fn collated_terms(_: &Table, _: &Unique) -> Result<Vec<Vec<String>>, Error> {
    Ok(Vec::new())
}

/// What a part of an index says besides its order, and PostgreSQL's operators for patterns, which
/// take the same texts for the same.
fn without_order(term: &str) -> &str {
    const ENDS: [&str; 7] = [
        " NULLS FIRST",
        " NULLS LAST",
        " ASC",
        " DESC",
        " text_pattern_ops",
        " varchar_pattern_ops",
        " bpchar_pattern_ops",
    ];
    let term = term.trim();
    let start = |end: &&str| {
        let start = term.len().checked_sub(end.len())?;
        let is_it = term.get(start..)?.eq_ignore_ascii_case(end);
        is_it.then_some(start)
    };
    match ENDS.iter().find_map(start) {
        Some(start) => without_order(&term[..start]),
        None => term,
    }
}
