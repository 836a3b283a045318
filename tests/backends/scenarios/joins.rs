//! Keys that refer to rows of another table.

use anyhow::{Context, Result, ensure};
use rowkey::Nullability;
use sqlx::QueryBuilder;

use crate::driver::{Driver, Session};
use crate::samples::samples;
use crate::table::{Record, Table, distinct_cases};

/// A join by a foreign key finds exactly the parent of each child, also among keys that are equal
/// as floating-point numbers, and a child without a parent in the table is refused.
pub(crate) async fn children_are_joined_to_their_parents<D: Driver>(
    session: &mut Session<D>,
) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let format = case.format();
        let base = samples(format)[0] & !7;
        let parents = Table::create(session, &case).await?;
        let records = Record::numbered(base..base + 4);
        parents.insert(session, &records).await?;

        let name = session.quoted(&format!("children of {format} as {}", column.storage()));
        let parent =
            case.plan
                .column_definition(session.backend(), "parent", Nullability::Nullable)?;
        let definition = format!(
            "CREATE TABLE {name} (n BIGINT PRIMARY KEY, {parent}, \
             FOREIGN KEY (parent) REFERENCES {} (id))",
            parents.name()
        );
        session
            .fetch_text(definition.as_str())
            .await
            .context(definition)?;
        let insert = |n: i64, parent: Option<u128>| {
            let mut query = QueryBuilder::new(format!("INSERT INTO {name} (n, parent) VALUES ("));
            D::push_integer(&mut query, n);
            query.push(", ");
            (case.push_option)(&mut query, parent);
            query.push(")");
            query
        };
        // The first parent has two children, the last one none, and one child has no parent.
        let children = [
            (10, Some(base)),
            (11, Some(base + 1)),
            (12, Some(base + 2)),
            (13, Some(base)),
            (14, None),
        ];
        for (n, parent) in children {
            session.fetch(insert(n, parent)).await?;
        }

        let joined = [(10, 0), (11, 1), (12, 2), (13, 0)];
        let join = format!(
            "SELECT c.n AS child, p.n AS parent FROM {name} c JOIN {} p ON p.id = c.parent",
            parents.name()
        );
        let pairs = |rows: &[D::Row]| -> sqlx::Result<Vec<(i64, i64)>> {
            let number = |row, column| D::get_integer(row, column);
            rows.iter()
                .map(|row| Ok((number(row, "child")?, number(row, "parent")?)))
                .collect()
        };
        let query = QueryBuilder::new(format!("{join} ORDER BY c.n"));
        let found = pairs(&session.fetch(query).await?)?;
        ensure!(found == joined, "{column:?}: {found:?}");

        for by in ["p.id", "c.parent"] {
            let mut query = QueryBuilder::new(format!("{join} WHERE {by} IN ("));
            (case.push)(&mut query, base);
            query.push(", ");
            (case.push)(&mut query, base + 2);
            query.push(") ORDER BY c.n");
            let found = pairs(&session.fetch(query).await?)?;
            let expected = [(10, 0), (12, 2), (13, 0)];
            ensure!(found == expected, "{column:?}: {found:?} by {by}");
        }

        let childless = format!("id NOT IN (SELECT parent FROM {name} WHERE parent IS NOT NULL)");
        let found = parents
            .numbers_where(session, |query| {
                query.push(childless);
                Ok(())
            })
            .await?;
        ensure!(found == [3], "{column:?}: {found:?} have no children");

        let error = match session.fetch(insert(15, Some(base + 4))).await {
            Ok(_) => anyhow::bail!("{column:?}: there is a child of nobody"),
            Err(error) => error,
        };
        let is_violation = error
            .as_database_error()
            .is_some_and(|error| error.is_foreign_key_violation());
        ensure!(is_violation, "{column:?}: {error}");
    }
    Ok(())
}
