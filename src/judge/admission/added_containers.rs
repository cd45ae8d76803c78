//! Containers with ports that rules of Kyverno's policies add to pods (`mutate`).
//!
//! Source: kyverno/kyverno@111e07bbe `api/kyverno/v1/rule_types.go` (`patchStrategicMerge`, `patchesJson6902`).

use super::answer::Answer;
use super::conditions;
use super::kyverno::matches_block;
use super::read::{at, items, text};
use super::subject::Pods;
use crate::catalog::is_namespace_exempt;
use crate::model::facts::{AddedPort, PodsView};
use crate::model::{Meta, Model, ObjectId};
use lossless_yaml::{Path, Tree, Value};

/// A rule that adds containers to pods.
pub struct AddedContainers<'m> {
    /// Id of the policy.
    pub id: ObjectId,
    /// Identity of the policy.
    pub meta: &'m Meta,
    /// Ports of the containers.
    pub ports: Vec<AddedPort>,
    /// Ports whose `hostPort` differs from the container port: path, container port and host port.
    pub mapped: Vec<(Path, u16, u16)>,
    rule: &'m Value,
}

impl<'m> AddedContainers<'m> {
    /// All rules that add containers with ports.
    pub fn all(model: &'m Model) -> Vec<Self> {
        let is_policy =
            |meta: &Meta| meta.gvk.group == "kyverno.io" && matches!(&*meta.gvk.kind, "ClusterPolicy" | "Policy");
        let mut found = Vec::new();
        for (id, meta, object) in model.admission_objects().filter(|(_, meta, _)| is_policy(meta)) {
            for (index, rule) in items(object, &["spec", "rules"]).iter().enumerate() {
                // `targets` are existing objects.
                let Some(mutate) = at(rule, &["mutate"]).filter(|mutate| at(mutate, &["targets"]).is_none()) else {
                    continue;
                };
                let path = Path::dotted("spec.rules").named_item(index, text(rule, &["name"])).key("mutate");
                let mut added = Self { id, meta, ports: Vec::new(), mapped: Vec::new(), rule };
                if let Some(patch) = at(mutate, &["patchStrategicMerge"]) {
                    added.collect(patch, &path.key("patchStrategicMerge"));
                }
                added.collect_operations(mutate, &path.key("patchesJson6902"));
                if !added.ports.is_empty() {
                    found.push(added);
                }
            }
        }
        found
    }

    /// True if the rule certainly applies to these pods or to their controller.
    pub fn is_for(&self, model: &Model, view: PodsView<'_>) -> bool {
        let namespace = view.namespace().filter(|namespace| !namespace.is_empty());
        let is_elsewhere = self.meta.namespace.is_some() && self.meta.namespace.as_deref() != namespace;
        if is_elsewhere || namespace.is_some_and(|namespace| is_namespace_exempt("kyverno", namespace)) {
            return false;
        }
        let pods = Pods::as_written(view);
        pods.subjects().into_iter().any(|subject| {
            let applies = [
                matches_block(model, subject, at(self.rule, &["match"])),
                matches_block(model, subject, at(self.rule, &["exclude"])).not(),
                conditions::evaluate(subject, at(self.rule, &["preconditions"])),
            ];
            Answer::all(applies).value == Some(true)
        })
    }

    /// Collects the ports of new containers in a patch: containers with an image, and without an anchor such as
    /// `(name)`.
    fn collect(&mut self, change: &Value, base: &Path) {
        for (key, value) in change.entries() {
            let path = base.key(key.clone());
            if !matches!(key.as_str(), "containers" | "initContainers") {
                self.collect(value, &path);
                continue;
            }
            for (index, container) in value.items().iter().enumerate() {
                // Plain init containers end before other containers listen.
                if key == "containers" || text(container, &["restartPolicy"]) == Some("Always") {
                    let list = path.named_item(index, text(container, &["name"])).key("ports");
                    self.add(container, |port, name| list.named_item(port, name));
                }
            }
        }
    }

    /// Collects the ports of containers that operations of RFC 6902 add.
    fn collect_operations(&mut self, mutate: &Value, path: &Path) {
        let Some(operations) = text(mutate, &["patchesJson6902"]) else { return };
        let operations = Tree::parse(operations).ok().and_then(|tree| tree.root(0)?.to_value());
        for operation in operations.iter().flat_map(Value::items) {
            let is_list = |to: &str| to.contains("/containers/") && !to.contains("/ports");
            if text(operation, &["path"]).is_some_and(is_list) {
                let Some(container) = at(operation, &["value"]) else { continue };
                self.add(container, |_, _| path.clone());
            }
        }
    }

    /// Adds the ports of a container, unless the patch only changes an existing container.
    fn add(&mut self, container: &Value, path: impl Fn(usize, Option<&str>) -> Path) {
        let is_anchor = |key: &str| key.contains('(');
        let is_new = at(container, &["image"]).is_some() && !container.entries().iter().any(|(key, _)| is_anchor(key));
        if !is_new {
            return;
        }
        for (index, port) in items(container, &["ports"]).iter().enumerate() {
            let number = |key: &str| match at(port, &[key]) {
                Some(Value::Int(number)) => u16::try_from(*number).ok().filter(|number| *number > 0),
                _ => None,
            };
            let Some(own) = number("containerPort") else { continue };
            let path = path(index, text(port, &["name"]));
            if let Some(host) = number("hostPort").filter(|host| *host != own) {
                self.mapped.push((path.clone(), own, host));
            }
            self.ports.push((path, own, text(port, &["protocol"]).unwrap_or("TCP").to_owned()));
        }
    }
}
