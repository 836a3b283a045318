//! Keys whose rows get new ids.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{Plan, Policy, Request};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::Catalog;

use super::file::{File, tests};

tests![
    numbers_become_ids_in_the_order_of_creation,
    undoing_gives_the_numbers_back,
    text_and_bytes_are_mapped,
    every_format_that_the_database_makes,
    what_has_no_new_id_is_named,
];

const TABLES: &str = "
CREATE TABLE offer (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, created_at TEXT, other INTEGER REFERENCES offer
);
CREATE TABLE line (
    offer_id INTEGER NOT NULL REFERENCES offer (id) ON DELETE CASCADE, n INTEGER,
    PRIMARY KEY (offer_id, n)
) WITHOUT ROWID;
CREATE TABLE note (about INTEGER, text TEXT);
CREATE INDEX by_other ON offer (other, title);
";

async fn with_rows(url: &str) -> anyhow::Result<File> {
    let mut file = File::open(url).await?;
    file.run(TABLES).await?;
    for number in 1..=50 {
        // Rows were not made in the order of their numbers.
        let day = (number * 7) % 50 + 1;
        let created = match number {
            10 => "NULL".to_owned(),
            _ => format!("datetime('2020-01-01', '+{day} days')"),
        };
        file.run(&format!(
            "INSERT INTO offer (title, created_at, other) VALUES \
             ('offer {number}', {created}, {});
             INSERT INTO line VALUES ({number}, 1), ({number}, 2);
             INSERT INTO note VALUES ({number}, 'note {number}'), (NULL, 'none')",
            if number > 3 { "2" } else { "NULL" },
        ))
        .await?;
    }
    // The counter is ahead of the largest number.
    file.run(
        "DELETE FROM note WHERE about = 50; DELETE FROM line WHERE offer_id = 50; \
              DELETE FROM offer WHERE id = 50",
    )
    .await?;
    Ok(file)
}

async fn plan(file: &mut File, format: FormatKind, to: &str) -> anyhow::Result<Plan> {
    let catalog = Catalog::read(&mut file.connection).await?;
    let request = Request {
        table: "offer".into(),
        column: "id".into(),
        format,
        from: None,
        to: to.into(),
        created: Some("created_at".into()),
        unasserted: vec![("note".into(), "about".into())],
        policy: Policy::default(),
    };
    Ok(Plan::for_key(&catalog, &request)?)
}

async fn numbers_become_ids_in_the_order_of_creation(url: String) -> anyhow::Result<()> {
    let mut file = with_rows(&url).await?;
    let plan = plan(&mut file, FormatKind::UuidV7, "uuid").await?;
    file.change(&plan, Phase::Swap).await?;
    let titles = file
        .rows("SELECT title FROM offer WHERE created_at IS NOT NULL ORDER BY created_at")
        .await?;
    assert_eq!(titles.len(), 48);
    let by_id = "SELECT title FROM offer WHERE created_at IS NOT NULL ORDER BY id_key";
    assert_eq!(file.rows(by_id).await?, titles);
    let form = StoredForm::named(FormatKind::UuidV7, Backend::Sqlite, "uuid").unwrap();
    let (is_id, millis) = (form.condition("id_key")?, form.unix_millis("id_key")?);
    let wrong = format!(
        "SELECT title FROM offer WHERE NOT ({is_id}) \
         OR ({millis}) / 1000 <> unixepoch(coalesce(created_at, 'now')) AND id_before <> 10"
    );
    assert_eq!(file.rows(&wrong).await?, [""; 0]);
    // Without a creation time, it is that of the change.
    let age =
        format!("SELECT unixepoch() - ({millis}) / 1000 < 60 FROM offer WHERE id_before = 10");
    assert_eq!(file.rows(&age).await?, ["1"]);
    let references = "SELECT count(*), min(b.title), max(b.title) FROM offer AS a \
                      JOIN offer AS b ON b.id_key = a.other_key";
    assert_eq!(file.rows(references).await?, ["46 | offer 2 | offer 2"]);
    let lines = "SELECT o.title, n, text FROM line JOIN offer AS o ON o.id_key = offer_id_key \
                 JOIN note ON about_key = o.id_key ORDER BY offer_id_before, n LIMIT 3";
    assert_eq!(
        file.rows(lines).await?,
        [
            "offer 1 | 1 | note 1",
            "offer 1 | 2 | note 1",
            "offer 2 | 1 | note 2"
        ]
    );
    let old = file
        .run("INSERT INTO offer (id, title) VALUES (99, 'old')")
        .await;
    assert!(old.unwrap_err().to_string().contains("no column named id"));
    let null = file.run("INSERT INTO offer (title) VALUES ('none')").await;
    assert!(null.unwrap_err().to_string().contains("NOT NULL"));
    file.contract(&plan).await?;
    let map = "SELECT count(*), sum(title = 'offer ' || old) FROM rowkey_id_map \
               JOIN offer ON new = lower(substr(hex(id_key), 1, 8) || '-' || \
               substr(hex(id_key), 9, 4) || '-' || substr(hex(id_key), 13, 4) || '-' || \
               substr(hex(id_key), 17, 4) || '-' || substr(hex(id_key), 21)) \
               WHERE table_name = 'offer'";
    assert_eq!(file.rows(map).await?, ["49 | 49"]);
    assert_eq!(file.rows("SELECT * FROM sqlite_sequence").await?, [""; 0]);
    Ok(())
}

async fn undoing_gives_the_numbers_back(url: String) -> anyhow::Result<()> {
    let mut file = with_rows(&url).await?;
    let everything = [
        "SELECT * FROM offer ORDER BY id",
        "SELECT * FROM line ORDER BY offer_id, n",
        "SELECT rowid, * FROM note ORDER BY rowid",
        "SELECT * FROM sqlite_sequence",
    ];
    let definitions = file.definitions().await?;
    let mut before = Vec::new();
    for query in everything {
        before.push(file.rows(query).await?);
    }
    let plan = plan(&mut file, FormatKind::PrefixComb, "uuid").await?;
    for last in Phase::ALL {
        file.change(&plan, last).await?;
        file.undo(&plan).await?;
        assert_eq!(file.definitions().await?, definitions, "{last:?}");
        for (query, before) in everything.into_iter().zip(&before) {
            assert_eq!(file.rows(query).await?, *before, "{last:?}: {query}");
        }
    }
    file.change(&plan, Phase::Swap).await?;
    let new = StoredForm::named(FormatKind::PrefixComb, Backend::Sqlite, "uuid").unwrap();
    let id = new.literal(0x0000_0400_0000_4000_8000_0000_0000_0000);
    file.run(&format!(
        "INSERT INTO offer (id_key, title) VALUES ({id}, 'since');
         INSERT INTO line (offer_id_key, n) VALUES ({id}, 1);
         DELETE FROM line WHERE offer_id_before = 7;
         UPDATE note SET about_key = {id} WHERE about_before = 7;
         DELETE FROM offer WHERE id_before = 7"
    ))
    .await?;
    file.run("CREATE TABLE undamaged AS SELECT * FROM rowkey_id_map")
        .await?;
    for (damage, told) in [
        (
            "DELETE FROM rowkey_id_map WHERE old = '3'",
            "offer.id: 1 rows have a value that the map of ids does not have for their new id: 3",
        ),
        (
            "UPDATE rowkey_id_map SET new = '-' WHERE old = '4';
             UPDATE rowkey_id_map SET new = (SELECT new FROM undamaged WHERE old = '4') \
             WHERE old = '3'",
            "offer.id: 2 rows have a value that the map of ids does not have for their new id: 3, 4",
        ),
    ] {
        file.run(damage).await?;
        let error = file.undo(&plan).await.unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
        file.run("DELETE FROM rowkey_id_map; INSERT INTO rowkey_id_map SELECT * FROM undamaged")
            .await?;
    }
    file.undo(&plan).await?;
    let since = "SELECT id, (SELECT count(*) FROM line WHERE offer_id = id), \
                 (SELECT text FROM note WHERE about = id) FROM offer WHERE title = 'since'";
    // 50 was given away before.
    assert_eq!(file.rows(since).await?, ["51 | 1 | note 7"]);
    assert_eq!(file.rows("SELECT seq FROM sqlite_sequence").await?, ["51"]);
    let seven = "SELECT count(*) FROM offer WHERE id = 7";
    assert_eq!(file.rows(seven).await?, ["0"]);
    Ok(())
}

async fn text_and_bytes_are_mapped(url: String) -> anyhow::Result<()> {
    for (number, (sql_type, first, second)) in [
        ("VARCHAR(20)", "'it''s'", "'b'"),
        ("BLOB", "X'00FF'", "X''"),
    ]
    .into_iter()
    .enumerate()
    {
        let url = url.replace(".sqlite", &format!("{number}.sqlite"));
        let mut file = File::open(&url).await?;
        file.run(&format!(
            "CREATE TABLE offer (id {sql_type} PRIMARY KEY, created_at INTEGER);
             CREATE TABLE note (about {sql_type} REFERENCES offer);
             INSERT INTO offer VALUES ({first}, 1600000000), ({second}, 1500000000000);
             INSERT INTO note VALUES ({first}), ({first}), ({second}), (NULL)"
        ))
        .await?;
        let before = file.rows("SELECT quote(about) FROM note").await?;
        let plan = plan(&mut file, FormatKind::UuidV7, "text").await?;
        file.change(&plan, Phase::Swap).await?;
        let joined = "SELECT quote(o.id_before) FROM note \
                      LEFT JOIN offer AS o ON o.id_key = about_key ORDER BY note.rowid";
        assert_eq!(file.rows(joined).await?, before);
        let order = "SELECT quote(id_before) FROM offer ORDER BY id_key";
        assert_eq!(file.rows(order).await?[0], second);
        file.run("INSERT INTO offer (id_key) VALUES ('01890a5d-ac96-774b-bcce-b302099a8057')")
            .await?;
        let error = file.undo(&plan).await.unwrap_err().to_string();
        assert!(error.contains("1 rows were written since"), "{error}");
        file.run("DELETE FROM offer WHERE id_before IS NULL")
            .await?;
        file.undo(&plan).await?;
        assert_eq!(file.rows("SELECT quote(about) FROM note").await?, before);
        let path = url.trim_start_matches("sqlite://");
        std::fs::remove_file(path.split('?').next().unwrap_or_default())?;
    }
    Ok(())
}

async fn every_format_that_the_database_makes(url: String) -> anyhow::Result<()> {
    let mut file = with_rows(&url).await?;
    let mut changed = Vec::new();
    for format in FormatKind::ALL {
        for to in ["uuid", "binary", "text", "text-digits"] {
            let Ok(form) = StoredForm::named(format, Backend::Sqlite, to) else {
                continue;
            };
            let plan = plan(&mut file, format, to).await?;
            match file.change(&plan, Phase::Swap).await {
                Ok(()) => {}
                // Ids of these contain more than time and chance, or too many digits.
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        [
                            "AnyUuid",
                            "Iuid",
                            "Luuid",
                            "HotGuid",
                            "DistributedId128",
                            "DatabaseNumber"
                        ]
                        .contains(&format!("{format:?}").as_str()),
                        "{format:?} {to}: {message}"
                    );
                    continue;
                }
            }
            let is_id = form.condition("id_key")?;
            let count = format!("SELECT count(DISTINCT id_key), sum({is_id}) FROM offer");
            assert_eq!(file.rows(&count).await?, ["49 | 49"], "{format:?} {to}");
            file.undo(&plan).await?;
            // The next format refuses the ids of this one, where it can tell them.
            file.run("DROP TABLE rowkey_id_map").await?;
            changed.push(format.name());
        }
    }
    changed.dedup();
    assert!(changed.len() >= 7, "{changed:?}");
    assert!(changed.contains(&"distributed-id"), "{changed:?}");
    Ok(())
}

async fn what_has_no_new_id_is_named(url: String) -> anyhow::Result<()> {
    let mut file = with_rows(&url).await?;
    file.run(
        "INSERT INTO note VALUES (1000, 'nobody'), ('x', 'nobody');
         UPDATE offer SET created_at = '1850-01-01' WHERE id = 3;
         CREATE TABLE rowkey_id_map (table_name, old, new);
         INSERT INTO rowkey_id_map VALUES ('offer', '1', 'x')",
    )
    .await?;
    let plan = plan(&mut file, FormatKind::UuidV7, "uuid").await?;
    let error = file
        .change(&plan, Phase::Swap)
        .await
        .unwrap_err()
        .to_string();
    for reason in [
        "note.about: in 1 rows, the value is not of the type integer of the key, such as `x`",
        "offer.created_at: the creation time of 1 of its rows is no instant that a uuid-v7 carries",
    ] {
        assert!(error.contains(reason), "{reason}: {error}");
    }
    file.run(
        "CREATE TABLE mixed (id TEXT PRIMARY KEY); \
              INSERT INTO mixed VALUES (X'00'), (NULL), ('a')",
    )
    .await?;
    let catalog = Catalog::read(&mut file.connection).await?;
    let request = Request {
        table: "mixed".into(),
        column: "id".into(),
        format: FormatKind::UuidV4,
        from: None,
        to: "uuid".into(),
        created: None,
        unasserted: Vec::new(),
        policy: Policy::default(),
    };
    let plan = Plan::for_key(&catalog, &request)?;
    let error = file
        .change(&plan, Phase::Swap)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("mixed.id: in 2 rows, the value is not of the type text"),
        "{error}"
    );
    Ok(())
}
