//! New ids for the rows of a key, which the map of ids keeps.

use rowkey_core::Backend;
use rowkey_sql::{Conversion, NewId, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, creation_time};
use rowkey_tables::connection::Connection;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;

use super::definition::{Definition, quote};
use super::rebuild::name_of_counter;
use crate::engine::old_id::{self, OldIdType};
use crate::id_map::{IdMap, Reading, TABLE};
use crate::plan::public_text;
use crate::refusals::{Refusals, What};
use crate::refused_rows::examples;
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Source, Work};

/// The milliseconds since 1970, the same for the whole of a statement.
const NOW: &str = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";

/// The text in the map of an old id.
fn text_of_old(work: &Work, old: &str) -> Result<String, Error> {
    old_id::text_of(Backend::Sqlite, &work.key()?.1.column, old)
}

fn map_of(work: &Work) -> Result<IdMap, Error> {
    IdMap::new(work.key()?.0.name(), work.to)
}

/// The SQL of a new id with an instant, and its conversion to public text unless it is text.
///
/// The conversion may evaluate the id more than once, and each time it is another.
fn new_id(work: &Work, millis: &str) -> Result<(String, Option<Conversion>), Error> {
    let text = public_text(work.to.format(), Backend::Sqlite)?;
    let (made, conversion) = match NewId::new(text) {
        Ok(made) => (made, None),
        // Digits are made of bytes.
        Err(_) => {
            let bytes = StoredForm::named(work.to.format(), Backend::Sqlite, "binary");
            let bytes = bytes.map_err(|why| {
                Error::refused(work.to.format().name(), why, "choose another format")
            })?;
            (NewId::new(bytes)?, Some(Conversion::new(bytes, text)?))
        }
    };
    // Ids of some formats carry no time.
    let sql = made.expression_at(millis).or_else(|_| made.expression())?;
    Ok((sql, conversion))
}

/// The instant of a row's new id: that of its creation, or of the change.
fn instant(work: &Work, table: &ChangedTable) -> Result<String, Error> {
    match &work.created {
        None => Ok(NOW.into()),
        Some(column) => {
            let millis = creation_time::unix_millis(Backend::Sqlite, &table.table, column, "")?;
            Ok(format!("coalesce({millis}, {NOW})"))
        }
    }
}

/// The old keys, each with its new id and the public text of that. References to rows that do not
/// exist get one, too, with the time of the change: they refer to nothing as before, and each to
/// its own.
fn new_rows(work: &Work) -> Result<String, Error> {
    let (table, key) = work.key()?;
    let name = table.name().quoted(Backend::Sqlite)?;
    let old = text_of_old(work, &quote(&key.column.name)?)?;
    let millis = instant(work, table)?;
    let mut references = Vec::new();
    for (referring, changed) in work.columns().filter(|(_, changed)| !changed.is_key) {
        let name = referring.name().quoted(Backend::Sqlite)?;
        let column = quote(&changed.column.name)?;
        references.push(format!(
            "SELECT {} AS old FROM {name} WHERE {column} IS NOT NULL",
            text_of_old(work, &column)?
        ));
    }
    let mut timed = format!("SELECT {old} AS old, {millis} AS ms FROM {name}");
    if !references.is_empty() {
        timed += &format!(
            " UNION ALL SELECT old, {NOW} FROM ({} EXCEPT SELECT {old} FROM {name})",
            references.join(" UNION ")
        );
    }
    let (id, conversion) = new_id(work, "ms")?;
    let text = match conversion {
        Some(conversion) => conversion.of("id")?,
        None => "id".into(),
    };
    // Materialised, an instant and an id are evaluated once for a row.
    Ok(format!(
        "WITH timed AS MATERIALIZED ({timed}), \
         made AS MATERIALIZED (SELECT old, ms, {id} AS id FROM timed) \
         SELECT old, ms, {text} AS new FROM made"
    ))
}

/// Makes the table and the new ids, if rows get new ids at all. Keys that have got one in an
/// attempt that was undone keep it.
pub(super) async fn make(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let Source::Mapped = work.source else {
        return Ok(());
    };
    let map = map_of(work)?;
    let exists = Backend::Sqlite.has_table(TABLE);
    if !runner.is("the map of ids", &exists, &[]).await? {
        runner.run("the map of ids", &map.create()).await?;
    }
    let insert = format!(
        "{} SELECT {}, old, new FROM ({}) WHERE true ON CONFLICT (table_name, old) DO NOTHING",
        map.insert(),
        map.table_name,
        new_rows(work)?
    );
    let rows = runner.run("the new ids", &insert).await?;
    if !runner.is_dry() {
        runner.rows(TABLE, rows, None);
    }
    Ok(())
}

/// Gives old ids to rows written since the swap; fails for such rows if old ids aren't integers.
pub(super) async fn give_old_ones(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let Source::Mapped = work.source else {
        return Ok(());
    };
    let (table, key) = work.key()?;
    let name = table.name().quoted(Backend::Sqlite)?;
    let map = map_of(work)?;
    let (new, of_table) = (quote(&key.new_name)?, &map.table_name);
    let text = map.text_of_new(&new)?;
    let is_new = format!(
        "{new} IS NOT NULL AND NOT EXISTS {}",
        map.lookup("1", Form::New, &text, Reading::Snapshot)
    );
    let doing = "the old ids of new rows";
    let count = format!("SELECT count(*) FROM {name} WHERE {is_new}");
    let count = runner.count(doing, &count).await?;
    if count == 0 {
        return Ok(());
    }
    if OldIdType::of(Backend::Sqlite, &key.column.column_type(Backend::Sqlite))
        != Some(OldIdType::Signed)
    {
        return Err(Error::refused(
            format!("{}.{}", table.name(), key.new_name),
            format!("{count} rows were written since the swap, and have no old id"),
            "delete them, or keep the new ids",
        ));
    }
    let mut last = format!(
        "coalesce((SELECT max(CAST(old AS INTEGER)) FROM {TABLE} WHERE table_name = {of_table}), 0)"
    );
    if Definition::read(table.table.statement())?.counts() {
        let counter = text_literal(Backend::Sqlite, &name_of_counter(table.name()));
        last = format!(
            "max({last}, coalesce((SELECT seq FROM sqlite_sequence WHERE name = {counter}), 0))"
        );
    }
    let insert = format!(
        "{} SELECT {of_table}, CAST({last} + row_number() OVER (ORDER BY {new}) AS TEXT), {text} \
         FROM {name} WHERE {is_new}",
        map.insert()
    );
    runner.run(doing, &insert).await.map(|_| ())
}

/// Takes away the counter that was kept for the way back.
pub(super) async fn forget_counter(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let (table, _) = work.key()?;
    let counted = Definition::read(table.table.statement())?.counts();
    if let (Source::Mapped, true) = (work.source, counted) {
        let counter = text_literal(Backend::Sqlite, &name_of_counter(table.name()));
        let delete = format!("DELETE FROM sqlite_sequence WHERE name = {counter}");
        let doing = format!("the counter of {}", table.name());
        runner.run(&doing, &delete).await?;
    }
    Ok(())
}

/// What does not allow new ids.
pub(super) async fn refuse(
    connection: &mut Connection,
    work: &Work,
    reasons: &mut Refusals,
) -> Result<(), Error> {
    let (table, key) = work.key()?;
    let name = table.name().quoted(Backend::Sqlite)?;
    let column = quote(&key.column.name)?;
    let place = What::column(table.name(), &key.column.name);
    let Some(class) = typeof_key(&key.column) else {
        reasons.add(
            place,
            format!(
                "SQLite makes numbers of digits in a column of the type {}",
                key.column.sql_type
            ),
            "make the table anew with a key of the type INTEGER, TEXT or BLOB",
        );
        return Ok(());
    };
    map_of(work)?;
    let is_other = |column: &str| {
        let class = text_literal(Backend::Sqlite, class);
        format!("typeof({column}) <> {class}")
    };
    let is_double =
        format!("{column} IN (SELECT {column} FROM {name} GROUP BY {column} HAVING count(*) > 1)");
    let rows = (&place, name.as_str(), column.as_str());
    let why = format!("is not of the type {class} of the column");
    add_values(connection, reasons, rows, &is_other(&column), &why).await?;
    add_values(
        connection,
        reasons,
        rows,
        &is_double,
        "is in more than one row",
    )
    .await?;
    for (referring, changed) in work.columns().filter(|(_, changed)| !changed.is_key) {
        let name = referring.name().quoted(Backend::Sqlite)?;
        let column = quote(&changed.column.name)?;
        let place = What::column(referring.name(), &changed.column.name);
        let is_other = format!("{column} IS NOT NULL AND {}", is_other(&column));
        let why = format!("is not of the type {class} of the key");
        add_values(
            connection,
            reasons,
            (&place, &name, &column),
            &is_other,
            &why,
        )
        .await?;
    }
    reasons.add_unusable_times(connection, work).await
}

/// What `typeof` says of the values of a key; nothing if it depends on the value.
fn typeof_key(key: &Column) -> Option<&'static str> {
    Some(
        match OldIdType::of(Backend::Sqlite, &key.column_type(Backend::Sqlite))? {
            OldIdType::Text => "text",
            OldIdType::Bytes => "blob",
            _ => "integer",
        },
    )
}

/// Adds a reason if there are rows for which a condition is true, with the first values.
async fn add_values(
    connection: &mut Connection,
    reasons: &mut Refusals,
    (place, table, column): (&What, &str, &str),
    condition: &str,
    why: &str,
) -> Result<(), Error> {
    let doing = format!("the values of {place}");
    let found = examples(connection, &doing, (table, column), condition).await?;
    let Some((count, examples)) = found else {
        return Ok(());
    };
    reasons.add(
        place.clone(),
        format!("in {count} rows, the value {why}, such as {examples}"),
        "correct or delete the rows",
    );
    Ok(())
}
