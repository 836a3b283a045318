//! Domains of PostgreSQL in the catalogue, before the doctor and in a change.

use std::pin::Pin;

use anyhow::{Context, Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_relayout::plan::{self, Plan};
use rowkey_relayout::preflight::Preflight;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_tables::catalog::{Catalog, DependentKind};
use rowkey_tables::inventory::{Holds, Inventory};
use rowkey_tables::{Address, Connection, Silent};
use rowkey_testkit::{Backend, Suite};

pub(crate) fn add_tests(suite: &mut Suite) {
    for (name, test) in [
        (
            "a_domain_is_the_type_that_it_is_over",
            (|url| Box::pin(domains(url))) as Test,
        ),
        ("a_key_with_a_domain_changes", |url| {
            Box::pin(changed_domain(url))
        }),
    ] {
        suite.test(name, [Backend::Postgres], move |database| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(test(database.url()))
        });
    }
}

type Test = for<'u> fn(&'u str) -> Pin<Box<dyn Future<Output = Result<()>> + 'u>>;

const DOMAINS: [&str; 9] = [
    "CREATE DOMAIN offer_id AS uuid",
    // Names that lie.
    "CREATE DOMAIN text_id AS offer_id",
    "CREATE DOMAIN uuid_of_text AS varchar(36) COLLATE \"C\" DEFAULT 'none' NOT NULL CHECK (VALUE <> '')",
    "CREATE DOMAIN short_text AS uuid_of_text CHECK (length(VALUE) < 40)",
    "CREATE DOMAIN moment AS timestamptz",
    "CREATE TABLE offer (id offer_id PRIMARY KEY, other text_id, code short_text UNIQUE, \
     own short_text DEFAULT 'own', created_at moment, plain uuid)",
    "INSERT INTO offer (id, other, code, created_at) SELECT gen_random_uuid(), gen_random_uuid(), n, \
     timestamptz '2026-01-01 00:00:00+00' + n * interval '1 day' FROM generate_series(1, 200) AS n",
    "CREATE TABLE booking (number int PRIMARY KEY, offer_id text_id REFERENCES offer)",
    "INSERT INTO booking SELECT row_number() OVER (), id FROM offer",
];

async fn with_domains(url: &str) -> Result<Connection> {
    let mut db = Connection::open(&url.parse::<Address>()?).await?;
    for statement in DOMAINS {
        db.execute("the domains", statement).await?;
    }
    Ok(db)
}

async fn domains(url: &str) -> Result<()> {
    let mut db = with_domains(url).await?;
    let catalog = Catalog::read(&mut db).await?;
    let offer = catalog.table(&"offer".into())?;
    let found: Vec<(&str, bool, Option<&str>, Option<&str>)> = offer
        .columns
        .iter()
        .map(|column| {
            (
                column.sql_type.as_str(),
                column.is_nullable,
                column.default.as_deref(),
                column.collation.as_deref(),
            )
        })
        .collect();
    let text = "character varying(36)";
    let (none, own) = ("'none'::character varying", "'own'::character varying");
    let expected = [
        ("uuid", false, None, None),
        ("uuid", true, None, None),
        (text, false, Some(none), Some("C")),
        (text, false, Some(own), Some("C")),
        ("timestamp with time zone", true, None, None),
        ("uuid", true, None, None),
    ];
    ensure!(found == expected, "{found:?}");
    let domains: Vec<String> = offer
        .dependents
        .iter()
        .filter(|one| one.kind == DependentKind::Domain)
        .map(|one| {
            let columns = one.columns.join(", ");
            format!("{} of {columns}: {}", one.name, one.definition)
        })
        .collect();
    let expected = [
        "moment of created_at: ",
        "offer_id of id, other: ",
        "short_text of code, own: DEFAULT 'none'::character varying CHECK ((length((VALUE)::text) < 40))",
        "text_id of other: ",
        "uuid_of_text of code, own: DEFAULT 'none'::character varying NOT NULL \
         CHECK (((VALUE)::text <> ''::text))",
    ];
    ensure!(domains == expected, "{domains:#?}");

    let inventory = Inventory::read(&mut db).await?;
    let offer = inventory
        .tables
        .iter()
        .find(|table| table.table.name == "offer");
    let keys = offer.context("the table")?.keys.iter();
    let keys: Vec<(&str, bool, Holds)> = keys
        .map(|key| (key.column.as_str(), key.is_primary, key.holds))
        .collect();
    ensure!(
        keys == [("id", true, Holds::Uuid), ("code", false, Holds::Text)],
        "{keys:?}"
    );

    for column in ["id", "other"] {
        let report = rowkey_doctor::examine(
            &mut db,
            &rowkey_doctor::Request::new("offer", column),
            &mut Silent,
        )
        .await?;
        ensure!(report.format == Some("uuid-v4"), "{report}");
        ensure!(report.storage == Some("uuid"), "{report}");
        let declare = report.declare.unwrap_or_default();
        ensure!(!declare.contains("postgres"), "{declare}");
    }
    Ok(())
}

fn request(table: &str, column: &str, from: &str) -> plan::Request {
    plan::Request {
        table: table.into(),
        column: column.into(),
        format: FormatKind::UuidV4,
        from: Some(from.into()),
        to: "text".into(),
        created: None,
        unasserted: Vec::new(),
        policy: plan::Policy::default(),
    }
}

/// A domain that adds nothing to its type does not stop a change. What other domains add would be
/// lost.
async fn changed_domain(url: &str) -> Result<()> {
    let mut db = with_domains(url).await?;
    let before = "SELECT string_agg(id::text, ',' ORDER BY id) FROM offer";
    let ids = db.query("the ids", before, &[]).await?;
    let catalog = Catalog::read(&mut db).await?;
    let plan = Plan::for_key(&catalog, &request("offer", "id", "uuid"))?;
    relayout::run(&mut db, &plan, Phase::Swap, &mut Silent).await?;
    db.execute(
        "a new row",
        "INSERT INTO offer (id_key, code) VALUES ('018e5f3b-ff48-4bff-8000-0123456789ab', 'new')",
    )
    .await?;
    let types = "SELECT string_agg(format_type(atttypid, NULL), ', ' ORDER BY attname) FROM pg_attribute \
                 WHERE attrelid = 'offer'::regclass AND attname IN ('id_before', 'id_key')";
    let rows = db.query("the types", types, &[]).await?;
    let types = rows.first().context("the types")?.text(0)?;
    ensure!(types == "offer_id, character varying", "{types}");
    db.execute("the end of it", "DELETE FROM offer WHERE code = 'new'")
        .await?;
    relayout::undo(&mut db, &plan, &mut Silent).await?;
    ensure!(db.query("the ids", before, &[]).await? == ids);
    ensure!(Catalog::read(&mut db).await?.hash(&plan.tables()) == plan.catalog);

    let catalog = Catalog::read(&mut db).await?;
    let mut request = request("offer", "code", "text");
    request.to = "uuid".into();
    let plan = Plan::for_key(&catalog, &request)?;
    let refused = Preflight::read(&mut db, &plan).await?.refused.join("\n");
    let reason = "the domain short_text of offer: it says ";
    ensure!(
        refused.contains(reason) && refused.contains("length((VALUE)::text) < 40"),
        "{refused}"
    );
    Ok(())
}
