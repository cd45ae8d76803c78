//! Scalars as written in the manifest.

use lossless_yaml::{NodeRef, Value};

/// A scalar of a manifest. Small, because a large input has very many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// Text of the scalar, empty for null.
    pub text: Box<str>,
    pub(super) typed: Typed,
}

/// Type of a scalar, as YAML readers resolve it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Typed {
    Null,
    Bool(bool),
    Int(i64),
    Text,
    /// A template, which is a mapping or a list for YAML.
    Template,
}

impl Scalar {
    pub(in crate::model) fn read(node: NodeRef<'_, '_>) -> Option<Self> {
        let text = node.text()?;
        let (text, typed) = match value_of(node) {
            Value::Null => ("", Typed::Null),
            Value::Bool(value) => (text, Typed::Bool(value)),
            Value::Int(value) => (text, Typed::Int(value)),
            _ => (text, Typed::Text),
        };
        Some(Self { text: text.into(), typed })
    }

    /// A string.
    pub(in crate::model) fn string(text: &str) -> Self {
        Self { text: text.into(), typed: Typed::Text }
    }

    /// True for null.
    pub fn is_null(&self) -> bool {
        self.typed == Typed::Null
    }

    /// True for the number 0.
    pub fn is_zero(&self) -> bool {
        self.typed == Typed::Int(0)
    }

    /// True for a template, which is a mapping or a list for YAML.
    pub fn is_template(&self) -> bool {
        self.typed == Typed::Template
    }

    /// The value, with the type that YAML readers resolve.
    pub fn value(&self) -> Value {
        match self.typed {
            Typed::Null => Value::Null,
            Typed::Bool(value) => Value::Bool(value),
            Typed::Int(value) => Value::Int(value),
            Typed::Text | Typed::Template => Value::from(self.text.as_ref()),
        }
    }
}

/// The typed value of a scalar, for the old and new values of an edit.
pub(in crate::model) fn value_of(node: NodeRef<'_, '_>) -> Value {
    if node.is_null() {
        return Value::Null;
    }
    node.as_bool()
        .map(Value::Bool)
        .or_else(|| node.as_int().map(Value::Int))
        .unwrap_or_else(|| Value::from(node.text().unwrap_or_default()))
}
