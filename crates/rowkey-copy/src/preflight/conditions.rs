//! CHECKs and exclusion constraints of existing tables, CHECKs of the domains of their columns,
//! computed columns, and partitions, which rows of the source may break.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Dependent, DependentKind, Generated, Table};
use rowkey_tables::connection::{Connection, Value};

use super::trial::{Found, Question, Trial, is_of_row, not_looked_at};
use crate::definitions::checks;
use crate::definitions::sql_text::{first_group, mentioned, separated, with_name};
use crate::engine::engine;
use crate::mapping::partitions::is_partitioned;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

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
    let mut rules = of_table(table, existing)?;
    rules.extend(of_domains(table, existing)?);
    rules.extend(of_computed_columns(target, table, existing).await?);
    rules.extend(of_partitions(source, target, table, existing).await?);
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
            found.notes.extend(known.iter().map(not_looked_at));
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
    for (rule, answer) in known.iter().zip(answers) {
        let why = match answer {
            Ok((0, _)) => continue,
            Ok((_, examples)) => match examples.first().filter(|_| !key.is_empty()) {
                Some(key) => format!(", such as the one with the key {key}"),
                None => String::new(),
            },
            Err(error) if is_of_row(&error) => format!(": {}", error.reason()),
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

fn of_table(table: &PreparedTable<'_>, existing: &Table) -> Result<Vec<Rule>, Error> {
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
fn of_domains(table: &PreparedTable<'_>, existing: &Table) -> Result<Vec<Rule>, Error> {
    let mut rules = Vec::new();
    let of_kind = |domain: &&Dependent| domain.kind == DependentKind::Domain;
    for domain in existing.dependents.iter().filter(of_kind) {
        for column in table.to.columns.iter().map(|column| &column.name) {
            let mut own = table.original.dependents.iter().filter(of_kind);
            let is_own =
                own.any(|own| own.definition == domain.definition && own.columns.contains(column));
            if is_own || !domain.columns.contains(column) {
                continue;
            }
            for words in separated(&domain.definition, "CHECK ").into_iter().skip(1) {
                let quoted = quote_identifier(table.to.backend, column)?;
                let words = with_name(words, "VALUE", &quoted);
                rules.push(Rule {
                    name: format!("check of the domain {} on {column}", domain.name),
                    columns: vec![column.clone()],
                    words: condition(&format!("CHECK {words}")),
                });
            }
        }
    }
    Ok(rules)
}

/// That each row has a value for the columns that are computed when it is written, unless the source
/// has the same ones.
async fn of_computed_columns(
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: &Table,
) -> Result<Vec<Rule>, Error> {
    let (to, original) = (&table.to, table.original);
    let definition = |table: &Table, column: &Column| {
        let mut dependents = table.dependents.iter();
        let is_of = |found: &&Dependent| {
            found.kind == DependentKind::GeneratedColumn && found.name == column.name
        };
        dependents.find(is_of).cloned()
    };
    let is_own = |column: &Column| {
        let both = definition(original, column).zip(definition(existing, column));
        let mut own = original.columns.iter();
        table.from.backend == to.backend
            && both.is_some_and(|(own, other)| {
                let names = [&other.columns[..], std::slice::from_ref(&column.name)].concat();
                own.definition == other.definition && have_own_types(original, existing, &names)
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
                Some(Words::Column(format!(
                    "{name} {} GENERATED ALWAYS AS ({expression}) STORED{null}",
                    column.sql_type
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
