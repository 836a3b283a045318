//! A query in parts, for a driver to send in its own way.

use std::fmt::Display;

/// A driver's values for parameters.
pub(crate) trait Parameters: Sized {
    type Param;
}

/// SQL text with parameters in it.
///
/// What stands for a parameter in the text differs from driver to driver and is theirs to write.
pub(crate) struct Query<D: Parameters> {
    parts: Vec<Part<D>>,
}

pub(crate) enum Part<D: Parameters> {
    Text(String),
    Param(D::Param),
}

impl<D: Parameters> Query<D> {
    pub(crate) fn new(text: impl Display) -> Self {
        let mut query = Self { parts: Vec::new() };
        query.push(text);
        query
    }

    /// Appends text.
    pub(crate) fn push(&mut self, text: impl Display) -> &mut Self {
        self.parts.push(Part::Text(text.to_string()));
        self
    }

    /// Appends a parameter.
    pub(crate) fn push_param(&mut self, param: D::Param) -> &mut Self {
        self.parts.push(Part::Param(param));
        self
    }

    /// The same query after some text.
    pub(crate) fn after(mut self, text: impl Display) -> Self {
        self.parts.insert(0, Part::Text(text.to_string()));
        self
    }

    pub(crate) fn into_parts(self) -> Vec<Part<D>> {
        self.parts
    }
}
