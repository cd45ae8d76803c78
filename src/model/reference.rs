//! What refers to a listener's number, and must move with it (P5; facts: Kubernetes, which field names whose port).

use std::collections::BTreeSet;
use std::ops::Range;

use super::labels::Labels;
use super::listener::{Binding, Listener};
use super::mention::{Mention, Selects};
use super::pod::{Container, PodTemplate, Scalar};
use super::text::{Host, is_listen_name, listen_value, loopback_ports, mentions};
use super::visible::{TextPlace, exec_flags, visible};
use super::{Meta, Model, ObjectId};
use crate::catalog;
use crate::yaml::Path;

/// A reference to a listener's number.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A field of the workload whose whole value is the number: probes, hooks, annotations.
    Field {
        /// The object that has the field.
        object: ObjectId,
        /// The field.
        path: Path,
        /// Its value.
        value: Scalar,
    },
    /// The number inside a text of the workload: a loopback address, a flag of an exec probe.
    Text(TextPlace),
    /// A target port of a Service.
    Target(ServiceTarget),
    /// A reference that cannot be moved: it stops the move.
    Stuck {
        /// The object that has it.
        object: ObjectId,
        /// Where.
        path: Path,
        /// Why it cannot be moved, after "because".
        why: String,
    },
    /// Something that may be a reference; it is reported and stops nothing.
    Seen {
        /// The object that has it.
        object: ObjectId,
        /// Where.
        path: Path,
        /// What it is.
        what: String,
    },
}

/// A target port of a Service that leads to a listener by number.
#[derive(Debug, Clone)]
pub struct ServiceTarget {
    /// The Service.
    pub service: ObjectId,
    /// The port of the Service.
    pub port: Path,
    /// `targetPort`, where it is written.
    pub target: Option<Scalar>,
    /// The templates that the Service leads to.
    pub templates: Vec<ObjectId>,
    /// A port name that means this listener, and only it, in every template that the Service leads to.
    pub name: Option<String>,
    /// `clusterIP: None`: clients dial the number itself.
    pub headless: bool,
}

/// A workload and the listeners of its pods.
#[derive(Debug, Clone, Copy)]
pub struct Pods<'m> {
    /// The object.
    pub id: ObjectId,
    /// Its identity.
    pub meta: &'m Meta,
    /// Its template.
    pub template: &'m PodTemplate,
    /// Its listeners.
    pub listeners: &'m [Listener],
}

/// All references to a listener's number.
#[must_use]
pub fn references(model: &Model, pods: Pods<'_>, listener: &Listener) -> Vec<Reference> {
    let mut found = Vec::new();
    if listener.protocol == "TCP" {
        probes(pods, listener, &mut found);
        texts(pods, listener, &mut found);
        let metadata = pods.template.path.key("metadata");
        known_annotations(pods.id, &metadata, &pods.template.annotations, listener, &mut found);
        other_annotations(pods, listener, &mut found);
    }
    services(model, pods, listener, &mut found);
    mentioned(model, pods, listener, &mut found);
    config_maps(model, pods, listener, &mut found);
    found
}

fn probes(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let probes = pods.template.running().flat_map(|(_, container)| &container.probes);
    for probe in probes.filter(|probe| probe.number() == Some(listener.number)) {
        found.push(Reference::Field { object: pods.id, path: probe.path.clone(), value: probe.port.clone() });
    }
}

fn texts(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let told: BTreeSet<(Path, usize)> = match &listener.binding {
        Binding::Visible(places) => {
            places.iter().map(|visible| (visible.place.path.clone(), visible.place.range.start)).collect()
        }
        _ => BTreeSet::new(),
    };
    let mut add = |path: Path, text: &str| {
        for number in loopback_ports(text).into_iter().filter(|number| number.port == listener.number) {
            if !told.contains(&(path.clone(), number.range.start)) {
                let place = TextPlace { path: path.clone(), text: text.to_owned(), range: number.range };
                found.push(Reference::Text(place));
            }
        }
    };
    for (_, container) in pods.template.running() {
        for (list, index, word) in container.words() {
            add(container.word_path(list, index), word);
        }
        for var in &container.env {
            if let Some(value) = &var.value {
                add(container.env_path(var.index), value);
            }
        }
    }
    neighbours(pods, listener, found);
    for (_, container) in pods.template.running() {
        for (path, command) in &container.execs {
            for place in exec_places(path, command, listener.number) {
                found.push(Reference::Text(place));
            }
            for (index, word) in command.iter().enumerate() {
                add_exec(&path.item(index), word, pods.id, listener.number, found);
            }
        }
    }
}

/// Other containers that are told the number under the name of a listen address, without a host that tells whose it is.
fn neighbours(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (index, container) in pods.template.running() {
        let own = pods.listeners.iter().any(|l| l.container == index && l.number == listener.number);
        if index == listener.container || own {
            continue;
        }
        for place in visible(container).into_iter().filter(|place| place.port == listener.number) {
            if place.host == Host::Any && is_listen_name(&place.name) {
                let why = format!("`{}` of container `{}` may mean it", place.name, container.name);
                found.push(Reference::Stuck { object: pods.id, path: place.place.path, why });
            }
        }
    }
}

/// Flags of a probe's command that name the port: `-addr=:8080`, `--port 8080`.
fn exec_places(path: &Path, command: &[String], number: u16) -> Vec<TextPlace> {
    let flags = exec_flags(path, command).into_iter();
    flags
        .filter_map(|flag| {
            let (_, value) = listen_value(flag.value.as_deref()?)?;
            let short = flag.name == "-p";
            let start = flag.place.range.start;
            ((short || is_listen_name(&flag.name)) && value.port == number)
                .then(|| TextPlace { range: start + value.range.start..start + value.range.end, ..flag.place })
        })
        .collect()
}

/// A word of a probe's or hook's command: its loopback addresses move; a number that is left stops the move.
fn add_exec(path: &Path, word: &str, object: ObjectId, number: u16, found: &mut Vec<Reference>) {
    let here = |reference: &Reference| match reference {
        Reference::Text(place) if place.path == *path => Some(place.range.clone()),
        _ => None,
    };
    let mut known: Vec<Range<usize>> = found.iter().filter_map(here).collect();
    for place in loopback_ports(word).into_iter().filter(|place| place.port == number) {
        if !known.contains(&place.range) {
            known.push(place.range.clone());
            found.push(Reference::Text(TextPlace { path: path.clone(), text: word.to_owned(), range: place.range }));
        }
    }
    let mut rest = word.to_owned();
    for range in known {
        rest.replace_range(range.clone(), &"_".repeat(range.len()));
    }
    if mentions(&rest, number) {
        let why = format!("`{word}` names the port in a form that is not understood");
        found.push(Reference::Stuck { object, path: path.clone(), why });
    }
}

/// Annotations whose value is a port of the pod, of a template or a Service.
fn known_annotations(
    object: ObjectId,
    metadata: &Path,
    annotations: &Labels,
    listener: &Listener,
    found: &mut Vec<Reference>,
) {
    for key in catalog::port_annotations() {
        let Some(text) = annotations.get(key) else { continue };
        if super::text::port(text) == Some(listener.number) {
            let value = Scalar { text: text.to_owned(), null: false, value: text.into() };
            let path = metadata.key("annotations").key(*key);
            found.push(Reference::Field { object, path, value });
        }
    }
}

/// Other annotations of a template that name the number: nobody knows how they would move.
fn other_annotations(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let metadata = pods.template.path.key("metadata");
    for (key, value) in pods.template.annotations.iter() {
        let known = catalog::port_annotations().contains(&key);
        if !known && is_port_annotation(key) && mentions(value, listener.number) {
            let path = metadata.key("annotations").key(key.to_owned());
            let why = format!("annotation `{key}` names the port and is not one that is known how to move");
            found.push(Reference::Stuck { object: pods.id, path, why });
        }
    }
}

/// Annotations of hosts and of `kubectl` hold whole objects or positions, never a reference to a port.
fn is_port_annotation(key: &str) -> bool {
    !(key.contains("config.kubernetes.io/")
        || key.contains("config.k8s.io/")
        || key.starts_with("kubectl.kubernetes.io/"))
}

fn services(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (id, meta, service) in model.services_of(pods.meta, pods.template) {
        known_annotations(id, &Path::root().key("metadata"), &meta.annotations, listener, found);
        for port in &service.ports {
            if port.protocol != listener.protocol || port.target_number() != Some(listener.number) {
                continue;
            }
            let templates: Vec<(ObjectId, &PodTemplate)> = model.selected_by(meta, service).collect();
            let alone = |name: &String| {
                occurs_once(pods, listener, name)
                    && templates.iter().filter(|(id, _)| *id != pods.id).all(|(_, template)| {
                        let ports = || template.running().flat_map(|(_, c)| c.ports.iter().flatten());
                        let mut named = ports().filter(|port| port.name.as_ref() == Some(name));
                        let first = named.next().map(|port| (port.number(), port.protocol.as_ref()));
                        first == Some((Some(listener.number), listener.protocol.as_ref())) && named.next().is_none()
                    })
            };
            found.push(Reference::Target(ServiceTarget {
                service: id,
                port: port.path.clone(),
                target: port.target.clone(),
                templates: templates.iter().map(|(id, _)| *id).collect(),
                name: future_name(listener).filter(alone),
                headless: service.headless,
            }));
        }
    }
}

/// The port's name when all is done: an undeclared one gets its label, an unnamed one stays unnamed.
fn future_name(listener: &Listener) -> Option<String> {
    match listener.declared {
        Some(_) => listener.name.clone(),
        None => Some(listener.label.clone()),
    }
}

fn occurs_once(pods: Pods<'_>, listener: &Listener, name: &String) -> bool {
    let declared = pods.template.running().flat_map(|(_, c)| c.ports.iter().flatten());
    let declared = declared.filter(|port| port.name.as_ref() == Some(name)).count();
    declared + usize::from(listener.declared.is_none()) == 1
}

fn mentioned(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let about = |mention: &Mention| match mention.selects {
        Selects::Pods => mention.is_about(pods.meta.namespace.as_deref(), &pods.template.labels),
        Selects::Services => model
            .services_of(pods.meta, pods.template)
            .any(|(_, service, _)| mention.is_about(service.namespace.as_deref(), &service.labels)),
    };
    for (id, mention) in model.mentions() {
        for (path, numbers) in &mention.numbers {
            if numbers.contains(&listener.number) && about(mention) {
                let kind = model.object(id).map(|object| object.meta.gvk.kind.clone()).unwrap_or_default();
                let why =
                    format!("this version does not move numbers in a {kind}; name the port there, or edit it by hand");
                found.push(Reference::Stuck { object: id, path: path.clone(), why });
            }
        }
    }
}

/// ConfigMaps that the pods read: a variable with the number stops the move, a mounted file is reported.
fn config_maps(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let namespace = pods.meta.namespace.as_deref();
    let data = |key: &str| Path::root().key("data").key(key.to_owned());
    let Some(container) = pods.template.containers.get(listener.container) else { return };
    for (name, key, variable) in config_variables(container) {
        let Some((id, numbers)) = model.config_map(namespace, &name) else { continue };
        for number in numbers.iter().filter(|number| number.whole && number.port == listener.number) {
            let variable = variable.as_deref().unwrap_or(&number.key);
            if key.as_ref().is_none_or(|key| *key == number.key) && is_listen_name(variable) {
                let why = format!("variable `{variable}` of container `{}` takes it from here", container.name);
                found.push(Reference::Stuck { object: id, path: data(&number.key), why });
            }
        }
    }
    for name in &pods.template.mounted_config_maps {
        let Some((id, numbers)) = model.config_map(namespace, name) else { continue };
        for number in numbers.iter().filter(|number| number.port == listener.number) {
            let what = format!("line {} of the mounted file `{}` holds {}", number.line, number.key, number.port);
            found.push(Reference::Seen { object: id, path: data(&number.key), what });
        }
    }
}

/// ConfigMaps that variables come from: its name, the key (none for all keys), the variable (none: called as the key).
fn config_variables(container: &Container) -> Vec<(String, Option<String>, Option<String>)> {
    let single = container.env.iter().filter_map(|var| {
        let (name, key) = var.config_map.as_deref()?.clone();
        Some((name, Some(key), Some(var.name.to_string())))
    });
    single.chain(container.env_from.iter().map(|name| (name.clone(), None, None))).collect()
}
