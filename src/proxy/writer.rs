//! Writes proxy variables container by container, and collects findings and ConfigMap changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::core::Crossplane;
use super::facts::{Data, ProxyFacts};
use super::merge::{Merged, WantedProxies, merge};
use super::objects::{Objects, Selection};
use super::planned_state::PlannedState;
use super::required::{Role, instead_of_service, union_of_entries};
use super::services::{DialledService, services_through_proxy};
use super::variables::{Key, VariableValue, Variables, escaped};
use crate::api::{Proxy, ProxyEnvironmentSpec, ProxySource, ProxyTarget};
use crate::model::{Meta, Model, ObjectId};
use crate::plan::{Change, Edit, Finding, Message, Plan};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

/// A container, and its name in messages.
pub(super) struct ContainerPlace {
    pub(super) object: ObjectId,
    pub(super) path: Path,
    /// Package whose runtime config the object is.
    pub(super) package: Option<String>,
    /// Name of the object: `Deployment shop/web`.
    pub(super) name: String,
    /// Name of the container, if messages show it.
    pub(super) container: Option<String>,
    pub(super) namespace: Option<String>,
    /// Services of the input that the container dials.
    pub(super) services: Vec<DialledService>,
}

impl ContainerPlace {
    /// Creates the message of an edit, with the names of the object and the container before the text.
    pub(super) fn message(&self, text: impl fmt::Display) -> Message {
        match (&self.package, &self.container) {
            (Some(_), _) => format!("{self}: {text}").into(),
            (None, Some(container)) => Message::about(&self.name, "", format_args!("container {container}: {text}")),
            (None, None) => Message::about(&self.name, "", text),
        }
    }
}

/// `Deployment shop/web: container web`
impl fmt::Display for ContainerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(package) = &self.package {
            write!(f, "{package}: ")?;
        }
        f.write_str(&self.name)?;
        self.container.as_ref().map_or(Ok(()), |container| write!(f, ": container {container}"))
    }
}

pub(super) struct Writer<'m> {
    pub(super) model: &'m Model,
    pub(super) facts: &'m ProxyFacts,
    pub(super) spec: &'m ProxyEnvironmentSpec,
    pub(super) crossplane: Crossplane,
    pub(super) selected: Selection<'m>,
    pub(super) plan: Plan,
    /// ConfigMap keys to extend, by object: old and current text.
    pub(super) maps: BTreeMap<(ObjectId, String), (String, String)>,
    /// The written state, for the check that follows.
    pub(super) written: PlannedState,
    /// Packages with a reported `NO_PROXY` that cannot be read or changed.
    pub(super) opaque: BTreeSet<ObjectId>,
    /// Secrets and ConfigMaps of proxies that were already checked.
    pub(super) secrets: BTreeSet<(Option<String>, String, String)>,
}

impl Writer<'_> {
    pub(super) fn add_finding(&mut self, severity: Severity, rule: rule::Rule, message: String, object: ObjectId) {
        self.plan.findings.push(Finding::new(severity, rule, message).on_object(object));
    }

    /// Reports containers that a target names and the object lacks.
    pub(super) fn report_missing_containers(
        &mut self,
        object: ObjectId,
        meta: &Meta,
        target: &ProxyTarget,
        has: impl Fn(&str) -> bool,
    ) {
        for name in target.containers.iter().filter(|name| !has(name)) {
            let message = format!("{meta}: it has no container {name}, which its target names");
            self.add_finding(Severity::Warning, rule::UNMATCHED, message, object);
        }
    }

    /// Merges the variables of a container, and reports the findings of the merge.
    pub(super) fn merged(
        &mut self,
        place: &ContainerPlace,
        variables: &Variables,
        targets: &[(&ProxyTarget, Role)],
        unique: bool,
    ) -> Merged {
        let mut wanted = WantedProxies {
            http: self.spec.http_proxy.as_ref().map(variable_value),
            https: self.spec.https_proxy.as_ref().map(variable_value),
            entries: union_of_entries(self.spec, targets, &self.crossplane, self.facts),
            instead_of_service: instead_of_service(&self.spec.cluster, self.facts.api_server.as_deref()),
            case: self.spec.case,
            existing: self.spec.existing,
            unique,
        };
        for held in [&wanted.http, &wanted.https].into_iter().flatten() {
            self.secret(place, held);
        }
        wanted.entries.extend(missing_service_entries(place, &wanted));
        let known = Objects::new(self.model, self.facts, place.namespace.as_deref()).selected(&self.selected);
        let merged = merge(variables, &wanted, &known);
        for (severity, rule, message) in &merged.reports {
            let message = format!("{place}: {message}");
            self.plan
                .findings
                .push(Finding::new(*severity, *rule, message).on_object(place.object).at(place.path.key("env")));
        }
        if let Some((key, text)) = &merged.map
            && let Some(data) = self.facts.data("ConfigMap", place.namespace.as_deref(), &key.name)
        {
            let old = data
                .keys
                .iter()
                .find(|(known, _)| *known == key.key)
                .and_then(|(_, text)| text.clone())
                .unwrap_or_default();
            let entry = self.maps.entry((data.object, key.key.clone()));
            let (_, grown) = entry.or_insert_with(|| (old.clone(), old));
            *grown = super::list::united(grown, super::list::entries(text));
        }
        merged
    }

    /// Records packages with findings about a `NO_PROXY` that cannot be read or changed.
    pub(super) fn record_opaque_packages(&mut self, merged: &Merged, packages: impl Iterator<Item = ObjectId>) {
        if merged.reports.iter().any(|(_, rule, _)| *rule == rule::PROXY_OPAQUE) {
            self.opaque.extend(packages);
        }
    }

    /// Reports a Secret or ConfigMap of a proxy that is missing, lacks the key, or is in another namespace than the
    /// pods.
    fn secret(&mut self, place: &ContainerPlace, held: &VariableValue) {
        let (kind, key) = match held {
            VariableValue::Secret(key) => ("Secret", key),
            VariableValue::ConfigMap(key) => ("ConfigMap", key),
            VariableValue::Text(_) | VariableValue::Elsewhere => return,
        };
        let namespace = place.namespace.as_deref();
        if !self.secrets.insert((place.namespace.clone(), key.name.clone(), key.key.clone())) {
            return;
        }
        let at = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
        let data = self.facts.data(kind, namespace, &key.name);
        if let Some(data) = data.or_else(|| self.renamed_data(kind, namespace, &key.name)) {
            if !data.keys.iter().any(|(known, _)| *known == key.key) {
                let message = format!("{place}: {kind} {at}{} has no key {} with the proxy", key.name, key.key);
                self.add_finding(Severity::Error, rule::PROXY_OPAQUE, message, place.object);
            }
            return;
        }
        let elsewhere = self.facts.namespaces(kind, &key.name).flatten().min();
        let (severity, message) = match (elsewhere, namespace) {
            (Some(other), Some(_)) => (
                Severity::Error,
                format!(
                    "{place}: {kind} {} is in namespace {other}, and pods read only objects of their own namespace: it has to be in {at}{}",
                    key.name, key.name
                ),
            ),
            _ => (
                Severity::Info,
                format!(
                    "{place}: {kind} {at}{} is not in the input: it must exist, with the key {}, before the pods start",
                    key.name, key.key
                ),
            ),
        };
        self.add_finding(severity, rule::PROXY_OPAQUE, message, place.object);
    }

    /// The Secret or ConfigMap that kustomize has renamed from this name earlier in the build.
    fn renamed_data(&self, kind: &'static str, namespace: Option<&str>, name: &str) -> Option<&Data> {
        let is_renamed =
            |meta: &&Meta| meta.gvk.kind == kind && meta.namespace.as_deref() == namespace && meta.had_name(name);
        let meta = self.model.objects().iter().map(|object| &object.meta).find(is_renamed)?;
        self.facts.data(kind, namespace, &meta.name)
    }

    /// Writes the extended ConfigMap keys.
    pub(super) fn write_maps(&mut self) {
        for ((object, key), (old, new)) in std::mem::take(&mut self.maps) {
            if old == new {
                continue;
            }
            self.written.texts.insert((object, key.clone()), new.clone());
            let name = self.model.object(object).map(|object| object.meta.to_string()).unwrap_or_default();
            let message = Message::about(name, "", format_args!("{key} {old} -> {new}"));
            let change = Change::Set { old: Value::Str(old), new: Value::Str(new) };
            let path = Path::root().key("data").key(key);
            self.plan.edits.push(Edit { object, path, change, rule: rule::PROXY_VARIABLE, message });
        }
    }
}

/// Entries for Services that the container dials and that no other entry matches.
fn missing_service_entries(place: &ContainerPlace, wanted: &WantedProxies) -> Vec<String> {
    let is_proxy = |service: &DialledService| {
        [&wanted.http, &wanted.https].into_iter().flatten().any(|proxy| match proxy {
            VariableValue::Text(url) => service.is_proxy(url),
            _ => false,
        })
    };
    let services: Vec<DialledService> = place.services.iter().filter(|service| !is_proxy(service)).cloned().collect();
    services_through_proxy(&wanted.entries, &services)
}

/// Converts a proxy of the config to a variable's value.
fn variable_value(proxy: &Proxy) -> VariableValue {
    let key = |reference: &crate::api::KeyRef| Key::new(&reference.name, &reference.key);
    match proxy {
        Proxy::Url(url) => VariableValue::Text(escaped(url)),
        Proxy::From(ProxySource { config_map_key_ref: Some(reference), .. }) => {
            VariableValue::ConfigMap(key(reference))
        }
        Proxy::From(source) => source
            .secret_key_ref
            .as_ref()
            .map_or(VariableValue::Elsewhere, |reference| VariableValue::Secret(key(reference))),
    }
}
