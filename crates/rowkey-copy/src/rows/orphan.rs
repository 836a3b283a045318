//! A row that refers to none, in whichever database: before a copy and after it.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::{Connection, Error, Row};

use crate::engine::{engine, of_column};
use crate::rows::select::first;

/// What the first row without another refers to, by the quoted names of both tables. Some columns
/// are compared byte by byte.
pub(crate) async fn orphan(
    connection: &mut Connection,
    [child, parent]: [&str; 2],
    columns: &[String],
    target_columns: &[String],
    exact: &[&str],
) -> Result<Option<Row>, Error> {
    let backend = connection.backend();
    let doing = format!("the references of {child}");
    let mut values = Vec::new();
    let mut conditions = Vec::new();
    let mut pairs = Vec::new();
    let mut compared = Vec::new();
    let comparable = |column: &str| of_column(engine(backend).rows.comparable, column);
    for (name, other) in columns.iter().zip(target_columns) {
        let one = format!("child.{}", quote_identifier(backend, name)?);
        let other = format!("parent.{}", quote_identifier(backend, other)?);
        values.push(comparable(&one));
        conditions.push(format!("{one} IS NOT NULL"));
        pairs.push(format!("{other} = {one}"));
        if exact.contains(&name.as_str()) {
            compared.push([&one, &other].map(|column| match backend {
                // With the spaces at the end of a `char`, which a cast takes away.
                Backend::Postgres => format!("concat({column}) COLLATE \"C\""),
                _ => comparable(column),
            }));
        }
    }
    let found = format!("FROM {parent} AS parent WHERE {}", pairs.join(" AND "));
    let is_missing = match compared.is_empty() {
        true => format!("NOT EXISTS (SELECT 1 {found})"),
        // Not by a further condition on equal values: in MariaDB, that takes both for the same.
        false => {
            let differs = compared.iter();
            let differs =
                differs.map(|[one, other]| format!("{one} NOT IN (SELECT {other} {found})"));
            format!("({})", differs.collect::<Vec<_>>().join(" OR "))
        }
    };
    let query = format!(
        "SELECT {} FROM {child} AS child WHERE {} AND {is_missing}",
        values.join(", "),
        conditions.join(" AND "),
    );
    let rows = connection
        .query(&doing, &first(backend, 1, &query), &[])
        .await?;
    Ok(rows.into_iter().next())
}
