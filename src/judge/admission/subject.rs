//! Pods as admission control gets them, and the objects that policies evaluate for them.

use super::answer::Answer;
use super::read::{at, glob, items, scalar, text};
use crate::judge::network_policy::namespace_labels;
use crate::model::facts::PodsView;
use crate::model::facts::package::{CORE_NAMESPACE, is_package};
use crate::model::pod::{Container, Role};
use crate::model::text::Labels;
use crate::model::{Meta, Model};
use lossless_yaml::{Step, Value};

/// The `dnsPolicy` of pods on the host network that use the DNS of the cluster.
pub(super) const HOST_DNS: &str = "ClusterFirstWithHostNet";

/// A container and its host ports.
#[derive(Debug, Clone)]
pub struct ContainerPorts<'m> {
    /// The container.
    pub container: &'m Container,
    /// Host ports, including host ports that the API server sets.
    pub host_ports: Vec<u16>,
}

/// Pods with the host fields that are evaluated.
#[derive(Debug, Clone)]
pub struct Pods<'m> {
    /// The workload and its template.
    pub view: PodsView<'m>,
    /// `hostNetwork`
    pub host_network: bool,
    /// True if `dnsPolicy` is `ClusterFirstWithHostNet`, which only pods on the host network have.
    pub host_dns: bool,
    /// All containers.
    pub containers: Vec<ContainerPorts<'m>>,
}

impl<'m> Pods<'m> {
    /// Pods as written in their template. On the host network the API server sets absent host ports before admission.
    pub fn as_written(view: PodsView<'m>) -> Self {
        let host_network = view.template.on_host_network();
        let ports = |container: &'m Container| {
            let ports = container.ports.iter().flatten();
            ports.filter_map(|port| port.host_number().or_else(|| port.number().filter(|_| host_network))).collect()
        };
        let containers = view.template.containers.iter();
        let containers = containers.map(|container| ContainerPorts { container, host_ports: ports(container) });
        let dns_policy = view.template.dns_policy.as_ref();
        let host_dns = host_network && dns_policy.is_some_and(|policy| *policy.text == *HOST_DNS);
        Self { view, host_network, host_dns, containers: containers.collect() }
    }

    /// Namespace, if it is known.
    pub(super) fn namespace(&self) -> Option<&'m str> {
        self.view.namespace().filter(|namespace| !namespace.is_empty())
    }

    /// Host ports, sorted and without duplicates.
    pub(super) fn host_ports(&self) -> Vec<u16> {
        let mut ports: Vec<u16> =
            self.containers.iter().flat_map(|container| container.host_ports.iter().copied()).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// True if the pods are on the host network or have a host port.
    pub(super) fn has_host_fields(&self) -> bool {
        self.host_network || self.containers.iter().any(|container| !container.host_ports.is_empty())
    }

    /// Copy of the pods in which `dnsPolicy` is the only host field.
    pub(super) fn with_only_dns_policy(&self) -> Self {
        Self { host_dns: self.host_dns, ..self.with_only_host_fields(false, None) }
    }

    /// Copy of the pods with no host fields except these, and these only if the pods have them.
    pub(super) fn with_only_host_fields(&self, host_network: bool, port: Option<u16>) -> Self {
        let containers = self.containers.iter().map(|container| ContainerPorts {
            container: container.container,
            host_ports: container.host_ports.iter().copied().filter(|host_port| Some(*host_port) == port).collect(),
        });
        let (host_network, containers) = (self.host_network && host_network, containers.collect());
        Self { view: self.view, host_network, host_dns: false, containers }
    }

    /// Containers of a list in the pod spec; `None` for any other field.
    pub(super) fn list(&self, field: &str) -> Option<Vec<&ContainerPorts<'m>>> {
        let is_init = match field {
            "containers" => false,
            "initContainers" => true,
            "ephemeralContainers" => return Some(Vec::new()),
            _ => return None,
        };
        let of_list = |container: &&ContainerPorts<'_>| (container.container.role != Role::Regular) == is_init;
        Some(self.containers.iter().filter(of_list).collect())
    }

    /// The Pods, as an object that policies evaluate.
    pub(super) fn subject(&self) -> Subject<'_, 'm> {
        Subject { pods: self, of: Evaluated::Pods }
    }

    /// Objects with the pod template: the object of the input, and the object that a controller creates from it. A
    /// Crossplane package itself has no template.
    pub(super) fn controllers(&self) -> Vec<Subject<'_, 'm>> {
        let meta = self.view.meta;
        let made = created(meta).map(Evaluated::Created);
        let own = (!meta.is_pod() && !is_package(meta)).then_some(Evaluated::Object);
        made.into_iter().chain(own).map(|of| Subject { pods: self, of }).collect()
    }

    /// Objects that policies evaluate: the Pods, and their controllers.
    pub(super) fn subjects(&self) -> Vec<Subject<'_, 'm>> {
        [self.subject()].into_iter().chain(self.controllers()).collect()
    }
}

/// Intermediate object that a controller creates from an object of the input, and that creates the Pods, such as the
/// Job of a `CronJob`.
#[derive(Debug)]
pub(super) struct Created {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    /// Example of the suffix that the controller appends to the name.
    suffix: &'static str,
}

/// Intermediate object that a controller creates from an object of the input; `None` for kinds without intermediate
/// object.
/// Source: kubernetes/kubernetes@0055d35aa pkg/controller/cronjob/utils.go (`getJobFromTemplate`); crossplane/crossplane@0be002d0
/// internal/controller/pkg/runtime/runtime.go (`Deployment`: the name of the revision, which is the package's and a hash).
fn created(meta: &Meta) -> Option<&'static Created> {
    const JOB: &Created = &Created { group: "batch", version: "v1", kind: "Job", suffix: "-29731860" };
    const DEPLOYMENT: &Created = &Created { group: "apps", version: "v1", kind: "Deployment", suffix: "-5f8c1d2e3a4b" };
    match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("batch", "CronJob") => Some(JOB),
        _ => is_package(meta).then_some(DEPLOYMENT),
    }
}

/// Kinds of objects that engines evaluate.
#[derive(Debug, Clone, Copy)]
pub(super) enum Evaluated {
    /// The Pods.
    Pods,
    /// The object that a controller creates from the object of the input.
    Created(&'static Created),
    /// The object of the input.
    Object,
}

/// An object that an engine evaluates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'p, 'm> {
    pub(super) pods: &'p Pods<'m>,
    /// Kind of the object.
    pub(super) of: Evaluated,
}

impl<'m> Subject<'_, 'm> {
    fn meta(self) -> &'m Meta {
        self.pods.view.meta
    }

    /// True if the evaluated object is a Pod.
    pub(super) fn is_pod(self) -> bool {
        matches!(self.of, Evaluated::Pods)
    }

    /// Group, version and kind.
    pub(super) fn gvk(self) -> (&'m str, &'m str, &'m str) {
        let gvk = &self.meta().gvk;
        match self.of {
            Evaluated::Pods => ("", "v1", "Pod"),
            Evaluated::Created(made) => (made.group, made.version, made.kind),
            Evaluated::Object => (&gvk.group, &gvk.version, &gvk.kind),
        }
    }

    /// Resource name of the kind, as in rules of the API server.
    pub(super) fn resource(self) -> String {
        format!("{}s", self.gvk().2.to_ascii_lowercase())
    }

    /// Name of the object. For objects that controllers make an example with a typical suffix, because the real suffix
    /// is random.
    pub(super) fn name(self) -> String {
        let meta = self.meta();
        let made = created(meta);
        let (kind, suffix) = made.map_or((meta.gvk.kind.as_str(), ""), |made| (made.kind, made.suffix));
        match (self.of, kind) {
            (Evaluated::Object, _) | (Evaluated::Pods, "Pod") => meta.name.clone(),
            (Evaluated::Created(_), _) => format!("{}{suffix}", meta.name),
            (Evaluated::Pods, "StatefulSet") => format!("{}-0", meta.name),
            (Evaluated::Pods, "Deployment") => format!("{}{suffix}-7c5ddbdf54-x2x4z", meta.name),
            (Evaluated::Pods, _) => format!("{}{suffix}-x2x4z", meta.name),
        }
    }

    /// Known labels of the evaluated object.
    pub(super) fn labels(self) -> KnownLabels {
        self.known(&self.pods.view.template.labels, &self.meta().labels)
    }

    /// Known annotations of the evaluated object.
    pub(super) fn annotations(self) -> KnownLabels {
        self.known(&self.pods.view.template.annotations, &self.meta().annotations)
    }

    /// Labels or annotations of the object: `of_pods` for the Pods, `of_object` for the object of the input. Unknown
    /// for an object that a controller creates, because controllers add their own labels.
    fn known(self, of_pods: &Labels, of_object: &Labels) -> KnownLabels {
        match self.of {
            Evaluated::Pods => KnownLabels { labels: of_pods.clone(), is_whole: true },
            Evaluated::Created(_) => KnownLabels { labels: Labels::default(), is_whole: false },
            Evaluated::Object => KnownLabels { labels: of_object.clone(), is_whole: true },
        }
    }

    /// Keys of the path to the pod spec.
    pub(super) fn spec(self) -> Vec<String> {
        let keys: &[&str] = match self.of {
            Evaluated::Pods => &["spec"],
            Evaluated::Created(_) => &["spec", "template", "spec"],
            Evaluated::Object => {
                let path = self.pods.view.template.spec_path();
                let steps = path.steps().into_iter();
                let key = |step: &Step| if let Step::Key(key) = step { key.to_string() } else { "[]".to_owned() };
                return steps.map(key).collect();
            }
        };
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    /// True if a selector matches the labels of the object.
    pub(super) fn is_selected(self, selector: Option<&Value>) -> Answer {
        selects(selector, &self.labels())
    }
}

/// Labels, possibly incomplete.
pub(super) struct KnownLabels {
    pub(super) labels: Labels,
    /// True if the labels are complete.
    pub(super) is_whole: bool,
}

impl KnownLabels {
    /// Labels of a namespace: its name, and the labels of its object if the input has it.
    pub(super) fn for_namespace(model: &Model, name: &str) -> Self {
        let labels = namespace_labels(model, name);
        Self { labels, is_whole: model.namespaces(name).next().is_some() }
    }
}

/// True if a label selector matches labels. A missing selector, or one without requirements, matches everything. Keys
/// and values may contain `*`, as in Kyverno.
pub(super) fn selects(selector: Option<&Value>, known: &KnownLabels) -> Answer {
    let Some(selector) = selector else { return Answer::TRUE };
    let has = |key: &str, fits: &dyn Fn(&str) -> bool| {
        if known.labels.iter().any(|(known_key, value)| glob(key, known_key) && fits(value)) {
            return Answer::TRUE;
        }
        // A known label with another value does not match; an unknown label may match.
        if known.is_whole || known.labels.get(key).is_some() { Answer::FALSE } else { Answer::OTHER }
    };
    let wanted = at(selector, &["matchLabels"]).map(Value::entries).unwrap_or_default();
    let wanted = wanted.iter().map(|(key, value)| {
        let value = scalar(value).unwrap_or_default();
        has(key, &|actual| glob(&value, actual))
    });
    let expressions = items(selector, &["matchExpressions"]).iter().map(|expression| {
        let key = text(expression, &["key"]).unwrap_or_default();
        let values: Vec<String> = items(expression, &["values"]).iter().filter_map(scalar).collect();
        let is_one = |actual: &str| values.iter().any(|value| glob(value, actual));
        match text(expression, &["operator"]) {
            Some("In") => has(key, &is_one),
            Some("NotIn") => has(key, &is_one).not(),
            Some("Exists") => has(key, &|_| true),
            Some("DoesNotExist") => has(key, &|_| true).not(),
            _ => Answer::OTHER,
        }
    });
    Answer::all(wanted.chain(expressions))
}

/// True if a selector matches the labels of the pods' namespace.
pub(super) fn in_namespaces(model: &Model, pods: &Pods<'_>, selector: Option<&Value>) -> Answer {
    match (selector, pods.namespace()) {
        (None, _) => Answer::TRUE,
        (selector, Some(namespace)) => selects(selector, &KnownLabels::for_namespace(model, namespace)),
        (Some(_), None) => Answer::OTHER,
    }
}

/// True if the namespace of pods matches one of these patterns; false for an unknown namespace. For a package the
/// answer is unknown if a pattern matches Crossplane's default namespace, in which packages probably run.
pub(super) fn is_one_of(namespaces: &[&str], pods: &Pods<'_>) -> Answer {
    let has = |namespace: &str| namespaces.iter().any(|pattern| glob(pattern, namespace));
    match pods.namespace() {
        Some(namespace) => Answer::plain(has(namespace)),
        None if is_package(pods.view.meta) && has(CORE_NAMESPACE) => Answer::OTHER,
        None => Answer::FALSE,
    }
}
