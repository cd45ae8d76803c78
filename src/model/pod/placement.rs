//! Where pods may run, as far as it shows that two of them never share a node.

use std::collections::BTreeMap;

use super::toleration::{Taint, Toleration};
use crate::model::text::Labels;
use crate::yaml::NodeRef;

/// The node label that every node has a value of its own for.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The node label that tells the operating system.
const OS: &str = "kubernetes.io/os";

const WINDOWS: &str = "windows";

/// What stands for `nodeName` among labels of nodes: no label has this key.
const NODE_NAME: &str = "";

/// What a pod asks of its node: `nodeName`, `nodeSelector`, required node affinity, required anti-affinity by host name; and what it
/// tolerates there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    node_name: Option<String>,
    /// Alternatives, each with all that it asks; `nodeSelector` is part of each.
    terms: Box<[Box<[Requirement]>]>,
    /// Labels of pods that it does not share a node with.
    apart_from: Box<[Labels]>,
    /// Taints that do not keep it away.
    tolerations: Box<[Toleration]>,
    /// Whether its containers are processes of a Windows node.
    is_host_process: bool,
}

/// What one label of a node has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: Box<str>,
    operator: Operator,
    /// Few, so that a list does.
    values: Box<[Box<str>]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl Placement {
    /// What a pod spec asks; none when it may run anywhere.
    #[must_use]
    pub fn of(spec: NodeRef<'_, '_>) -> Option<Box<Self>> {
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let selector: Box<[Requirement]> = spec
            .get("nodeSelector")
            .into_iter()
            .flat_map(NodeRef::entries)
            .filter_map(|(key, value)| {
                let values = Box::new([value.text()?.into()]);
                Some(Requirement { key: key.text()?.into(), operator: Operator::In, values })
            })
            .collect();
        // The kubelet of another operating system refuses the pod.
        let os =
            os(spec).map(|os| Requirement { key: OS.into(), operator: Operator::In, values: Box::new([os.into()]) });
        let selector: Box<[Requirement]> = selector.into_iter().chain(os).collect();
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
        let apart = required("podAntiAffinity").into_iter().flat_map(NodeRef::items);
        let apart = apart.filter(|term| text(*term, "topologyKey").as_deref() == Some(HOSTNAME));
        let apart_from = apart
            .filter_map(|term| {
                let selector = term.get("labelSelector")?;
                // What is more than labels is not looked into: then they may share a node.
                let more = ["namespaceSelector", "namespaces", "matchLabelKeys", "mismatchLabelKeys"];
                let plain =
                    selector.get("matchExpressions").is_none() && more.iter().all(|key| term.get(key).is_none());
                selector.get("matchLabels").filter(|_| plain).map(Labels::of)
            })
            .filter(|labels| !labels.is_empty())
            .collect();
        let tolerations = spec.get("tolerations").into_iter().flat_map(NodeRef::items).map(Toleration::of).collect();
        let is_host_process = is_host_process(spec);
        let placement = Self { node_name: text(spec, "nodeName"), terms, apart_from, tolerations, is_host_process };
        (placement != Self::default()).then(|| Box::new(placement))
    }
}

impl Placement {
    /// What a subset of pods asks besides (`nodeSelectorTerm` and `tolerations` of OpenKruise's `UnitedDeployment`); none when it asks
    /// nothing.
    #[must_use]
    pub fn of_subset(subset: NodeRef<'_, '_>) -> Option<Box<Self>> {
        let term: Box<[Requirement]> = subset.get("nodeSelectorTerm").map(requirements).into_iter().flatten().collect();
        let terms: Box<[Box<[Requirement]>]> = if term.is_empty() { Box::new([]) } else { Box::new([term]) };
        let tolerations = subset.get("tolerations").into_iter().flat_map(NodeRef::items).map(Toleration::of).collect();
        let placement = Self { terms, tolerations, ..Self::default() };
        (placement != Self::default()).then(|| Box::new(placement))
    }

    /// Whether it runs on Windows nodes alone.
    #[must_use]
    pub fn is_windows(&self) -> bool {
        self.node_labels().get(OS) == Some(&WINDOWS)
    }

    /// Whether its containers are processes of a Windows node (`HostProcess`).
    #[must_use]
    pub fn is_host_process(&self) -> bool {
        self.is_host_process
    }

    /// The one node that it may be on: the scheduler fills it in.
    #[must_use]
    pub fn node_name(&self) -> Option<&str> {
        self.node_name.as_deref()
    }

    /// The labels of which the node must have one value: what asks for another value of one of them never shares a node with
    /// this.
    #[must_use]
    pub fn node_labels(&self) -> BTreeMap<&str, &str> {
        let mut terms = self.terms.iter().map(|term| single(term));
        let mut labels = terms.next().unwrap_or_default();
        for term in terms {
            labels.retain(|key, value| term.get(key) == Some(value));
        }
        labels.extend(self.node_name.as_deref().map(|name| (NODE_NAME, name)));
        labels
    }
}

impl Placement {
    /// Whether a pod may be on a node that has this taint.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.tolerations.iter().any(|one| one.tolerates(taint))
    }

    /// Whether a pod may be on a node of this name with these labels, as far as it is looked into: what compares numbers is taken
    /// as matched. A node without a name is one of which not all is known: it may have any name, and labels that are not given.
    pub fn may_be_on(&self, label: &dyn Fn(&str) -> Option<String>, name: Option<&str>) -> bool {
        let named = self.node_name.as_deref().is_none_or(|own| name.is_none_or(|name| own == name));
        let fits = |requirement: &Requirement| {
            let value = label(&requirement.key);
            if value.is_none() && name.is_none() {
                return true;
            }
            let is_one = || value.as_ref().is_some_and(|value| requirement.values.iter().any(|one| **one == **value));
            match requirement.operator {
                Operator::In => is_one(),
                Operator::NotIn => !is_one(),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        };
        named && (self.terms.is_empty() || self.terms.iter().any(|term| term.iter().all(fits)))
    }
}

/// The operating system that a pod spec names: `os.name`, or that of a Windows `HostProcess` pod.
/// Source: kubernetes v1.37 `pkg/kubelet/lifecycle/predicate.go`, `PodOSNotSupported`; `pkg/apis/core/validation/validation.go`,
/// `validateWindowsHostProcessPod`.
fn os<'t>(spec: NodeRef<'t, '_>) -> Option<&'t str> {
    let named = spec.get("os").and_then(|os| os.get("name")).and_then(NodeRef::non_null_text);
    named.or(is_host_process(spec).then_some(WINDOWS))
}

/// Whether the pod says that its containers are processes of a Windows node, or one of them does: it is all of them or none.
fn is_host_process(spec: NodeRef<'_, '_>) -> bool {
    let says = |node: NodeRef<'_, '_>| {
        let options = node.get("securityContext").and_then(|context| context.get("windowsOptions"));
        options.and_then(|options| options.get("hostProcess")).and_then(NodeRef::as_bool)
    };
    let mut containers = spec.get("containers").into_iter().flat_map(NodeRef::items);
    says(spec) == Some(true) || containers.any(|container| says(container) == Some(true))
}

/// The labels for which a term asks one value.
fn single(term: &[Requirement]) -> BTreeMap<&str, &str> {
    let single = term.iter().filter(|one| one.operator == Operator::In && one.values.len() == 1);
    single.filter_map(|one| Some((&*one.key, &**one.values.first()?))).collect()
}

fn requirements(term: NodeRef<'_, '_>) -> impl Iterator<Item = Requirement> {
    let expressions = term.get("matchExpressions").into_iter().flat_map(NodeRef::items);
    expressions.filter_map(|expression| {
        let operator = match expression.get("operator")?.text()? {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            _ => return None,
        };
        let values = expression.get("values").into_iter().flat_map(NodeRef::items);
        Some(Requirement {
            key: expression.get("key")?.text()?.into(),
            operator,
            values: values.filter_map(|value| value.text().map(Into::into)).collect(),
        })
    })
}

impl Requirement {
    /// Whether no node can satisfy both.
    fn excludes(&self, other: &Self) -> bool {
        use Operator::{DoesNotExist, Exists, In, NotIn};
        let is_in = |one: &Self, other: &Self| one.values.iter().all(|value| other.values.contains(value));
        let apart = |one: &Self, other: &Self| !one.values.iter().any(|value| other.values.contains(value));
        self.key == other.key
            && match (self.operator, other.operator) {
                (In, In) => apart(self, other),
                (In, NotIn) => is_in(self, other),
                (NotIn, In) => is_in(other, self),
                (In | Exists, DoesNotExist) | (DoesNotExist, In | Exists) => true,
                _ => false,
            }
    }
}

/// A pod as placement sees it.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'p> {
    /// Its namespace.
    pub namespace: Option<&'p str>,
    /// Its labels.
    pub labels: &'p Labels,
    /// What it asks of its node.
    pub placement: Option<&'p Placement>,
}

/// Whether two pods can never be on one node.
#[must_use]
pub fn never_share_a_node(one: Placed<'_>, other: Placed<'_>) -> bool {
    let apart = |one: Placed<'_>, other: Placed<'_>| {
        let from = one.placement.map_or(&[][..], |placement| &placement.apart_from);
        one.namespace == other.namespace && from.iter().any(|labels| other.labels.contains(labels))
    };
    if apart(one, other) || apart(other, one) {
        return true;
    }
    let (Some(a), Some(b)) = (one.placement, other.placement) else { return false };
    if let (Some(a), Some(b)) = (&a.node_name, &b.node_name)
        && a != b
    {
        return true;
    }
    let exclude = |a: &[Requirement], b: &[Requirement]| a.iter().any(|one| b.iter().any(|other| one.excludes(other)));
    !a.terms.is_empty() && !b.terms.is_empty() && a.terms.iter().all(|a| b.terms.iter().all(|b| exclude(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::model::text::Labels;
    use crate::yaml::Tree;

    fn apart(one: &str, other: &str) -> bool {
        let (one, other) = (Tree::parse(one).unwrap(), Tree::parse(other).unwrap());
        let read = |tree: &Tree<'_>| {
            let spec = tree.root(0).unwrap();
            (spec.get("labels").map(Labels::of).unwrap_or_default(), Placement::of(spec))
        };
        let ((a, b), (c, d)) = (read(&one), read(&other));
        never_share_a_node(
            Placed { namespace: Some("shop"), labels: &a, placement: b.as_deref() },
            Placed { namespace: Some("shop"), labels: &c, placement: d.as_deref() },
        )
    }

    #[test]
    fn pods_of_other_nodes_never_meet() {
        assert!(apart("nodeName: a", "nodeName: b"));
        assert!(!apart("nodeName: a", "nodeName: a"));
        assert!(!apart("nodeName: a", "{}"));
        assert!(apart("nodeSelector: {pool: a}", "nodeSelector: {pool: b}"));
        assert!(!apart("nodeSelector: {pool: a}", "nodeSelector: {zone: b}"));
        assert!(!apart("nodeName: a", "nodeSelector: {zone: b}") && !apart("nodeSelector: {zone: b}", "nodeName: a"));
    }

    #[test]
    fn required_affinity_counts_and_every_alternative_has_to_exclude() {
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
        // A node selector is part of every alternative, not one of its own.
        assert!(apart(&format!("{edge}\nnodeSelector: {{zone: a}}"), &no_pool));
        assert!(apart(&format!("{either}\nnodeSelector: {{rack: a}}"), "nodeSelector: {rack: b}"));
    }

    #[test]
    fn an_operating_system_is_a_label_of_the_node() {
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
        assert!(!apart(&away("topology.kubernetes.io/zone", "web"), "labels: {app: web}"));
        let everybody = away("kubernetes.io/hostname", "web").replace("{app: web}", "{}");
        assert!(!apart(&everybody, "labels: {app: web}"));
        // What is more than labels may make it mean fewer pods.
        let web = away("kubernetes.io/hostname", "web");
        for more in ["namespaces: [other]", "namespaceSelector: {}", "matchLabelKeys: [x]", "mismatchLabelKeys: [x]"] {
            assert!(
                !apart(&web.replace("topologyKey", &format!("{more}, topologyKey")), "labels: {app: web}"),
                "{more}"
            );
        }
        let expressions = web.replace("matchLabels:", "matchExpressions: [{key: x, operator: Exists}], matchLabels:");
        assert!(!apart(&expressions, "labels: {app: web}"));
    }
}
