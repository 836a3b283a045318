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
    keys_crate "keys-crate.md"
    keys "keys.md"
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
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    /// The text of every page, by its path from the book's source.
    fn pages() -> BTreeMap<String, String> {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (mut folders, mut pages) = (vec![book.clone()], BTreeMap::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "md") {
                    let page = path.strip_prefix(&book).unwrap().to_str().unwrap();
                    pages.insert(page.replace('\\', "/"), fs::read_to_string(&path).unwrap());
                }
            }
        }
        pages
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
        let mut pages = pages();
        pages.retain(|_, text| text.lines().any(is_code));
        assert_eq!(pages.into_keys().collect::<Vec<_>>(), super::PAGES);
    }

    /// The lines of a file, or those between the comments `ANCHOR: region` and
    /// `ANCHOR_END: region`.
    fn lines<'a>(text: &'a str, region: Option<&str>) -> Vec<&'a str> {
        let Some(region) = region else {
            return text.lines().collect();
        };
        let is = |line: &str, mark: &str| line.ends_with(&format!(" {mark}: {region}"));
        let lines = text.lines().skip_while(|line| !is(line, "ANCHOR"));
        let lines = lines.skip(1).take_while(|line| !is(line, "ANCHOR_END"));
        lines.collect()
    }

    /// Pages have copies of programs instead of mdBook's includes, so that they can be read without
    /// building the book. A comment names the source: `<!-- examples/mesh/src/store.rs:create -->`.
    #[test]
    fn programs_are_as_in_the_files_that_the_comments_above_name() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (page, text) in pages() {
            for copy in text.split("<!-- ").skip(1) {
                let copy = copy.split_once(" -->\n```");
                let (source, block) =
                    copy.unwrap_or_else(|| panic!("{page}: a comment without a block"));
                let (file, region) = source.split_once(':').unzip();
                let file = file.unwrap_or(source);
                let program = fs::read_to_string(root.join(file));
                let program = program.unwrap_or_else(|error| panic!("{page}, {file}: {error}"));
                let block = block.lines().skip(1).take_while(|line| *line != "```");
                assert!(
                    block.eq(lines(&program, region)),
                    "{page} differs from {source}"
                );
            }
        }
    }
}
