//! The columns of a database next to the plans of their keys: what is found, and what is not.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, ensure};
use rowkey::storage::{ColumnKey, KeyColumn, Nullability, Storage, StoragePlan, quote_identifier};
use rowkey::{Backend, DatabaseNumber, DistributedId, PrefixComb, UuidV7, entity_key, key_columns};
use rowkey_core::format::FormatKind;
use rowkey_tables::schema::{self, Aspect};
use rowkey_tables::{Address, Connection};
use rowkey_testkit::{Suite, TestDatabase};

#[entity_key]
struct OfferId(UuidV7);

#[entity_key]
struct CombId(PrefixComb);

#[entity_key(storage(
    postgres = "text-hex-upper",
    mysql = "text-hex-upper",
    sqlite = "text-hex-upper",
    sqlserver = "text-hex-upper"
))]
struct CodeId(UuidV7);

#[entity_key]
struct NumberId(DistributedId);

#[entity_key]
struct CountedId(DatabaseNumber);

pub(crate) fn add_tests(suite: &mut Suite) {
    type Scenario = fn(&TestDatabase) -> Result<()>;
    let scenarios: [(&str, Scenario); 13] = [
        ("tables_of_definitions_do_not_differ", definitions),
        ("a_shop_as_declared_does_not_differ", as_declared),
        ("tables_and_columns_are_missed", missing),
        ("other_types_are_found", types),
        ("other_lengths_are_found", lengths),
        ("null_is_found_and_missed", nullability),
        ("other_collations_are_found", collations),
        ("checks_are_missed", checks),
        ("tables_of_another_letter_case_are_others", letter_case),
        ("columns_that_are_not_listed_are_found", unlisted),
        ("references_between_plans_are_found", references),
        ("other_schemas_are_read", other_schemas),
        ("a_failed_test_says_it_all", report),
    ];
    for (name, scenario) in scenarios {
        suite.test(name, Backend::ALL, scenario);
    }
    suite.test_on(Backend::Postgres, "domains_are_their_types", domains);
    for backend in [Backend::Postgres, Backend::MySql] {
        suite.test_on(backend, "checks_that_rows_may_break_are_none", loose_checks);
    }
    for backend in [Backend::MySql, Backend::MariaDb] {
        suite.test_on(backend, "numbers_without_a_sign_are_found", unsigned);
    }
}

fn run(test: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(test)
}

/// A column as its key's plan defines it.
fn column<C: ColumnKey>(backend: Backend, name: &str) -> Result<String> {
    let listed = KeyColumn::of::<C>("table.column");
    let definition = listed
        .plan
        .column_definition(backend, name, listed.nullability)?;
    Ok(definition)
}

async fn create(database: &TestDatabase, tables: &[String]) -> Result<Connection> {
    let address: Address = database.url().parse()?;
    let mut connection = Connection::open(&address).await?;
    for table in tables {
        connection.execute("the tables", table).await?;
    }
    Ok(connection)
}

/// Creates tables, and compares what is found with `table.column`, the aspect and a part of the
/// text.
fn expect(
    database: &TestDatabase,
    tables: &[String],
    columns: &[KeyColumn],
    expected: &[(&str, Aspect, &str)],
) -> Result<()> {
    run(async {
        create(database, tables).await?;
        let found = schema::check(database.url(), columns).await?;
        let places = found
            .all
            .iter()
            .map(|one| (format!("{}.{}", one.table, one.column), one.aspect));
        let wanted = expected.iter();
        let wanted = wanted.map(|(place, aspect, _)| ((*place).to_owned(), *aspect));
        ensure!(places.eq(wanted), "{found}\nfrom {tables:#?}");
        for (one, (.., part)) in found.all.iter().zip(expected) {
            ensure!(one.to_string().contains(part), "{one}, without {part}");
        }
        Ok(())
    })
}

/// Each storage of each format, with and without NULL.
fn definitions(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let (mut tables, mut listed) = (Vec::new(), Vec::new());
    for format in FormatKind::ALL {
        let table: &str = format!("t_{}", format.name().replace('-', "_")).leak();
        let mut definitions = Vec::new();
        for storage in Storage::ALL {
            let plan = StoragePlan::default_for(format).try_with(backend, storage.name());
            let Ok(plan) = plan else { continue };
            for nullability in [Nullability::NotNull, Nullability::Nullable] {
                let mut column = KeyColumn::of::<OfferId>("table.column");
                let name = format!("{storage}_{nullability}").replace(['-', ' '], "_");
                (column.plan, column.nullability) = (plan, nullability);
                (column.table, column.column) = (table, name.to_lowercase().leak());
                definitions.push(plan.column_definition(backend, column.column, nullability)?);
                listed.push(column);
            }
        }
        let table = quote_identifier(backend, table)?;
        tables.push(format!("CREATE TABLE {table} ({})", definitions.join(", ")));
    }
    // Each format has a storage.
    ensure!(listed.len() >= 2 * FormatKind::ALL.len());
    expect(database, &tables, &listed, &[])
}

const SHOP: &[KeyColumn] = &key_columns![
    OfferId => "offer.id",
    CodeId => "offer.code",
    CountedId => "booking.id",
    OfferId => "booking.offer_id",
    Option<CountedId> => "booking.replaces_id",
    NumberId => "booking.number",
];

/// The tables of a shop, with other definitions in the place of some.
fn shop(backend: Backend, others: &[(&str, String)]) -> Result<Vec<String>> {
    let counted = CountedId::PLAN.counted_column_definition(backend, "id")?;
    let mut columns = [
        ("offer.id", column::<OfferId>(backend, "id")?),
        ("offer.code", column::<CodeId>(backend, "code")?),
        ("booking.id", counted),
        ("booking.offer_id", column::<OfferId>(backend, "offer_id")?),
        (
            "booking.replaces_id",
            column::<Option<CountedId>>(backend, "replaces_id")?,
        ),
        ("booking.number", column::<NumberId>(backend, "number")?),
    ];
    for (place, definition) in others {
        for (known, own) in &mut columns {
            if known == place {
                own.clone_from(definition);
            }
        }
    }
    let of = |table: &str| {
        let own = columns.iter().filter(|(place, _)| place.starts_with(table));
        let own: Vec<&str> = own.map(|(_, definition)| definition.as_str()).collect();
        own.join(", ")
    };
    Ok(vec![
        format!("CREATE TABLE offer ({}, PRIMARY KEY (id))", of("offer.")),
        format!(
            "CREATE TABLE booking ({}, FOREIGN KEY (replaces_id) REFERENCES booking (id))",
            of("booking.")
        ),
    ])
}

fn as_declared(database: &TestDatabase) -> Result<()> {
    let tables = shop(database.backend(), &[])?;
    expect(database, &tables, SHOP, &[])?;
    run(async {
        let found = schema::check(database.url(), SHOP).await?;
        found.assert_none();
        ensure!(found.to_string().starts_with("no difference between the "));
        Ok(())
    })
}

fn missing(database: &TestDatabase) -> Result<()> {
    let listed = key_columns![
        OfferId => "offer.key",
        OfferId => "offers.id",
    ];
    let tables = shop(database.backend(), &[])?;
    let expected = [
        ("offer.key", Aspect::Column, "no such column; write "),
        ("offers.id", Aspect::Table, "no such table; write "),
    ];
    expect(database, &tables, &listed, &expected)
}

fn types(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let other = [
        ("offer.id", column::<NumberId>(backend, "id")?),
        ("booking.number", column::<CountedId>(backend, "number")?),
    ];
    let expected = [
        ("offer.id", Aspect::Type, "offer.id (OfferId): the type is "),
        ("booking.number", Aspect::Type, " instead of "),
    ];
    expect(database, &shop(backend, &other)?, SHOP, &expected)
}

fn lengths(database: &TestDatabase) -> Result<()> {
    let (code, number) = match database.backend() {
        Backend::Postgres => (r#"varchar(40) COLLATE "C""#, "numeric(28,2)"),
        Backend::MySql | Backend::MariaDb => (
            "char(40) CHARACTER SET ascii COLLATE ascii_bin",
            "decimal(28,2)",
        ),
        // It has no lengths. These words make numbers of what looks like one.
        Backend::Sqlite => ("STRING", "DECIMAL(28,0)"),
        Backend::SqlServer => ("char(40) COLLATE Latin1_General_100_BIN2", "decimal(28,2)"),
    };
    let length = match database.backend() {
        Backend::Postgres | Backend::Sqlite => "length",
        Backend::MySql | Backend::MariaDb => "char_length",
        Backend::SqlServer => "len",
    };
    let code = format!("code {code} NOT NULL CHECK ({length}(code) = 32 AND code = upper(code))");
    let other = [
        ("offer.code", code),
        ("booking.number", format!("number {number} NOT NULL")),
    ];
    let expected = [
        ("offer.code", Aspect::Type, "the type is "),
        ("booking.number", Aspect::Type, "28"),
    ];
    expect(
        database,
        &shop(database.backend(), &other)?,
        SHOP,
        &expected,
    )
}

fn unsigned(database: &TestDatabase) -> Result<()> {
    let other = [
        (
            "booking.id",
            "id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY".to_owned(),
        ),
        (
            "booking.replaces_id",
            "replaces_id bigint(20) unsigned NULL".to_owned(),
        ),
        (
            "booking.number",
            "number decimal(28,0) unsigned NOT NULL".to_owned(),
        ),
    ];
    let expected = [
        ("booking.id", Aspect::Type, "AUTO_INCREMENT PRIMARY KEY"),
        (
            "booking.replaces_id",
            Aspect::Type,
            "unsigned instead of BIGINT",
        ),
        (
            "booking.number",
            Aspect::Type,
            "unsigned instead of DECIMAL(28,0)",
        ),
    ];
    expect(
        database,
        &shop(database.backend(), &other)?,
        SHOP,
        &expected,
    )
}

fn nullability(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let other = [
        (
            "booking.offer_id",
            column::<Option<OfferId>>(backend, "offer_id")?,
        ),
        (
            "booking.replaces_id",
            column::<CountedId>(backend, "replaces_id")?,
        ),
    ];
    let expected = [
        (
            "booking.offer_id",
            Aspect::Nullability,
            "the column allows NULL; write ",
        ),
        (
            "booking.replaces_id",
            Aspect::Nullability,
            "does not allow NULL; write ",
        ),
    ];
    expect(database, &shop(backend, &other)?, SHOP, &expected)
}

fn collations(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let own = column::<CodeId>(backend, "code")?;
    let (from, to, part) = match backend {
        Backend::Postgres => (r#" COLLATE "C""#, "", "default instead of C"),
        Backend::MySql | Backend::MariaDb => (
            "ascii_bin",
            "ascii_general_ci",
            "ascii_general_ci instead of ascii_bin",
        ),
        Backend::Sqlite => ("BINARY", "NOCASE", "NOCASE instead of BINARY"),
        Backend::SqlServer => (
            "Latin1_General_100_BIN2",
            "Latin1_General_100_CI_AS",
            "Latin1_General_100_CI_AS instead of Latin1_General_100_BIN2",
        ),
    };
    let other = [("offer.code", own.replace(from, to))];
    let expected = [("offer.code", Aspect::Collation, part)];
    expect(database, &shop(backend, &other)?, SHOP, &expected)
}

fn checks(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let own = column::<CodeId>(backend, "code")?;
    let (without, _) = own.split_once(" CHECK").unwrap_or_default();
    let other = [("offer.code", format!("{without} CHECK (code <> '')"))];
    let old = run_version(database)?.starts_with("5.");
    let expected = [("offer.code", Aspect::Check, "there is no CHECK (")];
    let expected = if old { &[][..] } else { &expected[..] };
    expect(database, &shop(backend, &other)?, SHOP, expected)
}

fn loose_checks(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let is_old = run_version(database)?.starts_with("5.");
    let words = match backend {
        Backend::Postgres => "NOT VALID",
        // It forgets every CHECK.
        _ if is_old => "",
        _ => "NOT ENFORCED",
    };
    let own = column::<CodeId>(backend, "code")?;
    let (without, check) = own.split_once(" CHECK").unwrap_or_default();
    let mut tables = shop(backend, &[("offer.code", without.to_owned())])?;
    tables.push(format!(
        "ALTER TABLE offer ADD CONSTRAINT code_form CHECK{check} {words}"
    ));
    let expected = [("offer.code", Aspect::Check, "there is no CHECK (")];
    let expected = if is_old { &[][..] } else { &expected[..] };
    expect(database, &tables, SHOP, expected)
}

/// `Offer` and `offer` are two tables in some databases and one in others; so are they in the
/// comparison.
fn letter_case(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let quoted = quote_identifier(backend, "Offer")?;
    let definition = column::<OfferId>(backend, "ID")?;
    let tables = [format!("CREATE TABLE {quoted} ({definition})")];
    let listed = key_columns![OfferId => "offer.id"];
    run(async {
        let mut connection = create(database, &tables).await?;
        let is_other = connection.execute("the table", "SELECT 1 FROM offer").await;
        let found = schema::check(database.url(), &listed).await?;
        let aspects: Vec<Aspect> = found.all.iter().map(|one| one.aspect).collect();
        let expected = match is_other {
            Err(_) => vec![Aspect::Table],
            Ok(_) => Vec::new(),
        };
        ensure!(aspects == expected, "{found}");
        Ok(())
    })
}

fn run_version(database: &TestDatabase) -> Result<String> {
    let mut version = String::new();
    run(async {
        create(database, &[])
            .await?
            .version()
            .clone_into(&mut version);
        Ok(())
    })?;
    Ok(version)
}

fn unlisted(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let mut tables = shop(backend, &[])?;
    tables.push(format!(
        "CREATE TABLE invoice ({}, {}, FOREIGN KEY (offer_id) REFERENCES offer (id), \
         FOREIGN KEY (booking_id) REFERENCES booking (id))",
        column::<OfferId>(backend, "offer_id")?,
        column::<CountedId>(backend, "booking_id")?,
    ));
    let listed = key_columns![
        OfferId => "offer.id",
        CountedId => "invoice.booking_id",
    ];
    let expected = [
        (
            "booking.id",
            Aspect::Unlisted,
            "invoice.booking_id refers to booking.id, which is not listed; the first is of CountedId",
        ),
        (
            "invoice.offer_id",
            Aspect::Unlisted,
            "invoice.offer_id refers to offer.id (OfferId), and is not listed",
        ),
    ];
    run(async {
        create(database, &tables).await?;
        let mut found = schema::check(database.url(), &listed).await?.all;
        found.sort_by(|a, b| a.table.cmp(&b.table));
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    format!("{}.{}", one.table, one.column),
                    one.aspect,
                    one.to_string(),
                )
            })
            .collect();
        let expected =
            expected.map(|(place, aspect, text)| (place.to_owned(), aspect, text.to_owned()));
        ensure!(found == expected, "{found:#?}");
        Ok(())
    })
}

fn references(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let tables = [
        format!(
            "CREATE TABLE offer ({}, PRIMARY KEY (id))",
            column::<OfferId>(backend, "id")?
        ),
        format!(
            "CREATE TABLE booking ({}, FOREIGN KEY (offer_id) REFERENCES offer (id))",
            column::<OfferId>(backend, "offer_id")?
        ),
    ];
    let listed = key_columns![
        OfferId => "offer.id",
        CombId => "booking.offer_id",
    ];
    let part = "booking.offer_id refers to offer.id, but CombId is PrefixComb as uuid:";
    // Both types are the same in each database, so that nothing else differs.
    expect(
        database,
        &tables,
        &listed,
        &[("booking.offer_id", Aspect::Reference, part)],
    )
}

/// A table that no reference connects with the tables of the connection's own schema.
fn other_schemas(database: &TestDatabase) -> Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let backend = database.backend();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let other = format!("rowkey_other_{}_{number}", std::process::id());
    let (kind, drop) = match backend {
        Backend::Postgres => ("SCHEMA", "CASCADE"),
        Backend::MySql | Backend::MariaDb => ("DATABASE", ""),
        Backend::SqlServer => ("SCHEMA", ""),
        Backend::Sqlite => {
            let mut column = KeyColumn::of::<OfferId>("main.offer.id");
            expect(database, &shop(backend, &[])?, &[column], &[])?;
            column.schema = Some("elsewhere");
            return expect(
                database,
                &[],
                &[column],
                &[("elsewhere.offer.id", Aspect::Table, "")],
            );
        }
    };
    let mut offer = KeyColumn::of::<OfferId>("offer.id");
    offer.schema = Some(other.clone().leak());
    let mut booking = KeyColumn::of::<Option<OfferId>>("booking.offer_id");
    booking.schema = offer.schema;
    let tables = [
        format!("CREATE {kind} {other}"),
        format!(
            "CREATE TABLE {other}.offer ({}, PRIMARY KEY (id))",
            column::<OfferId>(backend, "id")?
        ),
        format!(
            "CREATE TABLE {other}.booking ({}, {}, FOREIGN KEY (offer_id) REFERENCES {other}.offer (id), \
             FOREIGN KEY (other_id) REFERENCES {other}.offer (id))",
            column::<OfferId>(backend, "offer_id")?,
            column::<OfferId>(backend, "other_id")?,
        ),
    ];
    let places = [
        format!("{other}.booking.offer_id"),
        format!("{other}.booking.other_id"),
    ];
    let expected = [
        (
            places[0].as_str(),
            Aspect::Nullability,
            "does not allow NULL",
        ),
        (places[1].as_str(), Aspect::Unlisted, "refers to"),
    ];
    let result = expect(database, &tables, &[offer, booking], &expected);
    let drops = match backend {
        Backend::SqlServer => vec![
            format!("DROP TABLE {other}.booking"),
            format!("DROP TABLE {other}.offer"),
            format!("DROP SCHEMA {other}"),
        ],
        _ => vec![format!("DROP {kind} {other} {drop}")],
    };
    run(async { create(database, &drops).await.map(|_| ()) })?;
    result
}

fn report(database: &TestDatabase) -> Result<()> {
    let backend = database.backend();
    let other = [(
        "booking.offer_id",
        column::<Option<OfferId>>(backend, "offer_id")?,
    )];
    let mut listed = SHOP.to_vec();
    listed.extend(key_columns![OfferId => "review.offer_id"]);
    let table = shop(backend, &other)?;
    run(async {
        create(database, &table).await?;
        let mut found = schema::check(database.url(), &listed).await?;
        let lines = [
            format!(
                "2 differences between the {} database and the plans of its keys:",
                backend.name()
            ),
            format!(
                "  booking.offer_id (OfferId): the column allows NULL; write {}",
                column::<OfferId>(backend, "offer_id")?
            ),
            format!(
                "  review.offer_id (OfferId): the account sees no such table; write {}",
                column::<OfferId>(backend, "offer_id")?
            ),
        ];
        ensure!(found.to_string() == lines.join("\n"), "{found}");
        found
            .all
            .retain(|one| one.table.name != "review" && one.aspect != Aspect::Nullability);
        found.assert_none();
        Ok(())
    })
}

fn domains(database: &TestDatabase) -> Result<()> {
    let domains = [
        "CREATE DOMAIN offer_key AS uuid NOT NULL".to_owned(),
        "CREATE DOMAIN code AS varchar(32) COLLATE \"C\" CHECK (length(VALUE) = 32 AND VALUE = upper(VALUE))"
            .to_owned(),
        "CREATE DOMAIN loose_code AS varchar(32) COLLATE \"C\" CHECK (length(VALUE) = 32)".to_owned(),
    ];
    let other = [
        ("offer.id", "id offer_key".to_owned()),
        ("offer.code", "code code NOT NULL".to_owned()),
    ];
    let mut tables = domains.to_vec();
    tables.extend(shop(database.backend(), &other)?);
    expect(database, &tables, SHOP, &[])?;
    let again = ["ALTER TABLE offer ALTER code TYPE loose_code".to_owned()];
    expect(database, &again, SHOP, &[("offer.code", Aspect::Check, "")])
}
