//! Which facts and statements a database has. In a pattern, `{}` is the name of a column.

use std::borrow::Cow;

use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::types::{ColumnType, Type};
use rowkey_tables::{Error, Value};

use crate::batch::Tree;
use crate::tables::table_side::{ColumnSide, MomentsEnd, TableSide};

/// The statement for the tables, the columns and the condition.
pub(crate) type UpdateFrom = fn(&str, &str, &[String], &str) -> String;

/// `UPDATE … FROM`, as PostgreSQL and SQLite have it.
pub(super) fn update_from(table: &str, other: &str, columns: &[String], condition: &str) -> String {
    let columns = columns.iter().map(|name| format!("{name} = new.{name}"));
    let columns: Vec<String> = columns.collect();
    format!(
        "UPDATE {table} AS old SET {} FROM {other} AS new WHERE {condition}",
        columns.join(", ")
    )
}

/// A database as the source or the target of a copy.
pub(crate) struct Engine {
    pub(crate) columns: Columns,
    pub(crate) counters: Counters,
    pub(crate) definitions: Definitions,
    pub(crate) objects: Objects,
    pub(crate) rows: Rows,
    pub(crate) sessions: Sessions,
    pub(crate) target: Target,
    pub(crate) values: Values,
}

/// Rows of one page are neighbours in many tables, so that a page counts little more than one row.
pub(super) const ROWS_PER_PAGE: u64 = 4;

/// A pattern with a column.
pub(crate) fn of_column(pattern: &str, column: &str) -> String {
    pattern.replace("{}", column)
}

/// Definitions of columns.
pub(crate) struct Columns {
    /// A default of the same database; nothing if the catalogue does not show it.
    pub(crate) default: fn(&str) -> Option<String>,
    /// The columns that every table has.
    pub(crate) has_already: &'static [&'static str],
    /// How many digits a decimal number may have, and how many of them after the point.
    pub(crate) widest_decimal: Option<(u32, u32)>,
    /// The words for the default of a column of a type.
    pub(crate) default_clause: fn(Type, &str) -> String,
    /// The default for now in UTC, without a zone.
    pub(crate) utc_now: &'static str,
    /// Whether now without a zone is that of UTC in every session.
    pub(crate) now_is_utc: bool,
    /// The text of a default that is a name.
    pub(crate) name_as_text: fn(&str) -> Option<String>,
    /// Whether NULL is written for a column that may have it.
    pub(crate) is_null_written: fn(Type) -> bool,
    /// Whether the collation of a column is part of its type.
    pub(crate) names_collations: bool,
    /// The defaults for now, without a zone and with one.
    pub(crate) now: [&'static str; 2],
    /// Whether that is written with the digits of the column's seconds.
    pub(crate) now_has_digits: bool,
    /// The default for the current day, if there is one.
    pub(crate) today: Option<&'static str>,
    /// Whether the catalogue shows the default of a moment in UTC, or with its zone.
    pub(crate) shows_moments: bool,
    /// What the catalogue shows around a default.
    pub(crate) unwrapped: fn(&str) -> &str,
    /// What it shows around a literal.
    pub(crate) uncast: fn(&str) -> &str,
}

/// A query and its values.
pub(crate) type Query = (Cow<'static, str>, Vec<Value>);

/// Statements from a sequence, a table, a column and a number.
pub(crate) type AfterSequence = fn(&str, &str, &str, i128) -> [String; 2];

/// A query from a table, a column, its sequence and a number.
pub(crate) type CounterEnd =
    fn(&TableSide, &str, Option<&str>, i128) -> Result<Option<String>, Error>;

/// Columns that the database counts.
pub(crate) struct Counters {
    /// The statements that let a counter continue after the rows, and after the last number of the
    /// source.
    pub(crate) after: fn(&TableSide, &str, i128) -> Result<Vec<String>, Error>,
    /// Those that do so for a sequence by its name, from the table and the column, where
    /// the catalogue does not find it.
    pub(crate) after_sequence: Option<AfterSequence>,
    /// The query for the end of a column's sequence, if it has no number left behind the rows and a
    /// number. The catalogue may tell the sequence.
    pub(crate) end: CounterEnd,
    /// The definition of a column from its name and type, how it counts in PostgreSQL, and the step.
    pub(crate) column: fn(&str, &str, &str, Option<&str>) -> String,
    /// The default with the next number of a sequence, where a column that may be NULL has one.
    pub(crate) next: Option<fn(&str) -> String>,
    /// Which columns may be counted besides the only column of a primary key.
    pub(crate) besides_key: BesidesKey,
    pub(crate) has_steps: bool,
    pub(crate) may_set: MaySet,
    /// Whether the definition has the primary key.
    pub(crate) is_key: bool,
    /// The query for the last number that was counted, and its values. A second column is the step.
    pub(crate) last: fn(&Table, &Column) -> Result<Option<Query>, Error>,
    /// Whether only columns of keys are counted.
    pub(crate) needs_key: bool,
    /// Where there are sequences with names of their own.
    pub(crate) sequences: Option<Sequences>,
    /// The statement that sets the step of a column of a table.
    pub(crate) set_step: Option<fn(&str, &str, i64) -> String>,
}

/// Sequences that programs ask for numbers.
pub(crate) struct Sequences {
    /// The least and the greatest number that one may have.
    pub(crate) bounds: [i128; 2],
    /// The query for the names of those in the account's schema, and whether a column counts with
    /// them.
    pub(crate) list: &'static str,
    /// The query for whether the account may set one by its name in SQL. It fails or is false where the
    /// account may not.
    pub(crate) may_set: fn(&str) -> String,
    /// The privileges for that.
    pub(crate) needs: &'static str,
    /// Sets one by its name in SQL, to a number that is used already, or is the next one.
    pub(crate) set: fn(&str, i128, bool) -> String,
    /// The query for one by its name in SQL: its next number, its step, its least and its greatest
    /// number, as text, and whether it begins again then.
    pub(crate) state: fn(&str) -> String,
}

/// What says whether the account may set a counter, from a table in SQL and the name of a column.
pub(crate) enum MaySet {
    /// Who writes rows may do that.
    Free,
    Query(fn(&str, &str) -> String),
    /// A statement that fails, and for another reason if the account may: with the column in SQL.
    /// The server itself continues after the rows.
    Doomed(fn(&str, &str) -> String),
}

/// Which columns are counted besides the only column of a primary key.
#[derive(Clone, Copy)]
pub(crate) enum BesidesKey {
    None,
    /// One of a table, and only with an index that begins with it.
    OneWithIndex,
    All,
}

/// How the catalogue shows indexes and their conditions.
pub(crate) struct Definitions {
    /// What the columns of an index begin with.
    pub(crate) before_columns: &'static str,
    /// Whether names may stand in brackets.
    pub(crate) has_bracketed_names: bool,
    /// Whether an index may have a condition.
    pub(crate) has_conditions: bool,
    pub(crate) indexes: Indexes,
    /// The definition of an index that the catalogue shows, with its expressions as SQL.
    pub(crate) index: fn(&str) -> String,
    /// Whether a column is the one that a name stands for.
    pub(crate) is_column: fn(&str, &str) -> bool,
}

/// What is understood of an index that is more than a list of columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indexes {
    None,
    /// The statement that makes it.
    Statement,
    /// Kinds, prefixes and directions, as MySQL lists them.
    Terms,
}

/// Keys, indexes, references and programs.
pub(crate) struct Objects {
    /// Whether references can be added to a table.
    pub(crate) adds_references: bool,
    /// Where they cannot be dropped either, the statements for an existing table with a name and a
    /// new definition, whose rows stay as they are.
    pub(crate) redefine: Option<fn(&str, &str) -> Vec<String>>,
    /// The words of a CHECK that has a name, from its definition in the catalogue.
    pub(crate) check: Option<fn(&str) -> Option<String>>,
    /// The query for the privileges on whole tables, unless they are among the dependents.
    pub(crate) grants: Option<&'static str>,
    /// The query for what nothing else says of tables: their names, where it is, and what it is.
    pub(crate) hidden: Option<&'static str>,
    /// Whether a reference may have RESTRICT and SET DEFAULT.
    pub(crate) has_restrict: bool,
    pub(crate) has_set_default: bool,
    /// Whether a database has several schemas.
    pub(crate) has_schemas: bool,
    /// Whether an index has a name that only the server gives.
    pub(crate) is_reserved: fn(&str) -> bool,
    /// What the index of the primary key is called, if that is no other's name.
    pub(crate) primary_name: Option<&'static str>,
    pub(crate) late_key: LateKey,
    /// The query for a reference without a row, where nobody looks when rows are written: its table,
    /// a row, and the table that it refers to.
    pub(crate) orphan: Option<&'static str>,
    /// The query for the references without a row, by their places among those of the table. It fails
    /// for one to columns that are not unique.
    pub(crate) orphans: Option<&'static str>,
    /// The longest index row, in bytes, that always fits, where longer ones may be refused.
    pub(crate) index_bytes: Option<u32>,
    /// The most bytes that the columns of a key may have, where their types decide.
    pub(crate) key_bytes: Option<u32>,
    /// The most bytes of a row, where the server refuses longer ones only when they are written, and
    /// those that a long value takes of them.
    pub(crate) row_bytes: Option<[u32; 2]>,
    /// How an index of a temporary table begins, by its number, where expressions may refuse rows.
    pub(crate) tried_index: Option<&'static str>,
    /// Whether partitions are tables.
    pub(crate) partitions_are_tables: bool,
    /// The query for what is true of the rows that each partition of a table has, or NULL if it is
    /// not known, by the table's quoted name.
    pub(crate) partition_conditions: Option<&'static str>,
    /// The query for the partitions that have rules of their own, by the table's quoted name.
    pub(crate) partitions_with_rules: Option<&'static str>,
    /// What is known of the columns that are computed when a row is written.
    pub(crate) computed_columns: Option<ComputedColumns>,
    /// The query for the functions that the server does not bring along, which two databases may have
    /// with one name.
    pub(crate) functions: Option<&'static str>,
    /// The query for the views and programs.
    pub(crate) programs: &'static str,
    /// Whether it quotes their names as SQL does.
    pub(crate) programs_are_quoted: bool,
    /// Whether a column has the very type of the one that it refers to.
    pub(crate) references_have_one_type: bool,
    /// Whether the references of all tables have different names.
    pub(crate) references_share_names: bool,
    /// Whether any session can write rows that refer to none.
    pub(crate) reference_checks_can_be_off: bool,
    /// Whether more can be said of a reference than its columns and actions.
    pub(crate) reference_attributes: bool,
    /// The names that a table takes away from indexes.
    pub(crate) used_names: fn(&str) -> Vec<String>,
    /// Whether a unique index takes several rows with NULL.
    pub(crate) unique_takes_nulls: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct ComputedColumns {
    /// The query for their names, by the table's quoted name, unless all that are computed are.
    pub(crate) names: Option<&'static str>,
    /// An expression that the catalogue shows, as SQL.
    pub(crate) expression: fn(&str) -> Option<String>,
}

/// When the primary key is added.
pub(crate) enum LateKey {
    WithTable,
    AfterRows,
    /// After rows that come in another order, if a query for settings against it finds none.
    AfterOtherOrder(&'static str),
}

/// Queries for rows.
pub(crate) struct Rows {
    /// The number of bytes and characters of a text, and of bytes. At least as many as there are.
    pub(crate) byte_count: &'static str,
    pub(crate) byte_count_of_text: &'static str,
    pub(crate) character_count: &'static str,
    /// What says of a value what it is, where columns need no type.
    pub(crate) class: Option<&'static str>,
    /// What compares two values as text, byte by byte.
    pub(crate) comparable: &'static str,
    /// What counts without an end at 2³¹.
    pub(crate) count: &'static str,
    /// How the values of a key's column are written in SQL, or why they are not.
    pub(crate) key_literal: fn(&Column, &ColumnType) -> Result<KeyLiteral, &'static str>,
    /// What comes before a table without those that inherit from it.
    pub(crate) only: &'static str,
    /// The query for the number of pages of a table, where samples are pages.
    pub(crate) pages: Option<fn(&str) -> String>,
    /// A part of a table, by its share.
    pub(crate) sample: fn(f64) -> Sample,
    /// How many rows are read for so many of a sample.
    pub(crate) sampled: fn(u64) -> u64,
    /// A column as a query selects it.
    pub(crate) selected: fn(&ColumnSide, &str, usize) -> String,
    /// A column as text that every session reads alike.
    pub(crate) shown: &'static str,
    /// The condition for texts with U+0000.
    pub(crate) zero_characters: &'static str,
    /// The condition for dates with zeros, where there are some.
    pub(crate) zero_dates: Option<&'static str>,
    /// What is between a date and a time of a literal, and the zone of a moment.
    pub(crate) clock_separator: char,
    pub(crate) zone: &'static str,
}

/// How the values of a column are written so that they mean the same in every session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyLiteral {
    /// Digits.
    Number,
    /// Text in the order of a collation.
    Text,
    /// Text of SQL Server in the code page of a collation. A literal of another type would be what
    /// the column is converted to, and no index is in that order.
    CodePage {
        sql_type: String,
        collation: Option<String>,
    },
    Bytes,
    /// Text that the server reads as a value of the column: an id, a date.
    Quoted,
    /// Any type of PostgreSQL, each of which has text that is read as the same value.
    Cast(String),
    /// Any value of SQLite, which says itself how to write it.
    Any,
}

/// How a sample is taken.
pub(crate) enum Sample {
    /// Words behind the table.
    Pages(String),
    Condition(String),
}

/// What connections are told.
pub(crate) struct Sessions {
    /// Begins a transaction that writes, and one that writes temporary tables only.
    pub(crate) begin: &'static str,
    pub(crate) begin_temporary: &'static str,
    /// Looks at constraints that are put off to the end of a transaction.
    pub(crate) check_deferred: Option<&'static str>,
    /// Whether a statement without values says how many rows it has changed.
    pub(crate) counts_changes: bool,
    /// What keeps others from emptying tables, where a view does not see that.
    pub(crate) hold: Option<Hold>,
    /// The query for what the view of a connection is called, for others.
    pub(crate) export_view: Option<&'static str>,
    /// The name of an advisory lock, where there are some.
    pub(crate) lock: fn(String) -> Option<String>,
    pub(crate) lock_tables: Option<TableLock>,
    /// The query for the database and the schema of a connection, or for its file.
    pub(crate) place: &'static str,
    /// The query for the same with its server, whatever the address.
    pub(crate) identity: &'static str,
    /// Whether a query has one processor.
    pub(crate) has_slow_queries: bool,
    /// Whether a query that is refused ends the view.
    pub(crate) refusals_end_view: bool,
    /// Ends a transaction in which something has failed.
    pub(crate) rollback: &'static str,
    /// The setting of a session that compares and shows keys.
    pub(crate) show_keys: Option<&'static str>,
    /// Whether a snapshot starts at the first query, not at its beginning.
    pub(crate) view_begins_late: bool,
    /// The query for whether the database has such views.
    pub(crate) views: Option<&'static str>,
    pub(crate) unchecked: Option<Unchecked>,
    /// The setting of a session that writes.
    pub(crate) write: Option<&'static str>,
    /// The query for the time zone of sessions that choose none, in which they see moments.
    pub(crate) zone: Option<&'static str>,
}

/// The settings between which a session does not look for the rows that others refer to.
pub(crate) struct Unchecked {
    pub(crate) off: &'static str,
    pub(crate) on: &'static str,
    /// Whether every account may set it, and it changes nothing else.
    pub(crate) is_free: bool,
}

/// How tables stay as they are, but for their rows, until the transaction ends.
pub(crate) struct Hold {
    /// The query whether the account may hold a table.
    pub(crate) is_allowed: &'static str,
    pub(crate) statement: fn(&[String]) -> String,
}

/// How nobody writes some tables for a moment.
pub(crate) struct TableLock {
    pub(crate) begin: &'static str,
    /// The statements that lock tables.
    pub(crate) lock: fn(&[String]) -> Vec<String>,
    pub(crate) end: &'static str,
    /// What to do if that fails.
    pub(crate) instead: &'static str,
}

/// Of a table, a word, and the triggers.
pub(crate) type SetTriggers = fn(&str, &str, &[String]) -> String;

/// What is asked of a target, and how its tables are made.
pub(crate) struct Target {
    /// The query for the collations, where they differ from server to server.
    pub(crate) collations: Option<&'static str>,
    /// Makes a table, whose name is quoted, unless it is there.
    pub(crate) create: fn(&str) -> String,
    /// The query for whether policies keep the account from some rows of a table.
    pub(crate) row_security: Option<&'static str>,
    /// The query for the account's schema, and whether it may make tables in it.
    pub(crate) create_privilege: Option<&'static str>,
    pub(crate) rehearsal: Rehearsal,
    /// The options of a table, and of that for the state of copies.
    pub(crate) options: &'static str,
    pub(crate) state_options: &'static str,
    /// The type of a long text of ASCII.
    pub(crate) state_text: &'static str,
    /// A name without what is not looked at when names are compared.
    pub(crate) folded: fn(&str) -> String,
    /// Whether tables have engines, some of which have no transactions.
    pub(crate) has_engines: bool,
    /// The query for the names of views in the account's schema, which no table can have.
    pub(crate) views: &'static str,
    /// The query for a schema by its name.
    pub(crate) schema: &'static str,
    /// The words for a temporary table: before its name, when it is made and when it is dropped.
    pub(crate) temporary_prefix: &'static str,
    pub(crate) temporary: &'static str,
    pub(crate) temporary_dropped: &'static str,
    /// Text in a temporary table, whose type names no collation.
    pub(crate) temporary_collation: &'static str,
    /// The statement that disables or enables triggers of a table, by that word; nothing where they
    /// can only be dropped.
    pub(crate) triggers: Option<SetTriggers>,
    /// Updates columns of a table, `old`, to those of another one, `new`.
    pub(crate) update_from: Option<UpdateFrom>,
    /// The query for the columns of a table whose collations take different texts for the same, where
    /// types do not name them, and for these collations in SQL.
    pub(crate) lenient_collations: Option<&'static str>,
    /// The query for the encoding of the database, if it lacks characters of Unicode.
    pub(crate) encoding: Option<&'static str>,
    /// The query for whether moments end in 2038, where that depends on the server.
    pub(crate) ends_in_2038: Option<&'static str>,
    /// The words of an INSERT for columns that the database always counts.
    pub(crate) own_numbers: &'static str,
    /// The query for a type by its name, where users make types: what it is called, and whether its
    /// binary form is text.
    pub(crate) user_type: Option<&'static str>,
}

/// How tables are made before the first row, and undone.
pub(crate) enum Rehearsal {
    /// In a transaction that is rolled back: its beginning, a savepoint, the way back to it, and its
    /// end.
    Transaction {
        begin: &'static str,
        savepoint: &'static str,
        back: &'static str,
        end: &'static str,
    },
    /// Where definitions are committed at once: under other names, whose tables are dropped between
    /// two settings.
    StandIns {
        before: &'static str,
        after: &'static str,
    },
}

/// The values that columns hold.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    /// Whether the length of a text counts characters beyond U+FFFF twice.
    pub(crate) counts_utf16: bool,
    /// The literals of false and true.
    pub(crate) booleans: [&'static str; 2],
    /// What is around the literals of bytes and decimals.
    pub(crate) bytes: [&'static str; 2],
    pub(crate) decimal: [&'static str; 2],
    /// What is before the quotes of bits.
    pub(crate) bits: &'static str,
    /// Whether there are dates before the year 1 and after the year 9999, and infinite ones.
    pub(crate) has_all_years: bool,
    pub(crate) has_infinite_floats: bool,
    pub(crate) has_nan_floats: bool,
    pub(crate) has_subnormal_floats: bool,
    pub(crate) has_zero_character: bool,
    /// What its JSON keeps, if that is no text.
    pub(crate) json: Option<Tree>,
    /// Whether a server may take the present moment for a NULL that a column does not take.
    pub(crate) fills_null_moments: bool,
    /// Where moments that begin in 1970 end on the newest server.
    pub(crate) moments_end: Option<MomentsEnd>,
    pub(crate) negative_zero: NegativeZero,
    /// Whether it is known how the digits of a float are read.
    pub(crate) reads_floats: bool,
    pub(crate) special_decimals: SpecialDecimals,
    pub(crate) times: Times,
    /// What follows a moment in UTC.
    pub(crate) utc: &'static str,
    /// Whether the type for UUIDs takes text.
    pub(crate) writes_uuids: bool,
}

/// What becomes of −0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NegativeZero {
    Kept,
    Lost,
    /// The server promises nothing.
    Unknown,
}

/// Whether NaN and infinite numbers are decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecialDecimals {
    None,
    AsText,
    Numbers,
}

/// Which times there are: each has those of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Times {
    BeforeMidnight,
    UntilMidnight,
    /// Negative ones too, and 838 hours.
    OfManyDays,
}
