//! Parts of SQL that a catalogue shows.

use rowkey_core::Backend;
use rowkey_tables::catalog::Table;

use crate::engine::engine;

/// The places of the characters outside quotes, with how many parentheses are open before each.
fn outside_quotes(text: &str) -> Vec<(usize, char, usize)> {
    let (mut found, mut end, mut depth) = (Vec::new(), None, 0_usize);
    for (place, character) in text.char_indices() {
        match (end, character) {
            (Some(quote), _) if character == quote => end = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => end = Some(character),
            (None, '[') => end = Some(']'),
            (None, _) => {
                if character == ')' {
                    depth = depth.saturating_sub(1);
                }
                found.push((place, character, depth));
                if character == '(' {
                    depth += 1;
                }
            }
        }
    }
    found
}

/// What follows the name of the table in the definition of an index.
pub(crate) fn behind_table(source: Backend, definition: &str) -> Option<&str> {
    let words = engine(source).definitions.before_columns;
    let places = outside_quotes(definition);
    let mut places = places.into_iter().map(|(place, ..)| place);
    let start = places.find(|place| definition[*place..].starts_with(words))?;
    Some(&definition[start..])
}

/// What is in the parentheses that a text begins with, and what follows them.
pub(crate) fn first_group(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('(')?;
    let places = outside_quotes(text);
    let mut places = places.iter();
    let (end, ..) = places.find(|(_, character, depth)| (*character, *depth) == (')', 0))?;
    Some((&inside[..end - 1], &text[end + 1..]))
}

/// The parts of a text between separators outside quotes and parentheses, in any letters.
pub(crate) fn separated<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (place, _, depth) in outside_quotes(text) {
        let here = text.get(place..place + separator.len());
        let is_here = here.is_some_and(|here| here.eq_ignore_ascii_case(separator));
        if depth == 0 && place >= start && is_here {
            parts.push(&text[start..place]);
            start = place + separator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A text with a name instead of a word outside quotes.
pub(crate) fn with_name(text: &str, word: &str, name: &str) -> String {
    let is_inside = |character: Option<char>| {
        character.is_some_and(|character| character.is_alphanumeric() || "_$.".contains(character))
    };
    let (mut written, mut start) = (String::new(), 0);
    for (place, ..) in outside_quotes(text) {
        let Some(behind) = text[place..].strip_prefix(word) else {
            continue;
        };
        if !is_inside(text[..place].chars().next_back()) && !is_inside(behind.chars().next()) {
            written += &text[start..place];
            written += name;
            start = place + word.len();
        }
    }
    written + &text[start..]
}

/// The columns of a table whose names a text contains, and perhaps others.
pub(crate) fn mentioned(table: &Table, text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let is_inside = |character: Option<char>| {
        character.is_some_and(|character| character.is_alphanumeric() || "_$".contains(character))
    };
    let is_mentioned = |name: &&String| {
        let name = name.to_lowercase();
        text.match_indices(&name).any(|(place, _)| {
            let behind = text[place + name.len()..].chars().next();
            !is_inside(text[..place].chars().next_back()) && !is_inside(behind)
        })
    };
    let names = table.columns.iter().map(|column| &column.name);
    names.filter(is_mentioned).cloned().collect()
}

/// A text without the parentheses around all of it.
pub(crate) fn without_parentheses(text: &str) -> &str {
    let text = text.trim();
    match first_group(text) {
        Some((inside, behind)) if behind.trim().is_empty() => without_parentheses(inside),
        _ => text,
    }
}

/// A name at the beginning of a text, and what follows it.
pub(crate) fn split_name(source: Backend, text: &str) -> Option<(String, &str)> {
    let end = match text.chars().next()? {
        quote @ ('"' | '`') => {
            let end = text[1..].find(quote)? + 1;
            // A quote within a name is rare, and then the index is not understood.
            let behind = &text[end + 1..];
            return (!behind.starts_with(quote))
                .then(|| (text[1..end].to_owned(), behind.trim_start()));
        }
        '[' if engine(source).definitions.has_bracketed_names => {
            let end = text.find(']')?;
            return Some((text[1..end].to_owned(), text[end + 1..].trim_start()));
        }
        _ => text.find(|character: char| !(character.is_alphanumeric() || character == '_')),
    };
    let (name, behind) = text.split_at(end.unwrap_or(text.len()));
    let is_name = !name.is_empty() && (behind.is_empty() || behind.starts_with(' '));
    is_name.then(|| (name.to_owned(), behind.trim_start()))
}
