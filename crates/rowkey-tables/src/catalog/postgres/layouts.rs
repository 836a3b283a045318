//! What the values of users' types consist of.

use std::collections::BTreeMap;

use crate::connection::{Connection, Value};
use crate::error::Error;
use crate::types::layout::{FIRST_USER_TYPE, Layout};

/// The types that others consist of, down to those of PostgreSQL itself: each with its kind, its
/// parts with the number and the words of their types, and the words of an enum. Types of
/// extensions may be in another schema there, so that their words have none.
const TYPES: &str = "
WITH RECURSIVE used (oid) AS (
  SELECT unnest($1::text::oid[])
  UNION
  SELECT p.type FROM used u JOIN pg_type t ON t.oid = u.oid CROSS JOIN LATERAL (
    SELECT t.typelem UNION ALL SELECT t.typbasetype
    UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
    UNION ALL SELECT f.atttypid FROM pg_attribute f
      WHERE f.attrelid = t.typrelid AND t.typtype = 'c' AND f.attnum > 0 AND NOT f.attisdropped
  ) AS p (type) WHERE p.type >= $2::text::oid
)
SELECT t.oid::bigint,
  CASE WHEN EXISTS (SELECT FROM pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid) THEN 'a'
    ELSE t.typtype::text END,
  COALESCE(json_agg(json_build_array(p.name, p.type::bigint,
      CASE WHEN p.type < $2::text::oid THEN format_type(p.type, p.modifier)
        ELSE n.typname || COALESCE('(' || NULLIF(p.modifier, -1) || ')', '') END)
    ORDER BY p.place) FILTER (WHERE p.name IS NOT NULL), '[]')::text,
  COALESCE((SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_enum e
    WHERE e.enumtypid = t.oid), '[]'),
  t.typname::text
FROM used u JOIN pg_type t ON t.oid = u.oid
LEFT JOIN LATERAL (
  SELECT '', 1, t.typelem, -1 WHERE t.typelem <> 0 AND t.typtype <> 'd'
  UNION ALL SELECT '', 1, t.typbasetype, t.typtypmod WHERE t.typtype = 'd'
  UNION ALL SELECT '', 1, r.rngsubtype, -1 FROM pg_range r
    WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
  UNION ALL SELECT f.attname::text, f.attnum, f.atttypid, f.atttypmod FROM pg_attribute f
    WHERE f.attrelid = t.typrelid AND t.typtype = 'c' AND f.attnum > 0 AND NOT f.attisdropped
) AS p (name, place, type, modifier) ON true
LEFT JOIN pg_type n ON n.oid = p.type
GROUP BY t.oid, t.typtype, t.typname, t.typelem";

struct Found {
    kind: String,
    name: String,
    parts: Vec<(String, i64, String)>,
    words: Vec<String>,
}

/// The layouts of those of some types that are users', by their numbers.
pub(super) async fn read(
    connection: &mut Connection,
    types: impl Iterator<Item = i64>,
) -> Result<BTreeMap<i64, Layout>, Error> {
    let mut wanted: Vec<i64> = types.filter(|number| *number >= FIRST_USER_TYPE).collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let doing = "the types of the catalogue";
    let numbers: Vec<String> = wanted.iter().map(i64::to_string).collect();
    let values = [
        Value::Text(format!("{{{}}}", numbers.join(","))),
        Value::Text(FIRST_USER_TYPE.to_string()),
    ];
    let list = |text: &str| serde_json::from_str(text).map_err(Error::database(doing));
    let mut found = BTreeMap::new();
    for row in connection.query(doing, TYPES, &values).await? {
        let parts = serde_json::from_str(row.text(2)?).map_err(Error::database(doing))?;
        let one = Found {
            kind: row.text(1)?.to_owned(),
            name: row.text(4)?.to_owned(),
            parts,
            words: list(row.text(3)?)?,
        };
        found.insert(row.integer(0)?, one);
    }
    let layouts = wanted.into_iter().filter_map(|number| {
        let found_one = found.get(&number)?;
        Some((number, layout(&found, number, &found_one.name)))
    });
    Ok(layouts.collect())
}

/// The layout of a type. The recursion ends, because no type of PostgreSQL contains itself.
fn layout(found: &BTreeMap<i64, Found>, number: i64, words: &str) -> Layout {
    let Some(one) = found.get(&number) else {
        return Layout::Single(words.to_owned());
    };
    let mut parts = one.parts.iter();
    let mut part = || {
        let (_, number, words) = parts.next()?;
        Some(layout(found, *number, words))
    };
    let single = || Layout::Single(words.to_owned());
    match one.kind.as_str() {
        "e" => Layout::Enum(one.words.clone()),
        "a" => part().map_or_else(single, |part| Layout::Array(Box::new(part))),
        "r" => part().map_or_else(single, |part| Layout::Range(Box::new(part))),
        "m" => part().map_or_else(single, |part| Layout::Multirange(Box::new(part))),
        "d" => part().unwrap_or_else(single),
        "c" => {
            let fields = one.parts.iter();
            let fields =
                fields.map(|(name, number, words)| (name.clone(), layout(found, *number, words)));
            Layout::Composite(fields.collect())
        }
        _ => single(),
    }
}
