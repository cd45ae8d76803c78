//! Services: selected pods, target ports, and callers.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::OnceLock;

use crate::catalog::run_time_label_setter;
use crate::model::meta::Meta;
use crate::model::pod::{ContainerPort, PodTemplate, Scalar, collect, protocol};
use crate::model::text::{Labels, may_become_port, port};
use lossless_yaml::{NodeRef, Path, Pattern};

/// Service data that the rules need.
#[derive(Debug, Clone)]
pub struct Service {
    /// Required labels of the pods, except the labels in `run_time`.
    pub selector: Labels,
    /// Required labels that may be set on running pods only, so that pod templates lack them. Empty if the selector has
    /// only such labels: `selector` then has all of them.
    pub run_time: Labels,
    /// `clusterIP: None`, or `clusterIPs: [None]`: clients dial the container port itself.
    pub headless: bool,
    /// Ports of the Service.
    pub ports: Vec<ServicePort>,
}

/// Port of a Service.
#[derive(Debug, Clone)]
pub struct ServicePort {
    /// Path of the port in the object.
    pub path: Path,
    /// `name`
    pub name: Option<String>,
    /// `port`, which clients dial.
    pub port: Option<u16>,
    /// `targetPort` as written; absent means the same number as `port`.
    pub target: Option<Scalar>,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Cow<'static, str>,
    /// `nodePort` of a Service of type `NodePort` or `LoadBalancer`.
    pub node_port: Option<u16>,
    /// Target that is filled in later (`${PORT}`, `{{ port }}`): field (`port` if `targetPort` is missing) and text.
    pub placeholder: Option<(&'static str, Box<str>)>,
    /// True if some pods of the Service declare the target number; computed at first use.
    declared: OnceLock<bool>,
}

impl ServicePort {
    /// Number that the Service dials on the pod, if the target is a number.
    pub fn target_number(&self) -> Option<u16> {
        match &self.target {
            Some(target) if !self.is_target_implied() => port(&target.text),
            _ => self.port,
        }
    }

    /// True if the Service sets no target port: Kubernetes then dials the number of the Service's port.
    pub fn is_target_implied(&self) -> bool {
        self.target.as_ref().is_none_or(|target| target.is_null() || target.is_zero() || target.text.is_empty())
    }

    /// True if the Service dials this port of a pod.
    pub fn dials(&self, number: Option<u16>, name: Option<&str>) -> bool {
        let by_number = self.target_number().is_some_and(|target| number == Some(target));
        by_number || self.target_name().is_some_and(|target| name == Some(target)) || self.placeholder.is_some()
    }

    /// True if some pods of the Service declare the target number; computed once.
    pub(in crate::model) fn is_declared<'p>(&self, pods: impl Iterator<Item = &'p PodTemplate>) -> bool {
        *self.declared.get_or_init(|| {
            let number = self.target_number();
            number.is_some_and(|number| pods.into_iter().any(|template| template.declares(number, &self.protocol)))
        })
    }

    /// True if the Service dials this declared port, or may dial it after placeholders are replaced.
    fn may_dial(&self, declared: &ContainerPort) -> bool {
        let later = declared.is_filled_in_later();
        let numbered = declared.number().is_some_and(|number| self.target_number() == Some(number));
        let named = self.target_name().is_some_and(|name| declared.name.as_deref() == Some(name));
        self.protocol == declared.protocol && (later || self.placeholder.is_some() || named || numbered)
    }

    /// Port name that the Service dials on the pod, if the target is a name.
    pub fn target_name(&self) -> Option<&str> {
        let target = self.target.as_ref().filter(|_| self.target_number().is_none())?;
        Some(target.text.as_ref()).filter(|text| !may_become_port(text))
    }
}

impl Service {
    /// Reads a `v1` Service; `None` if the Service selects no pods (`ExternalName`, no selector).
    pub fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        if spec.get("type").and_then(NodeRef::text) == Some("ExternalName") {
            return None;
        }
        let (run_time, selector) =
            Labels::read(spec.get("selector")?).split(|key| run_time_label_setter(key).is_some());
        let (selector, run_time) = if selector.is_empty() { (run_time, selector) } else { (selector, run_time) };
        if selector.is_empty() {
            return None;
        }
        let list = Path::dotted("spec.ports");
        let has_node_ports = matches!(spec.get("type").and_then(NodeRef::text), Some("NodePort" | "LoadBalancer"));
        let number = |port: NodeRef<'_, '_>, key: &str| {
            port.get(key).and_then(NodeRef::as_go_int).and_then(|port| u16::try_from(port).ok())
        };
        let ports = spec.get("ports").into_iter().flat_map(NodeRef::items).enumerate();
        Some(Self {
            selector,
            run_time,
            headless: is_headless(spec),
            ports: collect(ports.map(|(index, port)| {
                let text = |key: &str| port.get(key).and_then(NodeRef::non_empty_text);
                let written =
                    ["targetPort", "port"].into_iter().find_map(|key| Some((key, port.get(key)?.non_empty_text()?)));
                let placeholder = written.filter(|(_, text)| may_become_port(text));
                ServicePort {
                    placeholder: placeholder.map(|(key, text)| (key, text.into())),
                    path: list.named_item(index, text("name")),
                    name: text("name").map(str::to_owned),
                    port: number(port, "port"),
                    node_port: number(port, "nodePort").filter(|_| has_node_ports),
                    target: port.get("targetPort").and_then(Scalar::read),
                    protocol: protocol(text("protocol")),
                    declared: OnceLock::new(),
                }
            })),
        })
    }

    /// True if a port of the Service with this number has another number, or a name, as its target.
    pub fn maps(&self, number: u16) -> bool {
        self.ports.iter().any(|port| port.port == Some(number) && port.target_number() != Some(number))
    }

    /// True if the Service selects running pods of a template with these labels.
    pub fn selects(&self, labels: &Labels) -> bool {
        labels.contains(&self.selector) && self.allows(labels)
    }

    /// True if no label of a template conflicts with a value in `run_time`.
    pub(super) fn allows(&self, labels: &Labels) -> bool {
        self.run_time.iter().all(|(key, value)| labels.get(key).is_none_or(|label_value| label_value == value))
    }

    /// True if the template itself has all labels of the selector.
    pub fn selects_template_labels(&self, labels: &Labels) -> bool {
        labels.contains(&self.selector) && labels.contains(&self.run_time)
    }

    /// True if the Service sends traffic to the selected pods of a template. A Job or Pod often has the labels of
    /// another workload (a migration, a test of a release); such pods serve the Service only if they declare one of
    /// the Service's ports.
    pub(in crate::model) fn leads_to(&self, meta: &Meta, template: &PodTemplate) -> bool {
        if self.ports.is_empty() || !(meta.is_job() || meta.is_pod()) {
            return true;
        }
        let mut declared = template.running().flat_map(|(_, container)| container.ports.iter().flatten());
        declared.any(|declared| self.ports.iter().any(|port| port.may_dial(declared)))
    }
}

/// Returns the addresses of a Service: of the cluster and of its load balancer.
pub(super) fn service_addresses(object: NodeRef<'_, '_>) -> Vec<IpAddr> {
    let paths = [
        "spec.clusterIP",
        "spec.clusterIPs[]",
        "spec.externalIPs[]",
        "spec.loadBalancerIP",
        "status.loadBalancer.ingress[].ip",
    ];
    let found = paths.iter().flat_map(|path| Pattern::new(path).find(object).collect::<Vec<_>>());
    found.filter_map(|found| found.node.text()?.parse().ok()).collect()
}

/// True for `clusterIP: None` or `clusterIPs: [None]`. The API server sets each field from the other, so one is enough.
fn is_headless(spec: NodeRef<'_, '_>) -> bool {
    let addresses = spec.get("clusterIPs").into_iter().flat_map(NodeRef::items);
    spec.get("clusterIP").into_iter().chain(addresses).any(|address| address.text() == Some("None"))
}

/// Returns namespace and name of the Service that a Service of type `ExternalName` names by its host in the cluster, such
/// as `web.shop.svc.cluster.local`.
pub(super) fn service_of_alias<'t>(object: NodeRef<'t, '_>) -> Option<(&'t str, &'t str)> {
    let host = object.get("spec")?.get("externalName")?.text()?;
    let mut labels = host.trim_end_matches('.').split('.');
    let (name, namespace) = (labels.next()?, labels.next()?);
    labels.next().filter(|label| *label == "svc").map(|_| (namespace, name))
}
