//! The chapters of the book that contain Rust code, which runs as documentation tests.
//!
//! The chapters are in a package of their own because they show every driver at once, and because
//! published crates could not include them.

macro_rules! chapters {
    ($($name:ident $page:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("src/", $page))]
            mod $name {}
        )*

        #[cfg(test)]
        const PAGES: &[&str] = &[$($page),*];
    };
}

chapters! {
    adoption_sql_server "adoption/sql-server.md"
    clients_make_the_ids "clients-make-the-ids.md"
    codes "codes.md"
    collisions "collisions.md"
    conditions "conditions.md"
    drivers_any_other "drivers/any-other.md"
    drivers_diesel "drivers/diesel.md"
    drivers_sea_orm "drivers/sea-orm.md"
    drivers_sqlx "drivers/sqlx.md"
    drivers_tiberius "drivers/tiberius.md"
    everyday_queries "everyday-queries.md"
    hide_ids_from_the_public "hide-ids-from-the-public.md"
    ids_in_tests "ids-in-tests.md"
    ids_that_say_where_they_live "ids-that-say-where-they-live.md"
    integer_keys "integer-keys.md"
    introduction "introduction.md"
    keys "keys.md"
    keys_crate "keys-crate.md"
    migrations "migrations.md"
    partitions "partitions.md"
    retries_are_safe "retries-are-safe.md"
    storage "storage.md"
    support_has_an_id "support-has-an-id.md"
    time_ranges "time-ranges.md"
    two_columns "two-columns.md"
    web_service "web-service.md"
}

/// The README of the repository.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The pages below a folder with a block of Rust code, by their paths from the book's source.
    fn with_code(folder: &Path, pages: &mut BTreeSet<String>) {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for entry in fs::read_dir(book.join(folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if book.join(&path).is_dir() {
                with_code(&path, pages);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(book.join(&path)).unwrap();
                if text.lines().any(is_code) {
                    pages.insert(path.to_str().unwrap().replace('\\', "/"));
                }
            }
        }
    }

    /// Whether a block of Rust code begins with a line, in a list or a quotation as well.
    fn is_code(line: &str) -> bool {
        let line = line.trim_start_matches([' ', '>', '*', '-']);
        let language = line.trim_start_matches(['`', '~']);
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        let mut words = language.split([',', ' ']);
        let word = words.find(|word| !word.is_empty()).unwrap_or_default();
        is_fence && ["rust", "no_run", "compile_fail", "should_panic", "ignore"].contains(&word)
    }

    #[test]
    fn every_page_with_code_is_among_the_chapters() {
        let mut found = BTreeSet::new();
        with_code(Path::new(""), &mut found);
        let chapters: BTreeSet<_> = super::PAGES.iter().map(|&page| page.to_owned()).collect();
        assert_eq!(found, chapters);
    }
}
