//! Text at compile time: put together for a panic that names names, and compared.

/// Text of at most 1 KiB.
pub(crate) struct Message {
    bytes: [u8; 1024],
    len: usize,
}

impl Message {
    pub(crate) const EMPTY: Self = Self {
        bytes: [0; 1024],
        len: 0,
    };

    /// The message with a text behind it, unless there is no room for the whole text.
    pub(crate) const fn and(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.len + text.len() <= self.bytes.len() {
            let mut index = 0;
            while index < text.len() {
                self.bytes[self.len] = text[index];
                self.len += 1;
                index += 1;
            }
        }
        self
    }

    pub(crate) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // Only whole texts are in it.
            Err(_) => "",
        }
    }
}

/// `==` of texts, for constants.
pub(crate) const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}
