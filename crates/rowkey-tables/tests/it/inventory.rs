//! What an inventory says about tables with and without constraints.

use rowkey_tables::inventory::{Evidence, Holds, Inventory, Origin};
use rowkey_tables::{Address, Connection};

async fn inventory(sql: &str) -> anyhow::Result<Inventory> {
    let address: Address = "sqlite::memory:".parse()?;
    let mut connection = Connection::open(&address).await?;
    connection.execute("the tables", sql).await?;
    Ok(Inventory::read(&mut connection).await?)
}

/// The references as lines: columns, target, and who says so.
fn references(inventory: &Inventory) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &inventory.tables {
        for reference in &table.references {
            let origin = match &reference.origin {
                Origin::Declared { on_delete, .. } => format!("declared, {on_delete}"),
                Origin::Likely { reason, evidence } => {
                    let Evidence { sampled, found } = evidence.unwrap_or(Evidence {
                        sampled: 0,
                        found: 0,
                    });
                    format!("{reason} ({found} of {sampled})")
                }
            };
            lines.push(format!(
                "{}.{} -> {}.{}: {origin}",
                table.table,
                reference.columns.join("+"),
                reference.target,
                reference.target_columns.join("+"),
            ));
        }
    }
    lines
}

#[tokio::test]
async fn keys_are_single_columns_that_can_hold_ids() -> anyhow::Result<()> {
    let found = inventory(
        "CREATE TABLE a (id BLOB PRIMARY KEY, code VARCHAR(20) UNIQUE, at REAL UNIQUE, n INT);
         CREATE UNIQUE INDEX by_n ON a (n);
         CREATE TABLE b (x TEXT, y TEXT, PRIMARY KEY (x, y));
         CREATE TABLE rowkey_id_map (table_name TEXT PRIMARY KEY);
         CREATE VIEW v AS SELECT code FROM a;",
    )
    .await?;
    let [a, b] = &found.tables[..] else {
        panic!("{found:?}")
    };
    let keys: Vec<_> = a
        .keys
        .iter()
        .map(|key| (key.column.as_str(), key.is_primary, key.holds))
        .collect();
    assert_eq!(
        keys,
        [
            ("id", true, Holds::Bytes),
            ("code", false, Holds::Text),
            ("n", false, Holds::Number),
        ]
    );
    assert!(a.composite_keys.is_empty() && b.keys.is_empty());
    let [composite] = &b.composite_keys[..] else {
        panic!("{b:?}")
    };
    assert_eq!(
        (&composite.columns[..], composite.is_primary),
        (&["x".to_owned(), "y".to_owned()][..], true)
    );
    assert_eq!(a.dependents[0].name, "v");
    assert_eq!(a.dependents[0].columns, ["code"]);
    Ok(())
}

#[tokio::test]
async fn references_without_a_constraint_are_found_by_names_types_and_values() -> anyhow::Result<()>
{
    let found = inventory(
        "CREATE TABLE offers (id BLOB PRIMARY KEY, parent_id BLOB, code TEXT);
         CREATE TABLE shop_category (category_key INTEGER PRIMARY KEY);
         CREATE TABLE line (
             id INTEGER PRIMARY KEY,
             offer_id BLOB REFERENCES offers ON DELETE CASCADE,
             other_offer_id BLOB, offerId BLOB, categoryId INTEGER, category_key INTEGER,
             code_id TEXT, offer_uuid TEXT, paid INTEGER
         );
         INSERT INTO offers VALUES (X'01', NULL, 'a'), (X'02', X'01', 'b');
         INSERT INTO shop_category VALUES (7);
         INSERT INTO line VALUES (1, X'01', X'02', NULL, 7, 7, 'a', 'b', 1),
             (2, X'01', X'99', NULL, 8, 9, 'a', 'b', 1);",
    )
    .await?;
    assert_eq!(
        references(&found),
        [
            "line.offer_id -> offers.id: declared, CASCADE",
            "line.other_offer_id -> offers.id: its name ends with that of the table offers, \
             and the types agree (1 of 2)",
            "line.offerId -> offers.id: its name is that of the table offers, and the types agree \
             (0 of 0)",
            "line.categoryId -> shop_category.category_key: its name is the end of the name of the \
             table shop_category, and the types agree (1 of 2)",
            "line.category_key -> shop_category.category_key: it has the name of the key of \
             shop_category, and the types agree (1 of 2)",
            "offers.parent_id -> offers.id: its name says that it refers to another row of the \
             table, and the types agree (1 of 1)",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_name_without_a_single_value_in_its_target_is_no_reference() -> anyhow::Result<()> {
    let found = inventory(
        "CREATE TABLE session (id INTEGER PRIMARY KEY);
         CREATE TABLE visit (session_id INTEGER);
         INSERT INTO session VALUES (1);
         INSERT INTO visit VALUES (100), (200);",
    )
    .await?;
    assert_eq!(references(&found), [""; 0]);
    Ok(())
}

#[tokio::test]
async fn most_of_the_values_of_a_reference_exist() -> anyhow::Result<()> {
    let found = inventory(
        "CREATE TABLE session (id INTEGER PRIMARY KEY);
         CREATE TABLE visit (session_id INTEGER);
         CREATE TABLE click (session_id INTEGER);
         INSERT INTO session VALUES (1), (2);
         INSERT INTO visit VALUES (1), (200), (300);
         INSERT INTO click VALUES (1), (2), (300);",
    )
    .await?;
    assert_eq!(
        references(&found),
        [
            "click.session_id -> session.id: its name is that of the table session, and the types \
          agree (2 of 3)"
        ]
    );
    Ok(())
}

/// Counted keys, keys of the table itself, and records of tools have names and numbers like
/// references.
#[tokio::test]
async fn what_a_table_counts_or_a_tool_records_is_no_reference() -> anyhow::Result<()> {
    let found = inventory(
        "CREATE TABLE address (id INTEGER PRIMARY KEY);
         CREATE TABLE customer_address (address_id INTEGER PRIMARY KEY);
         CREATE TABLE customer_place (address_id INTEGER PRIMARY KEY AUTOINCREMENT);
         CREATE TABLE category (id INTEGER PRIMARY KEY, category_id INTEGER, first_category_id INTEGER);
         CREATE TABLE blog_post (id INTEGER PRIMARY KEY, post_id INTEGER, parent_id INTEGER);
         CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY, blog_post_id INTEGER);
         CREATE TABLE deployment (id INTEGER PRIMARY KEY, version_id VARCHAR(32), alembic_version_id TEXT,
             subject_id TEXT, subject_type TEXT);
         INSERT INTO address VALUES (1), (2);
         INSERT INTO customer_address VALUES (1), (2);
         INSERT INTO customer_place VALUES (1), (2);
         INSERT INTO category VALUES (1, 1, 1), (2, 2, 1);
         INSERT INTO blog_post VALUES (1, 1, NULL), (2, 2, 1);
         INSERT INTO alembic_version VALUES ('a', 1);
         INSERT INTO deployment VALUES (1, 'a', 'a', 'a', 'AlembicVersion');",
    )
    .await?;
    assert_eq!(
        references(&found),
        [
            "blog_post.parent_id -> blog_post.id: its name says that it refers to another row of \
             the table, and the types agree (1 of 1)",
            "category.first_category_id -> category.id: its name ends with that of the table \
             category, and the types agree (2 of 2)",
        ]
    );
    Ok(())
}

/// As the sites of WordPress have them.
#[tokio::test]
async fn of_tables_that_exist_once_for_each_site_only_those_of_the_own_are_meant()
-> anyhow::Result<()> {
    let mut sql = String::new();
    for site in ["wp_", "wp_2_", "wp_3_", "wp_12_"] {
        sql += &format!(
            "CREATE TABLE {site}posts (id INTEGER PRIMARY KEY, title TEXT);
             CREATE TABLE {site}terms (taxonomy_id TEXT PRIMARY KEY);
             CREATE TABLE {site}postmeta (meta TEXT, post_id INTEGER, taxonomy_id TEXT);
             INSERT INTO {site}posts VALUES (1, ''), (2, '');
             INSERT INTO {site}terms VALUES ('a');
             INSERT INTO {site}postmeta VALUES ('', 1, 'a'), ('', 2, 'a');"
        );
    }
    // Nothing says to which site these belong, and these letters are no number.
    sql += "DROP TABLE wp_3_posts;
         CREATE TABLE news2 (post_id INTEGER); INSERT INTO news2 VALUES (1);
         CREATE TABLE act_ru_task (id INTEGER PRIMARY KEY); INSERT INTO act_ru_task VALUES (1);
         CREATE TABLE act_hi_task (id INTEGER PRIMARY KEY); INSERT INTO act_hi_task VALUES (1);
         CREATE TABLE act_ru_link (task_id INTEGER); INSERT INTO act_ru_link VALUES (1);";
    let found = inventory(&sql).await?;
    let mut pairs = references(&found);
    for pair in &mut pairs {
        let end = pair.find(':').unwrap_or(pair.len());
        pair.truncate(end);
    }
    pairs.sort();
    let mut expected = vec![
        "act_ru_link.task_id -> act_hi_task.id",
        "act_ru_link.task_id -> act_ru_task.id",
        "news2.post_id -> wp_12_posts.id",
        "news2.post_id -> wp_2_posts.id",
        "news2.post_id -> wp_posts.id",
        "wp_12_postmeta.post_id -> wp_12_posts.id",
        "wp_12_postmeta.taxonomy_id -> wp_12_terms.taxonomy_id",
        "wp_2_postmeta.post_id -> wp_2_posts.id",
        "wp_2_postmeta.taxonomy_id -> wp_2_terms.taxonomy_id",
        "wp_3_postmeta.post_id -> wp_posts.id",
        "wp_3_postmeta.taxonomy_id -> wp_3_terms.taxonomy_id",
        "wp_postmeta.post_id -> wp_posts.id",
        "wp_postmeta.taxonomy_id -> wp_terms.taxonomy_id",
    ];
    expected.sort_unstable();
    assert_eq!(pairs, expected);
    Ok(())
}

#[tokio::test]
async fn polymorphic_references_have_a_target_for_each_kind() -> anyhow::Result<()> {
    let found = inventory(
        "CREATE TABLE posts (id INTEGER PRIMARY KEY);
         CREATE TABLE users (id TEXT PRIMARY KEY);
         CREATE TABLE comments (commentable_type TEXT, commentable_id INTEGER);
         INSERT INTO posts VALUES (1), (2);
         INSERT INTO comments VALUES ('Post', 1), ('App\\Models\\Post', 2), ('App\\Models\\Post', 3),
             ('shop.Post', 1), ('shop.Post', 3), ('shop.Post', 4), ('User', 1), (NULL, 1);",
    )
    .await?;
    assert_eq!(
        references(&found),
        [
            "comments.commentable_id -> posts.id: it is polymorphic: commentable_type says \
             `App\\Models\\Post` (1 of 2)",
            "comments.commentable_id -> posts.id: it is polymorphic: commentable_type says \
             `Post` (1 of 1)",
        ]
    );
    assert_eq!(
        found.unseen,
        [
            "comments.commentable_type says `User`, and no table of that name has a key of the \
             type of commentable_id"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn records_of_tools_are_told_from_tables_of_the_same_name() -> anyhow::Result<()> {
    let key = "id INTEGER PRIMARY KEY";
    for (name, columns, is_of_tool) in [
        ("migrations", "migration TEXT, batch INTEGER", true),
        ("migrations", "timestamp BIGINT, name TEXT", true),
        (
            "migrations",
            "migration TEXT, batch INTEGER, bird TEXT",
            false,
        ),
        ("migrations", "name TEXT", false),
        (
            "schema_migration",
            "version TEXT, version_self INTEGER",
            true,
        ),
        ("schema_migration", "name TEXT", false),
        ("SchemaVersions", "ScriptName TEXT, Applied TEXT", true),
        ("SchemaVersions", "ScriptName TEXT", false),
    ] {
        let referring = name.trim_end_matches('s');
        let found = inventory(&format!(
            "CREATE TABLE {name} ({key}, {columns});
             CREATE TABLE deploy ({referring}_id INTEGER);"
        ))
        .await?;
        assert_eq!(references(&found).is_empty(), is_of_tool, "{columns}");
    }
    let names = [
        "phinxlog",
        "blog_phinxlog",
        "doctrine_migration_versions",
        "gh_ost_migrations",
        "atlas_schema_revisions",
        "mikro_orm_migrations",
        "typeorm_metadata",
        "__efmigrationshistory",
    ];
    for name in names {
        let found = inventory(&format!(
            "CREATE TABLE customer (id INTEGER PRIMARY KEY);
             CREATE TABLE {name} (id INTEGER PRIMARY KEY, customer_id INTEGER);
             CREATE TABLE deploy ({name}_id INTEGER);"
        ))
        .await?;
        assert_eq!(references(&found), [""; 0], "{name}");
    }
    Ok(())
}
