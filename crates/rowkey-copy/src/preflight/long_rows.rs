//! Rows that are too long for an index or a statement of the target.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::Table;
use rowkey_tables::connection::Connection;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{Kind, Type};

use super::trial::{Found, LIMIT, Question, Trial};
use crate::definitions::objects::{given_name, is_left_out, line_to_leave_out};
use crate::engine::{engine, of_column};
use crate::rows::select::first;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content};

/// Lets the target index the rows that are so long, as it may compress them.
pub(super) async fn find(
    source: &mut Connection,
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: Option<&Table>,
    misfits: &[String],
) -> Result<Found, Error> {
    let mut found = Found::default();
    let Some(limit) = engine(table.to.backend).objects.index_bytes else {
        return Ok(found);
    };
    for (name, columns) in indexes(table, existing) {
        let Some(trial) = Trial::of(table, columns, misfits) else {
            continue;
        };
        if greatest(&trial.to.columns).is_some_and(|greatest| greatest <= limit)
            || source_has_index(table, columns)
        {
            continue;
        }
        let Some(length) = length(&trial.from.columns, trial.from.backend)? else {
            continue;
        };
        let doing = format!("the rows of {}", table.from.name);
        let rows = table.from.rows()?;
        let longer = format!("SELECT 1 FROM {rows} WHERE {length} > {limit}");
        let longer = first(table.from.backend, 1, &longer);
        if source.query(&doing, &longer, &[]).await?.is_empty() {
            continue;
        }
        let names = trial.to.columns.iter();
        let names = names.map(|column| quote_identifier(trial.to.backend, &column.name));
        let names = names.collect::<Result<Vec<_>, _>>()?.join(", ");
        let index = format!("CREATE INDEX ON {} ({names})", trial.to.quoted()?);
        let what = format!("{}: the index {name}", table.original.name);
        let answers = match trial
            .ask(source, target, &[Question::Statement(index)])
            .await
        {
            Err(error) if trial.is_prevented(&error) => vec![Err(error)],
            answers => answers?,
        };
        for error in answers.into_iter().filter_map(Result::err) {
            if error.sql_state().is_some_and(|state| state == LIMIT) {
                let mut keys = table.original.keys.iter();
                let is_key = keys.any(|key| key.is_primary && key.name == name);
                let instead = match existing {
                    Some(_) => "shorten the values, or drop the index in the target".into(),
                    None if is_key => "shorten the values".into(),
                    None => {
                        let name = given_name(table.from.backend, &table.to, name, columns, "key");
                        line_to_leave_out(&table.original.name, &[name])
                    }
                };
                let why = format!("rows of the source are too long for it: {}", error.reason());
                found
                    .refused
                    .push(Error::refused(what.as_str(), why, instead));
            } else if let Some(refused) = trial.refused_value(&error) {
                found.refused.push(refused);
            } else {
                let why = error.reason();
                found
                    .notes
                    .push(format!("{what} could not be looked at: {why}"));
            }
        }
    }
    Ok(found)
}

/// The indexes of whole columns that the target has, or gets.
fn indexes<'t>(
    table: &'t PreparedTable<'_>,
    existing: Option<&'t Table>,
) -> Vec<(&'t str, &'t [String])> {
    let of = existing.unwrap_or(table.original);
    let keys = of.keys.iter().map(|key| (&*key.name, &*key.columns));
    let indexes = of.indexes.iter();
    let is_tree = |definition: &str| existing.is_none() || definition.contains(" USING btree ");
    let indexes = indexes.filter(|index| index.is_plain && is_tree(&index.definition));
    let indexes = indexes.map(|index| (&*index.name, &*index.columns));
    let all = keys.chain(indexes);
    all.filter(|(name, columns)| !is_left_out(table.from.backend, &table.to, name, columns))
        .collect()
}

/// As many bytes some columns have at most, if they have a length.
pub(super) fn greatest<'c>(columns: impl IntoIterator<Item = &'c ColumnSide>) -> Option<u32> {
    let greatest = |column: &ColumnSide| match column.own {
        Type::Text(length) => length?.checked_mul(4),
        Type::PaddedText(length) => length.checked_mul(4),
        Type::Bytes(length) => length,
        Type::FixedBytes(length) => Some(length),
        _ => None,
    };
    let is_long = |column: &&ColumnSide| {
        let content = column.content;
        matches!(
            content,
            Content::Values(Kind::Text | Kind::Json | Kind::Bytes)
        )
    };
    let mut columns = columns.into_iter().filter(is_long);
    columns.try_fold(0_u32, |sum, column| sum.checked_add(greatest(column)?))
}

/// Whether the source has the same index with the same limit.
fn source_has_index(table: &PreparedTable<'_>, columns: &[String]) -> bool {
    let original = table.original;
    let mut keys = original.keys.iter().map(|key| &key.columns);
    let indexes = original.indexes.iter().filter(|index| index.is_plain);
    table.from.backend == table.to.backend
        && (keys.any(|own| own == columns)
            || indexes
                .map(|index| &index.columns)
                .any(|own| own == columns))
}

/// How many bytes the texts and bytes of columns have; nothing if there are none.
fn length(columns: &[ColumnSide], backend: Backend) -> Result<Option<String>, Error> {
    let rows = &engine(backend).rows;
    let mut lengths = Vec::new();
    for column in columns {
        let pattern = match column.content {
            Content::Values(Kind::Text | Kind::Json) => rows.byte_count_of_text,
            Content::Values(Kind::Bytes) => rows.byte_count,
            _ => continue,
        };
        let mut name = quote_identifier(backend, &column.name)?;
        if !matches!(column.own, Type::Text(_) | Type::PaddedText(_)) {
            name = of_column(rows.shown, &name);
        }
        lengths.push(format!("COALESCE({}, 0)", of_column(pattern, &name)));
    }
    Ok((!lengths.is_empty()).then(|| lengths.join(" + ")))
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
