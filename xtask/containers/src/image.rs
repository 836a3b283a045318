//! The names of container images.

use std::{fmt, str::FromStr};

use anyhow::{Error, Result, bail};

/// The name of an image: where it comes from, and which one of those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImageName {
    /// Everything in front of the last colon: with a digest, its algorithm too.
    repository: String,
    /// What follows the last colon: a tag, or the value of a digest.
    version: String,
}

impl ImageName {
    pub(crate) fn repository(&self) -> &str {
        &self.repository
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

impl FromStr for ImageName {
    type Err = Error;

    /// Reads `postgres`, `registry:5000/team/postgres:17` or `postgres@sha256:…`.
    ///
    /// Which characters may be where is left to Docker, which says so itself.
    fn from_str(text: &str) -> Result<Self> {
        if text.is_empty() {
            bail!("the name of an image is empty");
        }
        if text.contains(char::is_whitespace) {
            bail!("`{text}` is no name of an image: it contains a space");
        }
        let (repository, version) = match text.split_once('@') {
            Some((name, digest)) => match digest.split_once(':') {
                Some((algorithm, value)) if !name.is_empty() && !algorithm.is_empty() => {
                    (format!("{name}@{algorithm}"), value)
                }
                _ => bail!("`{text}` is no name of an image: a digest is like sha256:0123…"),
            },
            None => {
                // In front of the last slash, a colon leads to the port of a registry.
                let path_start = text.rfind('/').map_or(0, |slash| slash + 1);
                match text[path_start..].split_once(':') {
                    Some((name, tag)) => (format!("{}{name}", &text[..path_start]), tag),
                    None => (text.to_owned(), "latest"),
                }
            }
        };
        if version.is_empty() || repository.is_empty() || repository.ends_with('/') {
            bail!("`{text}` is no name of an image: nothing is next to the last `:` or `/`");
        }
        Ok(Self {
            repository,
            version: version.to_owned(),
        })
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.repository, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String) {
        let name: ImageName = text.parse().unwrap();
        (name.repository, name.version)
    }

    fn pair(repository: &str, version: &str) -> (String, String) {
        (repository.to_owned(), version.to_owned())
    }

    #[test]
    fn a_tag_follows_the_last_part_of_the_path() {
        assert_eq!(parts("postgres:17"), pair("postgres", "17"));
        assert_eq!(parts("local/postgres:15"), pair("local/postgres", "15"));
        assert_eq!(
            parts("localhost:5000/team/postgres:17-alpine"),
            pair("localhost:5000/team/postgres", "17-alpine")
        );
    }

    #[test]
    fn the_newest_is_meant_without_a_tag() {
        assert_eq!(parts("postgres"), pair("postgres", "latest"));
        assert_eq!(
            parts("localhost:5000/postgres"),
            pair("localhost:5000/postgres", "latest")
        );
    }

    #[test]
    fn a_digest_counts_also_next_to_a_tag() {
        assert_eq!(
            parts("postgres@sha256:0a1b"),
            pair("postgres@sha256", "0a1b")
        );
        assert_eq!(
            parts("localhost:5000/postgres:17@sha256:0a1b"),
            pair("localhost:5000/postgres:17@sha256", "0a1b")
        );
    }

    #[test]
    fn a_name_is_shown_as_docker_takes_it() {
        for (written, shown) in [
            ("postgres", "postgres:latest"),
            ("localhost:5000/a/b:1", "localhost:5000/a/b:1"),
            ("a:1@sha256:0a1b", "a:1@sha256:0a1b"),
        ] {
            let name: ImageName = written.parse().unwrap();
            assert_eq!(name.to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_name_is_told() {
        for wrong in [
            "",
            " ",
            "post gres",
            ":17",
            "postgres:",
            "team/",
            "team/:17",
            "@sha256:0a1b",
            "postgres@",
            "postgres@sha256",
            "postgres@:0a1b",
            "postgres@sha256:",
        ] {
            let error = wrong.parse::<ImageName>().unwrap_err().to_string();
            assert!(error.contains(wrong), "{wrong}: {error}");
        }
    }
}
