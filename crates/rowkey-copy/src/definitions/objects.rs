//! Keys, indexes and references, which a table gets after its rows.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{
    DependentKind, ForeignKey, Index, QualifiedName, ReferenceAttribute, ReferenceAttributes,
    ReferentialAction, Table,
};
use rowkey_tables::connection::{Connection, on_one_line};

use crate::definitions::checks;
use crate::definitions::index_rules::{self, NoRules, Rules};
use crate::engine::{LateKey, engine};
use crate::mapping::names;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{Content, TableSide};

/// Something that a table gets.
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) kind: ObjectKind,
    pub(crate) columns: Vec<String>,
    pub(crate) is_unique: bool,
    /// The table of the target that a reference refers to, and its columns.
    pub(crate) referred: Option<(QualifiedName, Vec<String>)>,
    /// As it is written in a definition of the table.
    pub(crate) definition: String,
    /// The statement that adds it.
    pub(crate) statement: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    PrimaryKey,
    Index,
    Reference,
    Check,
}

impl Object {
    /// What the object is called in reports.
    pub(crate) fn described(&self) -> String {
        match self.kind {
            ObjectKind::PrimaryKey => self.name.clone(),
            ObjectKind::Index => format!("index {}", self.name),
            ObjectKind::Reference => format!("reference {}", self.name),
            ObjectKind::Check => format!("check {}", self.name),
        }
    }

    /// Whether a table has the object: by its name, or under another one, from the server or a
    /// person, if it covers the same. The name of another planned object stands for that one.
    pub(crate) fn is_in(&self, table: &Table, planned: &[&str]) -> bool {
        let Self { name, columns, .. } = self;
        let is_of_another = |found: &String| found != name && planned.contains(&found.as_str());
        match self.kind {
            ObjectKind::PrimaryKey => table.primary_key().is_some(),
            ObjectKind::Index => {
                let indexes = table.indexes.iter().map(|index| {
                    // Where NULL is like NULL, a unique index has a condition, which does not tell
                    // it from another.
                    let is_alike = index.is_plain || index.is_unique;
                    (&index.name, &index.columns, index.is_unique, is_alike)
                });
                let keys = table.keys.iter().filter(|key| !key.is_primary);
                let keys = keys.map(|key| (&key.name, &key.columns, true, true));
                indexes
                    .chain(keys)
                    .any(|(found, covered, is_unique, is_alike)| {
                        found == name
                            || covered == columns
                                && is_unique == self.is_unique
                                && is_alike
                                && !is_of_another(found)
                    })
            }
            ObjectKind::Reference => table.foreign_keys.iter().any(|key| {
                let is_alike = key.columns == *columns
                    && self.referred.as_ref().is_some_and(|(target, columns)| {
                        key.target == *target && key.target_columns == *columns
                    });
                key.name == *name || is_alike && !is_of_another(&key.name)
            }),
            ObjectKind::Check => {
                let mut dependents = table.dependents.iter();
                dependents.any(|one| one.kind == DependentKind::Check && one.name == *name)
            }
        }
    }
}

/// An object, or why there is none.
pub(crate) type PlannedObject = Result<Object, Omission>;

/// Why a table does not get an object.
pub(crate) enum Omission {
    /// Frameworks make many of these, by their names.
    ForLike(String),
    /// As a sentence.
    Other(String),
}

/// What is left out, as sentences.
pub(crate) fn notes(omissions: impl IntoIterator<Item = Omission>) -> Vec<String> {
    let (mut notes, mut for_like) = (Vec::new(), Vec::new());
    for omission in omissions {
        match omission {
            Omission::ForLike(name) => for_like.push(name),
            Omission::Other(note) => notes.push(note),
        }
    }
    let names = for_like.join(", ");
    match for_like.len() {
        0 => {}
        1 => notes.push(format!("1 index for LIKE is left out: {names}")),
        count => notes.push(format!("{count} indexes for LIKE are left out: {names}")),
    }
    notes
}

/// Objects without those that the plan leaves out.
fn without_left_out(
    table: &Table,
    side: &TableSide,
    planned: Vec<PlannedObject>,
) -> Vec<PlannedObject> {
    let is_left_out = |object: &Object| side.leave_out.contains(&object.name);
    let planned = planned.into_iter().map(|planned| match planned {
        Ok(object) if is_left_out(&object) => Err(Omission::Other(format!(
            "{}: the {} is left out, as the plan says",
            table.name,
            object.described()
        ))),
        planned => planned,
    });
    planned.collect()
}

/// What to write in a plan so that a table gets none of some indexes and references.
pub(crate) fn line_to_leave_out(table: &QualifiedName, names: &[String]) -> String {
    let names: toml::Value = names.iter().map(String::as_str).collect::<Vec<_>>().into();
    let table = toml::Value::from(table.to_string());
    format!("write `leave-out = {names}` below `name = {table}` in the plan")
}

/// Quoted names, as a list in SQL.
pub(crate) fn list(backend: Backend, names: &[String]) -> Result<String, Error> {
    let names = names.iter().map(|name| quote_identifier(backend, name));
    let names: Result<Vec<String>, _> = names.collect();
    Ok(names?.join(", "))
}

/// Whether the primary key is added after the rows. Sorting all keys once takes less time than
/// finding a place for each of them.
pub(crate) async fn has_late_key(
    target: &mut Connection,
    table: &PreparedTable<'_>,
) -> Result<bool, Error> {
    let PreparedTable { from, to, .. } = table;
    match engine(to.backend).objects.late_key {
        LateKey::AfterRows => Ok(true),
        LateKey::AfterOtherOrder(query) if !arrive_in_order(from, to) => {
            let doing = "the settings of the target";
            Ok(target.query(doing, query, &[]).await?.is_empty())
        }
        LateKey::AfterOtherOrder(_) | LateKey::WithTable => Ok(false),
    }
}

/// Whether rows in the order of one side's key are in that of the other's.
fn arrive_in_order(from: &TableSide, to: &TableSide) -> bool {
    from.key.iter().all(|place| {
        let content = |side: &TableSide| side.columns.get(*place).map(|column| column.content);
        match (content(from), content(to)) {
            (Some(Content::Ids(from)), Some(Content::Ids(to))) => from.sorts_as(to),
            _ => true,
        }
    })
}

/// The primary key, where it may be added after the rows.
pub(crate) fn late_key(table: &PreparedTable<'_>) -> Result<Option<Object>, Error> {
    let side = &table.to;
    let key = match engine(side.backend).objects.late_key {
        LateKey::AfterRows | LateKey::AfterOtherOrder(_) => table.original.primary_key(),
        LateKey::WithTable => None,
    };
    let Some(key) = key.filter(|key| side.has_all(&key.columns)) else {
        return Ok(None);
    };
    let definition = format!("PRIMARY KEY ({})", list(side.backend, &key.columns)?);
    Ok(Some(Object {
        name: "primary key".into(),
        kind: ObjectKind::PrimaryKey,
        columns: key.columns.clone(),
        is_unique: true,
        referred: None,
        statement: format!("ALTER TABLE {} ADD {definition}", side.quoted()?),
        definition,
    }))
}

/// The unique keys and the indexes of a table.
pub(crate) fn indexes(
    table: &PreparedTable<'_>,
    used: &mut Vec<String>,
) -> Result<Vec<PlannedObject>, Error> {
    let (source, side, table) = (table.from.backend, &table.to, table.original);
    let mut found = Vec::new();
    let keys = table.keys.iter().filter(|key| !key.is_primary);
    let keys = keys.map(|key| (&key.name, &key.columns, true, None));
    let indexes = table.indexes.iter();
    let indexes = indexes.map(|index| (&index.name, &index.columns, index.is_unique, Some(index)));
    for (name, columns, is_unique, index) in keys.chain(indexes) {
        let is_primary = index.is_some_and(|index| is_primary(source, index));
        let rules = match index.filter(|index| !index.is_list()) {
            Some(index) => index_rules::translated(source, table, side, index)?,
            None => index_of_columns(side, columns)?,
        };
        let rules = match rules {
            Ok(rules) => rules,
            Err(NoRules::ForLike) if !is_unique => {
                found.push(Err(Omission::ForLike(name.clone())));
                continue;
            }
            Err(_) => {
                let twice = ", so that the target takes values twice";
                let (what, so) = match (is_primary, is_unique) {
                    (true, _) => ("primary key", twice),
                    (false, true) => ("unique index", twice),
                    (false, false) => ("index", ""),
                };
                let definition = index.map(|index| on_one_line(index.definition_in_full()));
                let definition = definition.filter(|words| !words.is_empty());
                let definition = definition.map_or_else(String::new, |words| format!(": {words}"));
                found.push(Err(Omission::Other(format!(
                    "{}: the {what} {name} is left out, because it is more than a list of copied \
                     columns{so}{definition}",
                    table.name
                ))));
                continue;
            }
        };
        let has_included = |words: &str| words.contains(" INCLUDE (");
        if index.is_some_and(|index| has_included(&index.definition)) && !has_included(&rules.words)
        {
            found.push(Err(Omission::Other(format!(
                "{}: the index {name} is made without the columns of INCLUDE",
                table.name
            ))));
        }
        let name = match is_primary {
            true => name.to_owned(),
            false => free_name(source, side, name, &rules.columns, "key", used),
        };
        let quoted = quote_identifier(side.backend, &name)?;
        let unique = if is_unique { "UNIQUE " } else { "" };
        let statement = match index {
            // Programs name it: ON CONFLICT ON CONSTRAINT.
            None if [source, side.backend] == [Backend::Postgres; 2] => format!(
                "ALTER TABLE {} ADD CONSTRAINT {quoted} UNIQUE {}",
                side.quoted()?,
                rules.words
            ),
            _ if is_primary => format!(
                "ALTER TABLE {} ADD PRIMARY KEY {}",
                side.quoted()?,
                rules.words
            ),
            _ => format!(
                "CREATE {unique}{}INDEX {quoted} ON {} {}{}",
                rules.kind,
                side.quoted()?,
                rules.words,
                unless_null(table, side, &rules.columns, is_unique)?
            ),
        };
        found.push(Ok(Object {
            name,
            kind: ObjectKind::Index,
            columns: rules.columns,
            is_unique,
            referred: None,
            definition: String::new(),
            statement,
        }));
    }
    Ok(without_left_out(table, side, found))
}

/// Whether an index is a primary key of the beginnings of columns, which only MySQL and MariaDB have.
pub(crate) fn is_primary(source: Backend, index: &Index) -> bool {
    index.is_unique && engine(source).objects.primary_name == Some(index.name.as_str())
}

/// An index of whole columns, if they are copied.
fn index_of_columns(side: &TableSide, columns: &[String]) -> Result<Result<Rules, NoRules>, Error> {
    let is_copied = |name: &String| side.columns.iter().any(|column| column.name == *name);
    if columns.is_empty() || !columns.iter().all(is_copied) {
        return Ok(Err(NoRules::NotUnderstood));
    }
    Ok(Ok(Rules {
        kind: "",
        columns: columns.to_vec(),
        words: format!("({})", list(side.backend, columns)?),
    }))
}

/// The condition of a unique index where NULL would be the same as NULL.
fn unless_null(
    table: &Table,
    side: &TableSide,
    columns: &[String],
    is_unique: bool,
) -> Result<String, Error> {
    if !is_unique || engine(side.backend).objects.unique_takes_nulls {
        return Ok(String::new());
    }
    let may_be_null = |name: &&String| table.column(name).is_some_and(|column| column.is_nullable);
    let conditions = columns.iter().filter(may_be_null).map(|name| {
        Ok(format!(
            "{} IS NOT NULL",
            quote_identifier(side.backend, name)?
        ))
    });
    let conditions: Vec<String> = conditions.collect::<Result<_, Error>>()?;
    Ok(match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    })
}

/// The name of an index or a reference in the target, unless another one has it.
pub(crate) fn given_name(
    source: Backend,
    side: &TableSide,
    name: &str,
    columns: &[String],
    what: &str,
) -> String {
    match (engine(source).objects.is_reserved)(name) || name.is_empty() {
        true => format!("{}_{}_{what}", side.name.name, columns.join("_")),
        false => name.to_owned(),
    }
}

/// Whether a plan leaves a key or an index of the source out, but for the primary key.
pub(crate) fn is_left_out(
    source: Backend,
    side: &TableSide,
    name: &str,
    columns: &[String],
) -> bool {
    let name = given_name(source, side, name, columns, "key");
    side.leave_out.contains(&name)
}

/// A name that no other index has. In some databases, two tables have no indexes of the same name.
fn free_name(
    source: Backend,
    side: &TableSide,
    name: &str,
    columns: &[String],
    what: &str,
    used: &mut Vec<String>,
) -> String {
    let own = given_name(source, side, name, columns, what);
    let is_used = |used: &[String], name: &str| used.contains(&names::folded(side.backend, name));
    let mut free = names::shortened(side.backend, &own, "");
    if is_used(used, &free) {
        free = names::shortened(side.backend, &format!("{}_{own}", side.name.name), "");
    }
    let mut number = 2;
    while is_used(used, &free) {
        free = names::shortened(side.backend, &own, &format!("_{number}"));
        number += 1;
    }
    used.push(names::folded(side.backend, &free));
    free
}

/// The names that indexes must not have: where tables and indexes share theirs, those of tables,
/// and those that PostgreSQL gives to primary keys.
pub(crate) fn used_names(tables: &[PreparedTable<'_>]) -> Vec<String> {
    let sides = tables.iter().map(|table| &table.to);
    let used = |side: &TableSide| (engine(side.backend).objects.used_names)(&side.name.name);
    sides.flat_map(used).collect()
}

/// The references of a table to tables of the plan.
pub(crate) fn references(
    table: &PreparedTable<'_>,
    tables: &[&PreparedTable<'_>],
) -> Result<Vec<PlannedObject>, Error> {
    let (source, side, table) = (table.from.backend, &table.to, table.original);
    let had = &engine(source).objects;
    let has = &engine(side.backend).objects;
    let mut used = Vec::new();
    let mut found = Vec::new();
    for key in &table.foreign_keys {
        let mut others = tables.iter();
        let target = others.find(|other| other.original.name == key.target);
        let Some(target) = target.map(|target| &target.to) else {
            found.push(Err(omitted(table, key, "that table is not copied")));
            continue;
        };
        if !side.has_all(&key.columns) || !target.has_all(&key.target_columns) {
            found.push(Err(omitted(
                table,
                key,
                "the plan does not copy its columns",
            )));
            continue;
        }
        if !key.is_enforced() {
            let why = "it is not enforced, so that rows may break it";
            found.push(Err(omitted(table, key, why)));
            continue;
        }
        if key.attributes.has(&ReferenceAttribute::Period) {
            found.push(Err(omitted(table, key, "it refers to spans of time")));
            continue;
        }
        let actions = [key.on_delete, key.on_update];
        if !has.has_set_default && actions.contains(&ReferentialAction::SetDefault) {
            found.push(Err(omitted(table, key, "InnoDB has no SET DEFAULT")));
            continue;
        }
        if actions.contains(&ReferentialAction::Unseen) {
            let why = "the account may not see what it does when a row is deleted";
            found.push(Err(omitted(table, key, why)));
            continue;
        }
        let none = ReferenceAttributes::default();
        let attributes = match had.reference_attributes && has.reference_attributes {
            true => &key.attributes,
            false => &none,
        };
        let others = tables.iter().map(|other| other.original);
        let others = others.filter(|other| other.name != table.name);
        let mut others = others.flat_map(|other| &other.foreign_keys);
        let is_shared = has.references_share_names
            && !key.name.is_empty()
            && others.any(|other| other.name == key.name);
        let name = match is_shared {
            true => format!("{}_{}", side.name.name, key.name),
            false => key.name.clone(),
        };
        let name = free_name(source, side, &name, &key.columns, "fkey", &mut used);
        let definition = clause(side.backend, &name, key, &target.quoted()?, attributes)?;
        found.push(Ok(Object {
            name,
            kind: ObjectKind::Reference,
            columns: key.columns.clone(),
            is_unique: false,
            referred: Some((target.name.clone(), key.target_columns.clone())),
            statement: format!("ALTER TABLE {} ADD {definition}", side.quoted()?),
            definition,
        }));
    }
    Ok(without_left_out(table, side, found))
}

/// A reference as it is written in a definition of its table.
fn clause(
    backend: Backend,
    name: &str,
    key: &ForeignKey,
    target: &str,
    attributes: &ReferenceAttributes,
) -> Result<String, Error> {
    let words = |attribute| match attributes.has(&attribute) {
        true => format!(" {}", attribute.words()),
        false => String::new(),
    };
    let matching = words(ReferenceAttribute::MatchFull);
    let not_valid = words(ReferenceAttribute::NotValid);
    let [list_to_set, at_end] =
        [attributes.set_columns(), &attributes.at_end()].map(|words| match words {
            "" => String::new(),
            words => format!(" {words}"),
        });
    let has_restrict = engine(backend).objects.has_restrict;
    let [on_delete, on_update] = [key.on_delete, key.on_update].map(|action| match action {
        ReferentialAction::Restrict if !has_restrict => ReferentialAction::NoAction,
        _ => action,
    });
    Ok(format!(
        "CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {target} ({}){matching} \
         ON DELETE {on_delete}{list_to_set} ON UPDATE {on_update}{at_end}{not_valid}",
        quote_identifier(backend, name)?,
        list(backend, &key.columns)?,
        list(backend, &key.target_columns)?,
    ))
}

/// The statements that drop a reference which the target has, and add it again.
pub(crate) fn dropped_and_added(side: &TableSide, key: &ForeignKey) -> Result<[String; 2], Error> {
    let (backend, table) = (side.backend, side.quoted()?);
    let name = quote_identifier(backend, &key.name)?;
    let target = key.target.quoted(backend)?;
    let definition = clause(backend, &key.name, key, &target, &key.attributes)?;
    Ok([
        format!("ALTER TABLE {table} DROP CONSTRAINT {name}"),
        format!("ALTER TABLE {table} ADD {definition}"),
    ])
}

/// The CHECKs of a table, within one product.
pub(crate) fn checks(table: &PreparedTable<'_>) -> Result<Vec<PlannedObject>, Error> {
    let (source, side, table) = (table.from.backend, &table.to, table.original);
    let mut found = Vec::new();
    for check in checks::named(source, table, side)? {
        found.push(Ok(Object {
            name: check.name,
            kind: ObjectKind::Check,
            columns: check.columns,
            is_unique: false,
            referred: None,
            statement: format!("ALTER TABLE {} ADD {}", side.quoted()?, check.definition),
            definition: check.definition,
        }));
    }
    Ok(without_left_out(table, side, found))
}

fn omitted(table: &Table, key: &ForeignKey, why: &str) -> Omission {
    Omission::Other(format!(
        "{}: the reference of {} to {} is left out: {why}",
        table.name,
        key.columns.join(", "),
        key.target
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_tables::catalog::{Index, Key, KeyDefinition};

    fn table() -> Table {
        Table::new("booking")
    }

    fn object(kind: ObjectKind, name: &str, is_unique: bool) -> Object {
        let referred = ("offer".into(), vec!["id".to_owned()]);
        Object {
            name: name.into(),
            kind,
            columns: vec!["offer_id".into()],
            is_unique,
            referred: (kind == ObjectKind::Reference).then_some(referred),
            definition: String::new(),
            statement: String::new(),
        }
    }

    fn index(name: &str, columns: &[&str], is_unique: bool, is_plain: bool) -> Index {
        Index {
            name: name.into(),
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            is_unique,
            is_plain,
            definition: String::new(),
            complete_definition: None,
            terms: Vec::new(),
        }
    }

    #[test]
    fn what_covers_the_same_is_not_made_again() {
        let once = object(ObjectKind::Index, "once", true);
        let planned = ["once", "by_offer"];
        for (found, expected) in [
            (index("once", &["offer_id"], true, true), true),
            (index("onceb00king8ff1", &["offer_id"], true, true), true),
            // With the condition that NULL is not looked at.
            (index("onceb00king8ff1", &["offer_id"], true, false), true),
            (index("other", &["offer_id"], false, true), false),
            (index("other", &["offer_id", "id"], true, true), false),
            (index("other", &["id"], true, true), false),
            // That is another of the plan.
            (index("by_offer", &["offer_id"], true, true), false),
        ] {
            let described = format!("{found:?}");
            let mut table = table();
            table.indexes = vec![found];
            assert_eq!(once.is_in(&table, &planned), expected, "{described}");
        }
        let by_offer = object(ObjectKind::Index, "by_offer", false);
        let mut found = table();
        found.indexes = vec![index("other", &["offer_id"], false, false)];
        assert!(
            !by_offer.is_in(&found, &planned),
            "it may be in another order"
        );

        let key = |name: &str, is_primary| Key {
            name: name.into(),
            columns: vec!["offer_id".into()],
            is_primary,
            definition: KeyDefinition::Columns,
        };
        for (key, expected) in [(key("uq8ff1", false), true), (key("pk8ff1", true), false)] {
            let mut table = table();
            table.keys = vec![key];
            assert_eq!(once.is_in(&table, &planned), expected);
        }
    }

    #[test]
    fn a_reference_to_the_same_is_not_made_again() {
        let reference = object(ObjectKind::Reference, "booking_fk", false);
        let found = |name: &str, target: &str| {
            let mut table = table();
            table.foreign_keys = vec![ForeignKey {
                name: name.into(),
                columns: vec!["offer_id".into()],
                target: target.into(),
                target_columns: vec!["id".into()],
                on_update: ReferentialAction::NoAction,
                on_delete: ReferentialAction::NoAction,
                attributes: ReferenceAttributes::default(),
            }];
            table
        };
        assert!(reference.is_in(&found("booking_fk", "offer"), &["booking_fk"]));
        assert!(reference.is_in(&found("booking_fk8ff1", "offer"), &["booking_fk"]));
        assert!(!reference.is_in(&found("other", "visit"), &["booking_fk"]));
    }
}
