//! Plans the move of one listener to another port number: its edits, or the findings that block the move.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::additions::Additions;
use super::policy_numbers::PolicySummaries;
use super::workload::Workload;
use super::workload_list_cache::WorkloadListCache;
use crate::model::listener::Listener;
use crate::model::reference::{AllPods, PodFields, references};
use crate::model::text::TextPlace;
use crate::model::{Model, ObjectId, PodTexts, WorkloadId};
use crate::plan::{Change, Edit, Finding, Message, Move};
use crate::rule::{self, Rule, Severity};
use lossless_yaml::{Path, Value};

/// Final numbers of listeners, moved or kept: by workload, old port number and protocol.
pub(super) type NewNumbers<'w> = BTreeMap<(WorkloadId, u16, &'w str), u16>;

/// Maximum number of findings that block one move.
pub(super) const MAX_BLOCKERS: usize = 10;

/// Move of one listener, with the data from which its edits are planned.
pub(super) struct MovePlanner<'m, 'a> {
    pub(super) model: &'m Model,
    pub(super) all: &'m AllPods<'a>,
    pub(super) workload: &'m Workload<'m>,
    pub(super) texts: &'m PodTexts<'m>,
    pub(super) listener: &'m Listener,
    pub(super) to: u16,
    pub(super) numbers: &'m NewNumbers<'m>,
    /// Port fields outside of pod templates that apply to the pods of the workload.
    pub(super) fields: &'m PodFields<'a>,
    /// Cache for messages: for a list of workloads, the names of the workloads that do not get the new port number.
    pub(super) staying: WorkloadListCache<Option<Rc<str>>>,
    /// Headless Services of the listener, each with the path of the first port that targets it.
    pub(super) headless: RefCell<BTreeMap<ObjectId, Path>>,
    /// Final numbers of the workloads that rules of network policies apply to.
    pub(super) summaries: &'m PolicySummaries,
    /// Edit texts that several listeners share.
    pub(super) shared_texts: &'m RefCell<HashSet<Arc<str>>>,
    /// `Deployment shop/web, container web, port http (8080)`
    pub(super) name: Arc<str>,
}

impl MovePlanner<'_, '_> {
    /// Creates the move of the listener, with its `edits`.
    pub(super) fn moved(&self, edits: Vec<Edit>) -> Move {
        let container = self.workload.container(self.listener).map(|container| container.name.clone());
        Move {
            workload: self.workload.id,
            container: container.unwrap_or_default(),
            port: self.listener.label.clone(),
            role: self.listener.role,
            from: self.listener.number,
            to: self.to,
            evidence: self.listener.evidence(),
            edits,
        }
    }

    /// `Deployment shop/web, container web, port http (8080)`
    pub(super) fn display_name(&self) -> &str {
        &self.name
    }

    /// Creates an edit. The message has `description`, the old port number and the new value, and the object if it is
    /// not the workload.
    pub(super) fn edit(&self, object: ObjectId, path: Path, change: Change, rule: Rule, description: &str) -> Edit {
        let other = self.model.object(object).filter(|_| object != self.workload.id.object);
        let new = match &change {
            Change::Set { new, .. } => new.to_string(),
            Change::Add { new: new @ (Value::Str(_) | Value::Int(_)) } if rule == rule::SERVICE_TARGET => {
                new.to_string()
            }
            _ => self.to.to_string(),
        };
        let text = format_args!("{description} {} -> {new}", self.listener.number);
        let message = match other {
            Some(other) => Message::about_other(&self.name, &other.meta, text),
            None => Message::about(self.workload.meta, self.workload.listener_detail(self.listener), text),
        };
        let message = match rule == rule::SERVICE_TARGET {
            // Share the text: many listeners may make the same change of a Service.
            true => message.share_text(&mut self.shared_texts.borrow_mut()),
            false => message,
        };
        Edit { object, path, change, rule, message }
    }

    /// Creates a finding about the listener that moves.
    pub(super) fn finding(&self, severity: Severity, rule: Rule, message: String) -> Finding {
        let finding = Finding::new(severity, rule, message).on_object(self.workload.id.object);
        finding.at(self.workload.field(self.listener)).of_port(self.listener.number)
    }

    /// All edits of the move; `None` if the move is blocked, with the reasons in `findings`.
    pub(super) fn edits(&self, additions: &mut Additions, findings: &mut Vec<Finding>) -> Option<Vec<Edit>> {
        let container = self.workload.container(self.listener)?;
        let mut edits = self.declared(container, additions);
        let (mut blockers, mut of_move) = (Vec::new(), Vec::new());
        match self.port_setting(additions, &mut of_move) {
            Ok(set) => edits.extend(set),
            Err(finding) => blockers.push(*finding),
        }
        for reference in references(self.all, self.workload.pods(), self.fields, self.texts, self.listener) {
            match self.edit_for_reference(reference, &mut of_move) {
                Ok(edit) => edits.extend(edit),
                // More findings would not help: a user fixes a few problems at a time.
                Err(_) if blockers.len() == MAX_BLOCKERS => break,
                Err(finding) => blockers.push(*finding),
            }
        }
        of_move.extend(self.headless_services());
        if blockers.is_empty() {
            findings.extend(of_move);
            edits.shrink_to_fit();
            return Some(edits);
        }
        findings.extend(blockers);
        None
    }

    /// Creates an edit that replaces the port number at a position in a text.
    pub(super) fn text_edit(&self, object: ObjectId, place: &TextPlace, rule: Rule, description: &str) -> Edit {
        let change = Change::Text { old: place.text.clone(), range: place.range.clone(), new: self.to };
        self.edit(object, place.path.clone(), change, rule, description)
    }
}
