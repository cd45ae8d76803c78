//! Numbers and hosts in the texts of a `ConfigMap`.

use std::sync::Arc;

use crate::model::text::Number;

/// Port number in a `ConfigMap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigNumber {
    /// The key of the data.
    pub key: String,
    /// Port number.
    pub port: u16,
    /// The line of the text, counted from 1.
    pub line: usize,
}

/// Number after a host name in a `ConfigMap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct DialledLine {
    /// The key of the data.
    pub(in crate::model) key: Arc<str>,
    /// Text of the key.
    pub(in crate::model) text: Arc<str>,
    /// Number with its position in the text.
    pub(in crate::model) number: Number,
    /// The host.
    pub(in crate::model) host: Box<str>,
    /// The line of the text, counted from 1.
    pub(in crate::model) line: usize,
}
