//! The collations of MySQL and MariaDB, which differ between servers and their versions.

use std::cmp::Reverse;

/// MySQL's word for a language, and MariaDB's.
const LANGUAGES: [(&str, &str); 20] = [
    ("cs", "czech"),
    ("da", "danish"),
    ("de_pb", "german2"),
    ("eo", "esperanto"),
    ("es", "spanish"),
    ("es_trad", "spanish2"),
    ("et", "estonian"),
    ("hr", "croatian"),
    ("hu", "hungarian"),
    ("is", "icelandic"),
    ("la", "roman"),
    ("lt", "lithuanian"),
    ("lv", "latvian"),
    ("pl", "polish"),
    ("ro", "romanian"),
    ("sk", "slovak"),
    ("sl", "slovenian"),
    ("sv", "swedish"),
    ("tr", "turkish"),
    ("vi", "vietnamese"),
];

/// How a collation compares texts, as far as its name says so.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rules {
    charset: String,
    /// By the numbers of the characters alone.
    is_binary: bool,
    /// The language whose order it has, or another order that has a name.
    language: String,
    /// The version of Unicode whose order it has.
    unicode: Option<&'static str>,
    tells_accents: bool,
    tells_case: bool,
    tells_spaces_at_the_end: bool,
}

impl Rules {
    fn of(collation: &str) -> Self {
        let (charset, rest) = collation.split_once('_').unwrap_or((collation, ""));
        let mut words: Vec<&str> = rest.split('_').collect();
        let mut take = |word: &str| {
            let found = words.iter().position(|other| *other == word);
            found.map(|place| words.remove(place)).is_some()
        };
        let is_binary = take("bin");
        let tells_case = take("cs") || is_binary;
        let tells_accents = take("as") || tells_case && !take("ai");
        let is_lenient = take("ai") | take("ci");
        let (of_mysql, of_mariadb) = (take("0900"), take("uca1400"));
        let tells_spaces_at_the_end = take("nopad") || of_mysql;
        let (is_unicode, is_newer) = (take("unicode"), take("520"));
        let language = words.join("_");
        let is_wide = charset.starts_with("utf") || charset == "ucs2";
        let is_of_language = is_lenient && is_wide && language != "general";
        let unicode = match (of_mysql, of_mariadb, is_newer) {
            (true, ..) => Some("9.0"),
            (_, true, _) => Some("14.0"),
            (_, _, true) => Some("5.2"),
            _ => (is_unicode || is_of_language).then_some("4.0"),
        };
        let known = LANGUAGES.iter().find(|(short, _)| *short == language);
        Self {
            // Both names of it are understood everywhere.
            charset: match charset {
                "utf8" => "utf8mb3".into(),
                other => other.into(),
            },
            is_binary,
            language: known.map_or(language, |(_, long)| (*long).into()),
            unicode,
            tells_accents,
            tells_case,
            tells_spaces_at_the_end,
        }
    }

    /// How another collation differs, with the weight of each difference: [`nearest`] takes the
    /// collation with the least.
    fn differences(&self, other: &Self) -> Vec<(u32, String)> {
        let mut found = Vec::new();
        for (weight, what, here, there) in [
            (65, "accents", self.tells_accents, other.tells_accents),
            (
                65,
                "upper and lower case",
                self.tells_case,
                other.tells_case,
            ),
            (
                8,
                "spaces at the end",
                self.tells_spaces_at_the_end,
                other.tells_spaces_at_the_end,
            ),
        ] {
            match (here, there) {
                (true, false) => found.push((weight, format!("{what} do not count"))),
                // Which unites no rows.
                (false, true) => found.push((weight - 1, format!("{what} count"))),
                _ => {}
            }
        }
        if !self.is_binary && other.is_binary {
            found.push((32, "it sorts by the numbers of characters".into()));
        }
        if self.is_binary && !other.is_binary {
            found.push((64, "it sorts by the rules of a language".into()));
        }
        if self.language != other.language {
            match other.language.as_str() {
                "" => found.push((16, format!("it does not sort as in `{}`", self.language))),
                language => found.push((24, format!("it sorts as in `{language}`"))),
            }
        }
        if let (Some(here), Some(there)) = (self.unicode, other.unicode)
            && here != there
        {
            let steps = ["4.0", "5.2", "9.0", "14.0"];
            let step = |version| steps.iter().position(|known| *known == version);
            let apart = step(here).unwrap_or(0).abs_diff(step(there).unwrap_or(0));
            let weight = u32::try_from(apart).unwrap_or(u32::MAX);
            found.push((weight, format!("it has Unicode {there} instead of {here}")));
        }
        found
    }
}

/// Whether a server with these collations has this one, under either name of its character set.
pub fn is_known(collation: &str, known: &[String]) -> bool {
    let folded = |name: &str| match name.strip_prefix("utf8_") {
        Some(rest) => format!("utf8mb3_{rest}"),
        None => name.to_owned(),
    };
    let collation = folded(collation);
    known.iter().any(|name| folded(name) == collation)
}

/// The collation of the same characters that differs least from one, and how it does.
pub fn nearest<'k>(collation: &str, known: &'k [String]) -> Option<(&'k str, String)> {
    let wanted = Rules::of(collation);
    let candidates = known.iter().filter_map(|name| {
        let rules = Rules::of(name);
        let differences = wanted.differences(&rules);
        let weight: u32 = differences.iter().map(|(weight, _)| weight).sum();
        (rules.charset == wanted.charset).then_some((weight, name, differences))
    });
    let (_, name, mut differences) =
        candidates.min_by_key(|(weight, name, _)| (*weight, name.len(), *name))?;
    differences.sort_by_key(|(weight, _)| Reverse(*weight));
    let differences: Vec<String> = differences.into_iter().map(|(_, text)| text).collect();
    Some((name, differences.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest_of(collation: &str, known: &[&str]) -> Option<(String, String)> {
        let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
        nearest(collation, &known).map(|(name, differences)| (name.into(), differences))
    }

    /// Some of what the servers have.
    const MYSQL_5_6: [&str; 7] = [
        "utf8_general_ci",
        "utf8_unicode_ci",
        "utf8mb4_general_ci",
        "utf8mb4_bin",
        "utf8mb4_unicode_ci",
        "utf8mb4_swedish_ci",
        "utf8mb4_unicode_520_ci",
    ];
    const MYSQL_9: [&str; 8] = [
        "utf8mb4_general_ci",
        "utf8mb4_bin",
        "utf8mb4_unicode_520_ci",
        "utf8mb4_0900_ai_ci",
        "utf8mb4_sv_0900_ai_ci",
        "utf8mb4_0900_as_cs",
        "utf8mb4_0900_as_ci",
        "utf8mb4_0900_bin",
    ];
    const MARIADB_10_6: [&str; 7] = [
        "utf8mb4_general_ci",
        "utf8mb4_bin",
        "utf8mb4_nopad_bin",
        "utf8mb4_swedish_ci",
        "utf8mb4_unicode_520_ci",
        "utf8mb4_unicode_520_nopad_ci",
        "utf8mb4_unicode_nopad_ci",
    ];
    const MARIADB_10_11: [&str; 9] = [
        "utf8mb4_general_ci",
        "utf8mb4_nopad_bin",
        "utf8mb4_unicode_520_nopad_ci",
        "utf8mb3_uca1400_nopad_ai_ci",
        "utf8mb4_uca1400_ai_ci",
        "utf8mb4_uca1400_nopad_ai_ci",
        "utf8mb4_uca1400_nopad_as_cs",
        "utf8mb4_uca1400_swedish_nopad_ai_ci",
        "utf8mb4_uca1400_german2_nopad_ai_ci",
    ];

    #[test]
    fn the_nearest_differs_least() {
        let newer = "it has Unicode 14.0 instead of 9.0";
        let older = "it has Unicode 5.2 instead of 9.0";
        for (collation, known, expected, differences) in [
            (
                "utf8mb4_0900_ai_ci",
                &MARIADB_10_11[..],
                "utf8mb4_uca1400_nopad_ai_ci",
                newer,
            ),
            (
                "utf8mb4_0900_as_cs",
                &MARIADB_10_11,
                "utf8mb4_uca1400_nopad_as_cs",
                newer,
            ),
            (
                "utf8mb4_sv_0900_ai_ci",
                &MARIADB_10_11,
                "utf8mb4_uca1400_swedish_nopad_ai_ci",
                newer,
            ),
            (
                "utf8mb4_de_pb_0900_ai_ci",
                &MARIADB_10_11,
                "utf8mb4_uca1400_german2_nopad_ai_ci",
                newer,
            ),
            (
                "utf8mb4_bg_0900_ai_ci",
                &MARIADB_10_11,
                "utf8mb4_uca1400_nopad_ai_ci",
                "it does not sort as in `bg`, it has Unicode 14.0 instead of 9.0",
            ),
            ("utf8mb4_0900_bin", &MARIADB_10_11, "utf8mb4_nopad_bin", ""),
            (
                "utf8mb4_0900_ai_ci",
                &MARIADB_10_6,
                "utf8mb4_unicode_520_nopad_ci",
                older,
            ),
            (
                "utf8mb4_0900_as_cs",
                &MARIADB_10_6,
                "utf8mb4_nopad_bin",
                "it sorts by the numbers of characters",
            ),
            (
                "utf8mb4_0900_ai_ci",
                &MYSQL_5_6,
                "utf8mb4_unicode_520_ci",
                "spaces at the end do not count, it has Unicode 5.2 instead of 9.0",
            ),
            (
                "utf8mb4_uca1400_ai_ci",
                &MYSQL_9,
                "utf8mb4_unicode_520_ci",
                "it has Unicode 5.2 instead of 14.0",
            ),
            (
                "utf8mb4_uca1400_nopad_ai_ci",
                &MYSQL_9,
                "utf8mb4_0900_ai_ci",
                "it has Unicode 9.0 instead of 14.0",
            ),
            (
                "utf8mb4_uca1400_swedish_as_cs",
                &MYSQL_9,
                "utf8mb4_0900_as_cs",
                "it does not sort as in `swedish`, spaces at the end count, it has Unicode 9.0 instead of 14.0",
            ),
            ("utf8mb4_nopad_bin", &MYSQL_9, "utf8mb4_0900_bin", ""),
            (
                "utf8mb4_nopad_bin",
                &MYSQL_5_6,
                "utf8mb4_bin",
                "spaces at the end do not count",
            ),
            (
                "utf8mb4_general_nopad_ci",
                &MYSQL_9,
                "utf8mb4_general_ci",
                "spaces at the end do not count",
            ),
            (
                "utf8mb3_uca1400_ai_ci",
                &MYSQL_5_6,
                "utf8_unicode_ci",
                "it has Unicode 4.0 instead of 14.0",
            ),
        ] {
            let found = nearest_of(collation, known);
            let expected = (expected.to_owned(), differences.to_owned());
            assert_eq!(found, Some(expected), "{collation}");
        }
        assert_eq!(nearest_of("latin1_nopad_bin", &MYSQL_9), None);
    }

    #[test]
    fn both_names_of_a_character_set_are_known() {
        let known = ["utf8mb3_general_ci".to_owned()];
        assert!(is_known("utf8_general_ci", &known));
        assert!(is_known("utf8mb3_general_ci", &known));
        assert!(is_known("utf8mb3_bin", &["utf8_bin".to_owned()]));
        assert!(!is_known("utf8mb4_general_ci", &known));
    }
}
