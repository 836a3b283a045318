//! What is different about the databases: which one does what, said once.

use rowkey_core::Backend;
use rowkey_core::Backend::{MariaDb, MySql, Postgres, SqlServer, Sqlite};
use rowkey_core::storage::{Wire, quote_identifier};

/// What to know of a database: at once, or by a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<T> {
    Known(T),
    Query(&'static str),
}

/// What tells the columns that an account may not read.
#[derive(Clone, Copy, Debug)]
pub struct DeniedColumns {
    /// A query for them, whose value is the name of the table.
    pub query: &'static str,
    pub takes_quoted_name: bool,
    /// Whether it does not even name columns without any privilege.
    pub leaves_some_out: bool,
}

/// How long a choice is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    /// It cannot be made.
    Never,
    Transaction,
    Session,
}

/// The statements of a transaction that cannot write.
#[derive(Clone, Debug)]
pub struct ReadOnly {
    pub begin: &'static str,
    /// Limits the time of each statement, if the server can.
    pub timeout: Option<String>,
    pub end: &'static str,
    /// Takes back what the end of the transaction leaves.
    pub after: Option<&'static str>,
}

/// Whether two names that differ by the case of letters alone are two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterCase {
    Counts,
    Ignored,
    /// The collation of the database decides.
    ByCollation,
}

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Postgres,
    /// MySQL's and MariaDB's.
    MySql,
    Sqlite,
    SqlServer,
}

impl Protocol {
    /// The database that gave the protocol its name.
    pub fn backend(self) -> Backend {
        match self {
            Self::Postgres => Postgres,
            Self::MySql => MySql,
            Self::Sqlite => Sqlite,
            Self::SqlServer => SqlServer,
        }
    }
}

/// The comparison of a key with another one, column by column, with one operator for the last of
/// several columns and one for those before it: MySQL and MariaDB use no index for comparisons of
/// rows.
pub fn compared(columns: &[String], values: &[String], [operator, last]: [&str; 2]) -> String {
    let mut alternatives = Vec::new();
    for (place, (column, value)) in columns.iter().zip(values).enumerate() {
        let equal = columns.iter().zip(values).take(place);
        let mut conditions: Vec<String> = equal.map(|(c, v)| format!("{c} = {v}")).collect();
        let operator = match place + 1 == columns.len() {
            true => last,
            false => operator,
        };
        conditions.push(format!("{column} {operator} {value}"));
        alternatives.push(conditions.join(" AND "));
    }
    match alternatives.len() {
        1 => alternatives.concat(),
        _ => format!("({})", alternatives.join(" OR ")),
    }
}

/// The facts about a database that SQL and its readers depend on.
pub trait Dialect: Copy {
    fn database(self) -> Backend;

    /// A value of any type in a form that drivers read, which differs where values differ.
    fn as_compared(self, sql: &str) -> String {
        match self.database() {
            Postgres => format!("({sql})::text"),
            MySql | MariaDb => format!("CAST({sql} AS BINARY)"),
            Sqlite => sql.into(),
            SqlServer => format!("CONVERT(nvarchar(max), {sql})"),
        }
    }

    /// A text in the order of a collation, if a comparison does not take that of its other side.
    fn collated(self, sql: &str, collation: &str) -> Result<String, rowkey_core::Error> {
        Ok(match self.database() {
            Postgres => format!("{sql} COLLATE {}", quote_identifier(Postgres, collation)?),
            MySql | MariaDb => {
                let set = collation.split('_').next().unwrap_or(collation);
                format!("CONVERT({sql} USING {set}) COLLATE {collation}")
            }
            Sqlite => sql.into(),
            SqlServer => format!("{sql} COLLATE {collation}"),
        })
    }

    /// A value as text, unless drivers read it as it is.
    fn as_text(self, sql: &str) -> String {
        match self.database() {
            Postgres => format!("({sql})::text"),
            MySql | MariaDb => format!("CAST({sql} AS CHAR)"),
            Sqlite | SqlServer => sql.into(),
        }
    }

    /// The database of a server that speaks this one's protocol and calls its version so.
    fn by_version(self, version: &str) -> Backend {
        match self.database() {
            MySql if version.contains("MariaDB") => MariaDb,
            other => other,
        }
    }

    /// Whether a cascade of another session takes no lock of metadata of the table that it changes.
    fn cascades_without_lock(self) -> bool {
        match self.database() {
            MySql => true,
            Postgres | MariaDb | Sqlite | SqlServer => false,
        }
    }

    /// Whether two columns of a table can have names that differ by the case of letters alone.
    fn case_of_columns(self) -> LetterCase {
        match self.database() {
            Postgres => LetterCase::Counts,
            MySql | MariaDb | Sqlite => LetterCase::Ignored,
            SqlServer => LetterCase::ByCollation,
        }
    }

    /// Whether two tables can have names that differ by the case of letters alone. MySQL and
    /// MariaDB keep tables in files, and leave the question to the file system by default.
    fn case_of_tables(self) -> Asked<bool> {
        match self.database() {
            Postgres => Asked::Known(true),
            Sqlite => Asked::Known(false),
            MySql | MariaDb => Asked::Query("SELECT @@lower_case_table_names = 0"),
            SqlServer => Asked::Query("SELECT CASE WHEN 'a' = 'A' THEN 0 ELSE 1 END"),
        }
    }

    /// The number of all rows, without an end.
    fn count(self) -> &'static str {
        match self.database() {
            Postgres | MySql | MariaDb | Sqlite => "count(*)",
            SqlServer => "COUNT_BIG(*)",
        }
    }

    /// Whether `char` is read without the spaces at the end.
    fn cuts_spaces_of_char(self) -> bool {
        match self.database() {
            MySql | MariaDb => true,
            Postgres | Sqlite | SqlServer => false,
        }
    }

    /// What tells the columns that an account may not read.
    fn denied_columns(self) -> Option<DeniedColumns> {
        match self.database() {
            Postgres => Some(DeniedColumns {
                query: "
SELECT a.attname::text FROM pg_attribute a
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
  AND NOT has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum",
                takes_quoted_name: true,
                leaves_some_out: false,
            }),
            MySql | MariaDb => Some(DeniedColumns {
                query: "
SELECT column_name FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = ? AND NOT FIND_IN_SET('select', privileges)
ORDER BY ordinal_position",
                takes_quoted_name: false,
                leaves_some_out: true,
            }),
            Sqlite | SqlServer => None,
        }
    }

    /// Whether a backslash between quotes escapes what follows it.
    fn escapes_by_backslash(self) -> bool {
        match self.database() {
            MySql | MariaDb => true,
            Postgres | Sqlite | SqlServer => false,
        }
    }

    /// The beginning and the end of a query for the first rows: what follows SELECT, and what
    /// follows everything else.
    fn first_rows(self, count: impl std::fmt::Display) -> (String, String) {
        match self.database() {
            Postgres | MySql | MariaDb | Sqlite => (String::new(), format!(" LIMIT {count}")),
            SqlServer => (format!("TOP ({count}) "), String::new()),
        }
    }

    /// Whether the type `jsonb` drops repeated names, spaces and the order of JSON.
    fn has_jsonb(self) -> bool {
        match self.database() {
            Postgres => true,
            MySql | MariaDb | Sqlite | SqlServer => false,
        }
    }

    /// Whether a transaction that writes keeps out all others that do.
    fn has_one_writer(self) -> bool {
        match self.database() {
            Sqlite => true,
            Postgres | MySql | MariaDb | SqlServer => false,
        }
    }

    /// Whether a key of exactly the type `INTEGER` is the number that each row has anyway.
    fn has_rowid(self) -> bool {
        match self.database() {
            Sqlite => true,
            Postgres | MySql | MariaDb | SqlServer => false,
        }
    }

    /// The functions for the number of bytes of a value, and for that of a text's characters.
    fn lengths(self) -> [&'static str; 2] {
        match self.database() {
            Postgres => ["octet_length", "char_length"],
            MySql | MariaDb => ["length", "char_length"],
            Sqlite => ["length", "length"],
            SqlServer => ["DATALENGTH", "LEN"],
        }
    }

    /// A query that tells whether the connection's schema has a table.
    fn has_table(self, table: &str) -> String {
        match self.database() {
            Postgres => format!("SELECT count(*) FROM pg_class WHERE oid = to_regclass('{table}')"),
            MySql | MariaDb => format!(
                "SELECT COUNT(*) FROM information_schema.tables \
                 WHERE table_schema = DATABASE() AND table_name = '{table}'"
            ),
            Sqlite => format!(
                "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '{table}'"
            ),
            SqlServer => {
                format!("SELECT CASE WHEN OBJECT_ID('{table}', 'U') IS NULL THEN 0 ELSE 1 END")
            }
        }
    }

    /// A number of any size that is spread evenly over the rows of a table, whatever their values, but for
    /// SQL Server, where it is over the values of a column.
    fn number_of_row(self, column: &str) -> String {
        match self.database() {
            Postgres => format!("abs(hashtext(concat(ctid, {column}))::bigint)"),
            // The same rows each time.
            MySql | MariaDb => "FLOOR(RAND(1) * 4294967296)".to_owned(),
            Sqlite => "abs(random() / 2)".to_owned(),
            SqlServer => format!("ABS(CONVERT(bigint, BINARY_CHECKSUM({column})))"),
        }
    }

    /// Whether the database is a file that the process itself reads.
    fn is_in_process(self) -> bool {
        match self.database() {
            Sqlite => true,
            Postgres | MySql | MariaDb | SqlServer => false,
        }
    }

    /// Whether the answer to [`try_lock`](Self::try_lock) gives the lock; an error says why it is
    /// not given although no other session has it.
    fn is_locked(self, answer: Option<i64>) -> Result<bool, String> {
        match (self.database(), answer) {
            (SqlServer, Some(0..)) => Ok(true),
            (SqlServer, Some(-1)) => Ok(false),
            (SqlServer, Some(-2)) => Err("the request was cancelled".into()),
            (SqlServer, Some(-3)) => Err("a deadlock".into()),
            (SqlServer, Some(number)) => Err(format!("sp_getapplock answered {number}")),
            (_, Some(number @ 0..=1)) => Ok(number == 1),
            (MySql | MariaDb, _) => Err(
                "GET_LOCK gave NULL, as for a session that is killed or a server without memory"
                    .into(),
            ),
            (Postgres | Sqlite | SqlServer, _) => Err("the server gave no answer".into()),
        }
    }

    /// Whether CHECKs are kept; MySQL before 8.0 parses and forgets them.
    fn keeps_checks(self, version: &str) -> bool {
        match self.database() {
            MySql => !version.starts_with("5."),
            Postgres | MariaDb | Sqlite | SqlServer => true,
        }
    }

    /// Whether the catalogue keeps the statement that made a table, and nothing else of its
    /// collations and CHECKs.
    fn keeps_statements(self) -> bool {
        match self.database() {
            Sqlite => true,
            Postgres | MySql | MariaDb | SqlServer => false,
        }
    }

    /// Whether triggers can tell sessions with a mark from others.
    fn marks_sessions(self) -> bool {
        match self.database() {
            Postgres | MySql | MariaDb => true,
            Sqlite | SqlServer => false,
        }
    }

    /// Whether the type of text names its character set.
    fn names_character_sets(self) -> bool {
        match self.database() {
            MySql | MariaDb => true,
            Postgres | Sqlite | SqlServer => false,
        }
    }

    /// How long another schema stays the connection's own, which the catalogue then describes.
    fn other_schema_lasts(self) -> Lasts {
        match self.database() {
            Postgres => Lasts::Transaction,
            MySql | MariaDb => Lasts::Session,
            Sqlite | SqlServer => Lasts::Never,
        }
    }

    /// A query for the other schemas or databases that have tables.
    fn other_schemas(self) -> Option<&'static str> {
        match self.database() {
            Postgres => Some(
                "
SELECT DISTINCT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
  AND n.nspname IS DISTINCT FROM current_schema() ORDER BY 1",
            ),
            MySql | MariaDb => Some(
                "
SELECT DISTINCT table_schema FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema <> DATABASE()
  AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1",
            ),
            Sqlite | SqlServer => None,
        }
    }

    /// The schema of a connection, which MySQL and MariaDB call a database.
    fn own_schema(self) -> Asked<&'static str> {
        match self.database() {
            Postgres => Asked::Query("SELECT current_schema()::text"),
            MySql | MariaDb => Asked::Query("SELECT DATABASE()"),
            SqlServer => Asked::Query("SELECT SCHEMA_NAME()"),
            Sqlite => Asked::Known("main"),
        }
    }

    /// The placeholder of a value of a statement, the first of which is 1.
    fn placeholder(self, number: usize) -> String {
        match self.database() {
            Postgres => format!("${number}"),
            MySql | MariaDb | Sqlite => "?".into(),
            SqlServer => format!("@P{number}"),
        }
    }

    /// The types of a text of any length, of a short text, and of a number.
    fn plain_types(self) -> [&'static str; 3] {
        match self.database() {
            Postgres | Sqlite => ["text", "text", "integer"],
            MySql | MariaDb => ["LONGTEXT", "VARCHAR(64)", "INT"],
            SqlServer => ["nvarchar(max)", "nvarchar(64)", "int"],
        }
    }

    /// A transaction that cannot write, whose statements end after some milliseconds.
    fn read_only(self, version: &str, millis: u128) -> ReadOnly {
        match self.database() {
            Postgres => ReadOnly {
                // To compile the queries on the catalogue takes longer than to read a million rows.
                begin: "BEGIN; SET TRANSACTION READ ONLY; \
                        SELECT set_config(name, 'off', true) FROM pg_settings WHERE name = 'jit'",
                timeout: Some(format!("SET LOCAL statement_timeout = {millis}")),
                end: "ROLLBACK",
                after: None,
            },
            MySql => {
                let has_timeout = has_execution_time(version);
                ReadOnly {
                    begin: "START TRANSACTION READ ONLY",
                    timeout: has_timeout
                        .then(|| format!("SET SESSION max_execution_time = {millis}")),
                    end: "ROLLBACK",
                    after: has_timeout.then_some("SET SESSION max_execution_time = 0"),
                }
            }
            MariaDb => {
                let seconds = millis.div_ceil(1_000);
                ReadOnly {
                    begin: "START TRANSACTION READ ONLY",
                    timeout: Some(format!("SET SESSION max_statement_time = {seconds}")),
                    end: "ROLLBACK",
                    after: Some("SET SESSION max_statement_time = 0"),
                }
            }
            Sqlite => ReadOnly {
                begin: "PRAGMA query_only = ON; BEGIN",
                timeout: None,
                end: "ROLLBACK",
                after: Some("PRAGMA query_only = OFF"),
            },
            SqlServer => ReadOnly {
                begin: "BEGIN TRANSACTION",
                timeout: Some(format!("SET LOCK_TIMEOUT {millis}")),
                end: "ROLLBACK TRANSACTION",
                after: Some("SET LOCK_TIMEOUT -1"),
            },
        }
    }

    /// Whether a change makes a new table beside the old one, instead of new columns.
    fn rebuilds_tables(self) -> bool {
        match self.database() {
            MySql | MariaDb => true,
            Postgres | Sqlite | SqlServer => false,
        }
    }

    /// Whether some types round times in a way that only they have: `datetime`, `smalldatetime`.
    fn rounds_times(self) -> bool {
        match self.database() {
            SqlServer => true,
            Postgres | MySql | MariaDb | Sqlite => false,
        }
    }

    /// The settings of a transaction that reads rows in the order of their place on the disk, which
    /// is the order of their insertion. PostgreSQL gives them so only in a scan from the first
    /// block on.
    fn scans_by_place(self) -> Option<&'static str> {
        match self.database() {
            Postgres => Some(
                "SET LOCAL synchronize_seqscans = off; SET LOCAL enable_indexscan = off; \
                 SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; \
                 SET LOCAL max_parallel_workers_per_gather = 0",
            ),
            MySql | MariaDb | Sqlite | SqlServer => None,
        }
    }

    /// Whether values of types that no other database has can be written to a column of the same
    /// type there.
    fn shares_own_types_with(self, other: Backend) -> bool {
        match self.database() {
            MySql | MariaDb => matches!(other, MySql | MariaDb),
            Postgres | Sqlite => self.database() == other,
            SqlServer => false,
        }
    }

    /// Whether a column of a type that no other database has can be written as text.
    fn reads_own_types_from_text(self) -> bool {
        match self.database() {
            Postgres | Sqlite | SqlServer => true,
            MySql | MariaDb => false,
        }
    }

    /// The columns that every table has without having declared them.
    fn system_columns(self) -> &'static [&'static str] {
        match self.database() {
            Postgres => &["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"],
            Sqlite => &["rowid", "oid", "_rowid_"],
            MySql | MariaDb | SqlServer => &[],
        }
    }

    /// The beginning of a transaction in which every query sees the same rows.
    fn snapshot(self) -> &'static [&'static str] {
        match self.database() {
            Postgres => &[
                // A query that row-level security would shorten is refused.
                "SET row_security = off",
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            ],
            MySql | MariaDb => &["START TRANSACTION WITH CONSISTENT SNAPSHOT"],
            Sqlite => &["BEGIN"],
            SqlServer => &[
                "SET TRANSACTION ISOLATION LEVEL SNAPSHOT",
                "BEGIN TRANSACTION",
            ],
        }
    }

    /// Whether each value has a type of its own, whatever its column says.
    fn stores_any_type(self) -> bool {
        match self.database() {
            Sqlite => true,
            Postgres | MySql | MariaDb | SqlServer => false,
        }
    }

    /// A statement that makes a schema, whose name is quoted, the connection's own.
    fn switch_schema(self, schema: &str) -> String {
        match self.database() {
            Postgres => format!("SET search_path TO {schema}"),
            MySql | MariaDb | Sqlite | SqlServer => format!("USE {schema}"),
        }
    }

    /// What comes before the quotes of a text with any characters.
    fn text_prefix(self) -> &'static str {
        match self.database() {
            SqlServer => "N",
            Postgres | MySql | MariaDb | Sqlite => "",
        }
    }

    /// A time as the server writes it.
    fn time_as_text(self, sql: &str) -> String {
        match self.database() {
            Postgres | Sqlite => format!("CAST({sql} AS text)"),
            MySql | MariaDb => format!("CAST({sql} AS CHAR)"),
            SqlServer => format!("CONVERT(nvarchar(64), {sql}, 126)"),
        }
    }

    /// The lock that a session takes if it is free, as a query that says so.
    fn try_lock(self, numbers: &str, name: &str) -> String {
        match self.database() {
            Postgres => format!("SELECT pg_try_advisory_lock({numbers})::int"),
            MySql | MariaDb | Sqlite => format!("SELECT GET_LOCK({name}, 0)"),
            SqlServer => format!(
                "DECLARE @answer int; EXEC @answer = sp_getapplock @Resource = N'{name}', \
                 @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0; SELECT @answer"
            ),
        }
    }

    /// The statement that gives the lock of [`try_lock`](Self::try_lock) back.
    fn unlock(self, numbers: &str, name: &str) -> String {
        match self.database() {
            Postgres => format!("SELECT pg_advisory_unlock({numbers})"),
            MySql | MariaDb | Sqlite => format!("SELECT RELEASE_LOCK({name})"),
            SqlServer => {
                format!("EXEC sp_releaseapplock @Resource = N'{name}', @LockOwner = 'Session'")
            }
        }
    }

    /// Whether some types of text have the characters of a code page only.
    fn uses_code_pages(self) -> bool {
        match self.database() {
            SqlServer => true,
            Postgres | MySql | MariaDb | Sqlite => false,
        }
    }

    /// A query for the version, and for the size of a statement where it is limited.
    fn version(self) -> &'static str {
        match self.database() {
            Postgres => "SHOW server_version",
            MySql | MariaDb => "SELECT VERSION(), CAST(@@max_allowed_packet AS SIGNED)",
            Sqlite => "SELECT sqlite_version()",
            SqlServer => "SELECT CONVERT(varchar(128), SERVERPROPERTY('ProductVersion'))",
        }
    }

    /// How drivers carry the database's own type of UUIDs.
    fn wire_of_uuids(self) -> Wire {
        match self.database() {
            MySql | MariaDb => Wire::NativeUuid,
            Postgres | Sqlite | SqlServer => Wire::Uuid,
        }
    }
}

impl Dialect for Backend {
    fn database(self) -> Backend {
        self
    }
}

/// Whether a version of MySQL has `max_execution_time`, which came with 5.7.8.
fn has_execution_time(version: &str) -> bool {
    let mut numbers = version.split(|character: char| !character.is_ascii_digit());
    let mut number = || numbers.next().and_then(|digits| digits.parse::<u32>().ok());
    let version = [number(), number(), number()].map(|number| number.unwrap_or(0));
    version >= [5, 7, 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_several_columns_is_compared_from_the_left() {
        let columns = ["a", "b"].map(String::from);
        let values = ["1", "2"].map(String::from);
        for (operators, expected) in [
            ([">", ">"], "(a > 1 OR a = 1 AND b > 2)"),
            (["<", "<="], "(a < 1 OR a = 1 AND b <= 2)"),
        ] {
            assert_eq!(compared(&columns, &values, operators), expected);
        }
        assert_eq!(compared(&columns[..1], &values[..1], ["<", "<="]), "a <= 1");
    }

    #[test]
    fn old_servers_have_no_timeout() {
        for (version, has_it) in [
            ("5.6.24", false),
            ("5.7.7-rc", false),
            ("5.7.8", true),
            ("8.4.2", true),
            ("9", true),
            ("", false),
        ] {
            assert_eq!(has_execution_time(version), has_it, "{version}");
        }
    }
}
