//! The mutation of a policy: a JSON patch whose indexes are computed.

use std::collections::BTreeSet;

use super::super::guard::{beginnings, pointer};
use super::change::Change;
use super::element::Elements;
use super::literal::{contains, literal};
use lossless_yaml::{NodeRef, Path, Step, Value};

/// Operations of a JSON patch, always needed or only while a condition is false.
struct PatchStep {
    unless: Option<String>,
    operations: Vec<String>,
}

/// Expression for the JSON patch. Applying it twice gives the same values.
pub(super) fn expression(elements: &Elements<'_, '_>, changes: &[Change]) -> Result<String, String> {
    let mut writer = Writer { elements, parts: Vec::new(), made: BTreeSet::new() };
    for change in changes {
        match change {
            Change::Put { path, new, .. } => writer.put(path, new)?,
            Change::Append { list, values } => writer.append(list, values)?,
        }
    }
    let part = |part: &PatchStep| {
        let operations: Vec<String> = part.operations.iter().map(|operation| format!("  {operation}")).collect();
        let operations = format!("[\n{}\n]", operations.join(",\n"));
        match &part.unless {
            Some(condition) => format!("({condition} ? [] : {operations})"),
            None => operations,
        }
    };
    // Removals come last: they change the indexes of later elements.
    Ok(writer.parts.iter().map(part).chain(elements.removals()?).collect::<Vec<_>>().join(" + "))
}

struct Writer<'e, 't, 's> {
    elements: &'e Elements<'t, 's>,
    parts: Vec<PatchStep>,
    /// Pointers of the collections that earlier operations make.
    made: BTreeSet<String>,
}

impl Writer<'_, '_, '_> {
    /// Adds operations, with the condition under which they are skipped.
    fn push(&mut self, unless: Option<String>, operations: Vec<String>) {
        match self.parts.last_mut().filter(|last| last.unless.is_none() && unless.is_none()) {
            Some(last) => last.operations.extend(operations),
            None => self.parts.push(PatchStep { unless, operations }),
        }
    }

    /// Adds an operation that sets a value.
    fn put(&mut self, path: &Path, new: &Value) -> Result<(), String> {
        self.create_missing_parents(path)?;
        // `add` replaces the value of a key; in a list it would insert an element.
        let op = if matches!(path.last(), Some(Step::Item { .. })) { "replace" } else { "add" };
        let operation = self.operation(op, path, "", new)?;
        self.push(None, vec![operation]);
        Ok(())
    }

    /// Adds operations that append values to a list if it lacks them.
    fn append(&mut self, list: &Path, values: &[Value]) -> Result<(), String> {
        self.create_missing_parents(list)?;
        self.create_collection(list, &Value::Seq(Vec::new()))?;
        let all = format!("{}.orValue([])", self.elements.optional(list));
        let words: Vec<&Value> = values.iter().filter(|value| matches!(value, Value::Str(_))).collect();
        // Words belong together: a flag and its value.
        if words.len() == values.len() {
            let mut there = Vec::new();
            for (position, word) in words.into_iter().enumerate() {
                let at =
                    if position == 0 { "x".to_owned() } else { format!("{all}[?i + {position}].orValue(dyn(null))") };
                there.push(format!("{at} == {}", literal(word)?));
            }
            let operations = values.iter().map(|value| self.operation("add", list, "/-", value));
            let operations = operations.collect::<Result<_, String>>()?;
            self.push(Some(format!("{all}.exists(i, x, {})", there.join(" && "))), operations);
            return Ok(());
        }
        for value in values {
            let there = match value {
                Value::Map(entries) => contains("x", entries)?,
                value => format!("x == {}", literal(value)?),
            };
            let operation = self.operation("add", list, "/-", value)?;
            self.push(Some(format!("{all}.exists(x, {there})")), vec![operation]);
        }
        Ok(())
    }

    /// Makes the mappings above a path that the planned object lacks.
    fn create_missing_parents(&mut self, path: &Path) -> Result<(), String> {
        for above in beginnings(&path.parent().unwrap_or_default()) {
            if self.elements.object.lookup(&above).is_none_or(NodeRef::is_null) {
                self.create_collection(&above, &Value::Map(Vec::new()))?;
            }
        }
        Ok(())
    }

    /// Adds an operation that creates a missing list or mapping.
    fn create_collection(&mut self, path: &Path, empty: &Value) -> Result<(), String> {
        if self.made.insert(pointer(path)) {
            let operation = self.operation("add", path, "", empty)?;
            self.push(Some(format!("{}.hasValue()", self.elements.optional(path))), vec![operation]);
        }
        Ok(())
    }

    /// CEL expression of a JSON patch operation.
    fn operation(&self, op: &str, path: &Path, end: &str, value: &Value) -> Result<String, String> {
        let path = self.elements.pointer(path, end);
        Ok(format!("JSONPatch{{op: \"{op}\", path: {path}, value: {}}}", literal(value)?))
    }
}
