//! Text of an edit, with the bounds of its parts.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Text of an edit: subject, name of the changed object, description. A patch leaves out the name, since its target has
/// it, and a table leaves out the subject, since its row has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// Subject that is not the changed object. Shared: a plan may have a million edits, of few subjects.
    subject: Option<Arc<str>>,
    /// The text after the subject. Shared: many subjects may change one field.
    text: Arc<str>,
    /// End offset, in `text`, of the object's name with its separator; 0 for a text without a
    /// separate name.
    name: u32,
    /// Start offset of the description in `text`.
    description: u32,
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
    pub fn about(name: impl fmt::Display, detail: impl fmt::Display, text: impl fmt::Display) -> Self {
        let mut all = format!("{name}, ");
        let name = all.len();
        all.push_str(&detail.to_string());
        match all.len() == name {
            true => all.replace_range(all.len() - 2.., ": "),
            false => all.push_str(": "),
        }
        let description = all.len();
        all.push_str(&text.to_string());
        Self { subject: None, text: all.into(), name: end(name), description: end(description) }
    }

    /// `SUBJECT: NAME TEXT`, for a change of another object than the subject.
    ///
    /// ```
    /// # use hostnet::plan::Message;
    /// let subject = "Deployment shop/web".into();
    /// let message = Message::about_other(&subject, "Service shop/web", "targetPort 80 -> http");
    /// assert_eq!(message.to_string(), "Deployment shop/web: Service shop/web targetPort 80 -> http");
    /// assert_eq!(message.without_name(), "Deployment shop/web: targetPort 80 -> http");
    /// assert_eq!(message.without_subject(), "Service shop/web targetPort 80 -> http");
    /// ```
    pub fn about_other(subject: &Arc<str>, name: impl fmt::Display, text: impl fmt::Display) -> Self {
        let mut all = format!("{name} ");
        let name = all.len();
        all.push_str(&text.to_string());
        Self { subject: Some(Arc::clone(subject)), text: all.into(), name: end(name), description: 0 }
    }

    /// Replaces the text by an equal one in `known`, or adds the text there, so that many messages share one text.
    pub fn share_text(mut self, known: &mut HashSet<Arc<str>>) -> Self {
        match known.get(&self.text) {
            Some(text) => self.text = Arc::clone(text),
            None => _ = known.insert(Arc::clone(&self.text)),
        }
        self
    }

    /// The text without the name of the changed object.
    pub fn without_name(&self) -> String {
        let rest = self.text.get(self.name as usize..).unwrap_or_default();
        self.subject.as_ref().map_or_else(|| rest.to_owned(), |subject| format!("{subject}: {rest}"))
    }

    /// The text without its subject.
    pub fn without_subject(&self) -> &str {
        self.text.get(self.description as usize..).unwrap_or_default()
    }

    /// Appends to the description.
    pub fn push_str(&mut self, more: &str) {
        self.text = format!("{}{more}", self.text).into();
    }
}

/// End of a part; texts are shorter than 4 GB.
fn end(end: usize) -> u32 {
    u32::try_from(end).unwrap_or(u32::MAX)
}

/// Text without separate parts.
impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = &self.subject {
            write!(f, "{subject}: ")?;
        }
        f.write_str(&self.text)
    }
}
