//! Sequences that no column counts with: programs ask them for numbers.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Row};

use crate::engine::{Sequences, engine, of_column};
use crate::mapping::spelling::in_any_case;
use crate::session;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// A sequence as its database has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    next: i128,
    step: i128,
    least: i128,
    most: i128,
    cycles: bool,
}

/// A number that a sequence gives next, or, at its end, has given last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    number: i128,
    is_used: bool,
}

impl State {
    fn read(row: &Row) -> Result<Self, Error> {
        let number = |place| number(row.text(place)?);
        Ok(Self {
            next: number(0)?,
            step: number(1)?,
            least: number(2)?,
            most: number(3)?,
            cycles: row.is(4)?,
        })
    }

    fn position(&self) -> Position {
        let (first, last) = match self.step > 0 {
            true => (self.least, self.most),
            false => (self.most, self.least),
        };
        let (number, is_used) = match (self.has(self.next), self.cycles) {
            (true, _) => (self.next, false),
            (false, true) => (first, false),
            (false, false) => (last, true),
        };
        Position { number, is_used }
    }

    fn has(&self, number: i128) -> bool {
        (self.least..=self.most).contains(&number)
    }

    /// Where it goes on a step behind a number; nothing if it does not go so far.
    fn behind(&self, last: i128) -> Option<Position> {
        let number = last + self.step;
        let is_past = match self.step > 0 {
            true => number < self.least,
            false => number > self.most,
        };
        match is_past {
            true => Some(self.position()),
            false => self.has(number).then_some(Position {
                number,
                is_used: false,
            }),
        }
    }

    /// The same as far as others have such numbers.
    fn within(self, [least, most]: [i128; 2]) -> Self {
        Self {
            least: self.least.clamp(least, most),
            most: self.most.clamp(least, most),
            ..self
        }
    }

    /// Whether the sequence has yet to reach a position.
    fn is_before(&self, position: Position) -> bool {
        let next = match position.is_used {
            true => position.number + self.step,
            false => position.number,
        };
        match self.step > 0 {
            true => self.next < next,
            false => self.next > next,
        }
    }

    fn told(&self) -> String {
        match self.position() {
            Position {
                number,
                is_used: false,
            } => format!("its next number is {number}"),
            Position { .. } => "it has no number left".into(),
        }
    }
}

/// What becomes of a sequence.
enum Place<'n> {
    Found(&'n str),
    Made,
    /// Nothing, and why.
    None(&'static str),
}

fn place<'n>(
    target: Backend,
    there: &'n [Sequence],
    name: &str,
    makes: bool,
    tables: &[PreparedTable<'_>],
) -> Place<'n> {
    let is_copied = |[table, column]: &[String; 2]| {
        let mut tables = tables.iter().map(|prepared| &prepared.to);
        tables.any(|side| side.name.name == *table && side.column(column).is_some())
    };
    if engine(target).counters.sequences.is_none() {
        return Place::None("");
    }
    let found = match makes {
        true => there.iter().find(|found| found.name == name),
        false => in_any_case(there.iter(), |found| &found.name, name),
    };
    match found {
        Some(found) if !found.owner.iter().all(is_copied) => {
            Place::None(", because that of the target counts a column which is not copied")
        }
        Some(found) => Place::Found(&found.name),
        None if !makes => Place::None(", because the target has none of this name"),
        None if quote_identifier(target, name).is_ok() => Place::Made,
        None => Place::None(", because the target takes no such name"),
    }
}

/// The sequences of the source that stay behind, as sentences.
pub(crate) async fn left_out(
    source: &mut Connection,
    target: &mut Connection,
    makes: bool,
    tables: &[PreparedTable<'_>],
) -> Result<Vec<String>, Error> {
    let there = all(target).await?;
    let mut notes = Vec::new();
    for (name, state) in free(source, &mut notes).await? {
        if let Place::None(why) = place(target.backend(), &there, &name, makes, tables) {
            notes.push(not_copied(&name, why, &state));
        }
    }
    Ok(notes)
}

/// Lets the sequences of the target go on where those of the source would, after the rows, and makes
/// them if the tables are made. Says what stays behind.
pub(crate) async fn continued(
    source: &mut Connection,
    target: &mut Connection,
    makes: bool,
    tables: &[PreparedTable<'_>],
) -> Result<Vec<String>, Error> {
    let there = all(target).await?;
    let mut notes = Vec::new();
    let sequences = free(source, &mut notes).await?;
    let Some(how) = &engine(target.backend()).counters.sequences else {
        let notes_of_all = sequences.iter();
        notes.extend(notes_of_all.map(|(name, state)| not_copied(name, "", state)));
        return Ok(notes);
    };
    for (name, state) in sequences {
        let (own, is_made) = match place(target.backend(), &there, &name, makes, tables) {
            Place::Found(found) => (found, false),
            Place::Made => (&*name, true),
            Place::None(why) => {
                notes.push(not_copied(&name, why, &state));
                continue;
            }
        };
        match go_on(target, how, own, state, is_made).await {
            // All rows are there, and nothing else depends on it.
            Err(error) if error.sql_state().is_some() => {
                let why = format!(", because the target refuses it: {}", error.reason());
                notes.push(not_copied(&name, &why, &state));
            }
            note => notes.extend(note?),
        }
    }
    Ok(notes)
}

fn not_copied(name: &str, why: &str, state: &State) -> String {
    format!("the sequence {name} is left out{why}; {}", state.told())
}

/// Makes a sequence that is not there, and never sets one back: programs may have used it already.
async fn go_on(
    target: &mut Connection,
    how: &Sequences,
    name: &str,
    state: State,
    is_made: bool,
) -> Result<Option<String>, Error> {
    let doing = format!("the sequence {name}");
    let quoted = quote_identifier(target.backend(), name)?;
    let wanted = state.position();
    if is_made {
        let state = state.within(how.bounds);
        let cycle = if state.cycles { " CYCLE" } else { "" };
        let statement = format!(
            "CREATE SEQUENCE IF NOT EXISTS {quoted} INCREMENT BY {} MINVALUE {} MAXVALUE {} START WITH {}{cycle}",
            state.step,
            state.least,
            state.most,
            wanted.number.clamp(state.least, state.most)
        );
        target.execute(&doing, &statement).await?;
    }
    let row = target.one_row(&doing, &(how.state)(&quoted), &[]).await?;
    let there = State::read(&row)?;
    if !there.has(wanted.number) {
        return Ok(Some(format!(
            "the sequence {name}: {} in the source, and that of the target does not go so far",
            state.told()
        )));
    }
    if there.is_before(wanted) {
        let set = (how.set)(&quoted, wanted.number, wanted.is_used);
        target.execute(&doing, &set).await?;
    }
    Ok((there.step != state.step).then(|| {
        format!(
            "the sequence {name}: it counts by {} in the source, and by {} in the target",
            state.step, there.step
        )
    }))
}

/// Lets a sequence continue a step behind the rows of a table and behind a number; says so if it
/// cannot. A whole step, because programs may number within a step, up to its number or from it.
pub(crate) async fn go_on_behind(
    target: &mut Connection,
    name: &str,
    side: &TableSide,
    column: &str,
    last: i128,
) -> Result<Option<String>, Error> {
    let engine = engine(target.backend());
    let Some(how) = &engine.counters.sequences else {
        return Ok(None);
    };
    let doing = format!("the sequence {name}");
    let quoted = quote_identifier(target.backend(), name)?;
    let row = target.one_row(&doing, &(how.state)(&quoted), &[]).await?;
    let state = State::read(&row)?;
    let (outermost, last) = match state.step > 0 {
        true => ("MAX", Some(last).filter(|last| *last > 0)),
        false => ("MIN", None),
    };
    let in_rows = format!("{outermost}({})", quote_identifier(side.backend, column)?);
    let in_rows = of_column(engine.rows.shown, &in_rows);
    let query = format!("SELECT {in_rows} FROM {}", side.quoted()?);
    let row = target.one_row(&doing, &query, &[]).await?;
    let in_rows = row.optional_text(0)?.map(number).transpose()?;
    let Some(last) = in_rows.max(last) else {
        return Ok(None);
    };
    let Some(wanted) = state.behind(last) else {
        return Ok(Some(format!(
            "the sequence {name}: it does not go beyond {last}, the last number of {}.{column}",
            side.name
        )));
    };
    if state.is_before(wanted) {
        let set = (how.set)(&quoted, wanted.number, wanted.is_used);
        target.execute(&doing, &set).await?;
    }
    Ok(None)
}

fn number(digits: &str) -> Result<i128, Error> {
    digits.parse().map_err(|_| Error::Differs {
        what: "a sequence".into(),
        found: format!("{digits} is no number"),
    })
}

/// A sequence, and whose it is.
pub(crate) struct Sequence {
    pub(crate) name: String,
    /// Whether a column counts with it.
    is_counting: bool,
    /// The table and the column with which it goes.
    owner: Option<[String; 2]>,
}

impl Sequence {
    /// Whether it may be that of a column.
    pub(crate) fn is_free_for(&self, table: &str, column: &str) -> bool {
        let mut owner = self.owner.iter();
        owner.all(|[of_table, of_column]| of_table == table && of_column == column)
    }
}

/// Those of a connection's own schema.
pub(crate) async fn all(connection: &mut Connection) -> Result<Vec<Sequence>, Error> {
    let mut found = Vec::new();
    let Some(how) = &engine(connection.backend()).counters.sequences else {
        return Ok(found);
    };
    for row in connection.query("the sequences", how.list, &[]).await? {
        let owner = row.optional_text(2)?.zip(row.optional_text(3)?);
        found.push(Sequence {
            name: row.text(0)?.to_owned(),
            is_counting: row.is(1)?,
            owner: owner.map(|(table, column)| [table.to_owned(), column.to_owned()]),
        });
    }
    Ok(found)
}

/// Those that no column counts with.
pub(crate) async fn without_columns(connection: &mut Connection) -> Result<Vec<Sequence>, Error> {
    let mut found = all(connection).await?;
    found.retain(|sequence| !sequence.is_counting);
    Ok(found)
}

/// The sequences that no column counts with.
async fn free(
    source: &mut Connection,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, State)>, Error> {
    let mut found = Vec::new();
    let Some(how) = &engine(source.backend()).counters.sequences else {
        return Ok(found);
    };
    for Sequence { name, .. } in without_columns(source).await? {
        let doing = format!("the sequence {name}");
        let query = (how.state)(&quote_identifier(source.backend(), &name)?);
        session::mark(source).await?;
        match source.one_row(&doing, &query, &[]).await {
            Err(error) if error.is_denied() => {
                session::back_to_mark(source).await?;
                notes.push(format!(
                    "the sequence {name} is left out, because it may not be read: {}",
                    error.reason()
                ));
            }
            row => found.push((name, State::read(&row?)?)),
        }
        session::unmark(source).await?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_sequence_is_known() {
        let state = |next, step, cycles| State {
            next,
            step,
            least: 1,
            most: 9,
            cycles,
        };
        for (state, number, is_used) in [
            (state(4, 1, false), 4, false),
            (state(10, 1, false), 9, true),
            (state(10, 1, true), 1, false),
            (state(0, -1, false), 1, true),
            (state(0, -1, true), 9, false),
        ] {
            assert_eq!(state.position(), Position { number, is_used }, "{state:?}");
        }
        for (last, number) in [(3, Some(5)), (7, Some(9)), (8, None), (-9, Some(4))] {
            let behind = state(4, 2, false).behind(last);
            assert_eq!(behind.map(|behind| behind.number), number, "{last}");
        }
        let down = state(4, -2, false);
        for (number, is_used, expected) in [(3, false, true), (6, true, false), (5, true, true)] {
            let position = Position { number, is_used };
            assert_eq!(down.is_before(position), expected, "{position:?}");
        }
    }
}
