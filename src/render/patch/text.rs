//! YAML text of a patch: commented operations.

use super::change::Change;
use super::object_patch::ObjectPatch;
use super::operation::Operation;
use lossless_yaml::Value;

impl ObjectPatch {
    /// The operations of the patch with explanatory comments.
    pub(super) fn operations(&self) -> String {
        let mut text = String::new();
        for Change { why, operations } in &self.changes {
            for line in why {
                text.push_str(&format!("# {line}\n"));
            }
            for operation in operations {
                push(&mut text, operation);
            }
        }
        text
    }
}

/// Adds an operation in YAML.
fn push(text: &mut String, operation: &Operation) {
    let op = ("op", Value::from(operation.op));
    let path = ("path", Value::from(operation.path.as_str()));
    let value = operation.value.as_ref();
    let block = match value {
        Some(Value::Str(lines)) => lossless_yaml::literal(lines, 4),
        _ => None,
    };
    if let Some(block) = block {
        // kustomize trims the end of a patch, including line breaks, so the value is never the last key.
        lossless_yaml::push_element(text, &Value::map([path]), 0, "\n");
        text.push_str(&format!("  value: {block}\n  op: {}\n", operation.op));
        return;
    }
    let value = value.map(|value| ("value", value.clone()));
    lossless_yaml::push_element(text, &Value::map([op, path].into_iter().chain(value)), 0, "\n");
}
