//! Changes that have begun: their plans, for programs that make these themselves, and those that an
//! older version has left in the middle.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_core::uuid::Uuid;
use rowkey_relayout::plan::Plan;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Row, Value};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::LIVE;
use crate::relayout::rekeyed::map;
use crate::relayout::rows::value;
use crate::relayout::shop::{NEW, Names, OLD, Shop};
use crate::relayout::verified::verified;
use crate::relayout::{add, add_on};

pub(crate) fn add_tests(suite: &mut Suite) {
    add(suite, "the_plan_is_there_until_the_end", until_the_end);
    add(suite, "the_plan_is_gone_after_an_undo", until_the_undo);
    // MySQL 9.7 has left them, and the catalogue of MySQL 5 says other things of the same tables.
    let mysql = suite.server(Backend::MySql);
    let version = mysql.and_then(|server| server.version().ok().flatten());
    let is_older = version.is_some_and(|version| version.starts_with("5."));
    let mut backends = LIVE.to_vec();
    backends.retain(|backend| !(is_older && *backend == Backend::MySql));
    for name in ["backfilled", "swapped", "rekey"] {
        let test = format!("an_older_version_has_left_one_{name}");
        add_on(suite, &backends, &test, move |shop| {
            left_by_older(shop, name)
        });
        if is_older {
            suite.ignore_on(Backend::MySql, &test, "mysql is older than version 8");
        }
    }
}

async fn until_the_end(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 60).await?;
    let plan = shop.plan(OLD, NEW).await?;
    ensure!(begun(&shop).await?.is_none());
    for phase in Phase::ALL {
        shop.run(&plan, phase).await?;
        // Made from the catalogue of now, it would be another one.
        let found = begun(&shop).await?;
        ensure!(
            found.as_ref() == Some(&plan),
            "{found:?} instead of {plan:?}"
        );
    }
    shop.contract(&plan).await?;
    ensure!(begun(&shop).await?.is_none());
    shop.expect(&rows, NEW, Names::New).await
}

async fn until_the_undo(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 61).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    ensure!(begun(&shop).await? == Some(plan.clone()));
    shop.undo(&plan).await?;
    ensure!(begun(&shop).await?.is_none());
    shop.expect(&rows, OLD, Names::Old).await
}

async fn begun(shop: &Shop) -> Result<Option<Plan>> {
    Ok(relayout::begun(&mut shop.connect().await?).await?)
}

/// The customers that the older version has left, and the customer of each purchase.
const CUSTOMERS: [u128; 5] = [
    0x01995b40_ac00_7c1e_9a5b_d3f0a1b2c3d4,
    0x01996066_8800_70aa_8f0e_0a5be2c81190,
    0x0199658c_6400_7d02_b1c4_f7118e3a4b5c,
    0x01996ab2_4000_73e8_a6d7_41c09d2e7f08,
    0x01996fd8_1c00_7b4d_8c2f_5e6f7a8b9c0d,
];
const PURCHASES: [usize; 8] = [0, 0, 1, 2, 2, 2, 3, 4];

async fn left_by_older(shop: Shop, name: &str) -> Result<()> {
    if shop.dialect.backend != Backend::Postgres {
        return finished_and_undone(shop, name).await;
    }
    // What is left there names its schema, which is `public`.
    let mut connection = shop.connect().await?;
    let query = "SELECT current_schema()::text";
    let schema = connection.query("the schema", query, &[]).await?;
    let schema = schema.first().context("no schema")?.text(0)?.to_owned();
    let (address, parameters) = shop.url.split_once('?').context("no parameters")?;
    let (server, _) = address.rsplit_once('/').context("no database")?;
    let parameters = parameters.replace(&schema, "public");
    let own = Shop::open(shop.dialect, &format!("{server}/{schema}?{parameters}"))?;
    let create = format!("CREATE DATABASE {schema} TEMPLATE template0");
    connection.execute("a database", &create).await?;
    let outcome = finished_and_undone(own, name).await;
    let drop = format!("DROP DATABASE {schema} WITH (FORCE)");
    connection.execute("a database", &drop).await?;
    outcome
}

/// Today's version finishes the change, or undoes it.
async fn finished_and_undone(shop: Shop, name: &str) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/databases/relayout/begun_before")
        .join(test_name(shop.dialect.backend));
    let read = |ending| fs::read_to_string(folder.join(format!("{name}.{ending}")));
    let (tables, plan) = (read("sql")?, Plan::from_toml(&read("toml")?)?);
    let [parent, child] = match name {
        "rekey" => ["ticket", "reply"],
        _ => ["customer", "purchase"],
    };

    let mut connection = shop.connect().await?;
    connection.execute("what is left", &tables).await?;
    ensure!(begun(&shop).await?.as_ref() == Some(&plan));
    let known = match name {
        // SQLite makes the new ids in the swap.
        "rekey" if shop.dialect.backend != Backend::Sqlite => map(&mut connection, parent).await?,
        _ => Default::default(),
    };
    shop.run(&plan, Phase::Swap).await?;
    for is_contracted in [false, true] {
        let found = verified(&shop, &plan).await?;
        ensure!(found.differences.is_empty(), "{found:?}");
        let form = StoredForm::named(FormatKind::UuidV7, shop.dialect.backend, &plan.key.to);
        let form = form.map_err(anyhow::Error::msg)?;
        let ids = match name {
            "rekey" => {
                let map = map(&mut connection, parent).await?;
                let is_kept = known.iter().all(|(old, new)| map.get(old) == Some(new));
                ensure!(is_kept, "{known:?} became {map:?}");
                map.into_values().collect()
            }
            _ => CUSTOMERS.to_vec(),
        };
        let ids: Vec<Value> = ids.iter().map(|id| value(form, *id)).collect();
        expect(&mut connection, [parent, child], "_key", &ids).await?;
        if !is_contracted {
            shop.contract(&plan).await?;
            ensure!(begun(&shop).await?.is_none());
        }
    }
    for table in [child, parent, "rowkey_id_map"] {
        let drop = format!("DROP TABLE IF EXISTS {table}");
        connection.execute("a table", &drop).await?;
    }

    connection.execute("what is left", &tables).await?;
    shop.undo(&plan).await?;
    ensure!(begun(&shop).await?.is_none());
    let catalog = Catalog::read(&mut connection).await?;
    ensure!(catalog.hash(&plan.tables()) == plan.catalog, "{catalog:#?}");
    let ids: Vec<Value> = match name {
        "rekey" => (1..=5).map(Value::Integer).collect(),
        _ => CUSTOMERS
            .map(|id| Value::Text(Uuid::from_u128(id).to_string()))
            .into(),
    };
    expect(&mut connection, [parent, child], "", &ids).await
}

/// Fails unless the rows have these ids in columns whose names end so.
async fn expect(
    connection: &mut Connection,
    [parent, child]: [&str; 2],
    ending: &str,
    ids: &[Value],
) -> Result<()> {
    let title = if parent == "ticket" { "title" } else { "name" };
    let parents = format!("SELECT id{ending}, {title} FROM {parent} ORDER BY {title}");
    let children = format!("SELECT {parent}_id{ending}, code FROM {child} ORDER BY code");
    let first = child.get(..1).context("a letter")?;
    let expected = ids.iter().enumerate();
    let expected = expected.map(|(place, id)| {
        [
            id.clone(),
            format!("{parent} {}", place + 1).as_str().into(),
        ]
    });
    let purchases = PURCHASES.iter().enumerate();
    let purchases = purchases.map(|(place, id)| {
        [
            ids[*id].clone(),
            format!("{first}{}", place + 1).as_str().into(),
        ]
    });
    for (query, expected) in [
        (parents, expected.collect::<Vec<_>>()),
        (children, purchases.collect()),
    ] {
        let found = connection.query("the rows", &query, &[]).await?;
        let found: Vec<Vec<Value>> = found.into_iter().map(|Row(values)| values).collect();
        ensure!(
            found == expected,
            "{query}: {found:?} instead of {expected:?}"
        );
    }
    Ok(())
}
