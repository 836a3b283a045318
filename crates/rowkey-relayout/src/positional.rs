//! Statements that write a table's columns by their places.

/// Whether a definition inserts into a table without naming columns. It would put an id of the old
/// form where the new column is, once there are as many columns as before.
pub(super) fn inserts_by_place(definition: &str, table: &str) -> bool {
    let is_quote = |character: char| matches!(character, '"' | '`' | '[' | ']');
    let plain: String = definition.to_lowercase().replace(is_quote, "");
    let table = table.to_lowercase().replace(is_quote, "");
    plain.match_indices(&table).any(|(start, found)| {
        let before = plain[..start].trim_end();
        // `shop.offer` is the table of that name too.
        let before = match before.strip_suffix('.') {
            Some(schema) => schema.trim_end().trim_end_matches(is_of_name).trim_end(),
            None => before,
        };
        let verb = before.rsplit(|character| !is_of_name(character)).next();
        let is_written = verb.is_some_and(|verb| VERBS.contains(&verb));
        let is_apart = plain[..start].ends_with(|before: char| !is_of_name(before));
        let after = &plain[start + found.len()..];
        let is_whole = !after.starts_with(is_of_name);
        is_written && is_apart && is_whole && !names_columns(after.trim_start())
    })
}

/// The words before the table.
const VERBS: [&str; 7] = [
    "into",
    "insert",
    "replace",
    "ignore",
    "low_priority",
    "high_priority",
    "delayed",
];

/// Whether a list of columns follows, perhaps behind another name of the table.
fn names_columns(after: &str) -> bool {
    let begins = |text: &str, word: &str| {
        text.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(is_of_name))
    };
    let after = match after.strip_prefix("as ") {
        Some(alias) => {
            let alias = alias.trim_start();
            let end = alias.find(|one| !is_of_name(one)).unwrap_or(alias.len());
            alias[end..].trim_start()
        }
        None => after,
    };
    match after.strip_prefix('(') {
        Some(inside) => !["select", "values", "with"]
            .iter()
            .any(|rows| begins(inside.trim_start(), rows)),
        None => begins(after, "set"),
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_without_names_is_seen() {
        for definition in [
            "BEGIN INSERT INTO offer VALUES (NEW.x, 'y'); END",
            "BEGIN INSERT INTO `shop` . `offer` SELECT * FROM other; END",
            "BEGIN REPLACE \"Offer\"\nVALUES (1); END",
            "INSERT IGNORE offer VALUES (1)",
            "INSERT LOW_PRIORITY offer VALUES (1)",
            "INSERT INTO offer (SELECT * FROM other)",
            "INSERT INTO offer AS o VALUES (1)",
        ] {
            assert!(inserts_by_place(definition, "offer"), "{definition}");
        }
        for definition in [
            "BEGIN INSERT INTO offer (id, name) VALUES (NEW.x, 'y'); END",
            "INSERT INTO offer AS o (id) VALUES (NEW.x)",
            "INSERT INTO offer SET id = NEW.x",
            "INSERT INTO offer (selected, id) VALUES (1, NEW.x)",
            "BEGIN INSERT INTO offers VALUES (NEW.x); END",
            "BEGIN INSERT INTO special_offer VALUES (NEW.x); END",
            "BEGIN INSERT INTO log SELECT id FROM offer; END",
            "BEGIN UPDATE offer SET name = 'y'; END",
        ] {
            assert!(!inserts_by_place(definition, "offer"), "{definition}");
        }
    }
}
