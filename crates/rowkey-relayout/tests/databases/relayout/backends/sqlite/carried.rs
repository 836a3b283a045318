//! What a change carries along, and what undoing it gives back.

use rowkey_relayout::Phase;

use super::file::{Change, File, id, tests};

tests![
    every_value_gets_its_new_form,
    numbers_of_rows_counters_and_triggers_stay,
    programs_with_the_old_declaration_fail,
    undoing_gives_back_the_same_definitions,
    undoing_keeps_what_was_written_since,
    a_contracted_change_leaves_only_the_new_columns,
    an_unused_change_can_be_repeated,
    references_to_other_tables_stay,
    columns_with_names_of_the_rows_number_stay,
];

/// The columns with values of the key: table, old name, new name.
const COLUMNS: [(&str, &str, &str); 5] = [
    ("parent", "id", "id_key"),
    ("child", "\"parent id\"", "\"parent id_key\""),
    ("child", "second", "second_key"),
    ("line", "parent_id", "parent_id_key"),
    ("visit", "about", "about_key"),
];

async fn references_to_other_tables_stay(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 20).await?;
    file.run(
        "CREATE TABLE city (n INTEGER PRIMARY KEY); INSERT INTO city VALUES (1); \
         ALTER TABLE parent ADD COLUMN city INTEGER REFERENCES city (n); \
         ALTER TABLE line ADD COLUMN city INTEGER REFERENCES city (n); \
         UPDATE parent SET city = 1",
    )
    .await?;
    let cities = "SELECT count(*) FROM parent WHERE city = 1";
    let (before, in_city) = (file.definitions().await?, file.rows(cities).await?);
    let plan = file.plan(&Change::SWAP).await?;
    file.change(&plan, Phase::Swap).await?;
    file.run("PRAGMA foreign_keys = ON").await?;
    for table in ["parent", "line"] {
        let unknown = format!("UPDATE {table} SET city = 7");
        assert!(file.run(&unknown).await.is_err(), "{table}");
    }
    assert_eq!(file.rows(cities).await?, in_city);
    file.undo(&plan).await?;
    assert_eq!(file.definitions().await?, before);
    file.change(&plan, Phase::Swap).await?;
    file.contract(&plan).await?;
    assert_eq!(file.rows(cities).await?, in_city);
    Ok(())
}

async fn columns_with_names_of_the_rows_number_stay(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 20).await?;
    let create = "CREATE TABLE seen (rowid BLOB REFERENCES parent (id), oid INTEGER); \
                  INSERT INTO seen SELECT id, 7 FROM parent ORDER BY title; \
                  DELETE FROM seen WHERE _rowid_ % 2 = 0";
    file.run(create).await?;
    let numbers = "SELECT _rowid_, oid FROM seen ORDER BY 1";
    let everything = "SELECT _rowid_, rowid, oid FROM seen ORDER BY 1";
    let (before, numbers_before) = (file.rows(everything).await?, file.rows(numbers).await?);
    let plan = file.plan(&Change::SWAP).await?;
    file.change(&plan, Phase::Swap).await?;
    assert_eq!(file.rows(numbers).await?, numbers_before);
    file.undo(&plan).await?;
    assert_eq!(file.rows(everything).await?, before);
    file.change(&plan, Phase::Swap).await?;
    file.contract(&plan).await?;
    assert_eq!(file.rows(numbers).await?, numbers_before);
    Ok(())
}

async fn every_value_gets_its_new_form(url: String) -> anyhow::Result<()> {
    for (number, change) in [Change::SWAP, Change::TO_TEXT].into_iter().enumerate() {
        let url = url.replace(".sqlite", &format!("{number}.sqlite"));
        let rows = 40;
        let mut file = File::with_rows(&url, change.old_form(), rows).await?;
        let mut counts = Vec::new();
        for (table, old, _) in COLUMNS {
            for number in 0..rows {
                let old_id = change.old_form().literal(id(number));
                let query = format!("SELECT count(*) FROM {table} WHERE {old} = {old_id}");
                counts.extend(file.rows(&query).await?);
            }
        }
        let titles = file.rows("SELECT title FROM parent ORDER BY rowid").await?;
        let plan = file.plan(&change).await?;
        file.change(&plan, Phase::Swap).await?;
        let mut counts_now = Vec::new();
        for (table, _, new) in COLUMNS {
            for number in 0..rows {
                let new_id = change.new_form().literal(id(number));
                let query = format!("SELECT count(*) FROM {table} WHERE {new} = {new_id}");
                counts_now.extend(file.rows(&query).await?);
            }
        }
        assert_eq!(counts, counts_now, "{change:?}");
        assert!(counts.iter().filter(|count| *count != "0").count() > 100);
        assert_eq!(
            file.rows("SELECT title FROM parent ORDER BY rowid").await?,
            titles
        );
        file.run("PRAGMA foreign_keys = ON").await?;
        file.run("DELETE FROM parent WHERE title = 'title 2'")
            .await?;
        let new_id = change.new_form().literal(id(2));
        for (table, _, new) in &COLUMNS[..4] {
            let query = format!("SELECT count(*) FROM {table} WHERE {new} = {new_id}");
            assert_eq!(file.rows(&query).await?, ["0"], "{table}");
        }
        let path = url.trim_start_matches("sqlite://");
        std::fs::remove_file(path.split('?').next().unwrap_or_default())?;
    }
    Ok(())
}

async fn numbers_of_rows_counters_and_triggers_stay(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 20).await?;
    file.run("ANALYZE").await?;
    let queries = [
        "SELECT rowid, title, upper_title FROM parent ORDER BY rowid",
        "SELECT number, note FROM child ORDER BY number",
        "SELECT rowid, day FROM visit ORDER BY rowid",
        "SELECT name, seq FROM sqlite_sequence ORDER BY name",
        "SELECT tbl, CAST(stat AS INTEGER) FROM sqlite_stat1 ORDER BY tbl, idx",
        "SELECT * FROM titles_only",
    ];
    let mut before = Vec::new();
    for query in queries {
        before.push(file.rows(query).await?);
    }
    let plan = file.plan(&Change::SWAP).await?;
    file.change(&plan, Phase::Swap).await?;
    for (query, before) in queries.into_iter().zip(before) {
        assert!(!before.is_empty(), "{query}");
        assert_eq!(file.rows(query).await?, before, "{query}");
    }
    file.run("UPDATE parent SET title = 'changed' WHERE title = 'title 3'")
        .await?;
    assert_eq!(
        file.rows("SELECT entry FROM log").await?,
        ["title 3 -> changed"]
    );
    let used = file
        .rows("EXPLAIN QUERY PLAN SELECT * FROM visit WHERE about_key = X'00'")
        .await?;
    assert!(used[0].contains("visit_by_about"), "{used:?}");
    // The options of the table are still there.
    let strict = file
        .run("INSERT INTO line (parent_id_key, n) VALUES ('text', 1)")
        .await;
    assert!(
        strict
            .unwrap_err()
            .to_string()
            .contains("cannot store TEXT")
    );
    Ok(())
}

async fn programs_with_the_old_declaration_fail(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 5).await?;
    let plan = file.plan(&Change::SWAP).await?;
    file.change(&plan, Phase::Swap).await?;
    let old_id = Change::SWAP.old_form().literal(id(100));
    for old in [
        format!("INSERT INTO parent (id, title) VALUES ({old_id}, 'old')"),
        format!("INSERT INTO visit VALUES ({old_id}, 'old')"),
        format!("UPDATE child SET second = {old_id}"),
        format!("DELETE FROM line WHERE line.parent_id = {old_id}"),
    ] {
        let error = file.run(&old).await.unwrap_err().to_string();
        assert!(
            error.contains("column") && (error.contains("no") || error.contains("values")),
            "{old}: {error}"
        );
    }
    let new_id = Change::SWAP.new_form().literal(id(100));
    file.run("PRAGMA foreign_keys = ON").await?;
    file.run(&format!(
        "INSERT INTO parent (id_key, title) VALUES ({new_id}, 'new')"
    ))
    .await?;
    file.run(&format!(
        "INSERT INTO child (\"parent id_key\") VALUES ({new_id})"
    ))
    .await?;
    Ok(())
}

async fn undoing_gives_back_the_same_definitions(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::TO_TEXT.old_form(), 20).await?;
    let everything = [
        "SELECT rowid, * FROM parent ORDER BY rowid",
        "SELECT * FROM child ORDER BY number",
        "SELECT * FROM line ORDER BY parent_id, n",
        "SELECT rowid, * FROM visit ORDER BY rowid",
        "SELECT name, seq FROM sqlite_sequence ORDER BY name",
    ];
    let definitions = file.definitions().await?;
    let mut before = Vec::new();
    for query in everything {
        before.push(file.rows(query).await?);
    }
    let plan = file.plan(&Change::TO_TEXT).await?;
    for last in Phase::ALL {
        file.change(&plan, last).await?;
        file.undo(&plan).await?;
        assert_eq!(file.definitions().await?, definitions, "{last:?}");
        for (query, before) in everything.into_iter().zip(&before) {
            assert_eq!(file.rows(query).await?, *before, "{last:?}: {query}");
        }
    }
    // The plan still fits the tables.
    file.change(&plan, Phase::Swap).await?;
    Ok(())
}

async fn undoing_keeps_what_was_written_since(url: String) -> anyhow::Result<()> {
    let (old, new) = (Change::SWAP.old_form(), Change::SWAP.new_form());
    let mut file = File::with_rows(&url, old, 10).await?;
    let plan = file.plan(&Change::SWAP).await?;
    file.change(&plan, Phase::Swap).await?;
    file.run("PRAGMA foreign_keys = ON").await?;
    let (added, moved) = (new.literal(id(100)), new.literal(id(101)));
    let (deleted, renamed) = (new.literal(id(3)), new.literal(id(4)));
    file.run(&format!(
        "INSERT INTO parent (id_key, title) VALUES ({added}, 'added');
         INSERT INTO visit (about_key, day) VALUES ({added}, 'friday');
         UPDATE parent SET id_key = {moved}, title = 'moved' WHERE id_key = {};
         DELETE FROM parent WHERE id_key = {deleted};
         UPDATE parent SET title = 'renamed' WHERE id_key = {renamed}",
        new.literal(id(9)),
    ))
    .await
    .unwrap_err();
    // `line` does not cascade updates.
    file.run(&format!(
        "DELETE FROM line WHERE parent_id_key = {};
         UPDATE parent SET id_key = {moved}, title = 'moved' WHERE id_key = {0};
         DELETE FROM parent WHERE id_key = {deleted};
         UPDATE parent SET title = 'renamed' WHERE id_key = {renamed}",
        new.literal(id(9)),
    ))
    .await?;
    file.undo(&plan).await?;
    for (number, title) in [
        (100, "added"),
        (101, "moved"),
        (4, "renamed"),
        (5, "title 5"),
    ] {
        let query = format!(
            "SELECT title FROM parent WHERE id = {}",
            old.literal(id(number))
        );
        assert_eq!(file.rows(&query).await?, [title]);
    }
    for (column, number, count) in [
        ("parent WHERE id", 3, "0"),
        ("parent WHERE id", 9, "0"),
        ("visit WHERE about", 100, "1"),
        ("child WHERE \"parent id\"", 101, "1"),
        ("child WHERE \"parent id\"", 3, "0"),
    ] {
        let id = old.literal(id(number));
        let query = format!("SELECT count(*) FROM {column} = {id}");
        assert_eq!(file.rows(&query).await?, [count], "{query}");
    }
    Ok(())
}

async fn a_contracted_change_leaves_only_the_new_columns(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::TO_TEXT.old_form(), 10).await?;
    // A view that was broken before is not ours.
    file.run("CREATE TABLE gone (a); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone")
        .await?;
    let count = file.definitions().await?.len();
    let plan = file.plan(&Change::TO_TEXT).await?;
    file.contract(&plan).await.unwrap_err();
    file.change(&plan, Phase::Swap).await?;
    file.contract(&plan).await?;
    let definitions = file.definitions().await?;
    assert_eq!(definitions.len(), count);
    let parent = definitions
        .iter()
        .find(|text| text.starts_with("table | parent"));
    assert_eq!(
        parent.map(String::as_str),
        Some(
            "table | parent | parent | CREATE TABLE parent (\n    \
             \"id_key\" TEXT COLLATE BINARY PRIMARY KEY, -- the key\n    \
             title TEXT NOT NULL DEFAULT 'none, yet' CHECK (title <> '') ,\n    \
             upper_title TEXT AS (upper(title)) STORED\n)"
        )
    );
    let error = file.undo(&plan).await.unwrap_err().to_string();
    assert!(error.contains("nothing to undo"), "{error}");
    Ok(())
}

async fn an_unused_change_can_be_repeated(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 10).await?;
    let plan = file.plan(&Change::SWAP).await?;
    for last in [Phase::Expand, Phase::Expand, Phase::Check, Phase::Swap] {
        file.change(&plan, last).await?;
    }
    let definitions = file.definitions().await?;
    file.change(&plan, Phase::Swap).await?;
    assert_eq!(file.definitions().await?, definitions);
    Ok(())
}
