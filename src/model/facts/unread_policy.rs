//! Policies of network plugins and cluster administrators: the pods that they may select, and the pods that their rules
//! name. Their rules are not evaluated.
//!
//! Source: `catalog/plugin-policies.yaml`.

use super::applies_to::Endpoints;
use super::host_firewall::{self, HostPart};
use super::plugin_policy::{cilium_peer, cilium_subjects};
use super::policy_subject::{PolicyPods, PolicySubject};
use super::scope::{Requirements, label_selector};
use super::unread_peers::{UnreadPeer, peers};
use crate::catalog::{PolicyForm, policy_form};
use crate::model::meta::Meta;
use crate::model::text::Labels;
use lossless_yaml::NodeRef;

/// Policy whose rules are not evaluated.
#[derive(Debug, Clone)]
pub(crate) struct UnevaluatedPolicy {
    /// Name of the object in messages.
    pub(crate) name: String,
    /// Form of the spec.
    pub(crate) form: PolicyForm,
    parts: Vec<SubjectEffect>,
    /// Pods that rules name by their labels.
    pub(crate) peers: Vec<UnreadPeer>,
    /// Parts about nodes.
    pub(crate) hosts: Vec<HostPart>,
}

/// Selected pods, and the possible effect on their connections.
#[derive(Debug, Clone)]
struct SubjectEffect {
    subject: PolicySubject,
    ingress: PolicyEffect,
    egress: PolicyEffect,
}

impl SubjectEffect {
    /// Effect on connections of a direction.
    fn effect(&self, direction: Direction) -> PolicyEffect {
        match direction {
            Direction::Ingress => self.ingress,
            Direction::Egress => self.egress,
        }
    }
}

/// Possible effect of a policy on connections of one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PolicyEffect {
    /// True if it may refuse a connection that no `NetworkPolicy` refuses.
    pub(crate) closes: bool,
    /// True if it may allow a connection that a `NetworkPolicy` refuses.
    pub(crate) opens: bool,
}

impl PolicyEffect {
    /// Effect of a policy that may refuse and allow.
    pub(crate) const ANY: Self = Self { closes: true, opens: true };

    /// Combines two effects.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { closes: self.closes || other.closes, opens: self.opens || other.opens }
    }
}

/// Direction of a connection, seen from the selected pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Ingress,
    Egress,
}

impl UnevaluatedPolicy {
    /// Reads a policy; `None` for other kinds, and for policies that select no pods.
    pub(crate) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Self> {
        let form = policy_form(&meta.gvk.group, &meta.gvk.kind)?;
        let spec = || node.get("spec");
        let parts = match form {
            PolicyForm::Cilium => cilium(meta, node),
            PolicyForm::Calico => calico(meta, spec()?),
            PolicyForm::Admin => admin(spec()?).into_iter().collect(),
            PolicyForm::Antrea => antrea(meta, spec()?),
            PolicyForm::EgressFirewall => vec![egress_firewall(meta, spec()?)],
            PolicyForm::EgressAddress => egress_address(meta, spec()?),
            PolicyForm::Native => vec![native(own_pods(meta, spec()?.get("podSelector")), spec()?)],
            PolicyForm::NativeEgress => vec![native_egress(meta, spec()?)],
            PolicyForm::Nsx => nsx(meta, spec()?),
            PolicyForm::Istio => istio(meta, spec()).into_iter().collect(),
            PolicyForm::Linkerd => linkerd(meta, spec()?).into_iter().collect(),
            PolicyForm::IstioPeer => istio_peer(meta, spec()?).into_iter().collect(),
            PolicyForm::IstioSidecar => istio_sidecar(meta, spec()?).into_iter().collect(),
            PolicyForm::LinkerdDefault => linkerd_default(meta).into_iter().collect(),
            PolicyForm::MeshService => mesh_service(meta, spec()?).into_iter().collect(),
            PolicyForm::NeuVector => neuvector(meta, spec()?).into_iter().collect(),
            PolicyForm::Generated => generated(spec()?),
            PolicyForm::Tenant => tenant(spec()?),
            PolicyForm::Subnet => subnet(spec()?),
            // Providers of Crossplane make resources outside of the cluster.
            PolicyForm::Other if spec()?.get("forProvider").is_some() => Vec::new(),
            PolicyForm::Other => vec![any_effect(meta.namespace.clone())],
            PolicyForm::CalicoHost | PolicyForm::NodeFirewall => Vec::new(),
        };
        let hosts = match form {
            PolicyForm::Cilium => host_firewall::cilium(meta, node),
            PolicyForm::Calico => host_firewall::calico(meta, spec()?).into_iter().collect(),
            PolicyForm::CalicoHost => host_firewall::endpoint(node).into_iter().collect(),
            PolicyForm::NodeFirewall => host_firewall::node_firewall(spec()?),
            _ => Vec::new(),
        };
        let peers = if parts.is_empty() { Vec::new() } else { peers(form, meta, node) };
        (!parts.is_empty() || !hosts.is_empty()).then(|| Self { name: name_of(meta), form, parts, peers, hosts })
    }

    /// True if the policy may select pods of a namespace, whatever their labels are.
    pub(crate) fn may_be_in(&self, namespace: &str) -> bool {
        self.parts.iter().any(|part| part.subject.may_be_in(namespace))
    }

    /// True if the values in the manifest of the pods suffice to select them, and the policy may affect connections of
    /// this direction.
    pub(crate) fn affects(&self, pods: PolicyPods<'_>, direction: Direction) -> bool {
        let selected = self.parts.iter().filter(|part| part.subject.selects(pods) == Some(true));
        let is_address = self.form == PolicyForm::EgressAddress;
        selected.map(|part| part.effect(direction)).any(|effect| is_address || effect != PolicyEffect::default())
    }

    /// Possible effect on connections of pods; no effect if the policy does not select the pods. Values that only the
    /// cluster has count as matching.
    pub(crate) fn effect(&self, pods: PolicyPods<'_>, direction: Direction) -> PolicyEffect {
        let near = self.parts.iter().filter(|part| part.subject.selects(pods) != Some(false));
        near.map(|part| part.effect(direction)).fold(PolicyEffect::default(), PolicyEffect::or)
    }
}

/// Name in messages, with the API group for a kind that Kubernetes also has:
/// `NetworkPolicy.projectcalico.org shop/web`.
fn name_of(meta: &Meta) -> String {
    let name = meta.to_string();
    match name.strip_prefix("NetworkPolicy ") {
        Some(rest) => format!("NetworkPolicy.{} {rest}", meta.gvk.group),
        None => name,
    }
}

/// Reads the effects of a Cilium policy, one for each selector.
fn cilium(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let part = |(selected, spec): (Endpoints, NodeRef<'_, '_>)| {
        let effect = |allow: &str, deny: &str, direction: &str| {
            let refuses = spec
                .get("enableDefaultDeny")
                .and_then(|default_deny| default_deny.get(direction))
                .and_then(NodeRef::as_bool);
            let opens = !is_empty(spec, allow);
            let closes = !is_empty(spec, deny) || opens && refuses != Some(false);
            PolicyEffect { closes, opens }
        };
        let ingress = effect("ingress", "ingressDeny", "ingress");
        let egress = effect("egress", "egressDeny", "egress");
        SubjectEffect { subject: PolicySubject::Cilium(selected), ingress, egress }
    };
    cilium_subjects(meta, object).into_iter().map(part).collect()
}

/// Reads a policy of Calico; empty for policies of node interfaces.
fn calico(meta: &Meta, spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    // Policies with these fields apply to node interfaces.
    let is_set = |key: &str| spec.get(key).and_then(NodeRef::as_bool) == Some(true);
    if is_set("doNotTrack") || is_set("preDNAT") {
        return Vec::new();
    }
    let text = |key: &str| spec.get(key).and_then(NodeRef::non_null_text).unwrap_or_default().to_owned();
    let is_namespaced = meta.gvk.kind == "NetworkPolicy";
    let namespace = is_namespaced.then(|| meta.namespace.clone().unwrap_or_default());
    let types: Vec<&str> = spec.get("types").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).collect();
    let effect = |direction: &str, list: &str| {
        let is_for_it = match types.as_slice() {
            [] => !is_empty(spec, list) || list == "ingress" && is_empty(spec, "egress"),
            some => some.contains(&direction),
        };
        PolicyEffect { closes: is_for_it, opens: is_for_it && !is_empty(spec, list) }
    };
    let (ingress, egress) = (effect("Ingress", "ingress"), effect("Egress", "egress"));
    let namespaces = if is_namespaced { String::new() } else { text("namespaceSelector") };
    let others = [namespaces, text("serviceAccountSelector")];
    vec![SubjectEffect { subject: PolicySubject::Calico(namespace, text("selector"), others), ingress, egress }]
}

/// Reads the subject of a policy such as `AdminNetworkPolicy`, and its effects in both directions.
fn admin(spec: NodeRef<'_, '_>) -> Option<SubjectEffect> {
    let subject = spec.get("subject")?;
    let (namespaces, pods) = match subject.get("pods") {
        Some(pods) => (pods.get("namespaceSelector"), pods.get("podSelector")),
        None => (subject.get("namespaces"), None),
    };
    let effect = |list: &str| {
        let rules = spec.get(list).into_iter().flat_map(NodeRef::items);
        let actions: Vec<&str> = rules.filter_map(|rule| rule.get("action")?.text()).collect();
        PolicyEffect { closes: actions.contains(&"Deny"), opens: actions.iter().any(|action| *action != "Deny") }
    };
    let subject = PolicySubject::Admin(label_selector(namespaces), label_selector(pods));
    Some(SubjectEffect { subject, ingress: effect("ingress"), egress: effect("egress") })
}

/// Returns one part per rule, because each rule may select pods of its own.
fn antrea(meta: &Meta, spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let namespace = (meta.gvk.kind == "NetworkPolicy").then(|| meta.namespace.clone().unwrap_or_default());
    let mut parts = Vec::new();
    for list in ["ingress", "egress"] {
        for rule in spec.get(list).into_iter().flat_map(NodeRef::items) {
            // `Pass` leaves the decision to the next tier.
            let effect = match rule.get("action").and_then(NodeRef::text) {
                Some("Pass") => PolicyEffect::default(),
                Some("Allow") => PolicyEffect { closes: false, opens: true },
                _ => PolicyEffect { closes: true, opens: false },
            };
            let (ingress, egress) =
                if list == "ingress" { (effect, PolicyEffect::default()) } else { (PolicyEffect::default(), effect) };
            let own = rule.get("appliedTo").filter(|list| list.items().next().is_some());
            let applied = own.or_else(|| spec.get("appliedTo")).into_iter().flat_map(NodeRef::items);
            let subjects = applied.filter_map(|entry| antrea_subject(namespace.as_deref(), entry));
            parts.extend(subjects.map(|subject| SubjectEffect { subject, ingress, egress }));
        }
    }
    parts
}

/// Returns the pods of an entry of `appliedTo`; `None` for nodes and external entities. The members of groups and the
/// pods of Services are unknown.
///
/// Source: antrea-io/antrea@fc70f2bb `pkg/apis/crd/v1beta1/types.go` (`AppliedTo`).
fn antrea_subject(namespace: Option<&str>, entry: NodeRef<'_, '_>) -> Option<PolicySubject> {
    if ["nodeSelector", "externalEntitySelector"].iter().any(|key| entry.get(key).is_some()) {
        return None;
    }
    if let Some(account) = entry.get("serviceAccount") {
        let text = |key: &str| account.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
        return Some(PolicySubject::ServiceAccount(text("namespace"), text("name")));
    }
    if ["group", "service"].iter().any(|key| entry.get(key).is_some()) {
        return Some(PolicySubject::Unknown(namespace.map(str::to_owned)));
    }
    let pods = label_selector(entry.get("podSelector"));
    Some(match namespace {
        Some(own) => PolicySubject::Cilium(Endpoints { namespace: Some(own.into()), requirements: pods }),
        None => PolicySubject::Admin(label_selector(entry.get("namespaceSelector")), pods),
    })
}

/// Firewall of a namespace: connections of all its pods to addresses outside of the cluster.
fn egress_firewall(meta: &Meta, spec: NodeRef<'_, '_>) -> SubjectEffect {
    let mut types = spec.get("egress").into_iter().flat_map(NodeRef::items).filter_map(|rule| rule.get("type")?.text());
    let egress = PolicyEffect { closes: types.any(|rule_type| rule_type == "Deny"), opens: false };
    let namespace = Some(meta.namespace.clone().unwrap_or_default().into());
    SubjectEffect {
        subject: PolicySubject::Cilium(Endpoints { namespace, requirements: None }),
        ingress: PolicyEffect::default(),
        egress,
    }
}

/// Reads the pods that a policy gives a source address for connections to the outside: Cilium's list of selectors,
/// Antrea's `appliedTo`, or selectors in the spec itself. A pod selector of Cilium may also contain the namespace.
fn egress_address(meta: &Meta, spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let listed = spec.get("selectors").into_iter().flat_map(NodeRef::items);
    let entries = listed.chain([spec.get("appliedTo").unwrap_or(spec)]);
    let subject = |entry: NodeRef<'_, '_>| {
        let (namespaces, pods) = (entry.get("namespaceSelector"), entry.get("podSelector"));
        match (namespaces, pods.filter(|_| meta.gvk.group == "cilium.io")) {
            (None, None) => pods.map(|_| PolicySubject::Admin(label_selector(None), label_selector(pods))),
            (None, Some(pods)) => cilium_peer(meta, pods).map(PolicySubject::Cilium),
            (Some(_), _) => Some(PolicySubject::Admin(label_selector(namespaces), label_selector(pods))),
        }
    };
    let part = |subject| SubjectEffect { subject, ingress: PolicyEffect::default(), egress: PolicyEffect::default() };
    entries.filter_map(subject).map(part).collect()
}

/// Subject of a selector in the policy's own namespace.
fn own_pods(meta: &Meta, selector: Option<NodeRef<'_, '_>>) -> PolicySubject {
    let namespace = Some(meta.namespace.clone().unwrap_or_default().into());
    PolicySubject::Cilium(Endpoints { namespace, requirements: label_selector(selector) })
}

/// Effect of the spec of a `NetworkPolicy` on these pods.
fn native(subject: PolicySubject, spec: NodeRef<'_, '_>) -> SubjectEffect {
    let types: Vec<&str> =
        spec.get("policyTypes").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).collect();
    let effect = |direction: &str, list: &str| {
        let closes = match types.as_slice() {
            [] => direction == "Ingress" || !is_empty(spec, list),
            some => some.contains(&direction),
        };
        PolicyEffect { closes, opens: closes && !is_empty(spec, list) }
    };
    let (ingress, egress) = (effect("Ingress", "ingress"), effect("Egress", "egress"));
    SubjectEffect { subject, ingress, egress }
}

/// Effect of a `NetworkPolicy` that another program makes in namespaces that only the cluster has.
fn in_any_namespace(spec: NodeRef<'_, '_>) -> SubjectEffect {
    let requirements = label_selector(spec.get("podSelector"));
    native(PolicySubject::Cilium(Endpoints { namespace: None, requirements }), spec)
}

/// Reads the rules of Kyverno that make a `NetworkPolicy`. A copy of an object of the cluster may have any effect.
fn generated(spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let rules = spec.get("rules").into_iter().flat_map(NodeRef::items).filter_map(|rule| rule.get("generate"));
    let policies = rules.filter(|rule| rule.get("kind").and_then(NodeRef::text) == Some("NetworkPolicy"));
    let part = |rule: NodeRef<'_, '_>| match rule.get("data").and_then(|data| data.get("spec")) {
        Some(spec) => in_any_namespace(spec),
        None => any_effect(None),
    };
    policies.map(part).collect()
}

/// Reads a subnet of Kube-OVN, without namespaces of any pod. A private subnet refuses pods of other subnets.
fn subnet(spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let (is_private, has_rules) =
        (spec.get("private").and_then(NodeRef::as_bool) == Some(true), !is_empty(spec, "acls"));
    let effect = |closes| PolicyEffect { closes, opens: false };
    let part = |subject| SubjectEffect { subject, ingress: effect(is_private || has_rules), egress: effect(has_rules) };
    let names = spec.get("namespaces").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
    let own = |name: &str| {
        PolicySubject::Cilium(Endpoints { namespace: Some(name.into()), requirements: label_selector(None) })
    };
    let mut subjects: Vec<PolicySubject> = names.map(own).collect();
    if subjects.is_empty() {
        subjects.push(PolicySubject::Unknown(None));
    }
    subjects.into_iter().filter(|_| is_private || has_rules).map(part).collect()
}

/// Any effect on any pods, of a namespace if given.
fn any_effect(namespace: Option<String>) -> SubjectEffect {
    SubjectEffect { subject: PolicySubject::Unknown(namespace), ingress: PolicyEffect::ANY, egress: PolicyEffect::ANY }
}

/// Reads the policies that Capsule makes in the namespaces of a tenant.
fn tenant(spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let specs = spec.get("networkPolicies").and_then(|policies| policies.get("items"));
    specs.into_iter().flat_map(NodeRef::items).map(in_any_namespace).collect()
}

/// Reads a policy that refuses all egress of its pods except to listed names.
fn native_egress(meta: &Meta, spec: NodeRef<'_, '_>) -> SubjectEffect {
    SubjectEffect {
        subject: own_pods(meta, spec.get("podSelector")),
        ingress: PolicyEffect::default(),
        egress: PolicyEffect::ANY,
    }
}

/// Reads a policy of NSX: one part per rule and entry of `appliedTo`; without an entry all pods of the namespace.
fn nsx(meta: &Meta, spec: NodeRef<'_, '_>) -> Vec<SubjectEffect> {
    let mut parts = Vec::new();
    for rule in spec.get("rules").into_iter().flat_map(NodeRef::items) {
        let is = |key: &str, words: &[&str]| {
            let text = rule.get(key).and_then(NodeRef::text).unwrap_or_default();
            words.iter().any(|word| text.eq_ignore_ascii_case(word))
        };
        let opens = is("action", &["allow"]);
        let effect = |words: &[&str]| {
            if is("direction", words) { PolicyEffect { closes: !opens, opens } } else { PolicyEffect::default() }
        };
        let (ingress, egress) = (effect(&["in", "ingress"]), effect(&["out", "egress"]));
        let own = rule.get("appliedTo").filter(|list| list.items().next().is_some());
        let applied: Vec<NodeRef<'_, '_>> =
            own.or_else(|| spec.get("appliedTo")).into_iter().flat_map(NodeRef::items).collect();
        let selectors = applied.iter().filter_map(|entry| entry.get("podSelector"));
        let mut subjects: Vec<PolicySubject> = selectors.map(|selector| own_pods(meta, Some(selector))).collect();
        if applied.is_empty() {
            subjects.push(own_pods(meta, None));
        }
        parts.extend(subjects.into_iter().map(|subject| SubjectEffect { subject, ingress, egress }));
    }
    parts
}

/// Namespace whose policies Istio applies to all namespaces.
const MESH_ROOT: &str = "istio-system";

/// Reads an authorization policy of Istio, which refuses calls to its pods; `None` for policies of gateways, and for
/// policies that refuse nothing.
fn istio(meta: &Meta, spec: Option<NodeRef<'_, '_>>) -> Option<SubjectEffect> {
    let text = |key: &str| spec?.get(key)?.non_null_text();
    if spec.is_some_and(|spec| spec.get("targetRef").is_some() || spec.get("targetRefs").is_some()) {
        return None;
    }
    let rules: Vec<NodeRef<'_, '_>> =
        spec.and_then(|spec| spec.get("rules")).into_iter().flat_map(NodeRef::items).collect();
    let closes = match text("action").unwrap_or("ALLOW") {
        // A rule without conditions allows all calls.
        "ALLOW" => !rules.iter().any(|rule| rule.is_mapping() && rule.entries().next().is_none()),
        "AUDIT" => false,
        _ => !rules.is_empty(),
    };
    let labels = spec.and_then(|spec| spec.get("selector"));
    closes.then(|| refusing(mesh_pods(meta, label_selector(labels))))
}

/// Selected pods of a policy of Istio: of its own namespace, or of all for a policy in the root namespace.
fn mesh_pods(meta: &Meta, requirements: Option<Requirements>) -> PolicySubject {
    match meta.namespace.as_deref() {
        Some(MESH_ROOT) => PolicySubject::Admin(label_selector(None), requirements),
        namespace => {
            PolicySubject::Cilium(Endpoints { namespace: Some(namespace.unwrap_or_default().into()), requirements })
        }
    }
}

/// Reads a requirement of Istio for mutual TLS; `None` if it accepts calls without TLS.
fn istio_peer(meta: &Meta, spec: NodeRef<'_, '_>) -> Option<SubjectEffect> {
    let is_strict = |tls: NodeRef<'_, '_>| tls.get("mode").and_then(NodeRef::text) == Some("STRICT");
    let ports = spec.get("portLevelMtls").into_iter().flat_map(NodeRef::entries).map(|(_, tls)| tls);
    let refuses = spec.get("mtls").into_iter().chain(ports).any(is_strict);
    refuses.then(|| refusing(mesh_pods(meta, label_selector(spec.get("selector")))))
}

/// Reads a Sidecar of Istio; `None` if its pods reach hosts outside of the mesh's registry.
fn istio_sidecar(meta: &Meta, spec: NodeRef<'_, '_>) -> Option<SubjectEffect> {
    let mode = spec.get("outboundTrafficPolicy").and_then(|policy| policy.get("mode")?.text());
    let labels = spec.get("workloadSelector").and_then(|selector| selector.get("labels"));
    let labels = labels.into_iter().flat_map(NodeRef::entries);
    let labels = labels.filter_map(|(key, value)| Some((key.text()?, value.text()?)));
    let labels = labels.fold(Labels::default(), |labels, (key, value)| labels.with(key, value));
    let egress = PolicyEffect { closes: true, opens: false };
    (mode == Some("REGISTRY_ONLY")).then(|| SubjectEffect {
        subject: mesh_pods(meta, Some(Requirements::from_labels(&labels))),
        ingress: PolicyEffect::default(),
        egress,
    })
}

/// Annotation of a Namespace with Linkerd's policy for ports without a Server.
const LINKERD_DEFAULT: &str = "config.linkerd.io/default-inbound-policy";

/// Reads Linkerd's default of a Namespace; `None` if it allows calls without a proxy.
fn linkerd_default(meta: &Meta) -> Option<SubjectEffect> {
    let refuses = ["deny", "all-authenticated", "cluster-authenticated"];
    let default = meta.annotations.get(LINKERD_DEFAULT).filter(|default| refuses.contains(default));
    let namespace = Some(meta.name.as_str().into());
    let subject = PolicySubject::Cilium(Endpoints { namespace, requirements: label_selector(None) });
    default.map(|_| refusing(subject))
}

/// Reads the rules of `NeuVector` for a group of pods; `None` unless it blocks other connections.
fn neuvector(meta: &Meta, spec: NodeRef<'_, '_>) -> Option<SubjectEffect> {
    let target = spec.get("target")?;
    let blocks = target.get("policymode").and_then(NodeRef::text) == Some("Protect");
    let criteria = target.get("selector").and_then(|selector| selector.get("criteria"));
    let text = |one: NodeRef<'_, '_>, key: &str| one.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let mut domains = criteria.into_iter().flat_map(NodeRef::items);
    let domain = domains.find_map(|one| {
        let is_domain = text(one, "key")? == "domain" && text(one, "op")? == "=";
        text(one, "value").filter(|value| is_domain && !value.contains('*'))
    });
    let subject = PolicySubject::Unknown(domain.or_else(|| meta.namespace.clone()));
    let closes = PolicyEffect { closes: true, opens: false };
    blocks.then_some(SubjectEffect { subject, ingress: closes, egress: closes })
}

/// Reads a Server of Linkerd: without an `AuthorizationPolicy` it refuses all calls, unless `accessPolicy` allows them.
fn linkerd(meta: &Meta, spec: NodeRef<'_, '_>) -> Option<SubjectEffect> {
    let access = spec.get("accessPolicy").and_then(NodeRef::non_null_text).unwrap_or("deny");
    let refuses = !matches!(access, "all-unauthenticated" | "audit");
    refuses.then_some(refusing(own_pods(meta, Some(spec.get("podSelector")?))))
}

/// Reads a policy of Kuma or Consul; `None` if no rule refuses calls. The pods of the called service are unknown.
/// Kuma's names have the form `NAME_NAMESPACE_svc_PORT`, and `*` of Consul means all services.
fn mesh_service(meta: &Meta, spec: NodeRef<'_, '_>) -> Option<SubjectEffect> {
    let mut rules = ["from", "rules", "sources"].into_iter().filter_map(|list| spec.get(list)).flat_map(NodeRef::items);
    let denies = |rule: NodeRef<'_, '_>| {
        let action = rule.get("action").or_else(|| rule.get("default")?.get("action"));
        action.and_then(NodeRef::text).is_some_and(|action| action.eq_ignore_ascii_case("deny"))
    };
    let text = |target: &str, key: &str| spec.get(target)?.get(key)?.non_null_text();
    let namespace = match (text("targetRef", "name"), text("destination", "name")) {
        (Some(name), _) => name.split('_').nth(1).map(str::to_owned),
        (None, Some("*") | None) => None,
        (None, Some(_)) => text("destination", "namespace").map(str::to_owned).or_else(|| meta.namespace.clone()),
    };
    rules.any(denies).then(|| refusing(PolicySubject::Unknown(namespace)))
}

/// Part that refuses calls of its pods.
fn refusing(subject: PolicySubject) -> SubjectEffect {
    SubjectEffect { subject, ingress: PolicyEffect { closes: true, opens: false }, egress: PolicyEffect::default() }
}

fn is_empty(spec: NodeRef<'_, '_>, list: &str) -> bool {
    spec.get(list).into_iter().flat_map(NodeRef::items).next().is_none()
}
