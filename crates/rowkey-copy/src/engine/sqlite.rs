//! SQLite.

use rowkey_core::Backend::Sqlite;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Generated, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::Type;

use super::facts::*;
use crate::tables::table_side::TableSide;

/// A path without `.` and `..`.
const FILE: &str = "SELECT file FROM pragma_database_list WHERE name = 'main'";

pub(super) const ENGINE: Engine = Engine {
    columns: Columns {
        widest_decimal: None,
        has_already: &[],
        // An expression is shown without the parentheses that it needs.
        default: |sql| Some(format!("({sql})")),
        default_clause: |_, sql| format!(" DEFAULT {sql}"),
        utc_now: "CURRENT_TIMESTAMP",
        now_is_utc: true,
        name_as_text,
        is_null_written: |own| own == Type::Instant,
        names_collations: false,
        now: ["CURRENT_TIMESTAMP"; 2],
        now_has_digits: false,
        today: Some("CURRENT_DATE"),
        shows_moments: false,
        unwrapped: |sql| sql,
        uncast: |sql| sql,
    },
    counters: Counters {
        after,
        after_sequence: None,
        end: |_, _, _, _| Ok(None),
        column: |name, _, _, _| format!("{name} INTEGER PRIMARY KEY AUTOINCREMENT"),
        next: None,
        besides_key: BesidesKey::None,
        has_steps: false,
        may_set: MaySet::Free,
        is_key: true,
        last,
        needs_key: false,
        sequences: None,
        set_step: None,
    },
    definitions: Definitions {
        before_columns: "(",
        has_bracketed_names: true,
        has_conditions: true,
        indexes: Indexes::Statement,
        index: str::to_owned,
        is_column: str::eq_ignore_ascii_case,
    },
    objects: Objects {
        adds_references: false,
        redefine: Some(redefine),
        check: None,
        grants: None,
        hidden: None,
        has_restrict: true,
        has_set_default: true,
        has_schemas: false,
        is_reserved: |name| name.starts_with("sqlite_"),
        primary_name: None,
        late_key: LateKey::WithTable,
        orphan: Some("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check() LIMIT 1"),
        orphans: Some(
            "SELECT fkid, COUNT(*), MIN(rowid), parent FROM pragma_foreign_key_check(?) GROUP BY fkid",
        ),
        index_bytes: None,
        key_bytes: None,
        row_bytes: None,
        tried_index: Some("CREATE INDEX temp.rowkey_{}"),
        partitions_are_tables: false,
        partition_conditions: None,
        computed_columns: None,
        functions: None,
        partitions_with_rules: None,
        programs: "
SELECT 'view', name FROM sqlite_master WHERE type = 'view' ORDER BY 2",
        programs_are_quoted: true,
        references_have_one_type: false,
        references_share_names: false,
        reference_checks_can_be_off: true,
        reference_attributes: false,
        used_names: |table| vec![table.to_ascii_lowercase()],
        unique_takes_nulls: true,
    },
    rows: Rows {
        byte_count: "length(CAST({} AS BLOB))",
        byte_count_of_text: "length(CAST({} AS BLOB))",
        character_count: "length(CAST({} AS BLOB))",
        class: Some("typeof({})"),
        comparable: "quote({})",
        count: "COUNT",
        key_literal: |_, _| Ok(KeyLiteral::Any),
        only: "",
        pages: None,
        // Random numbers have 64 bits.
        sample: |share| {
            let of_billion = share * 1_000_000_000.0;
            Sample::Condition(format!("abs(random() % 1000000000) < {of_billion:.0}"))
        },
        sampled: |rows| rows,
        selected: |_, name, _| name.to_owned(),
        shown: "CASE typeof({}) WHEN 'text' THEN CAST({} AS BLOB) ELSE quote({}) END",
        zero_characters: "instr(CAST({} AS BLOB), X'00') > 0",
        zero_dates: None,
        clock_separator: ' ',
        zone: "",
    },
    sessions: Sessions {
        begin: "BEGIN IMMEDIATE",
        begin_temporary: "BEGIN",
        check_deferred: None,
        counts_changes: true,
        hold: None,
        export_view: None,
        // Each transaction locks the file, and checks that the last one was its own.
        lock: |_| None,
        lock_tables: None,
        place: FILE,
        identity: FILE,
        has_slow_queries: false,
        refusals_end_view: false,
        rollback: "ROLLBACK",
        show_keys: None,
        view_begins_late: false,
        views: None,
        unchecked: None,
        // References are checked at the end, because rows may refer to later ones.
        write: Some("PRAGMA foreign_keys = OFF"),
        zone: None,
    },
    target: Target {
        collations: None,
        create: |table| format!("CREATE TABLE IF NOT EXISTS {table}"),
        create_privilege: None,
        row_security: None,
        rehearsal: Rehearsal::Transaction {
            begin: "BEGIN IMMEDIATE",
            savepoint: "SAVEPOINT rowkey",
            back: "ROLLBACK TO SAVEPOINT rowkey",
            end: "ROLLBACK",
        },
        options: "",
        state_options: "",
        state_text: "text",
        folded: str::to_ascii_lowercase,
        has_engines: false,
        views: "SELECT name FROM sqlite_master WHERE type = 'view'",
        schema: "SELECT 1 FROM pragma_database_list WHERE name = ?",
        temporary_prefix: "",
        temporary: "TEMPORARY ",
        temporary_dropped: "",
        temporary_collation: "",
        triggers: None,
        update_from: Some(update_from),
        lenient_collations: None,
        encoding: None,
        ends_in_2038: None,
        own_numbers: "",
        user_type: None,
    },
    values: Values {
        counts_utf16: false,
        booleans: ["0", "1"],
        bytes: ["X'", "'"],
        decimal: ["'", "'"],
        bits: "",
        has_all_years: false,
        has_infinite_floats: true,
        has_nan_floats: false,
        has_subnormal_floats: true,
        has_zero_character: true,
        json: None,
        fills_null_moments: false,
        moments_end: None,
        negative_zero: NegativeZero::Lost,
        reads_floats: true,
        special_decimals: SpecialDecimals::AsText,
        times: Times::UntilMidnight,
        utc: "+00:00",
        writes_uuids: false,
    },
};

/// As SQLite's own documentation does it for what says nothing of how rows are stored.
fn redefine(table: &str, definition: &str) -> Vec<String> {
    let sql = text_literal(Sqlite, &definition.replacen(" IF NOT EXISTS", "", 1));
    let name = text_literal(Sqlite, table);
    vec![
        "PRAGMA writable_schema = ON".into(),
        format!("UPDATE sqlite_master SET sql = {sql} WHERE type = 'table' AND name = {name}"),
        "PRAGMA writable_schema = RESET".into(),
    ]
}

/// A name in a default is text, also between the quotes of names.
fn name_as_text(sql: &str) -> Option<String> {
    let first = sql.chars().next()?;
    if matches!(first, '"' | '`') {
        let [one, two] = [1, 2].map(|count| first.to_string().repeat(count));
        let inside = sql.strip_prefix(first)?.strip_suffix(first)?;
        let is_one = !inside.replace(&two, "").contains(first);
        return is_one.then(|| inside.replace(&two, &one));
    }
    if first == '[' {
        let inside = sql.strip_prefix('[')?.strip_suffix(']')?;
        return (!inside.contains(']')).then(|| inside.to_owned());
    }
    let is_name = !first.is_ascii_digit()
        && sql
            .chars()
            .all(|one| one.is_alphanumeric() || one == '_' || one == '$');
    let words = [
        "null",
        "true",
        "false",
        "current_date",
        "current_time",
        "current_timestamp",
    ];
    let is_word = words.iter().any(|word| sql.eq_ignore_ascii_case(word));
    (is_name && !is_word).then(|| sql.to_owned())
}

fn after(side: &TableSide, _: &str, last: i128) -> Result<Vec<String>, Error> {
    if last < 1 {
        return Ok(Vec::new());
    }
    let name = text_literal(Sqlite, &side.name.name);
    Ok(vec![
        format!("UPDATE sqlite_sequence SET seq = MAX(seq, {last}) WHERE name = {name}"),
        format!(
            "INSERT INTO sqlite_sequence (name, seq) SELECT {name}, {last} \
             WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = {name})"
        ),
    ])
}

fn last(table: &Table, column: &Column) -> Result<Option<Query>, Error> {
    let query = "SELECT seq FROM sqlite_sequence WHERE name = ?";
    let name = table.name.name.as_str();
    Ok((column.generated == Generated::AutoIncrement).then(|| (query.into(), vec![name.into()])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_defaults_are_text() {
        for (sql, expected) in [
            ("\"a\"\"b\"", Some("a\"b")),
            ("`a`", Some("a")),
            ("[a b]", Some("a b")),
            ("open", Some("open")),
            ("\"\"", Some("")),
            ("\"", None),
            ("\"a\" || \"b\"", None),
            ("'a'", None),
            ("1e3", None),
            ("NULL", None),
            ("true", None),
            ("CURRENT_TIMESTAMP", None),
            ("datetime('now')", None),
        ] {
            assert_eq!(name_as_text(sql).as_deref(), expected, "{sql}");
        }
    }
}
