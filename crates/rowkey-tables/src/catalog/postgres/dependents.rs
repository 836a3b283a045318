//! What depends on the tables of PostgreSQL.

use super::row_types::postgres_row_types;
use super::rows::{Numbered, names};
use crate::catalog::{Dependent, DependentKind, TriggerEvent};
use crate::connection::{Connection, Value};
use crate::error::Error;

/// Each query gives the number of the table, the name, a list of columns as JSON, and the
/// definition; that of triggers also what they run for.
const QUERIES: [(DependentKind, &str); 15] = [
    (DependentKind::View, VIEWS),
    (DependentKind::Rule, RULES),
    (DependentKind::Trigger, TRIGGERS),
    (DependentKind::Routine, ROUTINES),
    (DependentKind::Policy, POLICIES),
    (DependentKind::Publication, PUBLICATIONS),
    (DependentKind::Partition, PARTITIONS),
    (DependentKind::Inheritance, INHERITANCE),
    (DependentKind::Check, CHECKS),
    (DependentKind::Domain, DOMAINS),
    (DependentKind::GeneratedColumn, GENERATED_COLUMNS),
    (DependentKind::ReplicaIdentity, REPLICA_IDENTITIES),
    (DependentKind::Statistics, STATISTICS),
    (DependentKind::Sequence, SEQUENCES),
    (DependentKind::Privilege, PRIVILEGES),
];

const VIEWS: &str = "
SELECT d.refobjid::bigint, format('%I.%I', n.nspname, v.relname),
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  pg_get_viewdef(v.oid)
FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
JOIN pg_class v ON v.oid = r.ev_class JOIN pg_namespace n ON n.oid = v.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
  AND d.refobjid = ANY ($1::text::oid[]) AND v.relkind IN ('v', 'm') AND v.oid <> d.refobjid
GROUP BY d.refobjid, n.nspname, v.relname, v.oid ORDER BY 1, 2";

const RULES: &str = "
SELECT d.refobjid::bigint, format('%I on %I.%I', r.rulename, n.nspname, v.relname),
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  pg_get_ruledef(r.oid)
FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
JOIN pg_class v ON v.oid = r.ev_class JOIN pg_namespace n ON n.oid = v.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
  AND d.refobjid = ANY ($1::text::oid[]) AND v.relkind IN ('r', 'p')
GROUP BY d.refobjid, r.oid, r.rulename, n.nspname, v.relname ORDER BY 1, 2";

const TRIGGERS: &str = "
SELECT t.tgrelid::bigint, t.tgname::text,
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  pg_get_triggerdef(t.oid), CASE WHEN t.tgenabled IN ('O', 'A') THEN concat_ws(' ',
    CASE WHEN t.tgtype & 4 > 0 THEN 'INSERT' END, CASE WHEN t.tgtype & 8 > 0 THEN 'DELETE' END,
    CASE WHEN t.tgtype & 16 > 0 THEN 'UPDATE' END, CASE WHEN t.tgtype & 32 > 0 THEN 'TRUNCATE' END)
  ELSE '' END
FROM pg_trigger t
LEFT JOIN pg_depend d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid
  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.tgrelid
LEFT JOIN pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE t.tgrelid = ANY ($1::text::oid[]) AND NOT t.tgisinternal
GROUP BY t.tgrelid, t.oid, t.tgname ORDER BY 1, 2";

/// Routines that use a column, or take or return rows, as far as the database knows, and routines
/// whose body names a table: the database does not look into bodies.
const ROUTINES: &str = "
SELECT c.oid::bigint, p.oid::regprocedure::text,
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text, ''
FROM pg_class c
CROSS JOIN pg_proc p JOIN pg_language l ON l.oid = p.prolang
LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE c.oid = ANY ($1::text::oid[]) AND l.lanname NOT IN ('internal', 'c')
  AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
  AND p.proname NOT LIKE 'rowkey\\_%'
  AND NOT EXISTS (SELECT FROM pg_depend e
    WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
  AND (d.objid IS NOT NULL
    OR EXISTS (SELECT FROM pg_depend r JOIN rows ON rows.type = r.refobjid
      WHERE rows.relation = c.oid AND r.refclassid = 'pg_type'::regclass
        AND r.classid = 'pg_proc'::regclass AND r.objid = p.oid)
    OR p.prosrc ~* ('\\m' || regexp_replace(c.relname, '([^[:alnum:]_])', '\\\\\\1', 'g') || '\\M'))
GROUP BY c.oid, p.oid ORDER BY 1, 2";

const POLICIES: &str = "
SELECT d.refobjid::bigint, format('%I on %I.%I', p.polname, n.nspname, c.relname),
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
FROM pg_depend d JOIN pg_policy p ON p.oid = d.objid
JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE d.classid = 'pg_policy'::regclass AND d.refclassid = 'pg_class'::regclass
  AND d.refobjid = ANY ($1::text::oid[])
GROUP BY d.refobjid, p.oid, p.polname, n.nspname, c.relname, p.polrelid ORDER BY 1, 2";

/// Not from `pg_publication_tables`: that asks each publication of the database for its tables, and
/// fails when anyone drops one meanwhile. The dependencies say which of them matter here.
const PUBLICATIONS: &str = "
WITH RECURSIVE tables (oid) AS (
  SELECT unnest($1::text::oid[])
  UNION SELECT i.inhparent FROM pg_inherits i JOIN tables t ON t.oid = i.inhrelid
), published AS MATERIALIZED (
  SELECT p.pubname FROM pg_publication p WHERE p.puballtables OR EXISTS (
    SELECT FROM pg_depend mine JOIN pg_depend its
      ON mine.classid = its.classid AND mine.objid = its.objid
    WHERE mine.refclassid = 'pg_publication'::regclass AND mine.refobjid = p.oid
      AND (its.refclassid = 'pg_class'::regclass AND its.refobjid IN (SELECT oid FROM tables)
        OR its.refclassid = 'pg_namespace'::regclass AND its.refobjid IN (
          SELECT c.relnamespace FROM pg_class c JOIN tables t ON t.oid = c.oid)))
)
SELECT g.relid::bigint, p.pubname::text, '[]', COALESCE((
  SELECT jsonb_agg(a.attname ORDER BY a.attnum)::text FROM pg_attribute a
  WHERE a.attrelid = g.relid AND a.attnum > 0 AND NOT a.attisdropped
    AND CASE to_jsonb(g)->'attrs' WHEN 'null' THEN TRUE
      ELSE to_jsonb(g)->'attrs' @> to_jsonb(a.attnum) END), '')
FROM published p, LATERAL pg_get_publication_tables(p.pubname::text) g
WHERE g.relid = ANY ($1::text::oid[]) ORDER BY 1, 2";

const PARTITIONS: &str = "
SELECT c.oid::bigint,
  COALESCE('partition of ' || i.inhparent::regclass::text, 'partitioned'), '[]',
  COALESCE(pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid), '')
FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
WHERE c.oid = ANY ($1::text::oid[]) AND (c.relkind = 'p' OR c.relispartition) ORDER BY 1, 2";

const INHERITANCE: &str = "
SELECT c.oid::bigint, CASE c.oid WHEN i.inhparent THEN 'inherited by ' || i.inhrelid::regclass::text
  ELSE 'inherits ' || i.inhparent::regclass::text END, '[]', ''
FROM pg_inherits i JOIN pg_class c ON c.oid IN (i.inhparent, i.inhrelid)
JOIN pg_class child ON child.oid = i.inhrelid
WHERE c.oid = ANY ($1::text::oid[]) AND NOT child.relispartition ORDER BY 1, 2";

/// Without the NOT NULL constraints that are valid: their columns have them already.
const CHECKS: &str = "
SELECT k.conrelid::bigint, k.conname::text,
  COALESCE(json_agg(a.attname ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  pg_get_constraintdef(k.oid)
FROM pg_constraint k
LEFT JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
WHERE k.conrelid = ANY ($1::text::oid[]) AND (k.contype IN ('c', 'x')
  OR k.contype = 'n' AND NOT k.convalidated)
GROUP BY k.oid, k.conrelid, k.conname ORDER BY 1, 2";

/// The domains of columns, and those that they are over: with what each of them says beyond its
/// type.
const DOMAINS: &str = "
WITH RECURSIVE used (attrelid, attname, attnum, type) AS (
  SELECT a.attrelid, a.attname, a.attnum, a.atttypid FROM pg_attribute a
  WHERE a.attrelid = ANY ($1::text::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT u.attrelid, u.attname, u.attnum, t.typbasetype
  FROM used u JOIN pg_type t ON t.oid = u.type AND t.typtype = 'd'
)
SELECT u.attrelid::bigint, format_type(u.type, NULL), json_agg(u.attname ORDER BY u.attnum)::text,
  concat_ws(' ', 'DEFAULT ' || t.typdefault, CASE WHEN t.typnotnull THEN 'NOT NULL' END,
    (SELECT string_agg(pg_get_constraintdef(k.oid), ' ' ORDER BY k.conname)
      FROM pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'))
FROM used u JOIN pg_type t ON t.oid = u.type AND t.typtype = 'd'
GROUP BY u.attrelid, u.type, t.oid, t.typdefault, t.typnotnull ORDER BY 1, 2";

const GENERATED_COLUMNS: &str = "
SELECT g.attrelid::bigint, g.attname::text,
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  pg_get_expr(e.adbin, e.adrelid)
FROM pg_attribute g JOIN pg_attrdef e ON e.adrelid = g.attrelid AND e.adnum = g.attnum
LEFT JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = g.attrelid
  AND (d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid
    OR d.classid = 'pg_class'::regclass AND d.objid = g.attrelid AND d.objsubid = g.attnum)
LEFT JOIN pg_attribute a ON a.attrelid = g.attrelid AND a.attnum = d.refobjsubid
  AND a.attnum > 0 AND a.attnum <> g.attnum
WHERE g.attrelid = ANY ($1::text::oid[]) AND g.attgenerated <> '' AND NOT g.attisdropped
GROUP BY g.attrelid, g.attname, e.adbin, e.adrelid ORDER BY 1, 2";

const REPLICA_IDENTITIES: &str = "
SELECT c.oid::bigint,
  CASE c.relreplident WHEN 'f' THEN 'full' WHEN 'n' THEN 'nothing'
    ELSE COALESCE(x.relname::text, 'nothing') END,
  COALESCE(json_agg(a.attname ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  ''
FROM pg_class c
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisreplident AND c.relreplident = 'i'
LEFT JOIN pg_class x ON x.oid = i.indexrelid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey::int2[])
WHERE c.oid = ANY ($1::text::oid[]) AND c.relreplident <> 'd'
GROUP BY c.oid, c.relreplident, x.relname ORDER BY 1, 2";

const STATISTICS: &str = "
SELECT s.stxrelid::bigint, s.stxname::text,
  COALESCE(json_agg(DISTINCT a.attname) FILTER (WHERE a.attname IS NOT NULL), '[]')::text,
  pg_get_statisticsobjdef(s.oid)
FROM pg_statistic_ext s
LEFT JOIN pg_depend d ON d.classid = 'pg_statistic_ext'::regclass AND d.objid = s.oid
  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = s.stxrelid
LEFT JOIN pg_attribute a ON a.attrelid = s.stxrelid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE s.stxrelid = ANY ($1::text::oid[])
GROUP BY s.stxrelid, s.oid, s.stxname ORDER BY 1, 2";

const SEQUENCES: &str = "
SELECT d.refobjid::bigint, format('%I.%I', n.nspname, s.relname), json_build_array(a.attname)::text,
  concat_ws(' ', CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
    WHEN 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY' END,
    'INCREMENT BY ' || NULLIF(q.seqincrement, 1))
FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
JOIN pg_sequence q ON q.seqrelid = s.oid
JOIN pg_namespace n ON n.oid = s.relnamespace
JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
  AND d.deptype IN ('a', 'i') AND d.refobjid = ANY ($1::text::oid[]) ORDER BY 1, 2";

/// The privileges on columns; those on tables do not depend on columns. The name is the role's,
/// empty for everybody.
const PRIVILEGES: &str = "
SELECT a.attrelid::bigint, COALESCE(r.rolname, '')::text, json_build_array(a.attname)::text,
  g.privilege_type || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
FROM pg_attribute a CROSS JOIN LATERAL aclexplode(a.attacl) g
LEFT JOIN pg_roles r ON r.oid = g.grantee
WHERE a.attrelid = ANY ($1::text::oid[]) AND NOT a.attisdropped ORDER BY 1, a.attnum, 2, 4";

pub(super) async fn read(
    connection: &mut Connection,
    numbers: &Value,
    tables: &mut Numbered,
) -> Result<(), Error> {
    let numbers = std::slice::from_ref(numbers);
    let row_types = postgres_row_types("ANY ($1::text::oid[])");
    for (kind, query) in QUERIES {
        let doing = format!("dependent objects: {}", kind.name());
        let query = match kind {
            DependentKind::Routine => format!("{row_types}{query}"),
            _ => query.to_owned(),
        };
        for row in connection.query(&doing, &query, numbers).await? {
            let dependent = Dependent {
                kind,
                name: row.text(1)?.to_owned(),
                columns: names(&row, 2)?,
                definition: row.text(3)?.to_owned(),
                events: match kind {
                    DependentKind::Trigger => TriggerEvent::of_words(row.text(4)?),
                    _ => Vec::new(),
                },
            };
            if let Some(table) = tables.get_mut(&row.integer(0)?) {
                table.dependents.push(dependent);
            }
        }
    }
    Ok(())
}
