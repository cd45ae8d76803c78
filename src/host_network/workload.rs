//! A workload that a target matches, with its listeners.

use std::fmt;
use std::sync::Arc;

use crate::catalog::Program;
use crate::model::facts::PodsView;
use crate::model::listener::{Guess, Listener, WorkloadView};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, ObjectId, WorkloadId};
use lossless_yaml::Path;

/// Whether a listener is on the host network with its number written out.
pub(super) fn has_host_port(workload: &Workload<'_>, position: usize) -> bool {
    let port = || {
        let listener = workload.listeners.get(position)?;
        let container = workload.container(listener)?;
        let port = container.ports.iter().flatten().nth(listener.declared?)?;
        (port.host_number()? == listener.number).then_some(())
    };
    workload.template.on_host_network() && port().is_some()
}

/// A workload that a target matches, and its listeners.
#[derive(Debug)]
pub(super) struct Workload<'m> {
    /// The pod template, by the object that holds it.
    pub(super) id: WorkloadId,
    /// The object that the target matches: the one that holds the template, or a package whose runtime config does.
    pub(super) owner: ObjectId,
    pub(super) meta: &'m Meta,
    pub(super) template: &'m PodTemplate,
    pub(super) listeners: Vec<Listener>,
    /// Numbers that may be listeners', for which only a name speaks.
    pub(super) guesses: Vec<Guess>,
    /// The programs of its containers, where the catalogue or the config knows them.
    pub(super) programs: Vec<Option<Arc<Program>>>,
    /// The position of its target.
    pub(super) target: usize,
    /// Whether what cannot be done stops the run: the user gave numbers, or meant this object alone.
    pub(super) strict: bool,
    /// Whether a name of the config means this object alone, or numbers are given to it.
    pub(super) named: bool,
    /// Whether ports may be declared in the template.
    pub(super) may_declare: bool,
}

/// `Deployment shop/web`; `JobSet shop/train, template workers` where the object has several.
impl fmt::Display for Workload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pods_view().fmt(f)
    }
}

impl<'m> Workload<'m> {
    /// Its pods, as selectors see them.
    pub(super) fn pods_view(&self) -> PodsView<'m> {
        PodsView { meta: self.meta, template: self.template }
    }

    pub(super) fn pods(&self) -> WorkloadView<'_> {
        let (listeners, programs) = (&self.listeners, &self.programs);
        WorkloadView { id: self.id, meta: self.meta, template: self.template, listeners, programs }
    }

    /// The container of a listener.
    pub(super) fn container(&self, listener: &Listener) -> Option<&'m crate::model::pod::Container> {
        self.template.containers.get(listener.container)
    }

    /// The position of a listener's declaration in its container's ports, when it stands in the document.
    pub(super) fn written(&self, listener: &Listener) -> Option<usize> {
        let container = self.container(listener)?;
        listener.declared.filter(|declared| container.is_written(*declared))
    }

    /// `Deployment shop/web, container web, port http (8080)`: how messages call a listener.
    pub(super) fn call(&self, listener: &Listener) -> String {
        let container = self.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
        format!("{self}, container {container}, port {}", Self::name_and_number(listener))
    }

    /// `http (8080)`, or the number alone where the port has no name.
    pub(super) fn name_and_number(listener: &Listener) -> String {
        match Self::said(listener) {
            Some(name) => format!("{name} ({})", listener.number),
            None => listener.number.to_string(),
        }
    }

    /// The name that a person finds in the manifest, or that a port without declaration gets.
    fn said(listener: &Listener) -> Option<&str> {
        if listener.declared.is_some() { listener.name.as_deref() } else { Some(listener.label.as_str()) }
    }

    /// What to do about two ports that are one under two names, since the API server takes a host port of a pod once.
    pub(super) fn declared_twice(one: &Listener, other: &Listener) -> Option<String> {
        let place = |listener: &Listener| (listener.container, listener.number, listener.protocol.clone());
        let is_one = one.declared.is_some() && other.declared.is_some() && place(one) == place(other);
        is_one.then(|| {
            let (name, again) = (Self::key(one), Self::key(other));
            format!("`{name}` and `{again}` are one port under two names: declare it once, and let what names the other one name that")
        })
    }

    /// The field to blame for what is said of a listener: its declaration, else its container.
    pub(super) fn field(&self, listener: &Listener) -> Path {
        let Some(container) = self.container(listener) else { return self.template.spec_path() };
        self.written(listener).map_or_else(|| container.path.clone(), |index| container.port_path(index))
    }

    /// What a key of `ports` would call a listener.
    pub(super) fn key(listener: &Listener) -> String {
        Self::said(listener).map_or_else(|| listener.number.to_string(), str::to_owned)
    }
}
