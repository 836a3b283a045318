//! Keys that refer to rows of another table.

use anyhow::{Result, ensure};
use rowkey::storage::{Column, Nullability, Storage};

use crate::cases::Cases;
use crate::driver::{Driver, Session, Violation};
use crate::keys::Case;
use crate::query::Query;
use crate::samples::samples;
use crate::table::{Record, Table, column_name, distinct_cases, distinct_cases_of};

/// A table of numbered children (`n`) with a key that may be NULL (`parent`).
struct Children<'c, D: Driver> {
    name: String,
    case: &'c Case<D>,
}

impl<'c, D: Driver> Children<'c, D> {
    /// Creates the table, with a constraint if there is one.
    async fn create(
        session: &mut Session<D>,
        case: &'c Case<D>,
        column: Column,
        constraint: &str,
    ) -> Result<Self> {
        let name = session.quoted(&format!("children of {}", column_name(column)));
        let backend = session.backend();
        let parent = case
            .plan
            .column_definition(backend, "parent", Nullability::Nullable)?;
        let definition =
            format!("CREATE TABLE {name} (n BIGINT PRIMARY KEY, {parent}{constraint})");
        session.execute(definition).await?;
        Ok(Self { name, case })
    }

    async fn insert(
        &self,
        session: &mut Session<D>,
        n: i64,
        parent: Option<u128>,
    ) -> Result<(), D::Error> {
        let mut query = Query::new(format_args!(
            "INSERT INTO {} (n, parent) VALUES (",
            self.name
        ));
        query
            .push_param(D::integer(n))
            .push(", ")
            .push_param((self.case.param_of)(parent))
            .push(")");
        session.run(query).await
    }
}

/// A join by a key finds exactly the parent of each child, also among keys that are equal as
/// floating-point numbers.
pub(crate) async fn children_are_joined_to_their_parents<D: Cases>(
    session: &mut Session<D>,
) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let base = samples(case.format())[0] & !7;
        let parents = Table::create(session, &case).await?;
        let records = Record::numbered(base..base + 4);
        parents.insert(session, &records).await?;

        // The first parent has two children, the last one none, and one child has no parent.
        let children = Children::create(session, &case, column, "").await?;
        for (n, parent) in [
            (10, Some(base)),
            (11, Some(base + 1)),
            (12, Some(base + 2)),
            (13, Some(base)),
            (14, None),
        ] {
            children.insert(session, n, parent).await?;
        }

        let joined = [(10, 0), (11, 1), (12, 2), (13, 0)];
        let join = format!(
            "SELECT c.n AS child, p.n AS parent FROM {} c JOIN {} p ON p.id = c.parent",
            children.name,
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

        let childless = format!(
            "id NOT IN (SELECT parent FROM {} WHERE parent IS NOT NULL)",
            children.name
        );
        let found = parents
            .numbers_where(session, |query| {
                query.push(childless);
            })
            .await?;
        ensure!(found == [3], "{column:?}: {found:?} have no children");
    }
    Ok(())
}

/// A child without a parent in the table is refused by a foreign key.
pub(crate) async fn foreign_keys_of<D: Cases>(
    session: &mut Session<D>,
    storage: Storage,
) -> Result<()> {
    for (case, column) in distinct_cases_of(session, storage) {
        let base = samples(case.format())[0] & !7;
        let parents = Table::create(session, &case).await?;
        parents.insert(session, &Record::numbered([base])).await?;
        let constraint = format!(", FOREIGN KEY (parent) REFERENCES {} (id)", parents.name());
        let children = Children::create(session, &case, column, &constraint).await?;
        children.insert(session, 10, Some(base)).await?;
        children.insert(session, 11, None).await?;
        let error = match children.insert(session, 12, Some(base + 1)).await {
            Ok(()) => anyhow::bail!("{column:?}: there is a child of nobody"),
            Err(error) => error,
        };
        ensure!(
            D::violation(&error) == Some(Violation::ForeignKey),
            "{column:?}: {error}"
        );
    }
    Ok(())
}
