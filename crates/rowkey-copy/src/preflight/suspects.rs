//! Which values of a column have to be looked at, because the types alone do not say that the
//! target holds them. A condition picks too many values rather than too few: what it picks is read
//! and checked.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{Charset, Kind, Type, clock};

use crate::engine::{NegativeZero, SpecialDecimals, Times, Values, engine, of_column};
use crate::rows::write::fit;
use crate::tables::table_side::{ColumnSide, Content};

/// The values that may have no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Suspects {
    None,
    /// Those for which a condition in SQL is true.
    Where(String),
    All,
}

/// A column on both sides.
pub(super) struct ColumnPair<'s> {
    pub(super) source: Backend,
    pub(super) from: &'s ColumnSide,
    pub(super) target: Backend,
    pub(super) to: &'s ColumnSide,
    /// Whether the target refuses NULL, which the source has not.
    pub(super) refuses_null: bool,
}

impl ColumnPair<'_> {
    pub(super) fn suspects(&self) -> Result<Suspects, Error> {
        let name = quote_identifier(self.source, &self.from.name)?;
        let mut suspects = SuspectConditions {
            name,
            sql: Vec::new(),
            all: false,
        };
        if self.refuses_null {
            suspects.add("{} IS NULL");
        }
        match self.from.content {
            Content::Ids(_) if matches!(self.from.own, Type::Text(_) | Type::PaddedText(_)) => {
                suspects.all = true;
            }
            Content::Ids(form) => {
                let good = form.condition(&suspects.name)?;
                suspects.add(&format!("NOT ({good})"));
            }
            Content::Values(kind) => self.of_values(kind, &mut suspects),
        }
        Ok(match (suspects.all, suspects.sql.is_empty()) {
            (true, _) => Suspects::All,
            (false, true) => Suspects::None,
            (false, false) => Suspects::Where(suspects.sql.join(" OR ")),
        })
    }

    fn of_values(&self, kind: Kind, suspects: &mut SuspectConditions) {
        if self.source.stores_any_type() {
            self.of_sqlite(kind, suspects);
        }
        if self.from.is_number_or_time_in_text() {
            suspects.all = true;
            return;
        }
        let (had, has) = self.values();
        if self.to.sql_type.refuses_negative() && !self.from.sql_type.refuses_negative() {
            // The sign of zero is one, too.
            suspects.add("{} <= 0");
        }
        suspects.all |= self.to.tick > 1 && self.to.tick > self.least_fraction();
        suspects.all |= self.to.is_text_of_others();
        suspects.all |= self.target.stores_any_type() && self.to.is_of_another_type();
        match kind {
            Kind::Own => self.of_words(suspects),
            Kind::Bool
                if matches!(self.from.own, Type::Flag | Type::Integer { .. })
                    || self.source.stores_any_type() =>
            {
                suspects.add("{} NOT IN (0, 1)")
            }
            Kind::Bool => suspects.all |= self.from.is_truth_in_text(),
            Kind::Integer if self.from.own == Type::Interval => suspects.all = true,
            Kind::Integer => self.of_integers(suspects),
            Kind::Single | Kind::Double => self.of_floats(suspects),
            Kind::Decimal => self.of_decimals(suspects),
            Kind::Text | Kind::Json => {
                suspects.all |= kind == Kind::Json;
                self.of_text(suspects);
            }
            Kind::Bytes => self.of_bytes(suspects),
            Kind::Timestamp if self.from.own == Type::Interval => suspects.all = true,
            Kind::Date | Kind::Timestamp => self.of_dates(suspects),
            Kind::Time if self.to.own == Type::Interval => {}
            Kind::Time => {
                suspects.all |= self.from.own == Type::Interval;
                self.of_tenths(suspects);
                match has.times {
                    times if times >= had.times => {}
                    Times::BeforeMidnight => suspects.add("{} < '00:00:00' OR {} >= '24:00:00'"),
                    _ => suspects.add("{} < '00:00:00' OR {} > '24:00:00'"),
                }
            }
            Kind::Uuid => {
                let is_uuid = matches!(self.from.own, Type::Uuid | Type::FixedBytes(16));
                suspects.all |= !is_uuid;
            }
        }
    }

    /// The least fraction of a second that the source has, in microseconds.
    fn least_fraction(&self) -> i64 {
        match self.from.own {
            // SQLite's numbers of digits are not limits.
            _ if self.source.stores_any_type() => 1,
            Type::Date => clock::DAY,
            Type::Time | Type::Timestamp | Type::Instant => {
                10_i64.pow(6 - self.from.sql_type.fraction_digits().min(6))
            }
            _ => 1,
        }
    }

    /// An enum that exists in the target may have fewer words.
    fn of_words(&self, suspects: &mut SuspectConditions) {
        if let (Some(from), Some(to), true) = (
            &self.from.layout,
            &self.to.layout,
            self.to.members.is_empty(),
        ) {
            suspects.all |= from.lacks_words(to);
        }
        let has = |word: &String| self.to.members.contains(word);
        if self.to.members.is_empty() || self.from.members.iter().all(has) {
            return;
        }
        let words = self.to.members.iter();
        let words: Vec<String> = words.map(|word| text_literal(self.source, word)).collect();
        suspects.add(&format!("CAST({{}} AS text) NOT IN ({})", words.join(", ")));
    }

    /// What the source and the target hold.
    fn values(&self) -> (&'static Values, &'static Values) {
        (&engine(self.source).values, &engine(self.target).values)
    }

    /// In SQLite, the type of a column says little about its values.
    fn of_sqlite(&self, kind: Kind, suspects: &mut SuspectConditions) {
        // Other characters than those of ASCII may be bytes that are no UTF-8.
        suspects.add(
            "typeof({}) = 'text' AND {} GLOB '*[' || char(128) || '-' || char(1114111) || ']*'",
        );
        match kind {
            Kind::Bool | Kind::Integer => suspects.add("typeof({}) NOT IN ('null', 'integer')"),
            // Whether a number has few digits, only its reader says.
            Kind::Single => suspects.all = true,
            Kind::Double => suspects.add("typeof({}) NOT IN ('null', 'real')"),
            Kind::Text if self.from.own != Type::Json => suspects.add("typeof({}) = 'blob'"),
            Kind::Text | Kind::Json => suspects.add("typeof({}) NOT IN ('null', 'text')"),
            Kind::Own => {}
            Kind::Bytes => suspects.add("typeof({}) NOT IN ('null', 'blob')"),
            Kind::Decimal | Kind::Date | Kind::Time | Kind::Timestamp | Kind::Uuid => {
                suspects.all = true;
            }
        }
    }

    fn of_integers(&self, suspects: &mut SuspectConditions) {
        if self.to.own == Type::Year {
            suspects.all |= self.from.own != Type::Year;
            return;
        }
        // Others have a fraction, or none that is known.
        suspects.all |= self.from.own == Type::Decimal(None);
        let (first, last) = integers(self.source, self.from.own);
        match self.to.own {
            Type::Decimal(None) => {}
            Type::Decimal(Some((precision, scale))) => {
                let digits = first.unsigned_abs().max(last.unsigned_abs()).to_string();
                suspects.all |= digits.len() > precision.saturating_sub(scale) as usize;
            }
            own => {
                let (least, greatest) = integers(self.target, own);
                if first < least {
                    suspects.add(&format!("{{}} < {least}"));
                }
                if last > greatest {
                    suspects.add(&format!("{{}} > {greatest}"));
                }
            }
        }
    }

    fn of_floats(&self, suspects: &mut SuspectConditions) {
        if matches!(self.from.own, Type::Flag | Type::Integer { .. }) {
            let (first, last) = integers(self.source, self.from.own);
            let most = match self.to.own {
                Type::Single => 1 << 24,
                _ => 1 << 53,
            };
            if first < -most {
                suspects.add(&format!("{{}} < -{most}"));
            }
            if last > most {
                suspects.add(&format!("{{}} > {most}"));
            }
            return;
        }
        suspects.all |= (self.from.own, self.to.own) == (Type::Double, Type::Single);
        let (had, has) = self.values();
        if had.has_subnormal_floats && !has.has_subnormal_floats {
            let least = match self.to.own {
                Type::Single => "1.17549435e-38",
                _ => "2.2250738585072014e-308",
            };
            suspects.add(&format!("{{}} <> 0 AND ABS({{}}) < {least}"));
        }
        if had.has_nan_floats && !has.has_nan_floats {
            return suspects.add(
                "{} IN ('NaN', 'Infinity', '-Infinity') OR {} = 0 AND CAST({} AS text) LIKE '-%'",
            );
        }
        if had.has_infinite_floats && !has.has_infinite_floats {
            return suspects.add("{} IN (9e999, -9e999)");
        }
        match (had.negative_zero, has.negative_zero) {
            (_, NegativeZero::Kept) | (NegativeZero::Lost, _) => {}
            (NegativeZero::Kept, _) => suspects.add("{} = 0 AND CAST({} * 1e0 AS CHAR) LIKE '-%'"),
            (NegativeZero::Unknown, other) => suspects.all |= other != NegativeZero::Unknown,
        }
    }

    fn of_decimals(&self, suspects: &mut SuspectConditions) {
        let to = match self.to.own {
            Type::Decimal(to) => to,
            _ => None,
        };
        let (had, has) = self.values();
        let is_number = |special| special == SpecialDecimals::Numbers;
        if is_number(had.special_decimals) && !(is_number(has.special_decimals) && to.is_none()) {
            suspects.add("CAST({} AS text) IN ('NaN', 'Infinity', '-Infinity')");
        }
        // The values of the source are not known to be money, too.
        suspects.all |= self.to.sql_type.money().is_some();
        suspects.all |= match (self.from.own, to) {
            (_, None) => self.from.own == Type::Double || !matches!(self.to.own, Type::Decimal(_)),
            (Type::Decimal(Some((precision, scale))), Some((most, most_scale))) => {
                let whole = precision.saturating_sub(scale);
                scale > most_scale || whole > most.saturating_sub(most_scale)
            }
            _ => true,
        };
    }

    fn of_text(&self, suspects: &mut SuspectConditions) {
        let (had, has) = self.values();
        if had.has_zero_character && !has.has_zero_character {
            suspects.add(engine(self.source).rows.zero_characters);
        }
        suspects.all |= self.may_be_other_json();
        if self.from.own == Type::Interval && self.to.own != Type::Interval {
            suspects.add("NOT isfinite({})");
        }
        let is_typed = matches!(
            self.to.own,
            Type::Enum
                | Type::Set
                | Type::Bits { .. }
                | Type::Interval
                | Type::Network { .. }
                | Type::Own
        );
        let is_address = self.to.sql_type.is_address();
        if is_address || is_typed {
            // An enum has a value for what it refuses.
            let is_same = match is_address {
                true => self.from.sql_type.name() == self.to.sql_type.name(),
                false => self.from.own == self.to.own && self.to.members.is_empty(),
            };
            suspects.all |= !is_same;
            return;
        }
        // SQLite's lengths are not limits.
        let longest = match self.from.own {
            Type::Text(length) if !self.source.stores_any_type() => length,
            Type::PaddedText(length) if !self.source.stores_any_type() => Some(length),
            Type::Bits { length, .. } => Some(length),
            // The longest texts of these are shorter.
            Type::Interval => Some(80),
            Type::Network { .. } => Some(50),
            _ => None,
        };
        // The functions for the length of text do not take JSON, and bytes may be no text.
        suspects.all |= matches!(
            self.from.own,
            Type::Json | Type::Bytes(_) | Type::FixedBytes(_)
        );
        let is_number =
            |own| self.source.stores_any_type() && !matches!(own, Type::Text(_) | Type::Json);
        if matches!(self.from.own, Type::Own | Type::Decimal(_)) || is_number(self.from.own) {
            // The text of these types has no length in the source.
            let is_limited = matches!(self.to.own, Type::Text(Some(_)) | Type::PaddedText(_))
                || self.to.most_bytes.is_some();
            // SQLite makes numbers of JSON.
            suspects.all |= match self.target.stores_any_type() {
                true => self.to.own == Type::Json,
                false => is_limited,
            };
            return;
        }
        if let Type::Text(Some(most)) | Type::PaddedText(most) = self.to.own
            && !self.target.stores_any_type()
        {
            let is_longer = longest.is_none_or(|longest| longest > most);
            if self.has_no_length() {
                suspects.all |= is_longer;
            } else if is_longer || self.has_longer_characters() {
                let length = match self.has_longer_characters() {
                    true => self.bytes(),
                    false => engine(self.source).rows.character_count,
                };
                suspects.add(&format!("{length} > {most}"));
            }
        }
        if let Some(most) = self.to.most_bytes {
            let longest = longest.map(|longest| 4 * u64::from(longest));
            if self.has_no_length() {
                suspects.all |= longest.is_none_or(|longest| longest > most);
            } else {
                self.add_longer(longest.or(self.from.most_bytes), most, suspects);
            }
        }
        if self.source.names_character_sets()
            && let Some(condition) = self.from.lacks_unicode("{}")
        {
            suspects.add(&condition);
        }
        let is_same = !self.source.uses_code_pages() && self.to.charset == self.from.charset;
        suspects.all |= self.to.charset != Charset::All && !is_same;
        if !self.to.trims {
            suspects.all |= self.to.sql_type.cuts_spaces() && !self.from.sql_type.cuts_spaces();
            suspects.all |=
                matches!(self.to.own, Type::PaddedText(_)) && self.from.own != self.to.own;
        }
    }

    /// Whether the source has no function for the length of a value's text; that of a `char` does
    /// not count its spaces.
    fn has_no_length(&self) -> bool {
        match self.from.own {
            Type::Bits { .. } | Type::Interval | Type::Network { .. } => true,
            Type::PaddedText(_) => !self.to.trims,
            _ => false,
        }
    }

    /// Whether the target refuses text that isn't JSON, and the source does not.
    pub(super) fn may_be_other_json(&self) -> bool {
        checks_json(self.target, self.to.own) && !checks_json(self.source, self.from.own)
    }

    fn of_bytes(&self, suspects: &mut SuspectConditions) {
        if self.target.stores_any_type() {
            return;
        }
        let longest = match self.from.own {
            Type::FixedBytes(length) => Some(length.into()),
            Type::Bytes(length) if !self.source.stores_any_type() => length.map(u64::from),
            _ => None,
        };
        match self.to.own {
            Type::FixedBytes(length) if self.from.own != self.to.own => {
                suspects.add(&format!("{} <> {length}", self.bytes()));
            }
            Type::Bytes(Some(most)) => self.add_longer(longest, most.into(), suspects),
            _ => {
                if let Some(most) = self.to.most_bytes {
                    self.add_longer(longest.or(self.from.most_bytes), most, suspects);
                }
            }
        }
    }

    fn add_longer(&self, longest: Option<u64>, most: u64, suspects: &mut SuspectConditions) {
        if longest.is_none_or(|longest| longest > most) {
            suspects.add(&format!("{} > {most}", self.bytes()));
        }
    }

    /// Whether a character of the source may be two of the target: SQL Server counts those beyond
    /// U+FFFF twice, and each of them has four bytes elsewhere.
    fn has_longer_characters(&self) -> bool {
        let (had, has) = self.values();
        has.counts_utf16 && !had.counts_utf16
    }

    /// At least as many as there are.
    fn bytes(&self) -> &'static str {
        let rows = &engine(self.source).rows;
        match self.from.content == Content::Values(Kind::Bytes) && !self.from.is_bytes_in_text() {
            true => rows.byte_count,
            false => rows.byte_count_of_text,
        }
    }

    /// Times of SQL Server with a digit that nobody else has.
    fn of_tenths(&self, suspects: &mut SuspectConditions) {
        if self.from.instead.tenths.is_none() && self.from.sql_type.has_tenths() {
            suspects.add("DATEPART(nanosecond, {}) % 1000 <> 0");
        }
    }

    fn of_dates(&self, suspects: &mut SuspectConditions) {
        self.of_tenths(suspects);
        let (had, has) = self.values();
        let rows = &engine(self.source).rows;
        let zone = match self.from.own {
            Type::Instant => rows.zone,
            _ => "",
        };
        if let Some(condition) = rows.zero_dates {
            suspects.add(condition);
        }
        if had.has_all_years && !has.has_all_years {
            let (first, end) = ("0001-01-01", "10000-01-01");
            let clock = if self.from.own == Type::Date {
                ""
            } else {
                " 00:00:00"
            };
            suspects.add(&format!(
                "NOT isfinite({{}}) OR {{}} < '{first}{clock}{zone}' OR {{}} >= '{end}{clock}{zone}'"
            ));
        }
        if had.has_all_years && self.from.own == Type::Date && self.to.own != Type::Date {
            // The first date without times.
            suspects.add("isfinite({}) AND {} >= '294277-01-01'");
        }
        let end = |values: &Values, side: &ColumnSide| {
            let end = values.moments_end.filter(|_| side.own == Type::Instant);
            side.moments_end.or(end)
        };
        let (had, has) = (end(had, self.from), end(has, self.to));
        if has.is_some() && (had.is_none() || had > has) {
            let clock = rows.clock_separator;
            suspects.add(&format!(
                "{{}} < '1970-01-01{clock}00:00:01{zone}' OR {{}} > '2038-01-19{clock}03:14:07{zone}'"
            ));
        }
    }
}

/// Whether a column refuses text that isn't JSON.
pub(super) fn checks_json(backend: Backend, own: Type) -> bool {
    own == Type::Json && !backend.stores_any_type()
}

/// The least and the greatest integer of a type.
fn integers(backend: Backend, own: Type) -> (i128, i128) {
    match own {
        _ if backend.stores_any_type() => fit::bounds(8, false),
        Type::Year => (0, 2_155),
        Type::Flag => fit::bounds(1, false),
        Type::Integer { bytes, is_unsigned } => fit::bounds(bytes, is_unsigned),
        // Nothing is known.
        _ => (i128::MIN, i128::MAX),
    }
}

struct SuspectConditions {
    /// The quoted name of the column.
    name: String,
    sql: Vec<String>,
    all: bool,
}

impl SuspectConditions {
    /// Adds a condition, in which `{}` stands for the column.
    fn add(&mut self, condition: &str) {
        self.sql.push(of_column(condition, &self.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_tables::types::{self, ColumnType};

    fn suspects(source: Backend, from: &str, target: Backend, to: &str) -> Suspects {
        let [from, to] = [(source, from), (target, to)]
            .map(|(backend, words)| ColumnType::parse(backend, words));
        let [one, other] = [&from, &to].map(|column_type| column_type.meaning().unwrap());
        let content = Content::Values(types::pair(one, other).unwrap());
        let pair = ColumnPair {
            source,
            from: &ColumnSide::new("c", from, one, content),
            target,
            to: &ColumnSide::new("c", to, other, content),
            refuses_null: false,
        };
        pair.suspects().unwrap()
    }

    #[test]
    fn types_that_hold_everything_need_no_look() {
        use Backend::{MariaDb, MySql, Postgres, Sqlite};
        for (source, from, target, to) in [
            (Postgres, "text", MySql, "longtext"),
            (Postgres, "integer", Sqlite, "INTEGER"),
            (Postgres, "character varying(9)", MySql, "varchar(9)"),
            (
                Postgres,
                "timestamp without time zone",
                Postgres,
                "timestamp",
            ),
            (MySql, "bigint(20) unsigned", Postgres, "numeric(20,0)"),
            (MySql, "decimal(10,2)", Postgres, "numeric(12,2)"),
            (MySql, "binary(16)", Postgres, "uuid"),
            (MariaDb, "double", Postgres, "double precision"),
            (MySql, "varchar(9)", MySql, "text"),
            (MySql, "time", MariaDb, "time"),
        ] {
            let to = if to == "timestamp" {
                "timestamp without time zone"
            } else {
                to
            };
            let found = suspects(source, from, target, to);
            assert_eq!(found, Suspects::None, "{source} {from} to {target} {to}");
        }
    }

    #[test]
    fn conditions_name_the_column() {
        use Backend::{MariaDb, MySql, Postgres, Sqlite};
        for (source, from, target, to, expected) in [
            (MySql, "text", Postgres, "text", "LOCATE(X'00', CAST(`c` AS"),
            (
                MySql,
                "bigint unsigned",
                Postgres,
                "bigint",
                "`c` > 9223372036854775807",
            ),
            (
                MariaDb,
                "tinyint(1)",
                Postgres,
                "boolean",
                "`c` NOT IN (0, 1)",
            ),
            (Postgres, "bigint", MySql, "int", "\"c\" < -2147483648 OR"),
            (
                Postgres,
                "text",
                MySql,
                "varchar(9)",
                "char_length(\"c\") > 9",
            ),
            (
                Sqlite,
                "REAL",
                MySql,
                "double",
                "typeof(`c`) NOT IN ('null', 'real') OR",
            ),
        ] {
            let found = suspects(source, from, target, to);
            assert!(
                matches!(&found, Suspects::Where(sql) if sql.contains(expected)),
                "{found:?}"
            );
        }
        for (source, from, target, to) in [
            (Postgres, "numeric", MySql, "decimal(65,30)"),
            (Sqlite, "DATE", Postgres, "date"),
            (MySql, "varchar(36)", Postgres, "uuid"),
            // Neither has a function for its length.
            (Postgres, "inet", MySql, "varchar(45)"),
            (Postgres, "interval", MySql, "tinytext"),
        ] {
            assert_eq!(suspects(source, from, target, to), Suspects::All, "{from}");
        }
    }
}
