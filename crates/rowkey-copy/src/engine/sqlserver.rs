//! SQL Server.

use rowkey_core::Backend::SqlServer;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::ColumnType;
use rowkey_tables::{Error, Value};

use super::facts::*;
use crate::tables::table_side::TableSide;

pub(super) const ENGINE: Engine = Engine {
    columns: Columns {
        widest_decimal: Some((38, 10)),
        has_already: &[],
        default: |sql| Some(sql.to_owned()),
        default_clause: |_, sql| format!(" DEFAULT {sql}"),
        utc_now: "SYSUTCDATETIME()",
        now_is_utc: false,
        name_as_text: |_| None,
        // A setting of the session may say otherwise.
        is_null_written: |_| true,
        names_collations: true,
        now: ["SYSDATETIME()", "SYSDATETIMEOFFSET()"],
        now_has_digits: false,
        today: None,
        shows_moments: false,
        // Each is shown with parentheses.
        unwrapped: |sql| sql.trim_matches(['(', ')']),
        uncast: |sql| sql.strip_prefix('N').unwrap_or(sql),
    },
    counters: Counters {
        after,
        after_sequence: None,
        end: |_, _, _, _| Ok(None),
        column: |name, sql_type, _, step| {
            let step = step.map(|step| format!("(1, {step})"));
            let step = step.unwrap_or_default();
            format!("{name} {sql_type} IDENTITY{step} NOT NULL")
        },
        next: None,
        besides_key: BesidesKey::None,
        has_steps: true,
        // Numbers of one's own need ALTER, too.
        may_set: MaySet::Free,
        is_key: false,
        last,
        needs_key: false,
        sequences: None,
        set_step: None,
    },
    definitions: Definitions {
        before_columns: "(",
        has_bracketed_names: false,
        has_conditions: false,
        indexes: Indexes::None,
        index: str::to_owned,
        is_column: |column, name| column == name,
    },
    objects: Objects {
        adds_references: true,
        redefine: None,
        check: None,
        grants: None,
        hidden: None,
        has_restrict: false,
        has_set_default: true,
        has_schemas: true,
        is_reserved: |_| false,
        primary_name: None,
        late_key: LateKey::WithTable,
        orphan: None,
        orphans: None,
        index_bytes: None,
        key_bytes: None,
        row_bytes: None,
        tried_index: None,
        partitions_are_tables: false,
        partition_conditions: None,
        computed_columns: None,
        functions: None,
        partitions_with_rules: None,
        programs: PROGRAMS,
        programs_are_quoted: true,
        references_have_one_type: true,
        references_share_names: true,
        reference_checks_can_be_off: false,
        reference_attributes: false,
        used_names: |_| Vec::new(),
        unique_takes_nulls: false,
    },
    rows: Rows {
        byte_count: "DATALENGTH({})",
        byte_count_of_text: "DATALENGTH(CONVERT(nvarchar(max), {})) / 2 * 3",
        character_count: "DATALENGTH(CONVERT(nvarchar(max), {})) / 2",
        class: None,
        comparable: "CONVERT(nvarchar(200), {}) COLLATE Latin1_General_100_BIN2",
        count: "COUNT_BIG",
        key_literal,
        only: "",
        pages: None,
        sample: |share| Sample::Pages(format!(" TABLESAMPLE ({:.9} PERCENT)", 100.0 * share)),
        sampled: |rows| rows * ROWS_PER_PAGE,
        selected: |column, name, place| match column.sql_type.read_as(column.own) {
            Some(other) => format!("CONVERT({other}, {name}) AS rowkey_value_{place}"),
            None => name.to_owned(),
        },
        shown: "CONVERT(varchar(40), {})",
        // In the order of bytes, because others overlook the character.
        zero_characters: "CHARINDEX(NCHAR(0), CONVERT(nvarchar(max), {}) COLLATE Latin1_General_100_BIN2) > 0",
        zero_dates: None,
        // The language of a session may turn other dates around.
        clock_separator: 'T',
        zone: "",
    },
    sessions: Sessions {
        begin: "BEGIN TRANSACTION",
        begin_temporary: "BEGIN TRANSACTION",
        check_deferred: None,
        counts_changes: false,
        hold: None,
        export_view: None,
        lock: Some,
        lock_tables: Some(TableLock {
            begin: "SET LOCK_TIMEOUT 5000; BEGIN TRANSACTION",
            // Without a row to look for, the server need not touch the table.
            lock: |tables| {
                let tables = tables.iter();
                tables
                    .map(|table| format!("SELECT TOP (1) 1 FROM {table} WITH (TABLOCK, HOLDLOCK)"))
                    .collect()
            },
            end: "ROLLBACK",
            instead: "wait for the end of long transactions, or copy with one job",
        }),
        place: "SELECT QUOTENAME(DB_NAME()) + N'.' + QUOTENAME(SCHEMA_NAME())",
        identity: "SELECT QUOTENAME(DB_NAME()) + N'.' + QUOTENAME(SCHEMA_NAME()) + N' of the server ' + \
                   @@SERVERNAME",
        has_slow_queries: false,
        refusals_end_view: false,
        // An error has ended the transaction already.
        rollback: "IF @@TRANCOUNT > 0 ROLLBACK",
        show_keys: None,
        view_begins_late: true,
        views: Some(
            "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()",
        ),
        unchecked: None,
        // An error ends the transaction.
        write: Some("SET XACT_ABORT ON"),
        zone: None,
    },
    target: Target {
        collations: None,
        create: |table| {
            let place = text_literal(SqlServer, table);
            format!("IF OBJECT_ID({place}, N'U') IS NULL CREATE TABLE {table}")
        },
        create_privilege: None,
        row_security: None,
        // Otherwise the first error would end the transaction, and others would not be seen.
        rehearsal: Rehearsal::Transaction {
            begin: "SET XACT_ABORT OFF; BEGIN TRANSACTION",
            savepoint: "SAVE TRANSACTION rowkey",
            back: "ROLLBACK TRANSACTION rowkey",
            end: "IF @@TRANCOUNT > 0 ROLLBACK; SET XACT_ABORT ON",
        },
        options: "",
        state_options: "",
        state_text: "varchar(max)",
        folded: str::to_lowercase,
        has_engines: false,
        views: "SELECT name FROM sys.views WHERE schema_id = SCHEMA_ID()",
        schema: "SELECT 1 FROM sys.schemas WHERE name = @P1",
        // It knows by its name that it is one, and gives text the collation of `tempdb`.
        temporary_prefix: "#",
        temporary: "",
        temporary_dropped: "",
        temporary_collation: " COLLATE DATABASE_DEFAULT",
        triggers: Some(|table, word, names| {
            format!("{word} TRIGGER {} ON {table}", names.join(", "))
        }),
        update_from: None,
        lenient_collations: None,
        encoding: None,
        ends_in_2038: None,
        own_numbers: "",
        user_type: None,
    },
    values: Values {
        counts_utf16: true,
        booleans: ["0", "1"],
        bytes: ["0x", ""],
        decimal: ["", ""],
        bits: "",
        has_all_years: false,
        has_infinite_floats: false,
        has_nan_floats: false,
        has_subnormal_floats: false,
        has_zero_character: true,
        json: None,
        fills_null_moments: false,
        moments_end: None,
        negative_zero: NegativeZero::Unknown,
        reads_floats: false,
        special_decimals: SpecialDecimals::None,
        times: Times::BeforeMidnight,
        utc: "",
        writes_uuids: true,
    },
};

/// The number is the next one for a column that has not counted yet, and the last one otherwise.
/// Because it has to be a literal, the server puts the statement together.
fn after(side: &TableSide, column: &str, last: i128) -> Result<Vec<String>, Error> {
    let (quoted, table) = (quote_identifier(SqlServer, column)?, side.quoted()?);
    let place = text_literal(SqlServer, &table);
    let name = text_literal(SqlServer, column);
    let reseed = format!(
        "DBCC CHECKIDENT ({}, RESEED, ",
        place.trim_start_matches('N')
    );
    let reseed = text_literal(SqlServer, &reseed);
    Ok(vec![format!(
        "DECLARE @last bigint = (SELECT MAX({quoted}) FROM {table}); \
         DECLARE @counted bigint = (SELECT MAX(CONVERT(bigint, last_value)) \
         FROM sys.identity_columns WHERE object_id = OBJECT_ID({place}) AND name = {name}); \
         IF @last IS NULL OR @last < {last} SET @last = {last}; \
         IF @counted IS NULL SET @last = @last + 1; \
         IF @last >= 1 AND (@counted IS NULL OR @counted < @last) BEGIN \
         DECLARE @reseed nvarchar(max) = {reseed} + CONVERT(nvarchar(20), @last) \
         + N') WITH NO_INFOMSGS'; EXEC sp_executesql @reseed END"
    )])
}

/// The types that keys have. It has not run there.
fn key_literal(column: &Column, sql_type: &ColumnType) -> Result<KeyLiteral, &'static str> {
    match sql_type.name() {
        "uniqueidentifier" | "date" => Ok(KeyLiteral::Quoted),
        "tinyint" | "smallint" | "int" | "bigint" | "decimal" | "numeric" => Ok(KeyLiteral::Number),
        "binary" | "varbinary" => Ok(KeyLiteral::Bytes),
        "nchar" | "nvarchar" => Ok(KeyLiteral::Text),
        "char" | "varchar" => Ok(KeyLiteral::CodePage {
            sql_type: column.sql_type.clone(),
            collation: column.collation.clone(),
        }),
        _ => Err("its values have no literal that means the same in every session"),
    }
}

fn last(table: &Table, column: &Column) -> Result<Option<Query>, Error> {
    let query = "SELECT CONVERT(bigint, last_value) FROM sys.identity_columns \
                 WHERE object_id = OBJECT_ID(@P1) AND name = @P2";
    let place = Value::Text(table.name.quoted(SqlServer)?);
    Ok(Some((
        query.into(),
        vec![place, column.name.as_str().into()],
    )))
}

const PROGRAMS: &str = "
SELECT CASE o.type WHEN 'V' THEN N'view' ELSE N'routine' END,
  SCHEMA_NAME(o.schema_id) + N'.' + o.name FROM sys.objects o
WHERE o.schema_id = SCHEMA_ID() AND o.is_ms_shipped = 0 AND o.type IN ('V', 'P', 'FN', 'IF', 'TF')
ORDER BY 1, 2";
