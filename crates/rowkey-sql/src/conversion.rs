//! From one stored form to another in SQL.

use alloc::format;
use alloc::string::String;

use crate::check;
use crate::dialect::text_of_column;
use crate::refused::refused;
use crate::sixteen_bytes::{Places, SixteenBytes};
use crate::stored_form::StoredForm;
use crate::whole_number::{WholeNumber, text_of_integer, without_zeros};
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::storage::Storage;
use rowkey_core::storage::TextForm;
use rowkey_core::storage::Wire;
use rowkey_core::storage::{ColumnName, TableName, quote_identifier};
use rowkey_core::storage::{Layout, Permutation};
use rowkey_core::text::Encoding;

/// The conversion of ids from one stored form to another of the same format and backend, in SQL.
///
/// A value that is not of the first form's shape gives NULL: text of another length, alphabet or
/// letter case, bytes of another length, a number out of range, or an id that is too large for the
/// second form. From a form to itself, every value stays as it is. Fixed bits of the format are not
/// checked, and a conversion loses none of them: see [`StoredForm::condition`].
///
/// SQLite needs version 3.41 for `unhex`, and 3.42 for digits and compact text. Compact text, and
/// 38 digits in SQLite, are converted in a subquery, except in MySQL and MariaDB: a CHECK cannot
/// contain it.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_sql::{Conversion, StoredForm};
/// use rowkey_core::Backend;
///
/// let form = |name| StoredForm::named(FormatKind::ShortSuffixComb, Backend::MariaDb, name).unwrap();
/// let conversion = Conversion::new(form("text:public"), form("uuid:prefix"))?;
/// assert_eq!(
///     conversion.expression("id")?,
///     "CASE WHEN CHAR_LENGTH(`id`) = 36 AND CONVERT(`id` USING ascii) COLLATE ascii_bin \
///      REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN \
///      UNHEX(CONCAT(SUBSTRING(REPLACE(`id`, '-', ''), 21, 4), \
///      SUBSTRING(REPLACE(`id`, '-', ''), 5, 16), SUBSTRING(REPLACE(`id`, '-', ''), 1, 4), \
///      SUBSTRING(REPLACE(`id`, '-', ''), 25, 8))) END",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    from: StoredForm,
    to: StoredForm,
}

impl Conversion {
    /// The conversion between two forms.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for forms of different formats or backends.
    pub fn new(from: StoredForm, to: StoredForm) -> Result<Self, Error> {
        if (from.format(), from.backend()) != (to.format(), to.backend()) {
            return Err(refused(
                "a conversion is between two forms of the same format on the same backend",
            ));
        }
        let conversion = Self { from, to };
        conversion.of("")?;
        Ok(conversion)
    }

    /// The form that the conversion gives.
    pub const fn to(self) -> StoredForm {
        self.to
    }

    /// The opposite conversion.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
        }
    }

    /// The SQL expression for a column.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    pub fn expression<'c>(self, column: impl Into<ColumnName<'c>>) -> Result<String, Error> {
        self.of(&column.into().quoted(self.from.backend())?)
    }

    /// The statement that creates a function of the conversion.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend, `ErrorKind::Declaration` for
    /// SQLite, which has no functions in SQL.
    pub fn function(self, name: &str) -> Result<String, Error> {
        let backend = self.from.backend();
        let name = quote_identifier(backend, name)?;
        let (from, to) = (self.from.parameter_type(), self.to.return_type());
        Ok(match backend {
            Backend::Postgres => format!(
                "CREATE FUNCTION {name} (id {from}) RETURNS {to} LANGUAGE sql IMMUTABLE STRICT \
                 PARALLEL SAFE AS $$ SELECT {} $$",
                self.of("id")?
            ),
            Backend::MySql | Backend::MariaDb => format!(
                "CREATE FUNCTION {name} (id {from}) RETURNS {to} DETERMINISTIC NO SQL RETURN {}",
                self.of("id")?
            ),
            Backend::SqlServer => format!(
                "CREATE FUNCTION {name} (@id {from}) RETURNS {to} WITH SCHEMABINDING AS BEGIN \
                 RETURN {} END",
                self.of("@id")?
            ),
            Backend::Sqlite => {
                return Err(refused(
                    "SQLite has no functions in SQL: take the expression, or a view",
                ));
            }
        })
    }

    /// The statement that creates a view of a table: the table's columns, and the converted ids as
    /// a column with a name of its own.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    pub fn view<'t>(
        self,
        view: impl Into<TableName<'t>>,
        table: impl Into<TableName<'t>>,
        column: &str,
        converted: &str,
    ) -> Result<String, Error> {
        let expression = self.expression(column)?;
        let backend = self.from.backend();
        create_view(backend, view.into(), table.into(), &expression, converted)
    }

    /// The SQL expression for the SQL of a stored value, such as `NEW."id"` in a trigger.
    ///
    /// # Errors
    ///
    /// None for a conversion that [`new`](Self::new) has made.
    pub fn of(self, stored: &str) -> Result<String, Error> {
        let Self { from, to } = self;
        let backend = from.backend();
        let places = places_of(from.column().permutation(), to.column().permutation());
        if from.wire() == to.wire() && places.is_sorted() {
            return Ok(stored.into());
        }
        let number = match to.wire() {
            Wire::Decimal(_) | Wire::Text(TextForm::Digits28 | TextForm::Digits38) => {
                WholeNumber::stored(backend, from.wire(), stored)
            }
            _ => None,
        };
        let sql = match (number, to.wire()) {
            (Some(number), Wire::Decimal(precision)) => number.decimal(precision),
            (Some(number), Wire::Text(form)) => number.digits(form.width()),
            _ => SixteenBytes::expression(backend, from.wire(), stored, |bytes| {
                bytes.in_order(places).as_wire(to.wire())
            })?,
        };
        let sql = text_of_column(backend, to.wire(), sql);
        // CASE evaluates the second condition for values of the shape only, and AND makes no such
        // promise.
        let fitting = check::guarded(check::at_most(from.column(), stored, to.max_value())?, sql);
        Ok(check::guarded(check::shape(from.column(), stored), fitting))
    }
}

impl StoredForm {
    /// The statement that creates a view of a table: the table's columns, and the public text of
    /// the ids as a column with a name of its own. The text is what `Display` writes; numbers have
    /// no zeros in front of them.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    pub fn public_view<'t>(
        self,
        view: impl Into<TableName<'t>>,
        table: impl Into<TableName<'t>>,
        column: &str,
        public: &str,
    ) -> Result<String, Error> {
        let text = self.public_text(&quote_identifier(self.backend(), column)?)?;
        create_view(self.backend(), view.into(), table.into(), &text, public)
    }

    fn public_text(self, stored: &str) -> Result<String, Error> {
        let backend = self.backend();
        if matches!(self.wire(), Wire::Integer) {
            return Ok(text_of_integer(backend, stored));
        }
        let text = Self::new(self.format(), backend, Storage::Text, Some(Layout::Public));
        let text = text.map_err(refused)?;
        let sql = Conversion::new(self, text)?.of(stored)?;
        if self.format().public_encoding() != Encoding::Decimal {
            return Ok(sql);
        }
        // A conversion looks at the shape, unless there is nothing to convert.
        let shape = check::shape(self.column(), stored).filter(|_| sql == stored);
        let number = without_zeros(backend, &sql);
        Ok(check::guarded(shape, number))
    }
}

fn create_view(
    backend: Backend,
    view: TableName<'_>,
    table: TableName<'_>,
    expression: &str,
    name: &str,
) -> Result<String, Error> {
    let (view, table) = (view.quoted(backend)?, table.quoted(backend)?);
    let name = quote_identifier(backend, name)?;
    Ok(format!(
        "CREATE VIEW {view} AS SELECT {table}.*, {expression} AS {name} FROM {table}"
    ))
}

/// Where the bytes of one stored form are in another.
pub(crate) fn places_of(from: Permutation, to: Permutation) -> Places {
    let places = from.places();
    to.apply(u128::from_be_bytes(places)).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use rowkey_core::error::ErrorKind;

    use super::*;
    use rowkey_core::format::FormatKind;

    fn forms(format: FormatKind, backend: Backend) -> Vec<StoredForm> {
        let mut forms = Vec::new();
        for storage in Storage::ALL {
            for layout in Layout::ALL {
                forms.extend(StoredForm::new(format, backend, storage, Some(layout)));
            }
        }
        forms
    }

    #[test]
    fn every_form_has_an_expression_of_every_other() {
        for format in FormatKind::ALL {
            for backend in Backend::ALL {
                let forms = forms(format, backend);
                for (from, to) in forms
                    .iter()
                    .flat_map(|from| forms.iter().map(move |to| (*from, *to)))
                {
                    let is_same = from.wire() == to.wire()
                        && from.column().permutation() == to.column().permutation();
                    let expression = Conversion::new(from, to).unwrap().expression("id").unwrap();
                    let id = quote_identifier(backend, "id").unwrap();
                    assert_eq!(expression == id, is_same, "{from:?} {to:?}");
                }
            }
        }
    }

    #[test]
    fn forms_of_different_formats_or_backends_are_refused() {
        let form = |format, backend| StoredForm::named(format, backend, "uuid").unwrap();
        let postgres = form(FormatKind::UuidV7, Backend::Postgres);
        for other in [
            form(FormatKind::UuidV4, Backend::Postgres),
            form(FormatKind::UuidV7, Backend::MySql),
        ] {
            let refusal = Conversion::new(postgres, other).unwrap_err();
            assert_eq!(refusal.kind(), ErrorKind::Declaration);
        }
    }

    /// The comparisons in an expression that are its value or a SELECT's, rather than a condition.
    fn comparisons_as_values(sql: &str, is_condition: bool) -> Vec<&str> {
        let mut found = Vec::new();
        let mut conditions = Vec::from([is_condition]);
        for token in sql.split_inclusive([' ', '(', ')']) {
            let innermost = conditions.len() - 1;
            match token.trim_end_matches([' ', '(', ')', ',']) {
                "SELECT" | "FROM" | "THEN" | "ELSE" => conditions[innermost] = false,
                "WHEN" | "WHERE" => conditions[innermost] = true,
                "CASE" => conditions.push(false),
                "END" => drop(conditions.pop()),
                "=" | "<" | "<=" | ">" | ">=" | "LIKE" | "BETWEEN" | "IS" | "AND" | "NOT"
                    if !conditions[innermost] =>
                {
                    found.push(token);
                }
                _ => {}
            }
            match token.chars().last() {
                Some('(') => conditions.push(conditions[conditions.len() - 1]),
                Some(')') => drop(conditions.pop()),
                _ => {}
            }
        }
        assert_eq!(conditions.len(), 1, "{sql}");
        found
    }

    #[test]
    fn sql_server_gets_no_comparison_as_a_value() {
        let selected = "(SELECT [id] <= 0x00 FROM t WHERE a = 1)";
        assert_eq!(comparisons_as_values(selected, true), ["<= "]);
        for format in FormatKind::ALL {
            let forms = forms(format, Backend::SqlServer);
            for from in &forms {
                let condition = from.condition("[id]").unwrap();
                let found = comparisons_as_values(&condition, true);
                assert!(found.is_empty(), "{from:?}: {found:?} in {condition}");
                let text = from.public_text("[id]").unwrap();
                let found = comparisons_as_values(&text, false);
                assert!(found.is_empty(), "{from:?}: {found:?} in {text}");
                for to in &forms {
                    let sql = Conversion::new(*from, *to).unwrap().of("[id]").unwrap();
                    let found = comparisons_as_values(&sql, false);
                    assert!(found.is_empty(), "{from:?} {to:?}: {found:?} in {sql}");
                }
            }
        }
    }

    /// The pieces of hexadecimal digits that an expression of SQL Server joins, applied to a guid.
    fn evaluated(expression: &str, stored: u128) -> u128 {
        const DIGITS: &str = "SUBSTRING(REPLACE(CONVERT(char(36), [id]), '-', ''), ";
        let hex = format!("{stored:032x}");
        let pieces = expression.split(DIGITS).skip(1).map(|piece| {
            let (place, _) = piece.split_once(')').unwrap();
            let (first, count) = place.split_once(", ").unwrap();
            let (first, count): (usize, usize) = (first.parse().unwrap(), count.parse().unwrap());
            &hex[first - 1..first - 1 + count]
        });
        u128::from_str_radix(&pieces.collect::<String>(), 16).unwrap()
    }

    proptest::proptest! {
        #[test]
        fn layouts_of_sql_server_are_pieces_of_their_text(stored: u128) {
            let mut checked = 0;
            for format in FormatKind::ALL {
                let forms = forms(format, Backend::SqlServer);
                let guids = forms.iter().filter(|form| form.wire() == Wire::Uuid);
                let pairs = guids.clone().flat_map(|from| guids.clone().map(move |to| (*from, *to)));
                for (from, to) in pairs {
                    let expression = Conversion::new(from, to).unwrap().expression("id").unwrap();
                    if expression == "[id]" || expression.starts_with("CASE") {
                        continue;
                    }
                    let public = from.column().permutation().invert(stored);
                    let expected = to.column().permutation().apply(public);
                    assert_eq!(evaluated(&expression, stored), expected, "{from:?} {to:?}");
                    checked += 1;
                }
            }
            assert!(checked > 20, "{checked}");
        }
    }

    #[test]
    fn sql_server_converts_guids_numbers_and_bytes() {
        let sql = |format, from, to| {
            let form = |name| StoredForm::named(format, Backend::SqlServer, name).unwrap();
            Conversion::new(form(from), form(to))
                .unwrap()
                .expression("id")
                .unwrap()
        };
        assert_eq!(
            sql(
                FormatKind::PrefixComb,
                "uuid:suffix",
                "uuid:public-unordered"
            ),
            "CONVERT(uniqueidentifier, \
             SUBSTRING(REPLACE(CONVERT(char(36), [id]), '-', ''), 21, 8) + '-' + \
             SUBSTRING(REPLACE(CONVERT(char(36), [id]), '-', ''), 29, 4) + '-' + \
             SUBSTRING(REPLACE(CONVERT(char(36), [id]), '-', ''), 13, 4) + '-' + \
             SUBSTRING(REPLACE(CONVERT(char(36), [id]), '-', ''), 17, 4) + '-' + \
             SUBSTRING(REPLACE(CONVERT(char(36), [id]), '-', ''), 1, 12))",
        );
        assert_eq!(
            sql(FormatKind::AnyUuid, "uuid", "binary"),
            "CONVERT(binary(16), REPLACE(CONVERT(char(36), [id]), '-', ''), 2)",
        );
        assert_eq!(
            sql(FormatKind::AnyUuid, "binary", "text"),
            "CASE WHEN DATALENGTH([id]) = 16 THEN LOWER(STUFF(STUFF(STUFF(STUFF(\
             CONVERT(char(32), [id], 2), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) END",
        );
        assert_eq!(
            sql(FormatKind::DistributedId, "text", "decimal"),
            "CASE WHEN LEN([id]) = 28 AND [id] COLLATE Latin1_General_100_BIN2 \
             NOT LIKE '%[^0-9]%' THEN CONVERT(decimal(28,0), CONVERT(decimal(38,0), [id])) END",
        );
    }

    #[test]
    fn names_are_quoted() {
        let form = |name| StoredForm::named(FormatKind::UuidV7, Backend::MySql, name).unwrap();
        let conversion = Conversion::new(form("uuid"), form("text")).unwrap();
        let view = conversion.view(("a`b", "v"), "t", "id", "text").unwrap();
        assert!(view.starts_with("CREATE VIEW `a``b`.`v` AS SELECT `t`.*, CASE WHEN LENGTH(`id`)"));
        assert_eq!(conversion.function("").unwrap_err().kind(), ErrorKind::Name);
        assert_eq!(
            conversion.expression("").unwrap_err().kind(),
            ErrorKind::Name
        );
    }
}
