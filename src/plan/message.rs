//! Text of an edit, with the bounds of its parts.

use std::fmt;

/// Text of an edit: subject, name of the changed object, description. A patch leaves out the name, since its target has
/// it, and a table leaves out the subject, since its row has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// Without spare capacity: a plan may have a million edits.
    text: Box<str>,
    /// End of the subject with its separator.
    subject: u32,
    /// End of the object's name with its separator. The name starts the text, or follows the subject if it ends after
    /// the subject; 0 for a text without a separate name.
    name: u32,
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
        let name = all.len();
        all.push_str(&detail.to_string());
        match all.len() == name {
            true => all.replace_range(all.len() - 2.., ": "),
            false => all.push_str(": "),
        }
        let subject = all.len();
        all.push_str(&text.to_string());
        Self::new(all, subject, name)
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
        let name = all.len();
        all.push_str(&text.to_string());
        Self::new(all, subject, name)
    }

    fn new(text: String, subject: usize, name: usize) -> Self {
        let end = |end: usize| u32::try_from(end).unwrap_or(u32::MAX);
        Self { text: text.into(), subject: end(subject), name: end(name) }
    }

    /// The text without the name of the changed object.
    #[must_use]
    pub fn without_name(&self) -> String {
        let start = if self.name > self.subject { self.subject } else { 0 };
        let before = self.text.get(..start as usize).unwrap_or_default();
        before.to_owned() + self.text.get(self.name as usize..).unwrap_or_default()
    }

    /// The text without its subject.
    #[must_use]
    pub fn without_subject(&self) -> &str {
        self.text.get(self.subject as usize..).unwrap_or_default()
    }

    /// Appends to the description.
    pub fn push_str(&mut self, more: &str) {
        self.text = format!("{}{more}", self.text).into();
    }

    /// The whole text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text.into()
    }
}

/// Text without separate parts.
impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::new(text, 0, 0)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
