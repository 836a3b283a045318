//! The words of an `enum` or a `set` of MySQL and MariaDB.

/// The words of `enum('a','it''s')`; none of other types.
pub fn members(sql_type: &str) -> Vec<String> {
    let mut members = Vec::new();
    let lower = sql_type.get(..5).unwrap_or_default().to_ascii_lowercase();
    if !lower.starts_with("enum(") && !lower.starts_with("set(") {
        return members;
    }
    let mut characters = sql_type.chars().peekable();
    let mut member: Option<String> = None;
    while let Some(character) = characters.next() {
        match (&mut member, character) {
            (None, '\'') => member = Some(String::new()),
            (None, ')') => break,
            (None, _) => {}
            (Some(word), '\'') if characters.next_if_eq(&'\'').is_some() => word.push('\''),
            (Some(_), '\'') => members.extend(member.take()),
            (Some(word), other) => word.push(other),
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        assert_eq!(members("enum('a','it''s',')','')"), ["a", "it's", ")", ""]);
        assert_eq!(members("SET('x') CHARACTER SET 'y'"), ["x"]);
        assert!(members("varchar(9)").is_empty());
    }
}
