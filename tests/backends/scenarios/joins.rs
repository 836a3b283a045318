//! Keys that refer to rows of another table.

use anyhow::{Result, ensure};
use rowkey::Nullability;

use crate::driver::{Driver, Session, Violation};
use crate::query::Query;
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
        session.execute(definition).await?;
        let insert = |n: i64, parent: Option<u128>| {
            let mut query = Query::new(format_args!("INSERT INTO {name} (n, parent) VALUES ("));
            query
                .push_param(D::integer(n))
                .push(", ")
                .push_param((case.param_of)(parent))
                .push(")");
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
            session.run(insert(n, parent)).await?;
        }

        let joined = [(10, 0), (11, 1), (12, 2), (13, 0)];
        let join = format!(
            "SELECT c.n AS child, p.n AS parent FROM {name} c JOIN {} p ON p.id = c.parent",
            parents.name()
        );
        let pair = |row: &D::Row<'_>| {
            let child = D::get_integer(row, "child")?;
            Ok((child, D::get_integer(row, "parent")?))
        };
        let query = Query::new(format_args!("{join} ORDER BY c.n"));
        let found = session.fetch(query, pair).await?;
        ensure!(found == joined, "{column:?}: {found:?}");

        for by in ["p.id", "c.parent"] {
            let mut query = Query::new(format_args!("{join} WHERE {by} IN ("));
            query
                .push_param((case.param)(base))
                .push(", ")
                .push_param((case.param)(base + 2))
                .push(") ORDER BY c.n");
            let found = session.fetch(query, pair).await?;
            let expected = [(10, 0), (12, 2), (13, 0)];
            ensure!(found == expected, "{column:?}: {found:?} by {by}");
        }

        let childless = format!("id NOT IN (SELECT parent FROM {name} WHERE parent IS NOT NULL)");
        let found = parents
            .numbers_where(session, |query| {
                query.push(childless);
            })
            .await?;
        ensure!(found == [3], "{column:?}: {found:?} have no children");

        let error = match session.run(insert(15, Some(base + 4))).await {
            Ok(_) => anyhow::bail!("{column:?}: there is a child of nobody"),
            Err(error) => error,
        };
        ensure!(
            D::violation(&error) == Some(Violation::ForeignKey),
            "{column:?}: {error}"
        );
    }
    Ok(())
}
