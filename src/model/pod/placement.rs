//! Nodes that pods may run on, to show that two pods never share a node.

use std::collections::{BTreeMap, BTreeSet};

use super::pod_term::{PodLabels, PodTerm, affinity_colocates, keeps_away};
use super::requirement::{HOSTNAME, NODE_NAME, Requirement};
use super::toleration::{Taint, Toleration};
use crate::model::text::Labels;
use lossless_yaml::NodeRef;

/// Node label for the operating system.
const OS: &str = "kubernetes.io/os";

const WINDOWS: &str = "windows";

/// Requirements of a pod on its node: `nodeName`, `nodeSelector`, required affinity to nodes and pods, required
/// anti-affinity, claims of volumes, and tolerations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    node_name: Option<String>,
    /// Alternatives, each a complete list of requirements; `nodeSelector` and `nodeName` are part of each.
    terms: Box<[Box<[Requirement]>]>,
    /// Pods with which the pod does not share a node.
    anti_affinity: Box<[PodTerm]>,
    /// Pods with which the pod shares a node.
    affinity: Box<[PodTerm]>,
    /// Names of the `PersistentVolumeClaim`s of the pod.
    claims: Box<[Box<str>]>,
    /// Taints that the pod tolerates.
    tolerations: Box<[Toleration]>,
    /// True if the containers are processes of a Windows node (`HostProcess`).
    is_host_process: bool,
}

impl Placement {
    /// Reads the node requirements of a pod spec; `None` if the pod may run anywhere.
    pub fn read(spec: NodeRef<'_, '_>) -> Option<Box<Self>> {
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let node_name = text(spec, "nodeName").filter(|name| !name.is_empty());
        let selector = Requirement::from_labels(spec.get("nodeSelector"));
        // The kubelet of another operating system refuses the pod.
        let os = os(spec).map(|os| Requirement::for_value(OS, os));
        let bound = node_name.as_deref().map(|name| Requirement::for_value(NODE_NAME, name));
        let selector: Box<[Requirement]> = selector.chain(os).chain(bound).collect();
        let affinity = spec.get("affinity");
        let required = |kind: &str| affinity?.get(kind)?.get("requiredDuringSchedulingIgnoredDuringExecution");
        let alternatives = required("nodeAffinity").and_then(|required| required.get("nodeSelectorTerms"));
        let mut terms: Box<[Box<[Requirement]>]> = alternatives
            .into_iter()
            .flat_map(NodeRef::items)
            .map(|term| requirements(term).chain(selector.iter().cloned()).collect())
            .collect();
        if terms.is_empty() && !selector.is_empty() {
            terms = Box::new([selector]);
        }
        let pod_terms =
            |kind: &str| required(kind).into_iter().flat_map(NodeRef::items).filter_map(PodTerm::read).collect();
        let (anti_affinity, affinity) = (pod_terms("podAntiAffinity"), pod_terms("podAffinity"));
        let volumes = spec.get("volumes").into_iter().flat_map(NodeRef::items);
        let claims =
            volumes.filter_map(|volume| volume.get("persistentVolumeClaim")?.get("claimName")?.non_null_text());
        let claims = claims.map(Into::into).collect();
        let tolerations = spec.get("tolerations").into_iter().flat_map(NodeRef::items).map(Toleration::read).collect();
        let is_host_process = is_host_process(spec);
        let placement = Self { node_name, terms, anti_affinity, affinity, claims, tolerations, is_host_process };
        (placement != Self::default()).then(|| Box::new(placement))
    }
}

impl Placement {
    /// Additional requirements of a subset of pods (`nodeSelectorTerm` and `tolerations` of OpenKruise's
    /// `UnitedDeployment`); `None` without requirements.
    pub fn from_subset(subset: NodeRef<'_, '_>) -> Option<Box<Self>> {
        let term: Box<[Requirement]> = subset.get("nodeSelectorTerm").map(requirements).into_iter().flatten().collect();
        let terms: Box<[Box<[Requirement]>]> = if term.is_empty() { Box::new([]) } else { Box::new([term]) };
        let tolerations =
            subset.get("tolerations").into_iter().flat_map(NodeRef::items).map(Toleration::read).collect();
        let placement = Self { terms, tolerations, ..Self::default() };
        (placement != Self::default()).then(|| Box::new(placement))
    }

    /// True if the pod can run only on Windows nodes.
    pub fn is_windows(&self) -> bool {
        self.node_labels().get(OS) == Some(&WINDOWS)
    }

    /// True if the containers are processes of a Windows node (`HostProcess`).
    pub fn is_host_process(&self) -> bool {
        self.is_host_process
    }

    /// Node name that the template or the scheduler sets (`nodeName`).
    pub fn node_name(&self) -> Option<&str> {
        self.node_name.as_deref()
    }

    /// Names of the `PersistentVolumeClaim`s of the pod.
    pub fn claims(&self) -> impl Iterator<Item = &str> {
        self.claims.iter().map(AsRef::as_ref)
    }

    /// Host name or name of the only node that may run the pod; `None` if several nodes may run it.
    pub fn only_node(&self) -> Option<&str> {
        let labels = self.node_labels();
        [NODE_NAME, HOSTNAME].iter().find_map(|key| labels.get(key).copied())
    }

    /// Number of nodes whose names or host names the requirements list; `None` if other nodes may run the pod too.
    pub fn listed_nodes(&self) -> Option<usize> {
        let names = self.terms.iter().map(|term| term.iter().find_map(Requirement::nodes));
        let names: BTreeSet<&str> =
            names.collect::<Option<Vec<_>>>()?.into_iter().flatten().map(AsRef::as_ref).collect();
        (!self.terms.is_empty()).then_some(names.len())
    }

    /// True if required affinity keeps all pods with these labels, in one namespace, on one node.
    pub fn keeps_pods_together(&self, labels: &Labels) -> bool {
        affinity_colocates(&self.affinity, (None, labels), (None, labels))
    }

    /// Labels that the node must have with one value. Pods that require another value of such a label never share a
    /// node with these pods.
    pub fn node_labels(&self) -> BTreeMap<&str, &str> {
        let mut terms = self.terms.iter().map(|term| single_values(term));
        let mut labels = terms.next().unwrap_or_default();
        for term in terms {
            labels.retain(|key, value| term.get(key) == Some(value));
        }
        labels
    }
}

impl Placement {
    /// True if the pod tolerates this taint.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.tolerations.iter().any(|one| one.tolerates(taint))
    }

    /// Node requirements as text for messages; empty without requirements.
    pub fn description(&self) -> String {
        let list = |term: &[Requirement]| term.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        self.terms.iter().map(|term| list(term)).collect::<Vec<_>>().join(" or ")
    }

    /// True if a pod may run on a node with this name and these labels. A node without a name is only partly known: it
    /// may have any name, and more labels.
    pub fn may_be_on(&self, label: &dyn Fn(&str) -> Option<String>, name: Option<&str>) -> bool {
        let fits = |requirement: &Requirement| {
            let is_name = *requirement.key == *NODE_NAME;
            let value = if is_name { name.map(str::to_owned) } else { label(&requirement.key) };
            value.is_none() && name.is_none() || requirement.fits(value.as_deref())
        };
        self.terms.is_empty() || self.terms.iter().any(|term| term.iter().all(fits))
    }
}

/// The operating system that a pod spec requires: `os.name`, or `windows` for a `HostProcess` pod.
/// Source: kubernetes v1.37 `pkg/kubelet/lifecycle/predicate.go`, `PodOSNotSupported`;
/// `pkg/apis/core/validation/validation.go`, `validateWindowsHostProcessPod`.
fn os<'t>(spec: NodeRef<'t, '_>) -> Option<&'t str> {
    let named = spec.get("os").and_then(|os| os.get("name")).and_then(NodeRef::non_null_text);
    named.or(is_host_process(spec).then_some(WINDOWS))
}

/// True if the pod or a container has `hostProcess: true`. Kubernetes accepts no mix of containers with and without it.
fn is_host_process(spec: NodeRef<'_, '_>) -> bool {
    let host_process = |node: NodeRef<'_, '_>| {
        let options = node.get("securityContext").and_then(|context| context.get("windowsOptions"));
        options.and_then(|options| options.get("hostProcess")).and_then(NodeRef::as_bool)
    };
    let mut containers = spec.get("containers").into_iter().flat_map(NodeRef::items);
    host_process(spec) == Some(true) || containers.any(|container| host_process(container) == Some(true))
}

/// Labels for which a term requires exactly one value.
fn single_values(term: &[Requirement]) -> BTreeMap<&str, &str> {
    term.iter().filter_map(Requirement::single).collect()
}

/// Requirements of a node selector term.
fn requirements(term: NodeRef<'_, '_>) -> impl Iterator<Item = Requirement> {
    let list = move |key: &str| term.get(key).into_iter().flat_map(NodeRef::items);
    let fields = list("matchFields").filter_map(Requirement::from_field);
    list("matchExpressions").filter_map(Requirement::read).chain(fields)
}

/// The data of a pod that decides on which nodes it may run.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'p> {
    /// Namespace of the pod.
    pub namespace: Option<&'p str>,
    /// Labels of the pod.
    pub labels: &'p Labels,
    /// Node requirements of the pod.
    pub placement: Option<&'p Placement>,
    /// Claims of the pod whose volumes only one node can mount.
    pub claims: &'p [&'p str],
}

impl<'p> Placed<'p> {
    /// Namespace and labels of the pods.
    fn pod_labels(self) -> PodLabels<'p> {
        (self.namespace, self.labels)
    }
}

/// True if the two pods can never run on the same node.
pub fn never_share_a_node(one: Placed<'_>, other: Placed<'_>) -> bool {
    let apart = |one: Placed<'_>, other: Placed<'_>| {
        keeps_away(
            one.placement.map_or(&[], |placement| &placement.anti_affinity),
            one.pod_labels(),
            other.pod_labels(),
        )
    };
    if apart(one, other) || apart(other, one) {
        return true;
    }
    let (Some(a), Some(b)) = (one.placement, other.placement) else { return false };
    let exclude = |a: &[Requirement], b: &[Requirement]| a.iter().any(|one| b.iter().any(|other| one.excludes(other)));
    !a.terms.is_empty() && !b.terms.is_empty() && a.terms.iter().all(|a| b.terms.iter().all(|b| exclude(a, b)))
}

/// True if the two pods can run only on the same node: required affinity of one pod to the other, or a volume of both
/// that only one node can mount.
pub fn always_share_a_node(one: Placed<'_>, other: Placed<'_>) -> bool {
    let attracts = |one: Placed<'_>, other: Placed<'_>| {
        affinity_colocates(
            one.placement.map_or(&[], |placement| &placement.affinity),
            one.pod_labels(),
            other.pod_labels(),
        )
    };
    // A pod whose affinity also selects the pod itself may run alone, unless the other pod needs it.
    let needs =
        |one: Placed<'_>, other: Placed<'_>| attracts(one, other) && (!attracts(one, one) || attracts(other, one));
    let has_one_volume =
        one.namespace == other.namespace && one.claims.iter().any(|claim| other.claims.contains(claim));
    has_one_volume || needs(one, other) || needs(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::model::text::Labels;
    use lossless_yaml::Tree;

    fn apart(one: &str, other: &str) -> bool {
        let (one, other) = (Tree::parse(one).unwrap(), Tree::parse(other).unwrap());
        let read = |tree: &Tree<'_>| {
            let spec = tree.root(0).unwrap();
            (spec.get("labels").map(Labels::read).unwrap_or_default(), Placement::read(spec))
        };
        let ((a, b), (c, d)) = (read(&one), read(&other));
        never_share_a_node(
            Placed { namespace: Some("shop"), labels: &a, placement: b.as_deref(), claims: &[] },
            Placed { namespace: Some("shop"), labels: &c, placement: d.as_deref(), claims: &[] },
        )
    }

    #[test]
    fn pods_bound_to_different_nodes_never_share_a_node() {
        assert!(apart("nodeName: a", "nodeName: b"));
        assert!(!apart("nodeName: a", "nodeName: a"));
        assert!(!apart("nodeName: a", "{}"));
        assert!(apart("nodeSelector: {pool: a}", "nodeSelector: {pool: b}"));
        assert!(!apart("nodeSelector: {pool: a}", "nodeSelector: {zone: b}"));
        assert!(!apart("nodeName: a", "nodeSelector: {zone: b}") && !apart("nodeSelector: {zone: b}", "nodeName: a"));
    }

    #[test]
    fn required_affinity_counts_if_every_term_excludes_the_other_pod() {
        let affinity = |terms: &str| {
            format!(
                "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: \
                 [{terms}]}}}}}}"
            )
        };
        let edge = affinity("{matchExpressions: [{key: pool, operator: In, values: [edge, cdn]}]}");
        let not_edge = affinity("{matchExpressions: [{key: pool, operator: NotIn, values: [edge, cdn]}]}");
        let no_pool = affinity("{matchExpressions: [{key: pool, operator: DoesNotExist}]}");
        let either = affinity(
            "{matchExpressions: [{key: pool, operator: DoesNotExist}]}, {matchExpressions: [{key: zone, operator: \
             Exists}]}",
        );
        assert!(apart(&edge, &not_edge) && apart(&not_edge, &edge));
        assert!(apart(&edge, &no_pool) && apart(&no_pool, &edge));
        let any_pool = affinity("{matchExpressions: [{key: pool, operator: Exists}]}");
        assert!(apart(&any_pool, &no_pool) && apart(&no_pool, &any_pool) && !apart(&any_pool, &edge));
        assert!(!apart(&edge, &either));
        assert!(!apart(&not_edge, &no_pool));
        assert!(apart(&edge, "nodeSelector: {pool: web}"));
        // A node selector applies to every alternative of the affinity; it is not an alternative itself.
        assert!(apart(&format!("{edge}\nnodeSelector: {{zone: a}}"), &no_pool));
        assert!(apart(&format!("{either}\nnodeSelector: {{rack: a}}"), "nodeSelector: {rack: b}"));
    }

    #[test]
    fn spec_os_counts_as_a_node_label() {
        let windows = "os: {name: windows}";
        assert!(apart(windows, "os: {name: linux}") && apart(windows, "nodeSelector: {kubernetes.io/os: linux}"));
        assert!(apart(
            "securityContext: {windowsOptions: {hostProcess: true}}",
            "nodeSelector: {kubernetes.io/os: linux}"
        ));
        assert!(!apart("securityContext: {windowsOptions: {hostProcess: false}}", "os: {name: linux}"));
        assert!(!apart(windows, "nodeSelector: {pool: web}"));
    }

    #[test]
    fn required_anti_affinity_by_host_name_counts() {
        let away = |key: &str, app: &str| {
            format!(
                "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}, \
                 labelSelector: {{matchLabels: {{app: {app}}}}}}}]}}}}"
            )
        };
        assert!(apart(&away("kubernetes.io/hostname", "web"), "labels: {app: web}"));
        assert!(apart("labels: {app: web}", &away("kubernetes.io/hostname", "web")));
        assert!(!apart(&away("kubernetes.io/hostname", "web"), "labels: {app: api}"));
        assert!(!apart(&away("example.com/rack", "web"), "labels: {app: web}"));
        let selecting =
            |selector: &str| away("kubernetes.io/hostname", "web").replace("{matchLabels: {app: web}}", selector);
        for everybody in ["{}", "{matchLabels: {}}", "{matchLabels: , matchExpressions: []}"] {
            assert!(
                apart(&selecting(everybody), "labels: {app: web}") && apart(&selecting(everybody), "{}"),
                "{everybody}"
            );
        }
        for nobody in ["", "{matchLabels: x}", "{more: [x]}"] {
            assert!(!apart(&selecting(nobody), "labels: {app: web}"), "{nobody}");
        }
        // Fields in addition to labels may select fewer pods.
        let web = away("kubernetes.io/hostname", "web");
        for more in ["namespaces: [other]", "matchLabelKeys: [x]", "mismatchLabelKeys: [x]"] {
            assert!(
                !apart(&web.replace("topologyKey", &format!("{more}, topologyKey")), "labels: {app: web}"),
                "{more}"
            );
        }
        let expressions = web.replace("matchLabels:", "matchExpressions: [{key: x, operator: Exists}], matchLabels:");
        assert!(!apart(&expressions, "labels: {app: web}") && apart(&expressions, "labels: {app: web, x: a}"));
        let listed = away("kubernetes.io/hostname", "web")
            .replace("matchLabels: {app: web}", "matchExpressions: [{key: app, operator: In, values: [web, api]}]");
        assert!(apart(&listed, "labels: {app: api}") && !apart(&listed, "labels: {app: db}"));
        // Terms that the API server rejects are ignored.
        assert!(!apart(&listed.replace("In,", "Gt,"), "labels: {app: api}"));
    }

    #[test]
    fn match_fields_and_numeric_operators_count() {
        let affinity = |term: &str| {
            format!(
                "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{term}]}}}}}}"
            )
        };
        let named = |name: &str| {
            affinity(&format!("{{matchFields: [{{key: metadata.name, operator: In, values: [{name}]}}]}}"))
        };
        assert!(
            apart(&named("a"), &named("b")) && apart(&named("a"), "nodeName: b") && apart("nodeName: b", &named("a"))
        );
        assert!(!apart(&named("a"), &named("a")) && !apart(&named("a"), "nodeName: a"));
        let than = |operator: &str, bound: u8| {
            affinity(&format!("{{matchExpressions: [{{key: n, operator: {operator}, values: ['{bound}']}}]}}"))
        };
        assert!(apart(&than("Gt", 5), &than("Lt", 6)) && !apart(&than("Gt", 5), &than("Lt", 7)));
        assert!(apart(&than("Gt", 5), "nodeSelector: {n: '5'}") && !apart(&than("Gt", 5), "nodeSelector: {n: '6'}"));
    }

    /// Returns two results for a pod in namespace `shop` with this term and labels, and a pod with the label `app: web`
    /// in `namespace`: they never share a node, and they always share a node.
    fn judged(kind: &str, term: &str, labels: &str, namespace: &str) -> (bool, bool) {
        let text = format!("affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{term}}}]}}}}");
        let (spec, labels) = (Tree::parse(&text).unwrap(), Tree::parse(labels).unwrap());
        let web = Tree::parse("{app: web}").unwrap();
        let (own, web) = (Labels::read(labels.root(0).unwrap()), Labels::read(web.root(0).unwrap()));
        let placement = Placement::read(spec.root(0).unwrap());
        let one = Placed { namespace: Some("shop"), labels: &own, placement: placement.as_deref(), claims: &[] };
        let other = Placed { namespace: Some(namespace), labels: &web, placement: None, claims: &[] };
        assert_eq!(never_share_a_node(one, other), never_share_a_node(other, one));
        assert_eq!(always_share_a_node(one, other), always_share_a_node(other, one));
        (never_share_a_node(one, other), always_share_a_node(one, other))
    }

    const WEB: &str = "labelSelector: {matchLabels: {app: web}}";

    #[test]
    fn anti_affinity_of_nodes_and_zones_in_its_namespaces_keeps_pods_apart() {
        let is_apart =
            |more: &str, namespace: &str| judged("podAntiAffinity", &format!("{WEB}, {more}"), "{app: a}", namespace).0;
        let host = "topologyKey: kubernetes.io/hostname";
        assert!(is_apart(host, "shop") && !is_apart(host, "other"));
        assert!(is_apart("topologyKey: topology.kubernetes.io/zone", "shop"));
        assert!(!is_apart("topologyKey: example.com/rack", "shop"));
        let here = |namespaces: &str, namespace: &str| is_apart(&format!("{host}, {namespaces}"), namespace);
        assert!(here("namespaces: [other]", "other") && !here("namespaces: [other]", "shop"));
        assert!(here("namespaces: []", "shop") && here("namespaceSelector: ", "shop"));
        assert!(here("namespaceSelector: {}", "other") && here("namespaceSelector: {}", "shop"));
        let named = "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}";
        assert!(here(named, "other") && !here(named, "shop"));
        // Labels of a namespace are not known.
        assert!(!here("namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}", "other"));
        assert!(here("namespaces: [other], namespaceSelector: {matchLabels: {team: a}}", "other"));
    }

    #[test]
    fn affinity_of_nodes_puts_pods_together() {
        let is_together = |term: &str, labels: &str, namespace: &str| judged("podAffinity", term, labels, namespace).1;
        let host = format!("{WEB}, topologyKey: kubernetes.io/hostname");
        assert!(is_together(&host, "{app: a}", "shop") && !is_together(&host, "{app: a}", "other"));
        assert!(is_together(&format!("{host}, namespaces: [other]"), "{app: a}", "other"));
        assert!(!is_together(&format!("{WEB}, topologyKey: topology.kubernetes.io/zone"), "{app: a}", "shop"));
        // A pod that its own affinity term selects may be the first pod, on any node.
        assert!(!is_together(&host, "{app: web}", "shop"));
    }
}
