//! The statement that made a table, and the same statement with other types.
//!
//! SQLite keeps the text of `CREATE TABLE`, and no list of its parts. It is changed in place, so
//! that whatever else it says stays as it was written.

use std::ops::Range;

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::sqlite::{Token, end_of_group, parts, tokens};

/// A name in SQL.
pub(super) fn quote(name: &str) -> Result<String, Error> {
    Ok(quote_identifier(Backend::Sqlite, name)?)
}

/// What ends the type of a column.
const COLUMN_CONSTRAINTS: [&str; 10] = [
    "CONSTRAINT",
    "PRIMARY",
    "NOT",
    "NULL",
    "UNIQUE",
    "CHECK",
    "DEFAULT",
    "COLLATE",
    "REFERENCES",
    "AS",
];

/// What begins a constraint of the table.
const TABLE_CONSTRAINTS: [&str; 5] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

/// A `CREATE TABLE` in parts.
pub(super) struct Definition<'s> {
    sql: &'s str,
    tokens: Vec<Token>,
    /// The tokens of each column.
    columns: Vec<Range<usize>>,
    /// The tokens after the columns and constraints, such as `WITHOUT ROWID`.
    options: Range<usize>,
}

/// The change of a column.
pub(super) struct Retyped<'c> {
    /// The column's name in the statement.
    pub(super) column: &'c str,
    /// The column's new type.
    pub(super) sql_type: String,
    /// Whether the statement has to say that it is never NULL, which is implied only for some
    /// types.
    pub(super) is_required: bool,
    /// The name of a column of the old type for the old values, as written in SQL, if they are
    /// kept.
    pub(super) kept: Option<String>,
}

impl<'s> Definition<'s> {
    /// Reads a statement.
    pub(super) fn read(sql: &'s str) -> Result<Self, Error> {
        let tokens = tokens(sql)?;
        let unreadable = || Error::Differs {
            what: format!("the definition {sql}"),
            found: "no list of columns".into(),
        };
        let open = tokens.iter().position(|token| token.is('('));
        let open = open.ok_or_else(unreadable)?;
        let close = end_of_group(&tokens, open).ok_or_else(unreadable)?;
        let mut columns = Vec::new();
        for part in parts(&tokens, open + 1..close) {
            let first = tokens[part.clone()].first().ok_or_else(unreadable)?;
            if !TABLE_CONSTRAINTS
                .iter()
                .any(|keyword| first.is_keyword(keyword))
            {
                columns.push(part);
            }
        }
        let options = close + 1..tokens.len();
        Ok(Self {
            sql,
            tokens,
            columns,
            options,
        })
    }

    /// Whether rows have a number of their own.
    pub(super) fn has_rowid(&self) -> bool {
        !self.has_option("WITHOUT")
    }

    /// Whether values have to be of the declared types.
    pub(super) fn is_strict(&self) -> bool {
        self.has_option("STRICT")
    }

    /// Whether it counts the numbers of its rows, and never uses one again.
    pub(super) fn counts(&self) -> bool {
        self.tokens
            .iter()
            .any(|token| token.is_keyword("AUTOINCREMENT"))
    }

    fn has_option(&self, keyword: &str) -> bool {
        let options = &self.tokens[self.options.clone()];
        options.iter().any(|token| token.is_keyword(keyword))
    }

    /// Why the definition of a column does not allow another form of its values.
    pub(super) fn obstacles(&self, column: &str) -> Vec<String> {
        let mut obstacles = Vec::new();
        let tokens = &self.tokens;
        for (index, token) in tokens.iter().enumerate() {
            let is_condition = token.is_keyword("CHECK");
            if !is_condition && !token.is_keyword("AS") {
                continue;
            }
            let Some(end) = end_of_group(tokens, index + 1) else {
                continue;
            };
            if uses_value(self.sql, tokens, index + 1..end, column) {
                obstacles.push(match is_condition {
                    true => format!("a CHECK uses the value of {column}"),
                    false => format!("a generated column uses the value of {column}"),
                });
            }
        }
        let Ok(own) = self.column(column) else {
            obstacles.push(format!("its definition has no column {column}"));
            return obstacles;
        };
        let own = &tokens[own];
        let after = |keyword: &str| {
            let place = own.iter().position(|token| token.is_keyword(keyword))?;
            own.get(place + 1)
        };
        if after("DEFAULT").is_some_and(|value| !value.is_keyword("NULL")) {
            obstacles.push(format!("{column} has a default, which makes old values"));
        }
        if let Some(collation) = after("COLLATE").filter(|name| !name.names("BINARY")) {
            let collation = collation.name().unwrap_or_default();
            obstacles.push(format!("{column} has the collation {collation}"));
        }
        obstacles
    }

    /// The statement with other types for some columns, and more columns for their old values.
    pub(super) fn retyped(&self, changes: &[Retyped<'_>]) -> Result<String, Error> {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let mut kept = String::new();
        for change in changes {
            let part = self.column(change.column)?;
            let own_type = self.type_of(&part);
            let own = &self.tokens[part];
            let is_said = own
                .windows(2)
                .any(|pair| pair[0].is_keyword("NOT") && pair[1].is_keyword("NULL"));
            let mut new_type = format!(" {}", change.sql_type);
            if change.is_required && !is_said {
                new_type += " NOT NULL";
            }
            if let Some(name) = &change.kept {
                kept += &format!(", {name} {}", self.sql[own_type.clone()].trim());
            }
            edits.push((own_type, new_type));
            let counts = own.iter().find(|token| token.is_keyword("AUTOINCREMENT"));
            if let Some(counts) = counts.filter(|_| change.sql_type != "INTEGER") {
                edits.push((counts.span.clone(), String::new()));
            }
        }
        let end = self.columns.last().and_then(|last| self.end_of(last));
        let end = end.unwrap_or(self.sql.len());
        edits.push((end..end, kept));
        edits.sort_by_key(|(span, _)| span.start);
        let mut sql = String::new();
        let mut from = 0;
        for (span, text) in edits {
            sql += &self.sql[from..span.start];
            sql += &text;
            from = span.end;
        }
        Ok(sql + &self.sql[from..])
    }

    /// The statement without some columns, as far as it has them.
    pub(super) fn without(&self, columns: &[&str]) -> String {
        let mut sql = String::new();
        let mut from = 0;
        for part in &self.columns {
            let tokens = &self.tokens[part.clone()];
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
                continue;
            };
            // The comma before it. The first column of a table is not taken away.
            let comma = part.start.checked_sub(1).map(|index| &self.tokens[index]);
            let Some(comma) = comma.filter(|token| token.is(',')) else {
                continue;
            };
            if columns.iter().any(|name| first.names(name)) {
                sql += &self.sql[from..comma.span.start];
                from = last.span.end;
            }
        }
        sql + &self.sql[from..]
    }

    fn column(&self, name: &str) -> Result<Range<usize>, Error> {
        let found = self.columns.iter().find(|part| {
            let first = self.tokens.get(part.start);
            first.is_some_and(|first| first.names(name))
        });
        found.cloned().ok_or_else(|| Error::Missing {
            what: format!("the column {name} in {}", self.sql),
        })
    }

    /// Where the text of a column's type is, from the end of its name; empty if it has none.
    fn type_of(&self, column: &Range<usize>) -> Range<usize> {
        let start = self.tokens[column.start].span.end;
        let rest = &self.tokens[column.start + 1..column.end];
        let is_type = |token: &&Token| {
            !COLUMN_CONSTRAINTS
                .iter()
                .any(|keyword| token.is_keyword(keyword))
        };
        let last = rest.iter().take_while(is_type).last();
        start..last.map_or(start, |last| last.span.end)
    }

    fn end_of(&self, part: &Range<usize>) -> Option<usize> {
        let last = self.tokens[part.clone()].last()?;
        Some(last.span.end)
    }
}

/// The statement with double quotes around the names that it has in backticks. Older versions wrote
/// double quotes, and the tables that they have swapped keep them.
pub(super) fn in_double_quotes(sql: &str) -> Result<String, Error> {
    let mut quoted = String::new();
    let mut from = 0;
    for token in tokens(sql)? {
        if let (Some(name), true) = (token.name(), sql[token.span.clone()].starts_with('`')) {
            quoted += &sql[from..token.span.start];
            quoted += &format!("\"{}\"", name.replace('"', "\"\""));
            from = token.span.end;
        }
    }
    Ok(quoted + &sql[from..])
}

/// Why the definition of an index does not allow another form of a column's values.
pub(super) fn obstacle_of_index(sql: &str, column: &str) -> Result<Option<&'static str>, Error> {
    let tokens = tokens(sql)?;
    let open = tokens.iter().position(|token| token.is('('));
    let group = open.and_then(|open| Some((open, end_of_group(&tokens, open)?)));
    let Some((open, close)) = group else {
        return Ok(Some("cannot be read"));
    };
    for part in parts(&tokens, open + 1..close) {
        let part = &tokens[part];
        let is_plain = part.first().is_some_and(|first| first.names(column))
            && part[1..]
                .iter()
                .all(|token| token.is_keyword("ASC") || token.is_keyword("DESC"));
        if !is_plain && (0..part.len()).any(|index| is_column(sql, part, index, column)) {
            return Ok(Some("has an expression or a collation for"));
        }
    }
    let condition = close..tokens.len();
    Ok(uses_value(sql, &tokens, condition, column).then_some("has a condition for"))
}

/// Whether a token of an expression is a column. Text in single quotes is a name only behind that
/// of a table.
fn is_column(sql: &str, tokens: &[Token], index: usize, column: &str) -> bool {
    let is_qualified = index > 0 && tokens[index - 1].is('.');
    let token = &tokens[index];
    token.names(column) && (is_qualified || !sql[token.span.clone()].starts_with('\''))
}

/// Whether a condition uses more of a column than whether it is NULL.
fn uses_value(sql: &str, tokens: &[Token], condition: Range<usize>, column: &str) -> bool {
    let keyword = |index: usize, keyword: &str| {
        tokens
            .get(index)
            .is_some_and(|token| token.is_keyword(keyword))
    };
    condition
        .filter(|index| is_column(sql, tokens, *index, column))
        .any(|index| {
            let is_null_test = keyword(index + 1, "NOTNULL")
                || keyword(index + 1, "ISNULL")
                || keyword(index + 1, "IS") && keyword(index + 2, "NULL")
                || keyword(index + 1, "IS")
                    && keyword(index + 2, "NOT")
                    && keyword(index + 3, "NULL");
            !is_null_test
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_quotes_of_names_change() {
        let older = r#"CREATE TABLE t ("a ""b" x, c, CHECK (c <> '`d`')) -- `e`"#;
        let newer = r#"CREATE TABLE t (`a "b` x, c, CHECK (c <> '`d`')) -- `e`"#;
        assert_eq!(in_double_quotes(newer).unwrap(), older);
        assert_eq!(in_double_quotes(older).unwrap(), older);
    }

    fn blob<'c>(column: &'c str, kept: &str) -> Retyped<'c> {
        Retyped {
            column,
            sql_type: "BLOB".into(),
            is_required: false,
            kept: Some(kept.into()),
        }
    }

    #[test]
    fn types_are_replaced_where_they_are() {
        let sql = "CREATE TABLE \"offer\" (\n  [id] CHAR (36) PRIMARY KEY, -- the key, of course\n  \
                   title TEXT DEFAULT ('a, (b'),\n  parent /* of it */ REFERENCES offer(id)\n  \
                   , CHECK (length(title) > 0)\n) WITHOUT ROWID";
        let definition = Definition::read(sql).unwrap();
        let changes = [blob("ID", "id_before"), blob("parent", "\"parent_before\"")];
        assert_eq!(
            definition.retyped(&changes).unwrap(),
            "CREATE TABLE \"offer\" (\n  [id] BLOB PRIMARY KEY, -- the key, of course\n  \
             title TEXT DEFAULT ('a, (b'),\n  parent BLOB /* of it */ REFERENCES offer(id), \
             id_before CHAR (36), \"parent_before\" \n  \
             , CHECK (length(title) > 0)\n) WITHOUT ROWID"
        );
        assert!(!definition.has_rowid());
        assert!(!definition.is_strict());
    }

    #[test]
    fn columns_are_taken_away_with_the_comma_before_them() {
        let sql = "CREATE TABLE t (id BLOB, \"a\" CHAR (36), [b] INT, c, CHECK (c > 0))";
        let definition = Definition::read(sql).unwrap();
        assert_eq!(
            definition.without(&["A", "c", "none"]),
            "CREATE TABLE t (id BLOB, [b] INT, CHECK (c > 0))"
        );
        assert_eq!(definition.without(&[]), sql);
    }

    #[test]
    fn a_key_that_was_never_null_is_never_null() {
        let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL) STRICT";
        let definition = Definition::read(sql).unwrap();
        let required = |column| Retyped {
            is_required: true,
            ..blob(column, "b")
        };
        assert_eq!(
            definition.retyped(&[required("id")]).unwrap(),
            "CREATE TABLE t(id BLOB NOT NULL PRIMARY KEY , n INTEGER NOT NULL, b INTEGER) STRICT"
        );
        let changed = definition.retyped(&[required("n")]).unwrap();
        assert!(changed.contains("n BLOB NOT NULL, b"), "{changed}");
        assert!(definition.is_strict() && definition.has_rowid());
    }

    #[test]
    fn what_depends_on_the_value_is_an_obstacle() {
        for (part, obstacle) in [
            ("id BLOB CHECK (length(id) = 16)", "a CHECK"),
            ("id BLOB, CHECK ((\"ID\") <> x'00')", "a CHECK"),
            ("id BLOB, CHECK (t.'id' <> x'00')", "a CHECK"),
            ("id BLOB, h AS (hex(id))", "a generated column"),
            ("id BLOB DEFAULT (randomblob(16))", "a default"),
            ("id TEXT COLLATE NOCASE", "the collation NOCASE"),
            ("other BLOB", "no column id"),
        ] {
            let sql = format!("CREATE TABLE t ({part})");
            let obstacles = Definition::read(&sql).unwrap().obstacles("id");
            assert_eq!(obstacles.len(), 1, "{part}");
            assert!(obstacles[0].contains(obstacle), "{part}: {obstacles:?}");
        }
        for part in [
            "id BLOB DEFAULT NULL CHECK (id IS NOT NULL)",
            "id TEXT COLLATE binary, CHECK (id NOTNULL OR id ISNULL OR id IS NULL)",
            "id BLOB CHECK (1) REFERENCES id(id), h AS (1)",
            "id BLOB, title TEXT, CHECK (title <> 'id'), h AS ('id' || title)",
        ] {
            let sql = format!("CREATE TABLE t ({part})");
            let obstacles = Definition::read(&sql).unwrap().obstacles("id");
            assert!(obstacles.is_empty(), "{part}: {obstacles:?}");
        }
    }

    #[test]
    fn indexes_of_plain_columns_are_carried() {
        let obstacle = |rest: &str| {
            let sql = format!("CREATE INDEX i ON t ({rest}");
            obstacle_of_index(&sql, "id").unwrap()
        };
        for rest in [
            "id)",
            "title, \"id\" DESC)",
            "lower(title), id) WHERE id IS NOT NULL",
            "title) WHERE id IS NULL AND title > 'id'''",
            "title || 'id') WHERE title > 'id'",
            "'id')",
        ] {
            assert_eq!(obstacle(rest), None, "{rest}");
        }
        for rest in [
            "hex(id))",
            "id || title)",
            "id COLLATE NOCASE)",
            "title) WHERE id > x'00'",
        ] {
            assert!(obstacle(rest).is_some(), "{rest}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for sql in [
            "",
            "CREATE TABLE t",
            "CREATE TABLE t (a",
            "CREATE TABLE t (a,)",
        ] {
            assert!(Definition::read(sql).is_err(), "{sql}");
        }
    }
}
