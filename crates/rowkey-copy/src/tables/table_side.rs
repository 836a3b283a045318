//! A table as one of the two databases has it.

use rowkey_core::Backend;
use rowkey_core::storage::{Stored, quote_identifier};
use rowkey_sql::StoredForm;
use rowkey_tables::Error;
use rowkey_tables::catalog::{QualifiedName, Table};
use rowkey_tables::types::layout::Layout;
use rowkey_tables::types::{Charset, ColumnType, Kind, Type};

use crate::batch::Cell;
use crate::plans::plan::{ExistingRows, Triggers};
use crate::plans::replacements::Replacements;

/// A table and its columns, in the order of the cells of a row.
#[derive(Clone, Debug)]
pub(crate) struct TableSide {
    pub(crate) backend: Backend,
    pub(crate) name: QualifiedName,
    pub(crate) columns: Vec<ColumnSide>,
    /// The places of the columns of the key, in whose order rows are copied; none if there is no such
    /// key.
    pub(crate) key: Vec<usize>,
    /// The places of the columns of the primary key, if the target merges rows by it.
    pub(crate) primary_key: Vec<usize>,
    /// What becomes of the rows that a table of the target has already.
    pub(crate) existing_rows: Option<ExistingRows>,
    /// Whether its triggers may run.
    pub(crate) triggers: Option<Triggers>,
    /// Whether its rows are in partitions, through which they are read.
    pub(crate) is_partitioned: bool,
    /// The names of the indexes and references that the plan leaves out.
    pub(crate) leave_out: Vec<String>,
    /// The table that is made in its place, for a rehearsal.
    pub(crate) stand_in: Option<QualifiedName>,
}

#[derive(Clone, Debug)]
pub(crate) struct ColumnSide {
    pub(crate) name: String,
    /// The column's type in the words of the database; `own` is what they mean.
    pub(crate) sql_type: ColumnType,
    pub(crate) own: Type,
    pub(crate) content: Content,
    /// How many bytes a value has at most, if its type says no more than that.
    pub(crate) most_bytes: Option<u64>,
    pub(crate) charset: Charset,
    /// The words of an `enum` or a `set`.
    pub(crate) members: Vec<String>,
    /// What values of a user's type of PostgreSQL consist of.
    pub(crate) layout: Option<Layout>,
    /// In MySQL, MariaDB and SQL Server, how text is compared, if that is known.
    pub(crate) collation: Option<String>,
    /// The microseconds that values of the target are multiples of, if others would be rounded.
    pub(crate) tick: i64,
    /// Where moments end on the server, if that is before the end on its newest version.
    pub(crate) moments_end: Option<MomentsEnd>,
    /// Whether the server may take the present moment for a NULL, which the column does not take.
    pub(crate) fills_null: bool,
    /// What a reader puts in the place of some values.
    pub(crate) instead: Replacements,
    /// Whether a time with an offset from UTC is a moment on one of the sides, and has one as text.
    pub(crate) takes_offsets: bool,
    /// Whether spaces at the end of text say nothing, because both sides fill or cut a `char`.
    pub(crate) trims: bool,
    /// Whether a reader continues after a value that it refuses.
    pub(crate) keeps_refused: bool,
}

/// Where seconds since 1970 end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MomentsEnd {
    /// With 31 bits.
    In2038,
    /// With 32 bits.
    In2106,
}

impl MomentsEnd {
    /// The last moment, in microseconds.
    pub(crate) fn last(self) -> i64 {
        match self {
            Self::In2038 => 1_200_798_847_999_999,
            Self::In2106 => 3_348_282_495_999_999,
        }
    }

    pub(crate) fn year(self) -> u16 {
        match self {
            Self::In2038 => 2038,
            Self::In2106 => 2106,
        }
    }
}

/// What MySQL and MariaDB send instead of a text that Unicode lacks: its last code point, which no
/// such character set has.
pub(crate) const NO_UNICODE: &str = "\u{10ffff}";

impl ColumnSide {
    /// A column of which nothing is replaced.
    pub(crate) fn new(name: &str, sql_type: ColumnType, own: Type, content: Content) -> Self {
        Self {
            name: name.to_owned(),
            own,
            content,
            most_bytes: sql_type.most_bytes(),
            charset: sql_type.charset(),
            members: sql_type.members(),
            layout: None,
            collation: sql_type.collation().map(ToOwned::to_owned),
            sql_type,
            tick: 1,
            moments_end: None,
            fills_null: false,
            instead: Replacements::default(),
            takes_offsets: true,
            trims: false,
            keeps_refused: false,
        }
    }

    /// A time as the target gets it, if the plan cuts off the digits for which that has no place.
    pub(crate) fn cut(&self, cell: Cell) -> Cell {
        let is_cut = self.instead.fraction.is_some();
        match cell {
            Cell::Timestamp(i64::MIN | i64::MAX) => cell,
            // Of a moment, the digits count from the second before it, also before 2000.
            Cell::Timestamp(micros) if is_cut => {
                Cell::Timestamp(micros - micros.rem_euclid(self.tick))
            }
            Cell::Time(micros) if is_cut => Cell::Time(micros - micros % self.tick),
            _ => cell,
        }
    }

    /// The condition that a value of MySQL or MariaDB has bytes without a character of Unicode, for
    /// which the server sends question marks, or is too long for it to look; nothing if the character
    /// set has none.
    pub(crate) fn lacks_unicode(&self, name: &str) -> Option<String> {
        let set = self.collation.as_deref()?.split('_').next()?;
        let is_whole =
            set.starts_with("utf") || matches!(set, "latin1" | "ucs2" | "gb18030" | "binary");
        // No set has the byte as a part of another character.
        let marks = |text: &str| format!("LENGTH({text}) - LENGTH(REPLACE({text}, '?', ''))");
        let [before, sent] = [name, &format!("CONVERT({name} USING utf8mb4)")].map(marks);
        (!is_whole).then(|| format!("{name} IS NOT NULL AND NOT ({before} <=> {sent})"))
    }

    /// Whether decimal numbers are floating-point ones in it: those of a type that SQLite does not know,
    /// or of none, too.
    pub(crate) fn stores_floats(&self) -> bool {
        matches!(self.own, Type::Double | Type::Loose(_) | Type::Own)
            || self.sql_type.bare().is_empty()
    }

    /// Whether it is text whose words are truth on the other side.
    pub(crate) fn is_truth_in_text(&self) -> bool {
        let is_text = matches!(self.own, Type::Text(_) | Type::PaddedText(_) | Type::Enum);
        is_text && self.content == Content::Values(Kind::Bool)
    }

    /// Whether it is text that is bytes on the other side.
    pub(crate) fn is_bytes_in_text(&self) -> bool {
        // SQLite's unknown types have texts, too.
        let is_text = matches!(self.own, Type::Text(_) | Type::PaddedText(_) | Type::Own);
        is_text && self.content == Content::Values(Kind::Bytes)
    }

    /// Whether it is text that is numbers, dates or times on the other side.
    pub(crate) fn is_number_or_time_in_text(&self) -> bool {
        let is_text = matches!(self.own, Type::Text(_) | Type::PaddedText(_));
        let is_other = |kind| {
            matches!(
                kind,
                Kind::Integer | Kind::Decimal | Kind::Date | Kind::Time | Kind::Timestamp
            )
        };
        is_text && matches!(self.content, Content::Values(kind) if is_other(kind))
    }

    /// Whether it is a number or a time in SQLite that gets texts, bytes or UUIDs, and keeps them.
    pub(crate) fn is_of_another_type(&self) -> bool {
        let is_text = matches!(
            self.own,
            Type::Text(_)
                | Type::PaddedText(_)
                | Type::Json
                | Type::Uuid
                | Type::Bytes(_)
                | Type::FixedBytes(_)
        );
        let is_kept = |kind| matches!(kind, Kind::Text | Kind::Bytes | Kind::Uuid);
        !is_text && matches!(self.content, Content::Values(kind) if is_kept(kind))
    }

    /// Whether it is text, and the source's values are moments, numbers or truth.
    pub(crate) fn is_text_of_others(&self) -> bool {
        let kinds = [
            Kind::Bool,
            Kind::Integer,
            Kind::Date,
            Kind::Time,
            Kind::Timestamp,
        ];
        let is_other = |content| kinds.map(Content::Values).contains(&content);
        matches!(self.own, Type::Text(_)) && is_other(self.content)
    }
}

/// What a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Values, as both sides see them.
    Values(Kind),
    /// Ids in the form of this side. Both sides see the public value.
    Ids(StoredForm),
}

impl Content {
    /// Whether two columns, which need not be the sides of one, have the same values.
    pub(crate) fn is_alike(self, other: Self) -> bool {
        match (self, other) {
            (Self::Values(one), Self::Values(other)) => one == other,
            (Self::Ids(one), Self::Ids(other)) => one.format() == other.format(),
            _ => false,
        }
    }
}

/// Whether a column of the target holds ids of a form, though its type takes others, too.
pub(crate) fn holds_ids(form: StoredForm, found: &ColumnType) -> bool {
    let declared = ColumnType::parse(form.backend(), form.sql_type());
    let are_bytes = matches!(
        declared.meaning(),
        Some(Type::Bytes(_) | Type::FixedBytes(_))
    );
    let length = match form.encode(0) {
        Stored::Text(text) => text.as_str().len(),
        Stored::Uuid(bytes) if are_bytes => bytes.len(),
        Stored::Bytes(bytes) => bytes.as_slice().len(),
        _ => return false,
    };
    let is_enough = |most: Option<u32>| most.is_none_or(|most| most as usize >= length);
    match found.meaning() {
        Some(Type::Text(most)) => !are_bytes && is_enough(most),
        Some(Type::PaddedText(own)) => !are_bytes && own as usize == length,
        Some(Type::Bytes(most)) => are_bytes && is_enough(most),
        Some(Type::FixedBytes(own)) => are_bytes && own as usize == length,
        _ => false,
    }
}

impl TableSide {
    /// The table without some columns. Those of its keys have other places then, and it has no keys.
    pub(crate) fn without(&self, names: &[String]) -> Self {
        let mut side = self.clone();
        side.columns.retain(|column| !names.contains(&column.name));
        if side.columns.len() < self.columns.len() {
            side.key.clear();
            side.primary_key.clear();
        }
        side
    }

    /// A table without a key, of which the plan says no more.
    pub(crate) fn new(backend: Backend, name: QualifiedName, columns: Vec<ColumnSide>) -> Self {
        Self {
            backend,
            name,
            columns,
            key: Vec::new(),
            primary_key: Vec::new(),
            existing_rows: None,
            triggers: None,
            is_partitioned: false,
            leave_out: Vec::new(),
            stand_in: None,
        }
    }

    /// Whether the target keeps its own rows, so that the source's are not copied.
    pub(crate) fn keeps_rows(&self) -> bool {
        self.existing_rows == Some(ExistingRows::Keep)
    }

    /// What people read about that.
    pub(crate) fn note_of_kept_rows(&self) -> Option<String> {
        let name = &self.name;
        let note = || {
            format!(
                "{name}: the target keeps its rows as the plan says, so that none of the source's is copied"
            )
        };
        self.keeps_rows().then(note)
    }

    pub(crate) fn quoted(&self) -> Result<String, Error> {
        let name = self.stand_in.as_ref().unwrap_or(&self.name);
        name.quoted(self.backend)
    }

    pub(crate) fn column(&self, name: &str) -> Option<&ColumnSide> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub(crate) fn has_all(&self, names: &[String]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// The side with some columns as its rows and its key; nothing if values that are equal for the
    /// database may differ in them.
    pub(crate) fn only(&self, names: &[String]) -> Option<Self> {
        let columns = names.iter().map(|name| self.column(name).cloned());
        let mut columns: Vec<ColumnSide> = columns.collect::<Option<_>>()?;
        let is_exact = |column: &ColumnSide| match column.content {
            Content::Ids(_) | Content::Values(Kind::Integer | Kind::Uuid) => true,
            Content::Values(Kind::Own) => matches!(column.own, Type::Integer { .. } | Type::Uuid),
            Content::Values(_) => false,
        };
        for column in &mut columns {
            // What it refuses is no other value.
            column.keeps_refused = true;
        }
        columns.iter().all(is_exact).then(|| Self {
            key: (0..columns.len()).collect(),
            columns,
            primary_key: Vec::new(),
            ..self.clone()
        })
    }

    /// The columns of a table that the side does not have, as sentences.
    pub(crate) fn omitted_columns(&self, table: &Table) -> impl Iterator<Item = String> {
        let columns = table.columns.iter();
        let omitted = columns.filter(|column| self.column(&column.name).is_none());
        omitted.map(|column| format!("{}.{} is left out", table.name, column.name))
    }

    /// The quoted names of the columns, as a list in SQL.
    pub(crate) fn column_list(&self) -> Result<String, Error> {
        let names = self.columns.iter();
        let names: Result<Vec<String>, _> = names
            .map(|column| quote_identifier(self.backend, &column.name))
            .collect();
        Ok(names?.join(", "))
    }

    /// The same side of a target whose own values are read: nothing in it counts as something else.
    pub(crate) fn without_replacements(&self) -> Self {
        let mut read = self.clone();
        read.columns
            .iter_mut()
            .for_each(|column| column.instead = Replacements::default());
        read
    }

    /// The error for a value that has no place.
    pub(crate) fn wrong(&self, column: &ColumnSide, why: &str) -> Error {
        Error::refused(
            format!("{}.{}", self.name, column.name),
            why,
            "change the value, or give the column another type in the plan, or leave it out",
        )
    }
}
