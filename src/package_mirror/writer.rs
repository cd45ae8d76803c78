//! Collects changes and findings.

use std::ops::Deref;

use super::lock::Reading;
use super::pinned::Pinned;
use crate::crossplane::Core;
use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Edit, Finding, Message, Plan};
use crate::rule::{Rule, Severity};
use lossless_yaml::{Path, Value};

pub(super) struct Writer<'m> {
    pub(super) reading: Reading<'m>,
    pub(super) core: Core,
    /// The packages to which the config applies, in reading order.
    pub(super) packages: Vec<ObjectId>,
    /// Packages that are pinned by their own ImageConfigs.
    pub(super) pins: Vec<Pinned>,
    pub(super) plan: Plan,
}

impl<'m> Deref for Writer<'m> {
    type Target = Reading<'m>;

    fn deref(&self) -> &Reading<'m> {
        &self.reading
    }
}

impl Writer<'_> {
    pub(super) fn add_finding(
        &mut self,
        severity: Severity,
        rule: Rule,
        message: impl Into<String>,
        object: Option<ObjectId>,
    ) {
        let finding = Finding::new(severity, rule, message);
        self.plan.findings.push(match object {
            Some(object) => finding.on_object(object),
            None => finding,
        });
    }

    /// `Provider provider-aws-s3`
    pub(super) fn display_name(&self, object: ObjectId) -> String {
        self.meta(object).map(ToString::to_string).unwrap_or_default()
    }

    pub(super) fn meta(&self, object: ObjectId) -> Option<&Meta> {
        self.model.object(object).map(|object| &object.meta)
    }

    /// The text that the run writes into a field; `None` if the field is unchanged.
    pub(super) fn planned_text(&self, object: ObjectId, path: &Path) -> Option<&str> {
        let mut edits = self.plan.edits.iter().filter(|edit| edit.object == object && edit.path == *path);
        edits.find_map(|edit| match &edit.change {
            Change::Set { new: Value::Str(new), .. } => Some(new.as_str()),
            _ => None,
        })
    }

    /// Replaces a text of an object.
    pub(super) fn set(&mut self, object: ObjectId, path: Path, (old, new): (&str, String), rule: Rule) {
        let message = Message::about(self.display_name(object), "", format_args!("{path} is {new}, was {old}"));
        let change = Change::Set { old: old.into(), new: Value::Str(new) };
        self.plan.edits.push(Edit { object, path, change, rule, message });
    }

    /// Sets a field of an object, existing or new.
    pub(super) fn put(&mut self, object: ObjectId, path: Path, old: Option<Value>, new: Value, rule: Rule) {
        let message = Message::about(self.display_name(object), "", format_args!("{path} is {new}"));
        let change = match old {
            Some(old) => Change::Set { old, new },
            None => Change::Add { new },
        };
        self.plan.edits.push(Edit { object, path, change, rule, message });
    }
}
