//! What depends on the tables of SQL Server.

use super::of_table::{name_of, of_table};
use crate::catalog::{Catalog, Dependent, DependentKind, TriggerEvent};
use crate::connection::{Connection, Value};
use crate::error::Error;

/// A query for dependents of one kind, with the catalogue view that not every version has.
struct Part {
    kind: DependentKind,
    view: &'static str,
    /// The schema and the name of the table, the name of the dependent, its definition, and a
    /// column of the table that it uses, in one row each; of triggers also what they run for.
    query: &'static str,
}

const PARTS: [Part; 11] = [
    Part {
        kind: DependentKind::Trigger,
        view: "sys.triggers",
        query: of_table!(
            "r.name, OBJECT_DEFINITION(r.object_id), NULL, CASE WHEN r.is_disabled = 1 THEN '' ELSE \
             CASE OBJECTPROPERTY(r.object_id, 'ExecIsInsertTrigger') WHEN 1 THEN 'INSERT ' ELSE '' END + \
             CASE OBJECTPROPERTY(r.object_id, 'ExecIsUpdateTrigger') WHEN 1 THEN 'UPDATE ' ELSE '' END + \
             CASE OBJECTPROPERTY(r.object_id, 'ExecIsDeleteTrigger') WHEN 1 THEN 'DELETE' ELSE '' END END \
             FROM sys.tables t JOIN sys.triggers r ON r.parent_id = t.object_id \
             WHERE r.parent_class = 1 ORDER BY 1, 2, 3"
        ),
    },
    Part {
        kind: DependentKind::Check,
        view: "sys.check_constraints",
        query: of_table!(
            "k.name, k.definition, c.name FROM sys.tables t \
             JOIN sys.check_constraints k ON k.parent_object_id = t.object_id \
             LEFT JOIN sys.sql_expression_dependencies d ON d.referencing_id = k.object_id \
             AND d.referenced_id = t.object_id \
             LEFT JOIN sys.columns c ON c.object_id = t.object_id AND c.column_id = \
             CASE WHEN d.referenced_minor_id > 0 THEN d.referenced_minor_id \
             ELSE k.parent_column_id END ORDER BY 1, 2, 3, c.column_id"
        ),
    },
    Part {
        kind: DependentKind::GeneratedColumn,
        view: "sys.computed_columns",
        query: of_table!(
            "k.name, k.definition, c.name FROM sys.tables t \
             JOIN sys.computed_columns k ON k.object_id = t.object_id \
             LEFT JOIN sys.sql_expression_dependencies d ON d.referencing_id = k.object_id \
             AND d.referencing_minor_id = k.column_id AND d.referenced_id = t.object_id \
             LEFT JOIN sys.columns c ON c.object_id = t.object_id \
             AND c.column_id = d.referenced_minor_id ORDER BY 1, 2, 3, c.column_id"
        ),
    },
    Part {
        kind: DependentKind::View,
        view: "sys.views",
        query: of_table!(
            "SCHEMA_NAME(v.schema_id) + '.' + v.name, OBJECT_DEFINITION(v.object_id), NULL \
             FROM sys.tables t JOIN sys.sql_expression_dependencies d ON d.referenced_id = t.object_id \
             JOIN sys.views v ON v.object_id = d.referencing_id ORDER BY 1, 2, 3"
        ),
    },
    Part {
        kind: DependentKind::Routine,
        view: "sys.procedures",
        query: of_table!(
            "SCHEMA_NAME(o.schema_id) + '.' + o.name, OBJECT_DEFINITION(o.object_id), NULL \
             FROM sys.tables t JOIN sys.sql_expression_dependencies d ON d.referenced_id = t.object_id \
             JOIN sys.objects o ON o.object_id = d.referencing_id \
             WHERE o.type IN ('P', 'FN', 'IF', 'TF') ORDER BY 1, 2, 3"
        ),
    },
    Part {
        kind: DependentKind::Privilege,
        view: "sys.database_permissions",
        query: of_table!(
            "USER_NAME(g.grantee_principal_id), g.state_desc + ' ' + g.permission_name, c.name \
             FROM sys.tables t JOIN sys.database_permissions g ON g.major_id = t.object_id \
             LEFT JOIN sys.columns c ON c.object_id = t.object_id AND c.column_id = g.minor_id \
             WHERE g.class = 1 ORDER BY 1, 2, 3, 4, c.column_id"
        ),
    },
    // Those that the database makes for itself, it also drops.
    Part {
        kind: DependentKind::Statistics,
        view: "sys.stats_columns",
        query: of_table!(
            "s.name, NULL, c.name FROM sys.tables t \
             JOIN sys.stats s ON s.object_id = t.object_id AND s.user_created = 1 \
             JOIN sys.stats_columns sc ON sc.object_id = s.object_id AND sc.stats_id = s.stats_id \
             JOIN sys.columns c ON c.object_id = t.object_id AND c.column_id = sc.column_id \
             ORDER BY 1, 2, 3, sc.stats_column_id"
        ),
    },
    Part {
        kind: DependentKind::Policy,
        view: "sys.security_predicates",
        query: of_table!(
            "p.name, r.predicate_definition, NULL FROM sys.tables t \
             JOIN sys.security_predicates r ON r.target_object_id = t.object_id \
             JOIN sys.security_policies p ON p.object_id = r.object_id ORDER BY 1, 2, 3"
        ),
    },
    Part {
        kind: DependentKind::Partition,
        view: "sys.partition_schemes",
        query: of_table!(
            "p.name, NULL, c.name FROM sys.tables t \
             JOIN sys.indexes i ON i.object_id = t.object_id \
             JOIN sys.partition_schemes p ON p.data_space_id = i.data_space_id \
             LEFT JOIN sys.index_columns ic ON ic.object_id = i.object_id \
             AND ic.index_id = i.index_id AND ic.partition_ordinal > 0 \
             LEFT JOIN sys.columns c ON c.object_id = t.object_id AND c.column_id = ic.column_id \
             ORDER BY 1, 2, 3, c.column_id"
        ),
    },
    Part {
        kind: DependentKind::Publication,
        view: "sys.change_tracking_tables",
        query: of_table!(
            "'change tracking', NULL, NULL FROM sys.tables t \
             JOIN sys.change_tracking_tables x ON x.object_id = t.object_id ORDER BY 1, 2"
        ),
    },
    Part {
        kind: DependentKind::Publication,
        view: "sys.tables",
        query: of_table!(
            "CASE WHEN t.is_tracked_by_cdc = 1 THEN 'change data capture' ELSE 'replication' END, \
             NULL, NULL FROM sys.tables t WHERE t.is_tracked_by_cdc = 1 OR t.is_published = 1 \
             OR t.is_merge_published = 1 OR t.is_replicated = 1 ORDER BY 1, 2"
        ),
    },
];

/// Adds the dependents to the tables.
pub(super) async fn add(connection: &mut Connection, catalog: &mut Catalog) -> Result<(), Error> {
    for part in PARTS {
        let doing = format!("each {} of the database", part.kind.name());
        let query = "SELECT CASE WHEN OBJECT_ID(@P1) IS NULL THEN 0 ELSE 1 END";
        let view = [Value::from(part.view)];
        if !connection.is(&doing, query, &view).await? {
            let kind = part.kind.name();
            let unseen = format!("each {kind}: this version has no {}", part.view);
            catalog.unseen.push(unseen);
            continue;
        }
        for row in connection.query(&doing, part.query, &[]).await? {
            let name = name_of(&row, 0)?;
            let Some(table) = catalog.tables.iter_mut().find(|table| table.name == name) else {
                continue;
            };
            let dependent = Dependent {
                kind: part.kind,
                name: row.text(2)?.into(),
                columns: Vec::new(),
                // Those of encrypted programs are not shown.
                definition: row.optional_text(3)?.unwrap_or_default().into(),
                events: match part.kind {
                    DependentKind::Trigger => TriggerEvent::of_words(row.text(5)?),
                    _ => Vec::new(),
                },
            };
            let column = row.optional_text(4)?.map(str::to_owned);
            push(&mut table.dependents, dependent, column);
        }
    }
    Ok(())
}

/// Adds a dependent, or a further column of the last one.
fn push(dependents: &mut Vec<Dependent>, dependent: Dependent, column: Option<String>) {
    let is_same = |last: &&mut Dependent| {
        (last.kind, &last.name, &last.definition)
            == (dependent.kind, &dependent.name, &dependent.definition)
    };
    match dependents.last_mut().filter(is_same) {
        // A privilege on the whole table is not one on a column.
        Some(last) if !last.columns.is_empty() || column.is_none() => {
            last.columns
                .extend(column.filter(|name| !last.columns.contains(name)));
        }
        _ => dependents.push(Dependent {
            columns: column.into_iter().collect(),
            ..dependent
        }),
    }
}
