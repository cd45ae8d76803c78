//! Text of an edit, with the bounds of its parts.

use std::fmt;
use std::ops::Range;

/// Text of an edit: subject, name of the changed object, description. A patch leaves out the name, since its target has
/// it, and a table leaves out the subject, since its row has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    text: String,
    /// Length of the subject with its separator.
    subject: usize,
    /// Range of the object's name with its separator; empty for a text without a separate name.
    name: Range<usize>,
}

impl Message {
    /// `NAME: TEXT`, or `NAME, DETAIL: TEXT` about a part of the object.
    ///
    /// ```
    /// # use hostnet::plan::Message;
    /// let message = Message::about("Deployment shop/web", "container web", "env is new");
    /// assert_eq!(message.to_string(), "Deployment shop/web, container web: env is new");
    /// assert_eq!(message.without_name(), "container web: env is new");
    /// assert_eq!(message.without_subject(), "env is new");
    /// ```
    #[must_use]
    pub fn about(name: impl fmt::Display, detail: impl fmt::Display, text: impl fmt::Display) -> Self {
        let mut all = format!("{name}, ");
        let name = 0..all.len();
        all.push_str(&detail.to_string());
        match all.len() == name.end {
            true => all.replace_range(all.len() - 2.., ": "),
            false => all.push_str(": "),
        }
        let subject = all.len();
        all.push_str(&text.to_string());
        Self { text: all, subject, name }
    }

    /// `SUBJECT: NAME TEXT`, for a change of another object than the subject.
    ///
    /// ```
    /// # use hostnet::plan::Message;
    /// let message = Message::about_other("Deployment shop/web", "Service shop/web", "targetPort 80 -> http");
    /// assert_eq!(message.to_string(), "Deployment shop/web: Service shop/web targetPort 80 -> http");
    /// assert_eq!(message.without_name(), "Deployment shop/web: targetPort 80 -> http");
    /// assert_eq!(message.without_subject(), "Service shop/web targetPort 80 -> http");
    /// ```
    #[must_use]
    pub fn about_other(subject: impl fmt::Display, name: impl fmt::Display, text: impl fmt::Display) -> Self {
        let mut all = format!("{subject}: ");
        let subject = all.len();
        all.push_str(&format!("{name} "));
        let name = subject..all.len();
        all.push_str(&text.to_string());
        Self { text: all, subject, name }
    }

    /// The text without the name of the changed object.
    #[must_use]
    pub fn without_name(&self) -> String {
        let mut text = self.text.clone();
        text.drain(self.name.clone());
        text
    }

    /// The text without its subject.
    #[must_use]
    pub fn without_subject(&self) -> &str {
        self.text.get(self.subject..).unwrap_or_default()
    }

    /// Appends to the description.
    pub fn push_str(&mut self, more: &str) {
        self.text.push_str(more);
    }

    /// The whole text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }
}

/// Text without separate parts.
impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
