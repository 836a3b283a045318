//! CHECKs and exclusion constraints of existing tables, CHECKs of the domains of their columns,
//! computed columns, indexes of expressions, and partitions, which rows of the source may break.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Dependent, DependentKind, Generated, Index, Key, Table};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;

use super::long_rows::greatest;
use super::trial::{Found, Question, Trial, is_of_row, not_looked_at};
use crate::definitions::checks;
use crate::definitions::sql_text::{behind_table, first_group, mentioned, separated, with_name};
use crate::engine::{engine, of_column};
use crate::mapping::partitions::is_partitioned;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, TableSide};

/// What the rule is called that each row has a partition.
const PARTITIONS: &str = "partitions";

/// A rule for the rows of a table of the target.
struct Rule {
    name: String,
    columns: Vec<String>,
    /// Nothing if they are not known.
    words: Option<Words>,
}

enum Words {
    /// What no row fails.
    Condition(String),
    /// The definition of a constraint.
    Constraint(String),
    /// The definition of a column.
    Column(String),
    /// What stands before and behind the table in the definition of an index.
    Index([String; 2]),
}

/// Functions of the target that do not come with its server: the source's may do other things.
struct Functions(Vec<String>);

impl Functions {
    async fn read(target: &mut Connection) -> Result<Self, Error> {
        let mut names = Vec::new();
        if let Some(query) = engine(target.backend()).objects.functions {
            for row in target
                .query("the functions of the target", query, &[])
                .await?
            {
                names.push(row.text(0)?.to_owned());
            }
        }
        Ok(Self(names))
    }

    fn are_called_in(&self, definition: &str) -> bool {
        let is_call = |(place, name): (usize, &str)| {
            let behind = &definition[place + name.len()..];
            behind.trim_start_matches('"').starts_with('(')
        };
        let mut names = self.0.iter();
        names.any(|name| definition.match_indices(name.as_str()).any(is_call))
    }
}

/// Lets the target look for rows that break its rules, unless the source has the same ones.
pub(super) async fn broken(
    source: &mut Connection,
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
    misfits: &[String],
) -> Result<Found, Error> {
    let mut found = Found::default();
    let functions = Functions::read(target).await?;
    let mut rules = of_table(table, existing, &functions)?;
    rules.extend(of_domains(table, existing, &functions)?);
    rules.extend(of_computed_columns(target, table, existing, &functions).await?);
    rules.extend(of_indexes(table, existing, &functions));
    rules.extend(of_partitions(source, target, table, existing).await?);
    rules.extend(of_each_partition(target, &table.to).await?);
    let is_known = |rule: &Rule| rule.words.is_some() && table.to.has_all(&rule.columns);
    let (known, unknown): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(is_known);
    let not_looked_at = |rule: &Rule| not_looked_at(table, &rule.name);
    found.notes.extend(unknown.iter().map(not_looked_at));
    let key: Vec<String> = table
        .to
        .key_columns()
        .map(|column| column.name.clone())
        .collect();
    let mut names = key.clone();
    for name in known.iter().flat_map(|rule| &rule.columns) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let trial = Trial::of(table, &names, misfits).filter(|_| !known.is_empty());
    let Some(trial) = trial else {
        return Ok(found);
    };
    if trial.is_partial {
        found.notes.push(format!(
            "{}: its checks in the target were looked at only in rows whose values have a place",
            table.to.name
        ));
    }
    let questions = known.iter().filter_map(|rule| rule.words.as_ref());
    let questions = questions.map(|words| trial.question(words, &key));
    let questions: Vec<Question> = questions.collect::<Result<_, Error>>()?;
    let answers = match trial.ask(source, target, &questions).await {
        Err(error) if trial.is_prevented(&error) => {
            match trial.refused_value(&error) {
                Some(refused) => found.refused.push(refused),
                None => found.notes.extend(known.iter().map(not_looked_at)),
            }
            return Ok(found);
        }
        answers => answers?,
    };
    let excludes = |rule: &&Rule| matches!(rule.words, Some(Words::Constraint(_)));
    if table.to.merges_rows() {
        found.notes.extend(known.iter().filter(excludes).map(|rule| {
            format!(
                "{}: the rows that stay in the target were not compared by its {}; one that the rule does not \
                 allow beside them ends the copy",
                table.to.name, rule.name
            )
        }));
    }
    // SQLite has one code for all errors. Names in old indexes may be texts, which it takes no more.
    let is_of_index = |rule: &Rule, error: &Error| {
        table.to.backend.stores_any_type()
            && matches!(rule.words, Some(Words::Index(_)))
            && !error.reason().contains("no such column")
    };
    for (rule, answer) in known.iter().zip(answers) {
        let why = match answer {
            Ok((0, _)) => continue,
            Ok((_, examples)) => match examples.first().filter(|_| !key.is_empty()) {
                Some(key) => format!(", such as the one with the key {key}"),
                None => String::new(),
            },
            Err(error) if is_of_row(&error) || is_of_index(rule, &error) => {
                format!(": {}", error.reason())
            }
            Err(_) => {
                found.notes.push(not_looked_at(rule));
                continue;
            }
        };
        let instead = match rule.name == PARTITIONS {
            true => "add a partition for these rows to the target, or change or delete them",
            false => "change or delete these rows, or drop the rule in the target",
        };
        found.refused.push(Error::refused(
            format!("the table {} in the target", table.to.name),
            format!("rows of the source break its {}{why}", rule.name),
            instead,
        ));
    }
    Ok(found)
}

impl Trial {
    fn question(&self, words: &Words, key: &[String]) -> Result<Question, Error> {
        let rows = self.to.quoted()?;
        let condition = match words {
            Words::Condition(condition) => condition,
            Words::Constraint(words) | Words::Column(words) => {
                let add = format!("ALTER TABLE {rows} ADD {words}");
                return Ok(Question::Statement(add));
            }
            Words::Index([begin, words]) => {
                return Ok(Question::Statement(format!("{begin} ON {rows} {words}")));
            }
        };
        let shown = key.iter().map(|name| {
            let value = self.comparable(&quote_identifier(self.to.backend, name)?);
            Ok(format!("{value}, {value}"))
        });
        let mut shown: Vec<String> = shown.collect::<Result<_, Error>>()?;
        if shown.is_empty() {
            shown.push("1".into());
        }
        let rows = format!("FROM {rows} WHERE NOT ({condition})");
        Ok(Question::Rows {
            count: format!("SELECT COUNT(*) {rows}"),
            examples: format!("SELECT {} {rows}", shown.join(", ")),
        })
    }
}

fn of_table(
    table: &PreparedTable<'_>,
    existing: &Table,
    functions: &Functions,
) -> Result<Vec<Rule>, Error> {
    let (to, mut rules) = (&table.to, Vec::new());
    let is_one_product = table.from.backend == to.backend;
    for check in &existing.dependents {
        let mut own = table.original.dependents.iter();
        let may_stay = to.merges_rows() && check.excludes();
        // Those of expressions are not known of an exclusion.
        let columns = match check.excludes() || check.columns.is_empty() {
            true => mentioned(existing, &check.definition),
            false => check.columns.clone(),
        };
        let is_own = is_one_product
            && !may_stay
            && own.any(|own| own.kind == check.kind && own.definition == check.definition)
            && !check.definition.ends_with("NOT VALID")
            && !functions.are_called_in(&check.definition)
            && have_own_types(table.original, existing, &columns);
        let is_check = check.kind == DependentKind::Check;
        if !is_check || is_own || check.definition.ends_with("NOT ENFORCED") {
            continue;
        }
        let words = match checks::words(to.backend, existing, to, check) {
            Some(words) => condition(&words),
            None if check.excludes() => {
                let name = quote_identifier(to.backend, &check.name)?;
                Some(Words::Constraint(format!(
                    "CONSTRAINT {name} {}",
                    check.definition
                )))
            }
            None => None,
        };
        let name = format!("{} {}", check.kind_name(), check.name);
        rules.push(Rule {
            name,
            columns,
            words,
        });
    }
    // That they have no time in common is more than that they differ.
    let of_spans = |key: &&Key| key.constraint().contains(" WITHOUT OVERLAPS");
    for key in existing.keys.iter().filter(of_spans) {
        let mut own = table.original.keys.iter();
        let is_own = is_one_product
            && !to.merges_rows()
            && own.any(|own| own.constraint() == key.constraint())
            && have_own_types(table.original, existing, &key.columns);
        if !is_own {
            rules.push(Rule {
                name: format!("key {}", key.name),
                columns: key.columns.clone(),
                words: Some(Words::Constraint(key.constraint().to_owned())),
            });
        }
    }
    let unnamed = checks::of_statement(existing)?.into_iter();
    rules.extend(unnamed.map(|words| Rule {
        columns: mentioned(existing, &words),
        words: condition(&words),
        name: words,
    }));
    Ok(rules)
}

/// Whether columns compare their values in the target as they do in the source.
fn have_own_types(original: &Table, existing: &Table, names: &[String]) -> bool {
    names.iter().all(|name| {
        let both = original.column(name).zip(existing.column(name));
        both.is_some_and(|(own, other)| {
            own.sql_type == other.sql_type
                && own.collation == other.collation
                && own.enum_words == other.enum_words
        })
    })
}

fn condition(words: &str) -> Option<Words> {
    let words = words.strip_prefix("CHECK ")?;
    let (condition, _) = first_group(words.trim_start())?;
    Some(Words::Condition(condition.to_owned()))
}

/// The CHECKs of domains.
fn of_domains(
    table: &PreparedTable<'_>,
    existing: &Table,
    functions: &Functions,
) -> Result<Vec<Rule>, Error> {
    let mut rules = Vec::new();
    let of_kind = |domain: &&Dependent| domain.kind == DependentKind::Domain;
    for domain in existing.dependents.iter().filter(of_kind) {
        for column in table.to.columns.iter().map(|column| &column.name) {
            let mut own = table.original.dependents.iter().filter(of_kind);
            let is_own = !functions.are_called_in(&domain.definition)
                && own
                    .any(|own| own.definition == domain.definition && own.columns.contains(column));
            if is_own || !domain.columns.contains(column) {
                continue;
            }
            let quoted = quote_identifier(table.to.backend, column)?;
            for words in checks_of_domain(domain, &quoted) {
                rules.push(Rule {
                    name: format!("check of the domain {} on {column}", domain.name),
                    columns: vec![column.clone()],
                    words: condition(&words),
                });
            }
        }
    }
    Ok(rules)
}

/// The CHECKs of a domain for a column.
fn checks_of_domain(domain: &Dependent, quoted: &str) -> Vec<String> {
    let checks = separated(&domain.definition, "CHECK ").into_iter().skip(1);
    let checks = checks.map(|words| with_name(words, "VALUE", quoted));
    checks.map(|words| format!("CHECK {words}")).collect()
}

/// That each row has a value for the columns that are computed when it is written, unless the source
/// has the same ones.
async fn of_computed_columns(
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
    functions: &Functions,
) -> Result<Vec<Rule>, Error> {
    let (to, original) = (&table.to, table.original);
    let definition = |table: &Table, column: &Column| {
        let mut dependents = table.dependents.iter();
        let is_of = |found: &&Dependent| {
            found.kind == DependentKind::GeneratedColumn && found.name == column.name
        };
        dependents.find(is_of).cloned()
    };
    let domains = |table: &Table, column: &Column| {
        let dependents = table.dependents.iter();
        let domains = dependents.filter(|found| found.kind == DependentKind::Domain);
        let of_column = domains.filter(|found| found.columns.contains(&column.name));
        of_column.cloned().collect::<Vec<Dependent>>()
    };
    let is_own = |column: &Column| {
        let are_same = |(own, other): (&Dependent, &Dependent)| own.definition == other.definition;
        let (own, others) = (domains(original, column), domains(existing, column));
        let has_domains = own.len() == others.len() && own.iter().zip(&others).all(are_same);
        let both = definition(original, column).zip(definition(existing, column));
        let mut own = original.columns.iter();
        table.from.backend == to.backend
            && has_domains
            && both.is_some_and(|(own, other)| {
                let names = [&other.columns[..], std::slice::from_ref(&column.name)].concat();
                own.definition == other.definition
                    && !functions.are_called_in(&other.definition)
                    && have_own_types(original, existing, &names)
            })
            && own.any(|own| own.name == column.name && own.is_nullable == column.is_nullable)
    };
    let mut computed: Vec<&Column> = existing.columns.iter().collect();
    computed.retain(|column| {
        column.generated == Generated::Computed
            && to.column(&column.name).is_none()
            && !is_own(column)
    });
    let known = engine(to.backend).objects.computed_columns;
    let names = known.and_then(|known| known.names);
    if let Some(query) = names.filter(|_| !computed.is_empty()) {
        let doing = format!("the computed columns of {}", to.name);
        let name = Value::Text(to.quoted()?);
        let rows = target.query(&doing, query, &[name]).await?;
        let names = rows.iter().map(|row| row.text(0));
        let names: Vec<&str> = names.collect::<Result<_, _>>()?;
        computed.retain(|column| names.contains(&column.name.as_str()));
    }
    let mut rules = Vec::new();
    for column in computed {
        let found = definition(existing, column);
        let shown = known.zip(found.as_ref());
        let expression = shown.and_then(|(known, found)| (known.expression)(&found.definition));
        let words = match expression {
            Some(expression) => {
                let name = quote_identifier(to.backend, &column.name)?;
                let null = if column.is_nullable { "" } else { " NOT NULL" };
                let checks = domains(existing, column).into_iter();
                let checks = checks.flat_map(|domain| checks_of_domain(&domain, &name));
                let checks: Vec<String> = checks.map(|check| format!(" {check}")).collect();
                Some(Words::Column(format!(
                    "{name} {} GENERATED ALWAYS AS ({expression}) STORED{null}{}",
                    column.sql_type,
                    checks.concat()
                )))
            }
            None => None,
        };
        rules.push(Rule {
            name: format!("computed column {}", column.name),
            columns: found.map(|found| found.columns).unwrap_or_default(),
            words,
        });
    }
    Ok(rules)
}

/// That each row has a value for an index which is more than a list of columns, and that none is too
/// long for it, unless the source has the same one.
fn of_indexes(table: &PreparedTable<'_>, existing: &Table, functions: &Functions) -> Vec<Rule> {
    let backend = table.to.backend;
    let mut rules = Vec::new();
    // Others have no index that a single row fails, but for its length.
    let Some(begin) = engine(backend).objects.tried_index else {
        return rules;
    };
    let has_methods = engine(backend).definitions.before_columns == "USING ";
    let is_tree = |index: &Index| !has_methods || index.definition.contains(" USING btree ");
    let is_list = |index: &&Index| index.is_plain && is_tree(index);
    for index in existing.indexes.iter().filter(|index| !is_list(index)) {
        let words = behind_table(backend, &index.definition).map(ToOwned::to_owned);
        let columns = mentioned(existing, words.as_deref().unwrap_or_default());
        let mut own = table.original.indexes.iter();
        let is_own = table.from.backend == backend
            && own.any(|own| behind_table(backend, &own.definition) == words.as_deref())
            && !functions.are_called_in(&index.definition)
            && have_own_types(table.original, existing, &columns);
        let takes_all = words.as_deref().is_some_and(|words| {
            let columns = columns.iter().filter_map(|name| table.to.column(name));
            holds_all(backend, words, &columns.collect::<Vec<_>>())
        });
        // A value that the target computes is not too long for a list of columns.
        let is_computed = index.is_plain && !table.to.has_all(&columns);
        if !is_own && !takes_all && !is_computed {
            let begin = of_column(begin, &rules.len().to_string());
            rules.push(Rule {
                name: format!("index {}", index.name),
                columns,
                words: words.map(|words| Words::Index([begin, words])),
            });
        }
    }
    rules
}

/// Whether an index takes all values of its columns: they are short, and it only writes them in other
/// letters.
fn holds_all(backend: Backend, words: &str, columns: &[&ColumnSide]) -> bool {
    const HARMLESS: [&str; 17] = [
        "using", "btree", "upper", "lower", "text", "where", "is", "not", "null", "true", "false",
        "and", "or", "asc", "desc", "nulls", "include",
    ];
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut names = words.split(|character| !is_part(character));
    greatest(columns.iter().copied())
        .is_some_and(|greatest| Some(greatest) <= engine(backend).objects.index_bytes)
        && words
            .chars()
            .all(|character| is_part(character) || " \"(),:=<>".contains(character))
        && names.all(|name| {
            name.is_empty()
                || HARMLESS.contains(&name.to_lowercase().as_str())
                || name.ends_with("_pattern_ops")
                || columns.iter().any(|column| column.name == name)
        })
}

/// That each row has a partition, unless the source has no others.
async fn of_partitions(
    source: &mut Connection,
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
) -> Result<Option<Rule>, Error> {
    let PreparedTable { from, to, .. } = table;
    let mut conditions = partitions(target, to).await?;
    if conditions
        .iter()
        .flatten()
        .any(|condition| condition == "TRUE")
    {
        return Ok(None);
    }
    if conditions.is_empty() {
        match is_partitioned(existing, to.backend) {
            true => conditions.push(Some("FALSE".into())),
            false => return Ok(None),
        }
    }
    if from.backend == to.backend {
        let own = partitions(source, from).await?;
        let is_known = |own: &Option<String>| own.is_some() && conditions.contains(own);
        let columns = own.iter().flatten();
        let mut columns = columns.map(|condition| mentioned(existing, condition));
        if !own.is_empty()
            && own.iter().all(is_known)
            && columns.all(|columns| have_own_types(table.original, existing, &columns))
        {
            return Ok(None);
        }
    }
    let conditions: Option<Vec<String>> = conditions.into_iter().collect();
    let condition = conditions.map(|conditions| format!("({})", conditions.join(") OR (")));
    let columns = condition
        .as_deref()
        .map(|condition| mentioned(existing, condition));
    Ok(Some(Rule {
        name: PARTITIONS.into(),
        columns: columns.unwrap_or_default(),
        words: condition.map(Words::Condition),
    }))
}

/// What partitions ask of their rows alone, which nobody reads.
async fn of_each_partition(target: &mut Connection, side: &TableSide) -> Result<Vec<Rule>, Error> {
    let Some(query) = engine(side.backend).objects.partitions_with_rules else {
        return Ok(Vec::new());
    };
    let doing = format!("the partitions of {}", side.name);
    let name = Value::Text(side.quoted()?);
    let rows = target.query(&doing, query, &[name]).await?;
    let rules = rows.iter().map(|row| {
        Ok(Rule {
            name: format!("own rules of the partition {}", row.text(0)?),
            columns: Vec::new(),
            words: None,
        })
    });
    rules.collect()
}

/// What is true of the rows of each partition, if it is known.
async fn partitions(
    connection: &mut Connection,
    side: &TableSide,
) -> Result<Vec<Option<String>>, Error> {
    let Some(query) = engine(side.backend).objects.partition_conditions else {
        return Ok(Vec::new());
    };
    let doing = format!("the partitions of {}", side.name);
    let name = Value::Text(side.quoted()?);
    let rows = connection.query(&doing, query, &[name]).await?;
    let conditions = rows
        .iter()
        .map(|row| Ok(row.optional_text(0)?.map(str::to_owned)));
    conditions.collect()
}
