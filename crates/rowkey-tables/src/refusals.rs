//! Reasons against a change or a copy, collected before its first statement.

use crate::error::Error;

/// Reasons against an operation, each with what it is about.
#[derive(Debug)]
pub struct Refusals<About> {
    reasons: Vec<(About, Error)>,
}

impl<About> Default for Refusals<About> {
    fn default() -> Self {
        Self {
            reasons: Vec::new(),
        }
    }
}

impl<About> Refusals<About> {
    /// Adds a reason.
    pub fn add(&mut self, about: About, reason: Error) {
        self.reasons.push((about, reason));
    }

    /// Whether there is no reason so far.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// The reasons in their order.
    pub fn iter(&self) -> impl Iterator<Item = &(About, Error)> {
        self.reasons.iter()
    }

    /// Orders the reasons by what they are about.
    pub fn sort(&mut self)
    where
        About: Ord + Copy,
    {
        self.reasons.sort_by_key(|(about, _)| *about);
    }

    /// All reasons as one error, if there are any; a single one as it is.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for what was asked for, with what to do about it.
    pub fn result(mut self, what: &str, instead: &str) -> Result<(), Error> {
        if self.reasons.len() <= 1 {
            return self.reasons.pop().map_or(Ok(()), |(_, only)| Err(only));
        }
        let list = self.reasons.iter().map(|(_, one)| format!("\n* {one}"));
        let list: Vec<String> = list.collect();
        let why = format!("{} reasons are against it:{}", list.len(), list.concat());
        Err(Error::refused(what, why, instead))
    }
}

/// Reasons that need nothing besides their words.
impl FromIterator<Error> for Refusals<()> {
    fn from_iter<I: IntoIterator<Item = Error>>(reasons: I) -> Self {
        let reasons = reasons.into_iter().map(|reason| ((), reason));
        Self {
            reasons: reasons.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_in_the_error() {
        let reason = |what: &str| Error::refused(what, "it reads id", "drop it");
        let result = |reasons: &[&str]| {
            let refusals = reasons.iter().map(|what| reason(what));
            let refusals: Refusals<()> = refusals.collect();
            refusals.result("the change", "nothing was changed")
        };
        assert!(result(&[]).is_ok());
        let message = result(&["the view v"]).unwrap_err().to_string();
        assert_eq!(message, "the view v: it reads id; drop it");
        let message = result(&["the view v", "the rule r"]).unwrap_err();
        assert_eq!(
            message.to_string(),
            "the change: 2 reasons are against it:\n* the view v: it reads id; drop it\
             \n* the rule r: it reads id; drop it; nothing was changed"
        );
    }
}
