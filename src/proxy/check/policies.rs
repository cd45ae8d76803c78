//! Checks network policies for connections from Crossplane's core to functions, DNS and proxies.

use super::input::CheckInput;
use super::row::RouteRow;
use crate::api::FunctionPolicy;
use crate::catalog::{FUNCTION_PORT, PackageKind};
use crate::crossplane::{chosen_runtime_config, is_core, runs_core};
use crate::judge::network_policy::namespace_labels;
use crate::model::facts::{Direction, Package, PolicyEffect, package};
use crate::model::pod::PodTemplate;
use crate::model::text::Labels;
use crate::model::{Meta, Object, WorkloadId};
use crate::plan::listed;
use crate::proxy::effective::{Effective, KnownValue};
use crate::proxy::functions::matcher;
use crate::proxy::host_configs::is_moved;
use crate::proxy::list::is_open;
use crate::proxy::objects::Objects;
use crate::proxy::policy::{
    Blocking, ConnectionDecision, EgressRules, IngressRules, Peers, Pods, Policies, Policy, Port, egress,
};
use crate::proxy::route_decider::ActualRoute;
use crate::rule::{PROXY_REACH, Severity};
use go_no_proxy::{Range, proxy_url};
use lossless_yaml::{Path, Value};

const GRPC: Port = Port { protocol: "TCP", number: FUNCTION_PORT, name: "grpc" };

/// Returns rows for connections of the cores in the input that policies block, and for policies that are not evaluated.
pub(super) fn rows<'m>(input: &CheckInput<'m>) -> Vec<RouteRow> {
    if input.facts.policies.is_empty() && input.facts.unread_policies.is_empty() {
        return Vec::new();
    }
    let cores = input.model.workloads().filter(|(.., template)| runs_core(template));
    let core = |(id, object, template): (WorkloadId, &'m Object, &'m PodTemplate)| {
        // Functions run in the core's namespace, and a policy selects pods of its own namespace.
        let policies = input.facts.policies.iter();
        let policies = policies.filter(|policy| policy.meta.namespace == object.meta.namespace);
        let policies = Policies::new(policies);
        let own = input.of_core(id.object);
        let input = own.as_ref().unwrap_or(input);
        Core { input, policies, id, object, template }.rows()
    };
    cores.flat_map(core).collect()
}

/// Maximum number of unevaluated policies named in a message.
const NAMED: usize = 5;

/// Maximum number of comparisons between unevaluated policies and functions; beyond it, policies are assumed to select
/// functions.
const MAX_COMPARED: usize = 100_000;

/// Unevaluated policies that may select the core or a function.
#[derive(Default)]
struct UnevaluatedPolicies<'s> {
    /// Names of policies that may refuse a connection.
    closing: Vec<&'s str>,
    /// Names of policies that may only allow a connection.
    only_opening: Vec<&'s str>,
    /// True if any of the policies may allow a connection that a `NetworkPolicy` refuses.
    opens: bool,
}

struct Core<'s, 'm> {
    input: &'s CheckInput<'m>,
    /// Policies in the namespace of the core.
    policies: Policies<'s>,
    id: WorkloadId,
    object: &'m Object,
    template: &'m PodTemplate,
}

impl Core<'_, '_> {
    /// Rows for the connections of one core that policies block or may block.
    fn rows(&self) -> Vec<RouteRow> {
        let Some(namespace) = &self.object.meta.namespace else { return Vec::new() };
        let mut rows = Vec::new();
        let mut own = self.pods(namespace, self.template.labels.clone(), None);
        own.service_account = Some(self.template.service_account.to_string());
        let on_host = self.template.on_host_network() || is_moved(&self.input.facts.host_configs, &self.object.meta);
        let for_core = self.policies.selecting(&own);
        let calls_functions = self.input.crossplane.external_package_controller(PackageKind::Function).is_none();
        let functions: Vec<(String, Pods)> = if calls_functions { self.functions(namespace) } else { Vec::new() };
        let unread = self.unread(namespace, (!on_host).then_some(&own), &functions);
        let own = Peers::Pods(own);
        let from = if on_host { Peers::Addresses(self.ranges(|cluster| &cluster.nodes)) } else { own };
        if on_host && egress(&for_core, &Peers::Addresses(Vec::new()), GRPC) != ConnectionDecision::Passes {
            let why = "it is on the host network, where most network plugins apply no policy".to_owned();
            let row =
                RouteRow::new(self.id.object, &self.object_name(), "everybody", None, (ActualRoute::Unknown, why));
            rows.push(row.with_severity(Severity::Info, PROXY_REACH));
        }
        // Policies do not apply to pods on the host network.
        let into = (!self.input.crossplane.functions_on_nodes).then(|| IngressRules::new(&self.policies, from, GRPC));
        let out = (!on_host).then(|| EgressRules::new(&for_core, &self.ranges(|cluster| &cluster.pods), GRPC));
        for (name, pods) in &functions {
            let (into, out) = (
                into.as_ref().map(|all| all.decide_connection(pods)),
                out.as_ref().map(|all| all.decide_connection(pods)),
            );
            let host = Some(format!("TCP port {FUNCTION_PORT}"));
            let into = into.and_then(|decision| self.blocked(name, host.clone(), &decision, "its pods"));
            let out = out.and_then(|decision| self.blocked(name, host, &decision, "the core"));
            // An unevaluated policy may allow the call.
            let severity = if unread.opens { Severity::Warning } else { Severity::Error };
            rows.extend(into.into_iter().chain(out).map(|row| row.with_severity(severity, PROXY_REACH)));
        }
        let undecided = functions.iter().filter_map(|(_, pods)| out.as_ref()?.decide_connection(pods).undecided());
        rows.extend(undecided.take(1).map(|policies| self.undecided_row(&policies)));
        let is_blocked = rows.iter().any(|row| row.reached == ActualRoute::Blocked);
        rows.extend(self.unevaluated_row(&unread, is_blocked));
        if !on_host {
            rows.extend(self.dns(&for_core));
            rows.extend(self.proxies(&for_core));
        }
        rows
    }

    fn object_name(&self) -> String {
        self.object.meta.to_string()
    }

    /// Description of pods, to match policies.
    fn pods(&self, namespace: &str, labels: Labels, package: Option<String>) -> Pods {
        Pods {
            namespace: namespace.to_owned(),
            namespace_labels: namespace_labels(self.input.model, namespace),
            is_namespace_read: self.input.model.namespaces(namespace).next().is_some(),
            labels,
            service_account: None,
            package,
            ranges: self.ranges(|cluster| &cluster.pods),
        }
    }

    /// Address ranges of the config's `cluster`.
    fn ranges(&self, ranges_of: impl Fn(&crate::api::Cluster) -> &Vec<String>) -> Vec<Range> {
        self.input.cluster().into_iter().flat_map(ranges_of).filter_map(|range| Range::read(range)).collect()
    }

    /// Functions of the input with their pods; a placeholder for any function if the input has no functions.
    fn functions(&self, namespace: &str) -> Vec<(String, Pods)> {
        let functions = self.input.model.packages().filter(|(_, _, package)| package.kind == PackageKind::Function);
        let mut found: Vec<(String, Labels)> = functions
            .map(|(_, meta, package)| (format!("function {}", meta.name), self.labels(meta, package)))
            .collect();
        if found.is_empty() {
            let labels = Labels::default().with(PackageKind::Function.label(), "function");
            found.push(("any function".to_owned(), labels));
        }
        let pods = |(name, labels): (String, Labels)| {
            let package = labels.get(PackageKind::Function.label()).map(str::to_owned);
            (name, self.pods(namespace, labels, package))
        };
        found.into_iter().map(pods).collect()
    }

    /// Unevaluated policies that may select the core or a function.
    fn unread(&self, namespace: &str, core: Option<&Pods>, functions: &[(String, Pods)]) -> UnevaluatedPolicies<'_> {
        let functions = if self.input.crossplane.functions_on_nodes { &[] } else { functions };
        let mut unread = UnevaluatedPolicies::default();
        let mut compared = 0;
        for policy in self.input.facts.unread_policies.iter().filter(|policy| policy.may_be_in(namespace)) {
            compared += functions.len();
            let into = functions.iter().map(|(_, pods)| policy.effect(pods.view(), Direction::Ingress));
            let out = core.into_iter().map(|pods| policy.effect(pods.view(), Direction::Egress));
            let effect = if compared > MAX_COMPARED {
                PolicyEffect::ANY
            } else {
                out.chain(into).fold(PolicyEffect::default(), PolicyEffect::or)
            };
            if effect.closes {
                unread.closing.push(&policy.name);
            } else if effect.opens {
                unread.only_opening.push(&policy.name);
            }
            if effect.opens {
                unread.opens = true;
            }
        }
        unread
    }

    /// Row about egress policies whose blocks of addresses may leave out the pods of functions.
    fn undecided_row(&self, policies: &Blocking) -> RouteRow {
        let (select, have) = if policies.is_one() { ("selects", "its") } else { ("select", "their") };
        let remedy = match self.input.config {
            Some(_) => "Write `cluster: {pods: [10.244.0.0/16]}` in the spec, with your range",
            None => {
                "A config with the range decides: `hostnet proxy check -c CONFIG`, with `cluster: {pods: [10.244.0.0/16]}` in its spec"
            }
        };
        let why = format!(
            "{policies} {select} the core, and {have} `ipBlock` may leave out the addresses of functions, whose range is not known. {remedy}"
        );
        let row = RouteRow::new(self.id.object, &self.object_name(), "functions", None, (ActualRoute::Unknown, why));
        row.with_severity(Severity::Info, PROXY_REACH)
    }

    /// Row about unevaluated policies; policies that may only allow connections are named only if a connection is
    /// blocked.
    fn unevaluated_row(&self, unread: &UnevaluatedPolicies<'_>, is_blocked: bool) -> Option<RouteRow> {
        let only_opening = unread.only_opening.iter().filter(|_| is_blocked);
        let mut names = unread.closing.iter().chain(only_opening).peekable();
        names.peek()?;
        let mut why = format!(
            "{} may select its pods or pods of functions: only NetworkPolicies are evaluated",
            listed(names, NAMED)
        );
        let writes = self.input.config.map(|config| config.proxy.spec.network_policy);
        if writes.is_some_and(FunctionPolicy::is_written) && !unread.closing.is_empty() {
            why.push_str(". The NetworkPolicy of `networkPolicy: Functions` does not override what they deny");
        }
        let row = RouteRow::new(
            self.id.object,
            &self.object_name(),
            "functions, DNS and proxies",
            None,
            (ActualRoute::Unknown, why),
        );
        Some(row.with_severity(Severity::Info, PROXY_REACH))
    }

    /// Labels of a function's pods, including labels from its runtime config or `ControllerConfig`.
    fn labels(&self, meta: &Meta, package: &Package) -> Labels {
        let model = self.input.model;
        let core = &self.input.crossplane.core;
        let old = package.controller_config.as_deref().filter(|_| !core.lacks_controller_configs());
        let found = match old.and_then(|name| model.controller_config(name)) {
            Some((_, config)) => config.object.lookup(&Path::dotted("spec.metadata.labels")),
            None => model
                .runtime_config(chosen_runtime_config(model, core, package).name)
                .and_then(|(_, value)| value.lookup(&Path::dotted(package::TEMPLATE).key("metadata").key("labels"))),
        };
        let mut labels = Labels::default();
        for (key, value) in found.into_iter().flat_map(Value::entries) {
            if let Some(value) = value.as_text() {
                labels = labels.with(key, value);
            }
        }
        labels.with(package.kind.label(), &meta.name)
    }

    /// Row about policies that block DNS.
    fn dns(&self, policies: &[&Policy]) -> Option<RouteRow> {
        let over = |protocol| {
            let port = Port { protocol, number: 53, name: "dns" };
            egress(policies, &Peers::AnyPeer, port)
        };
        let (udp, tcp) = (over("UDP"), over("TCP"));
        (tcp != ConnectionDecision::Passes)
            .then(|| self.blocked("DNS", Some("UDP port 53".to_owned()), &udp, "the core"))?
    }

    /// Rows for blocked proxies of the core, by IP address, or by a host name outside of the cluster whose port no rule
    /// allows.
    fn proxies(&self, policies: &[&Policy]) -> Vec<RouteRow> {
        let mut rows = Vec::new();
        for (position, _) in self.template.containers.iter().enumerate().filter(|(_, one)| is_core(self.template, one))
        {
            let facts = self.input.facts;
            let Some(variables) = facts.container(self.id.object, self.id.template, position) else { continue };
            let known = Objects::new(self.input.model, facts, self.object.meta.namespace.as_deref());
            let effective = Effective::new(variables, &known, matcher(self.input.crossplane.version()));
            let mut urls: Vec<String> =
                [effective.https, effective.http].into_iter().flatten().filter_map(text).collect();
            urls.dedup();
            for url in urls {
                let Some((peers, number, host)) = address(&url) else { continue };
                let port = Port { protocol: "TCP", number, name: "" };
                let decision = egress(policies, &peers, port);
                rows.extend(self.blocked("the proxy", Some(host), &decision, "the core"));
            }
        }
        rows
    }

    /// Row about a connection that policies block.
    fn blocked(
        &self,
        dialed: &str,
        host: Option<String>,
        decision: &ConnectionDecision,
        selected: &str,
    ) -> Option<RouteRow> {
        let ConnectionDecision::Blocked(policies) = decision else { return None };
        let (select, none) = match policies.first.as_slice() {
            [_] => ("selects", "it does not allow this"),
            _ => ("select", "they do not allow this"),
        };
        let why = format!("{policies} {select} {selected}, and {none}");
        let row = RouteRow::new(self.id.object, &self.object_name(), dialed, host, (ActualRoute::Blocked, why));
        Some(row.with_severity(Severity::Warning, PROXY_REACH))
    }
}

/// The value as a text; `None` if it is unknown or contains a placeholder.
fn text(seen: KnownValue) -> Option<String> {
    match seen {
        KnownValue::Text(text) if !is_open(&text) => Some(text),
        _ => None,
    }
}

/// Address and port of a proxy, and its host as text. A host name may have any address; `None` for a name that may be a
/// Service, whose pods may listen on another port.
fn address(url: &str) -> Option<(Peers, u16, String)> {
    let url = proxy_url(url).ok()?;
    let bits = if url.host_name().contains(':') { 128 } else { 32 };
    let range = Range::read(&format!("{}/{bits}", url.host_name()));
    let labels: Vec<&str> = url.host_name().trim_end_matches('.').split('.').collect();
    let may_be_service = labels.len() < 3 || labels.contains(&"svc");
    let peers = match range {
        Some(range) => Peers::Addresses(vec![range]),
        None if may_be_service => return None,
        None => Peers::AnyPeer,
    };
    let default = match url.scheme.as_str() {
        "https" => 443,
        "http" => 80,
        _ => 1080,
    };
    Some((peers, url.port().map_or(Some(default), |port| port.parse().ok())?, url.host))
}
