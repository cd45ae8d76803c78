//! What changes: the containers of selected workloads and packages.

use std::collections::{BTreeMap, BTreeSet};

use super::core::{Crossplane, dialer_of, is_core};
use super::facts::{Data, ProxyFacts};
use super::merge::{Asked, Change as VariableChange, Known, Merged, merge};
use super::packages;
use super::select::ProxyTargets;
use super::variables::{Held, Key, Variables, escaped};
use super::wanted::{Role, entries, instead_of_service};
use crate::api::{Proxy, ProxyEnvironmentSpec, ProxySource, ProxyTarget};
use crate::catalog::{Compares, Dials};
use crate::model::{Model, ObjectId};
use crate::plan::{Change, Edit, Finding, Plan, Severity, config, rule};
use crate::yaml::{Path, Value};

/// A container, and how messages call it.
pub(super) struct Place {
    pub(super) object: ObjectId,
    pub(super) path: Path,
    /// `Deployment shop/web: container web`
    pub(super) call: String,
    pub(super) namespace: Option<String>,
}

/// Decides what to do with the objects of a model.
#[must_use]
pub fn plan(model: &Model, facts: &ProxyFacts, targets: &ProxyTargets<'_>) -> Plan {
    let mut plan = Plan::default();
    let chosen = targets.choose(model, &mut plan.findings);
    config::among_objects(model, &mut plan.findings);
    let crossplane = Crossplane::of(model, facts, Some(targets.config));
    let selected: BTreeSet<ObjectId> = chosen.workloads.iter().map(|(id, _)| *id).collect();
    let mut writer = Writer {
        model,
        facts,
        spec: &targets.config.proxy.spec,
        crossplane,
        selected,
        plan,
        maps: BTreeMap::new(),
        secrets: BTreeSet::new(),
    };
    for (id, target) in &chosen.workloads {
        writer.workload(*id, target);
    }
    packages::write(&mut writer, &chosen.packages);
    writer.write_maps();
    super::urls::report(targets.config, &mut writer.plan.findings);
    writer.plan
}

pub(super) struct Writer<'m> {
    pub(super) model: &'m Model,
    pub(super) facts: &'m ProxyFacts,
    pub(super) spec: &'m ProxyEnvironmentSpec,
    pub(super) crossplane: Crossplane,
    /// The workloads that targets select.
    selected: BTreeSet<ObjectId>,
    pub(super) plan: Plan,
    /// Keys of ConfigMaps that grow, by object, and what they hold by now.
    maps: BTreeMap<(ObjectId, String), (String, String)>,
    /// Secrets that were spoken of.
    secrets: BTreeSet<(Option<String>, String, String)>,
}

impl Writer<'_> {
    fn workload(&mut self, id: ObjectId, target: &ProxyTarget) {
        let Some(object) = self.model.object(id) else { return };
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (index, template) in object.templates().iter().enumerate() {
            for (position, container) in template.containers.iter().enumerate() {
                let named = target.containers.contains(&container.name);
                if named {
                    seen.insert(&container.name);
                }
                let idle = dialer_of(container).filter(|dialer| dialer.dials == Dials::ApiServer);
                if !named && !target.containers.is_empty() {
                    continue;
                }
                let call = format!("{}: container {}", object.meta, container.name);
                if let Some(dialer) = idle.filter(|_| !named) {
                    let message = format!("{call} gets no variables: {} calls the API server alone", dialer.name);
                    self.say(Severity::Info, rule::PROXY_VARIABLE, message, id);
                    continue;
                }
                let Some(variables) = self.facts.container(id, index, position) else { continue };
                let role = if is_core(container) { Role::Core } else { Role::Other };
                let namespace = object.meta.namespace.clone();
                let place = Place { object: id, path: container.path.clone(), call, namespace };
                if role == Role::Core && !self.core_is_known(&place) {
                    continue;
                }
                let merged = self.merged(&place, variables, target, role, false);
                let mut edits = Vec::new();
                if role == Role::Core && !merged.changes.is_empty() {
                    let namespace = self.crossplane.namespace.as_deref().unwrap_or_default();
                    let message = format!(
                        "{}: the entry `.{namespace}` excludes functions by name, those too that are installed later; other Services of that \
                         namespace are direct as well",
                        place.call
                    );
                    self.say(Severity::Info, rule::PROXY_VARIABLE, message, id);
                }
                env_edits(&place, variables, merged, &mut edits);
                self.plan.edits.extend(edits);
            }
        }
        for name in target.containers.iter().filter(|name| !seen.contains(name.as_str())) {
            let message = format!("{}: it has no container {name}, which its target names", object.meta);
            self.say(Severity::Warning, rule::UNMATCHED, message, id);
        }
    }

    pub(super) fn say(&mut self, severity: Severity, rule: rule::Rule, message: String, object: ObjectId) {
        self.plan.findings.push(Finding::new(severity, rule, message).on(object));
    }

    /// What functions need, which only the config can say.
    fn core_is_known(&mut self, place: &Place) -> bool {
        let cluster = &self.spec.cluster;
        if self.crossplane.namespace.is_none() {
            let message = format!(
                "{}: in which namespace it runs is not known, so its functions cannot be excluded. Write `crossplane: {{namespace: \
                 crossplane-system}}` in the spec",
                place.call
            );
            self.say(Severity::Error, rule::PROXY_REACH, message, place.object);
            return false;
        }
        if cluster.pods.is_empty() {
            let why = "compares NO_PROXY with the addresses of functions' pods and with no name: without their range each call of a \
                       function goes to the proxy. Write `cluster: {pods: [10.244.0.0/16]}` in the spec, with your range";
            match self.crossplane.compares() {
                Some(Compares::Names) => {}
                Some(Compares::Addresses) => {
                    let message = format!("{}: {} {why}", place.call, self.crossplane.core.call());
                    self.say(Severity::Error, rule::PROXY_REACH, message, place.object);
                    return false;
                }
                None => {
                    let message = format!(
                        "{}: nothing says which version of Crossplane it is, and one up to v1.19 {why}; or say the version with `crossplane: {{version: v2.3.4}}`",
                        place.call
                    );
                    self.say(Severity::Warning, rule::PROXY_REACH, message, place.object);
                }
            }
        }
        if self.crossplane.functions_on_nodes
            && cluster.nodes.is_empty()
            && self.crossplane.compares() != Some(Compares::Names)
        {
            let message = format!(
                "{}: functions run on the host network, and their addresses are those of nodes: a Crossplane up to v1.19 needs the nodes' \
                 range. Write `cluster: {{nodes: [...]}}` in the spec",
                place.call
            );
            self.say(Severity::Warning, rule::PROXY_REACH, message, place.object);
        }
        true
    }

    /// What becomes of a container's variables; what is said of them is among the findings then.
    pub(super) fn merged(
        &mut self,
        place: &Place,
        variables: &Variables,
        target: &ProxyTarget,
        role: Role,
        unique: bool,
    ) -> Merged {
        let asked = Asked {
            http: self.spec.http_proxy.as_ref().map(held),
            https: self.spec.https_proxy.as_ref().map(held),
            entries: entries(self.spec, target, role, &self.crossplane),
            instead_of_service: instead_of_service(&self.spec.cluster),
            case: self.spec.case,
            existing: self.spec.existing,
            unique,
        };
        for held in [&asked.http, &asked.https].into_iter().flatten() {
            self.secret(place, held);
        }
        let known = Objects { writer: self, namespace: place.namespace.as_deref() };
        let merged = merge(variables, &asked, &known);
        for (severity, rule, message) in &merged.said {
            let glue = if message.starts_with("stays") { " " } else { ": " };
            let message = format!("{}{glue}{message}", place.call);
            self.plan.findings.push(Finding::new(*severity, *rule, message).on(place.object).at(place.path.key("env")));
        }
        if let Some((key, text)) = &merged.map
            && let Some(data) = self.facts.data("ConfigMap", place.namespace.as_deref(), &key.name)
        {
            let old = data
                .keys
                .iter()
                .find(|(own, _)| *own == key.key)
                .and_then(|(_, text)| text.clone())
                .unwrap_or_default();
            let entry = self.maps.entry((data.object, key.key.clone()));
            let (_, grown) = entry.or_insert_with(|| (old.clone(), old));
            *grown = super::list::united(grown, super::list::entries(text));
        }
        merged
    }

    /// A Secret has to be in the namespace of the pods.
    fn secret(&mut self, place: &Place, held: &Held) {
        let (kind, key) = match held {
            Held::Secret(key) => ("Secret", key),
            Held::ConfigMap(key) => ("ConfigMap", key),
            Held::Text(_) | Held::Elsewhere => return,
        };
        let namespace = place.namespace.as_deref();
        if !self.secrets.insert((place.namespace.clone(), key.name.clone(), key.key.clone())) {
            return;
        }
        let at = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
        if let Some(data) = self.facts.data(kind, namespace, &key.name) {
            if !data.keys.iter().any(|(own, _)| *own == key.key) {
                let message =
                    format!("{}: {kind} {at}{} has no key {}, which holds the proxy", place.call, key.name, key.key);
                self.say(Severity::Error, rule::PROXY_OPAQUE, message, place.object);
            }
            return;
        }
        let elsewhere = self.facts.namespaces(kind, &key.name).flatten().min();
        let (severity, message) = match (elsewhere, namespace) {
            (Some(other), Some(_)) => (
                Severity::Error,
                format!(
                    "{}: {kind} {} is in namespace {other}, and pods read only those of their own: it has to be in {at}{}",
                    place.call, key.name, key.name
                ),
            ),
            _ => (
                Severity::Info,
                format!(
                    "{}: {kind} {at}{} is not in the input: it has to be there, with the key {}, before the pods start",
                    place.call, key.name, key.key
                ),
            ),
        };
        self.say(severity, rule::PROXY_OPAQUE, message, place.object);
    }

    fn write_maps(&mut self) {
        for ((object, key), (old, new)) in std::mem::take(&mut self.maps) {
            if old == new {
                continue;
            }
            let name = self.model.object(object).map(|object| object.meta.to_string()).unwrap_or_default();
            let message = format!("{name}: {key} {old} -> {new}");
            let change = Change::Set { old: Value::Str(old), new: Value::Str(new) };
            let path = Path::root().key("data").key(key);
            self.plan.edits.push(Edit { object, path, change, rule: rule::PROXY_VARIABLE, message });
        }
    }
}

/// What a proxy of the config is in a container.
fn held(proxy: &Proxy) -> Held {
    let key = |reference: &crate::api::KeyRef| Key { name: reference.name.clone(), key: reference.key.clone() };
    match proxy {
        Proxy::Url(url) => Held::Text(escaped(url)),
        Proxy::From(ProxySource { config_map_key_ref: Some(reference), .. }) => Held::ConfigMap(key(reference)),
        Proxy::From(source) => {
            source.secret_key_ref.as_ref().map_or(Held::Elsewhere, |reference| Held::Secret(key(reference)))
        }
    }
}

/// The changes of a container's variables as edits of its object.
pub(super) fn env_edits(place: &Place, variables: &Variables, merged: Merged, edits: &mut Vec<Edit>) {
    let list = place.path.key("env");
    let mut push = |path: Path, change: Change, message: String| {
        edits.push(Edit { object: place.object, path, change, rule: rule::PROXY_VARIABLE, message });
    };
    let mut end = variables.len.unwrap_or(0);
    if variables.len.is_none() && !variables.is_null && !merged.changes.is_empty() {
        push(list.clone(), Change::Add { new: Value::Seq(Vec::new()) }, format!("{}: env is new", place.call));
    }
    for (name, change) in merged.changes {
        let message = format!("{}: {}", place.call, change.shown(&name));
        let at = |index: usize| list.named_item(index, Some(&name));
        match change {
            VariableChange::Set(index, old, new) => {
                push(at(index).key("value"), Change::Set { old: Value::Str(old), new: Value::Str(new) }, message);
            }
            VariableChange::Give(index, new) => {
                push(at(index).key("value"), Change::Add { new: Value::Str(new) }, message);
            }
            VariableChange::Replace(index, held) => {
                let old =
                    variables.own.iter().find(|own| own.index == index).map_or(Value::Null, |own| own.held.item(&name));
                push(at(index), Change::Set { old, new: held.item(&name) }, message);
            }
            VariableChange::Append(held) => {
                push(at(end), Change::Add { new: held.item(&name) }, message);
                end += 1;
            }
        }
    }
}

/// The objects that variables of a container come from.
struct Objects<'w, 'm> {
    writer: &'w Writer<'m>,
    namespace: Option<&'w str>,
}

impl Objects<'_, '_> {
    fn map(&self, name: &str) -> Option<&Data> {
        self.writer.facts.data("ConfigMap", self.namespace, name)
    }
}

impl Known for Objects<'_, '_> {
    fn text(&self, key: &Key) -> Option<&str> {
        self.map(&key.name)?.keys.iter().find(|(own, _)| *own == key.key)?.1.as_deref()
    }

    fn why_not(&self, key: &Key) -> Option<String> {
        if self.map(&key.name)?.immutable {
            return Some("it is immutable".to_owned());
        }
        let readers = self.writer.model.readers(self.namespace, &key.name, &key.key);
        let others = readers.iter().filter(|reader| !self.writer.selected.contains(&reader.object));
        let names: BTreeSet<String> = others
            .filter_map(|reader| self.writer.model.object(reader.object))
            .map(|object| object.meta.to_string())
            .collect();
        (!names.is_empty()).then(|| {
            format!("{} has it too, which no target selects", names.into_iter().collect::<Vec<_>>().join(", "))
        })
    }

    fn has(&self, kind: &str, name: &str, key: &str) -> Option<bool> {
        let kind = if kind == "Secret" { "Secret" } else { "ConfigMap" };
        let data = self.writer.facts.data(kind, self.namespace, name)?;
        Some(data.keys.iter().any(|(own, _)| own == key))
    }
}
