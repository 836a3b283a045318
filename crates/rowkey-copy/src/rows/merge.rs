//! Rows that replace those of the target with the same key.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::types::Type;
use rowkey_tables::{Connection, Error};

use crate::engine::engine;
use crate::plans::plan::ExistingRows;
use crate::tables::table_side::TableSide;

/// A temporary table of the target's session, which takes the rows of a transaction before they
/// are merged: writers only insert.
const STAGED: &str = "rowkey_merge";

/// A table whose rows are merged into those of the target.
pub(crate) struct Merge {
    /// The table that rows are written into.
    pub(crate) staged: TableSide,
    create: String,
    /// What is done at the end of a transaction.
    statements: Vec<String>,
    drop: String,
}

impl Merge {
    /// How a table is merged, if the plan says so.
    pub(crate) fn of(side: &TableSide) -> Result<Option<Self>, Error> {
        let target = &engine(side.backend).target;
        let update = target.update_from.filter(|_| side.merges_rows());
        let Some(update) = update else {
            return Ok(None);
        };
        let mut staged = side.clone();
        staged.stand_in = Some(QualifiedName {
            schema: None,
            name: STAGED.into(),
        });
        let (table, temporary, columns) = (side.quoted()?, staged.quoted()?, side.column_list()?);
        let quoted = |name: &str| quote_identifier(side.backend, name);
        let key = side.primary_key.iter().map(|place| {
            let name = quoted(&side.columns[*place].name)?;
            Ok(format!("old.{name} = new.{name}"))
        });
        let key: Vec<String> = key.collect::<Result<_, Error>>()?;
        let same_key = key.join(" AND ");
        let places = 0..side.columns.len();
        // Text in the key is updated too: a collation may take other letters for the same key.
        let others = places.filter(|place| {
            let own = side.columns[*place].own;
            let is_text = matches!(own, Type::Text(_) | Type::PaddedText(_));
            is_text || !side.primary_key.contains(place)
        });
        let others = others.map(|place| quoted(&side.columns[place].name));
        let others: Vec<String> = others.collect::<Result<_, _>>()?;
        // Not those of tables that inherit from it.
        let rows = side.rows()?;
        let update = (!others.is_empty()).then(|| update(&rows, &temporary, &others, &same_key));
        let word = target.temporary;
        // Rows that are there may refer to new ones.
        let mut statements = vec![format!(
            "INSERT INTO {table} ({columns}) {}SELECT {columns} FROM {temporary} AS new \
             WHERE NOT EXISTS (SELECT 1 FROM {rows} AS old WHERE {same_key})",
            target.own_numbers
        )];
        statements.extend(update);
        statements.push(format!("DELETE FROM {temporary}"));
        Ok(Some(Self {
            create: format!(
                "CREATE {word}TABLE {temporary} AS SELECT {columns} FROM {table} WHERE 1 = 0"
            ),
            statements,
            drop: format!("DROP {}TABLE {temporary}", target.temporary_dropped),
            staged,
        }))
    }

    /// Makes the temporary table.
    pub(crate) async fn begin(&self, target: &mut Connection) -> Result<(), Error> {
        target.execute(&self.doing(), &self.create).await?;
        Ok(())
    }

    /// Merges the rows that are written, within the transaction.
    pub(crate) async fn apply(&self, target: &mut Connection) -> Result<(), Error> {
        for statement in &self.statements {
            target.execute(&self.doing(), statement).await?;
        }
        Ok(())
    }

    pub(crate) async fn end(&self, target: &mut Connection) -> Result<(), Error> {
        target.execute(&self.doing(), &self.drop).await?;
        Ok(())
    }

    fn doing(&self) -> String {
        format!("merging the rows of {}", self.staged.name)
    }
}

impl TableSide {
    /// Whether rows replace those of the target with the same key.
    pub(crate) fn merges_rows(&self) -> bool {
        self.existing_rows == Some(ExistingRows::Merge)
    }
}
