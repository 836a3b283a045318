//! New ids, made by the server.
//!
//! Each byte of the stored form is fixed, of the time, or random, as the fields of the format and
//! the layout say. Neighbours of the same origin are one piece of the expression, so that each
//! piece is evaluated once:
//!
//! ```text
//! UUID of version 7       public          B0 .. B5   B6         B7       B8         B9 .. B15
//!                                         time       7, random  random   10, random random
//! MySQL                   RANDOM_BYTES    -          1          1        1          7
//! PostgreSQL              of a uuid       -          B15        B7 .. B15
//! ```
//!
//! PostgreSQL's random bytes come from a random UUID, in which two have fixed bits. Where the
//! format wants the same fixed bits, these bytes are taken with their neighbours.

use alloc::format;
use alloc::string::String;

use crate::check;
use crate::id_bytes::IdBytes;
use crate::refused::refused;
use crate::stored_form::StoredForm;
use rowkey_core::__sql::{LEEWAY_MS, TimeField, TimeRange, TimeUnit, column_definition};
use rowkey_core::Backend;
use rowkey_core::format::{FormatKind, interval_counter};
use rowkey_core::storage::{Nullability, TableName, quote_identifier};
use rowkey_core::{Error, UnixMillis};

const INTERVAL_MS: u64 = 60_000;

/// The SQL of ids that the server makes: for the default of a column, and for existing rows.
///
/// Each evaluation makes a new id from the server's cryptographic random numbers: a random UUID in
/// PostgreSQL (since version 13), `RANDOM_BYTES` in MySQL (since 5.6.17) and MariaDB (since 10.10),
/// `CRYPT_GEN_RANDOM` in SQL Server, and `randomblob` in SQLite, which seeds its generator from the
/// operating system. The instant is the server's clock when the statement began.
///
/// Ids within a millisecond, or an interval of the short COMBs, are in random order, also those of
/// version 7. Only random bits keep DistributedIds apart, because a server keeps no state as
/// programs do: a statement that makes a million 93-bit ids makes one twice with a probability of
/// 0.2 %, and the primary key refuses it.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_sql::{NewId, StoredForm};
/// use rowkey_core::Backend;
///
/// let form = StoredForm::named(FormatKind::PrefixComb, Backend::Postgres, "uuid").unwrap();
/// assert_eq!(
///     NewId::new(form)?.expression()?,
///     "encode(substr(int8send(floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint), 3, 6) \
///      || substr(uuid_send(gen_random_uuid()), 7, 10), 'hex')::uuid",
/// );
/// let form = StoredForm::named(FormatKind::UuidV4, Backend::Sqlite, "uuid").unwrap();
/// assert_eq!(
///     NewId::new(form)?.expression()?,
///     "unhex(hex(randomblob(6)) || printf('%02X', (random() & 15) | 64) || hex(randomblob(1)) \
///      || printf('%02X', (random() & 63) | 128) || hex(randomblob(7)))",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewId {
    form: StoredForm,
    interval_ms: u64,
}

impl NewId {
    /// New ids in a form. For the short COMBs, the interval is a minute.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a format whose ids are more than time and chance, for compact
    /// text, and for digits in SQLite.
    pub fn new(form: StoredForm) -> Result<Self, Error> {
        check_format(form.format())?;
        let new_id = Self {
            form,
            interval_ms: INTERVAL_MS,
        };
        new_id.expression()?;
        Ok(new_id)
    }

    /// The same new ids with another interval of the short COMBs, in milliseconds.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for an interval of 0, and for a format without intervals.
    pub fn with_interval(self, interval_ms: u64) -> Result<Self, Error> {
        match self.time() {
            Some(TimeField {
                unit: TimeUnit::Interval,
                ..
            }) => {
                interval_counter(UnixMillis::EPOCH, interval_ms)?;
                Ok(Self {
                    interval_ms,
                    ..self
                })
            }
            _ => Err(refused("only short COMBs have an interval")),
        }
    }

    /// The form of the ids.
    pub const fn form(self) -> StoredForm {
        self.form
    }

    /// The SQL expression of a new id with the time of the server's clock. It needs no column and
    /// no subquery, so it can be the default of a column.
    ///
    /// # Errors
    ///
    /// None that [`new`](Self::new) has not returned.
    pub fn expression(self) -> Result<String, Error> {
        let mut millis = clock(self.form.backend()).into();
        if self.form.format() == FormatKind::DistributedId {
            millis = format!("{millis} - {LEEWAY_MS}");
        }
        self.with_number(self.position(&millis, false))
    }

    /// The SQL expression of a new id that carries the instant of another SQL expression:
    /// milliseconds since 1970 as a signed integer of 64 bits, the same each time that it is
    /// evaluated for a row. NULL, and an instant that the format or the form cannot hold, give
    /// NULL.
    ///
    /// The id carries exactly this instant, which [`unix_millis`](StoredForm::unix_millis) reads
    /// from it.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a format without time.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_sql::{NewId, StoredForm};
    /// use rowkey_core::Backend;
    ///
    /// let form = StoredForm::named(FormatKind::UuidV7, Backend::MySql, "uuid").unwrap();
    /// assert_eq!(
    ///     NewId::new(form)?.expression_at("`created_ms`")?,
    ///     "CASE WHEN (`created_ms`) BETWEEN 0 AND 281474976710655 THEN \
    ///      CONCAT(UNHEX(LPAD(HEX((`created_ms`)), 12, '0')), \
    ///      CHAR((ASCII(RANDOM_BYTES(1)) & 15) | 112), RANDOM_BYTES(1), \
    ///      CHAR((ASCII(RANDOM_BYTES(1)) & 63) | 128), RANDOM_BYTES(7)) END",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn expression_at(self, unix_millis: &str) -> Result<String, Error> {
        let millis = format!("({unix_millis})");
        let condition = match self.time() {
            None => {
                return Err(refused(
                    "ids of this format carry no time; take them without an instant",
                ));
            }
            Some(TimeField {
                unit: TimeUnit::Instant { range, .. },
                ..
            }) => {
                let (min, max) = (range.min.get(), self.last_millis(range));
                format!("{millis} BETWEEN {min} AND {max}")
            }
            // SQLite prints NULL as 0.
            Some(_) => format!("{millis} IS NOT NULL"),
        };
        let id = self.with_number(self.position(&millis, true))?;
        Ok(check::guarded(Some(condition), id))
    }

    /// The last instant of the format of which every id fits the form.
    fn last_millis(self, range: TimeRange) -> i64 {
        match self.form.format().time_of(self.form.max_value()) {
            // Only the smallest ids of this instant fit.
            Some(time) if time.get() < range.max.get() => time.get() - 1,
            _ => range.max.get(),
        }
    }

    /// The number in the time field for an instant within the format's range. Only intervals are
    /// counted before 1970 as well.
    fn position(self, millis: &str, may_be_negative: bool) -> String {
        let backend = self.form.backend();
        match self.time().map(|time| time.unit) {
            None => String::new(),
            Some(TimeUnit::Interval) => {
                // No instant has more bits, and the sum below keeps to 64.
                let interval = self.form.big(self.interval_ms.min(1 << 62).cast_signed());
                // Databases divide towards zero, and the counter continues below zero.
                let whole = match may_be_negative {
                    true => {
                        format!("({millis} - ({millis} % {interval} + {interval}) % {interval})")
                    }
                    false => millis.into(),
                };
                format!("({} & 65535)", quotient(backend, &whole, &interval))
            }
            Some(TimeUnit::Instant { range, unit_ms }) => {
                let since = match range.min.get() {
                    0 => millis.into(),
                    epoch if epoch < 0 => format!("({millis} + {})", self.form.big(-epoch)),
                    epoch => format!("({millis} - {})", self.form.big(epoch)),
                };
                match unit_ms {
                    1 => since,
                    _ => quotient(backend, &since, &self.form.big(unit_ms.into())),
                }
            }
        }
    }

    fn with_number(self, number: String) -> Result<String, Error> {
        IdBytes::new(self.form.column(), number).stored()
    }

    const fn time(self) -> Option<TimeField> {
        self.form.format().spec().time
    }
}

fn quotient(backend: Backend, number: &str, by: &str) -> String {
    match backend {
        Backend::MySql | Backend::MariaDb => format!("({number} DIV {by})"),
        _ => format!("({number} / {by})"),
    }
}

/// The server's clock, in milliseconds since 1970, without regard to time zones.
const fn clock(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint",
        Backend::MySql | Backend::MariaDb => {
            "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)"
        }
        // A day number has room for about 0.04 milliseconds.
        Backend::Sqlite => "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
        Backend::SqlServer => "DATEDIFF_BIG(millisecond, '1970-01-01', SYSUTCDATETIME())",
    }
}

/// Refuses formats whose ids are more than time, chance and constants.
fn check_format(format: FormatKind) -> Result<(), Error> {
    Err(refused(match format {
        FormatKind::UuidV4
        | FormatKind::UuidV7
        | FormatKind::PrefixComb
        | FormatKind::SuffixComb
        | FormatKind::ShortPrefixComb
        | FormatKind::ShortSuffixComb
        | FormatKind::DistributedId
        | FormatKind::DistributedId128 => return Ok(()),
        FormatKind::DatabaseNumber => {
            "the database counts these numbers; define the column as a counted one"
        }
        FormatKind::AnyUuid => {
            "any UUID is of this format; name the format of the new ones, such as uuid-v4"
        }
        FormatKind::Luuid => "a LUUID has a number that is given out once; make it in the program",
        FormatKind::Iuid => {
            "an iUID has the country and the entity of its row; make it in the program"
        }
        FormatKind::HotGuid => {
            "a HotGuid has the process, the counter and the shard of its program; make it there"
        }
    }))
}

impl NewId {
    /// The definition of a column whose ids the server makes for rows that are inserted without
    /// one: as `StoragePlan::column_definition`, NOT NULL, with a DEFAULT. A program can still
    /// insert its own ids.
    ///
    /// MySQL has had such defaults since 8.0.13; for an older version see
    /// [`trigger`](Self::trigger). MySQL has no RETURNING, so a program does not learn the id of
    /// the row that it inserted.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_sql::{NewId, StoredForm};
    /// use rowkey_core::Backend;
    ///
    /// let form = StoredForm::named(FormatKind::UuidV4, Backend::Postgres, "uuid").unwrap();
    /// assert_eq!(
    ///     NewId::new(form)?.column_definition("id")?,
    ///     "\"id\" uuid NOT NULL DEFAULT (gen_random_uuid())",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn column_definition(self, name: &str) -> Result<String, Error> {
        self.defined(name, &format!("({})", self.expression()?))
    }

    /// The definition of a column for a [`trigger`](Self::trigger). The DEFAULT is zero, which no
    /// new id is: without a default, MySQL refuses a row before the trigger sees it.
    ///
    /// # Errors
    ///
    /// As [`trigger`](Self::trigger).
    pub fn column_definition_for_trigger(self, name: &str) -> Result<String, Error> {
        self.check_trigger()?;
        self.defined(name, &self.form().literal(0))
    }

    /// The statement that creates a trigger for MySQL before 8.0.13, where a default cannot be an
    /// expression. The trigger replaces the zero of the [column's
    /// default](Self::column_definition_for_trigger) by a new id.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend, `ErrorKind::Declaration` on
    /// backends other than MySQL and MariaDB.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_sql::{NewId, StoredForm};
    /// use rowkey_core::Backend;
    ///
    /// let form = StoredForm::named(FormatKind::DistributedId, Backend::MySql, "decimal").unwrap();
    /// let new_id = NewId::new(form)?;
    /// assert_eq!(
    ///     new_id.column_definition_for_trigger("id")?,
    ///     "`id` DECIMAL(28,0) NOT NULL DEFAULT 0",
    /// );
    /// let trigger = new_id.trigger("offer_id", "offer", "id")?;
    /// let begin = "CREATE TRIGGER `offer_id` BEFORE INSERT ON `offer` FOR EACH ROW \
    ///              SET NEW.`id` = CASE WHEN NEW.`id` = 0 THEN CAST(";
    /// assert!(trigger.starts_with(begin), "{trigger}");
    /// assert!(trigger.ends_with(" ELSE NEW.`id` END"), "{trigger}");
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn trigger<'t>(
        self,
        name: impl Into<TableName<'t>>,
        table: impl Into<TableName<'t>>,
        column: &str,
    ) -> Result<String, Error> {
        self.check_trigger()?;
        let backend = self.form().backend();
        let (name, table) = (name.into().quoted(backend)?, table.into().quoted(backend)?);
        let column = quote_identifier(backend, column)?;
        let (zero, new) = (self.form().literal(0), self.expression()?);
        Ok(format!(
            "CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW SET NEW.{column} = \
             CASE WHEN NEW.{column} = {zero} THEN {new} ELSE NEW.{column} END"
        ))
    }

    fn check_trigger(self) -> Result<(), Error> {
        match self.form().backend() {
            Backend::MySql | Backend::MariaDb => Ok(()),
            _ => Err(refused(
                "only MySQL needs a trigger; elsewhere the column has a default",
            )),
        }
    }

    fn defined(self, name: &str, default: &str) -> Result<String, Error> {
        let form = self.form();
        let definition = format!(
            "{} {} DEFAULT {default}",
            form.sql_type(),
            Nullability::NotNull
        );
        column_definition(form.column(), form.backend(), name, &definition)
    }
}

#[cfg(test)]
mod tests {
    use rowkey_core::error::ErrorKind;

    use super::*;
    use rowkey_core::storage::Layout;
    use rowkey_core::storage::{Storage, TextForm, Wire};

    fn new_ids() -> impl Iterator<Item = (StoredForm, Result<NewId, Error>)> {
        let forms = FormatKind::ALL.into_iter().flat_map(|format| {
            let choices = Storage::ALL
                .into_iter()
                .flat_map(|storage| Layout::ALL.map(|layout| (storage, layout)));
            choices.flat_map(move |(storage, layout)| {
                Backend::ALL.into_iter().filter_map(move |backend| {
                    StoredForm::new(format, backend, storage, Some(layout)).ok()
                })
            })
        });
        forms.map(|form| (form, NewId::new(form)))
    }

    #[test]
    fn ids_of_time_and_chance_are_made_in_every_form_that_sql_writes() {
        let mut made = 0;
        for (form, new_id) in new_ids() {
            let is_made = match form.format() {
                FormatKind::DatabaseNumber
                | FormatKind::AnyUuid
                | FormatKind::Luuid
                | FormatKind::Iuid
                | FormatKind::HotGuid => false,
                _ => match form.wire() {
                    Wire::Text(TextForm::Compact16 | TextForm::Compact22) => false,
                    Wire::Text(TextForm::Digits28 | TextForm::Digits38) => {
                        form.backend() != Backend::Sqlite
                    }
                    // The bytes of the time are apart.
                    _ => {
                        form.backend() != Backend::SqlServer
                            || form.layout() != Layout::SqlServer
                            || !matches!(
                                form.format(),
                                FormatKind::SuffixComb
                                    | FormatKind::ShortSuffixComb
                                    | FormatKind::DistributedId
                            )
                    }
                },
            };
            match new_id {
                Ok(_) => assert!(is_made, "{form:?}"),
                Err(error) => {
                    let is_refused = error.kind() == ErrorKind::Declaration;
                    assert!(!is_made && is_refused, "{form:?}: {error}");
                }
            }
            made += u32::from(is_made);
        }
        assert!(made > 500, "{made}");
    }

    /// SQL Server's clock may advance between two reads. The others stand still for a statement.
    #[test]
    fn sql_servers_clock_is_read_once() {
        let of_sql_server = new_ids().filter(|(form, _)| form.backend() == Backend::SqlServer);
        for (form, new_id) in of_sql_server {
            let Ok(new_id) = new_id else { continue };
            let expression = new_id.expression().unwrap();
            let readings = expression.matches(clock(form.backend())).count();
            let expected = usize::from(form.format().spec().time.is_some());
            assert_eq!(readings, expected, "{form:?}: {expression}");
        }
    }

    #[test]
    fn every_random_byte_is_another() {
        for (form, new_id) in new_ids() {
            let Ok(new_id) = new_id else { continue };
            if form.backend() != Backend::MySql {
                continue;
            }
            let expression = new_id.expression().unwrap();
            let calls = expression.split("RANDOM_BYTES(").skip(1);
            let bytes = calls.map(|call| call.split(')').next().unwrap().parse::<u8>().unwrap());
            let expected = match form.format() {
                FormatKind::UuidV4 => 16,
                FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb => 14,
                FormatKind::DistributedId => 6,
                _ => 10,
            };
            assert_eq!(bytes.sum::<u8>(), expected, "{form:?}: {expression}");
        }
    }

    #[test]
    fn an_interval_belongs_to_short_combs() {
        let new_id = |format| {
            let form = StoredForm::named(format, Backend::Sqlite, "text-hex").unwrap();
            NewId::new(form).unwrap()
        };
        let short = new_id(FormatKind::ShortSuffixComb);
        assert_eq!(short.with_interval(60_000), Ok(short));
        assert_eq!(
            short.with_interval(0).unwrap_err().kind(),
            ErrorKind::Declaration
        );
        let longest = short.with_interval(u64::MAX).unwrap();
        assert!(
            longest
                .expression()
                .unwrap()
                .contains(" / 4611686018427387904) & 65535")
        );
        let other = new_id(FormatKind::UuidV7);
        assert_eq!(
            other.with_interval(60_000).unwrap_err().kind(),
            ErrorKind::Declaration
        );
        let timeless = new_id(FormatKind::UuidV4).expression_at("0");
        assert_eq!(timeless.unwrap_err().kind(), ErrorKind::Declaration);
    }

    #[test]
    fn names_are_quoted() {
        let form = StoredForm::named(FormatKind::UuidV4, Backend::MySql, "uuid").unwrap();
        let new_id = NewId::new(form).unwrap();
        let trigger = new_id.trigger(("s", "x`y"), ("s", "t`"), "i`d").unwrap();
        let begin = "CREATE TRIGGER `s`.`x``y` BEFORE INSERT ON `s`.`t``` FOR EACH ROW \
                     SET NEW.`i``d` = CASE WHEN NEW.`i``d` = X'";
        assert!(trigger.starts_with(begin), "{trigger}");
        let definition = new_id.column_definition("i`d").unwrap();
        assert!(definition.starts_with("`i``d` BINARY(16) NOT NULL DEFAULT (CONCAT("));
        assert_eq!(
            new_id.column_definition("").unwrap_err().kind(),
            ErrorKind::Name
        );
        let form = StoredForm::named(FormatKind::UuidV4, Backend::Postgres, "uuid").unwrap();
        let elsewhere = NewId::new(form).unwrap().trigger("x", "t", "id");
        assert_eq!(elsewhere.unwrap_err().kind(), ErrorKind::Declaration);
    }

    #[test]
    fn sql_server_makes_bytes_and_numbers() {
        let sql = |format, name| {
            let form = StoredForm::named(format, Backend::SqlServer, name).unwrap();
            NewId::new(form).unwrap().expression().unwrap()
        };
        assert_eq!(
            sql(FormatKind::UuidV7, "uuid"),
            "CONVERT(uniqueidentifier, STUFF(STUFF(STUFF(STUFF(CONVERT(char(32), \
             CRYPT_GEN_RANDOM(7) + \
             CONVERT(binary(1), (CONVERT(int, CRYPT_GEN_RANDOM(1)) & 63) | 128) + \
             CONVERT(binary(1), (CONVERT(int, CRYPT_GEN_RANDOM(1)) & 15) | 112) + \
             CRYPT_GEN_RANDOM(1) + \
             CONVERT(binary(6), DATEDIFF_BIG(millisecond, '1970-01-01', SYSUTCDATETIME())), 2), \
             9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-'))",
        );
        assert_eq!(
            sql(FormatKind::DistributedId, "decimal"),
            "CONVERT(decimal(28,0), (CONVERT(decimal(20,0), \
             (DATEDIFF_BIG(millisecond, '1970-01-01', SYSUTCDATETIME()) - 1000 + \
             CONVERT(bigint, 2208988800000))) * 281474976710656 + \
             CONVERT(decimal(20,0), CONVERT(bigint, CONVERT(binary(6), \
             CONVERT(char(12), CRYPT_GEN_RANDOM(6), 2), 2)))))",
        );
    }
}
