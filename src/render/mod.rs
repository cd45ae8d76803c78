//! A plan as edits of documents, as patches and as results. Every output renders the same plan.

pub mod catalog;
mod fold;
mod once;
mod ops;
mod order;
pub mod patch;
pub mod ports;
pub mod report;
mod results;

pub use ops::{NewDocument, Ops, ops};
pub use results::{Objects, Outcome, Source, results};

use crate::yaml::Value;

/// A value as a person reads it in a message.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Str(text) | Value::Raw(text) => text.clone(),
        Value::Seq(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key}: {}", plain(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}
