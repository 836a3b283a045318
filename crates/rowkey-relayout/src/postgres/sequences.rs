//! Sequences that belong to a column, which the server drops with it.

use rowkey_core::Backend;
use rowkey_tables::{Error, Value};

use crate::refusals::{Refusals, What};
use crate::runner::Runner;
use crate::work::ChangedTable;

/// The sequences of the column `$2` of the table `$1`: whether each is an identity's, whether it is
/// that of the column's default, and what else uses it.
const SEQUENCES: &str = "
SELECT s.oid::regclass::text, o.deptype = 'i', u.by_owner, u.by_others
FROM pg_attribute a
JOIN pg_depend o ON o.refclassid = 'pg_class'::regclass AND o.refobjid = a.attrelid
  AND o.refobjsubid = a.attnum AND o.classid = 'pg_class'::regclass AND o.deptype IN ('a', 'i')
JOIN pg_class s ON s.oid = o.objid AND s.relkind = 'S'
LEFT JOIN pg_attrdef v ON v.adrelid = a.attrelid AND v.adnum = a.attnum
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE is_owner) > 0 AS by_owner,
    string_agg(DISTINCT pg_describe_object(classid, objid, objsubid), ', ')
      FILTER (WHERE NOT is_owner) AS by_others
  FROM (SELECT d.*, d.classid = 'pg_attrdef'::regclass AND d.objid IS NOT DISTINCT FROM v.oid AS is_owner
    FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid
      AND d.deptype = 'n') AS one
) AS u
WHERE a.attrelid = to_regclass($1) AND a.attname = $2 AND NOT a.attisdropped ORDER BY 1";

/// Refuses to drop a sequence that counts anything but the column.
pub(super) async fn refuse(
    runner: &mut Runner<'_>,
    (table, column): (&ChangedTable, &str),
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let what = What::column(table.name(), column);
    let doing = format!("the sequences of {what}");
    let name = Value::Text(table.name().quoted(Backend::Postgres)?);
    for row in runner
        .query(&doing, SEQUENCES, &[name, column.into()])
        .await?
    {
        let (sequence, is_identity) = (row.text(0)?, row.is(1)?);
        let why = match row.optional_text(3)? {
            Some(others) => {
                format!("--contract would drop its sequence {sequence}, and {others} uses that")
            }
            None if is_identity || row.is(2)? => continue,
            None => format!(
                "--contract would drop the sequence {sequence} with it, which its default does not use"
            ),
        };
        let instead = match is_identity {
            true => "let that use another sequence".to_owned(),
            false => format!("run ALTER SEQUENCE {sequence} OWNED BY NONE"),
        };
        refusals.add(what.clone(), why, instead);
    }
    Ok(())
}
