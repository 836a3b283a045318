//! Names of columns and tables in words.

/// The words of a name in lower case: of `billing_addressId`, `billing`, `address` and `id`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = ' ';
    for character in name.chars() {
        let begins = character.is_uppercase() && (previous.is_lowercase() || previous.is_numeric());
        if !character.is_alphanumeric() {
            previous = ' ';
            continue;
        }
        match words.last_mut() {
            Some(word) if previous != ' ' && !begins => word.extend(character.to_lowercase()),
            _ => words.push(character.to_lowercase().collect()),
        }
        previous = character;
    }
    words
}

/// The words before the last one, if that says that the column is a key: of `offer_id`, `offer`.
pub(super) fn stem(column: &str) -> Option<Vec<String>> {
    let mut words = words(column);
    let last = words.pop()?;
    let is_key = ["id", "uuid", "guid", "ulid", "key", "fk", "ref"].contains(&last.as_str());
    (is_key && !words.is_empty()).then_some(words)
}

/// Whether the words of a table's name mean these words, in the singular or the plural.
pub(super) fn means(table: &[String], stem: &[String]) -> bool {
    let (Some((table_last, table_first)), Some((stem_last, stem_first))) =
        (table.split_last(), stem.split_last())
    else {
        return false;
    };
    table_first == stem_first && singular(table_last) == singular(stem_last)
}

/// The singular of an English word, by its ending.
pub(super) fn singular(word: &str) -> String {
    const IRREGULAR: [(&str, &str); 4] = [
        ("people", "person"),
        ("children", "child"),
        ("men", "man"),
        ("women", "woman"),
    ];
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    if let Some(begin) = word.strip_suffix("ies").filter(|begin| begin.len() > 1) {
        return format!("{begin}y");
    }
    for ending in ["ses", "xes", "zes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(one) if !one.ends_with('s') && one.len() > 1 => one.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for (name, expected) in [
            ("offer_id", "offer id"),
            ("billingAddressId", "billing address id"),
            ("OfferID", "offer id"),
            ("offer2Id", "offer2 id"),
            ("parent id", "parent id"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn a_key_has_something_before_its_last_word() {
        assert_eq!(stem("offer_id").unwrap(), ["offer"]);
        assert_eq!(stem("customerGuid").unwrap(), ["customer"]);
        for name in ["id", "title", "paid", "offer", "key"] {
            assert_eq!(stem(name), None, "{name}");
        }
    }

    #[test]
    fn singular_and_plural_mean_the_same() {
        for (table, column) in [
            ("offers", "offer"),
            ("Offer", "offer"),
            ("categories", "category"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("people", "person"),
            ("order_items", "order_item"),
            ("news", "news"),
            ("status", "status"),
        ] {
            assert!(means(&words(table), &words(column)), "{table} {column}");
        }
        for (table, column) in [("offers", "order"), ("items", "order_item"), ("", "offer")] {
            assert!(!means(&words(table), &words(column)), "{table} {column}");
        }
    }
}
