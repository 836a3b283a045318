//! A column whose values are looked at, and what a person can write in a plan so that they get a place.

use futures_util::future::try_join;
use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::Table;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{self, Charset, ColumnType, Kind, Type};
use rowkey_tables::{Connection, Error};

use super::misfits::{CUT, IS_NULL, Misfit, Misfits, is_text_type};
use super::suspects::{ColumnPair, Suspects, checks_json};
use crate::batch::{Batch, Cell};
use crate::engine::engine;
use crate::plans::replacements::{Cut, SpecialValue};
use crate::rows::read::cells::{NANOSECONDS, NO_UTF_8};
use crate::rows::select::first;
use crate::rows::write::fit;
use crate::session;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// How many values are shown.
const EXAMPLES: usize = 3;
/// So many rows are looked at by two connections, where that takes less time.
const MANY_ROWS: u64 = 100_000;
/// The longest text that a column of every database has without another type.
const LONGEST: usize = 16_383;
/// The types that hold more than others, the narrowest first.
const WIDER: [Type; 6] = [
    Type::Integer {
        bytes: 2,
        is_unsigned: false,
    },
    Type::Integer {
        bytes: 8,
        is_unsigned: false,
    },
    Type::Decimal(None),
    Type::Interval,
    Type::Bytes(None),
    Type::Text(None),
];

pub(super) fn is_indexed(table: &Table, column: &String) -> bool {
    let of_keys = table.keys.iter().map(|key| &key.columns);
    let of_indexes = table.indexes.iter().map(|index| &index.columns);
    let of_references = table.foreign_keys.iter().map(|key| &key.columns);
    let mut all = of_keys.chain(of_indexes).chain(of_references);
    all.any(|columns| columns.contains(column))
}

/// Columns that may hold what one does not, the closest first.
fn others(from: &ColumnSide, target: Backend, to: &ColumnSide, is_key: bool) -> Vec<ColumnSide> {
    let of_type = |sql_type: String| {
        let sql_type = ColumnType::parse(target, sql_type);
        let content = Content::Values(from.sql_type.kind_in(&sql_type)?);
        let own = sql_type.meaning()?;
        Some(ColumnSide::new(&to.name, sql_type, own, content))
    };
    let written = |wanted| of_type(types::write(target, wanted, is_key).ok()?);
    if to.content == Content::Values(Kind::Json) {
        // No key is JSON.
        let wanted = [Type::Json, Type::Text(None)].into_iter();
        let wanted = wanted.filter(|wanted| !(is_key && *wanted == Type::Json));
        return wanted.filter_map(written).collect();
    }
    let own = match to.own {
        Type::Text(_) => Type::Text(None),
        Type::Bytes(_) => Type::Bytes(None),
        own => own,
    };
    let mut others = vec![ColumnSide { own, ..to.clone() }];
    match to.own {
        Type::Text(_) | Type::PaddedText(_) if to.charset != Charset::All => {
            others.extend(to.sql_type.with_all_characters().and_then(of_type));
            others.extend(written(Type::Text(None)));
        }
        Type::Text(_) | Type::PaddedText(_) | Type::Enum => {
            others.extend(written(Type::Text(None)));
        }
        // With all digits of a second.
        own @ (Type::Time | Type::Timestamp | Type::Instant) => others.extend(written(own)),
        _ => {}
    }
    // They see values as the column does that is looked at.
    others.retain(|other| other.content == to.content);
    others
}

/// Whether a column holds a value that another one does not.
fn holds(target: Backend, column: &ColumnSide, batch: &Batch, cell: Cell) -> bool {
    let is_refused = match cell {
        Cell::Null => true,
        Cell::Text(span) => checks_json(target, column.own) && !fit::is_json(batch.text(span)),
        _ => false,
    };
    !is_refused && fit::check(target, column, batch, cell).is_ok()
}

/// A column that is looked at.
pub(super) struct SuspectColumn<'s> {
    pub(super) from: &'s ColumnSide,
    pub(super) to: &'s ColumnSide,
    /// Whether it is a part of the key, which is never replaced.
    pub(super) is_key: bool,
    /// Whether a key, an index or a reference has it.
    pub(super) is_indexed: bool,
    pub(super) refuses_null: bool,
    pub(super) refuses_other_json: bool,
    pub(super) source: Backend,
    /// Nothing if all of its values are looked at.
    pub(super) condition: Option<String>,
    /// Those that hold what was found so far.
    pub(super) others: Others,
    /// Those that hold what the plan does not replace.
    pub(super) others_of_left: Others,
    pub(super) found: Misfits,
}

/// Whether a row fulfils one of the conditions.
pub(super) async fn is_any(
    source: &mut Connection,
    from: &TableSide,
    doing: &str,
    conditions: &[&str],
    expected: Option<u64>,
) -> Result<bool, Error> {
    let rows = from.rows()?;
    let row = |conditions: &[&str]| {
        let any = any(conditions);
        first(
            from.backend,
            1,
            &format!("SELECT 1 FROM {rows} WHERE {any}"),
        )
    };
    let is_slow = engine(from.backend).sessions.has_slow_queries;
    let is_large = expected.is_some_and(|rows| rows >= MANY_ROWS);
    if !(is_slow && is_large && conditions.len() > 1) {
        return Ok(!source.query(doing, &row(conditions), &[]).await?.is_empty());
    }
    // The query would have one processor, and the conditions take most of its time.
    let mut other = source.another().await?;
    session::begin_reading(&mut other).await?;
    let (one, rest) = conditions.split_at(conditions.len() / 2);
    let (one, rest) = (row(one), row(rest));
    let (one, rest) = try_join(
        source.query(doing, &one, &[]),
        other.query(doing, &rest, &[]),
    )
    .await?;
    Ok(!one.is_empty() || !rest.is_empty())
}

/// One of many conditions, in groups: SQLite's expressions are 1,000 levels deep at most, and each OR
/// is one.
pub(super) fn any(conditions: &[&str]) -> String {
    let groups = conditions.chunks(32).map(|group| group.join(" OR "));
    let groups: Vec<String> = groups.map(|group| format!("({group})")).collect();
    groups.join(" OR ")
}

/// The columns that hold all of some values.
#[derive(Clone)]
pub(super) struct Others {
    /// Those that hold what was found so far, the closest first: the column without a limit of
    /// characters or bytes, or with the text of JSON.
    columns: Vec<ColumnSide>,
    /// The length of the longest value, if that is all that is wrong.
    longest: Option<usize>,
}

impl Others {
    pub(super) fn of(from: &ColumnSide, target: Backend, to: &ColumnSide, is_key: bool) -> Self {
        Self {
            columns: others(from, target, to, is_key),
            longest: Some(0),
        }
    }

    /// Keeps those that hold a value which its column has no place for.
    fn keep(&mut self, target: Backend, to: &ColumnSide, batch: &Batch, cell: Cell) {
        self.columns
            .retain(|other| holds(target, other, batch, cell));
        let fits = !self.columns.is_empty();
        let length = match cell {
            Cell::Text(span) if fits => Some(fit::characters(target, batch.text(span))),
            Cell::Bytes(span) if fits => Some(batch.bytes(span).len()),
            _ => fit::as_text(to, cell)
                .ok()
                .flatten()
                .filter(|_| fits)
                .map(|text| fit::characters(target, &text)),
        };
        self.longest = self.longest.zip(length).map(|(one, other)| one.max(other));
    }

    /// The text of JSON, or the same type with the length of the longest value.
    pub(super) fn sql_type(&self, to: &ColumnSide) -> Option<String> {
        let words = |other: &ColumnSide| {
            if other.sql_type != to.sql_type {
                return Some(other.sql_type.to_string());
            }
            let longest = self.longest.filter(|longest| *longest <= LONGEST)?;
            let length = to.sql_type.length()?;
            let (had, has) = (format!("({length})"), format!("({longest})"));
            Some(to.sql_type.as_str().replacen(&had, &has, 1))
        };
        self.columns.iter().find_map(words)
    }
}

impl SuspectColumn<'_> {
    pub(super) fn check(
        &mut self,
        to: &TableSide,
        batch: &Batch,
        cell: Cell,
        key: impl FnOnce() -> Option<String>,
    ) {
        let Some(why) = self.why(to, batch, cell) else {
            return;
        };
        self.others.keep(to.backend, self.to, batch, cell);
        let is_no_uuid = self.from.own == Type::Uuid && self.source.stores_any_type();
        let has_no_type = match cell {
            Cell::Refused(span) => {
                is_no_uuid || self.has_zero_dates() || batch.text(span).ends_with(NO_UTF_8)
            }
            _ => false,
        };
        let found = &mut self.found;
        let misfit = Misfit { key: key(), why };
        found.values += 1;
        found.has_no_type |= has_no_type;
        // Those with NULL do not hide the others.
        if found
            .examples
            .iter()
            .all(|one| one.is_null() != misfit.is_null())
        {
            found.examples.truncate(EXAMPLES - 1);
        }
        if found.examples.len() < EXAMPLES {
            found.examples.push(misfit.clone());
        }
        match self.words(to, batch, cell) {
            Some(words) if self.found.instead.contains(&words) => {}
            Some(words) => self.found.instead.push(words),
            None => {
                self.others_of_left.keep(to.backend, self.to, batch, cell);
                self.found.left += 1;
                self.found.left_example.get_or_insert(misfit);
            }
        }
    }

    fn why(&self, to: &TableSide, batch: &Batch, cell: Cell) -> Option<String> {
        match cell {
            Cell::Null if self.refuses_null => Some(IS_NULL.into()),
            Cell::Text(span) if self.refuses_other_json && !fit::is_json(batch.text(span)) => {
                Some("a text is no JSON".into())
            }
            _ => fit::check(to.backend, self.to, batch, cell).err(),
        }
    }

    /// The narrowest type that holds all values, as far as types and the database say that.
    pub(super) async fn wider(
        &self,
        source: &mut Connection,
        side: &TableSide,
        target: Backend,
    ) -> Result<Option<String>, Error> {
        if self.found.examples.iter().all(Misfit::is_null) {
            return Ok(None);
        }
        let is_time = self.from.own == Type::Time;
        // Of times, with all of their digits.
        let alike = match self.to.own {
            Type::Single => Some(Type::Double),
            own @ (Type::Time | Type::Timestamp | Type::Instant) => Some(own),
            _ => None,
        };
        let is_narrower = |wanted| {
            matches!((wanted, self.to.own), (Type::Integer { bytes: one, .. }, Type::Integer { bytes: other, .. })
                if one < other)
        };
        for wanted in alike.into_iter().chain(WIDER) {
            let is_text = wanted == Type::Text(None);
            // Texts that PostgreSQL has no place for are bytes, and words of an `enum` are not.
            let is_other = wanted == Type::Bytes(None)
                && is_text_type(self.from.own)
                && !is_text_type(self.to.own);
            // Decimals of PostgreSQL that no other number holds have a text.
            let has_text = is_text && matches!(self.from.own, Type::Decimal(_));
            let may_be_text = is_time || has_text || self.source.stores_any_type();
            if (is_text || is_other) && !may_be_text
                || wanted == Type::Interval && !is_time
                || is_narrower(wanted)
            {
                continue;
            }
            // Long values leave no place for the index.
            let mut written = vec![types::write(target, wanted, self.is_indexed)];
            if self.is_indexed && !self.is_key {
                written.push(types::write(target, wanted, false));
            }
            for to in written.into_iter().flatten() {
                if self.is_held_by(source, side, target, &to).await? {
                    return Ok(Some(to));
                }
            }
        }
        Ok(None)
    }

    /// Whether a type holds all values, as far as types and the database say that.
    async fn is_held_by(
        &self,
        source: &mut Connection,
        side: &TableSide,
        target: Backend,
        to: &str,
    ) -> Result<bool, Error> {
        let to = ColumnType::parse(target, to);
        let (Some(kind), Some(own)) = (self.from.sql_type.kind_in(&to), to.meaning()) else {
            return Ok(false);
        };
        let content = Content::Values(kind);
        let pair = ColumnPair {
            source: self.source,
            from: &ColumnSide {
                content,
                ..self.from.clone()
            },
            target,
            to: &ColumnSide::new(&self.to.name, to, own, content),
            // That is another reason.
            refuses_null: false,
        };
        let others = match (pair.suspects()?, own) {
            // Whatever the column is to be, they are read as UUIDs.
            (Suspects::All, _) if kind == Kind::Uuid => return Ok(false),
            (Suspects::None, _) => return Ok(true),
            (Suspects::Where(condition), _) => condition,
            // The text of whole numbers is short.
            (Suspects::All, Type::Text(Some(most))) if self.source.stores_any_type() => {
                let name = quote_identifier(self.source, &self.from.name)?;
                format!("typeof({name}) IN ('blob', 'real') OR length({name}) > {most}")
            }
            // Every time has a text.
            (Suspects::All, _) => return Ok(self.from.own == Type::Time && own == Type::Text(None)),
        };
        let doing = format!("the values of {}", side.name);
        Ok(!is_any(source, side, &doing, &[&others], None).await?)
    }

    /// Whether a value can be refused for its seventh digit only.
    fn has_tenths(&self) -> bool {
        self.from.sql_type.has_tenths()
    }

    /// Whether its values may be dates with zeros, which are read as no other type.
    fn has_zero_dates(&self) -> bool {
        let is_date = matches!(
            self.from.content,
            Content::Values(Kind::Date | Kind::Timestamp)
        );
        is_date && engine(self.source).rows.zero_dates.is_some() && !is_text_type(self.from.own)
    }

    /// What the plan can say about a value, if that gives it a place.
    fn words(&self, to: &TableSide, batch: &Batch, cell: Cell) -> Option<&'static str> {
        let words = match cell {
            Cell::Refused(_) if self.has_zero_dates() => "zero-date = \"null\"",
            Cell::Refused(_) if self.has_tenths() => "tenths = \"cut\"",
            Cell::Refused(span) if batch.text(span).ends_with(NANOSECONDS) => CUT,
            Cell::Refused(_) => "other-type = \"null\"",
            Cell::Time(micros) | Cell::Timestamp(micros)
                if micros % self.to.tick != 0 && SpecialValue::of(batch, cell).is_none() =>
            {
                CUT
            }
            _ => SpecialValue::of(batch, cell)?.plan_entry(),
        };
        let has_place = match cell {
            Cell::Text(span) => {
                let text = batch.text(span).replace('\0', "");
                let mut stripped = Batch::new(1, text.len());
                let cell = Cell::Text(stripped.keep(text.as_bytes()));
                self.why(to, &stripped, cell).is_none()
            }
            Cell::Refused(_) if self.has_tenths() || words == CUT => true,
            Cell::Time(_) | Cell::Timestamp(_) if words == CUT => {
                let mut cutting = self.from.clone();
                cutting.instead.fraction = Some(Cut::Cut);
                self.why(to, batch, cutting.cut(cell)).is_none()
            }
            _ if SpecialValue::of(batch, cell) == Some(SpecialValue::NegativeZero) => true,
            _ => !self.refuses_null,
        };
        (has_place && !self.is_key).then_some(words)
    }
}
