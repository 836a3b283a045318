//! What an index says, in the words of the target.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Index, IndexTerm, Table};
use rowkey_tables::types::Type;

use crate::definitions::conditions;
use crate::definitions::sql_text::{behind_table, first_group, separated, split_name};
use crate::engine::{Indexes, engine};
use crate::tables::table_side::{ColumnSide, TableSide};

/// The longest text or bytes that an index of whole columns holds everywhere.
const LONGEST: u32 = 600;

/// An index in the words of the target.
pub(crate) struct Rules {
    /// `FULLTEXT ` or `SPATIAL `, or nothing.
    pub(crate) kind: &'static str,
    pub(crate) columns: Vec<String>,
    /// What follows the name of the table.
    pub(crate) words: String,
}

/// Why the target does not get an index.
pub(crate) enum NoRules {
    /// PostgreSQL's operators for patterns, which other databases need no index for.
    ForLike,
    NotUnderstood,
}

/// The rules of an index that is more than a list of columns.
pub(crate) fn translated(
    source: Backend,
    table: &Table,
    side: &TableSide,
    index: &Index,
) -> Result<Result<Rules, NoRules>, Error> {
    if let Some(rules) = as_it_is(source, table, side, index) {
        return Ok(Ok(rules));
    }
    match parsed([source, side.backend], table, index) {
        Ok(parsed) => parsed.written(source, table, side, index.is_unique),
        Err(why) => Ok(Err(why)),
    }
}

fn parsed(backends: [Backend; 2], table: &Table, index: &Index) -> Result<Parsed, NoRules> {
    match engine(backends[0]).definitions.indexes {
        Indexes::Terms => of_mysql(backends[0], table, index),
        Indexes::Statement => of_definition(backends, table, index),
        Indexes::None => Err(NoRules::NotUnderstood),
    }
}

/// Whether another product may get an index of a whole column, so that its type has to be one for
/// indexes. What the columns become is not known yet.
pub(crate) fn needs_type(
    [source, target]: [Backend; 2],
    table: &Table,
    index: &Index,
    column: &str,
) -> bool {
    if index.is_list() {
        return index.columns.iter().any(|name| name == column);
    }
    parsed([source, target], table, index).is_ok_and(|parsed| {
        let mut terms = parsed.terms.iter();
        (parsed.kind.is_empty() || has_terms(source) && has_terms(target))
            && (parsed.condition.is_none() || engine(target).definitions.has_conditions)
            && terms.any(|term| term.column == column && term.prefix.is_none())
    })
}

fn has_terms(backend: Backend) -> bool {
    engine(backend).definitions.indexes == Indexes::Terms
}

/// Within one product, the definition itself, if the columns are the same.
fn as_it_is(source: Backend, table: &Table, side: &TableSide, index: &Index) -> Option<Rules> {
    if source != side.backend || has_terms(source) {
        return None;
    }
    let copied = |name: &str| side.columns.iter().find(|column| column.name == name);
    let is_same = |name: &String| {
        let types = table.column(name).zip(copied(name));
        types.is_some_and(|(original, copied)| original.sql_type == copied.sql_type.as_str())
    };
    let mut names = table.columns.iter().map(|column| &column.name);
    let words = behind_table(source, &index.definition)?;
    let is_complete = names.all(|name| copied(name).is_some());
    (is_complete && index.columns.iter().all(is_same)).then(|| Rules {
        kind: "",
        columns: index.columns.clone(),
        words: words.to_owned(),
    })
}

/// What is understood of an index.
struct Parsed {
    kind: &'static str,
    terms: Vec<IndexTerm>,
    condition: Option<String>,
}

/// MySQL's catalogue says the columns, and the kind before the name. A beginning that is as long as
/// any value, such as `tinyblob`'s 255 bytes, is the whole column.
fn of_mysql(source: Backend, table: &Table, index: &Index) -> Result<Parsed, NoRules> {
    let kinds = ["FULLTEXT ", "SPATIAL "];
    let mut kinds = kinds.into_iter();
    let kind = kinds.find(|kind| index.definition.starts_with(kind));
    let most = |name: &str| table.column(name)?.column_type(source).most_bytes();
    let terms = index.terms.iter().map(|term| {
        let is_part =
            |length: &i64| most(&term.column).is_none_or(|most| i128::from(*length) < most.into());
        IndexTerm {
            prefix: term.prefix.filter(is_part),
            ..term.clone()
        }
    });
    match index.terms.is_empty() {
        true => Err(NoRules::NotUnderstood),
        false => Ok(Parsed {
            kind: kind.unwrap_or_default(),
            terms: terms.collect(),
            condition: None,
        }),
    }
}

/// What the definition of an index consists of.
pub(crate) struct Parts<'d> {
    /// What is in its parentheses.
    pub(crate) terms: Vec<&'d str>,
    /// Whether NULL is like another NULL.
    pub(crate) counts_nulls: bool,
    pub(crate) condition: Option<&'d str>,
}

/// The parts of an index's definition; nothing if there is something else.
pub(crate) fn parts_of(source: Backend, definition: &str) -> Option<Parts<'_>> {
    let words = behind_table(source, definition)?;
    let words = words.strip_prefix("USING btree").unwrap_or(words);
    let (group, behind) = first_group(words.trim_start())?;
    // Columns that PostgreSQL only keeps beside those of the index.
    let behind = match behind.trim_start().strip_prefix("INCLUDE ") {
        Some(included) => first_group(included)?.1,
        None => behind,
    };
    let nulls = behind.trim_start().strip_prefix("NULLS NOT DISTINCT");
    let condition = match nulls.unwrap_or(behind).trim() {
        "" => None,
        behind if behind.get(..6)?.eq_ignore_ascii_case("WHERE ") => Some(&behind[6..]),
        _ => return None,
    };
    Some(Parts {
        terms: separated(group, ","),
        counts_nulls: nulls.is_some(),
        condition,
    })
}

fn of_definition(
    [source, target]: [Backend; 2],
    table: &Table,
    index: &Index,
) -> Result<Parsed, NoRules> {
    let parts = parts_of(source, &index.definition).filter(|parts| !parts.counts_nulls);
    let parts = parts.ok_or(NoRules::NotUnderstood)?;
    let mut terms = Vec::new();
    for part in parts.terms {
        let (name, words) = split_name(source, part.trim()).ok_or(NoRules::NotUnderstood)?;
        let mut columns = table.columns.iter().map(|column| &column.name);
        let column = columns.find(|column| (engine(source).definitions.is_column)(column, &name));
        let is_descending = match words.to_ascii_uppercase().as_str() {
            "" | "ASC" => false,
            "DESC" => true,
            // Others than PostgreSQL sort NULL below every value.
            "NULLS FIRST" if target != source => false,
            "DESC NULLS LAST" if target != source => true,
            // It tells the same texts apart.
            words if index.is_unique && words.ends_with("_PATTERN_OPS") => false,
            words if words.ends_with("_PATTERN_OPS") => return Err(NoRules::ForLike),
            _ => return Err(NoRules::NotUnderstood),
        };
        terms.push(IndexTerm {
            column: column.ok_or(NoRules::NotUnderstood)?.clone(),
            prefix: None,
            is_descending,
        });
    }
    Ok(Parsed {
        kind: "",
        terms,
        condition: parts.condition.map(ToOwned::to_owned),
    })
}

impl Parsed {
    fn written(
        self,
        source: Backend,
        table: &Table,
        side: &TableSide,
        is_unique: bool,
    ) -> Result<Result<Rules, NoRules>, Error> {
        let is_family = has_terms(source) && has_terms(side.backend);
        if !self.kind.is_empty() && !is_family {
            return Ok(Err(NoRules::NotUnderstood));
        }
        let mut terms = Vec::new();
        for term in &self.terms {
            let column = side
                .columns
                .iter()
                .find(|column| column.name == term.column);
            let column = column.filter(|column| self.kind != "SPATIAL " || column.own == Type::Own);
            let prefix = column.map(|column| prefix(term, column, is_family, is_unique));
            let Some(Some(prefix)) = prefix else {
                return Ok(Err(NoRules::NotUnderstood));
            };
            let name = quote_identifier(side.backend, &term.column)?;
            let order = if term.is_descending { " DESC" } else { "" };
            terms.push(format!("{name}{prefix}{order}"));
        }
        let mut words = format!("({})", terms.join(", "));
        if let Some(condition) = &self.condition {
            let Some(condition) = conditions::translated(source, table, side, condition)? else {
                return Ok(Err(NoRules::NotUnderstood));
            };
            words += &format!(" WHERE {condition}");
        }
        Ok(Ok(Rules {
            kind: self.kind,
            columns: self.terms.into_iter().map(|term| term.column).collect(),
            words,
        }))
    }
}

/// The SQL for a prefix of a column in an index. Without prefixes, the whole column does instead,
/// but not in a unique index: that would take rows which one of prefixes refuses.
fn prefix(
    term: &IndexTerm,
    column: &ColumnSide,
    is_family: bool,
    is_unique: bool,
) -> Option<String> {
    let Some(length) = term.prefix else {
        return Some(String::new());
    };
    let fits = match column.own {
        Type::Text(Some(most)) | Type::Bytes(Some(most)) => most <= LONGEST,
        Type::PaddedText(most) | Type::FixedBytes(most) => most <= LONGEST,
        _ => false,
    };
    let is_text = fits || matches!(column.own, Type::Text(_) | Type::Bytes(_) | Type::Json);
    match is_family {
        true if is_text => Some(format!("({length})")),
        _ if is_unique => None,
        _ => fits.then(String::new),
    }
}
