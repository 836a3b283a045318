//! What the doctor says of tables in databases.

use std::future::Future;

use anyhow::{Context, ensure};
use rowkey_core::format::FormatKind;
use rowkey_core::generate::Generate;
use rowkey_core::{Backend, PrefixComb, ShortPrefixComb, UnixMillis, Uuid, UuidV4, UuidV7};
use rowkey_doctor::{Certainty, DamageKind, Report, Request, contradiction, examine};
use rowkey_sql::StoredForm;
use rowkey_tables::{Address, Connection, Silent};
use rowkey_testkit::{Suite, TestDatabase};

/// Rows of one INSERT.
const BATCH: usize = 250;

/// A connection to the database of a test.
async fn open(database: &TestDatabase) -> anyhow::Result<Connection> {
    let address: Address = database.url().parse()?;
    Ok(Connection::open(&address).await?)
}

async fn fill(
    connection: &mut Connection,
    columns: &str,
    rows: impl IntoIterator<Item = String>,
) -> anyhow::Result<()> {
    let rows: Vec<String> = rows.into_iter().collect();
    for batch in rows.chunks(BATCH) {
        let insert = format!("INSERT INTO offer ({columns}) VALUES {}", batch.join(", "));
        connection.execute("filling the table", &insert).await?;
    }
    Ok(())
}

async fn ask(connection: &mut Connection, request: &Request) -> anyhow::Result<Report> {
    Ok(examine(connection, request, &mut Silent).await?)
}

fn run(test: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(test)
}

/// An id of a minute, of version 4.
fn short_comb(minute: i64) -> u128 {
    let at = UnixMillis::new(minute * 60_000);
    let random = Uuid::from(UuidV4::generate()).into_bytes();
    let [_, _, rest @ ..] = random;
    let id = <ShortPrefixComb>::from_parts(<ShortPrefixComb>::counter_at(at), rest);
    Uuid::from(id).as_u128()
}

/// A column that the database counts, to know the order of insertion.
fn counter(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "place bigint GENERATED ALWAYS AS IDENTITY, ",
        Backend::MySql | Backend::MariaDb => "place bigint NOT NULL AUTO_INCREMENT UNIQUE, ",
        Backend::SqlServer => "place bigint IDENTITY, ",
        Backend::Sqlite => "",
    }
}

const FORMATS: [(FormatKind, &str); 4] = [
    (FormatKind::UuidV4, "uuid-v4"),
    (FormatKind::UuidV7, "uuid-v7"),
    (FormatKind::PrefixComb, "prefix-comb"),
    (FormatKind::ShortPrefixComb, "short-prefix-comb"),
];

fn id(format: FormatKind, number: i64) -> u128 {
    match format {
        FormatKind::UuidV7 => Uuid::from(UuidV7::generate()).as_u128(),
        FormatKind::PrefixComb => Uuid::from(PrefixComb::generate()).as_u128(),
        FormatKind::ShortPrefixComb => short_comb(29_000_000 + number),
        _ => Uuid::from(UuidV4::generate()).as_u128(),
    }
}

async fn formats_are_found_in_every_storage(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    for (format, name) in FORMATS {
        for storage in [
            "uuid:public",
            "binary:public",
            "text:public",
            "text-hex:public",
        ] {
            if backend == Backend::SqlServer && storage == "uuid:public" {
                continue;
            }
            let form = StoredForm::named(format, backend, storage).map_err(anyhow::Error::msg)?;
            let table = format!(
                "CREATE TABLE offer ({}id {} NOT NULL, PRIMARY KEY (id))",
                counter(backend),
                form.sql_type()
            );
            connection.execute("creating the table", &table).await?;
            let rows = (0..300).map(|number| format!("({})", form.literal(id(format, number))));
            fill(&mut connection, "id", rows).await?;
            let found = ask(&mut connection, &Request::new("offer", "id")).await?;
            let what = format!("{name} {storage}: {found:#?}");
            ensure!(found.format == Some(name), "{what}");
            let certainty = match format {
                // One more from row to row may be a minute, a day, or a block of a sequence;
                // without times, nothing shows that rows were made in the order in which they were
                // inserted.
                FormatKind::ShortPrefixComb | FormatKind::UuidV4 => Certainty::Likely,
                _ => Certainty::Certain,
            };
            ensure!(found.certainty == certainty, "{what}");
            ensure!((found.rows, found.sampled) == (300, 300), "{what}");
            ensure!(found.damaged.is_empty(), "{what}");
            let declare = found.declare.as_deref().context("a declaration")?;
            ensure!(declare.contains("struct OfferId("), "{what}");
            connection
                .execute("dropping the table", "DROP TABLE offer")
                .await?;
        }
    }
    Ok(())
}

async fn random_keys_in_their_order_are_random(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let form =
        StoredForm::named(FormatKind::UuidV4, backend, "binary").map_err(anyhow::Error::msg)?;
    let mut ids: Vec<u128> = (0..30_000).map(|_| id(FormatKind::UuidV4, 0)).collect();
    ids.sort_unstable();
    for counter in ["", counter(backend)] {
        let table = format!(
            "CREATE TABLE offer ({counter}id {} NOT NULL PRIMARY KEY)",
            form.sql_type()
        );
        connection.execute("creating the table", &table).await?;
        let rows = ids.iter().map(|id| format!("({})", form.literal(*id)));
        fill(&mut connection, "id", rows).await?;
        for full in [false, true] {
            let request = Request {
                full,
                ..Request::new("offer", "id")
            };
            let found = ask(&mut connection, &request).await?;
            let what = format!("{counter} {full}: {found:#?}");
            ensure!(
                found.format.is_none_or(|format| format == "uuid-v4"),
                "{what}"
            );
            ensure!(found.candidates.len() == 1, "{what}");
            let said = found.evidence.join(" ");
            ensure!(!said.contains("not drawn at random"), "{what}");
        }
        connection
            .execute("dropping the table", "DROP TABLE offer")
            .await?;
    }
    Ok(())
}

async fn a_sample_is_from_all_over_the_table(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let form =
        StoredForm::named(FormatKind::AnyUuid, backend, "uuid").map_err(anyhow::Error::msg)?;
    let table = format!(
        "CREATE TABLE offer ({}id {} NOT NULL PRIMARY KEY)",
        counter(backend),
        form.sql_type()
    );
    connection.execute("creating the table", &table).await?;
    let rows = (0..16_000).map(|number| {
        let format = match number < 12_000 {
            true => FormatKind::UuidV4,
            false => FormatKind::ShortPrefixComb,
        };
        format!("({})", form.literal(id(format, number / 10)))
    });
    fill(&mut connection, "id", rows).await?;
    let sample = Request::new("offer", "id");
    let full = Request {
        full: true,
        ..sample.clone()
    };
    for request in [sample, full] {
        let found = ask(&mut connection, &request).await?;
        let what = format!("{found:#?}");
        ensure!(found.format == Some("uuid-v4"), "{what}");
        ensure!(found.rows == 16_000, "{what}");
        let is_whole = found.sampled == 16_000;
        ensure!(is_whole == request.full, "{what}");
        let of_combs = found
            .candidates
            .iter()
            .find(|candidate| candidate.format == FormatKind::ShortPrefixComb);
        let share = of_combs.context(what.clone())?.share;
        ensure!((share - 0.25).abs() < 0.05, "{what}");
    }
    Ok(())
}

async fn without_an_order_a_column_of_times_tells(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let form = StoredForm::named(FormatKind::ShortPrefixComb, backend, "uuid")
        .map_err(anyhow::Error::msg)?;
    let (time, options) = match backend {
        Backend::Postgres => ("timestamptz", ""),
        Backend::Sqlite => ("text", " WITHOUT ROWID"),
        _ => ("datetime", ""),
    };
    let table = format!(
        "CREATE TABLE offer (id {} NOT NULL PRIMARY KEY, created_at {time}){options}",
        form.sql_type()
    );
    connection.execute("creating the table", &table).await?;
    // Many turns of the ring, in no order.
    let rows = (0..400_i64).map(|number| {
        let minute = 25_000_000 + number * 7_919 % 400 * 10_007;
        let created = rowkey_core::UnixMillis::new(minute * 60_000);
        let literal = form.literal(short_comb(minute));
        format!("({literal}, '{}')", to_sql(created))
    });
    fill(&mut connection, "id, created_at", rows).await?;
    let found = ask(&mut connection, &Request::new("offer", "id")).await?;
    let what = format!("{found:#?}");
    ensure!(found.format == Some("short-prefix-comb"), "{what}");
    ensure!(found.certainty == Certainty::Certain, "{what}");
    let declared = "#[entity_key] struct OfferId(ShortPrefixComb);";
    ensure!(found.declare.as_deref() == Some(declared), "{what}");
    ensure!(
        found
            .evidence
            .iter()
            .any(|said| said.contains("intervals of 60 s")),
        "{what}"
    );
    ensure!(
        found
            .evidence
            .iter()
            .any(|said| said.contains("created_at")),
        "{what}"
    );
    let wrong = Request {
        created: Some("id".to_owned()),
        ..Request::new("offer", "id")
    };
    if backend != Backend::Sqlite {
        let error = ask(&mut connection, &wrong).await.unwrap_err().to_string();
        ensure!(error.contains("has no time"), "{error}");
    }
    Ok(())
}

/// A time as SQL writes it.
fn to_sql(time: UnixMillis) -> String {
    let (days, seconds) = (
        time.get().div_euclid(86_400_000),
        time.get().rem_euclid(86_400_000) / 1_000,
    );
    // The date of a day, counted in eras of 400 years from March on.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

async fn damage_is_found_in_columns_of_text(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (name varchar(20), id varchar(50))";
    connection.execute("creating the table", table).await?;
    let good = (0..200).map(|_| format!("('a', '{}')", Uuid::from(UuidV7::generate())));
    fill(&mut connection, "name, id", good).await?;
    let upper = Uuid::from(UuidV7::generate()).to_string().to_uppercase();
    let bad = [
        "NULL".to_owned(),
        "''".to_owned(),
        "'hello'".to_owned(),
        format!("'{upper}'"),
        format!("'{{{upper}}}'"),
    ];
    let bad = bad.iter().map(|value| format!("('b', {value})"));
    fill(&mut connection, "name, id", bad).await?;
    let found = ask(&mut connection, &Request::new("offer", "id")).await?;
    let what = format!("{backend}: {found:#?}");
    ensure!(
        (found.format, found.storage) == (Some("uuid-v7"), Some("text")),
        "{what}"
    );
    let mut kinds: Vec<_> = found
        .damaged
        .iter()
        .map(|damage| (damage.kind, damage.count))
        .collect();
    kinds.sort_unstable();
    let mut expected = [
        (DamageKind::WrongLength, 2),
        (DamageKind::WrongCase, 1),
        (DamageKind::Braces, 1),
    ];
    expected.sort_unstable();
    ensure!(kinds == expected, "{what}");
    ensure!(found.evidence.iter().any(|said| said.contains("1 row have no value")
        || said.contains("1 row has no value")), "{what}");
    Ok(())
}

async fn what_does_not_exist_is_an_error(database: &TestDatabase) -> anyhow::Result<()> {
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (id varchar(36))";
    connection.execute("creating the table", table).await?;
    for (table, column, missing) in [
        ("ofer", "id", "the table ofer"),
        ("offer", "uid", "the column uid"),
        ("offer\"; DROP TABLE offer", "id", "the table"),
    ] {
        let error = ask(&mut connection, &Request::new(table, column)).await;
        let error = error.unwrap_err().to_string();
        ensure!(error.contains(missing), "{error}");
    }
    let found = ask(&mut connection, &Request::new("offer", "id")).await?;
    ensure!(found.certainty == Certainty::CannotTell, "{found:#?}");
    ensure!(
        found.format.is_none() && found.storage.is_none(),
        "{found:#?}"
    );
    // The transaction that only reads has ended.
    connection
        .execute("writing", "INSERT INTO offer VALUES ('a')")
        .await?;
    Ok(())
}

/// A reader who may see only the table, or only some of its columns.
async fn postgres_privileges(database: &TestDatabase) -> anyhow::Result<()> {
    let mut connection = open(database).await?;
    let role = format!("rowkey_doctor_{}", std::process::id());
    let setup = format!(
        "CREATE TABLE offer (id uuid PRIMARY KEY, created_at timestamptz, secret text);
         INSERT INTO offer SELECT gen_random_uuid(), now() FROM generate_series(1, 500);
         CREATE ROLE {role}; GRANT SELECT (id) ON offer TO {role};
         DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO {role}', current_schema()); END $$;
         CREATE TABLE hidden (id uuid); SET ROLE {role}"
    );
    connection.execute("the account", &setup).await?;
    let found = ask(&mut connection, &Request::new("offer", "id")).await;
    let hidden = ask(&mut connection, &Request::new("hidden", "id")).await;
    let cleanup = format!("RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}");
    connection.execute("the account", &cleanup).await?;
    let found = found?;
    ensure!(found.certainty == Certainty::CannotTell, "{found:#?}");
    ensure!(
        found
            .evidence
            .iter()
            .any(|said| said.contains("not allowed to see the columns created_at, secret")),
        "{found:#?}"
    );
    let error = hidden.unwrap_err().to_string();
    ensure!(
        error.contains("hidden.id: the account may not read it"),
        "{error}"
    );
    Ok(())
}

/// Digits in a column that makes floating-point numbers of them.
async fn sqlite_floating_point(database: &TestDatabase) -> anyhow::Result<()> {
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (id DECIMAL(28,0), place TEXT)";
    connection.execute("creating the table", table).await?;
    let rows = (0..50).map(|number| format!("('10888243551311857369056700{number:02}', 'x')"));
    fill(&mut connection, "id, place", rows).await?;
    let found = ask(&mut connection, &Request::new("offer", "id")).await?;
    let [damage] = &found.damaged[..] else {
        anyhow::bail!("{found:#?}");
    };
    ensure!(
        (damage.kind, damage.count) == (DamageKind::FloatingPoint, 50),
        "{found:#?}"
    );
    Ok(())
}

/// More rows than are read at once, with a column that has taken the name of SQLite's number, and
/// with values that aren't ids.
async fn sqlite_rows_of_every_type(database: &TestDatabase) -> anyhow::Result<()> {
    const ROWS: u64 = 4_500;
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (id, rowid text, place integer PRIMARY KEY)";
    connection.execute("creating the table", table).await?;
    let rows = (0..ROWS).map(|number| {
        let id = Uuid::from(UuidV7::generate());
        format!("('{id}', 'the same', {})", 3 * number as i64 - 5_000)
    });
    fill(&mut connection, "id, rowid, place", rows).await?;
    for (place, value) in [
        ("-9223372036854775808", "1.5"),
        ("-7000", "NULL"),
        (
            "20000",
            "CAST(X'ff018e5f3bff4847ccb5bad01c25cc63a7' AS text)",
        ),
        ("20001", "printf('%300s', 'x')"),
        (
            "20002",
            "'018e5f3b-ff48-47cc-b5ba-d01c25cc63a7' || char(0) || 'rest'",
        ),
        ("20003", "-7"),
        ("9223372036854775807", "X'018e5f3bff4847ccb5bad01c25cc63a7'"),
    ] {
        let row = format!("({value}, 'the same', {place})");
        fill(&mut connection, "id, rowid, place", [row]).await?;
    }
    let full = Request {
        full: true,
        ..Request::new("offer", "id")
    };
    let found = ask(&mut connection, &full).await?;
    ensure!(found.format == Some("uuid-v7"), "{found:#?}");
    ensure!(
        (found.rows, found.sampled) == (ROWS + 7, ROWS + 7),
        "{found:#?}"
    );
    for (kind, count) in [
        (DamageKind::FloatingPoint, 1),
        (DamageKind::OutOfRange, 1),
        (DamageKind::WrongLength, 2),
        (DamageKind::Blanks, 1),
        (DamageKind::WrongType, 1),
    ] {
        let damaged = found.damaged.iter().find(|damage| damage.kind == kind);
        let counted = damaged.map_or(0, |damage| damage.count);
        ensure!(counted == count, "{kind:?}: {found:#?}");
    }
    Ok(())
}

/// Values of version 8 that MariaDB's type gives back in reverse.
async fn mariadb_reverses_segments(database: &TestDatabase) -> anyhow::Result<()> {
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (id UUID NOT NULL, place int)";
    connection.execute("creating the table", table).await?;
    let now = UnixMillis::now().get() as u128;
    let rows = (0..640_u128).map(|number| {
        // The byte of the variant goes through all its values.
        let variant = 0x80 + number % 64;
        let id = (now + number) << 80 | 0x8031 << 64 | variant << 56 | number << 8 | 7;
        format!("(X'{id:032x}', 1)")
    });
    fill(&mut connection, "id, place", rows).await?;
    let found = ask(&mut connection, &Request::new("offer", "id")).await?;
    let damaged = found
        .damaged
        .iter()
        .find(|damage| damage.kind == DamageKind::SegmentsReversed);
    ensure!(
        damaged.is_some_and(|damage| damage.count == 10),
        "{found:#?}"
    );
    Ok(())
}

/// Versions that MariaDB's type has by default, and of which no key is declared in it: what the
/// doctor says instead works.
async fn mariadb_versions_of_its_own(database: &TestDatabase) -> anyhow::Result<()> {
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (id UUID NOT NULL DEFAULT UUID() PRIMARY KEY, place int)";
    connection.execute("creating the table", table).await?;
    let rows = (0..50).map(|place| format!("({place})"));
    fill(&mut connection, "place", rows).await?;
    let request = Request::new("offer", "id");
    let found = ask(&mut connection, &request).await?;
    let what = format!("{found:#?}");
    ensure!(
        found.format == Some("any-uuid") && found.declare.is_none(),
        "{what}"
    );
    let statement = found.next.context(what)?;
    connection
        .execute("converting the column", &statement)
        .await?;
    let found = ask(&mut connection, &request).await?;
    let what = format!("{found:#?}");
    ensure!(
        found.evidence[0].starts_with("All 50 values have version 1"),
        "{what}"
    );
    let declared = "#[entity_key] struct OfferId(AnyUuid);";
    ensure!(found.declare.as_deref() == Some(declared), "{what}");
    Ok(())
}

/// What MariaDB's type has no layout for is moved as the advice says.
async fn mariadb_prefix_combs_without_a_layout(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let table = "CREATE TABLE offer (id UUID NOT NULL PRIMARY KEY, created_at datetime)";
    connection.execute("creating the table", table).await?;
    let rows = (0..600).map(|number| {
        let minute = 29_000_000 + number * 239;
        let created = to_sql(UnixMillis::new(minute * 60_000));
        format!("(X'{:032x}', '{created}')", short_comb(minute))
    });
    fill(&mut connection, "id, created_at", rows).await?;
    let request = Request::new("offer", "id");
    let found = ask(&mut connection, &request).await?;
    let what = format!("{found:#?}");
    ensure!(
        (found.format, found.layout) == (Some("short-prefix-comb"), None),
        "{what}"
    );
    let said = found.evidence.join(" ");
    ensure!(
        said.contains("keep step with the column of times"),
        "{what}"
    );
    ensure!(said.contains("UUID type has no layout"), "{what}");
    let declared = "#[entity_key(storage(mariadb = \"native-uuid\"))] struct OfferId(UuidV4);";
    ensure!(found.declare.as_deref() == Some(declared), "{what}");
    let next = "rowkey plan --table offer --column id --format uuid-v4 --from native-uuid --to binary \
                --output plan.toml";
    ensure!(found.next.as_deref() == Some(next), "{what}");
    let form = |storage| StoredForm::named(FormatKind::UuidV4, backend, storage);
    let forms = form("native-uuid").and_then(|from| Ok((from, form("binary")?)));
    let forms = forms.map_err(anyhow::Error::msg)?;
    let doubt = contradiction(&mut connection, &"offer".into(), "id", forms).await;
    ensure!(doubt.is_none(), "{doubt:?}");
    let convert = "ALTER TABLE offer MODIFY id BINARY(16) NOT NULL";
    connection.execute("converting the column", convert).await?;
    let converted = ask(&mut connection, &request).await?;
    let what = format!("{converted:#?}");
    ensure!(
        (converted.format, converted.layout) == (Some("short-prefix-comb"), Some("public")),
        "{what}"
    );
    Ok(())
}

async fn columns_of_times_and_of_ids_are_not_mistaken(
    database: &TestDatabase,
) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let time = match backend {
        Backend::Postgres => "timestamptz",
        _ => "datetime",
    };
    let table = format!("CREATE TABLE offer (id varchar(36), made {time}, place int)");
    connection.execute("creating the table", &table).await?;
    let rows = (0..200).map(|place| {
        let id = Uuid::from(UuidV4::generate());
        format!("('{id}', '2026-01-02 03:04:05', {place})")
    });
    fill(&mut connection, "id, made, place", rows).await?;
    if backend != Backend::Sqlite {
        let error = ask(&mut connection, &Request::new("offer", "made")).await;
        let error = error.unwrap_err().to_string();
        ensure!(error.contains("holds no ids"), "{error}");
    }
    for (created, is_doubted) in [("place", true), ("made", false)] {
        let request = Request {
            created: Some(created.to_owned()),
            ..Request::new("offer", "id")
        };
        let found = ask(&mut connection, &request).await?;
        let said = format!("The column {created} has no times since 2000");
        let is_said = found.evidence.iter().any(|line| line.contains(&said));
        ensure!(is_said == is_doubted, "{found:#?}");
    }
    Ok(())
}

/// Ordered UUIDs of Laravel: random UUIDs whose first six bytes count ten microseconds.
async fn ordered_uuids_of_laravel_are_not_ours(database: &TestDatabase) -> anyhow::Result<()> {
    let backend = database.backend();
    let mut connection = open(database).await?;
    let storages = match backend {
        Backend::MariaDb => ["native-uuid:public", "binary", "text"],
        _ => ["uuid", "binary", "text"],
    };
    let options = match backend {
        Backend::Sqlite => " WITHOUT ROWID",
        _ => "",
    };
    // A row an hour, over 400 days, and one a minute.
    for (storage, (rows, step_ms)) in storages
        .into_iter()
        .flat_map(|storage| [(3_000, 11_520_000), (400, 60_000)].map(|rows| (storage, rows)))
    {
        let form = StoredForm::named(FormatKind::UuidV4, backend, storage);
        let form = form.map_err(anyhow::Error::msg)?;
        let table = format!(
            "CREATE TABLE offer (id {} NOT NULL PRIMARY KEY){options}",
            form.sql_type()
        );
        connection.execute("creating the table", &table).await?;
        let rows = (0..rows).map(|row: u128| {
            let id = Uuid::from(UuidV4::generate()).as_u128();
            let time = (1_700_000_000_000 + row * step_ms) * 100 + id % 100;
            format!("({})", form.literal(time << 80 | id & (u128::MAX >> 48)))
        });
        fill(&mut connection, "id", rows).await?;
        let found = ask(&mut connection, &Request::new("offer", "id")).await?;
        ensure!(
            found.certainty != Certainty::Certain,
            "{storage}: {found:#?}"
        );
        connection
            .execute("dropping the table", "DROP TABLE offer")
            .await?;
    }
    Ok(())
}

pub(crate) fn add_tests(suite: &mut Suite) {
    use Backend::{MariaDb, MySql, Postgres, SqlServer, Sqlite};
    let all = [Postgres, MySql, MariaDb, Sqlite, SqlServer];
    suite.test("formats_are_found_in_every_storage", all, |database| {
        run(formats_are_found_in_every_storage(database))
    });
    suite.test(
        "random_keys_in_their_order_are_random",
        [Postgres, MySql, MariaDb, Sqlite],
        |database| run(random_keys_in_their_order_are_random(database)),
    );
    suite.test(
        "a_sample_is_from_all_over_the_table",
        [Postgres, MySql, MariaDb, Sqlite],
        |database| run(a_sample_is_from_all_over_the_table(database)),
    );
    suite.test(
        "without_an_order_a_column_of_times_tells",
        all,
        |database| run(without_an_order_a_column_of_times_tells(database)),
    );
    suite.test("damage_is_found_in_columns_of_text", all, |database| {
        run(damage_is_found_in_columns_of_text(database))
    });
    suite.test("what_does_not_exist_is_an_error", all, |database| {
        run(what_does_not_exist_is_an_error(database))
    });
    suite.test_on(
        Postgres,
        "privileges_that_are_missing_are_named",
        |database| run(postgres_privileges(database)),
    );
    suite.test_on(Sqlite, "floating_point_numbers_are_damage", |database| {
        run(sqlite_floating_point(database))
    });
    suite.test_on(Sqlite, "rows_of_every_type_are_read", |database| {
        run(sqlite_rows_of_every_type(database))
    });
    suite.test_on(
        MariaDb,
        "versions_of_its_own_can_be_converted",
        |database| run(mariadb_versions_of_its_own(database)),
    );
    suite.test_on(
        MariaDb,
        "prefix_combs_without_a_layout_are_advised",
        |database| run(mariadb_prefix_combs_without_a_layout(database)),
    );
    suite.test(
        "columns_of_times_and_of_ids_are_not_mistaken",
        all,
        |database| run(columns_of_times_and_of_ids_are_not_mistaken(database)),
    );
    suite.test(
        "ordered_uuids_of_laravel_are_not_ours",
        [Postgres, MySql, MariaDb, Sqlite],
        |database| run(ordered_uuids_of_laravel_are_not_ours(database)),
    );
    suite.test_on(MariaDb, "reversed_segments_are_damage", |database| {
        run(mariadb_reverses_segments(database))
    });
}
