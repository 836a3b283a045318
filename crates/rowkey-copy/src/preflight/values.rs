//! Values that the target has no place for.

use futures_util::future::try_join;
use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{QualifiedName, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{self, Charset, ColumnType, Kind, Type};
use rowkey_tables::{Connection, Error};
use serde::Serialize;
use tokio::sync::mpsc;

use super::definition::needs_value;
use super::suspects::{ColumnPair, Suspects, checks_json};
use crate::batch::{Batch, Cell};
use crate::engine::{engine, of_column};
use crate::plans::plan::CopyPolicy;
use crate::plans::replacements::{Cut, SpecialValue};
use crate::rows::read::cells::NANOSECONDS;
use crate::rows::read::read;
use crate::rows::select::{KeyRange, first};
use crate::rows::shown::{in_row, row_key};
use crate::rows::write::fit;
use crate::session;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// How many values are shown.
const EXAMPLES: usize = 3;
/// So many rows are looked at by two connections, where that takes less time.
const MANY_ROWS: u64 = 100_000;
const CUT: &str = "fraction = \"cut\"";
const IS_NULL: &str = "it is NULL, which the target refuses";
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

/// The values of a column that the target has no place for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misfits {
    /// The table in the source.
    pub table: QualifiedName,
    /// The column.
    pub column: String,
    /// How many values there are.
    pub values: u64,
    /// Some of them.
    pub examples: Vec<Misfit>,
    /// A type that holds all values of the column.
    pub to: Option<String>,
    /// What the plan can say for the column, so that they get a place.
    pub instead: Vec<&'static str>,
    /// How many values still have no place then.
    pub left: u64,
    /// One of the values that are left.
    pub left_example: Option<Misfit>,
}

/// A value that the target has no place for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misfit {
    /// The key of its row; nothing if the table has none.
    pub key: Option<String>,
    /// Why it has no place.
    pub why: String,
}

impl Misfits {
    pub(super) fn is_of(&self, table: &Table, column: &str) -> bool {
        self.table == table.name && self.column == column
    }

    /// The refusal of these values, in a table that exists or is to be made.
    pub(super) fn error(&self, table: &PreparedTable<'_>, existing: Option<&Table>) -> Error {
        let target = table.to.backend;
        let of_plan = table.to.column(&self.column);
        let is_id = of_plan.is_some_and(|column| matches!(column.content, Content::Ids(_)));
        let there = existing.and_then(|table| table.column(&self.column));
        let mut why = self.examples.first().map_or(String::new(), Misfit::place);
        if self.values > 1 {
            why += &format!("; {} values have no place", self.values);
            let is_null = self.examples.first().is_some_and(Misfit::is_null);
            let others = self.examples.iter().skip(1);
            let (alike, others): (Vec<&Misfit>, Vec<&Misfit>) =
                others.partition(|one| one.is_null() == is_null);
            let alike: Vec<String> = alike.into_iter().filter_map(Misfit::row).collect();
            if !alike.is_empty() {
                why += &format!(", others in {}", alike.join(", "));
            }
            if let Some(other) = others.first() {
                why += &format!("; and {}", other.place());
            }
        }
        let mut instead = String::from("change them");
        let are_null = self.examples.iter().all(Misfit::is_null);
        let is_text = |column_type: &ColumnType| column_type.meaning().is_some_and(is_text_type);
        let key = existing.and_then(Table::primary_key);
        let is_key = key.is_some_and(|key| key.columns.contains(&self.column));
        // Beside the format of ids, the plan takes no type.
        let may_keep = is_id && existing.is_none() && !are_null;
        match &self.to {
            _ if may_keep => {
                instead +=
                    ", or write `keep = true` for the column in the plan, which keeps its type";
            }
            // Programs do not expect text there.
            Some(to)
                if there.is_some_and(|there| {
                    is_text(&ColumnType::parse(target, to.as_str()))
                        && !is_text(&there.column_type(target))
                }) => {}
            Some(to) if existing.is_some() => {
                instead += &format!(", or let the column there be `{to}` and write the plan again");
            }
            Some(to) => {
                // A collation may have quotes.
                let to = toml::Value::from(to.as_str());
                instead += &format!(
                    ", or write `to = {to}` for the column in the plan, instead of the one there"
                );
            }
            None if are_null && existing.is_some() && !is_key => {
                instead += ", or let the column there take NULL"
            }
            None => {}
        }
        if !self.instead.is_empty() {
            let words = self.instead.join(", ");
            instead += &format!(", or write `instead = {{ {words} }}` for the column in the plan");
            if let Some(left) = &self.left_example {
                instead += &format!(
                    ", which leaves {} to be changed ({})",
                    self.left,
                    left.place()
                );
            }
        }
        if self.to.is_none() && !are_null && !may_keep {
            instead += ", or give the column another type there";
        }
        if !there.is_some_and(|there| needs_value(target, there)) {
            instead += ", or leave it out";
        }
        Error::refused(format!("{}.{}", self.table, self.column), why, instead)
    }
}

impl Misfit {
    fn row(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("the row {key}"))
    }

    fn is_null(&self) -> bool {
        self.why == IS_NULL
    }

    /// Why it has no place, and where it is.
    fn place(&self) -> String {
        in_row(&self.why, self.key.as_deref())
    }
}

/// A column that is looked at.
struct SuspectColumn<'s> {
    from: &'s ColumnSide,
    to: &'s ColumnSide,
    /// Whether it is a part of the key, which is never replaced.
    is_key: bool,
    refuses_null: bool,
    refuses_other_json: bool,
    source: Backend,
    /// Nothing if all of its values are looked at.
    condition: Option<String>,
    /// Those that hold what was found so far, the closest first: the column without a limit of
    /// characters or bytes, or with the text of JSON.
    others: Vec<ColumnSide>,
    /// The length of the longest value, if that is all that is wrong.
    longest: Option<usize>,
    found: Misfits,
}

/// Finds the values of a table that have no place. Columns whose types say that all values have one
/// are not read. `not_null` are the columns of the target that refuse NULL.
pub(super) async fn misfits(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    not_null: &[String],
) -> Result<Vec<Misfits>, Error> {
    let PreparedTable { original, from, to } = table;
    // Whether the account may read all of them, whose types the driver need not know.
    let rows = format!("{} WHERE 1 = 0", from.select(KeyRange::ALL, false)?);
    let nothing = format!("SELECT 1 FROM ({rows}) AS readable");
    let doing = format!("the privileges on {}", from.name);
    source.query(&doing, &nothing, &[]).await?;
    let mut suspects = suspect_columns(original, from, to, not_null)?;
    count(source, from, &mut suspects, original.estimated_rows).await?;
    if !suspects.is_empty() {
        read_suspects(source, from, to, &mut suspects).await?;
    }
    let mut found = Vec::new();
    for mut column in suspects.into_iter().filter(|one| one.found.values > 0) {
        column.found.to = match column.alike() {
            None => column.wider(source, from, to.backend).await?,
            alike => alike,
        };
        let held = column.found.to.as_deref();
        let held = held.and_then(|held| ColumnType::parse(to.backend, held).meaning());
        // A type that holds every value as bytes leaves nothing to replace.
        if matches!(held, Some(Type::Bytes(_))) {
            column.found.instead.clear();
            column.found.left = column.found.values;
        }
        found.push(column.found);
    }
    Ok(found)
}

/// The refusal of a table with a row that no statement of the target has enough bytes for.
pub(super) async fn too_long_row(
    source: &mut Connection,
    table: &PreparedTable<'_>,
    limit: u64,
) -> Result<Option<Error>, Error> {
    if limit == u64::MAX {
        return Ok(None);
    }
    let PreparedTable { from, to, .. } = table;
    let (backend, engine) = (from.backend, engine(from.backend));
    let number = |length: &str| format!("COALESCE(CAST({length} AS decimal(20)), 0)");
    let bytes_of_text = |text: &str| number(&of_column(engine.rows.byte_count_of_text, text));
    let mut most = 0_u64;
    let mut lengths = Vec::new();
    for (from, to) in from.columns.iter().zip(&to.columns) {
        let name = quote_identifier(backend, &from.name)?;
        let (longest, length) = match (from.own, to.content) {
            // Two digits for each.
            (Type::Bytes(most), Content::Values(Kind::Bytes)) => {
                let bytes = number(&of_column(engine.rows.byte_count, &name));
                (most, format!("{bytes} * 2"))
            }
            (Type::Text(_) | Type::Json, Content::Values(Kind::Text | Kind::Json))
                if !engine.values.counts_utf16 =>
            {
                let text = match from.own {
                    Type::Json => of_column(engine.rows.shown, &name),
                    _ => name,
                };
                // Quotes and backslashes are doubled.
                let [quote, backslash] = ["'", "\\"].map(|one| text_literal(backend, one));
                let others = format!("REPLACE(REPLACE({text}, {quote}, ''), {backslash}, '')");
                let (all, others) = (bytes_of_text(&text), bytes_of_text(&others));
                let most = match from.own {
                    Type::Text(most) => most,
                    _ => None,
                };
                (most, format!("{all} + {all} - {others}"))
            }
            _ => continue,
        };
        let declared = longest.filter(|_| !backend.stores_any_type());
        let declared = declared.map(|most| 8 * u64::from(most));
        let declared = declared.or(from.most_bytes.map(|most| 2 * most));
        most = most.saturating_add(declared.unwrap_or(u64::MAX));
        lengths.push(length);
    }
    if most < limit {
        return Ok(None);
    }
    // The words around them, and at least a character for each other value.
    let words = to.quoted()?.len() + to.column_list()?.len() + "INSERT INTO  () VALUES ()".len();
    let around = words + 2 * to.columns.len();
    let (rows, lengths) = (from.rows()?, lengths.join(" + "));
    let query = format!("SELECT 1 FROM {rows} WHERE {lengths} + {around} >= {limit}");
    let query = first(backend, 1, &query);
    let doing = format!("the longest row of {}", from.name);
    let found = source.query(&doing, &query, &[]).await?;
    Ok((!found.is_empty()).then(|| {
        Error::refused(
            format!("the table {}", from.name),
            format!("a row takes a longer statement than the target's server takes, {limit} bytes (max_allowed_packet)"),
            "SET GLOBAL max_allowed_packet to more there",
        )
    }))
}

fn suspect_columns<'s>(
    original: &Table,
    from: &'s TableSide,
    to: &'s TableSide,
    not_null: &[String],
) -> Result<Vec<SuspectColumn<'s>>, Error> {
    let mut suspects = Vec::new();
    let primary_key = original.primary_key().map(|key| key.columns.as_slice());
    let primary_key = primary_key.unwrap_or_default();
    for (place, (one, other)) in from.columns.iter().zip(&to.columns).enumerate() {
        let refuses_null = not_null.contains(&one.name);
        let may_be_null = one.instead.gives_null()
            || original
                .column(&one.name)
                .is_some_and(|column| column.is_nullable);
        let pair = ColumnPair {
            source: from.backend,
            from: one,
            target: to.backend,
            to: other,
            refuses_null: refuses_null && may_be_null,
        };
        let condition = match pair.suspects()? {
            Suspects::None => continue,
            Suspects::Where(condition) => Some(condition),
            Suspects::All => None,
        };
        let is_key = from.key.contains(&place) || primary_key.contains(&one.name);
        suspects.push(SuspectColumn {
            from: one,
            to: other,
            is_key,
            refuses_null,
            refuses_other_json: pair.may_be_other_json(),
            source: from.backend,
            condition,
            others: others(one, to.backend, other, is_key),
            longest: Some(0),
            found: Misfits {
                table: from.name.clone(),
                column: one.name.clone(),
                values: 0,
                examples: Vec::new(),
                to: None,
                instead: Vec::new(),
                left: 0,
                left_example: None,
            },
        });
    }
    Ok(suspects)
}

/// Lets the database count, and keeps the columns that have suspect values.
async fn count(
    source: &mut Connection,
    from: &TableSide,
    suspects: &mut Vec<SuspectColumn<'_>>,
    expected: Option<u64>,
) -> Result<(), Error> {
    let conditions: Vec<&str> = suspects
        .iter()
        .filter_map(|column| column.condition.as_deref())
        .collect();
    if conditions.is_empty() {
        return Ok(());
    }
    let doing = format!("the values of {}", from.name);
    // Nearly always there is none, and one condition for all columns takes less time than counts.
    if !is_any(source, from, &doing, &conditions, expected).await? {
        suspects.retain(|column| column.condition.is_none());
        return Ok(());
    }
    let function = engine(from.backend).rows.count;
    let counts: Vec<String> = conditions
        .iter()
        .map(|condition| format!("{function}(CASE WHEN {condition} THEN 1 END)"))
        .collect();
    let query = format!("SELECT {} FROM {}", counts.join(", "), from.rows()?);
    let row = source.one_row(&doing, &query, &[]).await?;
    let numbers: Vec<u64> = (0..counts.len())
        .map(|place| row.count(place))
        .collect::<Result<_, _>>()?;
    let mut numbers = numbers.into_iter();
    suspects.retain(|column| column.condition.is_none() || numbers.next() != Some(0));
    Ok(())
}

/// Whether a row fulfils one of the conditions.
async fn is_any(
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
fn any(conditions: &[&str]) -> String {
    let groups = conditions.chunks(32).map(|group| group.join(" OR "));
    let groups: Vec<String> = groups.map(|group| format!("({group})")).collect();
    groups.join(" OR ")
}

/// Reads the suspect values with the keys of their rows.
async fn read_suspects(
    source: &mut Connection,
    from: &TableSide,
    to: &TableSide,
    suspects: &mut [SuspectColumn<'_>],
) -> Result<(), Error> {
    // As they are stored, also where they are no ids of the format.
    let as_stored = |key: &ColumnSide| match (key.content, key.sql_type.kind_in(&key.sql_type)) {
        (Content::Ids(_), Some(kind)) => ColumnSide {
            content: Content::Values(kind),
            ..key.clone()
        },
        _ => key.clone(),
    };
    let mut columns: Vec<ColumnSide> = from.key_columns().map(as_stored).collect();
    let keys = columns.len();
    columns.extend(suspects.iter().map(|column| column.from.clone()));
    columns
        .iter_mut()
        .for_each(|column| column.keeps_refused = true);
    let side = TableSide {
        columns,
        key: (0..keys).collect(),
        ..from.clone()
    };
    let mut query = side.select(KeyRange::ALL, false)?;
    let conditions = suspects.iter().map(|column| column.condition.as_deref());
    if let Some(conditions) = conditions.collect::<Option<Vec<_>>>() {
        query += &format!(" WHERE {}", any(&conditions));
    }
    let (sender, mut batches) = mpsc::channel::<Batch>(1);
    let checking = async {
        while let Some(batch) = batches.recv().await {
            for row in batch.rows() {
                for (column, cell) in suspects.iter_mut().zip(row.iter().skip(keys)) {
                    let key = || (keys > 0).then(|| row_key(&batch, row, &side.key));
                    column.check(to, &batch, *cell, key);
                }
            }
        }
        Ok(())
    };
    let rows = CopyPolicy::default().batch_rows as usize;
    try_join(read(source, &side, &query, rows, sender), checking).await?;
    Ok(())
}

fn is_text_type(own: Type) -> bool {
    matches!(own, Type::Text(_) | Type::PaddedText(_))
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

impl SuspectColumn<'_> {
    fn check(
        &mut self,
        to: &TableSide,
        batch: &Batch,
        cell: Cell,
        key: impl FnOnce() -> Option<String>,
    ) {
        let Some(why) = self.why(to, batch, cell) else {
            return;
        };
        self.others
            .retain(|other| holds(to.backend, other, batch, cell));
        let fits = !self.others.is_empty();
        let length = match cell {
            Cell::Text(span) if fits => Some(fit::characters(to.backend, batch.text(span))),
            Cell::Bytes(span) if fits => Some(batch.bytes(span).len()),
            _ => fit::as_text(self.to, cell)
                .ok()
                .flatten()
                .filter(|_| fits)
                .map(|text| fit::characters(to.backend, &text)),
        };
        self.longest = self.longest.zip(length).map(|(one, other)| one.max(other));
        let found = &mut self.found;
        let misfit = Misfit { key: key(), why };
        found.values += 1;
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

    /// The text of JSON, or the same type with the length of the longest value.
    fn alike(&self) -> Option<String> {
        let words = |other: &ColumnSide| {
            if other.sql_type != self.to.sql_type {
                return Some(other.sql_type.to_string());
            }
            let longest = self.longest.filter(|longest| *longest <= LONGEST)?;
            let length = self.to.sql_type.length()?;
            let (had, has) = (format!("({length})"), format!("({longest})"));
            Some(self.to.sql_type.as_str().replacen(&had, &has, 1))
        };
        self.others.iter().find_map(words)
    }

    /// The narrowest type that holds all values, as far as types and the database say that.
    async fn wider(
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
            let Ok(to) = types::write(target, wanted, self.is_key) else {
                continue;
            };
            let to = ColumnType::parse(target, to);
            let (Some(kind), Some(own)) = (self.from.sql_type.kind_in(&to), to.meaning()) else {
                continue;
            };
            let content = Content::Values(kind);
            let pair = ColumnPair {
                source: self.source,
                from: &ColumnSide {
                    content,
                    ..self.from.clone()
                },
                target,
                to: &ColumnSide::new(&self.to.name, to.clone(), own, content),
                // That is another reason.
                refuses_null: false,
            };
            let holds_all = match pair.suspects()? {
                Suspects::None => true,
                Suspects::Where(condition) => {
                    let doing = format!("the values of {}", side.name);
                    !is_any(source, side, &doing, &[&condition], None).await?
                }
                // Every time has a text.
                Suspects::All => is_time && own == Type::Text(None),
            };
            if holds_all {
                return Ok(Some(to.to_string()));
            }
        }
        Ok(None)
    }

    /// Whether a value can be refused for its seventh digit only.
    fn has_tenths(&self) -> bool {
        self.from.sql_type.has_tenths()
    }

    /// What the plan can say about a value, if that gives it a place.
    fn words(&self, to: &TableSide, batch: &Batch, cell: Cell) -> Option<&'static str> {
        let is_date = matches!(
            self.from.content,
            Content::Values(Kind::Date | Kind::Timestamp)
        );
        let has_zeros =
            engine(self.source).rows.zero_dates.is_some() && !is_text_type(self.from.own);
        let words = match cell {
            Cell::Refused(_) if is_date && has_zeros => "zero-date = \"null\"",
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
