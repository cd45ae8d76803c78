//! A workload that a target matches, with its listeners.

use std::fmt;
use std::sync::Arc;

use crate::api::Target;
use crate::catalog::Program;
use crate::model::facts::PodsView;
use crate::model::listener::{Guess, Listener, WorkloadView};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, ObjectId, WorkloadId};
use crate::plan::Message;
use lossless_yaml::Path;

/// True if the pod is on the host network and the listener has its port number as `hostPort`.
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
#[allow(clippy::struct_excessive_bools, reason = "each is a property of the workload or its target")]
pub(super) struct Workload<'m> {
    /// Id of the pod template.
    pub(super) id: WorkloadId,
    /// Object that the target matches: the object with the template, or a package.
    pub(super) owner: ObjectId,
    pub(super) meta: &'m Meta,
    pub(super) template: &'m PodTemplate,
    pub(super) listeners: Vec<Listener>,
    /// Possible listeners, based only on the name of a setting.
    pub(super) guesses: Vec<Guess>,
    /// Program of each container; `None` if neither the catalogue nor the config knows it.
    pub(super) programs: Vec<Option<Arc<Program>>>,
    /// Position of the target.
    pub(super) target: usize,
    pub(super) of_target: &'m Target,
    /// True if the target matches other objects with pods too.
    pub(super) is_broad: bool,
    /// True if a change that cannot be made stops the run: the target sets numbers, or matches only
    /// this object.
    pub(super) strict: bool,
    /// True if the target names only this object, or sets numbers.
    pub(super) named: bool,
    /// True if ports may be declared in the template.
    pub(super) may_declare: bool,
}

/// Formats `Deployment shop/web`; `JobSet shop/train, template workers` if the object has several templates.
impl fmt::Display for Workload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pods_view().fmt(f)
    }
}

impl<'m> Workload<'m> {
    /// Pods of the workload, as matched by selectors.
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

    /// Index of the declared port in the container's ports; `None` if the document does not contain it.
    pub(super) fn declared_index(&self, listener: &Listener) -> Option<usize> {
        let container = self.container(listener)?;
        listener.declared.filter(|declared| container.is_written(*declared))
    }

    /// Label of a listener in messages: `Deployment shop/web, container web, port http (8080)`.
    pub(super) fn display_name(&self, listener: &Listener) -> String {
        format!("{}, {}", self.meta, self.listener_detail(listener))
    }

    /// Label of a listener without the object: `container web, port http (8080)`.
    pub(super) fn listener_detail(&self, listener: &Listener) -> String {
        let container = self.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
        self.detail(&format!("container {container}, port {}", Self::name_and_number(listener)))
    }

    /// Puts the template name before a text about a part of the pods, if the object has several templates.
    pub(super) fn detail(&self, part: &str) -> String {
        match self.pods_view().template_name() {
            Some(name) if part.is_empty() => format!("template {name}"),
            Some(name) => format!("template {name}, {part}"),
            None => part.to_owned(),
        }
    }

    /// Creates the message of an edit, with the name of the workload before the text.
    pub(super) fn message(&self, text: impl fmt::Display) -> Message {
        Message::about(self.meta, self.detail(""), text)
    }

    /// Formats `http (8080)`, or the number of a port without name.
    pub(super) fn name_and_number(listener: &Listener) -> String {
        match Self::name_or_label(listener) {
            Some(name) => format!("{name} ({})", listener.number),
            None => listener.number.to_string(),
        }
    }

    /// Name in the manifest, or label of an undeclared port; `None` for a declared port without name.
    fn name_or_label(listener: &Listener) -> Option<&str> {
        if listener.declared.is_some() { listener.name.as_deref() } else { Some(listener.label.as_str()) }
    }

    /// Remedy for one port that is declared under two names: the API server accepts a `hostPort` only once per pod.
    pub(super) fn declared_twice(one: &Listener, other: &Listener) -> Option<String> {
        let place = |listener: &Listener| (listener.container, listener.number, listener.protocol.clone());
        let is_one = one.declared.is_some() && other.declared.is_some() && place(one) == place(other);
        is_one.then(|| {
            let (name, again) = (Self::key(one), Self::key(other));
            format!("`{name}` and `{again}` are one port with two names: declare it once, and use that name in all references")
        })
    }

    /// Field for findings about a listener: the declared port, else the container.
    pub(super) fn field(&self, listener: &Listener) -> Path {
        let Some(container) = self.container(listener) else { return self.template.spec_path() };
        self.declared_index(listener).map_or_else(|| container.path.clone(), |index| container.port_path(index))
    }

    /// Key of a listener in `ports`: name or number.
    pub(super) fn key(listener: &Listener) -> String {
        Self::name_or_label(listener).map_or_else(|| listener.number.to_string(), str::to_owned)
    }
}
