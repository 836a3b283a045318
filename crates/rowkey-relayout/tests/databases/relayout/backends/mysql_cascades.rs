//! MySQL and MariaDB: cascades of programs while a change is under way, and the tables that have them.
//!
//! Programs write to tables that change, and to tables beside them that do not. Each statement has
//! to succeed on both, and both have to have the same rows after each phase.

use anyhow::{Context, Result, ensure};
use rowkey_core::Backend;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{LeftOut, Plan, Request};
use rowkey_tables::Connection;
use rowkey_tables::catalog::Catalog;
use rowkey_testkit::{Server, Suite};

use super::mysql::execute;
use crate::relayout::rows::Random;
use crate::relayout::shop::{self, NEW, Names, OLD, Shop, number, text};
use crate::relayout::{add_on, on_shop};

/// Has the address of a MySQL server of version 9.6 or later that was started without
/// `--innodb-native-foreign-keys`.
const DEFAULTS: &str = "ROWKEY_TEST_MYSQL_DEFAULTS_URL";

const BOTH: [Backend; 2] = [Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    add_on(suite, &BOTH, "deletions_reach_everything_below", tree);
    add_on(suite, &BOTH, "deletions_go_round_in_circles", circle);
    let name = "tables_that_refer_to_rebuilt_ones_are_rebuilt";
    add_on(suite, &BOTH, name, followers);
    let name = "actions_of_foreign_keys_that_the_server_carries_out_are_refused";
    match std::env::var(DEFAULTS) {
        Ok(url) => suite.test_on_server(Backend::MySql, name, move |_| {
            let database = Server::at(Backend::MySql, url).create_database()?;
            on_shop(&database, &refused)
        }),
        Err(_) => suite.ignore_on(Backend::MySql, name, &format!("{DEFAULTS} is not set")),
    }
}

/// A foreign key follows a table that is renamed, so that it would lead to the old table.
async fn followers(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let create = "CREATE TABLE remark (number BIGINT NOT NULL PRIMARY KEY, child_number BIGINT, \
                  before_number BIGINT, CONSTRAINT remark_child FOREIGN KEY (child_number) \
                  REFERENCES child (number) ON DELETE CASCADE ON UPDATE CASCADE, \
                  FOREIGN KEY (before_number) REFERENCES remark (number) ON DELETE CASCADE) \
                  ENGINE=InnoDB";
    execute(&mut connection, &[create]).await?;
    let rows = shop.fill(OLD, 60, 58).await?;
    let fill = "INSERT INTO remark SELECT number, number, NULLIF(number - 1, -1) FROM child \
                ORDER BY number";
    execute(&mut connection, &[fill]).await?;
    let before = Catalog::read(&mut connection).await?;
    let plan = shop.plan(OLD, NEW).await?;
    ensure!(plan.rebuilt == ["remark".into()], "{:?}", plan.rebuilt);
    let plan = Plan::from_toml(&plan.to_toml()?)?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await?;
    let orphan = "INSERT INTO remark VALUES (-1, -1, NULL)";
    ensure!(connection.execute("an orphan", orphan).await.is_err());
    // A remark goes with its child and with the remark before it, in both tables.
    execute(&mut connection, &["DELETE FROM child WHERE number = 50"]).await?;
    let count = "SELECT COUNT(*) FROM remark";
    ensure!(number(&mut connection, count).await? == 50);
    shop.undo(&plan).await?;
    ensure!(number(&mut connection, count).await? == 50);
    let after = Catalog::read(&mut connection).await?;
    let remark = "remark".into();
    ensure!(before.hash(&[remark]) == after.hash(&["remark".into()]));

    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.contract(&plan).await?;
    let after = Catalog::read(&mut connection).await?;
    let keys = after.table(&"remark".into())?.foreign_keys.iter();
    let mut names: Vec<[&str; 2]> = keys
        .map(|key| [key.name.as_str(), key.target.name.as_str()])
        .collect();
    names.sort_unstable();
    ensure!(
        names == [["remark_child", "child"], ["remark_ibfk_1", "remark"]],
        "{names:?}"
    );
    Ok(())
}

/// Tables whose names begin with `{t}`: that is nothing for those that change, and `twin_` for the
/// others. `{key}` is the type of ids. In statements, `#1` is the id of the row that has the number
/// `%1`.
struct Twins<'s> {
    shop: &'s Shop,
    connection: Connection,
    /// What is compared: queries of one text.
    queries: &'s [&'s str],
}

impl<'s> Twins<'s> {
    /// Makes the tables, with as many rows for each moment at which programs write.
    async fn create(
        shop: &'s Shop,
        tables: &[&str],
        rows: &[&str],
        queries: &'s [&'s str],
    ) -> Result<Self> {
        let mut twins = Self {
            shop,
            connection: shop.connect().await?,
            queries,
        };
        let key = shop.dialect.form(OLD)?.sql_type();
        for table in tables {
            let table = table.replace("{key}", &key);
            twins.write(Names::Old, 0, &table).await?;
        }
        for round in 0..Phase::ALL.len() {
            for insert in rows {
                twins.write(Names::Old, round, insert).await?;
            }
        }
        Ok(twins)
    }

    /// Runs a statement on the tables, whose columns have these names now, and on their twins.
    async fn write(&mut self, names: Names, round: usize, statement: &str) -> Result<()> {
        let form = match names {
            Names::Old => OLD,
            Names::New => NEW,
        };
        for (names, form, prefix) in [(names, form, ""), (Names::Old, OLD, "twin_")] {
            let sql = self.with_numbers(statement, form, round)?;
            let sql = names.in_sql(&sql).replace("{t}", prefix);
            self.connection.execute(&sql, &sql).await?;
        }
        Ok(())
    }

    fn with_numbers(&self, statement: &str, form: &str, round: usize) -> Result<String> {
        let form = self.shop.dialect.form(form)?;
        let mut parts = statement.split_inclusive(['#', '%']);
        let mut sql = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let marker = sql.pop();
            let end = part.find(|one: char| !one.is_ascii_digit());
            let (number, rest) = part.split_at(end.unwrap_or(part.len()));
            let number = number.parse::<u64>().with_context(|| sql.clone())? + 100 * round as u64;
            sql += &match marker {
                Some('#') => form.literal(Random(number).id()),
                _ => number.to_string(),
            };
            sql += rest;
        }
        Ok(sql)
    }

    async fn expect_equal(&mut self, names: Names) -> Result<()> {
        for query in self.queries {
            let found = names.in_sql(query).replace("{t}", "");
            let found = text(&mut self.connection, &found).await?;
            let twin = Names::Old.in_sql(query).replace("{t}", "twin_");
            let twin = text(&mut self.connection, &twin).await?;
            ensure!(found == twin, "{query}: {found} instead of {twin}");
        }
        Ok(())
    }

    /// Lets programs write after each phase, and compares; then once more after the way back.
    async fn follow(&mut self, key_table: &str, writes: &[&str]) -> Result<()> {
        let plan = plan(self.shop, key_table).await?;
        for (round, last) in Phase::ALL.into_iter().enumerate() {
            self.shop.run(&plan, last).await?;
            let names = match last {
                Phase::Swap => Names::New,
                _ => Names::Old,
            };
            for statement in writes {
                self.write(names, round, statement).await?;
            }
            self.expect_equal(names).await?;
        }
        self.shop.undo(&plan).await?;
        self.expect_equal(Names::Old).await
    }
}

async fn plan(shop: &Shop, key_table: &str) -> Result<Plan> {
    let request = Request {
        table: key_table.into(),
        unasserted: Vec::new(),
        ..shop.request(OLD, NEW)
    };
    let mut plan = shop.plan_for(&request).await?;
    // It has the same ids.
    plan.left_out.push(LeftOut {
        table: format!("twin_{key_table}").into(),
        column: "id".into(),
    });
    Ok(plan)
}

/// A tree, and below its nodes rows that go, rows that lose their node, and rows of composite keys.
async fn tree(shop: Shop) -> Result<()> {
    let tables = [
        "CREATE TABLE {t}node ({id} {key} NOT NULL PRIMARY KEY, n INT NOT NULL, {above_id} {key} NULL) ENGINE=InnoDB",
        "CREATE TABLE {t}item (n INT NOT NULL PRIMARY KEY, {parent_id} {key} NOT NULL, FOREIGN KEY ({parent_id}) \
         REFERENCES {t}node ({id}) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB",
        "CREATE TABLE {t}memo (n INT NOT NULL PRIMARY KEY, {parent_id} {key} NULL, \
         at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, FOREIGN KEY ({parent_id}) \
         REFERENCES {t}node ({id}) ON DELETE SET NULL ON UPDATE CASCADE) ENGINE=InnoDB",
        "CREATE TABLE {t}grid ({parent_id} {key} NOT NULL, x INT NOT NULL, PRIMARY KEY ({parent_id}, x), \
         FOREIGN KEY ({parent_id}) REFERENCES {t}node ({id}) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB",
        "CREATE TABLE {t}cell ({parent_id} {key} NOT NULL, x INT NOT NULL, y INT NOT NULL, \
         PRIMARY KEY ({parent_id}, x, y), FOREIGN KEY ({parent_id}, x) REFERENCES {t}grid ({parent_id}, x) \
         ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB",
        "ALTER TABLE {t}node ADD FOREIGN KEY ({above_id}) REFERENCES {t}node ({id}) ON DELETE CASCADE",
    ];
    // A chain of four, one that stands alone, one with two below it, and two that refer to each
    // other.
    let rows = [
        "INSERT INTO {t}node VALUES (#1, %1, NULL), (#2, %2, #1), (#3, %3, #2), (#4, %4, #3), (#5, %5, NULL), \
         (#6, %6, NULL), (#7, %7, #6), (#8, %8, #6), (#9, %9, NULL), (#10, %10, #9)",
        "UPDATE {t}node SET {above_id} = #10 WHERE n = %9",
        "INSERT INTO {t}item VALUES (%1, #1), (%2, #1), (%3, #3), (%4, #4), (%5, #5), (%6, #6), (%7, #7), (%10, #10)",
        "INSERT INTO {t}memo VALUES (%2, #2, '2001-02-03 04:05:06'), (%4, #4, '2001-02-03 04:05:06'), \
         (%5, #5, '2001-02-03 04:05:06'), (%8, #8, '2001-02-03 04:05:06')",
        "INSERT INTO {t}grid VALUES (#4, 1), (#4, 2), (#5, 1), (#7, 1), (#10, 1)",
        "INSERT INTO {t}cell VALUES (#4, 1, 1), (#4, 2, 1), (#4, 2, 2), (#5, 1, 1), (#5, 1, 2), (#7, 1, 1)",
    ];
    let queries = [
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(k.n, '<', COALESCE(p.n, '-') ORDER BY k.n)) \
         FROM {t}node k LEFT JOIN {t}node p ON p.{id} = k.{above_id}",
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(i.n, '<', k.n ORDER BY i.n)) \
         FROM {t}item i JOIN {t}node k ON k.{id} = i.{parent_id}",
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(m.n, '<', COALESCE(k.n, '-'), ' ', m.at ORDER BY m.n)) \
         FROM {t}memo m LEFT JOIN {t}node k ON k.{id} = m.{parent_id}",
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(k.n, ' ', g.x ORDER BY k.n, g.x)) \
         FROM {t}grid g JOIN {t}node k ON k.{id} = g.{parent_id}",
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(k.n, ' ', c.x, ' ', c.y ORDER BY k.n, c.x, c.y)) \
         FROM {t}cell c JOIN {t}node k ON k.{id} = c.{parent_id}",
    ];
    let writes = [
        "UPDATE {t}node SET {id} = #50 WHERE n = %5",
        "INSERT INTO {t}node ({id}, n, {above_id}) VALUES (#51, %51, #50)",
        "DELETE FROM {t}node WHERE n IN (%1, %5)",
        "DELETE FROM {t}node WHERE n = %6",
        "DELETE FROM {t}node WHERE n = %9",
    ];
    let mut twins = Twins::create(&shop, &tables, &rows, &queries).await?;
    twins.follow("node", &writes).await
}

/// People have addresses, and one of those is theirs; some have a superior.
async fn circle(shop: Shop) -> Result<()> {
    let tables = [
        "CREATE TABLE {t}person ({id} {key} NOT NULL PRIMARY KEY, n INT NOT NULL, {above_id} {key} NULL, home INT NULL, \
         FOREIGN KEY ({above_id}) REFERENCES {t}person ({id}) ON DELETE SET NULL) ENGINE=InnoDB",
        "CREATE TABLE {t}address (n INT NOT NULL PRIMARY KEY, {parent_id} {key} NOT NULL, FOREIGN KEY ({parent_id}) \
         REFERENCES {t}person ({id}) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB",
        "ALTER TABLE {t}person ADD FOREIGN KEY (home) REFERENCES {t}address (n) ON DELETE SET NULL ON UPDATE CASCADE",
    ];
    let rows = [
        "INSERT INTO {t}person VALUES (#1, %1, NULL, NULL), (#2, %2, #1, NULL), (#3, %3, #1, NULL), (#4, %4, #3, NULL)",
        "INSERT INTO {t}address VALUES (%1, #1), (%2, #2), (%3, #3), (%4, #4), (%5, #1), (%6, #2)",
        "UPDATE {t}person SET home = n",
    ];
    let queries = [
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(k.n, ' ', COALESCE(k.home, '-'), '<', COALESCE(p.n, '-') \
         ORDER BY k.n)) FROM {t}person k LEFT JOIN {t}person p ON p.{id} = k.{above_id}",
        "SELECT CONCAT(COUNT(*), ':', GROUP_CONCAT(a.n, '<', k.n ORDER BY a.n)) \
         FROM {t}address a JOIN {t}person k ON k.{id} = a.{parent_id}",
    ];
    let writes = [
        "DELETE FROM {t}address WHERE n = %2",
        "UPDATE {t}address SET n = %60 WHERE n = %3",
        "DELETE FROM {t}person WHERE n = %1",
        "UPDATE {t}person SET {id} = #50 WHERE n = %2",
        "DELETE FROM {t}person WHERE n = %3",
    ];
    let mut twins = Twins::create(&shop, &tables, &rows, &queries).await?;
    twins.follow("person", &writes).await
}

/// A server that carries out foreign keys itself loses writes in cascades. Foreign keys without
/// actions are none.
async fn refused(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let key = shop.dialect.form(OLD)?.sql_type();
    for (number, action) in [
        "ON DELETE CASCADE",
        "ON DELETE SET NULL",
        "ON UPDATE CASCADE",
        "ON UPDATE SET NULL",
        "ON DELETE RESTRICT ON UPDATE NO ACTION",
    ]
    .into_iter()
    .enumerate()
    {
        for table in [
            format!("CREATE TABLE one{number} (id {key} NOT NULL PRIMARY KEY) ENGINE=InnoDB"),
            format!(
                "CREATE TABLE other{number} (n INT NOT NULL PRIMARY KEY, one_id {key} NULL, \
                 CONSTRAINT of_one{number} FOREIGN KEY (one_id) REFERENCES one{number} (id) {action}) ENGINE=InnoDB"
            ),
        ] {
            connection.execute("a table", &table).await?;
        }
        let plan = plan(&shop, &format!("one{number}")).await?;
        if action.contains("RESTRICT") {
            shop.run(&plan, Phase::Swap).await?;
            continue;
        }
        let found = shop::refused(shop.run(&plan, Phase::Swap).await, &[])?;
        let names_key = found.contains(&format!("of_one{number} of other{number}"));
        ensure!(
            names_key && found.contains("--innodb-native-foreign-keys=ON"),
            "{found}"
        );
    }
    Ok(())
}
