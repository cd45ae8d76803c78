//! Values that edits write into a document.

use std::fmt;

use super::path::{Path, Step};

/// A YAML value without position or style. The writer chooses the style from the surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A string; quoted if a YAML 1.1 or 1.2 parser would otherwise read another type.
    Str(String),
    /// A scalar copied verbatim from another document, including quotes: values that parsers type
    /// differently (`0.5`, `2024-01-01`), and placeholders of unknown type.
    Raw(String),
    /// A sequence.
    Seq(Vec<Value>),
    /// A mapping in output order.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Creates a mapping with these entries, in this order.
    ///
    /// ```
    /// use lossless_yaml::Value;
    /// assert_eq!(Value::map([("port", Value::Int(80))]).to_string(), "{port: 80}");
    /// ```
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Replaces each scalar.
    pub fn map_scalars(self, replace: &impl Fn(Self) -> Self) -> Self {
        match self {
            Self::Seq(items) => Self::Seq(items.into_iter().map(|item| item.map_scalars(replace)).collect()),
            Self::Map(entries) => {
                Self::Map(entries.into_iter().map(|(key, value)| (key, value.map_scalars(replace))).collect())
            }
            scalar => replace(scalar),
        }
    }

    /// Returns the text of a string or of a scalar that is copied verbatim.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Str(text) | Self::Raw(text) = self { Some(text) } else { None }
    }

    /// Returns the elements of a sequence; empty for any other value.
    pub fn items(&self) -> &[Self] {
        if let Self::Seq(items) = self { items } else { &[] }
    }

    /// Returns the entries of a mapping; empty for any other value.
    pub fn entries(&self) -> &[(String, Self)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    /// Returns the value of a key in a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Returns the value at a path.
    pub fn lookup(&self, path: &Path) -> Option<&Self> {
        path.steps().into_iter().try_fold(self, |value, step| match (step, value) {
            (Step::Key(key), _) => value.get(key),
            (Step::Item { index, .. }, Self::Seq(items)) => items.get(*index),
            (Step::Item { .. }, _) => None,
        })
    }
}

/// Formats the value for messages.
///
/// ```
/// use lossless_yaml::Value;
/// let value = Value::Map(vec![("ports".into(), Value::Seq(vec![Value::Int(80), "web".into(), Value::Null]))]);
/// assert_eq!(value.to_string(), "{ports: [80, web, null]}");
/// ```
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Str(text) | Self::Raw(text) => f.write_str(text),
            Self::Seq(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u16> for Value {
    fn from(value: u16) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
