//! MySQL and MariaDB.

use rowkey_core::Backend::MySql;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{ColumnType, Kind, Type};
use rowkey_tables::{Error, Value};

use super::facts::*;
use crate::batch::{Tree, is_double};
use crate::tables::table_side::{ColumnSide, Content, MomentsEnd, TableSide};

const UNCHECKED: Unchecked = Unchecked {
    off: "SET SESSION foreign_key_checks = 0",
    on: "SET SESSION foreign_key_checks = 1",
    is_free: true,
};

pub(super) const MYSQL: Engine = of(
    NegativeZero::Kept,
    None,
    Some(Tree {
        deepest: 100,
        has_zero_character: true,
        keeps_number: is_double,
        longest_name: u16::MAX as usize,
    }),
    default_of_mysql,
    check_of_mysql,
    ComputedColumns {
        names: None,
        expression: |sql| Some(expressions_of_mysql(sql)),
    },
    Server {
        identity: "SELECT CONCAT(DATABASE(), ' of the server ', @@server_uuid)",
        ends_in_2038: None,
    },
);
pub(super) const MARIADB: Engine = of(
    NegativeZero::Lost,
    Some(SEQUENCES),
    None,
    default_of_mariadb,
    check_of_mariadb,
    ComputedColumns {
        names: Some(STORED_COLUMNS),
        expression: expression_of_mariadb,
    },
    Server {
        identity: "SELECT CONCAT(DATABASE(), ' of the server ', @@hostname, ':', @@port, @@datadir)",
        ends_in_2038: Some("SELECT FROM_UNIXTIME(4294967295) IS NULL"),
    },
);

/// What is asked of a server.
struct Server {
    identity: &'static str,
    ends_in_2038: Option<&'static str>,
}

const fn of(
    negative_zero: NegativeZero,
    sequences: Option<Sequences>,
    json: Option<Tree>,
    default: fn(&str) -> Option<String>,
    check: fn(&str) -> Option<String>,
    computed_columns: ComputedColumns,
    server: Server,
) -> Engine {
    Engine {
        columns: Columns {
            widest_decimal: Some((65, 30)),
            has_already: &[],
            default,
            default_clause,
            utc_now: "(UTC_TIMESTAMP(6))",
            now_is_utc: false,
            name_as_text: |_| None,
            // A `timestamp` is otherwise NOT NULL, with a default.
            is_null_written: |own| own == Type::Instant,
            names_collations: true,
            now: ["CURRENT_TIMESTAMP"; 2],
            now_has_digits: true,
            today: Some("(CURRENT_DATE)"),
            shows_moments: true,
            unwrapped: |sql| {
                let expression = sql.strip_prefix('(').and_then(|sql| sql.strip_suffix(')'));
                expression.unwrap_or(sql)
            },
            uncast: |sql| sql,
        },
        counters: Counters {
            after,
            after_sequence: Some(after_sequence),
            end,
            column: |name, sql_type, _, _| format!("{name} {sql_type} NOT NULL AUTO_INCREMENT"),
            next: None,
            besides_key: BesidesKey::OneWithIndex,
            has_steps: false,
            may_set: MaySet::Doomed(|table, column| {
                format!("ALTER TABLE {table} ADD COLUMN {column} int")
            }),
            is_key: false,
            last,
            needs_key: true,
            sequences,
            set_step: None,
        },
        definitions: Definitions {
            before_columns: "(",
            has_bracketed_names: false,
            has_conditions: false,
            indexes: Indexes::Terms,
            index: expressions_of_mysql,
            is_column: |column, name| column == name,
        },
        objects: Objects {
            adds_references: true,
            redefine: None,
            check: Some(check),
            grants: None,
            hidden: Some(HIDDEN),
            has_restrict: true,
            // InnoDB has none.
            has_set_default: false,
            has_schemas: false,
            is_reserved: |_| false,
            primary_name: Some("PRIMARY"),
            // A table is in the order of its key, so that only rows in another order gain: a table
            // that is larger than the buffer pool takes a fraction of the time then. Some servers
            // refuse tables without a key, or give them one of its own.
            late_key: LateKey::AfterOtherOrder(
                "SHOW VARIABLES WHERE Variable_name IN \
                 ('sql_require_primary_key', 'sql_generate_invisible_primary_key', \
                 'innodb_force_primary_key') AND Value = 'ON'",
            ),
            orphan: None,
            orphans: None,
            index_bytes: None,
            key_bytes: Some(3_072),
            row_bytes: Some([8_126, 41]),
            tried_index: None,
            partitions_are_tables: false,
            partition_conditions: Some(PARTITION_CONDITIONS),
            computed_columns: Some(computed_columns),
            functions: None,
            partitions_with_rules: None,
            programs: PROGRAMS,
            programs_are_quoted: false,
            references_have_one_type: true,
            references_share_names: true,
            reference_checks_can_be_off: true,
            reference_attributes: false,
            used_names: |_| Vec::new(),
            unique_takes_nulls: true,
        },
        rows: Rows {
            byte_count: "octet_length({})",
            byte_count_of_text: "octet_length({})",
            character_count: "char_length({})",
            class: None,
            comparable: "CAST({} AS BINARY)",
            count: "COUNT",
            key_literal,
            only: "",
            pages: None,
            sample: |share| Sample::Condition(format!("RAND() < {share:.9}")),
            sampled: |rows| rows,
            selected,
            shown: "CAST({} AS CHAR)",
            zero_characters: "LOCATE(X'00', CAST({} AS BINARY)) > 0",
            zero_dates: Some(
                "DAYOFMONTH({}) NOT BETWEEN 1 AND 28 \
                 AND (DAYOFMONTH({}) = 0 OR DAYOFMONTH({}) > DAYOFMONTH(LAST_DAY({}))) \
                 OR MONTH({}) = 0 OR YEAR({}) = 0",
            ),
            clock_separator: ' ',
            zone: "",
        },
        sessions: Sessions {
            begin: "BEGIN",
            begin_temporary: "BEGIN",
            check_deferred: None,
            counts_changes: true,
            hold: None,
            export_view: None,
            lock: |name| Some(format!("'{name}'")),
            lock_tables: Some(TableLock {
                // Without autocommit, it waits for rows that cascades have changed, too.
                begin: "SET SESSION autocommit = 0, lock_wait_timeout = 5, \
                        innodb_lock_wait_timeout = 5",
                lock: |tables| vec![format!("LOCK TABLES {} READ", tables.join(" READ, "))],
                end: "UNLOCK TABLES",
                instead: "grant LOCK TABLES, wait for the end of long transactions, or copy with one job",
            }),
            place: "SELECT DATABASE()",
            identity: server.identity,
            has_slow_queries: true,
            refusals_end_view: false,
            rollback: "ROLLBACK",
            // It sorts longer text and bytes by their beginning.
            show_keys: Some("SET SESSION max_sort_length = 65536"),
            view_begins_late: false,
            views: None,
            unchecked: Some(UNCHECKED),
            write: None,
            zone: Some(
                "SELECT CASE @@global.time_zone WHEN 'SYSTEM' THEN @@system_time_zone \
                 ELSE @@global.time_zone END",
            ),
        },
        target: Target {
            collations: Some(
                "SELECT character_set_name, collation_name \
                 FROM information_schema.collation_character_set_applicability",
            ),
            create: |table| format!("CREATE TABLE IF NOT EXISTS {table}"),
            create_privilege: None,
            row_security: None,
            rehearsal: Rehearsal::StandIns {
                before: UNCHECKED.off,
                after: UNCHECKED.on,
            },
            options: " ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
            state_options: " ENGINE = InnoDB CHARACTER SET ascii",
            state_text: "longtext",
            folded: str::to_lowercase,
            has_engines: true,
            views: "SELECT table_name FROM information_schema.views WHERE table_schema = DATABASE()",
            schema: "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?",
            temporary_prefix: "",
            temporary: "TEMPORARY ",
            temporary_dropped: "TEMPORARY ",
            temporary_collation: "",
            triggers: None,
            update_from: Some(joined_update),
            lenient_collations: None,
            encoding: None,
            ends_in_2038: server.ends_in_2038,
            own_numbers: "",
            user_type: None,
        },
        values: Values {
            counts_utf16: false,
            booleans: ["0", "1"],
            bytes: ["X'", "'"],
            // As text, they would be compared with numbers as floating point.
            decimal: ["", ""],
            bits: "b",
            has_all_years: false,
            has_infinite_floats: false,
            has_nan_floats: false,
            has_subnormal_floats: true,
            has_zero_character: true,
            json,
            fills_null_moments: true,
            moments_end: Some(match server.ends_in_2038 {
                None => MomentsEnd::In2038,
                Some(_) => MomentsEnd::In2106,
            }),
            negative_zero,
            reads_floats: true,
            special_decimals: SpecialDecimals::None,
            times: Times::OfManyDays,
            utc: "",
            writes_uuids: true,
        },
    }
}

/// Text that Unicode lacks becomes its last code point, not question marks. Geometry is text: where
/// there is a reference system, as PostGIS writes it, which is the order of coordinates in which
/// both products store them. The text of a vector is made of its bytes, because the server's has six
/// digits.
fn selected(column: &ColumnSide, name: &str, _: usize) -> String {
    match (column.sql_type.name(), column.own, column.content) {
        ("vector", ..) => format!("CAST({name} AS BINARY)"),
        (_, Type::Own, Content::Values(Kind::Text)) => format!(
            "CONCAT(CASE ST_SRID({name}) WHEN 0 THEN '' ELSE CONCAT('SRID=', ST_SRID({name}), ';') END, \
             ST_AsText({name} /*!80001 , 'axis-order=long-lat' */))"
        ),
        (_, _, Content::Values(_)) => match column.lacks_unicode(name) {
            Some(condition) => format!(
                "CASE WHEN {condition} THEN CONVERT(X'F48FBFBF' USING utf8mb4) \
                 ELSE CONVERT({name} USING utf8mb4) END"
            ),
            None => name.to_owned(),
        },
        _ => name.to_owned(),
    }
}

fn key_literal(_: &Column, sql_type: &ColumnType) -> Result<KeyLiteral, &'static str> {
    match sql_type.meaning() {
        Some(Type::Integer { .. } | Type::Flag | Type::Decimal(_)) => Ok(KeyLiteral::Number),
        Some(Type::Text(_) | Type::PaddedText(_)) => Ok(KeyLiteral::Text),
        Some(Type::FixedBytes(_) | Type::Bytes(_)) => Ok(KeyLiteral::Bytes),
        Some(Type::Uuid | Type::Date | Type::Time | Type::Timestamp) => Ok(KeyLiteral::Quoted),
        Some(Type::Instant) => Err("what its values mean depends on the time zone of a session"),
        Some(Type::Single | Type::Double) => {
            Err("its values are shown with fewer digits than they have")
        }
        _ => Err("its values are not in the order of their text"),
    }
}

/// An expression without the backslashes that the catalogue puts before each quote and backslash.
fn unescaped(expression: &str) -> String {
    let mut words = String::new();
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        let escaped = (character == '\\').then(|| characters.next()).flatten();
        words.push(escaped.unwrap_or(character));
    }
    words
}

fn default_of_mysql(sql: &str) -> Option<String> {
    Some(match sql.starts_with('(') {
        true => unescaped(sql),
        false => sql.to_owned(),
    })
}

/// Other defaults are values, which are known.
fn default_of_mariadb(sql: &str) -> Option<String> {
    (sql.starts_with('\'') || !is_uncertain(sql)).then(|| sql.to_owned())
}

/// Whether an expression of MariaDB may have characters of four bytes that are not known.
fn is_uncertain(sql: &str) -> bool {
    sql.contains("????")
}

/// The catalogue shows a function without parentheses around it.
fn check_of_mysql(clause: &str) -> Option<String> {
    const NOT_ENFORCED: &str = " NOT ENFORCED";
    let (clause, rest) = match clause.strip_suffix(NOT_ENFORCED) {
        Some(clause) => (clause, NOT_ENFORCED),
        None => (clause, ""),
    };
    let sql = expressions_of_mysql(clause);
    Some(match sql.starts_with('(') {
        true => format!("CHECK {sql}{rest}"),
        false => format!("CHECK ({sql}){rest}"),
    })
}

/// Expressions that the catalogue shows, as SQL.
fn expressions_of_mysql(shown: &str) -> String {
    with_doubled_quotes(&unescaped(shown))
}

fn check_of_mariadb(clause: &str) -> Option<String> {
    expression_of_mariadb(clause).map(|sql| format!("CHECK ({sql})"))
}

fn expression_of_mariadb(shown: &str) -> Option<String> {
    (!is_uncertain(shown)).then(|| with_doubled_quotes(shown))
}

/// Literals as the standard has them: the catalogue shows a quote in one behind a backslash.
fn with_doubled_quotes(sql: &str) -> String {
    let mut words = String::new();
    let mut characters = sql.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some('\'')) => words.push('\''),
            ('\\', Some(next)) => {
                words.push(character);
                words.push(next);
                characters.next();
            }
            _ => words.push(character),
        }
    }
    words
}

fn joined_update(table: &str, other: &str, columns: &[String], condition: &str) -> String {
    let columns = columns
        .iter()
        .map(|name| format!("old.{name} = new.{name}"));
    let columns: Vec<String> = columns.collect();
    format!(
        "UPDATE {table} AS old JOIN {other} AS new ON {condition} SET {}",
        columns.join(", ")
    )
}

/// Older servers take no default of a long text, and none that is an expression, and ignore these
/// comments. MariaDB's begin with `/*M!`.
fn default_clause(own: Type, sql: &str) -> String {
    let is_long = matches!(own, Type::Text(None) | Type::Bytes(None) | Type::Json);
    match (is_long, sql.starts_with('(')) {
        (false, false) => format!(" DEFAULT {sql}"),
        (_, true) => format!(" /*!80013 DEFAULT {sql} */ /*M!100201 DEFAULT {sql} */"),
        (true, false) => format!(" /*!80013 DEFAULT ({sql}) */ /*M!100201 DEFAULT ({sql}) */"),
    }
}

/// It is not set below the rows.
fn after(side: &TableSide, _: &str, last: i128) -> Result<Vec<String>, Error> {
    if last < 1 {
        return Ok(Vec::new());
    }
    let (table, next) = (side.quoted()?, last + 1);
    Ok(vec![format!("ALTER TABLE {table} AUTO_INCREMENT = {next}")])
}

/// Only MariaDB has sequences, which never go back. Their new number has to be a literal.
fn after_sequence(sequence: &str, table: &str, column: &str, last: i128) -> [String; 2] {
    let set = text_literal(MySql, &format!("DO SETVAL({sequence}, "));
    [
        format!(
            "SET @rowkey_counter = (SELECT IF(n < 1, 'DO 0', CONCAT({set}, n, ')')) \
             FROM (SELECT GREATEST(COALESCE(MAX({column}), 0), {last}) AS n FROM {table}) AS counted)"
        ),
        "EXECUTE IMMEDIATE @rowkey_counter".into(),
    ]
}

fn end(
    side: &TableSide,
    column: &str,
    sequence: Option<&str>,
    last: i128,
) -> Result<Option<String>, Error> {
    let (table, column) = (side.quoted()?, quote_identifier(MySql, column)?);
    let query = |sequence| {
        format!(
            "SELECT CAST(maximum_value AS char) FROM {sequence} WHERE GREATEST({last}, \
             (SELECT COALESCE(MAX({column}), 0) FROM {table})) > maximum_value - increment"
        )
    };
    Ok(sequence.map(query))
}

fn last(table: &Table, column: &Column) -> Result<Option<Query>, Error> {
    // Numbers that sessions have taken in advance may be in use.
    if let Some(sequence) = column.sequence() {
        let query = format!(
            "SELECT next_not_cached_value - step, step FROM \
             (SELECT next_not_cached_value, COALESCE(NULLIF(increment, 0), 1) AS step FROM {sequence}) AS s"
        );
        return Ok(Some((query.into(), Vec::new())));
    }
    let query = "SELECT CAST(auto_increment - 1 AS CHAR) FROM information_schema.tables \
                 WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
    let schema = table.name.schema.as_deref();
    let schema = schema.map_or(Value::Null, Value::from);
    Ok(Some((
        query.into(),
        vec![schema, table.name.name.as_str().into()],
    )))
}

/// Of columns that `SELECT *` does not show, and of keys.
const HIDDEN: &str = "SELECT table_name, CONCAT(table_name, '.', column_name), 'INVISIBLE' \
     FROM information_schema.columns WHERE table_schema = DATABASE() AND extra LIKE '%INVISIBLE%' \
     UNION ALL SELECT DISTINCT table_name, table_name, CONCAT('the descending order of the key ', index_name) \
     FROM information_schema.statistics \
     WHERE table_schema = DATABASE() AND non_unique = 0 AND collation = 'D' ORDER BY 2, 3";

/// Numbers that sessions have taken in advance may be in use.
const SEQUENCES: Sequences = Sequences {
    bounds: [-(i64::MAX as i128), i64::MAX as i128 - 1],
    list: "SELECT t.table_name, CONCAT('nextval(`', REPLACE(t.table_schema, '`', '``'), '`.`', \
           REPLACE(t.table_name, '`', '``'), '`)') IN (SELECT c.column_default \
           FROM information_schema.columns c WHERE c.table_schema = DATABASE() \
           AND c.column_default LIKE 'nextval(%'), NULL, NULL \
           FROM information_schema.tables t WHERE t.table_schema = DATABASE() \
           AND t.table_type = 'SEQUENCE' ORDER BY 1",
    // Nothing is set.
    may_set: |name| format!("SELECT SETVAL({name}, 1) FROM {name} WHERE FALSE"),
    needs: "SELECT and INSERT",
    set: |name, number, is_used| format!("DO SETVAL({name}, {number}, {})", u8::from(is_used)),
    state: |name| {
        format!(
            "SELECT CAST(next_not_cached_value AS CHAR), \
             CAST(COALESCE(NULLIF(increment, 0), 1) AS CHAR), CAST(minimum_value AS CHAR), \
             CAST(maximum_value AS CHAR), cycle_option FROM {name}"
        )
    },
};

const PROGRAMS: &str = "
SELECT 'event', event_name FROM information_schema.events WHERE event_schema = DATABASE()
UNION ALL SELECT 'routine', routine_name FROM information_schema.routines
WHERE routine_schema = DATABASE()
UNION ALL SELECT 'view', table_name FROM information_schema.views WHERE table_schema = DATABASE()
ORDER BY 1, 2";

/// A query with a condition, for the table with a quoted name.
macro_rules! of_table {
    ($query:literal) => {
        concat!(
            $query,
            " AND CAST(? AS BINARY) IN (\
             CASE table_schema WHEN DATABASE() THEN CONCAT('`', REPLACE(table_name, '`', '``'), '`') END, \
             CONCAT('`', REPLACE(table_schema, '`', '``'), '`.`', REPLACE(table_name, '`', '``'), '`'))"
        )
    };
}

/// HASH and KEY partitions take every row, and so does MAXVALUE. NULL is below every range, and in a list
/// only if that has it. Of several columns, NULL is not read, nor MAXVALUE behind the first.
const PARTITION_CONDITIONS: &str = of_table!(
    "
SELECT CASE
  WHEN partition_method NOT LIKE 'RANGE%' AND partition_method NOT LIKE 'LIST%'
    OR partition_description = 'DEFAULT' OR partition_description LIKE 'MAXVALUE%' THEN 'TRUE'
  WHEN partition_method LIKE '%COLUMNS' AND partition_expression LIKE '%,%'
    AND (partition_description LIKE '%MAXVALUE%' OR partition_description LIKE '%NULL%') THEN NULL
  WHEN partition_method LIKE 'RANGE%' THEN
    CONCAT('COALESCE((', partition_expression, ') < (', partition_description, '), TRUE)')
  ELSE CONCAT('COALESCE((', partition_expression, ') IN (', partition_description, '), ',
    CASE WHEN CONCAT(',', partition_description, ',') LIKE '%,NULL,%'
      THEN CONCAT('(', partition_expression, ') IS NULL') ELSE 'FALSE' END, ')')
END
FROM information_schema.partitions
WHERE partition_name IS NOT NULL"
);

/// Those that MariaDB computes when a row is written.
const STORED_COLUMNS: &str = of_table!(
    "SELECT column_name FROM information_schema.columns \
     WHERE (extra LIKE '%STORED%' OR extra LIKE '%PERSISTENT%')"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_has_parentheses() {
        for (clause, expected) in [
            ("(`a` <> 1)", "CHECK (`a` <> 1)"),
            ("json_valid(`j`)", "CHECK (json_valid(`j`))"),
            (
                "json_valid(`j`) NOT ENFORCED",
                "CHECK (json_valid(`j`)) NOT ENFORCED",
            ),
        ] {
            assert_eq!(check_of_mysql(clause).as_deref(), Some(expected));
        }
    }
}
