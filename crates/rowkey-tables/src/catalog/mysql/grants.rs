//! What the account's grants hide: the catalogue silently omits what the account may not see.

use rowkey_core::Backend;

use crate::connection::{Connection, Row};
use crate::error::Error;

/// Servers that were started without accounts do not answer questions about them.
const WITHOUT_ACCOUNTS: u16 = 1290;

/// What MySQL says of a session without roles.
const NO_ROLE: &str = "NONE";

/// What needs a privilege to be shown in full.
const SHOWN: [(&str, &str); 4] = [
    (
        "SELECT",
        "tables and columns that the account has no privilege on, and foreign keys of such tables",
    ),
    ("TRIGGER", "triggers"),
    ("EVENT", "events"),
    ("EXECUTE", "routines"),
];

/// The privileges for a change, which makes tables, triggers and indexes under new names.
const CHANGING: [&str; 9] = [
    "ALTER", "CREATE", "DELETE", "DROP", "INDEX", "INSERT", "SELECT", "TRIGGER", "UPDATE",
];

/// What the account may do in all of the connection's database.
pub struct Grants {
    database: String,
    /// Nothing if the server has no accounts.
    privileges: Option<Vec<String>>,
}

impl Grants {
    /// Asks the server.
    pub async fn read(connection: &mut Connection) -> Result<Self, Error> {
        let doing = "the database of the connection";
        let row = connection.one_row(doing, "SELECT DATABASE()", &[]).await?;
        let mut grants = Self {
            database: row.text(0)?.to_owned(),
            privileges: None,
        };
        let doing = "the privileges of the account";
        let mut rows = match connection.query(doing, "SHOW GRANTS", &[]).await {
            Err(error) if error.mysql_number() == Some(WITHOUT_ACCOUNTS) => return Ok(grants),
            rows => rows?,
        };
        let is_role = |row: &Row| row.text(0).is_ok_and(|line| !line.contains(" ON "));
        // MariaDB adds the lines of the role that the session has.
        if connection.backend() == Backend::MySql && rows.iter().any(is_role) {
            let roles = connection.one_row(doing, "SELECT CURRENT_ROLE()", &[]);
            let roles = roles.await?;
            let roles = roles.text(0)?;
            if roles != NO_ROLE {
                let query = format!("SHOW GRANTS FOR CURRENT_USER() USING {roles}");
                rows = connection.query(doing, &query, &[]).await?;
            }
        }
        let mut privileges = Vec::new();
        for row in &rows {
            privileges.extend(privileges_on(row.text(0)?, &grants.database).map(str::to_owned));
        }
        grants.privileges = Some(privileges);
        Ok(grants)
    }

    /// Whether the account has a privilege on all of the database.
    pub fn has(&self, privilege: &str) -> bool {
        let Some(privileges) = &self.privileges else {
            return true;
        };
        let is_it = |known: &String| known == privilege || known == "ALL PRIVILEGES";
        privileges.iter().any(is_it)
    }

    /// What the catalogue may not show, as sentences.
    pub(super) fn unseen(&self) -> Vec<String> {
        let missing = SHOWN
            .iter()
            .filter(|(privilege, _)| !self.has(privilege))
            .map(|(privilege, what)| {
                let database = &self.database;
                format!("{what}: the account has no {privilege} on all of the database {database}")
            });
        missing.collect()
    }

    /// What the account lacks to change tables.
    pub fn missing_for_a_change(&self) -> Vec<&'static str> {
        let missing = CHANGING.into_iter();
        missing.filter(|privilege| !self.has(privilege)).collect()
    }

    /// The database that the connection has chosen.
    pub fn database(&self) -> &str {
        &self.database
    }
}

/// The privileges that a line of `SHOW GRANTS` gives on all of a database.
fn privileges_on<'l>(line: &'l str, database: &str) -> impl Iterator<Item = &'l str> {
    let grant = line.strip_prefix("GRANT ").unwrap_or_default();
    // The same characters can be within a name, which has quotes.
    let is_outside = |start: usize| grant[..start].matches('`').count().is_multiple_of(2);
    let mut places = grant.match_indices(" ON ");
    let on = places.find(|(start, _)| is_outside(*start));
    let (privileges, scope) = on.map_or(("", ""), |(start, on)| {
        (&grant[..start], &grant[start + on.len()..])
    });
    let is_meant = scope.starts_with("*.* TO ")
        || quoted(scope).is_some_and(|(pattern, rest)| {
            rest.starts_with(".* TO ") && is_like(database.as_bytes(), pattern.as_bytes())
        });
    // Privileges on columns have a list of these in parentheses, and are never on a whole database.
    let privileges = privileges.split(", ");
    privileges.filter(move |privilege| is_meant && !privilege.is_empty())
}

/// The name in the quotes at the beginning of a text, and what comes behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text.strip_prefix('`')?;
    loop {
        let (part, behind) = rest.split_once('`')?;
        name += part;
        match behind.strip_prefix('`') {
            Some(more) => {
                name.push('`');
                rest = more;
            }
            None => return Some((name, behind)),
        }
    }
}

/// Whether a name matches a pattern of a grant, in which `_` is any character, `%` any characters,
/// and a backslash takes their meaning away.
fn is_like(name: &[u8], pattern: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'%', rest @ ..] => (0..=name.len()).any(|skipped| is_like(&name[skipped..], rest)),
        [b'\\', literal, rest @ ..] => name.first() == Some(literal) && is_like(&name[1..], rest),
        [b'_', rest @ ..] => !name.is_empty() && is_like(&name[1..], rest),
        [literal, rest @ ..] => name.first() == Some(literal) && is_like(&name[1..], rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_grants_on_the_whole_database_count() {
        for (line, expected) in [
            ("GRANT ALL PRIVILEGES ON *.* TO `a`@`%`", "ALL PRIVILEGES"),
            ("GRANT SELECT, EVENT ON `shop`.* TO `a`@`%`", "SELECT+EVENT"),
            ("GRANT SELECT ON `sh%`.* TO `a`@`%`", "SELECT"),
            ("GRANT SELECT ON `sho_`.* TO `a`@`%`", "SELECT"),
            (r"GRANT SELECT ON `sho\_`.* TO `a`@`%`", ""),
            ("GRANT SELECT ON `shop2`.* TO `a`@`%`", ""),
            ("GRANT SELECT ON `shop`.`offer` TO `a`@`%`", ""),
            (
                "GRANT SELECT (`a ON *.* TO b`) ON `shop`.`t` TO `a`@`%`",
                "",
            ),
            ("GRANT `reader`@`%` TO `a`@`%`", ""),
            ("GRANT USAGE ON *.* TO `a`@`%`", "USAGE"),
        ] {
            let found: Vec<&str> = privileges_on(line, "shop").collect();
            assert_eq!(found.join("+"), expected, "{line}");
        }
    }

    #[test]
    fn a_backtick_in_a_name_is_doubled() {
        assert_eq!(quoted("`a``b`.* TO x"), Some(("a`b".into(), ".* TO x")));
        assert_eq!(quoted("`a"), None);
    }
}
