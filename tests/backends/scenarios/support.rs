//! The page about support, `docs/src/support-has-an-id.md`: its statements find the row of a
//! number.

use anyhow::{Context, Result, ensure};
use rowkey::luuid::LuuidGroup;
use rowkey::storage::Nullability;
use rowkey::{EntityKey, Luuid, entity_key};

use crate::book;
use crate::driver::{Driver, Session};
use crate::scenario::Scenario;

const PAGE: &str = "support-has-an-id.md";

/// The one SQL block of the page.
const BLOCK: &str = "find-number";

/// The key of the page.
#[entity_key(group = "com.acme.Customer")]
struct CustomerId(Luuid);

pub(crate) fn scenario<D: Driver>() -> Scenario<D> {
    Scenario::new("support_finds_the_row_of_a_number", |session| {
        Box::pin(the_row_of_a_number_is_found(session))
    })
}

async fn the_row_of_a_number_is_found<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    let id = CustomerId::PLAN.column_definition(backend, "id", Nullability::NotNull)?;
    session
        .execute(format!(
            "CREATE TABLE customers ({id} PRIMARY KEY, name VARCHAR(20))"
        ))
        .await?;
    // The neighbours, the first and the last of the number, and the same number of other groups.
    let group = CustomerId::luuid_context(0).group;
    let [before, after] = [group.get() - 1, group.get() + 1].map(LuuidGroup::new);
    let last = (1 << 60) - 1;
    for (name, group, number, random) in [
        ("before", group, 0x23_122d, last),
        ("group before", before?, 0x23_122e, last),
        ("first", group, 0x23_122e, 0),
        ("last", group, 0x23_122e, last),
        ("group after", after?, 0x23_122e, 0),
        ("after", group, 0x23_122f, 0),
    ] {
        let id = Luuid::from_parts(group, number, random)?;
        let id = CustomerId::PLAN.column(backend).literal(id.to_u128());
        session
            .execute(format!("INSERT INTO customers VALUES ({id}, '{name}')"))
            .await?;
    }

    let page = book::PAGES.into_iter().find(|(path, _)| *path == PAGE);
    let (_, page) = page.context("the page is there")?;
    let others: Vec<_> = book::blocks(page)?
        .into_iter()
        .filter(|block| block.name != BLOCK)
        .collect();
    ensure!(others.is_empty(), "nothing runs {others:?}");
    let sql = book::sql(backend, BLOCK)?;
    let mut found = session
        .fetch_text(sql, |row| D::get_text(row, "name"))
        .await?;
    found.sort();
    ensure!(
        found == [Some("first".to_owned()), Some("last".to_owned())],
        "{found:?}"
    );
    Ok(())
}
