//! PostgreSQL.

use rowkey_core::Backend::Postgres;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, POSTGRES_SEQUENCE, POSTGRES_SEQUENCES, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{Kind, Type};
use rowkey_tables::{Error, Value};

use super::facts::*;
use crate::batch::{DEEPEST, Tree, is_numeric};
use crate::tables::table_side::{Content, TableSide};

pub(super) const ENGINE: Engine = Engine {
    columns: Columns {
        widest_decimal: None,
        has_already: &["tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"],
        default: |sql| Some(sql.to_owned()),
        default_clause: |_, sql| format!(" DEFAULT {sql}"),
        utc_now: "(CURRENT_TIMESTAMP AT TIME ZONE 'UTC')",
        now_is_utc: false,
        name_as_text: |_| None,
        is_null_written: |_| false,
        names_collations: false,
        now: ["CURRENT_TIMESTAMP"; 2],
        now_has_digits: false,
        today: Some("CURRENT_DATE"),
        shows_moments: true,
        unwrapped: |sql| sql,
        uncast: |sql| {
            let value = sql.rsplit_once("::").map_or(sql, |(value, _)| value);
            value.trim_matches(['(', ')'])
        },
    },
    counters: Counters {
        after,
        after_sequence: None,
        end,
        column: |name, sql_type, definition, step| {
            let is_always = definition.starts_with("GENERATED ALWAYS");
            let how = if is_always { "ALWAYS" } else { "BY DEFAULT" };
            let step = step.map(|step| format!(" (INCREMENT BY {step})"));
            let step = step.unwrap_or_default();
            format!("{name} {sql_type} GENERATED {how} AS IDENTITY{step} NOT NULL")
        },
        next: Some(|sequence| format!("nextval({})", text_literal(Postgres, sequence))),
        besides_key: BesidesKey::All,
        has_steps: true,
        may_set: MaySet::Query(|table, column| {
            let sequence = sequence_of(table, column);
            format!(
                "SELECT (has_sequence_privilege(s.number::oid, 'UPDATE') AND s.last IS NOT NULL)::int \
                 FROM ({sequence}) s"
            )
        }),
        is_key: false,
        last,
        needs_key: false,
        sequences: Some(SEQUENCES),
        set_step: Some(|table, column, step| {
            format!("ALTER TABLE {table} ALTER COLUMN {column} SET INCREMENT BY {step}")
        }),
    },
    definitions: Definitions {
        before_columns: "USING ",
        has_bracketed_names: false,
        has_conditions: true,
        indexes: Indexes::Statement,
        index: str::to_owned,
        is_column: |column, name| column == name,
    },
    objects: Objects {
        adds_references: true,
        redefine: None,
        // The others are exclusion constraints, or a NOT NULL that is not valid.
        check: Some(|definition| {
            let is_check = definition.starts_with("CHECK ");
            is_check.then(|| definition.to_owned())
        }),
        grants: Some(GRANTS),
        hidden: Some(HIDDEN),
        has_restrict: true,
        has_set_default: true,
        has_schemas: true,
        is_reserved: |_| false,
        primary_name: None,
        late_key: LateKey::AfterRows,
        orphan: None,
        orphans: None,
        index_bytes: Some(2_600),
        key_bytes: None,
        row_bytes: Some([8_160, 18]),
        tried_index: Some("CREATE INDEX"),
        partitions_are_tables: true,
        partition_conditions: Some(
            "SELECT COALESCE(pg_get_partition_constraintdef(relid), 'TRUE') \
             FROM pg_partition_tree($1::text::regclass) WHERE isleaf AND level > 0",
        ),
        // Others are computed only for a NOT NULL.
        computed_columns: Some(ComputedColumns {
            names: Some(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass \
                 AND NOT attisdropped AND (attgenerated = 's' OR attgenerated <> '' AND attnotnull)",
            ),
            expression: |sql| Some(sql.to_owned()),
        }),
        functions: Some("SELECT proname::text FROM pg_proc WHERE oid >= 16384"),
        partitions_with_rules: Some(PARTITIONS_WITH_RULES),
        programs: PROGRAMS,
        programs_are_quoted: true,
        references_have_one_type: false,
        references_share_names: false,
        // For sessions in the role of a replica.
        reference_checks_can_be_off: true,
        reference_attributes: true,
        used_names: |table| vec![table.to_owned(), format!("{table}_pkey")],
        unique_takes_nulls: true,
    },
    rows: Rows {
        byte_count: "octet_length({})",
        byte_count_of_text: "octet_length({})",
        character_count: "char_length({})",
        class: None,
        comparable: "CAST({} AS text) COLLATE \"C\"",
        count: "COUNT",
        key_literal: |column, _| Ok(KeyLiteral::Cast(column.sql_type.clone())),
        only: "ONLY ",
        pages: Some(|table| {
            let name = text_literal(Postgres, table);
            format!(
                "SELECT pg_relation_size({name}::regclass) / current_setting('block_size')::bigint"
            )
        }),
        sample: |share| Sample::Pages(format!(" TABLESAMPLE SYSTEM ({:.9})", 100.0 * share)),
        sampled: |rows| rows / ROWS_PER_PAGE,
        selected: |column, name, _| {
            let is_text = matches!(column.content, Content::Values(Kind::Text | Kind::Json));
            // The cast cuts the spaces at its end.
            let is_padded = column.sql_type.name() == "bpchar";
            match column.own == Type::Own && is_text && !is_padded {
                true => format!("CAST({name} AS text)"),
                false => name.to_owned(),
            }
        },
        shown: "{}::text",
        zero_characters: "",
        zero_dates: None,
        clock_separator: ' ',
        zone: "+00",
    },
    sessions: Sessions {
        begin: "BEGIN",
        begin_temporary: "BEGIN",
        check_deferred: Some("SET CONSTRAINTS ALL IMMEDIATE"),
        counts_changes: true,
        hold: Some(Hold {
            is_allowed: "SELECT has_table_privilege($1::text, 'SELECT')::int",
            statement: |tables| format!("LOCK TABLE {} IN ACCESS SHARE MODE", tables.join(", ")),
        }),
        export_view: Some("SELECT pg_export_snapshot()"),
        lock: Some,
        lock_tables: None,
        place: "SELECT format('%I.%I', current_database(), current_schema())",
        identity: "SELECT format('%I.%I of the server %s', current_database(), current_schema(), \
                   system_identifier) FROM pg_control_system()",
        has_slow_queries: false,
        refusals_end_view: true,
        rollback: "ROLLBACK",
        show_keys: Some(
            "SET datestyle = 'ISO, MDY'; SET intervalstyle = 'iso_8601'; SET bytea_output = 'hex'; \
             SET extra_float_digits = 1; SET xmloption = 'content'",
        ),
        view_begins_late: false,
        views: None,
        // It turns off triggers and rules, too.
        unchecked: Some(Unchecked {
            off: "SET session_replication_role = replica",
            on: "RESET session_replication_role",
            is_free: false,
        }),
        write: Some("SET client_min_messages = warning"),
        zone: None,
    },
    target: Target {
        collations: None,
        create: |table| format!("CREATE TABLE IF NOT EXISTS {table}"),
        create_privilege: Some(
            "SELECT COALESCE(current_schema(), '')::text, \
             COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)::int",
        ),
        row_security: Some("SELECT row_security_active($1::text::regclass)::int"),
        rehearsal: Rehearsal::Transaction {
            begin: "BEGIN",
            savepoint: "SAVEPOINT rowkey",
            back: "ROLLBACK TO SAVEPOINT rowkey",
            end: "ROLLBACK",
        },
        options: "",
        state_options: "",
        state_text: "text",
        folded: str::to_owned,
        has_engines: false,
        views: "SELECT relname::text FROM pg_class WHERE relkind IN ('v', 'm', 'f') \
               AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
        schema: "SELECT 1 FROM pg_namespace WHERE nspname = $1",
        temporary_prefix: "",
        temporary: "TEMPORARY ",
        temporary_dropped: "",
        temporary_collation: "",
        triggers: Some(|table, word, names| {
            let words = names.iter().map(|name| format!("{word} TRIGGER {name}"));
            let words: Vec<String> = words.collect();
            format!("ALTER TABLE {table} {}", words.join(", "))
        }),
        update_from: Some(update_from),
        lenient_collations: Some(LENIENT_COLLATIONS),
        encoding: Some(
            "SELECT current_setting('server_encoding') \
             WHERE current_setting('server_encoding') NOT IN ('UTF8', 'SQL_ASCII')",
        ),
        ends_in_2038: None,
        own_numbers: "OVERRIDING SYSTEM VALUE ",
        user_type: Some(
            "SELECT to_regtype($1)::text, \
             COALESCE((SELECT typtype = 'e' OR p.proname = 'citextrecv' FROM pg_type t \
             JOIN pg_proc p ON p.oid = t.typreceive WHERE t.oid = to_regtype($1)), FALSE)",
        ),
    },
    values: Values {
        counts_utf16: false,
        booleans: ["false", "true"],
        bytes: ["'\\x", "'::bytea"],
        decimal: ["'", "'::numeric"],
        bits: "",
        has_all_years: true,
        has_infinite_floats: true,
        has_nan_floats: true,
        has_subnormal_floats: true,
        has_zero_character: false,
        json: Some(Tree {
            deepest: DEEPEST,
            has_zero_character: false,
            keeps_number: is_numeric,
            longest_name: usize::MAX,
        }),
        fills_null_moments: false,
        moments_end: None,
        negative_zero: NegativeZero::Kept,
        reads_floats: true,
        special_decimals: SpecialDecimals::Numbers,
        times: Times::UntilMidnight,
        utc: "+00:00",
        writes_uuids: true,
    },
};

/// A sequence that has counted further stays as it is: others may count with it, too.
fn after(side: &TableSide, column: &str, last: i128) -> Result<Vec<String>, Error> {
    let counted = counted(side, column, last)?;
    Ok(vec![format!(
        "SELECT setval(s.number::oid::regclass, GREATEST(LEAST(n.last, s.most), s.least)) {counted} \
         WHERE CASE WHEN s.step > 0 THEN n.last >= s.least ELSE n.last <= s.most END"
    )])
}

fn end(
    side: &TableSide,
    column: &str,
    _: Option<&str>,
    last: i128,
) -> Result<Option<String>, Error> {
    let counted = counted(side, column, last)?;
    Ok(Some(format!(
        "SELECT (CASE WHEN s.step > 0 THEN s.most ELSE s.least END)::text {counted} \
         WHERE n.last::numeric + s.step NOT BETWEEN s.least AND s.most \
         AND CASE WHEN s.step > 0 THEN n.last >= s.least ELSE n.last <= s.most END"
    )))
}

/// A column's sequence, and the last number of its rows, of the sequence and of the source.
fn counted(side: &TableSide, column: &str, last: i128) -> Result<String, Error> {
    let (quoted, table) = (quote_identifier(Postgres, column)?, side.quoted()?);
    let last = match last {
        0 => "NULL".to_owned(),
        last => last.to_string(),
    };
    Ok(format!(
        "FROM ({}) s CROSS JOIN LATERAL (SELECT CASE WHEN s.step > 0 \
         THEN GREATEST(MAX({quoted}), {last}, s.last) ELSE LEAST(MIN({quoted}), {last}, s.last) END AS last \
         FROM {table}) n",
        sequence_of(&table, column)
    ))
}

fn sequence_of(table: &str, column: &str) -> String {
    let column = text_literal(Postgres, column);
    let of_column = POSTGRES_SEQUENCE.split("$1::text");
    let of_column: Vec<String> = of_column
        .map(|sql| sql.replace("$2::text", &column))
        .collect();
    of_column.join(&text_literal(Postgres, table))
}

fn last(table: &Table, column: &Column) -> Result<Option<Query>, Error> {
    let place = Value::Text(table.name.quoted(Postgres)?);
    Ok(Some((
        POSTGRES_SEQUENCE.into(),
        vec![place, column.name.as_str().into()],
    )))
}

/// Those that they share with their parents have a parent or are inherited.
const PARTITIONS_WITH_RULES: &str = "
SELECT p.relid::regclass::text FROM pg_partition_tree($1::text::regclass) p
WHERE p.parentrelid IS NOT NULL AND (
  EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = p.relid AND k.conislocal
    AND k.contype IN ('c', 'f') AND k.conparentid = 0)
  OR EXISTS (SELECT FROM pg_attribute a JOIN pg_attribute b
    ON b.attrelid = p.parentrelid AND b.attname = a.attname
    WHERE a.attrelid = p.relid AND a.attnum > 0 AND a.attnotnull AND NOT b.attnotnull)
  OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = p.relid AND i.indisunique
    AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = i.indexrelid))
  OR EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = p.relid))
ORDER BY 1";

/// Of sequences with which columns count.
const HIDDEN: &str = "SELECT t.relname::text, s.seqrelid::regclass::text, concat_ws(', ', \
       CASE WHEN s.seqcycle THEN 'CYCLE' END, CASE WHEN s.seqcache <> 1 THEN 'CACHE' END, \
       CASE WHEN s.seqincrement > 0 AND (s.seqmin <> 1 OR s.seqmax NOT IN (32767, 2147483647, 9223372036854775807)) \
         THEN 'limits' END) \
     FROM pg_sequence s JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.seqrelid \
       AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i') \
     JOIN pg_class t ON t.oid = d.refobjid AND t.relnamespace = current_schema()::regnamespace \
     WHERE s.seqcycle OR s.seqcache <> 1 OR s.seqincrement > 0 \
       AND (s.seqmin <> 1 OR s.seqmax NOT IN (32767, 2147483647, 9223372036854775807)) ORDER BY 2";

const SEQUENCES: Sequences = Sequences {
    bounds: [i64::MIN as i128, i64::MAX as i128],
    list: POSTGRES_SEQUENCES,
    may_set: |name| {
        let place = text_literal(Postgres, name);
        format!(
            "SELECT (has_sequence_privilege({place}, 'SELECT') \
             AND has_sequence_privilege({place}, 'UPDATE'))::int"
        )
    },
    needs: "SELECT and UPDATE",
    set: |name, number, is_used| {
        let name = text_literal(Postgres, name);
        format!("SELECT setval({name}, {number}, {is_used})")
    },
    state: |name| {
        let place = text_literal(Postgres, name);
        format!(
            "SELECT (v.last_value::numeric + CASE WHEN v.is_called THEN s.seqincrement ELSE 0 END)::text, \
             s.seqincrement::text, s.seqmin::text, s.seqmax::text, s.seqcycle::int \
             FROM {name} v, pg_sequence s WHERE s.seqrelid = {place}::regclass"
        )
    },
};

/// Who has which privileges on tables, besides their owners.
const GRANTS: &str = "
SELECT NULLIF(n.nspname, current_schema())::text, c.relname::text,
  COALESCE(r.rolname::text, 'everybody'),
  string_agg(g.privilege_type, ', ' ORDER BY g.privilege_type)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) g
LEFT JOIN pg_roles r ON r.oid = g.grantee
WHERE c.relkind IN ('r', 'p') AND g.grantee <> c.relowner
GROUP BY 1, 2, 3 ORDER BY 1 NULLS FIRST, 2, 3";

/// Through `to_jsonb`, because older versions lack the column.
const LENIENT_COLLATIONS: &str = "
SELECT a.attname::text, format('%I.%I', n.nspname, l.collname)
FROM pg_attribute a JOIN pg_collation l ON l.oid = a.attcollation
JOIN pg_namespace n ON n.oid = l.collnamespace
WHERE a.attrelid = to_regclass($1) AND to_jsonb(l)->>'collisdeterministic' = 'false'";

/// Those of extensions come with them.
const PROGRAMS: &str = "
SELECT CASE v.relkind WHEN 'f' THEN 'foreign table' ELSE 'view' END, format('%I.%I', n.nspname, v.relname)
FROM pg_class v JOIN pg_namespace n ON n.oid = v.relnamespace
WHERE n.nspname = current_schema() AND v.relkind IN ('v', 'm', 'f')
  AND NOT EXISTS (SELECT FROM pg_depend e
    WHERE e.classid = 'pg_class'::regclass AND e.objid = v.oid AND e.deptype = 'e')
UNION ALL SELECT 'routine', p.oid::regprocedure::text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE n.nspname = current_schema() AND l.lanname NOT IN ('internal', 'c')
  AND p.proname NOT LIKE 'rowkey\\_%'
  AND NOT EXISTS (SELECT FROM pg_depend e
    WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
ORDER BY 1, 2";
