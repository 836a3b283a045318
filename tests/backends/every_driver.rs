//! All drivers of a backend together: they write the same bytes, and each reads what the others
//! wrote.

use std::pin::Pin;

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::storage::{Column, Storage, Wire};
use rowkey_testkit::{Suite, TestDatabase};

use crate::cases::Cases;
use crate::driver::Session;
use crate::keys::Case;
use crate::query::Query;
use crate::samples::{extremes, samples};
use crate::table::{Record, Table, distinct_cases};

/// The result of a driver.
type Answer<'s, T> = Pin<Box<dyn Future<Output = Result<T>> + 's>>;

/// Connects a driver of a backend.
pub(crate) type Connect = for<'u> fn(&'u str, Backend) -> Answer<'u, Box<dyn Participant>>;

/// A driver with a connection, without its types: columns stand for the keys.
pub(crate) trait Participant {
    fn name(&self) -> &'static str;

    /// The columns whose keys it writes.
    fn columns(&self) -> Vec<Column>;

    /// Creates the table of a column.
    fn create(&mut self, column: Column) -> Answer<'_, ()>;

    /// Inserts rows with bound keys.
    fn insert<'s>(&'s mut self, column: Column, records: &'s [Record]) -> Answer<'s, ()>;

    /// Inserts rows with keys as SQL text.
    fn insert_literals<'s>(&'s mut self, column: Column, records: &'s [Record]) -> Answer<'s, ()>;

    /// All rows.
    fn read(&mut self, column: Column) -> Answer<'_, Vec<Record>>;

    /// The rows with one of these bound keys as their own and one, or NULL, as their parent's.
    fn find<'s>(&'s mut self, column: Column, ids: &'s [u128]) -> Answer<'s, Vec<Record>>;

    /// The stored value as the server reports it.
    fn show(&mut self, column: Column) -> Answer<'_, Vec<String>>;

    /// Deletes all rows.
    fn clear(&mut self, column: Column) -> Answer<'_, ()>;
}

struct Connected<D: Cases> {
    session: Session<D>,
    cases: Vec<(Case<D>, Column)>,
}

/// Connects a driver.
pub(crate) fn connect<D: Cases>(url: &str, backend: Backend) -> Answer<'_, Box<dyn Participant>> {
    Box::pin(async move {
        let session = Session::<D>::open(url, backend).await?;
        let cases = distinct_cases(&session);
        let connected: Box<dyn Participant> = Box::new(Connected { session, cases });
        Ok(connected)
    })
}

impl<D: Cases> Connected<D> {
    fn parts(&mut self, column: Column) -> (&mut Session<D>, &Case<D>) {
        let case = self.cases.iter().find(|(_, known)| *known == column);
        let (case, _) = case.expect("only columns of this driver are asked for");
        (&mut self.session, case)
    }

    fn table(&mut self, column: Column) -> (&mut Session<D>, Table<'_, D>) {
        let (session, case) = self.parts(column);
        let table = Table::created(session, case);
        (session, table)
    }
}

impl<D: Cases> Participant for Connected<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn columns(&self) -> Vec<Column> {
        self.cases.iter().map(|(_, column)| *column).collect()
    }

    fn create(&mut self, column: Column) -> Answer<'_, ()> {
        let (session, case) = self.parts(column);
        Box::pin(async move { Table::create(session, case).await.map(drop) })
    }

    fn insert<'s>(&'s mut self, column: Column, records: &'s [Record]) -> Answer<'s, ()> {
        let (session, table) = self.table(column);
        Box::pin(async move { Ok(table.insert(session, records).await?) })
    }

    fn insert_literals<'s>(&'s mut self, column: Column, records: &'s [Record]) -> Answer<'s, ()> {
        let (session, table) = self.table(column);
        Box::pin(async move {
            for Record { n, id, parent } in records {
                let id = column.literal(*id);
                let parent = parent.map_or("NULL".to_owned(), |id| column.literal(id).to_string());
                let table = table.name();
                let insert =
                    format!("INSERT INTO {table} (id, parent, n) VALUES ({id}, {parent}, {n})");
                session.execute(insert).await?;
            }
            Ok(())
        })
    }

    fn read(&mut self, column: Column) -> Answer<'_, Vec<Record>> {
        let (session, table) = self.table(column);
        let query = table.query("SELECT id, parent, n FROM", " ORDER BY n");
        Box::pin(async move { Ok(table.records(session, query).await?) })
    }

    fn find<'s>(&'s mut self, column: Column, ids: &'s [u128]) -> Answer<'s, Vec<Record>> {
        let (_, case) = self.parts(column);
        let (param, param_of) = (case.param, case.param_of);
        let (session, table) = self.table(column);
        let mut query = table.select_where();
        query.push("id IN (");
        push_list(&mut query, ids.iter().map(|id| param(*id)));
        query.push(") AND (parent IS NULL OR parent IN (");
        push_list(&mut query, ids.iter().map(|id| param_of(Some(*id))));
        query.push(")) ORDER BY n");
        Box::pin(async move { Ok(table.records(session, query).await?) })
    }

    fn show(&mut self, column: Column) -> Answer<'_, Vec<String>> {
        let (session, table) = self.table(column);
        let [id, parent] = ["id", "parent"].map(|name| shown(session.backend(), column, name));
        let sql = format!(
            "SELECT {id} AS id, {parent} AS parent FROM {} ORDER BY n",
            table.name()
        );
        Box::pin(async move {
            let texts = |row: &D::Row<'_>| {
                let [id, parent] = [D::get_text(row, "id")?, D::get_text(row, "parent")?];
                Ok(format!("{id:?}, {parent:?}"))
            };
            Ok(session.fetch_text(sql, texts).await?)
        })
    }

    fn clear(&mut self, column: Column) -> Answer<'_, ()> {
        let (session, table) = self.table(column);
        let delete = format!("DELETE FROM {}", table.name());
        Box::pin(async move { session.execute(delete).await })
    }
}

fn push_list<D: Cases>(query: &mut Query<D>, params: impl Iterator<Item = D::Param>) {
    for (index, param) in params.enumerate() {
        query
            .push(if index == 0 { "" } else { ", " })
            .push_param(param);
    }
}

/// The SQL for the bytes of a column as text, NULL for NULL.
fn shown(backend: Backend, column: Column, name: &str) -> String {
    match (backend, column.wire()) {
        // What its binary protocol would send: also how a number is put together.
        (Backend::Postgres, wire) => {
            let send = match wire {
                Wire::Bytes(_) => "byteasend",
                Wire::Decimal(_) => "numeric_send",
                Wire::Text(_) => "varcharsend",
                Wire::Uuid | Wire::NativeUuid => "uuid_send",
                Wire::Integer => "int8send",
            };
            format!("encode({send}({name}), 'hex')")
        }
        // A value can have another type than its column.
        (Backend::Sqlite, _) => format!("typeof({name}) || ' ' || hex({name})"),
        // HEX takes a number for an integer of 64 bits.
        (_, Wire::Decimal(_)) => format!("HEX(CAST({name} AS CHAR))"),
        _ => format!("HEX({name})"),
    }
}

/// Adds the tests of every backend that has more than one driver.
pub(crate) fn add_tests(suite: &mut Suite, drivers: &[(Backend, Connect)]) {
    for backend in Backend::ALL {
        let drivers: Vec<Connect> = drivers
            .iter()
            .filter(|(of, _)| *of == backend)
            .map(|(_, connect)| *connect)
            .collect();
        if drivers.len() < 2 {
            continue;
        }
        for storage in Storage::ALL {
            if storage == Storage::NativeUuid && backend != Backend::MariaDb {
                continue;
            }
            let storage_name = storage.name().replace('-', "_");
            let name = format!("every-driver::same_rows_of_{storage_name}");
            let drivers = drivers.clone();
            suite.test_on(backend, &name, move |database| {
                on_database(database, &drivers, storage)
            });
        }
    }
}

fn on_database(database: &TestDatabase, drivers: &[Connect], storage: Storage) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut participants = Vec::new();
        for connect in drivers {
            participants.push(connect(database.url(), database.backend()).await?);
        }
        same_rows_of(&mut participants, storage).await
    })
}

/// Whoever writes rows, the columns hold the same, and every driver reads and finds them.
async fn same_rows_of(drivers: &mut [Box<dyn Participant>], storage: Storage) -> Result<()> {
    let mut shared = 0;
    // The first one stores every column.
    for column in drivers[0].columns() {
        if column.storage() != storage {
            continue;
        }
        let mut taking_part: Vec<&mut Box<dyn Participant>> = drivers
            .iter_mut()
            .filter(|driver| driver.columns().contains(&column))
            .collect();
        shared += usize::from(taking_part.len() > 1);
        same_rows(&mut taking_part, column)
            .await
            .with_context(|| format!("{column:?}"))?;
    }
    ensure!(shared > 0, "no two drivers store keys as {storage}");
    Ok(())
}

async fn same_rows(drivers: &mut [&mut Box<dyn Participant>], column: Column) -> Result<()> {
    let ids = awkward(column);
    // Every other row has a parent.
    let records: Vec<Record> = Record::numbered(ids.iter().copied())
        .into_iter()
        .zip(ids.iter().rev())
        .map(|(record, parent)| match record.n % 2 {
            0 => record,
            _ => record.with_parent(*parent),
        })
        .collect();
    drivers[0].create(column).await?;
    drivers[0].insert_literals(column, &records).await?;
    let expected = drivers[0].show(column).await?;
    ensure!(expected.len() == records.len());

    for writer in 0..drivers.len() {
        drivers[0].clear(column).await?;
        let name = drivers[writer].name();
        drivers[writer]
            .insert(column, &records)
            .await
            .context(name)?;
        let stored = drivers[0].show(column).await?;
        for ((stored, expected), id) in stored.iter().zip(&expected).zip(&ids) {
            ensure!(
                stored == expected,
                "{name} stores {id:x} as {stored} instead of {expected}"
            );
        }
        ensure!(stored.len() == records.len());
        for reader in &mut *drivers {
            let what = format!("{} reads what {name} wrote", reader.name());
            let found = reader.read(column).await.context(what.clone())?;
            ensure!(
                found == records,
                "{what}: {found:x?} instead of {records:x?}"
            );
            let found = reader.find(column, &ids).await.context(what.clone())?;
            ensure!(found == records, "{what}, by keys: {found:x?}");
        }
    }
    Ok(())
}

/// Ids that a driver may write in another way than others: the smallest and the largest, short
/// numbers, and zeros where one could leave them out, beside ordinary ones.
fn awkward(column: Column) -> Vec<u128> {
    let format = column.format();
    let mut ids = extremes(format)
        .map(|id| id.min(column.max_value()))
        .to_vec();
    for sample in &samples(format)[..3] {
        let without_tail = |bits: u32| sample >> bits << bits;
        ids.extend([0, 4, 8, 32, 56, 60, 96].map(without_tail));
        // The digits of PostgreSQL's numbers are groups of four.
        let without_digits = |digits: u32| sample - sample % 10_u128.pow(digits);
        ids.extend([1, 4, 7, 8, 24].map(without_digits));
    }
    // Of one digit and more, up to more than SQLite or a `Decimal` of 96 bits has as a number.
    for digits in [1, 3, 4, 5, 8, 15, 16, 18, 19, 20, 26, 27] {
        let power = 10_u128.pow(digits);
        ids.extend([power - 1, power, power + 1]);
    }
    ids.retain(|id| format.admits(*id) && *id <= column.max_value());
    ids.sort_unstable();
    ids.dedup();
    ids
}
