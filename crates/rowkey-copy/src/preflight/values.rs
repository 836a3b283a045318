//! Values that the target has no place for.

use futures_util::future::try_join;
use rowkey_tables::catalog::Table;
use rowkey_tables::types::{ColumnType, Type};
use rowkey_tables::{Connection, Error};
use tokio::sync::mpsc;

use super::misfits::Misfits;
use super::suspect_column::{Others, SuspectColumn, any, is_any, is_indexed};
use super::suspects::{ColumnPair, Suspects};
use crate::batch::{Batch, Cell};
use crate::engine::engine;
use crate::plans::plan::CopyPolicy;
use crate::plans::replacements::SpecialValue;
use crate::rows::read::read;
use crate::rows::select::KeyRange;
use crate::rows::shown::row_key;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

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
        column.found.to = match column.others.sql_type(column.to) {
            None => column.wider(source, from, to.backend).await?,
            alike => alike,
        };
        if column.found.to.is_none() && column.found.left > 0 && !column.found.instead.is_empty() {
            column.found.to_beside = column.others_of_left.sql_type(column.to);
        }
        let held = column.found.to.as_deref();
        let held = held.and_then(|held| ColumnType::parse(to.backend, held).meaning());
        // A type that holds every value as bytes leaves nothing to replace, but programs expect text.
        let is_stripped = column.found.instead == [SpecialValue::Nul.plan_entry()];
        if matches!(held, Some(Type::Bytes(_))) && !(is_stripped && column.found.left == 0) {
            column.found.instead.clear();
            column.found.left = column.found.values;
        }
        found.push(column.found);
    }
    Ok(found)
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
        let others = Others::of(one, to.backend, other, is_key);
        suspects.push(SuspectColumn {
            from: one,
            to: other,
            is_key,
            is_indexed: is_key || is_indexed(original, &one.name),
            refuses_null,
            refuses_other_json: pair.may_be_other_json(),
            source: from.backend,
            condition,
            others_of_left: others.clone(),
            others,
            found: Misfits {
                table: from.name.clone(),
                column: one.name.clone(),
                values: 0,
                examples: Vec::new(),
                to: None,
                instead: Vec::new(),
                to_beside: None,
                left: 0,
                left_example: None,
                has_no_type: false,
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
                    // What is refused has no text but the reason.
                    let has_key = keys > 0
                        && !row
                            .iter()
                            .take(keys)
                            .any(|cell| matches!(cell, Cell::Refused(_)));
                    let key = || has_key.then(|| row_key(&batch, row, &side.key));
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
