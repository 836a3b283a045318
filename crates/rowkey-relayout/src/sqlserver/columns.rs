//! What a column has besides its values.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Dependent};
use rowkey_tables::text_literal::text_literal;

use super::names::{alone, quoted};
use crate::work::{ChangedColumn, ChangedTable};

/// The privileges that a column can have of its own.
const PRIVILEGES: [&str; 3] = ["REFERENCES", "SELECT", "UPDATE"];

/// A column's type as it is declared, with its collation: without one, a new declaration would give
/// it the database's. Nothing for a type of the database's own.
pub(super) fn declared_type(column: &Column) -> Option<String> {
    let is_plain = |text: &str, others: &str| {
        let is_part =
            |character: char| character.is_ascii_alphanumeric() || others.contains(character);
        !text.is_empty() && text.chars().all(is_part)
    };
    if !is_plain(&column.sql_type, "(),") {
        return None;
    }
    match &column.collation {
        None => Some(column.sql_type.clone()),
        Some(collation) if is_plain(collation, "_") => {
            Some(format!("{} COLLATE {collation}", column.sql_type))
        }
        Some(_) => None,
    }
}

/// The same, or a refusal.
pub(super) fn require_type(column: &Column) -> Result<String, Error> {
    declared_type(column).ok_or_else(|| {
        Error::refused(
            &column.name,
            format!("its type {} is the database's own", column.sql_type),
            "give it the type that it stands for",
        )
    })
}

/// Gives a new column the comment of the old one.
pub(super) fn comment(table: &ChangedTable, column: &ChangedColumn) -> Result<Vec<String>, Error> {
    let Some(comment) = &column.column.comment else {
        return Ok(Vec::new());
    };
    let schema = match &table.name().schema {
        Some(schema) => text_literal(Backend::SqlServer, schema),
        None => "SCHEMA_NAME()".into(),
    };
    // An argument of a procedure cannot be an expression.
    let add = format!(
        "DECLARE @schema sysname = {schema}; EXEC sys.sp_addextendedproperty \
         @name = N'MS_Description', @value = {}, @level0type = N'SCHEMA', @level0name = @schema, \
         @level1type = N'TABLE', @level1name = {}, @level2type = N'COLUMN', @level2name = {}",
        text_literal(Backend::SqlServer, comment),
        text_literal(Backend::SqlServer, &table.name().name),
        text_literal(Backend::SqlServer, &column.shadow_name())
    );
    Ok(vec![alone(&add)])
}

/// The verb, the privilege and the option of a privilege of the catalogue.
pub(super) fn parts(privilege: &Dependent) -> Option<(&'static str, &'static str, &'static str)> {
    let (state, kind) = privilege.definition.split_once(' ')?;
    let kind = PRIVILEGES.into_iter().find(|known| *known == kind)?;
    match state {
        "GRANT" => Some(("GRANT", kind, "")),
        "GRANT_WITH_GRANT_OPTION" => Some(("GRANT", kind, " WITH GRANT OPTION")),
        "DENY" => Some(("DENY", kind, "")),
        _ => None,
    }
}

/// Gives a new column the privileges of the old one.
pub(super) fn privileges(
    table: &ChangedTable,
    column: &ChangedColumn,
) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    let shadow = quoted(&column.shadow_name())?;
    let mut statements = Vec::new();
    for privilege in table.table.privileges(&column.column.name) {
        let Some((verb, kind, option)) = parts(privilege) else {
            continue;
        };
        let grantee = quoted(&privilege.name)?;
        statements.push(format!(
            "{verb} {kind} ({shadow}) ON {name} TO {grantee}{option}"
        ));
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(sql_type: &str, collation: Option<&str>) -> Column {
        Column {
            collation: collation.map(str::to_owned),
            ..Column::of_type(sql_type)
        }
    }

    #[test]
    fn a_type_keeps_its_collation() {
        for (sql_type, collation, expected) in [
            ("uniqueidentifier", None, Some("uniqueidentifier")),
            ("decimal(28,0)", None, Some("decimal(28,0)")),
            (
                "char(36)",
                Some("Latin1_General_100_BIN2"),
                Some("char(36) COLLATE Latin1_General_100_BIN2"),
            ),
            ("dbo.OfferId", None, None),
            ("char(36)", Some("Latin1; DROP TABLE x"), None),
        ] {
            let found = declared_type(&column(sql_type, collation));
            assert_eq!(found.as_deref(), expected);
        }
    }
}
