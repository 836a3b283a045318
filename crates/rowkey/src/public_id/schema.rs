//! The text of public ids as schemas describe it.

pub(super) struct TextSchema {
    pub(super) pattern: &'static str,
    pub(super) example: &'static str,
}

/// The text of a public id, in any form that is read.
pub(super) const PUBLIC_ID: TextSchema = TextSchema {
    pattern: "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}|[0-9A-Za-z]{22})$",
    example: "30322474-a954-ffa9-941c-6f038afe4ff1",
};

pub(super) const SEALED_ID: TextSchema = TextSchema {
    pattern: "^[0-9A-Za-z]{44}$",
    example: "DGQyDpdqtT74sfUADQKiJI4Nj4AfUAbxVL6GQQqXKQqw",
};
